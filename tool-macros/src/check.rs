//! What a tool must not be. Rules that rustc reports better after expansion are not here.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, Pat, ReceiverKind, ReturnType, Safety, Signature, Type};

use crate::ctxt::Ctxt;
use crate::doc::Doc;
use crate::item::plain_ident;
use crate::model::{DefaultValue, ModelParam, Param, Tool};
use crate::name::{PARAM_RULE, TOOL_RULE, did_you_mean, is_param_name, is_tool_name, quoted};
use crate::ty;

/// The rules for a free function.
pub(crate) fn free(cx: &Ctxt, tool: &Tool) {
    no_receiver(cx, tool);
    handle_is_no_primitive(cx, tool);
    all(cx, tool);
}

/// The rules for a method.
pub(crate) fn method(cx: &Ctxt, tool: &Tool) {
    state_is_self(cx, tool);
    no_handle(cx, tool);
    no_own_crate(cx, tool);
    not_generic(cx, tool);
    all(cx, tool);
}

fn all(cx: &Ctxt, tool: &Tool) {
    name_is_portable(cx, tool);
    has_description(cx, tool);
    params_are_portable(cx, tool);
    params_are_distinct(cx, tool);
    params_are_few(cx, tool);
    flatten_is_alone(cx, tool);
    default_is_for_a_value(cx, tool);
    timeout_can_be_kept(cx, tool);
    return_is_nameable(cx, tool);
}

/// A method without its impl block: the macro would not see the type of `self`.
fn no_receiver(cx: &Ctxt, tool: &Tool) {
    if tool.receiver {
        cx.error(
            &tool.ident,
            format!(
                "`#[tool]` sees no impl block around the method `{}`\nhelp: put `#[tool]` on the impl block too",
                tool.ident
            ),
        );
    }
}

/// `struct char {}` beside `fn char` would shadow the primitive in the whole module.
fn handle_is_no_primitive(cx: &Ctxt, tool: &Tool) {
    const PRIMITIVES: [&str; 17] = [
        "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32",
        "i64", "i128", "isize", "f32", "f64",
    ];
    let handle = tool.options.handle.as_ref().unwrap_or(&tool.ident);
    let name = handle.unraw().to_string();
    if PRIMITIVES.contains(&name.as_str()) {
        cx.error(
            handle,
            format!("the tool's struct `{name}` would hide the primitive type of that name\nhelp: name it otherwise: `#[tool(handle = {})]`, and list it by that name", pascal(&name)),
        );
    }
}

fn pascal(name: &str) -> String {
    let mut chars = name.chars();
    let first = chars.next().map(|char| char.to_ascii_uppercase());
    first.into_iter().chain(chars).collect::<String>() + "Tool"
}

/// A method's state is the value that it is called on.
fn state_is_self(cx: &Ctxt, tool: &Tool) {
    for param in &tool.params {
        if let Param::State(ty) = param {
            cx.error(
                ty,
                "the state of a method is its `self`\nhelp: put the value into a field and read it from `&self`",
            );
        }
    }
}

/// Methods are listed by their type.
fn no_handle(cx: &Ctxt, tool: &Tool) {
    if let Some(handle) = &tool.options.handle {
        cx.error(
            handle,
            "the methods of a type are listed together, without a handle\nhelp: remove `handle`, and list them as `..value: Type`",
        );
    }
}

/// One block, one crate.
fn no_own_crate(cx: &Ctxt, tool: &Tool) {
    if let Some(path) = &tool.options.krate {
        cx.error(
            path,
            "`crate` is said once for the whole block\nhelp: move it to the `#[tool]` of the impl block",
        );
    }
}

/// A list names the type, so there is no place for a method's own type arguments.
fn not_generic(cx: &Ctxt, tool: &Tool) {
    if let Some(param) = tool.generics.params.first() {
        cx.error(
            param,
            "a tool that is a method takes no type parameters of its own\nhelp: make the type generic, or write a free function",
        );
    }
}

/// A name that some provider refuses would fail at the first request.
fn name_is_portable(cx: &Ctxt, tool: &Tool) {
    let name = &tool.name.value;
    if !is_tool_name(name) {
        cx.error_at(
            tool.name.span,
            format!("providers refuse the tool name `{name}`\nhelp: give another: `#[tool(name = \"…\")]`, {TOOL_RULE}"),
        );
    }
}

