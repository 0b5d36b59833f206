//! What comes out of lowering, held against the tables of `dialects.json` by a reader of its own: it
//! knows the tables, and nothing of how a schema is lowered.

use std::collections::BTreeSet;

use serde_json::Value;

use super::types::{argument, types};
use super::{cases, lowered, table};
use crate::json::Json;
use toolwright::Dialect;

/// A dialect's table.
struct Frozen {
    /// The keywords that there are; nothing where any may stand.
    accepted: Option<BTreeSet<String>>,
    refused: BTreeSet<String>,
    formats: Option<BTreeSet<String>>,
    /// The form of the names of arguments.
    names: Option<String>,
    limits: Vec<(String, u64)>,
}

/// The first word of each line of a list: what follows says when, in words.
fn words(list: Option<&Json>) -> BTreeSet<String> {
    let words = list.map(Json::items).unwrap_or_default().iter();
    let lines = words.filter_map(|word| match word {
        Json::Leaf(Value::String(line)) => Some(line.clone()),
        _ => None,
    });
    let names = lines.flat_map(|line| {
        let first = line.split([' ', ':']).next().unwrap_or_default();
        first.split('/').map(str::to_owned).collect::<Vec<_>>()
    });
    names.collect()
}

impl Frozen {
    fn of(dialect: &str) -> Self {
        let table = table();
        let all = table.get("dialects").unwrap();
        let own = all.get(dialect).unwrap();
        // Azure's is what it refuses beyond OpenAI's.
        let base = if dialect == "azure_strict" {
            all.get("openai_strict").unwrap()
        } else {
            own
        };
        let keywords = own.get("keywords");
        let of_base = base.get("keywords");
        let list = |keywords: Option<&Json>, name: &str| {
            keywords.and_then(|keywords| keywords.get(name)).cloned()
        };
        // Where any keyword may stand, the table says so in words.
        let accepted = list(of_base, "accept").or_else(|| list(keywords, "keep"));
        let accepted = accepted.filter(|list| matches!(list, Json::Array(_)));
        let mut refused = words(list(of_base, "refuse").as_ref());
        refused.extend(words(list(keywords, "refuse_extra").as_ref()));
        let formats = match list(of_base, "formats") {
            Some(Json::Object(by_type)) => by_type.first().map(|(_, list)| words(Some(list))),
            list => list.map(|list| words(Some(&list))),
        };
        let limits = own.get("limits").map(Json::entries).unwrap_or_default();
        let limits = limits.iter().filter_map(|(name, limit)| match limit {
            Json::Leaf(value) => Some((name.clone(), value.as_u64()?)),
            _ => None,
        });
        Self {
            accepted: accepted.map(|list| words(Some(&list))),
            refused,
            formats,
            names: own
                .get("property_name")
                .map(|name| name.text("regex").to_owned()),
            limits: limits.collect(),
        }
    }

    fn limit(&self, name: &str) -> Option<u64> {
        self.limits
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, limit)| *limit)
    }
}

/// Whether a name is of a form `^[…]{1,64}$` or `^[…][…]{0,63}$`.
fn is_of_form(form: &str, name: &str) -> bool {
    let form = form.trim_start_matches('^').trim_end_matches('$');
    let (classes, counts) = form.split_once('{').unwrap();
    let most = counts.trim_end_matches('}').split(',').nth(1).unwrap();
    let most: usize = most.parse().unwrap();
    let classes: Vec<&str> = classes
        .split(']')
        .filter_map(|class| class.strip_prefix('['))
        .collect();
    let takes = |class: &str, char: char| {
        let class: Vec<char> = class.chars().collect();
        let ranges = class.windows(3);
        let mut ranges = ranges.filter(|window| window[1] == '-');
        ranges.any(|window| (window[0]..=window[2]).contains(&char))
            || class.contains(&char) && (char != '-' || class.last() == Some(&'-'))
    };
    let (first, rest, most) = match classes[..] {
        [each] => (each, each, most),
        [first, rest] => (first, rest, most + 1),
        _ => panic!("{form}"),
    };
    !name.is_empty()
        && name.chars().count() <= most
        && name
            .chars()
            .enumerate()
            .all(|(at, char)| takes(if at == 0 { first } else { rest }, char))
}

/// One walk through a lowered schema.
struct Walk<'s> {
    dialect: &'s str,
    frozen: &'s Frozen,
    root: &'s Json,
    properties: u64,
    levels: u64,
    enum_values: u64,
    characters: u64,
    /// The references that stand around what is walked, each with whether a key around it may miss.
    around: Vec<(String, bool)>,
    wrong: Vec<String>,
}

