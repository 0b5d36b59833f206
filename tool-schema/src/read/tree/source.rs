//! Reads the text of a schema, refuses unbounded work, and notes unchecked keywords.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use toolwright_json::Value;

use super::References;
use super::cost::cost;
use super::draft::{Draft, is_of, is_well_formed, read_exclusive_flags, read_spelled_default};
use super::error::{SchemaError, SchemaErrorKind as Kind, SchemaNote};
use crate::format;
use crate::keyword::{Keyword, REFERENCES, Subschemas};
use crate::read::{Parts, refs};
use crate::text::{escaped, excerpt, percent_decoded};

/// Bytes of a schema for each subschema, at least. Both bound memory: a tree takes up to 20 times the bytes of its schema.
const BYTES_PER_SCHEMA: usize = 64;
const MOST_DEPTH: usize = 64;
const MOST_PATTERNS: usize = 256;

/// A schema, with all that is known of it before it is read into a tree.
pub(super) struct SchemaSource<'t> {
    pub(super) schema: Value<'t>,
    pub(super) draft: Draft,
    /// `$id` was `id` before draft 6.
    has_old_ids: bool,
    pub(super) references: References,
    /// Patterns, each with the place where it is first used.
    pub(super) patterns: Vec<(String, String)>,
    pub(super) notes: Vec<SchemaNote>,
    /// Schemas for the same value, by the pointer of the schema that holds or refers to them.
    here: HashMap<String, Vec<String>>,
    /// Pointers by `$id`.
    resources: HashMap<String, String>,
    /// Pointers by resource and anchor.
    anchors: HashMap<(String, String), String>,
    /// Names of dynamic anchors; empty for `$recursiveAnchor`.
    dynamic: Vec<String>,
    links: Vec<Link>,
    schemas: usize,
    most_schemas: usize,
}

/// A reference whose possible targets are not all known.
struct Link {
    from: String,
    keyword: Keyword,
    text: String,
    /// The enclosing schema with an `$id`.
    resource: String,
}

impl<'t> SchemaSource<'t> {
    /// Reads a schema of arguments, which are an object.
    pub(super) fn of_arguments(text: &'t str, most_bytes: usize) -> Result<Self, SchemaError> {
        let source = Self::read(text, most_bytes)?;
        if source.admits_object(&source.schema, "") {
            return Ok(source);
        }
        let message =
            "it admits no object, which arguments always are; write `\"type\": \"object\"`";
        Err(SchemaError::new(Kind::NotObject, "", message))
    }

    pub(super) fn read(text: &'t str, most_bytes: usize) -> Result<Self, SchemaError> {
        if text.len() > most_bytes {
            let message = format!(
                "it has {} bytes; at most {most_bytes} are taken, which `max_schema_bytes` sets",
                text.len()
            );
            return Err(SchemaError::new(Kind::TooLarge, "", message));
        }
        let schema = Value::parse(text).ok();
        let Some(mut schema) = schema.filter(|schema| nesting(schema) <= MOST_DEPTH) else {
            let message = format!(
                "more than {MOST_DEPTH} arrays and objects inside each other; put inner schemas under `$defs`"
            );
            return Err(SchemaError::new(Kind::TooDeep, "", message));
        };
        let mut source = Self {
            schema: Value::Null,
            draft: Draft::Twenty,
            has_old_ids: false,
            references: References::new(),
            patterns: Vec::new(),
            notes: Vec::new(),
            here: HashMap::new(),
            resources: HashMap::new(),
            anchors: HashMap::new(),
            dynamic: Vec::new(),
            links: Vec::new(),
            schemas: 0,
            most_schemas: most_bytes / BYTES_PER_SCHEMA,
        };
        source.draft(&schema);
        source.schema(&mut schema, String::new(), "")?;
        source.resolve()?;
        cost(&source.here)?;
        source.schema = schema;
        Ok(source)
    }

    fn note(&mut self, at: impl Into<String>, is_weaker: bool, message: impl Into<String>) {
        self.notes.push(SchemaNote {
            at: at.into(),
            message: message.into(),
            is_weaker,
        });
    }

