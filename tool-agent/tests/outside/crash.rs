//! Programs that are killed in the midst of an agent's run, and others that go on; see
//! `tests/outside/crash.sh`.
//!
//! `crash <runs> <seed> <dir>` starts itself as `crash child …` again and again, kills it at random
//! moments, and looks at what is left: in the SQLite file, and in a file to which the tools append a
//! line for each effect that they have.
// Whoever finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use toolwright::agent::model::{DeltaSink, ModelError, ModelErrorKind, ModelRequest};
use toolwright::agent::session::SessionError;
use toolwright::agent::store::{CheckpointError, Checkpointer};
use toolwright::agent::{
    Agent, AgentError, Model, ModelResponse, RunEnd, Session, SqliteCheckpointer, Status,
    ThreadMessage,
};
use toolwright::call::{BoxFuture, Decision, StoredOutcome};
use toolwright::executor::OpenCallState;
use toolwright::executor::PendingReason;
use toolwright::{Context, Executor, Outcome, ToolCall, Toolset, tool, tools};

/// Rounds of tools in a session.
const ROUNDS: usize = 3;
/// What is done in each round, in this order.
const TURN: [&str; 5] = ["pay", "upsert", "look", "pay", "later"];
/// Programs that run at once.
const WORKERS: u64 = 4;
/// A child that met a conflict ends with this.
const CONFLICT: u8 = 3;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["child", dir, session, seed] => child(Path::new(dir), session, seed.parse().unwrap()),
        [runs, seed, dir] => {
            let (runs, seed) = (runs.parse().unwrap(), seed.parse().unwrap());
            drive(runs, seed, Path::new(dir))
        }
        _ => panic!("usage: crash <runs> <seed> <dir>"),
    }
}

/// Numbers that look random, the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % most
    }
}

/// The file of effects: a line each, on the disk before the tool goes on.
struct Effects {
    path: PathBuf,
    random: AtomicU64,
}

impl Effects {
    /// Does what cannot be undone, some time after it was asked to, and some time before it says so.
    async fn append(&self, tool: &str, cx: &Context) -> std::io::Result<String> {
        let key = cx.idempotency_key().unwrap_or_default();
        let seed = self.random.fetch_add(1, Ordering::Relaxed);
        let mut random = Random(seed.wrapping_mul(77_777));
        tokio::time::sleep(Duration::from_micros(random.below(3000))).await;
        let line = format!("{tool} {key}\n");
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&self.path)?;
        file.write_all(line.as_bytes())?;
        file.sync_data()?;
        tokio::time::sleep(Duration::from_micros(random.below(3000))).await;
        Ok(key)
    }
}

/// Must not happen twice.
#[tool(destructive)]
async fn pay(#[state] effects: &Effects, #[context] cx: &Context) -> std::io::Result<String> {
    effects.append("pay", cx).await
}

/// May happen twice.
#[tool(idempotent)]
async fn upsert(#[state] effects: &Effects, #[context] cx: &Context) -> std::io::Result<String> {
    effects.append("upsert", cx).await
}

/// Changes nothing.
#[tool(read_only)]
async fn look() -> &'static str {
    tokio::time::sleep(Duration::from_millis(1)).await;
    "seen"
}

/// Must not happen twice, and is told later.
#[tool(destructive, background)]
async fn later(#[state] effects: &Effects, #[context] cx: &Context) -> std::io::Result<String> {
    effects.append("later", cx).await
}

/// Calls all of [`TURN`] in each round, as the thread says which one it is.
struct Rounds;

impl Model for Rounds {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let checked = request.thread.check();
        let messages = request.thread.messages().iter();
        let round = messages
            .filter(|message| !message.tool_calls().is_empty())
            .count();
        Box::pin(async move {
            checked.map_err(|error| ModelError::new(ModelErrorKind::Refused, error.to_string()))?;
            tokio::time::sleep(Duration::from_micros(500)).await;
            if round == ROUNDS {
                return Ok(ModelResponse::text("All is paid."));
            }
            // Ids as some providers make them: the same in each turn.
            let calls = TURN.iter().enumerate();
            let calls =
                calls.map(|(place, name)| ToolCall::new(format!("call_{place}"), *name, "{}"));
            Ok(ModelResponse::calls(calls))
        })
    }
}

