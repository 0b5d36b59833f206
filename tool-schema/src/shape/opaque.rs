use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::shape::{Id, Schema, Shape, foreign};

/// A value of a type that only has schemars' `JsonSchema`, for generic tools and types, in which the compiler cannot
/// choose between the two traits.
///
/// ```
/// use toolwright::{Schema, schema::{Opaque, SchemaDoc}};
///
/// fn list_of<T: Schema>() -> String {
///     SchemaDoc::of::<Vec<T>>().as_json().to_owned()
/// }
///
/// // `char` stands for a type that has no `Schema` of its own.
/// assert_eq!(
///     list_of::<Opaque<char>>(),
///     r#"{"type":"array","items":{"type":"string","minLength":1,"maxLength":1}}"#
/// );
/// ```
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Opaque<T>(pub T);

impl<T: JsonSchema> Schema for Opaque<T> {
    const ID: Id = Id::of("Opaque", "");
    const SHAPE: &'static Shape<'static> = foreign::<T>();
}

impl<T> Deref for Opaque<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
