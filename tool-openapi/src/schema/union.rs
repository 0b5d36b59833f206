//! Unions of subtypes, for a discriminator without a union.

use std::borrow::Cow;

use toolwright::json::Value;

use super::bases::{constant, mapped};
use super::object::{MergedObject, merged};
use super::{Form, Path, Schemas, size};
use crate::document::At;

/// Returns the schema of a tag with these values.
fn one_of(values: Vec<Value<'_>>) -> Value<'_> {
    Value::object([
        ("type", Value::from("string")),
        ("enum", Value::Array(values)),
    ])
}

/// Returns the schema of objects whose tag has one of these values.
fn tagged<'v>(tag: &str, values: Vec<Value<'v>>) -> Value<'v> {
    let properties = Value::object([(tag.to_owned(), one_of(values))]);
    Value::object([
        ("type", Value::from("object")),
        ("properties", properties),
        (
            "required",
            Value::Array(vec![Value::string(tag.to_owned())]),
        ),
    ])
}

/// Returns the tag of a union, and its values with the pointers of the alternatives, if a `mapping` names them.
pub(super) fn mapping<'v>(
    schema: &'v Value<'_>,
    key: &str,
) -> Option<(&'v str, Vec<(String, String)>)> {
    let discriminator = schema.get("discriminator");
    let discriminator = discriminator.filter(|_| matches!(key, "oneOf" | "anyOf"))?;
    let tag = discriminator.get("propertyName")?.as_str()?;
    Some((tag, mapped(schema)))
}

impl<'a, 't: 'a> Schemas<'a, 't> {
    /// Writes the union of the subtypes of a base.
    pub(super) fn union(&mut self, at: &At<'a, 't>, path: &Path<'_>) -> Value<'a> {
        let bases = self.bases;
        let Some(base) = bases.get(at.document, &at.pointer) else {
            return self.schema(at.value, path);
        };
        let mut arms = Vec::new();
        let mut bytes = 0;
        let before = (self.waiting.len(), self.notes.len(), self.referred.len());
        for (tag, pointer) in &base.subtypes {
            if self.bytes + base.bytes(self.side).get().max(bytes) > self.most_bytes {
                return self.base_alone(at, path, base.subtypes.len(), before);
            }
            let Some(subtype) = self.documents.at(at.document, pointer.clone()) else {
                continue;
            };
            let arm = match merged(self.documents, &subtype, self.side) {
                Some(object) => {
                    let tag = one_of(vec![Value::string(tag.clone())]);
                    self.arm(object, &base.tag, tag, path)
                }
                None => {
                    let form = Form {
                        is_union: false,
                        is_top: path.is_top(),
                    };
                    let subtype = self.reference(&subtype, form);
                    let tagged = tagged(&base.tag, vec![Value::string(tag.clone())]);
                    Value::object([("allOf", Value::Array(vec![tagged, subtype]))])
                }
            };
            bytes += size(&arm);
            base.bytes(self.side)
                .set(base.bytes(self.side).get().max(bytes));
            arms.push(arm);
        }
        if self.bytes + bytes > self.most_bytes {
            return self.base_alone(at, path, base.subtypes.len(), before);
        }
        let description = at
            .text("description")
            .map(|text| ("description", Value::string(text)));
        Value::object(
            description
                .into_iter()
                .chain([("anyOf", Value::Array(arms))]),
        )
    }

    /// Writes a base whose union is too long, and forgets what the arms referred to.
    fn base_alone(
        &mut self,
        at: &At<'a, 't>,
        path: &Path<'_>,
        count: usize,
        (waiting, notes, referred): (usize, usize, usize),
    ) -> Value<'a> {
        for (name, document, pointer, form) in self.waiting.drain(waiting..) {
            self.keys.remove(&(document, pointer, form));
            self.taken.remove(&name);
        }
        self.notes.truncate(notes);
        self.referred.truncate(referred);
        let words =
            format!("its {count} subtypes are too long for one schema, and are not checked");
        self.note(path, words);
        self.schema(at.value, path)
    }

    /// Adds the values of the tag to an alternative that does not name its own.
    pub(super) fn tagged(
        &self,
        schema: Value<'a>,
        item: &'a Value<'t>,
        tag: &str,
        mapping: &[(String, String)],
        at: &Path<'_>,
    ) -> Value<'a> {
        let reference = item.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|it| self.documents.target(at.document(), it).ok());
        let Some(target) = target.filter(|target| target.document == 0) else {
            return schema;
        };
        let values = mapping.iter().filter(|(_, place)| *place == target.pointer);
        let values: Vec<_> = values
            .map(|(value, _)| Value::string(value.clone()))
            .collect();
        if values.is_empty() || constant(target.value, tag).is_some() {
            return schema;
        }
        let tagged = tagged(tag, values);
        Value::object([("allOf", Value::Array(vec![tagged, schema]))])
    }

    /// Writes one subtype as an object with the tag in front.
    fn arm(
        &mut self,
        object: MergedObject<'a, 't>,
        tag: &str,
        tag_schema: Value<'a>,
        at: &Path<'_>,
    ) -> Value<'a> {
        let mut properties = vec![(Cow::Owned(tag.to_owned()), tag_schema)];
        let mut required = vec![Value::string(tag.to_owned())];
        for (name, property) in object.properties {
            if name == tag || self.hides(name, at) || object.absent.contains(name) {
                continue;
            }
            let schema = self.schema(
                property.value,
                &Path::At(property.document, &property.pointer, false),
            );
            properties.push((Cow::Borrowed(name), schema));
            if object.required.contains(name) {
                required.push(Value::string(name));
            }
        }
        let description = object
            .description
            .map(|text| ("description", Value::string(text)));
        Value::object(description.into_iter().chain([
            ("type", Value::from("object")),
            ("properties", Value::Object(properties)),
            ("required", Value::Array(required)),
        ]))
    }
}
