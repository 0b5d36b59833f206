//! `OpenAI`'s Responses: definitions, calls and answers as text.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::json;
use toolwright::{Encoder, Outcome, ToolCall, ToolError, Wire};

use crate::wires::{
    self, UNKNOWN, answers, blocks, expected_calls, parsed, result, sample, set, turn,
};

const WIRE: Wire = Wire::OpenAiResponses;

#[test]
fn definitions_are_functions_that_are_not_strict() {
    let function = |name: &str, description: &str, parameters| {
        json!({
            "type": "function", "name": name, "description": description,
            "parameters": parameters, "strict": false,
        })
    };
    assert_eq!(
        parsed(&WIRE.definitions(&set())),
        json!([
            function("weather", "Weather of a city.", wires::weather_schema()),
            function("now", "The time.", wires::no_arguments()),
        ])
    );
    wires::definitions_come_back(WIRE);
    let hosted = r#"{"type":"web_search"}"#;
    let error = WIRE.parse_definition(hosted).unwrap_err();
    assert!(error.to_string().contains("web_search"), "{error}");
}

#[test]
fn calls_come_in_order_among_other_items() {
    let response = sample("openai_responses.json");
    assert_eq!(Wire::detect(&response), Some(WIRE));
    assert_eq!(
        WIRE.calls(&response).unwrap(),
        expected_calls(["call_Ab1", "call_Ab2", "call_Ab3"], "{}")
    );
    wires::refuses_what_is_no_response(WIRE);
}

#[test]
fn every_item_goes_back_and_then_an_item_an_answer() {
    let response = sample("openai_responses.json");
    let mut expected = parsed(&response)["output"].as_array().unwrap().clone();
    for (id, output) in [
        ("call_Ab1", r#"{"city":"Zürich","days":2}"#),
        ("call_Ab2", "12:00"),
        ("call_Ab3", UNKNOWN),
    ] {
        expected.push(json!({"type": "function_call_output", "call_id": id, "output": output}));
    }
    assert_eq!(turn(WIRE, &response), json!(expected));
}

#[test]
fn a_missing_id_is_made_and_put_into_the_echo() {
    let response = r#"{"output":[{"type":"function_call","id":"fc_1","name":"now","arguments":""},
        {"type":"function_call","call_id":"c","name":"now"}]}"#;
    assert_eq!(
        WIRE.calls(response).unwrap(),
        [
            ToolCall::new("call_0", "now", ""),
            ToolCall::new("c", "now", "")
        ]
    );
    let turn = turn(WIRE, response);
    assert_eq!(turn[0]["call_id"], json!("call_0"));
    assert_eq!(turn[0]["id"], json!("fc_1"));
    assert_eq!(turn[2]["call_id"], json!("call_0"));
}

#[test]
fn a_call_of_two_ids_is_answered_under_one() {
    let response = r#"{"output":[{"type":"function_call","call_id":"a","call_id":"b","name":"now","arguments":"{}"}]}"#;
    let turn = turn(WIRE, response);
    assert_eq!(turn[0]["call_id"], json!("call_0"));
    assert_eq!(turn[1]["call_id"], json!("call_0"));
}

#[test]
fn text_alone_has_no_calls() {
    let refusal = r#"{"output":[{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"No."}]}],"status":"completed"}"#;
    assert_eq!(WIRE.calls(refusal).unwrap(), []);
    assert_eq!(turn(WIRE, refusal), parsed(refusal)["output"]);
    let incomplete =
        r#"{"output":[],"status":"incomplete","incomplete_details":{"reason":"content_filter"}}"#;
    assert_eq!(WIRE.calls(incomplete).unwrap(), []);
}

#[test]
fn every_kind_of_outcome_is_an_output() {
    for (outcome, output) in [
        (Ok(Outcome::value("as is")), json!("as is")),
        (Ok(Outcome::value(json!({"a": 1}))), json!(r#"{"a":1}"#)),
        (Err(ToolError::failed("no")), json!("no")),
        (
            Ok(Outcome::Content(blocks())),
            json!([
                {"type": "input_text", "text": "See:"},
                {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
                {"type": "input_text", "text": "[audio, audio/wav]"},
                {"type": "input_text", "text": "[resource, file:///notes/a.md]"},
                {"type": "input_text", "text": r#"{"a":[1]}"#},
            ]),
        ),
    ] {
        assert_eq!(
            result(WIRE, outcome),
            json!([{"type": "function_call_output", "call_id": "c1", "output": output}])
        );
    }
    let failed = answers(WIRE, &sample("openai_responses.json"));
    let enveloped = parsed(&WIRE.results(&failed[2..], Encoder::envelope()));
    let output = parsed(enveloped[0]["output"].as_str().unwrap());
    assert_eq!(output["success"], json!(false));
}
