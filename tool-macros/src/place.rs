//! Where generated tokens seem to stand: the compiler shows an error about them there.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;

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
        let first = spans.next().unwrap_or_else(Span::call_site);
        Self {
            first,
            last: spans.last().unwrap_or(first),
        }
    }

    /// The same identifier at the beginning.
    pub(crate) fn ident(self, ident: &Ident) -> Ident {
        Ident::new(&ident.to_string(), ident.span().located_at(self.first))
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

/// The compiler joins only spans of one hygiene, so all of them get that of locals.
fn at(span: Span, tokens: TokenStream) -> TokenStream {
    let span = Span::mixed_site().located_at(span);
    let located = |mut token: TokenTree| {
        token.set_span(span);
        token
    };
    tokens.into_iter().map(located).collect()
}

/// A local of the generated code, which no user's expression can see. Hygiene does not hide the
/// user's constants and unit structs from a pattern of ours (a table's columns, say), so the name
/// is one that they do not have.
pub(crate) fn local(name: &str) -> Ident {
    Ident::new(&format!("__tool_{name}"), Span::mixed_site())
}
