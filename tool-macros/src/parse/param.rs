//! Reads one parameter of a function: its source, and the rules for its type and its attributes.

use proc_macro2::Ident;
use quote::{ToTokens, format_ident};
use syn::ext::IdentExt;
use syn::{Attribute, Pat, PatType, Type};

use super::attr::{self, Arg};
use super::{approved, doc};
use crate::cfg;
use crate::ctxt::Ctxt;
use crate::model::{Doc, ModelParam, Param, TextLit};
use crate::name::is_param_name;
use crate::span::parse_quote;
use crate::ty::{self, is_basic, plain_ident, spelled};

pub(super) fn is_marked(param: &PatType, marks: &[&str]) -> bool {
    let is_mark = |attr: &Attribute| marks.iter().any(|mark| attr.path().is_ident(mark));
    param.attrs.iter().any(is_mark)
}

/// Returns true for `&Context`, by any path, unless the parameter has another attribute.
pub(super) fn is_context(param: &PatType) -> bool {
    !is_marked(param, &["state", "arg"]) && is_context_type(&param.ty)
}

/// Contents of a parameter's own attributes.
#[derive(Default)]
struct ParamAttrs {
    arg: Arg,
    has_arg: Option<Attribute>,
    state: bool,
    context: bool,
}

pub(super) fn read(cx: &Ctxt, doc: &Doc, param: &mut PatType) -> Option<Param> {
    let own_words = doc::plain(cx, &param.attrs);
    let is_approved = approved::is_approval(&param.ty);
    if is_approved {
        approved::is_unmarked(cx, &mut param.attrs);
    }
    let is_context = is_context(param);
    let mut param_attrs = ParamAttrs::default();
    let attrs = std::mem::take(&mut param.attrs);
    for attr in attrs {
        if let Some(kept) = read_param_attr(cx, &mut param_attrs, attr) {
            param.attrs.push(kept);
        }
    }
    if is_approved {
        let ident = plain_ident(&param.pat).unwrap_or_else(|| format_ident!("yes"));
        let is_alone = approved::is_alone(cx, &ident, &param.ty);
        return is_alone.then(|| Param::Approved((*param.ty).clone()));
    }
    if param_attrs.state || param_attrs.context || is_context {
        if let Some(arg) = param_attrs.has_arg {
            cx.error(
                arg,
                "the model does not fill this parameter\nhelp: remove `#[arg(…)]`",
            );
        }
        let what = if param_attrs.state {
            "state"
        } else {
            "context"
        };
        let ident = plain_ident(&param.pat).unwrap_or_else(|| format_ident!("{what}"));
        if !check_borrowed_type(cx, what, &ident, &param.ty) {
            // The compiler would report an undeclared lifetime again.
            let tokens = param.ty.to_token_stream();
            if let Some(lifetime) = ty::free_lifetime(&tokens) {
                let ty = ty::infer_lifetimes(tokens, &[lifetime.ident]);
                *param.ty = parse_quote!(#ty);
            }
            return None;
        }
        let ty = (*param.ty).clone();
        return Some(if param_attrs.state {
            Param::State(ty)
        } else {
            Param::Context(ty)
        });
    }
    let ident = ident(cx, &param.pat)?;
    if let Some(help) = unsized_help(&param.ty) {
        let ty = (*param.ty).clone();
        cx.error(
            &ty,
            format!(
                "a function cannot take `{0}` by value\nhelp: write `{ident}: {help}`",
                spelled(&ty)
            ),
        );
        // The compiler would say it again.
        *param.ty = parse_quote!(&#ty);
        return None;
    }
    if !check_argument_type(cx, &ident, &param.ty) {
        return None;
    }
    if param_attrs.has_arg.is_none() && is_lock(&param.ty) {
        let ty = spelled(&param.ty);
        let by = if ty::shared(&param.ty).is_some() || matches!(*param.ty, Type::Reference(_)) {
            ""
        } else {
            "&"
        };
        cx.error(
            &param.ty,
            format!("the model would write the value of this lock\nhelp: a value of your application is state: `#[state] {ident}: {by}{ty}`"),
        );
        return None;
    }
    let plain_name = ident.unraw().to_string();
    let listed = doc.params.iter().find(|listed| listed.name == plain_name);
    let description = match listed {
        Some(listed) if own_words.is_empty() => listed.text.clone().into(),
        _ => own_words,
    };
    let (slot, pass) = ty::slot(&param.ty);
    Some(Param::Model(Box::new(ModelParam {
        name: param_attrs.arg.rename.unwrap_or_else(|| TextLit {
            value: published_name(&plain_name).to_owned(),
            span: ident.span(),
        }),
        ident: plain_name,
        is_basic: is_basic(&param.ty),
        ty: (*param.ty).clone(),
        description,
        default: param_attrs.arg.default,
        example: param_attrs.arg.example,
        flatten: param_attrs.arg.flatten,
        secret: param_attrs.arg.secret,
        was: param_attrs.arg.was,
        bounds: param_attrs.arg.bounds,
        slot,
        pass,
    })))
}

/// Returns true for a lock or an atomic, also behind a reference or an `Arc`. serde reads both, so they have a schema.
fn is_lock(ty: &Type) -> bool {
    let ty = match ty::ungrouped(ty) {
        Type::Reference(reference) => &reference.elem,
        ty => ty::shared(ty).unwrap_or(ty),
    };
    let Type::Path(path) = ty::ungrouped(ty) else {
        return false;
    };
    path.path.segments.last().is_some_and(|last| {
        let name = last.ident.to_string();
        let atomic = name.strip_prefix("Atomic").unwrap_or_default();
        let atomic = atomic.trim_end_matches(|digit: char| digit.is_ascii_digit());
        matches!(atomic, "Bool" | "I" | "U" | "Isize" | "Usize")
            || matches!(&*name, "Mutex" | "RwLock" | "RefCell" | "Cell")
                && !last.arguments.is_none()
    })
}

/// A type whose values have no fixed size: what to take in place of it.
fn unsized_help(ty: &Type) -> Option<String> {
    match ty::ungrouped(ty) {
        Type::Slice(slice) => Some(format!("Vec<{}>", spelled(&slice.elem))),
        Type::Path(path) if path.path.is_ident("str") => Some("&str".to_owned()),
        _ => None,
    }
}

/// The model's name for a parameter. In Rust, a leading `_` means that the body does not use it.
fn published_name(name: &str) -> &str {
    let name_alone = name.trim_start_matches('_');
    if is_param_name(name_alone) {
        name_alone
    } else {
        name
    }
}

/// Reads one attribute of a parameter; returns an attribute that is not ours.
fn read_param_attr(cx: &Ctxt, param_attrs: &mut ParamAttrs, attr: Attribute) -> Option<Attribute> {
    let path = attr.path();
    if path.is_ident("doc") {
        // rustc refuses documentation on a parameter.
        return None;
    }
    if path.is_ident("arg") {
        attr::arg(cx, &attr, &mut param_attrs.arg);
        param_attrs.has_arg = Some(attr);
        return None;
    }
    if path.is_ident("state") || path.is_ident("context") {
        let is_state = path.is_ident("state");
        if attr.meta.require_path_only().is_err() {
            let (mark, form) = if is_state {
                ("state", "db: &Db")
            } else {
                ("context", "cx: &Context")
            };
            cx.error(
                &attr.meta,
                format!("`#[{mark}]` takes no options\nhelp: write `#[{mark}] {form}`"),
            );
        }
        if param_attrs.state || param_attrs.context {
            cx.error(
                &attr,
                "a parameter is state or context, once\nhelp: remove one",
            );
        } else if is_state {
            param_attrs.state = true;
        } else {
            param_attrs.context = true;
        }
        return None;
    }
    foreign_attribute(cx, &attr).then_some(attr)
}

/// A model fills a parameter by its name.
pub(crate) fn ident(cx: &Ctxt, pat: &Pat) -> Option<Ident> {
    let ident = plain_ident(pat);
    if ident.is_none() {
        let wrapper = match pat {
            Pat::TupleStruct(pat) => pat.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        // As extractors of web frameworks and of other crates for tools.
        let help = match wrapper.as_deref() {
            Some("Parameters" | "Json" | "Query") => {
                "take the fields as parameters, or the whole struct: `#[arg(flatten)] input: Input`"
            }
            Some("State" | "Extension") => "mark a reference to the state: `#[state] db: &Db`",
            _ => "give the parameter a name and take it apart in the body",
        };
        cx.error(
            pat,
            format!("a pattern is not a name that the model can see\nhelp: {help}"),
        );
    }
    ident
}

/// Refuses types that no argument can have. Returns `false` if later checks would only echo an error.
pub(crate) fn check_argument_type(cx: &Ctxt, ident: &Ident, ty: &Type) -> bool {
    // For other types the compiler decides whether a reference to them can be read.
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
    type_is_closed(cx, ident, ty, &["impl", "dyn"]) && borrows_from_call(cx, ident, ty)
}

/// Returns true for `&Context`, by any path, and for `&mut Context` and `Option<&Context>`, which have a better error
/// as contexts. `std::task::Context<'_>` has an argument, so it is not one.
pub(crate) fn is_context_type(ty: &Type) -> bool {
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
pub(crate) fn check_borrowed_type(cx: &Ctxt, what: &str, ident: &Ident, ty: &Type) -> bool {
    let lock = match what {
        "state" => ", with a lock or an atomic inside for what changes",
        _ => "",
    };
    if what == "state" && ty::shared(ty).is_some() {
        return state_owns(cx, ident, ty, "") && type_is_closed(cx, ident, ty, &["impl"]);
    }
    let Type::Reference(reference) = ty::ungrouped(ty) else {
        if what == "context" && ty::is_option(ty) {
            cx.error(
                ty,
                format!("a call always has a context, so an `Option` is not needed\nhelp: write `{ident}: &Context`"),
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
    if what == "state" && !state_owns(cx, ident, &reference.elem, "&") {
        return false;
    }
    // The state's contents may live longer.
    type_is_closed(cx, ident, ty, &["impl"]) && borrows_from_call(cx, ident, &reference.lifetime)
}

/// The state lives as long as the toolset. `by` is `&` for a reference to this type.
fn state_owns(cx: &Ctxt, ident: &Ident, ty: &Type, by: &str) -> bool {
    let tokens = ty.to_token_stream();
    let Some(lifetime) = ty::free_lifetime(&tokens) else {
        return true;
    };
    let owned = ty::static_lifetimes(tokens);
    cx.error(
        lifetime,
        format!(
            "the state lives as long as the toolset, so it borrows from nothing\nhelp: write `{ident}: {by}{}`, or let the type own its parts",
            spelled(&owned)
        ),
    );
    false
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
pub(super) fn borrows_from_call(cx: &Ctxt, ident: &Ident, borrowed: &impl ToTokens) -> bool {
    let Some(lifetime) = ty::find(borrowed.to_token_stream(), &["static"]) else {
        return true;
    };
    cx.error(
        lifetime,
        format!("`{ident}` borrows from the call, which does not live for `'static`\nhelp: remove the lifetime"),
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
        "cfg_attr" => {
            return cfg::nested_attributes(attr)
                .iter()
                .all(|attr| is_forwardable(cx, attr));
        }
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
            "the options of a parameter are in `#[arg(…)]`: `#[arg(default)]`, `#[arg(range(1..=5))]` and others"
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
fn is_forwardable(cx: &Ctxt, attr: &Attribute) -> bool {
    let path = attr.path();
    let is_ours = |name: &&str| path.is_ident(name);
    let Some(name) = ["arg", "state", "context", "doc"]
        .iter()
        .find(|name| is_ours(name))
    else {
        return foreign_attribute(cx, attr);
    };
    cx.error(
        &attr.meta,
        format!("`#[{name}]` of a parameter cannot stand in a `cfg_attr`\nhelp: write `#[{name}]` alone, or two functions, each with its `#[cfg]`"),
    );
    false
}
