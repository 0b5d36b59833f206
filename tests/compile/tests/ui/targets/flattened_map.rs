use std::collections::BTreeMap;

use serde::Deserialize;
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
struct Filter {
    limit: u8,
    #[serde(flatten)]
    others: BTreeMap<String, String>,
}

/// Searches.
#[tool]
fn search(#[arg(flatten)] filter: Filter) -> usize {
    filter.others.len() + usize::from(filter.limit)
}

fn main() {
    tools! { targets: [openai_strict]; search };
}
