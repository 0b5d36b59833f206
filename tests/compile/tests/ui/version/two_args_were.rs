use toolwright::tool;

/// Orders something.
#[tool]
fn create_order(#[arg(was = "n")] quantity: u32, #[arg(was = "n")] price: u32) {
    let _ = (quantity, price);
}

fn main() {}
