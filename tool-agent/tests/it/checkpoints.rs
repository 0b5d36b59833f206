//! What is kept of sessions, and what becomes of calls in whose midst a program ends.
// A test that finds less than it expects has failed.
// Steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Map, json};
use tokio::sync::Notify;
use toolwright::agent::model::ModelError;
use toolwright::agent::store::{
    Begin, Begun, CallRecord, Checkpoint, CheckpointError, CheckpointId, Checkpointer, DamagedPart,
    End, Keep, Lease, NewCheckpoint, Written,
};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    Agent, AgentError, ModelResponse, Node, RunEnd, Session, Status, ThreadMessage,
};
use toolwright::call::BoxFuture;
use toolwright::executor::PendingReason;
use toolwright::layers::Retry;
use toolwright::{
    Context, Executor, Outcome, Schema, ToolCall, ToolError, Toolset,
    call::{Block, Content, Decision, ErrorKind, HaltReason, State},
    executor::{ErrorPolicy, UnknownOutcome},
    tool, tools,
};

use crate::kept::{Store, stores, stores_without_leases};
use crate::waits::dropped_at;

pub(crate) fn call(id: &str, name: &str) -> ToolCall {
    ToolCall::new(id, name, "{}")
}

pub(crate) fn calls(calls: &[ToolCall]) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::calls(calls.iter().cloned()))
}

pub(crate) fn text(text: &str) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::text(text))
}

pub(crate) fn model(
    steps: impl IntoIterator<Item = Result<ModelResponse, ModelError>>,
) -> ScriptedModel {
    ScriptedModel::new(steps)
}

