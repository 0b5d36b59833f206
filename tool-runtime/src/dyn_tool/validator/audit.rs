//! Audit of a schema's parts, before arguments are checked against it.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::checked::{Targets, address};
use super::cost;
use super::draft::Draft;
use super::keyword::{Role, get, held, role};
use super::oracle::compile_pattern;
use super::references::Reference;
use super::references::Resolved;
use crate::dyn_tool::{SchemaError, SchemaErrorKind as Kind};
use toolwright_schema::decode::fault::say;
use toolwright_schema::keyword::{Holds, Keyword};
use toolwright_schema::text::escaped;

const MOST_SCHEMAS: usize = 4096;
const MOST_PATTERNS: usize = 256;

pub(super) fn error(kind: Kind, at: &str, message: impl Into<String>) -> SchemaError {
    SchemaError {
        kind,
        at: at.to_owned(),
        message: message.into(),
    }
}

#[derive(Default)]
pub(super) struct Audit<'s> {
    /// Each schema's pointer, and those of the schemas for the same value.
    pub(super) here: HashMap<String, Vec<String>>,
    /// Depth of nested schemas at each pointer, without following references.
    pub(super) heights: HashMap<String, usize>,
    /// Pointers by `$id`.
    pub(super) resources: HashMap<&'s str, String>,
    /// Pointers by resource and anchor.
    pub(super) anchors: HashMap<(String, &'s str), String>,
    pub(super) references: Vec<Reference<'s>>,
    pub(super) has_recursive_anchor: bool,
    schemas: usize,
    patterns: HashSet<&'s str>,
}

/// Refuses what cannot be checked against safely; else where the references lead. Schemas of arguments admit an object.
pub(super) fn audit(
    schema: &Value,
    draft: Draft,
    is_of_arguments: bool,
) -> Result<Resolved, SchemaError> {
    let mut audit = Audit::default();
    audit.walk(schema, String::new(), "", draft)?;
    let resolved = audit.resolve()?;
    cost::cost(&audit)?;
    if !is_of_arguments || admits_object(schema, schema, &resolved.by_text) {
        return Ok(resolved);
    }
    let message = "it admits no object, which arguments always are; write `\"type\": \"object\"`";
    Err(error(Kind::NotObject, "", message))
}

impl<'s> Audit<'s> {
    /// Looks into a schema; how many stand inside each other.
    fn walk(
        &mut self,
        schema: &'s Value,
        at: String,
        resource: &str,
        draft: Draft,
    ) -> Result<usize, SchemaError> {
        self.schemas += 1;
        if self.schemas > MOST_SCHEMAS {
            let message = format!("more than {MOST_SCHEMAS} schemas inside it; describe less");
            return Err(error(Kind::TooMany, "", message));
        }
        let (mut here, mut height) = (Vec::new(), 0);
        if let Value::Object(keywords) = schema {
            let resource = self.names(keywords, &at, resource, draft)?;
            for (name, value) in keywords {
                let within = format!("{at}/{}", escaped(name));
                let (holds, is_here) = match role(name, value, draft) {
                    Role::Here(holds) => (holds, true),
                    Role::Inside(holds) => (holds, false),
                    Role::Plain => continue,
                    Role::Reference => {
                        self.references.push(Reference {
                            from: at.clone(),
                            keyword: name,
                            text: value.as_str().unwrap_or_default(),
                            resource: resource.clone(),
                        });
                        continue;
                    }
                    Role::Refused(cure) => {
                        let message = format!("`{name}` would not be enforced; {cure}");
                        return Err(error(Kind::UnsupportedKeyword, &within, message));
                    }
                };
                for (rest, inner) in held(holds, value) {
                    let inner_at = format!("{within}{rest}");
                    if is_here {
                        here.push(inner_at.clone());
                    }
                    let inner = self.walk(inner, inner_at, &resource, draft)?;
                    // Definitions are compiled where they are referred to.
                    if holds != Holds::Defined {
                        height = height.max(inner);
                    }
                }
            }
        }
        height += 1;
        self.heights.insert(at.clone(), height);
        self.here.insert(at, here);
        Ok(height)
    }

