//! Random schemas and values: what the walk says is what `jsonschema` says.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use toolwright::{BuildError, Context, DynTool, Repairs, SchemaDoc, ToolCall, ToolError, Toolset};

/// Numbers of a linear congruential generator (Knuth, MMIX).
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn one<T: Clone>(&mut self, all: &[T]) -> T {
        let index = self.below(all.len() as u64);
        all[usize::try_from(index).unwrap()].clone()
    }

    fn list(&mut self, most: u64, mut make: impl FnMut(&mut Self) -> Value) -> Vec<Value> {
        (0..self.below(most + 1)).map(|_| make(self)).collect()
    }

    fn key(&mut self) -> String {
        self.one(&["a", "b", "c", "ab"]).to_owned()
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
        let (name, value) = match self.below(if depth == 0 { 16 } else { 36 }) {
            0..=2 => ("type", self.one(&types).into()),
            3 => {
                let (one, other) = (self.one(&types), self.one(&types));
                (
                    "type",
                    if one == other {
                        one.into()
                    } else {
                        json!([one, other])
                    },
                )
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
            11 => ("format", self.one(&["date", "uuid", "own", "iri"]).into()),
            12 => ("const", self.value(1)),
            13 => {
                let mut values = self.list(3, |random| random.value(1));
                values.push(json!("a"));
                values.dedup();
                let distinct: Vec<Value> = values
                    .iter()
                    .enumerate()
                    .filter(|(at, value)| !values[..*at].contains(value))
                    .map(|(_, value)| value.clone())
                    .collect();
                ("enum", distinct.into())
            }
            14 => ("required", json!([self.key()])),
            15 => self.one(&[
                ("minItems", json!(1)),
                ("maxItems", json!(1)),
                ("uniqueItems", json!(true)),
                ("minProperties", json!(1)),
                ("maxProperties", json!(1)),
            ]),
            16..=18 => {
                let count = 1 + self.below(3);
                let properties = (0..count).map(|_| (self.key(), self.schema(depth - 1)));
                ("properties", Value::Object(properties.collect()))
            }
            19 => ("additionalProperties", self.schema(depth - 1)),
            20 => ("additionalProperties", json!(false)),
            21 => ("patternProperties", json!({ "^a": self.schema(depth - 1) })),
            22 => ("propertyNames", self.schema(0)),
            23 => ("items", self.schema(depth - 1)),
            24 => ("prefixItems", self.schemas(depth - 1)),
            25 => {
                into.insert("minContains".into(), json!(self.below(3)));
                ("contains", self.schema(depth - 1))
            }
            26 => ("anyOf", self.schemas(depth - 1)),
            27 => ("oneOf", self.schemas(depth - 1)),
            28 => ("allOf", self.schemas(depth - 1)),
            29 => ("not", self.schema(depth - 1)),
            30 => {
                into.insert("then".into(), self.schema(depth - 1));
                into.insert("else".into(), self.schema(depth - 1));
                ("if", self.schema(depth - 1))
            }
            31 => ("dependentRequired", json!({ self.key(): [self.key()] })),
            32 => (
                "dependentSchemas",
                json!({ self.key(): self.schema(depth - 1) }),
            ),
            33 => ("unevaluatedProperties", self.schema(0)),
            34 => ("unevaluatedItems", self.schema(0)),
            _ => ("$ref", self.one(&["#/$defs/tree", "#/$defs/list"]).into()),
        };
        into.insert(name.into(), value);
    }
}

/// A schema of the arguments, with definitions that lead back to themselves.
fn whole(schema: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {"v": schema},
        "$defs": {
            "tree": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"$ref": "#/$defs/tree"}},
                "required": ["a"], "additionalProperties": false},
            "list": {"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/$defs/list"}}]}
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
    let mut random = Random(1);
    let (mut admitted, mut refused, mut repairs, mut unfit) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for _ in 0..schemas {
        let schema = whole(&random.schema(3));
        let judge = jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
            .should_validate_formats(true)
            .build(&schema)
            .unwrap();
        let Some(tools) = toolset(&schema) else {
            unfit += 1;
            continue;
        };
        let cx = Context::new().with_repairs(Repairs::None);
        for _ in 0..16 {
            let value = json!({ "v": random.value(3) });
            let fits = judge.is_valid(&value);
            let call = ToolCall::new("1", "t", value.to_string());
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
                    wrong.push(format!(
                        "{} {value} was repaired to {read}",
                        schema["properties"]["v"]
                    ));
                }
            } else if fits {
                wrong.push(format!(
                    "{} {value} was not read",
                    schema["properties"]["v"]
                ));
            }
            if result.errors().next().is_none() != fits {
                let told: Vec<_> = result.errors().map(ToOwned::to_owned).collect();
                wrong.push(format!(
                    "{} {value} fits: {fits}, told: {told:?}",
                    schema["properties"]["v"]
                ));
            }
        }
    }
    eprintln!(
        "{admitted} admitted, {refused} refused of which {repairs} repaired, {unfit} schemas unfit"
    );
    wrong.truncate(20);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(admitted > schemas && refused > schemas && repairs > 100 && unfit < schemas / 10);
}
