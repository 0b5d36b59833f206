use toolwright::{tool, tools};

/// Orders something.
#[tool]
fn order() {}

fn main() {
    tools! { lock: "tools.lock"; order };
}
