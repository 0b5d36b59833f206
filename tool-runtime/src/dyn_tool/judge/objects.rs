use serde_json::{Map, Value};
use toolwright_json::Place as Reading;

use super::explain::{Explainer, Found, LOOK, NAME, Place};
use crate::schema::decode::fault::say;
use crate::schema::decode::{FaultCode, Json, Segment, Store};

/// The keys of an object in the order of its text, with the text of each value and where it starts.
pub(super) fn entries(text: &str) -> Vec<(String, &str, usize)> {
    let store = Store::new();
    let mut json = Json::new(text, &store);
    let mut reading = Reading::Opened;
    let mut entries = Vec::new();
    // The text has been read, so none of these fails.
    let _ = json.enter_object();
    while let Ok(Some(key)) = json.next_key(&mut reading) {
        let key = key.to_owned();
        let Ok(value) = json.skip() else { break };
        entries.push((key, value.len(), json.offset() - value.len()));
    }
    entries
        .into_iter()
        .map(|(key, len, at)| (key, text.get(at..at + len).unwrap_or_default(), at))
        .collect()
}

impl<'s> Explainer<'s> {
    pub(super) fn object(
        &mut self,
        schema: &'s Map<String, Value>,
        values: &Map<String, Value>,
        place: &Place<'_>,
        found: &mut Vec<Found>,
    ) {
        for (key, text, at) in entries(place.text) {
            let Some(value) = values.get(&key) else {
                continue;
            };
            let mut path = place.path.clone();
            path.push(Segment::Key(key.clone()));
            let at = place.at + at;
            let entry = Place {
                value,
                text,
                at,
                path,
            };
            self.entry(schema, &key, &entry, found);
            if let Some(names) = schema.get("propertyNames") {
                let mut path = place.path.clone();
                path.push(Segment::Name(key.clone()));
                let (text, value) = (say::quoted(&key), Value::String(key));
                let name = Place {
                    value: &value,
                    text: &text,
                    at,
                    path,
                };
                found.extend(self.faults(names, &name));
            }
        }
        self.required(schema, values, place, found);
        for keyword in ["dependentSchemas", "dependencies"] {
            let dependent = schema.get(keyword).and_then(Value::as_object);
            for (key, dependent) in dependent.into_iter().flatten() {
                if values.contains_key(key) && !dependent.is_array() {
                    found.extend(self.faults(dependent, place));
                }
            }
        }
    }

    /// What is wrong with one entry.
    fn entry(
        &mut self,
        schema: &'s Map<String, Value>,
        key: &str,
        entry: &Place<'_>,
        found: &mut Vec<Found>,
    ) {
        let mut is_known = false;
        if let Some(property) = properties(schema).and_then(|properties| properties.get(key)) {
            is_known = true;
            if property == &Value::Bool(false) {
                found.push(entry.fault(FaultCode::UnknownArgument, "may not be given".into()));
            } else {
                found.extend(self.faults(property, entry));
            }
        }
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        for (pattern, property) in patterns.into_iter().flatten() {
            if self.matches(pattern, &Value::String(key.to_owned())) {
                is_known = true;
                found.extend(self.faults(property, entry));
            }
        }
        match schema.get("additionalProperties") {
            Some(Value::Bool(false)) if !is_known => {
                let names = properties(schema).map_or(0, Map::len);
                if self.spend(names * NAME) {
                    found.push(unknown_key(schema, key, entry));
                }
            }
            Some(additional) if !is_known => found.extend(self.faults(additional, entry)),
            _ => {}
        }
    }

    /// What is not there.
    fn required(
        &mut self,
        schema: &'s Map<String, Value>,
        values: &Map<String, Value>,
        place: &Place<'_>,
        found: &mut Vec<Found>,
    ) {
        let mut missing = |names: Option<&Value>, since: &str| {
            for name in names.and_then(Value::as_array).into_iter().flatten() {
                let Some(name) = name.as_str().filter(|name| !values.contains_key(*name)) else {
                    continue;
                };
                if !self.spend(LOOK) {
                    return;
                }
                let property = properties(schema).and_then(|properties| properties.get(name));
                let message = format!("missing{}{since}", self.expected_of(property));
                found.push(place.missing(name, message));
            }
        };
        missing(schema.get("required"), "");
        for keyword in ["dependentRequired", "dependencies"] {
            let dependent = schema.get(keyword).and_then(Value::as_object);
            for (key, names) in dependent.into_iter().flatten() {
                if values.contains_key(key) {
                    missing(Some(names), &format!(", since `{key}` is given"));
                }
            }
        }
    }

