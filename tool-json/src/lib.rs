//! JSON text without a schema.
//!
//! A [`Scanner`] reads a text piece by piece. A [`Value`] is a text taken apart: objects keep their order and equal keys,
//! numbers their spelling. [`Object`] and [`list`] write JSON piece by piece, and
//! [`cut`] shortens a text so that it is still JSON. A [`Decimal`] is a number's exact value.
//!
//! This crate is a part of `toolwright`, and its interface changes with that crate alone.

pub mod cut;
mod decimal;
mod number;
mod scan;
mod string;
mod value;
mod write;

pub use self::decimal::Decimal;
pub use self::number::{Integer, Number};
pub use self::scan::{Error, Expected, MAX_DEPTH, Place, Scanner};
pub use self::string::{plain_run, quoted, write_string};
pub use self::value::Value;
pub use self::write::{Object, joined, list, write_comma, write_key, write_list, write_object};
