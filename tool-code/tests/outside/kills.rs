//! Hosts and interpreters that are killed in the midst of programs; see `tests/outside/code.sh`.
//!
//! `code_kills <kills> <kills of interpreters> <seed> <dir> [other]` starts itself as a host again and again, kills it at random moments,
//! and looks at what is left in the SQLite file, and in a file to which the tools append a line for each effect. With `other`, the same
//! program of another version of the interpreter, both take turns as hosts.
// Whoever finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::{
    Agent, Model, ModelResponse, RunEnd, Session, SqliteCheckpointer, ThreadMessage,
};
use toolwright::call::{BoxFuture, Decision};
use toolwright::executor::PendingReason;
use toolwright::{Context, Executor, ToolCall, Toolset, tool, tools};
use toolwright_code::CodeMode;

/// Ten effects: some at once, some alone; half of them wait for an approval.
const PROGRAM: &str = "
import asyncio
total = 0
for n in range(2):
    total += await note(n=n)
    a, b = await asyncio.gather(pay(n=10 + n), note(n=20 + n))
    total += a + b
    total += await pay(n=30 + n) + await pay(n=40 + n)
total
";
const EFFECTS: [u32; 10] = [0, 10, 20, 30, 40, 1, 11, 21, 31, 41];

fn main() {
    toolwright_code::worker();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["host", dir, session] => host(Path::new(dir), session),
        [kills, interpreters, seed, dir, ref other @ ..] if other.len() < 2 => {
            let mut random = Random(seed.parse().unwrap());
            let dir = Path::new(dir);
            let own = std::env::current_exe().unwrap();
            let mut hosts = vec![own];
            hosts.extend(other.iter().map(PathBuf::from));
            kill_hosts(kills.parse().unwrap(), &mut random, dir, &hosts);
            kill_interpreters(interpreters.parse().unwrap(), &mut random, dir);
        }
        _ => panic!("usage: code_kills <kills> <kills of interpreters> <seed> <dir> [other]"),
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

/// The file of effects of one session.
struct Effects(PathBuf);

impl Effects {
    /// Has an effect some time after it was asked to, and some time before it says so.
    async fn append(&self, n: u32) -> std::io::Result<u32> {
        tokio::time::sleep(Duration::from_millis(1)).await;
        let mut file = OpenOptions::new().append(true).create(true).open(&self.0)?;
        file.write_all(format!("{n}\n").as_bytes())?;
        file.sync_data()?;
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok(n)
    }

    fn all(&self) -> Vec<u32> {
        let text = fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().map(|line| line.parse().unwrap()).collect()
    }
}

/// Must not happen twice, and needs an approval.
#[tool(destructive)]
async fn pay(n: u32, #[state] effects: &Effects) -> std::io::Result<u32> {
    effects.append(n).await
}

/// Must not happen twice.
#[tool]
async fn note(n: u32, #[state] effects: &Effects) -> std::io::Result<u32> {
    effects.append(n).await
}

/// Makes one call of `run_code`, and repeats its answer.
struct Outer;

impl Model for Outer {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async move {
            Ok(match answer(request.thread.messages()) {
                Some(answer) => ModelResponse::text(answer),
                None => {
                    let arguments = serde_json::json!({ "code": PROGRAM }).to_string();
                    ModelResponse::calls([ToolCall::new("code", "run_code", arguments)])
                }
            })
        })
    }
}

fn answer(messages: &[ThreadMessage]) -> Option<String> {
    messages.iter().find_map(|message| match message {
        ThreadMessage::Tool(answer) => Some(answer.text.clone()),
        _ => None,
    })
}

/// Runs the session to its end, or until this process is killed. Prints the answer.
fn host(dir: &Path, id: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    println!("{}", runtime.block_on(run(dir, id)));
}

async fn run(dir: &Path, id: &str) -> String {
    let file = || Effects(dir.join(format!("{id}.effects")));
    let tools = tools![pay; state = std::sync::Arc::new(file())];
    let tools = tools
        .merge(&tools![note; state = std::sync::Arc::new(file())])
        .unwrap();
    let tool = CodeMode::new(&tools).build().unwrap();
    // One writer at a time: the process before is gone.
    let store = SqliteCheckpointer::open(dir.join(format!("{id}.db")))
        .unwrap()
        .with_lease(None);
    let executor = Executor::serial(Toolset::new([tool]).unwrap());
    let agent = Agent::with_executor(Outer, executor).checkpointer(store);
    let cx = Context::new();
    let mut session = agent.state(id).await.unwrap().unwrap_or_else(|| {
        let mut session = Session::with_id(id);
        session.say("Go!").unwrap();
        session
    });
    loop {
        let waiting = agent.waiting(&session, &cx);
        for one in &waiting {
            // The others run by themselves.
            if !matches!(
                one.reason,
                PendingReason::Decision(_) | PendingReason::OutcomeUnknown(_)
            ) {
                continue;
            }
            let arguments: serde_json::Value =
                serde_json::from_str(one.arguments.as_ref().unwrap()).unwrap();
            let n = arguments["n"].as_u64().unwrap();
            let has_effect = file().all().contains(&u32::try_from(n).unwrap());
            // A person looks whether it took effect.
            let decision = match one.reason {
                PendingReason::OutcomeUnknown(_) if has_effect => Decision::Answer(n.into()),
                _ => Decision::Approve,
            };
            // A call that a killed run has begun is known to the next run.
            let _ = session.decide(one, decision);
        }
        let run = agent.run(&mut session, &cx).await.unwrap();
        match run.end {
            RunEnd::Completed => return session.result().unwrap_or_default().to_owned(),
            RunEnd::Pending => {}
            end => panic!("{end:?}"),
        }
    }
}

