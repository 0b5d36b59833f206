//! Size of a lowered schema: counted by the verdict in a tree, and by the lowering in its text.

use super::LowerErrorCode;
use super::rules::Limits;
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::{Ordered, Parts};

/// An enum of more values than this has a separate limit (the table's source).
const LARGE_ENUM: usize = 250;

/// The counts that a dialect limits.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub optional_keys: usize,
    pub unions: usize,
    pub properties: usize,
    pub levels: usize,
    pub enum_values: usize,
    pub characters: usize,
    pub enum_characters: usize,
}

impl Size {
    pub(super) const NONE: Self = Self {
        optional_keys: 0,
        unions: 0,
        properties: 0,
        levels: 0,
        enum_values: 0,
        characters: 0,
        enum_characters: 0,
    };

    /// Counts a lowered schema.
    pub(super) fn of(schema: &Ordered) -> Self {
        let mut size = Self::NONE;
        size.add(schema, 0);
        size
    }

    /// Adds a schema at this depth of objects.
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

    /// Keys, and how long their names are.
    pub(super) const fn add_keys(&mut self, keys: usize, characters: usize) {
        self.properties += keys;
        self.characters += characters;
    }

    /// The values of one enum.
    pub(super) const fn add_enum(&mut self, values: usize, characters: usize) {
        self.enum_values += values;
        self.characters += characters;
        if values > LARGE_ENUM && characters > self.enum_characters {
            self.enum_characters = characters;
        }
    }

    /// Multiplies the counts added since `before` by the number of uses.
    pub(super) const fn repeat(&mut self, before: &Self, times: usize) {
        let more = times.saturating_sub(1);
        self.optional_keys += (self.optional_keys - before.optional_keys) * more;
        self.unions += (self.unions - before.unions) * more;
        self.properties += (self.properties - before.properties) * more;
        self.enum_values += (self.enum_values - before.enum_values) * more;
        self.characters += (self.characters - before.characters) * more;
    }

    /// Returns the exceeded limit: its text, the count and the maximum.
    pub(super) const fn beyond(&self, limits: &Limits) -> Option<(&'static str, usize, usize)> {
        if self.levels > limits.levels {
            Some((" objects inside each other", self.levels, limits.levels))
        } else if self.properties > limits.properties {
            Some((" keys", self.properties, limits.properties))
        } else if self.enum_values > limits.enum_values {
            Some((" values of enums", self.enum_values, limits.enum_values))
        } else if self.characters > limits.characters {
            Some((
                " characters of names and enums",
                self.characters,
                limits.characters,
            ))
        } else if self.enum_characters > limits.enum_characters {
            Some((
                " characters of one enum",
                self.enum_characters,
                limits.enum_characters,
            ))
        } else {
            None
        }
    }

    /// Returns the reject code of a size beyond the limits.
    pub(super) const fn check(&self, limits: &Limits) -> Option<LowerErrorCode> {
        match self.beyond(limits) {
            Some(_) => Some(LowerErrorCode::TooLarge),
            None => None,
        }
    }
}
