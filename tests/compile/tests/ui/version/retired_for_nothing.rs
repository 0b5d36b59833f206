use toolwright::{tool, tools};

/// Reads one page.
#[tool]
fn read_page() {}

fn main() {
    tools![read_page, retired("read")];
}
