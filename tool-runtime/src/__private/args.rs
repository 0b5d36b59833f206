//! Tools whose arguments are a struct.

use std::fmt::{Debug, Formatter, Result as Written};

use super::{DescriptorRef, Handle, MethodOf};
use crate::tool::{Answer, Call, Context, EarlyExit, Reading, RunResult};
use toolwright_provider::call::{Outcome, ToolCall, ToolError, contained};
use toolwright_schema::decode::Arena;

/// A tool whose arguments are a struct.
pub trait ToolArgs: Handle {
    /// The struct.
    type Args<'a>;

    /// Decodes and validates the arguments.
    fn read(call: Call<'_>, about: DescriptorRef) -> Result<Self::Args<'_>, EarlyExit>;
}

/// A method whose arguments are a struct, of which `M` is the name as a type.
pub trait MethodArgs<M>: Sized {
    /// The struct.
    type Args<'a>;

    /// Decodes and validates the arguments.
    fn read(call: Call<'_>, about: DescriptorRef) -> Result<Self::Args<'_>, EarlyExit>;
}

impl<T: super::Method<M> + MethodArgs<M>, M> ToolArgs for MethodOf<T, M> {
    type Args<'a> = T::Args<'a>;

    fn read(call: Call<'_>, about: DescriptorRef) -> Result<T::Args<'_>, EarlyExit> {
        <T as MethodArgs<M>>::read(call, about)
    }
}

/// Reads the call of a tool.
pub fn read<'a, H: ToolArgs>(
    call: &'a ToolCall,
    cx: &'a Reading,
) -> Result<H::Args<'a>, ToolError> {
    read_in(call, cx, cx.arena(), H::DESCRIPTOR, H::read)
}

/// Reads the call of a tool whose arguments borrow nothing.
pub fn read_owned<T>(
    call: &ToolCall,
    cx: &Context,
    about: DescriptorRef,
    read: fn(Call<'_>, DescriptorRef) -> Result<T, EarlyExit>,
) -> Result<T, ToolError> {
    let arena = Arena::new();
    read_in(call, cx, &arena, about, read)
}

fn read_in<'a, T>(
    call: &'a ToolCall,
    cx: &'a Context,
    arena: &'a Arena,
    about: DescriptorRef,
    read: impl FnOnce(Call<'a>, DescriptorRef) -> Result<T, EarlyExit>,
) -> Result<T, ToolError> {
    let call = Call::of(call, arena, cx).exact(about.options.is_exact());
    contained(|| read(call, about))?.map_err(EarlyExit::into_error)
}

/// The answer of a tool that has run.
#[inline]
pub fn answered<'a>(outcome: Result<Outcome, ToolError>) -> RunResult<'a> {
    Ok(Answer::Ready(outcome))
}

/// Shows arguments that are certainly not secret.
pub fn debug(f: &mut Formatter<'_>, name: &str, shown: &[(&str, &dyn Debug)]) -> Written {
    let mut args = f.debug_struct(name);
    for (name, value) in shown {
        args.field(name, value);
    }
    args.finish_non_exhaustive()
}
