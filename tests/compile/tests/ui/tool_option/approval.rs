use toolwright::tool;

/// Pay money back.
#[tool(needs_approval)]
fn refund(cents: u32) -> u32 {
    cents
}

fn main() {}
