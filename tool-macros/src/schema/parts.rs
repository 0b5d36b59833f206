//! Tokens of fields and variants.

use proc_macro2::TokenStream;

use super::attr::{MemberAttrs, PerSide};
use super::case::RenameRule;
use crate::model::Description;
use crate::span::{literal, quote};

/// The names of a field.
pub(super) fn field_names(
    member: &MemberAttrs,
    ident: &syn::Ident,
    rules: &PerSide<RenameRule>,
) -> PerSide<String> {
    member.names(ident, |output, name| {
        let rule = if output { rules.output } else { rules.input };
        rule.field(name)
    })
}

/// An object of these fields and no others.
#[allow(clippy::needless_pass_by_value)] // A `quote!` at each call.
pub(super) fn object(fields: TokenStream) -> TokenStream {
    quote!(__tool::object(&[#fields]))
}

/// An object of these fields, where serde refuses all others.
#[allow(clippy::needless_pass_by_value)] // A `quote!` at each call.
pub(super) fn denying_object(fields: TokenStream) -> TokenStream {
    quote!(__tool::denying_object(&[#fields]))
}

/// One string of an enum.
pub(super) fn variant(
    names: &PerSide<String>,
    member: &MemberAttrs,
    description: &Description,
) -> TokenStream {
    let PerSide { input, .. } = names;
    let (written_as, aliased) = (written_as(names), member.aliased(input));
    let input = literal(input);
    quote!(__tool::Variant::new(#input, #description)#written_as #aliased)
}

/// The name that is written, if it is another than that which is read.
pub(super) fn written_as(PerSide { input, output }: &PerSide<String>) -> Option<TokenStream> {
    (output != input).then(|| {
        let output = literal(output);
        quote!(.written_as(#output))
    })
}

/// The key that names the variant.
pub(super) fn tag_field(tag: &str, variant: &TokenStream) -> TokenStream {
    let tag = literal(tag);
    quote! {
        __tool::Field::new(#tag, "", &__tool::Shape::new(__tool::Kind::Enum(&[#variant])))
    }
}

/// An object's keys, in the place of a field.
pub(super) fn flat(kind: &TokenStream) -> TokenStream {
    quote!(__tool::Field::new("", "", &__tool::Shape::new(#kind)).flattened())
}