    /// Finds out the draft that `$schema` names; the newest one without it.
    fn draft(&mut self, schema: &Value<'_>) {
        let Some(named) = schema.keyword(Keyword::Schema) else {
            return;
        };
        let uri = named.as_str().unwrap_or_default();
        let bare = uri.strip_suffix('#').unwrap_or(uri);
        let bare = bare.split_once("://").map_or(bare, |(_, rest)| rest);
        let (draft, is_known) = match bare {
            "json-schema.org/draft/2020-12/schema" => (Draft::Twenty, true),
            "json-schema.org/draft/2019-09/schema" => (Draft::Nineteen, true),
            "json-schema.org/draft-07/schema" => (Draft::Seven, true),
            old if old.starts_with("json-schema.org/draft-0") => (Draft::Seven, false),
            _ => (Draft::Twenty, false),
        };
        self.draft = draft;
        self.has_old_ids = bare.starts_with("json-schema.org/draft-04")
            || bare.starts_with("json-schema.org/draft-03");
        if !is_known {
            let named = shortened(&named.to_json());
            self.note(
                "/$schema",
                false,
                format!("{named} is read as {}", draft.name()),
            );
        }
    }

    /// Traverses a schema, and removes unreadable parts.
    fn schema(
        &mut self,
        schema: &mut Value<'_>,
        at: String,
        resource: &str,
    ) -> Result<(), SchemaError> {
        self.schemas += 1;
        if self.schemas > self.most_schemas {
            let message = format!(
                "more than {} schemas inside it; describe less, or set more with `max_schema_bytes`",
                self.most_schemas
            );
            return Err(SchemaError::new(Kind::TooMany, "", message));
        }
        let mut here = Vec::new();
        if let Value::Object(entries) = schema {
            self.mend(entries, &at);
        }
        let resource = self.names(schema, &at, resource)?;
        match schema {
            Value::Object(entries) => {
                for (name, value) in entries {
                    let Some(keyword) = Keyword::of(name) else {
                        continue;
                    };
                    if REFERENCES.contains(&keyword) {
                        self.links.push(Link {
                            from: at.clone(),
                            keyword,
                            text: value.as_str().unwrap_or_default().to_owned(),
                            resource: resource.clone(),
                        });
                    }
                    if keyword.subschemas() == Subschemas::None {
                        continue;
                    }
                    let within = format!("{at}/{name}");
                    self.names_once(keyword, value, &within);
                    for (rest, inner) in subschemas(keyword.subschemas(), value) {
                        let inner_at = format!("{within}{rest}");
                        if keyword.is_for_the_same_value() {
                            here.push(inner_at.clone());
                        }
                        self.schema(inner, inner_at, &resource)?;
                    }
                }
            }
            Value::Bool(_) => {}
            other => {
                let message = format!("{} is not a schema, so that any value fits", shown(other));
                self.note(&at, true, message);
                *other = Value::Bool(true);
            }
        }
        self.here.insert(at, here);
        Ok(())
    }

    fn names_once(&mut self, keyword: Keyword, value: &mut Value<'_>, at: &str) {
        if let (
            Subschemas::Map | Subschemas::MapOrNames | Subschemas::Definitions,
            Value::Object(entries),
        ) = (keyword.subschemas(), value)
        {
            self.without_repeats(entries, at);
        }
    }

    /// The last of duplicate keys counts, as in JSON readers.
    fn without_repeats(&mut self, entries: &mut Vec<(Cow<'_, str>, Value<'_>)>, at: &str) {
        let is_last: Vec<bool> = {
            let mut seen = HashSet::new();
            entries
                .iter()
                .rev()
                .map(|(key, _)| seen.insert(key))
                .collect()
        };
        let mut is_last = is_last.into_iter().rev();
        entries.retain(|(key, _)| {
            let is_last = is_last.next().unwrap_or(true);
            if !is_last {
                let at = format!("{at}/{}", escaped(key));
                self.note(at, true, "given more than once; the last one counts");
            }
            is_last
        });
    }

