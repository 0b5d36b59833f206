//! Ollama: definitions, calls and answers as text.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::json;
use toolwright::{Outcome, ToolError, Wire};

use crate::wires::{self, UNKNOWN, blocks, expected_calls, parsed, result, sample, set, turn};

const WIRE: Wire = Wire::Ollama;

#[test]
fn definitions_are_those_of_openais_chat() {
    let tools = set();
    assert_eq!(
        WIRE.definitions(&tools),
        Wire::OpenAiChat.definitions(&tools)
    );
    wires::definitions_come_back(WIRE);
}

#[test]
fn calls_come_in_order_and_get_ids() {
    let response = sample("ollama.json");
    assert_eq!(Wire::detect(&response), Some(WIRE));
    assert_eq!(
        WIRE.calls(&response).unwrap(),
        expected_calls(["call_0", "call_1", "call_x3"], "{}")
    );
    wires::refuses_what_is_no_response(WIRE);
}

#[test]
fn the_message_goes_back_and_then_a_message_an_answer() {
    let response = sample("ollama.json");
    let mut message = parsed(&response)["message"].clone();
    message["tool_calls"][0]["id"] = json!("call_0");
    message["tool_calls"][1]["id"] = json!("call_1");
    let answer = |id: &str, name: &str, content: &str| json!({"role": "tool", "tool_name": name, "tool_call_id": id, "content": content});
    assert_eq!(
        turn(WIRE, &response),
        json!([
            message,
            answer("call_0", "weather", r#"{"city":"Zürich","days":2}"#),
            answer("call_1", "now", "12:00"),
            answer("call_x3", "wether", UNKNOWN),
        ])
    );
}

#[test]
fn arguments_go_back_as_an_object() {
    for (arguments, echoed) in [
        (r#"{"a": 1.0}"#, json!({"a": 1.0})),
        (r#""{\"a\":1}""#, json!({"a": 1})),
        (r#""{\"a\":""#, json!({"INVALID_JSON": "{\"a\":"})),
        ("null", json!({})),
        (r#""""#, json!({})),
    ] {
        let response = format!(
            r#"{{"message":{{"role":"assistant","tool_calls":[{{"id":"i","function":{{"name":"now","arguments":{arguments}}}}}]}}}}"#
        );
        let turn = turn(WIRE, &response);
        assert_eq!(
            turn[0]["tool_calls"][0],
            json!({"id": "i", "function": {"name": "now", "arguments": echoed}}),
            "{arguments}"
        );
    }
}

#[test]
fn what_is_no_call_goes_back_as_one_that_can_be_answered() {
    let response = r#"{"message":{"tool_calls":[7,[],{"id":"a"},{"id":"b","function":2},{"function":{},"function":{"name":"now"}}]}}"#;
    let turn = turn(WIRE, response);
    let call = |id: &str| json!({"id": id, "function": {"arguments": {}}});
    let ids = ["call_0", "call_1", "a", "b", "call_4"];
    assert_eq!(turn[0]["tool_calls"], json!(ids.map(call)));
    let answered: Vec<_> = (1..6).map(|at| &turn[at]["tool_call_id"]).collect();
    assert_eq!(answered, ids);
}

#[test]
fn every_kind_of_outcome_is_content() {
    for (outcome, content) in [
        (Ok(Outcome::value("as is")), "as is"),
        (Ok(Outcome::value([1])), "[1]"),
        (Err(ToolError::failed("no")), "no"),
    ] {
        assert_eq!(
            result(WIRE, outcome),
            json!([{"role": "tool", "tool_name": "x", "tool_call_id": "c1", "content": content}])
        );
    }
    let shown = result(WIRE, Ok(Outcome::Content(blocks())));
    assert_eq!(
        shown[0]["content"],
        json!(
            "See:\n[image, image/png]\n[audio, audio/wav]\n[resource, file:///notes/a.md]\n{\"a\":[1]}"
        )
    );
    assert_eq!(shown[0]["images"], json!(["AAAA"]));
}
