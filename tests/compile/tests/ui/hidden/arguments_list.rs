use toolwright::tool;

/// Adds two numbers.
///
/// # Arguments
/// - `a`: the first
/// - `b`: the second﻿
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
