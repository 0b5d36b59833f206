//! Pending calls of a batch continue, and the batch comes back whole.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed; and tools take what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolwright::layers::{Approval, Risk};
use toolwright::{
    Context, Encoder, Executor, Outcome, ToolCall, ToolError, Toolset,
    call::{BoxFuture, Cancel, Decision, ErrorKind, HaltReason, State},
    executor::{Batch, ErrorPolicy, Halted, ResumeError},
    layers::{Handled, Layer, Next, Request},
    tool, tools,
};

/// Notes a word, at once.
#[tool]
fn look(word: String, #[context] cx: &Context) -> String {
    cx.update_state("last", word.clone());
    cx.update_state(&*word, true);
    word
}

/// Notes a word, once somebody agrees.
#[tool(meta(risk = "high"))]
fn write(word: String, #[context] cx: &Context) -> Result<String, ToolError> {
    cx.update_state("last", word.clone());
    cx.update_state(&*word, true);
    match &*word {
        "bad" => Err(ToolError::failed("no")),
        _ => Ok(word),
    }
}

/// Asks the user, once somebody agrees.
#[tool(meta(risk = "high"))]
fn ask(question: String) -> Outcome {
    Outcome::ask(question)
}

/// Ends the conversation.
#[tool]
fn stop() -> Outcome {
    Outcome::halt(HaltReason::new("booked"), "bye")
}

/// The host answers it.
#[tool(manual)]
fn pay(cents: u64) -> u64 {
    cents
}

fn all() -> Toolset {
    tools![look, write, ask, stop, pay]
}

fn executor() -> Executor {
    Executor::parallel(all(), 4).layer(Approval::at_least(Risk::High))
}

fn call(id: &str, name: &str, arguments: Value) -> ToolCall {
    ToolCall::new(id, name, arguments.to_string())
}

fn word(name: &str, word: &str) -> ToolCall {
    call("1", name, json!({ "word": word }))
}

fn texts(batch: &Batch) -> Vec<String> {
    let text = |result: &toolwright::ToolResult| result.content(Encoder::auto()).into_owned();
    batch.results().map(text).collect()
}

fn waits(batch: &Batch) -> Vec<(usize, usize)> {
    let places = batch
        .pending()
        .map(|pending| (pending.index, pending.place));
    places.collect()
}

fn resume(batch: &Batch, decisions: impl IntoIterator<Item = (usize, Decision)>) -> Batch {
    let cx = Context::new();
    batch.resume_blocking(&executor(), decisions, &cx).unwrap()
}

#[test]
fn calls_without_a_decision_stay_pending_over_several_rounds() {
    // All ids are equal: a place tells calls apart.
    let calls = [
        word("write", "a"),
        word("look", "b"),
        word("write", "c"),
        word("nope", "d"),
        word("write", "e"),
    ];
    let first = executor().run_blocking(&calls, &Context::new());
    assert_eq!(waits(&first), [(0, 0), (2, 2), (4, 4)]);

    let second = resume(&first, [(4, Decision::Approve)]);
    assert_eq!(second.calls().len(), 5);
    assert_eq!(waits(&second), [(0, 0), (2, 2)]);
    assert_eq!(second.halted(), Some(&Halted::Pending));
    let unknown = "unknown tool `nope`";
    assert_eq!(texts(&second), ["b", unknown, "e"]);

    let edit = Decision::edit(json!({"word": "A"}));
    let third = resume(&second, [(2, Decision::Approve), (0, edit)]);
    assert!(third.is_settled());
    assert_eq!(third.halted(), None);
    assert_eq!(texts(&third), ["A", "b", "c", unknown, "e"]);
    // The batches before are as they were.
    assert_eq!((waits(&first).len(), waits(&second).len()), (3, 2));
}

