//! `#[derive(Provide)]`: each field of a struct is provided by its type.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Data, DeriveInput, Fields, Meta, Path};

use crate::args;
use crate::ctxt::Ctxt;
use crate::place::{parse_quote, quiet, quote, stand_on};

pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    stand_on(&input.ident);
    let cx = Ctxt::new();
    let tokens = read(&cx, &input);
    let errors = cx.finish().err().map(|error| error.to_compile_error());
    // What can be provided is, so that the uses of it do not echo the errors.
    quote!(#errors #tokens)
}

fn read(cx: &Ctxt, input: &DeriveInput) -> TokenStream {
    let mut krate: Path = parse_quote!(::toolwright);
    for meta in options(cx, &input.attrs) {
        match args::key(&meta).as_deref() {
            Some("crate") => krate = args::krate(cx, &meta).unwrap_or_else(|| krate.clone()),
            key => args::unknown(cx, &meta, key.unwrap_or_default(), "provide", &["crate"]),
        }
    }
    let Data::Struct(data) = &input.data else {
        cx.error(
            &input.ident,
            "only a struct provides its fields\nhelp: implement `Provide` by hand",
        );
        return TokenStream::new();
    };
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let ident = &input.ident;
    let mut provided: Vec<String> = Vec::new();
    let mut impls = TokenStream::new();
    let fields = match &data.fields {
        Fields::Named(_) | Fields::Unnamed(_) => data.fields.members().zip(&data.fields).collect(),
        Fields::Unit => Vec::new(),
    };
    for (member, field) in fields {
        let mut skip = false;
        for meta in options(cx, &field.attrs) {
            match args::key(&meta).as_deref() {
                Some("skip") => skip = args::flag(cx, &meta).unwrap_or(true),
                key => {
                    args::unknown(cx, &meta, key.unwrap_or_default(), "provide", &["skip"]);
                    skip = true;
                }
            }
        }
        if skip {
            continue;
        }
        let ty = &field.ty;
        let spelled = ty.to_token_stream().to_string();
        if provided.contains(&spelled) {
            cx.error(
                ty,
                format!(
                    "two fields provide a `{spelled}`\nhelp: mark one of them `#[provide(skip)]`"
                ),
            );
            continue;
        }
        provided.push(spelled);
        let implement = quiet!(impl);
        impls.extend(quote! {
            #[allow(unused_qualifications, clippy::absolute_paths)]
            #[automatically_derived]
            #implement #impl_generics #krate::Provide<#ty> for #ident #ty_generics #where_clause {
                fn provide(&self) -> &#ty {
                    &self.#member
                }
            }
        });
    }
    impls
}

fn options(cx: &Ctxt, attrs: &[syn::Attribute]) -> Vec<Meta> {
    let own = attrs.iter().filter(|attr| attr.path().is_ident("provide"));
    own.flat_map(|attr| match &attr.meta {
        Meta::List(list) => args::metas(cx, list.tokens.clone()),
        other => {
            cx.error(
                other,
                "`#[provide]` says nothing\nhelp: write `#[provide(skip)]` or remove it",
            );
            Vec::new()
        }
    })
    .collect()
}
