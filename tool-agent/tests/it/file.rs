//! Sessions in a file: who reads it, what is damaged in it, and files of older versions.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use toolwright::Context;
use toolwright::agent::store::{CheckpointError, CheckpointId, Checkpointer, DamagedPart, Written};
use toolwright::agent::{Agent, AgentError, Node, SqliteCheckpointer};

use crate::checkpoints::{Ran, asked, call, calls, effects, model, put, text};
use crate::kept::{Dir, Store};

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
    // The kernel's list changes while it is read: other tests lock their files.
    let locks = || -> BTreeSet<String> {
        let reads = (0..4).map(|_| fs::read_to_string("/proc/locks").unwrap());
        let reads: Vec<String> = reads.collect();
        let lines = reads.iter().flat_map(|read| read.lines());
        let ours = lines.filter(|line| line.contains(&file));
        let ours = ours.filter_map(|line| line.split_once(": "));
        ours.map(|(_, lock)| lock.to_owned()).collect()
    };
    let before = locks();
    assert!(!before.is_empty());
    let second = SqliteCheckpointer::open(dir.file()).unwrap();
    let after = locks();
    assert!(after.is_superset(&before), "{before:?} {after:?}");
    drop((first, second));
}

#[test]
fn what_is_no_file_of_checkpoints_is_left_as_it_is() {
    let dir = Dir::new();
    let open = || SqliteCheckpointer::open(dir.file());
    let shown = dir.file().display().to_string();

    let text = "a text, and no database at all; ".repeat(200);
    fs::write(dir.file(), &text).unwrap();
    assert_eq!(
        unreadable(open()),
        format!("`{shown}` is not a SQLite file")
    );
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
    let words = format!("`{shown}` has tables of version 7; this program knows version 4");
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
    let _ = one.run(&mut asked("s"), &Context::new()).await.unwrap();
    let _ = one.run(&mut asked("other"), &Context::new()).await.unwrap();
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
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
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
    session.say("And now?").unwrap();
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
    let _ = agent.run(&mut asked("s"), &Context::new()).await.unwrap();
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
