//! Conversations whose calls stay open.
// A test that finds less than it expects has failed.
// Steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;
use toolwright::agent::model::ModelError;
use toolwright::agent::session::SessionError;
use toolwright::agent::store::End;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::thread::{Assistant, Native};
use toolwright::agent::{Agent, AgentTool, ModelResponse, RunEnd, Session, Thread, ThreadMessage};
use toolwright::call::{BoxFuture, Cancel, Decision, StoredOutcome};
use toolwright::executor::{OpenCallState, UnknownOutcome, Waiting};
use toolwright::layers::{Handled, Layer, Next, Request};
use toolwright::{Context, Executor, Outcome, ToolCall, ToolError, Toolset, Wire, tool, tools};

use crate::kept::{Kept, Store, stores};
use crate::waits::{dropped_at, until};

type Steps = Vec<Result<ModelResponse, ModelError>>;

/// What tools have and tell.
#[derive(Default)]
struct Host {
    go: Notify,
    /// A tool waits for ever.
    waits: Notify,
    ran: Mutex<Vec<String>>,
}

impl Host {
    fn note(&self, cx: &Context) {
        let key = cx.idempotency_key().unwrap_or_default();
        self.ran.lock().unwrap().push(key);
    }

    fn ran(&self) -> usize {
        self.ran.lock().unwrap().len()
    }
}

/// Renders, when the host says so.
#[tool(background)]
async fn render(
    minutes: u32,
    #[state] host: &Host,
    #[context] cx: &Context,
) -> Result<Outcome, ToolError> {
    host.note(cx);
    host.go.notified().await;
    cx.update_state("film", minutes);
    match minutes {
        8 => Err(ToolError::failed("no film for this")),
        7 => Ok(Outcome::ask("In colour?")),
        minutes => Ok(Outcome::value(format!("film of {minutes}"))),
    }
}

/// Counts, when the host says so.
#[tool(background, read_only)]
async fn count(#[state] host: &Host, #[context] cx: &Context) -> u32 {
    host.note(cx);
    host.go.notified().await;
    3
}

/// Looks, and lets the host say go.
#[tool]
async fn look(#[state] host: &Host) -> &'static str {
    host.go.notify_waiters();
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    "seen"
}

fn set(host: &Arc<Host>) -> Toolset {
    tools![render, count, look, decide, wait, charge; state = Arc::clone(host)]
}

fn film(id: &str, minutes: u32) -> ToolCall {
    ToolCall::new(id, "render", format!(r#"{{"minutes": {minutes}}}"#))
}

fn calls(calls: &[ToolCall]) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::calls(calls.iter().cloned()))
}

fn text(text: &str) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::text(text))
}

fn agent(host: &Arc<Host>, steps: Steps) -> Agent {
    Agent::new(ScriptedModel::new(steps), set(host))
}

fn asked() -> Session {
    let mut session = Session::with_id("s");
    session.reply("Go!").unwrap();
    session
}

async fn settle() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
        // The thread of a store may have work to do.
        tokio::time::sleep(std::time::Duration::from_micros(200)).await;
    }
}

const NOTE: &str =
    "it has begun and goes on in the background; its result will follow in a message";

fn words(session: &Session) -> Vec<String> {
    let words = session
        .thread()
        .messages()
        .iter()
        .map(|message| match message {
            ThreadMessage::User { text } => format!("user: {text}"),
            ThreadMessage::Assistant(said) if said.text.is_empty() => "calls".to_owned(),
            ThreadMessage::Assistant(said) => said.text.clone(),
            ThreadMessage::Tool(answer) if answer.text == NOTE => format!("open {}", answer.id),
            ThreadMessage::Tool(answer) => format!("tool {}: {}", answer.id, answer.text),
            ThreadMessage::Late(result) => format!("late {}: {}", result.id, result.text),
            _ => "?".to_owned(),
        });
    words.collect()
}

fn keys(session: &Session) -> Vec<String> {
    let open = session.open().list();
    open.into_iter().map(|call| call.key).collect()
}

