//! `tools![…]`: what stands in a list, checked in `const` and made at run time.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::{Expr, LitStr, Path, Token, Type};

use crate::ctxt::Ctxt;
use crate::name::{TOOL_RULE, is_tool_name};

/// The list, behind the crate that the runtime's macro hands over.
struct List {
    krate: TokenTree,
    elements: Vec<Element>,
    state: Option<Expr>,
}

enum Element {
    /// `path::to::tool as "name"`
    One { path: Path, name: Option<LitStr> },
    /// `..value: Type`
    Many { value: Expr, ty: Type },
}

impl Parse for List {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let krate: TokenTree = input.parse()?;
        input.parse::<Token![;]>()?;
        let mut elements = Vec::new();
        while !input.is_empty() && !input.peek(Token![;]) {
            elements.push(input.parse()?);
            if input.is_empty() || input.peek(Token![;]) {
                break;
            }
            if !input.peek(Token![,]) {
                return Err(input.error(
                    "expected `,` between the tools\nhelp: the state comes last, behind a semicolon: `tools![a, b; state = app]`",
                ));
            }
            input.parse::<Token![,]>()?;
        }
        let mut state = None;
        if input.peek(Token![;]) {
            input.parse::<Token![;]>()?;
            if !input.is_empty() {
                state = Some(parse_state(input)?);
            }
        }
        Ok(Self {
            krate,
            elements,
            state,
        })
    }
}

fn parse_state(input: ParseStream<'_>) -> syn::Result<Expr> {
    let key: syn::Ident = input.parse()?;
    if key != "state" {
        return Err(syn::Error::new(
            key.span(),
            format!("unknown option `{key}` in `tools![]`\nhelp: the option is `state = app`"),
        ));
    }
    input.parse::<Token![=]>()?;
    let value = input.parse()?;
    input.parse::<Option<Token![,]>>()?;
    if !input.is_empty() {
        return Err(input.error("nothing comes behind the state"));
    }
    Ok(value)
}

impl Parse for Element {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![..]) {
            let dots: Token![..] = input.parse()?;
            let tokens = until_colon(input);
            let value = syn::parse2(tokens).map_err(|_| {
                syn::Error::new_spanned(dots, "a spread needs a value\nhelp: write `..value: Type`")
            })?;
            if !input.peek(Token![:]) {
                return Err(syn::Error::new_spanned(
                    &value,
                    "a spread names the type of its value, so that its tools are known when it compiles\nhelp: write `..value: Type`",
                ));
            }
            input.parse::<Token![:]>()?;
            return Ok(Self::Many {
                value,
                ty: input.parse()?,
            });
        }
        if !input.peek(syn::Ident) && !input.peek(Token![::]) && !is_path_keyword(input) {
            return Err(input.error(
                "expected a tool\nhelp: list functions by their path, `module::function`, and types as `..value: Type`",
            ));
        }
        let path: Path = input.parse()?;
        let name = match input.parse::<Option<Token![as]>>()? {
            Some(_) => {
                let literal = input.parse::<LitStr>().map_err(|error| {
                    syn::Error::new(
                        error.span(),
                        "a tool's other name is a string\nhelp: write `as \"name\"`",
                    )
                })?;
                Some(literal)
            }
            None => None,
        };
        Ok(Self::One { path, name })
    }
}

fn is_path_keyword(input: ParseStream<'_>) -> bool {
    input.peek(Token![crate])
        || input.peek(Token![self])
        || input.peek(Token![super])
        || input.peek(Token![Self])
}

/// An expression ends at a colon here, which is no part of one.
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

/// The toolset of a list.
pub(crate) fn list(tokens: TokenStream) -> TokenStream {
    let list: List = match syn::parse2(tokens) {
        Ok(list) => list,
        Err(error) => return error.to_compile_error(),
    };
    let cx = Ctxt::new();
    for element in &list.elements {
        if let Element::One {
            name: Some(name), ..
        } = element
            && !is_tool_name(&name.value())
        {
            cx.error(
                name,
                format!(
                    "providers refuse the tool name `{}`\nhelp: give another: {TOOL_RULE}",
                    name.value()
                ),
            );
        }
    }
    let errors = cx.finish().err().map(|error| error.to_compile_error());
    expand(&list, errors)
}

fn expand(list: &List, errors: Option<TokenStream>) -> TokenStream {
    let List {
        krate,
        elements,
        state,
    } = list;
    let private = quote!(#krate::__private);
    let (tools, shared) = (local("tools"), local("state"));
    let names = elements.iter().map(|element| match element {
        Element::One {
            name: Some(name), ..
        } => quote!(#private::name_as(#name)),
        Element::One { path, name: None } => quote!(#private::name_of::<#path>()),
        Element::Many { ty, .. } => quote!(#private::names_of::<#ty>()),
    });
    let checks = elements.iter().enumerate().map(|(index, element)| {
        let place = match element {
            Element::One { path, .. } => path.to_token_stream(),
            Element::Many { ty, .. } => ty.to_token_stream(),
        };
        at(&place, &private, quote!(unique), quote!((NAMES, #index)))
    });
    // A list that has been refused is not checked further, so that one error stays one.
    let check = errors.is_none().then(|| {
        quote! {
            const _: () = {
                const NAMES: &[#private::Names] = &[#(#names),*];
                #(#checks;)*
            };
        }
    });
    let pushes = elements.iter().map(|element| match element {
        Element::One { path, name } => {
            let name = match name {
                Some(name) => quote!(::core::option::Option::Some(#name)),
                None => quote!(::core::option::Option::None),
            };
            quote!(#tools.push(#private::bound::<_, #path>(&#shared, #name));)
        }
        Element::Many { value, ty } => quote! {
            #private::group::<#ty>(&#private::Given(#value).share(), &mut #tools);
        },
    });
    let state = match state {
        Some(state) => quote!(#state),
        None => quote!(()),
    };
    let count = elements.len();
    quote! {{
        #errors
        #[allow(unused_imports)]
        use #private::Share as _;
        #check
        let #shared = #private::Given(#state).share();
        let mut #tools = #private::Vec::with_capacity(#count);
        #(#pushes)*
        #[allow(clippy::let_and_return)]
        let _ = &#shared;
        #private::toolset(#tools)
    }}
}

/// A call whose place is that of `place`.
fn at(
    place: &TokenStream,
    private: &TokenStream,
    function: TokenStream,
    arguments: TokenStream,
) -> TokenStream {
    let spans: Vec<Span> = place
        .clone()
        .into_iter()
        .map(|token| token.span())
        .collect();
    let first = spans.first().copied().unwrap_or_else(Span::call_site);
    let last = spans.last().copied().unwrap_or_else(Span::call_site);
    let path = quote_spanned!(first.resolved_at(Span::mixed_site())=> ::#function);
    let arguments = arguments.into_iter().map(|mut token| {
        token.set_span(last.resolved_at(Span::mixed_site()));
        token
    });
    quote!(#private #path #(#arguments)*)
}

fn local(name: &str) -> proc_macro2::Ident {
    proc_macro2::Ident::new(name, Span::mixed_site())
}
