//! What `#[arg]` says besides defaults, and where the texts of parameters come from.
#![deny(warnings)]

use toolwright::{Schema, Wire, tool, tools};

#[derive(serde::Deserialize, Schema)]
struct Query {
    words: String,
}

/// Tell the weather.
///
/// # Arguments
///
/// - `city`: where to look
/// * **days** - how far ahead
#[tool]
fn weather(
    #[arg(example = "Oslo")] city: String,
    #[arg(rename = "days", example = 3)] how_far: u8,
    /// Celsius or not
    #[arg(default)]
    #[arg(rename = "unit")]
    celsius: bool,
    /** A block of words */
    why: Option<String>,
) -> String {
    format!("{city}{how_far}{celsius}{why:?}")
}

/// Search.
#[tool]
fn search(#[arg(flatten)] query: Query) -> String {
    query.words
}

/// Search in any way.
#[tool]
fn search_any(#[arg(flatten)] query: &std::collections::BTreeMap<String, String>) -> usize {
    query.len()
}

/// Rate it, by a type with code inside.
#[tool]
fn rate(
    stars: [u8; {
        let mut count = 1;
        count += match count {
            1 => 2,
            _ => 0,
        };
        count
    }],
) -> usize {
    stars.len()
}

macro_rules! number {
    (_) => {
        u8
    };
}

/// Count, by a type of a macro.
#[tool]
fn count(most: number!(_)) -> u8 {
    most
}

#[test]
fn runs() {
    let tools = tools![weather, search, search_any, rate, count];
    assert!(tools.get("rate").is_some() && tools.get("count").is_some());
    assert!(
        Wire::OpenAiChat
            .definitions(&tools)
            .contains("where to look")
    );
}
