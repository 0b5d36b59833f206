//! Tools that read the conversation, where the host shares it.
// A test that finds less than it expects has failed.
// Steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::sync::{Arc, Mutex};

use toolwright::agent::model::ModelError;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::tool_node::ToolNode;
use toolwright::agent::{Agent, AgentTool, ModelResponse, Session, Thread, ThreadMessage, handoff};
use toolwright::call::Decision;
use toolwright::layers::Approval;
use toolwright::{Context, Executor, ToolCall, Toolset, tool, tools};

fn call(id: &str, tool: &str) -> ToolCall {
    ToolCall::new(id, tool, "{}")
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

/// What the tools read: each thread, or that there was none.
#[derive(Default)]
struct Read(Mutex<Vec<Option<Thread>>>);

impl Read {
    fn note(&self, cx: &Context) {
        let thread = cx.conversation::<Thread>().cloned();
        self.0.lock().unwrap().push(thread);
    }

    fn all(&self) -> Vec<Option<Thread>> {
        self.0.lock().unwrap().clone()
    }

    /// The text that each thread begins with.
    fn beginnings(&self) -> Vec<Option<String>> {
        let all = self.all().into_iter();
        let first = |thread: Thread| match &thread.messages()[0] {
            ThreadMessage::User { text } => text.clone(),
            other => panic!("{other:?}"),
        };
        all.map(|thread| thread.map(first)).collect()
    }
}

/// Reads the conversation.
#[tool]
fn look(#[context] cx: &Context, #[state] read: &Read) {
    read.note(cx);
}

/// Calls `look`.
#[tool]
async fn pass(#[context] cx: &Context, #[state] read: &Arc<Read>) {
    let inner = tools![look; state = Arc::clone(read)];
    inner.call(&call("inner", "look"), cx).await;
    let executor = Executor::serial(&inner);
    executor.run(&[call("inner", "look")], cx).await;
}

fn looks(read: &Arc<Read>) -> Toolset {
    tools![look; state = Arc::clone(read)]
}

async fn run(agent: &Agent, session: &mut Session) {
    let _ = agent.run(session, &Context::new()).await.unwrap();
}

#[tokio::test]
async fn a_tool_reads_what_was_said_before_its_call() {
    let read = Arc::<Read>::default();
    let model = script([
        calls(&[call("1", "look")]),
        calls(&[call("2", "look")]),
        text("Done."),
    ]);
    let agent = Agent::new(model, looks(&read)).share_thread();
    let mut session = Session::ask("Look!");
    run(&agent, &mut session).await;
    let said = session.thread().messages();
    assert_eq!(said.len(), 6);
    let read = read.all();
    let read: Vec<_> = read.iter().map(|thread| thread.as_ref().unwrap()).collect();
    // It ends with the message that makes the call.
    assert_eq!(read[0].messages(), &said[..2]);
    assert_eq!(read[1].messages(), &said[..4]);
}

#[tokio::test]
async fn calls_of_a_turn_share_the_messages() {
    let read = Arc::<Read>::default();
    let model = script([
        calls(&[call("1", "look"), call("2", "look"), call("3", "look")]),
        text("Done."),
    ]);
    let agent = Agent::new(model, looks(&read)).share_thread();
    let mut session = Session::ask("Look!");
    let before = session.thread().clone();
    run(&agent, &mut session).await;
    let read = read.all();
    let at = |thread: &Option<Thread>| thread.as_ref().unwrap().messages().as_ptr();
    assert!(read.iter().all(|thread| at(thread) == at(&read[0])));
    // What a tool keeps stays as it was, and so does the session's own.
    assert_eq!(read[0].as_ref().unwrap().len(), 2);
    assert_eq!((before.len(), session.thread().len()), (1, 6));
}

#[tokio::test]
async fn nothing_is_shared_unless_the_host_says_so() {
    let read = Arc::<Read>::default();
    let model = || script([calls(&[call("1", "look")]), text("Done.")]);
    let agent = Agent::new(model(), looks(&read));
    run(&agent, &mut Session::ask("Look!")).await;
    // An agent has a conversation of its own, whatever the context offers.
    let other = Thread::from([ThreadMessage::user("another")]);
    let cx = Context::new().with_conversation(other);
    let agent = Agent::new(model(), looks(&read));
    let _ = agent.run(&mut Session::ask("Look!"), &cx).await.unwrap();
    let agent = Agent::new(model(), looks(&read)).share_thread();
    let _ = agent.run(&mut Session::ask("Mine"), &cx).await.unwrap();
    assert_eq!(read.beginnings(), [None, None, Some("Mine".into())]);
}

#[tokio::test]
async fn an_agent_in_a_call_shares_its_own_thread_or_none() {
    for shares in [false, true] {
        let read = Arc::<Read>::default();
        let inner = script([calls(&[call("1", "look")]), text("Done.")]);
        let mut inner = Agent::new(inner, looks(&read));
        if shares {
            inner = inner.share_thread();
        }
        let inner = AgentTool::new(inner, "helper", "Helps.").build().unwrap();
        let ask = ToolCall::new("a", "helper", r#"{"input": "inside"}"#);
        let outer = script([calls(&[ask, call("b", "look")]), text("Done.")]);
        let tools = Toolset::new([inner]).unwrap();
        let tools = tools.merge(&looks(&read)).unwrap();
        let outer = Agent::new(outer, tools).share_thread();
        run(&outer, &mut Session::ask("outside")).await;
        let inside = shares.then(|| "inside".to_owned());
        assert_eq!(read.beginnings(), [inside, Some("outside".into())]);
    }
}

#[tokio::test]
async fn after_a_hand_over_the_other_agent_decides() {
    for shares in [false, true] {
        let read = Arc::<Read>::default();
        let other = script([calls(&[call("2", "look")]), text("Done.")]);
        let mut other = Agent::new(other, looks(&read));
        if shares {
            other = other.share_thread();
        }
        let desk = script([calls(&[call("1", "transfer_to_other")])]);
        let tools = Toolset::new([handoff("other", "Looks.").unwrap()]).unwrap();
        let mut desk = Agent::new(desk, tools).peer("other", other);
        if !shares {
            desk = desk.share_thread();
        }
        run(&desk, &mut Session::ask("Look!")).await;
        assert_eq!(read.beginnings(), [shares.then(|| "Look!".to_owned())]);
    }
}

#[tokio::test]
async fn calls_that_a_tool_makes_read_what_the_tool_reads() {
    let read = Arc::<Read>::default();
    let model = script([calls(&[call("1", "pass")]), text("Done.")]);
    let tools = tools![pass; state = Arc::new(Arc::clone(&read))];
    let agent = Agent::new(model, tools).share_thread();
    run(&agent, &mut Session::ask("Look!")).await;
    assert_eq!(read.beginnings(), vec![Some("Look!".to_owned()); 2]);
}

#[tokio::test]
async fn a_call_that_was_decided_reads_the_thread_too() {
    let read = Arc::<Read>::default();
    let model = script([calls(&[call("1", "look")]), text("Done.")]);
    let executor = Executor::serial(looks(&read)).layer(Approval::when(|_| true));
    let agent = Agent::with_executor(model, executor).share_thread();
    let mut session = Session::ask("Look!");
    run(&agent, &mut session).await;
    assert_eq!(read.all(), []);
    session.decide("1", Decision::Approve).unwrap();
    run(&agent, &mut session).await;
    assert_eq!(read.beginnings(), [Some("Look!".to_owned())]);
}

#[tokio::test]
async fn hosts_with_a_loop_of_their_own_share_it_too() {
    let read = Arc::<Read>::default();
    let asked = || Thread::from([ThreadMessage::user("Look!")]);
    let node = ToolNode::new(Executor::serial(looks(&read)));
    for node in [node.clone(), node.share_thread()] {
        let mut thread = asked();
        thread.push(ThreadMessage::calls([call("1", "look")]));
        node.process(&mut thread, &Context::new()).await.unwrap();
        assert_eq!(thread.len(), 3);
    }
    let model = script([calls(&[call("1", "look")])]);
    let agent = Agent::new(model, looks(&read)).share_thread();
    agent.step(&mut asked(), &Context::new()).await.unwrap();
    let shared = || Some("Look!".to_owned());
    assert_eq!(read.beginnings(), [None, shared(), shared()]);
}
