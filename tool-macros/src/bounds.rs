//! Bounds: `range(1..=5)`, `len(..20)`, `pattern = "…"`, `format = "…"`, `multiple_of = …`,
//! `unique`, in `#[schema(…)]`, `#[arg(…)]` and, as schemars spells them, `#[schemars(…)]`.

use std::cmp::Ordering;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, ExprUnary, Lit, Type, UnOp};

use crate::ctxt::Ctxt;
use crate::span::{self, quote};
use crate::ty;

use crate::pattern::CheckedPattern;

/// The options that are bounds.
pub(crate) const BOUNDS: [&str; 6] = ["range", "len", "pattern", "format", "multiple_of", "unique"];

/// Bounds as they were read.
#[derive(Default)]
pub(crate) struct BoundArgs {
    pub(crate) min: Option<NumberLit>,
    pub(crate) max: Option<NumberLit>,
    pub(crate) multiple_of: Option<NumberLit>,
    pub(crate) min_len: Option<u64>,
    pub(crate) max_len: Option<u64>,
    pub(crate) pattern: Option<CheckedPattern>,
    pub(crate) format: Option<String>,
    pub(crate) unique: bool,
    /// Options that were given, and their spans.
    pub(crate) said: Vec<(&'static str, Span)>,
}

/// A number's literal, and whether it is left out of the range.
pub(crate) struct NumberLit {
    text: String,
    pub(crate) value: f64,
    /// The integer, if it is one.
    integer: Option<IntegerLit>,
    pub(crate) exclusive: bool,
}

impl NumberLit {
    /// Exactly, where both are integers.
    fn compared(&self, other: &Self) -> Ordering {
        match (self.integer, other.integer) {
            (Some(a), Some(b)) => a.place().cmp(&b.place()),
            // Both are numbers; and 0 and -0 are one.
            _ => self
                .value
                .partial_cmp(&other.value)
                .unwrap_or(Ordering::Equal),
        }
    }
}

/// An integer of any of Rust's types.
#[derive(Clone, Copy)]
pub(crate) struct IntegerLit {
    negative: bool,
    magnitude: u128,
}

impl IntegerLit {
    fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('-');
        let magnitude = digits.unwrap_or(text).parse().ok()?;
        Some(Self {
            negative: digits.is_some() && magnitude != 0,
            magnitude,
        })
    }

    /// Returns a key that orders as the integers do.
    fn place(self) -> (bool, u128) {
        if self.negative {
            (false, u128::MAX - self.magnitude)
        } else {
            (true, self.magnitude)
        }
    }

    fn up(self) -> Option<Self> {
        if self.negative {
            Some(Self {
                negative: self.magnitude > 1,
                magnitude: self.magnitude - 1,
            })
        } else {
            Some(Self {
                magnitude: self.magnitude.checked_add(1)?,
                ..self
            })
        }
    }

    fn down(self) -> Option<Self> {
        if self.negative || self.magnitude == 0 {
            Some(Self {
                negative: true,
                magnitude: self.magnitude.checked_add(1)?,
            })
        } else {
            Some(Self {
                magnitude: self.magnitude - 1,
                ..self
            })
        }
    }
}

