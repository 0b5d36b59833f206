use toolwright::tool;

#[tool]
pub use std::mem::swap;

fn main() {}
