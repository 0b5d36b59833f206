//! Named lifetimes, and results that borrow.
#![deny(warnings)]

use toolwright::{Context, Schema, tool, tools};

struct Db {
    name: String,
}

#[derive(serde::Deserialize, serde::Serialize, Schema)]
struct Pair<'a, 'b> {
    left: &'a str,
    #[serde(borrow)]
    right: Option<&'b str>,
}

/// The longer one.
#[tool]
fn longer<'a>(left: &'a str, right: &'a str) -> &'a str {
    if left.len() > right.len() {
        left
    } else {
        right
    }
}

/// The left one.
#[tool]
fn left<'a, 'b: 'a>(left: &'a str, right: &'b str, #[state] _db: &'b Db) -> (&'a str, usize) {
    (left, right.len())
}

/// The pair.
#[tool]
fn pair<'a, 'b>(pair: Pair<'a, 'b>) -> Pair<'a, 'b> {
    pair
}

/// From the state.
#[tool]
fn name<'a>(#[state] db: &'a Db, #[context] _cx: &Context) -> &'a str {
    &db.name
}

/// From the state, later.
#[tool]
async fn later<'a>(#[state] db: &'a Db, words: &'a [&'a str]) -> Result<&'a str, std::io::Error> {
    Ok(words.first().copied().unwrap_or(&db.name))
}

fn main() {
    let db = Db { name: "db".into() };
    assert_eq!(tools![longer, left, pair, name, later; state = db].len(), 5);
}
