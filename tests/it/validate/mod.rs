//! Arguments of a `DynTool` are checked against a schema that arrived at run time.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used)]

mod defaults;
mod faults;
mod hostile;
mod refusals;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::json::CheckText;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use toolwright::{
    DynTool, Schema, ToolDef, ToolError, Toolset,
    schema::SchemaDoc,
    toolset::{BuildError, DynToolBuilder, SchemaError},
};

fn untyped() -> DynToolBuilder {
    DynTool::builder()
        .name("t")
        .description("Does.")
        .handler_sync(|_: Box<RawValue>, _| Ok::<_, ToolError>("done"))
}

fn toolset(schema: &str) -> Result<Toolset, SchemaError> {
    let schema = SchemaDoc::parse(schema).unwrap();
    match untyped().parameters(schema).build() {
        Ok(tool) => Ok(Toolset::new([tool]).unwrap()),
        Err(BuildError::Schema(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

/// What the model is told of these arguments; nothing if they fit.
fn told(schema: &str, arguments: &str) -> String {
    let tools = toolset(schema).unwrap_or_else(|error| panic!("{schema}: {error}"));
    match tools.check_text("t", arguments) {
        Ok(()) => String::new(),
        Err(error) => error.to_string(),
    }
}

const CITY: &str = r#"{"type": "object", "properties": {"city": {"type": "string", "minLength": 1}},
    "required": ["city"], "additionalProperties": false}"#;

#[derive(Deserialize, Schema)]
struct Place {
    city: String,
    days: Option<u8>,
}

#[test]
fn whoever_gives_the_schema_last_is_asked() {
    let city = || SchemaDoc::parse(CITY).unwrap();
    let mut def = ToolDef::new("t", "Does.");
    def.input = city();
    let typed = |builder: DynToolBuilder| {
        builder.typed_sync(|place: Place, _| Ok::<_, ToolError>((place.city, place.days)))
    };
    let builder = || DynTool::builder().name("t").description("Does.");
    let unknown = r#"{"city": "Oslo", "days": 1}"#;
    for (builder, checks_bounds) in [
        (untyped().parameters(city()), true),
        (untyped().def(def), true),
        (typed(builder()).parameters(city()), true),
        (typed(builder().parameters(city())), false),
        (untyped(), false),
    ] {
        let tools = Toolset::new([builder.build().unwrap()]).unwrap();
        assert!(tools.check_text("t", r#"{"city": "Oslo"}"#).is_ok());
        for arguments in [unknown, r#"{"city": ""}"#] {
            let refused = tools.check_text("t", arguments).is_err();
            assert_eq!(refused, checks_bounds, "{arguments}");
        }
    }
}

#[test]
fn a_schema_known_when_it_compiled_is_asked_where_the_handler_is_not_typed_over_it() {
    let tool = untyped()
        .parameters(SchemaDoc::of::<Place>())
        .build()
        .unwrap();
    let tools = Toolset::new([tool]).unwrap();
    let error = tools
        .check_text("t", r#"{"city": 1, "day": 1}"#)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "city: expected a string, got 1\nday: unknown argument; did you mean `days`?"
    );
}

#[test]
fn form_comes_first_then_the_schema_then_the_type_then_the_validator() {
    #[derive(Deserialize)]
    struct Even {
        #[serde(deserialize_with = "even")]
        n: i64,
    }
    fn even<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        match i64::deserialize(deserializer)? {
            odd if odd % 2 != 0 => Err(serde::de::Error::custom("odd")),
            even => Ok(even),
        }
    }
    let runs = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&runs);
    let schema = r#"{"type": "object", "properties": {"n": {"type": "integer", "maximum": 10}}}"#;
    let tool = DynTool::builder()
        .name("t")
        .description("Does.")
        .handler_sync(move |even: Even, _| {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok::<_, ToolError>(even.n)
        })
        .parameters(SchemaDoc::parse(schema).unwrap())
        .validate(|value: &Value| match value.get("n") {
            Some(n) if n == 4 => Err(vec!["not four".into()]),
            _ => Ok(()),
        })
        .build()
        .unwrap();
    let tools = Toolset::new([tool]).unwrap();
    for (arguments, expected) in [
        (
            "{",
            "the arguments are not valid JSON: at byte 1 expected a key in double quotes, the text ends",
        ),
        ("[11]", "the arguments must be a JSON object, got [11]"),
        (r#"{"n": 9, "n": 9}"#, "n: given more than once"),
        (
            r#"{"n": 11, "o": {"a": 1, "a": 2}}"#,
            "n: expected an integer of at most 10, got 11\no.a: given more than once",
        ),
        (
            r#"{"n": 11}"#,
            "n: expected an integer of at most 10, got 11",
        ),
        (r#"{"n": 3}"#, "n: 3 is refused: odd"),
        (r#"{"n": 4}"#, "not four"),
    ] {
        let error = tools.check_text("t", arguments).unwrap_err();
        assert_eq!(error.to_string(), expected, "{arguments}");
    }
    assert_eq!(runs.load(Ordering::Relaxed), 0);
    let call = toolwright::ToolCall::new("1", "t", r#"{"n": 1e0, "n2": 1}"#);
    let result = tools.call_blocking(&call, &toolwright::Context::new());
    assert_eq!(
        result.errors().collect::<Vec<_>>(),
        ["n: 1e0 is refused: odd"]
    );
    assert!(tools.check_text("t", r#"{"n": 2}"#).is_ok());
}

#[test]
fn no_arguments_are_an_empty_object() {
    for arguments in ["", " ", "null", "{}"] {
        assert_eq!(
            told(CITY, arguments),
            "city: missing, expected a string of 1 or more characters"
        );
    }
}

#[test]
fn arguments_that_were_encoded_twice_are_checked_as_what_they_hold() {
    let tools = toolset(CITY).unwrap();
    for (arguments, expected) in [
        (r#""{\"city\": \"Oslo\"}""#, None),
        (
            r#""{\"city\": 1}""#,
            Some("city: expected a string of 1 or more characters, got 1"),
        ),
    ] {
        let call = toolwright::ToolCall::new("1", "t", arguments);
        let result = tools.call_blocking(&call, &toolwright::Context::new());
        assert_eq!(result.errors().next(), expected, "{arguments}");
    }
}

#[derive(Deserialize, Schema)]
struct Login {
    #[schema(secret)]
    pin: u32,
    #[schema(secret)]
    words: Vec<String>,
}

#[test]
fn repairs_by_a_given_schema_do_not_tell_the_secrets_of_a_type() {
    let schema = r#"{"type": "object", "properties": {"pin": {"type": "integer"}, "words": {"type": "array"}},
        "required": ["pin", "words"], "additionalProperties": false}"#;
    let tool = DynTool::builder()
        .name("t")
        .description("Does.")
        .typed_sync(|login: Login, _| Ok::<_, ToolError>((login.pin, login.words.len())))
        .parameters(SchemaDoc::parse(schema).unwrap())
        .build()
        .unwrap();
    let tools = Toolset::new([tool]).unwrap();
    for arguments in [
        r#"{"pin": "7231", "words": "hunter"}"#,
        r#""{\"pin\": \"7231\", \"words\": \"hunter\"}""#,
        r#"{"pin": 7231, "worhunterds": ["hunter"]}"#,
        r#"{"pin": 7231, "wordz": "hunter"}"#,
    ] {
        let call = toolwright::ToolCall::new("1", "t", arguments);
        let result = tools.call_blocking(&call, &toolwright::Context::new());
        let told = format!("{:?}", result.repairs);
        for secret in ["7231", "hunter", "wordz"] {
            assert!(!told.contains(secret), "{arguments}: {told}");
        }
    }
}

#[test]
fn an_object_that_looks_like_raw_text_is_what_it_is() {
    let schema = r#"{"type": "object", "properties": {"v": {"type": "array"}}}"#;
    for key in [
        "$serde_json::private::RawValue",
        "$serde_json::private::Number",
    ] {
        let sent = format!(r#"{{"v": {{"{key}": "[1]"}}}}"#);
        assert!(
            told(schema, &sent).starts_with("v: expected an array, got {"),
            "{key}"
        );
    }
}

#[test]
fn an_unchecked_schema_is_published_and_not_read() {
    for schema in [CITY, r#"{"$ref": "https://example.com/elsewhere.json"}"#] {
        let schema = SchemaDoc::parse(schema).unwrap();
        let tool = untyped().parameters(schema.clone()).unchecked();
        let tools = Toolset::new([tool.fill_defaults(true).build().unwrap()]).unwrap();
        assert_eq!(tools.get("t").unwrap().def().input, schema);
        assert!(tools.check_text("t", r#"{"city": 5}"#).is_ok());
    }
}

#[test]
fn a_tool_that_nothing_here_runs_may_have_any_schema() {
    let schema = SchemaDoc::parse(r#"{"$ref": "https://example.com/elsewhere.json"}"#).unwrap();
    let mut def = ToolDef::new("t", "Does.");
    def.input = schema;
    def.options.manual = true;
    let tools = Toolset::new([DynTool::declare(def.clone())]).unwrap();
    assert_eq!(tools.iter().len(), 1);
    assert!(DynTool::builder().def(def).build().is_ok());
}
