//! Short texts: ids, names, near names, characters that nobody sees.

mod hidden;
mod name;
mod near;
mod pointer;
mod printable;
mod short_str;

pub(crate) use self::hidden::{all, find, name};
pub(crate) use self::name::{LONGEST_SHOWN, same};
pub use self::name::{NameError, is_portable_name};
pub(crate) use self::near::{did_you_mean, near};
pub(crate) use self::pointer::{escaped, percent_decoded, unescaped};
pub use self::printable::Printable;
pub(crate) use self::printable::{excerpt, printable};
pub use self::short_str::ShortStr;
