//! The Model Context Protocol, as its server: what `tools/list` and `tools/call` say.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::num::NonZero;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright::{
    Dialect, DynTool, Encoder, Outcome, Tool, ToolCall, ToolDef, ToolError, Toolset, Wire,
    dialect::lower, schema::SchemaDoc, tool, tools,
};

use crate::wires::{self, UNKNOWN, blocks, expected_calls, parsed, result, sample, set, turn};

const WIRES: [Wire; 2] = [Wire::Mcp, Wire::Mcp2026];

#[test]
fn definitions_have_title_hints_and_output() {
    for wire in WIRES {
        let tools = parsed(&wire.definitions(&set()));
        let expected = json!({
            "name": "weather",
            "title": "Forecast",
            "description": "Weather of a city.",
            "inputSchema": wires::weather_schema(),
            "outputSchema": tools[0]["outputSchema"],
            "annotations": {"readOnlyHint": true, "openWorldHint": false},
        });
        assert_eq!(tools[0], expected);
        assert_eq!(
            tools[0]["outputSchema"]["required"],
            json!(["city", "days"])
        );
        // A string is not an object, so it has no schema before 2026-07-28.
        let output = (wire == Wire::Mcp2026).then(|| json!({"type": "string"}));
        assert_eq!(tools[1].get("outputSchema"), output.as_ref());
        wires::definitions_come_back(wire);
    }
}

/// Holds numbers.
#[tool]
#[allow(clippy::too_many_arguments)]
fn numbers(
    a: u32,
    b: Option<i64>,
    c: f32,
    many: Vec<usize>,
    e: u8,
    id: NonZero<u64>,
    change: NonZero<i64>,
    wait: Duration,
    #[arg(range(10..))] from: u128,
    #[arg(range(..=10))] to: i64,
) -> u64 {
    let _ = (a, b, c, many, id, change, wait, from, to);
    e.into()
}

#[test]
fn the_width_of_a_number_is_published_nowhere() {
    let tools = tools![numbers];
    let def = tools.definitions().next().unwrap();
    let sent = parsed(&Wire::Mcp2026.definition(def));
    assert_eq!(
        sent["inputSchema"]["properties"],
        json!({
            "a": {"type": "integer", "minimum": 0},
            "b": {"type": ["integer", "null"]},
            "c": {"type": "number"},
            "many": {"type": "array", "items": {"type": "integer", "minimum": 0}},
            "e": {"type": "integer", "minimum": 0, "maximum": 255},
            "id": {"type": "integer", "minimum": 1},
            "change": {"type": "integer", "not": {"enum": [0]}},
            "wait": sent["inputSchema"]["properties"]["wait"],
            "from": {"type": "integer", "minimum": 10},
            "to": {"type": "integer", "maximum": 10},
        })
    );
    assert_eq!(
        sent["outputSchema"],
        json!({"type": "integer", "minimum": 0})
    );
    let mut texts: Vec<_> = Wire::ALL
        .iter()
        .map(|wire| wire.definition(def).to_string())
        .collect();
    for dialect in Dialect::ALL {
        texts.extend(lower(&def.input, dialect).unwrap().schema);
    }
    // 2^53 has sixteen digits. A date has fewer in a row.
    let is_long = |text: &str| {
        let mut runs = text.split(|sign: char| !sign.is_ascii_digit());
        runs.any(|run| run.len() >= 16)
    };
    for text in texts {
        assert!(!is_long(&text) && !text.contains("e38"), "{text}");
    }
}

/// Clients in JavaScript make 9223372036854775808 of it, which Anthropic refuses with every request of the session
/// (RevenueCat/ai-toolkit#26). An author who writes such a bound finds it published.
#[test]
fn a_wide_bound_that_the_author_wrote_is_published() {
    /// Pays.
    #[tool]
    fn pay(#[arg(range(..=9223372036854775807))] micros: u64) -> String {
        micros.to_string()
    }
    let sent = Wire::Mcp.definition(tools![pay].definitions().next().unwrap());
    assert!(
        sent.contains(r#""minimum":0,"maximum":9223372036854775807}"#),
        "{sent}"
    );
}

#[test]
fn a_definition_is_read_back_whole() {
    let text = r#"{"name":"a.b","title":"T","description":"D","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{"destructiveHint":false,"idempotentHint":true},"_meta":{"example.com/x":1}}"#;
    for wire in WIRES {
        let def = wire.parse_definition(text).unwrap();
        assert_eq!(wire.definition(&def), text);
        assert_eq!(def.options.annotations.idempotent, Some(true));
    }
    let old = r#"{"name":"x","inputSchema":{"type":"object"},"annotations":{"title":"T"}}"#;
    let def = Wire::Mcp.parse_definition(old).unwrap();
    assert_eq!(def.title.as_deref(), Some("T"));
}

#[test]
fn of_the_hosts_attributes_none_is_sent_but_those_under_the_protocols_keys() {
    let mut def = ToolDef::new("x", "X.");
    let meta = json!({"secret": 1, "com.example/shown": {"a": 2}});
    def.meta = meta.as_object().unwrap().clone().into();
    assert_eq!(
        parsed(&Wire::Mcp.definition(&def))["_meta"],
        json!({"com.example/shown": {"a": 2}})
    );
    def.meta = json!({"secret": 1}).as_object().unwrap().clone().into();
    assert_eq!(parsed(&Wire::Mcp.definition(&def)).get("_meta"), None);
}

#[test]
fn requests_are_calls_and_what_is_none_is_refused() {
    let requests = sample("mcp.json");
    for wire in WIRES {
        assert_eq!(
            wire.calls(&requests).unwrap(),
            expected_calls(["7", "b", "9.0"], "")
        );
        for params in [
            r#"{"name":"now","arguments":{}}"#,
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"now","arguments":{}}}"#,
        ] {
            assert_eq!(
                wire.calls(params).unwrap(),
                [ToolCall::new("call_0", "now", "{}")]
            );
        }
        for text in [
            "",
            "7",
            "{}",
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ] {
            assert!(wire.calls(text).is_err(), "{text}");
            assert!(wire.turn(text, &[], Encoder::auto()).is_err(), "{text}");
        }
        let nameless = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#;
        assert_eq!(wire.calls(nameless).unwrap(), [ToolCall::new("1", "", "")]);
    }
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now"}}"#;
    assert_eq!(Wire::detect(request), Some(Wire::Mcp));
}

