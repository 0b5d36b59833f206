//! The store on a server: `tests/outside/postgres.sh` starts one, and names it in `DATABASE_URL`.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Map;
use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::store::{
    Begin, Begun, CheckpointError, CheckpointId, Checkpointer, End, Lease, NewCheckpoint, Written,
};
use toolwright::agent::testing::conformance;
use toolwright::agent::{
    Agent, AgentError, Model, ModelResponse, Node, RunEnd, Session, ThreadMessage,
};
use toolwright::call::{BoxFuture, Decision};
use toolwright::layers::Approval;
use toolwright::{Context, Executor, ToolCall, tool, tools};
use toolwright_postgres::{Database, PostgresCheckpointer, PostgresPayloads};

fn url() -> String {
    std::env::var("DATABASE_URL")
        .expect("`DATABASE_URL` names a server: see tests/outside/postgres.sh")
}

/// The database, with a schema for this test alone. Each call has a pool of its own, as another machine would.
fn database(test: &str) -> Database {
    Database::connect(&url()).unwrap().schema(test).unwrap()
}

async fn store(test: &str) -> PostgresCheckpointer {
    let database = database(test);
    database.migrate().await.unwrap();
    PostgresCheckpointer::open(database).await.unwrap()
}

/// Runs statements of the test's own.
async fn run(sql: &str) {
    let (client, connection) = tokio_postgres::connect(&url(), tokio_postgres::NoTls)
        .await
        .unwrap();
    let connection = tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
    drop(client);
    connection.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn it_conforms() {
    conformance::checkpointer(async || store("conforms").await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn it_conforms_with_one_pool() {
    let store = store("conforms_shared").await;
    conformance::checkpointer(async || store.clone()).await;
}

#[tokio::test]
async fn tables_are_made_once_and_held_to_their_version() {
    let missing = PostgresCheckpointer::open(database("tables"))
        .await
        .unwrap_err();
    assert!(matches!(missing, CheckpointError::Unreadable(_)));
    assert_eq!(
        missing.to_string(),
        "the tables in the schema `tables` lack `0001_sessions`\nhelp: call `Database::migrate`, or run `toolwright-postgres migrate`"
    );
    assert_eq!(database("tables").pending().await.unwrap().len(), 3);
    // Several programs that are rolled out at once.
    let all =
        (0..8).map(|_| tokio::spawn(async { database("tables").migrate().await.unwrap().len() }));
    let mut made = 0;
    for one in all {
        made += one.await.unwrap();
    }
    assert_eq!(made, 3);
    assert!(database("tables").pending().await.unwrap().is_empty());
    PostgresCheckpointer::open(database("tables"))
        .await
        .unwrap();

    run("INSERT INTO tables.migration (number, name) VALUES (4, '0004_later')").await;
    for error in [
        PostgresCheckpointer::open(database("tables"))
            .await
            .unwrap_err(),
        database("tables").migrate().await.unwrap_err(),
    ] {
        assert_eq!(
            error.to_string(),
            "the tables in the schema `tables` are of a newer version: migration 4 is unknown here"
        );
    }
}

/// The program's exit codes and words.
#[tokio::test]
async fn the_program_makes_the_tables() {
    let program = |arguments: &[&str], url: Option<&str>| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_toolwright-postgres"));
        command.args(arguments).env_remove("DATABASE_URL");
        let done = command
            .envs(url.map(|url| ("DATABASE_URL", url)))
            .output()
            .unwrap();
        let out = String::from_utf8(done.stdout).unwrap();
        (
            done.status.code(),
            out,
            String::from_utf8(done.stderr).unwrap(),
        )
    };
    let url = url();
    let code = |arguments: &[&str]| {
        let (code, out, _) = program(arguments, Some(&url));
        (code.unwrap(), out)
    };
    let all = "0001_sessions\n0002_payloads\n0003_inbox\n".to_owned();
    let none = "the tables are up to date\n".to_owned();
    assert_eq!(code(&["pending", "program"]), (1, all.clone()));
    assert_eq!(code(&["migrate", "program"]), (0, all));
    assert_eq!(code(&["migrate", "program"]), (0, none.clone()));
    assert_eq!(code(&["pending", "program"]), (0, none));
    for arguments in [&["drop"][..], &[], &["migrate", "a", "b"]] {
        assert_eq!(program(arguments, Some(&url)).0, Some(2), "{arguments:?}");
    }
    assert_eq!(program(&["migrate"], None).0, Some(2));
    let (code, _, error) = program(&["migrate"], Some("postgres://far.example/db"));
    assert_eq!(code, Some(1));
    assert!(error.contains("without TLS"), "{error}");
}

#[tokio::test]
async fn payloads_are_stored_once_and_pruned_by_age() {
    let missing = PostgresPayloads::open(database("payloads")).await;
    assert!(matches!(missing, Err(CheckpointError::Unreadable(_))));
    database("payloads").migrate().await.unwrap();
    let store = PostgresPayloads::open(database("payloads")).await.unwrap();
    let large = vec![7; 3 * 1024 * 1024];
    let key = store.put(&large).await.unwrap();
    assert_eq!(store.put(&large).await.unwrap(), key);
    let other = store.put(b"").await.unwrap();
    assert_eq!(store.get(&key).await.unwrap(), Some(large.clone()));
    assert_eq!(store.get(&other).await.unwrap(), Some(Vec::new()));
    assert_eq!(store.get("none").await.unwrap(), None);
    assert!(store.delete(&other).await.unwrap());
    assert!(!store.delete(&other).await.unwrap());
    // What is stored once more is as good as new.
    run("UPDATE payloads.payload SET at = now() - interval '2 days'").await;
    assert_eq!(store.put(&large).await.unwrap(), key);
    let day = std::time::Duration::from_hours(24);
    assert_eq!(store.prune(day).await.unwrap(), 0);
    run("UPDATE payloads.payload SET at = now() - interval '2 days'").await;
    assert_eq!(store.prune(day).await.unwrap(), 1);
    assert_eq!(store.get(&key).await.unwrap(), None);
}

#[test]
fn names_of_schemas_are_plain() {
    for name in ["", "A", "1a", "a b", "a\"", "ä", &"a".repeat(64)] {
        assert!(database("a").schema(name).is_err(), "{name}");
    }
    for name in ["a", "_1", &"a".repeat(63)] {
        assert!(database("a").schema(name).is_ok(), "{name}");
    }
}

#[test]
fn a_far_host_is_not_used_without_tls() {
    for url in [
        "postgres://u:secret@db.example/x",
        "postgres://u:secret@localhost,db.example/x",
        "postgres://u:secret@10.0.0.1/x?sslmode=prefer",
        "host=db.example user=u password=secret sslmode=require",
    ] {
        let error = Database::connect(url).unwrap_err().to_string();
        assert!(error.contains("would be used without TLS"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
    for url in [
        "postgres://u:secret@db.example/x?sslmode=disable",
        "postgres://u:secret@127.0.0.1/x",
        "host=/run/postgresql user=u",
    ] {
        let database = Database::connect(url).unwrap();
        assert!(!format!("{database:?}").contains("secret"));
    }
    let error = Database::connect("postgres://u:secret@:bad:/x").unwrap_err();
    assert!(
        !format!("{error} {error:?}").contains("secret"),
        "{error:?}"
    );
}

fn first<'a>(session: &'a str, metadata: &'a Map<String, serde_json::Value>) -> NewCheckpoint<'a> {
    NewCheckpoint {
        session,
        after: None,
        parent: None,
        written: Written::Start,
        next: Node::Tools,
        at_ms: 1,
        metadata,
        body: "{}",
        caller: None,
        lease: Lease::None,
    }
}

/// Models write ids and arguments.
#[tokio::test]
async fn a_call_may_hold_any_character() {
    let store = store("characters").await;
    let after = store.put(first("s", &Map::new())).await.unwrap();
    let call = ToolCall::new("id\0\u{1f600}", "to\0ol", "{\"a\0\": \u{7f}");
    let begin = Begin {
        session: "s",
        after,
        key: "1/1/0/id\0\u{1f600}",
        call: &call,
        model_arguments: Some("\0"),
        replaces: None,
        lease: None,
    };
    assert_eq!(store.begin_call(begin).await.unwrap(), Begun::Recorded(1));
    let outcome = r#"{"text":"\u0000"}"#;
    let end = End {
        session: "s",
        key: begin.key,
        revision: 1,
        outcome,
        lease: None,
    };
    store.end_call(end).await.unwrap();
    let calls = store.calls("s").await.unwrap();
    let mut expected = begin.record(2);
    expected.outcome = Some(outcome.to_owned());
    assert_eq!(calls, [expected]);
    // A host chooses the ids of sessions.
    let error = store.put(first("a\0b", &Map::new())).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the session's id \"a\\0b\" has a NUL, which Postgres does not store"
    );
}

/// A conversation of so many checkpoints, each with a message more. Returns the bytes that are stored, and those of the last one.
async fn grown(store: &PostgresCheckpointer, session: &str, most: usize) -> (i64, usize) {
    let (mut messages, mut newest, none) = (String::new(), None, Map::new());
    let body = |messages: &str, turn: usize| {
        format!(
            r#"{{"thread":[{messages}],"at":{{"turn":{turn}}},"usage":{}}}"#,
            turn * 7
        )
    };
    for turn in 0..most {
        write!(
            messages,
            r#"{{"role":"user","text":"What is {turn} and é?"}},"#
        )
        .unwrap();
        let body = body(&messages, turn);
        let new = NewCheckpoint {
            after: newest,
            parent: newest,
            body: &body,
            ..first(session, &none)
        };
        newest = Some(store.put(new).await.unwrap());
    }
    let last = body(&messages, most - 1);
    let (client, connection) = tokio_postgres::connect(&url(), tokio_postgres::NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    let sql = "SELECT sum(octet_length(body))::bigint FROM growth.checkpoint WHERE session = $1";
    let stored: i64 = client.query_one(sql, &[&session]).await.unwrap().get(0);
    // What another machine reads.
    let other = self::store("growth").await;
    let latest = other.latest(session).await.unwrap().unwrap();
    assert_eq!(latest.body, last);
    let history = other.history(session).await.unwrap();
    assert_eq!(history.len(), most);
    for (turn, one) in history.iter().enumerate().step_by(7) {
        assert_eq!(store.get(one.id).await.unwrap().as_ref(), Some(one));
        assert!(one.body.ends_with(&format!("\"usage\":{}}}", turn * 7)));
    }
    (stored, last.len())
}

#[tokio::test]
async fn a_conversation_takes_as_much_as_it_is_long() {
    let store = store("growth").await;
    for most in [1, 10, 100, 1_000] {
        let (stored, last) = grown(&store, &format!("of {most}"), most).await;
        println!("{most} checkpoints: {stored} bytes, the last one {last}");
        assert!(
            stored <= 4 * i64::try_from(last).unwrap() + 1_000,
            "{most}: {stored} of {last}"
        );
    }
}

/// Two machines write in turn: each finds what the other wrote.
#[tokio::test]
async fn machines_write_behind_each_other() {
    let both = [store("turns").await, store("turns").await];
    let (mut newest, none) = (None, Map::new());
    for turn in 0..50 {
        let body = format!("[{}]", "1,".repeat(turn * 3));
        let new = NewCheckpoint {
            after: newest,
            parent: newest,
            body: &body,
            ..first("s", &none)
        };
        newest = Some(both[turn % 2].put(new).await.unwrap());
        let latest = both[(turn / 2) % 2].latest("s").await.unwrap().unwrap();
        assert_eq!((Some(latest.id), latest.body), (newest, body));
    }
}

#[tokio::test]
async fn a_row_that_is_lost_or_changed_is_noticed() {
    async fn filled(session: &str) -> Vec<CheckpointId> {
        let (store, none) = (store("lost").await, Map::new());
        let mut all: Vec<CheckpointId> = Vec::new();
        for turn in 0..8 {
            let body = format!(
                "[{}{}]",
                "\"a long message of the user\",".repeat(40),
                "2,".repeat(turn)
            );
            let new = NewCheckpoint {
                after: all.last().copied(),
                body: &body,
                ..first(session, &none)
            };
            all.push(store.put(new).await.unwrap());
        }
        all
    }
    const SUM: &str = "its checksum is wrong";
    const MISSING: &str = "the checkpoint that it changes is missing";
    let damaged = [
        (
            "UPDATE lost.checkpoint SET body = '3,' WHERE id =",
            &[SUM][..],
        ),
        ("DELETE FROM lost.checkpoint WHERE id =", &[SUM, MISSING]),
        (
            "UPDATE lost.checkpoint SET front = 5000 WHERE id =",
            &[MISSING],
        ),
    ];
    let none = Map::new();
    for (at, (change, words)) in damaged.into_iter().enumerate() {
        let session = format!("s{at}");
        let all = filled(&session).await;
        run(&format!("{change} {}", all[3].get())).await;
        let other = store("lost").await;
        for error in [
            other.latest(&session).await.unwrap_err(),
            other.history(&session).await.unwrap_err(),
            other.get(all[7]).await.unwrap_err(),
        ] {
            let reason = &*error.damage().unwrap().reason;
            assert!(words.contains(&reason), "{change}: {reason}");
        }
        // What stands before it is as it was, and a branch goes on from there.
        let good = other.get(all[2]).await.unwrap().unwrap();
        let new = NewCheckpoint {
            after: all.last().copied(),
            parent: Some(good.id),
            written: Written::Branch,
            body: &good.body,
            ..first(&session, &none)
        };
        other.put(new).await.unwrap();
        let latest = other.latest(&session).await.unwrap().unwrap();
        assert_eq!(latest.body, good.body);
    }
    let session = "all";
    filled(session).await;
    run("DELETE FROM lost.checkpoint WHERE session = 'all'").await;
    let error = store("lost").await.latest(session).await.unwrap_err();
    assert_eq!(error.damage().unwrap().reason, "it is missing");
}

#[tokio::test]
async fn damage_is_said() {
    let store = store("damage").await;
    let id = store.put(first("s", &Map::new())).await.unwrap();
    for (change, words) in [
        ("written = 'never'", "the mark `never`"),
        ("written = 'start', next = 'nowhere'", "the node `nowhere`"),
        ("next = 'tools', metadata = '['", "the metadata `[`"),
        ("metadata = '{}', at_ms = -1", "the number -1 is negative"),
    ] {
        run(&format!("UPDATE damage.checkpoint SET {change}")).await;
        let error = store.latest("s").await.unwrap_err();
        let damage = error.damage().unwrap();
        assert_eq!(damage.session.as_deref(), Some("s"));
        assert_eq!(damage.reason, words);
    }
    run("UPDATE damage.checkpoint SET at_ms = 1, body = '{'").await;
    let error = store.get(id).await.unwrap_err();
    assert_eq!(error.damage().unwrap().reason, "its checksum is wrong");
}

#[tokio::test]
async fn a_connection_that_is_cut_is_made_again() {
    let (store, none) = (store("cut").await, Map::new());
    let mut newest = store.put(first("s", &Map::new())).await.unwrap();
    for _ in 0..5 {
        run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%cut.%' AND pid <> pg_backend_pid()").await;
        // What the pool still holds may be dead: such an attempt is an error, and writes nothing.
        let mut tries = 0;
        newest = loop {
            let new = NewCheckpoint {
                after: Some(newest),
                parent: Some(newest),
                ..first("s", &none)
            };
            match store.put(new).await {
                Ok(id) => break id,
                Err(CheckpointError::Store { .. }) if tries < 20 => tries += 1,
                Err(error) => panic!("{error}"),
            }
        };
    }
    assert_eq!(store.history("s").await.unwrap().len(), 6);
}

#[derive(Default)]
struct Charged(AtomicUsize);

/// Charges a customer.
#[tool(destructive)]
fn charge(customer: u32, #[state] charged: &Charged) -> String {
    let all = charged.0.fetch_add(1, Ordering::SeqCst) + 1;
    format!("{customer}: {all}")
}

/// Asks for a charge, and is content with the answer.
struct Charges;

impl Model for Charges {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async move {
            Ok(match request.thread.messages().last() {
                Some(ThreadMessage::Tool(_)) => ModelResponse::text("Done."),
                _ => {
                    let call = ToolCall::new("c1", "charge", r#"{"customer": 4}"#);
                    ModelResponse::calls([call])
                }
            })
        })
    }
}

/// The agent as one of several machines has it.
async fn machine(test: &str, charged: &Arc<Charged>) -> Agent {
    let tools = tools![charge; state = Arc::clone(charged)];
    let executor = Executor::serial(tools).layer(Approval::default());
    Agent::with_executor(Charges, executor).checkpointer(store(test).await)
}

#[tokio::test]
async fn a_session_moves_from_machine_to_machine() {
    let charged = Arc::new(Charged::default());
    let one = machine("moves", &charged).await;
    let mut session = Session::with_id("ticket");
    session.say("Charge customer 4.").unwrap();
    let run = one.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Pending), "{:?}", run.end);
    drop((one, session));

    // A person's word comes to another machine, and a third one goes on.
    let two = machine("moves", &charged).await;
    two.update_state("ticket", |session| session.decide("c1", Decision::Approve))
        .await
        .unwrap();
    let three = machine("moves", &charged).await;
    let (session, run) = three.resume("ticket", &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Completed), "{:?}", run.end);
    assert_eq!(session.thread().last_text(), Some("Done."));
    assert_eq!(charged.0.load(Ordering::SeqCst), 1);
}

/// Two machines continue one session at the same moment: one goes on, the other hears why, and the effect happens once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_two_machines_continues() {
    let (mut won, mut heard) = (0, 0);
    let rounds = std::env::var("TOOLWRIGHT_CASES").map_or(100, |cases| cases.parse().unwrap());
    for round in 0..rounds {
        let id = format!("ticket-{round}");
        let charged = Arc::new(Charged::default());
        let first = machine("two", &charged).await;
        let mut session = Session::with_id(&*id);
        session.say("Charge customer 4.").unwrap();
        let _ = first.run(&mut session, &Context::new()).await.unwrap();
        first
            .update_state(&id, |session| session.decide("c1", Decision::Approve))
            .await
            .unwrap();

        let mut both = Vec::new();
        for _ in 0..2 {
            let agent = machine("two", &charged).await;
            let id = id.clone();
            both.push(tokio::spawn(async move {
                agent.resume(&id, &Context::new()).await
            }));
        }
        for one in both {
            match one.await.unwrap() {
                Ok(_) => won += 1,
                Err(AgentError::Checkpoint(error)) if error.is_conflict() => heard += 1,
                Err(error) => panic!("{error:?}"),
            }
        }
        assert_eq!(charged.0.load(Ordering::SeqCst), 1, "{id}");
        let calls = store("two").await.calls(&id).await.unwrap();
        assert_eq!(calls.len(), 1);
        assert!(calls[0].after > CheckpointId::new(0));
    }
    println!("{rounds} times: {won} went on, {heard} heard that another one does");
    assert_eq!(won + heard, 2 * rounds);
    // A machine that comes when all is done goes on from there, and runs nothing.
    assert!(heard > 0, "{won} {heard}");
}
