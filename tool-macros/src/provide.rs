//! `#[derive(Provide)]`: each field of a struct is provided by its type.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Data, DeriveInput, Fields, Generics, Meta, Path, Type, TypeParamBound, WherePredicate};

use crate::ctxt::Ctxt;
use crate::parse::attr::{self, KeyValue, Table};
use crate::span::{parse_quote, quote, quote_call_site, set_item_span};
use crate::ty;

const CONTAINER: Table<Path> = Table {
    attribute: "provide",
    rows: &[("crate", |cx, it, krate| {
        if let Some(path) = attr::krate(cx, it) {
            *krate = path;
        }
    })],
};

const FIELD: Table<bool> = Table {
    attribute: "provide",
    rows: &[("skip", |cx, it, skip| {
        *skip = attr::flag(cx, it).unwrap_or(true);
    })],
};

pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    set_item_span(&input.ident);
    let cx = Ctxt::new();
    let tokens = read(&cx, &input);
    let errors = cx.finish().err().map(|error| error.to_compile_error());
    // Emits the valid part, so that its uses do not echo the errors.
    quote!(#errors #tokens)
}

fn read(cx: &Ctxt, input: &DeriveInput) -> TokenStream {
    let mut krate: Path = parse_quote!(::toolwright);
    for entry in options(cx, &input.attrs) {
        CONTAINER.read_known(cx, &entry, &mut krate);
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
    let mut provided: Vec<&Type> = Vec::new();
    let mut impls = TokenStream::new();
    let fields = match &data.fields {
        Fields::Named(_) | Fields::Unnamed(_) => data.fields.members().zip(&data.fields).collect(),
        Fields::Unit => Vec::new(),
    };
    for (member, field) in fields {
        let mut skip = false;
        for entry in options(cx, &field.attrs) {
            skip |= !FIELD.read_known(cx, &entry, &mut skip);
        }
        if skip {
            continue;
        }
        let ty = &field.ty;
        let spelled = ty.to_token_stream().to_string();
        let is_same = |other: &&Type| other.to_token_stream().to_string() == spelled;
        if provided.iter().any(is_same) {
            cx.error(
                ty,
                format!(
                    "two fields provide a `{spelled}`\nhelp: mark one of them `#[provide(skip)]`"
                ),
            );
            continue;
        }
        if let Some(other) = provided
            .iter()
            .find(|other| may_be_one(&input.generics, ty, other))
        {
            let other = other.to_token_stream();
            cx.error(
                ty,
                format!(
                    "`{spelled}` and `{other}` may be one type, and then two fields provide it\nhelp: mark one of them `#[provide(skip)]`, or give it a type of its own: `struct Of<T>(T);`"
                ),
            );
            continue;
        }
        provided.push(ty);
        let implement = quote_call_site!(impl);
        if let Some(part) = ty::shared(ty) {
            impls.extend(quote! {
                #[automatically_derived]
                #implement #impl_generics #krate::__private::ProvideShared<#part> for #ident #ty_generics #where_clause {
                    fn provide(this: &#krate::__private::Arc<Self>) -> #ty {
                        #krate::__private::Arc::clone(&this.#member)
                    }
                }
            });
        }
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

/// Returns true if two types may be the same, as far as the macro can see: one is an unbounded parameter and not part
/// of the other. Types with further bounds are left to the compiler.
fn may_be_one(generics: &Generics, one: &Type, other: &Type) -> bool {
    match (parameter(generics, one), parameter(generics, other)) {
        (Some(_), Some(_)) => true,
        (Some(param), None) => is_any(generics, param) && !mentions(other.to_token_stream(), param),
        (None, Some(param)) => is_any(generics, param) && !mentions(one.to_token_stream(), param),
        (None, None) => false,
    }
}

/// Returns the type parameter that a type is, if it is one.
fn parameter<'a>(generics: &Generics, ty: &'a Type) -> Option<&'a Ident> {
    let Type::Path(ty) = ty else { return None };
    let ident = ty.path.get_ident()?;
    let mut params = generics.type_params();
    params.any(|param| param.ident == *ident).then_some(ident)
}

/// Returns true if a parameter has no bounds but those that all state has.
fn is_any(generics: &Generics, param: &Ident) -> bool {
    let asks_more = |bound: &TypeParamBound| match bound {
        TypeParamBound::Trait(bound) => {
            let name = bound
                .path
                .segments
                .last()
                .map(|last| last.ident.to_string());
            !matches!(name.as_deref(), Some("Send" | "Sync" | "Sized"))
        }
        TypeParamBound::Lifetime(_) => false,
        _ => true,
    };
    let own = generics.type_params().filter(|own| own.ident == *param);
    let clauses = generics
        .where_clause
        .iter()
        .flat_map(|clause| &clause.predicates);
    !own.flat_map(|own| &own.bounds).any(asks_more)
        && !clauses.into_iter().any(|clause| match clause {
            WherePredicate::Type(clause) => {
                clause.bounds.iter().any(asks_more)
                    && mentions(clause.bounded_ty.to_token_stream(), param)
            }
            _ => false,
        })
}

/// Returns true if the tokens contain a name.
fn mentions(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        _ => false,
    })
}

fn options(cx: &Ctxt, attrs: &[syn::Attribute]) -> Vec<KeyValue> {
    let own = attrs.iter().filter(|attr| attr.path().is_ident("provide"));
    own.flat_map(|attr| match &attr.meta {
        Meta::List(list) => attr::entries(cx, list.tokens.clone()),
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
