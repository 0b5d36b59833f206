//! Rules that a tool must follow. Rules that rustc reports better after expansion are not here.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, Generics, ItemImpl, Pat, ReturnType, Signature, Type};

use crate::bounds::out_of_bounds;
use crate::ctxt::Ctxt;
use crate::model::{DefaultValue, Description, Function, FunctionRole, Param, Tool, role_of};
use crate::name::{
    PARAM_RULE, TOOL_RULE, did_you_mean, is_param_name, is_tool_name, quoted, variant,
};
use crate::span::{parse_quote, quote};
use crate::ty::is_basic;
use crate::{invisible_chars, ty};

mod arrays;
mod output;
mod past;
mod template;

/// The rules for a free function.
pub(crate) fn free(cx: &Ctxt, tool: &Tool) {
    documented(cx, tool);
    handle_is_not_primitive(cx, tool);
    args_have_a_name(cx, tool);
    targets_are_for_one_type(cx, tool, &tool.generics);
    all(cx, tool);
}

/// The rules for a method, behind the others of its block.
pub(crate) fn method(cx: &Ctxt, tool: &Tool, others: &[Tool]) {
    documented(cx, tool);
    name_is_new(cx, tool, others);
    state_is_self(cx, tool);
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
    arrays::have_a_length(cx, tool);
    flatten_is_alone(cx, tool);
    flatten_says_what_is_ignored(cx, tool);
    examples_name_arguments(cx, tool);
    default_is_for_a_value(cx, tool);
    defaults_are_in_bounds(cx, tool);
    approved_once(cx, tool);
    timeout_can_be_kept(cx, tool);
    hints_agree(cx, tool);
    past::agrees(cx, tool);
    template::fits(cx, tool);
    output::is_nameable(cx, tool);
    output::returns(cx, tool);
    output::result_is_outermost(cx, tool);
}

/// A generic tool's argument types are known only where it is listed, so a target cannot be checked at the function.
pub(crate) fn targets_are_for_one_type(cx: &Ctxt, tool: &Tool, generics: &Generics) {
    let is_open =
        generics.type_params().next().is_some() || generics.const_params().next().is_some();
    if let (Some(target), true) = (tool.options.targets.first(), is_open) {
        cx.error(
            target,
            format!(
                "the arguments of `{}` depend on its type parameters\nhelp: put the targets into the list: `tools! {{ targets: [{target}]; … }}`",
                tool.name.value
            ),
        );
    }
}

/// `struct char {}` beside `fn char` would shadow the primitive in the whole module.
fn handle_is_not_primitive(cx: &Ctxt, tool: &Tool) {
    const PRIMITIVES: [&str; 17] = [
        "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32",
        "i64", "i128", "isize", "f32", "f64",
    ];
    let name = tool.ident.unraw().to_string();
    if PRIMITIVES.contains(&name.as_str()) {
        cx.error(
            &tool.ident,
            format!("the tool's struct `{name}` would hide the primitive type of that name\nhelp: rename the function, and keep the model's name: `#[tool(name = \"{name}\")] fn {name}_tool`"),
        );
    }
}

/// The tool's own struct is listed by the function's name, and the arguments are another one.
fn args_have_a_name(cx: &Ctxt, tool: &Tool) {
    if let Some(args) = &tool.options.args
        && *args == tool.ident
    {
        cx.error(
            args,
            format!("`{args}` is the struct that the tool is listed by\nhelp: name the struct of its arguments otherwise: `args = {}`", variant(&format!("{}_args", tool.ident.unraw()))),
        );
    }
}

/// A struct of arguments is outside the block, where the block's type parameters are unknown.
pub(crate) fn args_are_of_one_type(cx: &Ctxt, tool: &Tool, generics: &Generics) {
    if let (Some(name), false) = (&tool.options.args, generics.params.is_empty()) {
        cx.error(
            name,
            "methods of a generic type have no structs of arguments\nhelp: remove `args`",
        );
    }
}

