//! `retired("read_output" => read_page)`: names that are no tools' any more, each with the tool in its place.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, LitStr, Path, Token, parenthesized, token};

use super::{As, Element, ElementKind, Handle};
use crate::cfg;
use crate::name::{TOOL_RULE, is_tool_name};
use crate::span::{SpanEnds, quote_call_site};

const FORM: &str = "help: write `retired(\"old_name\" => tool)`";

/// A name that is no tool's any more.
pub(super) struct Retired {
    cfg: Vec<Attribute>,
    old: LitStr,
    new: Replacement,
}

/// The tool in the place of a retired one.
enum Replacement {
    Path(Path),
    /// The name of a tool that no path leads to: a method.
    Name(LitStr),
}

/// Returns true if the next element retires names.
pub(super) fn is_next(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    let _ = ahead.call(Attribute::parse_outer);
    let key = ahead.call(Ident::parse_any);
    key.is_ok_and(|key| key == "retired") && ahead.peek(token::Paren)
}

/// Reads the element.
pub(super) fn parse(input: ParseStream<'_>) -> syn::Result<Vec<Retired>> {
    let cfg = input.call(Attribute::parse_outer)?;
    cfg::of_element(&cfg)?;
    let key: Ident = input.parse()?;
    let content;
    parenthesized!(content in input);
    let pairs = Punctuated::<Pair, Token![,]>::parse_terminated(&content)?;
    if pairs.is_empty() {
        return Err(syn::Error::new(
            key.span(),
            format!("`retired` names no tool\n{FORM}"),
        ));
    }
    let retired = pairs.into_iter().map(|Pair(old, new)| Retired {
        cfg: cfg.clone(),
        old,
        new,
    });
    Ok(retired.collect())
}

struct Pair(LitStr, Replacement);

impl Parse for Pair {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let old: LitStr = input.parse().map_err(|error| {
            syn::Error::new(
                error.span(),
                format!("a retired tool is a name, since nothing else is left of it\n{FORM}"),
            )
        })?;
        let name = old.value();
        if !is_tool_name(&name) {
            return Err(syn::Error::new(
                old.span(),
                format!(
                    "no tool can have been named `{name}`\nhelp: write the name that models called: {TOOL_RULE}"
                ),
            ));
        }
        let wanted = || {
            format!(
                "`{name}` is retired for no tool\nhelp: write `\"{name}\" => tool`, with the tool that models are to call instead"
            )
        };
        if !input.peek(Token![=>]) {
            return Err(syn::Error::new(old.span(), wanted()));
        }
        input.parse::<Token![=>]>()?;
        let new = if input.peek(LitStr) {
            Replacement::Name(input.parse()?)
        } else {
            let path = input.parse();
            Replacement::Path(path.map_err(|_| syn::Error::new(old.span(), wanted()))?)
        };
        Ok(Self(old, new))
    }
}

impl Retired {
    /// The old name, behind its conditions.
    pub(super) fn old(&self) -> TokenStream {
        let Self { cfg, old, .. } = self;
        quote!(#(#cfg)* #old)
    }
}

impl Replacement {
    fn place(&self) -> SpanEnds {
        match self {
            Self::Path(path) => SpanEnds::of(path),
            Self::Name(name) => SpanEnds::of(name),
        }
    }

    /// The tool's name, as an expression of a constant, and the handle in whose scope that holds.
    fn name(&self, elements: &[Element]) -> (TokenStream, Option<Handle>) {
        let path = match self {
            Self::Name(name) => return (name.to_token_stream(), None),
            Self::Path(path) => path,
        };
        let tokens = path.to_token_stream().to_string();
        let listed = elements.iter().find_map(|element| match &element.what {
            ElementKind::One { path, listed } if path.to_token_stream().to_string() == tokens => {
                listed.as_ref()
            }
            _ => None,
        });
        if let Some(As { name, .. }) = listed {
            return (name.to_token_stream(), None);
        }
        let handle = Handle::of(path);
        let ty = handle.ty();
        let name = quote_call_site!(__tool::name_in(__tool::Listed::<#ty>::NAME));
        (name, Some(handle))
    }
}

/// The checks in `const`, behind those of the elements.
pub(super) fn checks(retired: &[Retired], elements: &[Element], taken: &Ident) -> Vec<TokenStream> {
    let all = retired.iter().enumerate();
    let checks = all.map(|(index, Retired { cfg, old, new })| {
        let before = retired
            .iter()
            .take(index)
            .map(|Retired { cfg, old, .. }| quote!(#(#cfg)* #old));
        let place = SpanEnds::of(old);
        let (check, arguments) = (
            place.start(quote!(__tool::retired)),
            place.end(quote!((&#taken, #old, &[#(#before),*]))),
        );
        let place = new.place();
        let (name, handle) = new.name(elements);
        let (found, name) = (
            place.start(quote!(__tool::retired_for)),
            place.end(quote!((&#taken, #name))),
        );
        let found = quote!(#found #name;);
        let found = handle.map_or_else(|| found.clone(), |handle| handle.scope(&found));
        // Behind a block no attribute may stand, where nothing follows.
        quote!(#(#cfg)* #found #(#cfg)* #check #arguments;)
    });
    checks.collect()
}

/// Pairs of a retired name and that of the tool in its place.
pub(super) fn pairs(retired: &[Retired], elements: &[Element]) -> Vec<TokenStream> {
    let pairs = retired.iter().map(|Retired { cfg, old, new }| {
        let (name, handle) = new.name(elements);
        let name = match handle {
            Some(handle) => handle.scope(&quote_call_site!({ const NAME: &str = #name; NAME })),
            None => name,
        };
        quote!(#(#cfg)* (#old, #name))
    });
    pairs.collect()
}