    /// Reads the words of older drafts, and takes out keywords that nothing here can read.
    fn mend(&mut self, entries: &mut Vec<(Cow<'_, str>, Value<'_>)>, at: &str) {
        self.without_repeats(entries, at);
        for (bound, exclusive) in read_exclusive_flags(entries) {
            let message = format!("read as draft 4 means it beside `{}`", bound.as_str());
            self.note(format!("{at}/{}", exclusive.as_str()), false, message);
        }
        if read_spelled_default(entries) {
            let message = "read as the value that it spells";
            self.note(
                format!("{at}/{}", Keyword::Default.as_str()),
                false,
                message,
            );
        }
        let has = |keyword: Keyword| entries.iter().any(|(name, _)| name == keyword.as_str());
        let is_beside = self.draft == Draft::Seven && has(Keyword::Ref);
        let has_places = entries.iter().any(|(name, value)| {
            name == Keyword::Items.as_str() && matches!(value, Value::Array(_))
        });
        entries.retain_mut(|(name, value)| {
            if self.has_old_ids && name == "id" && value.as_str().is_some() {
                *name = Keyword::Id.as_str().into();
            }
            let remark = self.remark(name, value, at.is_empty(), is_beside, has_places);
            let is_read = !matches!(
                remark,
                Some((KeywordUse::Dropped | KeywordUse::Malformed, _))
            );
            if let Some((fate, message)) = remark {
                let is_weaker = matches!(fate, KeywordUse::Malformed | KeywordUse::Unchecked);
                self.note(format!("{at}/{}", escaped(name)), is_weaker, message);
            }
            is_read
        });
    }

    /// Returns the use of a keyword that is not simply checked, with the text of a note.
    fn remark(
        &self,
        name: &str,
        value: &Value<'_>,
        is_root: bool,
        is_beside: bool,
        has_places: bool,
    ) -> Option<(KeywordUse, String)> {
        let keyword = Keyword::of(name);
        let draft = self.draft.name();
        let is_note = name.starts_with("x-") || keyword.is_some_and(Keyword::is_note);
        if is_beside && !is_note && keyword != Some(Keyword::Ref) {
            let message = format!("{draft} ignores `{name}` beside `$ref`");
            return Some((KeywordUse::Read, message));
        }
        let Some(keyword) = keyword else {
            let message = || "no draft knows it".to_owned();
            return name.starts_with('$').then(|| (KeywordUse::Read, message()));
        };
        if keyword == Keyword::Schema && !is_root {
            let message = "a draft inside a schema; only that of the whole document counts";
            return Some((KeywordUse::Dropped, message.to_owned()));
        }
        if !is_of(keyword, self.draft, has_places) {
            return Some((KeywordUse::Dropped, format!("{draft} does not know it")));
        }
        if !is_well_formed(keyword, value) {
            let message = format!("{} is not valid here, so nothing checks it", shown(value));
            return Some((KeywordUse::Malformed, message));
        }
        match keyword {
            Keyword::Format => {
                let name = value.as_str().unwrap_or_default();
                let fate = match (format::is_known(name), format::is_of_json_schema(name)) {
                    (true, _) => return None,
                    (_, true) => KeywordUse::Unchecked,
                    (_, false) => KeywordUse::Read,
                };
                Some((fate, format!("the format {} is not checked", shown(value))))
            }
            Keyword::Nullable if value == &Value::Bool(true) => Some((
                KeywordUse::Read,
                "`null` fits, too, as OpenAPI means it".to_owned(),
            )),
            Keyword::Items if has_places && self.draft == Draft::Twenty => Some((
                KeywordUse::Read,
                "a list is read as `prefixItems`".to_owned(),
            )),
            Keyword::ContentSchema
            | Keyword::Vocabulary
            | Keyword::DivisibleBy
            | Keyword::Disallow
            | Keyword::Extends => Some((KeywordUse::Unchecked, "nothing checks it".to_owned())),
            // Later drafts have them as notes.
            Keyword::ContentEncoding | Keyword::ContentMediaType if self.draft == Draft::Seven => {
                Some((KeywordUse::Unchecked, "nothing checks it".to_owned()))
            }
            _ => None,
        }
    }

