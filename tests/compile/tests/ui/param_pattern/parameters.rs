use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
struct Sum {
    a: i64,
    b: i64,
}

struct Parameters<T>(T);

/// Adds two numbers.
#[tool]
fn add(Parameters(sum): Parameters<Sum>) -> i64 {
    sum.a + sum.b
}

fn main() {}
