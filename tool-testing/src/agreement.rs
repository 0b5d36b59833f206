use std::fmt;

use schemars::JsonSchema;

use toolwright_schema::read::comparable;
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::shape::{Schema, Side, foreign};

/// Two schemas of one type that are not the same.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Disagreement {
    /// True if the schemas of what is written differ, false if those of what is read do.
    pub output: bool,
    /// Schema by [`Schema`].
    pub ours: serde_json::Value,
    /// Schema by schemars' `JsonSchema`, in the same form.
    pub theirs: serde_json::Value,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.output { "written" } else { "read" };
        write!(
            f,
            "of what is {side}, `Schema` says {}\nand `JsonSchema` says {}",
            self.ours, self.theirs
        )
    }
}

impl std::error::Error for Disagreement {}

/// Checks that a type with both traits has the same schemas by both, of what is read and of what is
/// written. They are brought into canonical form first. What has no order there (required keys, the strings
/// of an enum, the members of a union) is compared without one.
///
/// ```
/// toolwright_testing::agrees::<Vec<Option<u8>>>().unwrap();
/// ```
///
/// # Errors
/// The two schemas, where they differ.
#[allow(
    clippy::result_large_err,
    reason = "only where a neighbour makes the objects of `serde_json` larger"
)]
pub fn agrees<T: Schema + JsonSchema + ?Sized>() -> Result<(), Disagreement> {
    for side in [Side::Input, Side::Output] {
        let of = |shape| comparable(&SchemaDoc::from_shape(shape, side).to_value());
        let (ours, theirs) = (of(T::SHAPE), of(foreign::<T>()));
        if ours != theirs {
            return Err(Disagreement {
                output: side == Side::Output,
                ours,
                theirs,
            });
        }
    }
    Ok(())
}
