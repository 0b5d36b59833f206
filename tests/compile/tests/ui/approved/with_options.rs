use toolwright::{call::Approved, tool};

/// Pays a bill.
#[tool]
fn pay(bill: u32, #[arg(default)] yes: Approved<'_>) {
    let _ = (bill, yes);
}

fn main() {}
