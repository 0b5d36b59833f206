//! Why runs end: limits, conditions, failures, and what counts where several reasons meet.
// A test that finds less than it expects has failed; steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::error::Error;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolwright::agent::model::{DeltaSink, ModelError, ModelErrorKind, ModelRequest};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, AgentError, Model, ModelResponse, RunEnd, Session, ThreadMessage};
use toolwright::call::BoxFuture;
use toolwright::executor::PendingReason;
use toolwright::{
    Context, Executor, Outcome, ToolCall, ToolError, Toolset,
    call::{Cancel, HaltReason},
    executor::ErrorPolicy,
    tool, tools,
};

/// Looks.
#[tool]
fn look() -> &'static str {
    "seen"
}

/// Asks.
#[tool]
fn asks() -> Outcome {
    Outcome::ask("Which?")
}

/// Fails.
#[tool]
fn fails() -> Result<u8, ToolError> {
    Err(ToolError::failed("no"))
}

/// Ends the run.
#[tool]
fn ends() -> Outcome {
    Outcome::halt(HaltReason::new("over"), 1)
}

/// Is answered by the host.
#[tool(manual)]
fn by_hand() -> u8 {
    3
}

fn all() -> Toolset {
    tools![look, asks, fails, ends, by_hand]
}

fn turn(names: &[&str]) -> ModelResponse {
    let calls = names.iter().enumerate();
    ModelResponse::calls(calls.map(|(place, name)| ToolCall::new(format!("c{place}"), *name, "{}")))
}

/// Calls a tool whenever it is asked, and counts how often that is.
#[derive(Clone, Default)]
struct Endless(Arc<AtomicU32>);

impl Model for Endless {
    fn respond<'a>(
        &'a self,
        _request: ModelRequest<'a>,
        _deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { Ok(turn(&["look"])) })
    }
}

/// How often the agent asked an endless model, and why it ended; its session.
async fn endless(
    of: impl FnOnce(Agent) -> Agent,
) -> (u32, Result<toolwright::agent::Run, AgentError>, Session) {
    let model = Endless::default();
    let agent = of(Agent::new(model.clone(), all()));
    let mut session = Session::ask("Go on!");
    let run = agent.run(&mut session, &Context::new()).await;
    (model.0.load(Ordering::Relaxed), run, session)
}

#[tokio::test]
async fn a_run_asks_its_model_so_often_and_no_more() {
    let (asked, run, session) = endless(|agent| agent.max_turns(10)).await;
    let run = run.unwrap();
    assert!(matches!(run.end, RunEnd::MaxTurns(10)));
    assert_eq!((asked, run.turns, run.end.as_str()), (10, 10, "max_turns"));
    // A result, with all that was done; an error where the host wants one.
    assert_eq!(session.thread().len(), 1 + 2 * 10);
    assert!(session.thread().check().is_ok() && session.pending().is_empty());
    let error = run.completed().unwrap_err();
    assert!(matches!(error, AgentError::Limit("model calls", 10)));
    assert_eq!(
        error.to_string(),
        "the run reached its limit of 10 model calls"
    );

    // Without a word there are 16. What is said of one run goes before what is said of the agent.
    assert_eq!(endless(|agent| agent).await.0, 16);
    let model = Endless::default();
    let agent = Agent::new(model.clone(), all()).max_turns(5);
    for (agent, asked) in [(agent.clone().max_turns(2), 2), (agent, 5)] {
        let before = model.0.load(Ordering::Relaxed);
        let mut session = Session::ask("Go on!");
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(model.0.load(Ordering::Relaxed) - before, asked);
    }
    // An agent that may do nothing is refused where it is built.
    let limits: [fn(Agent) -> Agent; 3] = [
        |agent| agent.max_turns(0),
        |agent| agent.max_tool_rounds(0),
        |agent| agent.max_steps(0),
    ];
    for limit in limits {
        let agent = Agent::new(model.clone(), all());
        let built = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| limit(agent)));
        assert!(built.is_err());
    }
}

