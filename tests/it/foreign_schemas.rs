//! Schemas that others wrote: they are read as what they mean, sent as far as a dialect can say them, and calls come back in the
//! schema's own form.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolwright::dialect::{Lowered, NoteKind, lower};
use toolwright::{
    Context, Dialect, DynTool, Encoder, Schema, ToolCall, ToolError, Toolset, Wire,
    schema::SchemaDoc, tool, tools,
};

fn lowered(schema: &str, dialect: Dialect) -> Lowered {
    lower(&SchemaDoc::parse(schema).unwrap(), dialect).unwrap()
}

/// The schema of the argument `v`, as MCP's dialect leaves it, and the keywords that were left out.
fn merged(v: &str, defs: &str) -> (Value, Vec<String>) {
    let schema = format!(
        r#"{{"type":"object","properties":{{"v":{v}}},"required":["v"],"$defs":{{{defs}}}}}"#
    );
    let lowered = lowered(&schema, Dialect::Mcp20260728);
    let schema: Value = serde_json::from_str(&lowered.schema.unwrap()).unwrap();
    let notes = lowered.notes.into_iter();
    let notes = notes.map(|note| note.keyword).collect();
    (schema["properties"]["v"].clone(), notes)
}

const DEFS: &str = r#""P": {"type":"object","description":"A pet","properties":{"name":{"type":"string","minLength":1}},"required":["name"]},
    "C": {"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false},
    "D": {"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":false}"#;

#[test]
fn parts_of_all_of_become_one_schema() {
    let cases = [
        (
            r##"{"description":"Mine","allOf":[{"$ref":"#/$defs/P"}]}"##,
            json!({"type":"object","description":"Mine","properties":{"name":{"type":"string","minLength":1}},"required":["name"]}),
        ),
        (
            r##"{"allOf":[{"$ref":"#/$defs/P"},{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"]}]}"##,
            json!({"type":"object","description":"A pet","properties":{"name":{"type":"string","minLength":1},"age":{"type":"integer"}},"required":["name","age"]}),
        ),
        (
            r##"{"nullable":true,"allOf":[{"$ref":"#/$defs/P"}]}"##,
            json!({"type":["object","null"],"description":"A pet","properties":{"name":{"type":"string","minLength":1}},"required":["name"]}),
        ),
        (
            r##"{"$ref":"#/$defs/P","properties":{"name":{"maxLength":9,"minLength":3}}}"##,
            json!({"type":"object","description":"A pet","properties":{"name":{"type":"string","minLength":3,"maxLength":9}},"required":["name"]}),
        ),
        (
            r#"{"allOf":[{"type":"number","minimum":1},{"type":"integer","minimum":5,"maximum":9},{"maximum":7}]}"#,
            json!({"type":"integer","minimum":5,"maximum":7}),
        ),
        (
            r#"{"allOf":[{"minimum":9007199254740993},{"type":"integer","minimum":9007199254740992}]}"#,
            json!({"type":"integer","minimum":9_007_199_254_740_993_u64}),
        ),
        (
            r#"{"allOf":[{"enum":["a","b","c"]},{"enum":["c","b"]}]}"#,
            json!({"type":"string","enum":["b","c"]}),
        ),
        (
            r#"{"allOf":[{"type":"array","items":{"type":"string"}},{"items":{"maxLength":3},"uniqueItems":true}]}"#,
            json!({"type":"array","items":{"type":"string","maxLength":3},"uniqueItems":true}),
        ),
        (
            r#"{"allOf":[{"allOf":[{"minLength":1},{"type":"string"}]},{"maxLength":4}]}"#,
            json!({"type":"string","minLength":1,"maxLength":4}),
        ),
    ];
    for (schema, expected) in cases {
        assert_eq!(merged(schema, DEFS).0, expected, "{schema}");
    }
}

#[test]
fn a_union_of_which_one_form_must_fit_may_be_looser() {
    // The notes of forms that a value may fit at once, and of forms that are apart.
    let open = r#"{"type":"object","properties":{"a":{"type":"string"}}}"#;
    let tagged = |tag: &str| {
        format!(
            r#"{{"type":"object","properties":{{"kind":{{"const":"{tag}"}}}},"required":["kind"]}}"#
        )
    };
    let closed = |key: &str| {
        format!(
            r#"{{"type":"object","properties":{{"{key}":{{"type":"string"}}}},"required":["{key}"],"additionalProperties":false}}"#
        )
    };
    let numbers = |from: usize| {
        let all: Vec<_> = (from..2 * from.max(32)).collect();
        json!({ "enum": all }).to_string()
    };
    let cases = [
        (format!("{open},{open}"), true),
        (format!(r#"{open},{{"type":"null"}}"#), false),
        (format!("{open},{}", tagged("x")), true),
        (format!("{},{}", tagged("x"), tagged("y")), false),
        (format!("{},{}", tagged("x"), tagged("x")), true),
        (format!("{},{}", closed("x"), closed("y")), false),
        (r#"{"type":"integer"},{"type":"string"}"#.to_owned(), false),
        (r#"{"type":"integer"},{"type":"number"}"#.to_owned(), true),
        (r#"{"enum":["a","b"]},{"enum":["c"]}"#.to_owned(), false),
        (r#"{"enum":["a","b"]},{"enum":["b"]}"#.to_owned(), true),
        (r#"{"minLength":1},{"type":"string"}"#.to_owned(), true),
        // Many values are not compared: the cost would be that of a product.
        (format!("{},{}", numbers(0), numbers(64)), false),
        (format!("{},{}", numbers(0), numbers(100)), true),
    ];
    for (members, may_fit_both) in cases {
        let (_, notes) = merged(&format!(r#"{{"oneOf":[{members}]}}"#), "");
        assert_eq!(
            notes.contains(&"oneOf".to_owned()),
            may_fit_both,
            "{members}: {notes:?}"
        );
        let (_, notes) = merged(&format!(r#"{{"anyOf":[{members}]}}"#), "");
        assert!(!notes.contains(&"anyOf".to_owned()), "{members}: {notes:?}");
    }
}

#[test]
fn what_no_one_schema_says_stays_all_of() {
    for schema in [
        r#"{"allOf":[{"type":"string","pattern":"a"},{"pattern":"b"}]}"#,
        r#"{"allOf":[{"type":"string"},{"type":"integer"}]}"#,
        r#"{"allOf":[{"enum":["a"]},{"enum":["b"]}]}"#,
        // The first part bounds the key of the second.
        r#"{"allOf":[{"type":"object","additionalProperties":{"type":"string"}},{"properties":{"a":{"maxLength":3}}}]}"#,
        r#"{"allOf":[{"type":"array","prefixItems":[{"type":"string"}]},{"items":{"maxLength":3}}]}"#,
    ] {
        let (v, _) = merged(schema, "");
        assert!(v["allOf"].is_array(), "{schema} became {v}");
    }
    let both = r#"{"type":"object","properties":{"v":{"allOf":[{"type":"string","pattern":"a"},{"pattern":"b"}]}}}"#;
    let refused = lower(&SchemaDoc::parse(both).unwrap(), Dialect::OpenAiStrict).unwrap_err();
    assert_eq!((refused.code.as_str(), &*refused.path), ("all_of", "/v"));
}

#[test]
fn a_closed_part_does_not_forbid_the_keys_of_the_others() {
    let (v, notes) = merged(
        r##"{"allOf":[{"$ref":"#/$defs/C"},{"$ref":"#/$defs/D"}]}"##,
        DEFS,
    );
    let keys: Vec<_> = v["properties"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["a", "b"]);
    assert_eq!(v["additionalProperties"], json!(false));
    assert_eq!(notes, ["additionalProperties"]);
    // One that adds no key stays closed.
    let (v, notes) = merged(
        r##"{"allOf":[{"$ref":"#/$defs/C"},{"required":["a"]}]}"##,
        DEFS,
    );
    assert_eq!(v["additionalProperties"], json!(false));
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn a_subtype_joins_the_base_that_refers_to_it() {
    let defs = r##""Base": {"type":"object","properties":{"kind":{"type":"string"},"next":{"$ref":"#/$defs/Sub"}},"required":["kind"]},
        "Sub": {"allOf":[{"$ref":"#/$defs/Base"},{"properties":{"size":{"type":"integer"}}}]}"##;
    let schema = format!(
        r##"{{"type":"object","properties":{{"v":{{"$ref":"#/$defs/Sub"}}}},"$defs":{{{defs}}}}}"##
    );
    for dialect in [Dialect::OpenAiStrict, Dialect::GeminiJson] {
        let lowered = lowered(&schema, dialect).schema.unwrap();
        assert!(
            lowered.contains("\"size\"") && !lowered.contains("allOf"),
            "{lowered}"
        );
    }
}

#[test]
fn words_of_other_drafts_are_read_as_what_they_mean() {
    let cases = [
        (
            r#"{"type":"integer","minimum":0,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":false}"#,
            json!({"type":"integer","exclusiveMinimum":0,"maximum":9}),
        ),
        (
            r#"{"type":"object","properties":null,"required":null,"additionalProperties":null}"#,
            json!({"type":"object"}),
        ),
        (
            r#"{"type":"object","properties":{"a":{"type":"string","required":true}},"required":["a","a"]}"#,
            json!({"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}),
        ),
        (
            r##"{"type":"object","properties":{"next":{"$ref":"#/$defs/N","nullable":true}}}"##,
            json!({"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/N"},{"type":"null"}]}}}),
        ),
        (
            r#"{"type":"integer","default":"100"}"#,
            json!({"type":"integer","default":100}),
        ),
        (
            r#"{"type":"string","default":1.50}"#,
            json!({"type":"string","default":"1.5"}),
        ),
        (
            r#"{"type":"integer","default":"many"}"#,
            json!({"type":"integer","default":"many"}),
        ),
        (
            r#"{"type":"array","items":[{"type":"string"}],"additionalItems":false}"#,
            json!({"type":"array","items":false,"prefixItems":[{"type":"string"}]}),
        ),
    ];
    for (schema, expected) in cases {
        let node = r##""N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"}}}"##;
        let (mut v, _) = merged(schema, node);
        if let Some(object) = v.as_object_mut() {
            // An object that says nothing of its keys says that it is open.
            object.retain(|key, value| key != "additionalProperties" || value != true);
        }
        assert_eq!(v, expected, "{schema}");
    }
}

/// A tool that returns its arguments.
fn echo(schema: &str) -> Toolset {
    let tool = DynTool::builder()
        .name("echo")
        .description("Returns its arguments.")
        .parameters(SchemaDoc::parse(schema).unwrap())
        .handler_sync(|arguments: Value, _| Ok::<_, ToolError>(arguments))
        .build();
    Toolset::new([tool.unwrap()]).unwrap()
}

/// Returns its argument.
#[tool]
fn any(v: Value) -> Value {
    json!({"v": v})
}

/// The call of a model that wrote `arguments` for definitions in this dialect.
fn called(tools: &Toolset, dialect: Dialect, arguments: &Value) -> ToolCall {
    let wire = Wire::OpenAiChat;
    let sent = wire.definitions_in(tools, dialect).unwrap();
    let response = json!({"choices": [{"message": {"role": "assistant", "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "echo", "arguments": arguments.to_string()}}
    ]}}]});
    let mut calls = sent.calls(&response.to_string()).unwrap();
    calls.remove(0)
}

/// What the handler reads, or the sentence for the model.
fn read(tools: &Toolset, dialect: Dialect, arguments: &Value) -> Result<Value, String> {
    let call = called(tools, dialect, arguments);
    let result = tools.call_blocking(&call, &Context::new());
    match &result.outcome {
        Ok(_) => Ok(result.value().unwrap()),
        Err(error) => Err(error.to_string()),
    }
}

const PAGES: &str = r#"{"type":"object","properties":{
    "page[size]": {"type":"integer","description":"Rows of a page"}, "$filter": {"type":"string"}, "市": {"type":"string"},
    "a.b": {"type":"string"}, "a_b": {"type":"string"}
}, "required": ["page[size]"], "additionalProperties": false}"#;

#[test]
fn an_argument_gets_a_name_that_the_dialect_accepts_and_its_own_one_back() {
    let lowered = lowered(PAGES, Dialect::GeminiOpenApi);
    let schema: Value = serde_json::from_str(&lowered.schema.unwrap()).unwrap();
    let names: Vec<&str> = schema["properties"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert!(
        names.contains(&"a_b") && names.contains(&"page_size_"),
        "{names:?}"
    );
    let dotted = names.iter().find(|name| name.starts_with("a_b_")).unwrap();
    assert_eq!(dotted.len(), "a_b_12345678".len());
    assert_eq!(schema["required"], json!(["page_size_"]));
    assert_eq!(
        schema["properties"]["page_size_"]["description"],
        "Rows of a page [named `page[size]`]"
    );
    let renamed = lowered
        .notes
        .iter()
        .filter(|note| note.kind == NoteKind::Renamed);
    assert_eq!(renamed.count(), 4);

    let tools = echo(PAGES);
    for dialect in [Dialect::GeminiOpenApi, Dialect::Anthropic, Dialect::Bedrock] {
        let own = json!({"page[size]": 3, "a_b": "declared"});
        assert_eq!(
            read(
                &tools,
                dialect,
                &json!({"page_size_": 3, "a_b": "declared"})
            ),
            Ok(own.clone())
        );
        // A model that writes the schema's own name is understood.
        assert_eq!(read(&tools, dialect, &own), Ok(own));
        let both = read(&tools, dialect, &json!({"page_size_": 3, "page[size]": 4}));
        assert!(
            both.clone().unwrap_err().contains("given more than once"),
            "{both:?}"
        );
    }
    // What was not renamed is not renamed back.
    let strict = read(&tools, Dialect::OpenAiNonStrict, &json!({"page_size_": 3}));
    assert!(
        strict.clone().unwrap_err().contains("page_size_"),
        "{strict:?}"
    );
}

#[test]
fn faults_name_an_argument_as_it_was_sent() {
    let page = r#"{"type":"object","properties":{"page[size]":{"type":"integer"}},"additionalProperties":false}"#;
    let schema = format!(
        r#"{{"type":"object","properties":{{"page[size]":{{"type":"integer"}},"$filter":{{"type":"string","maxLength":3}},
        "名":{{"type":"array","items":{{"type":"integer"}}}},"inner":{page}}},"required":["page[size]"],"additionalProperties":false}}"#
    );
    let tools = echo(&schema);
    let cases = [
        (
            json!({"page_size_": "x"}),
            r#"page_size_: expected an integer, got "x""#,
        ),
        (json!({}), "page_size_: missing, expected an integer"),
        (
            json!({"page_size_": 1, "_filter": "$filter: `long`"}),
            "_filter: expected ",
        ),
        (
            json!({"page_size_": 1, "_": [1, "x"]}),
            "_[1]: expected an integer",
        ),
        (
            json!({"page_size_": 1, "page_size": 2}),
            "page_size: unknown argument; did you mean `page_size_`?",
        ),
        // Keys of objects inside have their own names.
        (
            json!({"page_size_": 1, "inner": {"page_size": 2}}),
            "inner.page_size: unknown key; did you mean `page[size]`?",
        ),
    ];
    for (arguments, words) in cases {
        for encoder in [Encoder::auto(), Encoder::json(), Encoder::text()] {
            let (own, sent) = answered(&tools, Dialect::Anthropic, &arguments, encoder);
            assert!(sent.contains(words), "{arguments}: {sent}");
            // The host reads the schema's own names, and so does a model that was sent them.
            let is_inside = words.starts_with("inner");
            assert_eq!(own.contains(words), is_inside, "{own}");
            let (_, unchanged) = answered(&tools, Dialect::OpenAiNonStrict, &arguments, encoder);
            assert_eq!(
                unchanged.contains(words),
                own.contains(words),
                "{unchanged}"
            );
        }
    }
    // Values are not changed.
    let filter = json!({"page_size_": 1, "_filter": "$filter: `$filter`"});
    let (_, sent) = answered(&tools, Dialect::Anthropic, &filter, Encoder::auto());
    assert!(sent.contains(r#"got "$filter: `$filter`""#), "{sent}");
}

/// The same result out of a stored thread: a message has the schema's names, and each request its own.
#[cfg(feature = "agent")]
fn stored(
    sent: &toolwright::wire::Definitions,
    call: ToolCall,
    result: &toolwright::ToolResult,
    encoder: Encoder,
) -> Value {
    use toolwright::agent::thread::ToolMessage;
    use toolwright::agent::{Thread, ThreadMessage};

    let thread = Thread::from([
        ThreadMessage::user("Go."),
        ThreadMessage::calls([call]),
        ThreadMessage::Tool(ToolMessage::of(0, result, encoder)),
    ]);
    let body = thread.format_with(sent, None).unwrap();
    let body: Value = serde_json::from_str(&body).unwrap();
    body["messages"][2]["content"][0]["content"].clone()
}

/// The result of a call, as its error says it, and as the provider reads it.
fn answered(
    tools: &Toolset,
    dialect: Dialect,
    arguments: &Value,
    encoder: Encoder,
) -> (String, String) {
    let sent = Wire::Anthropic.definitions_in(tools, dialect).unwrap();
    let mut call = ToolCall::new("1", "echo", arguments.to_string());
    sent.restore(&mut call);
    let result = tools.call_blocking(&call, &Context::new());
    let own = result.errors().collect::<Vec<_>>().join("\n");
    let results: Value =
        serde_json::from_str(&sent.results(std::slice::from_ref(&result), encoder)).unwrap();
    let text = results[0]["content"][0]["content"].as_str().unwrap();
    #[cfg(feature = "agent")]
    assert_eq!(stored(&sent, call, &result, encoder), text);
    let words: Value = serde_json::from_str(text).unwrap_or_default();
    let words = words["error"].as_str().map(str::to_owned);
    (own, words.unwrap_or_else(|| text.to_owned()))
}

#[test]
fn a_name_is_the_same_whichever_provider_asks() {
    let names = |dialect| {
        let lowered = lowered(PAGES, dialect);
        let steps = lowered
            .inverse
            .steps()
            .iter()
            .map(toolwright::dialect::Step::to_json);
        steps
            .filter(|step| step.contains("key_is_renamed"))
            .collect::<Vec<_>>()
    };
    let of_gemini = names(Dialect::GeminiOpenApi);
    let of_anthropic = names(Dialect::Anthropic);
    assert!(of_anthropic.len() == 3 && of_gemini.len() == 4);
    assert!(of_anthropic.iter().all(|step| of_gemini.contains(step)));
}

#[test]
fn an_untyped_value_is_a_string_of_json_where_a_dialect_has_no_other_word() {
    let run_time = echo(
        r#"{"type":"object","properties":{"v":{}},"required":["v"],"additionalProperties":false}"#,
    );
    let compiled = tools![any as "echo"];
    let rows = [
        ("42", json!(42)),
        ("null", json!(null)),
        ("hello", json!("hello")),
        (r#""x""#, json!("x")),
        (r#"{"a":[1]}"#, json!({"a": [1]})),
        (r#"{"a":"#, json!(r#"{"a":"#)),
        ("", json!("")),
    ];
    for tools in [&run_time, &compiled] {
        for (text, meant) in &rows {
            let sent = json!({"v": text});
            let meant = json!({"v": meant});
            for strict in [
                Dialect::OpenAiStrict,
                Dialect::AnthropicStrict,
                Dialect::GeminiOpenApi,
            ] {
                assert_eq!(read(tools, strict, &sent), Ok(meant.clone()), "{strict}");
            }
            // These say that any value fits, and a string is one.
            for open in [Dialect::OpenAiNonStrict, Dialect::Anthropic] {
                assert_eq!(read(tools, open, &sent), Ok(sent.clone()), "{open}");
            }
            // A session that is stored and goes on elsewhere has the schema's form.
            let call = called(tools, Dialect::OpenAiStrict, &sent);
            let stored = serde_json::to_string(&call).unwrap();
            let stored: ToolCall = serde_json::from_str(&stored).unwrap();
            let later = tools.call_blocking(&stored, &Context::new());
            assert_eq!(later.value(), Some(meant));
        }
        // A value that is not a string stays what it is.
        let sent = json!({"v": {"a": "1"}});
        assert_eq!(read(tools, Dialect::OpenAiStrict, &sent), Ok(sent.clone()));
        let notes = Wire::OpenAiChat.definitions_in(tools, Dialect::OpenAiStrict);
        let notes = notes.unwrap();
        let (_, note) = notes.notes().next().unwrap();
        assert_eq!((note.kind, &*note.path), (NoteKind::AsText, "/v"));
    }
}

/// A request may hold no more strict tools, so this one says that any value fits.
#[test]
fn a_tool_that_lost_its_strictness_gets_strings_as_strings() {
    let others = echo(r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#);
    let mut all = Toolset::default();
    for at in 0..20 {
        all = all
            .merge(&others.rename("echo", &format!("other_{at}")).unwrap())
            .unwrap();
    }
    let all = all.merge(&tools![any as "echo"]).unwrap();
    let sent = json!({"v": "42"});
    assert_eq!(read(&all, Dialect::AnthropicStrict, &sent), Ok(sent));
}

/// The conversation goes on at another provider, and shows the value.
#[cfg(feature = "agent")]
#[test]
fn another_provider_sees_the_schemas_form() {
    use toolwright::agent::{Thread, ThreadMessage};

    let tools = tools![any as "echo"];
    let call = called(&tools, Dialect::OpenAiStrict, &json!({"v": "[42]"}));
    let mut thread = Thread::from([ThreadMessage::user("Go!"), ThreadMessage::calls([call])]);
    thread.push(ThreadMessage::tool("done", "1"));
    let thread: Thread = serde_json::from_str(&serde_json::to_string(&thread).unwrap()).unwrap();
    let messages = thread.format(Wire::Anthropic, None).unwrap();
    assert!(messages.contains(r#""input":{"v":[42]}"#), "{messages}");
}

#[derive(serde::Deserialize, serde::Serialize, Schema)]
struct Tree {
    size: u8,
    leaves: Vec<Tree>,
}

#[derive(serde::Deserialize, serde::Serialize, Schema)]
struct Open {
    size: u8,
    #[serde(flatten)]
    others: BTreeMap<String, u8>,
}

#[derive(serde::Deserialize, serde::Serialize, Schema)]
#[serde(untagged)]
enum TextOrAny {
    Text(String),
    Any(Value),
}

#[derive(serde::Deserialize, serde::Serialize, Schema)]
#[serde(untagged)]
enum MapOrEntries {
    Map(BTreeMap<String, u8>),
    Entries(Vec<Entry>),
}

#[derive(serde::Deserialize, serde::Serialize, Schema)]
struct Entry {
    key: String,
    value: u8,
}

/// Returns its arguments.
#[tool(name = "echo", exact)]
fn parts(
    tree: Option<Tree>,
    open: Option<Open>,
    text: Option<TextOrAny>,
    twins: Option<MapOrEntries>,
    #[arg(default)] by_name: BTreeMap<String, Value>,
    maybe: Option<Value>,
) -> Value {
    json!({"tree": tree, "open": open, "text": text, "twins": twins, "by_name": by_name, "maybe": maybe})
}

#[test]
fn compiled_values_that_a_dialect_cannot_say_are_strings_of_json() {
    let tools = tools![parts];
    let nothing = json!({"tree": null, "open": null, "text": null, "twins": null, "by_name": null, "maybe": null});
    let with = |key: &str, value: Value| {
        let mut all = nothing.clone();
        all[key] = value;
        all
    };
    let expected = |key: &str, value: Value| {
        let mut all = with(key, value);
        if key != "by_name" {
            all["by_name"] = json!({});
        }
        all
    };
    let tree = json!({"size": 1, "leaves": [{"size": 2, "leaves": []}]});
    let entries = json!([{"key": "a", "value": 1}]);
    let rows = [
        (
            "open",
            json!(r#"{"size":1,"other":2}"#),
            json!({"size": 1, "other": 2}),
        ),
        ("text", json!(r#""4""#), json!("4")),
        ("text", json!("4"), json!(4)),
        ("text", json!("four"), json!("four")),
        ("twins", json!(entries.to_string()), entries.clone()),
        ("twins", json!(r#"{"a":1}"#), json!({"a": 1})),
        (
            "by_name",
            json!([{"key": "a", "value": "[1]"}]),
            json!({"a": [1]}),
        ),
        ("maybe", json!("[null]"), json!([null])),
        // A value that was not written as a string is taken as it is.
        (
            "open",
            json!({"size": 1, "other": 2}),
            json!({"size": 1, "other": 2}),
        ),
        ("tree", tree.clone(), tree.clone()),
    ];
    for (key, sent, meant) in rows {
        let read = read(&tools, Dialect::OpenAiStrict, &with(key, sent));
        assert_eq!(read, Ok(expected(key, meant)), "{key}");
    }
    for dialect in [
        Dialect::DeepSeekStrict,
        Dialect::GeminiOpenApi,
        Dialect::Ollama,
    ] {
        let read = read(&tools, dialect, &json!({"tree": tree.to_string()}));
        assert_eq!(read, Ok(expected("tree", tree.clone())), "{dialect}");
    }
}

#[test]
fn strings_of_json_stand_where_a_schema_cannot_be_said() {
    let cases = [
        (r#"{"type":"array"}"#, json!(["1", "a"]), json!([1, "a"])),
        (
            r#"{"type":"object"}"#,
            json!([{"key": "k", "value": "[1]"}]),
            json!({"k": [1]}),
        ),
        (
            r#"{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":true}"#,
            json!(r#"{"a":1,"b":2}"#),
            json!({"a": 1, "b": 2}),
        ),
        // A string and a string of JSON would not be told apart.
        (
            r#"{"anyOf":[{"type":"string"},{"type":"object","properties":{"a":{}},"additionalProperties":true}]}"#,
            json!(r#""{}""#),
            json!("{}"),
        ),
    ];
    for (schema, sent, meant) in cases {
        let tools = echo(&format!(
            r#"{{"type":"object","properties":{{"v":{schema}}},"required":["v"],"additionalProperties":false}}"#
        ));
        let read = read(&tools, Dialect::OpenAiStrict, &json!({"v": sent}));
        assert_eq!(read, Ok(json!({"v": meant})), "{schema}");
    }
    let tree = r##"{"type":"object","properties":{"t":{"$ref":"#/$defs/T"}},"required":["t"],"$defs":{
        "T":{"type":"object","properties":{"n":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#/$defs/T"}}}}}}"##;
    let (text, meant) = (
        r#"{"n":1,"kids":[{"n":2}]}"#,
        json!({"n":1,"kids":[{"n":2}]}),
    );
    let tools = echo(tree);
    for dialect in [
        Dialect::GeminiOpenApi,
        Dialect::Ollama,
        Dialect::AnthropicStrict,
    ] {
        let read = read(&tools, dialect, &json!({"t": text}));
        assert_eq!(read, Ok(json!({"t": meant})), "{dialect}");
    }
}

#[test]
fn a_key_that_is_left_out_is_null_beside_a_string_of_json() {
    let tools = echo(
        r#"{"type":"object","properties":{"v":{},"w":{"type":"string"}},"required":["w"],"additionalProperties":false}"#,
    );
    let sent = json!({"v": null, "w": "a"});
    assert_eq!(
        read(&tools, Dialect::OpenAiStrict, &sent),
        Ok(json!({"w": "a"}))
    );
    let sent = json!({"v": "null", "w": "a"});
    assert_eq!(
        read(&tools, Dialect::OpenAiStrict, &sent),
        Ok(json!({"v": null, "w": "a"}))
    );
}

#[test]
fn a_large_schema_is_a_tool() {
    let keys: Vec<_> = (0..4000)
        .map(|at| {
            format!(
                r#""k{at}":{{"type":"string","description":"{}"}}"#,
                "x".repeat(100)
            )
        })
        .collect();
    let schema = format!(r#"{{"type":"object","properties":{{{}}}}}"#, keys.join(","));
    assert!(schema.len() > 500_000);
    let tools = echo(&schema);
    assert_eq!(
        read(&tools, Dialect::OpenAiNonStrict, &json!({"k7": "a"})),
        Ok(json!({"k7": "a"}))
    );
}

/// Rules for keys by pattern mean the keys that they meant.
#[test]
fn rules_for_keys_follow_renamed_arguments() {
    let sent = |rules: &str| {
        let schema = format!(
            r#"{{"type":"object","properties":{{"page[size]":{{"type":"integer"}},"q":{{"type":"string"}}}}{rules}}}"#
        );
        let lowered = lowered(&schema, Dialect::Anthropic);
        let notes = lowered.notes.iter().map(|note| note.keyword.clone());
        let notes: Vec<_> = notes.filter(|keyword| keyword != "property_name").collect();
        let schema: Value = serde_json::from_str(&lowered.schema.unwrap()).unwrap();
        (schema, notes)
    };
    // It holds for the own name alone: its rule stands at the key.
    let (schema, notes) = sent(r#","patternProperties":{"\\[size\\]$":{"minimum":1}}"#);
    assert_eq!(schema["properties"]["page_size_"]["minimum"], 1);
    assert!(schema["patternProperties"].is_object() && notes.is_empty());
    // It would hold for the new name alone: no value would fit both.
    let (schema, notes) =
        sent(r#","patternProperties":{"^page_":{"type":"string"}},"additionalProperties":false"#);
    assert_eq!(notes, ["patternProperties", "additionalProperties"]);
    assert!(schema.get("patternProperties").is_none());
    assert_eq!(schema["additionalProperties"], true);
    // Neither, and both.
    let (schema, notes) =
        sent(r#","patternProperties":{"^x":{"type":"string"},"^page":{"minimum":0}}"#);
    assert_eq!(schema["patternProperties"].as_object().unwrap().len(), 2);
    assert!(notes.is_empty(), "{notes:?}");
    // Names of keys.
    let (schema, notes) = sent(r#","propertyNames":{"enum":["page[size]","q"]}"#);
    assert_eq!(schema["propertyNames"]["enum"], json!(["page_size_", "q"]));
    assert!(notes.is_empty(), "{notes:?}");
    let (schema, notes) = sent(r#","propertyNames":{"pattern":"^[a-z\\[\\]]+$"}"#);
    assert!(schema.get("propertyNames").is_none());
    assert_eq!(notes, ["propertyNames"]);
    let (schema, notes) = sent(r#","propertyNames":{"pattern":"^[a-z_\\[\\]]+$"}"#);
    assert!(schema["propertyNames"].is_object() && notes.is_empty());
    // Values of the whole.
    let (schema, _) = sent(r#","default":{"page[size]":3},"enum":[{"page[size]":3},{"q":""}]"#);
    assert_eq!(schema["default"], json!({"page_size_": 3}));
    assert_eq!(schema["enum"][0], json!({"page_size_": 3}));
    let (schema, _) = sent(
        r#","not":{"required":["page[size]"]},"if":{"required":["page[size]"]},"then":{"required":["q"]}"#,
    );
    assert_eq!(schema["not"]["required"], json!(["page_size_"]));
    assert_eq!(schema["if"]["required"], json!(["page_size_"]));
}

/// They say nothing of the value, and providers want what is inside them in their form.
#[test]
fn keywords_of_other_types_are_left_out() {
    let object = json!({"type":"object","properties":{"a":{"type":"string"}},"required":["a"]});
    for (schema, expected) in [
        (
            r#"{"type":"array","items":{"type":"string"},"properties":{"a":{"type":"object","properties":{"b":{}}}},"required":["a"]}"#,
            json!({"type":"array","items":{"type":"string"}}),
        ),
        (
            r#"{"type":["array","null"],"items":{"type":"string"},"additionalProperties":false}"#,
            json!({"type":["array","null"],"items":{"type":"string"}}),
        ),
        (
            r#"{"type":"string","items":{"type":"string"},"minItems":1,"minLength":1}"#,
            json!({"type":"string","minLength":1}),
        ),
        (
            r#"{"type":"integer","properties":{},"patternProperties":{"a":{}},"minimum":1}"#,
            json!({"type":"integer","minimum":1}),
        ),
        (
            r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"items":{},"maxItems":3,"uniqueItems":true}"#,
            object.clone(),
        ),
        (
            r#"{"allOf":[{"type":["object","array"]},{"type":"object","items":{}},{"properties":{"a":{"type":"string"}},"required":["a"]}]}"#,
            object.clone(),
        ),
    ] {
        assert_eq!(merged(schema, "").0, expected, "{schema}");
    }
    let both = r#"{"type":["object","array"],"properties":{"a":{"type":"string"}},"items":{"type":"string"}}"#;
    let (v, _) = merged(both, "");
    assert!(v["properties"].is_object() && v["items"].is_object(), "{v}");
}

/// What grammars cannot be made of is put into words.
#[test]
fn patterns_that_grammars_refuse_are_words() {
    for (pattern, in_vllm, in_llguidance) in [
        (r"^[a-z]+$", true, true),
        (r"^\\p{L}+$", false, true),
        (r"^\\\\p{3}$", true, true),
        (r"^\\P{L}$", false, true),
        (r"^\\p{Alnum}+$", false, false),
        (r"[\\uD800-\\uDFFF]", false, false),
        (r"(?=a)b", false, false),
    ] {
        for (dialect, is_kept) in [
            (Dialect::Vllm, in_vllm),
            (Dialect::LlGuidance, in_llguidance),
        ] {
            let schema = format!(
                r#"{{"type":"object","properties":{{"v":{{"type":"string","pattern":"{pattern}"}}}}}}"#
            );
            let lowered = lowered(&schema, dialect);
            let text = lowered.schema.unwrap();
            assert_eq!(text.contains(r#""pattern":"#), is_kept, "{dialect}: {text}");
            assert_eq!(lowered.notes.is_empty(), is_kept, "{dialect}: {text}");
        }
    }
    for (pattern, is_kept) in [("^[a-z]+$", true), ("[a-z]+", false), ("^[a-z]+", false)] {
        let schema = format!(
            r#"{{"type":"object","properties":{{"v":{{"type":"string","minLength":2,"maxLength":9,"pattern":"{pattern}"}}}}}}"#
        );
        let text = lowered(&schema, Dialect::LlGuidance).schema.unwrap();
        assert_eq!(text.contains(r#""minLength":2"#), is_kept, "{text}");
    }
}
