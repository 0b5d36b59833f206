//! Readers of an option's value, the same for all attributes.

use quote::ToTokens;
use syn::{Expr, ExprLit, Lit, Meta, Path};

use super::entry::KeyValue;
use crate::ctxt::Ctxt;
use crate::invisible_chars;
use crate::model::{Description, TextLit};
use crate::ty::ungrouped_expr;

pub(super) fn value<'m>(cx: &Ctxt, entry: &'m KeyValue, form: &str) -> Option<&'m Expr> {
    match &entry.meta {
        Meta::NameValue(pair) => Some(ungrouped_expr(&pair.value)),
        other => {
            let key = &entry.key;
            cx.error(
                other,
                format!("`{key}` takes a value\nhelp: write `{key} = {form}`"),
            );
            None
        }
    }
}

pub(super) fn expr(cx: &Ctxt, entry: &KeyValue) -> Option<Expr> {
    let value = value(cx, entry, "…")?;
    shown(cx, value);
    Some(value.clone())
}

/// A literal that the model is shown.
pub(crate) fn shown(cx: &Ctxt, value: &Expr) {
    if let Expr::Lit(ExprLit {
        lit: Lit::Str(text),
        ..
    }) = ungrouped_expr(value)
    {
        invisible_chars::check(cx, text.span(), &text.value());
    }
}

/// `key = "…"`
pub(crate) fn text(cx: &Ctxt, entry: &KeyValue) -> Option<TextLit> {
    text_like(cx, entry, "…")
}

/// `key = "…"`, or a constant of that type. The span is that of the value.
pub(crate) fn words(cx: &Ctxt, entry: &KeyValue) -> Option<Description> {
    match value(cx, entry, "\"…\"")? {
        Expr::Lit(ExprLit {
            lit: Lit::Str(_), ..
        }) => text(cx, entry).map(|text| {
            Description::Text(TextLit {
                value: text.value.trim().to_owned(),
                ..text
            })
        }),
        constant @ (Expr::Macro(_) | Expr::Path(_)) if !is_format(constant) => {
            Some(Description::Const(Box::new(constant.clone())))
        }
        other => {
            let key = &entry.key;
            cx.error(
                other,
                format!("`{key}` takes a text\nhelp: write `{key} = \"…\"`, a constant, `concat!(…)` or `include_str!(…)`"),
            );
            None
        }
    }
}

/// Returns true for `format!(…)`, which makes no constant.
fn is_format(expr: &Expr) -> bool {
    let Expr::Macro(expr) = expr else {
        return false;
    };
    let name = expr.mac.path.segments.last();
    name.is_some_and(|name| name.ident == "format")
}

/// Reads `key = "…"`, with an example of the text for the error.
pub(super) fn text_like(cx: &Ctxt, entry: &KeyValue, example: &str) -> Option<TextLit> {
    match value(cx, entry, &format!("\"{example}\""))? {
        Expr::Lit(ExprLit {
            lit: Lit::Str(literal),
            ..
        }) => {
            let value = literal.value();
            invisible_chars::check(cx, literal.span(), &value);
            Some(TextLit {
                value,
                span: literal.span(),
            })
        }
        other => {
            let key = &entry.key;
            cx.error(
                other,
                format!("`{key}` takes a string literal\nhelp: write `{key} = \"{example}\"`"),
            );
            None
        }
    }
}

/// `key`, `key = true` or `key = false`
pub(crate) fn flag(cx: &Ctxt, entry: &KeyValue) -> Option<bool> {
    let wrong = match &entry.meta {
        Meta::Path(_) => return Some(true),
        Meta::NameValue(pair) => match ungrouped_expr(&pair.value) {
            Expr::Lit(ExprLit {
                lit: Lit::Bool(value),
                ..
            }) => return Some(value.value),
            other => other.to_token_stream(),
        },
        Meta::List(list) => list.to_token_stream(),
    };
    let key = &entry.key;
    cx.error(
        wrong,
        format!("`{key}` is on or off\nhelp: write `{key}` or `{key} = false`"),
    );
    None
}

/// `key = path`; `what` names the value in the help.
pub(crate) fn path(cx: &Ctxt, entry: &KeyValue, what: &str, form: &str) -> Option<Path> {
    match value(cx, entry, form)? {
        Expr::Path(path) if path.qself.is_none() => Some(path.path.clone()),
        other => {
            let key = &entry.key;
            cx.error(
                other,
                format!("`{key}` takes {what}\nhelp: write `{key} = {form}`"),
            );
            None
        }
    }
}

/// `crate = path`, which must resolve from every item.
pub(crate) fn krate(cx: &Ctxt, entry: &KeyValue) -> Option<Path> {
    let path = path(cx, entry, "a path", "::toolwright")?;
    let first = path
        .segments
        .first()
        .map(|segment| segment.ident.to_string());
    // `$crate` is an absolute path too, wherever its `macro_rules` is defined.
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