    /// Notes what else a schema says at its place; the resource that it belongs to.
    fn names(
        &mut self,
        keywords: &'s Map<String, Value>,
        at: &str,
        resource: &str,
        draft: Draft,
    ) -> Result<String, SchemaError> {
        let text = |keyword| get(keywords, keyword).and_then(Value::as_str);
        self.has_recursive_anchor |=
            get(keywords, Keyword::RecursiveAnchor) == Some(&Value::Bool(true));
        if !at.is_empty() && get(keywords, Keyword::Schema).is_some() {
            let message = "a draft inside a schema; name it once, for the whole document";
            return Err(error(
                Kind::UnsupportedKeyword,
                &format!("{at}/$schema"),
                message,
            ));
        }
        if draft == Draft::Seven
            && get(keywords, Keyword::Ref).is_some()
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
        match text(Keyword::Id).map(|id| id.split_once('#').unwrap_or((id, ""))) {
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
            [Keyword::Anchor, Keyword::DynamicAnchor]
                .into_iter()
                .filter_map(text),
        );
        for anchor in anchors.into_iter().filter(|anchor| !anchor.is_empty()) {
            let old = self
                .anchors
                .insert((resource.clone(), anchor), at.to_owned());
            // A dynamic reference with two anchors depends on the path to it.
            let is_dynamic = get(keywords, Keyword::DynamicAnchor).is_some();
            let is_double =
                is_dynamic && self.anchors.keys().filter(|key| key.1 == anchor).count() > 1;
            if old.is_some_and(|old| old != at) || is_double {
                let message = format!("the anchor {anchor:?} stands twice");
                return Err(error(Kind::Invalid, at, message));
            }
        }
        if let Some(pattern) = text(Keyword::Pattern) {
            self.pattern(pattern, &format!("{at}/pattern"), draft)?;
        }
        if let Some(Value::Object(properties)) = get(keywords, Keyword::PatternProperties) {
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
        if compile_pattern(draft, pattern).is_some() {
            return Ok(());
        }
        let message = format!(
            "the pattern `{}` is no regular expression that is matched in linear time; write it \
             without look-around, back-references and large repetitions",
            say::shortened(pattern)
        );
        Err(error(Kind::Pattern, at, message))
    }
}

/// Returns true if a keyword beside a reference changes what is admitted.
fn is_assertion(name: &str) -> bool {
    let keyword = Keyword::of(name);
    let is_note = keyword.is_some_and(|keyword| keyword == Keyword::Ref || keyword.is_note());
    !is_note && !name.starts_with("x-")
}

/// Returns true if an object may be admitted. It terminates: no reference leads back for the same value.
fn admits_object(schema: &Value, root: &Value, targets: &Targets) -> bool {
    let Value::Object(keywords) = schema else {
        return schema != &Value::Bool(false);
    };
    let admits = |schema: &Value| admits_object(schema, root, targets);
    let is_name = |name: &Value| name == "object";
    keywords
        .iter()
        .filter_map(|(name, value)| Some((Keyword::of(name)?, value)))
        .all(|(keyword, value)| match (keyword, value) {
            (Keyword::Type, Value::Array(names)) => names.iter().any(is_name),
            (Keyword::Type, name) => is_name(name),
            (Keyword::Const, value) => value.is_object(),
            (Keyword::Enum, Value::Array(values)) => values.iter().any(Value::is_object),
            (Keyword::AllOf, Value::Array(all)) => all.iter().all(admits),
            (Keyword::AnyOf | Keyword::OneOf, Value::Array(any)) => any.iter().any(admits),
            (Keyword::Ref, Value::String(text)) => targets
                .get(&address(text))
                .and_then(|pointer| root.pointer(pointer))
                .is_none_or(admits),
            _ => true,
        })
}
