//! Programs in a store: how often a call is written to the disk, and runs that end at each of their writes.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::store::{
    Begin, Begun, CallRecord, Checkpoint, CheckpointError, CheckpointId, Checkpointer, End, Keep,
    NewCheckpoint,
};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    Agent, AgentTool, MemoryCheckpointer, Model, ModelResponse, Node, RunEnd, Session,
    SqliteCheckpointer, ThreadMessage, handoff,
};
use toolwright::call::{BoxFuture, Cancel, Decision};
use toolwright::executor::PendingReason;
use toolwright::layers::{Handled, Layer, Next, Request};
use toolwright::{Context, Executor, Tool, ToolCall, Toolset, tool, tools};

use crate::{Log, agent, call_of, code_mode, text};

/// Must not happen twice.
#[tool]
fn note(n: i64, cx: &Context) -> i64 {
    if let Some(log) = cx.get::<Log>() {
        log.add(n.to_string());
    }
    n
}

fn run_code() -> Arc<dyn Tool> {
    let mode = code_mode(&tools![note]);
    let mode = mode.executor(|tools| Executor::parallel(tools, 8));
    mode.build().unwrap()
}

/// Returns the number of transactions that have changed the file: SQLite counts them in its header.
fn commits(file: &Path) -> u32 {
    let header = std::fs::read(file).unwrap();
    u32::from_be_bytes(header[24..28].try_into().unwrap())
}

/// Returns the number of commits of a session whose program is this one.
async fn commits_of(dir: &Path, name: &str, code: &str) -> u32 {
    let file = dir.join(name);
    let agent = agent(run_code(), vec![call_of(code)]);
    let agent = agent.checkpointer(SqliteCheckpointer::open(&file).unwrap());
    let before = commits(&file);
    let mut session = Session::with_id("s");
    session.say("Go!").unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Completed), "{:?}", run.end);
    assert!(
        text(&session).starts_with(r#"{"value":"#),
        "{}",
        text(&session)
    );
    commits(&file) - before
}

