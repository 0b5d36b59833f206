//! Stand-ins for rejected items, so that an error is not followed by its echoes.

use proc_macro2::{Ident, TokenStream};
use syn::{Generics, Path, Type};

use crate::emit::{Args, companion, shared};
use crate::model::Tool;
use crate::span::quote;

/// The struct of a free function, as a tool that any list takes.
pub(crate) fn free(error: &syn::Error, tool: &Tool, handle: &Ident, krate: &Path) -> TokenStream {
    let errors = error.to_compile_error();
    let (impl_generics, ty_generics, where_clause) = tool.generics.split_for_impl();
    let items = quote! {
        #[automatically_derived]
        impl #impl_generics __tool::Stateless for #handle #ty_generics #where_clause {
            type Params = [__tool::Param; 0];
            const TOOL_NAME: &'static str = "";
            const TABLE: __tool::Table<Self::Params> = ("", [], __tool::NO_OUTPUT);
        }
    };
    let args = Args::of(tool, None, krate).filter(|_| tool.options.args.as_ref() != Some(handle));
    let (args, debug) = args.map(|args| (args.item(), args.debug())).unzip();
    let beside = companion(tool, handle, krate, None, &quote!(#items #debug));
    quote!(#errors #args #beside)
}

/// An empty list of tools for a type.
pub(crate) fn group(
    error: &syn::Error,
    ty: &Type,
    generics: &Generics,
    krate: &Path,
) -> TokenStream {
    let errors = error.to_compile_error();
    let (impl_generics, _, _) = generics.split_for_impl();
    let shared = shared(generics, ty);
    let (_, _, where_clause) = shared.split_for_impl();
    quote! {
        #errors
        #[automatically_derived]
        impl #impl_generics #krate::__private::OneToolImplPerType for #ty #where_clause {
            const TOOLS: #krate::__private::Offers<Self> = #krate::__private::Offers::NONE;
        }
    }
}
