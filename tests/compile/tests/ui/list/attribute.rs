use toolwright::{tool, tools};

/// Says hello.
#[tool]
fn hello() {}

fn main() {
    tools![#[allow(deprecated)] hello];
}
