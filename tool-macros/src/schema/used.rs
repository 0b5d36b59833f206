//! The type parameters that a type's JSON is made of: only they need a schema.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Data, DeriveInput, Meta, Type};

use super::recursive::last_segment;

/// The parameters in the type of a field, or in an attribute that names a type. A `PhantomData`, a skipped field
/// and one whose JSON an attribute says need no schema.
pub(super) fn params(input: &DeriveInput) -> Vec<Ident> {
    let all: Vec<_> = input
        .generics
        .type_params()
        .map(|param| param.ident.clone())
        .collect();
    if all.is_empty() {
        return all;
    }
    let mut found = Vec::new();
    let mut note = |tokens: TokenStream| idents(tokens, &all, &mut found);
    let fields: Vec<&syn::Field> = match &input.data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data
            .variants
            .iter()
            .flat_map(|variant| &variant.fields)
            .collect(),
        Data::Union(_) => Vec::new(),
    };
    for attr in &input.attrs {
        texts(&attr.meta, &mut note);
    }
    for field in fields {
        let is_marker = last_segment(&field.ty).is_some_and(|last| last == "PhantomData");
        if is_marker || has(field, "serde", &["skip"]) {
            continue;
        }
        let is_said = has(field, "schema", &["as", "schema_with"])
            || has(field, "schemars", &["schema_with"]);
        if !is_said {
            note(field.ty.to_token_stream());
        }
        for attr in &field.attrs {
            texts(&attr.meta, &mut note);
        }
    }
    found
}

/// The tokens of an attribute, and those in its strings that are types (`into = "T"`).
fn texts(meta: &Meta, note: &mut impl FnMut(TokenStream)) {
    let Meta::List(list) = meta else { return };
    let is_read = ["serde", "schemars", "schema"];
    if !is_read.iter().any(|name| list.path.is_ident(name)) {
        return;
    }
    let mut key = String::new();
    for token in list.tokens.clone() {
        match token {
            TokenTree::Ident(ident) => {
                key = ident.to_string();
                note(TokenTree::Ident(ident).into());
            }
            TokenTree::Literal(literal)
                if ["from", "try_from", "into", "with"].contains(&key.as_str()) =>
            {
                let text = literal.to_string();
                let ty = syn::parse_str::<Type>(text.trim_matches('"'));
                note(ty.map(ToTokens::into_token_stream).unwrap_or_default());
            }
            _ => {}
        }
    }
}

/// Returns true if the field has one of these keys in an attribute of this name.
fn has(field: &syn::Field, name: &str, keys: &[&str]) -> bool {
    field.attrs.iter().any(|attr| {
        let mut found = false;
        if attr.path().is_ident(name) {
            // The reader of the attribute refuses a malformed list.
            let _ = attr.parse_nested_meta(|meta| {
                found |= keys.iter().any(|key| meta.path.is_ident(key));
                if let Ok(value) = meta.value() {
                    let _: syn::Expr = value.parse()?;
                }
                Ok(())
            });
        }
        found
    })
}

/// Collects the type parameters that need a schema. For `T::Item` the associated type needs one, and the author writes
/// that bound.
fn idents(tokens: TokenStream, all: &[Ident], found: &mut Vec<Ident>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) if all.contains(&ident) && !found.contains(&ident) => {
                let is_path =
                    matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
                if !is_path {
                    found.push(ident);
                }
            }
            TokenTree::Group(group) => idents(group.stream(), all, found),
            _ => {}
        }
    }
}
