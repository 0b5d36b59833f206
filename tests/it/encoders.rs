//! How a result becomes the text that a model sees.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::{BTreeMap, HashMap};

use serde::{Serialize, Serializer};
use serde_json::json;
use serde_json::value::RawValue;
use toolwright::{
    Context, Encoder, Outcome, ToolCall, ToolError, ToolResult,
    call::{Content, ErrorKind, HaltReason, Payload},
    tool, tools,
};

fn result(outcome: Result<Outcome, ToolError>) -> ToolResult {
    ToolResult::new(&ToolCall::new("c1", "x", "{}"), outcome)
}

fn value(value: impl Serialize) -> ToolResult {
    result(Ok(Outcome::value(value)))
}

/// The text of each encoder, in this order.
const ENCODERS: [Encoder; 5] = [
    Encoder::auto(),
    Encoder::json(),
    Encoder::envelope(),
    Encoder::envelope_with_attributes(),
    Encoder::text(),
];

#[track_caller]
fn check(result: &ToolResult, [auto, json, envelope, text]: [&str; 4]) {
    assert_eq!(result.content(Encoder::auto()), auto);
    assert_eq!(result.content(Encoder::json()), json);
    assert_eq!(result.content(Encoder::envelope()), envelope);
    assert_eq!(result.content(Encoder::text()), text);
}

#[derive(Serialize)]
enum Kind {
    Unit,
    Data(u8),
}

#[derive(Serialize)]
struct Wrapped<T>(T);

