//! Tools whose answers show what they got.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolwright::{Outcome, Registry, Schema, ToolError, tool, tools};

use super::trouble;

#[derive(Debug)]
pub(crate) struct Overflow;

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the sum is larger than an integer of 64 bits can be")
    }
}

/// Adds two integers.
#[tool(read_only)]
fn add(a: i64, b: i64) -> Result<i64, Overflow> {
    a.checked_add(b).ok_or(Overflow)
}

/// Fails with data, as a program reads it.
fn declined() -> ToolError {
    ToolError::failed("the bank declined the card")
        .with_data(json!({"code": "declined"}))
        .permanent()
}

/// Declines. Its results have no schema.
#[tool(read_only)]
fn decline(cents: u32) -> Result<Outcome, ToolError> {
    let _ = cents;
    Err(declined())
}

/// Declines. Its results have a schema.
#[tool(read_only)]
fn decline_order(cents: u32) -> Result<Optional, ToolError> {
    let _ = cents;
    Err(declined())
}

/// Says the text again.
#[tool(read_only)]
fn echo(text: String) -> String {
    text
}

/// Reads a factor as a number of 32 bits.
#[tool(read_only)]
fn scale(x: f32) -> f32 {
    x
}

/// Reads an integer of 64 bits without a sign.
#[tool(read_only)]
fn big_int(n: u64) -> u64 {
    n
}

#[derive(Serialize, Schema)]
struct Optional {
    name: String,
    nick: Option<String>,
    limit: u32,
}

/// Has an argument that may be missing and one that has a default.
#[tool(read_only)]
fn opt(name: String, nick: Option<String>, #[arg(default = 10)] limit: u32) -> Optional {
    Optional { name, nick, limit }
}

/// A label, and what hangs below it
#[derive(Deserialize, Serialize, Schema)]
struct Node {
    label: String,
    #[serde(default)]
    children: Vec<Node>,
}

/// Reads a tree of any depth.
#[tool(read_only)]
fn tree(node: Node) -> Node {
    node
}

/// Counts by number, told in the order of the numbers.
#[tool(read_only)]
fn counts(map: HashMap<u32, i64>) -> BTreeMap<u32, i64> {
    map.into_iter().collect()
}

/// A figure on a plane
#[derive(Deserialize, Serialize, Schema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Figure {
    Point,
    Circle { radius: f64 },
    Rect { width: f64, height: f64 },
}

/// Reads a figure, whose `kind` says which it is.
#[tool(read_only)]
fn shape(shape: Figure) -> Figure {
    shape
}

/// Where it goes
#[derive(Deserialize, Serialize, Schema)]
struct Address {
    #[schema(len(1..=80))]
    street: String,
    /// Two letters
    #[schema(pattern = "^[A-Z]{2}$")]
    country: String,
}

#[derive(Deserialize, Serialize, Schema)]
struct Item {
    #[schema(len(1..=20))]
    sku: String,
    #[schema(range(1..=99))]
    quantity: u32,
    /// Each, in the order's currency
    #[schema(range(0.0..), multiple_of = 0.01)]
    price: f64,
}

#[derive(Serialize, Schema)]
struct Order {
    items: Vec<Item>,
    to: Address,
    codes: Vec<String>,
    express: bool,
}

/// Places an order.
#[tool(destructive)]
fn order(
    #[arg(len(1..=10))] items: Vec<Item>,
    to: Address,
    #[arg(default, len(..=3), unique)] codes: Vec<String>,
    #[arg(default)] express: bool,
) -> Order {
    Order {
        items,
        to,
        codes,
        express,
    }
}

#[derive(Deserialize, Serialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Language {
    En,
    Fr,
}

/// What to leave out
#[derive(Deserialize, Serialize, Schema)]
struct Filter {
    lang: Language,
    #[serde(default = "half")]
    #[schema(range(0.0..=1.0))]
    min_score: f64,
}

fn half() -> f64 {
    0.5
}

#[derive(Serialize, Schema)]
struct Search {
    query: String,
    limit: u32,
    tags: Option<Vec<String>>,
    filter: Option<Filter>,
}

/// Searches the library.
#[tool(read_only)]
fn search(
    /// Words to look for
    #[arg(len(1..))]
    query: String,
    #[arg(default = 10, range(1..=50))] limit: u32,
    tags: Option<Vec<String>>,
    filter: Option<Filter>,
) -> Search {
    Search {
        query,
        limit,
        tags,
        filter,
    }
}

/// All of them; others can be registered beside them.
pub(crate) fn registry() -> Registry {
    let registry = Registry::new();
    registry.extend(&tools![
        add,
        echo,
        scale,
        big_int,
        opt,
        tree,
        counts,
        shape,
        order,
        search,
        decline,
        decline_order,
        trouble::boom,
        trouble::boom_drop,
        trouble::hang,
        trouble::spin,
        trouble::wait_for_file,
        trouble::append_slow,
        trouble::charge,
        trouble::big,
        trouble::fail_secret,
        trouble::noisy,
        trouble::ask,
        trouble::final_words,
    ]);
    registry
}
