//! Leases of sessions: one run at a time, and none that slept past its lease.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use toolwright::agent::model::{DeltaSink, ModelError, ModelErrorKind, ModelRequest};
use toolwright::agent::store::{CheckpointError, Checkpointer};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    Agent, AgentError, AgentTool, MemoryCheckpointer, Model, ModelResponse, Node, RunEnd, Session,
    SqliteCheckpointer, ThreadMessage,
};
use toolwright::call::BoxFuture;
use toolwright::executor::OpenCallState;
use toolwright::executor::PendingReason;
use toolwright::{Context, Outcome, ToolCall, Toolset, call::Decision, tool, tools};

/// Time of a lease that does not end during a test.
const LONG: Duration = Duration::from_mins(10);

type Store = Arc<dyn Checkpointer>;

fn memory(term: Duration) -> Store {
    Arc::new(MemoryCheckpointer::new().with_lease(term))
}

/// What a slow tool waits for, and how often it began.
#[derive(Default)]
struct Gate {
    began: AtomicUsize,
    has_begun: Notify,
    opens: Notify,
}

/// Takes as long as it takes.
#[tool(timeout = "1h")]
async fn slow(#[state] gate: &Gate) -> &'static str {
    gate.began.fetch_add(1, Ordering::SeqCst);
    gate.has_begun.notify_one();
    gate.opens.notified().await;
    "done"
}

/// A model that makes one call, and says how it ended.
#[derive(Clone)]
struct Calls(&'static str, &'static str);

impl Model for Calls {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let last = request.thread.messages().last();
        let response = match last {
            Some(ThreadMessage::Tool(answer)) => ModelResponse::text(answer.text.clone()),
            _ => ModelResponse::calls([ToolCall::new("c1", self.0, self.1)]),
        };
        Box::pin(async { Ok(response) })
    }
}

/// A model that never answers.
struct Hangs;

impl Model for Hangs {
    fn respond<'a>(
        &'a self,
        _: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(std::future::pending())
    }
}

fn agent(store: &Store, gate: &Arc<Gate>) -> Agent {
    let tools = tools![slow; state = Arc::clone(gate)];
    Agent::new(Calls("slow", "{}"), tools).checkpointer(Arc::clone(store))
}

fn asked(id: &str) -> Session {
    let mut session = Session::with_id(id);
    session.say("Go!").unwrap();
    session
}

/// Runs a session on a task of its own until its tool has begun.
async fn in_the_call(
    agent: &Agent,
    gate: &Gate,
    id: &str,
) -> tokio::task::JoinHandle<Result<Session, AgentError>> {
    let (agent, mut session) = (agent.clone(), asked(id));
    let run = tokio::spawn(async move {
        let _ = agent.run(&mut session, &Context::new()).await?;
        Ok(session)
    });
    gate.has_begun.notified().await;
    run
}

fn checkpoint_error<T: std::fmt::Debug>(result: Result<T, AgentError>) -> CheckpointError {
    match result {
        Err(AgentError::Checkpoint(error)) => error,
        result => panic!("{result:?}"),
    }
}

