//! Any JSON Schema in one form, before a dialect's table is asked: what is no rule of a value is
//! dropped, references stand inline unless they come back to themselves, constants are one-value
//! enums, `oneOf` is `anyOf`, the names of Rust's numbers are no formats.

mod finish;
mod merge;
pub(super) mod refs;
mod union;

use std::collections::HashMap;

use self::finish::{WORDS, finished, weight};
use super::keywords::{Keywords, text};
use super::plan::Path;
use super::reject::{Note, NoteKind, Reject};
use crate::schema::read::{Ordered, Pair};

/// A schema may grow by references to references; a bomb of them grows without end. openai-agents
/// refuses more than 100,000 nodes too (2026-08).
const MOST_NODES: usize = 100_000;

/// How deep schemas may stand inside each other: every pass goes down by the stack.
const MOST_LEVELS: usize = 96;

/// A schema in canonical form.
pub(super) struct Canonical {
    pub(super) root: Ordered,
    /// The types that contain themselves, by name.
    pub(super) defs: Vec<Pair>,
    pub(super) is_recursive: bool,
}

impl Canonical {
    /// The root, to be lowered. References lead to a copy of it; without any nobody asks for that.
    pub(super) fn take_root(&mut self) -> Ordered {
        if self.is_recursive {
            self.root.clone()
        } else {
            std::mem::replace(&mut self.root, Ordered::Null)
        }
    }

    /// What a reference leads to.
    pub(super) fn target(&self, reference: &str) -> Option<&Ordered> {
        if reference == "#" {
            return Some(&self.root);
        }
        let name = reference.strip_prefix("#/$defs/")?;
        let found = self.defs.iter().find(|(known, _)| known == name);
        found.map(|(_, body)| body)
    }
}

pub(super) fn canonical(root: &Ordered, notes: &mut Vec<Note>) -> Result<Canonical, Reject> {
    let names = refs::recursive(root)?;
    let mut reader = Reader {
        root,
        names,
        path: Path::default(),
        left: MOST_NODES,
        levels: 0,
        used: Vec::new(),
        is_root: true,
        notes,
    };
    let is_recursive = !reader.names.is_empty();
    let schema = reader.schema(root)?;
    let mut defs: Vec<Pair> = Vec::new();
    // A body refers to others, which are read in turn.
    while let Some((target, name)) = reader.used.get(defs.len()).cloned() {
        let body = refs::resolve(root, &target).unwrap_or(&Ordered::Null);
        reader.path = Path::of_definition(&name);
        defs.push((name.into(), reader.schema(body)?));
    }
    defs.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(Canonical {
        root: schema,
        defs,
        is_recursive,
    })
}

struct Reader<'s, 'n> {
    root: &'s Ordered,
    /// The targets that come back to themselves.
    names: HashMap<String, Option<String>>,
    path: Path,
    left: usize,
    levels: usize,
    /// Those of them that are referred to from what has been read, with their names.
    used: Vec<(String, String)>,
    is_root: bool,
    notes: &'n mut Vec<Note>,
}

impl Reader<'_, '_> {
    fn schema(&mut self, schema: &Ordered) -> Result<Ordered, Reject> {
        let Ordered::Object(entries) = schema else {
            return Ok(match schema {
                Ordered::Bool(false) => Ordered::Bool(false),
                // Anything else but `true` is no schema, and says nothing.
                _ => Ordered::empty(),
            });
        };
        self.spend(1 + entries.len())?;
        self.levels += 1;
        if self.levels > MOST_LEVELS {
            let what = format!("more than {MOST_LEVELS} schemas inside each other");
            return Err(Reject::too_large(self.path.at(), what));
        }
        let schema = self.object(entries)?;
        self.levels -= 1;
        Ok(schema)
    }

