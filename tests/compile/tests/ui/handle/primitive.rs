use toolwright::tool;

/// Show a character.
#[tool]
fn char(code: u32) -> String {
    code.to_string()
}

fn main() {}
