//! What a schema must fulfil before anything is checked against it.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::draft::Draft;
use super::keyword::{Keyword, escaped, held, keyword};
use super::{Targets, address, compile, cost};
use crate::fault::shortened;
use crate::{SchemaError, SchemaErrorKind as Kind};

const MOST_BYTES: usize = 256 * 1024;
const MOST_DEPTH: usize = 64;
const MOST_SCHEMAS: usize = 4096;
const MOST_PATTERNS: usize = 256;
/// Compiling follows references inside each other, and the stack ends.
const MOST_TARGETS: usize = 512;

pub(super) fn error(kind: Kind, at: &str, message: impl Into<String>) -> SchemaError {
    SchemaError {
        kind,
        at: at.to_owned(),
        message: message.into(),
    }
}

pub(super) fn size(text: &str) -> Result<(), SchemaError> {
    if text.len() <= MOST_BYTES {
        return Ok(());
    }
    let message = format!(
        "it has {} bytes; at most {MOST_BYTES} are taken",
        text.len()
    );
    Err(error(Kind::TooLarge, "", message))
}

pub(super) fn depth(schema: &Value) -> Result<(), SchemaError> {
    if nesting(schema) <= MOST_DEPTH {
        return Ok(());
    }
    let message = format!(
        "more than {MOST_DEPTH} arrays and objects inside each other; put inner schemas under `$defs`"
    );
    Err(error(Kind::TooDeep, "", message))
}

/// What reads JSON stops at 128, so this ends.
fn nesting(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(nesting).max().unwrap_or(0),
        Value::Object(entries) => 1 + entries.values().map(nesting).max().unwrap_or(0),
        _ => 0,
    }
}

/// A reference that has been met, until all that it may lead to is known.
struct Reference<'s> {
    from: String,
    keyword: &'s str,
    text: &'s str,
    /// The schema with an `$id` that it stands in.
    resource: String,
}

#[derive(Default)]
pub(super) struct Audit<'s> {
    /// Each schema's pointer, and those of the schemas for the same value.
    pub(super) here: HashMap<String, Vec<String>>,
    /// Pointers by `$id`.
    resources: HashMap<&'s str, String>,
    /// Pointers by resource and anchor.
    anchors: HashMap<(String, &'s str), String>,
    references: Vec<Reference<'s>>,
    schemas: usize,
    patterns: HashSet<&'s str>,
}

/// Refuses what cannot be checked against safely; else where the references lead.
pub(super) fn audit(schema: &Value, draft: Draft) -> Result<Targets, SchemaError> {
    let mut audit = Audit::default();
    audit.walk(schema, String::new(), "", draft)?;
    let targets = audit.resolve()?;
    cost::cost(&audit)?;
    if admits_object(schema, schema, &targets) {
        return Ok(targets);
    }
    let message = "it admits no object, which arguments always are; write `\"type\": \"object\"`";
    Err(error(Kind::NotObject, "", message))
}

impl<'s> Audit<'s> {
    fn walk(
        &mut self,
        schema: &'s Value,
        at: String,
        resource: &str,
        draft: Draft,
    ) -> Result<(), SchemaError> {
        self.schemas += 1;
        if self.schemas > MOST_SCHEMAS {
            let message = format!("more than {MOST_SCHEMAS} schemas inside it; describe less");
            return Err(error(Kind::TooMany, "", message));
        }
        let mut here = Vec::new();
        if let Value::Object(keywords) = schema {
            let resource = self.names(keywords, &at, resource, draft)?;
            for (name, value) in keywords {
                let within = format!("{at}/{}", escaped(name));
                let (holds, is_here) = match keyword(name, value, draft) {
                    Keyword::Here(holds) => (holds, true),
                    Keyword::Inside(holds) => (holds, false),
                    Keyword::Plain => continue,
                    Keyword::Reference => {
                        self.references.push(Reference {
                            from: at.clone(),
                            keyword: name,
                            text: value.as_str().unwrap_or_default(),
                            resource: resource.clone(),
                        });
                        continue;
                    }
                    Keyword::Refused(cure) => {
                        let message = format!("`{name}` would not be enforced; {cure}");
                        return Err(error(Kind::UnsupportedKeyword, &within, message));
                    }
                };
                for (rest, inner) in held(holds, value) {
                    let inner_at = format!("{within}{rest}");
                    if is_here {
                        here.push(inner_at.clone());
                    }
                    self.walk(inner, inner_at, &resource, draft)?;
                }
            }
        }
        self.here.insert(at, here);
        Ok(())
    }

