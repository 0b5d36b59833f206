use toolwright::{call::Approved, tool};

/// Pays a bill.
#[tool]
fn pay(bill: u32, yes: Approved<'static>) {
    let _ = (bill, yes);
}

fn main() {}
