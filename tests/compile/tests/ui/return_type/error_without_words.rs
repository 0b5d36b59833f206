use toolwright::tool;

struct OutOfMoney;

/// Pay.
#[tool]
fn pay() -> Result<u32, OutOfMoney> {
    Err(OutOfMoney)
}

fn main() {}
