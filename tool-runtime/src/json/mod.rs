//! JSON text, without a schema: brackets and cutting.

mod brackets;
#[cfg(feature = "tokio")]
pub(crate) mod cut;
mod string;

pub(crate) use self::brackets::{ARRAY, Brackets, OBJECT, Place};
pub(crate) use self::string::{plain_run, write_json_string};
