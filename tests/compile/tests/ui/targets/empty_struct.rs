use serde::Deserialize;
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
struct Options {}

/// Starts.
#[tool]
fn start(options: Options) -> bool {
    matches!(options, Options {})
}

fn main() {
    tools! { targets: [gemini_openapi]; start };
}