/// The dialects whose objects say that they are closed.
const CLOSED: [&str; 4] = [
    "openai_strict",
    "azure_strict",
    "anthropic_strict",
    "deepseek_strict",
];
/// Those that want every key.
const ALL_KEYS: [&str; 3] = ["openai_strict", "azure_strict", "deepseek_strict"];
/// Those in which every schema says a type, or is a union or a reference.
const TYPED: [&str; 5] = [
    "openai_strict",
    "azure_strict",
    "anthropic_strict",
    "deepseek_strict",
    "gemini_openapi",
];

impl Walk<'_> {
    fn says(&mut self, what: impl Into<String>) {
        self.wrong.push(what.into());
    }

    fn is(&self, dialects: &[&str]) -> bool {
        dialects.contains(&self.dialect)
    }

    fn keyword(&mut self, keyword: &str, value: &Json) {
        let frozen = self.frozen;
        // The table lists `additionalProperties: false`, a type list and `$ref` by their names.
        if let Some(accepted) = &frozen.accepted
            && !accepted.contains(keyword)
            // Anthropic's list leaves out what goes without saying.
            && keyword != "properties"
        {
            self.says(format!("{keyword} is in no list"));
        }
        let told_in_words = [
            "$ref",
            "minItems",
            "additionalProperties",
            "enum",
            "format",
            "type",
        ];
        if frozen.refused.contains(keyword) && !told_in_words.contains(&keyword) {
            self.says(format!("{keyword} is refused"));
        }
        match (keyword, value) {
            ("format", Json::Leaf(Value::String(format))) => {
                let known = frozen.formats.as_ref();
                if known.is_some_and(|known| !known.contains(format)) {
                    self.says(format!("the format {format} is in no list"));
                }
            }
            ("pattern", Json::Leaf(Value::String(pattern)))
                if self.is(&["openai_strict"])
                    && ["(?=", "(?!", "(?<"]
                        .iter()
                        .any(|look| pattern.contains(look)) =>
            {
                self.says("a pattern looks around");
            }
            ("minItems", Json::Leaf(least))
                if self.is(&["anthropic_strict"]) && least.as_u64() > Some(1) =>
            {
                self.says("more than one element is asked for");
            }
            ("type", Json::Array(names)) => {
                let has_large = names.iter().any(|name| {
                    matches!(name, Json::Leaf(Value::String(name)) if name == "object" || name == "array")
                });
                if self.is(&["gemini_openapi"]) || self.is(&["deepseek_strict"]) && has_large {
                    self.says("a list of types");
                }
            }
            _ => {}
        }
    }

    fn values(&mut self, schema: &Json) {
        let Some(values) = schema.get("enum").map(Json::items) else {
            return;
        };
        self.enum_values += values.len() as u64;
        for value in values {
            match value {
                Json::Leaf(Value::String(text)) => {
                    self.characters += text.chars().count() as u64;
                }
                _ if self.is(&["gemini_openapi"]) => self.says("a value that is not a string"),
                Json::Leaf(Value::Number(_)) => {}
                _ if self.is(&["gemini_json"]) => {
                    self.says("a value that is not a string or number");
                }
                Json::Leaf(_) => {}
                _ => self.says("a value that is not a scalar"),
            }
        }
        if self.is(&["gemini_openapi"]) && schema.text("type") != "string" {
            self.says("an enum that is of no string");
        }
        if self.is(&["deepseek_strict"]) && schema.get("type").is_none() {
            self.says("an enum without a type");
        }
    }

    fn object(&mut self, schema: &Json, levels: u64) {
        self.levels = self.levels.max(levels);
        let keys = schema
            .get("properties")
            .map(Json::entries)
            .unwrap_or_default();
        let is_root = levels == 1;
        let others = schema.get("additionalProperties");
        if self.is(&CLOSED) && others != Some(&Json::Leaf(Value::Bool(false))) {
            self.says("an object that is not closed");
        }
        if self.is(&CLOSED) && schema.get("properties").is_none() {
            self.says("an object without properties");
        }
        if keys.is_empty()
            && (self.is(&["gemini_openapi"]) || self.is(&["deepseek_strict"]) && !is_root)
        {
            self.says("an empty object");
        }
        let required = schema.get("required").map(Json::items).unwrap_or_default();
        let is_required = |name: &str| required.contains(&Json::Leaf(name.into()));
        self.properties += keys.len() as u64;
        for (name, member) in keys {
            self.characters += name.chars().count() as u64;
            if self.is(&ALL_KEYS) && !is_required(name) {
                self.says(format!("the key {name} is not required"));
            }
            if is_root
                && let Some(form) = self.frozen.names.clone()
                && !is_of_form(&form, name)
            {
                self.says(format!("the name {name}"));
            }
            let optional = !is_required(name);
            for (_, may_miss) in self.around.iter_mut().filter(|_| optional) {
                *may_miss = true;
            }
            let around = self.around.clone();
            self.node(member, levels);
            self.around = around;
        }
    }

    /// A schema inside so many objects.
    fn node(&mut self, schema: &Json, levels: u64) {
        let Json::Object(entries) = schema else {
            if self.is(&TYPED) {
                self.says("a schema that is a word");
            }
            return;
        };
        for (keyword, value) in entries {
            self.keyword(keyword, value);
        }
        if schema.get("$ref").is_some() {
            self.reference(schema, levels);
            return;
        }
        let says_type = schema.get("type").is_some() || schema.get("anyOf").is_some();
        if self.is(&TYPED) && !says_type {
            self.says("a schema without a type");
        }
        self.values(schema);
        let is = |name: &str| match schema.get("type") {
            Some(Json::Leaf(Value::String(one))) => one == name,
            Some(Json::Array(names)) => names.contains(&Json::Leaf(name.into())),
            _ => false,
        };
        if is("object") {
            self.object(schema, levels + 1);
        }
        if is("array") && self.is(&TYPED) && schema.get("items").is_none() {
            self.says("an array without items");
        }
        for keyword in ["items", "additionalProperties"] {
            if let Some(inner @ Json::Object(_)) = schema.get(keyword) {
                self.node(inner, levels);
            }
        }
        for keyword in ["anyOf", "allOf", "prefixItems"] {
            for member in schema.get(keyword).map(Json::items).unwrap_or_default() {
                if self.is(&["deepseek_strict"])
                    && keyword == "anyOf"
                    && member.get("$ref").is_some()
                {
                    self.says("a reference inside anyOf");
                }
                self.node(member, levels);
            }
        }
        if self.is(&["openai_strict", "azure_strict"]) {
            self.first_keys(schema);
        }
    }

    fn reference(&mut self, schema: &Json, levels: u64) {
        let reference = schema.text("$ref").to_owned();
        let siblings = schema
            .entries()
            .iter()
            .filter(|(key, _)| !key.starts_with('$'));
        if self.is(&["openai_strict", "azure_strict", "gemini_json"]) && siblings.count() > 0 {
            self.says("something stands beside $ref");
        }
        if self.is(&["anthropic_strict", "gemini_openapi", "ollama"]) {
            self.says("a reference");
        }
        if let Some((_, may_miss)) = self.around.iter().find(|(known, _)| *known == reference) {
            if self.is(&["gemini_json"]) && !may_miss {
                self.says("a cycle of keys that must be there");
            }
            return;
        }
        let target = match reference.strip_prefix("#/$defs/") {
            Some(name) => self.root.get("$defs").and_then(|defs| defs.get(name)),
            None => Some(self.root),
        };
        let Some(target) = target else {
            self.says(format!("{reference} leads to nothing"));
            return;
        };
        self.around.push((reference, false));
        // A definition is as deep as where it stands, and counts once: limits are judged without.
        let (properties, characters, values) = (self.properties, self.characters, self.enum_values);
        self.node(target, levels.min(1));
        (self.properties, self.characters, self.enum_values) = (properties, characters, values);
        self.around.pop();
    }

    fn first_keys(&mut self, schema: &Json) {
        let mut firsts: Vec<(String, Option<Json>)> = Vec::new();
        for member in schema.get("anyOf").map(Json::items).unwrap_or_default() {
            let Some((name, value)) = member
                .get("properties")
                .and_then(|keys| keys.entries().first())
            else {
                continue;
            };
            let tag = match value.get("enum").map(Json::items) {
                Some([one]) => Some(one.clone()),
                _ => None,
            };
            let collides = firsts.iter().any(|(known, other)| {
                known == name && (tag.is_none() || other.is_none() || tag == *other)
            });
            if collides {
                self.says(format!("two members start with {name}"));
            }
            firsts.push((name.clone(), tag));
        }
    }
}

