//! Unions.

use super::super::reject::{Reject, RejectCode};
use super::{Pass, Spot};
use toolwright_schema::read::Ordered;
use toolwright_schema::read::keywords::{Keywords, is_about, names, text, type_of};

/// Whether a value is of a type.
fn is_of(value: &Ordered, name: &str) -> bool {
    let own = type_of(value);
    own == name || own == "integer" && name == "number"
}

impl Pass<'_> {
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
        if has_keys {
            self.ask(self.rules.union_beside_keys(spot.is_root))?;
        }
        let members = match keywords.take("anyOf") {
            Some(Ordered::Array(members)) => members,
            _ => Vec::new(),
        };
        self.ask(self.starts(&members))?;
        if !self.rules.object_with_union {
            // Each member says it itself.
            keywords.take("type");
            self.leave_out(
                &mut keywords,
                &["properties", "required", "additionalProperties"],
            );
        } else if keywords.has("properties") {
            self.form(&keywords, spot, false)?;
            self.object(&mut keywords, spot)?;
        }
        let members = self.parts("?", members)?;
        keywords.set("anyOf", Ordered::Array(members));
        Ok(self.finished(keywords))
    }

    /// What stands against how the members of a union start.
    fn starts(&self, members: &[Ordered]) -> Option<RejectCode> {
        let first = |member| self.first_key(member);
        let firsts: Vec<_> = members.iter().filter_map(first).collect();
        firsts.iter().enumerate().find_map(|(at, (key, tag))| {
            firsts
                .iter()
                .skip(at + 1)
                .find_map(|(other, tag_of_other)| {
                    let differ = tag.zip(*tag_of_other).is_some_and(|(a, b)| a != b);
                    self.rules.starts(key == other, differ)
                })
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
        let is_required = names(member.get("required"), name);
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
