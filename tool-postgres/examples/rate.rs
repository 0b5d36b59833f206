//! Checkpoints a second in memory, in a SQLite file and in Postgres, in turn in one run, as one line of JSON. A server is named by
//! `DATABASE_URL`: `tests/outside/postgres.sh cargo run --release --manifest-path tool-postgres/Cargo.toml --example rate`.

use std::time::{Duration, Instant};

use serde_json::{Map, json};
use toolwright::agent::store::{Checkpointer, Lease, NewCheckpoint, Written};
use toolwright::agent::{MemoryCheckpointer, Node, SqliteCheckpointer};
use toolwright_postgres::{Database, PostgresCheckpointer};

/// Checkpoints of a conversation, each with a message of some words more.
const TURNS: usize = 200;
const ROUNDS: usize = 5;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let [memory, sqlite, postgres] = rates().await?;
    println!(
        "{}",
        json!({
            "checkpoints_per_second": {
                "memory": memory.round(),
                "sqlite": sqlite.round(),
                "postgres": postgres.round(),
            },
            "time_of_postgres_to_sqlite": sqlite / postgres,
        })
    );
    Ok(())
}

/// Returns the checkpoints a second in memory, in a file and in Postgres.
pub async fn rates() -> Result<[f64; 3], Failure> {
    let directory = std::env::temp_dir().join(format!("toolwright-rate-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let database = Database::connect(&std::env::var("DATABASE_URL")?)?.schema("rate")?;
    database.migrate().await?;
    let stores: [Box<dyn Checkpointer>; 3] = [
        Box::new(MemoryCheckpointer::new()),
        Box::new(SqliteCheckpointer::open(directory.join("rate.db"))?),
        Box::new(PostgresCheckpointer::open(database).await?),
    ];
    let mut least = [Duration::MAX; 3];
    for round in 0..ROUNDS {
        for (store, least) in stores.iter().zip(&mut least) {
            let start = Instant::now();
            converse(&**store, &format!("session {round}")).await?;
            *least = (*least).min(start.elapsed());
        }
    }
    std::fs::remove_dir_all(&directory)?;
    #[allow(clippy::cast_precision_loss)]
    Ok(least.map(|time| TURNS as f64 / time.as_secs_f64()))
}

async fn converse(store: &dyn Checkpointer, session: &str) -> Result<(), Failure> {
    let (mut messages, mut newest, metadata) = (String::new(), None, Map::new());
    for turn in 0..TURNS {
        messages.push_str(
            r#"{"role":"user","text":"What is the weather like in the cities of the north?"},"#,
        );
        let body = format!(r#"{{"thread":[{messages}],"turn":{turn}}}"#);
        let new = NewCheckpoint {
            session,
            after: newest,
            parent: newest,
            written: Written::Node,
            next: Node::Model,
            at_ms: 0,
            metadata: &metadata,
            body: &body,
            caller: None,
            lease: Lease::None,
        };
        newest = Some(store.put(new).await?);
    }
    Ok(())
}