fn store(dir: &Path) -> SqliteCheckpointer {
    SqliteCheckpointer::open(dir.join("sessions.db")).unwrap()
}

fn effects(dir: &Path, session: &str) -> PathBuf {
    dir.join(format!("{session}.effects"))
}

/// The lines of the file of effects, and how often each stands there. A line that was cut off has
/// happened too.
fn happened(dir: &Path, session: &str) -> BTreeMap<String, usize> {
    let text = fs::read_to_string(effects(dir, session)).unwrap_or_default();
    let mut lines = BTreeMap::new();
    for line in text.lines() {
        *lines.entry(line.to_owned()).or_default() += 1;
    }
    lines
}

/// Begins or goes on with a session until it has come to its end.
fn child(dir: &Path, id: &str, seed: u64) -> ExitCode {
    let tools: Toolset = tools![pay, upsert, look, later; state = Arc::new(Effects {
        path: effects(dir, id),
        random: AtomicU64::new(seed),
    })];
    let executor = match seed % 2 {
        0 => Executor::serial(tools),
        _ => Executor::parallel(tools, 3),
    };
    let agent = Agent::with_executor(Rounds, executor).checkpointer(store(dir));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    match runtime.block_on(go_on(&agent, dir, id)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(AgentError::Checkpoint(CheckpointError::Conflict { .. })) => ExitCode::from(CONFLICT),
        Err(error) => panic!("{id}: {error}"),
    }
}

async fn go_on(agent: &Agent, dir: &Path, id: &str) -> Result<(), AgentError> {
    let mut session = match agent.state(id).await? {
        Some(session) => session,
        None => {
            let mut session = Session::with_id(id);
            session.say("Pay!")?;
            session
        }
    };
    // Two that are to meet hold the same checkpoint before either goes on.
    if dir.join(format!("{id}.meet")).exists() {
        fs::write(dir.join(format!("{id}.{}", std::process::id())), "").unwrap();
        while dir.join(format!("{id}.meet")).exists() {
            thread::sleep(Duration::from_millis(1));
        }
    }
    loop {
        if matches!(session.status(), Status::AwaitingTools) {
            decide(&mut session, &happened(dir, id))?;
        }
        match agent.run(&mut session, &Context::new()).await?.end {
            RunEnd::Completed if session.open().is_empty() => return Ok(()),
            RunEnd::Completed => settle_open(&session, dir, id).await,
            RunEnd::Pending => {}
            other => panic!("{id}: {other:?}"),
        }
    }
}

/// Waits for a result of an open call, or somebody says what came of those of unknown outcome.
async fn settle_open(session: &Session, dir: &Path, id: &str) {
    let open = session.open();
    let mut is_known = false;
    for call in open.list() {
        if let OpenCallState::Unknown(_) = call.state {
            let line = format!("later {}", call.key);
            if !happened(dir, id).contains_key(&line) {
                // Nothing of it runs any more, so it is done by hand.
                let file = OpenOptions::new()
                    .append(true)
                    .create(true)
                    .open(effects(dir, id));
                let mut file = file.unwrap();
                file.write_all(format!("{line}\n").as_bytes()).unwrap();
                file.sync_data().unwrap();
            }
            let known = StoredOutcome::new(&call.call, &Ok(Outcome::value(&call.key))).unwrap();
            open.end(&call.key, known).await.unwrap();
            is_known = true;
        }
    }
    if !is_known {
        session.queue().arrived().await;
    }
}

/// The idempotency key of a call of the last turn.
fn key(session: &Session, place: usize, id: &str) -> String {
    let turns = session.thread().messages().iter();
    let turns = turns.filter(|message| !message.tool_calls().is_empty());
    let turn = turns.count() - 1;
    format!("{}/{turn}/{place}/{id}", session.run_id())
}

/// Whether the key is that of the call with this first key, or of the same call that was approved again.
fn is_attempt(key: &str, first: &str) -> bool {
    key.split('#').next() == Some(first)
}

