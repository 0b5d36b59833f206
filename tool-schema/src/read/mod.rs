//! Foreign JSON Schema, read into canonical form.

pub mod canonical;
#[cfg(feature = "schemars")]
mod foreign;
pub mod keywords;
mod ordered;
mod path;
#[cfg(feature = "schemars")]
mod published;
pub mod refs;
#[cfg(any(feature = "schemars", feature = "validate"))]
pub mod tree;

#[cfg(feature = "schemars")]
pub(crate) use self::ordered::rename_references;
pub use self::ordered::{Ordered, Pair, declares_all_keys, owned, read};
pub use self::path::Path;
#[cfg(feature = "schemars")]
pub use self::published::{Published, comparable, published};
