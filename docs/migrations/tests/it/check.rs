//! Compares both sides of a migration with each other, and with the files that its page includes.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value};
use toolwright::{Context, Encoder, ToolCall, Toolset};

/// The calls: those that both sides answer equally, and those whose answers stand on the page. The Python side reads them
/// too.
const CALLS: &str = include_str!("../../calls.json");

/// What a model sends for an argument that the old schema allows to be `null`.
pub const NULLS: &str = r#"{"sku":"tea","customer":{"name":"Ada"},"quantity":null,"speed":null}"#;

/// What a call returns to the model: a result, or an error.
pub type Answer = Result<String, String>;

/// The answer of a toolset.
pub async fn ask(tools: &Toolset, name: &str, arguments: &str) -> Answer {
    let call = ToolCall::new("call_1", name, arguments);
    let result = tools.call(&call, &Context::new()).await;
    let text = result.content(Encoder::auto()).into_owned();
    if result.is_success() {
        Ok(text)
    } else {
        Err(text)
    }
}

/// The schema of a tool's arguments.
pub fn schema(tools: &Toolset, name: &str) -> Value {
    tools.get(name).expect("the tool").def().input.to_value()
}

/// Compares the schemas of `place_order`: that of Toolwright with `after.json`, both as [`schemas`] does.
pub fn orders(name: &str, before: &Value, after: &Value) {
    output(
        "after.json",
        &serde_json::to_string_pretty(after).expect("a value"),
    );
    schemas(name, before, after);
}

/// Compares two schemas: `NAME_differences.txt` lists all that is different.
pub fn schemas(name: &str, before: &Value, after: &Value) {
    let mut lines = String::new();
    if let Some(defs) = before.get("$defs").and_then(Value::as_object) {
        let names: Vec<_> = defs.keys().map(String::as_str).collect();
        writeln!(lines, "- /$defs: {}", names.join(", ")).expect("a String");
    }
    differences("", &inlined(before), &inlined(after), &mut lines);
    output(&format!("{name}_differences.txt"), &lines);
}

/// Compares the answers: of the calls that both sides answer equally, and of `more`, with each other; the others with
/// `NAME_calls.txt`.
pub async fn answers(
    name: &str,
    more: &[&str],
    before: impl AsyncFn(&str) -> Answer,
    after: impl AsyncFn(&str) -> Answer,
) {
    let calls: Value = serde_json::from_str(CALLS).expect("JSON");
    let calls = |key: &str| -> Vec<String> {
        let calls = calls[key].as_array().expect("a list");
        assert!(!calls.is_empty());
        calls.iter().map(Value::to_string).collect()
    };
    let more = more.iter().map(|&call| call.to_owned());
    for call in calls("equal").into_iter().chain(more) {
        let (before, after) = (before(&call).await, after(&call).await);
        let value = |answer: &Answer| -> Value {
            serde_json::from_str(answer.as_ref().expect("a result")).expect("JSON")
        };
        assert_eq!(value(&before), value(&after), "{call}");
    }
    let mut page = String::new();
    for call in calls("shown") {
        writeln!(page, "place_order({call})").expect("a String");
        for (side, answer) in [
            ("before", before(&call).await),
            ("after", after(&call).await),
        ] {
            let (kind, text) = match answer {
                Ok(text) => ("result", text),
                Err(text) => ("error", text),
            };
            writeln!(page, "  {side}, {kind}:").expect("a String");
            for line in text.lines() {
                writeln!(page, "      {line}").expect("a String");
            }
        }
        page.push('\n');
    }
    output(&format!("{name}_calls.txt"), &page);
}

/// Compares a text with the file that a page includes, or writes that file where `BLESS=1`.
pub fn output(name: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/outputs")
        .join(name);
    let text = format!("{}\n", text.trim_end());
    if env::var_os("BLESS").is_some() {
        fs::write(&file, text).expect("the folder of outputs");
        return;
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(text, expected, "{name} (`BLESS=1` writes it)");
}

/// Puts each type of `$defs` where it is referred to. The keys beside a `$ref` win.
fn inlined(schema: &Value) -> Value {
    let empty = Map::new();
    let defs = schema
        .get("$defs")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    let mut schema = schema.clone();
    if let Some(object) = schema.as_object_mut() {
        object.remove("$defs");
    }
    resolve(&schema, defs)
}

fn resolve(value: &Value, defs: &Map<String, Value>) -> Value {
    match value {
        Value::Object(object) => {
            let mut all = Map::new();
            if let Some(Value::String(reference)) = object.get("$ref") {
                let name = reference
                    .strip_prefix("#/$defs/")
                    .expect("a reference to `$defs`");
                let Value::Object(definition) = resolve(&defs[name], defs) else {
                    panic!("{name} is not a schema");
                };
                all = definition;
            }
            for (key, value) in object.iter().filter(|(key, _)| *key != "$ref") {
                all.insert(key.clone(), resolve(value, defs));
            }
            Value::Object(all)
        }
        Value::Array(items) => items.iter().map(|item| resolve(item, defs)).collect(),
        other => other.clone(),
    }
}

/// Writes a line for each JSON pointer at which two values differ.
fn differences(at: &str, before: &Value, after: &Value, lines: &mut String) {
    if let (Value::Object(old), Value::Object(new)) = (before, after) {
        let mut keys: Vec<_> = old.keys().chain(new.keys()).collect();
        keys.sort();
        keys.dedup();
        for key in keys {
            let at = format!("{at}/{key}");
            match (old.get(key), new.get(key)) {
                (Some(before), Some(after)) => differences(&at, before, after, lines),
                (Some(before), None) => writeln!(lines, "- {at}: {before}").expect("a String"),
                (None, Some(after)) => writeln!(lines, "+ {at}: {after}").expect("a String"),
                (None, None) => {}
            }
        }
    } else if before != after {
        writeln!(lines, "- {at}: {before}\n+ {at}: {after}").expect("a String");
    }
}
