//! Rules for a parameter on its own, independent of the rest of its tool.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, Pat, Type};

use super::spelled;
use crate::cfg;
use crate::ctxt::Ctxt;
use crate::item::plain_ident;
use crate::model::{DefaultValue, Tool};
use crate::schema::is_basic;
use crate::ty;

/// A model fills a parameter by its name.
pub(crate) fn ident(cx: &Ctxt, pat: &Pat) -> Option<Ident> {
    let ident = plain_ident(pat);
    if ident.is_none() {
        cx.error(
            pat,
            "a pattern is not a name that the model can see\nhelp: give the parameter a name and take it apart in the body",
        );
    }
    ident
}

/// Types that no argument can have, whatever they mean. `false` where nothing more can be said.
pub(crate) fn filled_type(cx: &Ctxt, ident: &Ident, ty: &Type) -> bool {
    // Of other types the compiler knows whether a reference to them can be read.
    if is_basic(ty) && !ty::is_read(ty) {
        cx.error(
            ty,
            format!("a call holds text to borrow and no other values, and `{ident}` refers to some\nhelp: take the values themselves: `Vec<i64>` or `&[i64]`, not `Vec<&i64>`"),
        );
        return false;
    }
    let tokens = ty.to_token_stream();
    if ty::find(tokens.clone(), &["mut", "impl", "dyn", "static"]).is_none() {
        return true;
    }
    if let Some(mutability) = ty::find(tokens, &["mut"]) {
        cx.error(
            mutability,
            format!("the model gives a value, so there is nothing for `{ident}` to change\nhelp: take it by value: `mut {ident}: …`"),
        );
        return false;
    }
    type_is_closed(cx, ident, ty, &["impl", "dyn"]) && is_of_a_call(cx, ident, ty)
}

/// A model is told the default, and may send it. Of constants the compiler knows it, and of all else
/// the runtime.
pub(super) fn defaults_are_in_bounds(cx: &Ctxt, tool: &Tool) {
    for param in tool.model_params() {
        let (span, bound) = match &param.default {
            Some(DefaultValue::Expr(default)) => (default.span(), param.bounds.refusing(default)),
            Some(DefaultValue::Trait(span)) if param.is_basic => {
                (*span, param.bounds.refusing_default_of(&param.ty))
            }
            _ => continue,
        };
        if let Some(bound) = bound {
            cx.error_at(span, out_of_bounds(&param.ident, bound));
        }
    }
}

/// Returns the error message for a default outside its own bounds.
pub(crate) fn out_of_bounds(name: &str, bound: &str) -> String {
    let (what, cure) = match bound {
        "range" => ("out of its range", "widen the range"),
        "len" => ("of a length that its `len` refuses", "change the `len`"),
        "pattern" => ("a text that its `pattern` refuses", "change the pattern"),
        _ => (
            "no multiple that its `multiple_of` takes",
            "change the `multiple_of`",
        ),
    };
    format!(
        "the default of `{name}` is {what}\nhelp: a model that repeats it would be refused: {cure}, or make the parameter an `Option`"
    )
}

/// Returns true for `&Context`, by any path, and what is meant as one: `&mut Context`, `Option<&Context>`.
/// `std::task::Context<'_>` has an argument, and is none.
pub(crate) fn is_context(ty: &Type) -> bool {
    let ty = ty::inside_option(ty).unwrap_or(ty);
    let Type::Reference(reference) = ty::ungrouped(ty) else {
        return false;
    };
    let Type::Path(path) = ty::ungrouped(&reference.elem) else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident == "Context" && last.arguments.is_none())
}

