//! What is kept of sessions, and what becomes of calls in whose midst a program ends.
// A test that finds less than it expects has failed.
// Steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use serde_json::{Map, json};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    Agent, AgentError, Begin, Begun, BoxFuture, CallRecord, Checkpoint, CheckpointError,
    CheckpointId, Checkpointer, DamagedPart, End, Keep, Lease, MemoryCheckpointer, ModelError,
    ModelResponse, NewCheckpoint, Node, PendingCallReason, RunEnd, Session, Status, ThreadMessage,
    Written,
};
use toolwright::layers::Retry;
use toolwright::{
    Context, Executor, Outcome, Schema, ToolCall, ToolError, Toolset,
    call::{Block, Content, Decision, ErrorKind, HaltReason, State},
    executor::{ErrorPolicy, UnknownOutcome},
    tool, tools,
};

fn call(id: &str, name: &str) -> ToolCall {
    ToolCall::new(id, name, "{}")
}

fn calls(calls: &[ToolCall]) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::calls(calls.iter().cloned()))
}

fn text(text: &str) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::text(text))
}

fn model(steps: impl IntoIterator<Item = Result<ModelResponse, ModelError>>) -> ScriptedModel {
    ScriptedModel::new(steps)
}

fn asked(id: &str) -> Session {
    let mut session = Session::with_id(id);
    session.reply("Go!").unwrap();
    session
}

fn answers(session: &Session) -> Vec<(usize, String, bool)> {
    let answer = |message: &ThreadMessage| match message {
        ThreadMessage::Tool(answer) => Some((answer.index, answer.text.clone(), answer.is_error)),
        _ => None,
    };
    session
        .thread()
        .messages()
        .iter()
        .filter_map(answer)
        .collect()
}

/// Lets a future go as far as it comes by itself, then drops it, as the end of its program would. A tool hangs by then.
async fn until_it_hangs<T>(ran: &Ran, future: impl Future<Output = T>) {
    let before = ran.hung.load(Ordering::SeqCst);
    let mut future = pin!(future);
    for round in 0.. {
        let done = std::future::poll_fn(|task| Poll::Ready(future.as_mut().poll(task).is_ready()));
        assert!(!done.await, "it came to its end");
        let hangs = ran.hung.load(Ordering::SeqCst) > before;
        if round >= 200 && hangs {
            return;
        }
        assert!(round < 100_000, "no tool hangs");
        // The thread of a store may have work to do.
        tokio::time::sleep(std::time::Duration::from_micros(200)).await;
    }
}

/// How often each tool ran.
#[derive(Default)]
struct Ran {
    pay: AtomicUsize,
    look: AtomicUsize,
    upsert: AtomicUsize,
    hang: AtomicUsize,
    /// How often a tool began to hang.
    hung: AtomicUsize,
}

impl Ran {
    async fn hang(&self) {
        self.hung.fetch_add(1, Ordering::SeqCst);
        std::future::pending::<()>().await;
    }

    fn all(&self) -> [usize; 4] {
        [&self.pay, &self.look, &self.upsert, &self.hang].map(|ran| ran.load(Ordering::SeqCst))
    }
}

/// Pays.
#[tool(destructive)]
fn pay(#[state] ran: &Ran, #[context] cx: &Context) -> String {
    ran.pay.fetch_add(1, Ordering::SeqCst);
    cx.update_state("paid", true);
    cx.idempotency_key().unwrap_or_default()
}

/// Looks, and hangs the first time.
#[tool(read_only)]
async fn look(#[state] ran: &Ran) -> &'static str {
    if ran.look.fetch_add(1, Ordering::SeqCst) == 0 {
        ran.hang().await;
    }
    "seen"
}

/// Writes the same again, and hangs the first time.
#[tool(idempotent)]
async fn upsert(#[state] ran: &Ran) -> &'static str {
    if ran.upsert.fetch_add(1, Ordering::SeqCst) == 0 {
        ran.hang().await;
    }
    "written"
}

/// Has an effect, and hangs the first time.
#[tool]
async fn hang(#[state] ran: &Ran) -> &'static str {
    if ran.hang.fetch_add(1, Ordering::SeqCst) == 0 {
        ran.hang().await;
    }
    "done"
}

fn effects(ran: &Arc<Ran>) -> Toolset {
    tools![pay, look, upsert, hang; state = Arc::clone(ran)]
}

pub(crate) type Store = Arc<dyn Checkpointer>;

/// All stores, each with its directory if it has one.
pub(crate) fn stores() -> Vec<(Store, Option<Box<dyn std::any::Any>>)> {
    let memory: Store = Arc::new(MemoryCheckpointer::new());
    let dir = Dir::new();
    let file: Store = Arc::new(toolwright::agent::SqliteCheckpointer::open(dir.file()).unwrap());
    vec![(memory, None), (file, Some(Box::new(dir)))]
}

/// A directory that goes with the test.
struct Dir(std::path::PathBuf);

impl Dir {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("toolwright-checkpoints-{}-{next}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        std::fs::create_dir(&dir).unwrap();
        Self(dir)
    }

    fn file(&self) -> std::path::PathBuf {
        self.0.join("sessions.db")
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Puts a checkpoint with nothing in it.
async fn put(
    store: &Store,
    session: &str,
    after: Option<CheckpointId>,
) -> Result<CheckpointId, CheckpointError> {
    let mut metadata = Map::new();
    metadata.insert("title".to_owned(), json!("Øre"));
    let new = NewCheckpoint {
        session,
        after,
        parent: after,
        written: Written::Update,
        next: Node::Model,
        at_ms: 1_700_000_000_123,
        metadata: &metadata,
        body: "{}",
        caller: None,
        lease: Lease::None,
    };
    store.put(new).await
}

/// Ends a call of the session `s` that has begun once.
async fn end_call(store: &Store, key: &str, outcome: &str) {
    let end = End {
        session: "s",
        key,
        revision: 1,
        outcome,
        lease: None,
    };
    store.end_call(end).await.unwrap();
}

#[tokio::test]
async fn every_node_is_kept() {
    for (store, _dir) in stores() {
        let ran = Arc::new(Ran::default());
        let script = [calls(&[call("c1", "pay")]), text("Paid.")];
        let agent = Agent::new(model(script), effects(&ran))
            .checkpointer(Arc::clone(&store))
            .metadata("app", "test");
        assert!(agent.state("s").await.unwrap().is_none());
        assert!(agent.history("s").await.unwrap().is_empty());
        let mut session = asked("s");
        assert_eq!(session.checkpoint(), None);
        agent.run(&mut session, &Context::new()).await.unwrap();

        let history = agent.history("s").await.unwrap();
        let steps: Vec<_> = history.iter().map(|one| (one.written, one.next)).collect();
        assert_eq!(
            steps,
            [
                (Written::Start, Node::Model),
                (Written::Node, Node::Tools),
                (Written::Node, Node::Model),
                (Written::End, Node::End),
            ]
        );
        let lengths = |one: &Checkpoint| one.session().unwrap().thread().len();
        let lengths: Vec<_> = history.iter().map(lengths).collect();
        assert_eq!(lengths, [1, 2, 3, 4]);
        let parents: Vec<_> = history.iter().map(|one| one.parent).collect();
        let ids: Vec<_> = history.iter().map(|one| Some(one.id)).collect();
        assert_eq!(parents[0], None);
        assert_eq!(parents[1..], ids[..3]);
        assert!(history.iter().all(|one| one.metadata["app"] == "test"));
        assert!(
            history
                .iter()
                .all(|one| one.session == "s" && one.at_ms > 1_600_000_000_000)
        );
        assert_eq!(
            store.get(history[1].id).await.unwrap().as_ref(),
            Some(&history[1])
        );

        // What is kept is the session, which carries its version.
        assert_eq!(session.checkpoint(), ids[3]);
        let kept = agent.state("s").await.unwrap().unwrap();
        assert_eq!(
            serde_json::to_value(&kept).unwrap(),
            serde_json::to_value(&session).unwrap()
        );
        assert_eq!(kept.status(), &Status::Completed);
        let stored = serde_json::to_string(&session).unwrap();
        let read: Session = serde_json::from_str(&stored).unwrap();
        assert_eq!(read.checkpoint(), session.checkpoint());

        // A session of an id that is taken is another one.
        let error = agent
            .run(&mut asked("s"), &Context::new())
            .await
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "the session `s` is at checkpoint {} now, and was expected without a checkpoint: \
             another writer continued it",
                history[3].id
            )
        );
    }
}

