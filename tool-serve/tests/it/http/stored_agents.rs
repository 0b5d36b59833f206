//! Agents with a store or a time limit of their own, over HTTP.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use tokio::sync::Notify;
use toolwright::agent::store::Checkpointer;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, AgentTool, MemoryCheckpointer, ModelResponse, Session};
use toolwright::call::Decision;
use toolwright::layers::Approval;
use toolwright::{Context, Executor, ToolCall, Toolset, tools};

use super::agents::{INPUT, Ran, Slow, SlowBank, look, pay, pay_slowly, wait_for, worker};
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
            // This call was not shown yet.
            assert_eq!(answer.json()["ask"]["arguments"], r#"{"bill": 2}"#);
            assert_eq!(*ran.lock().unwrap(), [1]);
            answer = decide(&served, &answer.json()["id"], r#""approve""#, JSON);
        }
        assert_eq!(&answer.json()["value"], "All is done.", "{answer:?}");
        assert_eq!(*ran.lock().unwrap(), paid);
    }
}

/// The client leaves while its decision is carried out, and the session ends elsewhere. No decision of that client counts any more.
#[test]
fn a_session_that_ended_elsewhere_has_ended() {
    for stops in [false, true] {
        let ran = Arc::new(Ran::default());
        let store = Arc::new(MemoryCheckpointer::new());
        let (agent, _) = slow_agent(&ran, &[1], (!stops).then_some("All is done."));
        let agent = agent.checkpointer(Arc::clone(&store));
        let served = serve_tools(worker(agent.clone()), |server| server);
        let id = served.call("worker", INPUT).json()["id"].clone();
        wait_for(async {
            let sessions = store.sessions(None, 2).await.unwrap();
            if stops {
                let _ = agent.stop(&sessions[0]).await.unwrap();
                return;
            }
            let decide = |session: &mut Session| session.decide("x1", Decision::Approve);
            agent.update_state(&sessions[0], decide).await.unwrap();
            // The second request has no answer, and the one after it has.
            let cx = Context::new();
            let resumed = agent.resume(&sessions[0], &cx);
            let paid = async {
                while ran.lock().unwrap().is_empty() {
                    tokio::task::yield_now().await;
                }
            };
            tokio::select! {
                ended = resumed => panic!("{ended:?}"),
                () = paid => {}
            }
            let (_, run) = agent.resume(&sessions[0], &cx).await.unwrap();
            assert_eq!(run.text(), Some("All is done."));
        });
        let decision = if stops {
            r#""approve""#
        } else {
            r#"{"reject": "no"}"#
        };
        let answer = decide(&served, &id, decision, JSON);
        if stops {
            assert!(answer.body.contains("was stopped"), "{answer:?}");
            assert!(ran.lock().unwrap().is_empty());
        } else {
            assert_eq!(&answer.json()["value"], "All is done.", "{answer:?}");
            assert_eq!(*ran.lock().unwrap(), [1]);
        }
    }
}

/// A call whose outcome became unknown elsewhere is another question than the one that was shown.
#[test]
fn an_approval_of_before_does_not_run_a_call_of_unknown_outcome_again() {
    let bank = Arc::new(SlowBank::default());
    let store = Arc::new(MemoryCheckpointer::new());
    let call = ToolCall::new("x1", "pay_slowly", r#"{"bill": 1}"#);
    let model = ScriptedModel::new([Ok(ModelResponse::calls([call]))]);
    let executor = Executor::serial(tools![pay_slowly; state = Arc::clone(&bank)]);
    let agent = Agent::with_executor(model, executor.layer(Approval::default()));
    let agent = agent.checkpointer(Arc::clone(&store));
    let served = serve_tools(worker(agent.clone()), |server| server);
    let id = served.call("worker", INPUT).json()["id"].clone();
    wait_for(async {
        let sessions = store.sessions(None, 2).await.unwrap();
        let decide = |session: &mut Session| session.decide("x1", Decision::Approve);
        agent.update_state(&sessions[0], decide).await.unwrap();
        let cx = Context::new();
        // The program ends while the call runs.
        tokio::select! {
            ended = agent.resume(&sessions[0], &cx) => panic!("{ended:?}"),
            () = bank.is_paying.notified() => {}
        }
        let (session, _) = agent.resume(&sessions[0], &cx).await.unwrap();
        assert_eq!(session.pending()[0].reason.as_str(), "outcome_unknown");
    });
    let answer = decide(&served, &id, r#""approve""#, JSON);
    assert_eq!(
        answer.json()["ask"]["reason"],
        "outcome_unknown",
        "{answer:?}"
    );
    assert_eq!(*bank.ran.lock().unwrap(), [1]);
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
