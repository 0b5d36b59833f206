//! `#[derive(Schema)]`: a type's JSON, as serde reads and writes it, as a tree in `const`.
//!
//! `attr` reads the attributes of serde, schemars and ours, `option` their options; `bounds` reads ranges, lengths and
//! the like, `pattern` regular expressions; `bytes` finds the types that serde reads as bytes; `body` and `variants`
//! make the tree; `used` finds the type parameters in it; `recursive` cuts edges back to the type.

use proc_macro2::TokenStream;
use syn::{Data, DeriveInput, GenericParam};

use crate::ctxt::Ctxt;
use crate::parse::doc;
use crate::span::{literal, local, parse_quote, quote, quote_call_site, set_item_span};

use attr::ContainerAttrs;

mod attr;
mod body;
mod bytes;
mod case;
mod option;
mod parts;
mod recursive;
mod serde_attr;
mod used;
mod variants;

pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    set_item_span(&input.ident);
    let cx = Ctxt::new();
    let container = ContainerAttrs::read(&cx, &input.attrs);
    let mut body = body::TypeBody::new(&cx, &container, &input);
    let kind = match &input.data {
        Data::Struct(data) => body.structure(data),
        Data::Enum(data) => body.enumeration(data),
        Data::Union(data) => {
            cx.error(data.union_token, "a union has no JSON\nhelp: use an enum");
            TokenStream::new()
        }
    };
    let kind = container.sides(kind, &mut body);
    let whole = quote!(&__tool::Shape::new(#kind));
    let kind = container.bounds.narrow(&whole).unwrap_or(kind);
    let mut parts = body.finish();
    parts.fits.extend(container.bounds.fits(&whole));
    let description = match &container.description {
        Some(words) => words.clone(),
        None => doc::plain(&cx, &input.attrs),
    };
    let title = container
        .title
        .as_ref()
        .map_or("", |text| text.value.as_str());
    let description = (!description.is_empty()).then(|| quote!(description: #description,));
    let title = (!title.is_empty()).then(|| {
        let title = literal(title);
        quote!(title: #title,)
    });
    let secret = container.secret.then(|| quote!(.secret()));
    match cx.finish() {
        Ok(()) => {
            let shape = quote! {
                &__tool::Shape {
                    #description
                    #title
                    id: <Self as __tool::Schema>::ID,
                    ..__tool::Shape::new(#kind)#secret
                }
            };
            implement(&input, &container, &shape, &parts)
        }
        Err(error) => {
            // The type has a schema all the same, so that its uses do not echo the error.
            let error = error.to_compile_error();
            let shape = quote!(&__tool::Shape::new(__tool::Kind::Unknown));
            let tokens = implement(&input, &container, &shape, &body::SchemaParts::default());
            quote!(#error #tokens)
        }
    }
}

/// The generics with bounds for the type parameters that fields use, and the id of the type.
fn with_schemas(input: &DeriveInput, krate: &syn::Path) -> (syn::Generics, TokenStream) {
    let ident = &input.ident;
    let mut generics = input.generics.clone();
    let mut id = quote! {
        __tool::id_of!(#ident)
    };
    let used = used::params(input);
    for param in &mut generics.params {
        if let GenericParam::Type(param) = param
            && used.contains(&param.ident)
        {
            let name = &param.ident;
            param.bounds.push(parse_quote!(#krate::Schema));
            id = quote!(#id.with(<#name as __tool::Schema>::ID));
        }
    }
    (generics, id)
}

fn implement(
    input: &DeriveInput,
    container: &ContainerAttrs,
    shape: &TokenStream,
    parts: &body::SchemaParts,
) -> TokenStream {
    let krate = &container.krate();
    let ident = &input.ident;
    let (generics, id) = with_schemas(input, krate);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let body::SchemaParts {
        refs, checks, fits, ..
    } = parts;
    let refs = if refs.is_empty() {
        quote!(__tool::Refs::NONE)
    } else {
        quote!(__tool::Refs::through(&[#(#refs),*]))
    };
    let checks = (!checks.is_empty()).then(|| {
        quote! {
            fn __check() { #(#checks)* }
        }
    });
    // Reports wrong bounds and cycles at the type and not at its uses.
    let is_generic = input.generics.type_params().next().is_some()
        || input.generics.const_params().next().is_some();
    let flattened = parts.flattens.then(|| {
        quote!(<Self as __tool::Derived>::__mark_a_field_of_this_cycle_with_schema_recursive.flattened_fits();)
    });
    let looks = !fits.is_empty() || flattened.is_some();
    let eager = (!is_generic).then(|| {
        let lifetimes = input.generics.lifetimes().map(|_| quote!('static));
        let ty = quote!(#ident<#(#lifetimes),*>);
        let fits = looks.then(|| quote!(const _: () = <#ty as __tool::Derived>::__bounds;));
        quote! {
            const _: &__tool::Shape =
                <#ty as __tool::Derived>::__mark_a_field_of_this_cycle_with_schema_recursive;
            #fits
        }
    });
    let fits =
        (!is_generic && looks).then(|| quote!(const __bounds: () = { #(#fits)* #flattened };));
    // Which keys a generic type has is known where somebody uses it.
    let tree =
        quote!(<Self as __tool::Derived>::__mark_a_field_of_this_cycle_with_schema_recursive);
    let tree = match flattened {
        Some(flattened) if is_generic => quote!({ #flattened #tree }),
        _ => tree,
    };
    let json_schema = container.json_schema.then(|| json_schema(input, &generics));
    let implement = quote_call_site!(impl);
    let imports = quote_call_site! {
        use #krate::__private as __tool;
        use __tool::find::*;
    };
    // rustc reports a cycle between types by the names of constants, so this name says the fix. As a constant of the
    // type, an editor would offer it.
    quote! {
        #[allow(unused_qualifications, clippy::absolute_paths)]
        const _: () = {
            #imports
            #[automatically_derived]
            #implement #impl_generics __tool::Derived for #ident #ty_generics #where_clause {
                const __mark_a_field_of_this_cycle_with_schema_recursive: &'static __tool::Shape = #shape;
                #fits
                #checks
            }
            #[automatically_derived]
            #implement #impl_generics __tool::Schema for #ident #ty_generics #where_clause {
                const ID: __tool::Id = #id;
                const SHAPE: &'static __tool::Shape = #tree;
                const REFS: &'static __tool::Refs = &#refs;
            }
            #eager
            #json_schema
        };
    }
}

/// schemars' trait, from our tree.
fn json_schema(input: &DeriveInput, generics: &syn::Generics) -> TokenStream {
    let (ident, generator) = (&input.ident, local("generator"));
    let name = literal(ident.to_string());
    let implement = quote_call_site!(impl);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let implement = quote! {
        #[automatically_derived]
        #implement #impl_generics __tool::schemars::JsonSchema for #ident #ty_generics #where_clause {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(#name)
            }

            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Owned(::std::format!("{}:{}", #name, <Self as __tool::Schema>::ID.hash))
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(#generator: &mut __tool::schemars::SchemaGenerator) -> __tool::schemars::Schema {
                __tool::to_schemars(<Self as __tool::Schema>::SHAPE, #generator)
            }
        }
    };
    quote!(__tool::with_schemars! { "#[schema(json_schema)]" #implement })
}
