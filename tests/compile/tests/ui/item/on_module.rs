use toolwright::tool;

#[tool]
mod shop {}

fn main() {}
