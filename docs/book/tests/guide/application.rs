//! The tests of the page `application.md`. Its program runs in `programs.rs`.

#[path = "../programs/shop/tests.rs"]
mod tests;
#[path = "../programs/shop/tools.rs"]
mod tools;
