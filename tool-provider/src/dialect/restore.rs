//! Conversion of a model's arguments under a lowered schema to the original schema.

mod fits;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use toolwright_json::{Integer, Value};

use super::inverse::{Inverse, Op};
use toolwright_schema::decode::fault::say;
use toolwright_schema::decode::{Fault, FaultCode, Segment};
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::{Ordered, Parts, Path};
use toolwright_schema::text::escaped;

type Entry<'t> = (Cow<'t, str>, Value<'t>);

/// Maximum number of trials of values against members of unions: members that hold each other are tried
/// again inside each one. Beyond it no member fits, and the decoder decides.
const MOST_TRIALS: usize = 100_000;

/// Maximum number of unions and references around one value.
const MOST_HOPS: u8 = 8;

impl Inverse {
    /// Restores the arguments of a call to the schema before lowering. Numbers keep their spelling; strings lose
    /// escapes that they do not need.
    ///
    /// Arguments in the original form (a real map, a real array) stay unchanged. So do arguments that fit
    /// neither form, and text that is not JSON: the decoder reports their faults.
    ///
    /// ```
    /// use toolwright::{Dialect, dialect::lower, schema::SchemaDoc};
    ///
    /// let schema = SchemaDoc::parse(
    ///     r#"{"type": "object", "properties": {"ages": {"type": "object", "additionalProperties": {"type": "integer"}}}}"#,
    /// ).unwrap();
    /// let inverse = lower(&schema, Dialect::OpenAiStrict).unwrap().inverse;
    /// let sent = r#"{"ages": [{"key": "Ann", "value": 41}]}"#;
    /// assert_eq!(inverse.restore(sent).unwrap(), r#"{"ages":{"Ann":41}}"#);
    /// assert_eq!(inverse.restore(r#"{"ages": null}"#).unwrap(), "{}");
    /// ```
    ///
    /// # Errors
    /// A key that a list of entries has more than once, and a list of entries or the object of a
    /// tuple that is none.
    pub fn restore<'t>(&self, text: &'t str) -> Result<Cow<'t, str>, Vec<Fault>> {
        let Some((value, restore)) = self.restored(text) else {
            return Ok(Cow::Borrowed(text));
        };
        if restore.faults.is_empty() {
            Ok(Cow::Owned(value.to_json()))
        } else {
            Err(restore.faults)
        }
    }

    /// Restores the arguments for a reader that reports errors itself. A list of entries or an object of places
    /// that is none stays as it is. A key that a list has twice stands twice in the object. `None` if the
    /// text stays as it is.
    pub(crate) fn raise(&self, text: &str) -> Option<String> {
        if !self.may_concern(text) {
            return None;
        }
        let (value, restore) = self.restored(text)?;
        restore.is_changed.then(|| value.to_json())
    }

    /// Returns true if anything in a text may have to be restored. In most calls nothing has, and those need
    /// not be taken apart before they are read.
    fn may_concern(&self, text: &str) -> bool {
        // What is escaped may be any key.
        text.contains('\\')
            || self.steps().iter().any(|step| match &step.op {
                Op::NullIsAbsent => text.contains("null"),
                Op::EntriesToMap { .. } => text.contains('['),
                Op::ObjectToTuple { .. } => text.contains("\"_0\""),
                Op::TextToJson | Op::KeyIsRenamed { .. } => true,
            })
    }

    fn restored<'t>(&self, text: &'t str) -> Option<(Value<'t>, Restore<'_>)> {
        if self.steps().is_empty() {
            return None;
        }
        let value = Value::parse(text).ok()?;
        let mut restore = Restore {
            schema: self.schema(),
            absent: HashSet::new(),
            renamed: HashMap::new(),
            ops: HashMap::new(),
            path: Path::default(),
            place: Vec::new(),
            hops: 0,
            trials: MOST_TRIALS,
            faults: Vec::new(),
            is_changed: false,
        };
        for step in self.steps() {
            match &step.op {
                Op::NullIsAbsent => {
                    restore.absent.insert(&step.at);
                }
                Op::KeyIsRenamed { to } => {
                    restore.renamed.insert(&step.at, to);
                }
                op => {
                    restore.ops.insert(&step.at, op);
                }
            }
        }
        let value = restore.value(value, self.schema());
        Some((value, restore))
    }
}

