use toolwright::tool;

#[doc = include_str!("not_literal.rs")]
#[tool]
fn search(query: String) -> String {
    query
}

fn main() {}
