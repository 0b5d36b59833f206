use toolwright::{tool, tools};

/// Orders something.
#[tool]
fn order() {}

fn main() {
    tools![order, retired("buy" => order)];
}
