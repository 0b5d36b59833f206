use toolwright::{call::Approved, tool};

type Yes<'a> = Approved<'a>;

/// Pays a bill.
#[tool]
fn pay(bill: u32, yes: Yes<'_>) {
    let _ = (bill, yes);
}

fn main() {}