#[tokio::test]
async fn an_interrupt_is_kept_and_gone_on_with() {
    for (store, _dir) in stores() {
        let ran = Arc::new(Ran::default());
        let agent = |script: Vec<_>| {
            Agent::new(model(script), effects(&ran))
                .checkpointer(Arc::clone(&store))
                .interrupt_before(Node::Tools)
                .interrupt_after(Node::Model)
        };
        let one = agent(vec![calls(&[call("c1", "pay")])]);
        let cx = Context::new();
        let run = one.run(&mut asked("s"), &cx).await.unwrap();
        let RunEnd::Interrupted { node, after: true } = run.end else {
            panic!("{:?}", run.end);
        };
        assert_eq!(node, Node::Model);
        let kept = one.state("s").await.unwrap().unwrap();
        assert_eq!(kept.status(), &Status::Interrupted { node });
        assert_eq!((kept.thread().len(), kept.next()), (2, Node::Tools));

        let (kept, run) = one.resume("s", &cx).await.unwrap();
        let before = RunEnd::Interrupted {
            node: Node::Tools,
            after: false,
        };
        assert_eq!(format!("{:?}", run.end), format!("{before:?}"));
        assert_eq!((kept.thread().len(), ran.all()[0]), (2, 0));

        // The same agent passes, and so does one elsewhere; after the model also without calls.
        drop(one);
        let other = agent(vec![text("Paid.")]);
        let (kept, run) = other.resume("s", &cx).await.unwrap();
        assert!(matches!(
            run.end,
            RunEnd::Interrupted {
                node: Node::Model,
                after: true
            }
        ));
        assert_eq!((kept.thread().len(), ran.all()[0]), (4, 1));
        let (kept, run) = other.resume("s", &cx).await.unwrap();
        assert!(matches!(run.end, RunEnd::Completed));
        let (again, run) = other.resume("s", &cx).await.unwrap();
        assert!(matches!(run.end, RunEnd::Completed));
        assert_eq!(kept.thread(), again.thread());
    }
}

#[tokio::test]
async fn the_host_changes_what_is_kept() {
    for (store, _dir) in stores() {
        let agent = Agent::new(model([]), Toolset::default());
        let nothing = |_: &mut Session| Ok(());
        let kept = |error: AgentError| match error {
            AgentError::Checkpoint(error) => error,
            error => panic!("{error}"),
        };
        let error = kept(agent.update_state("s", nothing).await.unwrap_err());
        assert!(matches!(error, CheckpointError::NoCheckpointer));
        assert!(agent.state("s").await.is_err() && agent.history("s").await.is_err());
        let error = kept(agent.resume("s", &Context::new()).await.unwrap_err());
        assert_eq!(error.to_string(), "the agent has no checkpointer");

        let script = [text("Hello."), text("As you say.")];
        let agent = Agent::new(model(script), Toolset::default()).checkpointer(store);
        let error = kept(agent.update_state("s", nothing).await.unwrap_err());
        assert!(matches!(error, CheckpointError::NoCheckpoint(_)));
        assert_eq!(
            error.to_string(),
            "there is no checkpoint of the session `s`"
        );
        assert!(agent.resume("s", &Context::new()).await.is_err());

        agent.run(&mut asked("s"), &Context::new()).await.unwrap();
        let session = agent.update_state("s", |session| {
            session.set_state(State::new().with("tier", "gold"));
            session.reply("Do it!")
        });
        let session = session.await.unwrap();
        let last = agent.history("s").await.unwrap().pop().unwrap();
        assert_eq!(
            (last.written, Some(last.id)),
            (Written::Update, session.checkpoint())
        );
        let (session, _) = agent.resume("s", &Context::new()).await.unwrap();
        assert_eq!(session.state().get("tier"), Some(&json!("gold")));
        assert_eq!(session.thread().last_text(), Some("As you say."));

        // An update that fails changes nothing.
        let before = agent.history("s").await.unwrap().len();
        let failed = agent
            .update_state("s", |session| session.submit("c1", 1))
            .await;
        assert!(matches!(failed, Err(AgentError::Session(_))));
        assert_eq!(agent.history("s").await.unwrap().len(), before);
    }
}

#[tokio::test]
async fn new_words_begin_a_new_run() {
    for (store, _dir) in stores() {
        let script = [text("Hello."), text("Hello again.")];
        let scripted = model(script);
        let agent = Agent::new(scripted.clone(), Toolset::default()).checkpointer(store);
        agent.run(&mut asked("s"), &Context::new()).await.unwrap();

        let mut session = agent.state("s").await.unwrap().unwrap();
        assert_eq!(
            (session.next(), session.run_id().as_str()),
            (Node::End, "s/1")
        );
        session.reply("Again!").unwrap();
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Hello again."));
        assert_eq!(session.run_id(), "s/2");
        let last = scripted.requests().pop().unwrap();
        assert_eq!(last.thread.last_input(), Some("Again!"));
        assert_eq!(agent.state("s").await.unwrap().unwrap().thread().len(), 4);
    }
}

