//! What a call costs, beside what people write without us.

mod hand;
mod rows;
mod tools;

pub use self::rows::{Group, Row, groups};
