//! The `#[cfg(…)]` of an item, also from inside a `#[cfg_attr(…)]`.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Meta, Token};

use crate::span::quote;

/// Returns the attributes that enable or disable a function, each as a `#[cfg(…)]`. A malformed one is left to the
/// compiler, which meets it on the function itself.
pub(crate) fn cfgs(attrs: &[Attribute]) -> Vec<Attribute> {
    let asked = |attr: &Attribute| {
        if attr.path().is_ident("cfg") {
            return Some(attr.clone());
        }
        let condition = condition(&attr.meta)?;
        let mut attr = attr.clone();
        let hash = attr.pound_token.span();
        attr.meta = syn::parse_quote_spanned!(hash=> cfg(#condition));
        Some(attr)
    };
    attrs.iter().filter_map(asked).collect()
}

/// Returns the condition of a `cfg(…)`, or of the `cfg(…)`s inside a `cfg_attr(…)`. `None` if there is no condition.
fn condition(meta: &Meta) -> Option<TokenStream> {
    let list = meta.require_list().ok()?;
    if list.path.is_ident("cfg") {
        return Some(list.tokens.clone());
    }
    if !list.path.is_ident("cfg_attr") {
        return None;
    }
    let (given, metas) = list.parse_args_with(conditional).ok()?;
    let asked: Vec<_> = metas.iter().filter_map(condition).collect();
    (!asked.is_empty()).then(|| quote!(any(not(#given), all(#(#asked),*))))
}

/// Parses the contents of a `cfg_attr(…)`: a condition, and the attributes.
fn conditional(input: ParseStream<'_>) -> syn::Result<(TokenStream, Punctuated<Meta, Token![,]>)> {
    let mut given = TokenStream::new();
    while !input.peek(Token![,]) {
        given.extend([input.parse::<TokenTree>()?]);
    }
    input.parse::<Token![,]>()?;
    Ok((given, Punctuated::parse_terminated(input)?))
}

/// Returns the attributes in a `cfg_attr(…)`. A malformed one has none: the compiler reports it.
pub(crate) fn nested_attributes(attr: &Attribute) -> Vec<Attribute> {
    let metas = attr.parse_args_with(conditional);
    let held = metas.into_iter().flat_map(|(_, metas)| metas);
    held.map(|meta| Attribute {
        meta,
        ..attr.clone()
    })
    .collect()
}

/// Checks that a list element has no attribute but `#[cfg(…)]`.
pub(crate) fn of_element(attrs: &[Attribute]) -> syn::Result<()> {
    for attr in attrs {
        let name = attr.path().to_token_stream().to_string();
        let says = match (name.as_str(), &attr.meta) {
            ("cfg", Meta::List(_)) => continue,
            ("cfg", _) => "`#[cfg]` takes a condition\nhelp: write `#[cfg(unix)]`".to_owned(),
            ("doc", _) => "a tool is described where its function is\nhelp: remove this, or make it a comment: `// …`".to_owned(),
            ("cfg_attr", _) => {
                "a list does not follow `#[cfg_attr]`\nhelp: write what it comes to: `#[cfg(…)]`".to_owned()
            }
            _ => format!("`#[{name}]` says nothing of a tool in a list\nhelp: remove it: only `#[cfg(…)]` can stand here"),
        };
        return Err(syn::Error::new_spanned(attr, says));
    }
    Ok(())
}
