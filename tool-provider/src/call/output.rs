use serde::Serialize;

use crate::call::{Content, Outcome, Payload};

/// Types that a tool may return: a `Serialize` value, an [`Outcome`], [`Content`], or a `Result` of one.
///
/// The unit type is the text `done`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a tool",
    label = "not a tool output",
    note = "derive `serde::Serialize` for `{Self}`, or return an `Outcome`, `Content`, or a `Result` of what can be returned"
)]
pub trait Output {
    /// Converts the value into the outcome of the call.
    fn into_outcome(self) -> Outcome;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> Output for T {
    fn into_outcome(self) -> Outcome {
        Outcome::Value(Payload::returned(self))
    }
}

#[diagnostic::do_not_recommend]
impl Output for Outcome {
    fn into_outcome(self) -> Outcome {
        self
    }
}

#[diagnostic::do_not_recommend]
impl Output for Content {
    fn into_outcome(self) -> Outcome {
        Outcome::Content(self)
    }
}