struct Restore<'p> {
    /// The lowered schema.
    schema: &'p Ordered,
    absent: HashSet<&'p str>,
    renamed: HashMap<&'p str, &'p str>,
    ops: HashMap<&'p str, &'p Op>,
    /// Path in the schema.
    path: Path,
    /// Path in the arguments.
    place: Vec<Segment>,
    hops: u8,
    trials: usize,
    faults: Vec<Fault>,
    /// Something was restored.
    is_changed: bool,
}

impl<'p> Restore<'p> {
    fn op(&self) -> Option<&'p Op> {
        self.ops.get(self.path.at().as_str()).copied()
    }

    fn fault(&mut self, code: FaultCode, message: String) {
        self.faults
            .push(Fault::new(say::path(&self.place), code, message));
    }

    /// Returns the target of a reference.
    fn target(&self, reference: &str) -> Option<&'p Ordered> {
        match reference.strip_prefix("#/$defs/") {
            Some(name) => self.schema.keyword(Keyword::Defs)?.get(name),
            None => Some(self.schema),
        }
    }

    /// A value of a schema, at its path.
    fn value<'t>(&mut self, value: Value<'t>, schema: &'p Ordered) -> Value<'t> {
        if let Some(reference) = schema.reference() {
            return match self.target(reference) {
                Some(target) if self.hops < MOST_HOPS => {
                    let here = std::mem::replace(&mut self.path, Path::of_reference(reference));
                    self.hops += 1;
                    let value = self.value(value, target);
                    self.hops -= 1;
                    self.path = here;
                    value
                }
                _ => value,
            };
        }
        if let Some(members) = schema.any_of() {
            return match self.member(&value, members) {
                Some((index, member)) if self.hops < MOST_HOPS => {
                    self.hops += 1;
                    let mark = self.path.enter(&format!("?{index}"));
                    let value = self.value(value, member);
                    self.path.leave(mark);
                    self.hops -= 1;
                    self.own_keys(value, schema)
                }
                _ => self.own_keys(value, schema),
            };
        }
        let hops = std::mem::take(&mut self.hops);
        let value = match (self.op(), value) {
            (Some(Op::EntriesToMap { integer_keys }), Value::Array(entries)) => {
                self.entries(entries, *integer_keys, schema)
            }
            (Some(Op::EntriesToMap { .. }), Value::Object(entries)) => {
                let values = values_of(schema);
                self.rest(entries, values, "*/value")
            }
            (Some(Op::ObjectToTuple { len }), Value::Object(entries)) => {
                self.tuple(entries, *len, schema)
            }
            (Some(Op::TextToJson), Value::String(text)) => match Value::parse(&text) {
                Ok(value) => {
                    self.is_changed = true;
                    value.into_owned()
                }
                Err(_) => Value::String(text),
            },
            (Some(Op::ObjectToTuple { .. }), Value::Array(items)) => {
                let items = items.into_iter().enumerate().map(|(index, item)| {
                    let key = format!("_{index}");
                    let schema = schema.member(&key);
                    self.inside(item, schema, &key, Segment::Index(index))
                });
                Value::Array(items.collect())
            }
            (None, Value::Object(entries)) => self.object(entries, schema),
            (None, Value::Array(items)) => self.array(items, schema),
            (_, Value::String(text)) => self.encoded(text, schema),
            (_, value) => value,
        };
        self.hops = hops;
        value
    }

    /// A string that holds the JSON of an object or array, where the schema has no string. It stays a string, restored
    /// inside: the decoder repairs it.
    fn encoded<'t>(&mut self, text: Cow<'t, str>, schema: &'p Ordered) -> Value<'t> {
        let is_container = schema.is_only("object") || schema.is_only("array");
        let inner = Value::parse(&text).ok().filter(|_| is_container);
        match inner {
            Some(inner @ (Value::Object(_) | Value::Array(_))) => {
                let inner = self.value(inner, schema).to_json();
                Value::String(inner.into())
            }
            _ => Value::String(text),
        }
    }

    /// The keys of an object that stand beside a union.
    fn own_keys<'t>(&mut self, value: Value<'t>, schema: &'p Ordered) -> Value<'t> {
        match value {
            Value::Object(entries) if schema.has(Keyword::Properties) => {
                let hops = std::mem::take(&mut self.hops);
                let object = self.object(entries, schema);
                self.hops = hops;
                object
            }
            value => value,
        }
    }

    /// A part of a value.
    fn inside<'t>(
        &mut self,
        value: Value<'t>,
        schema: Option<&'p Ordered>,
        part: &str,
        segment: Segment,
    ) -> Value<'t> {
        let Some(schema) = schema else {
            return value;
        };
        let mark = self.path.enter(part);
        self.place.push(segment);
        let value = self.value(value, schema);
        self.place.pop();
        self.path.leave(mark);
        value
    }

    fn object<'t>(&mut self, entries: Vec<Entry<'t>>, schema: &'p Ordered) -> Value<'t> {
        let rest = schema.keyword(Keyword::AdditionalProperties);
        let mut kept = Vec::with_capacity(entries.len());
        let mut left_out = Vec::new();
        for (key, value) in entries {
            let segment = Segment::Key(key.to_string());
            let Some(member) = schema.member(&key) else {
                let value = self.inside(value, rest, "*", segment);
                kept.push((key, value));
                continue;
            };
            let part = escaped(&key);
            let mark = self.path.enter(&part);
            let is_absent = value.is_null() && self.absent.contains(self.path.as_str());
            let name = self.renamed.get(self.path.as_str()).copied();
            self.path.leave(mark);
            self.is_changed |= is_absent || name.is_some();
            if is_absent {
                left_out.push((key, value));
                continue;
            }
            let value = self.inside(value, Some(member), &part, segment);
            let key = name.map_or(key, |name| name.to_owned().into());
            kept.push((key, value));
        }
        if !left_out.is_empty() {
            // A key that stands twice is a fault, whatever is behind it.
            let mut counts: HashMap<String, usize> = HashMap::new();
            for (key, _) in kept.iter().chain(&left_out) {
                *counts.entry(key.to_string()).or_default() += 1;
            }
            left_out.retain(|(key, _)| counts.get(&**key).is_some_and(|count| *count > 1));
            kept.append(&mut left_out);
        }
        Value::Object(kept)
    }

    fn array<'t>(&mut self, items: Vec<Value<'t>>, schema: &'p Ordered) -> Value<'t> {
        let places = schema.list(Keyword::PrefixItems).unwrap_or_default();
        let rest = schema.keyword(Keyword::Items);
        let items = items.into_iter().enumerate().map(|(index, item)| {
            let segment = Segment::Index(index);
            match places.get(index) {
                Some(place) => self.inside(item, Some(place), &format!("_{index}"), segment),
                None => self.inside(item, rest, "*", segment),
            }
        });
        Value::Array(items.collect())
    }

    /// An object whose values are of one schema.
    fn rest<'t>(
        &mut self,
        entries: Vec<Entry<'t>>,
        values: Option<&'p Ordered>,
        part: &str,
    ) -> Value<'t> {
        let entries = entries.into_iter().map(|(key, value)| {
            let segment = Segment::Key(key.to_string());
            let value = self.inside(value, values, part, segment);
            (key, value)
        });
        Value::Object(entries.collect())
    }

    /// A list of entries; an object may have a key once, so a list may too.
    fn entries<'t>(
        &mut self,
        list: Vec<Value<'t>>,
        integer_keys: bool,
        schema: &'p Ordered,
    ) -> Value<'t> {
        let values = values_of(schema);
        let mut is_list = true;
        for (index, entry) in list.iter().enumerate() {
            if key_at(entry, integer_keys).is_none() {
                self.place.push(Segment::Index(index));
                let message = "expected an object with the keys \"key\" and \"value\"";
                self.fault(FaultCode::WrongType, message.to_owned());
                self.place.pop();
                is_list = false;
            }
        }
        if !is_list {
            return Value::Array(list);
        }
        self.is_changed = true;
        let mut seen = HashSet::new();
        let mut entries = Vec::with_capacity(list.len());
        let parts = list.into_iter();
        for (key, value) in parts.filter_map(|entry| key_and_value(entry, integer_keys)) {
            if !seen.insert(key.to_string()) {
                self.place.push(Segment::Key(key.to_string()));
                self.fault(FaultCode::DuplicateKey, "given more than once".to_owned());
                self.place.pop();
            }
            entries.push((key, value));
        }
        self.rest(entries, values, "*/value")
    }

    /// An object with a key for each place.
    fn tuple<'t>(
        &mut self,
        mut entries: Vec<Entry<'t>>,
        len: usize,
        schema: &'p Ordered,
    ) -> Value<'t> {
        let keys = (0..len).map(|index| format!("_{index}"));
        let has = |key: &String| entries.iter().any(|(name, _)| name == key);
        if entries.len() != len || !keys.clone().all(|key| has(&key)) {
            let last = len.saturating_sub(1);
            let message =
                format!("expected an object with the keys \"_0\" to \"_{last}\" and no others");
            self.fault(FaultCode::WrongType, message);
            return Value::Object(entries);
        }
        self.is_changed = true;
        let mut items = Vec::with_capacity(len);
        for (index, key) in keys.enumerate() {
            let at = entries.iter().position(|(name, _)| *name == key);
            let Some(at) = at else { break };
            let value = entries.swap_remove(at).1;
            let schema = schema.member(&key);
            items.push(self.inside(value, schema, &key, Segment::Index(index)));
        }
        Value::Array(items)
    }
}

