//! Agents with a store or a time limit of their own, over HTTP.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use tokio::sync::Notify;
use toolwright::agent::store::Checkpointer;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, AgentTool, MemoryCheckpointer, ModelResponse};
use toolwright::layers::Approval;
use toolwright::{Context, Executor, ToolCall, Toolset, tools};

use super::agents::{INPUT, Ran, Slow, look, pay, wait_for, worker};
use super::client::serve_tools;
use super::waiting::{JSON, decide, send_decision};

/// An agent that pays these bills, and may end. Its second request has no answer.
fn slow_agent(ran: &Arc<Ran>, bills: &[u32], end: Option<&str>) -> (Agent, Arc<Notify>) {
    let mut turns: Vec<_> = bills
        .iter()
        .map(|bill| {
            let arguments = format!(r#"{{"bill": {bill}}}"#);
            Ok(ModelResponse::calls([ToolCall::new(
                format!("x{bill}"),
                "pay",
                arguments,
            )]))
        })
        .collect();
    turns.extend(end.map(|end| Ok(ModelResponse::text(end))));
    let is_asked = Arc::new(Notify::new());
    let slow = Slow {
        model: ScriptedModel::new(turns),
        is_asked: Arc::clone(&is_asked),
        answers: Arc::new(Notify::new()),
        requests: AtomicUsize::new(0),
    };
    let executor = Executor::serial(tools![look, pay; state = Arc::clone(ran)]);
    let agent = Agent::with_executor(slow, executor.layer(Approval::default()));
    (agent, is_asked)
}

/// The client leaves, and the stored session goes on elsewhere. A client that comes back has that one, and decides about the call that
/// it was shown.
#[test]
fn a_session_that_went_on_elsewhere_is_the_one_that_counts() {
    for (bills, paid) in [(vec![1], vec![1]), (vec![1, 2], vec![1, 2])] {
        let ran = Arc::new(Ran::default());
        let store = Arc::new(MemoryCheckpointer::new());
        let (agent, is_asked) = slow_agent(&ran, &bills, Some("All is done."));
        let agent = agent.checkpointer(Arc::clone(&store));
        let served = serve_tools(worker(agent.clone()), |server| server);
        let id = served.call("worker", INPUT).json()["id"].clone();
        let stream = send_decision(&served, &id, r#""approve""#, JSON);
        wait_for(is_asked.notified());
        drop(stream);
        wait_for(async {
            let sessions = store.sessions(None, 2).await.unwrap();
            let (session, _) = agent.resume(&sessions[0], &Context::new()).await.unwrap();
            assert_eq!(session.pending().len(), bills.len() - 1);
        });
        // The server notices in its own time that the client is gone.
        let mut answer = loop {
            let answer = decide(&served, &id, r#""approve""#, JSON);
            if answer.status != 404 {
                break answer;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        if bills.len() == 2 {
            // Nobody has seen this call.
            assert_eq!(answer.json()["ask"]["arguments"], r#"{"bill": 2}"#);
            assert_eq!(*ran.lock().unwrap(), [1]);
            answer = decide(&served, &answer.json()["id"], r#""approve""#, JSON);
        }
        assert_eq!(&answer.json()["value"], "All is done.", "{answer:?}");
        assert_eq!(*ran.lock().unwrap(), paid);
    }
}

/// An approved call that reaches its time limit has ended. It is not asked about again.
#[test]
fn a_time_limit_ends_a_call_that_went_on() {
    let ran = Arc::new(Ran::default());
    let (agent, _) = slow_agent(&ran, &[1], None);
    let worker = AgentTool::new(agent, "worker", "Works.").timeout(Duration::from_millis(200));
    let tools = Toolset::new([worker.build().unwrap()]).unwrap();
    let served = serve_tools(tools, |server| server);
    let id = served.call("worker", INPUT).json()["id"].clone();
    let answer = decide(&served, &id, r#""approve""#, JSON);
    assert_eq!(answer.kind(), "timeout", "{answer:?}");
    assert_eq!(*ran.lock().unwrap(), [1]);
    assert_eq!(decide(&served, &id, r#""approve""#, JSON).status, 404);
}