/// A tool's name must be unique in its block; a list would report it only where it is written. Methods behind a
/// `#[cfg(…)]` are left to the list.
fn name_is_new(cx: &Ctxt, tool: &Tool, others: &[Tool]) {
    let name = &tool.name.value;
    let role = tool.options.role;
    let is_same = |other: &Tool| {
        other.cfg.is_empty() && other.options.role == role && other.name.value == *name
    };
    if tool.cfg.is_empty() && others.iter().any(is_same) {
        let role = role.attribute();
        cx.error_at(
            tool.name.span,
            format!("two {role}s of this block are named `{name}`\nhelp: name one of them otherwise: `#[{role}(name = \"…\")]`"),
        );
    }
}

/// A method without `#[tool]` has no parameters of a tool. Another attribute may be a macro that knows ours by name.
pub(crate) fn has_no_tool_params(cx: &Ctxt, function: &mut Function) {
    const OF_RUSTC: [&str; 7] = [
        "doc",
        "cfg",
        "allow",
        "expect",
        "inline",
        "must_use",
        "deprecated",
    ];
    let is_of_rustc =
        |attr: &Attribute| OF_RUSTC.into_iter().any(|name| attr.path().is_ident(name));
    if !function.attrs.iter().all(is_of_rustc) {
        return;
    }
    let name = &function.sig.ident;
    for input in &mut function.sig.inputs {
        let FnArg::Typed(param) = input else { continue };
        param.attrs.retain(|attr| {
            let marks = ["arg", "state", "context"];
            let Some(mark) = marks.into_iter().find(|mark| attr.path().is_ident(mark)) else {
                return true;
            };
            cx.error(
                attr,
                format!("`#[{mark}]` is for the parameters of tools\nhelp: write `#[tool]` before `fn {name}`"),
            );
            false
        });
    }
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

/// One block, one crate.
fn no_own_crate(cx: &Ctxt, tool: &Tool) {
    if let Some(path) = &tool.options.krate {
        cx.error(
            path,
            "`crate` is an option of the whole block\nhelp: move it to the `#[tool]` of the impl block",
        );
    }
}

/// A list names the type and has no place for a method's type arguments.
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
    // Invisible characters in a name have their own error.
    if !is_tool_name(name) && invisible_chars::find(name).is_none() {
        cx.error_at(
            tool.name.span,
            format!("providers refuse the tool name `{name}`\nhelp: give another: `#[tool(name = \"…\")]`, {TOOL_RULE}"),
        );
    }
}

/// A model picks a tool by its description.
fn has_description(cx: &Ctxt, tool: &Tool) {
    if !tool.description.is_empty() || tool.options.misread {
        return;
    }
    match &tool.options.description {
        Some(Description::Text(text)) => cx.error_at(
            text.span,
            format!("the description of tool `{}` is empty\nhelp: say what the tool does", tool.name.value),
        ),
        _ => cx.error(
            &tool.ident,
            format!(
                "{role} `{}` has no description\nhelp: add a doc comment above the function, or `#[{role}(description = \"…\")]`",
                tool.name.value,
                role = tool.options.role.attribute(),
            ),
        ),
    }
}

