use toolwright::{call::Approved, tool};

/// Pays a bill.
#[tool]
fn pay(bill: u32, yes: Approved<'_>) {
    book(bill, yes);
    book(bill, yes);
}

fn book(bill: u32, yes: Approved<'_>) {
    let _ = (bill, yes);
}

fn main() {}
