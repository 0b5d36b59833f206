//! What JSON a Rust type is written as: a tree made at compile time, and its JSON Schema text.

mod document;
mod ordered;
mod render;
mod shape;
mod std_types;

pub use self::document::SchemaDoc;
pub(crate) use self::render::{Side, describe, describe_range, one_of, write_json_string};
pub use self::shape::{Array, Field, IntegerRange, Kind, Presence, Shape, StringRules, Variant};

/// A type whose JSON the compiler knows: derive it beside serde's traits.
///
/// ```
/// # use toolwright_runtime as toolwright;
/// use serde::Deserialize;
/// use toolwright::{Schema, SchemaDoc};
///
/// /// Where to look
/// #[derive(Deserialize, Schema)]
/// # #[schema(crate = ::toolwright_runtime)]
/// struct Place {
///     /// City name
///     city: String,
///     country: Option<String>,
/// }
///
/// let schema = SchemaDoc::of::<Place>();
/// assert_eq!(
///     schema.as_json(),
///     r#"{"type":"object","description":"Where to look","properties":{"city":{"type":"string","description":"City name"},"country":{"type":["string","null"]}},"required":["city"],"additionalProperties":false}"#
/// );
/// ```
///
/// The attributes `#[serde(rename)]`, `#[serde(rename_all)]` and `#[serde(default)]` are read as
/// serde reads them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no schema",
    label = "the model would not know what to write here",
    note = "derive `toolwright::Schema` for `{Self}`, beside `serde::Deserialize`"
)]
pub trait Schema {
    /// The type's tree.
    const SHAPE: &'static Shape;
}
