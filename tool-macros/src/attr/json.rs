//! JSON literals: of `example({"city": "Oslo"}, "words")`, and of the expression in `#[arg(example = …)]`.

use std::iter::Peekable;

use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream, TokenTree, token_stream};
use quote::ToTokens;
use syn::{Expr, ExprLit, Lit, Meta, UnOp};

use super::Entry;
use super::meta::json_string;
use super::value::ungrouped;
use crate::ctxt::Ctxt;
use crate::invisible_chars;
use crate::model::{Example, Json, JsonLiteral};
use crate::span::ends;

/// `example({…}, "words")`
pub(super) fn example(cx: &Ctxt, entry: &Entry) -> Option<Example> {
    let form = "help: write `example({\"city\": \"Oslo\"}, \"what it shows\")`";
    let Meta::List(list) = &entry.meta else {
        let place = entry.meta.path();
        cx.error(place, format!("`example` takes a call's arguments\n{form}"));
        return None;
    };
    let mut tokens = list.tokens.clone().into_iter().peekable();
    let mut reader = Reader::new(cx);
    let Some(first) = tokens.peek().cloned() else {
        cx.error(list, format!("`example` takes a call's arguments\n{form}"));
        return None;
    };
    let value = reader.value(&mut tokens)?;
    if !matches!(value, Json::Object(..)) {
        cx.error(
            &first,
            format!("the arguments of a call are an object\n{form}"),
        );
        return None;
    }
    let rest: Vec<_> = tokens.collect();
    let words = match rest.as_slice() {
        [] => None,
        [comma] if is(comma, ',') => None,
        [comma, words] if is(comma, ',') => Some(words),
        [comma, words, end] if is(comma, ',') && is(end, ',') => Some(words),
        [comma, _, other] | [comma, _, _, other, ..] if is(comma, ',') => {
            cx.error(
                other,
                format!("an example has arguments and a text, and no more\n{form}"),
            );
            return None;
        }
        [other, ..] => {
            cx.error(other, format!("expected `,` behind the arguments\n{form}"));
            return None;
        }
    };
    let words = match words.map(|token| (token, text(token))) {
        None => String::new(),
        Some((token, Some(text))) => {
            invisible_chars::check(cx, token.span(), &text);
            text.trim().to_owned()
        }
        Some((token, None)) => {
            cx.error(
                token,
                format!("what an example shows is told in a string\n{form}"),
            );
            return None;
        }
    };
    Some(Example {
        literal: reader.literal(value),
        words,
    })
}

fn is(token: &TokenTree, char: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == char)
}

