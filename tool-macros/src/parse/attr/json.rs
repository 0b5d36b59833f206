//! The JSON of `example({"city": "Oslo"}, "words")`.

use std::iter::Peekable;

use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream, TokenTree, token_stream};
use quote::ToTokens;
use syn::{Lit, Meta};

use super::entry::KeyValue;
use super::meta::json_string;
use crate::ctxt::Ctxt;
use crate::invisible_chars;
use crate::model::CallExample;

/// `example({…}, "words")`
pub(super) fn example(cx: &Ctxt, entry: &KeyValue) -> Option<CallExample> {
    let form = "help: write `example({\"city\": \"Oslo\"}, \"what it shows\")`";
    let Meta::List(list) = &entry.meta else {
        let place = entry.meta.path();
        cx.error(place, format!("`example` takes a call's arguments\n{form}"));
        return None;
    };
    let mut tokens = list.tokens.clone().into_iter().peekable();
    let Some(first) = tokens.peek().cloned() else {
        cx.error(list, format!("`example` takes a call's arguments\n{form}"));
        return None;
    };
    let mut reader = JsonWriter {
        cx,
        text: String::new(),
    };
    let keys = match ungrouped(first.clone()) {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            tokens.next();
            reader.object(&group)?
        }
        _ => {
            reader.value(&mut tokens)?;
            let words = format!("the arguments of a call are an object\n{form}");
            cx.error(&first, words);
            return None;
        }
    };
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
                format!("the description of an example is a string\n{form}"),
            );
            return None;
        }
    };
    Some(CallExample {
        json: reader.text,
        keys,
        words,
    })
}

fn is(token: &TokenTree, char: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == char)
}

/// The text of a string literal.
fn text(token: &TokenTree) -> Option<String> {
    match ungrouped(token.clone()) {
        TokenTree::Literal(literal) => match Lit::new(literal) {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// A token without the invisible groups that `macro_rules` puts around its captures.
fn ungrouped(token: TokenTree) -> TokenTree {
    if let TokenTree::Group(group) = &token
        && group.delimiter() == Delimiter::None
    {
        let mut inside = group.stream().into_iter();
        if let (Some(only), None) = (inside.next(), inside.next()) {
            return ungrouped(only);
        }
    }
    token
}

type Tokens = Peekable<token_stream::IntoIter>;

/// Writes the tokens as JSON.
struct JsonWriter<'c> {
    cx: &'c Ctxt,
    text: String,
}

impl JsonWriter<'_> {
    /// Reads a value. Returns nothing after an error.
    fn value(&mut self, tokens: &mut Tokens) -> Option<()> {
        let token = ungrouped(tokens.next()?);
        match &token {
            TokenTree::Ident(word) => {
                let word = word.to_string();
                if ["null", "true", "false"].contains(&word.as_str()) {
                    self.text.push_str(&word);
                    return Some(());
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == '-' => {
                if let Some(TokenTree::Literal(number)) = tokens.peek().cloned().map(ungrouped) {
                    tokens.next();
                    let both: TokenStream =
                        [token.clone(), number.clone().into()].into_iter().collect();
                    return self.scalar(&number, "-", &both);
                }
            }
            TokenTree::Literal(literal) => return self.scalar(literal, "", &token),
            TokenTree::Group(group) => match group.delimiter() {
                Delimiter::Brace => return self.object(group).map(drop),
                Delimiter::Bracket => return self.array(group),
                _ => {}
            },
            TokenTree::Punct(_) => {}
        }
        self.not_json(&token)
    }

    fn not_json(&self, place: &impl ToTokens) -> Option<()> {
        self.cx.error(
            place,
            "an example is JSON\nhelp: write a string, a number, `true`, `false`, `null`, `[…]` or `{\"key\": …}`",
        );
        None
    }

    fn scalar(&mut self, literal: &Literal, sign: &str, place: &impl ToTokens) -> Option<()> {
        let json = match Lit::new(literal.clone()) {
            Lit::Str(text) if sign.is_empty() => {
                let value = text.value();
                invisible_chars::check(self.cx, text.span(), &value);
                Some(json_string(&value))
            }
            Lit::Int(number) => number_of(sign, number.base10_digits()),
            Lit::Float(number) => number_of(sign, number.base10_digits()),
            _ => None,
        };
        match json {
            Some(json) => self.text.push_str(&json),
            None => return self.not_json(place),
        }
        Some(())
    }

    fn array(&mut self, group: &Group) -> Option<()> {
        self.text.push('[');
        let mut tokens = group.stream().into_iter().peekable();
        let mut is_first = true;
        while tokens.peek().is_some() {
            if !std::mem::take(&mut is_first) {
                self.text.push(',');
            }
            self.value(&mut tokens)?;
            self.comma(&mut tokens)?;
        }
        self.text.push(']');
        Some(())
    }

    /// Reads an object. Returns its keys.
    fn object(&mut self, group: &Group) -> Option<Vec<(String, Span)>> {
        let mut keys = Vec::<(String, Span)>::new();
        self.text.push('{');
        let mut tokens = group.stream().into_iter().peekable();
        while let Some(key) = tokens.next() {
            let Some(name) = text(&key) else {
                let form = match ungrouped(key.clone()) {
                    TokenTree::Ident(word) => format!("`\"{word}\": …`"),
                    _ => "`\"key\": …`".to_owned(),
                };
                self.cx.error(
                    &key,
                    format!("a key of JSON is a string\nhelp: write {form}"),
                );
                return None;
            };
            invisible_chars::check(self.cx, key.span(), &name);
            if keys.iter().any(|(other, _)| *other == name) {
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
            if !keys.is_empty() {
                self.text.push(',');
            }
            self.text.push_str(&json_string(&name));
            self.text.push(':');
            keys.push((name, key.span()));
            self.value(&mut tokens)?;
            self.comma(&mut tokens)?;
        }
        self.text.push('}');
        Some(keys)
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
}

/// Returns a literal as a number of JSON; nothing if it is too large for one.
fn number_of(sign: &str, digits: &str) -> Option<String> {
    // Rust writes `1.`, and JSON does not.
    let zero = if digits.ends_with('.') { "0" } else { "" };
    let text = format!("{sign}{digits}{zero}");
    let is_finite = text.parse().is_ok_and(|value: f64| value.is_finite());
    is_finite.then_some(text)
}