#[tokio::test]
async fn the_model_goes_on_and_reads_the_result_later() {
    let host = Arc::new(Host::default());
    let steps = vec![
        calls(&[film("c1", 3), film("c2", 8)]),
        text("I have begun."),
        text("One film, and none of the other."),
    ];
    let agent = agent(&host, steps);
    let mut session = asked();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("I have begun."));
    assert!(matches!(run.end, RunEnd::Completed));
    assert_eq!(keys(&session), ["s/1/0/0/c1", "s/1/0/1/c2"]);
    assert!(session.pending().is_empty() && session.queue().is_empty());

    // Nothing to do yet.
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.turns, 0);
    settle().await;
    host.go.notify_waiters();
    session.queue().arrived().await;
    settle().await;
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("One film, and none of the other."));
    assert_eq!(
        words(&session)[1..],
        [
            "calls",
            "open c1",
            "open c2",
            "I have begun.",
            "late c1: film of 3",
            "late c2: no film for this",
            "One film, and none of the other.",
        ]
    );
    assert!(keys(&session).is_empty());
    // What it changes in the state counts when the result is read.
    assert_eq!(session.state().get("film"), Some(&json!(3)));
}

#[tokio::test]
async fn a_result_that_comes_while_the_model_works_follows_the_turn() {
    let host = Arc::new(Host::default());
    let steps = vec![
        calls(&[film("c1", 3)]),
        calls(&[ToolCall::new("c2", "look", "{}")]),
        text("There it is."),
    ];
    let agent = agent(&host, steps);
    let mut session = asked();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(
        words(&session)[1..],
        [
            "calls",
            "open c1",
            "calls",
            "tool c2: seen",
            "late c1: film of 3",
            "There it is.",
        ]
    );
}

#[tokio::test]
async fn another_copy_of_the_session_finds_what_runs() {
    let host = Arc::new(Host::default());
    let steps = vec![calls(&[film("c1", 3)]), text("Begun."), text("Done.")];
    let agent = agent(&host, steps);
    let mut session = asked();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    settle().await;
    let stored = serde_json::to_string(&session).unwrap();
    drop(session);
    let mut session: Session = serde_json::from_str(&stored).unwrap();
    assert_eq!(keys(&session), ["s/1/0/0/c1"]);
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.turns, 0);
    host.go.notify_waiters();
    session.queue().arrived().await;
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!((run.text(), host.ran()), (Some("Done."), 1));
    assert_eq!(words(&session)[4], "late c1: film of 3");
}

#[tokio::test]
async fn it_is_cancelled_by_key_and_with_the_conversation() {
    let host = Arc::new(Host::default());
    let stop = Cancel::new();
    let steps = vec![
        calls(&[film("c1", 3), film("c2", 4)]),
        text("Begun."),
        text("Stopped."),
    ];
    let agent = agent(&host, steps);
    let mut session = asked();
    let cx = Context::new().with_cancel(stop.clone());
    let _ = agent.run(&mut session, &cx).await.unwrap();
    settle().await;
    session.open().cancel("s/1/0/1/c2").await.unwrap();
    stop.cancel();
    settle().await;
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let words = words(&session);
    assert_eq!(
        words[5..7],
        [
            "late c1: the call was cancelled",
            "late c2: the call was cancelled"
        ]
    );
}

#[tokio::test]
async fn a_question_is_the_result_of_an_open_call() {
    let host = Arc::new(Host::default());
    let steps = vec![calls(&[film("c1", 7)]), text("Begun."), text("In colour?")];
    let agent = agent(&host, steps);
    let mut session = asked();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    settle().await;
    host.go.notify_waiters();
    session.queue().arrived().await;
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    // Nobody answers for the tool: the model asks the user.
    assert!(session.questions().is_empty());
    let body = session.thread().format(Wire::OpenAiChat, None).unwrap();
    assert!(
        body.contains(r"The call `c1` of `render` asks:\nIn colour?"),
        "{body}"
    );
}

