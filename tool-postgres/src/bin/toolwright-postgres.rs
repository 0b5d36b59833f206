//! Makes the tables: `toolwright-postgres migrate`, with the database's URL in `DATABASE_URL`.

use std::process::ExitCode;

use toolwright_postgres::Database;

const USAGE: &str = "usage: DATABASE_URL=postgres://… toolwright-postgres migrate|pending [SCHEMA]

migrate   makes the tables, or brings them up to date
pending   tells what is missing, and fails if something is";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, schema) = match arguments.as_slice() {
        [command] => (command.as_str(), None),
        [command, schema] => (command.as_str(), Some(schema.as_str())),
        _ => return usage(),
    };
    let Ok(url) = std::env::var("DATABASE_URL") else {
        return usage();
    };
    let done = async {
        let mut database = Database::connect(&url)?;
        if let Some(schema) = schema {
            database = database.schema(schema)?;
        }
        match command {
            "migrate" => Ok(Some((database.migrate().await?, true))),
            "pending" => Ok(Some((database.pending().await?, false))),
            _ => Ok::<_, toolwright::agent::store::CheckpointError>(None),
        }
    };
    match done.await {
        Ok(None) => usage(),
        Ok(Some((migrations, is_done))) => {
            for migration in &migrations {
                println!("{}", migration.name);
            }
            if migrations.is_empty() {
                println!("the tables are up to date");
            }
            if is_done || migrations.is_empty() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}
