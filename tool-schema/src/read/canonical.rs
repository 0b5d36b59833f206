//! Normalizes any JSON Schema. References are inlined unless they are recursive, constants are one-value enums, `oneOf`
//! is `anyOf`, keywords are in order. Publishing and lowering both start from this form; [`CanonicalRules`] has their
//! differences.

mod merge;
mod union;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use super::keywords::{Keywords, text};
use super::path::Path;
use super::tree::draft::{is_well_formed, read_exclusive_flags, read_spelled_default};
use super::{Ordered, Pair, Parts, refs};
use crate::keyword::{Keyword, Subschemas};
use crate::text::escaped;

pub use self::merge::merge;
pub use self::union::{Meaning, admit_null};

/// A schema in canonical form.
pub struct Canonical {
    pub root: Ordered,
    /// The types that contain themselves, by name.
    pub defs: Vec<Pair>,
    pub is_recursive: bool,
}

impl Canonical {
    /// Takes the root for lowering. A recursive schema keeps a copy of it, the target of references.
    pub fn take_root(&mut self) -> Ordered {
        if self.is_recursive {
            self.root.clone()
        } else {
            std::mem::replace(&mut self.root, Ordered::Null)
        }
    }

    /// Returns the target of a reference.
    pub fn target(&self, reference: &str) -> Option<&Ordered> {
        if reference == "#" {
            return Some(&self.root);
        }
        let name = reference.strip_prefix("#/$defs/")?;
        let found = self.defs.iter().find(|(known, _)| known == name);
        found.map(|(_, body)| body)
    }
}

/// Why a schema cannot be read.
#[derive(Debug)]
pub enum ReadError {
    /// The target of a dangling reference.
    Unresolved(String),
    TooLarge {
        at: String,
        what: String,
    },
}

impl ReadError {
    pub(super) fn too_large(at: impl Into<String>, what: fmt::Arguments<'_>) -> Self {
        Self::TooLarge {
            at: at.into(),
            what: what.to_string(),
        }
    }
}

/// Choices in which one use of the canonical form differs from another.
pub trait CanonicalRules {
    /// Maximum number of nodes of a schema with its references inlined.
    const MOST_NODES: usize;
    /// Maximum depth of nested schemas: every pass is recursive.
    const MOST_LEVELS: usize;

    /// Returns true if a keyword is left out, beside those that are always left out.
    fn drops(&self, keyword: Keyword) -> bool;

    /// Notes a keyword that is left out.
    fn dropped(&mut self, _path: &Path, _keyword: &str, _value: &Ordered) {}

    /// Returns the schema that admits nothing.
    fn never(&self) -> Ordered {
        Ordered::Bool(false)
    }

    /// Sets the keywords for a format. Returns true if `format` is left out.
    fn format(&self, format: &str, out: &mut Keywords) -> bool;

    /// Returns the type that a schema means and does not name. By the letter `properties` without `type` admit strings as well;
    /// documents that leave `type` out mean an object.
    fn implied_type(&self, _out: &Keywords) -> Option<&'static str> {
        None
    }

    /// Writes a union of one schema and `null`, or of others, in fewer members.
    fn union(&self, members: Vec<Ordered>) -> Vec<Ordered> {
        members
    }

    /// Returns true if a union of constants becomes one enum although a constant has this keyword.
    fn folds(&self, keyword: Option<Keyword>) -> bool;

    /// Returns a description with the meanings of an enum's values.
    fn described(&self, own: &str, meanings: &[Meaning]) -> String;

    /// Completes a schema whose keywords are all known. `is_part`: other members of `allOf` hold too.
    fn finish(&self, out: &mut Keywords, is_part: bool);
}

/// The recursive targets, each with its new name: `None` for a root that is `#`.
pub(crate) type DefinitionNames = HashMap<String, Option<String>>;