/// The agent's program ends after its first run, with one call open; and another one goes on.
async fn crashed(
    store: &Kept,
    host: &Arc<Host>,
    call: ToolCall,
    ends: bool,
    policy: UnknownOutcome,
    rest: Steps,
) -> (Agent, Session) {
    let first = agent(host, vec![calls(&[call]), text("Begun.")]);
    // The tasks of a program end with its runtime.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let (before, store) = (host.ran(), store.open().await);
                let first = first.checkpointer(Arc::clone(&store));
                let mut session = asked();
                let _ = first.run(&mut session, &Context::new()).await.unwrap();
                until(async || host.ran() > before).await;
                if ends {
                    host.go.notify_waiters();
                    session.queue().arrived().await;
                    until(async || ended(&store).await).await;
                }
            });
            // Its memory is gone, and no destructor runs.
            std::mem::forget(runtime);
        });
    });
    let second = agent(host, rest)
        .checkpointer(store.open().await)
        .on_unknown_outcome(policy);
    let mut session = second.state("s").await.unwrap().unwrap();
    // Another process has no list of that name.
    session = forget_name(&session);
    (second, session)
}

/// Whether the outcomes of all calls of the session are recorded.
async fn ended(store: &Store) -> bool {
    let records = store.calls("s").await.unwrap();
    records.iter().all(|record| record.outcome.is_some())
}

