use toolwright::{tool, tools};

/// Measure.
#[tool]
fn measure() -> u32 {
    3
}

fn main() {
    tools![measure as "how big?"];
}
