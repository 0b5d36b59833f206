//! Calls run when they are awaited, and only then.

use toolwright::Executor;

use crate::{Log, agent, answer, basic, call_of, code_mode, text};
use toolwright::Context;
use toolwright::agent::Session;

/// Runs a program without approvals. Returns what the model reads, and what was paid.
async fn paid(code: &str) -> (String, Vec<String>) {
    let tool = code_mode(&basic()).executor(|tools| Executor::parallel(tools, 8));
    let agent = agent(tool.build().unwrap(), vec![call_of(code)]);
    let (mut session, log) = (Session::ask("Go!"), Log::default());
    let cx = Context::new().with(log.clone());
    let _ = agent.run(&mut session, &cx).await.unwrap();
    (text(&session), log.take())
}

#[tokio::test]
async fn a_call_that_is_never_awaited_never_runs() {
    for code in [
        "plan = [pay('x', 10) for c in 'ab']\nif await add(1, 2) > 9:\n    await plan[0]",
        "x = pay('x', 1)\nawait add(1, 2)",
        "x = pay('x', 13)\nawait add(1, 2)",
        "pay('x', 1)\nawait add(1, 2)",
        "def f():\n    pay('x', 1)\nf()\nawait add(1, 2)",
        "import asyncio\nawait asyncio.gather(add(1, 2), add(3, 4))\npay('x', 1)",
        "import asyncio\nx = asyncio.gather(pay('x', 1), pay('x', 2))\nawait add(1, 2)",
        "x = {'a': [pay('x', 1)]}\nfor i in range(3):\n    await add(i, i)",
    ] {
        let (text, paid) = paid(code).await;
        assert!(paid.is_empty(), "{code}: {paid:?}");
        let words =
            "`pay(…)` was called and never awaited, so it did not run: write `await pay(…)`";
        assert!(text.contains(words), "{code}: {text}");
    }
}

#[tokio::test]
async fn a_call_that_is_kept_runs_when_it_is_awaited() {
    for (code, expected) in [
        (
            "x = pay('x', 1)\ny = pay('y', 2)\nawait y\nawait x",
            &["y 2", "x 1"][..],
        ),
        (
            "import asyncio\nplan = [pay('x', n) for n in range(3)]\nawait asyncio.gather(*plan)",
            &["x 0", "x 1", "x 2"],
        ),
        ("later = lambda n: pay('x', n)\nawait later(4)", &["x 4"]),
        (
            "async def twice(f):\n    await f('x', 1)\n    await f('x', 2)\nawait twice(pay)",
            &["x 1", "x 2"],
        ),
        (
            "pays = {'one': pay}\nawait pays['one']('x', amount=5)",
            &["x 5"],
        ),
    ] {
        let (text, paid) = paid(code).await;
        assert_eq!(paid, expected, "{code}: {text}");
        assert!(text.starts_with(r#"{"value":"#), "{code}: {text}");
    }
}

#[tokio::test]
async fn a_name_of_a_tool_may_stand_for_something_else() {
    for (code, expected) in [
        ("get = lambda n: add(n, 1)\nawait get(1)", r#"{"value":2}"#),
        (
            "def f(add):\n    add(1)\nl = []\nf(lambda n: l.append(n))\nl",
            r#"{"value":[1]}"#,
        ),
        (
            "l = []\nfor add in [lambda n: l.append(n)]:\n    add(1)\nl",
            r#"{"value":[1]}"#,
        ),
        ("s = '''\nadd(1)\n'''\nlen(s)", r#"{"value":8}"#),
        (
            "class A:\n    def add(self): return 1\nA().add()",
            r#"{"value":1}"#,
        ),
        (
            "add = 3\nadd",
            r#"{"value":3,"warning":"the program defines `add` itself, which hides the tool of that name"}"#,
        ),
    ] {
        assert_eq!(answer(&basic(), code).await, expected, "{code}");
    }
}

#[tokio::test]
async fn a_traceback_is_about_the_program_alone() {
    for (code, lines) in [
        ("x = 1\n\nawait pay('x', 13)", &[3][..]),
        (
            "async def f():\n    await pay('x', 13)\n\nawait f()",
            &[4, 2],
        ),
        ("await add(1, 2, 3)", &[1]),
        ("\n\n1/0", &[3]),
        ("x = 1\ny = = 2\nawait add(1, 2)", &[2]),
        ("def f():\n    return add\n\nawait f()(1, {2})", &[4]),
        ("x = 1\nawait add(nothing, 2)", &[2]),
    ] {
        let text = answer(&basic(), code).await;
        let shown = text.lines().filter_map(|line| {
            let line = line.trim().strip_prefix("File \"program.py\", line ")?;
            line.split(',').next()?.parse::<u32>().ok()
        });
        assert_eq!(shown.collect::<Vec<_>>(), lines, "{code}: {text}");
        assert!(!text.contains("kwargs") && !text.contains("__"), "{text}");
    }
}
