//! Files of sessions that lost a bit or their end: what is read of them is what was written, or an error that says what is
//! damaged.
// A test that finds less than it expects has failed; figures are printed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stderr)]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolwright::agent::store::{CallRecord, Checkpoint, CheckpointError, Checkpointer};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, ModelResponse, Session, SqliteCheckpointer};
use toolwright::{Context, ToolCall, tool, tools};

use crate::kept::cases;

/// A directory that goes with the test.
struct Dir(PathBuf);

impl Dir {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("toolwright-damaged-{}-{next}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        fs::create_dir(&dir).unwrap();
        Self(dir)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Notes something.
#[tool]
fn note(text: &str) -> String {
    format!("noted: {text}")
}

const SESSIONS: [&str; 5] = ["ann", "bob", "cem", "dan", "gone"];

/// Fills a store as agents do: with some sessions of some turns, of which one is deleted.
async fn fill(store: &Arc<SqliteCheckpointer>) {
    for session in SESSIONS {
        let long = "x".repeat(1_000);
        let script = (0..4).map(|turn| {
            Ok(match turn {
                3 => ModelResponse::text("Done."),
                turn => ModelResponse::calls((0..2).map(|n| {
                    let arguments = serde_json::json!({ "text": format!("{turn} {n} {long}") });
                    ToolCall::new(format!("c{n}"), "note", arguments.to_string())
                })),
            })
        });
        let agent = Agent::new(ScriptedModel::new(script), tools![note])
            .checkpointer(Arc::clone(store))
            .metadata("title", session);
        let mut talk = Session::with_id(session);
        talk.say(format!("Hello from {session}.")).unwrap();
        let _ = agent.run(&mut talk, &Context::new()).await.unwrap();
    }
    assert!(store.delete("gone").await.unwrap());
}

/// All that a store says of one session.
struct Read {
    latest: Result<Option<Checkpoint>, CheckpointError>,
    history: Result<Vec<Checkpoint>, CheckpointError>,
    calls: Result<Vec<CallRecord>, CheckpointError>,
    /// By their numbers.
    each: Vec<Result<Option<Checkpoint>, CheckpointError>>,
}

struct Dump {
    sessions: Result<Vec<String>, CheckpointError>,
    read: Vec<Read>,
}

async fn dump(
    store: &impl Checkpointer,
    numbers: &[Vec<toolwright::agent::store::CheckpointId>],
) -> Dump {
    let mut read = Vec::new();
    for (place, session) in SESSIONS.iter().enumerate() {
        let mut each = Vec::new();
        for number in numbers.get(place).into_iter().flatten() {
            each.push(store.get(*number).await);
        }
        read.push(Read {
            latest: store.latest(session).await,
            history: store.history(session).await,
            calls: store.calls(session).await,
            each,
        });
    }
    Dump {
        sessions: store.sessions(None, 100).await,
        read,
    }
}

/// What is read is what stands in the original; how many errors there are instead.
fn same(dump: &Dump, original: &Dump) -> Result<usize, String> {
    fn one<T: PartialEq + std::fmt::Debug>(
        what: &str,
        found: &Result<T, CheckpointError>,
        expected: &Result<T, CheckpointError>,
        errors: &mut usize,
    ) -> Result<(), String> {
        match found {
            Err(_) => *errors += 1,
            Ok(found) if found == expected.as_ref().unwrap() => {}
            Ok(found) => return Err(format!("{what}: {found:.300?}")),
        }
        Ok(())
    }
    let mut errors = 0;
    one("sessions", &dump.sessions, &original.sessions, &mut errors)?;
    for ((read, expected), session) in dump.read.iter().zip(&original.read).zip(SESSIONS) {
        let what = |what: &str| format!("{what} of {session}");
        one(&what("latest"), &read.latest, &expected.latest, &mut errors)?;
        one(
            &what("history"),
            &read.history,
            &expected.history,
            &mut errors,
        )?;
        one(&what("calls"), &read.calls, &expected.calls, &mut errors)?;
        for (read, expected) in read.each.iter().zip(&expected.each) {
            one(&what("one"), read, expected, &mut errors)?;
        }
    }
    Ok(errors)
}

/// A file of sessions, and what stands in it.
struct Original {
    bytes: Vec<u8>,
    /// What stands beside it.
    journal: Vec<u8>,
    dump: Dump,
    numbers: Vec<Vec<toolwright::agent::store::CheckpointId>>,
}

async fn original(dir: &Dir) -> Original {
    let path = dir.file("original.db");
    let store = Arc::new(SqliteCheckpointer::open(&path).unwrap());
    fill(&store).await;
    let numbers = dump(&*store, &[]).await.read.into_iter();
    let numbers = numbers.map(|read| read.history.unwrap().iter().map(|one| one.id).collect());
    let numbers: Vec<_> = numbers.collect();
    let dump = dump(&*store, &numbers).await;
    drop(store);
    Original {
        bytes: fs::read(&path).unwrap(),
        journal: Vec::new(),
        dump,
        numbers,
    }
}

#[derive(Debug, Default)]
struct Figures {
    at_open: usize,
    at_read: usize,
    unchanged: usize,
    silent: Vec<String>,
}

impl Figures {
    /// Opens and reads a damaged copy.
    async fn try_one(
        &mut self,
        what: &str,
        dir: &Dir,
        of: &Original,
        bytes: &[u8],
        journal: &[u8],
    ) {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let path = dir.file(&format!("{}.db", NEXT.fetch_add(1, Ordering::Relaxed)));
        fs::write(&path, bytes).unwrap();
        if !of.journal.is_empty() {
            let beside = format!("{}-journal", path.display());
            fs::write(beside, journal).unwrap();
        }
        match SqliteCheckpointer::open(&path) {
            Err(_) => self.at_open += 1,
            Ok(store) => match same(&dump(&store, &of.numbers).await, &of.dump) {
                Ok(0) => self.unchanged += 1,
                Ok(_) => self.at_read += 1,
                Err(words) => self.silent.push(format!("{what}: {words}")),
            },
        }
        let _ = fs::remove_file(&path);
        let _ = fs::remove_file(format!("{}-journal", path.display()));
    }

    fn end(self, what: &str) {
        let Self {
            at_open,
            at_read,
            unchanged,
            silent,
        } = self;
        eprintln!(
            "{what}: {at_open} said as the file is opened, {at_read} as it is read, {unchanged} change nothing, {} silent",
            silent.len()
        );
        assert!(silent.is_empty(), "{:#?}", &silent[..silent.len().min(5)]);
    }
}

/// Numbers that are always the same.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

fn flipped(random: &mut Random, bytes: &[u8]) -> (String, Vec<u8>) {
    // Every fourth one in the first page: heads are small, and matter most.
    let most = match random.below(4) {
        0 => bytes.len().min(4_096),
        _ => bytes.len(),
    };
    let (at, bit) = (random.below(most), random.below(8));
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 1 << bit;
    (format!("bit {bit} of byte {at}"), bytes)
}

fn cut(random: &mut Random, bytes: &[u8]) -> (String, Vec<u8>) {
    // Every other one where a page ends, as file systems do it.
    let at = match random.below(2) {
        0 => random.below(bytes.len().div_ceil(4_096)) * 4_096,
        _ => random.below(bytes.len()),
    };
    (format!("cut at {at}"), bytes[..at].to_vec())
}

#[tokio::test]
async fn a_flipped_bit_is_said_or_changes_nothing() {
    let dir = Dir::new();
    let of = original(&dir).await;
    let (mut figures, mut random) = (Figures::default(), Random(1));
    for _ in 0..cases(120) {
        let (what, bytes) = flipped(&mut random, &of.bytes);
        figures.try_one(&what, &dir, &of, &bytes, &[]).await;
    }
    figures.end("bits");
}

#[tokio::test]
async fn a_lost_end_is_said() {
    let dir = Dir::new();
    let of = original(&dir).await;
    let (mut figures, mut random) = (Figures::default(), Random(2));
    for _ in 0..cases(120) {
        let (what, bytes) = cut(&mut random, &of.bytes);
        figures.try_one(&what, &dir, &of, &bytes, &[]).await;
    }
    // What changes nothing ended in a page whose rest is empty.
    figures.end("ends");
}

#[tokio::test]
async fn all_that_stands_beside_the_file_may_be_lost() {
    let dir = Dir::new();
    let store = Arc::new(SqliteCheckpointer::open(dir.file("live.db")).unwrap());
    fill(&store).await;
    let live = dump(&*store, &[]).await;
    // The program is killed, and nothing but the file itself is found again.
    let bytes = fs::read(dir.file("live.db")).unwrap();
    fs::write(dir.file("found.db"), bytes).unwrap();
    let found = SqliteCheckpointer::open(dir.file("found.db")).unwrap();
    assert_eq!(same(&dump(&found, &[]).await, &live), Ok(0));
}

/// A program that is killed in the midst of a transaction leaves a journal, by which the next one undoes it.
#[tokio::test]
async fn a_damaged_journal_is_said_or_changes_nothing() {
    let dir = Dir::new();
    let mut of = original(&dir).await;
    let path = dir.file("original.db");
    let killed = rusqlite::Connection::open(&path).unwrap();
    // So few pages in memory that the file is written before the transaction ends.
    let begin = "PRAGMA journal_mode = truncate; PRAGMA cache_size = 4; PRAGMA cache_spill = 4; \
                 BEGIN IMMEDIATE; \
                 DELETE FROM call WHERE session = 'bob'; \
                 DELETE FROM checkpoint WHERE session = 'bob'; \
                 DELETE FROM session WHERE id = 'bob';";
    killed.execute_batch(begin).unwrap();
    of.bytes = fs::read(&path).unwrap();
    of.journal = fs::read(dir.file("original.db-journal")).unwrap();
    drop(killed);
    assert!(of.journal.len() > 4_096);
    let (mut figures, mut random) = (Figures::default(), Random(3));
    figures
        .try_one("whole", &dir, &of, &of.bytes, &of.journal)
        .await;
    assert_eq!(figures.unchanged, 1);
    for _ in 0..cases(60) {
        let (what, journal) = match random.below(2) {
            0 => flipped(&mut random, &of.journal),
            _ => cut(&mut random, &of.journal),
        };
        figures.try_one(&what, &dir, &of, &of.bytes, &journal).await;
    }
    figures.end("journals");
}