/// The text of a string literal.
fn text(token: &TokenTree) -> Option<String> {
    match bare(token.clone()) {
        TokenTree::Literal(literal) => match Lit::new(literal) {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// A token without invisible groups, which stand around what a `macro_rules` hands on.
fn bare(token: TokenTree) -> TokenTree {
    if let TokenTree::Group(group) = &token
        && group.delimiter() == Delimiter::None
    {
        let mut inside = group.stream().into_iter();
        if let (Some(only), None) = (inside.next(), inside.next()) {
            return bare(only);
        }
    }
    token
}

type Tokens = Peekable<token_stream::IntoIter>;

struct Reader<'c> {
    cx: &'c Ctxt,
    places: Vec<(Span, Span)>,
    text: String,
}

impl<'c> Reader<'c> {
    fn new(cx: &'c Ctxt) -> Self {
        Self {
            cx,
            places: Vec::new(),
            text: String::new(),
        }
    }

    fn literal(self, value: Json) -> JsonLiteral {
        JsonLiteral {
            value,
            text: self.text,
            places: self.places,
        }
    }

    /// Numbers the next part, which stands at these tokens.
    fn place(&mut self, tokens: &impl ToTokens) -> usize {
        self.places.push(ends(tokens));
        self.places.len() - 1
    }

    fn value(&mut self, tokens: &mut Tokens) -> Option<Json> {
        let token = bare(tokens.next()?);
        match &token {
            TokenTree::Ident(word) => {
                let word = word.to_string();
                if word == "null" {
                    self.text.push_str("null");
                    return Some(Json::Null(self.place(&token)));
                }
                if word == "true" || word == "false" {
                    self.text.push_str(&word);
                    return Some(Json::Bool(self.place(&token)));
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == '-' => {
                if let Some(TokenTree::Literal(number)) = tokens.peek().cloned().map(bare) {
                    tokens.next();
                    let both: TokenStream =
                        [token.clone(), number.clone().into()].into_iter().collect();
                    return self.scalar(&number, "-", &both);
                }
            }
            TokenTree::Literal(literal) => return self.scalar(literal, "", &token),
            TokenTree::Group(group) => match group.delimiter() {
                Delimiter::Brace => return self.object(group),
                Delimiter::Bracket => return self.array(group),
                _ => {}
            },
            TokenTree::Punct(_) => {}
        }
        self.no_json(&token)
    }

    fn no_json(&self, place: &impl ToTokens) -> Option<Json> {
        self.cx.error(
            place,
            "an example is JSON\nhelp: write a string, a number, `true`, `false`, `null`, `[…]` or `{\"key\": …}`",
        );
        None
    }

    fn scalar(&mut self, literal: &Literal, sign: &str, place: &impl ToTokens) -> Option<Json> {
        let literal = Lit::new(literal.clone());
        let Some(value) = self.lit(&literal, sign, place) else {
            return self.no_json(place);
        };
        Some(value)
    }

    /// A literal's value; nothing for one that JSON does not have.
    fn lit(&mut self, literal: &Lit, sign: &str, place: &impl ToTokens) -> Option<Json> {
        match literal {
            Lit::Str(text) if sign.is_empty() => {
                let value = text.value();
                invisible_chars::check(self.cx, text.span(), &value);
                self.string(value, place)
            }
            Lit::Int(number) => self.number(sign, number.base10_digits(), place),
            Lit::Float(number) => self.number(sign, number.base10_digits(), place),
            _ => None,
        }
    }

    #[allow(clippy::unnecessary_wraps)] // As its neighbours.
    fn string(&mut self, value: String, place: &impl ToTokens) -> Option<Json> {
        self.text.push_str(&json_string(&value));
        Some(Json::String(self.place(place), value))
    }

    fn number(&mut self, sign: &str, digits: &str, place: &impl ToTokens) -> Option<Json> {
        // Rust writes `1.`, and JSON does not.
        let zero = if digits.ends_with('.') { "0" } else { "" };
        let text = format!("{sign}{digits}{zero}");
        let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
        self.text.push_str(&text);
        Some(Json::Number(self.place(place), text, value))
    }

    fn array(&mut self, group: &Group) -> Option<Json> {
        let (at, mut items) = (self.open(group), Vec::new());
        self.text.push('[');
        let mut tokens = group.stream().into_iter().peekable();
        while tokens.peek().is_some() {
            if !items.is_empty() {
                self.text.push(',');
            }
            items.push(self.value(&mut tokens)?);
            self.comma(&mut tokens)?;
        }
        self.text.push(']');
        Some(Json::Array(at, items))
    }

    fn object(&mut self, group: &Group) -> Option<Json> {
        let (at, mut members) = (self.open(group), Vec::<(String, Json)>::new());
        self.text.push('{');
        let mut tokens = group.stream().into_iter().peekable();
        while let Some(key) = tokens.next() {
            let Some(name) = text(&key) else {
                let told = match bare(key.clone()) {
                    TokenTree::Ident(word) => format!("`\"{word}\": …`"),
                    _ => "`\"key\": …`".to_owned(),
                };
                self.cx.error(
                    &key,
                    format!("a key of JSON is a string\nhelp: write {told}"),
                );
                return None;
            };
            invisible_chars::check(self.cx, key.span(), &name);
            if members.iter().any(|(other, _)| *other == name) {
                self.cx
                    .error(&key, format!("`{name}` is given twice\nhelp: remove one"));
                return None;
            }
            match tokens.next() {
                Some(colon) if is(&colon, ':') && tokens.peek().is_some() => {}
                other => {
                    let place = other.filter(|token| !is(token, ':')).unwrap_or(key);
                    self.cx.error(
                        &place,
                        format!("the key `{name}` has no value\nhelp: write `\"{name}\": …`"),
                    );
                    return None;
                }
            }
            self.place(&key);
            if !members.is_empty() {
                self.text.push(',');
            }
            self.text.push_str(&json_string(&name));
            self.text.push(':');
            let value = self.value(&mut tokens)?;
            members.push((name, value));
            self.comma(&mut tokens)?;
        }
        self.text.push('}');
        Some(Json::Object(at, members))
    }

    /// Numbers a list or an object, and the bracket that closes it.
    fn open(&mut self, group: &Group) -> usize {
        let at = self.place(group);
        let close = group.span_close();
        self.places.push((close, close));
        at
    }

    fn comma(&mut self, tokens: &mut Tokens) -> Option<()> {
        match tokens.next() {
            None => Some(()),
            Some(comma) if is(&comma, ',') => Some(()),
            Some(other) => {
                self.cx.error(
                    &other,
                    "expected `,` between the values\nhelp: write one in front of this",
                );
                None
            }
        }
    }

    /// The value of an expression that is a literal through and through; nothing for any other.
    fn expr(&mut self, expr: &Expr) -> Option<Json> {
        match ungrouped(expr) {
            Expr::Reference(inner) => self.expr(&inner.expr),
            Expr::Array(array) => {
                let at = self.place(array);
                let close = array.bracket_token.span.close();
                self.places.push((close, close));
                let items = array.elems.iter().map(|item| self.expr(item));
                Some(Json::Array(at, items.collect::<Option<_>>()?))
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
                match ungrouped(&unary.expr) {
                    Expr::Lit(ExprLit { lit, .. }) => self.lit(lit, "-", unary),
                    _ => None,
                }
            }
            Expr::Lit(ExprLit { lit, .. }) => match lit {
                Lit::Bool(_) => Some(Json::Bool(self.place(lit))),
                Lit::Char(char) => self.string(char.value().to_string(), lit),
                Lit::Str(text) => self.string(text.value(), lit),
                other => self.lit(other, "", other),
            },
            _ => None,
        }
    }
}

/// The JSON of an expression that is a literal; nothing for any other, whose value the program knows when it runs.
pub(crate) fn literal_of(expr: &Expr) -> Option<JsonLiteral> {
    let cx = Ctxt::new();
    let mut reader = Reader::new(&cx);
    let value = reader.expr(expr);
    let literal = value.map(|value| reader.literal(value));
    // What a literal hides is said where it is read.
    let _ = cx.finish();
    literal
}
