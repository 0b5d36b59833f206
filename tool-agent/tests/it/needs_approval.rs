//! Tools with a parameter `Approved<'_>` in a conversation: paused, stored, decided, resumed, crashed.
// A test that finds less than it expects has failed; and a yes is taken by value.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::items_after_statements,
    clippy::default_trait_access
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    Agent, AgentError, AgentTool, MemoryCheckpointer, ModelResponse, RunEnd, Session,
};
use toolwright::call::{Approved, Decision};
use toolwright::executor::PendingReason;
use toolwright::executor::UnknownOutcome;
use toolwright::layers::Approval;
use toolwright::{Context, Executor, ToolCall, Toolset, tool, tools};

/// The bills that were paid.
#[derive(Clone, Default)]
struct Paid(Arc<Mutex<Vec<u32>>>);

impl Paid {
    fn bills(&self) -> Vec<u32> {
        self.0.lock().unwrap().clone()
    }
}

/// Pays a bill.
#[tool]
fn pay(bill: u32, yes: Approved<'_>, #[state] paid: &Paid) -> String {
    assert_eq!(yes.to_value()["bill"], json!(bill));
    paid.0.lock().unwrap().push(bill);
    format!("paid {bill}")
}

/// Pays a bill in the background, and never comes back.
#[tool(background, idempotent)]
async fn pay_slowly(bill: u32, yes: Approved<'_>, #[state] paid: &Paid) -> String {
    let _ = yes;
    paid.0.lock().unwrap().push(bill);
    std::future::pending().await
}

/// Looks.
#[tool(read_only)]
fn look() -> u8 {
    1
}

fn all(paid: &Paid) -> Toolset {
    tools![pay, pay_slowly, look; state = paid.clone()]
}

fn call(id: &str, bill: u32) -> ToolCall {
    ToolCall::new(id, "pay", json!({ "bill": bill }).to_string())
}

fn model(first: &[ToolCall], then: &str) -> ScriptedModel {
    ScriptedModel::new([
        Ok(ModelResponse::calls(first.iter().cloned())),
        Ok(ModelResponse::text(then)),
    ])
}

/// The session as another process reads it.
fn stored(session: &Session) -> Session {
    serde_json::from_str(&serde_json::to_string(session).unwrap()).unwrap()
}

