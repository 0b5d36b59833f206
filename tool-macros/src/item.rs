//! `#[tool]`, `#[prompt]` and `#[resource]` on a function: it is parsed, checked and emitted.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parser;

use crate::ctxt::Ctxt;
use crate::emit::{self, fallback};
use crate::model::{Function, FunctionRole};
use crate::parse::{attr, is_body, read};
use crate::span::{quote, set_item_span_to_start};
use crate::{check, group};

/// `#[tool]` on any item.
pub(crate) fn tool(args: TokenStream, item: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    if group::is_impl(&tokens) {
        return group::group(args, item);
    }
    function_item(FunctionRole::Tool, args, &item)
}

/// `#[prompt]`, `#[resource]`, or `#[tool]` on an item other than an impl block.
pub(crate) fn function_item(
    role: FunctionRole,
    args: TokenStream,
    item: &TokenStream,
) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    // The body is last, and is not even looked through.
    if let Some(body) = tokens.pop()
        && let Ok(mut function) = Function::parse_head.parse2(tokens.into_iter().collect())
        && is_body(&body)
    {
        function.body = body.into();
        return free(role, args, function);
    }
    // A half-typed function: the compiler's errors about its tokens are better.
    let error = not_a_function(role, item.clone()).map(|error| error.to_compile_error());
    quote!(#error #item)
}

/// The error of an item that is something else.
fn not_a_function(role: FunctionRole, item: TokenStream) -> Option<syn::Error> {
    const OTHERS: [&str; 9] = [
        "struct", "enum", "union", "trait", "mod", "type", "static", "use", "impl",
    ];
    let words = item.into_iter().filter_map(|token| match token {
        TokenTree::Ident(ident) => Some(ident),
        _ => None,
    });
    let mut words = words.peekable();
    let word = loop {
        let word = words.next()?;
        if word == "fn" {
            return None;
        }
        let is_const = word == "const" && words.peek().is_some_and(|next| next != "fn");
        if is_const || OTHERS.iter().any(|other| word == other) {
            break word;
        }
    };
    let help = if word == "struct" || word == "enum" || word == "union" {
        "for the schema of a type write `#[derive(Schema)]`"
    } else {
        "put it on the functions, or on an impl block of the type"
    };
    if role != FunctionRole::Tool {
        let name = role.attribute();
        let words = format!(
            "`#[{name}]` goes on a function\nhelp: put it on a function that returns the {name}"
        );
        return Some(syn::Error::new_spanned(word, words));
    }
    Some(syn::Error::new_spanned(
        word,
        format!("`#[tool]` goes on a function or an impl block\nhelp: {help}"),
    ))
}

/// One of the attributes on a free function.
fn free(role: FunctionRole, args: TokenStream, mut function: Function) -> TokenStream {
    set_item_span_to_start(&function.sig.ident);
    let cx = Ctxt::new();
    let options = attr::options(&cx, role, args);
    let krate = options.krate();
    let handle = function.sig.ident.clone();
    check::once(&cx, role, &mut function.attrs);
    let is_method = check::is_method(&cx, role, &function.sig);
    if !is_method {
        check::body(&cx, &mut function);
    }
    let tool = read(&cx, options, &mut function);
    check::free(&cx, &tool);
    let beside = match fallback::rejected(cx, [&function.sig]) {
        None => emit::free(&tool, &handle, &krate),
        // Other items have no place beside a method.
        Some(errors) if is_method => errors,
        Some(errors) => fallback::free(&errors, &tool, &handle, &krate),
    };
    let mut tokens = function.into_token_stream();
    tokens.extend(beside);
    tokens
}