#[tokio::test]
async fn an_older_checkpoint_begins_a_branch() {
    for (store, _dir) in stores() {
        let ran = Arc::new(Ran::default());
        let script = [
            calls(&[call("c1", "pay")]),
            text("Paid."),
            text("Paid once more."),
            calls(&[call("c1", "pay")]),
            text("Paid twice."),
        ];
        let agent = Agent::new(model(script), effects(&ran)).checkpointer(store);
        agent.run(&mut asked("s"), &Context::new()).await.unwrap();
        let before = agent.history("s").await.unwrap();

        // Before the calls ran: they are other calls now.
        let session = agent.branch(before[1].id).await.unwrap();
        assert_eq!((session.next(), session.thread().len()), (Node::Tools, 2));
        let (first, _) = agent.resume("s", &Context::new()).await.unwrap();
        assert_eq!(first.thread().last_text(), Some("Paid once more."));
        let second = agent.branch(before[0].id).await.unwrap();
        let (second, run) = {
            let mut session = second;
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            (session, run)
        };
        assert_eq!(run.text(), Some("Paid twice."));
        assert_eq!(ran.all()[0], 3);
        let key = |session: &Session| answers(session)[0].1.clone();
        assert_eq!(key(&before[3].session().unwrap()), "s/1/0/0/c1");
        assert!(key(&first) != key(&second));
        assert!(
            [&first, &second]
                .iter()
                .all(|session| key(session) != "s/1/0/0/c1")
        );

        // Nothing is gone.
        let after = agent.history("s").await.unwrap();
        assert_eq!(after[..4], before[..]);
        assert_eq!(
            (after[4].written, after[4].parent),
            (Written::Branch, Some(before[1].id))
        );
        let nowhere = agent.branch(CheckpointId::new(9999)).await.unwrap_err();
        assert_eq!(nowhere.to_string(), "there is no checkpoint of number 9999");
    }
}

#[tokio::test]
async fn of_two_who_resume_one_meets_a_conflict() {
    for (store, _dir) in stores() {
        let ran = Arc::new(Ran::default());
        let script = [
            calls(&[call("c1", "pay"), call("c2", "pay")]),
            text("Paid."),
        ];
        let agent = Agent::new(model(script), effects(&ran))
            .checkpointer(store)
            .interrupt_before(Node::Tools);
        agent.run(&mut asked("s"), &Context::new()).await.unwrap();
        let (mut one, mut two) = (
            agent.state("s").await.unwrap().unwrap(),
            agent.state("s").await.unwrap().unwrap(),
        );
        let cx = Context::new();
        let both = tokio::join!(agent.run(&mut one, &cx), agent.run(&mut two, &cx));
        let (run, error) = match both {
            (Ok(run), Err(error)) | (Err(error), Ok(run)) => (run, error),
            both => panic!("{both:?}"),
        };
        let AgentError::Checkpoint(CheckpointError::Conflict { session, .. }) = error else {
            panic!("{error:?}");
        };
        assert_eq!((&*session, run.text()), ("s", Some("Paid.")));
        assert_eq!(ran.all()[0], 2);
    }
}

/// Waits for the test's word.
#[tool]
async fn wait_for(#[state] ran: &Ran) -> &'static str {
    ran.hang.fetch_add(1, Ordering::SeqCst);
    while ran.look.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    "waited"
}

#[tokio::test]
async fn whoever_was_overtaken_begins_no_call() {
    for (store, _dir) in stores() {
        let ran = Arc::new(Ran::default());
        let agent = |script: Vec<_>| {
            let tools = tools![pay, wait_for; state = Arc::clone(&ran)];
            Agent::new(model(script), tools).checkpointer(Arc::clone(&store))
        };
        let turn = [call("c1", "pay"), call("c2", "wait_for"), call("c3", "pay")];
        let first = agent(vec![calls(&turn)]);
        let cx = Context::new();
        let first = tokio::spawn({
            let cx = cx.clone();
            async move { first.run(&mut asked("s"), &cx).await }
        });
        while ran.all()[3] == 0 {
            tokio::task::yield_now().await;
        }
        // It is in its second call. Somebody else goes on.
        let other = agent(vec![text("Done.")]);
        let (mut session, run) = other.resume("s", &cx).await.unwrap();
        assert!(matches!(run.end, RunEnd::Pending));
        assert_eq!(ran.all()[0], 2);
        let pending = session.pending();
        let whys: Vec<_> = pending.iter().map(|one| (one.index, &one.reason)).collect();
        assert_eq!(whys, [(1, &unknown(1))]);

        // Its second call ends, and that is known; its third does not begin.
        ran.look.store(1, Ordering::SeqCst);
        let error = first.await.unwrap().unwrap_err();
        assert!(matches!(
            error,
            AgentError::Checkpoint(CheckpointError::Conflict { .. })
        ));
        assert_eq!((ran.all()[0], ran.all()[3]), (2, 1));
        session.decide("c2", Decision::Approve).unwrap();
        let run = other.run(&mut session, &cx).await.unwrap();
        assert_eq!(
            (run.text(), ran.all()[0], ran.all()[3]),
            (Some("Done."), 2, 1)
        );
        assert_eq!(answers(&session)[1], (1, "waited".to_owned(), false));
    }
}

/// Why a call waits whose end is not recorded.
fn unknown(record: u64) -> PendingCallReason {
    PendingCallReason::OutcomeUnknown {
        error: "the program ended while this call ran; it is not known whether it took effect"
            .to_owned(),
        record: Some(record),
    }
}

/// A turn of these calls, the last of which hangs; then the program ends, and another goes on.
async fn crashed(
    store: &Store,
    ran: &Arc<Ran>,
    turn: &[ToolCall],
    rest: Vec<Result<ModelResponse, ModelError>>,
    policy: UnknownOutcome,
) -> (Agent, Result<(Session, toolwright::agent::Run), AgentError>) {
    let agent = Agent::new(model([calls(turn)]), effects(ran)).checkpointer(Arc::clone(store));
    until_it_hangs(ran, agent.run(&mut asked("s"), &Context::new())).await;
    drop(agent);
    let agent = Agent::new(model(rest), effects(ran))
        .checkpointer(Arc::clone(store))
        .on_unknown_outcome(policy);
    let resumed = agent.resume("s", &Context::new()).await;
    (agent, resumed)
}

#[tokio::test]
async fn what_has_run_is_not_run_again() {
    for (store, _dir) in stores() {
        for name in ["look", "upsert"] {
            let ran = Arc::new(Ran::default());
            let turn = [call("c1", "pay"), call("c2", name)];
            let rest = vec![text("Done.")];
            let (_, resumed) = crashed(&store, &ran, &turn, rest, UnknownOutcome::Ask).await;
            let (session, run) = resumed.unwrap();
            assert_eq!(run.text(), Some("Done."));
            let [paid, looked, written, _] = ran.all();
            assert_eq!((paid, looked + written), (1, 2));
            assert_eq!(answers(&session)[0], (0, "s/1/0/0/c1".to_owned(), false));
            assert_eq!(answers(&session).len(), 2);
            // What the call let the conversation know is known.
            assert_eq!(session.state().get("paid"), Some(&json!(true)));
            assert!(store.delete("s").await.unwrap());
        }
    }
}

