use toolwright::tool;

/// Add numbers.
#[tool]
fn add(all @ [first, ..]: [i64; 2]) -> i64 {
    first + all[1]
}

fn main() {}
