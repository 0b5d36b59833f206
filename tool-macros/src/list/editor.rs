//! The code that an editor reads in place of a list's code: the paths, values and types in it, half-typed or not.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parse;
use syn::{Expr, Type};

use crate::span::quote;

/// Generates a toolset with statements before it that have them. They come first, so that an editor finds the same place
/// in the list that is refused and in the one with a guess at the cursor.
pub(super) fn view(
    krate: &TokenTree,
    list: TokenStream,
    errors: Option<&TokenStream>,
) -> TokenStream {
    let tokens: Vec<_> = list.into_iter().collect();
    let elements = elements(&tokens);
    let statements = elements
        .iter()
        .map(|element| statements(element, &elements));
    quote! {{
        #(#statements)*
        #errors
        <#krate::Toolset as ::core::default::Default>::default()
    }}
}

/// The elements, at commas and semicolons that are not between `<` and `>`.
fn elements(tokens: &[TokenTree]) -> Vec<&[TokenTree]> {
    let mut depth = 0usize;
    tokens
        .split(|token| {
            let TokenTree::Punct(punct) = token else {
                return false;
            };
            match punct.as_char() {
                '<' => depth += 1,
                '>' => depth = depth.saturating_sub(1),
                ',' | ';' => return depth == 0,
                _ => {}
            }
            false
        })
        .collect()
}

/// The statements of one element.
fn statements(mut element: &[TokenTree], all: &[&[TokenTree]]) -> TokenStream {
    let mut attrs = TokenStream::new();
    while let [pound, attr, rest @ ..] = element
        && is(pound, '#')
    {
        attrs.extend([pound.clone(), attr.clone()]);
        element = rest;
    }
    let (value, ty) = match element {
        [first, second, rest @ ..] if is(first, '.') && is(second, '.') => split(rest, colon(rest)),
        // `defer: { crm: [find, ..disk: Disk] }`
        [_, _, TokenTree::Group(groups)]
            if colon(element) == Some(1) && groups.delimiter() == Delimiter::Brace =>
        {
            return deferred(groups.stream());
        }
        // `unproven: [tool]`, or another option of the head.
        [_, _, TokenTree::Group(names)] if colon(element) == Some(1) => {
            let is_listed = |name: &TokenTree| {
                let of = |element: &&[TokenTree]| element.first().map(ToString::to_string);
                all.iter()
                    .any(|element| of(element) == Some(name.to_string()))
            };
            let listed = names.stream().into_iter().filter(is_listed);
            return listed.map(|name| quote!(let _ = #name;)).collect();
        }
        _ if colon(element) == Some(1) => return TokenStream::new(),
        [_, equals, value @ ..] if is(equals, '=') => (value, None),
        _ => {
            let is_as = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word == "as");
            (split(element, element.iter().position(is_as)).0, None)
        }
    };
    let value = start::<Expr>(value).map(|value| quote!(#attrs let _ = #value;));
    let ty = start::<Type>(ty.unwrap_or_default()).map(|ty| quote!(#attrs let _: #ty;));
    quote!(#value #ty)
}

/// The statements of groups of deferred tools.
fn deferred(groups: TokenStream) -> TokenStream {
    let mut is_attribute = false;
    let mut statements = TokenStream::new();
    for token in groups {
        if let TokenTree::Group(list) = &token
            && !is_attribute
        {
            let tokens: Vec<_> = list.stream().into_iter().collect();
            for element in elements(&tokens) {
                statements.extend(self::statements(element, &[]));
            }
        }
        is_attribute = is(&token, '#');
    }
    statements
}

/// The longest start of some tokens that is an expression or a type.
fn start<T: Parse + ToTokens>(mut tokens: &[TokenTree]) -> Option<T> {
    loop {
        let stream = tokens.iter().map(ToTokens::to_token_stream).collect();
        match syn::parse2(stream) {
            Ok(parsed) => return Some(parsed),
            Err(_) => tokens = tokens.split_last()?.1,
        }
    }
}

/// The tokens before and behind one of them.
fn split(tokens: &[TokenTree], at: Option<usize>) -> (&[TokenTree], Option<&[TokenTree]>) {
    match at.and_then(|at| tokens.split_at_checked(at)) {
        Some((before, [_, behind @ ..])) => (before, Some(behind)),
        _ => (tokens, None),
    }
}

/// The place of a colon that is not half of `::`.
fn colon(tokens: &[TokenTree]) -> Option<usize> {
    let mut in_path = false;
    tokens.iter().position(|token| {
        let is_joint =
            matches!(token, TokenTree::Punct(punct) if punct.spacing() == Spacing::Joint);
        let is_colon = is(token, ':');
        let is_alone = is_colon && !is_joint && !in_path;
        in_path = is_colon && is_joint;
        is_alone
    })
}

fn is(token: &TokenTree, char: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == char)
}
