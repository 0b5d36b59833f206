//! `OpenAI`'s Chat Completions: definitions, calls and answers as text.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::{Value, json};
use toolwright::{
    Context, Encoder, Outcome, ToolCall, ToolDef, ToolError, ToolResult, Toolset, Wire,
    call::{Content, ErrorKind},
    tool, tools,
};

const WIRE: Wire = Wire::OpenAiChat;

/// Adds two numbers.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Greets.
#[tool]
fn greet(#[arg(default = "you")] name: &str) -> String {
    format!("Hello, {name}!")
}

fn set() -> Toolset {
    tools![add, greet]
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A response whose message has these `tool_calls`.
fn response(tool_calls: &str) -> String {
    format!(
        r#"{{"id":"r1","choices":[{{"index":0,"finish_reason":"tool_calls","message":
        {{"role":"assistant","content":null,"tool_calls":{tool_calls}}}}}]}}"#
    )
}

/// A response with one call of these parts.
fn one(id: &str, function: &str) -> String {
    response(&format!(
        r#"[{{"id":{id},"type":"function","function":{function}}}]"#
    ))
}

fn answers(response: &str) -> Vec<ToolResult> {
    let tools = set();
    let calls = WIRE.calls(response).unwrap();
    calls
        .iter()
        .map(|call| tools.call_blocking(call, &Context::new()))
        .collect()
}

#[test]
fn definitions_are_functions_in_order() {
    let number = json!({"type": "integer"});
    assert_eq!(
        parsed(&WIRE.definitions(&set())),
        json!([
            {"type": "function", "function": {
                "name": "add",
                "description": "Adds two numbers.",
                "parameters": {
                    "type": "object",
                    "properties": {"a": number, "b": number},
                    "required": ["a", "b"],
                    "additionalProperties": false,
                },
            }},
            {"type": "function", "function": {
                "name": "greet",
                "description": "Greets.",
                "parameters": {
                    "type": "object",
                    "properties": {"name": {"type": "string", "default": "you"}},
                    "additionalProperties": false,
                },
            }},
        ])
    );
}

#[test]
fn a_definition_is_read_back() {
    for def in set().definitions() {
        let text = WIRE.definition(def);
        let back = WIRE.parse_definition(&text).unwrap();
        assert_eq!(back.name, def.name);
        assert_eq!(back.description, def.description);
        assert_eq!(WIRE.definition(&back), text);
    }
}