#[tokio::test]
async fn an_unknown_outcome_is_asked_about() {
    for (store, _dir) in stores() {
        let ran = Arc::new(Ran::default());
        let turn = [call("c1", "hang"), call("c2", "pay")];
        let rest = vec![text("Done.")];
        let (agent, resumed) = crashed(&store, &ran, &turn, rest, UnknownOutcome::Ask).await;
        let (session, run) = resumed.unwrap();
        assert!(matches!(run.end, RunEnd::Pending));
        assert_eq!(session.status(), &Status::AwaitingTools);
        let pending = session.pending();
        assert_eq!((pending.len(), &*pending[0].call.id), (1, "c1"));
        assert_eq!(pending[0].reason, unknown(1));
        assert_eq!(ran.all(), [1, 0, 0, 1]);
        let stored = serde_json::to_string(&session).unwrap();

        // Somebody knows what came of it.
        let mut known: Session = serde_json::from_str(&stored).unwrap();
        assert!(known.decide("c2", Decision::Approve).is_err());
        known.submit("c1", "it was done").unwrap();
        assert_eq!(known.next(), Node::Model);

        // Or lets it run again: that counts for this time alone.
        let mut session: Session = serde_json::from_str(&stored).unwrap();
        session.decide("c1", Decision::Approve).unwrap();
        ran.hang.store(0, Ordering::SeqCst);
        until_it_hangs(&ran, agent.run(&mut session, &Context::new())).await;
        let (mut session, _) = agent.resume("s", &Context::new()).await.unwrap();
        assert_eq!(session.pending()[0].reason, unknown(2));
        assert_eq!(ran.all(), [1, 0, 0, 1]);
        session.decide("c1", Decision::Approve).unwrap();
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Done."));
        assert_eq!(ran.all(), [1, 0, 0, 2]);
        let texts: Vec<_> = answers(&session)
            .into_iter()
            .map(|answer| answer.1)
            .collect();
        assert_eq!(texts, ["done", "s/1/0/1/c2"]);
        assert!(session.thread().check().is_ok());
    }
}

#[tokio::test]
async fn an_unknown_outcome_goes_by_policy() {
    for (store, _dir) in stores() {
        let turn = [call("c1", "hang")];
        let ran = Arc::new(Ran::default());
        let rest = vec![text("I see.")];
        let (_, resumed) = crashed(&store, &ran, &turn, rest, UnknownOutcome::Fail).await;
        let (session, run) = resumed.unwrap();
        assert_eq!((run.text(), ran.all()[3]), (Some("I see."), 1));
        let told = "the program ended while this call ran; it is not known whether it took effect";
        assert_eq!(answers(&session), [(0, told.to_owned(), true)]);

        assert!(store.delete("s").await.unwrap());
        let rest = vec![text("Done.")];
        let ran = Arc::new(Ran::default());
        let (_, resumed) = crashed(&store, &ran, &turn, rest, UnknownOutcome::RunAgain).await;
        let (session, _) = resumed.unwrap();
        assert_eq!(ran.all()[3], 2);
        assert_eq!(answers(&session), [(0, "done".to_owned(), false)]);
    }
}

/// All that a call can come to.
fn any_outcome(place: usize) -> Result<Outcome, ToolError> {
    Ok(match place {
        0 => Outcome::value("a \"text\"\nof two lines"),
        1 => Outcome::value(json!({"z": 1, "a": [null, 1.5]})),
        2 => Outcome::value(u128::MAX),
        3 => Outcome::Content(
            Content::text("see")
                .image("image/png", "AAAA")
                .with(Block::Json {
                    value: json!({"b": 1}),
                }),
        ),
        4 => Outcome::ask("Which?").option("choices", json!([1, 2])),
        5 => Outcome::halt(HaltReason::new("planned"), json!(["walk"])),
        6 => Outcome::direct("straight"),
        7 => {
            return Err(ToolError::failed("one")
                .with_message("two")
                .with_debug("host"));
        }
        8 => return Err(ToolError::new(ErrorKind::Timeout, "late").permanent()),
        9 => Outcome::value(f64::NAN),
        10 => return Err(ToolError::failed("it broke").with_outcome_unknown()),
        _ => Outcome::value(()),
    })
}

/// Comes to what its place says.
#[tool]
fn come_to(#[state] ran: &Ran, #[context] cx: &Context) -> Result<Outcome, ToolError> {
    let _ = ran.pay.fetch_add(1, Ordering::SeqCst);
    any_outcome(cx.idempotency_key().map_or(99, |key| {
        let id = key.rsplit('/').next().unwrap_or_default();
        id.parse().unwrap_or(99)
    }))
}

#[tokio::test]
async fn a_record_says_what_the_call_came_to() {
    for (store, _dir) in stores() {
        for (place, wrapped) in (0..12).flat_map(|place| [(place, false), (place, true)]) {
            let turn = [call(&place.to_string(), "come_to"), call("h", "look")];
            let go = |ran: &Arc<Ran>, script: Vec<_>| {
                let mut tools = tools![come_to, look; state = Arc::clone(ran)];
                if wrapped {
                    // Whoever goes on knows what stood in an error's place.
                    let tool = Arc::clone(tools.get("come_to").unwrap());
                    tools = tools.with(tool.handle_errors().return_direct());
                }
                // So that what became of a call is seen in the run, too.
                let executor = Executor::serial(tools).on_error(ErrorPolicy::Halt);
                Agent::with_executor(model(script), executor)
            };
            let after = |outcome: &Result<Outcome, ToolError>| match outcome {
                Ok(Outcome::AskUser { .. } | Outcome::Halt { .. }) => vec![],
                Err(_) if !wrapped => vec![],
                _ => vec![text("Done.")],
            };
            let rest = after(&any_outcome(place));
            let seen = Arc::new(Ran::default());
            seen.look.store(1, Ordering::SeqCst);
            let mut straight = asked("s");
            let script = [vec![calls(&turn)], rest.clone()].concat();
            let run = go(&seen, script).run(&mut straight, &Context::new()).await;

            let ran = Arc::new(Ran::default());
            let agent = go(&ran, vec![calls(&turn)]).checkpointer(Arc::clone(&store));
            until_it_hangs(&ran, agent.run(&mut asked("s"), &Context::new())).await;
            let agent = go(&ran, rest).checkpointer(Arc::clone(&store));
            let (resumed, again) = agent.resume("s", &Context::new()).await.unwrap();
            assert_eq!(ran.all()[..2], [1, 2], "{place}");
            assert_eq!(resumed.thread(), straight.thread(), "{place}");
            assert_eq!(
                format!("{:?}", again.end),
                format!("{:?}", run.unwrap().end),
                "{place}"
            );
            let records = store.calls("s").await.unwrap();
            let is_unknown = records[0]
                .outcome
                .as_ref()
                .unwrap()
                .contains("\"outcome_unknown\":true");
            assert_eq!(is_unknown, place == 10 && !wrapped);
            assert!(store.delete("s").await.unwrap());
        }
    }
}

/// Fails the first time.
#[tool(idempotent)]
fn flaky(#[state] ran: &Ran) -> Result<&'static str, ToolError> {
    match ran.upsert.fetch_add(1, Ordering::SeqCst) {
        0 => Err(ToolError::failed("not yet")),
        _ => Ok("now"),
    }
}

#[tokio::test]
async fn a_retry_runs_again() {
    for (store, _dir) in stores() {
        let ran = Arc::new(Ran::default());
        let tools = tools![flaky; state = Arc::clone(&ran)];
        let wait = std::time::Duration::ZERO;
        let executor = Executor::serial(tools).layer(Retry::new(3).backoff(wait, wait));
        let script = [calls(&[call("c1", "flaky")]), text("Done.")];
        let agent = Agent::with_executor(model(script), executor).checkpointer(Arc::clone(&store));
        let mut session = asked("s");
        agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(answers(&session), [(0, "now".to_owned(), false)]);
        assert_eq!(ran.all()[2], 2);
        let records = store.calls("s").await.unwrap();
        assert_eq!((records.len(), records[0].revision), (1, 4));
        assert!(records[0].outcome.as_ref().unwrap().contains("now"));
    }
}