/// The schema of the values in a list of entries.
fn values_of(list: &Ordered) -> Option<&Ordered> {
    list.keyword(Keyword::Items)?.member("value")
}

/// Returns the position of the key in a list's entry: a string, or a number where keys are integers, beside a value.
/// `None` for any other value.
fn key_at(entry: &Value<'_>, integer_keys: bool) -> Option<usize> {
    let Value::Object(parts) = entry else {
        return None;
    };
    let at = match parts.as_slice() {
        [(key, _), (value, _)] if key == "key" && value == "value" => 0,
        [(value, _), (key, _)] if key == "key" && value == "value" => 1,
        _ => return None,
    };
    let is_key = match parts.get(at)?.1 {
        Value::String(_) => true,
        Value::Number(_) => integer_keys,
        _ => false,
    };
    is_key.then_some(at)
}

fn key_and_value(entry: Value<'_>, integer_keys: bool) -> Option<(Cow<'_, str>, Value<'_>)> {
    let at = key_at(&entry, integer_keys)?;
    let Value::Object(mut parts) = entry else {
        return None;
    };
    let (key, value) = (parts.swap_remove(at).1, parts.pop()?.1);
    let key = match key {
        Value::String(text) => text,
        // As a key, an integer has one spelling.
        Value::Number(text) => match Integer::of(&text) {
            Some(Integer::Unsigned(value)) => Cow::Owned(value.to_string()),
            Some(Integer::Signed(value)) => Cow::Owned(value.to_string()),
            _ => text,
        },
        _ => return None,
    };
    Some((key, value))
}
