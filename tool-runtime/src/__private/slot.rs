//! Slots of arguments: one a parameter, filled through a pointer, so that one function decodes every tool's arguments.

use std::borrow::{Borrow, Cow};
use std::marker::PhantomData;
use std::ops::Deref;

use serde::Deserialize;

use crate::tool::{Approved, Call, Context, EarlyExit, Slot};
use toolwright_provider::call::{ErrorKind, ToolError};
use toolwright_schema::decode::{Error, Json};
#[cfg(feature = "schemars")]
use toolwright_schema::shape::foreign;
use toolwright_schema::shape::{Kind, Refs, Schema, Shape};

use super::{DescriptorRef, Probe, Tree};

/// A slot for a `T`, whose schema comes from `Source`.
#[derive(Debug)]
pub struct Value<T, Source = FromSchema>(Option<T>, PhantomData<Source>);

/// Source of a schema: our trait.
#[derive(Debug)]
pub struct FromSchema;

/// Source of a schema: schemars' trait.
#[derive(Debug)]
pub struct FromSchemars;

impl<'de, T: Deserialize<'de>, Source> Slot<'de> for Value<T, Source> {
    fn fill(&mut self, json: &mut Json<'de>) -> Result<(), Error> {
        self.0 = Some(T::deserialize(json)?);
        Ok(())
    }
}

impl<T, Source> Value<T, Source> {
    /// The slot before decoding.
    pub const EMPTY: Self = Self(None, PhantomData);
}

/// An empty slot for a type that can be an argument.
#[inline]
pub const fn slot<T>() -> Value<T> {
    Value::EMPTY
}

/// A type that is read from arguments and has a schema.
pub trait FindSlot<T> {
    /// Its slot.
    fn __slot(&self) -> Value<T> {
        Value::EMPTY
    }
}

impl<'de, T: Schema + Deserialize<'de>> FindSlot<T> for Probe<T> {}

/// A type that is decoded from arguments and has its schema only at run time.
pub trait FindForeign<T> {
    /// Its slot.
    fn __slot(&self) -> Value<T, FromSchemars> {
        Value::EMPTY
    }
}

#[cfg(feature = "schemars")]
impl<'de, T: schemars::JsonSchema + Deserialize<'de>> FindForeign<T> for Probe<T, 2> {}

/// A type that the model could write, but that cannot be read.
pub trait FindUnread<T> {
    /// No slot.
    fn __slot(&self) -> NoSlot<T, NoDeserialize> {
        NoSlot(PhantomData)
    }
}

impl<T: Schema> FindUnread<T> for Probe<T, 1> {}

/// Any other type.
pub trait FindAny<T> {
    /// No slot.
    fn __slot(&self) -> NoSlot<T, NoSchema> {
        NoSlot(PhantomData)
    }
}

impl<T> FindAny<T> for Probe<T, 0> {}

impl Probe<Context> {
    /// No slot: a context comes with the call.
    pub fn __slot(&self) -> NoSlot<Context, OwnName> {
        NoSlot(PhantomData)
    }
}

impl<'a> Probe<Approved<'a>> {
    /// No slot: an approval comes with the call.
    pub fn __slot(&self) -> NoSlot<Approved<'a>, OwnName> {
        NoSlot(PhantomData)
    }
}

/// The slot of a type that cannot be an argument, since it lacks `What`.
#[derive(Debug)]
pub struct NoSlot<T, What>(PhantomData<fn() -> (T, What)>);

/// The type has no schema.
#[derive(Debug)]
pub struct NoSchema;

/// There is a schema, but the type is not `Deserialize`.
#[derive(Debug)]
pub struct NoDeserialize;

/// A context or an approval that is not spelled by its own name.
#[derive(Debug)]
pub struct OwnName;

/// A slot that a probe found.
pub trait FoundSlot {
    /// Marker of the capability that the type lacks.
    type Lack;
    /// [`OwnName`] if the type comes with the call by its own name.
    type Name;
    /// The slot before decoding.
    const EMPTY: Self;
    /// The tree of the slot's type.
    const TREE: Tree;
}

impl<T: Schema> FoundSlot for Value<T> {
    type Lack = ();
    type Name = ();
    const EMPTY: Self = Self::EMPTY;
    const TREE: Tree = Tree::new(T::SHAPE, T::REFS);
}

#[cfg(feature = "schemars")]
impl<T: schemars::JsonSchema> FoundSlot for Value<T, FromSchemars> {
    type Lack = ();
    type Name = ();
    const EMPTY: Self = Self::EMPTY;
    const TREE: Tree = Tree::new(foreign::<T>(), &Refs::NONE);
}

impl<T: Schema> FoundSlot for NoSlot<T, NoDeserialize> {
    type Lack = NoDeserialize;
    type Name = ();
    const EMPTY: Self = Self(PhantomData);
    const TREE: Tree = Tree::new(T::SHAPE, T::REFS);
}

