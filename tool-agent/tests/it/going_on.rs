//! Runs that are gone on with: what is counted, what is over, what is repaired.
// A test that finds less than it expects has failed.
// Steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;

use toolwright::agent::model::ModelError;
use toolwright::agent::session::SessionError;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::thread::{ThreadRepair, ToolMessage};
use toolwright::agent::{
    Agent, ModelResponse, Node, RunEnd, Session, Status, Thread, ThreadMessage,
};
use toolwright::layers::Approval;
use toolwright::{
    Context, Encoder, Executor, Outcome, ToolCall, ToolResult, Toolset,
    call::{Cancel, Decision, HaltReason},
    tool, tools,
};

fn calls(names: &[&str]) -> Result<ModelResponse, ModelError> {
    let calls = names.iter().enumerate();
    let calls = calls.map(|(place, name)| ToolCall::new(format!("c{place}"), *name, "{}"));
    Ok(ModelResponse::calls(calls))
}

fn text(text: &str) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::text(text))
}

/// Hangs the first time.
#[tool(idempotent)]
async fn hang(#[state] ran: &AtomicUsize) -> &'static str {
    if ran.fetch_add(1, Ordering::SeqCst) == 0 {
        std::future::pending::<()>().await;
    }
    "done"
}

/// Goes to the user.
#[tool(return_direct)]
fn report() -> &'static str {
    "the report"
}

/// Hands in a plan.
#[tool]
fn submit_plan() -> Outcome {
    Outcome::halt(HaltReason::new("plan_submitted"), "walk")
}

/// Is answered by the host.
#[tool(manual)]
fn by_hand() -> u8 {
    1
}

#[tokio::test]
async fn a_turn_whose_run_was_dropped_is_counted_once() {
    let model = ScriptedModel::new([calls(&["hang"]), text("Done.")]);
    let tools = tools![hang; state = AtomicUsize::new(0)];
    let agent = Agent::new(model, tools).max_tool_rounds(1);
    let (mut session, cx) = (Session::ask("Go!"), Context::new());
    {
        let mut run = pin!(agent.run(&mut session, &cx));
        for _ in 0..50 {
            let done = std::future::poll_fn(|task| Poll::Ready(run.as_mut().poll(task).is_ready()));
            assert!(!done.await, "it came to its end");
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(session.pending().len(), 1);
    let run = agent.run(&mut session, &cx).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
}

#[tokio::test]
async fn what_has_ended_is_not_asked_about_again() {
    for (name, result) in [("report", "the report"), ("submit_plan", "walk")] {
        let model = ScriptedModel::new([calls(&[name]), text("Again.")]);
        let agent = Agent::new(model.clone(), tools![report, submit_plan]);
        let mut session = Session::ask("Go!");
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(session.result(), Some(result));
        let stored = serde_json::to_string(&session).unwrap();
        let mut session: Session = serde_json::from_str(&stored).unwrap();
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!((run.turns, session.status()), (0, Status::Completed));

        // Words begin a new run, whose counts begin at nothing.
        let before = session.run_id();
        session.say("And?").unwrap();
        assert_eq!(session.result(), Some(result));
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Again."));
        assert_eq!(session.result(), Some("Again."));
        assert_ne!(session.run_id(), before);
    }
}

#[tokio::test]
async fn a_session_whose_calls_nobody_answers_is_repaired() {
    let paused = || async {
        let model = ScriptedModel::new([calls(&["by_hand", "report"])]);
        let agent = Agent::new(model, tools![by_hand, report]);
        let mut session = Session::ask("Go!");
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert!(matches!(run.end, RunEnd::Pending));
        assert!(matches!(
            session.say("Hm?"),
            Err(SessionError::WrongStatus { .. })
        ));
        session
    };
    let mut session = paused().await;
    session.repair(&ThreadRepair::Answer("nobody was there".into()));
    assert_eq!(session.thread().len(), 4);
    assert!(session.pending().is_empty());
    let agent = Agent::new(ScriptedModel::new([text("Pity.")]), Toolset::default());
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Pity."));

    let mut session = paused().await;
    session.repair(&ThreadRepair::Strip);
    let [
        _,
        ThreadMessage::Assistant(said),
        ThreadMessage::Tool(answer),
    ] = session.thread().messages()
    else {
        panic!("{:?}", session.thread());
    };
    assert_eq!((said.calls.len(), &*said.calls[0].name), (1, "report"));
    assert_eq!((answer.index, session.status()), (0, Status::Idle));
    session.repair(&ThreadRepair::Strip);
    assert_eq!(session.thread().len(), 3);
    session.say("Again!").unwrap();
}

#[tokio::test]
async fn a_user_who_stopped_a_run_can_speak_again() {
    let model = ScriptedModel::new([calls(&["by_hand", "hang"]), text("As you like.")]);
    let ran = Arc::new(AtomicUsize::new(0));
    let tools = tools![by_hand, hang; state = Arc::clone(&ran)];
    let agent = Agent::new(model, tools);
    let mut session = Session::ask("Go!");
    let stop = Cancel::new();
    let cx = Context::new().with_cancel(stop.clone());
    let stopping = async {
        while ran.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        stop.cancel();
    };
    let (run, ()) = tokio::join!(agent.run(&mut session, &cx), stopping);
    assert!(matches!(run.unwrap().end, RunEnd::Cancelled));

    // What runs was answered, what waits for somebody waits on, and who speaks is told so.
    assert_eq!(session.pending().len(), 1);
    let error = session.say("Never mind.").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the session is awaiting_tools, and takes no reply: calls are pending; `decide` or `submit` them first, or \
         give them up with `repair`"
    );
    session.repair(&ThreadRepair::Answer("the user left it".into()));
    session.say("Never mind.").unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("As you like."));
}