/// State and context belong to the toolset and the call; a tool looks at them.
pub(crate) fn lent_type(cx: &Ctxt, what: &str, ident: &Ident, ty: &Type) -> bool {
    let lock = match what {
        "state" => ", with a lock or an atomic inside for what changes",
        _ => "",
    };
    if what == "state" && ty::shared(ty).is_some() {
        return type_is_closed(cx, ident, ty, &["impl"]);
    }
    let Type::Reference(reference) = ty::ungrouped(ty) else {
        if what == "context" && ty::is_option(ty) {
            cx.error(
                ty,
                format!("a call always has a context, so it is no `Option`\nhelp: write `{ident}: &Context`"),
            );
            return false;
        }
        cx.error(
            ty,
            format!("the {what} is lent to a tool, so `{ident}` must be a reference\nhelp: write `{ident}: &{}`", spelled(ty)),
        );
        return false;
    };
    if let Some(mutability) = &reference.mutability {
        cx.error(
            mutability,
            format!(
                "the {what} is shared, so `{ident}` cannot change it\nhelp: write `{ident}: &{}`{lock}",
                spelled(&reference.elem)
            ),
        );
        return false;
    }
    // What it holds may live longer.
    type_is_closed(cx, ident, ty, &["impl"]) && is_of_a_call(cx, ident, &reference.lifetime)
}

/// A parameter must have one concrete type, since it is decoded or taken from the state by its type.
fn type_is_closed(cx: &Ctxt, ident: &Ident, ty: &Type, open: &[&str]) -> bool {
    let Some(token) = ty::find(ty.to_token_stream(), open) else {
        return true;
    };
    let message = format!(
        "the type of `{ident}` is left open by `{token} Trait`\nhelp: name the type, such as `String`"
    );
    cx.error(token, message);
    false
}

/// All that a tool borrows lives as long as the call.
pub(super) fn is_of_a_call(cx: &Ctxt, ident: &Ident, borrowed: &impl ToTokens) -> bool {
    let Some(lifetime) = ty::find(borrowed.to_token_stream(), &["static"]) else {
        return true;
    };
    cx.error(
        lifetime,
        format!("what a call lends does not live for `'static`, which `{ident}` asks for\nhelp: remove the lifetime"),
    );
    false
}

/// Attributes of parameters that are not ours. `false` for those that are not handed on.
pub(crate) fn foreign_attribute(cx: &Ctxt, attr: &Attribute) -> bool {
    let path = attr.path();
    let Some(ident) = path.get_ident() else {
        return true;
    };
    let name = ident.to_string();
    let help = match name.as_str() {
        "cfg_attr" => return cfg::held(attr).iter().all(|held| is_for_others(cx, held)),
        "cfg" => {
            cx.error(
                &attr.meta,
                "a parameter that is there in one build and not in another changes the tool's schema\nhelp: write two functions, each with its `#[cfg]`",
            );
            return false;
        }
        "default" => "write `#[arg(default)]` or `#[arg(default = …)]`",
        "rename" => "write `#[arg(rename = \"…\")]`",
        "flatten" => "write `#[arg(flatten)]`",
        "example" => "write `#[arg(example = …)]`",
        "desc" | "description" => "write a `///` comment above the parameter",
        "serde" | "schemars" | "schema" | "param" | "tool" => {
            "the options of a parameter stand in `#[arg(…)]`: `#[arg(default)]`, `#[arg(range(1..=5))]` and others"
        }
        "ctx" | "cx" => "a parameter `&Context` is the call's context without an attribute",
        _ => return true,
    };
    cx.error(
        attr,
        format!("unknown attribute `{name}` on a parameter of a tool\nhelp: {help}"),
    );
    false
}

/// Returns true if an attribute in a `cfg_attr` can be passed on. Only the compiler knows if it would apply to us.
fn is_for_others(cx: &Ctxt, held: &Attribute) -> bool {
    let path = held.path();
    let is_ours = |name: &&str| path.is_ident(name);
    let Some(name) = ["arg", "state", "context", "doc"]
        .iter()
        .find(|name| is_ours(name))
    else {
        return foreign_attribute(cx, held);
    };
    cx.error(
        &held.meta,
        format!("`#[{name}]` of a parameter cannot stand in a `cfg_attr`\nhelp: write `#[{name}]` alone, or two functions, each with its `#[cfg]`"),
    );
    false
}
