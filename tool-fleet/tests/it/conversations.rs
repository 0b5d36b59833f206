//! Conversations with agents of workers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use toolwright::agent::{Agent, AgentTool, Status};
use toolwright::call::{Cancel, Decision};
use toolwright::executor::PendingReason;
use toolwright::layers::Approval;
use toolwright::{Context, Executor, Outcome, Toolset, tool, tools};
use toolwright_fleet::{Fleet, FleetError, HistoryEntry, Input, Worker};

use crate::support::{Obedient, agent, end_of, fleet, said, start, unique, until};

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_answers() {
    let (fleet, name) = (fleet().await, unique("answers"));
    let agent = agent(Toolset::default());
    let worker = start(fleet.worker().agent(&name, agent.clone()));
    let talk = fleet.conversation(&name, "t1");
    let began = Instant::now();
    talk.say("hello").await.unwrap();
    let state = talk.wait().await.unwrap();
    println!("a message was answered after {:?}", began.elapsed());
    assert_eq!(state.text.as_deref(), Some("heard hello"));
    assert_eq!(end_of(&state), Some("completed"));
    assert_eq!(state.status, Some(Status::Completed));
    assert_eq!(talk.state().await.unwrap(), state);
    talk.say("one more").await.unwrap();
    assert_eq!(
        talk.wait().await.unwrap().text.as_deref(),
        Some("heard one more")
    );
    assert_eq!(said(&agent, &talk).await, ["hello", "one more"]);
    // Another conversation is another session.
    let other = fleet.conversation(&name, "t2");
    other.say("hello").await.unwrap();
    other.wait().await.unwrap();
    assert_eq!(said(&agent, &other).await, ["hello"]);
    worker.stop().await;
}

/// Charges a customer.
#[tool(destructive)]
fn charge(customer: u32, #[arg(secret)] card: String) -> String {
    format!(
        "charged customer {customer}, whose card has {} digits",
        card.len()
    )
}

/// Picks a colour.
#[tool]
fn pick() -> Outcome {
    Outcome::ask("Which colour?").option("choices", ["red", "blue"])
}