#[tokio::test]
async fn rounds_of_tools_are_counted_and_a_stream_ends_with_the_limit() {
    for streams in [false, true] {
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&told);
        let (asked, run, session) = endless(|agent| {
            let agent = agent.max_tool_rounds(3);
            if !streams {
                return agent;
            }
            agent.on_event(move |event| {
                heard
                    .lock()
                    .unwrap()
                    .push(event.end().map(|halted| halted.as_str().to_owned()));
            })
        })
        .await;
        let run = run.unwrap();
        assert!(matches!(run.end, RunEnd::MaxToolRounds(3)));
        // After three rounds the model is asked once more.
        assert_eq!((asked, run.rounds), (4, 3));
        let pending = session.pending();
        assert_eq!(
            (pending.len(), &pending[0].reason),
            (1, &PendingReason::NotRun)
        );
        assert!(matches!(
            run.completed(),
            Err(AgentError::Limit("rounds of tools", 3))
        ));
        // The limit is the stream's last event, and in no other.
        let told = told.lock().unwrap();
        let ends: Vec<_> = told.iter().flatten().collect();
        if streams {
            assert_eq!(ends, ["max_tool_rounds"]);
            assert!(told.last().unwrap().is_some());
        }
    }
}

#[tokio::test]
async fn a_run_visits_a_hundred_nodes_if_nothing_is_said() {
    let (asked, run, session) = endless(|agent| agent.max_turns(1000)).await;
    let run = run.unwrap();
    assert!(matches!(run.end, RunEnd::MaxSteps(100)));
    assert_eq!((asked, session.thread().len()), (50, 1 + 100));
    let error = run.completed().unwrap_err();
    assert_eq!(error.to_string(), "the run reached its limit of 100 steps");
}

#[tokio::test]
async fn a_condition_of_the_host_is_asked_after_each_turn() {
    let model = ScriptedModel::new([turn(&["look"]), turn(&["look", "look"]), turn(&[])].map(Ok));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&seen);
    let agent = Agent::new(model.clone(), all()).halt_when(move |session, said| {
        // The calls of the turn are answered.
        assert!(session.thread().check().is_ok());
        assert!(matches!(
            session.thread().last(),
            Some(ThreadMessage::Tool(_))
        ));
        heard.lock().unwrap().push(said.calls.len());
        said.calls.len() == 2
    });
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.end.as_str(), "halt_when");
    assert_eq!(*seen.lock().unwrap(), [1, 2]);
    assert_eq!(model.requests().len(), 2);
    // It goes on where it stood; of a turn that is the last one nobody asks.
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Completed));
    assert_eq!(*seen.lock().unwrap(), [1, 2]);

    let panics = tokio::spawn(async {
        let model = ScriptedModel::new([Ok(turn(&["look"]))]);
        let agent =
            Agent::new(model, all()).halt_when(|_, _| std::panic::resume_unwind(Box::new(7)));
        let mut session = Session::ask("Go!");
        agent.run(&mut session, &Context::new()).await.map(drop)
    });
    let payload = panics.await.unwrap_err().into_panic();
    assert_eq!(payload.downcast_ref(), Some(&7));
}

#[tokio::test]
async fn a_run_that_is_cancelled_before_its_first_turn_says_so() {
    for streams in [false, true] {
        let (stop, ends) = (Cancel::new(), Arc::new(Mutex::new(Vec::new())));
        stop.cancel();
        let heard = Arc::clone(&ends);
        let mut agent = Agent::new(ScriptedModel::new([]), all()).max_turns(1);
        if streams {
            agent = agent.on_event(move |event| {
                let ended = event.end().map(|halted| halted.as_str().to_owned());
                heard.lock().unwrap().extend(ended);
            });
        }
        let cx = Context::new().with_cancel(stop);
        let run = agent.run(&mut Session::ask("Go!"), &cx).await.unwrap();
        assert!(matches!(run.end, RunEnd::Cancelled));
        let told = if streams { &["cancelled"][..] } else { &[] };
        assert_eq!(*ends.lock().unwrap(), told);
    }
}

