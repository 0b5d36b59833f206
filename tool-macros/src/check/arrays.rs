//! Rules for arrays in the types of parameters.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

use crate::ctxt::Ctxt;
use crate::model::Tool;

/// serde reads arrays of lengths that it knows, so an array whose length is a parameter cannot be an argument.
pub(super) fn have_a_length(cx: &Ctxt, tool: &Tool) {
    fn open(tokens: TokenStream, lengths: &[String]) -> Option<TokenTree> {
        tokens.into_iter().find_map(|token| {
            let TokenTree::Group(group) = &token else {
                return None;
            };
            let inner: Vec<_> = group.stream().into_iter().collect();
            match inner.as_slice() {
                [.., TokenTree::Punct(semicolon), TokenTree::Ident(length)]
                    if semicolon.as_char() == ';' && lengths.contains(&length.to_string()) =>
                {
                    Some(token)
                }
                _ => open(group.stream(), lengths),
            }
        })
    }
    let lengths = tool.generics.const_params();
    let lengths: Vec<_> = lengths.map(|length| length.ident.to_string()).collect();
    // A bound may say that serde reads the lengths that the tool is listed with.
    let bounds = tool.generics.where_clause.to_token_stream();
    if lengths.is_empty() || open(bounds, &lengths).is_some() {
        return;
    }
    for param in tool.model_params() {
        if let Some(array) = open(param.ty.to_token_stream(), &lengths) {
            cx.error(
                array,
                format!("serde does not read an array whose length is a parameter, as `{}` of tool `{}`\nhelp: take a `Vec`, and compare its length in the function", param.name.value, tool.name.value),
            );
        }
    }
}
