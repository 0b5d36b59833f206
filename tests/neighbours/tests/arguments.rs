//! The tests of `tests/arguments.rs`, in this build.

#[path = "../../arguments.rs"]
mod arguments;

// What its modules find at the root of their own build.
use arguments::{answer, echo, echoed, owned, pretty_rows};