    /// Notes the names of a schema, and its patterns; the resource that it belongs to.
    fn names(
        &mut self,
        schema: &Value<'_>,
        at: &str,
        resource: &str,
    ) -> Result<String, SchemaError> {
        let mut resource = resource.to_owned();
        let mut anchors: Vec<&str> = Vec::new();
        match schema
            .text(Keyword::Id)
            .map(|id| id.split_once('#').unwrap_or((id, "")))
        {
            Some(("", anchor)) => anchors.push(anchor),
            Some((id, _)) => {
                at.clone_into(&mut resource);
                if self.resources.contains_key(id) {
                    let message = format!("the `$id` {id:?} stands twice; the first one counts");
                    self.note(format!("{at}/$id"), true, message);
                } else {
                    self.resources.insert(id.to_owned(), resource.clone());
                }
            }
            None => {}
        }
        let dynamic = schema.text(Keyword::DynamicAnchor);
        anchors.extend(schema.text(Keyword::Anchor).into_iter().chain(dynamic));
        for anchor in anchors.into_iter().filter(|anchor| !anchor.is_empty()) {
            let key = (resource.clone(), anchor.to_owned());
            if self.anchors.get(&key).is_some_and(|old| old != at) {
                let message = format!("the anchor {anchor:?} stands twice; the first one counts");
                self.note(at, true, message);
            } else {
                self.anchors.insert(key, at.to_owned());
            }
        }
        self.dynamic.extend(dynamic.map(ToOwned::to_owned));
        if schema.is_true(Keyword::RecursiveAnchor) {
            self.dynamic.push(String::new());
        }
        if let Some(pattern) = schema.text(Keyword::Pattern) {
            self.pattern(pattern, format!("{at}/pattern"))?;
        }
        for (pattern, _) in schema.named(Keyword::PatternProperties).unwrap_or_default() {
            let at = format!("{at}/patternProperties/{}", escaped(pattern));
            self.pattern(pattern, at)?;
        }
        Ok(resource)
    }

    fn pattern(&mut self, pattern: &str, at: String) -> Result<(), SchemaError> {
        if self.patterns.iter().any(|(known, _)| known == pattern) {
            return Ok(());
        }
        if self.patterns.len() == MOST_PATTERNS {
            let message = format!("more than {MOST_PATTERNS} patterns");
            return Err(SchemaError::new(Kind::TooMany, &at, message));
        }
        self.patterns.push((pattern.to_owned(), at));
        Ok(())
    }

    /// Resolves every reference, and records its target as a schema for the same value.
    fn resolve(&mut self) -> Result<(), SchemaError> {
        for link in std::mem::take(&mut self.links) {
            let at = format!("{}/{}", link.from, link.keyword.as_str());
            let target = self.target(&link, &at)?;
            let name = match link.keyword {
                Keyword::DynamicRef => link.text.split_once('#').map(|(_, name)| name),
                Keyword::RecursiveRef => Some(""),
                _ => None,
            };
            let is_dynamic = name
                .is_some_and(|name| self.dynamic.iter().filter(|known| *known == name).count() > 1);
            let message = match target {
                _ if is_dynamic => "where it leads depends on the way to it",
                None => "it leads to no schema here",
                Some(target) => {
                    if let Some(here) = self.here.get_mut(&link.from) {
                        here.push(target.clone());
                    }
                    self.references.entry(link.from).or_default().push(target);
                    continue;
                }
            };
            self.note(at, true, format!("{message}, so nothing checks it"));
        }
        Ok(())
    }

