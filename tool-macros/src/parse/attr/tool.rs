//! The options of `#[tool(…)]`.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Ident, LitStr, Meta, Path, Token};

use super::entry::{KeyValue, Table, entries};
use super::json::example;
use super::meta::{json_string, meta_json, with_members};
use super::past::was;
use super::suggestions::unknown;
use super::targets::targets;
use super::value::{flag, krate, path, text, text_like, words};
use crate::ctxt::Ctxt;
use crate::model::{FunctionRole, Options, Switch, TextLit};

const TOOL: Table<Options> = Table {
    attribute: "tool",
    rows: &[
        ("name", |cx, it, to| to.name = text(cx, it)),
        ("title", |cx, it, to| to.title = text(cx, it)),
        ("description", |cx, it, to| to.description = words(cx, it)),
        ("read_only", |cx, it, to| switch(cx, it, to, "read_only")),
        ("destructive", |cx, it, to| {
            switch(cx, it, to, "destructive");
        }),
        ("idempotent", |cx, it, to| switch(cx, it, to, "idempotent")),
        ("open_world", |cx, it, to| switch(cx, it, to, "open_world")),
        ("manual", |cx, it, to| switch(cx, it, to, "manual")),
        ("exact", |cx, it, to| switch(cx, it, to, "exact")),
        ("return_direct", |cx, it, to| {
            switch(cx, it, to, "return_direct");
        }),
        ("exclusive", |cx, it, to| switch(cx, it, to, "exclusive")),
        ("blocking", |cx, it, to| switch(cx, it, to, "blocking")),
        ("background", |cx, it, to| switch(cx, it, to, "background")),
        ("timeout", |cx, it, to| to.timeout = timeout(cx, it)),
        ("meta", |cx, it, to| to.meta = meta_json(cx, it)),
        ("scopes", |cx, it, to| to.scopes = scopes(cx, it)),
        ("visible", |cx, it, to| to.visible = hook(cx, it)),
        ("validate", |cx, it, to| to.validate = hook(cx, it)),
        ("ignore_unknown", |cx, it, to| {
            to.ignore_unknown = on(cx, it);
        }),
        ("example", |cx, it, to| to.examples.extend(example(cx, it))),
        ("targets", |cx, it, to| to.targets = targets(cx, it)),
        ("was", |cx, it, to| to.was = was(cx, it)),
        ("args", |cx, it, to| to.args = args(cx, it)),
        ("crate", |cx, it, to| to.krate = krate(cx, it)),
    ],
};

/// The options of `#[prompt(…)]` and `#[resource(…)]`: those of a tool that make sense for them.
const OFFERED: [&str; 11] = [
    "name",
    "title",
    "description",
    "blocking",
    "timeout",
    "meta",
    "scopes",
    "visible",
    "validate",
    "targets",
    "crate",
];

/// Reads the options of `#[tool(…)]`, `#[prompt(…)]` or `#[resource(…)]`.
pub(crate) fn options(cx: &Ctxt, role: FunctionRole, tokens: TokenStream) -> Options {
    let mut options = Options {
        role,
        ..Options::default()
    };
    let errors = cx.count();
    let mut tokens = tokens;
    if role == FunctionRole::Resource {
        tokens = uri(cx, tokens, &mut options);
    } else if let Some(TokenTree::Literal(text)) = tokens.clone().into_iter().next() {
        cx.error(
            text,
            format!("`#[{}]` takes options by name\nhelp: write `description = \"…\"`, or a doc comment above the function", role.attribute()),
        );
        options.misread = true;
        return options;
    }
    for entry in entries(cx, tokens) {
        if entry.key == "state" {
            cx.error(
                &entry.meta,
                "the state of a tool is a parameter, not an option\nhelp: mark a parameter: `#[state] db: &Db`",
            );
        } else if role == FunctionRole::Tool {
            TOOL.read_known(cx, &entry, &mut options);
        } else if role == FunctionRole::Resource && entry.key == "mime_type" {
            options.mime_type = text(cx, &entry);
        } else if OFFERED.contains(&entry.key.as_str()) {
            TOOL.read(cx, &entry, &mut options);
        } else {
            let mut known = OFFERED.to_vec();
            known.extend((role == FunctionRole::Resource).then_some("mime_type"));
            unknown(cx, &entry, role.attribute(), &known);
        }
    }
    if role != FunctionRole::Tool {
        options.switches.push(Switch {
            name: "read_only",
            value: true,
            span: Span::call_site(),
        });
    }
    let text = |text: &Option<TextLit>| text.as_ref().map(|text| json_string(&text.value));
    let is_prompt = role == FunctionRole::Prompt;
    let own = [
        ("prompt", is_prompt.then(|| "true".to_owned())),
        ("uri", text(&options.uri)),
        ("mime_type", text(&options.mime_type)),
        ("scopes", options.scopes.take()),
    ];
    options.meta = with_members(own, options.meta.take());
    options.misread = cx.count() > errors;
    options
}

