//! From schemas of `OpenAPI` to JSON Schema 2020-12 for requests and answers, with what they refer to under `$defs`.

mod answers;
mod bases;
mod keywords;
mod object;
mod properties;
mod union;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

use toolwright::json::Value;

pub(crate) use self::answers::{Answers, Described};
use self::bases::Base;
pub(crate) use self::bases::Bases;
use self::keywords::{Keyword, describes, keyword};
use self::object::is_absent;
pub(crate) use self::object::{MergedObject, Side, merged};
pub(crate) use self::properties::{Place, Property, places};
use crate::document::{At, Documents, MAX_DEPTH, MOST_KEY, MOST_POINTER, step};
use crate::groups::free_name;
use crate::notice::NoticeKind;

/// A part of a schema, as a chain of steps from a place in a document. It is written out for notices only.
pub(crate) enum Path<'p> {
    /// The document, the pointer, and whether the schema stands at the top of a body.
    At(usize, &'p str, bool),
    Step(&'p Path<'p>, &'p str),
    Index(&'p Path<'p>, &'p str, usize),
}

impl Path<'_> {
    fn document(&self) -> usize {
        match self {
            Self::At(document, ..) => *document,
            Self::Step(outer, _) | Self::Index(outer, ..) => outer.document(),
        }
    }

    /// Returns true for a part of a base's subtype.
    fn is_part_of(&self, base: &Base) -> bool {
        match self {
            Self::Index(outer, "allOf", _) => {
                outer.is_part_of(base)
                    || Bases::is_subtype(base, outer.document(), &outer.pointer())
            }
            _ => false,
        }
    }

    /// Returns true if the part describes the top-level value of a body, or the items of an array there.
    fn is_top(&self) -> bool {
        match self {
            Self::At(.., is_top) => *is_top,
            Self::Step(Self::Step(outer, "dependentSchemas"), _)
            | Self::Step(
                outer,
                "if" | "then" | "else" | "items" | "contains" | "unevaluatedItems",
            )
            | Self::Index(outer, "allOf" | "anyOf" | "oneOf" | "prefixItems", _) => outer.is_top(),
            _ => false,
        }
    }

    /// Returns about how long the pointer is.
    fn length(&self) -> usize {
        match self {
            Self::At(_, pointer, _) => pointer.len(),
            Self::Step(outer, key) | Self::Index(outer, key, _) => outer.length() + key.len() + 1,
        }
    }

    fn depth(&self) -> usize {
        match self {
            Self::At(..) => 0,
            Self::Step(outer, _) | Self::Index(outer, ..) => outer.depth() + 1,
        }
    }

    fn pointer(&self) -> String {
        match self {
            Self::At(_, pointer, _) => (*pointer).to_owned(),
            Self::Step(outer, key) => format!("{}/{}", outer.pointer(), step(key)),
            Self::Index(outer, key, index) => format!("{}/{}/{index}", outer.pointer(), step(key)),
        }
    }
}

/// The form in which a target of references is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Form {
    /// The union of its subtypes, for a discriminator without one.
    is_union: bool,
    /// At the top of a body, where some properties are hidden.
    is_top: bool,
}

/// Converts schemas of one side.
pub(crate) struct Schemas<'a, 't> {
    documents: &'a Documents<'t>,
    bases: &'a Bases,
    side: Side,
    keys: HashMap<(usize, String, Form), String>,
    taken: HashSet<String>,
    waiting: VecDeque<(String, usize, String, Form)>,
    /// Names of the definitions that an answer refers to.
    referred: Vec<String>,
    bytes: usize,
    most_bytes: usize,
    /// Properties that the objects at the top of a body do not show.
    pub(crate) hidden: HashSet<String>,
    /// Kind, place and message of what was changed.
    pub(crate) notes: Vec<(NoticeKind, String, String)>,
}

