use std::collections::{HashMap, HashSet};

use jsonschema::Validator;
use serde_json::{Map, Value};

use super::words::{describe_own, described};
use super::{Judge, compile};
use crate::schema::decode::fault::say;
use crate::schema::decode::{Fault, FaultCode, Segment};
use crate::text::{did_you_mean, near};

/// So many steps are spent on the words of one refusal, of which a byte that is read takes one:
/// alternatives inside alternatives would take two to the power of their depth.
const MOST_STEPS: usize = 20_000_000;
/// A look at a schema.
pub(super) const LOOK: usize = 1_000;
/// A name that may have been meant, or a value that is listed.
pub(super) const NAME: usize = 200;
/// So many schemas inside each other, since the stack ends.
const MOST_DEPTH: u32 = 160;

/// What is asked of `jsonschema` about one value, beside its type.
const ASSERTIONS: [&str; 18] = [
    "const",
    "contentEncoding",
    "contentMediaType",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "uniqueItems",
];

/// A value of the arguments.
pub(super) struct Place<'t> {
    pub(super) value: &'t Value,
    /// As it was sent.
    pub(super) text: &'t str,
    /// Where that stands in the whole text.
    pub(super) at: usize,
    pub(super) path: Vec<Segment>,
}

impl Place<'_> {
    /// What is wrong with this value.
    pub(super) fn fault(&self, code: FaultCode, message: String) -> Found {
        let fault = Fault {
            path: say::path(&self.path),
            code,
            message,
        };
        Found { at: self.at, fault }
    }

    pub(super) fn expected(&self, code: FaultCode, what: &str) -> Found {
        let whose = match self.path.last() {
            Some(Segment::Name(_)) => "a key that is ",
            _ => "",
        };
        let got = say::shortened(self.text);
        self.fault(code, format!("expected {whose}{what}, got {got}"))
    }

    /// A value that there are no better words for.
    pub(super) fn refused(&self) -> Found {
        let got = say::shortened(self.text);
        self.fault(FaultCode::Bound, format!("{got} is refused by the schema"))
    }

    /// What is wrong with the key inside this object. What is missing comes after what is there.
    pub(super) fn missing(&self, key: &str, message: String) -> Found {
        let mut path = self.path.clone();
        path.push(Segment::Key(key.to_owned()));
        let fault = Fault {
            path: say::path(&path),
            code: FaultCode::MissingArgument,
            message,
        };
        let at = self.at + self.text.len();
        Found { at, fault }
    }
}

/// A fault, and where in the text it is.
pub(super) struct Found {
    at: usize,
    pub(super) fault: Fault,
}

impl Found {
    /// Says which of the names may have been meant.
    pub(super) fn add_near<'n>(&mut self, got: &str, names: impl Iterator<Item = &'n str>) {
        let hint = did_you_mean(&near(got, names));
        if !hint.is_empty() {
            self.fault.message.push_str("; ");
            self.fault.message.push_str(&hint);
        }
    }
}

pub(super) struct Explainer<'s> {
    pub(super) judge: &'s Judge,
    steps: usize,
    depth: u32,
    /// Whether a limit was met. From then on only what is wrong for certain is told.
    pub(super) is_cut: bool,
    /// Single keywords, by the address of their schema.
    asked: HashMap<(usize, bool), Option<Validator>>,
}

/// The faults of arguments that were refused, in the order of the text: every one, unless there are
/// more than anybody counts.
pub(super) fn explain(judge: &Judge, text: &str, value: &Value) -> Vec<Fault> {
    let mut explainer = Explainer {
        judge,
        steps: MOST_STEPS,
        depth: MOST_DEPTH,
        is_cut: false,
        asked: HashMap::new(),
    };
    let root = Place {
        value,
        text: text.trim(),
        at: 0,
        path: Vec::new(),
    };
    let mut found = explainer.faults(&judge.schema, &root);
    if found.is_empty() {
        // What the walk does not look into, or did not get to.
        found.push(root.refused());
    }
    found.sort_by_key(|found| found.at);
    // Two parts of a schema may say the same.
    let mut told = HashSet::new();
    let faults = found.into_iter().map(|found| found.fault);
    faults
        .filter(|fault| told.insert((fault.path.clone(), fault.message.clone())))
        .collect()
}

