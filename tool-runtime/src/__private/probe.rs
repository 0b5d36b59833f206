//! Probes that read a type's capabilities from the compiler.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::tool::Context;
use toolwright_provider::call::Payload;
use toolwright_schema::shape::{Field, Kind, Refs, Schema, Shape};

use super::schemas::output_known;
use super::slot::{FoundSlot, NoDeserialize, NoSchema};

/// Finds a type's capabilities.
///
/// Method lookup tries each level before the one that it dereferences to, and takes the first whose trait has an impl for
/// the type. Generated code calls the method in a closure, such as `|it| it.__slot()`, whose return type is the answer.
#[derive(Debug)]
pub struct Probe<T, const LEVEL: usize = 3>(PhantomData<fn() -> T>);

impl<T> Probe<T> {
    pub(super) const NEW: Self = Self(PhantomData);
}

macro_rules! levels {
    ($($level:literal $next:literal)*) => {$(
        impl<T> Deref for Probe<T, $level> {
            type Target = Probe<T, $next>;

            fn deref(&self) -> &Self::Target {
                &Probe(PhantomData)
            }
        }
    )*};
}

levels! { 3 2 2 1 1 0 }

/// `CompiledSchema::<T>::__SHAPE` is the tree of a type that has one, and `None` for every other type: an
/// inherent constant is found before a trait's.
#[derive(Debug)]
pub struct CompiledSchema<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: Schema + ?Sized> CompiledSchema<T> {
    /// The type's tree.
    pub const __SHAPE: Option<&'static Shape<'static>> = Some(T::SHAPE);
}

/// See [`CompiledSchema`].
pub trait NoCompiledSchema {
    /// No tree.
    const __SHAPE: Option<&'static Shape<'static>> = None;
    /// No targets.
    const __REFS: Option<&'static Refs> = None;
}

impl<T: ?Sized> NoCompiledSchema for CompiledSchema<T> {}

/// A parameter's type that lacks `What`, by its probe.
///
/// The missing capability decides which bound fails, so that exactly one does, at the type that lacks it: the
/// parameter's or one inside it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool argument",
    label = "the model cannot fill this parameter",
    note = "derive `serde::Deserialize` and `toolwright::Schema` for it, or for what it is made of; for types of other crates there are features of the crates' names (`chrono`, `uuid` and others) and `#[schema(as = …)]`",
    note = "schemars' `JsonSchema` counts too: version 1, with the feature `schemars`",
    note = "a parameter that the model must not see is marked `#[state]`"
)]
pub trait Argument<What> {}

#[diagnostic::do_not_recommend]
impl<T> Argument<()> for T {}

// Where one impl alone could hold, inference takes it as given and reports unlike types instead.
#[diagnostic::do_not_recommend]
impl<T> Argument<Infallible> for T {}

impl<T: Schema> Argument<NoSchema> for T {}

impl<T: DeserializeOwned> Argument<NoDeserialize> for T {}

/// A parameter's type; `OwnName` marks a context and an approval, which the macro knows by their names and sees behind no
/// alias.
#[diagnostic::on_unimplemented(
    message = "`{Self}` comes with the call by its own name, and is not an argument",
    label = "a macro does not see what another name stands for",
    note = "write `cx: &Context` or `yes: Approved<'_>`; a reference to a context by another name can be marked `#[context]`"
)]
pub trait Spelled<What> {}

impl<T> Spelled<()> for T {}
#[diagnostic::do_not_recommend]
impl<T> Spelled<Infallible> for T {}

/// The type of a parameter that takes the call's context.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the call's context",
    label = "a parameter `&Context` takes the call's context",
    note = "the context is a `toolwright::Context`; an argument whose type has that name is taken by value, and state is marked `#[state]`"
)]
pub trait CallContext {
    /// The context.
    fn of(cx: &Context) -> &Self;
}

impl CallContext for Context {
    #[inline]
    fn of(cx: &Context) -> &Self {
        cx
    }
}

/// The call's context, for a parameter of type `T`.
#[inline]
pub fn context_of<T: CallContext + ?Sized>(cx: &Context) -> &T {
    T::of(cx)
}

/// Tree of a parameter's type, with the types that its edges lead back to.
#[derive(Debug, Clone, Copy)]
pub struct Tree {
    /// The tree.
    pub shape: &'static Shape<'static>,
    /// The types.
    pub refs: &'static Refs,
}

impl Tree {
    /// Creates a tree.
    pub const fn new(shape: &'static Shape<'static>, refs: &'static Refs) -> Self {
        Self { shape, refs }
    }

    /// Makes it the tree of a parameter.
    pub const fn param(self, name: &'static str, description: &'static str) -> Param {
        Param {
            name,
            description,
            tree: self,
            is_option: false,
            default: None,
            example: None,
        }
    }

    /// Makes it the tree of a parameter whose type is spelled as an `Option`.
    pub const fn option(self, name: &'static str, description: &'static str) -> Param {
        Param {
            is_option: true,
            ..self.param(name, description)
        }
    }
}