impl BoundArgs {
    /// The kind of a shape within these bounds, if there are any.
    pub(crate) fn narrow(&self, shape: &TokenStream) -> Option<TokenStream> {
        if self.said.is_empty() {
            return None;
        }
        let pattern = self.pattern.as_ref().map(CheckedPattern::tokens);
        let bounds = self.tokens(pattern, |_| true);
        Some(quote!(__tool::Kind::Bounded(#shape, #bounds)))
    }

    /// Calls that do not compile where a bound does not fit the shape, with the caret on the bound.
    pub(crate) fn fits<'a>(
        &'a self,
        shape: &'a TokenStream,
    ) -> impl Iterator<Item = TokenStream> + 'a {
        self.said.iter().map(move |(key, span)| {
            let bounds = self.checked(key);
            let check = Ident::new(&format!("{key}_fits"), *span);
            quote_spanned!(*span=> __tool::Bounds::#check(&#bounds, #shape);)
        })
    }

    /// The bound that refuses a literal, if one does.
    pub(crate) fn refusing(&self, expr: &Expr) -> Option<&'static str> {
        match ty::ungrouped_expr(expr) {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => self.refusing_text(&text.value()),
            literal => {
                let silent = Ctxt::new();
                let number = number(&silent, literal);
                silent.finish().ok()?;
                self.refusing_number(&number?)
            }
        }
    }

    /// The bound that `Default`'s value breaks, for a type that certainly is the one its name says.
    pub(crate) fn refusing_default_of(&self, ty: &Type) -> Option<&'static str> {
        const NUMBERS: [&str; 14] = [
            "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
            "f32", "f64",
        ];
        let ty = match ty::ungrouped(ty) {
            Type::Reference(reference) => ty::ungrouped(&reference.elem),
            ty => ty,
        };
        let Type::Path(path) = ty else {
            return None;
        };
        let name = path.path.segments.last()?.ident.to_string();
        match name.as_str() {
            "str" | "String" => self.refusing_text(""),
            "Vec" => (self.min_len > Some(0)).then_some("len"),
            name if NUMBERS.contains(&name) => self.refusing_number(&NumberLit {
                text: "0".to_owned(),
                value: 0.0,
                integer: IntegerLit::parse("0"),
                exclusive: false,
            }),
            _ => None,
        }
    }

