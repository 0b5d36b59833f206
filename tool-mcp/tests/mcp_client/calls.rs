//! What becomes of calls.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use toolwright::{
    Context, Executor, Outcome, ToolCall, ToolError, Toolset,
    call::{Cancel, ErrorKind},
    executor::Event,
};
use toolwright_mcp::{Client, ClientEvent, ElicitResult};

use super::{call, connect, text};

async fn client(script: &str) -> Client {
    connect(script).0.await.unwrap()
}

async fn error(tools: &Toolset, name: &str, arguments: &str) -> ToolError {
    call(tools, name, arguments).await.outcome.unwrap_err()
}

#[tokio::test]
async fn arguments_and_structured_content_keep_every_digit() {
    let client = client("normal").await;
    let tools = client.toolset();
    let exact = r#"{ "n": 123456789012345678901234567890, "z": 1.10, "a": [1e2, -0], "t": "é\n" }"#;
    assert_eq!(text(&call(&tools, "echo", exact).await), exact);
    let result = call(&tools, "structured", exact).await;
    assert_eq!(result.outcome.unwrap().payload().unwrap().to_json(), exact);
    let twice = r#"{"a": [{"b": 1, "b": 1}]}"#;
    let error = error(&tools, "echo", twice).await;
    assert_eq!(error.to_string(), "a[0].b: given more than once");
    // A line's end would end the message.
    let lines = "{\n\"a\":\r\n1}";
    assert_eq!(text(&call(&tools, "echo", lines).await), "{ \"a\":  1}");
}

