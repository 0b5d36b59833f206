//! Tools that ask nothing of a toolset's state, which most are. What generated code says of one is a tuple of references:
//! a constant that calls functions and borrows what they return costs the compiler as much as all the rest, and one that is
//! generic is looked at anew for each set of bounds. So the descriptor is made of it here, once somebody asks for it.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;

use super::slot::{Nothing, Value, decode, unfilled};
use super::{Bind, Descriptor, Handle, Ran, ready};
use crate::tool::{Call, Slot};
use toolwright_provider::call::Output;
use toolwright_schema::shape::{Field, Refs, Shape};

/// A type's tree, and the types that its edges lead back to. They stand together, since one more constant of each tool costs
/// the compiler a twentieth of a check after an edit.
pub type Tree = (&'static Shape<'static>, &'static Refs);

/// A parameter: its name, its description, its tree, and whether its type is spelled as an `Option`.
pub type Param = (&'static str, &'static str, Tree, bool);

/// The description, the parameters, and the result, if its type has a tree.
pub type About<P> = (&'static str, P, Option<&'static Shape<'static>>);

/// A tool that runs with any state.
pub trait Stateless: Sized {
    /// As many [`Param`]s as there are.
    type Params: Params;
    /// The name.
    const TOOL_NAME: &'static str;
    /// What most tools say about themselves.
    const ABOUT: About<Self::Params>;
    /// What other tools say beside it.
    const REST: Descriptor = Descriptor::NEW;

    /// A call's way through it.
    fn run<'a>(call: Call<'a>, about: &'static Descriptor) -> Ran<'a>;
}

/// So many [`Param`]s.
pub trait Params: Sized {
    /// Where the descriptor of a tool with so many is made.
    type Table<T: Stateless<Params = Self>>: Described;
}

impl<const N: usize> Params for [Param; N] {
    type Table<T: Stateless<Params = Self>> = Table<T, N>;
}

/// What has a descriptor.
pub trait Described {
    /// The descriptor.
    const DESCRIPTOR: &'static Descriptor;
}

/// The descriptor of a tool with `N` parameters.
pub struct Table<T, const N: usize>(PhantomData<fn(T)>);

impl<T, const N: usize> fmt::Debug for Table<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Table")
    }
}

impl<T: Stateless<Params = [Param; N]>, const N: usize> Table<T, N> {
    const FIELDS: [Field<'static>; N] = fields(T::ABOUT.1);
    const INPUT: Shape<'static> = Shape::object(&Self::FIELDS);
    const OF: [&'static Refs; N] = refs(&T::ABOUT.1);
    const REFS: &'static Refs = if is_empty(&Self::OF) {
        &Refs::NONE
    } else {
        &Refs::through(&Self::OF)
    };
}

impl<T: Stateless<Params = [Param; N]>, const N: usize> Described for Table<T, N> {
    const DESCRIPTOR: &'static Descriptor = &Descriptor {
        name: T::TOOL_NAME,
        description: T::ABOUT.0,
        input: &Self::INPUT,
        refs: Self::REFS,
        output: T::ABOUT.2,
        ..T::REST
    };
}

#[allow(clippy::indexing_slicing)] // Both lists have `N`.
const fn fields<const N: usize>(params: [Param; N]) -> [Field<'static>; N] {
    const NONE: Field<'_> = Field::new("", "", &Shape::object(&[]));
    let mut fields = [NONE; N];
    let mut at = 0;
    while at < N {
        let (name, description, (shape, _), is_option) = params[at];
        let field = Field::new(name, description, shape);
        fields[at] = if is_option { field.optional() } else { field };
        at += 1;
    }
    fields
}

#[allow(clippy::indexing_slicing)] // Both lists have `N`.
const fn refs<const N: usize>(params: &[Param; N]) -> [&'static Refs; N] {
    let mut refs = [&Refs::NONE; N];
    let mut at = 0;
    while at < N {
        refs[at] = params[at].2.1;
        at += 1;
    }
    refs
}

/// Whether there are none, as for most tools, which then share that.
const fn is_empty(mut of: &[&Refs]) -> bool {
    while let [refs, rest @ ..] = of {
        if !refs.targets.is_empty() || !refs.of.is_empty() {
            return false;
        }
        of = rest;
    }
    true
}

#[diagnostic::do_not_recommend]
impl<T: Stateless> Handle for T {
    const TOOL_NAME: &'static str = T::TOOL_NAME;
    const DESCRIPTOR: &'static Descriptor =
        <<T::Params as Params>::Table<T> as Described>::DESCRIPTOR;
}

#[diagnostic::do_not_recommend]
impl<T: Stateless, S: 'static> Bind<S> for T {
    #[inline]
    fn run<'a>(_: &'a S, call: Call<'a>, about: &'static Descriptor) -> Ran<'a> {
        T::run(call, about)
    }
}

/// A slot of which the type of its value is known.
pub trait Filled<'de>: Slot<'de> {
    /// That.
    type Held;

    /// The value, if the text had one.
    #[doc(hidden)]
    fn held(self) -> Option<Self::Held>;
}

impl<'de, T: Deserialize<'de>> Filled<'de> for Value<T> {
    type Held = T;

    #[inline]
    fn held(self) -> Option<T> {
        self.given()
    }
}

impl<T, What> Filled<'_> for Nothing<T, What> {
    type Held = T;

    fn held(self) -> Option<T> {
        self.given()
    }
}

/// What both kinds of them do. One that called the other would be a function more for each tool.
macro_rules! answered {
    ($call:ident, $about:ident, $tool:ident, $($value:ident)*) => {{
        if let Some(stop) = decode(&$call, $about, &mut [$(&mut $value),*]) {
            return Err(stop);
        }
        $(let Some($value) = $value.held() else {
            return unfilled();
        };)*
        ready($tool($($value),*))
    }};
}

/// Functions that answer a call of a function of so many parameters, all of them passed as they are decoded: of basic types,
/// which the function tells, or from slots.
macro_rules! calls {
    ($($call:ident $fill:ident ($($value:ident $slot:ident)*);)*) => {$(
        #[doc = "A call of a function with parameters of basic types."]
        #[inline]
        pub fn $call<'a, $($slot: Deserialize<'a>,)* R: Output>(
            call: Call<'a>,
            about: &'static Descriptor,
            tool: impl FnOnce($($slot),*) -> R,
        ) -> Ran<'a> {
            $(let mut $value = Value::<$slot>::EMPTY;)*
            answered!(call, about, tool, $($value)*)
        }

        #[doc = "The same of parameters of any types."]
        #[allow(clippy::too_many_arguments)] // One a parameter.
        #[inline]
        pub fn $fill<'a, $($slot: Filled<'a>,)* R: Output>(
            call: Call<'a>,
            about: &'static Descriptor,
            $(mut $value: $slot,)*
            tool: impl FnOnce($($slot::Held),*) -> R,
        ) -> Ran<'a> {
            answered!(call, about, tool, $($value)*)
        }
    )*};
}

calls! {
    call0 fill0 ();
    call1 fill1 (a A);
    call2 fill2 (a A b B);
    call3 fill3 (a A b B c C);
    call4 fill4 (a A b B c C d D);
    call5 fill5 (a A b B c C d D e E);
    call6 fill6 (a A b B c C d D e E f F);
}
