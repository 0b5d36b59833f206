//! Reads bounds: `range(1..=5)`, `len(..20)` and the others, and as schemars spells them.

use std::cmp::Ordering;

use proc_macro2::TokenStream;
use syn::{Expr, ExprLit, ExprRange, Lit, Meta, RangeLimits};

use super::entry::{KeyValue, entries};
use super::value;
use crate::bounds::{BOUNDS, BoundArgs, number};
use crate::ctxt::Ctxt;
use crate::pattern::CheckedPattern;
use crate::ty;

/// Reads one option of `#[schema(…)]` or `#[arg(…)]` if it is a bound.
pub(crate) fn read(cx: &Ctxt, entry: &KeyValue, bounds: &mut BoundArgs) -> bool {
    match entry.key.as_str() {
        "range" => {
            if let Some(range) = range(cx, entry, "range(1..=99)") {
                bounds.min = range.start.as_deref().and_then(|end| number(cx, end));
                bounds.max = range.end.as_deref().and_then(|end| number(cx, end));
                if let (Some(max), RangeLimits::HalfOpen(_)) = (&mut bounds.max, &range.limits) {
                    max.exclusive = true;
                }
                ordered(cx, &entry.list(), bounds);
            }
        }
        "len" => {
            if let Some(range) = range(cx, entry, "len(1..=20)") {
                bounds.min_len = range.start.as_deref().and_then(|end| length(cx, end));
                bounds.max_len = range.end.as_deref().and_then(|end| length(cx, end));
                let max = bounds.max_len;
                let is_open = matches!(range.limits, RangeLimits::HalfOpen(_));
                if is_open {
                    bounds.max_len = max.map(|max| max.saturating_sub(1));
                }
                let is_empty = match (bounds.min_len, bounds.max_len) {
                    (Some(min), Some(max)) => min > max,
                    _ => false,
                };
                if is_empty || (is_open && max == Some(0)) {
                    cx.error(entry.list(), "no length is in this range\nhelp: put the smaller number first; `..` leaves the last number out, `..=` does not");
                }
            }
        }
        "pattern" => {
            bounds.pattern = value::text(cx, entry)
                .and_then(|text| CheckedPattern::read(cx, &text.value, text.span));
        }
        "format" => bounds.format = value::text(cx, entry).map(|text| text.value),
        "multiple_of" => {
            if let Meta::NameValue(pair) = &entry.meta {
                bounds.multiple_of = number(cx, &pair.value);
                if bounds
                    .multiple_of
                    .as_ref()
                    .is_some_and(|number| number.value <= 0.0)
                {
                    cx.error(
                        &pair.value,
                        "`multiple_of` takes a number above zero\nhelp: write `multiple_of = 5`",
                    );
                }
            } else {
                cx.error(
                    &entry.meta,
                    "`multiple_of` takes a value\nhelp: write `multiple_of = 5`",
                );
            }
        }
        "unique" => bounds.unique = value::flag(cx, entry).unwrap_or(false),
        _ => return false,
    }
    if let Some(key) = BOUNDS.into_iter().find(|bound| *bound == entry.key) {
        bounds.said.push((key, entry.span()));
    }
    true
}

/// Reads one option of `#[schemars(…)]` if it is a bound.
pub(crate) fn read_schemars(cx: &Ctxt, entry: &KeyValue, bounds: &mut BoundArgs) -> bool {
    let ours = match (entry.key.as_str(), &entry.meta) {
        ("range", Meta::List(list)) => {
            for end in entries(cx, list.tokens.clone()) {
                let Meta::NameValue(pair) = &end.meta else {
                    continue;
                };
                match end.key.as_str() {
                    "min" => bounds.min = number(cx, &pair.value),
                    "max" => bounds.max = number(cx, &pair.value),
                    _ => return false,
                }
            }
            ordered(cx, &entry.list(), bounds);
            "range"
        }
        ("length", Meta::List(list)) => {
            for end in entries(cx, list.tokens.clone()) {
                let Meta::NameValue(pair) = &end.meta else {
                    continue;
                };
                match end.key.as_str() {
                    "min" => bounds.min_len = length(cx, &pair.value),
                    "max" => bounds.max_len = length(cx, &pair.value),
                    "equal" => {
                        bounds.min_len = length(cx, &pair.value);
                        bounds.max_len = bounds.min_len;
                    }
                    _ => return false,
                }
            }
            "len"
        }
        ("regex" | "pattern", Meta::List(list)) => {
            for end in entries(cx, list.tokens.clone()) {
                if end.key == "pattern" {
                    bounds.pattern = value::text(cx, &end)
                        .and_then(|text| CheckedPattern::read(cx, &text.value, text.span));
                }
            }
            "pattern"
        }
        ("regex" | "pattern", Meta::NameValue(_)) => {
            bounds.pattern = value::text(cx, entry)
                .and_then(|text| CheckedPattern::read(cx, &text.value, text.span));
            "pattern"
        }
        ("email", Meta::Path(_)) => {
            bounds.format = Some("email".into());
            "format"
        }
        ("url", Meta::Path(_)) => {
            bounds.format = Some("uri".into());
            "format"
        }
        _ => return false,
    };
    bounds.said.push((ours, entry.span()));
    true
}

fn range(cx: &Ctxt, entry: &KeyValue, form: &str) -> Option<ExprRange> {
    if let Meta::List(list) = &entry.meta
        && let Ok(expr) = syn::parse2(list.tokens.clone())
        && let Expr::Range(range) = ty::ungrouped_expr(&expr)
    {
        return Some(range.clone());
    }
    let key = &entry.key;
    cx.error(
        &entry.meta,
        format!("`{key}` takes a range\nhelp: write `{form}`, `{key}(1..)` or `{key}(..=99)`"),
    );
    None
}

fn ordered(cx: &Ctxt, range: &TokenStream, bounds: &BoundArgs) {
    if let (Some(min), Some(max)) = (&bounds.min, &bounds.max)
        && match min.value.total_cmp(&max.value) {
            Ordering::Less => false,
            Ordering::Equal => min.exclusive || max.exclusive,
            Ordering::Greater => true,
        }
    {
        cx.error(range, "no number is in this range\nhelp: put the smaller number first; `..` leaves the last number out, `..=` does not");
    }
}

fn length(cx: &Ctxt, expr: &Expr) -> Option<u64> {
    if let Expr::Lit(ExprLit {
        lit: Lit::Int(int), ..
    }) = ty::ungrouped_expr(expr)
    {
        return cx.ok(int.base10_parse());
    }
    cx.error(
        expr,
        "a length is a whole number\nhelp: write the number as a literal",
    );
    None
}