#[tokio::test]
async fn a_session_without_a_message_does_not_run() {
    let model = ScriptedModel::new([text("Hello!")]);
    let agent = Agent::new(model, Toolset::default());
    let mut session = Session::with_id("q");
    let error = agent.run(&mut session, &Context::new()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the session has no message to answer; `say` adds one"
    );
    session.say("Hi!").unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Hello!"));
    // A run of a conversation that has ended makes no request.
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Completed), "{run:?}");
}

/// Is read by the model.
#[tool]
fn look() -> &'static str {
    "seen"
}

#[tokio::test]
async fn what_goes_to_the_user_does_not_depend_on_who_was_waited_for() {
    let second = || Approval::when(|request| request.context().call_index() == Some(1));
    let rejects = || Decision::Reject("no".into());
    let rows = [
        (["look", "report"], Decision::Approve, "Done."),
        (["report", "look"], Decision::Approve, "Done."),
        (["look", "report"], rejects(), "Done."),
        (["report", "report"], Decision::Approve, "the report"),
        (["report", "report"], rejects(), "the report"),
        (["report", "look"], rejects(), "the report"),
    ];
    for (names, says, expected) in rows {
        // Somebody says so at once, or the session waits for it, here or at an interrupt.
        for way in ["asked", "pending", "interrupted"] {
            let script = ScriptedModel::new([calls(&names), text("Done.")]);
            let script = script.clone();
            let executor = Executor::serial(tools![look, report]);
            let executor = match (way, says.clone()) {
                ("asked", says) => {
                    executor.layer(second().ask(move |_| std::future::ready(says.clone())))
                }
                ("pending", _) => executor.layer(second()),
                _ => executor,
            };
            let mut agent = Agent::with_executor(script.clone(), executor);
            if way == "interrupted" {
                agent = agent.interrupt_before(Node::Tools);
            }
            let mut session = Session::ask("Go!");
            let mut run = agent.run(&mut session, &Context::new()).await.unwrap();
            if way != "asked" {
                session.decide(1, says.clone()).unwrap();
                let stored = serde_json::to_string(&session).unwrap();
                session = serde_json::from_str(&stored).unwrap();
                run = agent.run(&mut session, &Context::new()).await.unwrap();
            }
            assert_eq!(run.text(), Some(expected), "{names:?} {way}");
            assert_eq!(session.result(), Some(expected), "{names:?} {way}");
            // A script that is not played to its end says so.
            if expected != "Done." {
                let _ = agent.run(&mut session, &Context::new()).await.unwrap();
                session.say("And?").unwrap();
                let _ = agent.run(&mut session, &Context::new()).await.unwrap();
            }
        }
    }
}