    /// Notes what else a schema says at its place; the resource that it belongs to.
    fn names(
        &mut self,
        keywords: &'s Map<String, Value>,
        at: &str,
        resource: &str,
        draft: Draft,
    ) -> Result<String, SchemaError> {
        let text = |name: &str| keywords.get(name).and_then(Value::as_str);
        if !at.is_empty() && keywords.contains_key("$schema") {
            let message = "a draft inside a schema; name it once, for the whole document";
            return Err(error(
                Kind::UnsupportedKeyword,
                &format!("{at}/$schema"),
                message,
            ));
        }
        if draft == Draft::Seven
            && keywords.contains_key("$ref")
            && let Some(beside) = keywords.keys().find(|name| is_assertion(name))
        {
            let message =
                format!("draft 7 ignores `{beside}` beside `$ref`; put both into `allOf`");
            return Err(error(
                Kind::UnsupportedKeyword,
                &format!("{at}/{beside}"),
                message,
            ));
        }
        let mut resource = resource.to_owned();
        let mut anchors: Vec<&str> = Vec::new();
        match text("$id").map(|id| id.split_once('#').unwrap_or((id, ""))) {
            Some(("", anchor)) => anchors.push(anchor),
            Some((id, _)) => {
                at.clone_into(&mut resource);
                if self.resources.insert(id, resource.clone()).is_some() {
                    let message = format!("the `$id` {id:?} stands twice");
                    return Err(error(Kind::Invalid, &format!("{at}/$id"), message));
                }
            }
            None => {}
        }
        anchors.extend(
            ["$anchor", "$dynamicAnchor"]
                .iter()
                .filter_map(|name| text(name)),
        );
        for anchor in anchors.into_iter().filter(|anchor| !anchor.is_empty()) {
            let old = self
                .anchors
                .insert((resource.clone(), anchor), at.to_owned());
            // Of two anchors the one that a dynamic reference means depends on the way to it.
            let is_dynamic = keywords.contains_key("$dynamicAnchor");
            let is_double =
                is_dynamic && self.anchors.keys().filter(|key| key.1 == anchor).count() > 1;
            if old.is_some_and(|old| old != at) || is_double {
                let message = format!("the anchor {anchor:?} stands twice");
                return Err(error(Kind::Invalid, at, message));
            }
        }
        if let Some(pattern) = text("pattern") {
            self.pattern(pattern, &format!("{at}/pattern"), draft)?;
        }
        if let Some(Value::Object(properties)) = keywords.get("patternProperties") {
            for pattern in properties.keys() {
                let at = format!("{at}/patternProperties/{}", escaped(pattern));
                self.pattern(pattern, &at, draft)?;
            }
        }
        Ok(resource)
    }

    fn pattern(&mut self, pattern: &'s str, at: &str, draft: Draft) -> Result<(), SchemaError> {
        if !self.patterns.insert(pattern) {
            return Ok(());
        }
        if self.patterns.len() > MOST_PATTERNS {
            let message = format!("more than {MOST_PATTERNS} patterns");
            return Err(error(Kind::TooMany, at, message));
        }
        if compile(draft, &json!({"pattern": pattern})).is_some() {
            return Ok(());
        }
        let message = format!(
            "the pattern `{}` is no regular expression that is matched in linear time; write it \
             without look-around, back-references and large repetitions",
            shortened(pattern)
        );
        Err(error(Kind::Pattern, at, message))
    }

