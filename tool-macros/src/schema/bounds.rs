//! Bounds: `range(1..=5)`, `len(..20)`, `pattern = "…"`, `format = "…"`, `multiple_of = …`,
//! `unique`, in `#[schema(…)]`, `#[arg(…)]` and, as schemars spells them, `#[schemars(…)]`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, ExprRange, ExprUnary, Lit, Meta, RangeLimits, UnOp};

use crate::args;
use crate::ctxt::Ctxt;

use super::option;

/// The options that are bounds.
pub(crate) const BOUNDS: [&str; 6] = ["range", "len", "pattern", "format", "multiple_of", "unique"];

/// Bounds as they were read.
#[derive(Default)]
pub(crate) struct Bounds {
    min: Option<Number>,
    max: Option<Number>,
    multiple_of: Option<Number>,
    min_len: Option<u64>,
    max_len: Option<u64>,
    pattern: Option<String>,
    format: Option<String>,
    unique: bool,
    any: bool,
}

/// A number's literal, and whether it is left out of the range.
struct Number {
    text: String,
    value: f64,
    /// The integer, if it is one.
    integer: Option<i128>,
    exclusive: bool,
}

impl Bounds {
    /// The tokens of the runtime's `Bounds`, if there are any.
    pub(crate) fn tokens(&self) -> Option<TokenStream> {
        if !self.any {
            return None;
        }
        let Self {
            min,
            max,
            multiple_of,
            min_len,
            max_len,
            pattern,
            format,
            unique,
            ..
        } = self;
        // An open end of integers is the next one.
        let low = min.as_ref().and_then(|end| integer(end, 1));
        let high = max.as_ref().and_then(|end| integer(end, -1));
        let (low, high) = (option(low), option(high));
        let from = option(min.as_ref().map(edge));
        let to = option(max.as_ref().map(edge));
        let multiple_of = option(multiple_of.as_ref().map(literal));
        let min_len = option(min_len.as_ref());
        let max_len = option(max_len.as_ref());
        let pattern = pattern.as_deref().unwrap_or_default();
        let format = format.as_deref().unwrap_or_default();
        Some(quote! {
            __tool::Bounds {
                min: #low,
                max: #high,
                from: #from,
                to: #to,
                multiple_of: #multiple_of,
                min_len: #min_len,
                max_len: #max_len,
                pattern: #pattern,
                format: #format,
                unique: #unique,
            }
        })
    }
}

