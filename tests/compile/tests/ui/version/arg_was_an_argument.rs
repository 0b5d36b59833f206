use toolwright::tool;

/// Orders something.
#[tool]
fn create_order(qty: u32, #[arg(was = "qty")] quantity: u32) {
    let _ = (qty, quantity);
}

fn main() {}
