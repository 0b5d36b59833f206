use toolwright::{call::Approved, tool};

/// Pays a bill.
#[tool]
fn pay(bill: u32, yes: Approved<'_>, sure: Approved<'_>) {
    let _ = (bill, yes, sure);
}

fn main() {}
