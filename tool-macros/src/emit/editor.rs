//! The code that an editor reads in place of a tool's generated code: the expressions in its attributes.

use proc_macro2::TokenStream;
use quote::ToTokens;

use crate::model::{DefaultValue, Description, Tool};
use crate::span::{in_editor, quote};
use crate::ty::{self, static_lifetimes};

/// Generates a constant with the expressions, each at its type if the type is known. A generic tool has no constant:
/// its parameters have no meaning here.
pub(super) fn values(tool: &Tool) -> Option<TokenStream> {
    let mut values = Vec::new();
    for param in tool.model_params() {
        if let Some(DefaultValue::Expr(expr)) = &param.default
            && !(ty::is_str(expr) && ty::is_owned_text(&param.ty))
        {
            let ty = static_lifetimes(param.ty.to_token_stream());
            values.push(quote!(let _: #ty = #expr;));
        }
        values.extend(param.example.iter().map(|expr| quote!(let _ = #expr;)));
    }
    let descriptions = tool.model_params().map(|param| &param.description);
    for words in descriptions.chain([&tool.description]) {
        if let Description::Const(expr) = words {
            values.push(quote!(let _ = #expr;));
        }
    }
    let paths = [&tool.options.validate, &tool.options.visible];
    values.extend(
        paths
            .into_iter()
            .flatten()
            .map(|path| quote!(let _ = #path;)),
    );
    if values.is_empty() || !tool.generics.params.is_empty() {
        return None;
    }
    let (cfg, item) = (
        &tool.cfg,
        in_editor(&quote!(const _: fn() = || { #(#values)* };)),
    );
    Some(quote!(#(#cfg)* #item))
}
