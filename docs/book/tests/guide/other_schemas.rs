//! The page `other-schemas.md`.

use crate::output;

// ANCHOR: program
use serde_json::Value;
use toolwright::{Context, Dialect, DynTool, Encoder, ToolError, Toolset, Wire, schema::SchemaDoc};

/// As a document of `OpenAPI` has it.
const SCHEMA: &str = r##"{"type": "object", "properties": {
    "page[size]": {"type": "integer", "minimum": 0, "exclusiveMinimum": true, "default": "20"},
    "filter": {"description": "Any JSON"},
    "owner": {"description": "Who owns it", "nullable": true, "allOf": [{"$ref": "#/$defs/Person"}]}
}, "required": ["filter"], "$defs": {
    "Person": {"allOf": [
        {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        {"properties": {"age": {"type": "integer"}}}
    ]}
}}"##;

fn main() {
    let tool = DynTool::builder()
        .name("search")
        .description("Searches.")
        .parameters(SchemaDoc::parse(SCHEMA).unwrap())
        .handler_sync(|arguments: Value, _| Ok::<_, ToolError>(arguments))
        .build();
    let tools = Toolset::new([tool.unwrap()]).unwrap();

    let sent = Wire::OpenAiChat
        .definitions_in(&tools, Dialect::OpenAiStrict)
        .unwrap();
    for (tool, note) in sent.notes() {
        println!("{tool}: {note}");
    }

    let response = r#"{"choices": [{"message": {"role": "assistant", "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "search", "arguments":
            "{\"page[size]\": null, \"filter\": \"{\\\"tag\\\": [1, 2]}\", \"owner\": {\"name\": \"Ann\", \"age\": null}}"}}
    ]}}]}"#;
    let calls = sent.calls(response).unwrap();
    println!("{}", calls[0].arguments);
    let result = tools.call_blocking(&calls[0], &Context::new());
    println!("{}", result.content(Encoder::json()));
}
// ANCHOR_END: program

#[test]
fn the_page_shows_what_becomes_of_a_schema() {
    output::shown("other-schemas.txt", &output::of(main));
    let lowered =
        toolwright::dialect::lower(&SchemaDoc::parse(SCHEMA).unwrap(), Dialect::OpenAiStrict);
    output::shown_json("other-schemas.json", &lowered.unwrap().schema.unwrap());
}
