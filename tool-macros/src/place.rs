//! Where generated tokens seem to stand: the compiler shows an error about them there.
//!
//! All of them stand on tokens of the user's, most on the item's name, and none at the call of the macro but the ends of the
//! expression that `tools!` is. A token at the
//! call carries the whole expansion with it, of which the compiler remembers where in the file it is: an edit in front
//! of it then makes everything generated new, and all of it is checked again. What stands on the user's tokens is known
//! by where it is in its item, and stays the same. The price: lints take generated code for the user's own.

use std::cell::Cell;

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::ToTokens;

thread_local! {
    /// See [`here`].
    static HERE: Cell<Option<Span>> = const { Cell::new(None) };
}

/// Expands a macro; no token of the one before is a place any longer.
pub(crate) fn anew(expand: impl FnOnce() -> TokenStream) -> proc_macro::TokenStream {
    HERE.set(None);
    expand().into()
}

/// Where tokens stand that have no better place.
pub(crate) fn here() -> Span {
    HERE.get().unwrap_or_else(Span::call_site)
}

/// The same for what only lints and suggestions would look at.
pub(crate) fn aside() -> Span {
    Span::call_site().located_at(here())
}

/// From now on that is the place of this token, the name of what the macro is at.
pub(crate) fn stand_on(name: &Ident) {
    HERE.set(Some(name.span()));
}

/// The same where there is no name: the first of these tokens.
pub(crate) fn stand_on_first(tokens: &impl ToTokens) {
    let first = tokens.to_token_stream().into_iter().next();
    HERE.set(first.map(|first| first.span()));
}

/// Tokens that stand [`here`]. Those of a value that is no token (a `String`, a `bool`) are [`literal`]s.
macro_rules! quote {
    ($($tokens:tt)*) => {
        ::quote::quote_spanned!($crate::place::here()=> $($tokens)*)
    };
}
pub(crate) use quote;

/// The same, read as syntax.
macro_rules! parse_quote {
    ($($tokens:tt)*) => {
        ::syn::parse_quote_spanned!($crate::place::here()=> $($tokens)*)
    };
}
pub(crate) use parse_quote;

/// Tokens that lints leave alone, and into which the compiler suggests to write nothing. They are new after each edit: so
/// they are those of items of which there is little to look at, and no part of a body.
macro_rules! quiet {
    ($($tokens:tt)*) => {
        ::quote::quote_spanned!($crate::place::aside()=> $($tokens)*)
    };
}
pub(crate) use quiet;

/// Tokens that stand at the call itself: those of an expression, in the place of which lints and suggestions would write
/// something else. What stands in brackets stays where it is.
pub(crate) fn called(tokens: TokenStream) -> TokenStream {
    at(Span::call_site(), tokens)
}

/// A value as a token that stands [`here`].
pub(crate) fn literal(value: impl Value) -> TokenTree {
    let mut token = value.token();
    token.set_span(here());
    token
}

/// What is one token. A stream of one, which `quote` would make of it, is asked of the compiler twice.
pub(crate) trait Value {
    /// The token, wherever it stands.
    fn token(self) -> TokenTree;
}

impl Value for &str {
    fn token(self) -> TokenTree {
        Literal::string(self).into()
    }
}

impl Value for &String {
    fn token(self) -> TokenTree {
        self.as_str().token()
    }
}

impl Value for String {
    fn token(self) -> TokenTree {
        self.as_str().token()
    }
}

impl Value for bool {
    fn token(self) -> TokenTree {
        let word = if self { "true" } else { "false" };
        Ident::new(word, Span::call_site()).into()
    }
}

impl Value for usize {
    fn token(self) -> TokenTree {
        Literal::usize_suffixed(self).into()
    }
}

impl Value for u64 {
    fn token(self) -> TokenTree {
        Literal::u64_suffixed(self).into()
    }
}

impl Value for f64 {
    fn token(self) -> TokenTree {
        Literal::f64_suffixed(self).into()
    }
}

impl Value for Literal {
    fn token(self) -> TokenTree {
        self.into()
    }
}

/// A name that stands [`here`].
pub(crate) fn ident(name: &str) -> Ident {
    Ident::new(name, here())
}

/// The ends of some tokens of the user. On stable Rust spans cannot be joined, but the compiler
/// joins those of the first and the last token of whatever it points at.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    first: Span,
    last: Span,
}

impl Place {
    pub(crate) fn of(tokens: &impl ToTokens) -> Self {
        let mut spans = tokens
            .to_token_stream()
            .into_iter()
            .map(|token| token.span());
        let first = spans.next().unwrap_or_else(here);
        let last = spans.last().unwrap_or(first);
        // The compiler joins only spans of one hygiene.
        let hygiene = here();
        Self {
            first: first.resolved_at(hygiene),
            last: last.resolved_at(hygiene),
        }
    }

    /// The same identifier at the beginning.
    pub(crate) fn ident(self, ident: &Ident) -> Ident {
        Ident::new(&ident.to_string(), self.first)
    }

    /// Tokens of ours at the beginning; what stands in brackets stays where it is.
    pub(crate) fn start(self, tokens: TokenStream) -> TokenStream {
        at(self.first, tokens)
    }

    /// The same at the end.
    pub(crate) fn end(self, tokens: TokenStream) -> TokenStream {
        at(self.last, tokens)
    }
}

fn at(span: Span, tokens: TokenStream) -> TokenStream {
    let located = |mut token: TokenTree| {
        token.set_span(span);
        token
    };
    tokens.into_iter().map(located).collect()
}

/// A local of the generated code. Its name is one that the user's expressions, constants and unit structs do not have.
pub(crate) fn local(name: &str) -> Ident {
    ident(&format!("__tool_{name}"))
}
