//! Gemini: definitions, calls and answers as text.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::json;
use toolwright::{
    Encoder, Outcome, ToolCall, ToolError, Wire,
    call::{Block, Content},
};

use crate::wires::{self, UNKNOWN, blocks, expected_calls, parsed, result, sample, set, turn};

const WIRE: Wire = Wire::Gemini;

#[test]
fn definitions_are_declarations_of_one_tool() {
    assert_eq!(
        parsed(&WIRE.definitions(&set())),
        json!([{"functionDeclarations": [
            {
                "name": "weather", "description": "Weather of a city.",
                "parametersJsonSchema": wires::weather_schema(),
            },
            {"name": "now", "description": "The time."},
        ]}])
    );
    wires::definitions_come_back(WIRE);
    let dialect = r#"{"name":"x","parameters":{"type":"OBJECT"}}"#;
    assert!(WIRE.parse_definition(dialect).is_err());
}

#[test]
fn calls_come_in_order_among_other_parts() {
    let response = sample("gemini.json");
    assert_eq!(Wire::detect(&response), Some(WIRE));
    assert_eq!(
        WIRE.calls(&response).unwrap(),
        expected_calls(["call_0", "call_1", "fc-3"], "{}")
    );
    wires::refuses_what_is_no_response(WIRE);
}

#[test]
fn the_content_goes_back_with_its_signatures_and_all_answers_are_one_content() {
    let response = sample("gemini.json");
    let mut content = parsed(&response)["candidates"][0]["content"].clone();
    content["parts"][2]["functionCall"]["id"] = json!("call_0");
    content["parts"][3]["functionCall"]["id"] = json!("call_1");
    let answer = |id: &str, name: &str, response| json!({"functionResponse": {"id": id, "name": name, "response": response}});
    assert_eq!(
        turn(WIRE, &response),
        json!([
            content,
            {"role": "user", "parts": [
                answer("call_0", "weather", json!({"output": {"city": "Zürich", "days": 2}})),
                answer("call_1", "now", json!({"output": "12:00"})),
                answer("fc-3", "wether", json!({"error": UNKNOWN})),
            ]},
        ])
    );
}

#[test]
fn a_content_with_all_its_ids_is_untouched() {
    let content = r#"{ "parts":[{"functionCall":{"args":{"a": 1.50},"id":"f","name":"now"},"thoughtSignature":"s"}], "role":"model" }"#;
    let response = format!(r#"{{"candidates":[{{"content":{content}}}]}}"#);
    let turn = WIRE.turn(&response, &[], Encoder::auto()).unwrap();
    assert_eq!(turn, format!("[{content}]"));
}

#[test]
fn a_stopped_candidate_has_neither_calls_nor_content() {
    for reason in ["SAFETY", "MALFORMED_FUNCTION_CALL", "MAX_TOKENS"] {
        let response = format!(r#"{{"candidates":[{{"finishReason":"{reason}"}}]}}"#);
        assert_eq!(WIRE.calls(&response).unwrap(), []);
        assert_eq!(turn(WIRE, &response), json!([]));
    }
    let blocked = r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#;
    assert!(WIRE.calls(blocked).is_err());
}

#[test]
fn what_is_no_call_is_one_without_a_name() {
    let response = r#"{"candidates":[{"content":{"parts":[{"functionCall":7},{"functionCall":{"name":"now"}},{"functionCall":{"name":"now","args":[1]}},null]}}]}"#;
    assert_eq!(
        WIRE.calls(response).unwrap(),
        [
            ToolCall::new("call_0", "", ""),
            ToolCall::new("call_1", "now", ""),
            ToolCall::new("call_2", "now", "[1]"),
        ]
    );
    let turn = turn(WIRE, response);
    assert_eq!(turn[0]["role"], json!("model"));
    assert_eq!(turn[0]["parts"][0]["functionCall"], json!({"id": "call_0"}));
    assert_eq!(
        turn[0]["parts"][2]["functionCall"]["args"],
        json!({"INVALID_JSON": "[1]"})
    );
}

#[test]
fn a_call_that_stands_twice_is_answered_once() {
    let response = r#"{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"a"},"functionCall":{"id":"b"}},{"functionCall":{"id":"c","id":"d","name":"now"}}]}}]}"#;
    let calls = WIRE.calls(response).unwrap();
    assert_eq!(calls.len(), 2);
    let turn = turn(WIRE, response);
    for (at, id) in [(0, "call_0"), (1, "call_1")] {
        assert_eq!(*calls[at].id, *id);
        assert_eq!(turn[0]["parts"][at]["functionCall"]["id"], json!(id));
        assert_eq!(turn[1]["parts"][at]["functionResponse"]["id"], json!(id));
    }
}

#[test]
fn every_kind_of_outcome_is_a_response() {
    let png = json!({"inlineData": {"mimeType": "image/png", "data": "AAAA"}});
    let data = Content::default().with(Block::Json { value: json!([1]) });
    for (outcome, response, parts) in [
        (
            Ok(Outcome::value("as is")),
            json!({"output": "as is"}),
            None,
        ),
        (
            Ok(Outcome::value(r#"{"a":1}"#)),
            json!({"output": r#"{"a":1}"#}),
            None,
        ),
        (Ok(Outcome::value([1, 2])), json!({"output": [1, 2]}), None),
        (Ok(Outcome::value(())), json!({"output": null}), None),
        (
            Ok(Outcome::ask("Which?")),
            json!({"output": "<awaiting user response>"}),
            None,
        ),
        (Err(ToolError::failed("no")), json!({"error": "no"}), None),
        (Ok(Outcome::Content(data)), json!({"output": [1]}), None),
        (
            Ok(Outcome::Content(blocks())),
            json!({"output": "See:\n[resource, file:///notes/a.md]\n{\"a\":[1]}"}),
            Some(json!([png])),
        ),
    ] {
        let mut expected = json!({"id": "c1", "name": "x", "response": response});
        let mut behind = Vec::new();
        if let Some(parts) = parts {
            expected["parts"] = parts;
            // Results take no sound.
            let words = json!({"text": "Media of the result of the call `c1` of `x`:"});
            let sound = json!({"inlineData": {"mimeType": "audio/wav", "data": "BBBB"}});
            behind.push(json!({"role": "user", "parts": [words, sound]}));
        }
        let mut contents = vec![json!({"role": "user", "parts": [{"functionResponse": expected}]})];
        contents.extend(behind);
        assert_eq!(result(WIRE, outcome), json!(contents));
    }
    assert_eq!(WIRE.results(&[], Encoder::auto()), "[]");
}
