use toolwright::{tool, tools};

/// Finds a person.
#[tool]
fn find(#[arg(pattern = r"^\p{L}+$")] name: String) -> String {
    name
}

fn main() {
    tools! { targets: [openai_strict]; find };
}
