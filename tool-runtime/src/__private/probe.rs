//! What the compiler can find out about a type.

use std::marker::PhantomData;

use serde::Serialize;

use crate::{Field, Presence, Schema, Shape, schema::Kind};

use super::{Value, known};

/// `Has::<T>::SHAPE` is the tree of a type that has one, and `None` for every other type: an
/// inherent constant is found before a trait's.
#[derive(Debug)]
pub struct Has<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: Schema + ?Sized> Has<T> {
    /// The type's tree.
    pub const SHAPE: Option<&'static Shape> = Some(T::SHAPE);
}

/// See [`Has`].
pub trait HasNot {
    /// No tree.
    const SHAPE: Option<&'static Shape> = None;
    /// No targets.
    const REFS: Option<&'static crate::Refs> = None;
}

impl<T: ?Sized> HasNot for Has<T> {}

/// The slot `S` that was found for the parameter type `Self`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool argument",
    label = "the model cannot fill this parameter",
    note = "derive `serde::Deserialize` and `toolwright::Schema` for `{Self}`",
    note = "to pass a value the model must not see, mark it `#[state]`"
)]
pub trait Argument<S> {}

#[diagnostic::do_not_recommend]
impl<T> Argument<Value<T>> for T {}

/// The slot of an argument; the bound is the one error of a type that can be none.
pub fn argument<T: Argument<S>, S>(slot: S) -> S {
    slot
}

/// One key of an object, or one parameter of a tool.
pub const fn field(
    name: &'static str,
    description: &'static str,
    ours: Option<&'static Shape>,
    theirs: Option<&'static Shape>,
) -> Field {
    Field::new(name, description, known(ours, theirs))
}

/// A value that may be written as JSON.
#[derive(Debug)]
pub struct AsJson<T>(pub T);

impl<T: Serialize> AsJson<T> {
    /// Its JSON, unless its own `Serialize` fails.
    pub fn json(&self) -> Option<String> {
        serde_json::to_string(&self.0).ok()
    }
}

/// See [`AsJson`].
pub trait NoJson {
    /// No JSON.
    fn json(&self) -> Option<String> {
        None
    }
}

impl<T> NoJson for AsJson<T> {}

/// `Returned::<R>::SHAPE` is the tree of what a `Result` holds, if it is one and has one; see
/// [`Has`] for how.
#[derive(Debug)]
pub struct Returned<R>(PhantomData<fn() -> R>);

impl<T: Schema, E> Returned<Result<T, E>> {
    /// The tree of the value.
    pub const SHAPE: Option<&'static Shape> = Some(T::SHAPE);
}

/// See [`Returned`].
pub trait ReturnedNot {
    /// No tree.
    const SHAPE: Option<&'static Shape> = None;
}

impl<R> ReturnedNot for Returned<R> {}

/// The tree of what a tool returns.
pub const fn either(
    result: Option<&'static Shape>,
    value: Option<&'static Shape>,
) -> Option<&'static Shape> {
    match result {
        Some(shape) => Some(shape),
        None => value,
    }
}