/// The tree of a type that certainly has our trait. It is a function, so that an error about the type is shown under it.
pub const fn tree<T: Schema + ?Sized>() -> Tree {
    Tree::new(T::SHAPE, T::REFS)
}

/// The tree of any type, by the slot that its probe finds.
///
/// # Panics
/// Panics if no text can be read as the type.
#[track_caller]
pub const fn tree_of<T, S: FoundSlot>(_: fn(Probe<T>) -> S) -> Tree {
    let tree = S::TREE;
    tree.shape.can_be_read(tree.refs);
    tree
}

/// A parameter of a tool: the data for its [`Field`] in the descriptor.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    pub(super) name: &'static str,
    description: &'static str,
    pub(super) tree: Tree,
    /// True if its type is spelled as an `Option`.
    is_option: bool,
    default: Option<fn() -> Option<String>>,
    example: Option<fn() -> Option<String>>,
}

impl Param {
    /// Adds the JSON of its default.
    #[must_use]
    pub const fn defaulted(mut self, default: fn() -> Option<String>) -> Self {
        self.default = Some(default);
        self
    }

    /// Adds the JSON of its example.
    #[must_use]
    pub const fn exemplified(mut self, example: fn() -> Option<String>) -> Self {
        self.example = Some(example);
        self
    }

    pub(super) const fn field(&self) -> Field<'static> {
        let mut field = Field::new(self.name, self.description, self.tree.shape);
        if self.is_option {
            field = field.optional();
        }
        if let Some(default) = self.default {
            field = field.defaulted(default);
        }
        match self.example {
            Some(example) => field.exemplified(example),
            None => field,
        }
    }
}

/// Tree of the arguments of a tool with a flattened parameter.
#[derive(Debug, Clone, Copy)]
pub struct Root(pub(super) Tree);

/// The tree of a flattened parameter, whose fields are the arguments.
///
/// # Panics
/// Panics if it cannot be an object, or no text can be read as the type.
#[track_caller]
pub const fn root<T, S: FoundSlot>(probe: fn(Probe<T>) -> S) -> Root {
    let tree = tree_of(probe);
    match tree.shape.kind {
        Kind::Object(_)
        | Kind::Map(_)
        | Kind::Any
        | Kind::Bounded(..)
        | Kind::InOut { .. }
        | Kind::Recursive(_)
        | Kind::Foreign(_)
        | Kind::Unknown => Root(tree),
        _ => panic!(
            "a flattened parameter is all of the arguments, so it must be one object\nhelp: remove `flatten`, or take a struct"
        ),
    }
}

/// The slot of an argument. One bound gives one error for a type that cannot be an argument.
#[inline]
pub fn argument<T: Argument<S::Lack> + Spelled<S::Name>, S: FoundSlot>(
    _: impl FnOnce(Probe<T>) -> S,
) -> S {
    S::EMPTY
}

/// A value that may be written as JSON.
#[derive(Debug)]
pub struct AsJson<T>(pub T);

impl<T: Serialize> AsJson<T> {
    /// Its JSON, unless its own `Serialize` fails.
    pub fn __json(&self) -> Option<String> {
        json(&self.0)
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

/// The JSON of an example, for display. Values that a result could not contain are left out.
pub fn json<T: Serialize + ?Sized>(value: &T) -> Option<String> {
    let payload = Payload::new(value);
    payload.check().ok()?;
    Some(payload.to_json().into_owned())
}

/// A `Result` whose value has a tree.
pub trait FindValue<T> {
    /// The value has it.
    fn __output(&self) -> FoundIn<T> {
        FoundIn(PhantomData)
    }
}

impl<T: Schema, E> FindValue<T> for Probe<Result<T, E>, 2> {}

/// A type that has a tree.
pub trait FindOutput<R> {
    /// The type has it.
    fn __output(&self) -> FoundIn<R> {
        FoundIn(PhantomData)
    }
}

impl<R: Schema> FindOutput<R> for Probe<R, 1> {}

/// Any other type.
pub trait FindNoOutput {
    /// No tree.
    fn __output(&self) -> FoundNowhere {
        FoundNowhere
    }
}

impl<R> FindNoOutput for Probe<R, 0> {}

/// The type that has the tree.
#[derive(Debug)]
pub struct FoundIn<T>(PhantomData<fn() -> T>);

/// Nothing has a tree.
#[derive(Debug)]
pub struct FoundNowhere;

/// Answer of a probe about a return type.
pub trait FoundOutput {
    /// The tree, if there is one.
    const SHAPE: Option<&'static Shape<'static>>;
}

impl<T: Schema> FoundOutput for FoundIn<T> {
    const SHAPE: Option<&'static Shape<'static>> = Some(T::SHAPE);
}

impl FoundOutput for FoundNowhere {
    const SHAPE: Option<&'static Shape<'static>> = None;
}

/// The tree of a tool's return value, if it has one.
pub const fn output_of<R, F: FoundOutput>(_: fn(Probe<R>) -> F) -> Option<&'static Shape<'static>> {
    output_known(F::SHAPE)
}
