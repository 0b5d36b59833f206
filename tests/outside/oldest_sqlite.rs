//! The suite of all stores, with the oldest `rusqlite`, which the program uses beside the store.
#![cfg(test)]

use toolwright_agent::SqliteCheckpointer;
use toolwright_agent::testing::conformance;

#[tokio::test]
async fn the_store_works_beside_the_sqlite_of_the_program() {
    let file = std::env::temp_dir().join(format!("oldest-{}.db", std::process::id()));
    conformance::checkpointer(async || SqliteCheckpointer::open(&file).unwrap()).await;
    let tables: i64 = rusqlite::Connection::open(&file)
        .and_then(|own| own.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)))
        .unwrap();
    assert!(tables > 0);
    std::fs::remove_file(&file).unwrap();
}
