use std::future::Future;
use std::pin::Pin;
use toolwright::tool;

/// Adds two numbers.
#[tool]
fn add(a: u8, b: u8) -> Pin<Box<dyn Future<Output = u8> + Send>> {
    Box::pin(async move { a + b })
}

fn main() {}
