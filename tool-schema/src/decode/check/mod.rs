//! Checks values against a schema, on their JSON text.

mod leaf;
mod unique;

pub(crate) use self::leaf::{Leaf, admits, admits_count, int_of, is_integer, is_listed};
pub(crate) use self::unique::first_repeat;
