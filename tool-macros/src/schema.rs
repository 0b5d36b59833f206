//! `#[derive(Schema)]`: structs with named fields, and enums without data.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Fields, LitStr, Meta, Path, Type, parse_quote};

use crate::ctxt::Ctxt;
use crate::place::Place;
use crate::{args, doc};

use case::RenameRule;

mod case;

pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let cx = Ctxt::new();
    let container = Container::read(&cx, &input.attrs);
    let kind = match &input.data {
        Data::Struct(data) => fields(&cx, &container, &data.fields, &input),
        Data::Enum(data) => variants(&cx, &container, data, &input.ident),
        Data::Union(data) => {
            cx.error(data.union_token, "a union has no JSON\nhelp: write an enum");
            TokenStream::new()
        }
    };
    let description = doc::plain(&cx, &input.attrs);
    let kind = match cx.finish() {
        Ok(()) => kind,
        Err(error) => {
            let error = error.to_compile_error();
            return fallback(&input, &container, &error);
        }
    };
    let shape = quote!(&__tool::Shape::new(__tool::Kind::#kind).described(#description));
    implement(&input, &container, &shape)
}

fn implement(input: &DeriveInput, container: &Container, shape: &TokenStream) -> TokenStream {
    let krate = &container.krate;
    let ident = &input.ident;
    let mut generics = input.generics.clone();
    for param in generics.type_params_mut() {
        param.bounds.push(parse_quote!(#krate::Schema));
    }
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    quote! {
        const _: () = {
            use #krate::__private as __tool;
            use __tool::NoJson as _;
            #[automatically_derived]
            impl #impl_generics __tool::Schema for #ident #ty_generics #where_clause {
                const SHAPE: &'static __tool::Shape = #shape;
            }
        };
    }
}

/// The type has a schema all the same, so that its uses do not echo the error.
fn fallback(input: &DeriveInput, container: &Container, error: &TokenStream) -> TokenStream {
    let tokens = implement(
        input,
        container,
        &quote!(__tool::shape_of(::core::option::Option::None)),
    );
    quote!(#error #tokens)
}

/// What the attributes of a type say.
struct Container {
    krate: Path,
    rename_all: RenameRule,
    /// Every field has a default.
    default: bool,
}

impl Container {
    fn read(cx: &Ctxt, attrs: &[Attribute]) -> Self {
        let mut container = Self {
            krate: parse_quote!(::toolwright),
            rename_all: RenameRule::None,
            default: false,
        };
        for (of, meta) in options(cx, attrs) {
            match (of, args::key(&meta).as_deref()) {
                ("schema", Some("crate")) => {
                    if let Some(path) = args::krate(cx, &meta) {
                        container.krate = path;
                    }
                }
                ("serde", Some("rename_all")) => {
                    if let Some(text) = args::text(cx, &meta) {
                        // Where there is no such rule, serde's own error lists them.
                        container.rename_all =
                            RenameRule::parse(&text.value).unwrap_or(container.rename_all);
                    }
                }
                ("serde", Some("default")) => container.default = true,
                // They say nothing about the JSON, or what the schema says anyway.
                (
                    "serde",
                    Some("crate" | "bound" | "deny_unknown_fields" | "expecting" | "rename"),
                ) => {}
                (of, key) => unsupported(cx, &meta, of, key, &["crate"]),
            }
        }
        container
    }
}

/// What the attributes of a field or a variant say.
#[derive(Default)]
struct Member {
    rename: Option<String>,
    default: Option<TokenStream>,
}

impl Member {
    fn read(cx: &Ctxt, attrs: &[Attribute]) -> Self {
        let mut member = Self::default();
        for (of, meta) in options(cx, attrs) {
            match (of, args::key(&meta).as_deref()) {
                ("serde", Some("rename")) => {
                    member.rename = args::text(cx, &meta).map(|text| text.value);
                }
                ("serde", Some("default")) => {
                    member.default = match &meta {
                        Meta::NameValue(_) => args::text(cx, &meta).and_then(|text| {
                            let literal = LitStr::new(&text.value, text.span);
                            let path: Option<Path> = cx.ok(literal.parse());
                            path.map(|path| quote_spanned!(text.span=> #path()))
                        }),
                        other => {
                            Some(quote_spanned!(other.span()=> ::core::default::Default::default()))
                        }
                    };
                }
                ("serde", Some("borrow" | "bound")) => {}
                (of, key) => unsupported(cx, &meta, of, key, &[]),
            }
        }
        member
    }
}

/// What changes the JSON and is not understood must not be passed over: the schema would lie.
fn unsupported(cx: &Ctxt, meta: &Meta, of: &str, key: Option<&str>, known: &[&str]) {
    let key = key.unwrap_or_default();
    if of == "schema" {
        args::unknown(cx, meta, key, "schema", known);
    } else {
        cx.error(
            meta,
            format!("`#[derive(Schema)]` does not know `#[serde({key})]`\nhelp: remove it, or implement `Schema` by hand, so that the schema is what serde reads"),
        );
    }
}

/// The options of `#[schema(…)]` and `#[serde(…)]`.
fn options(cx: &Ctxt, attrs: &[Attribute]) -> Vec<(&'static str, Meta)> {
    let mut options = Vec::new();
    for attr in attrs {
        let of = if attr.path().is_ident("schema") {
            "schema"
        } else if attr.path().is_ident("serde") {
            "serde"
        } else {
            continue;
        };
        if let Meta::List(list) = &attr.meta {
            let metas = args::metas(cx, list.tokens.clone());
            options.extend(metas.into_iter().map(|meta| (of, meta)));
        }
    }
    options
}

fn fields(cx: &Ctxt, container: &Container, fields: &Fields, input: &DeriveInput) -> TokenStream {
    let Fields::Named(named) = fields else {
        cx.error(
            &input.ident,
            "`#[derive(Schema)]` takes structs with named fields\nhelp: name the fields, or implement `Schema` by hand",
        );
        return TokenStream::new();
    };
    let mut taken = Vec::new();
    let rows = named.named.iter().filter_map(|field| {
        let ident = field.ident.as_ref()?.unraw().to_string();
        let member = Member::read(cx, &field.attrs);
        let name = member
            .rename
            .unwrap_or_else(|| container.rename_all.field(&ident));
        is_new(cx, &mut taken, &name, &field.ident);
        ends(cx, &input.ident, &field.ty);
        let description = doc::plain(cx, &field.attrs);
        let ty = &field.ty;
        let place = Place::of(ty);
        let (open, close) = (
            place.start(quote!(<)),
            place.end(quote!(as __tool::Schema>::SHAPE)),
        );
        let shape = quote!(#open #ty #close);
        let row = quote!(__tool::field(#name, #description, ::core::option::Option::Some(#shape)));
        let default = match (member.default, container.default) {
            (Some(value), _) => quote!(|| __tool::AsJson::<#ty>(#value).json()),
            (None, true) => quote!(|| ::core::option::Option::None),
            (None, false) => return Some(row),
        };
        Some(quote!(__tool::defaulted(#row, #default)))
    });
    let rows: Vec<_> = rows.collect();
    quote!(Object(&[#(#rows),*]))
}

/// serde would fill one of them and never the other.
fn is_new(cx: &Ctxt, taken: &mut Vec<String>, name: &str, ident: &impl ToTokens) {
    if taken.iter().any(|other| other == name) {
        cx.error(
            ident,
            format!("`{name}` is written twice by this type\nhelp: rename one: `#[serde(rename = \"…\")]`"),
        );
    }
    taken.push(name.to_owned());
}

/// A tree in `const` cannot hold itself; rustc would show the cycle and not the reason.
fn ends(cx: &Ctxt, of: &syn::Ident, ty: &Type) {
    let names = [of.to_string(), "Self".to_owned()];
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if let Some(token) = crate::ty::find(ty.to_token_stream(), &names) {
        cx.error(
            token,
            format!("`{of}` holds itself, so its schema would not end\nhelp: hold a `serde_json::Value` here, or implement `Schema` by hand"),
        );
    }
}

fn variants(
    cx: &Ctxt,
    container: &Container,
    data: &syn::DataEnum,
    ident: &syn::Ident,
) -> TokenStream {
    let mut taken = Vec::new();
    let mut rows = Vec::new();
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            cx.error(
                &variant.fields,
                "`#[derive(Schema)]` takes enums without data\nhelp: implement `Schema` by hand",
            );
            continue;
        }
        let member = Member::read(cx, &variant.attrs);
        let ident = variant.ident.unraw().to_string();
        let name = member
            .rename
            .unwrap_or_else(|| container.rename_all.variant(&ident));
        is_new(cx, &mut taken, &name, &variant.ident);
        let description = doc::plain(cx, &variant.attrs);
        rows.push(quote!(__tool::Variant { name: #name, description: #description }));
    }
    if data.variants.is_empty() {
        cx.error(
            ident,
            "an enum without variants has no value that a model could write\nhelp: add a variant",
        );
    }
    quote!(Enum(&[#(#rows),*]))
}
