//! Untagged variants that serde does not tell apart as the schema does.

use std::collections::BTreeSet;

use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Fields, Type};

use super::attr::{PerSide, Tagging};
use super::body::{FieldAttrs, TypeBody};
use super::case::RenameRule;
use super::parts::field_names;
use super::recursive;
use super::variants::VariantAttrs;
use crate::ty::is_option;

/// Keys that an object of a variant has.
struct Keys {
    required: BTreeSet<String>,
    all: BTreeSet<String>,
}

impl Keys {
    /// Returns a key that serde drops where it reads an object of the later variant as one of this.
    fn dropped<'k>(&'k self, later: &'k Self) -> Option<&'k String> {
        let mut more = later.all.difference(&self.all);
        more.next().filter(|_| self.required.is_subset(&later.all))
    }
}

impl TypeBody<'_> {
    /// Refuses variants that serde reads in place of later ones: it takes the first that it can read, and knows no bounds and
    /// no unknown keys there.
    pub(super) fn check_untagged(&self, variants: &[VariantAttrs<'_>]) {
        let is_untagged = |read: &&VariantAttrs<'_>| {
            let member = &read.member;
            (self.container.tagging == Tagging::Untagged || member.untagged)
                && !(member.skip_input || member.custom_input || member.seen_as.is_some())
        };
        let untagged: Vec<_> = variants.iter().filter(is_untagged).collect();
        let mut rest = untagged.as_slice();
        while let [first, later @ ..] = rest {
            rest = later;
            if later.iter().any(|later| self.is_hidden(first, later)) {
                return;
            }
        }
    }

    fn is_hidden(&self, first: &VariantAttrs<'_>, later: &VariantAttrs<'_>) -> bool {
        let [name, hidden] = [first, later].map(|read| read.variant.ident.unraw());
        if let (Some(one), Some(other)) = (newtype(first), newtype(later)) {
            let bound = one.member.bounds.said.first();
            let Some((_, span)) = bound.filter(|_| is_alike(&one.field.ty, &other.field.ty)) else {
                return false;
            };
            self.cx.error_at(*span, format!(
                "serde does not check this bound, and reads `{name}` where only `{hidden}` fits\nhelp: check it in the tool, or in a type whose \
                 own `Deserialize` fails, such as one with `#[serde(try_from = \"…\")]`"
            ));
            return true;
        }
        if self.container.denies.is_some() {
            return false;
        }
        let (Some(one), Some(other)) = (self.keys(first), self.keys(later)) else {
            return false;
        };
        let Some(key) = one.dropped(&other) else {
            return false;
        };
        let way = if other.dropped(&one).is_none() {
            format!("put `{hidden}` before `{name}`, or add")
        } else {
            "add".to_owned()
        };
        self.cx.error(
            &first.variant.ident,
            format!(
                "serde reads a `{hidden}` as `{name}`, and drops `{key}`\nhelp: {way} `#[serde(deny_unknown_fields)]` to the enum"
            ),
        );
        true
    }

    /// Returns the keys of a variant with named fields, none of which is flattened.
    fn keys(&self, read: &VariantAttrs<'_>) -> Option<Keys> {
        let is_flat = read.rows.iter().any(|row| row.member.flatten);
        if is_flat || !matches!(read.variant.fields, Fields::Named(_)) {
            return None;
        }
        let of_all = &self.container.rename_all_fields;
        let rules: PerSide<RenameRule> = PerSide {
            input: read.member.rename_all.input.or(of_all.input),
            output: read.member.rename_all.output.or(of_all.output),
        };
        let (mut required, mut all) = (BTreeSet::new(), BTreeSet::new());
        for row in read.rows.iter().filter(|row| !row.member.skip_input) {
            let name = field_names(&row.member, row.field.ident.as_ref()?, &rules).input;
            if row.member.default.is_none() && !is_option(&row.field.ty) {
                required.insert(name.clone());
            }
            all.extend(row.member.aliases.iter().map(|alias| alias.value.clone()));
            all.insert(name);
        }
        Some(Keys { required, all })
    }
}

/// Returns the one field of a newtype variant that serde reads by its type.
fn newtype<'f, 'v>(read: &'f VariantAttrs<'v>) -> Option<&'f FieldAttrs<'v>> {
    match (&read.variant.fields, read.rows.as_slice()) {
        (Fields::Unnamed(_), [row]) => {
            let is_custom = row.member.custom_input || row.member.seen_as.is_some();
            Some(row).filter(|_| !is_custom)
        }
        _ => None,
    }
}

/// Returns true if serde reads values of the second type as the first.
fn is_alike(one: &Type, other: &Type) -> bool {
    let form = |ty: &Type| {
        let ty = match ty {
            Type::Reference(to) => &*to.elem,
            ty => ty,
        };
        let name = recursive::last_segment(ty)?.to_string();
        match &*name {
            "String" | "str" => Some("text"),
            "f32" | "f64" => Some("number"),
            _ if name.starts_with(['i', 'u']) && name.len() < 6 => Some("number"),
            _ => None,
        }
    };
    let same = one.to_token_stream().to_string() == other.to_token_stream().to_string();
    same || form(one).is_some_and(|kind| form(other) == Some(kind))
}
