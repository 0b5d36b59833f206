//! The grammar of `#[tool(…)]` and `#[arg(…)]`.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, Path, Token};

use crate::ctxt::Ctxt;
use crate::invisible_chars;
use crate::model::{DefaultValue, Options, Text};
use crate::schema::{Bounds, read_bound};

mod meta;
mod suggestions;
mod targets;

use meta::meta_json;
pub(crate) use suggestions::unknown;
pub(crate) use targets::distinct;
use targets::targets;

/// The options of `#[tool]`, in the order in which the documentation lists them.
const TOOL_OPTIONS: [&str; 21] = [
    "name",
    "title",
    "description",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "manual",
    "return_direct",
    "exclusive",
    "blocking",
    "spawn",
    "timeout",
    "meta",
    "visible",
    "validate",
    "ignore_unknown",
    "targets",
    "handle",
    "crate",
    "state",
];

const ARG_OPTIONS: [&str; 11] = [
    "default",
    "rename",
    "example",
    "flatten",
    "secret",
    "range",
    "len",
    "pattern",
    "format",
    "multiple_of",
    "unique",
];

/// Reads the options of `#[tool(…)]`.
pub(crate) fn tool(cx: &Ctxt, tokens: TokenStream) -> Options {
    let mut options = Options::default();
    let errors = cx.count();
    if let Some(TokenTree::Literal(text)) = tokens.clone().into_iter().next() {
        cx.error(
            text,
            "`#[tool]` takes options by name\nhelp: write `description = \"…\"`, or a doc comment above the function",
        );
        options.misread = true;
        return options;
    }
    for meta in metas(cx, tokens) {
        let Some(key) = key(&meta) else {
            unknown(cx, &meta, "", "tool", &known_tool_options());
            continue;
        };
        match key.as_str() {
            "name" => options.name = text(cx, &meta),
            "title" => options.title = text(cx, &meta),
            "description" => options.description = text(cx, &meta),
            "read_only" | "destructive" | "idempotent" | "open_world" => {
                if let (Some(hint), Some(value)) = (
                    TOOL_OPTIONS.iter().find(|option| **option == key),
                    flag(cx, &meta),
                ) {
                    options.annotations.push((hint, value));
                }
            }
            "manual" => options.manual = flag(cx, &meta).unwrap_or(false),
            "return_direct" => options.return_direct = flag(cx, &meta).unwrap_or(false),
            "exclusive" => options.exclusive = flag(cx, &meta).unwrap_or(false),
            "blocking" => options.blocking = (flag(cx, &meta) == Some(true)).then(|| meta.path().span()),
            "spawn" => options.spawn = (flag(cx, &meta) == Some(true)).then(|| meta.path().span()),
            "timeout" => options.timeout = timeout(cx, &meta),
            "meta" => options.meta = meta_json(cx, &meta),
            "visible" => options.visible = hook(cx, &meta),
            "validate" => options.validate = hook(cx, &meta),
            "ignore_unknown" => {
                options.ignore_unknown = (flag(cx, &meta) == Some(true)).then(|| meta.path().span());
            }
            "targets" => options.targets = targets(cx, &meta),
            "handle" => options.handle = handle(cx, &meta),
            "crate" => options.krate = krate(cx, &meta),
            "state" => cx.error(
                &meta,
                "the state of a tool is a parameter, not an option\nhelp: mark a parameter: `#[state] db: &Db`",
            ),
            other => unknown(cx, &meta, other, "tool", &known_tool_options()),
        }
    }
    options.misread = cx.count() > errors;
    options
}

/// Reads the options of `#[tool(…)]` on an impl block: the crate alone.
pub(crate) fn block(cx: &Ctxt, tokens: TokenStream) -> Option<Path> {
    let mut path = None;
    for meta in metas(cx, tokens) {
        match key(&meta) {
            Some(key) if key == "crate" => path = krate(cx, &meta),
            Some(key) if known_tool_options().contains(&key.as_str()) => cx.error(
                &meta,
                format!("`{key}` is said of a tool, not of an impl block\nhelp: move it to the `#[tool]` of a method"),
            ),
            key => unknown(cx, &meta, &key.unwrap_or_default(), "tool", &["crate"]),
        }
    }
    path
}