    fn refusing_number(&self, number: &NumberLit) -> Option<&'static str> {
        let is_out = |end: &Option<NumberLit>, outside: Ordering| {
            end.as_ref().is_some_and(|end| {
                let order = number.compared(end);
                order == outside || (order == Ordering::Equal && end.exclusive)
            })
        };
        if is_out(&self.min, Ordering::Less) || is_out(&self.max, Ordering::Greater) {
            return Some("range");
        }
        // Decimals are compared at run time.
        let of = self.multiple_of.as_ref().and_then(|of| of.integer)?;
        let remainder = number.integer?.magnitude.checked_rem(of.magnitude)?;
        (remainder != 0).then_some("multiple_of")
    }

    fn refusing_text(&self, text: &str) -> Option<&'static str> {
        let count = text.chars().count() as u64;
        if self.min_len.is_some_and(|least| count < least)
            || self.max_len.is_some_and(|most| count > most)
        {
            return Some("len");
        }
        let pattern = self.pattern.as_ref()?;
        (!pattern.is_match(text)).then_some("pattern")
    }

    /// A call that does not compile where a constant is refused, with the caret on it. Asked of
    /// integers, whose constants no other code makes.
    pub(crate) fn default_fits(&self, ty: &Type, expr: &Expr) -> Option<TokenStream> {
        const SIGNED_128: [&str; 11] = [
            "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
        ];
        let (Expr::Path(path), Type::Path(ty)) = (ty::ungrouped_expr(expr), ty::ungrouped(ty))
        else {
            return None;
        };
        let name = path.path.segments.last()?.ident.to_string();
        let is_constant = name.chars().any(char::is_uppercase)
            && !name.chars().any(char::is_lowercase)
            && path.path.segments.first()?.ident != "Self";
        if !is_constant || !SIGNED_128.iter().any(|name| ty.path.is_ident(name)) {
            return None;
        }
        if self.min.is_none() && self.max.is_none() {
            return None;
        }
        let bounds = self.checked("range");
        Some(quote_spanned!(expr.span()=> __tool::Bounds::default_fits(&#bounds, #expr as i128);))
    }

    /// Returns true if no bound was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.said.is_empty()
    }

    /// Tokens for the input of a bound's check. The pattern is not written a second time: the check asks the type
    /// whether the pattern fits.
    fn checked(&self, key: &str) -> TokenStream {
        let fields: &[&str] = match key {
            "range" => &["min", "max", "from", "to"],
            "len" => &["min_len", "max_len"],
            "format" => &["format"],
            "multiple_of" => &["multiple_of"],
            _ => &[],
        };
        self.tokens(None, |name| fields.contains(&name))
    }

    /// The tokens of the runtime's `Bounds`, with those of its fields that are given and wanted.
    fn tokens(&self, pattern: Option<TokenStream>, wanted: impl Fn(&str) -> bool) -> TokenStream {
        let Self {
            min,
            max,
            multiple_of,
            min_len,
            max_len,
            format,
            ..
        } = self;
        let fields = [
            // An open end of integers is the next one.
            (
                "min",
                min.as_ref().and_then(|end| integer(end, IntegerLit::up)),
            ),
            (
                "max",
                max.as_ref().and_then(|end| integer(end, IntegerLit::down)),
            ),
            ("from", min.as_ref().map(edge)),
            ("to", max.as_ref().map(edge)),
            ("multiple_of", multiple_of.as_ref().map(literal)),
            ("min_len", min_len.map(|len| span::literal(len).into())),
            ("max_len", max_len.map(|len| span::literal(len).into())),
            ("pattern", pattern),
        ];
        let optional = fields
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .map(|(name, value)| (name, quote!(__tool::Some(#value))));
        let format = format.as_ref().map(span::literal).map(TokenStream::from);
        let unique = self.unique.then(|| span::literal(true).into());
        let given: Vec<_> = optional
            .chain(format.map(|format| ("format", format)))
            .chain(unique.map(|unique| ("unique", unique)))
            .filter(|(name, _)| wanted(name))
            .map(|(name, value)| {
                let name = span::ident(name);
                quote!(#name: #value,)
            })
            .collect();
        if given.is_empty() {
            quote!(__tool::Bounds::NONE)
        } else {
            quote!(__tool::Bounds { #(#given)* ..__tool::Bounds::NONE })
        }
    }
}

/// The end of a range of integers; one that is left out is the next one inwards.
fn integer(end: &NumberLit, inwards: fn(IntegerLit) -> Option<IntegerLit>) -> Option<TokenStream> {
    let value = end.integer?;
    let value = if end.exclusive {
        inwards(value)?
    } else {
        value
    };
    let IntegerLit {
        negative,
        magnitude,
    } = value;
    let (negative, magnitude) = (
        span::literal(negative),
        span::literal(Literal::u128_unsuffixed(magnitude)),
    );
    Some(quote!(__tool::Int { negative: #negative, magnitude: #magnitude }))
}

fn literal(number: &NumberLit) -> TokenStream {
    let (text, value) = (span::literal(&number.text), span::literal(number.value));
    quote!(__tool::Literal { value: #value, text: #text })
}

fn edge(number: &NumberLit) -> TokenStream {
    let at = literal(number);
    let exclusive = span::literal(number.exclusive);
    quote!(__tool::Edge { at: #at, exclusive: #exclusive })
}

/// Returns the error message for a default outside its own bounds.
pub(crate) fn out_of_bounds(name: &str, bound: &str) -> String {
    let (what, cure) = match bound {
        "range" => ("out of its range", "widen the range"),
        "len" => ("of a length that its `len` refuses", "change the `len`"),
        "pattern" => ("a text that its `pattern` refuses", "change the pattern"),
        _ => (
            "not a multiple of its `multiple_of`",
            "change the `multiple_of`",
        ),
    };
    format!(
        "the default of `{name}` is {what}\nhelp: a model that repeats it would be refused: {cure}, or make the parameter an `Option`"
    )
}

pub(crate) fn number(cx: &Ctxt, expr: &Expr) -> Option<NumberLit> {
    let (sign, inner) = match ty::ungrouped_expr(expr) {
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr,
            ..
        }) => ("-", ty::ungrouped_expr(expr)),
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
            // `1.` is a number in Rust and not in JSON.
            let digits = digits.strip_suffix('.').unwrap_or(digits);
            format!("{sign}{digits}")
        }
        other => {
            cx.error(
                other,
                "a bound is a number\nhelp: write it as a literal, such as `1` or `0.5`",
            );
            return None;
        }
    };
    let value: f64 = text.parse().ok()?;
    if !value.is_finite() {
        cx.error(
            expr,
            "the number is too large for any type\nhelp: write a smaller one",
        );
        return None;
    }
    Some(NumberLit {
        integer: IntegerLit::parse(&text),
        text,
        value,
        exclusive: false,
    })
}
