use toolwright::{call::Approved, prompt};

/// Reviews code.
#[prompt]
fn review(code: String, yes: Approved<'_>) -> String {
    let _ = yes;
    code
}

fn main() {}
