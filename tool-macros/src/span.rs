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
    /// See [`item_span`].
    static ITEM_SPAN: Cell<Option<Span>> = const { Cell::new(None) };
}

/// Expands a macro; no token of the one before is a place any longer.
pub(crate) fn expand_with(expand: impl FnOnce() -> TokenStream) -> proc_macro::TokenStream {
    ITEM_SPAN.set(None);
    expand().into()
}

/// Where tokens stand that have no better place.
pub(crate) fn item_span() -> Span {
    ITEM_SPAN.get().unwrap_or_else(Span::call_site)
}

/// The same for what only lints and suggestions would look at.
pub(crate) fn call_site_at_item() -> Span {
    Span::call_site().located_at(item_span())
}

/// From now on that is the place of this token, the name of what the macro is at.
pub(crate) fn set_item_span(name: &Ident) {
    ITEM_SPAN.set(Some(name.span()));
}

/// The same where there is no name: the first of these tokens.
pub(crate) fn set_item_span_to_first(tokens: &impl ToTokens) {
    let first = tokens.to_token_stream().into_iter().next();
    ITEM_SPAN.set(first.map(|first| first.span()));
}

/// Tokens that stand [`item_span`]. Those of a value that is no token (a `String`, a `bool`) are [`literal`]s.
macro_rules! quote {
    ($($tokens:tt)*) => {
        ::quote::quote_spanned!($crate::span::item_span()=> $($tokens)*)
    };
}
pub(crate) use quote;

/// The same, read as syntax.
macro_rules! parse_quote {
    ($($tokens:tt)*) => {
        ::syn::parse_quote_spanned!($crate::span::item_span()=> $($tokens)*)
    };
}
pub(crate) use parse_quote;

/// Tokens that lints leave alone, and into which the compiler suggests to write nothing. They are new after each edit: so
/// they are those of items of which there is little to look at, and no part of a body.
macro_rules! quote_call_site {
    ($($tokens:tt)*) => {
        ::quote::quote_spanned!($crate::span::call_site_at_item()=> $($tokens)*)
    };
}
pub(crate) use quote_call_site;

/// Tokens that stand at the call itself: those of an expression, in the place of which lints and suggestions would write
/// something else. What stands in brackets stays where it is.
pub(crate) fn at_call_site(tokens: TokenStream) -> TokenStream {
    respan(Span::call_site(), tokens)
}

/// A value as a token that stands [`item_span`].
pub(crate) fn literal(value: impl IntoToken) -> TokenTree {
    let mut token = value.into_token();
    token.set_span(item_span());
    token
}

/// What is one token. A stream of one, which `quote` would make of it, is asked of the compiler twice.
pub(crate) trait IntoToken {
    /// The token, wherever it stands.
    fn into_token(self) -> TokenTree;
}

impl IntoToken for &str {
    fn into_token(self) -> TokenTree {
        Literal::string(self).into()
    }
}

impl IntoToken for &String {
    fn into_token(self) -> TokenTree {
        self.as_str().into_token()
    }
}

impl IntoToken for String {
    fn into_token(self) -> TokenTree {
        self.as_str().into_token()
    }
}

impl IntoToken for bool {
    fn into_token(self) -> TokenTree {
        let word = if self { "true" } else { "false" };
        Ident::new(word, Span::call_site()).into()
    }
}

impl IntoToken for usize {
    fn into_token(self) -> TokenTree {
        Literal::usize_suffixed(self).into()
    }
}

impl IntoToken for u64 {
    fn into_token(self) -> TokenTree {
        Literal::u64_suffixed(self).into()
    }
}

impl IntoToken for f64 {
    fn into_token(self) -> TokenTree {
        Literal::f64_suffixed(self).into()
    }
}

impl IntoToken for Literal {
    fn into_token(self) -> TokenTree {
        self.into()
    }
}

/// A name that stands [`item_span`].
pub(crate) fn ident(name: &str) -> Ident {
    Ident::new(name, item_span())
}

/// The ends of some tokens of the user. On stable Rust spans cannot be joined, but the compiler
/// joins those of the first and the last token of whatever it points at.
#[derive(Clone, Copy)]
pub(crate) struct SpanEnds {
    first: Span,
    last: Span,
}

impl SpanEnds {
    pub(crate) fn of(tokens: &impl ToTokens) -> Self {
        let mut spans = tokens
            .to_token_stream()
            .into_iter()
            .map(|token| token.span());
        let first = spans.next().unwrap_or_else(item_span);
        let last = spans.last().unwrap_or(first);
        // The compiler joins only spans of one hygiene.
        let hygiene = item_span();
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
        respan(self.first, tokens)
    }

    /// The same at the end.
    pub(crate) fn end(self, tokens: TokenStream) -> TokenStream {
        respan(self.last, tokens)
    }
}

fn respan(span: Span, tokens: TokenStream) -> TokenStream {
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
