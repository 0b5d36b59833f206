//! Items beside a free function, both for a tool and for a rejected item.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{GenericParam, Path};

use crate::model::Tool;
use crate::span::{
    call_site_at_item, generated, not_in_editor, not_looked_into_in_editor, quote, quote_call_site,
    start,
};

/// A function's struct and the items that describe it, under the function's conditions.
pub(crate) fn companion(
    tool: &Tool,
    handle: &Ident,
    krate: &Path,
    allowed: Option<&TokenStream>,
    items: &TokenStream,
) -> TokenStream {
    let handle_struct = handle_struct(tool, handle);
    let imports = quote_call_site!(use #krate::__private as __tool;);
    let cfg = &tool.cfg;
    let hidden = not_in_editor();
    let handle_struct = generated(quote!(#(#cfg)* #hidden #handle_struct));
    let skip = not_looked_into_in_editor();
    quote! {
        #handle_struct
        #(#cfg)*
        #skip
        #allowed
        const _: () = {
            #imports
            #items
        };
    }
}

/// The struct beside a function: a brace struct takes no name from values. It has the function's generics without their
/// bounds, which are checked once, where the tool is listed.
fn handle_struct(tool: &Tool, handle: &Ident) -> TokenStream {
    let (vis, generics) = (&tool.vis, &tool.generics);
    let params = generics.params.iter().map(|param| match param {
        GenericParam::Const(param) => {
            let (ident, ty) = (&param.ident, &param.ty);
            quote!(const #ident: #ty)
        }
        GenericParam::Type(param) => param.ident.to_token_stream(),
        GenericParam::Lifetime(param) => param.to_token_stream(),
    });
    let params = (!generics.params.is_empty()).then(|| quote!(<#(#params),*>));
    let types = generics.type_params().map(|param| &param.ident);
    let phantom = (!generics.params.is_empty())
        .then(|| quote!(__tool: ::core::marker::PhantomData<(#(fn() -> *const #types,)*)>));
    let place = call_site_at_item().located_at(handle.span());
    let mut name = handle.clone();
    name.set_span(place);
    if name == "gen" {
        // A keyword of the macros' edition, which comes with their hygiene, and not of every user's.
        name = Ident::new_raw("gen", place);
    }
    // A struct that the name is taken for is an error at the function's name.
    let place = tool.ident.span();
    let keyword = quote_spanned!(start(place)=> struct);
    let fields = quote_spanned!(place=> { #phantom });
    quote_call_site! {
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #vis #keyword #name #params #fields
    }
}

/// Implements the marker of tools with generic parameters, if the tool has any.
pub(crate) fn bind_generic(
    tool: &Tool,
    handle: &Ident,
    bind_generics: &impl ToTokens,
) -> Option<TokenStream> {
    let (_, ty_generics, where_clause) = tool.generics.split_for_impl();
    let implement = quote_call_site!(impl);
    (!tool.generics.params.is_empty()).then(|| {
        quote! {
            #[automatically_derived]
            #implement #bind_generics __tool::BindGeneric<__S> for #handle #ty_generics #where_clause {}
        }
    })
}