/// What the table has against a lowered schema.
fn wrong(dialect: &str, frozen: &Frozen, schema: &Json) -> Vec<String> {
    let mut walk = Walk {
        dialect,
        frozen,
        root: schema,
        properties: 0,
        levels: 0,
        enum_values: 0,
        characters: 0,
        around: vec![("#".to_owned(), false)],
        wrong: Vec::new(),
    };
    if schema.text("type") != "object" {
        walk.says("the root is not an object");
    }
    if ["anyOf", "allOf", "oneOf"]
        .iter()
        .any(|key| schema.get(key).is_some())
    {
        walk.says("a union at the root");
    }
    walk.node(schema, 0);
    let counts = [
        ("object_properties_total", walk.properties),
        ("nesting_levels", walk.levels),
        ("enum_values_total", walk.enum_values),
        ("names_and_literals_chars", walk.characters),
    ];
    for (name, count) in counts {
        if frozen.limit(name).is_some_and(|limit| count > limit) {
            walk.says(format!("{count} are beyond {name}"));
        }
    }
    walk.wrong
}

/// The dialects that have a table of keywords.
const TABLES: [&str; 7] = [
    "openai_strict",
    "azure_strict",
    "anthropic_strict",
    "gemini_openapi",
    "gemini_json",
    "deepseek_strict",
    "ollama",
];