/// A store that does all but record calls: it fails as a call begins, or as one ends.
struct Broken {
    store: MemoryCheckpointer,
    begins: bool,
}

impl Checkpointer for Broken {
    fn put<'a>(
        &'a self,
        new: NewCheckpoint<'a>,
    ) -> BoxFuture<'a, Result<CheckpointId, CheckpointError>> {
        self.store.put(new)
    }

    fn latest<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Option<Checkpoint>, CheckpointError>> {
        self.store.latest(session)
    }

    fn get(&self, id: CheckpointId) -> BoxFuture<'_, Result<Option<Checkpoint>, CheckpointError>> {
        self.store.get(id)
    }

    fn history<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Checkpoint>, CheckpointError>> {
        self.store.history(session)
    }

    fn sessions<'a>(
        &'a self,
        after: Option<&'a str>,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<String>, CheckpointError>> {
        self.store.sessions(after, most)
    }

    fn delete<'a>(&'a self, session: &'a str) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        self.store.delete(session)
    }

    fn begin_call<'a>(&'a self, begin: Begin<'a>) -> BoxFuture<'a, Result<Begun, CheckpointError>> {
        if self.begins {
            return self.store.begin_call(begin);
        }
        Box::pin(async { Err(CheckpointError::store("the disk is full")) })
    }

    fn end_call<'a>(&'a self, _: End<'a>) -> BoxFuture<'a, Result<(), CheckpointError>> {
        Box::pin(async { Err(CheckpointError::store("the disk is full")) })
    }

    fn prune<'a>(
        &'a self,
        session: &'a str,
        keep: Keep,
    ) -> BoxFuture<'a, Result<usize, CheckpointError>> {
        self.store.prune(session, keep)
    }

    fn renew<'a>(
        &'a self,
        session: &'a str,
        lease: CheckpointId,
        term: Duration,
    ) -> BoxFuture<'a, Result<(), CheckpointError>> {
        self.store.renew(session, lease, term)
    }

    fn calls<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<CallRecord>, CheckpointError>> {
        self.store.calls(session)
    }
}

#[tokio::test]
async fn a_call_that_cannot_be_recorded_does_not_run() {
    for begins in [false, true] {
        let ran = Arc::new(Ran::default());
        let store = MemoryCheckpointer::new();
        let broken = Broken {
            store: store.clone(),
            begins,
        };
        let turn = [call("c1", "pay"), call("c2", "pay")];
        let agent = Agent::new(model([calls(&turn)]), effects(&ran)).checkpointer(broken);
        let error = agent
            .run(&mut asked("s"), &Context::new())
            .await
            .unwrap_err();
        assert_eq!(error.to_string(), "the disk is full");
        assert!(matches!(
            error,
            AgentError::Checkpoint(CheckpointError::Store { .. })
        ));
        // Nothing ran, or one call of which nobody knows what came of it; the model is told nothing.
        assert_eq!(ran.all()[0], usize::from(begins));
        let agent = Agent::new(model([]), effects(&ran)).checkpointer(store);
        let session = agent.state("s").await.unwrap().unwrap();
        assert_eq!((session.thread().len(), session.next()), (2, Node::Tools));
        if begins {
            let (session, _) = agent.resume("s", &Context::new()).await.unwrap();
            assert_eq!(session.pending()[0].reason, unknown(1));
            assert_eq!(ran.all()[0], 2);
        }
    }
}

#[tokio::test]
async fn what_is_damaged_is_said_to_be() {
    let store: Store = Arc::new(MemoryCheckpointer::new());
    let first = put(&store, "s", None).await.unwrap();
    let agent = Agent::new(model([]), Toolset::default()).checkpointer(Arc::clone(&store));
    let error = agent.state("s").await.unwrap_err();
    let AgentError::Checkpoint(CheckpointError::Damaged(damage)) = error else {
        panic!("{error}");
    };
    assert_eq!(damage.part, DamagedPart::Checkpoint(first));
    assert!(damage.to_string().starts_with(&format!(
        "checkpoint {first} of the session `s` is damaged: "
    )));

    // A record that is no outcome.
    let ran = Arc::new(Ran::default());
    let turn = [call("c1", "hang")];
    assert!(store.delete("s").await.unwrap());
    let agent = Agent::new(model([calls(&turn)]), effects(&ran)).checkpointer(Arc::clone(&store));
    until_it_hangs(&ran, agent.run(&mut asked("s"), &Context::new())).await;
    end_call(&store, "s/1/0/0/c1", "{}").await;
    let error = agent.resume("s", &Context::new()).await.unwrap_err();
    let words = error.to_string();
    let begins = "the record of the call `s/1/0/0/c1` of the session `s` is damaged: ";
    assert!(words.starts_with(begins), "{words}");
}

#[tokio::test]
async fn what_a_newer_version_wrote_is_not_read_and_not_called_damaged() {
    let store: Store = Arc::new(MemoryCheckpointer::new());
    let put = async |session: &str, body: &serde_json::Value| {
        let new = NewCheckpoint {
            session,
            after: None,
            parent: None,
            written: Written::End,
            next: Node::End,
            at_ms: 0,
            metadata: &serde_json::Map::new(),
            body: &body.to_string(),
            caller: None,
            lease: Lease::None,
        };
        store.put(new).await.unwrap()
    };
    let mut body = serde_json::to_value(asked("s")).unwrap();
    assert_eq!(body["form"], 1);
    body["form"] = 2.into();
    let newer = put("newer", &body).await;
    // The first version wrote no number.
    body.as_object_mut().unwrap().remove("form");
    put("oldest", &body).await;
    let agent = Agent::new(model([]), Toolset::default()).checkpointer(Arc::clone(&store));
    let unreadable = |error: AgentError| match error {
        AgentError::Checkpoint(CheckpointError::Unreadable(words)) => words,
        error => panic!("{error:?}"),
    };
    let words = format!(
        "checkpoint {newer} of the session `newer` cannot be read: it is of form 2; this program knows form 1"
    );
    assert_eq!(unreadable(agent.state("newer").await.unwrap_err()), words);
    assert!(agent.state("oldest").await.unwrap().is_some());

    // An outcome.
    let ran = Arc::new(Ran::default());
    let turn = [call("c1", "hang")];
    let agent = Agent::new(model([calls(&turn)]), effects(&ran)).checkpointer(Arc::clone(&store));
    until_it_hangs(&ran, agent.run(&mut asked("s"), &Context::new())).await;
    let key = "s/1/0/0/c1";
    let outcome = r#"{"form": 7, "answer": 5}"#;
    end_call(&store, key, outcome).await;
    let error = agent.resume("s", &Context::new()).await.unwrap_err();
    let words = format!(
        "the record of the call `{key}` cannot be read: it is of form 7; this program knows form 1"
    );
    assert_eq!(unreadable(error), words);
}

mod file {
    use std::fs;

    use toolwright::agent::SqliteCheckpointer;