/// Somebody looks whether the effect is there.
fn decide(session: &mut Session, happened: &BTreeMap<String, usize>) -> Result<(), SessionError> {
    for pending in session.pending() {
        let place = pending.index;
        match pending.reason {
            // Its turn to run comes once the others are decided.
            PendingReason::NotRun => continue,
            PendingReason::OutcomeUnknown(_) => {}
            other => panic!("{place}: {other:?}"),
        }
        let name = &*pending.call.name;
        assert!(
            matches!(name, "pay" | "later"),
            "what may run again is not asked about"
        );
        let first = key(session, place, &pending.call.id);
        let done = happened
            .keys()
            .filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let decided = match done.into_iter().find(|key| is_attempt(key, &first)) {
            Some(key) => session.submit(place, key),
            None => session.decide(place, Decision::Approve),
        };
        match decided {
            // A program that was killed had stored the decision. It stands.
            Err(SessionError::Decided(_)) => {}
            decided => decided?,
        }
    }
    Ok(())
}

/// What was seen in all runs.
#[derive(Default)]
struct Counts {
    kills: AtomicU64,
    /// Calls that had ended when their program did, and were in no checkpoint.
    ended: AtomicU64,
    /// Calls that had begun.
    begun: AtomicU64,
    conflicts: AtomicU64,
    repeated: AtomicU64,
}

fn drive(runs: u64, seed: u64, dir: &Path) -> ExitCode {
    let counts = Counts::default();
    let next = AtomicU64::new(0);
    let start = Instant::now();
    thread::scope(|scope| {
        let work = || {
            loop {
                let run = next.fetch_add(1, Ordering::Relaxed);
                if run >= runs {
                    break;
                }
                let mut random = Random(seed.wrapping_add(run.wrapping_mul(1_000_003)));
                one_run(dir, &format!("s{run}"), &mut random, &counts);
            }
        };
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            worker.join().expect("a run failed");
        }
    });
    let [kills, ended, begun, conflicts, repeated] = [
        &counts.kills,
        &counts.ended,
        &counts.begun,
        &counts.conflicts,
        &counts.repeated,
    ]
    .map(|count| count.load(Ordering::Relaxed));
    println!(
        "{runs} runs in {} s: {kills} kills left {ended} calls that had ended and {begun} that had \
         begun outside of any checkpoint; {repeated} idempotent effects happened again; {conflicts} \
         programs met a conflict",
        start.elapsed().as_secs()
    );
    // Otherwise the moments were not the right ones, and nothing was shown.
    let shown = runs < 100
        || [kills, ended, begun, conflicts]
            .iter()
            .all(|count| *count > 0);
    assert!(shown, "too little happened");
    ExitCode::SUCCESS
}

/// A session, killed a few times, and what must hold when it has come to its end.
fn one_run(dir: &Path, id: &str, random: &mut Random, counts: &Counts) {
    for _ in 0..=random.below(3) {
        let mut child = spawn(dir, id, random);
        // The longest runs take about this long where nothing disturbs them.
        thread::sleep(Duration::from_micros(random.below(120_000)));
        let ended = child.try_wait().unwrap();
        child.kill().unwrap();
        let status = child.wait().unwrap();
        assert!(ended.is_none_or(|ended| ended.success()), "{id}: {status}");
        if !status.success() {
            counts.kills.fetch_add(1, Ordering::Relaxed);
        }
        look_at(dir, id, counts);
    }
    meet(dir, id, random, counts);
    let status = spawn(dir, id, random).wait().unwrap();
    assert!(status.success(), "{id}: {status}");
    judge(dir, id, counts);
    fs::remove_file(effects(dir, id)).unwrap();
}

fn spawn(dir: &Path, id: &str, random: &mut Random) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .arg("child")
        .arg(dir)
        .arg(id)
        .arg(random.below(1 << 40).to_string());
    command.stdin(Stdio::null()).spawn().unwrap()
}

/// Two programs go on with the session from the same checkpoint: one does, and one meets a conflict.
fn meet(dir: &Path, id: &str, random: &mut Random, counts: &Counts) {
    let meet = dir.join(format!("{id}.meet"));
    fs::write(&meet, "").unwrap();
    let mut both = [spawn(dir, id, random), spawn(dir, id, random)];
    let came: Vec<_> = both
        .iter()
        .map(|child| dir.join(format!("{id}.{}", child.id())))
        .collect();
    while !came.iter().all(|file| file.exists()) {
        for child in &mut both {
            assert!(
                child.try_wait().unwrap().is_none(),
                "{id}: one ended too early"
            );
        }
        thread::sleep(Duration::from_millis(1));
    }
    fs::remove_file(&meet).unwrap();
    let codes = both.each_mut().map(|child| child.wait().unwrap().code());
    for file in &came {
        fs::remove_file(file).unwrap();
    }
    let mut sorted = codes;
    sorted.sort_unstable();
    assert_eq!(sorted, [Some(0), Some(i32::from(CONFLICT))], "{id}");
    counts.conflicts.fetch_add(1, Ordering::Relaxed);
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(future)
}