#[test]
fn each_decision_counts_for_its_call() {
    let calls = [
        word("write", "a"),
        word("write", "b"),
        call("1", "pay", json!({"cents": 5})),
        word("write", "d"),
        word("write", "e"),
    ];
    let batch = executor().run_blocking(&calls, &Context::new());
    let decisions = [
        (3, Decision::edit(json!({"word": 1}))),
        (0, Decision::Reject("not a".into())),
        (2, Decision::Answer(json!("paid by hand"))),
        (1, Decision::edit(json!({"word": "B"}))),
    ];
    let batch = resume(&batch, decisions);
    let [rejected, edited, answered, wrong] = &texts(&batch)[..] else {
        panic!("{batch:?}");
    };
    assert_eq!(rejected, "the call was rejected: not a");
    assert_eq!((&**edited, &**answered), ("B", "paid by hand"));
    assert!(wrong.starts_with("word: "), "{wrong}");
    assert_eq!(waits(&batch), [(4, 4)]);
}

struct Rewrites;

impl Layer for Rewrites {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(next.run(request.with_arguments(r#"{"word":"z"}"#)))
    }
}

#[test]
fn a_call_may_wait_again_at_its_index() {
    let calls = [word("look", "a"), word("look", "b"), word("write", "c")];
    let batch = executor().run_blocking(&calls, &Context::new());
    // What was approved is rewritten, so somebody is asked about that.
    let rewrites = Executor::serial(all())
        .layer(Rewrites)
        .layer(Approval::at_least(Risk::High));
    let again = batch
        .resume_blocking(&rewrites, [(2, Decision::Approve)], &Context::new())
        .unwrap();
    assert_eq!(again.calls().len(), 3);
    assert_eq!(waits(&again), [(2, 2)]);
    let pending = again.pending().next().unwrap();
    assert_eq!(&*pending.call.arguments, r#"{"word":"z"}"#);
    let done = resume(&again, [(2, Decision::Approve)]);
    assert_eq!(texts(&done), ["a", "b", "z"]);
}

#[test]
fn a_wrong_decision_is_an_error_and_nothing_runs() {
    let calls = [word("look", "a"), word("write", "b"), word("write", "c")];
    let batch = executor().run_blocking(&calls, &Context::new());
    let started = Arc::new(Mutex::new(0));
    let count = Arc::clone(&started);
    let watched = executor().on_event(move |_| *count.lock().unwrap() += 1);
    let yes = || Decision::Approve;
    let cases = [
        (vec![(1, yes()), (0, yes())], ResumeError::Answered(0)),
        (vec![(1, yes()), (3, yes())], ResumeError::Missing(3)),
        (
            vec![(1, yes()), (2, yes()), (1, yes())],
            ResumeError::Repeated(1),
        ),
    ];
    for (decisions, error) in cases {
        let resumed = batch.resume_blocking(&watched, decisions, &Context::new());
        assert_eq!(resumed.unwrap_err(), error);
    }
    assert_eq!(*started.lock().unwrap(), 0);
    let messages = [
        ResumeError::Answered(0),
        ResumeError::Missing(3),
        ResumeError::Repeated(1),
    ];
    assert_eq!(
        messages.map(|error| error.to_string()),
        [
            "the call at index 0 is answered already",
            "the batch has no call at index 3",
            "the call at index 1 is decided twice"
        ]
    );
    assert_eq!(waits(&resume(&batch, [(1, yes())])), [(2, 2)]);
    assert_eq!(waits(&resume(&batch, [])), [(1, 1), (2, 2)]);
}

#[test]
fn updates_are_made_in_call_order_whenever_they_came() {
    let calls = [
        word("write", "a"),
        word("look", "b"),
        word("write", "bad"),
        word("write", "d"),
    ];
    let known = State::new().with("lang", "en");
    let cx = Context::new().with_state(known);
    let first = executor().run_blocking(&calls, &cx);
    assert_eq!(first.state().unwrap().get("last"), Some(&json!("b")));

    let approve = |index| (index, Decision::Approve);
    let second = first
        .resume_blocking(&executor(), [approve(2), approve(3)], &cx)
        .unwrap();
    // An earlier call that comes last does not overwrite what a later one noted.
    let later = Context::new().with_state(State::new().with("role", "admin"));
    let third = second
        .resume_blocking(&executor(), [approve(0)], &later)
        .unwrap();
    let names = third.updates().iter().map(|(name, _)| &**name);
    assert_eq!(
        names.collect::<Vec<_>>(),
        ["last", "a", "last", "b", "last", "d"]
    );
    let state = third.state().unwrap();
    assert_eq!(state.get("last"), Some(&json!("d")));
    for name in ["a", "b", "d"] {
        assert_eq!(state.get(name), Some(&json!(true)));
    }
    assert_eq!(state.get("bad"), None);
    // No round loses what another one knew.
    assert_eq!(state.get("lang"), Some(&json!("en")));
    assert_eq!(state.get("role"), Some(&json!("admin")));
    // One round gives what two do.
    let all = [approve(0), approve(2), approve(3)];
    let at_once = first.resume_blocking(&executor(), all, &cx).unwrap();
    assert_eq!(at_once.updates(), third.updates());
}

#[test]
fn halts_of_all_rounds_are_merged_in_call_order() {
    let calls = [
        call("q0", "ask", json!({"question": "Where?"})),
        word("write", "bad"),
        call("s", "stop", json!({})),
        call("q1", "ask", json!({"question": "When?"})),
    ];
    let halting = || executor().on_error(ErrorPolicy::Halt);
    let first = halting().run_blocking(&calls, &Context::new());
    assert_eq!(first.halts().len(), 2);
    let resume = |batch: &Batch, index| {
        let cx = Context::new();
        batch
            .resume_blocking(&halting(), [(index, Decision::Approve)], &cx)
            .unwrap()
    };
    let second = resume(&resume(&first, 3), 1);
    let kinds = |batch: &Batch| {
        let halts = batch.halts().iter();
        halts
            .map(|halt| halt.as_str().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        kinds(&second),
        ["ask_user", "tool_error", "booked", "pending"]
    );
    assert!(matches!(
        second.halts()[0],
        Halted::AskUser { index: 3, .. }
    ));
    assert_eq!(second.halts()[1], Halted::ToolError { index: 1 });

    let third = resume(&second, 0);
    assert_eq!(
        kinds(&third),
        ["ask_user", "ask_user", "tool_error", "booked"]
    );
    assert!(matches!(third.halts()[0], Halted::AskUser { index: 0, .. }));
    assert!(matches!(third.halts()[1], Halted::AskUser { index: 3, .. }));
    assert!(third.error().is_none());
}

#[test]
fn a_round_that_is_cancelled_answers_what_it_decided() {
    let calls = [word("look", "a"), word("write", "b"), word("write", "c")];
    let batch = executor().run_blocking(&calls, &Context::new());
    let stop = Cancel::new();
    stop.cancel();
    let cx = Context::new().with_cancel(stop);
    let approve = |index| (index, Decision::Approve);
    let batch = batch
        .resume_blocking(&executor(), [approve(2)], &cx)
        .unwrap();
    assert_eq!(batch.halted(), Some(&Halted::Cancelled));
    assert_eq!(waits(&batch), [(1, 1)]);
    let kind = batch.calls()[2].answered().unwrap().outcome.as_ref();
    assert_eq!(kind.unwrap_err().kind(), ErrorKind::Cancelled);
    let batch = batch
        .resume_blocking(&executor(), [approve(1)], &cx)
        .unwrap();
    assert!(batch.is_settled());
    assert_eq!(batch.halts(), [Halted::Cancelled]);
}

#[tokio::test]
async fn a_batch_is_resumed_on_a_task_too() {
    async fn is_send<T: Send>(future: impl Future<Output = T> + Send) -> T {
        future.await
    }

    let (executor, cx) = (executor(), Context::new());
    let calls = [word("write", "a"), word("write", "b")];
    let batch = executor.run(&calls, &cx).await;
    let approved = batch
        .pending()
        .map(|pending| (pending.index, Decision::Approve));
    let batch = is_send(batch.resume(&executor, approved, &cx))
        .await
        .unwrap();
    assert_eq!(texts(&batch), ["a", "b"]);
}