    use super::{
        Agent, AgentError, Arc, CheckpointError, CheckpointId, Checkpointer, Context, DamagedPart,
        Dir, Node, Ran, Store, Written, asked, call, calls, effects, model, put, text,
    };

    fn unreadable(opened: Result<SqliteCheckpointer, CheckpointError>) -> String {
        match opened.unwrap_err() {
            CheckpointError::Unreadable(words) => words,
            error => panic!("{error:?}"),
        }
    }

    #[tokio::test]
    async fn what_is_kept_is_there_when_the_file_is_opened_again() {
        let dir = Dir::new();
        let open = || -> Store { Arc::new(SqliteCheckpointer::open(dir.file()).unwrap()) };
        let store = open();
        let first = put(&store, "s", None).await.unwrap();
        drop(store);
        let (one, two) = (open(), open());
        assert_eq!(one.latest("s").await.unwrap().unwrap().id, first);
        // Two connections are like two programs.
        let both = tokio::join!(put(&one, "s", Some(first)), put(&two, "s", Some(first)));
        assert_eq!(
            u8::from(both.0.is_ok()) + u8::from(both.1.is_ok()),
            1,
            "{both:?}"
        );
        let conflict = both.0.err().or(both.1.err()).unwrap();
        assert!(conflict.is_conflict(), "{conflict}");
        assert_eq!(two.history("s").await.unwrap().len(), 2);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn only_its_owner_reads_the_file() {
        use std::os::unix::fs::PermissionsExt;
        let dir = Dir::new();
        let store: Store = Arc::new(SqliteCheckpointer::open(dir.file()).unwrap());
        put(&store, "s", None).await.unwrap();
        let mut names = Vec::new();
        for entry in fs::read_dir(&dir.0).unwrap() {
            let entry = entry.unwrap();
            assert_eq!(
                entry.metadata().unwrap().permissions().mode() & 0o777,
                0o600
            );
            names.push(entry.file_name().into_string().unwrap());
        }
        names.sort();
        assert_eq!(names, ["sessions.db", "sessions.db-journal"]);
    }

    /// Whoever opens the file of another connection of the same program and closes it again takes that
    /// one's locks off, and other programs would write in the midst of its transaction.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_second_connection_leaves_the_locks_of_the_first() {
        use std::os::unix::fs::MetadataExt;
        let dir = Dir::new();
        let store: Store = Arc::new(SqliteCheckpointer::open(dir.file()).unwrap());
        put(&store, "s", None).await.unwrap();
        let first = rusqlite::Connection::open(dir.file()).unwrap();
        first.execute_batch("BEGIN IMMEDIATE").unwrap();
        let file = format!(":{} ", fs::metadata(dir.file()).unwrap().ino());
        let locks = || {
            let locks = fs::read_to_string("/proc/locks").unwrap();
            locks.lines().filter(|line| line.contains(&file)).count()
        };
        let before = locks();
        assert!(before > 0);
        let second = SqliteCheckpointer::open(dir.file()).unwrap();
        assert_eq!(locks(), before);
        drop((first, second));
    }

    #[test]
    fn what_is_no_file_of_checkpoints_is_left_as_it_is() {
        let dir = Dir::new();
        let open = || SqliteCheckpointer::open(dir.file());
        let shown = dir.file().display().to_string();

        let text = "a text, and no database at all; ".repeat(200);
        fs::write(dir.file(), &text).unwrap();
        assert_eq!(unreadable(open()), format!("`{shown}` is no SQLite file"));
        assert_eq!(fs::read_to_string(dir.file()).unwrap(), text);

        fs::remove_file(dir.file()).unwrap();
        let other = rusqlite::Connection::open(dir.file()).unwrap();
        other
            .execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
            .unwrap();
        drop(other);
        let before = fs::read(dir.file()).unwrap();
        let words = format!("`{shown}` is a SQLite file, and not one of checkpoints");
        assert_eq!(unreadable(open()), words);
        assert_eq!(fs::read(dir.file()).unwrap(), before);

        fs::remove_file(dir.file()).unwrap();
        drop(open().unwrap());
        let newer = rusqlite::Connection::open(dir.file()).unwrap();
        newer.pragma_update(None, "user_version", 7).unwrap();
        drop(newer);
        let words = format!("`{shown}` has tables of version 7; this program knows version 3");
        assert_eq!(unreadable(open()), words);

        let nowhere = SqliteCheckpointer::open(dir.0.join("no/such/dir.db")).unwrap_err();
        assert!(
            matches!(nowhere, CheckpointError::Store { .. }),
            "{nowhere:?}"
        );
        assert!(
            nowhere
                .to_string()
                .contains("no/such/dir.db` cannot be opened")
        );
    }

    #[tokio::test]
    async fn a_damaged_file_is_said_to_be() {
        let dir = Dir::new();
        let open = || SqliteCheckpointer::open(dir.file());
        let store: Store = Arc::new(open().unwrap());
        let mut last = None;
        for _ in 0..50 {
            last = Some(put(&store, "s", last).await.unwrap());
        }
        drop(store);
        let mut bytes = fs::read(dir.file()).unwrap();
        assert!(bytes.len() > 8192);
        bytes[4096..].fill(0x5a);
        fs::write(dir.file(), bytes).unwrap();
        let error = open().unwrap_err();
        let damage = error.damage().unwrap();
        assert_eq!(damage.part, DamagedPart::Store);
        let shown = dir.file().display().to_string();
        let words = format!("`{shown}` is damaged: ");
        assert!(damage.reason.starts_with(&words), "{damage}");

        // A store is made whole: so one that is empty has lost all, and no new one begins in its place.
        fs::write(dir.file(), "").unwrap();
        let error = open().unwrap_err();
        assert_eq!(error.damage().unwrap().part, DamagedPart::Store);
        assert!(error.to_string().contains("is empty"), "{error}");
        assert_eq!(fs::read(dir.file()).unwrap().len(), 0);
    }

    /// Has SQL done to the file.
    fn change(dir: &Dir, sql: &str) {
        let file = rusqlite::Connection::open(dir.file()).unwrap();
        file.execute_batch(sql).unwrap();
    }

