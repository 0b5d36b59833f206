use toolwright::{call::Approved, tool};

/// Pays a bill.
#[tool]
fn pay((bill, yes): (u32, Approved<'_>)) {
    let _ = (bill, yes);
}

fn main() {}
