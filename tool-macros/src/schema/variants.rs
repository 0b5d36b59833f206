//! The variants of an enum, as a tree.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::{DataEnum, Fields, Variant};

use crate::model::Description;
use crate::parse::doc;
use crate::span::{ident, literal, quote};

use super::attr::{MemberAttrs, PerSide, Tagging};
use super::body::{FieldAttrs, NamedMember, TypeBody};
use super::parts::{self, denying_object, flat, object, tag_field, written_as};
use super::serde_attr::AttrOwner;
use crate::ty::is_option;

/// A variant and its attributes.
pub(super) struct VariantAttrs<'v> {
    pub(super) variant: &'v Variant,
    pub(super) member: MemberAttrs,
    pub(super) rows: Vec<FieldAttrs<'v>>,
}

impl TypeBody<'_> {
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
            .map(|variant| VariantAttrs {
                variant,
                member: MemberAttrs::read(self.cx, &variant.attrs, AttrOwner::Variant),
                rows: self.rows(&variant.fields),
            })
            .collect();
        let one_sided = variants
            .iter()
            .any(|VariantAttrs { member, .. }| member.skip_input != member.skip_output);
        if self.container.tagging != Tagging::Untagged {
            let is_named =
                |read: &&VariantAttrs<'_>| !read.member.skip_input && !read.member.untagged;
            let all = variants.iter().filter(is_named).map(|read| {
                let (ident, member) = (&read.variant.ident, &read.member);
                let rule = self.container.rename_all.input;
                let names = member.names(ident, |_, name| rule.variant(name));
                NamedMember {
                    ident,
                    member,
                    input: Some(names.input),
                    // Two variants may have equal written names.
                    output: None,
                }
            });
            self.distinct(&all.collect::<Vec<_>>());
        }
        let input = self.members(&variants, |member| !member.skip_input);
        if !one_sided {
            return input;
        }
        let output = self.members(&variants, |member| !member.skip_output);
        quote!(__tool::Kind::InOut {
            input: &__tool::Shape::new(#input),
            output: &__tool::Shape::new(#output),
        })
    }

    /// The union of the variants that are there; those without data are one member together.
    fn members(
        &mut self,
        variants: &[VariantAttrs<'_>],
        is_there: impl Fn(&MemberAttrs) -> bool,
    ) -> TokenStream {
        let container = self.container;
        let mut members: Vec<TokenStream> = Vec::new();
        let mut units: Vec<TokenStream> = Vec::new();
        let mut first_unit = 0;
        let (mut buffered, mut adjacent) = (false, true);
        // Of each member; empty where its own function reads it.
        let mut all_names: Vec<String> = Vec::new();
        let mut untagged = None;
        for read in variants.iter().filter(|read| is_there(&read.member)) {
            let VariantAttrs {
                variant, member, ..
            } = read;
            let tagging = if member.untagged {
                &Tagging::Untagged
            } else {
                &container.tagging
            };
            // Adjacently tagged content, too, if it precedes its tag.
            buffered |= *tagging != Tagging::External;
            adjacent &= matches!(tagging, Tagging::Adjacent(..));
            let names = member.names(&variant.ident, |output, name| {
                let rules = &container.rename_all;
                let rule = if output { rules.output } else { rules.input };
                rule.variant(name)
            });
            let description = match &member.description {
                Some(words) => words.clone(),
                None => doc::plain(self.cx, &variant.attrs),
            };
            if is_unit(read) && *tagging == Tagging::External {
                if units.is_empty() {
                    first_unit = members.len();
                }
                units.push(parts::variant(&names, member, &description));
                continue;
            }
            let kind = self.variant(read, tagging, &names);
            if *tagging == Tagging::Untagged {
                untagged.get_or_insert(members.len());
            }
            let is_custom = member.custom_input || member.seen_as.is_some();
            let own_name = variant.ident.unraw().to_string();
            all_names.push(if is_custom { String::new() } else { own_name });
            let described = (!description.is_empty()).then(|| quote!(.described(#description)));
            members.push(quote!(__tool::Shape::new(#kind)#described));
        }
        if members.is_empty() {
            return quote!(__tool::Kind::Enum(&[#(#units),*]));
        }
        if !units.is_empty() {
            members.insert(
                first_unit,
                quote!(__tool::Shape::new(__tool::Kind::Enum(&[#(#units),*]))),
            );
            all_names.insert(first_unit, String::new());
            untagged = untagged.map(|first| first + 1);
        }
        if let Some(first) = untagged {
            let all_names = all_names.iter().map(literal);
            let first = literal(first);
            return quote!(__tool::untagged_union(&[#(#members),*], &[#(#all_names),*], #first));
        }
        let union = ident(match (buffered, adjacent) {
            (false, _) => "union",
            (true, false) => "buffered_union",
            (true, true) => "adjacent_union",
        });
        quote!(__tool::#union(&[#(#members),*]))
    }

    /// The kind of a variant with data or a tag.
    fn variant(
        &mut self,
        read: &VariantAttrs<'_>,
        tagging: &Tagging,
        names: &PerSide<String>,
    ) -> TokenStream {
        let VariantAttrs {
            variant,
            member,
            rows,
        } = read;
        let of_all = &self.container.rename_all_fields;
        let rules = PerSide {
            input: member.rename_all.input.or(of_all.input),
            output: member.rename_all.output.or(of_all.output),
        };
        let content = self.content(member, |body| {
            body.fields(&variant.fields, rows, &rules, false)
        });
        match tagging {
            Tagging::Untagged => content,
            Tagging::External => {
                let PerSide { input, .. } = names;
                let aliased = member.aliased(input);
                let written_as = written_as(names);
                let input = literal(input);
                denying_object(quote! {
                    __tool::Field::new(#input, "", &__tool::Shape::new(#content))#written_as #aliased.always()
                })
            }
            Tagging::Adjacent(tag, key) => {
                let tag = tag_field(tag, &parts::variant(names, member, &Description::default()));
                let object = if self.container.denies.is_some() {
                    denying_object
                } else {
                    object
                };
                if is_unit(read) {
                    return object(tag);
                }
                let is_newtype =
                    matches!(&variant.fields, Fields::Unnamed(of) if of.unnamed.len() == 1);
                let optional = variant.fields.iter().any(|field| is_option(&field.ty));
                let presence = if member.custom_input {
                    Some(quote!(.always()))
                } else {
                    (is_newtype && optional).then(|| quote!(.optional()))
                };
                let key = literal(key);
                object(quote! {
                    #tag, __tool::Field::new(#key, "", &__tool::Shape::new(#content))#presence
                })
            }
            Tagging::Internal(tag) => {
                let tag = tag_field(tag, &parts::variant(names, member, &Description::default()));
                if is_unit(read) {
                    return object(tag);
                }
                self.parts.flattens |= !matches!(variant.fields, Fields::Named(_));
                // Here serde reads an `Option` as its content, and never as `None`.
                let rest = flat(&content);
                object(quote!(#tag, #rest.always()))
            }
        }
    }
}

fn is_unit(read: &VariantAttrs<'_>) -> bool {
    matches!(read.variant.fields, Fields::Unit) && read.member.seen_as.is_none()
}
