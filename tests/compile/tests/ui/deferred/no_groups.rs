use toolwright::{tool, tools};

/// Tells the time.
#[tool]
fn now() -> u64 {
    12
}

fn main() {
    tools! { defer: {}; now };
}
