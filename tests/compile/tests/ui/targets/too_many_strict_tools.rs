use toolwright::{tool, tools};

/// Adds.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[rustfmt::skip]
fn main() {
    tools! {
        targets: [anthropic, anthropic_strict];
        add as "a0", add as "a1", add as "a2", add as "a3", add as "a4", add as "a5", add as "a6", add as "a7",
        add as "a8", add as "a9", add as "a10", add as "a11", add as "a12", add as "a13", add as "a14", add as "a15",
        add as "a16", add as "a17", add as "a18", add as "a19", add as "a20",
    };
}
