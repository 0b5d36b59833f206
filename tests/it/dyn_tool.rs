//! Tools that are known only at run time.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::json::CheckText;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolwright::{
    Context, DynTool, Outcome, Schema, Tool, ToolCall, ToolDef, ToolError, ToolOptions, ToolResult,
    Toolset,
    call::{Annotations, Answer, Call, ErrorKind, Scope, State},
    schema::SchemaDoc,
    toolset::{BuildError, DynToolBuilder},
};

fn ping() -> DynToolBuilder {
    DynTool::builder()
        .name("ping")
        .description("Answers.")
        .handler_sync(|_: Value, _| Ok::<_, ToolError>("pong"))
}

fn run(tool: Arc<dyn Tool>, arguments: &str) -> ToolResult {
    let call = ToolCall::new("c1", tool.def().name.as_ref(), arguments);
    let tools = Toolset::new([tool]).unwrap();
    tools.call_blocking(&call, &Context::new())
}

fn error(result: &ToolResult) -> &ToolError {
    result.outcome.as_ref().unwrap_err()
}

#[test]
fn a_missing_part_is_named() {
    let handler = |_: Value, _| Ok::<_, ToolError>("pong");
    let name = DynTool::builder()
        .description("Answers.")
        .handler_sync(handler);
    let description = DynTool::builder().name("ping").handler_sync(handler);
    let handler = DynTool::builder().name("ping").description("Answers.");
    for (builder, part) in [
        (DynTool::builder(), "name"),
        (name, "name"),
        (description, "description"),
        (ping().description(" \n"), "description"),
        (handler, "handler"),
    ] {
        let error = builder.build().unwrap_err();
        assert_eq!(error, BuildError::Missing(part));
        assert_eq!(error.to_string(), format!("the tool's {part} is missing"));
    }
}

