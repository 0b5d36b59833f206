//! How large a lowered schema is.

use super::super::reject::Reject;
use super::super::rules::Limits;
use crate::schema::Ordered;

/// An enum of more values than this has a limit of its own (the table's source).
const LARGE_ENUM: usize = 250;

#[derive(Default)]
pub(super) struct Size {
    pub(super) optional_keys: usize,
    pub(super) unions: usize,
    properties: usize,
    levels: usize,
    enum_values: usize,
    characters: usize,
    enum_characters: usize,
}

pub(super) fn check(schema: &Ordered, limits: &Limits) -> Result<Size, Reject> {
    let mut size = Size::default();
    size.add(schema, 0);
    let table = [
        (size.properties, limits.properties, "properties"),
        (size.levels, limits.levels, "objects inside each other"),
        (size.enum_values, limits.enum_values, "values of enums"),
        (
            size.characters,
            limits.characters,
            "characters of names and enums",
        ),
        (
            size.enum_characters,
            limits.enum_characters,
            "characters of one large enum",
        ),
    ];
    match table.iter().find(|(is, most, _)| is > most) {
        None => Ok(size),
        Some((is, most, what)) => Err(Reject::too_large(
            "/",
            format!("{is} {what}, at most {most}"),
        )),
    }
}

impl Size {
    fn add(&mut self, schema: &Ordered, levels: usize) {
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
            match (key.as_str(), value) {
                ("enum", Ordered::Array(values)) => {
                    let text = |value: &Ordered| {
                        value
                            .as_str()
                            .map_or_else(|| value.to_json().len(), |text| text.chars().count())
                    };
                    let characters = values.iter().map(text).sum();
                    self.enum_values += values.len();
                    self.characters += characters;
                    if values.len() > LARGE_ENUM {
                        self.enum_characters = self.enum_characters.max(characters);
                    }
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
