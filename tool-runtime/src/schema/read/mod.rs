//! Foreign JSON Schema, read into canonical form.

pub(crate) mod canonical;
#[cfg(feature = "schemars")]
mod foreign;
pub(crate) mod keywords;
mod ordered;
pub(crate) mod parts;
mod path;
#[cfg(feature = "schemars")]
mod published;
pub(crate) mod refs;
#[cfg(any(feature = "schemars", feature = "validate"))]
pub(crate) mod tree;

pub(crate) use self::ordered::{Ordered, Pair, owned, read, spelled};
pub use self::parts::{Parts, change_references};
pub(crate) use self::path::Path;
#[cfg(feature = "schemars")]
pub(crate) use self::published::{Published, comparable, published};
pub use self::refs::resolve;
