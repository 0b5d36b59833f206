use toolwright::{Instructions, instructions, tool, tools};

/// Adds.
#[tool]
fn add(a: i32) -> i32 {
    a
}

const SYSTEM: Instructions = instructions!("Count with {add}.");

fn main() {
    tools! { instructions: SYSTEM; add };
    println!("{SYSTEM}");
}