    /// Keys that no part of the schema knows. Asked once everything else fits.
    pub(super) fn unevaluated(
        &mut self,
        schema: &'s Map<String, Value>,
        place: &Place<'_>,
        found: &mut Vec<Found>,
    ) {
        let (Some(rest), Value::Object(values)) =
            (schema.get("unevaluatedProperties"), place.value)
        else {
            return;
        };
        let mut known = Vec::new();
        self.known(schema, place, &mut known);
        let mut names: Vec<&str> = known
            .iter()
            .filter_map(|part| properties(part))
            .flatten()
            .map(|(name, _)| name.as_str())
            .collect();
        names.sort_unstable();
        names.dedup();
        for (key, text, at) in entries(place.text) {
            if !self.spend(known.len() * 16) {
                return;
            }
            let Some(value) = values.get(&key) else {
                continue;
            };
            let mut path = place.path.clone();
            path.push(Segment::Key(key.clone()));
            let entry = Place {
                value,
                text,
                at: place.at + at,
                path,
            };
            let key_value = Value::String(key.clone());
            let is_known = names.binary_search(&key.as_str()).is_ok()
                || known.iter().any(|part| {
                    let patterns = part.get("patternProperties").and_then(Value::as_object);
                    part.contains_key("additionalProperties")
                        || patterns
                            .into_iter()
                            .flatten()
                            .any(|(pattern, _)| self.matches(pattern, &key_value))
                });
            if is_known {
                continue;
            }
            if rest == &Value::Bool(false) {
                if !self.spend(names.len() * NAME) {
                    return;
                }
                let message = say::unknown_key(&key, &names, entry.path.len() == 1);
                found.push(entry.fault(FaultCode::UnknownArgument, message));
            } else {
                found.extend(self.faults(rest, &entry));
            }
        }
    }

    /// The parts of a schema that know keys of this value.
    fn known(
        &mut self,
        schema: &'s Map<String, Value>,
        place: &Place<'_>,
        known: &mut Vec<&'s Map<String, Value>>,
    ) {
        known.push(schema);
        let list = |name: &str| {
            schema
                .get(name)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        let one = |name: &str| schema.get(name).into_iter();
        let parts = judge_target(self, schema)
            .into_iter()
            .chain(list("allOf"))
            .chain(list("anyOf"))
            .chain(list("oneOf"))
            .chain(one("if"))
            .chain(one("then"))
            .chain(one("else"));
        for part in parts.collect::<Vec<_>>() {
            if let Value::Object(keywords) = part
                && self.fits(part, place)
            {
                self.known(keywords, place, known);
            }
        }
    }
}

fn judge_target<'s>(explainer: &Explainer<'s>, schema: &Map<String, Value>) -> Option<&'s Value> {
    let judge = explainer.judge;
    judge.referred(schema)
}

fn properties(schema: &Map<String, Value>) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

fn noun(entry: &Place<'_>) -> &'static str {
    if entry.path.len() == 1 {
        "argument"
    } else {
        "key"
    }
}

fn unknown_key(schema: &Map<String, Value>, key: &str, entry: &Place<'_>) -> Found {
    let names = properties(schema).into_iter().flatten();
    let mut names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
    // Theirs depends on how `serde_json` was built.
    names.sort_unstable();
    let message = if schema.contains_key("patternProperties") && names.is_empty() {
        format!("unknown {}; no name of this form is known", noun(entry))
    } else {
        say::unknown_key(key, &names, entry.path.len() == 1)
    };
    entry.fault(FaultCode::UnknownArgument, message)
}