#[test]
fn a_name_that_a_provider_refuses_is_an_error() {
    for name in ["no spaces", "1st", "dotted.name", &"x".repeat(65), "naïve"] {
        let error = ping().name(name.to_owned()).build().unwrap_err();
        assert!(matches!(error, BuildError::Name(_)), "{name}");
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn what_is_not_said_is_empty() {
    let tool = ping().build().unwrap();
    assert_eq!(*tool.def(), ToolDef::new("ping", "Answers."));
    let def = tool.def();
    assert_eq!(
        def.input.to_value(),
        json!({"type": "object", "properties": {}, "additionalProperties": false})
    );
    assert!(def.meta.is_empty() && !def.options.manual);
    assert!(tool.visible(&Scope::default()));
    let tools = Toolset::new([tool]).unwrap();
    assert!(tools.check_text("ping", "{}").is_ok());
}

#[test]
fn what_is_said_is_kept_unchanged() {
    let schema = r#"{"type":"object","properties":{"b":{"type":"string"},"a":{}},"x-own":1}"#;
    let hints = Annotations {
        read_only: Some(true),
        open_world: Some(false),
        ..Annotations::NONE
    };
    let tool = ping()
        .title("Ping")
        .parameters(SchemaDoc::parse(schema).unwrap())
        .output(SchemaDoc::of::<String>())
        .options(
            ToolOptions::new()
                .annotations(hints)
                .return_direct(true)
                .exclusive(true)
                .blocking(true)
                .timeout(Duration::from_secs(5)),
        )
        .meta("risk", "high")
        .meta("cost", 3)
        .build()
        .unwrap();
    let def = tool.def();
    assert_eq!((&*def.name, &*def.description), ("ping", "Answers."));
    assert_eq!(def.title.as_deref(), Some("Ping"));
    assert_eq!(def.input.as_json(), schema);
    assert_eq!(def.output, Some(SchemaDoc::of::<String>()));
    assert_eq!(def.options.annotations, hints);
    assert!(def.options.return_direct && def.options.exclusive && def.options.blocking);
    assert_eq!(def.options.timeout, Some(Duration::from_secs(5)));
    assert_eq!(def.meta.get("risk"), Some(&json!("high")));
    assert_eq!(def.meta.get("cost"), Some(&json!(3)));
}

#[test]
fn a_stored_definition_is_taken_over_whole() {
    let mut def = ToolDef::new("ping", "Answers.");
    def.options.exclusive = true;
    def.meta = json!({"risk": "low"}).as_object().unwrap().clone().into();
    let builder = DynTool::builder().def(def.clone());
    let tool = builder
        .handler_sync(|_: Value, _| Ok::<_, ToolError>("pong"))
        .build()
        .unwrap();
    assert_eq!(*tool.def(), def);
}

#[derive(Deserialize, Schema)]
struct Place {
    /// City name
    city: String,
    days: Option<u8>,
}

#[test]
fn a_typed_closure_publishes_its_schema_and_reads_as_strictly() {
    let tool = DynTool::builder()
        .name("forecast")
        .description("Forecasts.")
        .typed_sync(|place: Place, _| {
            let days = place.days.unwrap_or(1);
            Ok::<_, ToolError>(format!("{} for {days}", place.city))
        })
        .build()
        .unwrap();
    assert_eq!(
        tool.def().input.to_value(),
        json!({
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "City name"},
                "days": {"type": ["integer", "null"], "minimum": 0, "maximum": 255},
            },
            "required": ["city"],
            "additionalProperties": false,
        })
    );
    let result = run(Arc::clone(&tool), r#"{"city": "Oslo", "days": 2}"#);
    assert_eq!(result.value(), Some(json!("Oslo for 2")));
    for (arguments, path) in [
        ("{}", "city"),
        (r#"{"city": 5}"#, "city"),
        (r#"{"city": "Oslo", "days": 300}"#, "days"),
        (r#"{"city": "Oslo", "town": 1}"#, "town"),
    ] {
        let result = run(Arc::clone(&tool), arguments);
        assert_eq!(error(&result).kind(), ErrorKind::InvalidArgs, "{arguments}");
        let faults: Vec<_> = error(&result).faults().iter().map(|f| &*f.path).collect();
        assert_eq!(faults, [path], "{arguments}");
    }
}

#[test]
fn raw_json_reaches_the_closure_as_it_was_sent() {
    let sent = r#"{"b": 1.0, "a": [1e2, "\u00e9"], "a2": null}"#;
    let echo = DynTool::builder()
        .name("echo")
        .description("Echoes.")
        .handler_sync(|raw: Box<RawValue>, _| Ok::<_, ToolError>(raw.get().to_owned()))
        .build()
        .unwrap();
    assert_eq!(run(echo, sent).value(), Some(json!(sent)));

    let keys = DynTool::builder()
        .name("value")
        .description("Echoes.")
        .handler_sync(|value: Value, _| Ok::<_, ToolError>(value))
        .build()
        .unwrap();
    let value = run(keys, sent).value();
    assert_eq!(
        value,
        Some(json!({"b": 1.0, "a": [100.0, "é"], "a2": null}))
    );
}

#[tokio::test]
async fn a_closure_may_wait() {
    let tool = DynTool::builder()
        .name("later")
        .description("Answers later.")
        .handler(|arguments: Value, cx: Context| async move {
            tokio::task::yield_now().await;
            Ok::<_, ToolError>(json!({"got": arguments, "call": cx.call_id()}))
        })
        .build()
        .unwrap();
    let tools = Toolset::new([tool]).unwrap();
    let call = ToolCall::new("c7", "later", r#"{"n": 1}"#);
    let result = tools.call(&call, &Context::new()).await;
    assert_eq!(result.value(), Some(json!({"got": {"n": 1}, "call": "c7"})));
}

#[test]
fn a_tool_error_stays_what_it_says_and_any_other_gives_its_words_alone() {
    let rejected = ping()
        .handler_sync(|_: Value, _| {
            let error = ToolError::new(ErrorKind::Rejected, "not today").with_message("ask again");
            Err::<(), _>(error)
        })
        .build()
        .unwrap();
    let result = run(rejected, "{}");
    assert_eq!(error(&result).kind(), ErrorKind::Rejected);
    assert_eq!(
        result.errors().collect::<Vec<_>>(),
        ["not today", "ask again"]
    );

    let failed = ping()
        .handler_sync(|_: Value, _| Err::<(), _>(anyhow::anyhow!("disk").context("no space")))
        .build()
        .unwrap();
    let result = run(failed, "{}");
    assert_eq!(error(&result).kind(), ErrorKind::Failed);
    assert_eq!(result.errors().collect::<Vec<_>>(), ["no space"]);
    assert!(error(&result).host_detail().unwrap().contains("disk"));

    let silent = ping()
        .handler_sync(|_: Value, _| Err::<(), _>(String::new()))
        .build()
        .unwrap();
    let errors = run(silent, "{}");
    let errors: Vec<_> = errors.errors().collect();
    assert_eq!(errors, ["the tool failed and did not say why"]);
}

#[test]
fn a_validator_is_asked_before_the_handler_and_its_messages_keep_their_order() {
    let runs = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&runs);
    let tool = ping()
        .typed_sync(move |_: Place, _| {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok::<_, ToolError>(())
        })
        .validate(|arguments: &Value| {
            let mut messages = Vec::new();
            if arguments["city"] == "" {
                messages.push("the city is empty".to_owned());
            }
            if arguments["days"] == 0 {
                messages.push("no days".to_owned());
            }
            if messages.is_empty() {
                Ok(())
            } else {
                Err(messages)
            }
        })
        .build()
        .unwrap();
    let result = run(Arc::clone(&tool), r#"{"city": "", "days": 0}"#);
    assert_eq!(error(&result).kind(), ErrorKind::InvalidArgs);
    assert_eq!(
        result.errors().collect::<Vec<_>>(),
        ["the city is empty", "no days"]
    );
    assert_eq!(result.value(), None);
    // What has the wrong form is told before the validator sees it.
    let result = run(Arc::clone(&tool), r#"{"city": 1}"#);
    assert!(!error(&result).faults().is_empty());
    assert_eq!(runs.load(Ordering::Relaxed), 0);
    assert!(run(tool, r#"{"city": "Oslo"}"#).is_success());
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

#[test]
fn visibility_can_be_said_at_run_time() {
    let tool = ping()
        .visible(|scope| scope.state.get("role") == Some(&json!("admin")))
        .build()
        .unwrap();
    let tools = Toolset::new([tool]).unwrap();
    let admin = State::new().with("role", "admin");
    assert_eq!(tools.visible(&Scope::new(&admin)).iter().len(), 1);
    assert_eq!(tools.visible(&Scope::default()).iter().len(), 0);
}

#[test]
fn a_declared_tool_needs_no_handler() {
    let mut def = ToolDef::new("sign", "Signs a contract.");
    def.options.manual = true;
    let built = DynTool::builder()
        .name("sign")
        .description("Signs a contract.")
        .options(ToolOptions::new().manual(true))
        .build()
        .unwrap();
    for tool in [DynTool::declare(def.clone()), built] {
        assert_eq!(*tool.def(), def);
        let result = run(tool, "{}");
        assert_eq!(error(&result).kind(), ErrorKind::NoHandler);
        assert!(result.errors().all(|message| message.contains("`sign`")));
    }
}

/// A tool by hand: a name, a description, and a way to call it.
struct Upper(ToolDef);

#[derive(Deserialize, Schema)]
struct Text {
    text: String,
}

impl Tool for Upper {
    fn def(&self) -> &ToolDef {
        &self.0
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        Answer::later(async move {
            let Text { text } = call.decode()?;
            Ok(Outcome::value(text.to_uppercase()))
        })
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        call.decode::<Text>().map(drop)
    }
}

#[test]
fn a_tool_by_hand_needs_a_definition_and_a_call() {
    let tool = || Arc::new(Upper(ToolDef::new("upper", "Shouts.")));
    assert_eq!(
        run(tool(), r#"{"text": "oslo"}"#).value(),
        Some(json!("OSLO"))
    );
    let result = run(tool(), r#"{"words": "oslo"}"#);
    assert_eq!(error(&result).kind(), ErrorKind::InvalidArgs);
    let tools = Toolset::new([tool() as Arc<dyn Tool>]).unwrap();
    let error = tools.check_text("upper", "{}").unwrap_err();
    assert!(error.to_string().starts_with("text: missing"), "{error}");
}

#[test]
fn arguments_that_are_no_object_are_refused_when_it_is_made() {
    let error = DynTool::builder()
        .name("double")
        .description("Doubles.")
        .typed_sync(|n: u8, _| Ok::<_, ToolError>(n))
        .build()
        .unwrap_err();
    assert_eq!(error, toolwright::toolset::BuildError::NotObject);
}