#[tokio::test]
async fn nobody_goes_on_with_a_session_that_runs() {
    let (store, gate) = (memory(LONG), Arc::new(Gate::default()));
    let one = agent(&store, &gate);
    let run = in_the_call(&one, &gate, "s").await;

    let other = agent(&store, &gate);
    let error = checkpoint_error(other.resume("s", &Context::new()).await);
    match &error {
        CheckpointError::Held { session, left } => {
            assert_eq!(session, "s");
            assert!(*left > LONG / 2 && *left <= LONG, "{left:?}");
        }
        error => panic!("{error:?}"),
    }
    let words = "another run holds the session `s`; its lease ends in ";
    assert!(error.to_string().starts_with(words), "{error}");
    let error = checkpoint_error(other.update_state("s", |_| Ok(())).await);
    assert!(matches!(error, CheckpointError::Held { .. }), "{error}");
    let first = store.history("s").await.unwrap()[0].id;
    let error = checkpoint_error(other.branch(first).await);
    assert!(matches!(error, CheckpointError::Held { .. }), "{error}");

    // The run is not disturbed, and releases its lease.
    gate.opens.notify_one();
    let session = run.await.unwrap().unwrap();
    assert_eq!(session.thread().last_text(), Some("done"));
    other.update_state("s", |_| Ok(())).await.unwrap();
    let (_, run) = other.resume("s", &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Completed));
    assert_eq!(gate.began.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_lease_of_no_time_is_none() {
    let (store, gate) = (memory(Duration::ZERO), Arc::new(Gate::default()));
    let one = agent(&store, &gate);
    let run = in_the_call(&one, &gate, "s").await;
    agent(&store, &gate)
        .update_state("s", |_| Ok(()))
        .await
        .unwrap();
    gate.opens.notify_one();
    let error = checkpoint_error(run.await.unwrap());
    assert!(matches!(error, CheckpointError::Conflict { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_long_call_keeps_its_lease() {
    let term = Duration::from_secs(30);
    let (store, gate) = (memory(term), Arc::new(Gate::default()));
    let one = agent(&store, &gate);
    let run = in_the_call(&one, &gate, "s").await;
    let other = agent(&store, &gate);
    for _ in 0..50 {
        tokio::time::sleep(Duration::from_secs(13)).await;
        let error = checkpoint_error(other.resume("s", &Context::new()).await);
        match error {
            CheckpointError::Held { left, .. } => assert!(left >= term / 2, "{left:?}"),
            error => panic!("{error}"),
        }
    }
    gate.opens.notify_one();
    run.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn whoever_fails_or_is_dropped_leaves_no_lease() {
    let store = memory(LONG);
    let failing = ScriptedModel::new([Err(ModelError::new(ModelErrorKind::Busy, "no"))]);
    let failing = Agent::new(failing, Toolset::default()).checkpointer(Arc::clone(&store));
    let mut session = asked("fails");
    let failed = failing.run(&mut session, &Context::new()).await;
    failed.unwrap_err();
    failing.update_state("fails", |_| Ok(())).await.unwrap();

    // A host that gives up and tries again at once.
    let hangs = Agent::new(Hangs, Toolset::default()).checkpointer(Arc::clone(&store));
    for _ in 0..20 {
        let stored = hangs.state("s").await.unwrap();
        let mut session = stored.unwrap_or_else(|| asked("s"));
        let cx = Context::new();
        let run = hangs.run(&mut session, &cx);
        let run = tokio::time::timeout(Duration::from_millis(5), run).await;
        assert!(run.is_err(), "{run:?}");
    }
    assert_eq!(store.history("s").await.unwrap().len(), 20);

    // Another agent goes on, or changes the session, just after.
    for other in [0, 1, 2] {
        let mut session = hangs.state("s").await.unwrap().unwrap();
        let cx = Context::new();
        let run = hangs.run(&mut session, &cx);
        let run = tokio::time::timeout(Duration::from_millis(5), run).await;
        assert!(run.is_err(), "{run:?}");
        let agent = Agent::new(Hangs, Toolset::default()).checkpointer(Arc::clone(&store));
        match other {
            0 => drop(agent.update_state("s", |_| Ok(())).await.unwrap()),
            1 => {
                let first = store.history("s").await.unwrap()[0].id;
                agent.branch(first).await.unwrap();
            }
            _ => {
                let run = agent.resume("s", &cx);
                let run = tokio::time::timeout(Duration::from_millis(5), run).await;
                assert!(run.is_err(), "{run:?}");
            }
        }
    }
}

/// A machine whose program stops for longer than its lease: nothing polls it.
struct Machine(tokio::runtime::Runtime);

impl Machine {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        Self(runtime.unwrap())
    }
}

/// Stores number their checkpoints alike, and programs their sessions.
#[test]
fn stores_with_alike_sessions_release_their_own_leases() {
    let cx = Context::new();
    let machines = [Machine::new(), Machine::new()];
    let agents = [memory(LONG), memory(LONG)]
        .map(|store| Agent::new(Hangs, Toolset::default()).checkpointer(store));
    let mut sessions = [asked("s"), asked("s")];
    let mut runs = Vec::new();
    for ((machine, agent), session) in machines.iter().zip(&agents).zip(&mut sessions) {
        let mut run = Box::pin(agent.run(session, &cx));
        let waits = async { tokio::time::timeout(Duration::from_millis(5), &mut run).await };
        machine.0.block_on(waits).unwrap_err();
        runs.push(run);
    }
    // Both are given up. The second lease is released now, and the first one when its machine goes on.
    drop(runs);
    let moment = async { tokio::time::sleep(Duration::from_millis(5)).await };
    machines[1].0.block_on(moment);
    let updated = machines[0]
        .0
        .block_on(agents[0].update_state("s", |_| Ok(())));
    updated.unwrap();
}

#[test]
fn a_machine_that_slept_past_its_lease_writes_nothing() {
    let dir = std::env::temp_dir().join(format!("toolwright-leases-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let term = Duration::from_millis(200);
    let open = || {
        SqliteCheckpointer::open(dir.join("sessions.db"))
            .unwrap()
            .with_lease(term)
    };
    let in_a_file = [Arc::new(open()) as Store, Arc::new(open())];
    let in_memory = memory(term);
    for [store, other] in [in_a_file, [Arc::clone(&in_memory), in_memory]] {
        let (sleeper, machine, gate) = (Machine::new(), Machine::new(), Arc::new(Gate::default()));
        let one = agent(&store, &gate);
        let run = sleeper.0.block_on(in_the_call(&one, &gate, "s"));
        std::thread::sleep(term * 2);

        // Another one goes on. Nobody knows what became of the call, and a person says that it failed.
        machine.0.block_on(async {
            let two = agent(&other, &gate);
            let (mut session, run) = two.resume("s", &Context::new()).await.unwrap();
            assert!(matches!(run.end, RunEnd::Pending), "{run:?}");
            let pending = session.pending().remove(0);
            assert!(matches!(pending.reason, PendingReason::OutcomeUnknown(_)));
            session
                .decide("c1", Decision::Reject("It failed.".to_owned()))
                .unwrap();
            let _ = two.run(&mut session, &Context::new()).await.unwrap();
        });
        let before = machine.0.block_on(other.history("s")).unwrap();

        // The first one wakes up, and its call ends.
        gate.opens.notify_one();
        let error = checkpoint_error(sleeper.0.block_on(run).unwrap());
        assert!(
            matches!(error, CheckpointError::LeaseLost { .. }),
            "{error}"
        );
        let words = "another run took over the session `s`, and this one's lease is lost";
        assert_eq!(error.to_string(), words);
        assert_eq!(machine.0.block_on(other.history("s")).unwrap(), before);
        let calls = machine.0.block_on(other.calls("s")).unwrap();
        assert_eq!(calls[0].outcome, None, "{calls:?}");
        assert_eq!(gate.began.load(Ordering::SeqCst), 1);
    }
    let _ = std::fs::remove_dir_all(&dir);
}

/// Sessions of agents in calls have leases of their own, which the next run of their caller takes over.
#[test]
fn an_agent_in_a_call_goes_on_with_its_caller() {
    let term = Duration::from_millis(200);
    let (store, gate) = (memory(term), Arc::new(Gate::default()));
    let build = || {
        let tools = tools![slow; state = Arc::clone(&gate)];
        let inner = Agent::new(Calls("slow", "{}"), tools);
        let helper = AgentTool::new(inner, "helper", "Helps.").build().unwrap();
        let tools = Toolset::new([helper]).unwrap();
        Agent::new(Calls("helper", r#"{"input": "Go!"}"#), tools).checkpointer(Arc::clone(&store))
    };
    let (sleeper, machine) = (Machine::new(), Machine::new());
    let one = build();
    let run = sleeper.0.block_on(in_the_call(&one, &gate, "outer"));
    // Somebody takes over the conversation alone, as a person does who knows that the machine is dead.
    machine.0.block_on(async {
        tokio::time::sleep(term * 2).await;
        let names = store.sessions(None, 10).await.unwrap();
        let inner = names.iter().find(|name| *name != "outer").unwrap();
        let latest = store.latest(inner).await.unwrap().unwrap();
        // The inner lease goes on longer than the outer one.
        store
            .renew(inner, first_lease(&store, inner).await, LONG)
            .await
            .unwrap();
        let two = build();
        let (mut session, run) = two.resume("outer", &Context::new()).await.unwrap();
        assert!(matches!(run.end, RunEnd::Pending), "{run:?}");
        let reject = Decision::Reject("It failed.".to_owned());
        session
            .in_sub_session("c1", |inner| inner.decide("c1", reject))
            .unwrap();
        let run = two.run(&mut session, &Context::new()).await.unwrap();
        assert!(matches!(run.end, RunEnd::Completed), "{run:?}");
        assert!(store.latest(inner).await.unwrap().unwrap().id > latest.id);
        // All goes with the conversation.
        assert!(store.delete("outer").await.unwrap());
        assert_eq!(
            store.sessions(None, 10).await.unwrap(),
            Vec::<String>::new()
        );
    });
    gate.opens.notify_one();
    assert!(checkpoint_error(sleeper.0.block_on(run).unwrap()).is_conflict());
}

/// Whoever runs a stopped session loses it, with the sessions of agents in its calls, and nobody goes on with it.
#[tokio::test]
async fn a_stopped_session_is_taken_from_its_run() {
    for term in [Some(LONG), None] {
        let store: Store = Arc::new(MemoryCheckpointer::new().with_lease(term));
        let gate = Arc::new(Gate::default());
        let tools = tools![slow; state = Arc::clone(&gate)];
        let inner = Agent::new(Calls("slow", "{}"), tools);
        let helper = AgentTool::new(inner, "helper", "Helps.").build().unwrap();
        let tools = Toolset::new([helper]).unwrap();
        let build = || {
            let model = Calls("helper", r#"{"input": "Go!"}"#);
            Agent::new(model, &tools).checkpointer(Arc::clone(&store))
        };
        let run = in_the_call(&build(), &gate, "s").await;

        let other = build();
        let stopped = other.stop("s").await.unwrap();
        assert_eq!(stopped.status().as_str(), "failed");
        assert!(stopped.pending().is_empty());
        let names = store.sessions(None, 10).await.unwrap();
        assert_eq!(names.len(), 2);
        for name in &names {
            let session = store.latest(name).await.unwrap().unwrap();
            let session = session.session().unwrap();
            assert_eq!(session.status().as_str(), "failed", "{name}");
            assert!(session.pending().is_empty());
            let answer = session.thread().messages().last();
            let Some(ThreadMessage::Tool(answer)) = answer else {
                panic!("{answer:?}");
            };
            let words = match &**name {
                "s" => "the session was stopped",
                // It may have taken effect.
                _ => "this call began, and what it came to is not recorded",
            };
            assert!(answer.text.starts_with(words), "{}", answer.text);
        }

        // The call goes on, and nothing comes of it.
        gate.opens.notify_one();
        assert!(checkpoint_error(run.await.unwrap()).is_conflict());
        let latest = store.latest("s").await.unwrap().unwrap();
        assert_eq!(Some(latest.id), stopped.checkpoint());
        let error = other.resume("s", &Context::new()).await.unwrap_err();
        let words = "the session has failed: the session was stopped";
        assert_eq!(error.to_string(), words);
        assert_eq!(gate.began.load(Ordering::SeqCst), 1);

        // No lease is left, and a host may go on.
        let clear = |session: &mut Session| {
            session.clear_error();
            Ok(())
        };
        other.update_state("s", clear).await.unwrap();
        let (_, run) = other.resume("s", &Context::new()).await.unwrap();
        assert!(matches!(run.end, RunEnd::Completed), "{run:?}");
    }
}

/// Asks where to.
#[tool]
fn travel() -> Outcome {
    Outcome::ask("Where to?")
}

/// Pays.
#[tool(manual)]
fn pay() {}

/// Renders for ever.
#[tool(background)]
async fn render() {
    std::future::pending::<()>().await;
}

/// What waits is answered as cancelled, and what has completed stays so.
#[tokio::test]
async fn a_stopped_session_waits_for_nothing() {
    let store = memory(LONG);
    let calls = ["travel", "pay", "render"];
    let calls = calls.map(|name| ToolCall::new(name, name, "{}"));
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls(calls)),
        Ok(ModelResponse::text("Hello!")),
    ]);
    let agent = Agent::new(model, tools![travel, pay, render]).checkpointer(Arc::clone(&store));
    let run = agent.run(&mut asked("s"), &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::AskUser { .. }), "{run:?}");
    let stopped = agent.stop("s").await.unwrap();
    assert!(stopped.questions().is_empty() && stopped.pending().is_empty());
    let words: Vec<_> = stopped.thread().messages()[2..]
        .iter()
        .map(|message| match message {
            ThreadMessage::Tool(answer) => (&*answer.name, &*answer.text),
            message => panic!("{message:?}"),
        })
        .collect();
    let words_of_open = words[2].1;
    let cancelled = "the session was stopped";
    assert_eq!(words[..2], [("travel", cancelled), ("pay", cancelled)]);
    assert!(!words_of_open.contains(cancelled), "{words_of_open}");
    assert!(matches!(
        &stopped.open().list()[0].state,
        OpenCallState::Ended(_)
    ));
    let error = agent.stop("nobody").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no checkpoint of the session `nobody`"
    );

    let _ = agent
        .run(&mut asked("other"), &Context::new())
        .await
        .unwrap();
    let stopped = agent.stop("other").await.unwrap();
    assert_eq!(stopped.status().as_str(), "completed");
    // No lease is left.
    agent.update_state("other", |_| Ok(())).await.unwrap();
}

/// Returns the lease that the session's first checkpoint took.
async fn first_lease(store: &Store, session: &str) -> toolwright::agent::store::CheckpointId {
    store.history(session).await.unwrap()[0].id
}

/// Two machines resume one session at the same moment: one goes on, and the other hears why.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_two_goes_on() {
    let store = memory(LONG);
    let (mut won, mut heard) = (0, 0);
    for round in 0..1_000 {
        let (id, gate) = (format!("s{round}"), Arc::new(Gate::default()));
        let needs_approval = agent(&store, &gate).interrupt_before(Node::Tools);
        let _ = needs_approval
            .run(&mut asked(&id), &Context::new())
            .await
            .unwrap();
        gate.opens.notify_one();
        let both = [0, 1].map(|_| {
            let agent = agent(&store, &gate);
            let id = id.clone();
            tokio::spawn(async move { agent.resume(&id, &Context::new()).await })
        });
        for one in both {
            match one.await.unwrap() {
                Ok((session, _)) => {
                    assert_eq!(session.thread().last_text(), Some("done"));
                    won += 1;
                }
                Err(AgentError::Checkpoint(
                    CheckpointError::Held { .. } | CheckpointError::Conflict { .. },
                )) => heard += 1,
                Err(error) => panic!("{error:?}"),
            }
        }
        assert_eq!(gate.began.load(Ordering::SeqCst), 1, "{id}");
    }
    assert_eq!(won + heard, 2_000);
    assert!(won >= 1_000 && heard > 0, "{won} {heard}");
}
