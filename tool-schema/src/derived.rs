//! Code that derives name: a field in words, and checks that run when a type compiles.

mod buffered;
#[cfg(feature = "schemars")]
mod emit;
mod field;
mod fits;
mod flat;
mod untagged;

#[cfg(feature = "schemars")]
pub use self::emit::to_schemars;
