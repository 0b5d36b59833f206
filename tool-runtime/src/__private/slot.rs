//! Where an argument goes: one slot a parameter, filled through a pointer, so that one function
//! decodes every tool's arguments.

use std::marker::PhantomData;

use serde::Deserialize;

use crate::tool::{Call, Ran, Slot, Stop};
use toolwright_provider::call::{ErrorKind, ToolError};
use toolwright_schema::decode::{Error, Json};
use toolwright_schema::shape::{Kind, Schema};

use super::Descriptor;

/// A slot for a `T`.
#[derive(Debug)]
pub struct Value<T>(Option<T>);

impl<'de, T: Deserialize<'de>> Slot<'de> for Value<T> {
    fn fill(&mut self, json: &mut Json<'de>) -> Result<(), Error> {
        self.0 = Some(T::deserialize(json)?);
        Ok(())
    }
}

impl<T> Value<T> {
    /// Nothing yet.
    pub const EMPTY: Self = Self(None);

    /// The value, if the text had one.
    #[inline]
    pub fn given(self) -> Option<T> {
        self.0
    }
}

/// Decoding fills every slot that must be filled or refuses the call, so this is never seen.
#[cold]
pub fn unfilled<'a>() -> Ran<'a> {
    Err(Stop::failed(ToolError::new(
        ErrorKind::InvalidArgs,
        "an argument is missing",
    )))
}

/// Picks the slot for a type by what the type can do.
///
/// Method lookup tries the impl with more references first. A type that can be no argument gets
/// [`Nothing`], which fits everywhere, so that its one error is the one in our words.
#[derive(Debug)]
pub struct Probe<T>(PhantomData<fn() -> T>);

impl<T> Probe<T> {
    /// The probe.
    pub const NEW: Self = Self(PhantomData);
}

/// A type that is read from arguments and has a schema.
pub trait FindSlot<T> {
    /// Its slot.
    fn __slot(&self) -> Value<T> {
        Value::EMPTY
    }
}

impl<'de, T: Schema + Deserialize<'de>> FindSlot<T> for &&&Probe<T> {}

/// A type that is read from arguments and tells its schema only at run time.
pub trait FindForeign<T> {
    /// Its slot.
    fn __slot(&self) -> Value<T> {
        Value::EMPTY
    }
}

#[cfg(feature = "schemars")]
impl<'de, T: schemars::JsonSchema + Deserialize<'de>> FindForeign<T> for &&Probe<T> {}

/// A type that the model could write, but that cannot be read.
pub trait FindUnread<T> {
    /// No slot.
    fn __slot(&self) -> Nothing<T, NoDeserialize> {
        Nothing(PhantomData)
    }
}

impl<T: Schema> FindUnread<T> for &Probe<T> {}

/// Any other type.
pub trait FindAny<T> {
    /// No slot.
    fn __slot(&self) -> Nothing<T, NoSchema> {
        Nothing(PhantomData)
    }
}

impl<T> FindAny<T> for Probe<T> {}

/// The slot of a type that can be no argument, since it lacks `What`.
#[derive(Debug)]
pub struct Nothing<T, What>(PhantomData<fn() -> (T, What)>);

/// There is no schema, whatever else there is.
#[derive(Debug)]
pub struct NoSchema;

/// There is a schema, but the type is not `Deserialize`.
#[derive(Debug)]
pub struct NoDeserialize;

/// What the type of a slot lacks.
pub trait Lacks {
    /// That.
    type Lack;
}

impl<T> Lacks for Value<T> {
    type Lack = ();
}

impl<T, What> Lacks for Nothing<T, What> {
    type Lack = What;
}

impl<'de, T, What> Slot<'de> for Nothing<T, What> {
    fn fill(&mut self, _: &mut Json<'de>) -> Result<(), Error> {
        Ok(())
    }
}

impl<T, What> Nothing<T, What> {
    /// Never there.
    pub fn given(self) -> Option<T> {
        None
    }
}

/// Fills the slots of a tool's parameters from the call's text; else says why the call ends. One of which only the arguments
/// are asked about ends here.
#[inline]
pub fn decode<'a>(
    call: &Call<'a>,
    about: &'static Descriptor,
    slots: &mut [&mut dyn Slot<'a>],
) -> Option<Stop> {
    // What a tool without parameters is sent: there is nothing to read.
    if slots.is_empty() && call.arguments() == "{}" {
        return Stop::check(call).err();
    }
    let Kind::Object(params) = about.input.kind else {
        return Some(Stop::failed(ToolError::new(
            ErrorKind::InvalidArgs,
            "the tool has no parameters",
        )));
    };
    stop(call, crate::tool::decode_params(call, params, slots))
}

/// The same for a tool whose arguments are one struct.
#[inline]
pub fn decode_root<'a>(
    call: &Call<'a>,
    about: &'static Descriptor,
    slot: &mut dyn Slot<'a>,
) -> Option<Stop> {
    stop(call, crate::tool::decode_root(call, about.input, slot))
}

#[inline]
fn stop(call: &Call<'_>, decoded: Result<(), ToolError>) -> Option<Stop> {
    match decoded {
        Ok(()) => Stop::check(call).err(),
        Err(error) => Some(Stop::failed(error)),
    }
}
