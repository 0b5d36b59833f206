//! Foreign JSON Schema, read into canonical form.

pub mod canonical;
#[cfg(feature = "schemars")]
mod foreign;
pub mod keywords;
mod ordered;
pub(crate) mod parts;
mod path;
#[cfg(feature = "schemars")]
mod published;
pub mod refs;
mod subtypes;
pub mod tree;

pub use self::ordered::{Ordered, Pair, owned, read, spelled};
pub use self::parts::{Parts, change_references, inside_mut};
pub use self::path::Path;
#[cfg(feature = "schemars")]
pub use self::published::{Published, comparable, published};
pub use self::refs::resolve;
pub use self::subtypes::with_subtypes;
