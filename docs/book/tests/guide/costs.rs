//! The page `costs.md`.

// ANCHOR: tokens
use toolwright::{Toolset, tool, tools};

/// Searches the handbook for a phrase and returns the paragraphs that contain it.
#[tool(read_only)]
fn search(
    /// Words that stand beside each other
    phrase: &str,
    #[arg(default = 5, range(1..=20))] at_most: u8,
) -> Vec<String> {
    vec![phrase.to_owned(); usize::from(at_most.min(1))]
}

/// Returns one page of the handbook.
#[tool(read_only)]
fn page(number: u32) -> String {
    format!("page {number}")
}

fn handbook() -> Toolset {
    tools! { budget: 300; search, page }
}

fn main() {
    for def in handbook().definitions() {
        println!("{}: at most {} tokens", def.name, def.token_bound());
    }
}
// ANCHOR_END: tokens

use crate::output;

#[test]
fn it_prints_what_the_page_shows() {
    output::shown("costs.tokens.txt", &output::of(main));
}