/// What the model calls, whether by hand, whether the condition holds; why the run ends, and why
/// calls wait.
type Ending = (
    &'static [&'static str],
    bool,
    bool,
    &'static str,
    &'static [PendingReason],
);

#[tokio::test]
async fn of_several_reasons_the_first_in_the_order_counts() {
    // Whatever is further down would end each of these runs too.
    let ended = |names: &'static [&'static str], manual: bool, condition: bool| async move {
        let executor = Executor::parallel(all(), 4).on_error(ErrorPolicy::Halt);
        let executor = if manual {
            executor.manual(|_| true)
        } else {
            executor
        };
        let model = ScriptedModel::new([Ok(turn(names))]);
        let mut agent = Agent::with_executor(model, executor).max_turns(1);
        if condition {
            agent = agent.halt_when(|_, _| true);
        }
        let mut session = Session::ask("Go!");
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        let pending: Vec<_> = session
            .pending()
            .iter()
            .map(|pending| pending.reason.clone())
            .collect();
        assert_eq!(session.thread().unanswered().len(), pending.len());
        (run.end.as_str().to_owned(), pending)
    };
    let rows: [Ending; 8] = [
        (
            &["by_hand", "ends", "fails", "asks"],
            false,
            true,
            "ask_user",
            &[PendingReason::ManualTool],
        ),
        (
            &["by_hand", "ends", "fails"],
            false,
            true,
            "tool_error",
            &[PendingReason::ManualTool],
        ),
        (
            &["by_hand", "ends", "look"],
            false,
            true,
            "over",
            &[PendingReason::ManualTool],
        ),
        (
            &["look", "by_hand"],
            false,
            true,
            "pending",
            &[PendingReason::ManualTool],
        ),
        (
            &["asks"],
            true,
            true,
            "pending",
            &[PendingReason::ManualMode],
        ),
        (&[], false, true, "completed", &[]),
        (&["look"], false, true, "halt_when", &[]),
        (&["look"], false, false, "max_turns", &[]),
    ];
    for (names, manual, condition, halted, pending) in rows {
        let (found, left) = ended(names, manual, condition).await;
        assert_eq!(
            (found.as_str(), left.as_slice()),
            (halted, pending),
            "{names:?}"
        );
    }
    // A model that fails ends the run, though it would have been its last turn, and the condition
    // would have held.
    let busy = ModelError::new(ModelErrorKind::Busy, "429");
    let model = ScriptedModel::new([Ok(turn(&["look"])), Err(busy)]);
    let agent = Agent::new(model, all()).max_turns(2);
    let agent = agent.halt_when(|session, _| session.thread().len() > 3);
    let run = agent
        .run(&mut Session::ask("Go!"), &Context::new())
        .await
        .unwrap();
    assert_eq!(run.end.as_str(), "error");
}

#[tokio::test]
async fn a_models_error_arrives_as_it_was() {
    let broken = || {
        ModelError::new(ModelErrorKind::Busy, "the provider answered 429: later")
            .with_retry_after(Duration::from_secs(7))
            .with_source(std::io::Error::other("cause"))
    };
    let same = |error: &ModelError| {
        assert_eq!(error.kind(), ModelErrorKind::Busy);
        assert_eq!(error.to_string(), "the provider answered 429: later");
        assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
        assert_eq!(error.source().unwrap().to_string(), "cause");
    };
    // At the first request it is an error,
    let agent = Agent::new(ScriptedModel::new([Err(broken())]), all());
    let error = agent
        .run(&mut Session::ask("Go!"), &Context::new())
        .await
        .unwrap_err();
    let AgentError::Model(error) = error else {
        panic!("{error:?}");
    };
    same(&error);

    // later it is a result, and what was done before is kept.
    let model = ScriptedModel::new([Ok(turn(&["look"])), Err(broken())]);
    let agent = Agent::new(model, all());
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    let RunEnd::ModelError(error) = &run.end else {
        panic!("{:?}", run.end);
    };
    same(error);
    assert_eq!((run.turns, session.thread().len()), (1, 3));
    assert!(
        matches!(run.completed(), Err(AgentError::Model(error)) if error.kind() == ModelErrorKind::Busy)
    );
}
