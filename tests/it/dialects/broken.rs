//! Schemas that nobody would write: a part of one is something else.

use super::{cases, stays};
use crate::json::Json;
use toolwright::Dialect;

/// What stands in the place of a part.
const PARTS: [&str; 12] = [
    "null",
    "true",
    "false",
    "-1",
    "\"object\"",
    "[]",
    "{}",
    r#"["null"]"#,
    r#"["object","array","null"]"#,
    r##"{"$ref":"#"}"##,
    r#"{"anyOf":[{"type":"null"}]}"#,
    r#"{"type":["string","null"],"enum":[null,"a",1]}"#,
];

/// The dialects that differ most.
const DIALECTS: [Dialect; 8] = [
    Dialect::OpenAiStrict,
    Dialect::AnthropicStrict,
    Dialect::GeminiOpenApi,
    Dialect::GeminiJson,
    Dialect::DeepSeekStrict,
    Dialect::Ollama,
    Dialect::Vllm,
    Dialect::Mcp20260728,
];

/// The value with the part at a place replaced; the place counts down.
fn replaced(value: &Json, part: &Json, place: &mut usize) -> Json {
    if *place == 0 {
        *place = usize::MAX;
        return part.clone();
    }
    *place -= 1;
    match value {
        Json::Object(entries) => {
            let entry = |(key, value): &(String, Json)| (key.clone(), replaced(value, part, place));
            Json::Object(entries.iter().map(entry).collect())
        }
        Json::Array(items) => Json::Array(
            items
                .iter()
                .map(|item| replaced(item, part, place))
                .collect(),
        ),
        leaf @ Json::Leaf(_) => leaf.clone(),
    }
}

fn size(value: &Json) -> usize {
    1 + match value {
        Json::Object(entries) => entries.iter().map(|(_, value)| size(value)).sum::<usize>(),
        Json::Array(items) => items.iter().map(size).sum(),
        Json::Leaf(_) => 0,
    }
}

#[test]
fn lowering_ends_and_stays() {
    let parts: Vec<_> = PARTS.iter().map(|part| Json::read(part)).collect();
    let mut seen = Vec::new();
    for (id, schema, ..) in cases() {
        if seen.contains(&id) {
            continue;
        }
        for place in 1..size(&schema) {
            for (at, part) in parts.iter().enumerate() {
                let mut left = place;
                let schema = replaced(&schema, part, &mut left).to_string();
                // Each in turn: all of them take a minute.
                for dialect in DIALECTS.iter().skip((place + at) % 4).step_by(4) {
                    stays(&schema, &schema, *dialect);
                }
            }
        }
        seen.push(id);
    }
}
