//! Agents that work beside the one that called them, and messages that are left for a conversation.
// A test that finds less than it expects has failed.
// Steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::Notify;
use toolwright::agent::model::{ModelError, ModelErrorKind};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::tool_node::ToolNode;
use toolwright::agent::{Agent, AgentTool, ModelResponse, Node, RunEnd, Session, ThreadMessage};
use toolwright::executor::{OpenCallState, OpenCalls};
use toolwright::layers::{Approval, Risk};
use toolwright::{
    Context, Executor, Tool, ToolCall, Toolset,
    call::{Cancel, Decision},
    tool, tools,
};

use crate::kept::stores;
use crate::waits::until;

fn ask(id: &str, input: &str) -> ToolCall {
    ToolCall::new(id, "helper", json!({"input": input}).to_string())
}

fn calls(calls: &[ToolCall]) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::calls(calls.iter().cloned()))
}

fn text(text: &str) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::text(text))
}

fn script(steps: impl IntoIterator<Item = Result<ModelResponse, ModelError>>) -> ScriptedModel {
    ScriptedModel::new(steps)
}

fn detached(agent: Agent) -> Toolset {
    let tool: Arc<dyn Tool> = AgentTool::new(agent, "helper", "Helps.")
        .detached()
        .build()
        .unwrap();
    Toolset::new([tool]).unwrap()
}

fn words(session: &Session) -> Vec<String> {
    let words = session
        .thread()
        .messages()
        .iter()
        .map(|message| match message {
            ThreadMessage::User { text } => format!("user: {text}"),
            ThreadMessage::Assistant(said) if said.text.is_empty() => "calls".to_owned(),
            ThreadMessage::Assistant(said) => said.text.clone(),
            ThreadMessage::Tool(answer) => format!("tool: {}", answer.text),
            ThreadMessage::Late(result) => format!("late {}: {}", result.id, result.text),
            _ => "?".to_owned(),
        });
    words.collect()
}

/// The keys of the calls that stay open.
fn open_keys(session: &Session) -> Vec<String> {
    session
        .open()
        .list()
        .into_iter()
        .map(|call| call.key)
        .collect()
}

/// Waits for the host.
#[tool]
async fn slow(#[state] go: &Notify) -> &'static str {
    go.notified().await;
    "done"
}

fn slow_call() -> ToolCall {
    ToolCall::new("x", "slow", "{}")
}

#[tokio::test]
async fn a_call_is_answered_at_once_and_its_result_comes_as_a_message() {
    let go = Arc::new(Notify::new());
    let inner = script([calls(&[slow_call()]), text("It is 5.")]);
    let inner = Agent::new(inner, tools![slow; state = Arc::clone(&go)]);
    let outer = script([
        calls(&[ask("c1", "2 + 3?")]),
        text("I have asked."),
        text("It is 5, I hear."),
    ]);
    let agent = Agent::new(outer, detached(inner));
    let mut session = Session::ask("2 + 3?");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("I have asked."));
    assert_eq!(open_keys(&session).len(), 1);

    // A session that has ended stays there, until something is left for it.
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!((run.turns, session.thread().len()), (0, 4));
    go.notify_one();
    session.queue().arrived().await;
    assert!(open_keys(&session).is_empty() || session.open().has_ended());
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!((run.turns, run.text()), (1, Some("It is 5, I hear.")));
    assert_eq!(words(&session)[4], "late c1: It is 5.");
    assert!(open_keys(&session).is_empty());
    assert_eq!(session.thread().len(), 6);
}