/// The session as another process reads it.
fn forget_name(session: &Session) -> Session {
    let mut stored = serde_json::to_value(session).unwrap();
    stored["born"] = json!(format!("{}x", stored["born"].as_str().unwrap()));
    serde_json::from_value(stored).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_process_finds_what_has_ended() {
    for (_store, kept) in stores().await {
        let host = Arc::new(Host::default());
        let (agent, mut session) = crashed(
            &kept,
            &host,
            film("c1", 3),
            true,
            UnknownOutcome::Ask,
            vec![text("Done.")],
        )
        .await;
        assert_eq!(session.open().lost(), ["s/1/0/0/c1"]);
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!((run.text(), host.ran()), (Some("Done."), 1));
        assert_eq!(words(&session)[4..], ["late c1: film of 3", "Done."]);
        assert_eq!(session.state().get("film"), Some(&json!(3)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_may_be_repeated_begins_again_in_another_process() {
    for (store, kept) in stores().await {
        for (call, policy) in [
            (ToolCall::new("c1", "count", "{}"), UnknownOutcome::Ask),
            (film("c1", 3), UnknownOutcome::RunAgain),
        ] {
            let host = Arc::new(Host::default());
            let (agent, mut session) =
                crashed(&kept, &host, call, false, policy, vec![text("Done.")]).await;
            let _ = agent.run(&mut session, &Context::new()).await.unwrap();
            until(async || host.ran() == 2).await;
            assert_eq!(*host.ran.lock().unwrap(), ["s/1/0/0/c1"; 2]);
            assert!(session.open().lost().is_empty());
            host.go.notify_waiters();
            session.queue().arrived().await;
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            assert_eq!(run.text(), Some("Done."));
            assert!(
                words(&session)[4].starts_with("late c1: "),
                "{:?}",
                words(&session)
            );
            assert!(store.delete("s").await.unwrap());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_found_again_is_unknown() {
    let unknown = "the program ended while this call ran; it is not known whether it took effect";
    for (store, kept) in stores().await {
        let host = Arc::new(Host::default());
        let (agent, mut session) = crashed(
            &kept,
            &host,
            film("c1", 3),
            false,
            UnknownOutcome::Ask,
            vec![text("Done.")],
        )
        .await;
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!((run.turns, host.ran()), (0, 1));
        let call = session.open().get("s/1/0/0/c1").unwrap();
        assert!(matches!(&call.state, OpenCallState::Unknown(error) if error == unknown));
        // It waits as long as it takes, and the conversation goes on meanwhile.
        let stored = serde_json::to_string(&session).unwrap();
        let mut session: Session = serde_json::from_str(&stored).unwrap();
        let known = StoredOutcome::new(&call.call, &Ok(Outcome::value("it is there"))).unwrap();
        session.open().end(&call.key, known).await.unwrap();
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(words(&session)[4..], ["late c1: it is there", "Done."]);
        assert!(store.delete("s").await.unwrap());

        let (agent, mut session) = crashed(
            &kept,
            &host,
            film("c1", 3),
            false,
            UnknownOutcome::Fail,
            vec![text("I see.")],
        )
        .await;
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(
            words(&session)[4..],
            [format!("late c1: {unknown}"), "I see.".to_owned()]
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_crash_left_is_listed_and_decided() {
    let decisions = [
        (Decision::Answer(json!("it is there")), "it is there"),
        (Decision::Answer(json!({"film": 3})), r#"{"film":3}"#),
        (
            Decision::Reject("nobody knows".into()),
            "the call was rejected: nobody knows",
        ),
        (Decision::Reject(String::new()), "the call was rejected"),
    ];
    for (decision, late) in decisions {
        let (store, kept) = stores().await.remove(0);
        let (host, ask) = (Arc::new(Host::default()), UnknownOutcome::Ask);
        let rest = vec![text("Done.")];
        let (agent, mut session) = crashed(&kept, &host, film("c1", 3), false, ask, rest).await;
        let cx = Context::new();
        let _ = agent.run(&mut session, &cx).await.unwrap();
        let waiting = agent.waiting(&session, &cx).remove(0);
        assert_eq!(
            (&*waiting.key, &*waiting.id, waiting.reason.as_str()),
            ("s/1/0/0/c1", "c1", "outcome_unknown")
        );
        let arguments = film("c1", 3).arguments.to_string();
        assert_eq!(
            (&*waiting.path, waiting.arguments.clone()),
            (&[][..], Some(arguments))
        );
        // It is the same in another process, and as JSON.
        let mut session = stored(&session);
        assert_eq!(
            agent.waiting(&session, &cx)[..],
            *std::slice::from_ref(&waiting)
        );
        let json = serde_json::to_string(&waiting).unwrap();
        let waiting: Waiting = serde_json::from_str(&json).unwrap();

        for wrong in [Decision::Approve, Decision::edit(json!({"minutes": 4}))] {
            let error = session.decide(&waiting, wrong).unwrap_err();
            assert_eq!(error, SessionError::NeedsAnswer("c1".into()));
        }
        session.decide(&waiting, decision.clone()).unwrap();
        assert_eq!(agent.waiting(&session, &cx), []);
        let twice = session.decide(&waiting, decision).unwrap_err();
        assert!(matches!(twice, SessionError::UnknownCall(_)), "{twice:?}");
        let _ = agent.run(&mut session, &cx).await.unwrap();
        assert_eq!(
            words(&session)[4..],
            [format!("late c1: {late}"), "Done.".to_owned()]
        );
        assert!(store.delete("s").await.unwrap());
    }
}

/// The session as it comes back from where it was stored.
fn stored(session: &Session) -> Session {
    serde_json::from_str(&serde_json::to_string(session).unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_unknown_is_looked_at_again() {
    for (store, kept) in stores().await {
        let (host, ask) = (Arc::new(Host::default()), UnknownOutcome::Ask);
        let rest = vec![text("There it is.")];
        let (agent, mut session) = crashed(&kept, &host, film("c1", 3), false, ask, rest).await;
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        let call = session.open().list().remove(0);
        assert!(matches!(call.state, OpenCallState::Unknown(_)));
        // The process that ran it has only been slow.
        let record = store.calls("s").await.unwrap().remove(0);
        let late = StoredOutcome::new(&call.call, &Ok(Outcome::value("a film"))).unwrap();
        let (late, revision) = (late.to_json().unwrap(), record.revision);
        let end = End {
            session: "s",
            key: &record.key,
            revision,
            outcome: &late,
            lease: None,
        };
        store.end_call(end).await.unwrap();
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(words(&session)[4..], ["late c1: a film", "There it is."]);
    }
}

#[tokio::test]
async fn without_a_store_a_copy_in_another_process_goes_by_the_policy() {
    for (policy, call, expected) in [
        (UnknownOutcome::Ask, film("c1", 3), "unknown"),
        (UnknownOutcome::Fail, film("c1", 3), "ended"),
        (UnknownOutcome::RunAgain, film("c1", 3), "running"),
        (
            UnknownOutcome::Ask,
            ToolCall::new("c1", "count", "{}"),
            "running",
        ),
    ] {
        let host = Arc::new(Host::default());
        let first = agent(&host, vec![calls(&[call]), text("Begun.")]);
        let mut session = asked();
        let _ = first.run(&mut session, &Context::new()).await.unwrap();
        let mut copy = forget_name(&session);
        let steps = if expected == "ended" {
            vec![text("I see.")]
        } else {
            vec![]
        };
        let second = agent(&host, steps).on_unknown_outcome(policy);
        let _ = second.run(&mut copy, &Context::new()).await.unwrap();
        let state = match copy.open().list().first().map(|call| &call.state) {
            Some(OpenCallState::Unknown(_)) => "unknown",
            Some(_) => "running",
            None => "ended",
        };
        assert_eq!(copy.thread().len() > 4, state == "ended");
        assert_eq!(state, expected, "{policy:?}");
        assert_eq!(copy.open().is_live(), expected == "running");
    }
}

#[tokio::test]
async fn a_call_of_an_inner_agent_belongs_to_the_outermost_conversation() {
    let host = Arc::new(Host::default());
    let inner = agent(&host, vec![calls(&[film("x1", 3)]), text("It has begun.")]);
    let inner = AgentTool::new(inner, "helper", "Helps.").build().unwrap();
    let ask = ToolCall::new("c1", "helper", r#"{"input": "Go!"}"#);
    let model = ScriptedModel::new([calls(&[ask]), text("Begun."), text("Done.")]);
    let agent = Agent::new(model, Toolset::new([inner]).unwrap());
    let mut session = asked();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(words(&session)[2..], ["tool c1: It has begun.", "Begun."]);
    assert_eq!(keys(&session).len(), 1);
    settle().await;
    host.go.notify_waiters();
    session.queue().arrived().await;
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    // It is the result of the call that this model has made.
    assert_eq!(words(&session)[4..], ["late c1: film of 3", "Done."]);
    let ThreadMessage::Late(late) = &session.thread().messages()[4] else {
        panic!("{session:?}");
    };
    assert_eq!(&*late.name, "helper");
}

#[tokio::test]
async fn a_step_waits_for_its_calls() {
    let host = Arc::new(Host::default());
    host.go.notify_one();
    let agent = agent(&host, vec![calls(&[film("c1", 3)])]);
    let mut thread = Thread::from([ThreadMessage::user("Go!")]);
    agent.step(&mut thread, &Context::new()).await.unwrap();
    let Some(ThreadMessage::Tool(answer)) = thread.messages().last() else {
        panic!("{thread:?}");
    };
    assert_eq!(answer.text, "film of 3");
}

/// A thread with a call that is open, one that has ended, and one that failed. Ids repeat.
fn every_state(wire: Wire, native: Option<Vec<Value>>) -> Thread {
    let host = ThreadMessage::user("Go!");
    let turn = [film("c1", 3), film("c2", 8), film("c1", 5)];
    let mut said = Assistant::default();
    said.calls = turn.to_vec();
    said.native = native.map(|items| Native {
        wire: format!("{wire:?}"),
        messages: items.iter().map(ToString::to_string).collect(),
    });
    let answer = |index: usize| {
        json!({
            "role": "tool", "index": index, "id": &turn[index].id, "name": "render", "text": NOTE,
            "open": format!("key {index}"),
        })
    };
    let late = |index: usize, text: &str, is_error: bool| {
        json!({
            "role": "late", "id": &turn[index].id, "name": "render", "text": text,
            "is_error": is_error, "open": format!("key {index}"),
        })
    };
    let mut messages = vec![
        serde_json::to_value(host).unwrap(),
        serde_json::to_value(ThreadMessage::Assistant(said)).unwrap(),
    ];
    messages.extend((0..3).map(answer));
    messages.push(json!({"role": "assistant", "text": "Begun."}));
    messages.push(late(0, "film of 3", false));
    messages.push(late(1, "no film", true));
    messages.push(late(2, "film of 5", false));
    serde_json::from_value(json!(messages)).unwrap()
}

#[test]
fn every_wire_writes_every_state() {
    for wire in [
        Wire::OpenAiChat,
        Wire::OpenAiResponses,
        Wire::Anthropic,
        Wire::Gemini,
        Wire::Ollama,
        Wire::BedrockConverse,
    ] {
        let thread = every_state(wire, None);
        assert!(thread.check().is_ok());
        let body = thread.format(wire, None).unwrap();
        let body: Value = serde_json::from_str(&body).unwrap();
        let text = body.to_string();
        assert_eq!(text.matches(NOTE).count(), 3, "{wire:?} {text}");
        // Where ids are made unique, the result names the call as the provider knows it.
        let third = match wire {
            Wire::Anthropic | Wire::OpenAiResponses | Wire::BedrockConverse => "c1_2",
            _ => "c1_2",
        };
        for words in [
            r"The call `c1` of `render` has ended:\nfilm of 3".to_owned(),
            r"The call `c2` of `render` has failed:\nno film".to_owned(),
            format!(r"The call `{third}` of `render` has ended:\nfilm of 5"),
        ] {
            assert_eq!(text.matches(&words).count(), 1, "{wire:?} {words} {text}");
        }
    }
}

#[test]
fn responses_has_calls_whose_output_follows() {
    let call = |id: &str, is_async: bool| {
        let mut call = json!({
            "type": "function_call", "call_id": id, "name": "render", "arguments": "{}",
        });
        if is_async {
            call["async"] = json!(true);
        }
        call
    };
    let items = vec![call("c1", true), call("c2", false)];
    let thread = every_state(Wire::OpenAiResponses, Some(items));
    // The third call would repeat an id, so the message is not the provider's own: two calls alone.
    let mut messages = serde_json::to_value(&thread).unwrap();
    let messages = messages.as_array_mut().unwrap();
    messages.remove(8);
    messages.remove(4);
    messages[1]["calls"].as_array_mut().unwrap().pop();
    let thread: Thread = serde_json::from_value(json!(messages)).unwrap();
    let body = thread.format(Wire::OpenAiResponses, None).unwrap();
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        body["input"].as_array().unwrap()[1..],
        [
            call("c1", true),
            call("c2", false),
            json!({"type": "function_call_output", "call_id": "c2", "output": NOTE}),
            json!({"role": "assistant", "content": "Begun."}),
            json!({"type": "function_call_output", "call_id": "c1", "output": "film of 3"}),
            json!({"role": "user", "content": "The call `c2` of `render` has failed:\nno film"}),
        ]
    );
    // A provider that has no such calls gets the note.
    let body = thread.format(Wire::Anthropic, None).unwrap();
    assert_eq!(body.matches(NOTE).count(), 2);
}

/// Stays open, and says at once what it came to if it runs again.
#[tool(read_only)]
async fn decide(#[state] host: &Host, #[context] cx: &Context) -> Result<Outcome, ToolError> {
    host.note(cx);
    let handle = cx.keep_open().await?;
    let outcome = handle.outcome(NOTE);
    // Nobody ends it here.
    std::mem::forget(handle);
    Ok(match host.ran() {
        1 => outcome,
        _ => Outcome::value("at once"),
    })
}

/// A layer that fails once a call has run, if it is told to.
struct Fails(&'static str);

impl Layer for Fails {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            let handled = next.run(request).await;
            match self.0 {
                "panics" => panic!("a layer panics"),
                "asks" => Handled::Wait(json!("why")),
                "never" => std::future::pending().await,
                _ => handled,
            }
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_begins_again_and_answers_at_once_has_its_result() {
    for (_store, kept) in stores().await {
        let host = Arc::new(Host::default());
        let call = ToolCall::new("c1", "decide", "{}");
        let steps = vec![text("Done.")];
        let (agent, mut session) =
            crashed(&kept, &host, call, false, UnknownOutcome::Ask, steps).await;
        assert_eq!(session.open().lost(), ["s/1/0/0/c1"]);
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(words(&session)[4..], ["late c1: at once", "Done."]);
        assert!(keys(&session).is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_found_again_is_not_lost_by_a_layer_or_a_cancellation() {
    for (store, kept) in stores().await {
        for fails in ["panics", "asks", "never", "host"] {
            let host = Arc::new(Host::default());
            let call = ToolCall::new("c1", "count", "{}");
            let (_, mut session) =
                crashed(&kept, &host, call, false, UnknownOutcome::Ask, vec![]).await;
            let executor = Executor::serial(set(&host)).layer(Fails(fails));
            let steps = match fails {
                "panics" => vec![text("Done.")],
                _ => vec![],
            };
            let model = ScriptedModel::new(steps);
            let agent = Agent::with_executor(model, executor).checkpointer(Arc::clone(&store));
            let stop = Cancel::new();
            if fails == "host" {
                stop.cancel();
            }
            let cx = Context::new().with_cancel(stop);
            let ran = agent.run(&mut session, &cx);
            let _ = tokio::time::timeout(Duration::from_millis(300), ran).await;
            settle().await;
            let listed = keys(&session) == ["s/1/0/0/c1"];
            let told = words(&session)
                .iter()
                .any(|words| words.starts_with("late c1"));
            assert!(listed ^ told, "{fails}: {:?}", words(&session));
            if fails == "never" || fails == "host" {
                assert_eq!(session.open().lost(), ["s/1/0/0/c1"], "{fails}");
            }
            assert!(store.delete("s").await.unwrap());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_run_does_not_say_of_an_ended_call_that_it_was_cancelled() {
    for (_store, kept) in stores().await {
        let host = Arc::new(Host::default());
        let steps = vec![text("Done.")];
        let (agent, mut session) = crashed(
            &kept,
            &host,
            film("c1", 3),
            true,
            UnknownOutcome::Ask,
            steps,
        )
        .await;
        let stop = Cancel::new();
        stop.cancel();
        let cx = Context::new().with_cancel(stop);
        let _ = agent.run(&mut session, &cx).await.unwrap();
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(words(&session)[4..], ["late c1: film of 3", "Done."]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_has_ended_is_found_without_its_tool() {
    for (store, kept) in stores().await {
        let host = Arc::new(Host::default());
        let (_, mut session) = crashed(
            &kept,
            &host,
            film("c1", 3),
            true,
            UnknownOutcome::Ask,
            vec![],
        )
        .await;
        let agent = Agent::new(
            ScriptedModel::new([text("Done.")]),
            tools![look; state = Arc::clone(&host)],
        )
        .checkpointer(Arc::clone(&store));
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(words(&session)[4..], ["late c1: film of 3", "Done."]);
    }
}

#[tokio::test]
async fn who_cancels_a_call_of_a_stored_copy_stops_its_code() {
    for (store, _kept) in stores().await {
        let host = Arc::new(Host::default());
        let steps = vec![calls(&[film("c1", 3)]), text("Begun.")];
        let agent = agent(&host, steps).checkpointer(Arc::clone(&store));
        let mut session = asked();
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        until(async || host.ran() == 1).await;
        let copy = agent.state("s").await.unwrap().unwrap();
        assert!(copy.open().lost().is_empty());
        copy.open().cancel("s/1/0/0/c1").await.unwrap();
        assert!(!session.open().is_live());
    }
}

#[tokio::test]
async fn a_call_of_an_inner_agent_is_not_made_with_a_tool_of_another() {
    let host = Arc::new(Host::default());
    let inner = agent(
        &host,
        vec![
            calls(&[ToolCall::new("x1", "count", "{}")]),
            text("It has begun."),
        ],
    );
    let inner = AgentTool::new(inner, "helper", "Helps.").build().unwrap();
    let ask = ToolCall::new("c1", "helper", r#"{"input": "Go!"}"#);
    // The outer agent has another tool of this name.
    let other = Arc::new(Host::default());
    let [own] = [set(&other).get("count").unwrap().clone()];
    let agent = Agent::new(
        ScriptedModel::new([calls(&[ask]), text("Begun.")]),
        Toolset::new([inner, own]).unwrap(),
    );
    let mut session = asked();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    settle().await;
    let mut copy = forget_name(&session);
    let _ = agent.run(&mut copy, &Context::new()).await.unwrap();
    settle().await;
    assert_eq!((host.ran(), other.ran()), (1, 0));
    assert!(matches!(
        copy.open().list()[0].state,
        OpenCallState::Unknown(_)
    ));
}

#[tokio::test]
async fn a_call_that_is_approved_to_run_again_has_one_result() {
    for (store, _kept) in stores().await {
        let host = Arc::new(Host::default());
        let steps = vec![
            calls(&[film("c1", 3), ToolCall::new("c2", "wait", "{}")]),
            text("Begun."),
            text("Done."),
        ];
        let agent = agent(&host, steps).checkpointer(Arc::clone(&store));
        let mut session = asked();
        // The run is dropped once the call stays open.
        let cx = Context::new();
        dropped_at(&host.waits, agent.run(&mut session, &cx)).await;
        assert_eq!(keys(&session), ["s/1/0/0/c1"]);
        assert!(session.open().is_live());
        let _ = agent.run(&mut session, &cx).await.unwrap();
        session.decide("c1", Decision::Approve).unwrap();
        session
            .decide("c2", Decision::Reject(String::new()))
            .unwrap();
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        settle().await;
        host.go.notify_waiters();
        session.queue().arrived().await;
        settle().await;
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        let words = words(&session);
        let late = words
            .iter()
            .filter(|words| words.starts_with("late"))
            .count();
        assert_eq!(late, 1, "{words:?}");
    }
}

/// Never ends.
#[tool]
async fn wait(#[state] host: &Host) {
    host.waits.notify_one();
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_detached_agent_of_which_nothing_is_kept_does_not_begin_again() {
    let host = Arc::new(Host::default());
    host.go.notify_one();
    let inner = |steps: Steps| {
        let inner = agent(&host, steps);
        AgentTool::new(inner, "helper", "Helps.")
            .detached()
            .build()
            .unwrap()
    };
    let go = ToolCall::new("c1", "helper", r#"{"input": "Go!"}"#);
    let steps = vec![
        calls(&[ToolCall::new("x1", "charge", "{}")]),
        calls(&[ToolCall::new("x2", "wait", "{}")]),
    ];
    let first = Agent::new(
        ScriptedModel::new([calls(&[go]), text("Begun.")]),
        Toolset::new([inner(steps)]).unwrap(),
    );
    let mut session = asked();
    let _ = first.run(&mut session, &Context::new()).await.unwrap();
    settle().await;
    assert_eq!(host.ran(), 1);
    let mut copy = forget_name(&session);
    let second = Agent::new(
        ScriptedModel::new([]),
        Toolset::new([inner(vec![])]).unwrap(),
    );
    let _ = second.run(&mut copy, &Context::new()).await.unwrap();
    settle().await;
    assert_eq!(host.ran(), 1);
    assert!(matches!(
        copy.open().list()[0].state,
        OpenCallState::Unknown(_)
    ));
}

/// Takes money.
#[tool]
fn charge(#[state] host: &Host, #[context] cx: &Context) {
    host.note(cx);
}

#[test]
fn a_call_has_one_output_whatever_ids_others_have() {
    let said = |id: &str| {
        let call = json!({
            "type": "function_call", "call_id": id, "name": "render", "arguments": "{}",
            "async": true,
        });
        let native = json!({"wire": "OpenAiResponses", "messages": [call.to_string()]});
        json!({"role": "assistant", "calls": [film(id, 3)], "native": native})
    };
    let late = |key: &str, text: &str| json!({"role": "late", "id": "c1", "name": "render", "text": text, "open": key});
    // One call was answered at once, and one stays open. Late results are of others: what was trimmed, and an inner agent's.
    for open in [false, true] {
        let mut answer =
            json!({"role": "tool", "index": 0, "id": "c1", "name": "render", "text": NOTE});
        if open {
            answer["open"] = json!("here");
        }
        let thread = [
            json!({"role": "user", "text": "Go!"}),
            said("c1"),
            answer,
            late("trimmed", "of another"),
            late("here", "its own"),
        ];
        let thread: Thread = serde_json::from_value(json!(thread)).unwrap();
        let body = thread.format(Wire::OpenAiResponses, None).unwrap();
        assert_eq!(body.matches("function_call_output").count(), 1, "{body}");
        let text = if open { "its own" } else { NOTE };
        let own = format!(r#""call_id":"c1","output":"{text}"}}"#);
        assert!(body.contains(&own), "{body}");
    }
}
