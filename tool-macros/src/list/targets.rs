//! `targets: [openai_strict, …], unproven: [tool]; …` at the head of a list: the dialects that every
//! tool is checked against when it compiles.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Ident, Token, bracketed};

use crate::place::Place;

use super::{Element, Handle};

/// The head of a list.
#[derive(Default)]
pub(super) struct Targets {
    dialects: Vec<Ident>,
    /// Tools that are not known to be accepted until the program runs.
    unproven: Vec<Ident>,
}

impl Targets {
    /// Reads the head, if there is one.
    pub(super) fn parse_head(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut head = Self::default();
        if !(input.peek(Ident) && input.peek2(Token![:]) && !input.peek2(Token![::])) {
            return Ok(head);
        }
        loop {
            let key: Ident = input.parse()?;
            input.parse::<Token![:]>()?;
            let list = match key.to_string().as_str() {
                "targets" => &mut head.dialects,
                "unproven" => &mut head.unproven,
                other => {
                    return Err(syn::Error::new(
                        key.span(),
                        format!(
                            "unknown option `{other}` in `tools!`\nhelp: the options are `targets: [openai_strict, …]` and `unproven: [tool, …]`"
                        ),
                    ));
                }
            };
            let content;
            bracketed!(content in input);
            list.extend(Punctuated::<Ident, Token![,]>::parse_terminated(&content)?);
            if input.parse::<Option<Token![,]>>()?.is_none() || input.peek(Token![;]) {
                break;
            }
            if !input.peek2(Token![:]) || input.peek2(Token![::]) {
                break;
            }
        }
        input.parse::<Token![;]>().map_err(|error| {
            syn::Error::new(
                error.span(),
                "the tools come behind a semicolon\nhelp: write `tools! { targets: [openai_strict]; a, b }`",
            )
        })?;
        Ok(head)
    }

    /// The check in `const` that every target accepts every tool, each at its place.
    pub(super) fn check(&self, elements: &[Element]) -> TokenStream {
        let Self { dialects, unproven } = self;
        if dialects.is_empty() {
            return TokenStream::new();
        }
        let targets = dialects.iter().map(|dialect| {
            let name = dialect.to_string();
            quote_spanned!(dialect.span()=> __tool::dialect(#name))
        });
        let is_unproven = |name: &str| unproven.iter().any(|tool| tool == name);
        let checks = elements.iter().map(|element| match element {
            Element::One { path, name } => {
                let handle = Handle::of(path);
                let ty = handle.ty();
                let last = path.segments.last().map(|last| last.ident.to_string());
                let unproven = is_unproven(&last.unwrap_or_default());
                let name = name.as_ref().map_or_else(
                    || quote!(::core::option::Option::None),
                    |name| quote!(::core::option::Option::Some(#name)),
                );
                let place = Place::of(path);
                let accepted = place.start(quote!(__tool::accepted));
                let arguments =
                    place.end(quote!((TARGETS, &__tool::Listed::<#ty>::INPUT, #name, #unproven)));
                handle.scope(&quote!(#accepted #arguments;))
            }
            Element::Many { ty, .. } => {
                let unproven = is_unproven(&ty.to_token_stream().to_string());
                let place = Place::of(ty);
                let accepted = place.start(quote!(__tool::all_accepted));
                let arguments =
                    place.end(quote!((TARGETS, __tool::Listed::<#ty>::INPUTS, #unproven)));
                quote!(#accepted #arguments;)
            }
        });
        let count = elements.len();
        let first = dialects
            .first()
            .map(|first| quote_spanned!(first.span()=> __tool::is_small(TARGETS, #count);));
        quote! {
            const _: () = {
                use __tool::Untargeted as _;
                const TARGETS: &[__tool::Dialect] = &[#(#targets),*];
                #first
                #(#checks)*
            };
        }
    }
}
