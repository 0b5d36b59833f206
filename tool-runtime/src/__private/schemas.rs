//! Probes that read the capabilities of a type's fields from the compiler.

use std::marker::PhantomData;

use toolwright_schema::shape::{
    Bounds, Field, Id, Kind, Object, RecursiveEdge, Refs, Schema, Shape, Union, Untagged,
};

use super::CompiledSchema;

impl<T: Schema + ?Sized> CompiledSchema<T> {
    /// The targets of the type's cut edges.
    pub const __REFS: Option<&'static Refs> = Some(T::REFS);
}

/// The targets, if there are any.
pub const fn refs_of(refs: Option<&'static Refs>) -> &'static Refs {
    match refs {
        Some(refs) => refs,
        None => &Refs::NONE,
    }
}

/// `RuntimeSchema::<T>::__SHAPE` is the tree of a type that has its schema only at run time; [`CompiledSchema`]
/// explains the lookup.
#[derive(Debug)]
pub struct RuntimeSchema<T: ?Sized>(PhantomData<fn(&T)>);

#[cfg(feature = "schemars")]
impl<T: schemars::JsonSchema + ?Sized> RuntimeSchema<T> {
    /// The type's tree: an opaque leaf until the program runs.
    pub const __SHAPE: Option<&'static Shape<'static>> =
        Some(toolwright_schema::shape::foreign::<T>());
}

/// See [`RuntimeSchema`].
pub trait NoRuntimeSchema {
    /// No tree.
    const __SHAPE: Option<&'static Shape<'static>> = None;
}

impl<T: ?Sized> NoRuntimeSchema for RuntimeSchema<T> {}

/// The tree that is known, ours first.
pub const fn known(
    ours: Option<&'static Shape<'static>>,
    theirs: Option<&'static Shape<'static>>,
) -> &'static Shape<'static> {
    const UNKNOWN: &Shape<'_> = &Shape::new(Kind::Unknown);
    known_or(ours, theirs, UNKNOWN)
}

/// The tree that is known, ours first, or else the last one.
pub const fn known_or(
    ours: Option<&'static Shape<'static>>,
    theirs: Option<&'static Shape<'static>>,
    otherwise: &'static Shape<'static>,
) -> &'static Shape<'static> {
    match (ours, theirs) {
        (Some(shape), _) | (None, Some(shape)) => shape,
        (None, None) => otherwise,
    }
}

/// The tree of values that are for the tool alone.
pub const fn secret(shape: &'static Shape<'static>) -> Shape<'static> {
    Shape::new(Kind::Bounded(shape, Bounds::NONE)).secret()
}

/// Finds where a type's schema comes from; method lookup tries more references first.
#[derive(Debug)]
pub struct SchemaOf<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: ?Sized> SchemaOf<T> {
    /// The probe.
    pub const NEW: Self = Self(PhantomData);
}

/// A schema was found.
#[derive(Debug)]
pub struct SchemaFound;

/// No schema was found.
#[derive(Debug)]
pub struct SchemaMissing;

/// A type with our trait.
pub trait SchemaOfOurs {
    /// Returns that a schema was found.
    fn __find(&self) -> SchemaFound {
        SchemaFound
    }
}

impl<T: Schema + ?Sized> SchemaOfOurs for &&SchemaOf<T> {}

/// A type with schemars' trait.
pub trait SchemaOfForeign {
    /// Returns that a schema was found.
    fn __find(&self) -> SchemaFound {
        SchemaFound
    }
}

#[cfg(feature = "schemars")]
impl<T: schemars::JsonSchema + ?Sized> SchemaOfForeign for &SchemaOf<T> {}

/// Any other type.
pub trait SchemaOfAny {
    /// Nowhere.
    fn __find(&self) -> SchemaMissing {
        SchemaMissing
    }
}

impl<T: ?Sized> SchemaOfAny for SchemaOf<T> {}

/// The type has the schema that was found.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no schema",
    label = "the model would not know what to write here",
    note = "derive `toolwright::Schema` for `{Self}`, beside `serde::Deserialize`; for what a tool returns, beside `serde::Serialize`",
    note = "for types of other crates there are features of the crates' names (`chrono`, `uuid` and others) and `#[schema(as = …)]`",
    note = "schemars' `JsonSchema` counts too: version 1, with the feature `schemars`"
)]
pub trait HasSchema<F> {}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> HasSchema<SchemaFound> for T {}

// Where one impl alone could hold, inference takes it as given and reports unlike types instead.
#[diagnostic::do_not_recommend]
impl<T: ?Sized> HasSchema<std::convert::Infallible> for T {}

