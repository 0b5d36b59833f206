//! The options of our attributes.

mod arg;
mod bounds;
mod entry;
mod json;
mod meta;
mod past;
mod suggestions;
mod targets;
mod tool;
mod value;

pub(crate) use arg::{Arg, arg};
pub(crate) use bounds::{read as read_bound, read_schemars};
pub(crate) use entry::{KeyValue, Reader, Table, entries};
pub(crate) use suggestions::unknown;
pub(crate) use targets::distinct;
pub(crate) use tool::{block, options};
pub(crate) use value::{flag, krate, path, shown, text, words};
