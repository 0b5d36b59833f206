use toolwright::{tool, tools};

/// Reads one page.
#[tool(was("read_all"))]
fn read_page() {}

fn main() {
    tools![read_page, retired("read_all" => read_page)];
}