impl<T> FoundSlot for NoSlot<T, NoSchema> {
    type Lack = NoSchema;
    type Name = ();
    const EMPTY: Self = Self(PhantomData);
    const TREE: Tree = Tree::new(&Shape::new(Kind::Unknown), &Refs::NONE);
}

impl<T> FoundSlot for NoSlot<T, OwnName> {
    type Lack = ();
    type Name = OwnName;
    const EMPTY: Self = Self(PhantomData);
    const TREE: Tree = Tree::new(&Shape::new(Kind::Unknown), &Refs::NONE);
}

impl<'de, T, What> Slot<'de> for NoSlot<T, What> {
    fn fill(&mut self, _: &mut Json<'de>) -> Result<(), Error> {
        Ok(())
    }
}

/// A slot whose type and value are known.
pub trait TakeValue<'de>: Slot<'de> + Sized {
    /// The decoded value.
    type Output;

    /// The value, if the text had one.
    #[doc(hidden)]
    fn take(self) -> Option<Self::Output>;

    /// Adds the value of an argument that is not given.
    #[inline]
    fn or(self, default: fn() -> Self::Output) -> impl TakeValue<'de, Output = Self::Output> {
        Mapped(self, move |given: Option<_>| {
            Some(given.unwrap_or_else(default))
        })
    }

    /// Adds the value of an argument that is not given, for a parameter that borrows.
    #[inline]
    fn or_lent<D>(
        self,
        default: fn() -> D,
    ) -> impl TakeValue<'de, Output = MaybeOwned<Self::Output, D>> {
        Mapped(self, move |given: Option<_>| {
            Some(given.map_or_else(|| MaybeOwned::Default(default()), MaybeOwned::Given))
        })
    }

    /// Converts the text to a borrowed `Cow`.
    #[inline]
    fn cow<C>(self) -> impl TakeValue<'de, Output = C>
    where
        Self::Output: IntoCow<C>,
    {
        Mapped(self, |given: Option<Self::Output>| {
            given.map(IntoCow::into_cow)
        })
    }
}

impl<'de, T: Deserialize<'de>, Source> TakeValue<'de> for Value<T, Source> {
    type Output = T;

    #[inline]
    fn take(self) -> Option<T> {
        self.0
    }
}

impl<T, What> TakeValue<'_> for NoSlot<T, What> {
    type Output = T;

    fn take(self) -> Option<T> {
        None
    }
}

/// A slot with a conversion of its value.
struct Mapped<S, F>(S, F);

impl<'de, S: Slot<'de>, F> Slot<'de> for Mapped<S, F> {
    #[inline]
    fn fill(&mut self, json: &mut Json<'de>) -> Result<(), Error> {
        self.0.fill(json)
    }
}

impl<'de, S: TakeValue<'de>, H, F: FnOnce(Option<S::Output>) -> Option<H>> TakeValue<'de>
    for Mapped<S, F>
{
    type Output = H;

    #[inline]
    fn take(self) -> Option<H> {
        (self.1)(self.0.take())
    }
}

/// Text that a parameter takes as a `Cow`.
pub trait IntoCow<C> {
    /// Borrows the text.
    fn into_cow(self) -> C;
}

impl<'de> IntoCow<Cow<'de, str>> for &'de str {
    #[inline]
    fn into_cow(self) -> Cow<'de, str> {
        Cow::Borrowed(self)
    }
}

impl<'de> IntoCow<Option<Cow<'de, str>>> for Option<&'de str> {
    #[inline]
    fn into_cow(self) -> Option<Cow<'de, str>> {
        self.map(Cow::Borrowed)
    }
}

/// A value that a parameter borrows, or its default, which borrows already.
#[derive(Debug)]
pub enum MaybeOwned<T, D> {
    /// The text had it.
    Given(T),
    /// It is the default.
    Default(D),
}

impl<T: Borrow<D>, D: ?Sized> Deref for MaybeOwned<T, &'static D> {
    type Target = D;

    #[inline]
    fn deref(&self) -> &D {
        match self {
            Self::Given(given) => given.borrow(),
            Self::Default(default) => default,
        }
    }
}

impl<T> MaybeOwned<Option<T>, Option<&'static T>> {
    /// The value of an `Option<&T>`.
    #[inline]
    pub fn as_ref(&self) -> Option<&T> {
        match self {
            Self::Given(given) => given.as_ref(),
            Self::Default(default) => *default,
        }
    }
}

impl<T> MaybeOwned<Option<Vec<T>>, Option<&'static [T]>> {
    /// The value of an `Option<&[T]>`.
    #[inline]
    pub fn as_deref(&self) -> Option<&[T]> {
        match self {
            Self::Given(given) => given.as_deref(),
            Self::Default(default) => *default,
        }
    }
}

