//! What lints say of a list they say of the whole of it, so that what they suggest keeps it.
#![deny(unused_parens)]

use toolwright::{tool, tools};

/// Tells the weather.
#[tool]
fn weather() {}

fn main() {
    drop((tools![weather]));
}
