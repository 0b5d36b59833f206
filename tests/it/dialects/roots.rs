//! Roots that are no plain object are sent as one: clients of MCP and several providers refuse others.

use serde_json::{Value, json};
use toolwright::{
    Dialect, DynTool, Schema, ToolDef, Toolset, Wire, dialect::lower, schema::SchemaDoc, tool,
    tools,
};

fn lowered(schema: &str, dialect: Dialect) -> Value {
    let schema = SchemaDoc::parse(schema).unwrap();
    let lowered = lower(&schema, dialect).unwrap();
    serde_json::from_str(&lowered.schema.unwrap()).unwrap()
}

/// The schema as a server of MCP lists it.
fn listed(schema: &str) -> Value {
    let mut def = ToolDef::new("odd", "Does something.");
    def.input = SchemaDoc::parse(schema).unwrap();
    let tools = Toolset::new([DynTool::declare(def)]).unwrap();
    let list: Value = serde_json::from_str(&Wire::Mcp.definitions(&tools)).unwrap();
    list[0]["inputSchema"].clone()
}

const SHAPES: &str = r#"[
    {"type":"object","properties":{"kind":{"const":"circle"},"size":{"type":"number"}},"required":["kind","size"],"additionalProperties":false},
    {"type":"object","description":"By name.","properties":{"kind":{"const":"named"},"size":{"type":"string"},"turned":{"type":"boolean"}},"required":["kind","size"],"additionalProperties":false}
]"#;

#[test]
fn a_root_of_any_form_is_listed_as_one_object() {
    let flat = json!({
        "type": "object",
        "description": "[one of these forms: {kind: \"circle\", size} or {kind: \"named\", size, turned?} (By name.)]",
        "properties": {
            "kind": {"type": "string", "enum": ["circle", "named"]},
            "size": {"anyOf": [{"type": "number"}, {"type": "string"}]},
            "turned": {"type": "boolean"},
        },
        "required": ["kind", "size"],
        "additionalProperties": false,
    });
    for union in [
        format!(r#"{{"anyOf":{SHAPES}}}"#),
        format!(r#"{{"type":"object","oneOf":{SHAPES}}}"#),
        format!(r##"{{"$ref":"#/$defs/Shape","$defs":{{"Shape":{{"oneOf":{SHAPES}}}}}}}"##),
        format!(r#"{{"allOf":[{{"anyOf":{SHAPES}}}]}}"#),
        format!(r#"{{"anyOf":[{{"type":"null"}},{{"anyOf":{SHAPES}}}]}}"#),
    ] {
        assert_eq!(listed(&union), flat, "{union}");
        assert_eq!(lowered(&union, Dialect::Anthropic), flat, "{union}");
    }
    let open = json!({"type": "object"});
    for bare in [
        "{}",
        "true",
        r#"{"type":["object","null"]}"#,
        r#"{"anyOf":[{"type":"object"},{"type":"null"}]}"#,
    ] {
        assert_eq!(listed(bare), open, "{bare}");
    }
    // A plain object stays as it was written.
    let plain =
        r#"{"title":"T","type":"object","properties":{"a":{"oneOf":[{"type":"null"},{}]}}}"#;
    assert_eq!(
        listed(plain).to_string(),
        serde_json::from_str::<Value>(plain).unwrap().to_string()
    );
}

#[test]
fn keys_beside_a_union_belong_to_every_form() {
    let schema = r#"{"type":"object","description":"Finds.","properties":{"limit":{"type":"integer"},"id":{"type":"string"},"name":{"type":"string"}},
        "required":["limit"],"anyOf":[{"required":["id"]},{"required":["name"]}]}"#;
    assert_eq!(
        listed(schema),
        json!({
            "type": "object",
            "description": "Finds. [one of these forms: {id, name?} or {id?, name}]",
            "properties": {"limit": {"type": "integer"}, "id": {"type": "string"}, "name": {"type": "string"}},
            "required": ["limit"],
        })
    );
    // One form takes any key, so the whole does, and a key of the other may be anything there.
    let open = r#"{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false},
        {"type":"object","additionalProperties":{"type":"integer"}}]}"#;
    assert_eq!(
        listed(open),
        json!({
            "type": "object",
            "description": "[one of these forms: {a} or {}]",
            "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
            "additionalProperties": true,
        })
    );
}

#[test]
fn a_root_that_refers_to_itself_keeps_its_own_form_inside() {
    let schema = r##"{"anyOf":[
        {"type":"object","properties":{"all":{"type":"array","items":{"$ref":"#"}}},"required":["all"],"additionalProperties":false},
        {"type":"object","properties":{"is":{"type":"string"}},"required":["is"],"additionalProperties":false}]}"##;
    let listed = listed(schema);
    let inside = json!({"$ref": "#/$defs/Arguments"});
    assert_eq!(listed["properties"]["all"]["items"], inside, "{listed}");
    let old = &listed["$defs"]["Arguments"]["anyOf"];
    assert_eq!(old[0]["properties"]["all"]["items"], inside, "{listed}");
    assert_eq!(old[1]["required"], json!(["is"]));
    assert!(listed.get("anyOf").is_none());
}