/// A model picks a tool by its description.
fn has_description(cx: &Ctxt, tool: &Tool) {
    if !tool.description.is_empty() {
        return;
    }
    match &tool.options.description {
        Some(text) => cx.error_at(
            text.span,
            format!("the description of tool `{}` is empty\nhelp: say what the tool does", tool.name.value),
        ),
        None => cx.error(
            &tool.ident,
            format!(
                "tool `{}` has no description\nhelp: add a doc comment above the function, or `#[tool(description = \"…\")]`",
                tool.name.value
            ),
        ),
    }
}

fn model_params(tool: &Tool) -> impl Iterator<Item = &ModelParam> {
    tool.params.iter().filter_map(|param| match param {
        Param::Model(param) => Some(param),
        Param::State(_) | Param::Context(_) => None,
    })
}

/// As for the tool's own name.
fn params_are_portable(cx: &Ctxt, tool: &Tool) {
    for param in model_params(tool) {
        let name = &param.name.value;
        if !is_param_name(name) {
            cx.error_at(
                param.name.span,
                format!("providers refuse the parameter name `{name}` of tool `{}`\nhelp: give another: `#[arg(rename = \"…\")]`, {PARAM_RULE}", tool.name.value),
            );
        }
    }
}

/// Two parameters of one name cannot both be filled.
fn params_are_distinct(cx: &Ctxt, tool: &Tool) {
    let mut seen: Vec<&str> = Vec::new();
    for param in model_params(tool) {
        let name = param.name.value.as_str();
        if seen.contains(&name) {
            cx.error_at(
                param.name.span,
                format!(
                    "two parameters of tool `{}` are named `{name}`\nhelp: rename one",
                    tool.name.value
                ),
            );
        }
        seen.push(name);
    }
}

/// The decoder keeps one bit a parameter; a model does not fill as many either.
fn params_are_few(cx: &Ctxt, tool: &Tool) {
    if let Some(param) = model_params(tool).nth(64) {
        cx.error_at(
            param.name.span,
            format!(
                "tool `{}` has more than 64 parameters\nhelp: group them in structs",
                tool.name.value
            ),
        );
    }
}

/// A flattened struct is all of the arguments.
fn flatten_is_alone(cx: &Ctxt, tool: &Tool) {
    for param in model_params(tool) {
        let Some(span) = param.flatten else { continue };
        if model_params(tool).count() > 1 {
            cx.error_at(
                span,
                "a flattened parameter must be the only one that the model fills\nhelp: move the others into its struct, or remove `flatten`",
            );
        }
        if param.default.is_some() || param.example.is_some() {
            cx.error_at(
                span,
                "a flattened parameter takes no other options\nhelp: say them of its struct's fields",
            );
        }
    }
}

/// The default of an `Option` is that it is missing.
fn default_is_for_a_value(cx: &Ctxt, tool: &Tool) {
    for param in model_params(tool) {
        if let (Some(DefaultValue::Trait(span)), Type::Path(path)) =
            (&param.default, ty::bare(&param.ty))
            && path
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident == "Option")
        {
            cx.error_at(
                *span,
                format!(
                    "`{}` may be missing as it is: that is `None`\nhelp: remove `default`",
                    param.ident
                ),
            );
        }
    }
}

/// Nothing can end a synchronous body but its own return, unless it has a thread of its own.
fn timeout_can_be_kept(cx: &Ctxt, tool: &Tool) {
    let options = &tool.options;
    if let Some((span, _)) = options.timeout
        && !tool.is_async
        && !options.blocking
    {
        cx.error_at(
            span,
            format!("nothing could stop the synchronous tool `{}` at its timeout\nhelp: add `blocking`, so that it runs on a thread of its own, or make it `async`", tool.name.value),
        );
    }
    if options.blocking && tool.is_async {
        cx.error(
            &tool.ident,
            format!("`blocking` is for synchronous tools, and `{}` is `async`\nhelp: remove one of the two", tool.name.value),
        );
    }
}

/// The result's schema is asked of its type.
fn return_is_nameable(cx: &Ctxt, tool: &Tool) {
    if let ReturnType::Type(_, ty) = &tool.output
        && let Some(token) = ty::impl_trait(quote::ToTokens::to_token_stream(ty))
    {
        cx.error(
            token,
            format!("tool `{}` returns a type without a name\nhelp: return a type that can be written out", tool.name.value),
        );
    }
}

