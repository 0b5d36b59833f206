//! Unions of subtypes, for a discriminator without a union.

use std::borrow::Cow;

use toolwright::json::Value;

use super::object::{MergedObject, merged};
use super::{Form, Path, Schemas, size};
use crate::document::At;

impl<'a, 't: 'a> Schemas<'a, 't> {
    /// Writes the union of the subtypes of a base.
    pub(super) fn union(&mut self, at: &At<'a, 't>, path: &Path<'_>) -> Value<'a> {
        let bases = self.bases;
        let Some(base) = bases.get(at.document, &at.pointer) else {
            return self.schema(at.value, path);
        };
        let mut arms = Vec::new();
        let mut bytes = 0;
        let (waiting, notes) = (self.waiting.len(), self.notes.len());
        for (tag, pointer) in &base.subtypes {
            if self.bytes + base.bytes.get().max(bytes) > self.most_bytes {
                return self.base_alone(at, path, base.subtypes.len(), (waiting, notes));
            }
            let Some(subtype) = self.documents.at(at.document, pointer.clone()) else {
                continue;
            };
            let tag_schema = Value::object([
                ("type", Value::from("string")),
                ("enum", Value::Array(vec![Value::string(tag.clone())])),
            ]);
            let arm = match merged(self.documents, &subtype) {
                Some(object) => self.arm(object, &base.tag, tag_schema, path),
                None => {
                    let form = Form {
                        is_union: false,
                        is_top: path.is_top(),
                    };
                    let subtype = self.reference(&subtype, form);
                    let tagged = Value::object([
                        ("type", Value::from("object")),
                        (
                            "properties",
                            Value::object([(base.tag.clone(), tag_schema)]),
                        ),
                        (
                            "required",
                            Value::Array(vec![Value::string(base.tag.clone())]),
                        ),
                    ]);
                    Value::object([("allOf", Value::Array(vec![tagged, subtype]))])
                }
            };
            bytes += size(&arm);
            base.bytes.set(base.bytes.get().max(bytes));
            arms.push(arm);
        }
        if self.bytes + bytes > self.most_bytes {
            return self.base_alone(at, path, base.subtypes.len(), (waiting, notes));
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
        (waiting, notes): (usize, usize),
    ) -> Value<'a> {
        for (name, document, pointer, form) in self.waiting.drain(waiting..) {
            self.keys.remove(&(document, pointer, form));
            self.taken.remove(&name);
        }
        self.notes.truncate(notes);
        let words =
            format!("its {count} subtypes are too long for one schema, and are not checked");
        self.note(path, words);
        self.schema(at.value, path)
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
            if name == tag || self.hides(name, at) || object.read_only.contains(name) {
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
