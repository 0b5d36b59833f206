use toolwright::tool;

struct Receipt;

/// Pay.
#[tool]
fn pay() -> Receipt {
    Receipt
}

fn main() {}