impl<'a, 't: 'a> Schemas<'a, 't> {
    pub(crate) fn new(
        documents: &'a Documents<'t>,
        bases: &'a Bases,
        side: Side,
        most_bytes: usize,
    ) -> Self {
        Self {
            documents,
            bases,
            side,
            keys: HashMap::new(),
            taken: HashSet::new(),
            waiting: VecDeque::new(),
            referred: Vec::new(),
            bytes: 0,
            most_bytes,
            hidden: HashSet::new(),
            notes: Vec::new(),
        }
    }

    /// Notes that a request is held to less. An answer is held to nothing.
    fn note(&mut self, at: &Path<'_>, message: impl Into<String>) {
        if self.side == Side::Answer {
            return;
        }
        let place = self.documents.place(at.document(), &at.pointer());
        self.notes
            .push((NoticeKind::Loosened, place, message.into()));
    }

    /// Converts a schema that stands in an operation, perhaps as that of the whole body.
    pub(crate) fn of(&mut self, at: &At<'a, 't>, is_body: bool) -> Value<'a> {
        let converted = self.schema(at.value, &Path::At(at.document, &at.pointer, is_body));
        self.bytes += size(&converted);
        converted
    }

    /// Returns what the schemas refer to, as entries of `$defs`.
    pub(crate) fn definitions(&mut self) -> Vec<(Cow<'a, str>, Value<'a>)> {
        let mut definitions = Vec::new();
        let mut is_full = false;
        while let Some((key, document, pointer, form)) = self.waiting.pop_front() {
            let value = if self.bytes > self.most_bytes {
                if !is_full {
                    let words = format!(
                        "the schema is cut here, since it has more than {} bytes",
                        self.most_bytes
                    );
                    self.note(&Path::At(document, &pointer, form.is_top), words);
                }
                is_full = true;
                Value::empty()
            } else {
                self.definition(document, &pointer, form)
            };
            self.bytes += size(&value) + key.len();
            definitions.push((Cow::Owned(key), value));
        }
        definitions
    }

    fn definition(&mut self, document: usize, pointer: &str, form: Form) -> Value<'a> {
        let path = Path::At(document, pointer, form.is_top);
        match self.documents.at(document, pointer.to_owned()) {
            Some(at) if form.is_union => self.union(&at, &path),
            Some(at) => self.schema(at.value, &path),
            None => Value::empty(),
        }
    }

    fn schema(&mut self, schema: &'a Value<'t>, at: &Path<'_>) -> Value<'a> {
        match schema {
            Value::Bool(admits) => return Value::Bool(*admits),
            Value::Object(_) => {}
            _ => {
                self.note(at, "this is not a schema");
                return Value::empty();
            }
        }
        if at.depth() > 2 * MAX_DEPTH || at.length() > MOST_POINTER {
            self.note(at, "this nests too deep");
            return Value::empty();
        }
        let (reference, target) = match schema.get("$ref") {
            None => return self.keywords(schema, at),
            Some(Value::String(reference)) => {
                (reference, self.documents.target(at.document(), reference))
            }
            Some(_) => {
                self.note(at, "its `$ref` is not a string");
                return Value::empty();
            }
        };
        let target = match target {
            Ok(target) => target,
            Err(why) => {
                self.note(at, why);
                return Value::empty();
            }
        };
        let is_circle =
            target.value.get("$ref").is_some() && self.documents.follow(target.clone()).is_err();
        if is_circle {
            self.note(at, format!("`{reference}` leads in a circle, or nowhere"));
            return Value::empty();
        }
        let base = self.bases.get(target.document, &target.pointer);
        let form = Form {
            is_union: base.is_some_and(|base| !at.is_part_of(base)),
            is_top: !self.hidden.is_empty() && at.is_top(),
        };
        let referred = self.reference(&target, form);
        // OpenAPI 3.0 ignores siblings, but a description is harmless, and `nullable` has one meaning.
        let mut siblings = match (self.documents.is_30, schema.entries().len()) {
            (_, 1) => Value::empty(),
            (false, _) => self.keywords(schema, at),
            (true, _) => {
                let description = schema
                    .get("description")
                    .filter(|text| text.as_str().is_some());
                let description = description.map(|text| ("description", text.clone()));
                Value::object(description)
            }
        };
        let is_nullable =
            self.documents.is_30 && matches!(schema.get("nullable"), Some(Value::Bool(true)));
        let Value::Object(entries) = &mut siblings else {
            return siblings;
        };
        if is_nullable {
            entries.push(("anyOf".into(), Value::Array(vec![referred, null()])));
        } else if let Value::Object(reference) = referred {
            entries.splice(0..0, reference);
        }
        siblings
    }

    /// Returns `{"$ref": …}` to a target, which is written under `$defs` once.
    fn reference(&mut self, target: &At<'a, 't>, form: Form) -> Value<'a> {
        let key = (target.document, target.pointer.clone(), form);
        let name = match self.keys.get(&key) {
            Some(name) => name.clone(),
            None => {
                let name = self.free_name(target, form);
                self.waiting.push_back((
                    name.clone(),
                    target.document,
                    target.pointer.clone(),
                    form,
                ));
                self.keys.insert(key, name.clone());
                name
            }
        };
        let reference = Value::object([("$ref", Value::string(format!("#/$defs/{name}")))]);
        if self.side == Side::Answer {
            self.referred.push(name);
        }
        reference
    }

    /// Returns a name for a definition, of letters, digits, `_`, `.` and `-`: that of its schema if the schema is a component,
    /// else one with a hash of its place. So the names of one operation do not depend on the others.
    fn free_name(&mut self, target: &At<'_, '_>, form: Form) -> String {
        let At {
            document, pointer, ..
        } = target;
        let last = pointer.rsplit('/').next().unwrap_or_default();
        let fits = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.');
        let mut name: String = last
            .chars()
            .map(|char| if fits(char) { char } else { '_' })
            .collect();
        let is_component = *document == 0
            && pointer.strip_prefix("/components/schemas/") == Some(&name)
            && !name.ends_with("_any")
            && !form.is_top;
        if form.is_union {
            name.push_str("_any");
        }
        let place = format!("{document}{pointer} {}", form.is_top);
        free_name(name, &place, !is_component, &mut self.taken)
    }

    fn keywords(&mut self, schema: &'a Value<'t>, at: &Path<'_>) -> Value<'a> {
        let mut out: Vec<(Cow<'a, str>, Value<'a>)> = Vec::new();
        let mut seen = HashSet::new();
        for (key, value) in schema.entries() {
            if key.len() > MOST_KEY || self.side == Side::Answer && !describes(key) {
                continue;
            }
            if !seen.insert(key) {
                self.note(
                    &Path::Step(at, key),
                    "the key is repeated; the first counts",
                );
                continue;
            }
            if key == "format" && value.as_str() == Some("binary") && self.side == Side::Request {
                out.push(("contentEncoding".into(), Value::from("base64")));
                continue;
            }
            let kept = match keyword(key) {
                Keyword::Skip => None,
                Keyword::Any => {
                    self.note(&Path::Step(at, key), "dynamic references are not followed");
                    None
                }
                Keyword::Type => self.types(schema, value, at),
                Keyword::Enum => self.values(schema, value, at),
                Keyword::Plain(fits, _) if fits(value) => Some(value.clone()),
                Keyword::Plain(_, what) => {
                    self.note(&Path::Step(at, key), format!("this is not {what}"));
                    None
                }
                Keyword::Limit if matches!(value, Value::Number(_)) => Some(value.clone()),
                Keyword::Limit if matches!(value, Value::Bool(_)) => None,
                Keyword::Limit => {
                    self.note(&Path::Step(at, key), "this is not a number");
                    None
                }
                Keyword::Schema => Some(self.schema(value, &Path::Step(at, key))),
                Keyword::List => self.list(schema, key, value, at),
                Keyword::Map => self.map(key, value, at),
                Keyword::Required => self.required(schema, value, at),
            };
            if let Some(kept) = kept {
                // A boolean `exclusiveMinimum` makes its limit exclusive.
                let key = match &**key {
                    // Alternatives of real documents overlap, and the API takes a value that fits several.
                    "oneOf" if schema.get("anyOf").is_none() => "anyOf",
                    "minimum" if is_true(schema, "exclusiveMinimum") => "exclusiveMinimum",
                    "maximum" if is_true(schema, "exclusiveMaximum") => "exclusiveMaximum",
                    key => key,
                };
                out.push((Cow::Borrowed(key), kept));
            }
        }
        let mut converted = Value::Object(out);
        if schema.get("allOf").is_some() {
            self.unrequire(schema, at, &mut converted);
        }
        let has_type = schema
            .get("type")
            .is_some_and(|value| value.as_str().is_some());
        let is_nullable = self.documents.is_30 && is_true(schema, "nullable");
        let has_choice = ["allOf", "anyOf", "oneOf"]
            .iter()
            .any(|key| converted.get(key).is_some());
        if is_nullable && !has_type && has_choice {
            return Value::object([("anyOf", Value::Array(vec![converted, null()]))]);
        }
        converted
    }

    fn list(
        &mut self,
        holder: &'a Value<'t>,
        key: &str,
        value: &'a Value<'t>,
        at: &Path<'_>,
    ) -> Option<Value<'a>> {
        let items = match value {
            Value::Array(items) if !items.is_empty() => items,
            Value::Array(_) => return None,
            _ => {
                self.note(&Path::Step(at, key), "this is not an array of schemas");
                return None;
            }
        };
        let mapping = union::mapping(holder, key);
        let schema = |(index, item)| {
            let at = Path::Index(at, key, index);
            let schema = self.schema(item, &at);
            match &mapping {
                Some((tag, mapping)) => self.tagged(schema, item, tag, mapping, &at),
                None => schema,
            }
        };
        Some(Value::Array(items.iter().enumerate().map(schema).collect()))
    }

    fn map(&mut self, key: &str, value: &'a Value<'t>, at: &Path<'_>) -> Option<Value<'a>> {
        if !matches!(value, Value::Object(_)) {
            self.note(&Path::Step(at, key), "this is not an object of schemas");
            return None;
        }
        let mut names = HashSet::new();
        let mut out = Vec::new();
        let outer = Path::Step(at, key);
        for (name, schema) in value.entries() {
            if name.len() > MOST_KEY {
                let words = format!("a name of more than {MOST_KEY} bytes is left out");
                self.note(&outer, words);
                continue;
            }
            let is_hidden = key == "properties"
                && (self.hides(name, at) || self.is_absent(schema, at.document()));
            if !names.insert(&**name) || is_hidden {
                continue;
            }
            let schema = self.schema(schema, &Path::Step(&outer, name));
            out.push((Cow::Borrowed(&**name), schema));
        }
        Some(Value::Object(out))
    }

    /// Returns true for a property that an object at this place does not show.
    fn hides(&self, name: &str, at: &Path<'_>) -> bool {
        self.hidden.contains(name) && at.is_top()
    }

    /// Returns true if only the other side has the property.
    fn is_absent(&self, schema: &'a Value<'t>, document: usize) -> bool {
        let at = At {
            value: schema,
            document,
            pointer: String::new(),
        };
        is_absent(self.documents, &at, self.side)
    }
}

fn is_true(schema: &Value<'_>, key: &str) -> bool {
    matches!(schema.get(key), Some(Value::Bool(true)))
}

fn null<'a>() -> Value<'a> {
    Value::object([("type", Value::from("null"))])
}

/// Estimates the bytes of a schema's text.
fn size(value: &Value<'_>) -> usize {
    match value {
        Value::Array(items) => items.iter().map(|item| size(item) + 1).sum::<usize>() + 2,
        Value::Object(entries) => {
            entries
                .iter()
                .map(|(key, value)| key.len() + size(value) + 4)
                .sum::<usize>()
                + 2
        }
        Value::String(text) | Value::Number(text) => text.len() + 2,
        Value::Null | Value::Bool(_) => 5,
    }
}
