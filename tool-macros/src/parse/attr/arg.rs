//! The options of `#[arg(…)]`.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Meta};

use super::bounds;
use super::entry::{KeyValue, Table, entries_after};
use super::suggestions::unknown;
use super::tool::on;
use super::value::{expr, shown, text, text_like};
use crate::bounds::{BOUNDS, BoundArgs};
use crate::ctxt::Ctxt;
use crate::model::{DefaultValue, TextLit};

/// The options of `#[arg(…)]` on a parameter.
#[derive(Default)]
pub(crate) struct Arg {
    pub(crate) default: Option<DefaultValue>,
    pub(crate) rename: Option<TextLit>,
    pub(crate) example: Option<Expr>,
    pub(crate) flatten: Option<Span>,
    pub(crate) secret: Option<Span>,
    /// The name that it had before.
    pub(crate) was: Option<TextLit>,
    pub(crate) bounds: BoundArgs,
    /// The options that were given, since a parameter may have several `#[arg(…)]`.
    given: Vec<String>,
}

const ARG: Table<Arg> = Table {
    attribute: "arg",
    rows: &[
        ("default", |cx, it, to| to.default = default_value(cx, it)),
        ("rename", |cx, it, to| to.rename = text(cx, it)),
        ("example", |cx, it, to| to.example = expr(cx, it)),
        ("flatten", |cx, it, to| {
            to.flatten = on(cx, it).map(|_| it.meta.span());
        }),
        ("secret", |cx, it, to| to.secret = on(cx, it)),
        ("was", |cx, it, to| to.was = text_like(cx, it, "old_name")),
    ],
};

/// Reads one `#[arg(…)]` into `arg`.
pub(crate) fn arg(cx: &Ctxt, attr: &Attribute, arg: &mut Arg) {
    let Meta::List(list) = &attr.meta else {
        cx.error(attr, "`#[arg]` says nothing\nhelp: write `#[arg(default)]`, `#[arg(rename = \"…\")]` or the like");
        return;
    };
    for entry in entries_after(cx, &mut arg.given, list.tokens.clone()) {
        if !ARG.read(cx, &entry, arg) && !bounds::read(cx, &entry, &mut arg.bounds) {
            let options: Vec<_> = ARG.keys().into_iter().chain(BOUNDS).collect();
            unknown(cx, &entry, ARG.attribute, &options);
        }
    }
}

/// `default` or `default = value`
fn default_value(cx: &Ctxt, entry: &KeyValue) -> Option<DefaultValue> {
    match &entry.meta {
        Meta::Path(_) => Some(DefaultValue::Trait(entry.span())),
        Meta::NameValue(pair) => {
            shown(cx, &pair.value);
            Some(DefaultValue::Expr(Box::new(pair.value.clone())))
        }
        Meta::List(list) => {
            cx.error(
                list,
                format!(
                    "`default` takes a value\nhelp: write `default = {}`",
                    list.tokens
                ),
            );
            None
        }
    }
}
