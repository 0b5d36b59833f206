//! Counts what a lowered schema holds.

use super::super::reject::Reject;
use super::super::rules::Limits;
use super::super::size::Size;
use crate::schema::keyword::Keyword;
use crate::schema::read::{Ordered, Parts};

/// Counts a lowered schema.
pub(super) fn size_of(schema: &Ordered) -> Size {
    let mut size = Size::NONE;
    size.add(schema, 0);
    size
}

/// Refuses what is larger than a dialect takes.
pub(super) fn check(size: &Size, limits: &Limits) -> Result<(), Reject> {
    match size.beyond(limits) {
        None => Ok(()),
        Some((what, is, most)) => Err(Reject::too_large(
            "/",
            format!("{is}{what}, at most {most}"),
        )),
    }
}

impl Size {
    /// Adds a schema that stands inside so many objects.
    fn add(&mut self, schema: &Ordered, levels: usize) {
        let is_list = matches!(schema.keyword(Keyword::Type), Some(Ordered::Array(_)));
        self.unions += usize::from(is_list || schema.has(Keyword::AnyOf));
        let mut levels = levels;
        if let Some(keys) = schema.declared() {
            levels += 1;
            let required = schema.list(Keyword::Required).unwrap_or_default();
            self.optional_keys += keys.len().saturating_sub(required.len());
            let names = keys.iter().map(|(name, _)| name.chars().count());
            self.add_keys(keys.len(), names.sum());
        }
        self.levels = self.levels.max(levels);
        if let Some(values) = schema.literals() {
            let text = |value: &Ordered| match value.as_str() {
                Some(text) => text.chars().count(),
                None => value.to_json().len(),
            };
            self.add_enum(values.len(), values.iter().map(text).sum());
        }
        for (name, body) in schema.named(Keyword::Defs).unwrap_or_default() {
            self.add_keys(0, name.chars().count());
            // A definition's own depth is that of a root.
            self.add(body, 0);
        }
        let counted = [
            Keyword::AnyOf,
            Keyword::AllOf,
            Keyword::PrefixItems,
            Keyword::Properties,
            Keyword::Items,
            Keyword::AdditionalProperties,
        ];
        for keyword in counted {
            schema.held_by(keyword, &mut |member| self.add(member, levels));
        }
    }
}
