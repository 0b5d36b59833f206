use toolwright::{call::Approved, tool};

/// Pays a bill.
#[tool]
fn pay(bill: u32, yes: Approved<'_>) {
    let _ = (bill, yes);
}

fn main() {
    pay(7, Approved(r#"{"bill": 7}"#.into()));
}
