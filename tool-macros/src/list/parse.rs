//! The tokens of a list: elements, options, state.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, Path, Token, Type, token};

use super::deferred::DeferredGroups;
use super::targets::{self, ListHead};
use super::{AsClause, ElementKind, ListElement, ParsedList};
use crate::handle::type_of_method;
use crate::model::Description;
use crate::{cfg, ty};

impl Parse for ParsedList {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let krate: TokenTree = input.parse()?;
        input.parse::<Token![;]>()?;
        let mut targets = ListHead::parse_head(input)?;
        let mut elements = elements(input)?;
        let mut state = None;
        while input.peek(Token![;]) {
            input.parse::<Token![;]>()?;
            if targets::is_deferral(input) {
                targets.parse_options(input)?;
            } else if !input.is_empty() {
                state = Some(parse_state(input)?);
            }
        }
        targets.deferred =
            DeferredGroups::of(&mut targets.groups, targets.at_most.clone(), &mut elements);
        Ok(Self {
            krate,
            targets,
            elements,
            state,
        })
    }
}

/// Reads elements up to a semicolon.
pub(super) fn elements(input: ParseStream<'_>) -> syn::Result<Vec<ListElement>> {
    let mut elements = Vec::new();
    while !input.is_empty() && !input.peek(Token![;]) {
        let element: ListElement = input.parse()?;
        if input.is_empty() || input.peek(Token![;]) {
            elements.push(element);
            break;
        }
        if !input.peek(Token![,]) {
            return Err(expected_comma(input, &element));
        }
        elements.push(element);
        input.parse::<Token![,]>()?;
    }
    Ok(elements)
}

/// Returns the error for a token in place of a comma, in terms of the construct that the token starts.
fn expected_comma(input: ParseStream<'_>, element: &ListElement) -> syn::Error {
    match &element.what {
        ElementKind::One { .. } if input.peek(Token![=>]) => input.error(
            "a tool's other name comes behind `as`\nhelp: write `path as \"name\"`",
        ),
        ElementKind::One { path, .. } if input.peek(Token![=]) => syn::Error::new_spanned(
            path,
            "the state comes last, behind a semicolon\nhelp: write `tools![a, b; state = app]`",
        ),
        ElementKind::One { path, .. } if input.peek(Token![:]) && path.is_ident("state") => {
            syn::Error::new_spanned(
                path,
                "the state comes last, behind a semicolon\nhelp: write `tools![a, b; state = app]`",
            )
        }
        ElementKind::One { path, .. } if input.peek(Token![.]) => {
            let path = path.to_token_stream().to_string().replace(' ', "");
            input.error(format!(
                "a list holds tools by their paths\nhelp: change one as a value, and add it: `tools![…].with(tool_of!({path})…)`"
            ))
        }
        ElementKind::One { .. } if input.peek(token::Paren) || input.peek(token::Brace) => input.error(
            "tools are listed by their paths, without a value\nhelp: remove it, or list the methods of a value as `..value: Type`",
        ),
        ElementKind::One { .. } if input.peek(Token![!]) => input.error(
            "a list holds tools, and no macros\nhelp: list the tools themselves, and join lists with `Toolset::merge`",
        ),
        _ => input.error("expected `,` between the tools"),
    }
}

fn parse_state(input: ParseStream<'_>) -> syn::Result<Expr> {
    let place = input.span();
    let key = input.parse::<syn::Ident>().ok();
    let Some(key) = key.filter(|key| key == "state" || input.peek(Token![=])) else {
        return Err(syn::Error::new(
            place,
            "tools are separated by commas, and the state comes after a semicolon\nhelp: write `tools![a, b; state = app]`",
        ));
    };
    if key != "state" {
        return Err(syn::Error::new(
            place,
            format!("unknown option `{key}` in `tools![]`\nhelp: the option is `state = app`"),
        ));
    }
    if !input.peek(Token![=]) {
        return Err(syn::Error::new(
            key.span(),
            "`state` takes a value\nhelp: write `state = app`",
        ));
    }
    input.parse::<Token![=]>()?;
    let value = input.parse()?;
    input.parse::<Option<Token![,]>>()?;
    if !input.is_empty() {
        return Err(input.error(
            "nothing comes behind the state\nhelp: for several values write a struct with `#[derive(Provide)]`",
        ));
    }
    Ok(value)
}

impl Parse for ListElement {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let cfg = input.call(Attribute::parse_outer)?;
        cfg::of_element(&cfg)?;
        let what = input.parse()?;
        Ok(Self { cfg, what })
    }
}

