//! The check in `const` that a tool's own targets accept it, each parameter at its type.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use crate::model::{FunctionRole, Tool};
use crate::span::{SpanEnds, literal, quote};

/// The check of a tool whose descriptor is `about`; nothing without targets.
pub(super) fn check(tool: &Tool, about: &TokenStream) -> TokenStream {
    let targets = &tool.options.targets;
    if targets.is_empty() {
        return TokenStream::new();
    }
    let found = targets.iter().map(|target| {
        let target = literal(target.to_string());
        quote!(__tool::dialect(#target))
    });
    let known = targets.iter().map(|target| {
        let text = literal(target.to_string());
        quote_spanned!(target.span()=> const _: () = __tool::is_dialect(#text);)
    });
    let arguments = tool.model_params().map(|param| {
        let name = literal(&param.name.value);
        let place = SpanEnds::of(&param.ty);
        let refuse = if param.flatten.is_some() {
            place.end(quote!(.refuse()))
        } else {
            place.end(quote!(.argument(#name)))
        };
        let found = place.start(quote!(FOUND));
        quote!(#found #refuse;)
    });
    let place = SpanEnds::of(&tool.ident);
    let (found_whole, refuse) = (place.start(quote!(FOUND)), place.end(quote!(.refuse())));
    let cfg = &tool.cfg;
    quote! {
        #(#cfg)*
        const _: () = {
            #(#known)*
            const FOUND: __tool::OwnTargets =
                __tool::own_targets(&[#(#found),*], #about);
            #(#arguments)*
            #found_whole #refuse;
        };
    }
}

/// The check of a prompt's or a resource's inputs: texts, from which its parameters are read.
pub(super) fn texts(tool: &Tool, about: &TokenStream) -> TokenStream {
    let is_generic = tool.generics.type_params().next().is_some();
    if tool.options.role == FunctionRole::Tool || is_generic {
        return TokenStream::new();
    }
    let checks = tool.model_params().map(|param| {
        let name = literal(&param.name.value);
        let place = SpanEnds::of(&param.ty);
        let (check, arguments) = (
            place.start(quote!(__tool::is_read_of_a_text)),
            place.end(quote!((#about, #name))),
        );
        quote!(#check #arguments;)
    });
    let cfg = &tool.cfg;
    quote! {
        #(#cfg)*
        const _: () = {
            #(#checks)*
        };
    }
}
