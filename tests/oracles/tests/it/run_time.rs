//! Random schemas and values: what the walk says is what `jsonschema` says, but for what nothing here checks.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use jsonschema::Draft;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use toolwright::{
    Context, DynTool, ToolCall, ToolError, Toolset, args::Repairs, schema::SchemaDoc,
    toolset::BuildError,
};

/// Schemas and values from the numbers of a linear congruential generator (Knuth, MMIX).
struct Random {
    state: u64,
    draft: Draft,
}

const DRAFTS: [(Draft, &str); 3] = [
    (
        Draft::Draft202012,
        "https://json-schema.org/draft/2020-12/schema",
    ),
    (
        Draft::Draft201909,
        "https://json-schema.org/draft/2019-09/schema",
    ),
    (Draft::Draft7, "http://json-schema.org/draft-07/schema#"),
];

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % most
    }

    fn one<T: Clone>(&mut self, all: &[T]) -> T {
        let index = self.below(all.len() as u64);
        all[usize::try_from(index).unwrap()].clone()
    }

    fn list(&mut self, most: u64, mut make: impl FnMut(&mut Self) -> Value) -> Vec<Value> {
        (0..self.below(most + 1)).map(|_| make(self)).collect()
    }

    fn key(&mut self) -> String {
        let keys = ["a", "b", "c", "ab", "", "a/b~c", "\"", "é", "~1", "%41"];
        let index = match self.below(4) {
            0 => self.below(keys.len() as u64),
            _ => self.below(4),
        };
        keys[usize::try_from(index).unwrap()].to_owned()
    }

    /// A value as JSON, in one of its spellings.
    fn spelled(&mut self, value: &Value) -> String {
        match value {
            Value::Number(number) => {
                let text = number.to_string();
                match self.below(4) {
                    0 if text == "0" => self.one(&["-0", "0.0", "0e7", "-0.0"]).to_owned(),
                    0 if !text.contains('.') => self.one(&[
                        format!("{text}.0"),
                        format!("{text}e0"),
                        format!("{text}00e-2"),
                        format!("{text}.00E+0"),
                    ]),
                    1 if text.contains('.') => format!("{}e-1", text.replace('.', "")),
                    _ => text,
                }
            }
            Value::String(text) => self.string(text),
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(|item| self.spelled(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| format!("{} : {}", self.string(key), self.spelled(value)));
                let entries: Vec<_> = entries.collect();
                format!("{{ {}}}", entries.join(","))
            }
            value => value.to_string(),
        }
    }

    fn string(&mut self, text: &str) -> String {
        if self.below(6) > 0 {
            return json!(text).to_string();
        }
        let escaped = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
        format!("\"{}\"", escaped.collect::<String>())
    }

    fn value(&mut self, depth: u64) -> Value {
        match self.below(if depth == 0 { 12 } else { 18 }) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!(false),
            3..=6 => self.one(&[
                json!(0),
                json!(1),
                json!(2),
                json!(3),
                json!(-1),
                json!(1.5),
                json!(1.0),
            ]),
            7..=11 => self.one(&["", "a", "b", "ab", "abc", "2024-01-31"]).into(),
            12..=14 => self.list(3, |random| random.value(depth - 1)).into(),
            _ => {
                let count = self.below(4);
                let entries = (0..count).map(|_| (self.key(), self.value(depth - 1)));
                Value::Object(entries.collect())
            }
        }
    }

    fn schema(&mut self, depth: u64) -> Value {
        if self.below(12) == 0 {
            return json!(self.below(3) > 0);
        }
        let mut keywords = Map::new();
        for _ in 0..self.below(4) {
            self.keyword(depth, &mut keywords);
        }
        Value::Object(keywords)
    }

    fn schemas(&mut self, depth: u64) -> Value {
        let first = self.schema(depth);
        let mut all = self.list(2, |random| random.schema(depth));
        all.push(first);
        all.into()
    }

    fn keyword(&mut self, depth: u64, into: &mut Map<String, Value>) {
        let types = [
            "null", "boolean", "integer", "number", "string", "array", "object",
        ];
        let is_seven = self.draft == Draft::Draft7;
        let is_twenty = self.draft == Draft::Draft202012;
        let (name, value) = match self.below(if depth == 0 { 17 } else { 40 }) {
            0..=2 => ("type", self.one(&types).into()),
            3 => {
                let mut names = self.list(2, |random| random.one(&types).into());
                names.push(self.one(&types).into());
                ("type", distinct(&names).into())
            }
            4 => ("minimum", self.one(&[json!(0), json!(1), json!(1.5)])),
            5 => (
                "exclusiveMaximum",
                self.one(&[json!(2), json!(1.5), json!(3)]),
            ),
            6 => ("maximum", self.one(&[json!(1), json!(2.5)])),
            7 => ("multipleOf", self.one(&[json!(2), json!(0.5), json!(1)])),
            8 => ("minLength", json!(self.below(3))),
            9 => ("maxLength", json!(self.below(3))),
            10 => ("pattern", self.one(&["^a", "b$", "^[ab]+$"]).into()),
            11 => ("format", self.one(&["date", "email", "own", "iri"]).into()),
            12 => ("const", self.value(1)),
            13 => {
                let mut values = self.list(3, |random| random.value(1));
                values.push(json!("a"));
                ("enum", distinct(&values).into())
            }
            14 => {
                let names = self.list(2, |random| random.key().into());
                ("required", distinct(&names).into())
            }
            15 => self.one(&[
                ("minItems", json!(1)),
                ("maxItems", json!(1)),
                ("uniqueItems", json!(true)),
                ("minProperties", json!(1)),
                ("maxProperties", json!(1)),
            ]),
            16 => ("$ref", self.one(&REFERENCES).into()),
            17..=19 => {
                let count = 1 + self.below(3);
                let properties = (0..count).map(|_| (self.key(), self.schema(depth - 1)));
                ("properties", Value::Object(properties.collect()))
            }
            20 => ("additionalProperties", self.schema(depth - 1)),
            21 => ("additionalProperties", json!(false)),
            22 => {
                let mut patterns = Map::new();
                for _ in 0..=self.below(2) {
                    let pattern = self.one(&["^a", "b$", "/"]);
                    patterns.insert(pattern.into(), self.schema(depth - 1));
                }
                ("patternProperties", patterns.into())
            }
            23 => ("propertyNames", self.schema(1)),
            24 => ("items", self.schema(depth - 1)),
            25 if is_twenty => ("prefixItems", self.schemas(depth - 1)),
            25 => ("items", self.schemas(depth - 1)),
            26 if is_twenty => {
                into.insert("prefixItems".into(), self.schemas(depth - 1));
                ("items", json!(false))
            }
            26 => ("additionalItems", self.schema(depth - 1)),
            27 if is_seven => ("contains", self.schema(depth - 1)),
            27 => {
                into.insert("minContains".into(), json!(self.below(3)));
                into.insert("maxContains".into(), json!(self.below(3)));
                ("contains", self.schema(depth - 1))
            }
            28 => ("anyOf", self.schemas(depth - 1)),
            29 => ("oneOf", self.schemas(depth - 1)),
            30 => ("allOf", self.schemas(depth - 1)),
            31 => ("not", self.schema(depth - 1)),
            32 => {
                for name in ["then", "else"] {
                    if self.below(3) > 0 {
                        into.insert(name.into(), self.schema(depth - 1));
                    }
                }
                ("if", self.schema(depth - 1))
            }
            33 if is_seven => ("dependencies", json!({ self.key(): [self.key()] })),
            33 => ("dependentRequired", json!({ self.key(): [self.key()] })),
            34 if is_seven => (
                "dependencies",
                json!({ self.key(): self.schema(depth - 1) }),
            ),
            34 => (
                "dependentSchemas",
                json!({ self.key(): self.schema(depth - 1) }),
            ),
            35 if !is_seven => ("unevaluatedProperties", self.schema(0)),
            36 if !is_seven => ("unevaluatedItems", self.schema(0)),
            37 => ("contentEncoding", "base64".into()),
            _ => ("$ref", self.one(&REFERENCES).into()),
        };
        if is_seven && (name == "$ref" || into.contains_key("$ref")) {
            into.clear();
        }
        into.insert(name.into(), value);
    }
}

