use toolwright::{tool, tools};

const EMPTY: &str = " ";

#[tool(description = EMPTY)]
fn search(query: String) -> String {
    query
}

fn main() {
    tools![search];
}
