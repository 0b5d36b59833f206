//! The comparison of schemas, held against `jsonschema`: random schemas, random changes, random values. `LOCK_PAIRS` sets
//! how many pairs are compared, `LOCK_FROM` the first, and `LOCK_TELL` prints those without a witness.

use jsonschema::Validator;
use serde_json::{Map, Value, json};
use toolwright::lock::{Verdict, compare};
use toolwright::schema::SchemaDoc;

/// A generator of random numbers (splitmix), so that a pair comes back by its number.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

const KEYS: [&str; 5] = ["city", "days", "tags", "note", "unit"];
const PATTERNS: [&str; 4] = ["^a", "b", "^[a-z]*$", "^t"];

fn object(random: &mut Random, depth: usize) -> Value {
    let mut object = json!({"type": "object"});
    if random.chance(85) {
        let mut properties = Map::new();
        for _ in 0..=random.below(4) {
            let key = *random.pick(&KEYS);
            if !properties.contains_key(key) {
                properties.insert(key.into(), schema(random, depth + 1));
            }
        }
        object["properties"] = Value::Object(properties);
    }
    let required: Vec<&str> = KEYS.into_iter().filter(|_| random.chance(25)).collect();
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    match random.below(10) {
        0 | 1 => {}
        2 => object["additionalProperties"] = schema(random, depth + 2),
        3 => object["additionalProperties"] = json!(true),
        _ => object["additionalProperties"] = json!(false),
    }
    if random.chance(8) {
        let pattern = *random.pick(&PATTERNS);
        object["patternProperties"] = json!({pattern: schema(random, depth + 2)});
    }
    if random.chance(6) {
        object["minProperties"] = json!(random.below(4));
    }
    if random.chance(6) {
        object["maxProperties"] = json!(1 + random.below(5));
    }
    if random.chance(4) {
        let short = json!({"maxLength": 4});
        object["propertyNames"] = random
            .pick(&[json!({"pattern": "^[a-z]+$"}), short])
            .clone();
    }
    if random.chance(4) {
        object.as_object_mut().unwrap().remove("type");
    }
    beside(random, &mut object, depth);
    object
}

/// Adds keywords that apply to values of all types.
fn beside(random: &mut Random, schema: &mut Value, depth: usize) {
    if random.chance(4) {
        let values: Vec<Value> = (0..=random.below(3))
            .map(|_| value(random, schema, depth))
            .collect();
        schema["enum"] = json!(values);
    }
    if random.chance(2) {
        schema["const"] = value(random, schema, depth);
    }
    if depth < 2 && random.chance(3) {
        schema["not"] = self::schema(random, 3);
    }
    if depth < 2 && random.chance(3) {
        schema["allOf"] = json!([self::schema(random, 2)]);
    }
    if depth < 2 && random.chance(2) {
        schema["if"] = self::schema(random, 3);
        schema["then"] = self::schema(random, 3);
    }
}

fn number(random: &mut Random) -> Value {
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

fn string(random: &mut Random) -> Value {
    let mut string = json!({"type": "string"});
    if random.chance(30) {
        string["minLength"] = json!(random.below(3));
    }
    if random.chance(30) {
        string["maxLength"] = json!(3 + random.below(4));
    }
    if random.chance(10) {
        string["pattern"] = json!(random.pick(&PATTERNS));
    }
    if random.chance(10) {
        string["format"] = json!(random.pick(&["date", "uuid", "email"]));
    }
    string
}

fn listed(random: &mut Random) -> Value {
    let names = ["red", "green", "blue", "a", "5"];
    let mut values: Vec<Value> = names
        .iter()
        .filter(|_| random.chance(60))
        .map(|name| json!(name))
        .collect();
    let others = [
        json!("last"),
        json!(5),
        json!(null),
        json!(true),
        json!({"city": 1}),
        json!([]),
    ];
    values.push(random.pick(&others).clone());
    json!({"enum": values})
}

fn array(random: &mut Random, depth: usize) -> Value {
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
        array["prefixItems"] = json!([schema(random, depth + 1), schema(random, depth + 1)]);
    }
    if random.chance(8) {
        array["contains"] = schema(random, 3);
    }
    array
}