/// Equal elements once.
fn distinct(values: &[Value]) -> Vec<Value> {
    let all = values.iter().enumerate();
    let first = all.filter(|(at, value)| !values[..*at].contains(value));
    first.map(|(_, value)| value.clone()).collect()
}

const REFERENCES: [&str; 8] = [
    "#",
    "#/properties/v",
    "#/definitions/tree",
    "#/definitions/list",
    "#/definitions/x",
    "#/definitions/y",
    "#/definitions/a~1b~0c%22",
    "#/definitions/either",
];

/// A schema of the arguments, with definitions that lead back to themselves.
fn whole(random: &mut Random, uri: &str) -> Value {
    let (x, y) = (random.schema(2), random.schema(2));
    json!({
        "$schema": uri,
        "properties": {"v": random.schema(3)},
        "definitions": {
            "tree": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"$ref": "#/definitions/tree"}},
                "required": ["a"], "additionalProperties": false},
            "list": {"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/definitions/list"}}]},
            "x": x,
            "y": {"properties": {"a": y, "b": {"$ref": "#/definitions/x"}}},
            "a/b~c\"": {"not": {"items": {"$ref": "#/definitions/a~1b~0c%22"}, "contains": {"$ref": "#/definitions/y"}}},
            "either": {"oneOf": [
                {"type": ["string", "boolean"]},
                {"properties": {"a": {"$ref": "#/definitions/either"}}, "required": ["a"]},
                {"if": {"type": "array"}, "then": {"contains": {"$ref": "#/definitions/either"}}, "else": false}
            ]}
        }
    })
}

