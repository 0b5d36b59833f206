//! Calls that wait in the session of an agent while a person answers, at a server before protocol 2026-07-28: the request stays on its way.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split};
use tokio::sync::Notify;
use toolwright::agent::{Agent, MemoryCheckpointer, ModelResponse, Session, Status};
use toolwright::call::Decision;
use toolwright::executor::PendingReason;
use toolwright::{Executor, ToolCall};
use toolwright_mcp::{self as mcp, ClientEvent, Connector, ElicitResult, Elicitation, ServerAt};

use super::pauses::{model, result, run, stored};
use super::{Told, call, text};

/// What the server has read, and a sign for it to go on.
#[derive(Clone, Default)]
struct Log {
    read: Arc<Mutex<Vec<Value>>>,
    goes_on: Arc<Notify>,
    ends: Arc<Notify>,
}

impl Log {
    /// How often a method was sent.
    fn count(&self, method: &str) -> usize {
        let read = self.read.lock().unwrap();
        read.iter()
            .filter(|message| message["method"] == method)
            .count()
    }
}

fn question(id: usize) -> Value {
    json!({"jsonrpc": "2.0", "id": format!("q{id}"), "method": "elicitation/create", "params": {
        "message": "Where?", "requestedSchema": {
            "type": "object", "properties": {"city": {"type": "string", "minLength": 2}}, "required": ["city"],
        },
    }})
}

fn answered(call: &Value, text: &str) -> Value {
    let result = json!({"content": [{"type": "text", "text": text}]});
    json!({"jsonrpc": "2.0", "id": call, "result": result})
}

