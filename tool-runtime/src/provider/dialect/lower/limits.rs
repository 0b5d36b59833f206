//! How large a lowered schema is.

use super::super::reject::Reject;
use super::super::rules::Limits;
use crate::schema::read::Ordered;

/// An enum of more values than this has a limit of its own (the table's source).
const LARGE_ENUM: usize = 250;

/// What a lowered schema holds.
#[derive(Default)]
pub(super) struct Size {
    pub(super) optional_keys: usize,
    pub(super) unions: usize,
    pub(super) properties: usize,
    pub(super) levels: usize,
    enum_values: usize,
    pub(super) characters: usize,
    enum_characters: usize,
}

impl Size {
    pub(super) fn of(schema: &Ordered) -> Self {
        let mut size = Self::default();
        size.add(schema, 0);
        size
    }

    pub(super) fn check(&self, limits: &Limits) -> Result<(), Reject> {
        let table = [
            (self.properties, limits.properties, "properties"),
            (self.levels, limits.levels, "objects inside each other"),
            (self.enum_values, limits.enum_values, "values of enums"),
            (
                self.characters,
                limits.characters,
                "characters of names and enums",
            ),
            (
                self.enum_characters,
                limits.enum_characters,
                "characters of one large enum",
            ),
        ];
        match table.iter().find(|(is, most, _)| is > most) {
            None => Ok(()),
            Some((is, most, what)) => Err(Reject::too_large(
                "/",
                format!("{is} {what}, at most {most}"),
            )),
        }
    }

    /// Adds an enum of so many values, which have so many characters in all.
    pub(super) fn add_enum(&mut self, values: usize, characters: usize) {
        self.enum_values += values;
        self.characters += characters;
        if values > LARGE_ENUM {
            self.enum_characters = self.enum_characters.max(characters);
        }
    }

    /// Adds a schema that stands inside so many objects.
    pub(super) fn add(&mut self, schema: &Ordered, levels: usize) {
        let Ordered::Object(entries) = schema else {
            return;
        };
        let is_list = matches!(schema.get("type"), Some(Ordered::Array(_)));
        self.unions += usize::from(is_list || schema.get("anyOf").is_some());
        let levels = match schema.get("properties") {
            Some(Ordered::Object(keys)) => {
                self.properties += keys.len();
                let required = match schema.get("required") {
                    Some(Ordered::Array(names)) => names.len(),
                    _ => 0,
                };
                self.optional_keys += keys.len().saturating_sub(required);
                levels + 1
            }
            _ => levels,
        };
        self.levels = self.levels.max(levels);
        for (key, value) in entries {
            match (key.as_ref(), value) {
                ("enum", Ordered::Array(values)) => {
                    let text = |value: &Ordered| {
                        value
                            .as_str()
                            .map_or_else(|| value.to_json().len(), |text| text.chars().count())
                    };
                    self.add_enum(values.len(), values.iter().map(text).sum());
                }
                // A definition's own depth is that of a root.
                ("$defs", Ordered::Object(members)) => {
                    for (name, member) in members {
                        self.characters += name.chars().count();
                        self.add(member, 0);
                    }
                }
                ("properties", Ordered::Object(members)) => {
                    for (name, member) in members {
                        self.characters += name.chars().count();
                        self.add(member, levels);
                    }
                }
                ("anyOf" | "allOf" | "prefixItems", Ordered::Array(members)) => {
                    for member in members {
                        self.add(member, levels);
                    }
                }
                ("items" | "additionalProperties", member) => self.add(member, levels),
                _ => {}
            }
        }
    }
}
