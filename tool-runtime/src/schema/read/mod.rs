//! Foreign JSON Schema, read into canonical form.

#[cfg(feature = "schemars")]
mod canonical;
#[cfg(feature = "schemars")]
mod foreign;
mod ordered;
#[cfg(any(feature = "schemars", feature = "validate"))]
pub(crate) mod tree;

#[cfg(feature = "schemars")]
pub(crate) use self::canonical::{Reading, canonical, comparable};
pub(crate) use self::ordered::{Ordered, Pair, declares_all_keys, owned, read};
#[cfg(feature = "schemars")]
pub(crate) use self::ordered::{insert_before, rename_references};
