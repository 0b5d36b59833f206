//! Definitions: what they hold, how they are stored, and which bytes they are.
// A test that finds less than it expects has failed; and tools take and return what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::unused_async
)]

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolwright::{
    Context, Dialect, DynTool, Encoder, Outcome, ToolCall, ToolDef, ToolError, ToolResult, Toolset,
    Wire, call::Annotations, schema::SchemaDoc, tool, tools, wire::ToolChoice,
};

/// Answers.
#[tool]
fn ping() -> &'static str {
    "pong"
}

/// Sends an email.
///
/// Only after the user has read it.
#[tool(
    title = "Send",
    destructive,
    idempotent = false,
    open_world,
    manual,
    return_direct,
    exclusive,
    timeout = "1500ms",
    meta(risk = "high", cost = 3, ratio = 0.5, free = false)
)]
async fn send_email(
    /// Whom to
    to: String,
    subject: Option<String>,
    #[arg(default = 3)] retries: u8,
) -> u64 {
    (to.len() + subject.map_or(0, |subject| subject.len())) as u64 + u64::from(retries)
}

fn def_of(tools: &Toolset, name: &str) -> ToolDef {
    tools.get(name).unwrap().def().clone()
}

#[test]
fn unknown_arguments_are_ignored_by_a_tool_that_says_so() {
    struct Mailbox(u8);

    #[tool]
    impl Mailbox {
        /// Reads a mail.
        #[tool(ignore_unknown)]
        fn read(&self, id: u8) -> u8 {
            self.0 + id
        }

        /// Counts them.
        #[tool(ignore_unknown = false)]
        fn count(&self) -> u8 {
            self.0
        }
    }

    /// Checks for new ones.
    #[tool(ignore_unknown)]
    fn poll() {}

    let tools = tools![poll, ..Mailbox(2): Mailbox];
    let properties = json!({"id": {"type": "integer", "minimum": 0, "maximum": 255}});
    for (name, schema) in [
        (
            "read",
            json!({"type": "object", "properties": properties, "required": ["id"]}),
        ),
        ("poll", json!({"type": "object", "properties": {}})),
        (
            "count",
            json!({"type": "object", "properties": {}, "additionalProperties": false}),
        ),
    ] {
        assert_eq!(def_of(&tools, name).input.to_value(), schema, "{name}");
    }
    let answer = |name: &str, arguments: &str| {
        let call = ToolCall::new("call_1", name, arguments);
        tools.call_blocking(&call, &Context::new()).value()
    };
    assert_eq!(
        answer("read", r#"{"more": [1], "id": 3, "": {}}"#),
        Some(5.into())
    );
    assert_eq!(answer("count", "{}"), Some(2.into()));
    assert_eq!(answer("count", r#"{"more": 1}"#), None);
}

#[test]
fn every_part_can_be_read() {
    let def = def_of(&tools![send_email], "send_email");
    assert_eq!(def.name, "send_email");
    assert_eq!(
        def.description,
        "Sends an email.\n\nOnly after the user has read it."
    );
    assert_eq!(def.title.as_deref(), Some("Send"));
    assert_eq!(
        def.input.to_value(),
        json!({
            "type": "object",
            "properties": {
                "to": {"type": "string", "description": "Whom to"},
                "subject": {"type": ["string", "null"]},
                "retries": {"type": "integer", "minimum": 0, "maximum": 255, "default": 3},
            },
            "required": ["to"],
            "additionalProperties": false,
        })
    );
    assert_eq!(
        def.output.as_ref().unwrap().to_value()["type"],
        json!("integer")
    );
    assert_eq!(
        def.options.annotations,
        Annotations {
            destructive: Some(true),
            idempotent: Some(false),
            open_world: Some(true),
            ..Annotations::NONE
        }
    );
    assert!(
        def.options.manual
            && def.options.return_direct
            && def.options.exclusive
            && !def.options.blocking
    );
    assert_eq!(def.options.timeout, Some(Duration::from_millis(1500)));
    let meta: Vec<_> = def.meta.iter().collect();
    assert_eq!(
        serde_json::to_value(&def.meta).unwrap(),
        json!({"risk": "high", "cost": 3, "ratio": 0.5, "free": false})
    );
    assert_eq!(meta.len(), 4);
}

#[test]
fn a_provider_sees_name_description_and_parameters_alone() {
    let def = def_of(&tools![send_email], "send_email");
    let parameters = json!({
        "type": "object",
        "properties": {
            "to": {"type": "string", "description": "Whom to"},
            "subject": {"type": ["string", "null"]},
            "retries": {"type": "integer", "minimum": 0, "maximum": 255, "default": 3},
        },
        "required": ["to"],
        "additionalProperties": false,
    });
    let description = "Sends an email.\n\nOnly after the user has read it.";
    let openai: Value = serde_json::from_str(&Wire::OpenAiChat.definition(&def)).unwrap();
    assert_eq!(
        openai,
        json!({"type": "function", "function": {
            "name": "send_email", "description": description, "parameters": parameters,
        }})
    );
    let anthropic: Value = serde_json::from_str(&Wire::Anthropic.definition(&def)).unwrap();
    assert_eq!(
        anthropic,
        json!({"name": "send_email", "description": description, "input_schema": parameters})
    );
}

#[test]
fn no_parameters_are_an_object_without_properties() {
    let expected = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let from_macro = def_of(&tools![ping], "ping");
    let by_hand = ToolDef::new("ping", "Answers.");
    let stored: ToolDef =
        serde_json::from_value(json!({"name": "ping", "description": "Answers."})).unwrap();
    for def in [&from_macro, &by_hand, &stored] {
        assert_eq!(def.input.to_value(), expected);
        for wire in [Wire::OpenAiChat, Wire::Anthropic] {
            let sent = wire.definition(def);
            assert!(sent.contains(r#""properties":{}"#), "{sent}");
        }
    }
}

/// Every field set.
fn full() -> ToolDef {
    let mut def = ToolDef::new("full", "Has it \"all\": ü, \u{1F980}, \n.");
    def.title = Some("Full".into());
    def.input = SchemaDoc::parse(
        r#"{"type":"object","properties":{"z":{"type":"number","minimum":0.5},"a":{"enum":[1,"b",null]}},"required":["z"],"$defs":{}}"#,
    )
    .unwrap();
    def.output = Some(SchemaDoc::parse("true").unwrap());
    def.options.annotations = Annotations {
        read_only: Some(false),
        destructive: Some(true),
        idempotent: Some(false),
        open_world: Some(true),
    };
    def.options.manual = true;
    def.options.return_direct = true;
    def.options.exclusive = true;
    def.options.blocking = true;
    def.options.timeout = Some(Duration::from_millis(90_001));
    def.meta = json!({"cache_control": {"type": "ephemeral"}, "n": [1, null]})
        .as_object()
        .unwrap()
        .clone()
        .into();
    def
}

#[test]
fn a_definition_survives_storage() {
    let tools = tools![ping, send_email];
    let all = tools.definitions().cloned().chain([full()]);
    for def in all {
        let text = serde_json::to_string(&def).unwrap();
        let back: ToolDef = serde_json::from_str(&text).unwrap();
        assert_eq!(back, def);
        assert_eq!(serde_json::to_string(&back).unwrap(), text);
        let back: ToolDef = serde_json::from_value(serde_json::to_value(&def).unwrap()).unwrap();
        assert_eq!(back.input.to_value(), def.input.to_value());
    }
}

#[test]
fn the_stored_form_says_what_differs_from_the_default_and_nothing_of_the_code() {
    let tools = tools![ping, send_email];
    assert_eq!(
        serde_json::to_value(def_of(&tools, "ping")).unwrap(),
        json!({
            "name": "ping",
            "description": "Answers.",
            "input_schema": {"type": "object", "properties": {}, "additionalProperties": false},
            "output_schema": {"type": "string"},
        })
    );
    let stored = serde_json::to_value(full()).unwrap();
    let mut keys: Vec<_> = stored.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(
        keys,
        [
            "annotations",
            "blocking",
            "description",
            "exclusive",
            "input_schema",
            "manual",
            "meta",
            "name",
            "output_schema",
            "return_direct",
            "timeout_ms",
            "title",
        ]
    );
}

#[test]
fn what_is_missing_or_null_in_storage_is_the_default() {
    let expected = ToolDef::new("charge", "Charges a card.");
    let nulls = json!({
        "name": "charge", "description": "Charges a card.", "title": null, "input_schema": null,
        "output_schema": null, "annotations": null, "manual": null, "return_direct": null,
        "exclusive": null, "blocking": null, "timeout_ms": null, "meta": null,
    });
    for stored in [
        json!({"name": "charge", "description": "Charges a card."}),
        json!({"name": "charge", "description": "Charges a card.", "manual": null}),
        json!({"name": "charge", "description": "Charges a card.", "manual": false, "meta": {}}),
        nulls,
    ] {
        let text = stored.to_string();
        assert_eq!(
            serde_json::from_value::<ToolDef>(stored).unwrap(),
            expected,
            "{text}"
        );
        assert_eq!(
            serde_json::from_str::<ToolDef>(&text).unwrap(),
            expected,
            "{text}"
        );
    }
}

#[test]
fn other_names_for_the_same_parts_are_read() {
    let def: ToolDef = serde_json::from_value(json!({
        "name": "find", "description": "Finds.",
        "parameters": {"type": "object"}, "extras": {"cache": true},
    }))
    .unwrap();
    assert_eq!(def.input.as_json(), r#"{"type":"object"}"#);
    assert_eq!(def.meta.get("cache"), Some(&json!(true)));
}

#[test]
fn what_is_no_definition_is_refused() {
    for wrong in [
        json!({"description": "No name."}),
        json!({"name": "x"}),
        json!({"name": "x", "description": "y", "manual": "yes"}),
        json!({"name": "x", "description": "y", "manual": 1}),
        json!({"name": "x", "description": "y", "input_schema": "object"}),
        json!({"name": "x", "description": "y", "input_schema": []}),
        json!({"name": "x", "description": "y", "timeout_ms": -1}),
        json!({"name": "x", "description": "y", "meta": []}),
    ] {
        assert!(
            serde_json::from_value::<ToolDef>(wrong.clone()).is_err(),
            "{wrong}"
        );
    }
}

#[test]
fn a_short_timeout_stays_one() {
    for (timeout, millis) in [
        (Duration::from_micros(1), 1),
        (Duration::from_micros(1_500), 2),
        (Duration::from_secs(3), 3_000),
        (Duration::ZERO, 0),
    ] {
        let mut def = ToolDef::new("x", "y");
        def.options.timeout = Some(timeout);
        let stored = serde_json::to_value(&def).unwrap();
        assert_eq!(stored["timeout_ms"], json!(millis), "{timeout:?}");
    }
}

#[derive(Serialize, Deserialize, toolwright::Schema)]
struct Line {
    zebra: String,
    apple: Vec<u32>,
}

/// Keys in no order that sorting gives.
#[tool]
fn order(zulu: bool, alpha: Line, mike: Option<i64>) -> bool {
    zulu && alpha.apple.is_empty() && mike.is_none()
}

#[test]
fn keys_keep_their_order_whatever_serde_json_does_with_maps() {
    let tools = tools![order];
    // `i64` and `u32` say no bounds: they would only repeat how wide the type is.
    let schema = concat!(
        r#"{"type":"object","properties":{"zulu":{"type":"boolean"},"#,
        r#""alpha":{"type":"object","properties":{"zebra":{"type":"string"},"#,
        r#""apple":{"type":"array","items":{"type":"integer","minimum":0}}},"#,
        r#""required":["zebra","apple"],"additionalProperties":false},"#,
        r#""mike":{"type":["integer","null"]}},"#,
        r#""required":["zulu","alpha"],"additionalProperties":false}"#,
    );
    assert_eq!(
        Wire::Anthropic.definitions(&tools),
        format!(
            r#"[{{"name":"order","description":"Keys in no order that sorting gives.","input_schema":{schema}}}]"#
        )
    );

    let text =
        r#"{"type":"object","properties":{"z":{},"y":{"title":"t","type":"null"}},"b":1,"a":2}"#;
    let stored = format!(r#"{{"name":"x","description":"y","input_schema":{text}}}"#);
    let def: ToolDef = serde_json::from_str(&stored).unwrap();
    assert_eq!(def.input.as_json(), text);
    assert_eq!(serde_json::to_string(&def).unwrap(), stored);
    assert!(Wire::OpenAiChat.definition(&def).contains(text));
}

/// Numbers at the edge of what formats hold.
#[tool]
fn edges(wide: u128, low: i128, single: f32, #[arg(default = 0.1 + 0.2)] sum: f64) -> u128 {
    let _ = (low, single, sum);
    wide
}

#[test]
fn numbers_keep_their_value_in_storage() {
    let tools = tools![edges];
    let def = def_of(&tools, "edges");
    let text = serde_json::to_string(&def).unwrap();
    let back: ToolDef = serde_json::from_str(&text).unwrap();
    assert_eq!(back, def);
    assert_eq!(serde_json::to_string(&back).unwrap(), text);
    // Attached again, the definition is the same bytes for a provider, though a store sorts keys.
    let sorted = serde_json::from_value::<ToolDef>(serde_json::to_value(&def).unwrap());
    for stored in [back, sorted.unwrap()] {
        assert_eq!(
            Wire::Anthropic.definitions(&tools.attach([stored]).unwrap()),
            Wire::Anthropic.definitions(&tools)
        );
    }

    for (text, kept) in [
        (
            r#"{"a":0.30000000000000004}"#,
            r#"{"a":0.30000000000000004}"#,
        ),
        (
            r#"{"a":[1,-1,1.0,1.50,1e2]}"#,
            r#"{"a":[1,-1,1.0,1.5,100.0]}"#,
        ),
        (
            r#"{"a":18446744073709551615}"#,
            r#"{"a":18446744073709551615}"#,
        ),
        (
            r#"{"a":18446744073709551616}"#,
            r#"{"a":1.8446744073709552e19}"#,
        ),
        (
            r#"{"a":3.4028234663852886e+38}"#,
            r#"{"a":3.4028234663852886e38}"#,
        ),
        (r#"{"a":"\u00e9\/"}"#, r#"{"a":"é/"}"#),
        (" { \"a\" : [ ] } ", r#"{"a":[]}"#),
        ("false", "false"),
    ] {
        let schema = SchemaDoc::parse(text).unwrap();
        assert_eq!(schema.as_json(), kept);
        assert_eq!(SchemaDoc::parse(kept).unwrap(), schema);
    }
}

#[test]
fn what_is_no_schema_is_refused() {
    let deep = format!("{}{}", r#"{"not":"#.repeat(5_000), "}".repeat(5_000));
    for text in [
        "",
        "7",
        "null",
        r#""object""#,
        "[]",
        "{",
        "{}x",
        r#"{"a":1e999}"#,
        &deep,
    ] {
        assert!(SchemaDoc::parse(text).is_err(), "{text:.40}");
    }
}

/// Where a definition is stored among other things, serde reads it into a buffer first.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(tag = "kind")]
enum Stored {
    Tool(ToolDef),
}

#[test]
fn a_definition_is_read_from_a_buffer_too() {
    let stored = Stored::Tool(full());
    let text = serde_json::to_string(&stored).unwrap();
    assert_eq!(serde_json::from_str::<Stored>(&text).unwrap(), stored);
}

#[test]
fn attributes_are_written_sorted() {
    let tool = DynTool::builder()
        .name("x")
        .description("y")
        .handler_sync(|_: Value, _| Ok::<_, ToolError>(()))
        .meta("z", json!([{"b": 1, "a": 2}]))
        .meta("a", json!({"y": 1, "x": {"d": 0, "c": 0}}))
        .build()
        .unwrap();
    assert_eq!(
        serde_json::to_string(&tool.def().meta).unwrap(),
        r#"{"a":{"x":{"c":0,"d":0},"y":1},"z":[{"a":2,"b":1}]}"#
    );
}

#[test]
fn the_same_set_is_the_same_bytes_always() {
    let first = tools![ping, send_email, order];
    for wire in [Wire::OpenAiChat, Wire::Anthropic] {
        let bytes = wire.definitions(&first);
        for _ in 0..3 {
            assert_eq!(wire.definitions(&tools![ping, send_email, order]), bytes);
        }
        assert_eq!(wire.definitions(&first.clone()), bytes);
    }
    assert_eq!(Wire::OpenAiChat.definitions(&Toolset::default()), "[]");
}

/// Answers questions about history.
#[tool]
fn historian(
    /// Instructions for this agent
    input: String,
) -> String {
    input
}

#[test]
fn an_agents_one_parameter_is_its_input() {
    assert_eq!(
        tools![historian]
            .definitions()
            .next()
            .unwrap()
            .input
            .to_value(),
        json!({
            "type": "object",
            "properties": {
                "input": {"type": "string", "description": "Instructions for this agent"}
            },
            "required": ["input"],
            "additionalProperties": false
        })
    );
}

struct Store(u8);

/// Looks into the store.
#[tool]
fn look(place: u8, #[state] store: &Store, #[context] cx: &toolwright::Context) -> (u8, bool) {
    (place + store.0, cx.call_id().is_some())
}

#[test]
fn what_the_host_gives_is_in_no_schema() {
    let tools = tools![look; state = Store(1)];
    assert_eq!(
        tools.definitions().next().unwrap().input.to_value(),
        json!({
            "type": "object",
            "properties": {"place": {"type": "integer", "minimum": 0, "maximum": 255}},
            "required": ["place"],
            "additionalProperties": false
        })
    );
}

#[test]
fn the_text_of_a_set_is_made_once_and_lent() {
    let tools = tools![ping, send_email];
    let clone = tools.clone();
    let text = Wire::OpenAiChat.definitions(&tools);
    assert!(std::ptr::eq(
        text.as_str(),
        Wire::OpenAiChat.definitions(&clone).as_str()
    ));
    let more = tools.with(tools![historian].iter().next().unwrap().clone());
    assert!(Wire::OpenAiChat.definitions(&more).contains("historian"));
}

#[test]
fn definitions_serialize_as_json_and_display_as_text() {
    let tools = tools![ping, send_email];
    for wire in Wire::ALL {
        let sent = wire.definitions(&tools);
        let value: Value = serde_json::from_str(&sent).unwrap();
        assert_eq!(json!({"tools": sent})["tools"], value, "{wire:?}");
        assert_eq!(serde_json::to_string(&sent).unwrap(), sent.to_string());
    }
    let strict = Wire::OpenAiChat.definitions_in(&tools, Dialect::OpenAiStrict);
    let strict = strict.unwrap();
    assert_eq!(json!([strict])[0][0]["function"]["strict"], true);
    assert_eq!(strict.to_string(), strict.text());

    let choice = Wire::Anthropic.tool_choice(&tools, &ToolChoice::Required);
    assert_eq!(
        json!({"tool_choice": choice.unwrap()})["tool_choice"]["type"],
        "any"
    );
    let result = ToolResult::new(
        &ToolCall::new("c1", "ping", "{}"),
        Ok(Outcome::value("pong")),
    );
    let answers = Wire::OpenAiChat.results(&[result], Encoder::auto());
    assert_eq!(
        json!({"messages": answers})["messages"][0]["content"],
        "pong"
    );
}

#[test]
fn what_is_hidden_goes_and_the_rest_stays() {
    let family = "Family: \u{1f468}\u{200d}\u{1f469}";
    for (text, visible, removed) in [
        (family.to_owned(), family.to_owned(), 0),
        (
            format!("{family}\u{200b}, \u{e0041}\u{e0042}done"),
            format!("{family}, done"),
            3,
        ),
        ("a\u{200b}".repeat(10_000), "a".repeat(10_000), 10_000),
    ] {
        let mut def = ToolDef::new("add", text);
        let stripped = def.strip_hidden();
        assert_eq!((&*def.description, stripped.removed), (&*visible, removed));
        assert!(stripped.left.is_empty());
    }
}

#[test]
fn words_of_schemas_are_stripped_and_keys_are_reported() {
    let mut def = ToolDef::new("a\u{200b}dd", "Adds");
    let schema = "{\"type\":\"object\",\"properties\":{\"z\":{\"description\":\"x\u{200b}y\"},\
        \"b\u{200b}\":{\"enum\":[\"\u{2060}\"]},\"description\":{\"type\":\"string\"}}}";
    def.input = SchemaDoc::parse(schema).unwrap();
    let stripped = def.strip_hidden();
    assert_eq!((&*def.name, stripped.removed), ("add", 2));
    assert_eq!(
        stripped.left,
        ["the key `b\\u{200b}`", "the value `\\u{2060}`"]
    );
    assert!(def.input.as_json().contains(r#""z":{"description":"xy"}"#));
}