fn schema(random: &mut Random, depth: usize) -> Value {
    let kinds = if depth > 2 { 7 } else { 13 };
    let mut schema = match random.below(kinds) {
        0 => json!({"type": "boolean"}),
        1 | 2 => number(random),
        3 | 4 => string(random),
        5 => listed(random),
        6 => random
            .pick(&[
                json!({}),
                json!({"type": ["string", "integer"]}),
                json!({"minimum": 1, "minLength": 1}),
            ])
            .clone(),
        7 => array(random, depth),
        8 => {
            let mut nullable = self::schema(random, 3);
            if let Some(name) = nullable["type"].as_str() {
                nullable["type"] = json!([name, "null"]);
            }
            nullable
        }
        9 => {
            let key = *random.pick(&["anyOf", "anyOf", "oneOf"]);
            json!({key: [tagged(random, depth, "one"), tagged(random, depth, "two")]})
        }
        10 => json!({"anyOf": [self::schema(random, depth + 1), self::schema(random, depth + 1)]}),
        _ => return object(random, depth + 1),
    };
    beside(random, &mut schema, depth);
    schema
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
    let Some(members) = value.as_object() else {
        return;
    };
    let keys: Vec<String> = members.keys().cloned().collect();
    if keys.is_empty() {
        *value = schema(random, 3);
        return;
    }
    // Most changes are further in.
    let is_inner = |key: &&String| {
        matches!(
            key.as_str(),
            "properties"
                | "patternProperties"
                | "items"
                | "anyOf"
                | "oneOf"
                | "allOf"
                | "prefixItems"
                | "additionalProperties"
                | "contains"
                | "not"
                | "then"
        )
    };
    let inner: Vec<&String> = keys.iter().filter(is_inner).collect();
    if !inner.is_empty() && random.chance(65) {
        let key = (*random.pick(&inner)).clone();
        match &mut value[&key] {
            Value::Array(list) => {
                let at = random.below(list.len());
                change(random, &mut list[at]);
            }
            Value::Object(members) if key == "properties" || key == "patternProperties" => {
                let names: Vec<String> = members.keys().cloned().collect();
                if !names.is_empty() {
                    let name = random.pick(&names).clone();
                    change(random, &mut members[&name]);
                }
            }
            inner => change(random, inner),
        }
        return;
    }
    let is_object = value["type"] == "object";
    let kind = random.below(12);
    if is_object && kind < 5 {
        return change_object(random, value, kind);
    }
    match kind {
        4 => {
            value
                .as_object_mut()
                .unwrap()
                .remove(random.pick(&keys).as_str());
        }
        5 | 6 => {
            for (key, least) in [
                ("minimum", -9),
                ("maximum", -9),
                ("minLength", 0),
                ("maxLength", 0),
                ("minItems", 0),
                ("maxItems", 0),
                ("minProperties", 0),
                ("maxProperties", 0),
            ] {
                if let Some(number) = value.get(key).and_then(Value::as_i64) {
                    value[key] = json!((number + random.below(5) as i64 - 2).max(least));
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
        9 => {
            let other = schema(random, 3);
            for (key, keyword) in other.as_object().unwrap() {
                value[key] = keyword.clone();
            }
        }
        10 => beside(random, value, 1),
        _ => {
            *value = if is_object {
                object(random, 2)
            } else {
                schema(random, 2)
            }
        }
    }
}

fn change_object(random: &mut Random, value: &mut Value, kind: usize) {
    let members = value.as_object_mut().unwrap();
    match kind {
        0 => {
            let key = *random.pick(&KEYS);
            value["properties"][key] = schema(random, 3);
            if random.chance(30) {
                let mut required = value["required"].as_array().cloned().unwrap_or_default();
                if !required.contains(&json!(key)) {
                    required.push(json!(key));
                }
                value["required"] = json!(required);
            }
        }
        1 => {
            let properties = members.get_mut("properties").and_then(Value::as_object_mut);
            let Some(key) = properties
                .as_ref()
                .and_then(|all| all.keys().next().cloned())
            else {
                return;
            };
            properties.unwrap().remove(&key);
            if let Some(required) = members.get_mut("required").and_then(Value::as_array_mut) {
                required.retain(|name| name != key.as_str());
            }
        }
        2 if members.contains_key("required") && random.chance(50) => {
            members.remove("required");
        }
        2 => value["required"] = json!([random.pick(&KEYS)]),
        3 => value["additionalProperties"] = random.pick(&[json!(true), json!(false)]).clone(),
        _ => {
            members.remove(*random.pick(&[
                "properties",
                "additionalProperties",
                "patternProperties",
                "required",
            ]));
        }
    }
}

/// A value that is meant to be admitted by a schema, or is near one.
fn value(random: &mut Random, schema: &Value, depth: usize) -> Value {
    if random.chance(3) || depth > 8 {
        let plain = [
            json!(null),
            json!(0),
            json!("x"),
            json!([]),
            json!({}),
            json!(true),
            json!("b"),
            json!(1.5),
        ];
        return random.pick(&plain).clone();
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(members) = schema.get(key).and_then(Value::as_array) {
            let at = random.below(members.len());
            return value(random, &members[at], depth + 1);
        }
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array)
        && !values.is_empty()
    {
        return random.pick(values).clone();
    }
    if let Some(one) = schema.get("const") {
        return one.clone();
    }
    let types = [
        "null", "integer", "string", "boolean", "object", "array", "number",
    ];
    let name = match &schema["type"] {
        Value::String(name) => name.clone(),
        Value::Array(names) => names[random.below(names.len())]
            .as_str()
            .unwrap()
            .to_owned(),
        _ if schema.get("properties").is_some() => "object".to_owned(),
        _ => (*random.pick(&types)).to_owned(),
    };
    match name.as_str() {
        "null" => json!(null),
        "boolean" => json!(random.chance(50)),
        "integer" | "number" => a_number(random, schema, &name),
        "string" => a_string(random, schema),
        "array" => an_array(random, schema, depth),
        _ => an_object(random, schema, depth),
    }
}

fn bound(schema: &Value, key: &str) -> Option<f64> {
    schema.get(key).and_then(Value::as_f64)
}

fn a_number(random: &mut Random, schema: &Value, name: &str) -> Value {
    let low = bound(schema, "minimum")
        .or(bound(schema, "exclusiveMinimum"))
        .unwrap_or(-8.0)
        .ceil() as i64;
    let high = bound(schema, "maximum")
        .or(bound(schema, "exclusiveMaximum"))
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

fn a_string(random: &mut Random, schema: &Value) -> Value {
    if schema.get("format").is_some() {
        return json!(random.pick(&[
            "2024-01-31",
            "00000000-0000-4000-8000-000000000000",
            "a@b.example"
        ]));
    }
    let len = (bound(schema, "minLength").unwrap_or(0.0) as usize) + random.below(4);
    json!("ab".repeat(len).chars().take(len).collect::<String>())
}

fn an_array(random: &mut Random, schema: &Value, depth: usize) -> Value {
    let len = bound(schema, "minItems").unwrap_or(0.0) as usize + random.below(3);
    let places = schema.get("prefixItems").and_then(Value::as_array);
    let anything = json!({});
    let element = |index: usize| {
        places
            .and_then(|places| places.get(index))
            .or(schema.get("items"))
    };
    (0..len)
        .map(|index| value(random, element(index).unwrap_or(&anything), depth + 1))
        .collect()
}

fn an_object(random: &mut Random, schema: &Value, depth: usize) -> Value {
    let mut object = Map::new();
    let anything = json!({});
    let required = schema
        .get("required")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    let rest = schema.get("additionalProperties");
    for (key, inner) in &properties {
        if required.contains(&json!(key)) || random.chance(50) {
            object.insert(key.clone(), value(random, inner, depth + 1));
        }
    }
    for key in required.iter().filter_map(Value::as_str) {
        if !object.contains_key(key) {
            object.insert(
                key.into(),
                value(random, rest.unwrap_or(&anything), depth + 1),
            );
        }
    }
    // Keys that an object does not name mean nothing to it, unless it says that it admits them.
    let is_silent = rest.is_none() && schema.get("patternProperties").is_none();
    let is_silent = is_silent && !(properties.is_empty() && required.is_empty());
    let patterns = schema.get("patternProperties").and_then(Value::as_object);
    let by_pattern = patterns.and_then(|all| all.values().next());
    for key in ["extra", "abba", "t", *random.pick(&KEYS)] {
        let is_named = KEYS.contains(&key);
        if random.chance(25)
            && !object.contains_key(key)
            && !(is_silent && is_named)
            && rest != Some(&json!(false))
            || by_pattern.is_some() && !object.contains_key(key) && random.chance(25)
        {
            let inner = by_pattern
                .filter(|_| random.chance(60))
                .or(rest)
                .unwrap_or(&anything);
            object.insert(key.into(), value(random, inner, depth + 1));
        }
    }
    Value::Object(object)
}

fn validator(schema: &Value) -> Validator {
    jsonschema::options()
        .should_validate_formats(true)
        .build(schema)
        .unwrap()
}

#[derive(Default)]
struct Counts {
    compatible: u64,
    breaks: u64,
    shown: u64,
    refuted: u64,
}

#[test]
fn a_change_that_is_called_compatible_refuses_no_old_value_and_a_break_is_shown() {
    let set =
        |name: &str, other: u64| std::env::var(name).map_or(other, |count| count.parse().unwrap());
    let (pairs, from) = (set("LOCK_PAIRS", 3000), set("LOCK_FROM", 0));
    let tell = std::env::var_os("LOCK_TELL").is_some();
    // All, and those without patterns and `not`.
    let mut counts = [Counts::default(), Counts::default()];
    for pair in from..from + pairs {
        let mut random = Random(pair.wrapping_mul(0x1000));
        let old = if random.chance(80) {
            object(&mut random, 0)
        } else {
            schema(&mut random, 0)
        };
        let mut new = old.clone();
        for _ in 0..=random.below(2) {
            change(&mut random, &mut new);
        }
        let comparison = compare(
            &SchemaDoc::try_from(&old).unwrap(),
            &SchemaDoc::try_from(&new).unwrap(),
        );
        let (before, after) = (validator(&old), validator(&new));
        let told = || format!("pair {pair}\nold {old}\nnew {new}\n{comparison:?}");
        let both = format!("{old}{new}");
        let is_plain = !both.contains("\"pattern") && !both.contains("\"not\"");
        let breaks = comparison.verdict.breaks();
        let mut is_refuted = false;
        if let (Some(witness), true) = (&comparison.witness, breaks) {
            let witness: Value = serde_json::from_str(witness).unwrap();
            assert!(
                before.is_valid(&witness) && !after.is_valid(&witness),
                "{}",
                told()
            );
            is_refuted = true;
        }
        for _ in 0..12 {
            let object = value(&mut random, &old, 0);
            if before.is_valid(&object) && !after.is_valid(&object) {
                is_refuted = true;
                assert!(breaks, "{object} is refused\n{}", told());
            }
        }
        if tell && breaks && comparison.witness.is_none() {
            let kind = if is_refuted { "missed" } else { "unproven" };
            println!(
                "{kind}{} {}\n",
                if is_plain { " plain" } else { "" },
                told()
            );
        }
        for count in counts.iter_mut().take(1 + usize::from(is_plain)) {
            count.compatible += u64::from(!breaks);
            count.breaks += u64::from(breaks);
            count.shown += u64::from(comparison.verdict == Verdict::Major);
            count.refuted += u64::from(is_refuted);
        }
    }
    for (
        Counts {
            compatible,
            breaks,
            shown,
            refuted,
        },
        least,
    ) in counts.iter().zip([85, 95])
    {
        println!(
            "{compatible} compatible; {breaks} not, of which {shown} with a witness; {refuted} known to break"
        );
        assert!(*compatible > pairs / 20 && *breaks > pairs / 20);
        assert!(
            shown * 100 >= breaks * least,
            "{shown} of {breaks} have a witness"
        );
    }
}