    /// Finds where every reference leads, and notes it as a schema for the same value.
    fn resolve(&mut self) -> Result<Targets, SchemaError> {
        let mut targets = Targets::new();
        let mut distinct = HashSet::new();
        for reference in std::mem::take(&mut self.references) {
            let Reference { from, text, .. } = &reference;
            let target = self.target(&reference)?;
            distinct.insert(target.clone());
            if distinct.len() > MOST_TARGETS {
                let message = format!("references to more than {MOST_TARGETS} schemas");
                return Err(error(Kind::TooMany, "", message));
            }
            targets.insert(address(text), target.clone());
            if let Some(here) = self.here.get_mut(from) {
                here.push(target);
            }
        }
        Ok(targets)
    }

    fn target(&self, reference: &Reference<'s>) -> Result<String, SchemaError> {
        let Reference {
            from,
            keyword,
            text,
            resource,
        } = reference;
        let at = format!("{from}/{keyword}");
        let (document, fragment) = text.split_once('#').unwrap_or((text, ""));
        let base = match document {
            // It would be passed over.
            "" if text.is_empty() => {
                let message = "an empty reference; write `#` for the whole schema";
                return Err(error(Kind::MissingReference, &at, message));
            }
            "" => resource,
            id => self.resources.get(id).ok_or_else(|| {
                let message = format!(
                    "`{}` is not in this document, and nothing is ever fetched; put that schema \
                     under `$defs` and refer to it as `#/$defs/…`",
                    shortened(text)
                );
                error(Kind::RemoteReference, &at, message)
            })?,
        };
        let target = if fragment.is_empty() {
            Some(base.clone())
        } else if fragment.starts_with('/') {
            decoded(fragment).map(|pointer| format!("{base}{pointer}"))
        } else {
            self.anchors
                .iter()
                .find_map(|((resource, anchor), target)| {
                    (resource == base && *anchor == fragment).then(|| target.clone())
                })
        };
        target
            .filter(|target| self.here.contains_key(target))
            .ok_or_else(|| {
                let message = format!(
                    "`{}` leads to no schema here; put that schema under `$defs`",
                    shortened(text)
                );
                error(Kind::MissingReference, &at, message)
            })
    }
}

/// Whether a keyword changes what is admitted.
fn is_assertion(name: &str) -> bool {
    const NOTES: [&str; 14] = [
        "$ref",
        "$id",
        "$schema",
        "$comment",
        "title",
        "description",
        "default",
        "examples",
        "example",
        "deprecated",
        "readOnly",
        "writeOnly",
        "definitions",
        "$defs",
    ];
    !NOTES.contains(&name) && !name.starts_with("x-")
}

/// A fragment without its percent-encoding.
fn decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (high, low) = (digit()?, digit()?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// Whether an object may fit. The walk ends: no reference leads back for the same value.
fn admits_object(schema: &Value, root: &Value, targets: &Targets) -> bool {
    let Value::Object(keywords) = schema else {
        return schema != &Value::Bool(false);
    };
    let admits = |schema: &Value| admits_object(schema, root, targets);
    let is_name = |name: &Value| name == "object";
    keywords
        .iter()
        .all(|(name, value)| match (name.as_str(), value) {
            ("type", Value::Array(names)) => names.iter().any(is_name),
            ("type", name) => is_name(name),
            ("const", value) => value.is_object(),
            ("enum", Value::Array(values)) => values.iter().any(Value::is_object),
            ("allOf", Value::Array(all)) => all.iter().all(admits),
            ("anyOf" | "oneOf", Value::Array(any)) => any.iter().any(admits),
            ("$ref", Value::String(text)) => targets
                .get(&address(text))
                .and_then(|pointer| root.pointer(pointer))
                .is_none_or(admits),
            _ => true,
        })
}
