//! Tools whose arguments are a struct, and enums of such structs.

use std::fmt::{Debug, Formatter, Result as Written};

use super::{About, Handle, MethodOf, OneToolBlock};
use crate::tool::{Answer, Call, Context, EarlyExit, Ran, Reading};
use toolwright_provider::call::{Outcome, ToolCall, ToolError, contained};
use toolwright_schema::decode::Store;

/// A tool whose arguments are a struct.
#[diagnostic::on_unimplemented(
    message = "a tool in an enum of calls needs a struct of its arguments",
    label = "no struct of arguments",
    note = "name one at the function: `#[tool(args = Name)]`"
)]
pub trait ToolArgs: Handle {
    /// The struct.
    type Args<'a>;

    /// Decodes and validates the arguments.
    fn read(call: Call<'_>, about: About) -> Result<Self::Args<'_>, EarlyExit>;
}

/// A method whose arguments are a struct, of which `M` is the name as a type.
pub trait MethodArgs<M>: Sized {
    /// The struct.
    type Args<'a>;

    /// Decodes and validates the arguments.
    fn read(call: Call<'_>, about: About) -> Result<Self::Args<'_>, EarlyExit>;
}

impl<T: super::Method<M> + MethodArgs<M>, M> ToolArgs for MethodOf<T, M> {
    type Args<'a> = T::Args<'a>;

    fn read(call: Call<'_>, about: About) -> Result<T::Args<'_>, EarlyExit> {
        <T as MethodArgs<M>>::read(call, about)
    }
}

/// A type whose methods are tools, with an enum of their calls.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no enum of its calls",
    label = "no enum of calls",
    note = "name one at the impl block, `#[tool(args = Name)]`, and a struct of arguments at each of its tools"
)]
pub trait BlockCalls: OneToolBlock {
    /// The enum.
    type Calls<'a>;

    /// Reads the call of the tool with this name, if there is one.
    fn read<'a>(
        name: &str,
        call: &'a ToolCall,
        cx: &'a Reading,
    ) -> Option<Result<Self::Calls<'a>, ToolError>>;
}

/// Reads the call of a tool.
pub fn read<'a, H: ToolArgs>(
    call: &'a ToolCall,
    cx: &'a Reading,
) -> Result<H::Args<'a>, ToolError> {
    read_in(call, cx, cx.store(), H::DESCRIPTOR, H::read)
}

/// Reads the call of a tool by the function that decodes its arguments, into an enum. It has no bound, so that a tool without
/// a struct is one error.
pub fn read_by<'a, T, C>(
    call: &'a ToolCall,
    cx: &'a Reading,
    about: About,
    read: fn(Call<'a>, About) -> Result<T, EarlyExit>,
    into: fn(T) -> C,
) -> Result<C, ToolError> {
    read_in(call, cx, cx.store(), about, read).map(into)
}

/// Reads the call of a tool whose arguments borrow nothing.
pub fn read_owned<T>(
    call: &ToolCall,
    cx: &Context,
    about: About,
    read: fn(Call<'_>, About) -> Result<T, EarlyExit>,
) -> Result<T, ToolError> {
    let store = Store::new();
    read_in(call, cx, &store, about, read)
}

fn read_in<'a, T>(
    call: &'a ToolCall,
    cx: &'a Context,
    store: &'a Store,
    about: About,
    read: impl FnOnce(Call<'a>, About) -> Result<T, EarlyExit>,
) -> Result<T, ToolError> {
    let call = Call::of(call, store, cx).exact(about.is_exact());
    contained(|| read(call, about))?.map_err(EarlyExit::into_error)
}

/// Reads the call of one of a type's tools, whose names the list begins with a prefix.
pub fn read_of<'a, T, C>(
    call: &'a ToolCall,
    cx: &'a Reading,
    prefix: &str,
    read: fn(&str, &'a ToolCall, &'a Reading) -> Option<Result<T, ToolError>>,
    into: fn(T) -> C,
) -> Option<Result<C, ToolError>> {
    Some(read(call.name.strip_prefix(prefix)?, call, cx)?.map(into))
}

/// What reading the arguments of a tool that did not compile comes to.
pub fn unread<T>() -> Result<T, EarlyExit> {
    Err(EarlyExit::checked())
}

/// The answer of a tool that has run.
#[inline]
pub fn answered<'a>(outcome: Result<Outcome, ToolError>) -> Ran<'a> {
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