#[tokio::test(flavor = "multi_thread")]
async fn approvals_and_questions_of_remote_tools_go_from_end_to_end() {
    let (fleet, name, queue) = (fleet().await, unique("approves"), unique("billing"));
    let far = fleet.toolset(&queue, &tools![charge, pick]).unwrap();
    let executor = Executor::parallel(&far, 4).layer(Approval::default());
    let agent = Agent::with_executor(Obedient, executor)
        .checkpointer(toolwright::agent::MemoryCheckpointer::new());
    let worker = start(
        fleet
            .worker()
            .agent(&name, agent)
            .tools(&queue, tools![charge, pick]),
    );
    let talk = fleet.conversation(&name, "t1");
    talk.say("call charge {\"customer\": 4, \"card\": \"4111111111\"}\ncall pick {}")
        .await
        .unwrap();
    let state = talk.wait().await.unwrap();
    let [pending, asks] = &state.waiting[..] else {
        panic!("{state:?}");
    };
    assert_eq!((&*pending.id, &*pending.tool), ("c1", "charge"));
    assert!(matches!(pending.reason, PendingReason::Decision(_)));
    let shown = pending.arguments.as_deref().unwrap();
    assert!(shown.contains('4') && !format!("{state:?}").contains("4111111111"));
    let question = asks.reason.question().unwrap();
    assert_eq!((&*asks.id, &*question.text), ("c2", "Which colour?"));
    assert_eq!(question.options["choices"], json!(["red", "blue"]));
    talk.decide("c1", Decision::Approve).await.unwrap();
    let state = talk.wait().await.unwrap();
    assert_eq!(state.waiting.len(), 1, "{state:?}");
    talk.answer("c2", "blue").await.unwrap();
    let state = talk.wait().await.unwrap();
    assert_eq!(
        state.text.as_deref(),
        Some("charged customer 4, whose card has 10 digits | blue"),
        "{state:?}"
    );
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_agents_in_calls_are_decided() {
    let (fleet, name) = (fleet().await, unique("inside"));
    let executor = Executor::parallel(tools![charge, pick], 4).layer(Approval::default());
    let helper = AgentTool::new(Agent::with_executor(Obedient, executor), "helper", "Helps.");
    let tools = Toolset::new([helper.build().unwrap()]).unwrap();
    let worker = start(fleet.worker().agent(&name, agent(tools)));
    let talk = fleet.conversation(&name, "t1");
    let inside = "call charge {\"customer\": 4, \"card\": \"4111111111\"}\ncall pick {}";
    let input = json!({ "input": inside });
    talk.say(format!("call helper {input}")).await.unwrap();
    let state = talk.wait().await.unwrap();
    let waiting = state.waiting.iter();
    let waiting: Vec<_> = waiting.map(|one| (&*one.path, &*one.tool)).collect();
    assert_eq!(
        waiting,
        [(&[0][..], "helper"), (&[0, 0], "charge"), (&[0, 1], "pick")]
    );
    let shown = state.waiting[1].arguments.as_deref().unwrap();
    assert!(shown.contains('4') && !shown.contains("4111111111"));
    // A call of that id is in the agent alone.
    talk.decide(&[0, 7][..], Decision::Approve).await.unwrap();
    assert_eq!(talk.wait().await.unwrap().refused.len(), 1);
    // Whoever approves all of it approves what is inside.
    for call in &state.waiting {
        match call.reason.question() {
            Some(_) => talk.answer(call, "blue").await.unwrap(),
            None => talk.decide(call, Decision::Approve).await.unwrap(),
        }
    }
    let state = talk.wait().await.unwrap();
    let done = "charged customer 4, whose card has 10 digits | blue";
    assert_eq!(state.text.as_deref(), Some(done), "{state:?}");
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn inputs_that_do_not_fit_are_told_and_change_nothing() {
    let (fleet, name) = (fleet().await, unique("refuses"));
    let agent = agent(Toolset::default());
    let worker = start(fleet.worker().agent(&name, agent.clone()));
    let talk = fleet.conversation(&name, "t1");
    let error = talk.wait().await.unwrap_err();
    assert!(
        matches!(error, FleetError::NoConversation { .. }),
        "{error}"
    );
    let error = talk.cancel().await.unwrap_err();
    assert!(
        matches!(error, FleetError::NoConversation { .. }),
        "{error}"
    );
    talk.decide("c1", Decision::Approve).await.unwrap();
    let state = talk.wait().await.unwrap();
    assert_eq!((state.status, state.refused.len()), (None, 1));
    let nobody = fleet.conversation(unique("nobody"), "t1");
    nobody.say("hello").await.unwrap();
    let error = nobody.state().await.unwrap_err();
    assert!(matches!(error, FleetError::NoWorker { .. }), "{error}");
    nobody.end().await.unwrap();
    talk.say("hello").await.unwrap();
    talk.answer("c9", 1).await.unwrap();
    talk.decide(7, Decision::Approve).await.unwrap();
    let state = talk.wait().await.unwrap();
    assert_eq!(state.text.as_deref(), Some("heard hello"));
    assert!(!state.refused.is_empty(), "{state:?}");
    assert_eq!(said(&agent, &talk).await, ["hello"]);
    let error = fleet
        .conversation("no agent", "t1")
        .say("x")
        .await
        .unwrap_err();
    assert!(matches!(error, FleetError::Name { .. }), "{error}");
    let error = fleet.conversation(&name, "").say("x").await.unwrap_err();
    assert!(matches!(error, FleetError::Name { .. }), "{error}");
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_of_the_model_is_typed_and_the_conversation_goes_on() {
    let (fleet, name) = (fleet().await, unique("fails"));
    let agent = agent(Toolset::default());
    let worker = start(fleet.worker().agent(&name, agent.clone()));
    let talk = fleet.conversation(&name, "t1");
    talk.say("fail").await.unwrap();
    let state = talk.wait().await.unwrap();
    let end = state.end.unwrap();
    assert_eq!(end.reason, "error");
    assert!(end.message.unwrap().contains("I was told to"));
    talk.resume().await.unwrap();
    let state = talk.wait().await.unwrap();
    assert_eq!(state.end.unwrap().reason, "error");
    talk.say("hello").await.unwrap();
    let state = talk.wait().await.unwrap();
    assert_eq!(
        (end_of(&state), state.text.as_deref()),
        (Some("completed"), Some("heard hello"))
    );
    worker.stop().await;
}

static BEGUN: AtomicUsize = AtomicUsize::new(0);
static TOLD: AtomicUsize = AtomicUsize::new(0);

/// Waits until it is cancelled.
#[tool(timeout = "60s")]
async fn hang(#[context] cx: &Context) {
    struct Told(Cancel);
    impl Drop for Told {
        fn drop(&mut self) {
            TOLD.fetch_add(usize::from(self.0.is_cancelled()), Ordering::SeqCst);
        }
    }
    let _told = Told(cx.cancel());
    BEGUN.fetch_add(1, Ordering::SeqCst);
    cx.cancel().cancelled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_conversation_cancels_its_calls() {
    let (fleet, name, queue) = (fleet().await, unique("cancels"), unique("hangs"));
    let far = fleet.toolset(&queue, &tools![hang]).unwrap();
    let worker = fleet
        .worker()
        .agent(&name, agent(&far))
        .tools(&queue, tools![hang]);
    let worker = start(worker);
    let talk = fleet.conversation(&name, "t1");
    talk.say("call hang {}").await.unwrap();
    until(|| BEGUN.load(Ordering::SeqCst) == 1).await;
    let began = Instant::now();
    talk.cancel().await.unwrap();
    let state = talk.wait().await.unwrap();
    println!("a conversation was cancelled after {:?}", began.elapsed());
    assert_eq!(end_of(&state), Some("cancelled"), "{state:?}");
    until(|| TOLD.load(Ordering::SeqCst) == 1).await;
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_are_listed_have_a_history_and_end() {
    let (fleet, name) = (fleet().await, unique("lists"));
    let agent = agent(Toolset::default());
    let worker = start(fleet.worker().agent(&name, agent.clone()));
    for session in ["a", "b/c"] {
        let talk = fleet.conversation(&name, session);
        talk.say("hello").await.unwrap();
        talk.wait().await.unwrap();
    }
    let mut sessions = Vec::new();
    for _ in 0..50 {
        let listed = fleet.conversations(&name).await.unwrap();
        sessions = listed.into_iter().map(|one| one.session).collect();
        if sessions.len() == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    sessions.sort();
    assert_eq!(sessions, ["a", "b/c"]);
    let talk = fleet.conversation(&name, "a");
    let history = talk.history().await.unwrap();
    let [
        HistoryEntry::Input { input, .. },
        HistoryEntry::State { state, .. },
    ] = &history[..]
    else {
        panic!("{history:?}");
    };
    assert_eq!(*input, Input::Say("hello".into()));
    assert_eq!(state.text.as_deref(), Some("heard hello"));
    talk.end().await.unwrap();
    // Its last state stays.
    for _ in 0..50 {
        let state = talk.wait().await.unwrap();
        assert_eq!(state.text.as_deref(), Some("heard hello"));
    }
    // It begins anew, with the same session. The inputs are counted anew, too.
    talk.say("again").await.unwrap();
    assert_eq!(
        talk.wait().await.unwrap().text.as_deref(),
        Some("heard again")
    );
    assert_eq!(said(&agent, &talk).await, ["hello", "again"]);
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_conversation_begins_its_history_anew() {
    let (fleet, name) = (fleet().await, unique("long"));
    let agent = agent(Toolset::default()).max_turns(1000).max_steps(10_000);
    let talk = fleet.conversation(&name, "t1");
    let mut expected = Vec::new();
    // Nobody is there yet.
    for number in 0..230 {
        expected.push(format!("message {number}"));
        talk.say(format!("message {number}")).await.unwrap();
    }
    let worker = start(fleet.worker().agent(&name, agent.clone()));
    let state = talk.wait().await.unwrap();
    assert!(state.text.is_some(), "{state:?}");
    let mut all = said(&agent, &talk).await;
    for number in 230..235 {
        expected.push(format!("message {number}"));
        talk.say(format!("message {number}")).await.unwrap();
        let state = talk.wait().await.unwrap();
        all = said(&agent, &talk).await;
        assert_eq!(state.text, Some(format!("heard message {number}")));
    }
    assert_eq!(all, expected);
    let history = talk.history().await.unwrap();
    assert!(history.len() < 50, "{}", history.len());
    worker.stop().await;
}

/// All futures may move between threads; it is enough that this compiles.
#[allow(dead_code)]
fn futures_are_send(fleet: &Fleet, worker: Worker) {
    fn is_send<T: Send>(_: T) {}
    let talk = fleet.conversation("a", "b");
    is_send(talk.say("x"));
    is_send(talk.decide(0, Decision::Approve));
    is_send(talk.answer(0, 1));
    is_send(talk.resume());
    is_send(talk.cancel());
    is_send(talk.end());
    is_send(talk.wait());
    is_send(talk.state());
    is_send(talk.history());
    is_send(fleet.conversations("a"));
    is_send(Fleet::connect("a"));
    is_send(worker.run(async {}));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_wait_at_once() {
    let (fleet, name) = (fleet().await, unique("waits"));
    let talk = fleet.conversation(&name, "t1");
    talk.say("hello").await.unwrap();
    let all = (0..25).map(|_| {
        let talk = talk.clone();
        tokio::spawn(async move { talk.wait().await.unwrap().text })
    });
    let all = all.collect::<Vec<_>>();
    // Nobody is there yet.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let worker = start(fleet.worker().agent(&name, agent(Toolset::default())));
    for one in all {
        assert_eq!(one.await.unwrap().as_deref(), Some("heard hello"));
    }
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_without_a_store_is_refused() {
    let fleet = fleet().await;
    let worker = fleet
        .worker()
        .agent("forgetful", Agent::new(Obedient, Toolset::default()));
    let error = worker.run(async {}).await.unwrap_err();
    assert!(
        matches!(error, FleetError::NoCheckpointer { .. }),
        "{error}"
    );
}