#[tokio::test]
async fn wrong_arguments_are_not_sent() {
    let (connector, told) = connect("odd");
    let client = connector.await.unwrap();
    let tools = client.toolset();
    for (arguments, says) in [
        ("{}", "city: missing"),
        (r#"{"city": "Oslo", "days": 10}"#, "days: expected"),
        (r#"{"city": "Oslo", "city": "Rome"}"#, "more than once"),
        ("[1]", "must be a JSON object"),
        (r#"{"city": "#, "JSON"),
    ] {
        let error = error(&tools, "forecast", arguments).await;
        assert_eq!(error.kind(), ErrorKind::InvalidArgs, "{arguments}");
        assert!(error.to_string().contains(says), "{arguments}: {error}");
    }
    client.close().await;
    told.wait_for_stderr("end of input").await;
    assert!(!told.stderr().iter().any(|line| line.starts_with("called")));
}

#[tokio::test]
async fn arguments_are_sent_unchecked_if_the_host_wants_it() {
    let (connector, told) = connect("odd");
    let client = connector.check_arguments(false).await.unwrap();
    call(&client.toolset(), "forecast", r#"{"days": 10}"#).await;
    told.wait_for_stderr("called forecast").await;
}

#[tokio::test]
async fn errors_are_told_as_what_they_are() {
    let client = client("normal").await;
    let tools = client.toolset();
    for (name, kind, says) in [
        // On a terminal it says what it is and does nothing.
        ("fails", ErrorKind::Failed, r"no such city\u{1b}[2J\u{202e}"),
        (
            "refuses",
            ErrorKind::Failed,
            "the MCP server refused the call: not today",
        ),
        (
            "nonsense",
            ErrorKind::InvalidReturn,
            "not a result of a tool",
        ),
        (
            "neither",
            ErrorKind::InvalidReturn,
            "neither a result nor an error",
        ),
    ] {
        let error = error(&tools, name, "{}").await;
        assert_eq!(error.kind(), kind, "{name}");
        assert!(error.to_string().contains(says), "{name}: {error}");
    }
}

#[tokio::test]
async fn an_error_without_the_form_of_one_is_told_in_its_words() {
    let client = client("normal").await;
    let tools = client.toolset();
    for (arguments, says, code) in [
        (
            r#"{"code": "E_QUOTA", "message": "not today"}"#,
            "not today",
            "\"E_QUOTA\"",
        ),
        (r#"{"message": "not today"}"#, "not today", "without a code"),
        (
            r#"{"code": 1.5, "message": "not today"}"#,
            "not today",
            "1.5",
        ),
        (r#"{"code": -1}"#, r#"{"code": -1}"#, "-1"),
        (
            r#"{"code": -1, "message": null, "data": "no quota"}"#,
            r#""data": "no quota""#,
            "-1",
        ),
        (
            r#"{"code": -1, "message": {"de": "heute nicht"}}"#,
            "heute nicht",
            "-1",
        ),
        ("{}", "{}", "without a code"),
        (
            r#"{"code": -1, "message": "no\u001b[2J\u202e"}"#,
            r"no\u{1b}[2J\u{202e}",
            "-1",
        ),
    ] {
        let error = error(&tools, "refuses_anyhow", arguments).await;
        assert_eq!(error.kind(), ErrorKind::Failed, "{arguments}");
        let words = error.to_string();
        assert!(
            words.starts_with("the MCP server refused the call: ") && words.contains(says),
            "{arguments}: {words}"
        );
        let detail = error.host_detail().unwrap();
        assert_eq!(detail, format!("JSON-RPC error {code}"), "{arguments}");
    }
    // The connection is the same.
    assert_eq!(text(&call(&tools, "echo", "{}").await), "{}");
}

#[tokio::test]
async fn lines_that_are_no_messages_are_passed_over() {
    let (connector, told) = connect("normal");
    let client = connector.await.unwrap();
    assert_eq!(text(&call(&client.toolset(), "noisy", "{}").await), "fine");
    assert_eq!(
        text(&call(&client.toolset(), "id_as_text", "{}").await),
        "fine"
    );
    let bad = told
        .all()
        .into_iter()
        .filter(|event| matches!(event, ClientEvent::BadMessage(_)));
    // Those of the test harness in which the server runs are bad ones too.
    assert!(bad.count() >= 6, "{:?}", told.all());
    let is_log =
        |event: &ClientEvent| matches!(event, ClientEvent::Log(log) if log.contains("\"hi\""));
    assert!(told.all().iter().any(is_log));
}

#[tokio::test]
async fn a_message_that_is_too_large_fails_its_call_alone() {
    let (connector, told) = connect("normal");
    let client = connector.max_bytes(100_000).await.unwrap();
    let tools = client.toolset();
    for name in ["huge", "huge_id_last"] {
        let error = error(&tools, name, "{}").await;
        assert_eq!(error.kind(), ErrorKind::InvalidReturn, "{name}");
        assert!(
            error.to_string().contains("more than 100000 bytes"),
            "{name}: {error}"
        );
    }
    assert_eq!(text(&call(&tools, "echo", "{}").await), "{}");
    let is_told = |event: &ClientEvent| matches!(event, ClientEvent::BadMessage(what) if what.contains("100000"));
    assert_eq!(told.all().iter().filter(|event| is_told(event)).count(), 2);
}

#[tokio::test]
async fn limits_that_no_clock_counts_to_are_none() {
    let connector = connect("normal").0;
    let connector = connector.connect_timeout(Duration::MAX);
    let connector = connector
        .list_timeout(Duration::MAX)
        .idle_timeout(Duration::MAX);
    let client = connector.await.unwrap();
    assert_eq!(text(&call(&client.toolset(), "echo", "{}").await), "{}");
}

#[tokio::test]
async fn a_server_is_sent_the_calls_idempotency_key() {
    let client = client("normal").await;
    let tools = client.toolset();
    let key = async |cx: &Context| {
        let executor = Executor::serial(tools.clone());
        let batch = executor.run(&[ToolCall::new("c1", "key", "{}")], cx).await;
        batch.results().map(text).collect::<Vec<_>>()
    };
    let run = Context::new().with_run("r1").with_turn(4);
    assert_eq!(key(&run).await, [r#""r1/4/0/c1""#]);
    // Without a run a call has none.
    assert_eq!(key(&Context::new()).await, ["null"]);
}

#[tokio::test]
async fn progress_is_told_in_its_order() {
    let client = client("normal").await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ear = Arc::clone(&heard);
    let executor = Executor::parallel(client.toolset(), 8).on_event(move |event| {
        if let Event::Progress {
            index, progress, ..
        } = event
        {
            let words = progress.message.clone().unwrap_or_default();
            ear.lock()
                .unwrap()
                .push((*index, progress.done, progress.total, words));
        }
    });
    let calls: Vec<_> = (0..8)
        .map(|n| ToolCall::new(n.to_string(), "progress", "{}"))
        .collect();
    let batch = executor.run(&calls, &Context::new()).await;
    assert!(batch.results().all(toolwright::ToolResult::is_success));
    let heard = heard.lock().unwrap();
    for index in 0..8 {
        let own: Vec<_> = heard
            .iter()
            .filter(|told| told.0 == index)
            .cloned()
            .collect();
        let expected: Vec<_> = (1..=3)
            .map(|done| {
                (
                    index,
                    f64::from(done),
                    Some(3.0),
                    format!("step {done}").into(),
                )
            })
            .collect();
        assert_eq!(own, expected);
    }
}

#[tokio::test]
async fn an_id_may_be_written_as_a_float() {
    let client = client("normal").await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ear = Arc::clone(&heard);
    let executor = Executor::serial(client.toolset()).on_event(move |event| {
        if let Event::Progress { progress, .. } = event {
            ear.lock().unwrap().push(progress.done);
        }
    });
    let call = ToolCall::new("1", "floats", "{}");
    let batch = executor.run(&[call], &Context::new()).await;
    assert_eq!(text(batch.results().next().unwrap()), "done");
    assert_eq!(*heard.lock().unwrap(), [1.0]);
}

#[tokio::test]
async fn a_call_that_is_not_wanted_any_more_is_cancelled_at_the_server() {
    let (connector, told) = connect("normal");
    let client = connector
        .idle_timeout(Duration::from_secs(2))
        .await
        .unwrap();
    let tools = client.toolset();
    // Silent for too long.
    let error = error(&tools, "slow", "{}").await;
    assert_eq!(error.kind(), ErrorKind::Timeout);
    let is_late = |event: &ClientEvent| matches!(event, ClientEvent::Stderr(line) if line.ends_with("the call took too long"));
    told.wait_for("cancellation", is_late).await;
    // The host says stop.
    let stop = Cancel::new();
    let cx = Context::new().with_cancel(stop.clone());
    let slow = ToolCall::new("1", "slow", "{}");
    let (result, ()) = tokio::join!(tools.call(&slow, &cx), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        stop.cancel();
    });
    assert_eq!(result.outcome.unwrap_err().kind(), ErrorKind::Cancelled);
    let is_stop = |event: &ClientEvent| matches!(event, ClientEvent::Stderr(line) if line.ends_with("the call was cancelled"));
    told.wait_for("cancellation", is_stop).await;
    // Nobody waits.
    let cx = Context::new();
    let third = async {
        while told
            .stderr()
            .iter()
            .filter(|line| *line == "called slow")
            .count()
            < 3
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        biased;
        () = third => {}
        result = tools.call(&slow, &cx) => panic!("{result:?}"),
    }
    let is_dropped = |event: &ClientEvent| matches!(event, ClientEvent::Stderr(line) if line.contains("nobody waits"));
    told.wait_for("cancellation", is_dropped).await;
    // A server that tells how far it is may take longer.
    assert_eq!(text(&call(&tools, "alive", "{}").await), "done");
}

/// The server has made a task of a call, and answers when nobody waits any more.
#[tokio::test]
async fn a_task_whose_id_comes_too_late_is_withdrawn() {
    let stop = Cancel::new();
    let cancelled = Context::new().with_cancel(stop.clone());
    for (is_dropped, cx) in [(true, Context::new()), (false, cancelled)] {
        let (connector, told) = connect("modern");
        let client = connector.await.unwrap();
        let tools = client.toolset();
        let late = ToolCall::new("1", "late_task", "{}");
        let called = async {
            told.wait_for_stderr("called late_task").await;
            if !is_dropped {
                stop.cancel();
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = called => assert!(is_dropped),
            result = tools.call(&late, &cx) => {
                assert!(!is_dropped, "{result:?}");
                assert_eq!(result.outcome.unwrap_err().kind(), ErrorKind::Cancelled);
            }
        }
        told.wait_for_stderr("withdrawn: t1").await;
    }
}

#[tokio::test]
async fn a_server_that_does_not_read_holds_calls_up_and_not_the_host() {
    let (connector, _) = connect("does not read");
    let client = connector
        .idle_timeout(Duration::from_secs(1))
        .await
        .unwrap();
    let tools = client.toolset();
    // More than a pipe takes.
    let large = format!(r#"{{"text": "{}"}}"#, "x".repeat(100_000));
    let calls = (0..100).map(|_| error(&tools, "echo", &large));
    let errors = futures_util::future::join_all(calls).await;
    assert!(
        errors
            .iter()
            .all(|error| error.kind() == ErrorKind::Timeout)
    );
    let unsent = errors
        .iter()
        .filter(|error| error.to_string().contains("was not"));
    // Of the first one the start is in the pipe.
    assert_eq!(unsent.count(), 99, "{errors:?}");

    // Whoever waits for room can be told to stop.
    let stop = Cancel::new();
    let cx = Context::new().with_cancel(stop.clone());
    let echo = ToolCall::new("1", "echo", "{}");
    let calls = futures_util::future::join_all((0..100).map(|_| tools.call(&echo, &cx)));
    let (results, ()) = tokio::join!(calls, async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        stop.cancel();
    });
    for result in results {
        let error = result.outcome.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        assert!(error.to_string().contains("before it was sent"), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_asks_without_end_and_does_not_read_is_not_answered_without_end() {
    let (connector, told) = connect("normal");
    let client = connector.await.unwrap();
    let tools = client.toolset();
    assert_eq!(text(&call(&tools, "pings", "{}").await), "pinged");
    let answered: usize = text(&call(&tools, "pinged", "{}").await).parse().unwrap();
    // A pipe holds some.
    assert!((1..8_000).contains(&answered), "{answered}");
    let is_told = |event: &ClientEvent| matches!(event, ClientEvent::BadMessage(what) if what.contains("without an answer"));
    let passed_over = told.all().iter().filter(|event| is_told(event)).count();
    // Some of its last answers may be behind this one.
    assert!((19_744..=20_000).contains(&(passed_over + answered)));
    // It has read them, and may ask again.
    let said = text(&call(&tools, "ask", "{}").await);
    assert_eq!(said, r#"{"action":"decline"}"#);
}

#[tokio::test]
async fn questions_reach_the_host_or_are_declined() {
    let client = client("normal").await;
    let said = text(&call(&client.toolset(), "ask", "{}").await);
    assert_eq!(said, r#"{"action":"decline"}"#);

    let (connector, _) = connect("normal");
    let connector = connector
        .idle_timeout(Duration::from_secs(1))
        .on_elicitation(|question| async move {
            assert_eq!(
                (&*question.server, &*question.message),
                ("scripted", "How many?")
            );
            assert_eq!(
                question.schema.unwrap()["properties"]["n"]["type"],
                "integer"
            );
            // A person may think for longer than a call may be silent.
            tokio::time::sleep(Duration::from_millis(1_800)).await;
            ElicitResult::Accept(json!({"n": 3}).as_object().cloned().unwrap())
        });
    let client = connector.await.unwrap();
    let said = text(&call(&client.toolset(), "ask", "{}").await);
    assert_eq!(said, r#"{"action":"accept","content":{"n":3}}"#);

    // The server does not wait for who panics.
    let (connector, _) = connect("normal");
    let connector = connector.on_elicitation(|_| async { panic!("nobody is here") });
    let client = connector.await.unwrap();
    let said = text(&call(&client.toolset(), "ask", "{}").await);
    assert_eq!(said, r#"{"action":"cancel"}"#);
}

/// A person may think for longer than a call may take.
#[tokio::test]
async fn the_time_limit_of_a_call_does_not_run_while_a_person_is_asked() {
    for (kind, name, arguments) in [
        ("normal", "ask", "{}"),
        ("modern", "needs", r#"{"n": 1.0}"#),
    ] {
        let (connector, _) = connect(kind);
        let connector = connector.timeout(Duration::from_millis(900));
        let client = connector.on_elicitation(|_| async {
            tokio::time::sleep(Duration::from_millis(2_100)).await;
            ElicitResult::Accept(json!({"n": 3}).as_object().cloned().unwrap())
        });
        let executor = Executor::serial(client.await.unwrap().toolset());
        let call = ToolCall::new("c", name, arguments);
        let batch = executor.run(&[call], &Context::new()).await;
        let result = batch.results().next().unwrap();
        assert!(text(result).contains("accept"), "{kind}: {result:?}");
    }
}

#[tokio::test]
async fn input_that_is_required_is_sent_with_the_same_arguments() {
    let (connector, _) = connect("modern");
    let client = connector
        .on_elicitation(|question| async move {
            let who = question.message.clone();
            ElicitResult::Accept(json!({"asked": who}).as_object().cloned().unwrap())
        })
        .await
        .unwrap();
    assert_eq!(client.protocol(), Some("2026-07-28"));
    let said = text(&call(&client.toolset(), "needs", r#"{"n": 1.0}"#).await);
    assert_eq!(
        said,
        r#"{"who":{"action":"accept","content":{"asked":"Who?"}}} Some("s1") {"n": 1.0}"#
    );
}

#[tokio::test]
async fn a_call_whose_answer_is_broken_does_not_wait_for_another() {
    let client = client("normal").await;
    let torn = tokio::time::timeout(Duration::from_secs(20), async {
        call(&client.toolset(), "torn", "{}").await
    });
    let error = torn.await.unwrap().outcome.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidReturn, "{error}");
}

#[tokio::test]
async fn many_calls_at_once_get_their_own_answers() {
    let client = client("normal").await;
    let tools = client.toolset();
    let calls = (0..500).map(|n| {
        let tools = tools.clone();
        async move {
            let arguments = format!(r#"{{"n": {n}}}"#);
            assert_eq!(text(&call(&tools, "echo", &arguments).await), arguments);
        }
    });
    futures_util::future::join_all(calls).await;
    let outcome = call(&tools, "echo", "").await.outcome.unwrap();
    assert!(matches!(outcome, Outcome::Value(_)));
}

#[tokio::test]
async fn what_a_server_asks_before_it_says_hello_takes_no_place() {
    for script in ["asks first", "silent, asks first"] {
        let (connector, _) = connect(script);
        let client = connector.await.unwrap();
        let tools = client.toolset();
        let said = tokio::time::timeout(Duration::from_secs(20), call(&tools, "ask", "{}"));
        assert_eq!(
            text(&said.await.unwrap()),
            r#"{"action":"decline"}"#,
            "{script}"
        );
    }
}
