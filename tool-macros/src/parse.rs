//! Parses user code into the model: attributes, doc comments, functions and their parameters.

mod approved;
pub(crate) mod attr;
pub(crate) mod doc;
mod function;
mod mentions;
mod param;

pub(crate) use self::function::{is_body, read};
