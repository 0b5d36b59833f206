//! Unions.

use super::super::keywords::{Keywords, text};
use super::super::reject::{NoteKind, Reject, RejectCode};
use super::super::rules::Null;
use super::{Pass, Spot};
use crate::schema::read::Ordered;

/// Which keywords say something of values of a type.
fn is_about(keyword: &str, name: &str) -> bool {
    match keyword {
        "minLength" | "maxLength" | "pattern" | "format" | "contentEncoding"
        | "contentMediaType" => name == "string",
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            matches!(name, "integer" | "number")
        }
        "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" | "contains"
        | "minContains" | "maxContains" | "unevaluatedItems" => name == "array",
        "properties"
        | "required"
        | "additionalProperties"
        | "patternProperties"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "unevaluatedProperties" => name == "object",
        _ => false,
    }
}

/// Whether a value is of a type.
fn is_of(value: &Ordered, name: &str) -> bool {
    match value {
        Ordered::Null => name == "null",
        Ordered::Bool(_) => name == "boolean",
        value if value.is_integer() => matches!(name, "integer" | "number"),
        Ordered::Number(_) => name == "number",
        Ordered::String(_) => name == "string",
        Ordered::Array(_) => name == "array",
        Ordered::Object(_) => name == "object",
    }
}

impl Pass<'_> {
    /// Whether a list of types becomes a union.
    pub(super) fn splits(&self, types: &[String]) -> bool {
        match self.rules.null {
            Null::Kept => false,
            Null::List | Null::ScalarList => {
                let is_large = |name: &String| name == "object" || name == "array";
                types.iter().any(is_large)
            }
            Null::AnyOf | Null::Nullable => true,
        }
    }

    /// A union of a member for each type.
    pub(super) fn split(
        &mut self,
        types: &[String],
        keywords: Keywords,
    ) -> Result<Ordered, Reject> {
        let mut members: Vec<Keywords> = types
            .iter()
            .map(|name| Keywords::of([("type", text(name.clone()))]))
            .collect();
        let mut out = Keywords::default();
        for (key, value) in keywords.0 {
            let mut is_said = false;
            for (member, name) in members.iter_mut().zip(types) {
                if is_about(&key, name) {
                    member.set(key.clone(), value.clone());
                    is_said = true;
                } else if let ("enum", Ordered::Array(values)) = (key.as_ref(), &value) {
                    let own = values.iter().filter(|value| is_of(value, name)).cloned();
                    member.set("enum", Ordered::Array(own.collect()));
                    is_said = true;
                }
            }
            if !is_said && key != "type" {
                out.set(key, value);
            }
        }
        // A type that no value of an enum is of.
        let is_empty = |member: &Keywords| member.list("enum").is_some_and(<[Ordered]>::is_empty);
        members.retain(|member| !is_empty(member));
        if members.is_empty() {
            return self.refuse(RejectCode::FalseSchema);
        }
        let members = members.into_iter().map(Keywords::into_schema).collect();
        out.set("anyOf", Ordered::Array(members));
        self.union(out, Spot::INNER)
    }

    pub(super) fn union(&mut self, mut keywords: Keywords, spot: Spot) -> Result<Ordered, Reject> {
        let has_keys = keywords
            .entries("properties")
            .is_some_and(|keys| !keys.is_empty());
        let is_allowed = if spot.is_root {
            self.rules.root_union
        } else {
            self.rules.object_with_union
        };
        if has_keys && !is_allowed {
            return self.refuse(RejectCode::ObjectWithUnion);
        }
        let members = match keywords.take("anyOf") {
            Some(Ordered::Array(members)) => members,
            _ => Vec::new(),
        };
        if self.rules.first_keys && self.shares_first_key(&members) {
            return self.refuse(RejectCode::UnionFirstKey);
        }
        if !self.rules.object_with_union {
            // Each member says it itself.
            for keyword in ["type", "properties", "required", "additionalProperties"] {
                if let Some(value) = keywords.take(keyword)
                    && keyword != "type"
                {
                    self.note(NoteKind::Dropped, keyword, &value);
                }
            }
        } else if keywords.has("properties") {
            self.object(&mut keywords, spot)?;
        }
        let mut lowered = Vec::new();
        for (index, member) in members.into_iter().enumerate() {
            lowered.push(self.inner(&format!("?{index}"), member, Spot::INNER)?);
        }
        keywords.set("anyOf", Ordered::Array(lowered));
        Ok(self.finished(keywords))
    }

    /// Whether two objects of a union start with the same key, and it does not tell them apart.
    fn shares_first_key(&self, members: &[Ordered]) -> bool {
        let first = |member| self.first_key(member);
        let firsts: Vec<_> = members.iter().filter_map(first).collect();
        firsts.iter().enumerate().any(|(at, (key, tag))| {
            let others = firsts.iter().skip(at + 1);
            let mut same = others.filter(|(other, _)| other == key);
            same.any(|(_, other)| tag.is_none() || other.is_none() || tag == other)
        })
    }

    /// The first key of an object, and the one value behind it if there is no other.
    fn first_key<'s>(&'s self, member: &'s Ordered) -> Option<(&'s str, Option<&'s Ordered>)> {
        let mut member = member;
        // A recursive type may be no more than another one's name.
        for _ in 0..8 {
            match member.get("$ref").and_then(Ordered::as_str) {
                Some(reference) => member = self.canonical.target(reference)?,
                None => break,
            }
        }
        let Some(Ordered::Object(keys)) = member.get("properties") else {
            return None;
        };
        let (name, schema) = keys.first()?;
        let is_required = match member.get("required") {
            Some(Ordered::Array(names)) => names.iter().any(|known| known.as_str() == Some(name)),
            _ => false,
        };
        let tag = match schema.get("enum") {
            // `null` is told in its stead where it may be missing.
            Some(Ordered::Array(values)) if is_required => match values.as_slice() {
                [one] => Some(one),
                _ => None,
            },
            _ => None,
        };
        Some((name, tag))
    }
}