fn toolset(schema: &Value) -> Option<Toolset> {
    let tool = DynTool::builder()
        .name("t")
        .description("Does.")
        .handler_sync(|arguments: Box<RawValue>, _| Ok::<_, ToolError>(arguments.get().to_owned()))
        .parameters(SchemaDoc::parse(&schema.to_string()).unwrap())
        .build();
    match tool {
        Ok(tool) => Some(Toolset::new([tool]).unwrap()),
        Err(BuildError::Schema(_)) => None,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn the_walk_admits_what_jsonschema_admits() {
    let schemas: u64 =
        std::env::var("TOOLWRIGHT_CASES").map_or(6_000, |cases| cases.parse().unwrap());
    let seed = std::env::var("TOOLWRIGHT_SEED").map_or(1, |seed| seed.parse().unwrap());
    let mut random = Random {
        state: seed,
        draft: Draft::Draft202012,
    };
    let (mut admitted, mut refused, mut repairs, mut unfit) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for _ in 0..schemas {
        let (draft, uri) = random.one(&DRAFTS);
        random.draft = draft;
        let schema = whole(&mut random, uri);
        // Who judges them does not come back from endless ones.
        let Some(tools) = toolset(&schema) else {
            unfit += 1;
            continue;
        };
        let judge = jsonschema::options()
            .with_draft(draft)
            .should_validate_formats(true)
            .with_format("iri", |_: &str| true)
            .without_content_encoding_support("base64")
            .build(&schema)
            .unwrap();
        let cx = Context::new().with_repairs(Repairs::None);
        for _ in 0..16 {
            let value = json!({ "v": random.value(3) });
            let fits = judge.is_valid(&value);
            let text = random.spelled(&value);
            let call = ToolCall::new("1", "t", text.clone());
            let result = tools.call_blocking(&call, &cx);
            if fits {
                admitted += 1;
            } else {
                refused += 1;
            }
            // What a slip is repaired to fits as well.
            let repaired = tools.call_blocking(&call, &Context::new());
            if let Some(Value::String(read)) = repaired.value() {
                let read: Value = serde_json::from_str(&read).unwrap();
                repairs += u64::from(!fits);
                if !judge.is_valid(&read) {
                    wrong.push(format!("{} {text} was repaired to {read}", schema));
                }
            } else if fits {
                wrong.push(format!("{} {text} was not read", schema));
            }
            if result.errors().next().is_none() != fits {
                let told: Vec<_> = result.errors().map(ToOwned::to_owned).collect();
                wrong.push(format!("{} {text} fits: {fits}, told: {told:?}", schema));
            }
        }
    }
    eprintln!(
        "{admitted} admitted, {refused} refused of which {repairs} repaired, {unfit} schemas unfit"
    );
    wrong.sort_by_key(String::len);
    wrong.truncate(20);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(admitted > schemas && refused > schemas && repairs > 100 && unfit < schemas / 10);
}
