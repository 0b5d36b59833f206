//! Stand-ins for rejected items, so that an error is not followed by its echoes.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{FnArg, Generics, Path, ReturnType, Signature, Type};

use crate::ctxt::Ctxt;
use crate::emit::{Args, companion, shared};
use crate::model::Tool;
use crate::span::quote;
use crate::ty;

/// Returns the errors of rejected functions: none of ours for a `_` in place of a type, which the compiler reports itself.
pub(crate) fn rejected<'s>(
    cx: Ctxt,
    sigs: impl IntoIterator<Item = &'s Signature>,
) -> Option<TokenStream> {
    match cx.finish() {
        Err(error) => Some(error.to_compile_error()),
        Ok(()) => {
            let mut sigs = sigs.into_iter();
            sigs.any(has_placeholder).then(TokenStream::new)
        }
    }
}

fn has_placeholder(sig: &Signature) -> bool {
    let params = sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(param) => Some(param.ty.to_token_stream()),
        FnArg::Receiver(_) => None,
    });
    let output = match &sig.output {
        ReturnType::Type(_, ty) => Some(ty.to_token_stream()),
        ReturnType::Default => None,
    };
    params.chain(output).any(ty::has_placeholder)
}

/// The struct of a free function, as a tool that any list takes.
pub(crate) fn free(errors: &TokenStream, tool: &Tool, handle: &Ident, krate: &Path) -> TokenStream {
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
    errors: &TokenStream,
    ty: &Type,
    generics: &Generics,
    krate: &Path,
) -> TokenStream {
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
