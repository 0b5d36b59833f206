//! `meta(…)`: values that ride on every result, as JSON.

use quote::ToTokens;
use syn::{Expr, ExprLit, ExprUnary, Lit, Meta, UnOp};

use super::entry::{KeyValue, entries};
use super::value::value;
use crate::ctxt::Ctxt;
use crate::invisible_chars;
use crate::ty::ungrouped_expr;

/// Members of `meta` that have an option each, and are refused in `meta(…)`.
const RESERVED: [&str; 1] = ["scopes"];

/// `meta(key = literal, …)` as the text of a JSON object.
pub(super) fn meta_json(cx: &Ctxt, entry: &KeyValue) -> Option<String> {
    let Meta::List(list) = &entry.meta else {
        cx.error(
            &entry.meta,
            "`meta` takes a list\nhelp: write `meta(key = \"value\", …)`",
        );
        return None;
    };
    let entries: Vec<_> = entries(cx, list.tokens.clone())
        .iter()
        .filter_map(|entry| {
            let key = match entry.key.as_str() {
                "" => entry.meta.path().to_token_stream().to_string(),
                key => key.to_owned(),
            };
            if RESERVED.contains(&key.as_str()) {
                cx.error(
                    &entry.meta,
                    format!("`{key}` is an option of its own\nhelp: write it outside of `meta(…)`"),
                );
                return None;
            }
            let json = json_literal(cx, value(cx, entry, "\"value\"")?)?;
            Some(format!("{}:{json}", json_string(&key)))
        })
        .collect();
    Some(format!("{{{}}}", entries.join(",")))
}

/// The members that options of their own say, before those of `meta(…)`.
pub(super) fn with_members<const N: usize>(
    own: [(&str, Option<String>); N],
    meta: Option<String>,
) -> Option<String> {
    let own = own
        .into_iter()
        .filter_map(|(key, json)| Some(format!("{}:{}", json_string(key), json?)));
    let own: Vec<_> = own.collect();
    if own.is_empty() {
        return meta;
    }
    let rest = meta.as_deref();
    let rest = rest.and_then(|meta| meta.strip_prefix('{')?.strip_suffix('}'));
    let rest = rest.filter(|rest| !rest.is_empty()).map(str::to_owned);
    Some(format!(
        "{{{}}}",
        own.into_iter().chain(rest).collect::<Vec<_>>().join(",")
    ))
}

fn json_literal(cx: &Ctxt, value: &Expr) -> Option<String> {
    let (sign, literal) = match value {
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr,
            ..
        }) => ("-", ungrouped_expr(expr)),
        other => ("", other),
    };
    if let Expr::Lit(ExprLit { lit, .. }) = literal {
        match lit {
            Lit::Str(text) if sign.is_empty() => {
                invisible_chars::check(cx, text.span(), &text.value());
                return Some(json_string(&text.value()));
            }
            Lit::Bool(flag) if sign.is_empty() => return Some(flag.value.to_string()),
            Lit::Int(number) => return Some(format!("{sign}{}", number.base10_digits())),
            Lit::Float(number) => return Some(format!("{sign}{}", number.base10_digits())),
            _ => {}
        }
    }
    cx.error(
        value,
        "a value of `meta` is a literal\nhelp: write a string, a number, `true` or `false`",
    );
    None
}

/// Rust's escapes are not JSON's.
pub(super) fn json_string(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if control.is_control() => {
                for unit in control.encode_utf16(&mut [0; 2]) {
                    out.extend(format!("\\u{unit:04x}").chars());
                }
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}
