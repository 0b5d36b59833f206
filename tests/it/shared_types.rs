//! A long definition refers to the types that it repeats; a short one has them written out at each use.
#![allow(
    dead_code,
    unused_variables,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use serde::Deserialize;
use serde_json::{Value, json};
use toolwright::{
    Context, Dialect, DynTool, Encoder, Schema, ToolCall, ToolDef, Toolset, Wire,
    dialect::{Lowered, lower},
    schema::SchemaDoc,
    tool, tools,
};

/// Each struct has two fields of the next one.
macro_rules! chain {
    ($($name:ident $next:ty,)*) => {
        $(
            #[derive(Deserialize, Schema)]
            struct $name {
                /// The one side.
                left: $next,
                /// The one side.
                right: $next,
            }
        )*
    };
}

chain! {
    A B, B C, C D, D E, E F, F G, G H, H I, I J, J u8,
}

/// Takes it.
#[tool]
fn hold(value: A) -> &'static str {
    "held"
}

/// Takes half of it, which ten levels of objects hold.
#[tool]
fn half(value: C) -> &'static str {
    "held"
}

/// Has few types.
#[tool]
fn few(value: I, other: I) -> &'static str {
    "held"
}

/// The schema with all references to types written out.
fn written_out(schema: &Value) -> Value {
    fn inner(schema: &Value, defs: &Value) -> Value {
        match schema {
            Value::Object(entries) => {
                if let Some(target) = entries.get("$ref").and_then(Value::as_str) {
                    let name = target.strip_prefix("#/$defs/").unwrap();
                    assert_eq!(entries.len(), 1, "{schema}");
                    return inner(&defs[name], defs);
                }
                let entries = entries.iter().filter(|(key, _)| *key != "$defs");
                let entries = entries.map(|(key, value)| (key.clone(), inner(value, defs)));
                Value::Object(entries.collect())
            }
            Value::Array(items) => items.iter().map(|item| inner(item, defs)).collect(),
            value => value.clone(),
        }
    }
    inner(schema, &schema["$defs"])
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_long_definition_refers_to_its_types() {
    let tools = tools![hold];
    let def = tools.definitions().next().unwrap();
    let written = def.input.to_provider_json();
    assert!(written.len() > 100_000, "{}", written.len());
    for wire in [Wire::Mcp, Wire::Mcp2026, Wire::Anthropic, Wire::OpenAiChat] {
        let text = wire.definitions(&tools);
        assert!(text.len() < 3000, "{wire:?}: {}", text.len());
        let list = read(&text);
        let of = |tool: &Value| match wire {
            Wire::OpenAiChat => tool["function"]["parameters"].clone(),
            Wire::Anthropic => tool["input_schema"].clone(),
            _ => tool["inputSchema"].clone(),
        };
        assert_eq!(written_out(&of(&list[0])), read(&written), "{wire:?}");
    }
}

#[test]
fn a_short_definition_has_its_types_written_out() {
    for text in [
        Wire::Mcp.definitions(&tools![few]).into_string(),
        Wire::OpenAiChat
            .definitions_in(&tools![few], Dialect::OpenAiStrict)
            .unwrap()
            .text()
            .into_string(),
    ] {
        assert!(!text.contains("$ref"), "{text}");
    }
}

/// The dialects that refuse types inside themselves have no references, too.
#[test]
fn each_dialect_with_references_has_them() {
    let tools = tools![half];
    let def = tools.definitions().next().unwrap();
    let mut written = Vec::new();
    for dialect in Dialect::ALL {
        let Ok(Lowered {
            schema, inverse, ..
        }) = lower(&def.input, dialect)
        else {
            // Azure has five levels of objects.
            assert_eq!(dialect, Dialect::AzureStrict);
            continue;
        };
        let schema = read(&schema.unwrap());
        if schema.get("$defs").is_none() {
            written.push(dialect.name());
            continue;
        }
        assert!(schema.to_string().len() < 4000, "{dialect}: {schema}");
        assert!(inverse.steps().is_empty(), "{dialect}");
        let keys = written_out(&schema);
        let inner = &keys["properties"]["value"]["properties"]["right"]["properties"]["left"];
        assert!(inner["properties"]["right"].is_object(), "{dialect}");
    }
    assert_eq!(
        written,
        [
            "anthropic_strict",
            "gemini_openapi",
            "deepseek_strict",
            "ollama"
        ]
    );
}

/// A verdict counts types as often as they stand there, and so does lowering.
#[test]
fn limits_count_types_as_they_are_used() {
    let tools = tools![hold];
    let def = tools.definitions().next().unwrap();
    let refused = lower(&def.input, Dialect::OpenAiStrict).unwrap_err();
    assert_eq!(refused.code.as_str(), "too_large");
}

/// A foreign schema with `count` keys of one type, which holds a map and a key that may be missing.
fn repeated(type_name: &str, extra: &str, count: usize) -> String {
    let keys: Vec<_> = (0..count)
        .map(|n| format!(r##""k{n}": {{"$ref": "#/$defs/{type_name}"{extra}}}"##))
        .collect();
    let names: Vec<_> = (0..30).map(|n| format!(r#""long_name_{n}""#)).collect();
    format!(
        r#"{{"type":"object","properties":{{{}}},"$defs":{{"{type_name}":{{"type":"object","properties":{{
            "ages":{{"type":"object","additionalProperties":{{"type":"integer"}}}},
            "kind":{{"type":"string","enum":[{}]}},
            "next":{{"type":"array","items":{{"type":"object","properties":{{"kind":{{"type":"string","enum":[{}]}}}}}}}}}}}}}}}}"#,
        keys.join(","),
        names.join(","),
        names.join(",")
    )
}

