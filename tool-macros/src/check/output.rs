//! Rules for return types. The compiler finds types that cannot be written as JSON.

use quote::ToTokens;
use syn::{ReturnType, Type};

use crate::ctxt::Ctxt;
use crate::model::Tool;
use crate::ty;

/// The result's type provides its schema.
pub(super) fn is_nameable(cx: &Ctxt, tool: &Tool) {
    if let ReturnType::Type(_, ty) = &tool.output
        && let Some(token) = ty::find(ty.to_token_stream(), &["impl"])
    {
        let help = match ty::find(ty.to_token_stream(), &["Future"]) {
            Some(_) => "make it an `async fn` that returns what the future comes to",
            None => "return a type that can be written out",
        };
        cx.error(
            token,
            format!(
                "tool `{}` returns a type without a name\nhelp: {help}",
                tool.name.value
            ),
        );
    }
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