fn known_tool_options() -> Vec<&'static str> {
    TOOL_OPTIONS
        .into_iter()
        .filter(|option| *option != "state")
        .collect()
}

/// The options of `#[arg(…)]` on a parameter.
#[derive(Default)]
pub(crate) struct Arg {
    pub(crate) default: Option<DefaultValue>,
    pub(crate) rename: Option<Text>,
    pub(crate) example: Option<Expr>,
    pub(crate) flatten: Option<Span>,
    pub(crate) secret: Option<Span>,
    pub(crate) bounds: Bounds,
    /// The options that were given, since a parameter may have several `#[arg(…)]`.
    given: Vec<String>,
}

/// Reads one `#[arg(…)]` into `arg`.
pub(crate) fn arg(cx: &Ctxt, attr: &Attribute, arg: &mut Arg) {
    let Meta::List(list) = &attr.meta else {
        cx.error(attr, "`#[arg]` says nothing\nhelp: write `#[arg(default)]`, `#[arg(rename = \"…\")]` or the like");
        return;
    };
    if let Some(TokenTree::Literal(text)) = list.tokens.clone().into_iter().next() {
        cx.error(
            text,
            "`#[arg]` takes options by name\nhelp: describe the parameter in a `///` comment above it",
        );
        return;
    }
    for meta in metas_after(cx, &mut arg.given, list.tokens.clone()) {
        match key(&meta).as_deref() {
            Some("default") => {
                arg.default = match meta {
                    Meta::Path(path) => Some(DefaultValue::Trait(path.span())),
                    Meta::NameValue(pair) => {
                        shown(cx, &pair.value);
                        Some(DefaultValue::Expr(Box::new(pair.value)))
                    }
                    Meta::List(list) => {
                        cx.error(
                            &list,
                            format!(
                                "`default` takes a value\nhelp: write `default = {}`",
                                list.tokens
                            ),
                        );
                        None
                    }
                }
            }
            Some("rename") => arg.rename = text(cx, &meta),
            Some("example") => arg.example = expr(cx, &meta),
            Some("flatten") => {
                if flag(cx, &meta) == Some(true) {
                    arg.flatten = Some(meta.span());
                }
            }
            Some("secret") => {
                arg.secret = (flag(cx, &meta) == Some(true)).then(|| meta.path().span());
            }
            Some(key) if read_bound(cx, &meta, key, &mut arg.bounds) => {}
            other => unknown(cx, &meta, other.unwrap_or_default(), "arg", &ARG_OPTIONS),
        }
    }
}

/// The options in the parentheses of an attribute, each of them once.
pub(crate) fn metas(cx: &Ctxt, tokens: TokenStream) -> Vec<Meta> {
    metas_after(cx, &mut Vec::new(), tokens)
}

/// Reads options after those in `seen`, of the same item.
fn metas_after(cx: &Ctxt, seen: &mut Vec<String>, tokens: TokenStream) -> Vec<Meta> {
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    let metas = cx.ok(parser.parse2(tokens)).unwrap_or_default();
    let mut unique = Vec::new();
    for meta in metas {
        match key(&meta) {
            Some(key) if seen.contains(&key) => {
                cx.error(
                    meta.path(),
                    format!("`{key}` is given twice\nhelp: remove one"),
                );
            }
            key => {
                seen.extend(key);
                unique.push(meta);
            }
        }
    }
    unique
}

/// The option's name.
pub(crate) fn key(meta: &Meta) -> Option<String> {
    meta.path()
        .get_ident()
        .map(|ident| ident.unraw().to_string())
}

/// The expression without invisible groups, which stand around what a `macro_rules` hands on.
pub(crate) fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => bare(&group.expr),
        other => other,
    }
}

fn value<'m>(cx: &Ctxt, meta: &'m Meta, form: &str) -> Option<&'m Expr> {
    match meta {
        Meta::NameValue(pair) => Some(bare(&pair.value)),
        other => {
            let key = key(other).unwrap_or_default();
            cx.error(
                other,
                format!("`{key}` takes a value\nhelp: write `{key} = {form}`"),
            );
            None
        }
    }
}

fn expr(cx: &Ctxt, meta: &Meta) -> Option<Expr> {
    let value = value(cx, meta, "…")?;
    shown(cx, value);
    Some(value.clone())
}