impl Parse for ElementKind {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![..]) {
            let dots: Token![..] = input.parse()?;
            let tokens = until_colon(input);
            let value: Expr = syn::parse2(tokens).map_err(|_| {
                syn::Error::new_spanned(dots, "a spread needs a value\nhelp: write `..value: Type`")
            })?;
            if !input.peek(Token![:]) {
                let last = match &value {
                    Expr::Path(path) => path.path.segments.last().map(|last| &last.ident),
                    _ => None,
                };
                let ty = last.filter(|name| name.to_string().starts_with(char::is_uppercase));
                let ty = ty.map_or_else(|| "Type".to_owned(), ToString::to_string);
                return Err(syn::Error::new_spanned(
                    &value,
                    format!(
                        "a spread has a value and its type, so that its tools are known when it compiles\nhelp: write `..value: {ty}`, or add the tools of a `Toolset` with `Toolset::merge`"
                    ),
                ));
            }
            input.parse::<Token![:]>()?;
            let ty: Type = input.parse()?;
            if let Some(inner) = ty::shared(&ty) {
                let inner = inner.to_token_stream().to_string().replace(' ', "");
                return Err(syn::Error::new_spanned(
                    &ty,
                    format!(
                        "tools are of the type in the `Arc`\nhelp: write `..value: {inner}`; the value may be an `Arc`"
                    ),
                ));
            }
            return Ok(Self::Many {
                value: Box::new(value),
                ty: Box::new(ty),
                listed: AsClause::parse(
                    input,
                    "a prefix is a string\nhelp: write `as \"prefix_\"`",
                )?,
            });
        }
        if input.peek(Token![|])
            || input.peek(Token![||])
            || input.peek(Token![move])
            || input.peek(Token![async])
        {
            return Err(input.error(
                "a closure is not a tool\nhelp: write a function with `#[tool]`, or make it one at run time: `DynTool::builder`",
            ));
        }
        if !input.peek(syn::Ident) && !input.peek(Token![::]) && !is_path_keyword(input) {
            return Err(input.error(
                "expected a tool\nhelp: list functions by their path, `module::function`, and types as `..value: Type`",
            ));
        }
        let path: Path = input.parse().map_err(|error| {
            syn::Error::new(
                error.span(),
                "the path of a tool ends in its name\nhelp: list each tool: `module::function`",
            )
        })?;
        if let Some(ty) = type_of_method(&path).filter(|_| !input.peek(token::Paren)) {
            return Err(syn::Error::new_spanned(
                &path,
                format!(
                    "a method is listed with the value that it is called on\nhelp: list all tools of the type: `..value: {ty}`"
                ),
            ));
        }
        let listed = AsClause::parse(
            input,
            "a tool's other name is a string\nhelp: write `as \"name\"`",
        )?;
        Ok(Self::One { path, listed })
    }
}

impl AsClause {
    fn parse(input: ParseStream<'_>, wanted: &str) -> syn::Result<Option<Self>> {
        if input.parse::<Option<Token![as]>>()?.is_none() {
            return Ok(None);
        }
        let name = input
            .parse()
            .map_err(|error| syn::Error::new(error.span(), wanted))?;
        let words = match input.parse::<Option<Token![:]>>()? {
            Some(colon) if input.is_empty() || input.peek(Token![,]) || input.peek(Token![;]) => {
                return Err(syn::Error::new_spanned(
                    colon,
                    "expected a description behind `:`\nhelp: write `as \"name\": \"Finds documents.\"`",
                ));
            }
            Some(_) => Some(Description::Const(Box::new(input.parse()?))),
            None => None,
        };
        Ok(Some(Self { name, words }))
    }
}

fn is_path_keyword(input: ParseStream<'_>) -> bool {
    input.peek(Token![crate]) || input.peek(Token![self]) || input.peek(Token![super])
}

/// An expression ends at a single colon here.
fn until_colon(input: ParseStream<'_>) -> TokenStream {
    let mut tokens = TokenStream::new();
    while !input.is_empty()
        && !input.peek(Token![,])
        && !input.peek(Token![;])
        && (!input.peek(Token![:]) || input.peek(Token![::]))
    {
        if input.peek(Token![::]) {
            if let Ok(colons) = input.parse::<Token![::]>() {
                colons.to_tokens(&mut tokens);
            }
        } else if let Ok(token) = input.parse::<TokenTree>() {
            tokens.extend([token]);
        }
    }
    tokens
}
