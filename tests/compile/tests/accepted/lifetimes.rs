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

/// What is asked of lifetimes, and of types for them.
#[tool]
fn asked<'a, 'b, T>(left: &'a str, right: &'b [T], value: T) -> usize
where
    'b: 'a,
    T: Schema + serde::Deserialize<'a> + 'b,
    &'b T: Into<u64>,
    for<'c> &'c T: PartialEq<&'b T>,
    [T; 1]: Sized + 'a,
{
    let numbers = right.iter().map(Into::into).sum::<u64>();
    let of_left = right.iter().filter(|_| left.is_empty()).count();
    usize::try_from(numbers).unwrap_or(of_left) + size_of_val(&value)
}

#[derive(PartialEq, serde::Deserialize, Schema)]
struct Number(u64);

impl From<&Number> for u64 {
    fn from(number: &Number) -> Self {
        number.0
    }
}

#[test]
fn runs() {
    let db = Db { name: "db".into() };
    let tools = tools![longer, left, pair, name, later, asked::<Number>; state = db];
    assert_eq!(tools.iter().len(), 6);
}
