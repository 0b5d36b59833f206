//! Fields and variants, as a tree.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DataEnum, DataStruct, DeriveInput, Fields, Type, Variant};

use crate::ctxt::Ctxt;
use crate::doc;

use super::attr::{Container, Member, Sided, Tagging};
use super::case::RenameRule;
use super::recursive;
use super::serde_attr::Place;

/// What stands beside the tree.
#[derive(Default)]
pub(super) struct Parts {
    /// The `REFS` of the types that the type is made of.
    pub(super) refs: Vec<TokenStream>,
    /// The bounds on the types of its fields.
    pub(super) checks: Vec<TokenStream>,
}

/// Makes the tree of one type.
pub(super) struct Body<'a> {
    cx: &'a Ctxt,
    container: &'a Container,
    input: &'a DeriveInput,
    parts: Parts,
}

impl<'a> Body<'a> {
    pub(super) fn new(cx: &'a Ctxt, container: &'a Container, input: &'a DeriveInput) -> Self {
        Self {
            cx,
            container,
            input,
            parts: Parts::default(),
        }
    }

    pub(super) fn finish(self) -> Parts {
        self.parts
    }

    /// The kind of a struct.
    pub(super) fn structure(&mut self, data: &DataStruct) -> TokenStream {
        if self.container.transparent {
            return self.transparent(&data.fields);
        }
        let rules = self.container.rename_all.clone();
        let kind = self.fields(&data.fields, &rules, true);
        match (&self.container.tagging, &data.fields) {
            // A struct may carry a tag too: its own name.
            (Tagging::Internal(tag), Fields::Named(_)) => {
                let name = self.input.ident.to_string();
                let tag = tag_field(tag, &Sided { input: name.clone(), output: name });
                let rest = flat(&kind);
                quote!(__tool::Kind::Object(__tool::Object { fields: &[#tag, #rest], open: false }))
            }
            _ => kind,
        }
    }

    /// The one field of a transparent struct, in the struct's place.
    fn transparent(&mut self, fields: &Fields) -> TokenStream {
        let read = |field: &&syn::Field| {
            let member = Member::read(self.cx, &field.attrs, Place::Field);
            !(member.skip_input && member.skip_output)
        };
        let all: Vec<_> = fields.iter().filter(read).collect();
        // serde says so if there is more than one.
        let Some(field) = all.first() else {
            return quote!(__tool::Kind::Null);
        };
        let member = Member::read(self.cx, &field.attrs, Place::Field);
        let ty = member.seen_as.as_ref().unwrap_or(&field.ty).clone();
        let shape = self.shape_of(&ty, member.recursive);
        match member.bounds.tokens() {
            Some(bounds) => quote!(__tool::Kind::Narrow(#shape, #bounds)),
            None => quote!(__tool::Kind::Narrow(#shape, __tool::Bounds::NONE)),
        }
    }

    /// The kind of a struct's or a variant's fields.
    fn fields(&mut self, fields: &Fields, rules: &Sided<RenameRule>, is_struct: bool) -> TokenStream {
        match fields {
            Fields::Unit => quote!(__tool::Kind::Null),
            Fields::Named(named) => {
                let rows: Vec<_> = named
                    .named
                    .iter()
                    .filter_map(|field| self.field(field, rules, is_struct))
                    .collect();
                let open = self.container.open;
                quote!(__tool::Kind::Object(__tool::Object { fields: &[#(#rows),*], open: #open }))
            }
            Fields::Unnamed(unnamed) => {
                let mut shapes = Vec::new();
                for field in &unnamed.unnamed {
                    let member = Member::read(self.cx, &field.attrs, Place::Field);
                    if member.skip_input && member.skip_output {
                        continue;
                    }
                    let ty = member.seen_as.as_ref().unwrap_or(&field.ty).clone();
                    let shape = self.shape_of(&ty, member.recursive);
                    shapes.push(match member.bounds.tokens() {
                        Some(bounds) => {
                            quote!(&__tool::Shape::new(__tool::Kind::Narrow(#shape, #bounds)))
                        }
                        None => shape,
                    });
                }
                match (unnamed.unnamed.len(), shapes.as_slice()) {
                    (1, [one]) => quote!(__tool::Kind::Narrow(#one, __tool::Bounds::NONE)),
                    _ => quote!(__tool::Kind::Tuple(&[#(#shapes),*])),
                }
            }
        }
    }

    /// One row of an object; none for a field that is neither read nor written.
    fn field(
        &mut self,
        field: &syn::Field,
        rules: &Sided<RenameRule>,
        is_struct: bool,
    ) -> Option<TokenStream> {
        let ident = field.ident.as_ref()?;
        let member = Member::read(self.cx, &field.attrs, Place::Field);
        if member.skip_input && member.skip_output {
            return None;
        }
        let names = member.names(ident, |output, name| {
            let rule = if output { rules.output } else { rules.input };
            rule.field(name)
        });
        let description = match &member.description {
            Some(text) => text.value.clone(),
            None => doc::plain(self.cx, &field.attrs),
        };
        let ty = member.seen_as.as_ref().unwrap_or(&field.ty).clone();
        let mut shape = self.shape_of(&ty, member.recursive);
        if let Some(bounds) = member.bounds.tokens() {
            shape = quote!(&__tool::Shape::new(__tool::Kind::Narrow(#shape, #bounds)));
        }
        let input = &names.input;
        let mut row = quote!(__tool::Field::new(#input, #description, #shape));
        if names.output != names.input {
            let output = &names.output;
            row.extend(quote!(.written_as(#output)));
        }
        if let Some(title) = &member.title {
            let title = &title.value;
            row.extend(quote!(.titled(#title)));
        }
        if is_option(&ty) {
            row.extend(quote!(.optional()));
        }
        row.extend(self.default(&member, field, ident, is_struct));
        if let Some(example) = &member.example {
            row.extend(quote!(.exemplified(|| __tool::AsJson(#example).json())));
        }
        if member.flatten {
            row.extend(quote!(.flattened()));
        }
        if member.deprecated {
            row.extend(quote!(.deprecated()));
        }
        if member.skip_input {
            row.extend(quote!(.not_read()));
        }
        if member.skip_output {
            row.extend(quote!(.not_written()));
        } else if member.skip_output_if {
            row.extend(quote!(.sometimes_written()));
        }
        Some(row)
    }

    /// The default of a field, its own or its struct's.
    fn default(
        &self,
        member: &Member,
        field: &syn::Field,
        ident: &syn::Ident,
        is_struct: bool,
    ) -> Option<TokenStream> {
        let ty = &field.ty;
        if let Some(value) = &member.default {
            // What a function of the field's own makes of it is not what `Serialize` writes.
            if member.seen_as.is_some() {
                return Some(quote!(.defaulted(|| ::core::option::Option::None)));
            }
            return Some(quote!(.defaulted(|| {
                let value: #ty = #value;
                __tool::AsJson(value).json()
            })));
        }
        if !is_struct || !self.container.has_default {
            return None;
        }
        let value = self.container.default.as_ref();
        let json = match (value, member.seen_as.is_some()) {
            (Some(value), false) => quote! {{
                let value: Self = #value;
                __tool::AsJson(&value.#ident).json()
            }},
            _ => quote!(::core::option::Option::None),
        };
        Some(quote!(.defaulted(|| #json)))
    }

    /// The tree of a type that a field has.
    pub(super) fn shape_of(&mut self, ty: &Type, marked: bool) -> TokenStream {
        let cut = if marked {
            recursive::marked(ty)
        } else {
            recursive::direct(ty, &self.input.ident)
        };
        let ty = &cut;
        if let Ok(parsed) = syn::parse2::<Type>(ty.clone())
            && recursive::is_plain(&parsed)
        {
            return quote_spanned!(ty.span()=> <#ty as __tool::Schema>::SHAPE);
        }
        self.parts
            .refs
            .push(quote!(__tool::refs_of(__tool::Has::<#ty>::REFS)));
        self.parts.checks.push(quote! {
            let _ = __tool::has_schema::<#ty, _>((&&&__tool::SchemaOf::<#ty>::NEW).find());
        });
        quote!(__tool::known(__tool::Has::<#ty>::SHAPE, __tool::Told::<#ty>::SHAPE))
    }

    /// The kind of an enum.
    pub(super) fn enumeration(&mut self, data: &DataEnum) -> TokenStream {
        if data.variants.is_empty() {
            self.cx.error(
                data.enum_token,
                "an enum without variants has no value that a model could write\nhelp: add a variant",
            );
            return TokenStream::new();
        }
        let variants: Vec<_> = data
            .variants
            .iter()
            .map(|variant| (variant, Member::read(self.cx, &variant.attrs, Place::Variant)))
            .collect();
        let one_sided = variants
            .iter()
            .any(|(_, member)| member.skip_input != member.skip_output);
        let input = self.members(&variants, |member| !member.skip_input);
        if !one_sided {
            return input;
        }
        let output = self.members(&variants, |member| !member.skip_output);
        quote!(__tool::Kind::Sides {
            input: &__tool::Shape::new(#input),
            output: &__tool::Shape::new(#output),
        })
    }

    /// The union of the variants that are there; those without data are one member together.
    fn members(
        &mut self,
        variants: &[(&Variant, Member)],
        is_there: impl Fn(&Member) -> bool,
    ) -> TokenStream {
        let container = self.container;
        let mut members: Vec<TokenStream> = Vec::new();
        let mut units: Vec<TokenStream> = Vec::new();
        let mut first_unit = 0;
        let mut buffered = false;
        for (variant, member) in variants.iter().filter(|(_, member)| is_there(member)) {
            let tagging = if member.untagged {
                &Tagging::Untagged
            } else {
                &container.tagging
            };
            buffered |= matches!(tagging, Tagging::Untagged | Tagging::Internal(_));
            let names = member.names(&variant.ident, |output, name| {
                let rules = &container.rename_all;
                let rule = if output { rules.output } else { rules.input };
                rule.variant(name)
            });
            let description = match &member.description {
                Some(text) => text.value.clone(),
                None => doc::plain(self.cx, &variant.attrs),
            };
            let is_unit = matches!(variant.fields, Fields::Unit);
            if is_unit && *tagging == Tagging::External {
                if units.is_empty() {
                    first_unit = members.len();
                }
                let Sided { input, output } = &names;
                units.push(quote!(__tool::Variant {
                    name: #input,
                    output_name: #output,
                    description: #description,
                }));
                continue;
            }
            let kind = self.variant(variant, member, tagging, &names);
            members.push(quote!(__tool::Shape::new(#kind).described(#description)));
        }
        if members.is_empty() {
            return quote!(__tool::Kind::Enum(&[#(#units),*]));
        }
        if !units.is_empty() {
            members.insert(
                first_unit,
                quote!(__tool::Shape::new(__tool::Kind::Enum(&[#(#units),*]))),
            );
        }
        quote!(__tool::Kind::Union(__tool::Union {
            members: &[#(#members),*],
            buffered: #buffered,
        }))
    }

    /// The kind of a variant that has data or a tag of its own.
    fn variant(
        &mut self,
        variant: &Variant,
        member: &Member,
        tagging: &Tagging,
        names: &Sided<String>,
    ) -> TokenStream {
        let rules = member
            .rename_all
            .clone()
            .unwrap_or_else(|| self.container.rename_all_fields.clone());
        let content = match &member.seen_as {
            Some(ty) => {
                let shape = self.shape_of(ty, member.recursive);
                quote!(__tool::Kind::Narrow(#shape, __tool::Bounds::NONE))
            }
            None => self.fields(&variant.fields, &rules, false),
        };
        let is_unit = matches!(variant.fields, Fields::Unit) && member.seen_as.is_none();
        let object = |fields: TokenStream| {
            quote!(__tool::Kind::Object(__tool::Object { fields: &[#fields], open: false }))
        };
        match tagging {
            Tagging::Untagged => content,
            Tagging::External => {
                let Sided { input, output } = names;
                object(quote! {
                    __tool::Field::new(#input, "", &__tool::Shape::new(#content)).written_as(#output).always()
                })
            }
            Tagging::Adjacent(tag, key) => {
                let tag = tag_field(tag, names);
                if is_unit {
                    return object(tag);
                }
                object(quote! {
                    #tag, __tool::Field::new(#key, "", &__tool::Shape::new(#content))
                })
            }
            Tagging::Internal(tag) => {
                let tag = tag_field(tag, names);
                if is_unit {
                    return object(tag);
                }
                let rest = flat(&content);
                object(quote!(#tag, #rest))
            }
        }
    }
}

/// The key that says which variant it is.
fn tag_field(tag: &str, names: &Sided<String>) -> TokenStream {
    let Sided { input, output } = names;
    quote! {
        __tool::Field::new(#tag, "", &__tool::Shape::new(__tool::Kind::Enum(&[__tool::Variant {
            name: #input,
            output_name: #output,
            description: "",
        }])))
    }
}

/// An object's keys, in the place of a field.
fn flat(kind: &TokenStream) -> TokenStream {
    quote!(__tool::Field::new("", "", &__tool::Shape::new(#kind)).flattened())
}

/// Whether the type is spelled as an `Option`: it may be missing, even if its schema is foreign.
fn is_option(ty: &Type) -> bool {
    match crate::ty::bare(ty) {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == "Option"),
        _ => false,
    }
}
