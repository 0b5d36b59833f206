//! Models that know nothing but the schema that they were sent: whatever they write by it is, on the
//! way back, what the type's own schema admits, or breaks a bound that the dialect could not say.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolwright::{
    Context, Dialect, ToolCall, ToolError, Toolset,
    args::{Fault, FaultCode},
    call::ErrorKind,
    dialect::{Op, lower},
};

use crate::json::Json;
use crate::schemas::none;

/// Random numbers; the same in every run.
struct Rng(u64);

impl Rng {
    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        // Numerical Recipes' constants; the upper bits are the better ones.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }

    fn pick<'t, T>(&mut self, items: &'t [T]) -> Option<&'t T> {
        let at = usize::try_from(self.below(items.len() as u64)).ok()?;
        items.get(at)
    }

    fn is_one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}

/// A model that writes what a schema admits.
struct Model<'s> {
    root: &'s Json,
    rng: Rng,
}

/// Keywords that this model reads; one that it does not know fails the test.
const KNOWN: [&str; 28] = [
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "default",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "nullable",
    "pattern",
    "prefixItems",
    "properties",
    "propertyOrdering",
    "required",
    "type",
    "uniqueItems",
];

/// A string of each format that some dialect takes.
const FORMATS: [(&str, &[&str]); 10] = [
    ("date", &["2026-02-28"]),
    (
        "date-time",
        &["2026-02-28T23:59:59Z", "2026-02-28T23:59:59.5+02:00"],
    ),
    ("duration", &["P3DT4H"]),
    ("email", &["ada@example.com"]),
    ("hostname", &["example.com"]),
    ("ipv4", &["127.0.0.1"]),
    ("ipv6", &["::1"]),
    ("time", &["23:59:59Z"]),
    ("uri", &["https://example.com/a"]),
    ("uuid", &["67e55044-10b1-426f-9247-bb680e5fe0c8"]),
];