/// A literal that the model is shown.
pub(crate) fn shown(cx: &Ctxt, value: &Expr) {
    if let Expr::Lit(ExprLit {
        lit: Lit::Str(text),
        ..
    }) = bare(value)
    {
        invisible_chars::check(cx, text.span(), &text.value());
    }
}

/// `key = "…"`
pub(crate) fn text(cx: &Ctxt, meta: &Meta) -> Option<Text> {
    text_like(cx, meta, "…")
}

/// Reads `key = "…"`, with an example of the text for the error.
fn text_like(cx: &Ctxt, meta: &Meta, example: &str) -> Option<Text> {
    match value(cx, meta, &format!("\"{example}\""))? {
        Expr::Lit(ExprLit {
            lit: Lit::Str(literal),
            ..
        }) => {
            let value = literal.value();
            invisible_chars::check(cx, literal.span(), &value);
            Some(Text {
                value,
                span: literal.span(),
            })
        }
        other => {
            let key = key(meta).unwrap_or_default();
            cx.error(
                other,
                format!("`{key}` takes a string literal\nhelp: write `{key} = \"{example}\"`"),
            );
            None
        }
    }
}

/// `key`, `key = true` or `key = false`
pub(crate) fn flag(cx: &Ctxt, meta: &Meta) -> Option<bool> {
    let wrong = match meta {
        Meta::Path(_) => return Some(true),
        Meta::NameValue(pair) => match bare(&pair.value) {
            Expr::Lit(ExprLit {
                lit: Lit::Bool(value),
                ..
            }) => return Some(value.value),
            other => other.to_token_stream(),
        },
        Meta::List(list) => list.to_token_stream(),
    };
    let key = key(meta).unwrap_or_default();
    cx.error(
        wrong,
        format!("`{key}` is on or off\nhelp: write `{key}` or `{key} = false`"),
    );
    None
}

/// `key = path`, for what stands there in the words of the help.
fn path(cx: &Ctxt, meta: &Meta, what: &str, form: &str) -> Option<Path> {
    match value(cx, meta, form)? {
        Expr::Path(path) if path.qself.is_none() => Some(path.path.clone()),
        other => {
            let key = key(meta).unwrap_or_default();
            cx.error(
                other,
                format!("`{key}` takes {what}\nhelp: write `{key} = {form}`"),
            );
            None
        }
    }
}

fn hook(cx: &Ctxt, meta: &Meta) -> Option<Path> {
    path(cx, meta, "the path of a function", "path::to::function")
}

fn handle(cx: &Ctxt, meta: &Meta) -> Option<syn::Ident> {
    let path = path(cx, meta, "a name", "Name")?;
    let ident = path.get_ident();
    if ident.is_none() {
        cx.error(&path, "`handle` takes a name\nhelp: write `handle = Name`");
    }
    ident.cloned()
}

/// `crate = path`, which must hold wherever the item stands.
pub(crate) fn krate(cx: &Ctxt, meta: &Meta) -> Option<Path> {
    let path = path(cx, meta, "a path", "::toolwright")?;
    let first = path
        .segments
        .first()
        .map(|segment| segment.ident.to_string());
    // `$crate` stands for an absolute path too, wherever the `macro_rules` comes from that wrote it.
    if path.leading_colon.is_some() || matches!(first.as_deref(), Some("crate" | "$crate")) {
        return Some(path);
    }
    cx.error(
        &path,
        format!(
            "`crate` takes an absolute path\nhelp: write `crate = ::{0}`, or `crate = crate::{0}` for a module of this crate",
            path.to_token_stream()
        ),
    );
    None
}

/// `timeout = "10s"`
fn timeout(cx: &Ctxt, meta: &Meta) -> Option<(Span, u64)> {
    let text = text_like(cx, meta, "10s")?;
    let digits = text.value.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.value.split_at(digits);
    let unit = match unit.trim() {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let millis = unit.and_then(|unit| number.parse::<u64>().ok()?.checked_mul(unit));
    match millis {
        Some(millis) if millis > 0 => Some((meta.path().span(), millis)),
        _ => {
            cx.error_at(
                text.span,
                format!(
                    "`{}` is no timeout\nhelp: write a whole number above zero and a unit: `\"500ms\"`, `\"10s\"`, `\"2m\"`, `\"1h\"`",
                    text.value
                ),
            );
            None
        }
    }
}