// If no schema was found, the bound fails where it is missing: at the type or at one inside it.
impl<T: Schema + ?Sized> HasSchema<SchemaMissing> for T {}

/// The bound is the one error of a type that has no schema.
pub fn has_schema<T: HasSchema<F> + ?Sized, F>(found: F) -> F {
    found
}

/// An edge back to a type that contains this one.
#[derive(Debug)]
pub struct CutEdge<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: Schema + ?Sized> Schema for CutEdge<T> {
    const ID: Id = T::ID;
    const SHAPE: &'static Shape<'static> = &Shape::new(Kind::Recursive(RecursiveEdge::new(
        T::ID,
        // A function's body is not part of the constant, so this is not a cycle.
        || T::SHAPE,
    )));
    const REFS: &'static Refs = &Refs {
        targets: &[T::SHAPE],
        of: &[],
    };
}

/// An object of these fields and no others.
pub const fn object(fields: &'static [Field<'static>]) -> Kind<'static> {
    Shape::object(fields).kind
}

/// An object of these fields. serde refuses all others.
pub const fn denying_object(fields: &'static [Field<'static>]) -> Kind<'static> {
    Kind::Object(Object {
        fields,
        open: false,
        denies: true,
    })
}

/// An object of these fields and any others.
pub const fn open_object(fields: &'static [Field<'static>]) -> Kind<'static> {
    Shape::object(fields).open().kind
}

/// A union whose members serde distinguishes by their keys.
pub const fn union(members: &'static [Shape<'static>]) -> Kind<'static> {
    Kind::Union(Union::of(members))
}

/// A union of which serde reads a value before it knows the member.
pub const fn buffered_union(members: &'static [Shape<'static>]) -> Kind<'static> {
    let mut union = Union::of(members);
    union.buffered = true;
    Kind::Union(union)
}

/// A union whose members from `first` on have no tags.
pub const fn untagged_union(
    members: &'static [Shape<'static>],
    names: &'static [&'static str],
    first: usize,
) -> Kind<'static> {
    Kind::Union(Union {
        buffered: true,
        untagged: Untagged { names, first },
        ..Union::of(members)
    })
}

/// An adjacently tagged union.
pub const fn adjacent_union(members: &'static [Shape<'static>]) -> Kind<'static> {
    Kind::Union(Union {
        buffered: true,
        adjacent: true,
        ..Union::of(members)
    })
}

/// The parts of a derived schema, except for the type's names.
#[allow(non_upper_case_globals)]
pub trait Derived {
    /// The tree. rustc names the constant in the report of a cycle.
    const __mark_a_field_of_this_cycle_with_schema_recursive: &'static Shape<'static>;
    /// Does not compile if a bound does not fit its field.
    const __bounds: () = ();

    /// Does not compile if a value in an attribute does not fit.
    fn __check() {}
}

/// The identity of a type, from the place where it is derived.
#[doc(hidden)]
#[macro_export]
macro_rules! __id_of {
    ($name:ident) => {
        $crate::__private::Id::of(
            ::core::concat!(
                ::core::module_path!(),
                ":",
                ::core::line!(),
                ":",
                ::core::column!(),
                ":",
                ::core::stringify!($name)
            ),
            ::core::stringify!($name),
        )
    };
}
pub use crate::__id_of as id_of;

/// Code for an attribute that needs schemars.
#[cfg(feature = "schemars")]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_schemars {
    ($attribute:literal $($tokens:tt)*) => { $($tokens)* };
}
#[cfg(not(feature = "schemars"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_schemars {
    ($attribute:literal $($tokens:tt)*) => {
        ::core::compile_error!(::core::concat!(
            "`",
            $attribute,
            "` needs the feature `schemars` of `toolwright`\n",
            "help: enable it in `Cargo.toml`, or remove the attribute",
        ));
    };
}
pub use crate::__with_schemars as with_schemars;

/// The tree of a type that has one of ours; a function, so that an error about the type is shown under it.
pub const fn shape<T: Schema + ?Sized>() -> &'static Shape<'static> {
    T::SHAPE
}

/// The tree of a return value with our trait.
pub const fn output<T: Schema + ?Sized>() -> Option<&'static Shape<'static>> {
    output_known(Some(T::SHAPE))
}

/// The tree of a result. `()` has none: it is the text `done`.
pub(super) const fn output_known(
    shape: Option<&'static Shape<'static>>,
) -> Option<&'static Shape<'static>> {
    match shape {
        Some(shape) if !matches!(shape.kind, Kind::Null) => Some(shape),
        _ => None,
    }
}

/// The tree of a tool that returns nothing.
pub const NO_OUTPUT: Option<&'static Shape<'static>> = None;
