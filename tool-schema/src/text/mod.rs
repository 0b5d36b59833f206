//! Short texts: ids, names, near names, invisible characters.

mod fnv;
mod message;
mod name;
mod near;
mod pointer;
mod printable;
mod short_str;

pub use self::fnv::{FNV_OFFSET, fnv1a};
pub use self::message::ConstText;
pub use self::name::{LONGEST_SHOWN, same};
pub use self::name::{NameError, is_portable_name, portable_name};
pub use self::near::{did_you_mean, listed, near};
pub use self::pointer::{escaped, percent_decoded, unescaped};
pub use self::printable::Printable;
pub use self::printable::excerpt;
pub use self::printable::printable;
pub use self::short_str::ShortStr;
pub use toolwright_pattern::hidden::{all, find, name, pattern as hidden_pattern};
