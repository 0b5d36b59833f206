//! Conversion of a tool's table in generated code to its descriptor. The table is a tuple that borrows nothing: a
//! constant that borrows what functions return costs the compiler as much as the rest of a tool, and rustc evaluates a
//! generic one again for each set of bounds. So the descriptor is made here, on demand.

use std::fmt;
use std::marker::PhantomData;

use super::{Descriptor, Handle, Param, Root};
use toolwright_schema::shape::{Field, Refs, Shape};

/// The description, the parameters, and the tree of the result, if its type has one.
pub type Table<P> = (&'static str, P, Option<&'static Shape<'static>>);

/// The parameters of a tool: an array of [`Param`], or a [`Root`].
pub trait Params: Sized {
    /// Type that holds the descriptor of a tool with these.
    type Of<T: Handle<Params = Self>>: Described;
}

impl<const N: usize> Params for [Param; N] {
    type Of<T: Handle<Params = Self>> = ArrayOf<T, N>;
}

impl Params for Root {
    type Of<T: Handle<Params = Self>> = RootOf<T>;
}

/// A type with a descriptor.
pub trait Described {
    /// The descriptor.
    const DESCRIPTOR: &'static Descriptor;
}

/// The descriptor of a tool with `N` parameters.
pub struct ArrayOf<T, const N: usize>(PhantomData<fn(T)>);

impl<T, const N: usize> fmt::Debug for ArrayOf<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ArrayOf")
    }
}

impl<T: Handle<Params = [Param; N]>, const N: usize> ArrayOf<T, N> {
    const FIELDS: [Field<'static>; N] = fields(&T::TABLE.1);
    const INPUT: Shape<'static> = {
        let input = Shape::object(&Self::FIELDS);
        if T::OPTIONS.ignores_unknown {
            input.open()
        } else {
            input
        }
    };
    const OF: [&'static Refs; N] = refs(&T::TABLE.1);
    const REFS: &'static Refs = if is_empty(&Self::OF) {
        &Refs::NONE
    } else {
        &Refs::through(&Self::OF)
    };
}

impl<T: Handle<Params = [Param; N]>, const N: usize> Described for ArrayOf<T, N> {
    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        name: T::TOOL_NAME,
        description: T::TABLE.0,
        input: &Self::INPUT,
        refs: Self::REFS,
        output: T::TABLE.2,
        ..T::OPTIONS
    };
}

/// The descriptor of a tool whose arguments are one value.
pub struct RootOf<T>(PhantomData<fn(T)>);

impl<T> fmt::Debug for RootOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RootOf")
    }
}

impl<T: Handle<Params = Root>> Described for RootOf<T> {
    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        name: T::TOOL_NAME,
        description: T::TABLE.0,
        input: T::TABLE.1.0.shape,
        refs: T::TABLE.1.0.refs,
        output: T::TABLE.2,
        ..T::OPTIONS
    };
}

#[allow(clippy::indexing_slicing)] // Both lists have `N`.
const fn fields<const N: usize>(params: &[Param; N]) -> [Field<'static>; N] {
    const NONE: Field<'_> = Field::new("", "", &Shape::object(&[]));
    let mut fields = [NONE; N];
    let mut at = 0;
    while at < N {
        fields[at] = params[at].field();
        at += 1;
    }
    fields
}

#[allow(clippy::indexing_slicing)] // Both lists have `N`.
const fn refs<const N: usize>(params: &[Param; N]) -> [&'static Refs; N] {
    let mut refs = [&Refs::NONE; N];
    let mut at = 0;
    while at < N {
        refs[at] = params[at].tree.refs;
        at += 1;
    }
    refs
}

/// Returns true if there are none. Most tools have none and share one constant.
const fn is_empty(mut of: &[&Refs]) -> bool {
    while let [refs, rest @ ..] = of {
        if !refs.targets.is_empty() || !refs.of.is_empty() {
            return false;
        }
        of = rest;
    }
    true
}

/// Returns a name, with the tool's table evaluated: the list that asks for the name shows the table's errors.
pub const fn name_of<P>(name: &'static str, _: &Table<P>) -> &'static str {
    name
}

/// A description that is a constant, without white space around it.
///
/// # Panics
/// If it is empty, so at compile time.
pub const fn words(text: &'static str) -> &'static str {
    let text = text.trim_ascii();
    assert!(
        !text.is_empty(),
        "the description is empty: say what it is or does"
    );
    text
}