/// Normalizes a schema. `names`: `None` if it has no references, and is consumed without a copy. `is_root`: a root that
/// is only a reference is the type itself, and not its name.
pub fn canonical(
    root: Ordered,
    names: Option<DefinitionNames>,
    is_root: bool,
    form: &mut impl CanonicalRules,
) -> Result<Canonical, ReadError> {
    let whole = names.as_ref().map_or(Ordered::Null, |_| root.clone());
    let mut reader = Canonicalizer {
        root: &whole,
        names: names.unwrap_or_default(),
        path: Path::default(),
        nodes: 0,
        levels: 0,
        used: Vec::new(),
        is_root,
        is_part: false,
        joins: false,
        joined: Vec::new(),
        form,
    };
    let schema = reader.schema(root)?;
    let mut defs: Vec<Pair> = Vec::new();
    // A body refers to others, which are read in turn.
    while let Some((target, name)) = reader.used.get(defs.len()).cloned() {
        let body = refs::resolve(&whole, &target).unwrap_or(&Ordered::Null);
        reader.path = Path::of_definition(&name);
        defs.push((name.into(), reader.schema(body.clone())?));
    }
    Ok(Canonical {
        root: schema,
        defs,
        is_recursive: !reader.names.is_empty(),
    })
}

struct Canonicalizer<'s, 'f, F> {
    /// The document that references point into.
    root: &'s Ordered,
    names: DefinitionNames,
    path: Path,
    nodes: usize,
    levels: usize,
    /// The targets of `names` with references from the schemas read so far, with their names.
    used: Vec<(String, String)>,
    is_root: bool,
    is_part: bool,
    /// The next schema joins others for the same value, so a recursive type is inlined there.
    joins: bool,
    /// Targets that are being read to join others.
    joined: Vec<String>,
    form: &'f mut F,
}

impl<F: CanonicalRules> Canonicalizer<'_, '_, F> {
    fn schema(&mut self, schema: Ordered) -> Result<Ordered, ReadError> {
        let entries = match schema {
            Ordered::Object(entries) => entries,
            Ordered::Bool(false) => return Ok(self.form.never()),
            // Any other value is not a schema, and has no effect.
            _ => return Ok(Ordered::empty()),
        };
        self.spend(1 + entries.len())?;
        self.levels += 1;
        if self.levels > F::MOST_LEVELS {
            let most = F::MOST_LEVELS;
            let what = format_args!("more than {most} schemas inside each other");
            return Err(ReadError::too_large(self.path.at(), what));
        }
        let schema = self.object(entries)?;
        self.levels -= 1;
        Ok(schema)
    }