    /// Returns the target of a reference, if something of the document is there.
    fn target(&self, link: &Link, at: &str) -> Result<Option<String>, SchemaError> {
        let (document, fragment) = link.text.split_once('#').unwrap_or((&link.text, ""));
        let base = match document {
            "" => &link.resource,
            id => self.resources.get(id).ok_or_else(|| {
                let message = format!(
                    "`{}` is not in this document, and nothing is ever fetched; put that schema \
                     under `$defs` and refer to it as `#/$defs/…`",
                    shortened(&link.text)
                );
                SchemaError::new(Kind::RemoteReference, at, message)
            })?,
        };
        let target = if fragment.is_empty() {
            Some(base.clone())
        } else if fragment.starts_with('/') {
            percent_decoded(fragment).map(|pointer| format!("{base}{pointer}"))
        } else {
            let key = (base.clone(), fragment.to_owned());
            self.anchors.get(&key).cloned()
        };
        Ok(target.filter(|target| self.here.contains_key(target)))
    }

    /// Returns true if an object may be admitted. It terminates: no reference for the same value is recursive.
    fn admits_object(&self, schema: &Value<'_>, at: &str) -> bool {
        let admits = |keyword: Keyword, index: usize, schema: &Value<'_>| {
            self.admits_object(schema, &format!("{at}/{}/{index}", keyword.as_str()))
        };
        let members = |keyword: Keyword| {
            let members = schema.list(keyword).unwrap_or_default().iter().enumerate();
            members.map(move |(index, schema)| (keyword, index, schema))
        };
        let is_object = |value: &Value<'_>| matches!(value, Value::Object(_));
        let any = |keyword: Keyword| {
            !schema.has(keyword) || members(keyword).any(|(key, at, one)| admits(key, at, one))
        };
        let mut targets = self.references.get(at).into_iter().flatten();
        schema != &Value::Bool(false)
            && (!schema.has(Keyword::Type) || schema.is_of("object"))
            && schema.keyword(Keyword::Const).is_none_or(is_object)
            && schema
                .literals()
                .is_none_or(|all| all.iter().any(is_object))
            && members(Keyword::AllOf).all(|(key, at, one)| admits(key, at, one))
            && any(Keyword::AnyOf)
            && any(Keyword::OneOf)
            && targets.all(|target| {
                let schema = refs::at(&self.schema, target);
                schema.is_none_or(|schema| self.admits_object(schema, target))
            })
    }
}

/// Use of a keyword.
#[derive(Clone, Copy)]
enum KeywordUse {
    /// It is read by its meaning, or has none.
    Read,
    /// It means nothing here.
    Dropped,
    /// It has a value that it cannot have.
    Malformed,
    /// It means something, and nothing checks it.
    Unchecked,
}

/// Returns the schemas that a keyword holds, each with the rest of its pointer.
fn subschemas<'v, 't>(
    holds: Subschemas,
    value: &'v mut Value<'t>,
) -> Vec<(String, &'v mut Value<'t>)> {
    match (holds, value) {
        (Subschemas::List | Subschemas::SchemaOrList, Value::Array(schemas)) => {
            let indexed = schemas.iter_mut().enumerate();
            indexed
                .map(|(at, schema)| (format!("/{at}"), schema))
                .collect()
        }
        (
            Subschemas::Map | Subschemas::MapOrNames | Subschemas::Definitions,
            Value::Object(schemas),
        ) => {
            let is_names = |schema: &Value<'_>| matches!(schema, Value::Array(_));
            let named = schemas.iter_mut().filter(|(_, schema)| !is_names(schema));
            named
                .map(|(name, schema)| (format!("/{}", escaped(name)), schema))
                .collect()
        }
        (Subschemas::Schema | Subschemas::SchemaOrList, schema) => vec![(String::new(), schema)],
        _ => Vec::new(),
    }
}

fn shortened(text: &str) -> String {
    excerpt(text, 60)
}

fn shown(value: &Value<'_>) -> String {
    shortened(&value.to_json())
}

/// Returns the depth of a value. Readers of JSON stop at 128, so the recursion is bounded.
fn nesting(value: &Value<'_>) -> usize {
    let inner = match value {
        Value::Array(items) => items.iter().map(nesting).max(),
        Value::Object(entries) => entries.iter().map(|(_, value)| nesting(value)).max(),
        _ => return 0,
    };
    1 + inner.unwrap_or(0)
}