/// What a documentation says of parameters must be true.
pub(crate) fn documented(cx: &Ctxt, tool: &Tool, doc: &Doc) {
    for listed in &doc.params {
        let is_param = tool.params.iter().any(|param| match param {
            Param::Model(param) => param.ident == listed.name || param.name.value == listed.name,
            Param::State(_) | Param::Context(_) => false,
        });
        if is_param || tool.hidden.contains(&listed.name) {
            continue;
        }
        let names: Vec<_> = model_params(tool)
            .map(|param| param.ident.as_str())
            .collect();
        let help = match did_you_mean(&listed.name, names.iter().copied()) {
            Some(meant) => format!("\nhelp: {meant}"),
            None if names.is_empty() => "\nhelp: remove the line".into(),
            None => format!("\nhelp: the parameters are {}", quoted(names)),
        };
        cx.error_at(
            listed.span,
            format!(
                "doc comment describes `{}`, but tool `{}` has no such parameter{help}",
                listed.name, tool.name.value
            ),
        );
    }
}

/// What the signature must not be, before its parameters are looked at.
pub(crate) fn signature(cx: &Ctxt, sig: &Signature) {
    if let Safety::Unsafe(token) = &sig.safety {
        cx.error(
            token,
            "a model cannot promise what an `unsafe` function asks of its caller\nhelp: wrap it in a safe function that checks",
        );
    }
    if let Some(abi) = &sig.abi {
        cx.error(
            abi,
            "a tool is a Rust function\nhelp: remove `extern`, or wrap the function",
        );
    }
    if let Some(variadic) = &sig.variadic {
        cx.error(
            variadic,
            "a tool has a fixed list of parameters\nhelp: take a slice: `&[T]`",
        );
    }
    if let Some(FnArg::Receiver(receiver)) = sig.inputs.first() {
        let by_ref = matches!(&receiver.kind, ReceiverKind::Reference(_, _, None));
        if !by_ref {
            cx.error(
                receiver,
                "many calls share the value that a tool is called on\nhelp: take `&self`, with a lock or an atomic inside for what changes",
            );
        }
    }
}

/// A model fills a parameter by its name.
pub(crate) fn param_ident(cx: &Ctxt, pat: &Pat) -> Option<Ident> {
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
pub(crate) fn param_type(cx: &Ctxt, ident: &Ident, ty: &Type) -> bool {
    if let Some(token) = ty::impl_trait(quote::ToTokens::to_token_stream(ty)) {
        cx.error(
            token,
            format!("the type of `{ident}` is left open by `impl Trait`\nhelp: name the type, such as `String`"),
        );
        return false;
    }
    if let Type::Reference(reference) = ty::bare(ty) {
        if let Some(mutability) = &reference.mutability {
            cx.error(
                mutability,
                format!("the model gives a value, so there is nothing for `{ident}` to change\nhelp: take it by value: `mut {ident}: …`"),
            );
            return false;
        }
        if let Some(lifetime) = reference
            .lifetime
            .as_ref()
            .filter(|lifetime| lifetime.ident == "static")
        {
            cx.error(
                lifetime,
                format!("the arguments of a call do not live for `'static`, which `{ident}` asks for\nhelp: remove the lifetime"),
            );
            return false;
        }
    }
    true
}

/// Attributes of parameters that are not ours. `false` for those that are not handed on.
pub(crate) fn foreign_attribute(cx: &Ctxt, attr: &Attribute) -> bool {
    let path = attr.path();
    let Some(ident) = path.get_ident() else {
        return true;
    };
    let name = ident.to_string();
    let help = match name.as_str() {
        "cfg" | "cfg_attr" => {
            cx.error_at(
                attr.span(),
                "a parameter that is there in one build and not in another changes the tool's schema\nhelp: write two functions, each with its `#[cfg]`",
            );
            return false;
        }
        "default" => "write `#[arg(default)]` or `#[arg(default = …)]`",
        "rename" => "write `#[arg(rename = \"…\")]`",
        "flatten" => "write `#[arg(flatten)]`",
        "example" => "write `#[arg(example = …)]`",
        "desc" | "description" => "write a `///` comment above the parameter",
        "serde" | "schemars" | "schema" | "param" => {
            "the options of a parameter stand in `#[arg(…)]`: `default`, `rename`, `example`, `flatten`"
        }
        "ctx" | "cx" => "write `#[context]`",
        _ => return true,
    };
    cx.error_at(
        attr.span(),
        format!("unknown attribute `{name}` on a parameter of a tool\nhelp: {help}"),
    );
    false
}
