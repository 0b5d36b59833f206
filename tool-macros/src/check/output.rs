//! Rules for return types. The compiler finds types that cannot be written as JSON.

use quote::ToTokens;
use syn::{ReturnType, Type};

use crate::ctxt::Ctxt;
use crate::model::Tool;
use crate::ty;

/// The result's type provides its schema, so it needs a name; later values are awaited or streamed by the tool.
pub(super) fn is_nameable(cx: &Ctxt, tool: &Tool) {
    let ReturnType::Type(_, ty) = &tool.output else {
        return;
    };
    let tokens = || ty.to_token_stream();
    let names = |bound, boxed: &[&str]| {
        ty::find_bound(tokens(), &[bound]).is_some() || ty::find(tokens(), boxed).is_some()
    };
    let way_out = if names("Future", &["BoxFuture", "LocalBoxFuture"]) {
        Some((
            "a future in a box",
            "make it an `async fn` that returns what the future comes to",
        ))
    } else if names("Stream", &["BoxStream", "LocalBoxStream"]) {
        Some((
            "a stream in a box",
            "return `Items`, which holds a stream: `Items::new(stream)`",
        ))
    } else if names("Iterator", &[]) {
        Some(("an iterator in a box", "collect it, and return a `Vec`"))
    } else {
        None
    };
    let boxed = [
        "dyn",
        "BoxFuture",
        "LocalBoxFuture",
        "BoxStream",
        "LocalBoxStream",
    ];
    let (token, returned, help) = match (ty::find(tokens(), &["impl"]), way_out) {
        (Some(token), way_out) => {
            let help = way_out.map(|(_, help)| help);
            let help = help.unwrap_or("return a type that can be written out");
            (token, "a type without a name", help)
        }
        // Other trait objects may have `Serialize`.
        (None, Some((returned, help))) => match ty::find(tokens(), &boxed) {
            Some(token) => (token, returned, help),
            None => return,
        },
        (None, None) => return,
    };
    let name = &tool.name.value;
    cx.error(
        token,
        format!("tool `{name}` returns {returned}\nhelp: {help}"),
    );
}

/// Only the outermost `Result` is the tool's, as far as the spelling shows; the runtime finds an error in any other one.
pub(super) fn result_is_outermost(cx: &Ctxt, tool: &Tool) {
    if let ReturnType::Type(_, ty) = &tool.output
        && let Some(inner) = ty::inner_result(ty)
    {
        cx.error(
            inner,
            format!("tool `{}` returns a `Result` inside of another type\nhelp: put the whole value into one `Result`; make a stream that may fail with `Items::fallible`", tool.name.value),
        );
    }
}

/// A model waits for an answer; and of the type `!` the compiler would say more in generated code than here.
pub(super) fn returns(cx: &Ctxt, tool: &Tool) {
    if let ReturnType::Type(_, ty) = &tool.output
        && matches!(ty::ungrouped(ty), Type::Never(_))
    {
        cx.error(
            ty,
            format!("tool `{}` never returns, so that no call of it has an answer\nhelp: return a `Serialize` value, an `Outcome`, or a `Result` of one", tool.name.value),
        );
    }
}
