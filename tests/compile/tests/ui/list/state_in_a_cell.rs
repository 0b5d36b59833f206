use std::cell::RefCell;
use toolwright::{tool, tools};

/// Count the customers.
#[tool]
fn count(#[state] customers: &RefCell<u32>) -> u32 {
    *customers.borrow()
}

/// Add two numbers.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    tools![count, add; state = RefCell::new(3)];
}
