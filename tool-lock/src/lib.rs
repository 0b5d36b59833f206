//! What a change of a tool breaks. Use it through the crate `toolwright`.

mod check;
mod compare;
mod file;
mod proof;
mod tree;
mod witness;

pub use self::check::{Lock, LockChange, LockError};
pub use self::compare::{Comparison, Verdict, compare};