/// Counts what went wrong in one session.
fn check(dir: &Path, id: &str, answer: &str, wrong: &mut BTreeMap<&'static str, u64>) {
    let mut effects = Effects(dir.join(format!("{id}.effects"))).all();
    effects.sort_unstable();
    let count = effects.len();
    effects.dedup();
    let mut expected = EFFECTS;
    expected.sort_unstable();
    *wrong.entry("doubled").or_default() += (count - effects.len()) as u64;
    *wrong.entry("lost").or_default() += (expected.len() - effects.len()) as u64;
    let total: u32 = EFFECTS.iter().sum();
    let is_right = answer.trim() == format!("{{\"value\":{total}}}");
    if !is_right {
        eprintln!("{id}: {answer}");
    }
    *wrong.entry("wrong answers").or_default() += u64::from(!is_right);
}

fn kill_hosts(kills: u64, random: &mut Random, dir: &Path, hosts: &[PathBuf]) {
    let began = Instant::now();
    let (mut killed, mut sessions) = (0, 0);
    let mut hosts = hosts.iter().cycle();
    let mut wrong = BTreeMap::new();
    // The time that a host takes that is not killed.
    let mut whole = Duration::from_millis(400);
    while killed < kills {
        sessions += 1;
        let id = format!("host{sessions}");
        let answer = loop {
            let mut host = Command::new(hosts.next().unwrap())
                .args(["host", dir.to_str().unwrap(), &id])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let start = Instant::now();
            // Each host gets far enough that a session comes to its end.
            let wait = Duration::from_micros(random.below(whole.subsec_micros().into()) + 15_000);
            let deadline = start + wait;
            while Instant::now() < deadline && host.try_wait().unwrap().is_none() {
                thread::sleep(Duration::from_micros(500));
            }
            if host.try_wait().unwrap().is_some() {
                let output = host.wait_with_output().unwrap();
                assert!(output.status.success(), "{id}");
                whole = (whole * 7 + start.elapsed()) / 8;
                break String::from_utf8(output.stdout).unwrap();
            }
            host.kill().unwrap();
            host.wait().unwrap();
            killed += 1;
        };
        check(dir, &id, &answer, &mut wrong);
    }
    println!(
        "{killed} kills of hosts in {sessions} sessions: {wrong:?}, {:?}",
        began.elapsed()
    );
    assert!(wrong.values().all(|count| *count == 0));
}

fn kill_interpreters(kills: u64, random: &mut Random, dir: &Path) {
    let began = Instant::now();
    let (killed, done) = (AtomicU64::new(0), AtomicBool::new(false));
    let mut wrong = BTreeMap::new();
    let mut sessions = 0;
    let mut pause = Random(random.below(u64::MAX));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(20 + pause.below(80)));
                for child in children() {
                    let status = Command::new("kill")
                        .args(["-9", &child])
                        .stderr(Stdio::null())
                        .status();
                    killed.fetch_add(u64::from(status.unwrap().success()), Ordering::Relaxed);
                }
            }
        });
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        while killed.load(Ordering::Relaxed) < kills {
            sessions += 1;
            let id = format!("interpreter{sessions}");
            let answer = runtime.block_on(run(dir, &id));
            check(dir, &id, &answer, &mut wrong);
        }
        done.store(true, Ordering::Relaxed);
    });
    let killed = killed.into_inner();
    println!(
        "{killed} kills of interpreters in {sessions} sessions: {wrong:?}, {:?}",
        began.elapsed()
    );
    assert!(wrong.values().all(|count| *count == 0));
}

/// Returns the ids of the interpreters that this process started.
fn children() -> Vec<String> {
    let id = std::process::id().to_string();
    let output = Command::new("pgrep").args(["-P", &id]).output().unwrap();
    let pgrep = String::from_utf8(output.stdout).unwrap();
    let is_interpreter = |id: &&str| {
        fs::read(format!("/proc/{id}/environ"))
            .is_ok_and(|it| String::from_utf8_lossy(&it).contains("TOOLWRIGHT_CODE_WORKER"))
    };
    pgrep
        .lines()
        .filter(is_interpreter)
        .map(str::to_owned)
        .collect()
}
