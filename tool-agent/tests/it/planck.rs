//! What Planck's turns do around a tool, in an agent's loop.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::{Barrier, Notify};
use toolwright::agent::thread::ThreadRepair;
use toolwright::agent::{
    Agent, AgentTool, MemoryCheckpointer, Node, Run, RunEvent, Session, Status, ThreadMessage,
};
use toolwright::wire::Usage;
use toolwright::{
    Context, Encoder, Executor, Registry, Schema, ToolCall, Toolset, executor::Event, tool, tools,
};

use crate::scripts::{Notes, Step, answered, answers, bare, call, calls, roles, script, text};

#[derive(Serialize)]
struct Found {
    path: &'static str,
    lines: u32,
}

/// Reads a file.
#[tool]
fn read_file(path: &str) -> Result<String, String> {
    match path {
        "a.txt" => Ok("one \"two\"".into()),
        _ => Err(format!("{path}: no such file")),
    }
}

/// Finds a file.
#[tool]
fn find() -> Found {
    Found {
        path: "a.txt",
        lines: 2,
    }
}

async fn run(agent: &Agent) -> (Session, Run) {
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    (session, run)
}

#[tokio::test]
async fn a_string_is_the_text_itself_and_an_error_is_marked_as_one() {
    let read = |id, path| call(id, "read_file", &json!({"path": path}));
    let turn = [read("c1", "a.txt"), read("c2", "b.txt"), bare("find")];
    let model = script([calls(turn), text("Done.")]);
    let agent = Agent::new(model.clone(), tools![read_file, find]).encoder(Encoder::text());
    let _ = run(&agent).await;
    let read = &model.requests()[1].thread;
    assert_eq!(
        answers(read),
        [
            "one \"two\"",
            "Error: b.txt: no such file",
            r#"{"path":"a.txt","lines":2}"#
        ]
    );
}

/// How to sort
#[derive(Debug, Clone, Copy, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Order {
    Name,
    Size,
}

/// Lists files.
#[tool]
fn list(
    #[arg(len(1..))] folder: &str,
    order: Order,
    #[arg(range(1..=50))] limit: u8,
    #[arg(pattern = "^[a-z]+$")] suffix: &str,
    #[state] ran: &Notes,
) -> &'static str {
    ran.write(format!("{folder} {order:?} {limit} {suffix}"));
    "a.txt"
}

#[tokio::test]
async fn a_call_with_faults_does_not_run_and_the_model_reads_all_of_them_and_mends_it() {
    let ran = Notes::default();
    let list_call = |id, arguments| call(id, "list", &arguments);
    let wrong = json!({"folder": "", "order": "date", "limit": 99, "suffix": "TXT"});
    let model = script([
        calls([
            list_call("c1", wrong),
            list_call("c2", json!({"folder": [1]})),
        ]),
        calls([list_call(
            "c3",
            json!({"folder": "src", "order": "size", "limit": 5, "suffix": "rs"}),
        )]),
        text("Done."),
    ]);
    let (session, _) = run(&Agent::new(model, tools![list; state = ran.clone()])).await;
    assert_eq!(ran.take(), ["src Size 5 rs"]);
    let read = answers(session.thread());
    let lines: Vec<_> = read[0].lines().collect();
    // A line for each fault, with its field, in the order of the model's text; of a choice, all that there are.
    for (line, field) in lines.iter().zip(["folder", "limit", "order", "suffix"]) {
        assert!(line.starts_with(&format!("{field}: ")), "{lines:?}");
    }
    assert_eq!(lines.len(), 4);
    assert!(
        lines[2].contains("name") && lines[2].contains("size"),
        "{lines:?}"
    );
    let fields = ["folder", "order", "limit", "suffix"];
    assert!(
        fields.iter().all(|field| read[1].contains(field)),
        "{}",
        read[1]
    );
    assert_eq!(
        answered(session.thread()),
        [
            ("c1", "list", true),
            ("c2", "list", true),
            ("c3", "list", false)
        ]
    );
}

/// Panics with words.
#[tool]
fn panics() -> u8 {
    panic!("secret words")
}

/// Throws what is not a text, after a while.
#[tool]
async fn throws() -> u8 {
    tokio::task::yield_now().await;
    std::panic::panic_any(7_u8)
}

/// Ends its own task.
#[tool]
async fn exits() -> Result<u8, tokio::task::JoinError> {
    let task = tokio::spawn(std::future::pending::<u8>());
    task.abort();
    task.await
}