    #[tokio::test]
    async fn what_is_damaged_is_named_and_the_last_whole_checkpoint_goes_on() {
        let dir = Dir::new();
        let ran = Arc::new(Ran::default());
        let agent = |script: Vec<_>| {
            let store = SqliteCheckpointer::open(dir.file()).unwrap();
            Agent::new(model(script), effects(&ran)).checkpointer(store)
        };
        let one = agent(vec![
            calls(&[call("c1", "pay")]),
            text("Paid."),
            text("Hi."),
        ]);
        one.run(&mut asked("s"), &Context::new()).await.unwrap();
        one.run(&mut asked("other"), &Context::new()).await.unwrap();
        let history = one.history("s").await.unwrap();
        drop(one);

        // The newest checkpoint says another thing than it did.
        let newest = history.last().unwrap();
        let sql = "UPDATE checkpoint SET body = replace(body, 'Paid.', 'Told.') WHERE id = ";
        change(&dir, &format!("{sql}{}", newest.id));
        let again = agent(vec![text("Paid, I think.")]);
        let damage = |error: AgentError| match error {
            AgentError::Checkpoint(error) => error.damage().unwrap().clone(),
            error => panic!("{error}"),
        };
        let good = history[history.len() - 2].id;
        let found = damage(again.state("s").await.unwrap_err());
        assert_eq!(found.part, DamagedPart::Checkpoint(newest.id));
        assert_eq!(found.session.as_deref(), Some("s"));
        assert_eq!(
            (found.newest, found.last_good),
            (Some(newest.id), Some(good))
        );
        let words = format!(
            "checkpoint {} of the session `s` is damaged: its checksum is wrong; \
             the last whole checkpoint is {good}",
            newest.id
        );
        assert_eq!(found.to_string(), words);
        assert_eq!(damage(again.history("s").await.unwrap_err()), found);
        let resumed = again.resume("s", &Context::new()).await;
        assert_eq!(damage(resumed.unwrap_err()), found);
        // It concerns nobody else.
        assert!(again.state("other").await.unwrap().is_some());

        // The host goes on from the last one that is whole.
        let mut session = again.branch(good).await.unwrap();
        let run = again.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Paid, I think."));
        assert!(again.state("s").await.unwrap().is_some());
    }

    #[tokio::test]
    async fn a_session_whose_own_row_is_damaged_is_named_and_goes_on_from_its_last_checkpoint() {
        let dir = Dir::new();
        let ran = Arc::new(Ran::default());
        let open = || Arc::new(SqliteCheckpointer::open(dir.file()).unwrap());
        let store = open();
        let turn = calls(&[call("c1", "pay")]);
        let script = vec![text("Hi."), turn, text("Paid."), text("Hi.")];
        let agent = Agent::new(model(script), effects(&ran)).checkpointer(Arc::clone(&store));
        for session in ["a", "s", "z"] {
            let mut session = asked(session);
            agent.run(&mut session, &Context::new()).await.unwrap();
        }
        let newest = store.latest("s").await.unwrap().unwrap();
        drop((agent, store));
        change(
            &dir,
            "UPDATE session SET newest = newest - 1 WHERE id = 's'",
        );

        let store = open();
        let damage = |error: CheckpointError| error.damage().unwrap().clone();
        let found = damage(store.latest("s").await.unwrap_err());
        assert_eq!(found.part, DamagedPart::Session);
        assert_eq!(found.session.as_deref(), Some("s"));
        let good = Some(newest.id);
        assert_eq!((found.newest, found.last_good), (good, good));
        assert_eq!(damage(store.history("s").await.unwrap_err()), found);
        assert_eq!(damage(store.calls("s").await.unwrap_err()), found);
        // A list says which one it is, and goes on behind it.
        assert_eq!(damage(store.sessions(None, 10).await.unwrap_err()), found);
        assert_eq!(store.sessions(None, 1).await.unwrap(), ["a"]);
        assert_eq!(store.sessions(Some("s"), 10).await.unwrap(), ["z"]);
        assert!(store.latest("a").await.unwrap().is_some());

        // Nothing but a person's word makes another row of what is left.
        let agent = Agent::new(model([text("Paid, I think.")]), effects(&ran));
        let agent = agent.checkpointer(Arc::clone(&store));
        assert!(agent.resume("s", &Context::new()).await.is_err());
        let mut session = agent.branch(newest.id).await.unwrap();
        session.reply("And now?").unwrap();
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Paid, I think."));
        drop((agent, store));
        let store = open();
        assert_eq!(store.sessions(None, 10).await.unwrap(), ["a", "s", "z"]);
        assert_eq!(store.calls("s").await.unwrap().len(), 1);
        assert!(store.history("s").await.unwrap().len() > 3);
    }

