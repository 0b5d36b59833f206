//! Foreign JSON Schema, read into canonical form.

pub mod canonical;
mod foreign;
pub mod keywords;
mod ordered;
pub(crate) mod parts;
mod path;
mod published;
pub mod refs;
mod subtypes;
pub mod tree;

pub(crate) use self::ordered::respelled;
pub use self::ordered::{Ordered, Pair, owned, read, spelled};
pub use self::parts::{Parts, change_references, inside_mut};
pub use self::path::Path;
pub use self::published::{Published, comparable, published};
pub use self::refs::resolve;
pub use self::subtypes::with_subtypes;