    fn spend(&mut self, nodes: usize) -> Result<(), ReadError> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > F::MOST_NODES {
            let most = F::MOST_NODES;
            let what = format_args!("more than {most} nodes once references stand inline");
            return Err(ReadError::too_large(self.path.at(), what));
        }
        Ok(())
    }

    /// A value without changes.
    fn unchanged(&mut self, value: Ordered) -> Result<Ordered, ReadError> {
        self.spend(weight(&value))?;
        Ok(value)
    }

    fn drop(&mut self, keyword: &str, value: &Ordered) {
        self.form.dropped(&self.path, keyword, value);
    }

    fn inner(&mut self, segment: &str, schema: Ordered) -> Result<Ordered, ReadError> {
        let mark = self.path.enter(segment);
        let schema = self.schema(schema);
        self.path.leave(mark);
        schema
    }

    fn members(
        &mut self,
        value: Ordered,
        sign: char,
        is_part: bool,
        joins: bool,
    ) -> Result<Vec<Ordered>, ReadError> {
        let Ordered::Array(members) = value else {
            return Ok(Vec::new());
        };
        let members = members.into_iter().enumerate();
        members
            .map(|(index, member)| {
                (self.is_part, self.joins) = (is_part, joins);
                let mark = self.path.enter_numbered(sign, index);
                let member = self.schema(member);
                self.path.leave(mark);
                member
            })
            .collect()
    }

    fn named(&mut self, value: Ordered) -> Result<Ordered, ReadError> {
        let Ordered::Object(entries) = value else {
            return Ok(Ordered::empty());
        };
        let entries = entries.into_iter().map(|(name, schema)| {
            let schema = self.inner(&escaped(&name), schema)?;
            Ok((name, schema))
        });
        Ok(Ordered::Object(entries.collect::<Result<_, ReadError>>()?))
    }

    fn object(&mut self, mut entries: Vec<Pair>) -> Result<Ordered, ReadError> {
        read_exclusive_flags(&mut entries);
        read_spelled_default(&mut entries);
        let is_root = std::mem::take(&mut self.is_root);
        let is_part = std::mem::take(&mut self.is_part);
        let says_more = |(key, _): &Pair| {
            let is_alone = |key| matches!(key, Keyword::Ref | Keyword::AllOf | Keyword::Nullable);
            Keyword::of(key).is_some_and(|key| !is_alone(key) && !key.is_note())
        };
        let joins = std::mem::take(&mut self.joins) || entries.iter().any(says_more);
        let mut out = Keywords(Vec::with_capacity(entries.len()));
        let mut meanings = Vec::new();
        // Adds the keywords of another place, after these.
        let mut parts = Vec::new();
        for (key, value) in entries {
            let Some(keyword) = Keyword::of(&key) else {
                out.set(key, self.unchanged(value)?);
                continue;
            };
            match (keyword, &value) {
                // Draft 2020-12, core 8 and validation 9: names of schemas, and words for people.
                // readOnly and writeOnly are of an object that is stored.
                (
                    Keyword::Schema
                    | Keyword::Id
                    | Keyword::Comment
                    | Keyword::Title
                    | Keyword::ReadOnly
                    | Keyword::WriteOnly,
                    _,
                ) => self.drop(&key, &value),
                _ if self.form.drops(keyword) => self.drop(&key, &value),
                (Keyword::Defs | Keyword::Definitions, _) => {}
                (Keyword::Ref, Ordered::String(target)) => {
                    self.is_part = is_part;
                    self.joins = joins;
                    parts.extend(self.reference(target, is_root, &mut out)?);
                    self.joins = false;
                    self.is_part = false;
                }
                (Keyword::Const, _) => {
                    let value = self.unchanged(value)?;
                    out.set(Keyword::Enum, Ordered::Array(vec![value]));
                }
                (Keyword::Type, _) => match union::known_types(&value) {
                    Some(types) => merge::put(&mut out, keyword, types),
                    None => self.drop(&key, &value),
                },
                _ if !is_well_formed(keyword, &value) => self.drop(&key, &value),
                (Keyword::Enum, Ordered::Array(_)) if out.has(Keyword::Enum) => {}
                (Keyword::AnyOf | Keyword::OneOf, Ordered::Array(members))
                    if !members.is_empty() =>
                {
                    let members = self.members(value, '?', is_part, false)?;
                    if keyword == Keyword::OneOf && union::overlaps(&members) {
                        let forms = Ordered::Number(members.len().to_string().into());
                        self.drop(&key, &forms);
                    }
                    parts.extend(union::put(members, &mut out, &mut meanings, self.form));
                }
                (Keyword::AnyOf | Keyword::OneOf, _) => self.drop(&key, &value),
                (Keyword::AllOf, _) => {
                    let is_several = value.items().len() > 1;
                    let joins = joins || is_several;
                    parts.extend(self.members(value, '?', is_part || is_several, joins)?);
                }
                (Keyword::Format, Ordered::String(format)) => {
                    if self.form.format(format, &mut out) {
                        self.drop(&key, &value);
                    } else {
                        out.set(keyword, value);
                    }
                }
                // A value that is not admitted does not change.
                (Keyword::Not, not) if not.has_any(&[Keyword::Const, Keyword::Enum]) => {
                    out.set(keyword, self.unchanged(value)?);
                }
                // A tuple, before draft 2020-12.
                (Keyword::Items, Ordered::Array(_)) | (Keyword::PrefixItems, _) => {
                    let members = self.members(value, '_', false, false)?;
                    out.set(Keyword::PrefixItems, Ordered::Array(members));
                }
                (
                    Keyword::AdditionalProperties | Keyword::UnevaluatedProperties,
                    Ordered::Bool(_),
                ) => out.set(keyword, value),
                _ => self.keyword(keyword, value, &mut out)?,
            }
        }
        for part in parts {
            for (key, value) in merge::merge(&mut out, part) {
                self.drop(&key, &value);
            }
        }
        if !is_part && let Some(name) = self.form.implied_type(&out) {
            self.drop(Keyword::Type.as_str(), &text("any"));
            out.set(Keyword::Type, text(name));
        }
        Ok(self.finished(out, &meanings, is_part))
    }

    /// Sets a keyword without siblings.
    fn keyword(
        &mut self,
        keyword: Keyword,
        value: Ordered,
        out: &mut Keywords,
    ) -> Result<(), ReadError> {
        if keyword == Keyword::Required {
            merge::put(out, keyword, Ordered::Array(Vec::new()));
        }
        let value = match keyword.subschemas() {
            Subschemas::Map => self.named(value)?,
            Subschemas::Schema | Subschemas::SchemaOrList => self.inner(&part(keyword), value)?,
            _ => self.unchanged(value)?,
        };
        match keyword {
            Keyword::AdditionalItems => out.set(Keyword::Items, value),
            Keyword::Properties
            | Keyword::PatternProperties
            | Keyword::DependentSchemas
            | Keyword::Required => merge::put(out, keyword, value),
            _ => out.set(keyword, value),
        }
        Ok(())
    }

    /// Completes a schema whose keywords are all known.
    fn finished(&self, mut out: Keywords, meanings: &[Meaning], is_part: bool) -> Ordered {
        if !meanings.is_empty() {
            let words = self.form.described(out.description(), meanings);
            out.set(Keyword::Description, text(words));
        }
        if out.list(Keyword::Required).is_some_and(<[_]>::is_empty) {
            out.take(Keyword::Required);
        }
        if !out.has(Keyword::Type)
            && let Some(values) = out.literals()
            && let Some(types) = union::types_of(values)
        {
            out.set(Keyword::Type, types);
        }
        // OpenAPI 3.0's word, which Gemini's dialect writes too.
        if out.take(Keyword::Nullable) == Some(Ordered::Bool(true)) {
            admit_null(&mut out);
        }
        self.form.finish(&mut out, is_part);
        out.into_schema()
    }

    /// Returns the target of a reference, unless it remains a reference.
    fn reference(
        &mut self,
        target: &str,
        is_root: bool,
        out: &mut Keywords,
    ) -> Result<Option<Ordered>, ReadError> {
        // A root that is only a name is the type itself.
        let is_named = !is_root || target == "#";
        let joins =
            std::mem::take(&mut self.joins) && !self.joined.iter().any(|known| known == target);
        let Some(name) = self.names.get(target).filter(|_| is_named && !joins) else {
            let Some(body) = refs::resolve(self.root, target) else {
                out.set(Keyword::Ref, text(target.to_owned()));
                return Ok(None);
            };
            self.joined.push(target.to_owned());
            let body = self.schema(body.clone());
            self.joined.pop();
            return body.map(Some);
        };
        let mut reference = "#".to_owned();
        if let Some(name) = name {
            reference = format!("#/$defs/{name}");
            if !self.used.iter().any(|(_, known)| known == name) {
                self.used.push((target.to_owned(), name.clone()));
            }
        }
        out.set(Keyword::Ref, text(reference));
        Ok(None)
    }
}

/// The path segment of a keyword's schema.
fn part(keyword: Keyword) -> Cow<'static, str> {
    match keyword {
        Keyword::Not | Keyword::If | Keyword::Then | Keyword::Else => {
            format!("?{}", keyword.as_str()).into()
        }
        Keyword::AdditionalProperties | Keyword::UnevaluatedProperties => "*/value".into(),
        Keyword::PropertyNames => "*/key".into(),
        _ => "*".into(),
    }
}

/// Returns the weight of a value: its nodes, and one more for every 64 bytes of a text.
fn weight(value: &Ordered) -> usize {
    match value {
        Ordered::String(text) => 1 + text.len() / 64,
        Ordered::Array(items) => 1 + items.iter().map(weight).sum::<usize>(),
        Ordered::Object(entries) => {
            let entry = |(key, value): &Pair| 1 + key.len() / 64 + weight(value);
            1 + entries.iter().map(entry).sum::<usize>()
        }
        _ => 1,
    }
}