pub(crate) fn asked(id: &str) -> Session {
    let mut session = Session::with_id(id);
    session.say("Go!").unwrap();
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

/// How often each tool ran.
#[derive(Default)]
pub(crate) struct Ran {
    pay: AtomicUsize,
    look: AtomicUsize,
    upsert: AtomicUsize,
    hang: AtomicUsize,
    /// A tool hangs.
    hangs: Notify,
}

impl Ran {
    async fn hang(&self) {
        self.hangs.notify_one();
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

pub(crate) fn effects(ran: &Arc<Ran>) -> Toolset {
    tools![pay, look, upsert, hang; state = Arc::clone(ran)]
}

/// Puts a checkpoint with nothing in it.
pub(crate) async fn put(
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
    for (store, _dir) in stores().await {
        let ran = Arc::new(Ran::default());
        let script = [calls(&[call("c1", "pay")]), text("Paid.")];
        let agent = Agent::new(model(script), effects(&ran))
            .checkpointer(Arc::clone(&store))
            .metadata("app", "test");
        assert!(agent.state("s").await.unwrap().is_none());
        assert!(agent.history("s").await.unwrap().is_empty());
        let mut session = asked("s");
        assert_eq!(session.checkpoint(), None);
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();

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
        assert_eq!(kept.status(), Status::Completed);
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
    for (store, _dir) in stores().await {
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
        assert_eq!(kept.status(), Status::Interrupted { node });
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
    for (store, _dir) in stores().await {
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

        let _ = agent.run(&mut asked("s"), &Context::new()).await.unwrap();
        let session = agent.update_state("s", |session| {
            session.set_state(State::new().with("tier", "gold"));
            session.say("Do it!")
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
    for (store, _dir) in stores().await {
        let script = [text("Hello."), text("Hello again.")];
        let scripted = model(script);
        let agent = Agent::new(scripted.clone(), Toolset::default()).checkpointer(store);
        let _ = agent.run(&mut asked("s"), &Context::new()).await.unwrap();

        let mut session = agent.state("s").await.unwrap().unwrap();
        assert_eq!(
            (session.next(), session.run_id().as_str()),
            (Node::End, "s/1")
        );
        session.say("Again!").unwrap();
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
    for (store, _dir) in stores().await {
        let ran = Arc::new(Ran::default());
        let script = [
            calls(&[call("c1", "pay")]),
            text("Paid."),
            text("Paid once more."),
            calls(&[call("c1", "pay")]),
            text("Paid twice."),
        ];
        let agent = Agent::new(model(script), effects(&ran)).checkpointer(store);
        let _ = agent.run(&mut asked("s"), &Context::new()).await.unwrap();
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
    for (store, _dir) in stores_without_leases().await {
        let ran = Arc::new(Ran::default());
        let script = [
            calls(&[call("c1", "pay"), call("c2", "pay")]),
            text("Paid."),
        ];
        let agent = Agent::new(model(script), effects(&ran))
            .checkpointer(store)
            .interrupt_before(Node::Tools);
        let _ = agent.run(&mut asked("s"), &Context::new()).await.unwrap();
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
    for (store, _dir) in stores_without_leases().await {
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
        assert_eq!(whys, [(1, &unknown())]);

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
fn unknown() -> PendingReason {
    let why = "the program ended while this call ran; it is not known whether it took effect";
    PendingReason::OutcomeUnknown(why.to_owned())
}

/// The revision of the first call's record that an approval is bound to.
fn revision(session: &Session) -> Option<u64> {
    serde_json::to_value(session).unwrap()["waits"][0]["record"].as_u64()
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
    dropped_at(&ran.hangs, agent.run(&mut asked("s"), &Context::new())).await;
    drop(agent);
    let agent = Agent::new(model(rest), effects(ran))
        .checkpointer(Arc::clone(store))
        .on_unknown_outcome(policy);
    let resumed = agent.resume("s", &Context::new()).await;
    (agent, resumed)
}

#[tokio::test]
async fn what_has_run_is_not_run_again() {
    for (store, _dir) in stores().await {
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
    for (store, _dir) in stores().await {
        let ran = Arc::new(Ran::default());
        let turn = [call("c1", "hang"), call("c2", "pay")];
        let rest = vec![text("Done.")];
        let (agent, resumed) = crashed(&store, &ran, &turn, rest, UnknownOutcome::Ask).await;
        let (session, run) = resumed.unwrap();
        assert!(matches!(run.end, RunEnd::Pending));
        assert_eq!(session.status(), Status::AwaitingTools);
        let pending = session.pending();
        assert_eq!((pending.len(), &*pending[0].call.id), (1, "c1"));
        assert_eq!(
            (&pending[0].reason, revision(&session)),
            (&unknown(), Some(1))
        );
        assert_eq!(ran.all(), [1, 0, 0, 1]);
        let stored = serde_json::to_string(&session).unwrap();

        // Somebody knows what came of it.
        let mut known: Session = serde_json::from_str(&stored).unwrap();
        assert!(known.decide("c2", Decision::Approve).is_err());
        known.submit("c1", "it was done").unwrap();
        assert_eq!(known.status(), Status::Idle);

        // Or lets it run again: that counts for this time alone.
        let mut session: Session = serde_json::from_str(&stored).unwrap();
        session.decide("c1", Decision::Approve).unwrap();
        ran.hang.store(0, Ordering::SeqCst);
        dropped_at(&ran.hangs, agent.run(&mut session, &Context::new())).await;
        let (mut session, _) = agent.resume("s", &Context::new()).await.unwrap();
        assert_eq!(
            (&session.pending()[0].reason, revision(&session)),
            (&unknown(), Some(2))
        );
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
    for (store, _dir) in stores().await {
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
    for (store, _dir) in stores().await {
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
                // A number that JSON cannot hold is an error, too.
                _ if place == 9 && !wrapped => vec![],
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
            dropped_at(&ran.hangs, agent.run(&mut asked("s"), &Context::new())).await;
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
    for (store, _dir) in stores().await {
        let ran = Arc::new(Ran::default());
        let tools = tools![flaky; state = Arc::clone(&ran)];
        let wait = std::time::Duration::ZERO;
        let executor = Executor::serial(tools).layer(Retry::new(3).backoff(wait, wait));
        let script = [calls(&[call("c1", "flaky")]), text("Done.")];
        let agent = Agent::with_executor(model(script), executor).checkpointer(Arc::clone(&store));
        let mut session = asked("s");
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(answers(&session), [(0, "now".to_owned(), false)]);
        assert_eq!(ran.all()[2], 2);
        let records = store.calls("s").await.unwrap();
        assert_eq!((records.len(), records[0].revision), (1, 4));
        assert!(records[0].outcome.as_ref().unwrap().contains("now"));
    }
}

/// A store that does all but record calls: it fails as a call begins, or as one ends.
struct Broken {
    store: Store,
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

    fn delete_checkpoint<'a>(
        &'a self,
        session: &'a str,
        id: CheckpointId,
    ) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        self.store.delete_checkpoint(session, id)
    }

    fn send<'a>(
        &'a self,
        session: &'a str,
        message: &'a str,
    ) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        self.store.send(session, message)
    }

    fn inbox<'a>(
        &'a self,
        session: &'a str,
        after: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<String>, CheckpointError>> {
        self.store.inbox(session, after, most)
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
        for (store, _kept) in stores().await {
            let ran = Arc::new(Ran::default());
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
                assert_eq!(
                    (&session.pending()[0].reason, revision(&session)),
                    (&unknown(), Some(1))
                );
                assert_eq!(ran.all()[0], 2);
            }
        }
    }
}

#[tokio::test]
async fn what_is_damaged_is_said_to_be() {
    for (store, _kept) in stores().await {
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

        // A record that is not an outcome.
        let ran = Arc::new(Ran::default());
        let turn = [call("c1", "hang")];
        assert!(store.delete("s").await.unwrap());
        let agent =
            Agent::new(model([calls(&turn)]), effects(&ran)).checkpointer(Arc::clone(&store));
        dropped_at(&ran.hangs, agent.run(&mut asked("s"), &Context::new())).await;
        end_call(&store, "s/1/0/0/c1", "{}").await;
        let error = agent.resume("s", &Context::new()).await.unwrap_err();
        let words = error.to_string();
        let begins = "the record of the call `s/1/0/0/c1` of the session `s` is damaged: ";
        assert!(words.starts_with(begins), "{words}");
    }
}

#[tokio::test]
async fn what_another_version_wrote_is_not_read_and_not_called_damaged() {
    for (store, _kept) in stores().await {
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
        assert_eq!(body["form"], 2);
        let agent = Agent::new(model([]), Toolset::default()).checkpointer(Arc::clone(&store));
        let unreadable = |error: AgentError| match error {
            AgentError::Checkpoint(CheckpointError::Unreadable(words)) => words,
            error => panic!("{error:?}"),
        };
        for form in [1, 3] {
            body["form"] = form.into();
            let id = format!("of form {form}");
            let number = put(&id, &body).await;
            let words = format!(
                "checkpoint {number} of the session `{id}` cannot be read: it is of form {form}; this program knows form 2"
            );
            for _ in 0..2 {
                assert_eq!(unreadable(agent.state(&id).await.unwrap_err()), words);
                let error = agent.resume(&id, &Context::new()).await.unwrap_err();
                assert_eq!(unreadable(error), words);
            }
            // Nothing of it is lost.
            let kept = store.latest(&id).await.unwrap().unwrap().body;
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&kept).unwrap(),
                body
            );
        }

        // An outcome.
        let ran = Arc::new(Ran::default());
        let turn = [call("c1", "hang")];
        let agent =
            Agent::new(model([calls(&turn)]), effects(&ran)).checkpointer(Arc::clone(&store));
        dropped_at(&ran.hangs, agent.run(&mut asked("s"), &Context::new())).await;
        let key = "s/1/0/0/c1";
        let outcome = r#"{"form": 7, "answer": 5}"#;
        end_call(&store, key, outcome).await;
        let error = agent.resume("s", &Context::new()).await.unwrap_err();
        let words = format!(
            "the record of the call `{key}` cannot be read: it is of form 7; this program knows form 2"
        );
        assert_eq!(unreadable(error), words);
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
        for (store, _kept) in stores().await {
            let value = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
            let call = ToolCall::new("c1", "remember", format!(r#"{{"value": {value}}}"#));
            let model = model([calls(&[call]), text("Done.")]);
            let agent = Agent::new(model, tools![remember]).checkpointer(store);
            let _ = agent.run(&mut asked("s"), &Context::new()).await.unwrap();
            let session = agent.state("s").await.unwrap().unwrap();
            assert_eq!(answers(&session)[0].1, noted.to_string(), "{levels}");
            assert_eq!(session.state().get("value").is_some(), noted, "{levels}");
        }
    }
}
