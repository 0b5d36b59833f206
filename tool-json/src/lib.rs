//! JSON text without a schema.
//!
//! A [`Scanner`] reads a text piece by piece. A [`Value`] is a parsed text: objects keep their order and repeated keys,
//! numbers their spelling. [`ObjectWriter`] and [`list`] write JSON piece by piece, and [`cut`] shortens a text so that it is
//! still JSON. A [`Decimal`] is the exact value of a number.
//!
//! This crate is an internal part of `toolwright`. Its interface may change in any version.

pub mod cut;
mod decimal;
mod named;
mod number;
mod scan;
mod string;
mod value;
mod write;

pub use self::decimal::{Decimal, by_value};
pub use self::number::{Integer, Number};
pub use self::scan::{Error, Expected, MAX_DEPTH, Place, Scanner};
pub use self::string::{plain_run, quoted, strip_bom, write_string};
pub use self::value::{Value, deserialize_text};
pub use self::write::{
    ObjectWriter, joined, list, object, write_comma, write_key, write_list, write_object,
};