#[test]
fn definitions_of_others_are_read_as_far_as_they_go() {
    let bare = ToolDef::new("ping", "");
    let mut described = ToolDef::new("ping", "Pings.");
    described.input = toolwright::schema::SchemaDoc::parse(r#"{"type":"object"}"#).unwrap();
    for (text, expected) in [
        (r#"{"type":"function","function":{"name":"ping"}}"#, &bare),
        (
            r#"{"function":{"name":"ping","description":null,"parameters":null}}"#,
            &bare,
        ),
        (
            r#"{"type":"function","function":{"strict":true,"name":"ping","description":"Pings.","parameters":{"type":"object"}},"x":1}"#,
            &described,
        ),
    ] {
        assert_eq!(WIRE.parse_definition(text).unwrap(), *expected, "{text}");
    }
    for text in [
        "",
        "{",
        "[]",
        "{}",
        r#"{"type":"function","function":{}}"#,
        r#"{"type":"function","function":{"name":7}}"#,
        r#"{"type":"function","function":{"name":"x","parameters":"object"}}"#,
        r#"{"type":"custom","custom":{"name":"x"}}"#,
        r#"{"name":"x","input_schema":{}}"#,
    ] {
        let error = WIRE.parse_definition(text).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("this is not an OpenAI tool definition"),
            "{error}"
        );
    }
}

#[test]
fn parallel_calls_come_in_order_with_their_arguments_as_text() {
    let response = response(
        r#"[
        {"id":"a","type":"function","function":{"name":"add","arguments":"{\"a\": 1, \"b\": 2}"}},
        {"id":"b","type":"function","function":{"name":"greet","arguments":"{\"name\":\"\\u00c5sa\"}"}},
        {"id":"c","type":"function","function":{"name":"add","arguments":"{\"a\": 1,"}}
        ]"#,
    );
    assert_eq!(
        WIRE.calls(&response).unwrap(),
        [
            ToolCall::new("a", "add", r#"{"a": 1, "b": 2}"#),
            ToolCall::new("b", "greet", r#"{"name":"\u00c5sa"}"#),
            ToolCall::new("c", "add", r#"{"a": 1,"#),
        ]
    );
}

#[test]
fn a_message_without_calls_has_none() {
    for calls in ["null", "[]"] {
        assert_eq!(WIRE.calls(&response(calls)).unwrap(), []);
    }
    let text = r#"{"choices":[{"message":{"role":"assistant","content":"Hi."}}]}"#;
    assert_eq!(WIRE.calls(text).unwrap(), []);
    let turn = WIRE.turn(text, &[], Encoder::auto()).unwrap();
    assert_eq!(turn, r#"[{"role":"assistant","content":"Hi."}]"#);
}

#[test]
fn what_stands_for_arguments_becomes_text() {
    for (function, arguments) in [
        (r#"{"name":"x","arguments":"{}"}"#, "{}"),
        (r#"{"name":"x","arguments":""}"#, ""),
        (r#"{"name":"x"}"#, ""),
        (r#"{"name":"x","arguments":null}"#, ""),
        (r#"{"name":"x","arguments":{"a": 1.0}}"#, r#"{"a": 1.0}"#),
        (r#"{"name":"x","arguments":[1]}"#, "[1]"),
        (
            r#"{"name":"x","arguments":"\u007b\"a\":\"\\n\"\u007d"}"#,
            r#"{"a":"\n"}"#,
        ),
        (r#"{"name":"x","arguments":"\ud83e\udd80"}"#, "\u{1F980}"),
        (r#"{"arguments":"{}","name":"x"}"#, "{}"),
    ] {
        let calls = WIRE.calls(&one(r#""c1""#, function)).unwrap();
        assert_eq!(calls, [ToolCall::new("c1", "x", arguments)], "{function}");
    }
}

#[test]
fn malformed_arguments_are_an_answer_to_their_call() {
    let broken = [
        r#""{\"a\": 1""#,
        r#""not json""#,
        r#""[1, 2]""#,
        r#""{\"a\": 1, \"b\": 2} and more""#,
        r#""{\"a\": 1, \"b\": \"two\"}""#,
        r#""\ud800""#,
        "[1,2]",
        "7",
    ];
    for arguments in broken {
        let function = format!(r#"{{"name":"add","arguments":{arguments}}}"#);
        let results = answers(&one(r#""c1""#, &function));
        let [result] = &*results else {
            panic!("{arguments}: {results:?}")
        };
        let error = result.outcome.as_ref().unwrap_err();
        assert_eq!((&*result.id, error.kind()), ("c1", ErrorKind::InvalidArgs));
        assert!(!error.to_string().is_empty());
    }
    // An object in the place of the string, or none where none is needed, is not a fault; a string in
    // the string is what it says.
    for (function, value) in [
        (
            r#"{"name":"add","arguments":"\"{\\\"a\\\":1,\\\"b\\\":2}\""}"#,
            json!(3),
        ),
        (r#"{"name":"add","arguments":{"a":1,"b":2}}"#, json!(3)),
        (r#"{"name":"greet","arguments":""}"#, json!("Hello, you!")),
        (r#"{"name":"greet","arguments":null}"#, json!("Hello, you!")),
        (r#"{"name":"greet"}"#, json!("Hello, you!")),
    ] {
        let results = answers(&one(r#""c1""#, function));
        assert_eq!(results[0].value(), Some(value), "{function}");
    }
}

#[test]
fn a_malformed_element_spoils_nothing_but_itself() {
    let good = r#"{"id":"good","type":"function","function":{"name":"add","arguments":"{\"a\":1,\"b\":2}"}}"#;
    for (element, name) in [
        ("null", ""),
        ("7", ""),
        (r#""add""#, ""),
        ("[]", ""),
        (r#"["x",{"name":"add","arguments":"{}"}]"#, ""),
        ("{}", ""),
        (r#"{"id":"x"}"#, ""),
        (r#"{"id":"x","function":null}"#, ""),
        (r#"{"id":"x","function":"add"}"#, ""),
        (r#"{"id":"x","function":["add","{}"]}"#, ""),
        (r#"{"id":"x","function":{}}"#, ""),
        (r#"{"id":"x","function":{"name":null}}"#, ""),
        (r#"{"id":"x","function":{"name":""}}"#, ""),
        (r#"{"id":"x","function":{"name":5}}"#, "5"),
        (r#"{"id":"x","function":{"name":["add"]}}"#, r#"["add"]"#),
        (r#"{"id":"x","function":{"name":1e999}}"#, "1e999"),
        (r#"{"id":"x","function":{"name":"\ud800"}}"#, "\u{fffd}"),
        (r#"{"id":"x","id":"y","function":{"name":"add"}}"#, ""),
        (
            r#"{"id":"x","type":9,"function":{"name":"nobody"},"more":{}}"#,
            "nobody",
        ),
    ] {
        let results = answers(&response(&format!("[{element},{good}]")));
        assert_eq!(results.len(), 2, "{element}");
        assert_eq!(&*results[0].name, name, "{element}");
        let error = results[0].outcome.as_ref().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unknown, "{element}");
        assert_eq!(&*results[1].id, "good", "{element}");
        assert_eq!(results[1].value(), Some(json!(3)), "{element}");
    }
}

#[test]
fn a_name_is_read_through_its_escapes() {
    let results = answers(&one(
        r#""c\u0031""#,
        r#"{"name":"\u0061dd","arguments":"{\"a\":1,\"b\":2}"}"#,
    ));
    assert_eq!(&*results[0].id, "c1");
    assert_eq!(results[0].value(), Some(json!(3)));
}

#[test]
fn a_missing_id_is_made_from_the_place_and_is_never_another_calls() {
    let call = |id: &str| format!(r#"{{{id}"function":{{"name":"greet","arguments":"{{}}"}}}}"#);
    let ids = |elements: &[&str]| -> Vec<String> {
        let elements: Vec<_> = elements.iter().map(|id| call(id)).collect();
        let calls = WIRE.calls(&response(&format!("[{}]", elements.join(","))));
        calls
            .unwrap()
            .iter()
            .map(|call| call.id.to_string())
            .collect()
    };
    assert_eq!(
        ids(&[
            "",
            r#""id":null,"#,
            r#""id":"","#,
            r#""id":7,"#,
            r#""id":"x","#
        ]),
        ["call_0", "call_1", "call_2", "call_3", "x"]
    );
    assert_eq!(
        ids(&[r#""id":"call_1","#, "", r#""id":"call_1_","#]),
        ["call_1", "call_1__", "call_1_"]
    );
}

#[test]
fn calls_of_equal_ids_are_all_answered() {
    let call = |n: u8| {
        format!(
            r#"{{"id":"same","function":{{"name":"add","arguments":"{{\"a\":{n},\"b\":0}}"}}}}"#
        )
    };
    let results = answers(&response(&format!("[{},{}]", call(1), call(2))));
    let values: Vec<_> = results.iter().map(ToolResult::value).collect();
    assert_eq!(values, [Some(json!(1)), Some(json!(2))]);
}

#[test]
fn a_call_of_two_ids_is_answered_under_one() {
    let response = response(r#"[{"id":"a","function":{"name":"add"},"id":"b"}]"#);
    let results = answers(&response);
    let turn = parsed(&WIRE.turn(&response, &results, Encoder::auto()).unwrap());
    assert_eq!(
        turn[0]["tool_calls"],
        json!([{"id": "call_0", "function": {"name": "add"}}])
    );
    assert_eq!(turn[1]["tool_call_id"], json!("call_0"));
}

#[test]
fn what_is_no_response_is_an_error_that_says_so() {
    for text in [
        "",
        "nonsense",
        "[]",
        "{}",
        r#"{"choices":null}"#,
        r#"{"choices":[]}"#,
        r#"{"choices":[null]}"#,
        r#"{"choices":[{}]}"#,
        r#"{"choices":[{"message":null}]}"#,
        // An array holds no fields.
        r#"[[{"message":{}}]]"#,
        r#"{"choices":[[{}]]}"#,
        r#"{"choices":[{"message":[[]]}]}"#,
        r#"{"choices":[{"message":{"tool_calls":"add"}}]}"#,
        r#"{"choices":[{"message":{"tool_calls":[]}}]"#,
    ] {
        let error = WIRE.calls(text).unwrap_err();
        assert!(error.to_string().contains("OpenAI chat"), "{text}: {error}");
        assert!(WIRE.turn(text, &[], Encoder::auto()).is_err(), "{text}");
    }
}

#[test]
fn only_the_first_choice_counts() {
    let text = r#"{"choices":[
        {"message":{"tool_calls":[{"id":"a","function":{"name":"add","arguments":"{}"}}]}},
        7
    ]}"#;
    assert_eq!(WIRE.calls(text).unwrap(), [ToolCall::new("a", "add", "{}")]);
}

#[test]
fn a_round_trip_gives_the_next_requests_messages() {
    let response = response(
        r#"[
        {"id":"c1","type":"function","function":{"name":"add","arguments":"{\"a\":1,\"b\":2}"}},
        {"id":"c2","type":"function","function":{"name":"greed","arguments":"{}"}}
        ]"#,
    );
    let results = answers(&response);
    let turn = parsed(&WIRE.turn(&response, &results, Encoder::auto()).unwrap());
    let message = parsed(&response)["choices"][0]["message"].clone();
    assert_eq!(
        turn,
        json!([
            message,
            {"role": "tool", "tool_call_id": "c1", "content": "3"},
            {"role": "tool", "tool_call_id": "c2", "content": "unknown tool `greed`; did you mean `greet`?"},
        ])
    );
    // The arguments are a string that holds an object, as they came.
    let arguments = turn[0]["tool_calls"][0]["function"]["arguments"].as_str();
    assert_eq!(parsed(arguments.unwrap()), json!({"a": 1, "b": 2}));
    let answers = parsed(&WIRE.results(&results, Encoder::auto()));
    assert_eq!(answers.as_array().unwrap(), &turn.as_array().unwrap()[1..]);
}

#[test]
fn the_echoed_message_is_untouched_unless_an_id_is_missing() {
    let message = r#"{ "role":"assistant", "z":1.50, "content":"\u00e9", "tool_calls":[{"id":"a","function":{"name":"add","arguments":""}}], "a":null }"#;
    let response = format!(r#"{{"choices":[{{"message":{message}}}]}}"#);
    assert_eq!(
        WIRE.turn(&response, &[], Encoder::auto()).unwrap(),
        format!("[{message}]")
    );

    let message = r#"{"z":1.50,"tool_calls":[{"function":{"name":"greet"},"id":"","x":[ 1 ]},null,{"id":"b"}],"a":{ }}"#;
    let response = format!(r#"{{"choices":[{{"message":{message}}}]}}"#);
    let results = answers(&response);
    let turn = WIRE.turn(&response, &results, Encoder::auto()).unwrap();
    let expected = r#"[{"z":1.50,"tool_calls":[{"id":"call_0","function":{"name":"greet"},"x":[ 1 ]},{"id":"call_1"},{"id":"b"}],"a":{ }},"#;
    assert!(turn.starts_with(expected), "{turn}");
    assert_eq!(parsed(&turn)[1]["tool_call_id"], json!("call_0"));
}

#[test]
fn every_kind_of_outcome_is_text_for_the_tool_message() {
    let call = ToolCall::new("c1", "x", "{}");
    let content = Content::text("See:").image("image/png", "AAAA");
    for (outcome, text) in [
        (Ok(Outcome::value("as \"is\"\n")), "as \"is\"\n"),
        (Ok(Outcome::value(json!({"a": [1]}))), r#"{"a":[1]}"#),
        (Ok(Outcome::value("")), ""),
        (Ok(Outcome::Content(content)), "See:\n[image, image/png]"),
        (Ok(Outcome::ask("Which?")), "<awaiting user response>"),
        (Ok(Outcome::direct(7)), "7"),
        (Err(ToolError::failed("no")), "no"),
    ] {
        let results = [ToolResult::new(&call, outcome)];
        assert_eq!(
            parsed(&WIRE.results(&results, Encoder::auto())),
            json!([{"role": "tool", "tool_call_id": "c1", "content": text}])
        );
    }
    assert_eq!(WIRE.results(&[], Encoder::auto()), "[]");
}

#[test]
fn the_wire_of_a_response_shows() {
    assert_eq!(Wire::detect(&response("null")), Some(WIRE));
    for text in ["", "[]", "{}", "[[],[]]", r#"{"error":{}}"#] {
        assert_eq!(Wire::detect(text), None, "{text}");
    }
}