#[test]
fn calls_come_back_through_references() {
    let schema = SchemaDoc::parse(&repeated("T", "", 10)).unwrap();
    let mut def = ToolDef::new("many", "Takes many.");
    def.input = schema.clone();
    let tools = Toolset::new([DynTool::declare(def)]).unwrap();
    let sent = Wire::OpenAiChat
        .definitions_in(&tools, Dialect::OpenAiStrict)
        .unwrap();
    let text = sent.text();
    assert!(sent.non_strict().is_empty());
    assert!(text.contains(r##"{"$ref":"#/$defs/"##), "{text}");
    assert!(text.len() < 6000, "{}", text.len());
    let arguments =
        r#"{"k3":{"ages":[{"key":"Ann","value":4}],"kind":null,"next":[{"kind":null}]},"k4":null}"#;
    let response = json!({"choices": [{"message": {"role": "assistant", "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "many", "arguments": arguments}}
    ]}}]});
    let calls = sent.calls(&response.to_string()).unwrap();
    assert_eq!(
        read(&calls[0].arguments),
        json!({"k3": {"ages": {"Ann": 4}, "next": [{}]}})
    );
}

#[test]
fn a_use_with_words_of_its_own_stays_written_out() {
    let said = repeated("T", r#","description":"Mine.""#, 20);
    let schema = read(&said);
    let mut schema = schema;
    schema["properties"]["k0"]["description"] = json!("Other.");
    let schema = SchemaDoc::parse(&schema.to_string()).unwrap();
    let lowered = lower(&schema, Dialect::Anthropic).unwrap();
    let sent = read(&lowered.schema.unwrap());
    assert_eq!(sent["properties"]["k0"]["description"], "Other.");
    assert!(sent["properties"]["k0"]["properties"].is_object(), "{sent}");
    assert_eq!(sent["properties"]["k2"], sent["properties"]["k1"]);
    let written = written_out(&sent);
    for (key, words) in [("k0", "Other."), ("k1", "Mine."), ("k19", "Mine.")] {
        assert_eq!(written["properties"][key]["description"], words);
    }
}

/// A type has the name of the key that it first stands behind.
#[test]
fn names_are_portable_and_depend_on_the_tool_alone() {
    for key in ["Größe", "page[size]", "日本", "a/b~c", "", "k0"] {
        let mut schema = read(&repeated("T", "", 20));
        let first = schema["properties"]["k0"].take();
        let keys = schema["properties"].as_object_mut().unwrap();
        keys.remove("k0");
        let mut all = serde_json::Map::new();
        all.insert(key.to_owned(), first);
        all.append(keys);
        schema["properties"] = all.into();
        let schema = SchemaDoc::parse(&schema.to_string()).unwrap();
        let Lowered { schema, .. } = lower(&schema, Dialect::Mcp20260728).unwrap();
        let schema = read(&schema.unwrap());
        let names = schema["$defs"].as_object().unwrap().keys();
        for name in names {
            let fits = |char: char| char.is_ascii_alphanumeric() || "_-".contains(char);
            assert!(!name.is_empty() && name.chars().all(fits), "{name}");
        }
    }
    let (alone, both) = (tools![hold], tools![few, hold]);
    let alone = read(&Wire::Mcp.definitions(&alone));
    let both = read(&Wire::Mcp.definitions(&both));
    assert_eq!(alone[0], both[1]);
}

/// A type that something inside it comes back to.
#[derive(Deserialize, Schema)]
struct Größe {
    wert: u8,
    teile: Vec<Größe>,
}

/// Measures.
#[tool]
fn measure(value: Größe) -> &'static str {
    "measured"
}

#[test]
fn recursive_types_have_portable_names() {
    let tools = tools![measure];
    let plain = Wire::Mcp.definitions(&tools).into_string();
    let sent = Wire::OpenAiChat
        .definitions_in(&tools, Dialect::OpenAiStrict)
        .unwrap();
    for text in [plain, sent.text().into_string()] {
        assert!(text.contains("#/$defs/Gr"), "{text}");
        assert!(text.is_ascii(), "{text}");
    }
    let call = ToolCall::new("1", "measure", r#"{"value": {"wert": 1, "teile": []}}"#);
    let result = tools.call_blocking(&call, &Context::new());
    assert_eq!(result.content(Encoder::auto()), "measured");
}
