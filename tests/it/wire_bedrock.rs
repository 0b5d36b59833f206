//! Amazon Bedrock's Converse: definitions, calls and answers as text.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::json;
use toolwright::{
    Encoder, Outcome, ToolDef, ToolError, Wire,
    call::{Block, Content},
};

use crate::wires::{self, UNKNOWN, blocks, expected_calls, parsed, result, sample, set, turn};

const WIRE: Wire = Wire::BedrockConverse;

#[test]
fn definitions_are_specifications() {
    let spec = |name: &str, description: &str, schema| {
        json!({"toolSpec": {
            "name": name, "description": description, "inputSchema": {"json": schema},
        }})
    };
    assert_eq!(
        parsed(&WIRE.definitions(&set())),
        json!([
            spec("weather", "Weather of a city.", wires::weather_schema()),
            spec("now", "The time.", wires::no_arguments()),
        ])
    );
    wires::definitions_come_back(WIRE);
    let bare = parsed(&WIRE.definition(&ToolDef::new("ping", "")));
    assert_eq!(bare["toolSpec"].get("description"), None);
}

#[test]
fn calls_come_in_order_among_other_blocks() {
    let response = sample("bedrock.json");
    assert_eq!(Wire::detect(&response), Some(WIRE));
    assert_eq!(
        WIRE.calls(&response).unwrap(),
        expected_calls(["tooluse_1", "tooluse_2", "tooluse_3"], "{}")
    );
    wires::refuses_what_is_no_response(WIRE);
}

#[test]
fn the_message_goes_back_and_all_answers_are_one_message() {
    let response = sample("bedrock.json");
    let answer = |id: &str, text: &str| json!({"toolUseId": id, "content": [{"text": text}]});
    let mut failed = answer("tooluse_3", UNKNOWN);
    failed["status"] = json!("error");
    assert_eq!(
        turn(WIRE, &response),
        json!([
            parsed(&response)["output"]["message"],
            {"role": "user", "content": [
                {"toolResult": answer("tooluse_1", r#"{"city":"Zürich","days":2}"#)},
                {"toolResult": answer("tooluse_2", "12:00")},
                {"toolResult": failed},
            ]},
        ])
    );
}

#[test]
fn what_is_missing_is_made_and_put_into_the_echo() {
    let response = r#"{"output":{"message":{"role":"assistant","content":[{"toolUse":{"name":"now","input":"{\"a\":"}},{"toolUse":null},{"toolUse":[]}]}}}"#;
    let calls = WIRE.calls(response).unwrap();
    let ids: Vec<_> = calls.iter().map(|call| &*call.id).collect();
    assert_eq!(ids, ["call_0", "call_1"]);
    let content = &turn(WIRE, response)[0]["content"];
    assert_eq!(
        content[0],
        json!({"toolUse": {"toolUseId": "call_0", "name": "now", "input": {"INVALID_JSON": "{\"a\":"}}})
    );
    assert_eq!(
        content[2],
        json!({"toolUse": {"toolUseId": "call_1", "input": {}}})
    );
}

#[test]
fn a_call_that_stands_twice_is_answered_once() {
    let response = r#"{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"a"},"toolUse":{"toolUseId":"b"}},{"toolUse":{"toolUseId":"c","toolUseId":"d","name":"now","input":{}}}]}}}"#;
    let calls = WIRE.calls(response).unwrap();
    assert_eq!(calls.len(), 2);
    let turn = turn(WIRE, response);
    for (at, id) in [(0, "call_0"), (1, "call_1")] {
        assert_eq!(*calls[at].id, *id);
        assert_eq!(turn[0]["content"][at]["toolUse"]["toolUseId"], json!(id));
        assert_eq!(turn[1]["content"][at]["toolResult"]["toolUseId"], json!(id));
    }
}

#[test]
fn every_kind_of_outcome_is_content_of_the_result() {
    let list = Content::default()
        .image("image/svg+xml", "PHN2Zz4=")
        .with(Block::Json { value: json!([1]) });
    for (outcome, content) in [
        (Ok(Outcome::value("as is")), json!([{"text": "as is"}])),
        (Ok(Outcome::value(" ")), json!([])),
        (
            Ok(Outcome::value(json!({"a": 1}))),
            json!([{"text": r#"{"a":1}"#}]),
        ),
        (
            Ok(Outcome::Content(list)),
            json!([{"text": "[image, image/svg+xml]"}, {"text": "[1]"}]),
        ),
        (
            Ok(Outcome::Content(blocks())),
            json!([
                {"text": "See:"},
                {"image": {"format": "png", "source": {"bytes": "AAAA"}}},
                {"text": "[audio, audio/wav]"},
                {"text": "[resource, file:///notes/a.md]"},
                {"json": {"a": [1]}},
            ]),
        ),
    ] {
        assert_eq!(
            result(WIRE, outcome),
            json!([{"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": content}}]}])
        );
    }
    assert_eq!(
        result(WIRE, Err(ToolError::failed("no")))[0]["content"][0]["toolResult"]["status"],
        json!("error")
    );
    assert_eq!(WIRE.results(&[], Encoder::auto()), "[]");
}