#[test]
fn what_no_object_fits_is_refused() {
    for (schema, code) in [
        (r#"{"type":"string"}"#, "root_not_object"),
        (
            r#"{"anyOf":[{"type":"string"},{"type":"array"}]}"#,
            "root_not_object",
        ),
        ("false", "root_not_object"),
        (
            r##"{"$ref":"#/$defs/A","$defs":{"A":{"anyOf":[{"$ref":"#/$defs/A"}]}}}"##,
            "root_not_object",
        ),
    ] {
        let parsed = SchemaDoc::parse(schema).unwrap();
        for dialect in Dialect::ALL {
            assert_eq!(
                lower(&parsed, dialect).unwrap_err().code.as_str(),
                code,
                "{schema}"
            );
        }
    }
    // Forms multiply: 3^9 are too many to say.
    let three = |at: usize| {
        format!(
            r#"{{"anyOf":[{{"required":["a{at}"]}},{{"required":["b{at}"]}},{{"required":["c{at}"]}}]}}"#
        )
    };
    let all: Vec<_> = (0..9).map(three).collect();
    let many = format!(r#"{{"type":"object","allOf":[{}]}}"#, all.join(","));
    let refused = lower(&SchemaDoc::parse(&many).unwrap(), Dialect::Anthropic).unwrap_err();
    assert_eq!(refused.code.as_str(), "root_union");
    // Each form has the keys of the whole.
    let keys: Vec<_> = (0..5_000)
        .map(|at| format!(r#""key_{at}":{{"type":"string"}}"#))
        .collect();
    let forms: Vec<_> = (0..60)
        .map(|at| format!(r#"{{"required":["key_{at}"]}}"#))
        .collect();
    let (keys, forms) = (keys.join(","), forms.join(","));
    let large = format!(r#"{{"type":"object","properties":{{{keys}}},"anyOf":[{forms}]}}"#);
    let refused = lower(&SchemaDoc::parse(&large).unwrap(), Dialect::Anthropic).unwrap_err();
    assert_eq!(refused.code.as_str(), "root_union");
}

#[derive(serde::Deserialize, Schema)]
struct Drawing {
    color: String,
    #[serde(flatten)]
    figure: Figure,
}

#[derive(serde::Deserialize, Schema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Figure {
    Circle { radius: f64 },
    Square { side: f64 },
}

/// Draws.
#[tool]
#[allow(clippy::needless_pass_by_value)]
fn draw(#[arg(flatten)] drawing: Drawing) -> String {
    match drawing.figure {
        Figure::Circle { radius } => format!("{} {radius}", drawing.color),
        Figure::Square { side } => format!("{} {side}", drawing.color),
    }
}

#[test]
fn a_flattened_enum_is_listed_as_one_object() {
    let tools = tools![draw];
    for wire in [Wire::Mcp, Wire::Mcp2026] {
        let list: Value = serde_json::from_str(&wire.definitions(&tools)).unwrap();
        assert_eq!(
            list[0]["inputSchema"],
            json!({
                "type": "object",
                "description": "[one of these forms: {kind: \"circle\", radius} or {kind: \"square\", side}]",
                "properties": {
                    "color": {"type": "string"},
                    "kind": {"type": "string", "enum": ["circle", "square"]},
                    "radius": {"type": "number"},
                    "side": {"type": "number"},
                },
                "required": ["color", "kind"],
                "additionalProperties": false,
            })
        );
    }
    // Strict or not, every provider that refuses a root union gets one object.
    for (wire, dialect) in [
        (Wire::OpenAiChat, Dialect::OpenAiStrict),
        (Wire::Anthropic, Dialect::AnthropicStrict),
        (Wire::Gemini, Dialect::GeminiOpenApi),
        (Wire::Gemini, Dialect::GeminiJson),
        (Wire::Ollama, Dialect::Ollama),
    ] {
        let sent = wire.definitions_in(&tools, dialect).unwrap();
        assert!(!sent.text().contains("anyOf"), "{}", sent.text());
        assert!(sent.non_strict().is_empty());
        // What the model leaves out is absent for the decoder, too.
        let mut call = toolwright::ToolCall::new(
            "1",
            "draw",
            r#"{"color":"red","kind":"square","side":2,"radius":null}"#,
        );
        sent.restore(&mut call);
        let result = tools.call_blocking(&call, &toolwright::Context::new());
        if dialect == Dialect::OpenAiStrict {
            assert_eq!(result.value(), Some(json!("red 2")), "{result:?}");
        }
    }
}

#[derive(serde::Deserialize, Schema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Order {
    Buy {
        most: Option<u8>,
        note: Option<String>,
    },
    Sell {
        least: Option<u8>,
        note: Option<String>,
    },
}

#[derive(serde::Deserialize, Schema)]
struct Trade {
    #[serde(flatten)]
    order: Order,
}

/// Trades.
#[tool(exact)]
#[allow(clippy::needless_pass_by_value)]
fn trade(#[arg(flatten)] trade: Trade) -> String {
    match trade.order {
        Order::Buy { most, note } => format!("buy {most:?} {note:?}"),
        Order::Sell { least, note } => format!("sell {least:?} {note:?}"),
    }
}

/// Where each key has to be there, `null` says that a key belongs to another form, though its own form takes `null` too.
#[test]
fn null_stands_for_a_key_of_another_form() {
    let tools = tools![trade];
    let sent = Wire::OpenAiChat.definitions_in(&tools, Dialect::OpenAiStrict);
    let sent = sent.unwrap();
    for (arguments, expected) in [
        (
            r#"{"kind":"buy","most":3,"note":null,"least":null}"#,
            "buy Some(3) None",
        ),
        (
            r#"{"kind":"sell","most":null,"note":"n","least":null}"#,
            "sell None Some(\"n\")",
        ),
    ] {
        let mut call = toolwright::ToolCall::new("1", "trade", arguments);
        sent.restore(&mut call);
        let result = tools.call_blocking(&call, &toolwright::Context::new());
        assert_eq!(result.value(), Some(json!(expected)), "{result:?}");
    }
}

/// What fits the schema fits the object that is sent for it.
#[test]
fn the_object_admits_all_that_its_forms_admit() {
    let open = r#"{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false},
        {"type":"object","properties":{"b":{"type":"null"}},"additionalProperties":{"type":"integer"}}]}"#;
    let patterns = r#"{"allOf":[{"type":"object","patternProperties":{"^x_":{"type":"integer"}}},
        {"type":"object","properties":{"a":{"type":"integer"}},"patternProperties":{"^y_":{"type":"boolean"}},"additionalProperties":{"type":"integer"}}]}"#;
    let nested = r##"{"oneOf":[{"$ref":"#/$defs/A"},{"anyOf":[{"required":["c"]},{"type":"array"}],"properties":{"c":{"const":1}}}],
        "properties":{"id":{"type":"string"}},"$defs":{"A":{"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#/$defs/A"}}},"required":["a"]}}}"##;
    for (schema, arguments) in [
        (open, r#"{"a": "x"}"#),
        (open, r#"{"b": null, "a": 7, "z": 1}"#),
        (open, "{}"),
        (patterns, r#"{"a": 1, "x_1": 2, "y_1": true}"#),
        (nested, r#"{"id": "i", "a": [{"a": []}]}"#),
        (nested, r#"{"id": "i", "c": 1, "other": 5}"#),
        (
            r#"{"anyOf":[{"type":"null"},{"type":"object","minProperties":1}]}"#,
            r#"{"any": []}"#,
        ),
    ] {
        for schema in [schema.to_owned(), listed(schema).to_string()] {
            let tool = DynTool::builder()
                .name("odd")
                .description("Does something.")
                .parameters(SchemaDoc::parse(&schema).unwrap())
                .handler(|_: Value, _| async { Ok::<_, toolwright::ToolError>("done") });
            let tools = Toolset::new([tool.build().unwrap()]).unwrap();
            let call = toolwright::ToolCall::new("1", "odd", arguments);
            let cx = toolwright::Context::new().with_repairs(toolwright::args::Repairs::None);
            let result = tools.call_blocking(&call, &cx);
            assert!(result.is_success(), "{arguments} in {schema}: {result:?}");
        }
    }
}

/// Hosts pass a list on to providers that refuse `allOf` at the root. Version 2026-07-28 wants it back as it was written.
#[test]
fn a_given_object_with_all_of_is_listed_as_one_object() {
    let in_2026 = |schema: &str| {
        let mut def = ToolDef::new("odd", "Does something.");
        def.input = SchemaDoc::parse(schema).unwrap();
        let tools = Toolset::new([DynTool::declare(def)]).unwrap();
        let list: Value = serde_json::from_str(&Wire::Mcp2026.definitions(&tools)).unwrap();
        list[0]["inputSchema"].clone()
    };
    let whole = json!({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a","b"]});
    let parts = [
        r##"{"type":"object","allOf":[{"$ref":"#/$defs/A"},{"properties":{"b":{"type":"integer"}},"required":["b"]}],
            "$defs":{"A":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}"##,
        r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"allOf":[{"properties":{"b":{"type":"integer"}},"required":["b"]}]}"#,
        r#"{"type":"object","allOf":[{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]}]},{"properties":{"b":{"type":"integer"}},"required":["b"]}]}"#,
    ];
    for schema in parts {
        let mut one = listed(schema);
        one.as_object_mut().unwrap().remove("$defs");
        assert_eq!(one, whole, "{schema}");
        assert!(in_2026(schema)["allOf"].is_array(), "{schema}");
    }
    // What else the author wrote stays.
    let conditional = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"x":{"type":"string"}},
        "properties":{"phone":{"type":"string"},"mail":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["mail"]}]}],
        "if":{"required":["phone"]},"then":{"required":["mail"]},"additionalProperties":false}"#;
    let one = listed(conditional);
    assert!(
        one.get("allOf").is_none() && one.get("anyOf").is_none(),
        "{one}"
    );
    for keyword in ["$schema", "$defs", "if", "then"] {
        assert_eq!(one[keyword], in_2026(conditional)[keyword], "{keyword}");
    }
    assert_eq!(one["additionalProperties"], false);
    assert_eq!(
        one["description"],
        "[one of these forms: {phone, mail?} or {phone?, mail}]"
    );
    // Nothing fits it: its publisher may know better.
    let none = r#"{"type":"object","allOf":[{"type":"string"}]}"#;
    assert_eq!(listed(none), serde_json::from_str::<Value>(none).unwrap());
}
