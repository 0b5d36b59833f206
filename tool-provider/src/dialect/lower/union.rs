//! Unions.

use super::super::inverse::{Op, Step};
use super::super::report::{LowerError, LowerErrorCode, NoteKind};
use super::{Lowerer, SchemaPath, root};
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::keywords::{Keywords, type_of};
use toolwright_schema::read::{Ordered, Pair, Parts};

/// Returns true if a value is of a type.
fn is_of(value: &Ordered, name: &str) -> bool {
    let own = type_of(value);
    own == name || own == "integer" && name == "number"
}

/// Returns true if two members have one form and different ways back, as a map and a list of entries have. `steps` are those
/// of the members of the union at `here`.
fn has_twins(members: &[Ordered], steps: &[Step], here: &str) -> bool {
    let way_back = |index: usize| {
        let member = format!("{here}/?{index}");
        let inner = move |step: &Step| {
            let at = step.at.strip_prefix(&member)?;
            (at.is_empty() || at.starts_with('/')).then(|| (step.op.clone(), at.to_owned()))
        };
        steps.iter().filter_map(inner).collect::<Vec<_>>()
    };
    let form = |member: &Ordered| {
        let mut keywords = Keywords(member.entries().to_vec());
        keywords.take(Keyword::Description);
        keywords
    };
    let is_twin = |(at, one): (usize, &Ordered)| {
        let mut others = members.iter().enumerate().skip(at + 1);
        others.any(|(other_at, other)| {
            form(one).0 == form(other).0 && way_back(at) != way_back(other_at)
        })
    };
    !steps.is_empty() && members.iter().enumerate().any(is_twin)
}

/// Moves the words about a union to its members: to those without words, or in front of the first one's.
fn describe_members(schema: &mut Ordered) {
    let Ordered::Object(entries) = schema else {
        return;
    };
    let mut keywords = Keywords(std::mem::take(entries));
    if let Some(words) = keywords.take(Keyword::Description)
        && let Some(members) = keywords.list_mut(Keyword::AnyOf)
    {
        let is_silent = |member: &&mut Ordered| !member.has(Keyword::Description);
        let own = words.as_str().unwrap_or_default();
        let mut silent: Vec<_> = members.iter_mut().filter(is_silent).collect();
        for member in &mut silent {
            put(member, Keyword::Description, words.clone());
        }
        if silent.is_empty()
            && let Some(first) = members.first_mut()
        {
            let words = format!(
                "{own}\n{}",
                first.text(Keyword::Description).unwrap_or_default()
            );
            put(first, Keyword::Description, Ordered::string(words));
        }
    }
    *schema = keywords.into_schema();
}

/// Sets a keyword of a schema.
pub(super) fn put(schema: &mut Ordered, keyword: Keyword, value: Ordered) {
    if let Ordered::Object(entries) = schema {
        let mut keywords = Keywords(std::mem::take(entries));
        keywords.set(keyword, value);
        *schema = keywords.into_schema();
    }
}

