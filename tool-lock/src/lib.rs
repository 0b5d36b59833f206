//! Compares tools with a file and reports which changes break callers. Use it as `toolwright::lock`.

mod check;
mod compare;
mod error;
mod file;
mod proof;
mod tree;
mod witness;

pub use self::check::{Lock, LockChange};
pub use self::compare::{Comparison, Verdict, compare};
pub use self::error::LockError;
