//! What programs can do, and what the model reads of them.

use crate::{answer, basic, code_mode};

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

/// Checks that each program's answer contains these words.
async fn check(cases: &[(&str, &str)]) {
    for (code, expected) in cases {
        let text = answer(&basic(), code).await;
        assert!(text.contains(expected), "{code}: {text}");
    }
}

#[tokio::test]
async fn a_failed_call_is_an_exception_with_all_faults() {
    check(&[
        (
            "await pay('x', 13)",
            "RuntimeError: pay: the bank is closed",
        ),
        (
            "await add('x', b=2, c=3)",
            "ValueError: add: a: expected an integer, got \"x\"\nc: unknown argument",
        ),
        ("await add(1)", "ValueError: add: b: "),
        (
            "await add(1, 2, 3)",
            "TypeError: add() takes 2 positional arguments but 3 were given",
        ),
        (
            "await add(1, a=2)",
            "TypeError: add() got multiple values for argument 'a'",
        ),
        (
            "await nothing(1)",
            "NameError: name 'nothing' is not defined",
        ),
        (
            "try:\n    await pay('x', 13)\nexcept RuntimeError as e:\n    r = str(e)\nr",
            r#"{"value":"pay: the bank is closed"}"#,
        ),
        // The line of the program, and not of anything around it.
        (
            "x = 1\nawait pay('x', 13)",
            "line 2, in <module>\n    await pay('x', 13)",
        ),
    ])
    .await;
}

#[tokio::test]
async fn a_value_that_is_not_json_is_an_error_that_names_its_type() {
    check(&[
        (
            "class A: pass\nA()",
            "an object of the class A, which is not a JSON value",
        ),
        (
            "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nP(1)",
            "an object of the class P",
        ),
        ("{1, 2}", "a set, "),
        ("frozenset([1])", "a frozenset, "),
        ("import datetime\ndatetime.date(2020, 1, 2)", "a date, "),
        ("a = []\na.append(a)\na", "a value that contains itself, "),
        ("d = {}\nd['d'] = [d]\nd", "a value that contains itself, "),
        ("2**64", "an int of more than 64 bits, "),
        ("-2**63 - 1", "an int of more than 64 bits, "),
        ("float('nan')", "the float NaN, "),
        ("[float('inf')]", "the float inf, "),
        ("{1: 2}", "a dict with a key of type int, "),
        ("b'x'", "a bytes, "),
        ("lambda: 1", "a function, "),
        ("add", "a function, "),
        ("int", "a type, "),
        (
            "await add(1, {2})",
            "TypeError: an argument of add is a set, which is not a JSON value",
        ),
    ])
    .await;
}

#[tokio::test]
async fn numbers_are_never_rounded() {
    check(&[
        (
            "[2**64 - 1, 2**63, -2**63]",
            r#"{"value":[18446744073709551615,9223372036854775808,-9223372036854775808]}"#,
        ),
        (
            "await add(9007199254740993, 0)",
            r#"{"value":9007199254740993}"#,
        ),
        ("[0.1, 1.0, 1e300]", r#"{"value":[0.1,1.0,1e+300]}"#),
        ("await add(1.0, 2)", r#"{"value":3}"#),
    ])
    .await;
}

#[tokio::test]
async fn a_call_that_is_not_awaited_is_an_error() {
    check(&[
        ("add(1, 2)", "`add(…)` was called and never awaited"),
        (
            "x = 1\nif x:\n    add(1, 2)",
            "`add(…)` was called and never awaited",
        ),
        (
            "x = add(1, 2)\nx",
            "`add(…)` was called and never awaited, so it did not run: write `await add(…)`",
        ),
        ("x = add(1, 2)\nx + 1", "hint: write `await add(…)`"),
        ("x = add(1, 2)\nx['a']", "hint: write `await add(…)`"),
        (
            "x = add(1, 2)\nawait add(x, 1)",
            "hint: write `await add(…)`",
        ),
        ("async def f(): return 1\nf()", "a coroutine (await it)"),
        (
            "def f():\n    return add(1, 2)\nawait f()",
            r#"{"value":3}"#,
        ),
    ])
    .await;
}

#[tokio::test]
async fn a_function_with_the_name_of_a_tool_is_warned_about() {
    let warning =
        r#""warning":"the program defines `pay` itself, which hides the tool of that name""#;
    check(&[
        ("def pay(x): return x\npay(3)", warning),
        ("async def pay(x): return x\nawait pay(3)", r#"{"value":3,"#),
        (
            "def pay(x): return x\n1/0",
            "the program defines `pay` itself",
        ),
        ("pay = 3\npay", warning),
        ("pay=3\npay", warning),
        ("pay: int = 3\npay", warning),
        ("class pay: pass\n1", warning),
        ("if True:\n    def pay(x): return x\npay(3)", warning),
        ("def f():\n    pay = 3\n    return pay\nf()", warning),
    ])
    .await;
    for code in [
        "pay == 3",
        "x = dict(\n    pay=3,\n)\nx['pay']",
        "x = \"\"\"\ndef pay(x):\npay = 3\n\"\"\"\nlen(x)",
        "x = '''\nclass pay:\n'''\nlen(x)",
        "def payment(pay): return pay\npayment(3)",
        "class payment: pass\n3",
        "class A:\n    async def pay(self): return 3\n3",
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    pay: int = 3\nA().pay",
        "if True: pay",
    ] {
        let text = answer(&basic(), code).await;
        assert!(!text.contains("warning"), "{code}: {text}");
    }
}

#[tokio::test]
async fn there_is_nothing_of_the_host() {
    check(&[
        (
            "import os\nos.getenv('PATH')",
            "'os.getenv' is not supported",
        ),
        ("import os\nos.environ", "'os.environ' is not supported"),
        ("open('/etc/passwd')", "PermissionError"),
        (
            "from pathlib import Path\nPath('/etc/passwd').read_text()",
            "PermissionError",
        ),
        ("import socket", "ModuleNotFoundError"),
        ("import subprocess", "ModuleNotFoundError"),
        ("eval('1')", "NameError"),
        ("__import__('os')", "NameError"),
    ])
    .await;
}

#[tokio::test]
async fn the_description_says_what_is_missing() {
    let tool = code_mode(&basic()).build().unwrap();
    let description = &tool.def().description;
    for (missing, code) in [
        ("`match`", "match 1:\n    case 1: pass"),
        ("`yield`", "def g():\n    yield 1"),
        ("`random`", "import random"),
        ("`time`", "import time"),
        (
            "`asyncio.create_task`",
            "import asyncio\nasyncio.create_task",
        ),
        ("`asyncio.sleep`", "import asyncio\nasyncio.sleep"),
    ] {
        assert!(description.contains(missing), "{missing}");
        assert!(
            answer(&basic(), code).await.contains("Error: "),
            "{missing}"
        );
    }
}

#[tokio::test]
async fn a_traceback_keeps_its_error() {
    let frames = (0..60).map(|n| format!("def f{n}(): return f{}()\n", n + 1));
    let deep = frames.collect::<String>();
    check(&[
        (
            "def f(n): return g(n)\ndef g(n): return f(n)\nf(1)",
            "RecursionError: maximum recursion depth exceeded",
        ),
        (
            &format!("{deep}def f60(): return 1 / 0\nf0()"),
            "\nZeroDivisionError: division by zero",
        ),
        (
            &format!("{deep}def f60(): raise ValueError('why' * 3000)\nf0()"),
            "\nValueError: whywhywhy",
        ),
    ])
    .await;
}
