use toolwright::tool;

/// Tell what serde calls an error.
#[tool]
fn serde() -> String {
    serde::de::Error::custom("a crate")
}

fn main() {}
