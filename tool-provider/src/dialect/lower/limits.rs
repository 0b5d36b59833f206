//! Counts what a lowered schema holds.

use super::super::reject::Reject;
use super::super::rules::Limits;
use super::super::size::Size;
use toolwright_schema::read::Ordered;

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