#[tokio::test]
async fn a_call_is_two_commits() {
    let dir = std::env::temp_dir().join(format!("toolwright-code-stored-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let code =
        |count: u32, body: &str| format!("import asyncio\nfor n in range({count}):\n    {body}\nn");
    let (one, both) = (
        "await note(n)",
        "await asyncio.gather(note(n), note(-n), note(7))",
    );
    let mut counts = Vec::new();
    for (at, (count, body)) in [(1, one), (11, one), (1, both), (11, both)]
        .into_iter()
        .enumerate()
    {
        counts.push(commits_of(&dir, &at.to_string(), &code(count, body)).await);
    }
    std::fs::remove_dir_all(&dir).unwrap();
    // Ten calls more, and thirty calls more.
    assert_eq!(counts[1] - counts[0], 20, "{counts:?}");
    assert_eq!(counts[3] - counts[2], 60, "{counts:?}");
    // The program itself: those of the agent's run, and the first and the last of the program's.
    assert!(counts[0] <= 8, "{counts:?}");
}

/// A store whose process ends at a write: before it, or behind it.
#[derive(Clone)]
struct Dying {
    store: MemoryCheckpointer,
    writes: Arc<AtomicUsize>,
    /// The last write, and what becomes of it.
    last: (usize, Last),
    cancel: Cancel,
    /// A checkpoint and the call that begins with it are one write.
    is_one: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Last {
    NotDone,
    Done,
    /// It fails, and later ones do not.
    Failed,
    Panicked,
    /// It takes a while.
    Slow,
    /// The run is cancelled while it waits for the write.
    Cancelled,
}

impl Dying {
    async fn write<T>(
        &self,
        write: impl Future<Output = Result<T, CheckpointError>>,
    ) -> Result<T, CheckpointError> {
        let number = self.writes.fetch_add(1, Ordering::SeqCst);
        let (last, end) = self.last;
        assert!(
            end != Last::Panicked || number != last,
            "the store is broken"
        );
        if end == Last::Slow {
            if number == last {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            return write.await;
        }
        if matches!(end, Last::Failed | Last::Panicked) {
            let failed = CheckpointError::store("the disk is full");
            return if number == last {
                Err(failed)
            } else {
                write.await
            };
        }
        if end == Last::Cancelled {
            let written = write.await;
            if number == last {
                self.cancel.cancel();
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            return written;
        }
        if number > last || (number == last && end == Last::NotDone) {
            return std::future::pending().await;
        }
        let written = write.await;
        if number == last {
            return std::future::pending().await;
        }
        written
    }

    fn is_dead(&self) -> bool {
        matches!(self.last.1, Last::NotDone | Last::Done)
            && self.writes.load(Ordering::SeqCst) > self.last.0
    }
}

impl Checkpointer for Dying {
    fn put<'a>(
        &'a self,
        new: NewCheckpoint<'a>,
    ) -> BoxFuture<'a, Result<CheckpointId, CheckpointError>> {
        Box::pin(self.write(self.store.put(new)))
    }

    fn put_and_begin<'a>(
        &'a self,
        new: NewCheckpoint<'a>,
        begin: Begin<'a>,
    ) -> BoxFuture<'a, Result<(CheckpointId, Option<Begun>), CheckpointError>> {
        Box::pin(async move {
            if !self.is_one {
                return Ok((self.put(new).await?, None));
            }
            let write = async {
                let after = self.store.put(new).await?;
                let begin = Begin { after, ..begin };
                Ok((after, Some(self.store.begin_call(begin).await?)))
            };
            self.write(write).await
        })
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
        Box::pin(self.write(self.store.begin_call(begin)))
    }

    fn end_call<'a>(&'a self, end: End<'a>) -> BoxFuture<'a, Result<(), CheckpointError>> {
        Box::pin(self.write(self.store.end_call(end)))
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

    fn calls<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<CallRecord>, CheckpointError>> {
        self.store.calls(session)
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
}

fn store_that_ends(store: &MemoryCheckpointer, last: (usize, Last)) -> Dying {
    Dying {
        store: store.clone(),
        writes: Arc::default(),
        last,
        cancel: Cancel::new(),
        is_one: true,
    }
}

/// Some calls alone, some at once, one that fails before it begins, and times that the arguments depend on.
const CODE: &str = "
import asyncio
from datetime import datetime
total = await note(1)
total += sum(await asyncio.gather(note(2), note(3), note(4)))
try:
    await note('five')
except ValueError:
    total += await note(datetime.now().year)
year = datetime.now().year
answer = await helper(str(year))
if answer != str(year):
    raise ValueError(f'asked about {year}, answered {answer}')
total += year + await note(6)
total";

/// Makes one call of `run_code`, and ends.
struct Outer;

impl Model for Outer {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let is_answered = request.thread.messages().len() > 1;
        Box::pin(async move {
            Ok(if is_answered {
                ModelResponse::text("done")
            } else {
                ModelResponse::calls([call_of(CODE)])
            })
        })
    }
}

/// Notes the number that it is asked about, and repeats it.
struct Helper;

impl Model for Helper {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let response = match request.thread.messages() {
            [.., ThreadMessage::Tool(answer)] => ModelResponse::text(answer.text.clone()),
            [.., ThreadMessage::User { text }] => {
                let arguments = format!(r#"{{"n":{text}}}"#);
                ModelResponse::calls([ToolCall::new("h", "note", arguments)])
            }
            _ => ModelResponse::text("nothing"),
        };
        Box::pin(async move { Ok(response) })
    }

    fn __is_computed(&self) -> bool {
        true
    }
}

fn helped() -> Toolset {
    let helper = Agent::new(Helper, &tools![note]);
    let helper = AgentTool::new(helper, "helper", "Notes a number.").build();
    let helper: Arc<dyn Tool> = helper.unwrap();
    tools![note]
        .merge(&Toolset::new([helper]).unwrap())
        .unwrap()
}

/// Waits until the process has ended.
async fn dies(store: &Dying) {
    while !store.is_dead() {
        tokio::time::sleep(Duration::from_micros(200)).await;
    }
}

/// Runs the session, with the store that ends it at a write if it is one. Returns the number of the calls that a person decided.
async fn run(store: &Dying, log: &Log) -> Option<usize> {
    let clock = log.clone();
    let mode = code_mode(&helped()).executor(|tools| Executor::parallel(tools, 8));
    let mode = mode.clock(move || {
        // Each process has another year.
        let years = clock.all().len() as u64;
        std::time::SystemTime::UNIX_EPOCH + Duration::from_hours(24 * 366 * (1 + years))
    });
    let executor = Executor::serial(Toolset::new([mode.build().unwrap()]).unwrap());
    let agent = Agent::with_executor(Outer, executor).checkpointer(store.clone());
    let cx = Context::new().with(log.clone());
    let cx = cx.with_cancel(store.cancel.clone());
    let work = async {
        let mut session = agent.state("s").await.unwrap().unwrap_or_else(|| {
            let mut session = Session::with_id("s");
            session.say("Go!").unwrap();
            session
        });
        let mut decided = 0;
        loop {
            let run = agent.run(&mut session, &cx).await.unwrap();
            match run.end {
                RunEnd::Completed => return (session, Some(decided)),
                RunEnd::Cancelled => return (session, None),
                RunEnd::Pending => {}
                end => panic!("{end:?}"),
            }
            for one in agent.waiting(&session, &cx) {
                if !matches!(one.reason, PendingReason::OutcomeUnknown(_)) {
                    continue;
                }
                let arguments: serde_json::Value =
                    serde_json::from_str(one.arguments.as_ref().unwrap()).unwrap();
                let n = arguments["n"].as_i64().unwrap();
                let decision = if log.all().contains(&n.to_string()) {
                    Decision::Answer(n.into())
                } else {
                    Decision::Approve
                };
                session.decide(&one, decision).unwrap();
                decided += 1;
            }
        }
    };
    tokio::select! {
        (session, decided) = work => {
            let decided = decided?;
            let logged = log.take();
            let mut sorted = logged.clone();
            sorted.sort();
            sorted.dedup();
            assert_eq!(sorted.len(), logged.len(), "{logged:?}");
            assert_eq!(logged.len(), 7, "{logged:?}");
            let total: i64 = logged.iter().map(|n| n.parse::<i64>().unwrap()).sum();
            assert_eq!(text(&session), format!(r#"{{"value":{total}}}"#));
            Some(decided)
        }
        () = dies(store) => None,
    }
}

#[tokio::test]
async fn a_process_may_end_at_each_write() {
    for is_one in [true, false] {
        a_process_ends_at_each_write(is_one).await;
    }
}

async fn a_process_ends_at_each_write(is_one: bool) {
    let (mut number, mut decided) = (0, 0);
    loop {
        let mut is_over = false;
        for end in [Last::NotDone, Last::Done] {
            let store = MemoryCheckpointer::new();
            let log = Log::default();
            let mut dying = store_that_ends(&store, (number, end));
            dying.is_one = is_one;
            if run(&dying, &log).await.is_some() {
                is_over = true;
                continue;
            }
            let lives = store_that_ends(&store, (usize::MAX, Last::Done));
            decided += run(&lives, &log).await.unwrap();
        }
        if is_over {
            break;
        }
        number += 1;
    }
    // Each of the seven calls is asked about if its process ended behind its begin, or before its end.
    assert!((14..=20).contains(&decided), "{decided}");
    assert!(number > 20, "{number}");
}

#[tokio::test]
async fn a_run_may_be_cancelled_at_each_write() {
    for number in 0.. {
        let (store, log) = (MemoryCheckpointer::new(), Log::default());
        // No run ends with an error.
        let dying = store_that_ends(&store, (number, Last::Cancelled));
        if run(&dying, &log).await.is_some() && !dying.cancel.is_cancelled() {
            assert!(number > 20, "{number}");
            break;
        }
        let mut logged = log.take();
        let count = logged.len();
        logged.sort();
        logged.dedup();
        assert_eq!(logged.len(), count, "{logged:?}");
    }
}

#[tokio::test]
async fn a_computed_model_may_be_cancelled_at_each_write() {
    for number in 0..6 {
        let (store, log) = (MemoryCheckpointer::new(), Log::default());
        let dying = store_that_ends(&store, (number, Last::Cancelled));
        let agent = Agent::new(Helper, &tools![note]).checkpointer(dying.clone());
        let cx = Context::new().with(log.clone());
        let cx = cx.with_cancel(dying.cancel.clone());
        let mut session = Session::with_id("s");
        session.say("5").unwrap();
        let run = agent.run(&mut session, &cx).await.unwrap();
        let is_cancelled = dying.cancel.is_cancelled();
        assert_eq!(is_cancelled, number < 4, "{number}");
        assert!(!is_cancelled || matches!(run.end, RunEnd::Cancelled | RunEnd::Completed));
        // The session knows its newest checkpoint.
        let _ = agent
            .run(&mut session, &Context::new().with(log.clone()))
            .await
            .unwrap();
        assert!(log.take().len() <= 1);
    }
}

#[tokio::test]
async fn a_session_goes_on_after_a_write_that_was_not_done() {
    for (number, end) in (0..6).flat_map(|n| [(n, Last::NotDone), (n, Last::Failed)]) {
        let (store, log) = (MemoryCheckpointer::new(), Log::default());
        let mut dying = store_that_ends(&store, (number, end));
        dying.is_one = false;
        let agent = Agent::new(Helper, &tools![note]).checkpointer(dying.clone());
        let cx = Context::new().with(log.clone());
        let mut session = Session::with_id("s");
        session.say("5").unwrap();
        let ran = tokio::select! {
            ran = agent.run(&mut session, &cx) => ran.is_ok(),
            () = dies(&dying) => false,
        };
        assert_eq!(ran, number == 5, "{number}");
        // The session knows its newest checkpoint.
        let agent = Agent::new(Helper, &tools![note]).checkpointer(store);
        let _ = agent.run(&mut session, &cx).await.unwrap();
        assert!(log.take().len() <= 1);
    }
}

#[tokio::test]
async fn a_store_that_panics_ends_the_run() {
    for is_one in [true, false] {
        let (store, log) = (MemoryCheckpointer::new(), Log::default());
        // The write of the response.
        let mut dying = store_that_ends(&store, (1, Last::Panicked));
        dying.is_one = is_one;
        let agent = Agent::new(Helper, &tools![note]).checkpointer(dying);
        let cx = Context::new().with(log.clone());
        let mut session = Session::with_id("s");
        session.say("5").unwrap();
        let error = agent.run(&mut session, &cx).await.unwrap_err();
        assert!(error.to_string().contains("the store is broken"), "{error}");
        assert!(log.all().is_empty());
        let run = agent.run(&mut session, &cx).await.unwrap();
        assert_eq!((run.text(), log.take()), (Some("5"), vec!["5".to_owned()]));
    }
}

/// Gives a call up twice that takes longer than this, and makes it again.
struct Impatient(Duration);

impl Layer for Impatient {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            for _ in 0..2 {
                let handled = tokio::time::timeout(self.0, next.run(request.clone()));
                if let Ok(handled) = handled.await {
                    return handled;
                }
            }
            next.run(request).await
        })
    }
}

#[tokio::test]
async fn a_call_that_was_given_up_before_it_began_is_made_again() {
    let (store, log) = (MemoryCheckpointer::new(), Log::default());
    // The write of the response and of the call's record.
    let slow = store_that_ends(&store, (1, Last::Slow));
    let executor = Executor::serial(tools![note]).layer(Impatient(Duration::from_millis(5)));
    let agent = Agent::with_executor(Helper, executor).checkpointer(slow);
    let mut session = Session::with_id("s");
    session.say("5").unwrap();
    let cx = Context::new().with(log.clone());
    let run = agent.run(&mut session, &cx).await.unwrap();
    assert_eq!((run.text(), log.take()), (Some("5"), vec!["5".to_owned()]));
    assert_eq!(store.calls("s").await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_hand_over_to_a_computed_model_is_saved() {
    let store = MemoryCheckpointer::new();
    let call = ToolCall::new("c", "transfer_to_helper", "{}");
    let model = ScriptedModel::new([Ok(ModelResponse::calls([call]))]);
    let tools = Toolset::new([handoff("helper", "Notes.").unwrap()]).unwrap();
    let agent = Agent::new(model, &tools).peer("helper", Agent::new(Helper, Toolset::default()));
    let agent = agent.checkpointer(store.clone());
    let mut session = Session::with_id("s");
    session.say("Go!").unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("{\"agent\":\"helper\"}"));
    let history = store.history("s").await.unwrap();
    let nodes: Vec<_> = history.iter().map(|checkpoint| checkpoint.next).collect();
    assert_eq!(nodes, [Node::Model, Node::Tools, Node::Model, Node::End]);
}