#[test]
fn strings_are_verbatim_and_quoted_only_in_json() {
    let text = "a \"b\"\n\\ / ü \u{1F980}";
    let quoted = r#""a \"b\"\n\\ / ü 🦀""#;
    let envelope = format!(r#"{{"success":true,"result":{quoted},"errors":[]}}"#);
    let raw = RawValue::from_string(quoted.to_owned()).unwrap();
    for result in [
        value(text),
        value(text.to_owned()),
        value(Some(text)),
        value(Wrapped(text)),
        value(json!(text)),
        value(raw),
        result(Ok(Outcome::direct(text))),
        result(Ok(Outcome::Value(Payload::text(text)))),
    ] {
        check(&result, [text, quoted, &envelope, text]);
    }
    let empty = r#"{"success":true,"result":"","errors":[]}"#;
    check(&value(""), ["", r#""""#, empty, ""]);
    let unit = r#"{"success":true,"result":"Unit","errors":[]}"#;
    check(&value(Kind::Unit), ["Unit", r#""Unit""#, unit, "Unit"]);
    let char = r#"{"success":true,"result":"x","errors":[]}"#;
    check(&value('x'), ["x", r#""x""#, char, "x"]);
}

#[test]
fn other_values_are_compact_json_everywhere() {
    let map = BTreeMap::from([(2, "ü/"), (1, "\u{1}")]);
    for (result, json) in [
        (value(()), "null"),
        (value(None::<u8>), "null"),
        (value(true), "true"),
        (value(42), "42"),
        (value(-0.5), "-0.5"),
        (value(u128::MAX), "340282366920938463463374607431768211455"),
        (value([1, 2]), "[1,2]"),
        (value(("a", 1)), r#"["a",1]"#),
        (value(Kind::Data(1)), r#"{"Data":1}"#),
        (value(map), r#"{"1":"\u0001","2":"ü/"}"#),
        (
            value(RawValue::from_string("[ 1 ]".into()).unwrap()),
            "[ 1 ]",
        ),
    ] {
        let envelope = format!(r#"{{"success":true,"result":{json},"errors":[]}}"#);
        check(&result, [json, json, &envelope, json]);
    }
}

#[test]
fn an_error_is_its_lines_or_one_text() {
    let one = result(Err(ToolError::failed("no \"such\" city")));
    check(
        &one,
        [
            r#"no "such" city"#,
            r#"{"error":"no \"such\" city"}"#,
            r#"{"success":false,"result":null,"errors":["no \"such\" city"]}"#,
            r#"Error: no "such" city"#,
        ],
    );
    let two = result(Err(ToolError::failed("a").with_message("b")));
    check(
        &two,
        [
            "a\nb",
            r#"{"error":"a; b"}"#,
            r#"{"success":false,"result":null,"errors":["a","b"]}"#,
            "Error: a\nb",
        ],
    );
}

#[test]
fn what_is_no_value_has_a_text_too() {
    let halt = HaltReason::new("done");
    check(
        &result(Ok(Outcome::halt(halt, json!({"n": 1})))),
        [
            r#"{"n":1}"#,
            r#"{"n":1}"#,
            r#"{"success":true,"result":{"n":1},"errors":[]}"#,
            r#"{"n":1}"#,
        ],
    );
    check(
        &result(Ok(Outcome::ask("Which?"))),
        [
            "<awaiting user response>",
            r#""<awaiting user response>""#,
            r#"{"success":true,"result":"<awaiting user response>","errors":[]}"#,
            "<awaiting user response>",
        ],
    );
    let content = Content::text("See:").image("image/png", "AAAA");
    let blocks =
        r#"[{"type":"text","text":"See:"},{"type":"image","mime_type":"image/png","data":"AAAA"}]"#;
    check(
        &result(Ok(Outcome::Content(content))),
        [
            "See:\n[image, image/png]",
            blocks,
            &format!(r#"{{"success":true,"result":{blocks},"errors":[]}}"#),
            "See:\n[image, image/png]",
        ],
    );
}

/// Fails on demand.
#[tool(meta(zone = "eu", risk = "high"))]
fn risky(fail: bool) -> Result<u8, String> {
    if fail { Err("no".into()) } else { Ok(1) }
}

#[test]
fn attributes_reach_the_model_only_when_asked_for() {
    let tools = tools![risky];
    for (arguments, envelope) in [
        (
            r#"{"fail":false}"#,
            r#"{"success":true,"result":1,"errors":[],"attributes":{"risk":"high","zone":"eu"}}"#,
        ),
        (
            r#"{"fail":true}"#,
            r#"{"success":false,"result":null,"errors":["no"],"attributes":{"risk":"high","zone":"eu"}}"#,
        ),
    ] {
        let call = ToolCall::new("c1", "risky", arguments);
        let result = tools.call_blocking(&call, &Context::new());
        let encoder = Encoder::envelope_with_attributes();
        assert_eq!(result.content(encoder), envelope);
        for encoder in ENCODERS.into_iter().filter(|other| *other != encoder) {
            assert!(!result.content(encoder).contains("high"), "{encoder:?}");
        }
    }
    let none = value(1)
        .content(Encoder::envelope_with_attributes())
        .into_owned();
    assert_eq!(
        none,
        r#"{"success":true,"result":1,"errors":[],"attributes":{}}"#
    );
}

#[test]
fn the_same_result_is_the_same_text() {
    let result = value(json!({"b": [1, {"d": null}], "a": "x"}));
    for encoder in ENCODERS {
        let text = result.content(encoder).into_owned();
        assert_eq!(result.content(encoder), text);
        assert_eq!(result.clone().content(encoder), text);
    }
}

#[derive(Serialize, PartialEq, Eq, Hash)]
struct Point {
    x: u8,
}

struct Refuses;

impl Serialize for Refuses {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("the secret is 1234"))
    }
}

/// Keys that JSON does not have.
#[tool]
fn grid() -> HashMap<Vec<u8>, bool> {
    HashMap::from([(vec![1], true)])
}

#[test]
fn what_cannot_be_written_is_an_encoding_error() {
    let result = tools![grid].call_blocking(&ToolCall::new("c1", "grid", ""), &Context::new());
    let error = result.outcome.as_ref().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Encoding);
    assert_eq!(result.value(), None);
    let told = "the tool ran, but its result cannot be written as JSON";
    assert_eq!(result.errors().collect::<Vec<_>>(), [told]);
    assert!(
        error
            .host_detail()
            .unwrap()
            .contains("key must be a string")
    );
    for encoder in ENCODERS {
        let text = result.content(encoder);
        assert!(text.contains(told), "{text}");
    }
}

#[test]
fn every_outcome_with_a_value_is_checked() {
    let map = || HashMap::from([(Point { x: 1 }, 1)]);
    for outcome in [
        Outcome::value(map()),
        Outcome::value(Refuses),
        Outcome::value([Refuses]),
        Outcome::value(Some(Wrapped(Refuses))),
        Outcome::direct(map()),
        Outcome::halt(HaltReason::new("done"), map()),
    ] {
        let result = result(Ok(outcome));
        let error = result.outcome.as_ref().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Encoding);
        for encoder in ENCODERS {
            assert!(!result.content(encoder).contains("1234"));
        }
    }
}

fn refuses(result: &ToolResult) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    match &result.outcome {
        Ok(outcome)
            if outcome
                .payload()
                .is_some_and(|value| value.as_text() == Some("good")) =>
        {
            Ok(r#"{"custom": true}"#.into())
        }
        Ok(outcome) if outcome.payload().is_none() => panic!("a secret panic"),
        _ => Err("a secret reason".into()),
    }
}

#[test]
fn a_custom_encoder_that_fails_is_a_plain_error() {
    const CUSTOM: Encoder = Encoder::custom(refuses);
    assert_eq!(value("good").content(CUSTOM), r#"{"custom": true}"#);
    let told = r#"{"error":"the tool ran, but its result cannot be shown"}"#;
    assert_eq!(value("bad").content(CUSTOM), told);
    assert_eq!(result(Ok(Outcome::ask("q"))).content(CUSTOM), told);
    // It fails on errors, too: then the tool's own error is told, once.
    let error = result(Err(ToolError::failed("a").with_message("b")));
    assert_eq!(error.content(CUSTOM), r#"{"error":"a; b"}"#);
    assert!(CUSTOM == Encoder::custom(refuses) && CUSTOM != Encoder::json());
}