    #[tokio::test]
    async fn a_record_that_is_damaged_or_missing_is_named() {
        let whole = Dir::new();
        let ran = Arc::new(Ran::default());
        let store = SqliteCheckpointer::open(whole.file()).unwrap();
        let turn = [call("c1", "pay"), call("c2", "pay")];
        let agent = Agent::new(model([calls(&turn), text("Paid.")]), effects(&ran));
        let agent = agent.checkpointer(store);
        agent.run(&mut asked("s"), &Context::new()).await.unwrap();
        drop(agent);
        let key = "s/1/0/1/c2";
        let cases = [
            (
                format!("UPDATE call SET outcome = NULL WHERE key = '{key}'"),
                Some(key),
            ),
            (
                format!("UPDATE call SET revision = 9 WHERE key = '{key}'"),
                Some(key),
            ),
            (format!("DELETE FROM call WHERE key = '{key}'"), None),
        ];
        for (sql, named) in cases {
            let dir = Dir::new();
            fs::copy(whole.file(), dir.file()).unwrap();
            change(&dir, &sql);
            let store = SqliteCheckpointer::open(dir.file()).unwrap();
            let error = store.calls("s").await.unwrap_err();
            let damage = error.damage().unwrap();
            let part = named.map_or(DamagedPart::Session, |key| {
                DamagedPart::Call(key.to_owned())
            });
            assert_eq!(
                (&damage.part, damage.session.as_deref()),
                (&part, Some("s")),
                "{sql}"
            );
        }
        let cases = [
            "UPDATE session SET newest = 1",
            "UPDATE session SET calls = 1",
            "DELETE FROM checkpoint WHERE id = 2",
        ];
        for sql in cases {
            let dir = Dir::new();
            fs::copy(whole.file(), dir.file()).unwrap();
            change(&dir, sql);
            let store = SqliteCheckpointer::open(dir.file()).unwrap();
            let error = store.history("s").await.unwrap_err();
            let damage = error.damage().unwrap();
            assert_eq!(
                (&damage.part, damage.session.as_deref()),
                (&DamagedPart::Session, Some("s"))
            );
        }
        for sql in [
            "DELETE FROM session",
            "UPDATE store SET last = 1",
            "UPDATE store SET sessions = 0",
            "DROP INDEX checkpoint_of_session",
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '')",
        ] {
            let dir = Dir::new();
            fs::copy(whole.file(), dir.file()).unwrap();
            change(&dir, sql);
            let error = SqliteCheckpointer::open(dir.file()).unwrap_err();
            assert_eq!(error.damage().unwrap().part, DamagedPart::Store, "{sql}");
        }
    }

    #[tokio::test]
    async fn what_is_left_of_a_damaged_file_can_be_read() {
        let dir = Dir::new();
        let store: Store = Arc::new(SqliteCheckpointer::open(dir.file()).unwrap());
        let mut last = None;
        for _ in 0..50 {
            last = Some(put(&store, "s", last).await.unwrap());
        }
        drop(store);
        let mut bytes = fs::read(dir.file()).unwrap();
        bytes.truncate(bytes.len() - 4096);
        fs::write(dir.file(), &bytes).unwrap();
        assert!(SqliteCheckpointer::open(dir.file()).is_err());
        let store = SqliteCheckpointer::open_read_only(dir.file()).unwrap();
        assert_eq!(store.sessions(None, 10).await.unwrap(), ["s"]);
        let good = match store.latest("s").await {
            Ok(latest) => latest.unwrap().id,
            Err(error) => error.damage().unwrap().last_good.unwrap(),
        };
        assert_eq!(store.get(good).await.unwrap().unwrap().session, "s");
        let store: Store = Arc::new(store);
        assert!(put(&store, "t", None).await.is_err());
        assert_eq!(fs::read(dir.file()).unwrap(), bytes);
    }

    /// The tables as the first version made them, in a file with a write-ahead log.
    const FIRST: &str = "
        PRAGMA journal_mode = wal;
        CREATE TABLE checkpoint (
            id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, parent INTEGER,
            written TEXT NOT NULL, next TEXT NOT NULL, at_ms INTEGER NOT NULL,
            metadata TEXT NOT NULL, body TEXT NOT NULL
        ) STRICT;
        CREATE INDEX checkpoint_of_session ON checkpoint (session, id);
        CREATE TABLE call (
            number INTEGER PRIMARY KEY, session TEXT NOT NULL, key TEXT NOT NULL, id TEXT NOT NULL,
            tool TEXT NOT NULL, arguments TEXT NOT NULL, revision INTEGER NOT NULL,
            after INTEGER NOT NULL, outcome TEXT, UNIQUE (session, key)
        ) STRICT;
        PRAGMA application_id = 0x54777274;
        PRAGMA user_version = 1;
        INSERT INTO checkpoint VALUES (1, 'a', NULL, 'start', 'model', 5, '{\"k\": 1}', 'one');
        INSERT INTO checkpoint VALUES (2, 'b', NULL, 'start', 'model', 6, '{}', 'two');
        INSERT INTO checkpoint VALUES (3, 'a', 1, 'end', 'end', 7, '{}', 'three');
        INSERT INTO checkpoint VALUES (9, 'c', NULL, 'end', 'end', 8, '{}', 'gone');
        DELETE FROM checkpoint WHERE id = 9;
        INSERT INTO call VALUES (1, 'a', 'k2', 'c2', 'pay', '{}', 2, 1, '\"paid\"');
        INSERT INTO call VALUES (2, 'a', 'k1', 'c1', 'pay', '[]', 1, 1, NULL);
    ";

    #[tokio::test]
    async fn a_file_of_the_first_version_is_brought_up_to_date() {
        let dir = Dir::new();
        // As a program leaves it that is killed: with all of it in the log.
        let old = rusqlite::Connection::open(dir.0.join("old.db")).unwrap();
        old.execute_batch(FIRST).unwrap();
        fs::copy(dir.0.join("old.db"), dir.file()).unwrap();
        fs::copy(dir.0.join("old.db-wal"), dir.0.join("sessions.db-wal")).unwrap();
        drop(old);
        for _ in 0..2 {
            let store: Store = Arc::new(SqliteCheckpointer::open(dir.file()).unwrap());
            assert_eq!(store.sessions(None, 10).await.unwrap(), ["a", "b"]);
            let history = store.history("a").await.unwrap();
            let read: Vec<_> = history
                .iter()
                .map(|one| (one.id.get(), one.parent.map(CheckpointId::get), &*one.body))
                .collect();
            assert_eq!(read, [(1, None, "one"), (3, Some(1), "three")]);
            assert_eq!(history[0].metadata["k"], 1);
            assert_eq!(
                (history[1].written, history[1].next),
                (Written::End, Node::End)
            );
            let calls = store.calls("a").await.unwrap();
            let read: Vec<_> = calls
                .iter()
                .map(|one| (&*one.key, one.revision, one.outcome.as_deref()))
                .collect();
            assert_eq!(read, [("k2", 2, Some("\"paid\"")), ("k1", 1, None)]);
            assert!(!dir.0.join("sessions.db-wal").exists());
        }
        // No number is given again.
        let store: Store = Arc::new(SqliteCheckpointer::open(dir.file()).unwrap());
        assert_eq!(put(&store, "c", None).await.unwrap().get(), 10);
    }

    /// A file of the second version: checkpoints are whole, and there are no leases. Sums are those of that version.
    const SECOND: &str = include_str!("second.sql");

    #[tokio::test]
    async fn a_file_of_the_second_version_is_brought_up_to_date() {
        let dir = Dir::new();
        let old = rusqlite::Connection::open(dir.file()).unwrap();
        old.execute_batch(SECOND).unwrap();
        // One row of each kind was damaged before.
        let change = "UPDATE checkpoint SET body = '{}' WHERE session = 'damaged';
                      UPDATE call SET outcome = '2' WHERE session = 'call';";
        old.execute_batch(change).unwrap();
        drop(old);
        for _ in 0..2 {
            let store: Store = Arc::new(SqliteCheckpointer::open(dir.file()).unwrap());
            let sessions = store.sessions(None, 10).await.unwrap();
            assert_eq!(sessions, ["call", "damaged", "whole"]);
            let history = store.history("whole").await.unwrap();
            let read: Vec<_> = history
                .iter()
                .map(|one| (one.parent, one.written, one.next, one.at_ms, &*one.body))
                .collect();
            let first = history[0].id;
            let expected = [
                (None, Written::Start, Node::Model, 1, r#"{"a": 1}"#),
                (
                    Some(first),
                    Written::End,
                    Node::End,
                    2,
                    r#"{"a": 1, "b": 2}"#,
                ),
            ];
            assert_eq!(read, expected);
            assert_eq!(history[1].metadata["title"], "Øre");
            let record = store.calls("whole").await.unwrap().remove(0);
            assert_eq!((record.revision, record.outcome.as_deref()), (2, Some("1")));
            let error = store.latest("damaged").await.unwrap_err();
            let damage = error.damage().unwrap();
            assert!(
                matches!(damage.part, DamagedPart::Checkpoint(_)),
                "{damage}"
            );
            let error = store.calls("call").await.unwrap_err();
            assert_eq!(
                error.damage().unwrap().part,
                DamagedPart::Call("k".to_owned())
            );
            assert!(store.latest("call").await.unwrap().is_some());
        }
        let store: Store = Arc::new(SqliteCheckpointer::open(dir.file()).unwrap());
        let newest = store.latest("whole").await.unwrap().unwrap().id;
        put(&store, "whole", Some(newest)).await.unwrap();
        assert_eq!(store.history("whole").await.unwrap().len(), 3);
    }
}

/// Lets the conversation know what it was given.
#[tool]
fn remember(value: Nested, #[context] cx: &Context) -> bool {
    cx.update_state("value", value.0)
}

/// Any JSON.
#[derive(serde::Deserialize, Schema)]
#[serde(transparent)]
struct Nested(serde_json::Value);

#[tokio::test]
async fn what_a_model_nests_deeply_does_not_make_a_session_unreadable() {
    for (levels, noted) in [(64, true), (65, false), (120, false), (127, false)] {
        let store = MemoryCheckpointer::new();
        let value = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let call = ToolCall::new("c1", "remember", format!(r#"{{"value": {value}}}"#));
        let model = model([calls(&[call]), text("Done.")]);
        let agent = Agent::new(model, tools![remember]).checkpointer(store);
        agent.run(&mut asked("s"), &Context::new()).await.unwrap();
        let session = agent.state("s").await.unwrap().unwrap();
        assert_eq!(answers(&session)[0].1, noted.to_string(), "{levels}");
        assert_eq!(session.state().get("value").is_some(), noted, "{levels}");
    }
}
