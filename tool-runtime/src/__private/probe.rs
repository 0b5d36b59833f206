//! What the compiler can find out about a type.

use std::convert::Infallible;
use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;

use toolwright_schema::shape::{Kind, Schema, Shape};

use super::slot::{Lacks, NoDeserialize, NoSchema};
use super::{Tree, known};

/// `Has::<T>::__SHAPE` is the tree of a type that has one, and `None` for every other type: an
/// inherent constant is found before a trait's.
#[derive(Debug)]
pub struct Has<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: Schema + ?Sized> Has<T> {
    /// The type's tree.
    pub const __SHAPE: Option<&'static Shape<'static>> = Some(T::SHAPE);
}

/// See [`Has`].
pub trait HasNot {
    /// No tree.
    const __SHAPE: Option<&'static Shape<'static>> = None;
    /// No targets.
    const __REFS: Option<&'static toolwright_schema::shape::Refs> = None;
    /// Neither.
    const __TREE: Option<Tree> = None;
}

impl<T: ?Sized> HasNot for Has<T> {}

/// A parameter's type, of which a probe found that it lacks `What`.
///
/// What is lacking decides which bound fails, so that exactly one does, and at the type that lacks
/// it: the parameter's own or one inside it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool argument",
    label = "the model cannot fill this parameter",
    note = "derive `serde::Deserialize` and `toolwright::Schema` for it, or for what it is made of; for types of other crates there are features (`bytes`, `chrono`, `rust_decimal`, `url`, `uuid`) and `#[schema(as = …)]`",
    note = "what the model must not see is marked `#[state]`, and the call's `Context` `#[context]`"
)]
pub trait Argument<What> {}

#[diagnostic::do_not_recommend]
impl<T> Argument<()> for T {}

// Where one impl alone could hold, inference takes it as given and reports unlike types instead.
#[diagnostic::do_not_recommend]
impl<T> Argument<Infallible> for T {}

impl<T: Schema> Argument<NoSchema> for T {}

impl<T: DeserializeOwned> Argument<NoDeserialize> for T {}

/// The tree of a flattened parameter, whose fields are the arguments.
///
/// # Panics
/// Where it could not be an object.
#[track_caller]
pub const fn root(
    ours: Option<&'static Shape<'static>>,
    theirs: Option<&'static Shape<'static>>,
) -> &'static Shape<'static> {
    let shape = known(ours, theirs);
    match shape.kind {
        Kind::Object(_)
        | Kind::Map(_)
        | Kind::Any
        | Kind::Narrow(..)
        | Kind::Sides { .. }
        | Kind::Back(_)
        | Kind::Foreign(_)
        | Kind::Unknown => shape,
        _ => panic!(
            "a flattened parameter is all of the arguments, so it must be one object\nhelp: remove `flatten`, or take a struct"
        ),
    }
}

/// The slot of an argument; the bound is the one error of a type that can be none.
pub fn argument<T: Argument<S::Lack>, S: Lacks>(slot: S) -> S {
    slot
}

/// A value that may be written as JSON.
#[derive(Debug)]
pub struct AsJson<T>(pub T);

impl<T: Serialize> AsJson<T> {
    /// Its JSON, unless its own `Serialize` fails.
    pub fn __json(&self) -> Option<String> {
        serde_json::to_string(&self.0).ok()
    }
}

/// See [`AsJson`].
pub trait NoJson {
    /// No JSON.
    fn __json(&self) -> Option<String> {
        None
    }
}

impl<T> NoJson for AsJson<T> {}

/// The JSON of an example, which is there to be shown.
pub fn json<T: Serialize + ?Sized>(value: &T) -> Option<String> {
    serde_json::to_string(value).ok()
}

/// `Returned::<R>::__SHAPE` is the tree of what a `Result` holds, if it is one and has one; see
/// [`Has`] for how.
#[derive(Debug)]
pub struct Returned<R>(PhantomData<fn() -> R>);

impl<T: Schema, E> Returned<Result<T, E>> {
    /// The tree of the value.
    pub const __SHAPE: Option<&'static Shape<'static>> = Some(T::SHAPE);
}

/// See [`Returned`].
pub trait ReturnedNot {
    /// No tree.
    const __SHAPE: Option<&'static Shape<'static>> = None;
}

impl<R> ReturnedNot for Returned<R> {}

/// The tree of what a tool returns.
pub const fn either(
    result: Option<&'static Shape<'static>>,
    value: Option<&'static Shape<'static>>,
) -> Option<&'static Shape<'static>> {
    match result {
        Some(shape) => Some(shape),
        None => value,
    }
}