    fn spend(&mut self, nodes: usize) -> Result<(), Reject> {
        match self.left.checked_sub(nodes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                let what = format!("more than {MOST_NODES} nodes once references stand inline");
                Err(Reject::too_large(self.path.at(), what))
            }
        }
    }

    /// A value that is kept as it is.
    fn copy(&mut self, value: &Ordered) -> Result<Ordered, Reject> {
        self.spend(weight(value))?;
        Ok(value.clone())
    }

    fn drop(&mut self, keyword: &str, value: &Ordered) {
        self.notes.push(Note {
            kind: NoteKind::Dropped,
            path: self.path.at(),
            keyword: keyword.to_owned(),
            value: value.to_json(),
        });
    }

    fn inner(&mut self, segment: &str, schema: &Ordered) -> Result<Ordered, Reject> {
        let mark = self.path.enter(segment);
        let schema = self.schema(schema);
        self.path.leave(mark);
        schema
    }

    fn members(&mut self, value: &Ordered, sign: &str) -> Result<Vec<Ordered>, Reject> {
        let Ordered::Array(members) = value else {
            return Ok(Vec::new());
        };
        let members = members.iter().enumerate();
        members
            .map(|(index, member)| self.inner(&format!("{sign}{index}"), member))
            .collect()
    }

    fn named(&mut self, value: &Ordered) -> Result<Ordered, Reject> {
        let Ordered::Object(entries) = value else {
            return Ok(Ordered::empty());
        };
        let entries = entries.iter().map(|(name, schema)| {
            let segment = Path::escaped(name);
            Ok((name.clone(), self.inner(&segment, schema)?))
        });
        Ok(Ordered::Object(entries.collect::<Result<_, Reject>>()?))
    }

    fn object(&mut self, entries: &[Pair]) -> Result<Ordered, Reject> {
        let is_root = std::mem::take(&mut self.is_root);
        let mut out = Keywords::default();
        // What is said in another place, after what is said here.
        let mut parts = Vec::new();
        for (key, value) in entries {
            match (key.as_ref(), value) {
                // Draft 2020-12, core 8 and validation 9: names of schemas, and words for people.
                // readOnly and writeOnly are of an object that is stored; the last three are
                // OpenAPI's.
                (
                    "$schema" | "$id" | "$comment" | "$anchor" | "$dynamicAnchor" | "$vocabulary"
                    | "title" | "examples" | "example" | "deprecated" | "readOnly" | "writeOnly"
                    | "discriminator" | "externalDocs" | "xml" | "propertyOrdering",
                    _,
                ) => self.drop(key, value),
                ("$defs" | "definitions", _) => {}
                ("$ref", Ordered::String(target)) => {
                    parts.extend(self.reference(target, is_root, &mut out)?);
                }
                ("const", _) => {
                    let value = self.copy(value)?;
                    out.set("enum", Ordered::Array(vec![value]));
                }
                ("type", _) => match union::known_types(value) {
                    Some(types) => merge::put(&mut out, key.clone(), types),
                    None => self.drop(key, value),
                },
                ("enum", Ordered::Array(_)) if out.has("enum") => {}
                ("anyOf" | "oneOf", _) => {
                    let members = self.members(value, "?")?;
                    if members.is_empty() {
                        self.drop(key, value);
                    } else {
                        parts.extend(union::put(members, &mut out));
                    }
                }
                ("allOf", _) => match <[Ordered; 1]>::try_from(self.members(value, "?")?) {
                    Ok([one]) => parts.push(one),
                    Err(members) => merge::all_of(&mut out, members),
                },
                ("format", Ordered::String(format)) => self.format(format, value, &mut out),
                ("not", _) => {
                    let value = match value.get("const").or_else(|| value.get("enum")) {
                        Some(_) => self.copy(value)?,
                        None => self.inner("?not", value)?,
                    };
                    out.set(key.clone(), value);
                }
                ("properties" | "patternProperties" | "dependentSchemas", _) => {
                    let value = self.named(value)?;
                    merge::put(&mut out, key.clone(), value);
                }
                ("additionalProperties" | "unevaluatedProperties", Ordered::Bool(_)) => {
                    out.set(key.clone(), value.clone());
                }
                // A tuple, before draft 2020-12.
                ("items", Ordered::Array(_)) | ("prefixItems", _) => {
                    let members = self.members(value, "_")?;
                    out.set("prefixItems", Ordered::Array(members));
                }
                ("additionalItems", _) => {
                    let value = self.inner("*", value)?;
                    out.set("items", value);
                }
                ("additionalProperties" | "unevaluatedProperties", _) => {
                    let value = self.inner("*/value", value)?;
                    out.set(key.clone(), value);
                }
                ("items" | "unevaluatedItems" | "contains", _) => {
                    let value = self.inner("*", value)?;
                    out.set(key.clone(), value);
                }
                ("propertyNames", _) => {
                    let value = self.inner("*/key", value)?;
                    out.set(key.clone(), value);
                }
                ("if" | "then" | "else", _) => {
                    let value = self.inner(&format!("?{key}"), value)?;
                    out.set(key.clone(), value);
                }
                ("required", _) => {
                    let value = self.copy(value)?;
                    merge::put(&mut out, key.clone(), value);
                }
                _ => {
                    let value = self.copy(value)?;
                    out.set(key.clone(), value);
                }
            }
        }
        for part in parts {
            if let Some((key, value)) = merge::merge(&mut out, part) {
                self.drop(&key, &value);
            }
        }
        Ok(finished(out))
    }

    /// What a reference leads to, unless it comes back to itself.
    fn reference(
        &mut self,
        target: &str,
        is_root: bool,
        out: &mut Keywords,
    ) -> Result<Option<Ordered>, Reject> {
        let root = self.root;
        let name = match self.names.get(target) {
            // A root that is no more than a name is the type itself.
            Some(_) if is_root && target != "#" => None,
            Some(name) => Some(name.clone()),
            None => None,
        };
        if let Some(name) = name {
            let reference = match name {
                None => "#".to_owned(),
                Some(name) => {
                    let reference = format!("#/$defs/{name}");
                    if !self.used.iter().any(|(_, known)| *known == name) {
                        self.used.push((target.to_owned(), name));
                    }
                    reference
                }
            };
            out.set("$ref", text(reference));
            return Ok(None);
        }
        let body = refs::resolve(root, target).unwrap_or(&Ordered::Null);
        self.schema(body).map(Some)
    }

    /// schemars names Rust's types where JSON Schema names formats (schemars 1.2.3).
    fn format(&mut self, format: &str, value: &Ordered, out: &mut Keywords) {
        let words = match format {
            "uint8" | "uint16" | "uint32" | "uint64" | "uint128" | "uint" | "int8" | "int16"
            | "int32" | "int64" | "int128" | "int" | "float" | "double" => "",
            "ip" => "IPv4 or IPv6 address",
            "partial-time" => "time of day, such as `23:59:59`",
            "partial-date-time" => "date and time without an offset, such as `2026-12-31T23:59:59`",
            _ => {
                out.set("format", value.clone());
                return;
            }
        };
        self.drop("format", value);
        if !words.is_empty() {
            // Said before the field's own words are known, so kept apart until then.
            out.set(WORDS, text(words));
        }
    }
}
