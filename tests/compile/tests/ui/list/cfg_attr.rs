use toolwright::{tool, tools};

/// Says hello.
#[tool]
fn hello() {}

fn main() {
    tools![#[cfg_attr(unix, cfg(windows))] hello];
}
