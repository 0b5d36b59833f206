//! The comparison behind `tools.lock`, held against `jsonschema`: random schemas, random changes, random objects.
//!
//! `LOCK_PAIRS=1000000` sets how many pairs are compared.

use jsonschema::Validator;
use serde_json::{Map, Value, json};
use toolwright::lock::{Verdict, compare};
use toolwright::schema::SchemaDoc;

/// A generator of random numbers (xorshift), so that a failure comes back.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

const KEYS: [&str; 5] = ["city", "days", "tags", "note", "unit"];

fn object(random: &mut Random, depth: usize) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for _ in 0..=random.below(4) {
        let key = *random.pick(&KEYS);
        if properties.contains_key(key) {
            continue;
        }
        properties.insert(key.into(), schema(random, depth + 1));
        if random.chance(50) {
            required.push(key);
        }
    }
    let mut object = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    match random.below(10) {
        0 => {}
        1 => object["additionalProperties"] = schema(random, depth + 2),
        2 => object["additionalProperties"] = json!(true),
        _ => object["additionalProperties"] = json!(false),
    }
    object
}

fn schema(random: &mut Random, depth: usize) -> Value {
    let kinds = if depth > 2 { 7 } else { 12 };
    match random.below(kinds) {
        0 => json!({"type": "boolean"}),
        1 | 2 => {
            let mut number = json!({"type": random.pick(&["integer", "integer", "number"])});
            if random.chance(60) {
                let key = *random.pick(&["minimum", "minimum", "exclusiveMinimum"]);
                number[key] = number_of(random, -5);
            }
            if random.chance(60) {
                let key = *random.pick(&["maximum", "maximum", "exclusiveMaximum"]);
                number[key] = number_of(random, 6);
            }
            if random.chance(15) {
                number["multipleOf"] = random
                    .pick(&[json!(2), json!(3), json!(0.5), json!(6)])
                    .clone();
            }
            number
        }
        3 | 4 => {
            let mut string = json!({"type": "string"});
            if random.chance(30) {
                string["minLength"] = json!(random.below(3));
            }
            if random.chance(30) {
                string["maxLength"] = json!(3 + random.below(4));
            }
            if random.chance(10) {
                string["pattern"] = json!(random.pick(&["^a", "b", "^[a-z]*$"]));
            }
            if random.chance(10) {
                string["format"] = json!(random.pick(&["date", "uuid", "email"]));
            }
            string
        }
        5 | 6 => {
            let names = ["red", "green", "blue", "a", "5"];
            let mut values: Vec<Value> = names
                .iter()
                .filter(|_| random.chance(60))
                .map(|name| json!(name))
                .collect();
            values.push(
                random
                    .pick(&[json!("last"), json!(5), json!(null), json!(true)])
                    .clone(),
            );
            json!({"enum": values})
        }
        7 => {
            let mut array = json!({"type": "array", "items": schema(random, depth + 1)});
            if random.chance(40) {
                array["minItems"] = json!(random.below(3));
            }
            if random.chance(40) {
                array["maxItems"] = json!(2 + random.below(3));
            }
            if random.chance(15) {
                array["uniqueItems"] = json!(true);
            }
            if random.chance(20) {
                array["prefixItems"] =
                    json!([schema(random, depth + 1), schema(random, depth + 1)]);
            }
            array
        }
        8 => {
            let mut nullable = schema(random, 3);
            if let Some(name) = nullable["type"].as_str() {
                nullable["type"] = json!([name, "null"]);
            }
            nullable
        }
        9 => {
            let key = *random.pick(&["anyOf", "anyOf", "oneOf"]);
            json!({key: [tagged(random, depth, "one"), tagged(random, depth, "two")]})
        }
        10 => json!({"anyOf": [schema(random, depth + 1), schema(random, depth + 1)]}),
        _ => object(random, depth + 1),
    }
}

/// An object that a tag tells from others.
fn tagged(random: &mut Random, depth: usize, tag: &str) -> Value {
    let mut object = object(random, depth + 1);
    object["properties"]["kind"] = json!({"const": tag});
    let mut required = object["required"].as_array().cloned().unwrap_or_default();
    required.push(json!("kind"));
    object["required"] = json!(required);
    object
}

fn number_of(random: &mut Random, from: i64) -> Value {
    let whole = from + random.below(5) as i64;
    if random.chance(15) {
        json!(whole as f64 + 0.5)
    } else {
        json!(whole)
    }
}