/// What events tell of calls, requests and turns.
fn told(event: &RunEvent<'_>) -> Option<String> {
    Some(match event {
        RunEvent::NodeStarted {
            node: Node::Model, ..
        } => "turn starts".into(),
        RunEvent::ModelFinished { response, .. } => {
            format!("used {:?}", response.usage.map(|used| used.total()))
        }
        RunEvent::Call {
            event: Event::Started { call, .. },
            ..
        } => {
            format!("start {} {} {}", call.id, call.name, call.arguments)
        }
        RunEvent::Call {
            event: Event::Finished { result, .. },
            ..
        } => {
            let words = result.content(Encoder::text());
            format!(
                "end {} {} {words} error={}",
                result.id,
                result.name,
                !result.is_success()
            )
        }
        RunEvent::NodeFinished {
            node: Node::Tools, ..
        } => "turn ends".into(),
        _ => return None,
    })
}

/// An agent that writes what its events tell.
fn heard(steps: impl IntoIterator<Item = Step>, tools: Toolset) -> (Agent, Notes) {
    let notes = Notes::default();
    let listens = notes.clone();
    let agent = Agent::new(script(steps), tools)
        .on_event(move |event| told(event).into_iter().for_each(|line| listens.write(line)));
    (agent, notes)
}

#[tokio::test]
async fn whatever_ends_a_tool_the_turn_is_completed_and_the_agent_is_free_again() {
    let turn = calls(["panics", "throws", "exits", "find"].map(bare));
    let steps = [turn, text("Done."), calls([bare("find")]), text("Again.")];
    let (agent, heard) = heard(steps, tools![panics, throws, exits, find]);
    let (mut session, run) = run(&agent).await;
    assert_eq!((run.end.as_str(), run.text()), ("completed", Some("Done.")));
    assert_eq!(session.status(), Status::Completed);
    let ends: Vec<_> = heard
        .take()
        .into_iter()
        .filter(|line| line.starts_with("end"))
        .collect();
    for (line, name) in ends.iter().zip(["panics", "throws", "exits"]) {
        let start = format!("end {name} {name} Error: ");
        assert!(
            line.starts_with(&start) && line.ends_with("error=true"),
            "{line}"
        );
    }
    assert!(ends[3].ends_with("error=false"), "{ends:?}");
    // What a panic says is not the model's to read.
    assert!(!answers(session.thread()).join("\n").contains("secret"));
    session.say("Again!").unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Again."));
}

#[tokio::test]
async fn events_tell_of_each_turn_its_calls_with_arguments_and_results_and_its_usage() {
    let used =
        |step: Step, input, output| step.map(|said| said.with_usage(Usage::new(input, output)));
    let read = call("c1", "read_file", &json!({"path": "b.txt"}));
    let steps = [
        used(calls([bare("find"), read, bare("nope")]), 10, 5),
        used(text("Done."), 20, 2),
    ];
    let (agent, heard) = heard(steps, tools![read_file, find]);
    let (_, run) = run(&agent).await;
    assert_eq!((run.end.as_str(), run.usage.total()), ("completed", 37));
    assert_eq!(
        heard.take(),
        [
            "turn starts",
            "used Some(15)",
            // A call of no tool is found before any call runs.
            "start nope nope {}",
            "end nope nope Error: unknown tool `nope` error=true",
            "start find find {}",
            r#"end find find {"path":"a.txt","lines":2} error=false"#,
            r#"start c1 read_file {"path":"b.txt"}"#,
            "end c1 read_file Error: b.txt: no such file error=true",
            "turn ends",
            "turn starts",
            "used Some(22)",
        ]
    );
}

/// Goes on when so many run.
#[tool]
async fn together(#[state] all: &Barrier) -> &'static str {
    all.wait().await;
    "together"
}

#[tokio::test]
async fn all_calls_of_a_turn_run_at_once_and_the_model_is_asked_when_all_have_ended() {
    let many = 100;
    let turn = (0..many).map(|n| call(&format!("c{n}"), "together", &json!({})));
    let model = script([calls(turn), text("Done.")]);
    let tools = tools![together; state = Barrier::new(many)];
    // Without a bound, since none of them ends before all have begun.
    let agent = Agent::with_executor(model.clone(), Executor::parallel(tools, usize::MAX));
    let _ = run(&agent).await;
    let requests = model.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(answers(&requests[1].thread), vec!["together"; many]);
}

/// Multiplies.
#[tool]
fn multiply(a: i64, b: i64) -> i64 {
    a * b
}

/// Takes `find` away and puts `multiply` in.
#[tool]
fn learn(#[state] registry: &Registry) -> bool {
    registry.extend(&tools![multiply]);
    registry.remove("find").is_some()
}