/// Asks during each call, once or, for `twice`, a second time. The answers are the results.
async fn serve(pipe: DuplexStream, log: Log) {
    let (input, mut output) = split(pipe);
    let mut lines = BufReader::new(input).lines();
    let (mut asked, mut calls) = (0, Vec::new());
    loop {
        let line = tokio::select! {
            line = lines.next_line() => line,
            () = log.ends.notified() => return,
        };
        let Ok(Some(line)) = line else { return };
        let message: Value = serde_json::from_str(&line).unwrap();
        log.read.lock().unwrap().push(message.clone());
        let id = &message["id"];
        let mut out = Vec::new();
        match message["method"].as_str() {
            Some("initialize") => out.push(json!({"jsonrpc": "2.0", "id": id, "result": {
                "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "bookings", "version": "1"},
            }})),
            Some("tools/list") => {
                let tools = ["book", "safe", "twice", "both", "withdraws", "ends"].map(|name| {
                    json!({"name": name, "description": "Does.", "inputSchema": {"type": "object"},
                        "annotations": {"idempotentHint": name == "safe"}})
                });
                out.push(json!({"jsonrpc": "2.0", "id": id, "result": {"tools": tools}}));
            }
            Some("tools/call") => {
                asked += 1;
                let name = message["params"]["name"].as_str().unwrap().to_owned();
                out.push(question(asked));
                // Both questions come while both calls are under way.
                if name == "both" && asked == 1 {
                    out.clear();
                } else if name == "both" {
                    out.insert(0, question(1));
                }
                if name == "withdraws" {
                    let _ = output
                        .write_all(format!("{}\n", out.remove(0)).as_bytes())
                        .await;
                    log.goes_on.notified().await;
                    let params = json!({"requestId": format!("q{asked}")});
                    out.push(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
                    out.push(answered(id, "nobody answered in time"));
                }
                calls.push((asked, name, id.clone()));
            }
            None => {
                let at = calls
                    .iter()
                    .position(|(asked, ..)| *id == format!("q{asked}"));
                if let Some(at) = at {
                    let (_, name, call) = calls.remove(at);
                    let said = message["result"].to_string();
                    match &*name {
                        "ends" => return,
                        "twice" => {
                            asked += 1;
                            out.push(question(asked));
                            calls.push((asked, "book".into(), call));
                        }
                        _ => out.push(answered(&call, &said)),
                    }
                }
            }
            Some(_) => {}
        }
        for message in out {
            let _ = output.write_all(format!("{message}\n").as_bytes()).await;
        }
    }
}

/// A connector to a server that says what it reads.
fn connector(log: &Log) -> Connector {
    let log = log.clone();
    let at = ServerAt::pipes(move || {
        let (ours, theirs) = duplex(1 << 16);
        tokio::spawn(serve(theirs, log.clone()));
        Ok(split(ours))
    });
    mcp::connect(at)
        .initialize()
        .trust_hints()
        .pause_on_elicitation()
}

/// An agent that makes a call of this tool, and ends if `ends` is set.
async fn agent(log: &Log, tool: &str, ends: bool) -> Agent {
    let calls = [ToolCall::new("c1", tool, "{}")];
    let end = ends.then(|| ModelResponse::text("Done."));
    let steps = [ModelResponse::calls(calls)].into_iter().chain(end);
    Agent::new(model(steps), connector(log).await.unwrap().toolset())
}

/// The same agent in another process.
async fn elsewhere(log: &Log, ends: bool) -> Agent {
    let end = ends.then(|| ModelResponse::text("Done."));
    Agent::new(model(end), connector(log).await.unwrap().toolset())
}

/// The outcome of the call is unknown.
fn is_unknown(session: &Session) {
    let pending = session.pending();
    assert!(
        matches!(&pending[0].reason, PendingReason::OutcomeUnknown(why) if why.contains("not known")),
        "{pending:?}"
    );
}

fn asks(session: &Session) {
    let status = session.status();
    let Status::AwaitingUser {
        question, options, ..
    } = &status
    else {
        panic!("{status:?}");
    };
    assert_eq!(
        (&**question, &options["server"]),
        ("Where?", &json!("bookings"))
    );
    assert_eq!(options["schema"]["required"], json!(["city"]));
}

const ACCEPTED: &str = r#"{"action":"accept","content":{"city":"Oslo"}}"#;

fn city() -> Value {
    json!({"city": "Oslo"})
}

#[tokio::test]
async fn the_answer_goes_to_the_call_on_its_way() {
    for has_store in [false, true] {
        for (tool, questions) in [("book", 1), ("twice", 2)] {
            let log = Log::default();
            let mut agent = agent(&log, tool, true).await;
            if has_store {
                agent = agent.checkpointer(MemoryCheckpointer::new());
            }
            let mut session = Session::ask("Book!");
            assert_eq!(run(&agent, &mut session).await, "ask_user");
            for left in (0..questions).rev() {
                asks(&session);
                assert!(session.answer("Oslo").is_err());
                session.answer(city()).unwrap();
                let end = if left > 0 { "ask_user" } else { "completed" };
                assert_eq!(run(&agent, &mut session).await, end);
            }
            assert_eq!(result(&session), ACCEPTED);
            assert_eq!(log.count("tools/call"), 1);
            assert_eq!(log.count("notifications/cancelled"), 0);
        }
    }
}

#[tokio::test]
async fn a_rejection_declines() {
    let log = Log::default();
    let agent = agent(&log, "book", true).await;
    let mut session = Session::ask("Book!");
    run(&agent, &mut session).await;
    session.decide("c1", Decision::Reject("no".into())).unwrap();
    assert_eq!(run(&agent, &mut session).await, "completed");
    assert_eq!(result(&session), r#"{"action":"decline"}"#);
}

/// The connection is gone: the outcome is unknown, unless the call may be made again.
#[tokio::test]
async fn another_process_does_not_know_the_outcome() {
    let log = Log::default();
    let mut session = Session::ask("Book!");
    {
        let before = agent(&log, "book", false).await;
        run(&before, &mut session).await;
    }
    let mut session = stored(&session);
    asks(&session);
    session.answer(city()).unwrap();
    let after = Log::default();
    let elsewhere = elsewhere(&after, false).await;
    assert_eq!(run(&elsewhere, &mut session).await, "pending");
    is_unknown(&session);
    assert_eq!(after.count("tools/call"), 0);
}

#[tokio::test]
async fn another_process_makes_a_call_again_that_does_no_harm() {
    let log = Log::default();
    let mut session = Session::ask("Book!");
    {
        let before = agent(&log, "safe", false).await;
        run(&before, &mut session).await;
    }
    let mut session = stored(&session);
    session.answer(city()).unwrap();
    let after = Log::default();
    let elsewhere = elsewhere(&after, true).await;
    // The server asks anew.
    assert_eq!(run(&elsewhere, &mut session).await, "ask_user");
    session.answer(city()).unwrap();
    assert_eq!(run(&elsewhere, &mut session).await, "completed");
    assert_eq!(result(&session), ACCEPTED);
    assert_eq!(after.count("tools/call"), 1);
}

#[tokio::test]
async fn a_server_that_ends_behind_the_answer_leaves_the_outcome_unknown() {
    let log = Log::default();
    let agent = agent(&log, "ends", false).await;
    let mut session = Session::ask("Book!");
    run(&agent, &mut session).await;
    session.answer(city()).unwrap();
    assert_eq!(run(&agent, &mut session).await, "pending");
    is_unknown(&session);
    assert_eq!(log.count("tools/call"), 1);
}

/// Requests of each connection are numbered from the beginning. An answer is for the call that asked, or for none.
#[tokio::test]
async fn an_answer_is_not_for_a_call_of_a_later_connection() {
    let log = Log::default();
    let client = connector(&log).await.unwrap();
    let agent = |tool: &str, ends: bool| {
        let calls = [ToolCall::new("c1", tool, "{}")];
        let end = ends.then(|| ModelResponse::text("Done."));
        let steps = [ModelResponse::calls(calls)].into_iter().chain(end);
        Agent::new(model(steps), client.toolset())
    };
    let (ann, bob, eve) = (
        agent("book", false),
        agent("book", true),
        agent("safe", true),
    );
    let mut anns = Session::ask("Book!");
    assert_eq!(run(&ann, &mut anns).await, "ask_user");
    log.ends.notify_one();
    until(async || !client.is_connected() || log.count("initialize") > 1).await;
    let mut bobs = Session::ask("Book!");
    assert_eq!(run(&bob, &mut bobs).await, "ask_user");
    bobs.answer(json!({"city": "Rome"})).unwrap();
    assert_eq!(run(&bob, &mut bobs).await, "completed");
    assert_eq!(result(&bobs), ACCEPTED.replace("Oslo", "Rome"));
    anns.answer(city()).unwrap();
    assert_eq!(run(&ann, &mut anns).await, "pending");
    is_unknown(&anns);
    assert_eq!(log.count("tools/call"), 2);

    // A call that does no harm is made again, and asks again.
    let mut eves = Session::ask("Book!");
    assert_eq!(run(&eve, &mut eves).await, "ask_user");
    log.ends.notify_one();
    until(async || log.count("initialize") > 2).await;
    eves.answer(city()).unwrap();
    assert_eq!(run(&eve, &mut eves).await, "ask_user");
    eves.answer(city()).unwrap();
    assert_eq!(run(&eve, &mut eves).await, "completed");
    assert_eq!(result(&eves), ACCEPTED);
}

#[tokio::test]
async fn a_question_that_is_withdrawn_leaves_the_servers_answer() {
    let log = Log::default();
    let agent = agent(&log, "withdraws", true).await;
    let mut session = Session::ask("Book!");
    assert_eq!(run(&agent, &mut session).await, "ask_user");
    log.goes_on.notify_one();
    session.answer(city()).unwrap();
    assert_eq!(run(&agent, &mut session).await, "completed");
    assert_eq!(result(&session), "nobody answered in time");
}

/// A question does not say of which call it is.
#[tokio::test]
async fn a_question_beside_several_calls_is_for_the_handler() {
    let log = Log::default();
    let told = Told::default();
    let events = told.clone();
    let listens = move |event: &ClientEvent| events.0.lock().unwrap().push(event.clone());
    let client = connector(&log).on_event(listens).await.unwrap();
    let calls = ["c1", "c2"].map(|id| ToolCall::new(id, "both", "{}"));
    let steps = [ModelResponse::calls(calls), ModelResponse::text("Done.")];
    let executor = Executor::parallel(client.toolset(), 2);
    let agent = Agent::with_executor(model(steps), executor);
    let mut session = Session::ask("Book!");
    assert_eq!(run(&agent, &mut session).await, "completed");
    let told = told.all();
    let declined = told.iter().filter(
        |event| matches!(event, ClientEvent::BadMessage(what) if what.contains("is declined")),
    );
    assert_eq!(declined.count(), 2, "{told:?}");
    assert_eq!(result(&session), r#"{"action":"decline"}"#);

    // Nothing stores a call of an executor alone.
    let said = text(&call(&client.toolset(), "book", "{}").await);
    assert_eq!(said, r#"{"action":"decline"}"#);
    let asked = connector(&log).on_elicitation(|asked: Elicitation| async move {
        assert_eq!(asked.message, "Where?");
        ElicitResult::Accept(city().as_object().cloned().unwrap())
    });
    let client = asked.await.unwrap();
    assert_eq!(text(&call(&client.toolset(), "book", "{}").await), ACCEPTED);
}

/// Waits until this holds.
async fn until(mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..5_000 {
        if holds().await {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    panic!("it never holds");
}
