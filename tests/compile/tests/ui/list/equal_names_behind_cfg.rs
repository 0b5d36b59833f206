use toolwright::{tool, tools};

/// Says hello.
#[tool]
fn hello() {}

fn main() {
    tools![#[cfg(false)] hello, #[cfg(true)] hello, #[cfg(not(false))] hello];
}