/// Changes one place of a schema, as people do.
fn change(random: &mut Random, value: &mut Value) {
    let keys: Vec<String> = match value {
        Value::Object(members) => members.keys().cloned().collect(),
        _ => return,
    };
    if keys.is_empty() {
        return;
    }
    // Most changes are further in.
    if random.chance(65) {
        let inner: Vec<&String> = keys
            .iter()
            .filter(|key| {
                matches!(
                    key.as_str(),
                    "properties"
                        | "items"
                        | "anyOf"
                        | "oneOf"
                        | "prefixItems"
                        | "additionalProperties"
                )
            })
            .collect();
        if !inner.is_empty() {
            let key = (*random.pick(&inner)).clone();
            match &mut value[&key] {
                Value::Array(list) => {
                    let at = random.below(list.len());
                    return change(random, &mut list[at]);
                }
                Value::Object(members) if key == "properties" => {
                    let names: Vec<String> = members.keys().cloned().collect();
                    if !names.is_empty() {
                        let name = random.pick(&names).clone();
                        return change(random, &mut members[&name]);
                    }
                }
                inner => return change(random, inner),
            }
        }
    }
    let is_object = value.get("properties").is_some();
    match random.below(10) {
        0 if is_object => {
            let key = *random.pick(&KEYS);
            value["properties"][key] = schema(random, 3);
            if random.chance(50) {
                let mut required = value["required"].as_array().cloned().unwrap_or_default();
                if !required.contains(&json!(key)) {
                    required.push(json!(key));
                }
                value["required"] = json!(required);
            }
        }
        1 if is_object => {
            let Some(properties) = value["properties"].as_object_mut() else {
                return;
            };
            if let Some(key) = properties.keys().next().cloned() {
                properties.remove(&key);
                if let Some(required) = value.get_mut("required").and_then(Value::as_array_mut) {
                    required.retain(|name| name != key.as_str());
                }
            }
        }
        2 if is_object => {
            if value.get("required").is_some() && random.chance(50) {
                value.as_object_mut().unwrap().remove("required");
            } else if let Some(key) = value["properties"]
                .as_object()
                .and_then(|all| all.keys().next().cloned())
            {
                value["required"] = json!([key]);
            }
        }
        3 if is_object => {
            value["additionalProperties"] = random.pick(&[json!(true), json!(false)]).clone();
        }
        4 => {
            value
                .as_object_mut()
                .unwrap()
                .remove(random.pick(&keys).as_str());
        }
        5 | 6 => {
            for key in [
                "minimum",
                "maximum",
                "minLength",
                "maxLength",
                "minItems",
                "maxItems",
            ] {
                if let Some(number) = value.get(key).and_then(Value::as_i64) {
                    value[key] = json!((number + random.below(5) as i64 - 2).max(
                        if key.starts_with("min") && key != "minimum"
                            || key.starts_with("max") && key != "maximum"
                        {
                            0
                        } else {
                            -9
                        }
                    ));
                }
            }
        }
        7 => {
            if let Some(values) = value.get_mut("enum").and_then(Value::as_array_mut) {
                if random.chance(50) && values.len() > 1 {
                    let at = random.below(values.len());
                    values.remove(at);
                } else if !values.contains(&json!("new")) {
                    values.push(json!("new"));
                }
            } else if let Some(name) = value["type"].as_str() {
                let other = if name == "integer" {
                    json!("number")
                } else {
                    json!([name, "null"])
                };
                value["type"] = other;
            }
        }
        8 => value["description"] = json!("other words"),
        _ => {
            *value = if is_object {
                object(random, 2)
            } else {
                schema(random, 2)
            }
        }
    }
}