/// As for the tool's own name.
fn params_are_portable(cx: &Ctxt, tool: &Tool) {
    for param in tool.model_params() {
        let name = &param.name.value;
        if !is_param_name(name) && invisible_chars::find(name).is_none() {
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
    for param in tool.model_params() {
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
    if let Some(param) = tool.model_params().nth(64) {
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
    for param in tool.model_params() {
        let Some(span) = param.flatten else { continue };
        if tool.model_params().count() > 1 {
            cx.error_at(
                span,
                "a flattened parameter must be the only one that the model fills\nhelp: move the others into its struct, or remove `flatten`",
            );
        }
        let is_renamed = param.name.value != param.ident;
        let has_options = param.default.is_some() || param.example.is_some() || is_renamed;
        if has_options || param.secret.is_some() {
            cx.error_at(
                span,
                "a flattened parameter takes no other options\nhelp: put them on the fields of its struct",
            );
        }
    }
}

/// The schema of a flattened struct decides itself if it ignores unknown keys.
fn flatten_says_what_is_ignored(cx: &Ctxt, tool: &Tool) {
    if let Some(span) = tool.options.ignore_unknown
        && tool.model_params().any(|param| param.flatten.is_some())
    {
        cx.error_at(
            span,
            "the type of a flattened parameter says whether other arguments may be there\nhelp: remove `ignore_unknown`, and put `#[schema(open)]` on the struct",
        );
    }
}

/// The names of arguments are known here. Values, and the keys of a flattened parameter, are checked at run time.
fn examples_name_arguments(cx: &Ctxt, tool: &Tool) {
    let is_open = tool.options.ignore_unknown.is_some()
        || tool.model_params().any(|param| param.flatten.is_some());
    if is_open {
        return;
    }
    let names = || tool.model_params().map(|param| param.name.value.as_str());
    let keys = tool
        .options
        .examples
        .iter()
        .flat_map(|example| &example.keys);
    for (key, span) in keys.filter(|(key, _)| !names().any(|name| name == key)) {
        let near = did_you_mean(key, names()).map(|near| near + " ");
        let help = match names().next() {
            Some(_) => format!(
                "{}the arguments are {}",
                near.unwrap_or_default(),
                quoted(names())
            ),
            None => "remove it; the tool has no arguments".to_owned(),
        };
        let words = format!(
            "tool `{}` has no argument `{key}`\nhelp: {help}",
            tool.name.value
        );
        cx.error_at(*span, words);
    }
}

/// The default of an `Option` is that it is missing.
fn default_is_for_a_value(cx: &Ctxt, tool: &Tool) {
    for param in tool.model_params() {
        if let Some(DefaultValue::Trait(span)) = &param.default
            && ty::is_option(&param.ty)
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

/// Rejects `read_only` with `destructive`, and `exclusive` with `background`.
fn hints_agree(cx: &Ctxt, tool: &Tool) {
    if tool.options.is_on("exclusive") && tool.options.is_on("background") {
        cx.error_at(
            tool.name.span,
            "an `exclusive` tool runs beside no other one, and a `background` tool goes on beside those that follow\nhelp: remove one of the two",
        );
    }
    if tool.options.is_on("read_only") && tool.options.is_on("destructive") {
        cx.error_at(
            tool.name.span,
            "a tool that is `read_only` changes nothing, so it is not `destructive`\nhelp: remove one of the two",
        );
    }
}

/// A time limit cannot end a synchronous body without another thread. A returned stream is read later and needs no
/// limit here.
fn timeout_can_be_kept(cx: &Ctxt, tool: &Tool) {
    let options = &tool.options;
    if let Some((span, _)) = options.timeout
        && !tool.is_async
        && !options.is_on("blocking")
        && !ty::is_stream(&tool.output)
    {
        cx.error_at(
            span,
            format!("nothing could stop the synchronous tool `{}` at its timeout\nhelp: add `blocking`, so that it runs on a thread of its own, or make it `async`", tool.name.value),
        );
    }
    if let Some(span) = options.span_of("blocking").filter(|_| tool.is_async) {
        cx.error_at(
            span,
            format!("`blocking` is for synchronous tools, and `{}` is `async`\nhelp: remove one of the two", tool.name.value),
        );
    }
}

/// Documentation of parameters must match the parameters.
fn documented(cx: &Ctxt, tool: &Tool) {
    for listed in &tool.documented {
        let is_param = tool.params.iter().any(|param| match param {
            Param::Model(param) => param.ident == listed.name || param.name.value == listed.name,
            Param::State(_) | Param::Context(_) | Param::Approved(_) => false,
        });
        if is_param || tool.hidden.contains(&listed.name) {
            continue;
        }
        let names: Vec<_> = tool
            .model_params()
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

/// A trait's methods belong to many types.
pub(crate) fn is_of_type(cx: &Ctxt, header: &ItemImpl) -> bool {
    if let Some((path, _)) = &header.trait_ {
        cx.error(
            path,
            "the methods of a trait are not tools by themselves\nhelp: write an impl block of the type, with methods that call these",
        );
    }
    header.trait_.is_none()
}

/// The value must be owned: calls go on after the function with the list has returned.
pub(crate) fn owns(cx: &Ctxt, header: &ItemImpl) -> bool {
    let borrowed = ty::lifetime(header.self_ty.to_token_stream());
    if let Some(lifetime) = &borrowed {
        cx.error(
            lifetime,
            format!("a type with tools owns what it holds, and this one borrows it for `{lifetime}`\nhelp: own the value, or share it in an `Arc`"),
        );
    }
    borrowed.is_none()
}

/// A block without tools is a block that somebody forgot.
pub(crate) fn has_tools(cx: &Ctxt, ty: &Type, tools: &[Tool]) {
    if tools.is_empty() {
        cx.error(
            ty,
            "no method of this block is a tool\nhelp: put `#[tool]` on the methods that the model may call",
        );
    }
}

/// A second attribute would make a second struct.
pub(crate) fn once(cx: &Ctxt, role: FunctionRole, attrs: &mut Vec<Attribute>) {
    attrs.retain(|attr| {
        let Some(second) = role_of(attr) else {
            return true;
        };
        let (first, name) = (role.attribute(), second.attribute());
        cx.error(
            attr,
            if second == role {
                format!("`#[{name}]` stands here twice\nhelp: give all options in one: `#[{name}(…, …)]`")
            } else {
                format!("a function is a {first} or a {name}\nhelp: remove one of the attributes, and write a second function for it")
            },
        );
        false
    });
}

/// A method without its impl block: the macro would not see the type of `self`.
pub(crate) fn is_method(cx: &Ctxt, role: FunctionRole, sig: &Signature) -> bool {
    let is_method = sig.receiver().is_some() || mentions_self_type(sig);
    if is_method {
        let (method, attribute) = (&sig.ident, role.attribute());
        cx.error(
            method,
            format!(
                "`#[{attribute}]` sees no impl block around the method `{method}`\nhelp: put `#[tool]` on the impl block too"
            ),
        );
    }
    is_method
}

/// Returns true if a signature names `Self`, which no free function can.
fn mentions_self_type(sig: &Signature) -> bool {
    let speaks = |tokens: TokenStream| ty::find(tokens, &["Self"]).is_some();
    let in_type = |ty: &Type| !is_basic(ty) && speaks(ty.to_token_stream());
    let is_returned = match &sig.output {
        ReturnType::Type(_, ty) => in_type(ty),
        ReturnType::Default => false,
    };
    is_returned
        || sig.inputs.iter().any(|input| match input {
            FnArg::Typed(param) => {
                in_type(&param.ty)
                    || !matches!(*param.pat, Pat::Ident(_)) && speaks(param.pat.to_token_stream())
            }
            FnArg::Receiver(_) => true,
        })
        || !sig.generics.params.is_empty() && speaks(sig.generics.to_token_stream())
        || sig
            .generics
            .where_clause
            .as_ref()
            .is_some_and(|bounds| speaks(bounds.to_token_stream()))
}

/// A function without a body gets one that fits every type, so that its error is the only one.
pub(crate) fn body(cx: &Ctxt, function: &mut Function) {
    let first = function.body.clone().into_iter().next();
    let has_body = matches!(first, Some(TokenTree::Group(_)));
    if !has_body {
        cx.error(
            &function.body,
            format!(
                "tool `{}` has no body\nhelp: write `{{ … }}` behind the signature",
                function.sig.ident
            ),
        );
        function.body = quote!({ loop {} });
        function
            .attrs
            .push(parse_quote!(#[allow(unused_variables)]));
    }
}

/// A call brings one approval, and only calls of tools do.
fn approved_once(cx: &Ctxt, tool: &Tool) {
    let mut approved = tool.params.iter().filter_map(|param| match param {
        Param::Approved(ty) => Some(ty),
        _ => None,
    });
    let Some(first) = approved.next() else { return };
    if tool.options.role != FunctionRole::Tool {
        let role = tool.options.role.attribute();
        cx.error(
            first,
            format!("nobody is asked about a {role}, so `{}` would never run\nhelp: remove the parameter", tool.name.value),
        );
    }
    for second in approved {
        cx.error(
            second,
            "a call has one approval, and another parameter takes it\nhelp: remove this parameter",
        );
    }
}

/// The description shows the default to a model, which may send it. The compiler checks constants; the runtime checks
/// everything else.
fn defaults_are_in_bounds(cx: &Ctxt, tool: &Tool) {
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
