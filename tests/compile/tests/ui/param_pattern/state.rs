use toolwright::tool;

struct Db;

struct State<T>(T);

/// Adds two numbers.
#[tool]
fn add(State(db): State<Db>, a: i64, b: i64) -> i64 {
    let _ = db;
    a + b
}

fn main() {}