impl Lowerer<'_> {
    /// A union of a member for each type.
    pub(super) fn split(&mut self, mut keywords: Keywords) -> Result<Ordered, LowerError> {
        let types = keywords.take_list(Keyword::Type);
        let member = |name: &Ordered| Keywords::of([(Keyword::Type, name.clone())]);
        let mut members: Vec<Keywords> = types.iter().map(member).collect();
        let mut out = Keywords::default();
        for (key, value) in keywords.0 {
            let keyword = Keyword::of(&key);
            let mut is_said = false;
            for (member, name) in members.iter_mut().zip(&types) {
                let name = name.as_str().unwrap_or_default();
                if keyword.is_some_and(|keyword| keyword.applies_to_type(name)) {
                    member.set(key.clone(), value.clone());
                    is_said = true;
                } else if let (Some(Keyword::Enum), Ordered::Array(values)) = (keyword, &value) {
                    let own = values.iter().filter(|value| is_of(value, name)).cloned();
                    member.set(Keyword::Enum, Ordered::Array(own.collect()));
                    is_said = true;
                }
            }
            if !is_said {
                out.set(key, value);
            }
        }
        // A type that no value of an enum is of.
        members.retain(|member| !member.literals().is_some_and(<[_]>::is_empty));
        if members.is_empty() {
            return self.refuse(LowerErrorCode::FalseSchema);
        }
        let members = members.into_iter().map(Keywords::into_schema).collect();
        out.set(Keyword::AnyOf, Ordered::Array(members));
        self.union(out, SchemaPath::INNER)
    }

    pub(super) fn union(
        &mut self,
        mut keywords: Keywords,
        spot: SchemaPath,
    ) -> Result<Ordered, LowerError> {
        if keywords.declares_keys()
            && let Some(code) = self.rules.union_beside_keys(spot.is_root)
        {
            let schema = keywords.into_schema();
            let object = root::one_object_of(self.canonical, &schema);
            let Some((object, partial)) = object.filter(|_| !spot.is_root) else {
                return self.refuse(code);
            };
            let members = schema.keyword(Keyword::AnyOf).cloned().unwrap_or_default();
            self.note(NoteKind::Demoted, Keyword::AnyOf.as_str(), &members);
            self.partial = partial;
            return self.node(object, spot);
        }
        let mut members = keywords.take_list(Keyword::AnyOf);
        if self.starts(&members).is_some() {
            members.iter_mut().for_each(tag_first);
        }
        self.ask(self.starts(&members))?;
        if !self.rules.object_with_union {
            // Each member repeats it.
            keywords.take(Keyword::Type);
            let of_objects = [
                Keyword::Properties,
                Keyword::Required,
                Keyword::AdditionalProperties,
            ];
            self.leave_out(&mut keywords, &of_objects);
        } else if keywords.has(Keyword::Properties) {
            self.form(&keywords, spot, false)?;
            self.object(&mut keywords, spot)?;
        }
        let mark = self.steps.len();
        let members = self.parts('?', members)?;
        // A string of JSON cannot be distinguished from another string.
        let here = self.path.as_str();
        let is_member = |step: &Step| {
            let inner = step
                .at
                .strip_prefix(here)
                .and_then(|at| at.strip_prefix("/?"));
            step.op == Op::TextToJson && inner.is_some_and(|inner| !inner.contains('/'))
        };
        let steps = self.steps.get(mark..).unwrap_or_default();
        if steps.iter().any(is_member) || has_twins(&members, steps, here) {
            return self.refuse(LowerErrorCode::UntypedSchema);
        }
        keywords.set(Keyword::AnyOf, Ordered::Array(members));
        let mut schema = self.finished(keywords);
        if self.rules.lone_union {
            describe_members(&mut schema);
        }
        Ok(schema)
    }

    /// Returns the reject code of how the members of a union start, if any.
    fn starts(&self, members: &[Ordered]) -> Option<LowerErrorCode> {
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

    /// The first key of an object, and its value if there is only one.
    fn first_key<'s>(&'s self, member: &'s Ordered) -> Option<(&'s str, Option<&'s Ordered>)> {
        let mut member = member;
        // A recursive type may be no more than another one's name.
        for _ in 0..8 {
            match member.reference() {
                Some(reference) => member = self.canonical.target(reference)?,
                None => break,
            }
        }
        let (name, schema) = member.declared()?.first()?;
        // `null` takes the place of a missing key.
        let is_required = member.requires(name);
        Some((name, schema.only_literal().filter(|_| is_required)))
    }
}

/// Moves a required key of one value, such as a tag, before the other keys of an object.
fn tag_first(member: &mut Ordered) {
    let is_tag = |(name, schema): &Pair| member.requires(name) && schema.only_literal().is_some();
    let Some(at) = member
        .declared()
        .unwrap_or_default()
        .iter()
        .position(is_tag)
    else {
        return;
    };
    if let Ordered::Object(entries) = member
        && let Some((_, Ordered::Object(declared))) = entries
            .iter_mut()
            .find(|(key, _)| key == Keyword::Properties.as_str())
        && let Some(before) = declared.get_mut(..=at)
    {
        before.rotate_right(1);
    }
}