/// Those of which it says what the root is, and of some the names of arguments.
const ROOTS: [&str; 3] = ["anthropic", "bedrock", "mcp_2025_11_25"];

#[test]
fn what_is_lowered_passes_the_dialects_table() {
    let mut problems = Vec::new();
    let mut seen = 0;
    for name in TABLES.into_iter().chain(ROOTS) {
        let dialect: Dialect = name.parse().unwrap();
        let frozen = Frozen::of(name);
        assert!(
            ROOTS.contains(&name) || frozen.accepted.is_some() || !frozen.refused.is_empty(),
            "{name}"
        );
        let of_types = types().into_iter().flat_map(|(id, schema)| {
            [true, false].map(|required| (id.to_owned(), argument(schema, required)))
        });
        let of_cases = cases()
            .into_iter()
            .filter(|(_, _, _, of, _)| *of == dialect)
            .map(|(id, schema, ..)| (id, schema.to_string()));
        for (id, schema) in of_types.chain(of_cases) {
            let Ok(lowered) = lowered(&schema, dialect) else {
                continue;
            };
            let Some(text) = lowered.schema else { continue };
            seen += 1;
            for problem in wrong(name, &frozen, &Json::read(&text)) {
                problems.push(format!("{id} in {name}: {problem}: {text}"));
            }
        }
    }
    assert!(seen > 1000, "{seen}");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// So that the reader itself is known to find what it is there for.
#[test]
fn the_table_refuses_what_is_not_lowered() {
    let plain = r##"{"type":"object","properties":{
        "a":{"type":"integer","exclusiveMinimum":1,"default":2},
        "b":{"type":"object","additionalProperties":{"type":"string"}},
        "c":{"type":["array","null"],"prefixItems":[{"type":"string"}]},
        "d":{"$ref":"#/$defs/D","description":"D"},
        "e":{"enum":[1,true]},
        "f g":{},
        "h":{"type":"string","format":"uri","pattern":"(?=a)"}
    },"required":["d"],"$defs":{"D":{"type":"object","properties":{"d":{"$ref":"#/$defs/D"}},"required":["d"]}}}"##;
    let schema = Json::read(plain);
    let found = |name: &str| wrong(name, &Frozen::of(name), &schema);
    for (name, expected) in [
        ("openai_strict", "the key a is not required"),
        ("openai_strict", "something stands beside $ref"),
        ("openai_strict", "an object that is not closed"),
        ("openai_strict", "prefixItems is refused"),
        ("openai_strict", "the format uri is in no list"),
        ("openai_strict", "a pattern looks around"),
        ("openai_strict", "default is refused"),
        ("openai_strict", "a schema without a type"),
        ("azure_strict", "exclusiveMinimum is refused"),
        ("anthropic", "the name f g"),
        ("bedrock", "the name f g"),
        ("anthropic_strict", "the name f g"),
        ("anthropic_strict", "a reference"),
        ("anthropic_strict", "exclusiveMinimum is in no list"),
        ("gemini_openapi", "a list of types"),
        ("gemini_openapi", "a value that is not a string"),
        ("gemini_openapi", "an empty object"),
        ("gemini_json", "a value that is not a string or number"),
        ("gemini_json", "a cycle of keys that must be there"),
        ("deepseek_strict", "an enum without a type"),
        ("ollama", "default is in no list"),
    ] {
        let found = found(name);
        assert!(
            found.iter().any(|problem| problem == expected),
            "{name}: {expected}: {found:?}"
        );
    }
    let union = Json::read(r#"{"anyOf":[{"type":"object"}]}"#);
    for name in TABLES.into_iter().chain(ROOTS) {
        let found = wrong(name, &Frozen::of(name), &union);
        for expected in ["the root is not an object", "a union at the root"] {
            assert!(
                found.iter().any(|problem| problem == expected),
                "{name}: {found:?}"
            );
        }
    }
    assert!(!is_of_form("^[a-zA-Z_][a-zA-Z0-9_]{0,2}$", "1ab"));
    assert!(is_of_form("^[a-zA-Z_][a-zA-Z0-9_]{0,2}$", "_1b"));
    assert!(!is_of_form("^[a-zA-Z_][a-zA-Z0-9_]{0,2}$", "_1bc"));
    assert!(is_of_form("^[a-zA-Z0-9_.-]{1,3}$", "a.-"));
    assert!(!is_of_form("^[a-zA-Z0-9_.-]{1,3}$", "a,b"));
}
