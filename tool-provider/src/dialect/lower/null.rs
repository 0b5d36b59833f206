//! `null`, in each dialect's way.

use super::super::report::NoteKind;
use super::Lowerer;
use super::union::put;
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::canonical::admit_null;
use toolwright_schema::read::keywords::{Keywords, is_null, typed, union};
use toolwright_schema::read::{Ordered, Parts};

impl Lowerer<'_> {
    /// Returns true if a schema admits `null`; one that names no type does.
    pub(super) fn admits_null(&self, schema: &Ordered) -> bool {
        self.admits(schema, 8)
    }

    fn admits(&self, schema: &Ordered, steps: u8) -> bool {
        if let Some(values) = schema.literals() {
            return values.contains(&Ordered::Null);
        }
        if schema.is_of("null") {
            return true;
        }
        if let Some(reference) = schema.reference() {
            let target = self.canonical.target(reference);
            return steps > 0 && target.is_some_and(|target| self.admits(target, steps - 1));
        }
        if let Some(members) = schema.any_of() {
            return members.iter().any(|member| self.admits(member, steps));
        }
        matches!(schema, Ordered::Object(_)) && !schema.has(Keyword::Type)
    }

    /// Removes `null` from the admitted values; returns true if it was admitted. A schema that admits nothing else does
    /// not change.
    pub(super) fn take_null(&mut self, keywords: &mut Keywords) -> bool {
        let mut took = false;
        if let Some(types) = keywords.list_mut(Keyword::Type) {
            let before = types.len();
            types.retain(|name| name.as_str() != Some("null"));
            took |= types.len() < before;
            if let [one] = types.as_slice() {
                let one = one.clone();
                keywords.set(Keyword::Type, one);
            }
        }
        if took && let Some(values) = keywords.list_mut(Keyword::Enum) {
            let before = values.len();
            values.retain(|value| *value != Ordered::Null);
            took = values.len() < before;
        }
        let Some(members) = keywords.list_mut(Keyword::AnyOf) else {
            return took;
        };
        if members.iter().all(is_null) {
            return took;
        }
        let before = members.len();
        members.retain(|member| !is_null(member));
        took |= members.len() < before;
        if members.len() > 1 || before == members.len() {
            return took;
        }
        for member in keywords.take_list(Keyword::AnyOf) {
            self.merge(keywords, member);
        }
        self.take_null(keywords);
        took
    }

    /// The one type of an `Option` is inlined; its description gives way to the field's.
    fn merge(&mut self, keywords: &mut Keywords, member: Ordered) {
        let Ordered::Object(entries) = member else {
            keywords.set(Keyword::AnyOf, Ordered::Array(vec![member]));
            return;
        };
        for (key, value) in entries {
            match keywords.get_mut(&key) {
                None => keywords.set(key, value),
                Some(own) if *own == value => {}
                Some(_) => self.note(NoteKind::Dropped, &key, &value),
            }
        }
    }

    /// Drops the lower bound of an unsigned number, if the field has a description and may be left out. The bound is of
    /// no use to a model.
    pub(super) fn drop_width(&mut self, keywords: &mut Keywords) {
        let is_width = keywords.is_only("integer")
            && keywords.has(Keyword::Description)
            && keywords.count(Keyword::Minimum) == Some(0)
            && !keywords.has(Keyword::Maximum);
        if is_width {
            self.leave_out(keywords, &[Keyword::Minimum]);
        }
    }

    /// The schema or `null`; steps from `mark` on are inside the schema.
    pub(super) fn or_null(&mut self, schema: Ordered, mark: usize) -> Ordered {
        if is_null(&schema) {
            return schema;
        }
        let mut keywords = match schema {
            Ordered::Object(entries) => Keywords(entries),
            other => return other,
        };
        let (is_object, is_array) = (keywords.is_only("object"), keywords.is_only("array"));
        let is_word = keywords.has(Keyword::Type)
            && self.rules.lists_null(is_object, is_array)
            && !keywords.has(Keyword::Enum);
        if self.rules.lone_union && keywords.has(Keyword::AnyOf) {
            for member in keywords.list_mut(Keyword::AnyOf).into_iter().flatten() {
                put(member, Keyword::Nullable, Ordered::Bool(true));
            }
        } else if !self.rules.null_is_type() {
            keywords.set(Keyword::Nullable, Ordered::Bool(true));
        } else if is_word || !keywords.has(Keyword::Type) && keywords.any_of().is_some() {
            admit_null(&mut keywords);
        } else {
            let words = keywords.take(Keyword::Description);
            let members = vec![keywords.into_schema(), typed("null")];
            keywords = union(members);
            if let Some(words) = words {
                keywords.set(Keyword::Description, words);
            }
            self.step_into_first(mark);
        }
        keywords.into_schema()
    }

    /// Moves the paths of the last lowered schema into the first member of a union.
    pub(super) fn step_into_first(&mut self, mark: usize) {
        let here = self.path.as_str();
        for step in self.steps.iter_mut().skip(mark) {
            if let Some(rest) = step.at.strip_prefix(here) {
                step.at = format!("{here}/?0{rest}");
            }
        }
    }
}
