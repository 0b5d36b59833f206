use toolwright::{tool, tools};

/// Says hello.
#[tool]
fn hello() {}

fn main() {
    tools![tools![hello]];
}