/// The end of a range of integers; one that is left out is the next one inwards.
fn integer(end: &Number, inwards: i128) -> Option<TokenStream> {
    let value = if end.exclusive {
        end.integer?.checked_add(inwards)?
    } else {
        end.integer?
    };
    let magnitude = proc_macro2::Literal::u128_unsuffixed(value.unsigned_abs());
    let negative = value < 0;
    Some(quote!(__tool::Int { negative: #negative, magnitude: #magnitude }))
}

fn literal(number: &Number) -> TokenStream {
    let Number { text, value, .. } = number;
    quote!(__tool::Literal { value: #value, text: #text })
}

fn edge(number: &Number) -> TokenStream {
    let at = literal(number);
    let exclusive = number.exclusive;
    quote!(__tool::Edge { at: #at, exclusive: #exclusive })
}

/// Reads one option of `#[schema(…)]` or `#[arg(…)]` if it is a bound.
pub(crate) fn read(cx: &Ctxt, meta: &Meta, key: &str, bounds: &mut Bounds) -> bool {
    match key {
        "range" => {
            if let Some(range) = range(cx, meta, "range(1..=99)") {
                bounds.min = range.start.as_deref().and_then(|end| number(cx, end));
                bounds.max = range.end.as_deref().and_then(|end| number(cx, end));
                if let (Some(max), RangeLimits::HalfOpen(_)) = (&mut bounds.max, &range.limits) {
                    max.exclusive = true;
                }
                ordered(cx, meta.span(), bounds);
            }
        }
        "len" => {
            if let Some(range) = range(cx, meta, "len(1..=20)") {
                bounds.min_len = range.start.as_deref().and_then(|end| length(cx, end));
                bounds.max_len = range.end.as_deref().and_then(|end| length(cx, end));
                if let RangeLimits::HalfOpen(_) = &range.limits {
                    bounds.max_len = bounds.max_len.map(|max| max.saturating_sub(1));
                }
                if let (Some(min), Some(max)) = (bounds.min_len, bounds.max_len)
                    && min > max
                {
                    cx.error(meta, "no length is in this range\nhelp: put the smaller number first");
                }
            }
        }
        "pattern" => bounds.pattern = args::text(cx, meta).map(|text| text.value),
        "format" => bounds.format = args::text(cx, meta).map(|text| text.value),
        "multiple_of" => {
            if let Meta::NameValue(pair) = meta {
                bounds.multiple_of = number(cx, &pair.value);
            } else {
                cx.error(meta, "`multiple_of` takes a value\nhelp: write `multiple_of = 5`");
            }
        }
        "unique" => bounds.unique = args::flag(cx, meta).unwrap_or(false),
        _ => return false,
    }
    bounds.any = true;
    true
}

/// Reads one option of `#[schemars(…)]` if it is a bound.
pub(super) fn read_schemars(cx: &Ctxt, meta: &Meta, key: &str, bounds: &mut Bounds) -> bool {
    match (key, meta) {
        ("range", Meta::List(list)) => {
            for end in args::metas(cx, list.tokens.clone()) {
                let Meta::NameValue(pair) = &end else { continue };
                match args::key(&end).as_deref() {
                    Some("min") => bounds.min = number(cx, &pair.value),
                    Some("max") => bounds.max = number(cx, &pair.value),
                    _ => {}
                }
            }
        }
        ("length", Meta::List(list)) => {
            for end in args::metas(cx, list.tokens.clone()) {
                let Meta::NameValue(pair) = &end else { continue };
                match args::key(&end).as_deref() {
                    Some("min") => bounds.min_len = length(cx, &pair.value),
                    Some("max") => bounds.max_len = length(cx, &pair.value),
                    Some("equal") => {
                        bounds.min_len = length(cx, &pair.value);
                        bounds.max_len = bounds.min_len;
                    }
                    _ => {}
                }
            }
        }
        ("regex" | "pattern", Meta::List(list)) => {
            for end in args::metas(cx, list.tokens.clone()) {
                if args::key(&end).as_deref() == Some("pattern") {
                    bounds.pattern = args::text(cx, &end).map(|text| text.value);
                }
            }
        }
        ("email", Meta::Path(_)) => bounds.format = Some("email".into()),
        ("url", Meta::Path(_)) => bounds.format = Some("uri".into()),
        _ => return false,
    }
    bounds.any = true;
    true
}

fn range(cx: &Ctxt, meta: &Meta, form: &str) -> Option<ExprRange> {
    if let Meta::List(list) = meta
        && let Ok(Expr::Range(range)) = syn::parse2(list.tokens.clone())
    {
        return Some(range);
    }
    cx.error(meta, format!("this takes a range\nhelp: write `{form}`, `1..` or `..=99`"));
    None
}

fn ordered(cx: &Ctxt, span: Span, bounds: &Bounds) {
    if let (Some(min), Some(max)) = (&bounds.min, &bounds.max)
        && (min.value > max.value || (min.value == max.value && (min.exclusive || max.exclusive)))
    {
        cx.error_at(span, "no number is in this range\nhelp: put the smaller number first");
    }
}

fn length(cx: &Ctxt, expr: &Expr) -> Option<u64> {
    if let Expr::Lit(ExprLit {
        lit: Lit::Int(int), ..
    }) = expr
    {
        return cx.ok(int.base10_parse());
    }
    cx.error(expr, "a length is a whole number\nhelp: write the number as a literal");
    None
}

fn number(cx: &Ctxt, expr: &Expr) -> Option<Number> {
    let (sign, inner) = match expr {
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr,
            ..
        }) => ("-", expr.as_ref()),
        other => ("", other),
    };
    let text = match inner {
        Expr::Lit(ExprLit {
            lit: Lit::Int(int), ..
        }) => format!("{sign}{}", int.base10_digits()),
        Expr::Lit(ExprLit {
            lit: Lit::Float(float),
            ..
        }) => {
            let digits = float.base10_digits();
            // `1.` is a number in Rust, and none in JSON.
            let digits = digits.strip_suffix('.').unwrap_or(digits);
            format!("{sign}{digits}")
        }
        other => {
            cx.error(other, "a bound is a number\nhelp: write it as a literal, such as `1` or `0.5`");
            return None;
        }
    };
    let value = text.parse().ok()?;
    Some(Number {
        integer: text.parse().ok(),
        text,
        value,
        exclusive: false,
    })
}