impl<'s> Explainer<'s> {
    /// What a schema finds wrong with a value; nothing if it fits.
    pub(super) fn faults(&mut self, schema: &'s Value, place: &Place<'_>) -> Vec<Found> {
        let is_read = place.value.is_object() || place.value.is_array();
        let read = if is_read { place.text.len() } else { 0 };
        if self.depth == 0 || !self.spend(LOOK + read) {
            self.is_cut = true;
            return Vec::new();
        }
        self.depth -= 1;
        let found = match schema {
            Value::Object(keywords) => self.faults_of(keywords, place),
            Value::Bool(false) => {
                let got = say::shortened(place.text);
                vec![place.fault(
                    FaultCode::Bound,
                    format!("no value is allowed here, got {got}"),
                )]
            }
            _ => Vec::new(),
        };
        self.depth += 1;
        found
    }

    /// Takes steps; whether there were so many. From then on nothing more is looked for.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        match self.steps.checked_sub(steps) {
            Some(left) if !self.is_cut => {
                self.steps = left;
                true
            }
            _ => {
                self.is_cut = true;
                false
            }
        }
    }

    pub(super) fn fits(&mut self, schema: &'s Value, place: &Place<'_>) -> bool {
        self.faults(schema, place).is_empty()
    }

    fn faults_of(&mut self, schema: &'s Map<String, Value>, place: &Place<'_>) -> Vec<Found> {
        let judge = self.judge;
        let mut found = Vec::new();
        if let Some(target) = judge.referred(schema) {
            found.extend(self.faults(target, place));
            if judge.draft == super::Draft::Seven {
                return found;
            }
        }
        if !self.holds(schema, true, &["type"], place.value) {
            // A value of another type is not looked into.
            let fault = place.expected(FaultCode::WrongType, &describe_keywords(schema, judge));
            if found
                .iter()
                .all(|known| known.fault.path != fault.fault.path)
            {
                found.push(fault);
            }
            return found;
        }
        if !self.holds(schema, false, &ASSERTIONS, place.value) {
            let listed = allowed(schema).map_or(0, <[Value]>::len);
            let is_named = listed > 0 && place.value.is_string();
            found.push(if self.spend(if is_named { listed * NAME } else { 0 }) {
                broken(schema, judge, place)
            } else {
                place.refused()
            });
        }
        match place.value {
            Value::Object(entries) => self.object(schema, entries, place, &mut found),
            Value::Array(items) => self.array(schema, items, place, &mut found),
            _ => {}
        }
        self.combined(schema, place, &mut found);
        if found.is_empty() {
            self.unevaluated(schema, place, &mut found);
        }
        found
    }

    /// Whether a value fulfils these keywords of a schema.
    fn holds(
        &mut self,
        schema: &'s Map<String, Value>,
        is_type: bool,
        names: &[&str],
        value: &Value,
    ) -> bool {
        if !names.iter().any(|name| schema.contains_key(*name)) {
            return true;
        }
        let key = (std::ptr::from_ref(schema) as usize, is_type);
        let draft = self.judge.draft;
        let validator = self.asked.entry(key);
        let validator = validator.or_insert_with(|| {
            let given = names.iter();
            let given =
                given.filter_map(|name| Some(((*name).to_owned(), schema.get(*name)?.clone())));
            compile(draft, &Value::Object(given.collect()))
        });
        validator
            .as_ref()
            .is_none_or(|validator| validator.is_valid(value))
    }

    /// Whether a key matches a pattern.
    pub(super) fn matches(&mut self, pattern: &'s str, key: &Value) -> bool {
        let draft = self.judge.draft;
        let validator = self.asked.entry((super::address(pattern), false));
        let schema = || serde_json::json!({"pattern": pattern});
        let validator = validator.or_insert_with(|| compile(draft, &schema()));
        validator
            .as_ref()
            .is_some_and(|validator| validator.is_valid(key))
    }

    /// `, expected a string`, where something can be said.
    pub(super) fn expected_of(&self, schema: Option<&Value>) -> String {
        let words = schema.and_then(|schema| described(schema, self.judge));
        words
            .map(|words| format!(", expected {words}"))
            .unwrap_or_default()
    }
}

/// The values that are allowed, where they are listed.
fn allowed(schema: &Map<String, Value>) -> Option<&[Value]> {
    match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(values)), _) => Some(values),
        (_, Some(value)) => Some(std::slice::from_ref(value)),
        _ => None,
    }
}

/// What is wrong with a value of the right type.
fn broken(schema: &Map<String, Value>, judge: &Judge, place: &Place<'_>) -> Found {
    let words = describe_keywords(schema, judge);
    let Some(allowed) = allowed(schema) else {
        return place.expected(FaultCode::Bound, &words);
    };
    let mut found = place.expected(FaultCode::WrongType, &words);
    if let Value::String(got) = place.value {
        found.add_near(got, allowed.iter().filter_map(Value::as_str));
    }
    found
}

fn describe_keywords(schema: &Map<String, Value>, judge: &Judge) -> String {
    describe_own(schema, judge)
}
