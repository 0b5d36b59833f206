//! Tests with a second opinion: those of every type, from `tests/it`, those of schemas that arrive at run time, and of what
//! a change of a schema breaks; and types of crates that `cargo test` does not build.

mod changes;
mod crates;
mod garde;
mod run_time;

// What the types share with other tests.
// Some of it has users only there.
#[allow(dead_code)]
#[path = "../../../it/json.rs"]
mod json;
#[path = "../../../it/schemas/mod.rs"]
mod schemas;