/// What a program left that was killed: every checkpoint can be read, and the journal knows of every
/// effect.
fn look_at(dir: &Path, id: &str, counts: &Counts) {
    let store = store(dir);
    let history = wait(store.history(id)).unwrap();
    let mut parent = None;
    for checkpoint in &history {
        assert_eq!(checkpoint.parent, parent, "{id}");
        parent = Some(checkpoint.id);
        let session = checkpoint.session().unwrap();
        let pending = session.pending().len();
        let calls = session
            .thread()
            .messages()
            .iter()
            .map(|message| message.tool_calls().len());
        assert_eq!(calls.sum::<usize>(), answers(&session) + pending, "{id}");
    }
    let records = wait(store.calls(id)).unwrap();
    for line in happened(dir, id).keys() {
        let (_, key) = line.split_once(' ').unwrap();
        assert!(
            records.iter().any(|record| is_attempt(key, &record.key)),
            "{id}: {line} is lost"
        );
    }
    let Some(last) = history.last() else {
        assert!(records.is_empty(), "{id}");
        return;
    };
    let session = last.session().unwrap();
    let pending = session.pending();
    for record in records {
        let is_open = pending
            .iter()
            .any(|pending| record.key == key(&session, pending.index, &record.call.id));
        let count = match (is_open, &record.outcome) {
            (true, Some(_)) => &counts.ended,
            (true, None) => &counts.begun,
            (false, _) => continue,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

fn answers(session: &Session) -> usize {
    let messages = session.thread().messages().iter();
    messages
        .filter(|message| matches!(message, ThreadMessage::Tool(_)))
        .count()
}

/// The session has come to its end: each call is answered by what it did, each effect that must not
/// happen twice happened once.
fn judge(dir: &Path, id: &str, counts: &Counts) {
    let mut happened = happened(dir, id);
    let session = wait(store(dir).latest(id))
        .unwrap()
        .expect("a checkpoint")
        .session()
        .unwrap();
    assert_eq!(session.status(), Status::Completed, "{id}");
    assert_eq!(session.thread().last_text(), Some("All is paid."), "{id}");
    session.thread().check().unwrap();
    let mut answers = session
        .thread()
        .messages()
        .iter()
        .filter_map(|message| match message {
            ThreadMessage::Tool(answer) => Some(answer),
            _ => None,
        });
    let mut late = BTreeMap::new();
    for message in session.thread().messages() {
        if let ThreadMessage::Late(result) = message {
            assert!(!result.is_error, "{id}: {}", result.text);
            let key = result.open.clone().expect("the key of an open call");
            let before = late.insert(key, result.text.clone());
            assert!(before.is_none(), "{id}: two results of one call");
        }
    }
    for turn in 0..ROUNDS {
        for (place, name) in TURN.into_iter().enumerate() {
            let answer = answers.next().expect("an answer to each call");
            assert_eq!(
                (answer.index, &*answer.name, answer.is_error),
                (place, name, false),
                "{id}"
            );
            if name == "look" {
                assert_eq!(answer.text, "seen", "{id}");
                continue;
            }
            let first = format!("{id}/1/{turn}/{place}/call_{place}");
            // Without a key somebody has answered it, before it was open.
            let key = match &answer.open {
                Some(open) => {
                    let key = late.remove(open).expect("a result of each open call");
                    assert_eq!(key, *open, "{id}");
                    key
                }
                None => answer.text.clone(),
            };
            assert!(is_attempt(&key, &first), "{id}: {key}");
            let times = happened
                .remove(&format!("{name} {key}"))
                .unwrap_or_default();
            if name == "pay" || name == "later" {
                assert_eq!(times, 1, "{id}: {key}");
            } else {
                assert!(times >= 1, "{id}: {key}");
                counts
                    .repeated
                    .fetch_add(times as u64 - 1, Ordering::Relaxed);
            }
        }
    }
    assert!(answers.next().is_none(), "{id}");
    assert!(happened.is_empty(), "{id}: {happened:?}");
    assert!(late.is_empty(), "{id}: {late:?}");
}