/// The slots of a tool's parameters: a tuple of them.
pub trait Slots<'de>: Sized {
    /// The decoded values.
    type Output;

    /// Calls a function with all slots.
    #[doc(hidden)]
    fn visit<R>(&mut self, visitor: impl FnOnce(&mut [&mut dyn Slot<'de>]) -> R) -> R;

    /// Appends the slots to a list.
    #[doc(hidden)]
    fn append<'s>(&'s mut self, list: &mut Vec<&'s mut dyn Slot<'de>>);

    /// The values, if decoding filled all slots that must be.
    #[doc(hidden)]
    fn take(self) -> Option<Self::Output>;
}

macro_rules! slots {
    ($($slot:ident)*) => {
        #[allow(non_snake_case, unused_variables)]
        impl<'de, $($slot: TakeValue<'de>),*> Slots<'de> for ($($slot,)*) {
            type Output = ($($slot::Output,)*);

            #[inline]
            fn visit<R>(&mut self, visitor: impl FnOnce(&mut [&mut dyn Slot<'de>]) -> R) -> R {
                let ($($slot,)*) = self;
                visitor(&mut [$($slot),*])
            }

            fn append<'s>(&'s mut self, list: &mut Vec<&'s mut dyn Slot<'de>>) {
                let ($($slot,)*) = self;
                $(list.push($slot);)*
            }

            #[inline]
            fn take(self) -> Option<Self::Output> {
                let ($($slot,)*) = self;
                Some(($($slot.take()?,)*))
            }
        }
    };
}

/// Implements [`Slots`] for tuples of up to as many as there are names.
macro_rules! slots_up_to {
    ($first:ident $($rest:ident)*) => {
        slots_up_to! { $($rest)* }
        slots! { $first $($rest)* }
    };
    () => { slots! {} };
}

slots_up_to! { A B C D E F G H I J K L M N O P }

/// More slots than a tuple of them may have: a full tuple, and the rest.
#[derive(Debug)]
pub struct Cons<A, B>(pub A, pub B);

impl<'de, A: Slots<'de>, B: Slots<'de>> Slots<'de> for Cons<A, B> {
    type Output = (A::Output, B::Output);

    fn visit<R>(&mut self, visitor: impl FnOnce(&mut [&mut dyn Slot<'de>]) -> R) -> R {
        let mut list = Vec::new();
        self.append(&mut list);
        visitor(&mut list)
    }

    fn append<'s>(&'s mut self, list: &mut Vec<&'s mut dyn Slot<'de>>) {
        self.0.append(list);
        self.1.append(list);
    }

    fn take(self) -> Option<Self::Output> {
        Some((self.0.take()?, self.1.take()?))
    }
}

/// Decodes the arguments of a call, or returns why the call ends. A call that only checks its arguments ends here.
#[inline]
pub fn decode<'a, S: Slots<'a>>(
    call: &Call<'a>,
    about: DescriptorRef,
    mut slots: S,
) -> Result<S::Output, EarlyExit> {
    match slots.visit(|slots| fill(call, about, slots)) {
        Some(stop) => Err(stop),
        None => slots.take().map_or_else(missing_argument, Ok),
    }
}

/// Decodes the arguments of a call whose one parameter is all of them.
#[inline]
pub fn decode_root<'a, S: TakeValue<'a>>(
    call: &Call<'a>,
    about: DescriptorRef,
    mut slot: (S,),
) -> Result<(S::Output,), EarlyExit> {
    let was = about.was_args;
    let decoded = crate::tool::decode_root(call, about.input, was, &mut slot.0);
    match stop(call, decoded) {
        Some(stop) => Err(stop),
        None => slot.take().map_or_else(missing_argument, Ok),
    }
}

/// Unreachable in practice: decoding fills every required slot or refuses the call.
#[cold]
pub(super) fn missing_argument<T>() -> Result<T, EarlyExit> {
    Err(EarlyExit::Failed(ToolError::new(
        ErrorKind::InvalidArgs,
        "an argument is missing",
    )))
}

/// Fills the slots of a tool's parameters from the call's text, or returns why the call ends.
#[inline]
pub(super) fn fill<'a>(
    call: &Call<'a>,
    about: DescriptorRef,
    slots: &mut [&mut dyn Slot<'a>],
) -> Option<EarlyExit> {
    // The usual arguments of a tool without parameters need no decoding.
    if slots.is_empty() && call.arguments() == "{}" {
        return EarlyExit::check(call).err();
    }
    let Kind::Object(params) = about.input.kind else {
        return Some(EarlyExit::Failed(ToolError::new(
            ErrorKind::InvalidArgs,
            "the tool has no parameters",
        )));
    };
    let was = about.was_args;
    stop(call, crate::tool::decode_params(call, params, was, slots))
}

#[inline]
fn stop(call: &Call<'_>, decoded: Result<(), ToolError>) -> Option<EarlyExit> {
    match decoded {
        Ok(()) => EarlyExit::check(call).err(),
        Err(error) => Some(EarlyExit::Failed(error)),
    }
}