impl Model<'_> {
    /// A value that the schema admits; none where this model does not find one.
    fn write(&mut self, schema: &Json, depth: u8) -> Option<Json> {
        if depth == 0 {
            return None;
        }
        match schema {
            Json::Leaf(Value::Bool(true)) => return Some(self.anything()),
            Json::Object(_) => {}
            _ => return None,
        }
        for (key, _) in schema.entries() {
            // What only some tables keep is handed on as it was said.
            let known = KNOWN.contains(&key.as_str())
                || matches!(
                    key.as_str(),
                    "examples" | "not" | "propertyNames" | "patternProperties"
                );
            assert!(known, "this model cannot read {key}: {schema}");
        }
        if schema.get("not").is_some() || schema.get("patternProperties").is_some() {
            return None;
        }
        if schema.get("nullable").is_some() && self.rng.is_one_in(3) {
            return Some(Json::Leaf(Value::Null));
        }
        if schema.get("$ref").is_some() {
            let root = self.root;
            let target = match schema.text("$ref").strip_prefix("#/$defs/") {
                Some(name) => root.get("$defs")?.get(name)?,
                None => root,
            };
            return self.write(target, depth - 1);
        }
        if let Some(values) = schema.get("enum") {
            return self.rng.pick(values.items()).cloned();
        }
        let own = schema
            .get("properties")
            .is_some_and(|keys| !keys.entries().is_empty());
        if let Some(members) = schema.get("anyOf") {
            let members = members.items();
            // A member that ends is found sooner or later.
            let value = (0..8).find_map(|_| {
                let member = self.rng.pick(members)?;
                self.write(member, depth - 1)
            })?;
            return match value {
                Json::Object(mut entries) if own => {
                    for (name, value) in self.object(schema, depth)? {
                        if !entries.iter().any(|(known, _)| *known == name) {
                            entries.push((name, value));
                        }
                    }
                    Some(Json::Object(entries))
                }
                value => Some(value),
            };
        }
        let name = match schema.get("type") {
            None => return Some(self.anything()),
            Some(Json::Array(names)) => self.rng.pick(names).cloned()?,
            Some(name) => name.clone(),
        };
        let Json::Leaf(Value::String(name)) = name else {
            return None;
        };
        match name.as_str() {
            "null" => Some(Json::Leaf(Value::Null)),
            "boolean" => Some(Json::Leaf(self.rng.is_one_in(2).into())),
            "integer" => self.number(schema, true),
            "number" => {
                let whole = self.rng.is_one_in(2);
                self.number(schema, whole)
            }
            "string" => self.string(schema),
            "array" => self.array(schema, depth),
            "object" => self.object(schema, depth).map(Json::Object),
            _ => None,
        }
    }

    fn anything(&mut self) -> Json {
        let values = [r#"{"a":[1,null]}"#, "7", r#""text""#, "[]", "null", "true"];
        Json::read(self.rng.pick(&values).copied().unwrap_or("0"))
    }

    fn bound(schema: &Json, keyword: &str) -> Option<f64> {
        match schema.get(keyword)? {
            Json::Leaf(value) => value.as_f64(),
            _ => None,
        }
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
    fn number(&mut self, schema: &Json, whole: bool) -> Option<Json> {
        let mut least = Self::bound(schema, "minimum").unwrap_or(f64::MIN);
        let mut most = Self::bound(schema, "maximum").unwrap_or(f64::MAX);
        let step = Self::bound(schema, "multipleOf");
        let gap = step.unwrap_or(if whole { 1.0 } else { 0.25 });
        if let Some(bound) = Self::bound(schema, "exclusiveMinimum") {
            least = least.max(bound + gap);
        }
        if let Some(bound) = Self::bound(schema, "exclusiveMaximum") {
            most = most.min(bound - gap);
        }
        let near = [least, most, 0.0, 1.0, -1.0, 7.0, 255.0, 300.0, -40_000.0];
        let picks = near.map(|value| value + self.rng.below(3) as f64 * gap);
        let fits = |value: &f64| {
            (least..=most).contains(value)
                && value.abs() < 1e15
                && step.is_none_or(|step| (value / step).fract() == 0.0)
                && (!whole || value.fract() == 0.0)
        };
        let picks: Vec<f64> = picks.into_iter().chain(near).filter(fits).collect();
        let value = *self.rng.pick(&picks)?;
        Some(if whole {
            Json::Leaf((value as i64).into())
        } else {
            Json::Leaf(json!(value))
        })
    }

    fn string(&mut self, schema: &Json) -> Option<Json> {
        if schema.get("pattern").is_some() {
            // Strings that fit the patterns of the table; of another one this model writes none.
            return None;
        }
        if schema.get("format").is_some() {
            let format = schema.text("format");
            let known = FORMATS.iter().find(|(name, _)| *name == format)?;
            return self
                .rng
                .pick(known.1)
                .map(|text| Json::Leaf((*text).into()));
        }
        let least = Self::bound(schema, "minLength").unwrap_or(0.0);
        let most = Self::bound(schema, "maxLength").unwrap_or(f64::MAX);
        #[allow(clippy::cast_precision_loss)]
        let fits = |text: &&&str| (least..=most).contains(&(text.chars().count() as f64));
        let texts = [
            "",
            "a",
            "é",
            "red",
            "two words",
            "\"quoted\"\\",
            "PT1S",
            "2026-02-28",
        ];
        let texts: Vec<&&str> = texts.iter().filter(fits).collect();
        self.rng
            .pick(&texts)
            .map(|text| Json::Leaf((**text).into()))
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn array(&mut self, schema: &Json, depth: u8) -> Option<Json> {
        let least = Self::bound(schema, "minItems").unwrap_or(0.0) as usize;
        let most = Self::bound(schema, "maxItems").map_or(least + 3, |most| most as usize);
        let places = schema
            .get("prefixItems")
            .map(Json::items)
            .unwrap_or_default();
        let count = least
            + self
                .rng
                .below((most.saturating_sub(least) as u64).min(3) + 1) as usize;
        // Where a value cannot go deeper, the array ends.
        let count = if depth < 3 { least } else { count };
        let mut items: Vec<Json> = Vec::new();
        for index in 0..count {
            let item = match (places.get(index), schema.get("items")) {
                (Some(place), _) => self.write(place, depth - 1)?,
                (None, Some(each)) => self.write(each, depth - 1)?,
                (None, None) => self.anything(),
            };
            if schema.get("uniqueItems").is_some() && items.contains(&item) {
                continue;
            }
            items.push(item);
        }
        // Equal keys of a list of entries are a fault of their own.
        let mut keys = Vec::new();
        items.retain(|item| match (item.get("key"), item.get("value")) {
            (Some(key), Some(_)) => {
                let is_new = !keys.contains(key);
                keys.push(key.clone());
                is_new
            }
            _ => true,
        });
        (items.len() >= least).then_some(Json::Array(items))
    }

    fn object(&mut self, schema: &Json, depth: u8) -> Option<Vec<(String, Json)>> {
        let required = schema.get("required").map(Json::items).unwrap_or_default();
        let mut entries = Vec::new();
        let properties = schema
            .get("properties")
            .map(Json::entries)
            .unwrap_or_default();
        for (name, member) in properties {
            let is_required = required.contains(&Json::Leaf(name.as_str().into()));
            if !is_required && (depth < 3 || self.rng.is_one_in(2)) {
                continue;
            }
            match self.write(member, depth - 1) {
                Some(value) => entries.push((name.clone(), value)),
                None if is_required => return None,
                None => {}
            }
        }
        let least = Self::bound(schema, "minProperties").unwrap_or(0.0);
        let others = schema.get("additionalProperties").cloned();
        if schema.get("propertyNames").is_none()
            && let Some(others @ (Json::Object(_) | Json::Leaf(Value::Bool(true)))) = others
        {
            for name in ["a", "red", "a/b~c"] {
                if (self.rng.is_one_in(2) || least > 0.0)
                    && let Some(value) = self.write(&others, depth - 1)
                {
                    entries.push((name.to_owned(), value));
                }
            }
        }
        #[allow(clippy::cast_precision_loss)]
        let is_full = entries.len() as f64 >= least;
        is_full.then_some(entries)
    }
}

/// What a tool says of arguments, read as they stand.
fn refused(tools: &Toolset, cx: &Context, arguments: &str) -> Option<ToolError> {
    let call = ToolCall::new("1", "hold", arguments);
    tools.call_blocking(&call, cx).outcome.err()
}

/// Whether a fault is about a value and not about its form: a bound, what a key is, a format, how
/// many elements there are.
fn is_bound(fault: &Fault) -> bool {
    let told = [
        "expected a key that is",
        "expected a string in the format",
        "expected an array of",
    ];
    match fault.code {
        FaultCode::Bound | FaultCode::OutOfRange => true,
        FaultCode::WrongType => told.iter().any(|words| fault.message.starts_with(words)),
        _ => false,
    }
}

/// Whether an error is about values alone.
fn is_of_bounds(error: &ToolError) -> bool {
    error.kind() == ErrorKind::InvalidArgs
        && !error.faults().is_empty()
        && error.faults().iter().all(is_bound)
}

/// Types that refuse what their schema admits, as the exceptions say.
const REFUSES: [&str; 1] = ["Tried"];

#[test]
fn what_a_model_writes_by_a_lowered_schema_is_read_or_breaks_a_bound() {
    let mut wrong = Vec::new();
    let (mut read, mut bounds) = (0, 0);
    let mut silent = BTreeSet::new();
    for (at, row) in crate::schemas::rows().into_iter().enumerate() {
        let tools = (row.tools)();
        let def = tools.definitions().next().unwrap();
        let mut seen = BTreeSet::new();
        let mut written = false;
        for dialect in Dialect::ALL {
            let Ok(lowered) = lower(&def.input, dialect) else {
                continue;
            };
            // A description says what a string of JSON holds, and this model reads no descriptions.
            let mut steps = lowered.inverse.steps().iter();
            if steps.any(|step| step.op == Op::TextToJson) {
                continue;
            }
            let text = lowered.schema.clone().unwrap_or_else(|| "{}".to_owned());
            if !seen.insert(text.clone()) {
                continue;
            }
            let schema = Json::read(&text);
            let mut model = Model {
                root: &schema,
                rng: Rng(at as u64),
            };
            for _ in 0..25 {
                let Some(sent) = model.write(&schema, 9) else {
                    continue;
                };
                written = true;
                let sent = sent.to_string();
                let name = row.name;
                let undone = match lowered.inverse.restore(&sent) {
                    Ok(undone) => undone,
                    Err(faults) => {
                        wrong.push(format!("{name} in {dialect}: {sent}: {faults:?}"));
                        continue;
                    }
                };
                let cx = Context::new().with_repairs(toolwright::args::Repairs::None);
                match refused(&tools, &cx, &undone) {
                    None => read += 1,
                    Some(error) if is_of_bounds(&error) => bounds += 1,
                    Some(_) if REFUSES.contains(&name) => {}
                    Some(error) => wrong.push(format!("{name} in {dialect}: {undone}: {error}")),
                }
            }
        }
        if !written {
            silent.insert(row.name);
        }
    }
    assert!(
        read > 10_000 && bounds > 100,
        "{read} read, {bounds} refused"
    );
    assert!(silent.is_empty(), "nothing was written for {silent:?}");
    // Of each type one is enough to know.
    wrong.dedup_by_key(|line| line.split(" in ").next().map(str::to_owned));
    none(wrong);
}
