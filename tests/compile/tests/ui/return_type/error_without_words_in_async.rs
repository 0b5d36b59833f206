use toolwright::tool;

#[derive(Debug)]
struct OutOfMoney;

/// Pay.
#[tool]
async fn pay() -> Result<u32, OutOfMoney> {
    Err(OutOfMoney)
}

fn main() {}
