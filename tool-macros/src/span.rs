//! Spans of generated tokens: the compiler shows errors about a token at its span.
//!
//! All generated tokens have spans of the user's tokens, most of them the point where the item's name begins. Only the ends
//! of the expression that `tools!` returns have the macro's call site.
//!
//! rust-analyzer treats every token with a name's span as a definition of it, and shows the documentation of each. A point
//! covers no text, so tokens there define nothing. A name that an error points at has the user's span, but a keyword never
//! does: [`not_in_editor`] and its neighbours hide the definitions of such names from rust-analyzer, which does not look
//! for them in derived code.
//!
//! A token at the call site carries the whole expansion with it, and the compiler identifies the expansion by its position
//! in the file. An edit in front of it would make all generated code new, and all of it would be checked again. The span of
//! a user's token is relative to its item, so it does not change. The price: lints treat generated code as the user's.

use std::cell::Cell;

use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::ToTokens;

thread_local! {
    /// Value of [`item_span`].
    static ITEM_SPAN: Cell<Option<Span>> = const { Cell::new(None) };
}

/// Runs an expansion, with the item span of the expansion before it reset.
pub(crate) fn expand_with(expand: impl FnOnce() -> TokenStream) -> proc_macro::TokenStream {
    ITEM_SPAN.set(None);
    expand().into()
}

/// Returns the span of the macro's item, for tokens that have no better span.
pub(crate) fn item_span() -> Span {
    ITEM_SPAN.get().unwrap_or_else(Span::call_site)
}

/// Returns a span at the item with the hygiene of the call site, for tokens that only lints and suggestions look at.
pub(crate) fn call_site_at_item() -> Span {
    Span::call_site().located_at(item_span())
}

/// Returns a span at a name with the hygiene of the call site.
pub(crate) fn call_site_at(name: &Ident) -> Span {
    Span::call_site().located_at(name.span())
}

/// Sets the item span to a name.
pub(crate) fn set_item_span(name: &Ident) {
    ITEM_SPAN.set(Some(name.span()));
}

/// Returns the point at the start of a span. An error that reaches from there to the end of a name is an error at the name.
pub(crate) fn start(span: Span) -> Span {
    // Only the compiler knows points; tests of this crate run without it.
    if proc_macro::is_available() {
        span.unwrap().start().into()
    } else {
        span
    }
}

/// Sets the item span to the point at the start of a name or of other tokens.
pub(crate) fn set_item_span_to_start(tokens: &impl ToTokens) {
    let first = tokens.to_token_stream().into_iter().next();
    ITEM_SPAN.set(first.map(|first| start(first.span())));
}

/// Like `quote::quote!`, at the [`item_span`]. Values that are not tokens (a `String`, a `bool`) need [`literal`].
macro_rules! quote {
    ($($tokens:tt)*) => {
        ::quote::quote_spanned!($crate::span::item_span()=> $($tokens)*)
    };
}
pub(crate) use quote;

/// Like `syn::parse_quote!`, at the [`item_span`].
macro_rules! parse_quote {
    ($($tokens:tt)*) => {
        ::syn::parse_quote_spanned!($crate::span::item_span()=> $($tokens)*)
    };
}
pub(crate) use parse_quote;

/// Like `quote::quote!`, at [`call_site_at_item`]. Lints ignore these tokens, and the compiler suggests no edits there.
/// The compiler sees such tokens as new after each edit, so they are for small items and no part of a body.
macro_rules! quote_call_site {
    ($($tokens:tt)*) => {
        ::quote::quote_spanned!($crate::span::call_site_at_item()=> $($tokens)*)
    };
}
pub(crate) use quote_call_site;

/// The attribute of an item that is part of every build and hidden from rust-analyzer. Its tokens are not the user's:
/// an editor greys out the user's tokens in disabled code.
///
/// rustc does not know the name `rust_analyzer` and would warn about it. rustc skips it behind `miri`, which
/// rust-analyzer also sets. Under Miri it does warn; only an enclosing item can allow that.
pub(crate) fn not_in_editor() -> TokenStream {
    quote_call_site!(#[cfg_attr(miri, cfg(not(rust_analyzer)))])
}

/// The attribute of a block into which rust-analyzer does not look; see [`not_in_editor`]. It greys out nothing. Code without
/// the preludes does not know the tool `rust_analyzer`, so rustc does not read it.
pub(crate) fn not_looked_into_in_editor() -> TokenStream {
    quote_call_site!(#[cfg_attr(miri, cfg_attr(rust_analyzer, rust_analyzer::skip))])
}

/// Gives tokens the hygiene of the call site at their spans. Use it for small items, as [`quote_call_site`].
pub(crate) fn generated(tokens: TokenStream) -> TokenStream {
    let resolved = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &token {
            let mut inner = Group::new(group.delimiter(), generated(group.stream()));
            inner.set_span(group.span());
            token = inner.into();
        }
        token.set_span(token.span().resolved_at(Span::call_site()));
        token
    };
    tokens.into_iter().map(resolved).collect()
}

/// An item that only rust-analyzer is shown; see [`not_in_editor`]. Where the first attribute does not hold, rustc does not
/// look at the others.
pub(crate) fn in_editor(item: &TokenStream) -> TokenStream {
    quote_call_site! {
        #[cfg(miri)]
        #[allow(unexpected_cfgs)]
        const _: () = {
            #[cfg(rust_analyzer)]
            #item
        };
    }
}

/// An expression that is one thing to rust-analyzer, and another in every build; see [`not_in_editor`].
pub(crate) fn select(in_editor: &TokenStream, in_builds: &TokenStream) -> TokenStream {
    at_call_site(quote_call_site! {
        ::core::cfg_select! {
            miri => {{
                #[allow(unexpected_cfgs)]
                let selected = ::core::cfg_select! {
                    rust_analyzer => { #in_editor }
                    _ => { #in_builds }
                };
                selected
            }}
            _ => { #in_builds }
        }
    })
}

/// Moves tokens to the call site; the contents of brackets keep their spans. It is for an expression whose span lints and
/// suggestions would replace by something else.
pub(crate) fn at_call_site(tokens: TokenStream) -> TokenStream {
    respan(Span::call_site(), tokens)
}

/// Converts a value to a token at the [`item_span`].
pub(crate) fn literal(value: impl IntoToken) -> TokenTree {
    let mut token = value.into_token();
    token.set_span(item_span());
    token
}

/// A value that becomes one token. `quote` would make a stream of it, which costs a second request to the compiler.
pub(crate) trait IntoToken {
    /// Converts the value to a token; its span is not specified.
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

/// Makes an identifier at the [`item_span`].
pub(crate) fn ident(name: &str) -> Ident {
    Ident::new(name, item_span())
}

/// First and last span of some of the user's tokens. Stable Rust cannot join spans, but the compiler joins those of
/// the first and the last token that it points at.
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

    /// Returns the identifier at the first span.
    pub(crate) fn ident(self, ident: &Ident) -> Ident {
        Ident::new(&ident.to_string(), self.first)
    }

    /// Puts tokens at the first span; the contents of brackets keep their spans.
    pub(crate) fn start(self, tokens: TokenStream) -> TokenStream {
        respan(self.first, tokens)
    }

    /// Puts tokens at the last span; the contents of brackets keep their spans.
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

/// Makes the identifier of a local variable of generated code. Its prefix keeps it apart from the user's names.
pub(crate) fn local(name: &str) -> Ident {
    ident(&format!("__{name}"))
}