#[test]
fn each_request_has_its_response() {
    let requests = sample("mcp.json");
    let weather = json!({"city": "Zürich", "days": 2});
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let response = |id: Value, result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result});
    assert_eq!(
        turn(Wire::Mcp, &requests),
        json!([
            response(
                json!(7),
                json!({
                    "content": text(r#"{"city":"Zürich","days":2}"#), "structuredContent": weather,
                })
            ),
            response(json!("b"), json!({"content": text("12:00")})),
            response(
                json!(9.0),
                json!({
                    "content": text(UNKNOWN), "isError": true,
                    "_meta": {"toolwright/error": {"kind": "unknown_tool", "messages": [UNKNOWN]}},
                })
            ),
        ])
    );
    assert_eq!(
        turn(Wire::Mcp2026, &requests)[1]["result"],
        json!({"resultType": "complete", "content": text("12:00"), "structuredContent": "12:00"})
    );
    let bare = turn(Wire::Mcp, r#"{"name":"now"}"#);
    assert_eq!(bare, json!([{"content": text("12:00")}]));
}

#[test]
fn ids_keep_their_spelling() {
    let request = r#"{"id":1e3,"jsonrpc":"2.0","method":"tools/call","params":{"name":"now"}}"#;
    let results = wires::answers(Wire::Mcp, request);
    let turn = Wire::Mcp.turn(request, &results, Encoder::auto()).unwrap();
    assert!(turn.contains(r#""id":1e3,"#), "{turn}");
}

#[test]
fn an_empty_id_is_spelled_as_it_came_and_its_call_has_one() {
    let request = |id: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#)
    };
    let now = r#"{"name":"now"}"#;
    let requests = [
        request(r#""call_1""#, now),
        request(r#""""#, now),
        request("3", "[]"),
    ];
    let requests = format!("[{}]", requests.join(","));
    for wire in WIRES {
        assert_eq!(
            wire.calls(&requests).unwrap(),
            [
                ToolCall::new("call_1", "now", ""),
                ToolCall::new("call_1_", "now", ""),
                ToolCall::new("3", "", "")
            ]
        );
        let answers = turn(wire, &requests);
        let ids: Vec<_> = answers
            .as_array()
            .unwrap()
            .iter()
            .map(|a| &a["id"])
            .collect();
        assert_eq!(ids, [&json!("call_1"), &json!(""), &json!(3)]);
        assert_eq!(answers[2]["result"]["isError"], json!(true));
    }
}

#[test]
fn every_kind_of_outcome_is_content() {
    let shown = result(Wire::Mcp, Ok(Outcome::Content(blocks())));
    assert_eq!(
        shown,
        json!([{"content": [
            {"type": "text", "text": "See:"},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "audio", "data": "BBBB", "mimeType": "audio/wav"},
            {
                "type": "resource_link", "uri": "file:///notes/a.md", "name": "a.md",
                "mimeType": "text/markdown",
            },
            {"type": "text", "text": r#"{"a":[1]}"#},
        ]}])
    );
    for (outcome, old, new) in [
        (
            Ok(Outcome::value(json!({"a": 1}))),
            Some(json!({"a": 1})),
            Some(json!({"a": 1})),
        ),
        (Ok(Outcome::value([1])), None, Some(json!([1]))),
        (Ok(Outcome::value("{}")), None, Some(json!("{}"))),
        (Ok(Outcome::ask("Which?")), None, None),
        (Err(ToolError::failed("no")), None, None),
    ] {
        let of = |wire| {
            result(wire, outcome.clone())[0]
                .get("structuredContent")
                .cloned()
        };
        assert_eq!((of(Wire::Mcp), of(Wire::Mcp2026)), (old, new));
    }
}

#[test]
fn an_output_schema_is_sent_where_its_version_takes_it() {
    let tool = |schema: &str| {
        let mut def = ToolDef::new("x", "X.");
        def.output = Some(SchemaDoc::parse(schema).unwrap());
        WIRES.map(|wire| parsed(&wire.definition(&def)).get("outputSchema").is_some())
    };
    assert_eq!(tool(r#"{"type":"object"}"#), [true, true]);
    assert_eq!(tool(r#"{"type":"array"}"#), [false, true]);
    assert_eq!(tool(r#"{"anyOf":[{"type":"object"}]}"#), [false, true]);
}

#[test]
fn a_list_of_tools_is_the_result_of_its_request() {
    let ping = DynTool::builder().name("ping").description("Answers.");
    let ping = ping.handler_sync(|_: Value, _| Ok::<_, ToolError>("pong"));
    let ping: std::sync::Arc<dyn Tool> = ping.build().unwrap();
    let tools = Toolset::new([ping]).unwrap();
    let request = Wire::Mcp.request(
        &tools,
        &toolwright::wire::ToolChoice::Auto,
        toolwright::wire::Parallel::Allowed,
    );
    assert_eq!(parsed(&request.unwrap())["tools"][0]["name"], json!("ping"));
}