/// Reads the URI at the start, and returns the tokens behind it.
fn uri(cx: &Ctxt, tokens: TokenStream, options: &mut Options) -> TokenStream {
    let parser = |input: ParseStream<'_>| {
        let uri: LitStr = input.parse()?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        Ok((uri, input.parse::<TokenStream>()?))
    };
    let place = tokens.clone();
    match parser.parse2(tokens) {
        Ok((uri, rest)) => {
            options.uri = Some(TextLit {
                value: uri.value(),
                span: uri.span(),
            });
            rest
        }
        Err(_) => {
            let words = "`#[resource]` begins with the URI of the resource\nhelp: write `#[resource(\"config://app\")]`, or a template: `#[resource(\"orders://{id}\")]`";
            if place.is_empty() {
                cx.error_at(Span::call_site(), words);
            } else {
                cx.error(place, words);
            }
            TokenStream::new()
        }
    }
}

/// Reads the option of `#[tool(…)]` on an impl block: the crate.
pub(crate) fn block(cx: &Ctxt, tokens: TokenStream) -> Option<Path> {
    let mut path = None;
    for entry in entries(cx, tokens) {
        let key = entry.key.as_str();
        if key == "crate" {
            path = krate(cx, &entry);
        } else if TOOL.keys().contains(&key) {
            cx.error(
                &entry.meta,
                format!("`{key}` is an option of a tool, not of an impl block\nhelp: move it to the `#[tool]` of a method"),
            );
        } else {
            unknown(cx, &entry, "tool", &["crate"]);
        }
    }
    path
}

fn switch(cx: &Ctxt, entry: &KeyValue, options: &mut Options, name: &'static str) {
    let span = entry.span();
    let value = flag(cx, entry);
    options
        .switches
        .extend(value.map(|value| Switch { name, value, span }));
}

/// Returns the span of an option that is on.
pub(super) fn on(cx: &Ctxt, entry: &KeyValue) -> Option<Span> {
    flag(cx, entry)?.then(|| entry.span())
}

/// `scopes("orders:read", …)` as the text of a JSON list.
fn scopes(cx: &Ctxt, entry: &KeyValue) -> Option<String> {
    let list = match &entry.meta {
        Meta::List(list) => list
            .parse_args_with(Punctuated::<LitStr, Token![,]>::parse_terminated)
            .ok(),
        _ => None,
    };
    let Some(scopes) = list.filter(|list| !list.is_empty()) else {
        cx.error(
            &entry.meta,
            "`scopes` takes string literals\nhelp: write `scopes(\"orders:write\")`; callers need all that are listed",
        );
        return None;
    };
    for scope in &scopes {
        if !is_scope(&scope.value()) {
            cx.error(
                scope,
                format!("`{}` is not a scope\nhelp: a scope has no spaces, quotes, backslashes or characters beyond ASCII; write several as `scopes(\"a\", \"b\")`", scope.value()),
            );
        }
    }
    let scopes: Vec<_> = scopes
        .iter()
        .map(|scope| json_string(&scope.value()))
        .collect();
    Some(format!("[{}]", scopes.join(",")))
}

/// RFC 6749, section 3.3: `scope-token`.
fn is_scope(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
    !text.is_empty() && text.bytes().all(is_part)
}

fn hook(cx: &Ctxt, entry: &KeyValue) -> Option<Path> {
    path(cx, entry, "the path of a function", "path::to::function")
}

/// `args = Name`
fn args(cx: &Ctxt, entry: &KeyValue) -> Option<Ident> {
    let path = path(cx, entry, "the name of a struct to make", "CreateOrder")?;
    let ident = path.get_ident();
    if ident.is_none() {
        cx.error(
            &path,
            "`args` takes the name of a struct to make\nhelp: write `args = CreateOrder`",
        );
    }
    ident.cloned()
}

/// `timeout = "10s"`
fn timeout(cx: &Ctxt, entry: &KeyValue) -> Option<(Span, u64)> {
    let text = text_like(cx, entry, "10s")?;
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
        Some(millis) if millis > 0 => Some((entry.span(), millis)),
        _ => {
            cx.error_at(
                text.span,
                format!(
                    "`{}` is not a timeout\nhelp: write a whole number above zero and a unit: `\"500ms\"`, `\"10s\"`, `\"2m\"`, `\"1h\"`",
                    text.value
                ),
            );
            None
        }
    }
}
