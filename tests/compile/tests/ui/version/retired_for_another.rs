use toolwright::{tool, tools};

/// Reads one page.
#[tool]
fn read_page() {}

/// Reads all.
#[tool]
fn read_output() {}

fn main() {
    tools![read_page, retired("read" => read_output)];
}
