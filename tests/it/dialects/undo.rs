//! The way back from what a model sends.

use super::{dialect, lowered, table};
use crate::json::Json;
use toolwright::Dialect;

/// What comes back, or the faults.
fn undone(schema: &str, dialect: Dialect, sent: &str) -> String {
    let plan = lowered(schema, dialect).unwrap().inverse;
    match plan.restore(sent) {
        Ok(text) => text.into_owned(),
        Err(faults) => faults
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("; "),
    }
}

#[test]
fn samples_come_back_as_they_should() {
    let table = table();
    let mut duplicates = 0;
    for sample in table.get("decode_samples").unwrap().items() {
        let tests = table.get("tests").unwrap().items();
        let test = tests
            .iter()
            .find(|test| test.text("id") == sample.text("test"));
        let schema = test.unwrap().get("schema").unwrap().to_string();
        let sent = sample.get("wire").unwrap().to_string();
        let plan = lowered(&schema, dialect(sample.text("dialect")))
            .unwrap()
            .inverse;
        match plan.restore(&sent) {
            Ok(undone) => assert_eq!(
                Json::read(&undone),
                *sample.get("decoded").unwrap(),
                "{sent}"
            ),
            // The samples let the later one win, or allow an error. Ours is an error: a key that
            // stands twice says two things, here as in an object.
            Err(faults) => {
                let words: Vec<_> = faults.iter().map(ToString::to_string).collect();
                assert!(words[0].ends_with(": given more than once"), "{words:?}");
                duplicates += 1;
            }
        }
    }
    assert_eq!(duplicates, 3);
}

const SCHEMA: &str = r##"{"type":"object","properties":{
    "n":{"type":"number"},
    "m":{"type":"object","additionalProperties":{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"minItems":2,"maxItems":2}},
    "i":{"type":"object","patternProperties":{"^-?\\d+$":{"type":"boolean"}},"additionalProperties":false},
    "u":{"anyOf":[
        {"type":"object","properties":{"kind":{"const":"a"},"x":{"type":"object","additionalProperties":{"type":"integer"}}},"required":["kind","x"]},
        {"type":"object","properties":{"kind":{"const":"b"},"x":{"type":"array","items":{"type":"object","properties":{"key":{"type":"string"},"value":{"type":"integer"}}}}},"required":["kind","x"]},
        {"type":"null"}
    ]},
    "t":{"$ref":"#/$defs/T"},
    "o":{"type":["object","null"],"properties":{"p":{"type":"string"},"q":{"type":["string","null"]}}}
},"$defs":{"T":{"type":"object","properties":{"tags":{"type":"object","additionalProperties":{"type":"string"}},"next":{"$ref":"#/$defs/T"}}}}}"##;

/// What a model sends, and what it is.
const TABLE: &[(&str, &str)] = &[
    // Numbers keep their spelling. Strings lose escapes that they do not need.
    (r#"{"n": 1.50e3, "m": null}"#, r#"{"n":1.50e3}"#),
    (
        r#"{"o": {"p": "\u00e9\/", "q": null}}"#,
        r#"{"o":{"p":"é/","q":null}}"#,
    ),
    (r#"{"o": {"p": null, "q": null}}"#, r#"{"o":{"q":null}}"#),
    // A map of tuples, in four ways.
    (
        r#"{"m": [{"key": "a", "value": {"_1": "x", "_0": 1}}]}"#,
        r#"{"m":{"a":[1,"x"]}}"#,
    ),
    (
        r#"{"m": {"a": {"_0": 1, "_1": "x"}}}"#,
        r#"{"m":{"a":[1,"x"]}}"#,
    ),
    (
        r#"{"m": [{"value": [1, "x"], "key": "a"}]}"#,
        r#"{"m":{"a":[1,"x"]}}"#,
    ),
    (r#"{"m": {"a": [1, "x"]}}"#, r#"{"m":{"a":[1,"x"]}}"#),
    // What is not of the form.
    (
        r#"{"m": [{"key": "a"}]}"#,
        r#"m[0]: expected an object with the keys "key" and "value""#,
    ),
    (
        r#"{"m": [{"key": "a", "value": {"_0": 1}}]}"#,
        r#"m.a: expected an object with the keys "_0" to "_1" and no others"#,
    ),
    (
        r#"{"i": [{"key": 1, "value": true}, {"key": 1.0, "value": true}, {"key": "1", "value": true}]}"#,
        "i.1: given more than once; i.1: given more than once",
    ),
    (r#"{"m": "later"}"#, r#"{"m":"later"}"#),
    (r#"{"m": [}"#, r#"{"m": [}"#),
    // Keys that are integers have one spelling.
    (
        r#"{"i": [{"key": -2e1, "value": true}]}"#,
        r#"{"i":{"-20":true}}"#,
    ),
    // The member of a union says what is undone, though something inside it be wrong.
    (
        r#"{"u": {"kind": "a", "x": [{"key": "k", "value": 1}]}}"#,
        r#"{"u":{"kind":"a","x":{"k":1}}}"#,
    ),
    (
        r#"{"u": {"kind": "b", "x": [{"key": "k", "value": 1}]}}"#,
        r#"{"u":{"kind":"b","x":[{"key":"k","value":1}]}}"#,
    ),
    (
        r#"{"u": {"kind": "a", "x": [{"key": "k", "value": "one"}]}}"#,
        r#"{"u":{"kind":"a","x":{"k":"one"}}}"#,
    ),
    // As deep as a type contains itself.
    (
        r#"{"t": {"tags": null, "next": {"tags": [{"key": "a", "value": "b"}], "next": {"tags": [], "next": null}}}}"#,
        r#"{"t":{"next":{"tags":{"a":"b"},"next":{"tags":{}}}}}"#,
    ),
];

#[test]
fn every_form_comes_back() {
    for (sent, expected) in TABLE {
        assert_eq!(
            undone(SCHEMA, Dialect::OpenAiStrict, sent),
            *expected,
            "{sent}"
        );
    }
}

#[test]
fn trials_of_members_end() {
    // Each member holds the type again, so that a value has two ways at every level.
    let schema = r##"{"type":"object","properties":{"t":{"$ref":"#/$defs/T"}},"required":["t"],"$defs":{"T":{"anyOf":[
        {"type":"object","properties":{"a":{"$ref":"#/$defs/T"},"x":{"type":"object","additionalProperties":{"type":"string"}}},"required":["a"]},
        {"type":"object","properties":{"b":{"type":"string"},"a":{"$ref":"#/$defs/T"}},"required":["a"]},
        {"type":"null"}
    ]}}}"##;
    let sent = format!(r#"{{"t":{}1{}}}"#, r#"{"a":"#.repeat(100), "}".repeat(100));
    let _ = undone(schema, Dialect::OpenAiStrict, &sent);
}

#[test]
fn a_schema_that_stays_as_it_is_costs_nothing() {
    let plan = lowered(SCHEMA, Dialect::Mcp20260728).unwrap().inverse;
    assert!(matches!(
        plan.restore("{ }"),
        Ok(std::borrow::Cow::Borrowed("{ }"))
    ));
}
