use toolwright::{tool, tools};

#[tool]
fn weather() {}

fn main() {
    tools![weather];
}