#[tokio::test]
async fn a_failure_is_told_too() {
    let broken = Err(ModelError::new(ModelErrorKind::Refused, "key sk-1"));
    let inner = Agent::new(script([broken]), Toolset::default());
    let outer = script([calls(&[ask("c1", "Go!")]), text("Begun.")]);
    let agent = Agent::new(outer, detached(inner));
    let mut session = Session::ask("Go!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    session.queue().arrived().await;
    let agent = Agent::new(script([text("Pity.")]), Toolset::default());
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(words(&session)[4], "late c1: the agent's model failed");
}

#[tokio::test]
async fn one_that_waits_for_somebody_is_kept() {
    /// Pays.
    #[tool(meta(risk = "high"))]
    fn pay(cents: u64) -> u64 {
        cents
    }

    let pays = ToolCall::new("x", "pay", r#"{"cents": 5}"#);
    let inner = script([calls(&[pays]), text("Paid.")]);
    let executor = Executor::serial(tools![pay]).layer(Approval::at_least(Risk::High));
    let inner = Agent::with_executor(inner, executor);
    let outer = script([calls(&[ask("c1", "Pay!")]), text("Begun.")]);
    let agent = Agent::new(outer, detached(inner.clone()));
    let mut session = Session::ask("Pay!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    session.queue().arrived().await;

    // It is stored with the session that it works for.
    let stored = serde_json::to_string(&session).unwrap();
    let session: Session = serde_json::from_str(&stored).unwrap();
    // It is in the list of all that waits, where it can be decided.
    let mut session = session;
    let waiting = agent.waiting(&session, &Context::new());
    let [waiting] = &waiting[..] else {
        panic!("{waiting:?}");
    };
    assert_eq!((&*waiting.id, waiting.reason.as_str()), ("x", "decision"));
    assert_eq!(waiting.arguments.as_deref(), Some(r#"{"cents": 5}"#));
    session.decide(waiting, Decision::Approve).unwrap();
    let id = session.queue().paused().remove(0);
    let mut paused = session.queue().take_paused(&id).unwrap();
    assert!(session.queue().take_paused(&id).is_none());
    let run = inner.run(&mut paused, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Paid."));
}

#[tokio::test]
async fn nothing_runs_where_nobody_can_be_asked() {
    /// Is answered by a person.
    #[tool(manual)]
    fn sign() -> &'static str {
        "not called"
    }

    let inner = script([]);
    let open = OpenCalls::new();
    let executor = Executor::serial(detached(Agent::new(inner.clone(), tools![sign])));
    let executor = executor.open_calls(&open);
    let batch = executor.run(&[ask("c1", "Sign!")], &Context::new()).await;
    assert!(batch.is_settled());
    let OpenCallState::Ended(outcome) = open.ended().await.state else {
        panic!("the call has not ended");
    };
    let error = outcome.into_outcome().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the agent needs somebody's decision, and nobody can be asked here"
    );
    assert!(inner.requests().is_empty());
}

#[tokio::test]
async fn who_stops_the_caller_stops_it() {
    let inner = script([calls(&[slow_call()])]);
    let inner = Agent::new(inner, tools![slow; state = Notify::new()]);
    let outer = script([calls(&[ask("c1", "Go!")]), text("Begun.")]);
    let agent = Agent::new(outer, detached(inner));
    let (stop, mut session) = (Cancel::new(), Session::ask("Go!"));
    let cx = Context::new().with_cancel(stop.clone());
    let run = agent.run(&mut session, &cx).await.unwrap();
    assert!(matches!(run.end, RunEnd::Completed));
    tokio::task::yield_now().await;
    stop.cancel();
    session.queue().arrived().await;
    assert!(open_keys(&session).is_empty() || session.open().has_ended());
}

#[tokio::test]
async fn with_a_store_it_is_kept_under_its_id() {
    for (store, _kept) in stores().await {
        let inner = script([calls(&[slow_call()])]);
        let inner = Agent::new(inner, tools![slow; state = Notify::new()]);
        let outer = script([calls(&[ask("c1", "Go!")]), text("Begun.")]);
        let agent = Agent::new(outer, detached(inner)).checkpointer(store.clone());
        let mut session = Session::with_id("s");
        session.say("Go!").unwrap();
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        // The helper's model has answered, and its call waits.
        until(async || {
            let ids = store.sessions(None, 10).await.unwrap();
            let Some(id) = ids.iter().find(|id| *id != "s") else {
                return false;
            };
            let kept = store.latest(id).await.unwrap().unwrap();
            kept.next == Node::Tools
        })
        .await;

        // The program ends in its midst. What is known of it is what the session says.
        let kept = agent.state("s").await.unwrap().unwrap();
        assert_eq!(open_keys(&kept), ["s/1/0/0/c1"]);
        let ids = store.sessions(None, 10).await.unwrap();
        let id = ids.iter().find(|id| *id != "s").unwrap();
        let ran = store.latest(id).await.unwrap().unwrap().session().unwrap();
        assert_eq!(ran.thread().messages()[0], ThreadMessage::user("Go!"));
        assert_eq!(ran.pending().len(), 1);
    }
}

#[tokio::test]
async fn where_nobody_takes_the_result_later_it_is_waited_for() {
    let inner = Agent::new(script([text("It is 5.")]), Toolset::default());
    let node = ToolNode::new(Executor::serial(detached(inner)));
    let mut thread = [
        ThreadMessage::user("Go!"),
        ThreadMessage::calls([ask("c1", "Go!")]),
    ]
    .into();
    let answers = node.process(&mut thread, &Context::new()).await.unwrap();
    assert_eq!(answers.messages[0].text, "It is 5.");
}

#[tokio::test]
async fn what_is_said_during_a_turn_follows_it_and_is_answered_once() {
    /// Says something while it runs.
    #[tool]
    fn busy(
        #[state] queue: &std::sync::Mutex<Option<toolwright::agent::session::Queue>>,
    ) -> &'static str {
        let queue = queue.lock().unwrap().clone().unwrap();
        queue.push("Hurry!");
        "done"
    }

    let queue = Arc::new(std::sync::Mutex::new(None));
    let model = script([
        calls(&[
            ToolCall::new("c1", "busy", "{}"),
            ToolCall::new("c2", "nowhere", "{}"),
        ]),
        text("I hurry."),
    ]);
    let agent = Agent::new(model.clone(), tools![busy; state = Arc::clone(&queue)]);
    let mut session = Session::ask("Go!");
    *queue.lock().unwrap() = Some(session.queue());
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(
        words(&session),
        [
            "user: Go!",
            "calls",
            "tool: done",
            "tool: unknown tool `nowhere`",
            "user: Hurry!",
            "I hurry."
        ]
    );
    assert_eq!(model.requests().len(), 2);
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.turns, 0);
}

#[tokio::test]
async fn a_call_that_is_made_again_begins_no_second_task() {
    /// Waits for the host, beside whoever works.
    #[tool(read_only)]
    async fn gate(#[state] open: &Notify) -> &'static str {
        open.notified().await;
        "open"
    }

    let (go, open) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let inner = script([calls(&[slow_call()]), text("It is 5.")]);
    let helper = Agent::new(inner.clone(), tools![slow; state = Arc::clone(&go)]);
    let outer = script([
        calls(&[ask("c1", "2 + 3?"), ToolCall::new("c2", "gate", "{}")]),
        text("Begun."),
    ]);
    let gates = tools![gate; state = Arc::clone(&open)];
    let agent = Agent::new(outer, detached(helper).merge(&gates).unwrap());
    let mut session = Session::ask("2 + 3?");
    let cx = Context::new();
    let some_time = async {
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        run = agent.run(&mut session, &cx) => panic!("{run:?}"),
        () = some_time => {}
    }
    let running = open_keys(&session);
    assert_eq!((running.len(), inner.requests().len()), (1, 1));

    // The run was dropped in the midst of the turn, so its calls are made again.
    open.notify_one();
    let run = agent.run(&mut session, &cx).await.unwrap();
    assert_eq!(run.text(), Some("Begun."));
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert_eq!(open_keys(&session), running);
    assert_eq!(inner.requests().len(), 1);

    go.notify_one();
    session.queue().arrived().await;
    assert!(open_keys(&session).is_empty() || session.open().has_ended());
    inner.finish();
}

#[tokio::test(start_paused = true)]
async fn it_outlives_a_caller_that_is_itself_called() {
    /// Hangs.
    #[tool]
    async fn hang() -> u8 {
        std::future::pending::<()>().await;
        1
    }

    let go = Arc::new(Notify::new());
    let inner = script([calls(&[slow_call()]), text("It is 5.")]);
    let patient = Executor::serial(tools![slow; state = Arc::clone(&go)]).timeout(None);
    let helper = detached(Agent::with_executor(inner, patient));
    let both = [ask("c1", "2 + 3?"), ToolCall::new("c2", "hang", "{}")];
    let middle = Agent::new(script([calls(&both)]), helper.merge(&tools![hang]).unwrap());
    let middle: Arc<dyn Tool> = AgentTool::new(middle, "middle", "Asks the helper.")
        .timeout(Duration::from_secs(1))
        .build()
        .unwrap();
    let asks = ToolCall::new("m1", "middle", r#"{"input": "2 + 3?"}"#);
    let outer = script([calls(&[asks]), text("No answer yet.")]);
    let agent = Agent::new(outer, Toolset::new([middle]).unwrap());
    let mut session = Session::ask("2 + 3?");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("No answer yet."));
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(open_keys(&session).len(), 1);

    go.notify_one();
    session.queue().arrived().await;
    let agent = Agent::new(script([text("I hear.")]), Toolset::default());
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(words(&session)[4], "late m1: It is 5.");
}