#[tokio::test]
async fn tools_that_come_and_go_in_a_turn_are_there_or_gone_in_the_next() {
    let product = |id| call(id, "multiply", &json!({"a": 2, "b": 3}));
    let registry = Registry::from(tools![find]);
    registry.extend(&tools![learn; state = registry.clone()]);
    let model = script([
        calls([bare("learn"), bare("find"), product("c1")]),
        calls([bare("find"), product("c2")]),
        text("6."),
    ]);
    let (session, _) = run(&Agent::new(model.clone(), &registry)).await;
    let offered: Vec<_> = model.requests().into_iter().map(|one| one.tools).collect();
    let (before, after) = (["find", "learn"], ["learn", "multiply"]);
    assert_eq!(offered[0], before);
    assert_eq!(offered[1..], [after, after]);
    let read = answers(session.thread());
    let in_the_turn = [
        "true",
        r#"{"path":"a.txt","lines":2}"#,
        "unknown tool `multiply`",
    ];
    assert_eq!(read[..3], in_the_turn);
    assert_eq!(read[3..], ["unknown tool `find`", "6"]);
}

/// Hangs.
#[tool]
async fn hang() -> u8 {
    std::future::pending().await
}

/// Lets a future go as far as it comes by itself, then drops it, as the end of its program would.
async fn until_it_hangs<T>(future: impl Future<Output = T>) {
    let mut future = pin!(future);
    for _ in 0..200 {
        let done = std::future::poll_fn(|task| Poll::Ready(future.as_mut().poll(task).is_ready()));
        assert!(!done.await, "it came to its end");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_turn_that_a_program_left_unanswered_is_taken_off_when_it_is_loaded() {
    let store = MemoryCheckpointer::new();
    let agent = |steps: Vec<Step>| {
        Agent::new(script(steps), tools![find, hang]).checkpointer(store.clone())
    };
    let cx = Context::new();
    let mut session = Session::with_id("s");
    session.say("Find it!").unwrap();
    let first = agent(vec![
        calls([bare("find")]),
        text("Found."),
        calls(["hang", "hang"].map(bare)),
    ]);
    let _ = first.run(&mut session, &cx).await.unwrap();
    let whole = session.thread().clone();
    session.say("Hang!").unwrap();
    until_it_hangs(first.run(&mut session, &cx)).await;
    drop((first, session));

    let second = agent(vec![text("As you say.")]);
    let kept = second.state("s").await.unwrap().unwrap();
    assert_eq!(kept.thread().unanswered().len(), 2);
    // In memory and in the store; what is whole before it stays.
    let kept = second.update_state("s", |session| {
        session.repair(&ThreadRepair::Strip);
        Ok(())
    });
    let mut kept = kept.await.unwrap();
    let again = second.state("s").await.unwrap().unwrap();
    assert_eq!(again.thread(), kept.thread());
    assert_eq!(kept.thread().messages()[..4], *whole.messages());
    assert_eq!(roles(kept.thread())[4..], ["user"]);
    assert!(kept.pending().is_empty());
    kept.repair(&ThreadRepair::Strip);
    assert_eq!(kept.thread(), again.thread());
    let run = second.run(&mut kept, &cx).await.unwrap();
    assert_eq!(run.text(), Some("As you say."));
}

/// Works until it is let go.
#[tool]
async fn work(#[state] (let_go, done): &(Notify, AtomicBool)) -> &'static str {
    let_go.notified().await;
    done.store(true, Ordering::SeqCst);
    "worked"
}

#[tokio::test]
async fn an_orchestrator_waits_for_one_worker_and_not_for_another() {
    let state = Arc::new((Notify::new(), AtomicBool::new(false)));
    let quick = Agent::new(script([text("It is 4.")]), Toolset::default());
    let slow = script([calls([bare("work")]), text("It is 9.")]);
    let slow = Agent::new(slow, tools![work; state = Arc::clone(&state)]);
    let asks = AgentTool::new(quick, "call_agent", "Asks a worker.").build();
    let sends = AgentTool::new(slow, "send_agent", "Sends to a worker.")
        .detached()
        .build();
    let tools = Toolset::new([asks.unwrap(), sends.unwrap()]).unwrap();
    let ask = |name: &str| ToolCall::new(name, name, r#"{"input": "Square it."}"#);
    let turn = calls([ask("send_agent"), ask("call_agent")]);
    let model = script([turn, text("4, and I wait."), text("And 9.")]);
    let agent = Agent::new(model.clone(), tools);
    let (mut session, run) = run(&agent).await;
    // The run is over, with the one's answer; the other still works.
    assert_eq!(run.text(), Some("4, and I wait."));
    let read = answers(session.thread());
    assert!(
        read[0].contains("background") && !read[0].contains("It is"),
        "{read:?}"
    );
    assert_eq!(read[1], "It is 4.");
    assert!(!state.1.load(Ordering::SeqCst));
    state.0.notify_one();
    session.queue().arrived().await;
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("And 9."));
    let heard = model.requests()[2].thread.messages().last().cloned();
    let Some(ThreadMessage::Late(heard)) = heard else {
        panic!("{heard:?}");
    };
    assert_eq!((&*heard.name, &*heard.text), ("send_agent", "It is 9."));
}