/// A value that is meant to be admitted by a schema, or is near one.
fn value(random: &mut Random, schema: &Value, depth: usize) -> Value {
    if random.chance(4) || depth > 8 {
        return random
            .pick(&[
                json!(null),
                json!(0),
                json!("x"),
                json!([]),
                json!({}),
                json!(true),
            ])
            .clone();
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(members) = schema.get(key).and_then(Value::as_array) {
            let member = &members[random.below(members.len())];
            return value(random, member, depth + 1);
        }
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return random.pick(values).clone();
    }
    if let Some(one) = schema.get("const") {
        return one.clone();
    }
    let name = match &schema["type"] {
        Value::String(name) => name.clone(),
        Value::Array(names) => names[random.below(names.len())]
            .as_str()
            .unwrap()
            .to_owned(),
        _ => (*random.pick(&[
            "null", "integer", "string", "boolean", "object", "array", "number",
        ]))
        .to_owned(),
    };
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    match name.as_str() {
        "null" => json!(null),
        "boolean" => json!(random.chance(50)),
        "integer" | "number" => {
            let low = bound("minimum")
                .or(bound("exclusiveMinimum"))
                .unwrap_or(-8.0)
                .ceil() as i64;
            let high = bound("maximum")
                .or(bound("exclusiveMaximum"))
                .unwrap_or(12.0)
                .floor() as i64;
            let at = match random.below(4) {
                0 => low,
                1 => high,
                _ => low + random.below((high - low).max(0) as usize + 2) as i64,
            };
            if name == "number" && random.chance(40) {
                json!(at as f64 + 0.5)
            } else {
                json!(at)
            }
        }
        "string" => {
            if schema.get("format").is_some() {
                return json!(random.pick(&[
                    "2024-01-31",
                    "00000000-0000-4000-8000-000000000000",
                    "a@b.example"
                ]));
            }
            let len = (bound("minLength").unwrap_or(0.0) as usize) + random.below(4);
            json!("ab".repeat(len).chars().take(len).collect::<String>())
        }
        "array" => {
            let len = bound("minItems").unwrap_or(0.0) as usize + random.below(3);
            let places = schema.get("prefixItems").and_then(Value::as_array);
            let anything = json!({});
            (0..len)
                .map(|index| {
                    let inner = places
                        .and_then(|places| places.get(index))
                        .or(schema.get("items"));
                    value(random, inner.unwrap_or(&anything), depth + 1)
                })
                .collect()
        }
        _ => {
            let mut object = Map::new();
            let required = schema.get("required").and_then(Value::as_array);
            if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
                for (key, inner) in properties {
                    let is_needed = required.is_some_and(|names| names.contains(&json!(key)));
                    if is_needed || random.chance(50) {
                        object.insert(key.clone(), value(random, inner, depth + 1));
                    }
                }
            }
            if let Some(other) = schema
                .get("additionalProperties")
                .filter(|other| **other != json!(false))
            {
                for key in ["extra", *random.pick(&KEYS)] {
                    if random.chance(30) && !object.contains_key(key) {
                        object.insert(key.into(), value(random, other, depth + 1));
                    }
                }
            }
            Value::Object(object)
        }
    }
}

fn validator(schema: &Value) -> Validator {
    jsonschema::options()
        .should_validate_formats(true)
        .build(schema)
        .unwrap()
}

#[test]
fn a_change_that_is_called_compatible_refuses_no_old_object_and_a_break_is_shown() {
    let pairs: u64 = std::env::var("LOCK_PAIRS").map_or(4000, |count| count.parse().unwrap());
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut breaks, mut shown, mut compatible, mut undecided, mut refuted) =
        (0u64, 0u64, 0u64, 0u64, 0u64);
    for _ in 0..pairs {
        let old = object(&mut random, 0);
        let mut new = old.clone();
        for _ in 0..=random.below(2) {
            change(&mut random, &mut new);
        }
        let comparison = compare(
            &SchemaDoc::try_from(&old).unwrap(),
            &SchemaDoc::try_from(&new).unwrap(),
        );
        let (before, after) = (validator(&old), validator(&new));
        let told = || format!("old {old}\nnew {new}\n{comparison:?}");
        if let Some(witness) = &comparison.witness {
            let witness: Value = serde_json::from_str(witness).unwrap();
            assert!(before.is_valid(&witness), "{}", told());
            assert!(!after.is_valid(&witness), "{}", told());
        }
        match comparison.verdict {
            Verdict::Major => {
                breaks += 1;
                shown += u64::from(comparison.witness.is_some());
                if comparison.witness.is_none() && std::env::var_os("LOCK_TELL").is_some() {
                    eprintln!("no witness: {}", told());
                }
            }
            Verdict::Undecided => undecided += 1,
            _ => compatible += 1,
        }
        for _ in 0..12 {
            let object = value(&mut random, &old, 0);
            if !before.is_valid(&object) || after.is_valid(&object) {
                continue;
            }
            refuted += 1;
            assert!(
                comparison.verdict.breaks(),
                "{object} is refused\n{}",
                told()
            );
        }
    }
    println!(
        "{pairs} pairs: {compatible} compatible, {breaks} breaking of which {shown} shown, {undecided} undecided; {refuted} objects refused"
    );
    assert!(compatible > pairs / 10 && breaks > pairs / 10 && refuted > pairs / 10);
    assert!(shown * 100 >= breaks * 95, "{shown} of {breaks} are shown");
}
