//! Limits of programs.

use std::time::{Duration, SystemTime};

use toolwright::agent::Session;
use toolwright::{Context, Executor};
use toolwright_code::Limits;

use crate::{Log, agent, answer, answer_of, basic, call_of, code_mode, text};

#[tokio::test]
async fn limits_are_errors_that_no_program_catches() {
    let limits = Limits {
        calls: 3,
        time: Duration::from_millis(200),
        printed: 10,
        value: 10,
        source: 100,
        ..Limits::default()
    };
    for (code, expected) in [
        (
            "while True: pass",
            "TimeoutError: the program ran longer than 200ms",
        ),
        (
            "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
            "TimeoutError: ",
        ),
        (
            "while True:\n  try:\n    await add(1, 1)\n  except BaseException: pass",
            "more than 3 calls",
        ),
        (
            "x = [add(1, 1) for i in range(4)]\nimport asyncio\nawait asyncio.gather(*x)",
            "more than 3 calls",
        ),
        (
            "while True:\n  try: await add(1, 2, 3)\n  except TypeError: pass",
            "more than 3 calls",
        ),
        (
            "from datetime import datetime\nwhile True: datetime.now()",
            "TimeoutError: ",
        ),
        (
            "print('x' * 20)",
            r#"{"value":null,"printed":"xxxxxxxxxx\n[output truncated: 11 bytes left out]"}"#,
        ),
        (
            "print('ä' * 20)",
            r#"{"value":null,"printed":"äääää\n[output truncated: 31 bytes left out]"}"#,
        ),
        (
            "'x' * 9",
            "ValueError: the program ended with a value of more than 10 bytes",
        ),
        ("'x' * 8", r#"{"value":"xxxxxxxx"}"#),
        (
            &"x = 1\n".repeat(20),
            "the program is longer than 100 bytes",
        ),
    ] {
        let mode = code_mode(&basic())
            .limits(limits)
            .executor(|tools| Executor::parallel(tools, 8));
        let text = answer_of(mode.build().unwrap(), code).await;
        assert!(text.contains(expected), "{code}: {text}");
    }
}

#[tokio::test]
async fn a_long_traceback_is_cut_and_says_so() {
    let text = answer(&basic(), "def f(): return g()\ndef g(): return f()\nf()").await;
    assert!(
        text.len() < 5000 && text.contains("[output truncated: "),
        "{text}"
    );
}

#[tokio::test]
async fn each_call_counts_and_a_step_runs_whole_or_not_at_all() {
    for (calls, expected, paid) in [
        (
            "[pay('x', 1)] * 1, [pay('y', i) for i in range(51)]",
            "more than 50 calls",
            0,
        ),
        (
            "[pay('y', i) for i in range(30)], [find_tools('pay') for i in range(30)]",
            "more than 50 calls",
            0,
        ),
        (
            "[find_tools('pay') for i in range(30)], [pay('y', i) for i in range(30)]",
            "more than 50 calls",
            0,
        ),
        (
            "[pay('y', i) for i in range(30)], [pay(1, 2, 3) for i in range(30)]",
            "more than 50 calls",
            0,
        ),
        (
            "[pay('y', i + 20) for i in range(25)], [find_tools('pay') for i in range(25)]",
            r#"{"value":50"#,
            25,
        ),
    ] {
        let tool = code_mode(&basic()).executor(|tools| Executor::parallel(tools, 8));
        let code = format!("import asyncio\na, b = {calls}\nlen(await asyncio.gather(*a, *b))");
        let agent = agent(tool.search().build().unwrap(), vec![call_of(&code)]);
        let (mut session, log) = (Session::ask("Go!"), Log::default());
        let _ = agent
            .run(&mut session, &Context::new().with(log.clone()))
            .await
            .unwrap();
        let text = text(&session);
        assert!(text.contains(expected), "{calls}: {text}");
        assert_eq!(log.take().len(), paid, "{calls}: {text}");
    }
}

#[tokio::test]
async fn searches_and_wrong_calls_count_for_the_whole_program() {
    for code in [
        "for i in range(60):\n    await find_tools('pay')",
        "for i in range(60):\n    try: await add(1, 2, 3)\n    except TypeError: pass",
        "for i in range(30):\n    await add(i, 1)\n    await find_tools('pay')",
        "for i in range(30):\n    await add(i, 1)\n    try: await add(1, 2, 3)\n    except TypeError: pass",
    ] {
        let tool = code_mode(&basic())
            .executor(|tools| Executor::parallel(tools, 8))
            .search();
        let text = answer_of(tool.build().unwrap(), code).await;
        assert!(text.contains("more than 50 calls"), "{code}: {text}");
    }
}

/// monty ends a `gather` by a failed call whose coroutine would catch the error.
#[tokio::test]
async fn a_failed_call_in_a_gather_is_caught_by_its_coroutine() {
    let code = "
import asyncio
async def safe(amount):
    try:
        return await pay('x', amount)
    except RuntimeError as error:
        return str(error)
await asyncio.gather(*[safe(amount) for amount in [12, 13, 14]])";
    let text = answer(&basic(), code).await;
    let value = ["paid 12 to x", "pay: the bank is closed", "paid 14 to x"];
    assert_eq!(text, serde_json::json!({ "value": value }).to_string());
}

#[tokio::test]
async fn a_wrong_call_beside_others_loses_none_of_them() {
    let code = "
import asyncio
async def wrong():
    try:
        await add(1, 2, 3)
    except TypeError as error:
        return str(error)
await asyncio.gather(add(1, 2), wrong(), add(3, 4))";
    let text = answer(&basic(), code).await;
    let words = "add() takes 2 positional arguments but 3 were given";
    assert_eq!(
        text,
        serde_json::json!({"value": [3, words, 7]}).to_string()
    );
}

#[tokio::test]
async fn the_time_stands_still_while_a_program_runs() {
    let days = std::sync::atomic::AtomicU64::new(0);
    let tool = code_mode(&basic()).clock(move || {
        let days = days.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        SystemTime::UNIX_EPOCH + Duration::from_hours(24 * days)
    });
    let code = "
from datetime import datetime
times = {str(datetime.now()) for i in range(2000)}
await add(1, 2)
[len(times), str(datetime.now())]";
    let text = answer_of(tool.build().unwrap(), code).await;
    assert_eq!(text, r#"{"value":[1,"1970-01-02 00:00:00"]}"#);
}

#[tokio::test]
async fn arguments_of_a_step_are_limited_together() {
    let code = "
import asyncio
async def call(length):
    try:
        await pay('\\n' * (length // 2), 'much')
    except ValueError as error:
        return str(error)[:20]
await asyncio.gather(*[call(250_000) for _ in range(COUNT)])";
    let text = answer(&basic(), &code.replace("COUNT", "3")).await;
    assert_eq!(text.matches("pay: amount: expecte").count(), 3, "{text}");
    let text = answer(&basic(), &code.replace("COUNT", "5")).await;
    assert!(text.contains("the arguments"), "{text}");
    for call in ["pay('a' * 2_000_000, 1)", "pay(**{'a' * 2_000_000: 1})"] {
        let code = format!("try:\n    await {call}\nexcept ValueError as e:\n    x = str(e)\nx");
        let text = answer(&basic(), &code).await;
        assert!(text.contains("the arguments"), "{call}: {text}");
    }
}