#[tokio::test]
async fn an_agent_without_a_way_to_ask_pauses() {
    let paid = Paid::default();
    let calls = [call("a", 1), ToolCall::new("b", "look", "{}"), call("c", 3)];
    let agent = Agent::new(model(&calls, "Done."), all(&paid));
    let mut session = Session::ask("Pay!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "pending");
    let pending = session.pending();
    assert_eq!(pending.len(), 2);
    let why = PendingReason::Decision(json!({"needs_approval": true}));
    assert!(pending.iter().all(|pending| pending.reason == why));
    // Running it again asks nobody, and runs nothing.
    let mut session = stored(&session);
    let error = agent.run(&mut session, &Context::new()).await.unwrap_err();
    assert!(matches!(error, AgentError::Session(_)), "{error:?}");
    assert_eq!(paid.bills(), [0; 0]);

    session.decide("c", Decision::Approve).unwrap();
    let mut session = stored(&session);
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(paid.bills(), [3]);
    session
        .decide("a", Decision::edit(json!({"bill": 2})))
        .unwrap();
    let run = agent
        .run(&mut stored(&session), &Context::new())
        .await
        .unwrap();
    assert_eq!((run.text(), paid.bills()), (Some("Done."), vec![3, 2]));
}

#[tokio::test]
async fn a_rejected_call_does_not_run() {
    let paid = Paid::default();
    let agent = Agent::new(model(&[call("a", 1), call("b", 2)], "Done."), all(&paid));
    let mut session = Session::ask("Pay!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    session.decide("a", Decision::Reject("no".into())).unwrap();
    session
        .decide("b", Decision::Answer("in cash".into()))
        .unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!((run.text(), paid.bills()), (Some("Done."), vec![]));
}

#[tokio::test]
async fn a_layer_that_asks_gives_the_yes() {
    let paid = Paid::default();
    let asks = Approval::default().ask(|ask| async move {
        match ask.call.id.as_str() {
            "a" => Decision::Approve,
            _ => Decision::Reject("no".into()),
        }
    });
    let executor = Executor::parallel(all(&paid), 4).layer(asks);
    let agent = Agent::with_executor(model(&[call("a", 1), call("b", 2)], "Done."), executor);
    let mut session = Session::ask("Pay!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!((run.text(), paid.bills()), (Some("Done."), vec![1]));
}

#[tokio::test]
async fn a_yes_to_another_call_or_tool_does_not_count() {
    let paid = Paid::default();
    let calls = ScriptedModel::new([Ok(ModelResponse::calls([call("a", 1)]))]);
    let agent = Agent::new(calls, all(&paid));
    let mut session = Session::ask("Pay!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    session.decide("a", Decision::Approve).unwrap();
    // The stored call is another one than the one that was shown.
    let text = serde_json::to_string(&session).unwrap();
    let changed = text.replace(r#"{\"bill\":1}"#, r#"{\"bill\":1000}"#);
    assert_ne!(text, changed);
    let mut changed: Session = serde_json::from_str(&changed).unwrap();
    let error = agent.run(&mut changed, &Context::new()).await.unwrap_err();
    assert!(
        matches!(&error, AgentError::Decision { path, .. } if path[..] == [0]),
        "{error:?}"
    );

    /// Pays a bill.
    #[tool(name = "pay")]
    fn pay_tip(
        bill: u32,
        tip: Option<u32>,
        yes: Approved<'_>,
        #[state] paid: &Paid,
    ) -> Option<u32> {
        let _ = yes;
        paid.0.lock().unwrap().push(bill);
        tip
    }
    let other = Agent::new(
        ScriptedModel::new([]),
        tools![pay_tip; state = paid.clone()],
    );
    let run = other.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Pending));
    assert_eq!(paid.bills(), [0; 0]);
}

#[tokio::test(start_paused = true)]
async fn after_a_crash_a_yes_does_not_let_the_body_run_again() {
    /// Pays a bill, and the program ends before it says so.
    #[tool(name = "pay")]
    async fn pay_and_end(bill: u32, yes: Approved<'_>, #[state] paid: &Paid) -> String {
        let _ = yes;
        paid.0.lock().unwrap().push(bill);
        std::future::pending().await
    }

    let (paid, store) = (Paid::default(), MemoryCheckpointer::new());
    let agent = |steps: Vec<_>| {
        let tools = tools![pay_and_end; state = paid.clone()];
        Agent::new(ScriptedModel::new(steps), tools).checkpointer(store.clone())
    };
    let first = agent(vec![Ok(ModelResponse::calls([call("a", 1)]))]);
    let mut session = Session::with_id("s");
    session.say("Pay!").unwrap();
    let _ = first.run(&mut session, &Context::new()).await.unwrap();
    session.decide("a", Decision::Approve).unwrap();
    let cx = Context::new();
    let run = Box::pin(first.run(&mut session, &cx));
    let ended = tokio::time::timeout(Duration::from_millis(50), run).await;
    assert!(ended.is_err());
    assert_eq!(paid.bills(), [1]);

    let other = agent(vec![]);
    let mut session = other.state("s").await.unwrap().unwrap();
    // Whatever the store says of the decision: the record says that the call began.
    let _ = other.run(&mut session, &Context::new()).await;
    assert_eq!(paid.bills(), [1]);
    let pending = session.pending();
    assert_eq!(pending.len(), 1);
}

#[tokio::test]
async fn an_agent_behind_a_tool_hands_the_question_out() {
    let paid = Paid::default();
    let clerk = Agent::new(model(&[call("a", 1)], "Paid."), all(&paid));
    let clerk = AgentTool::new(clerk, "clerk", "Pays bills.")
        .build()
        .unwrap();
    let tools = Toolset::new([clerk]).unwrap();
    let ask = ToolCall::new("o", "clerk", r#"{"input": "Pay bill 1."}"#);
    let agent = Agent::new(model(&[ask], "Done."), tools);
    let mut session = Session::ask("Pay!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(paid.bills(), [0; 0]);
    // Without a decision it waits, however often it runs.
    assert!(agent.run(&mut session, &Context::new()).await.is_err());
    assert_eq!(paid.bills(), [0; 0]);
    let yes = |inner: &mut Session| inner.decide("a", Decision::Approve);
    session.in_sub_session("o", yes).unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(paid.bills(), [1]);
}

#[tokio::test]
async fn an_open_call_that_was_lost_does_not_begin_again_without_a_yes() {
    let paid = Paid::default();
    let slow = ToolCall::new("a", "pay_slowly", r#"{"bill": 1}"#);
    let agent = Agent::new(model(&[slow], "It takes a while."), all(&paid))
        .on_unknown_outcome(UnknownOutcome::RunAgain);
    let mut session = Session::ask("Pay!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!((session.open().list().len(), paid.bills()), (0, vec![]));
    session.decide("a", Decision::Approve).unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    tokio::task::yield_now().await;
    assert_eq!((session.open().list().len(), paid.bills()), (1, vec![1]));
    // Another process knows nothing of what runs.
    let mut lost = serde_json::to_value(&session).unwrap();
    lost["born"] = json!(format!("{}x", lost["born"].as_str().unwrap()));
    let mut lost: Session = serde_json::from_value(lost).unwrap();
    let other = Agent::new(
        ScriptedModel::new([Ok(ModelResponse::text("I see."))]),
        all(&paid),
    )
    .on_unknown_outcome(UnknownOutcome::RunAgain);
    assert_eq!(lost.open().lost().len(), 1);
    let _ = other.run(&mut lost, &Context::new()).await.unwrap();
    tokio::task::yield_now().await;
    assert_eq!(paid.bills(), [1]);
}

#[tokio::test]
async fn one_question_is_asked_where_a_layer_asks_about_everything() {
    let (paid, asked) = (Paid::default(), Arc::new(AtomicUsize::new(0)));
    let counts = Arc::clone(&asked);
    let everything = Approval::when(|_| true).ask(move |_| {
        counts.fetch_add(1, Ordering::Relaxed);
        async { Decision::Approve }
    });
    let executor = Executor::serial(all(&paid))
        .layer(everything)
        .layer(Approval::default());
    let agent = Agent::with_executor(model(&[call("a", 1)], "Done."), executor);
    let mut session = Session::ask("Pay!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!((run.text(), paid.bills()), (Some("Done."), vec![1]));
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}
