use toolwright::{tool, tools};

/// Tell what serde is.
#[tool]
fn serde() -> String {
    "a crate".to_owned()
}

fn main() {
    tools![serde];
}