#[tokio::test]
async fn stored_messages_that_end_with_calls_are_gone_on_with() {
    let all = ["look", "report"];
    let threads = |answered: &[usize]| {
        let calls = all.iter().enumerate();
        let calls = calls.map(|(place, name)| ToolCall::new(format!("c{place}"), *name, "{}"));
        let mut thread = Thread::from([
            ThreadMessage::user("Go!"),
            ThreadMessage::calls(calls.clone()),
        ]);
        for (index, call) in calls
            .enumerate()
            .filter(|(index, _)| answered.contains(index))
        {
            let result = ToolResult::new(&call, Ok(Outcome::value("known")));
            thread.answer(ToolMessage::of(index, &result, Encoder::auto()));
        }
        thread
    };
    for (answered, expected) in [
        (&[][..], ["seen", "the report"]),
        (&[0], ["known", "the report"]),
    ] {
        // The calls of the next turn are others.
        let model = ScriptedModel::new([calls(&["look"]), text("Done.")]);
        let keys = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&keys);
        let executor =
            Executor::serial(tools![look, report]).layer(Approval::when(move |request| {
                heard
                    .lock()
                    .unwrap()
                    .extend(request.context().idempotency_key());
                false
            }));
        let agent = Agent::with_executor(model, executor);
        let mut session = Session::from_thread(threads(answered));
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!((run.text(), run.rounds), (Some("Done."), 2), "{answered:?}");
        let messages = session.thread().messages().iter();
        let answers = messages.filter_map(|message| match message {
            ThreadMessage::Tool(answer) => Some(answer.text.as_str()),
            _ => None,
        });
        let mut expected = expected.to_vec();
        expected.push("seen");
        assert_eq!(answers.collect::<Vec<_>>(), expected);
        let keys = keys.lock().unwrap();
        let distinct: BTreeSet<_> = keys.iter().collect();
        assert_eq!(
            (keys.len(), distinct.len()),
            (3 - answered.len(), keys.len()),
            "{keys:?}"
        );
    }
}

/// Asks.
#[tool]
fn which() -> Outcome {
    Outcome::ask("Which?")
}

#[tokio::test]
async fn calls_of_stored_messages_have_one_key_from_the_start() {
    for tool in ["by_hand", "which"] {
        let model = ScriptedModel::new([calls(&[tool, tool]), text("Done.")]);
        let (agent, cx) = (Agent::new(model, tools![by_hand, which]), Context::new());
        let mut asked = Session::ask("Go!");
        let _ = agent.run(&mut asked, &cx).await.unwrap();
        let mut session = Session::from_thread(asked.thread().clone());
        let shown = agent.waiting(&session, &cx);
        assert_eq!(shown.len(), 2);
        let answer = || Decision::Answer("one".into());
        session.decide(&shown[0], answer()).unwrap();
        if tool == "by_hand" {
            let run = agent.run(&mut session, &cx).await.unwrap();
            assert!(matches!(run.end, RunEnd::Pending), "{run:?}");
        }
        assert_eq!(agent.waiting(&session, &cx)[0].key, shown[1].key);
        session.decide(&shown[1], answer()).unwrap();
        let run = agent.run(&mut session, &cx).await.unwrap();
        assert_eq!(run.text(), Some("Done."));
    }
}

#[tokio::test]
async fn counts_of_a_stored_session_that_somebody_changed_end_nothing() {
    let model = ScriptedModel::new([calls(&["look"]), text("Done.")]);
    let agent = Agent::new(model, tools![look]);
    let mut stored = serde_json::to_value(Session::ask("Go!")).unwrap();
    stored["at"]["rounds"] = u32::MAX.into();
    stored["at"]["run"] = u64::MAX.into();
    let mut session: Session = serde_json::from_value(stored).unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    session.say("And?").unwrap();
}
