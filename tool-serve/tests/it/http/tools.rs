//! The tools that are served.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolwright::{Context, Outcome, Schema, Toolset, call::Progress, tool, tools};

#[derive(Deserialize, Serialize, Schema)]
struct Line {
    sku: String,
    #[schema(range(1..=99))]
    quantity: u32,
}

/// Places an order.
#[tool(destructive)]
fn order(lines: Vec<Line>, #[arg(default)] express: bool) -> u32 {
    let _ = express;
    lines.iter().map(|line| line.quantity).sum()
}

#[derive(Deserialize, Serialize, Schema)]
struct Node {
    label: String,
    #[serde(default)]
    children: Vec<Node>,
}

/// Reads a tree.
#[tool(read_only)]
fn tree(node: Node) -> Node {
    node
}

/// How many calls of `wait` run.
pub(crate) static WAITING: AtomicUsize = AtomicUsize::new(0);

struct Waits;

impl Drop for Waits {
    fn drop(&mut self) {
        WAITING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Waits for so many milliseconds, and tells each tenth part.
#[tool(read_only)]
async fn wait(ms: u64, #[context] cx: &Context) -> u64 {
    WAITING.fetch_add(1, Ordering::SeqCst);
    let _waits = Waits;
    for part in 1..=10_u32 {
        tokio::time::sleep(Duration::from_millis(ms / 10)).await;
        cx.progress(
            Progress::new(part.into())
                .with_total(10.0)
                .with_message("line one\nline two"),
        );
    }
    ms
}

/// Takes longer than it may.
#[tool(timeout = "50ms")]
async fn late() -> u8 {
    std::future::pending().await
}

/// Fails.
#[tool]
fn fail() -> Result<u8, &'static str> {
    Err("there is no paper")
}

/// Panics.
#[tool]
fn boom() -> u8 {
    panic!("boom")
}

/// Asks where to go.
#[tool(example({}), example({}, "anywhere"))]
fn travel() -> Outcome {
    Outcome::ask("Where to?").option("choices", ["Oslo", "Rome"])
}

/// Charges a card.
#[tool(manual)]
fn charge(cents: u32, #[arg(secret)] card: &str) -> String {
    format!("{cents} cents from {card}")
}

#[derive(Deserialize, Schema)]
struct Key {
    #[schema(len(1..))]
    id: String,
    #[schema(secret)]
    value: Option<String>,
}

/// Opens with keys, and with codes if there are any.
#[tool]
fn open(keys: Vec<Key>, #[arg(secret, default)] codes: Vec<u32>) -> Vec<String> {
    let _ = codes;
    let named = keys.into_iter().filter(|key| key.value.is_some());
    named.map(|key| key.id).collect()
}

/// Says who asks.
#[tool]
fn whoami(#[context] cx: &Context) -> String {
    cx.agent_id().unwrap_or("nobody").to_owned()
}

pub(crate) fn all() -> Toolset {
    tools![
        order, tree, wait, late, fail, boom, travel, charge, whoami, open
    ]
}
