//! What programs can do, and what the model reads of them.

use crate::{answer, basic};

#[tokio::test]
async fn a_program_calls_tools_and_ends_with_a_value() {
    let code = "
import asyncio
one = await add(1, 2)
a, b = await asyncio.gather(add(one, b=10), add(a=one, b=20))
print('sum', a + b)
{'a': a, 'b': b}
";
    let text = answer(&basic(), code).await;
    assert_eq!(text, r#"{"value":{"a":13,"b":23},"printed":"sum 36\n"}"#);
}

#[tokio::test]
async fn explore() {
    for code in [
        "1/0",
        "await pay('x', 13)",
        "try:\n    await pay('x', 13)\nexcept RuntimeError as e:\n    r = str(e)\nr",
        "await add('x', 2, c=3)",
        "await add(1,2,3)",
        "add(1,2)",
        "x = add(1,2)\nx",
        "x = add(1,2)\nx + 1",
        "x = add(1,2)\nx['a']",
        "x = add(1,2)\ny = await add(1,x)\ny",
        "class A: pass\nA()",
        "{1,2}",
        "import datetime\ndatetime.date(2020,1,2)",
        "a=[]\na.append(a)\na",
        "2**64",
        "2**63",
        "float('nan')",
        "1e300*1e300",
        "{1:2}",
        "(1,2)",
        "b'x'",
        "lambda: 1",
        "add",
        "int",
        "while True: pass",
        "try:\n    while True: pass\nexcept BaseException:\n    pass\n5",
        "def f(n): return f(n+1)\nf(0)",
        "def f(n):\n    try:\n        return f(n+1)\n    except RecursionError:\n        return n\nf(0)",
        "x = 'a'*100\nwhile True: x = x + x",
        "2**10000000",
        "print('x'*20000)\n1",
        "'x'*70000",
        "raise ValueError('a\\nb')",
        "match 1:\n    case 1: pass",
        "def g():\n    yield 1\nlist(g())",
        "import random",
        "import time\ntime.time()",
        "import os\nos.getenv('HOME')",
        "open('/etc/passwd').read()",
        "import asyncio\nasyncio.create_task(add(1,2))",
        "import asyncio\nawait asyncio.sleep(1)",
        "from datetime import datetime\nstr(datetime.now())",
        "def pay(x): return x\npay(3)",
        "async def f():\n    return await add(1,2)\nawait f()",
        "async def f():\n    return await add(1,2)\nf()",
        "i = 0\nwhile True:\n    i += await add(1,1)",
        "x = [add(1,1) for i in range(60)]\nimport asyncio\nawait asyncio.gather(*x)",
        "async def f():\n    return await add(1,2)\nimport asyncio\nasyncio.run(f())",
        "def f():\n    return add(1,2)\nawait f()",
        "undefined(1)",
        "add.x",
        "await undefined",
        "x = (",
        "await add(**{'a': 1, 'b': 2})",
        "await add(a=1, b=None)",
        "import asyncio\nr = await asyncio.gather(pay('x',13), add(1,2), return_exceptions=True)\n[str(x) for x in r]",
        "None",
        "",
        "x = 5",
        "def main():\n  return 1",
        "import asyncio\ntry:\n  await asyncio.wait_for(add(1,2), 1)\nexcept Exception as e:\n  x = repr(e)\nx",
        "eval('1')",
        "exec('1')",
        "__import__('os')",
        "().__class__.__bases__",
        "x=0\ndef f():\n  global x\n  x = 1\nf()\nx",
        "f'{1:>5}'",
        "sorted([3,1], key=lambda x: x)",
        "1 if True else 2",
        "with open('x') as f: pass",
        "assert 1 == 2, 'no'",
        "import json\njson.dumps({'a': 1})",
        "s = {'b', 'a', 'c', 'd', 'e'}\nstr(s)",
        "id('x')",
        "hash('x')",
        "str(object())",
    ] {
        let text = answer(&basic(), code).await;
        let mut short = text.clone();
        short.truncate(500);
        println!("### {code:?}\n{short}\n");
    }
}
