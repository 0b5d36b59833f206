//! A decision is for the tool that was shown, also outside of agents.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed; and tools take what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::call::{Annotations, Approved, Decision};
use toolwright::executor::{Batch, DecidedCall, PendingReason};
use toolwright::layers::Approval;
use toolwright::{
    Context, Dialect, DynTool, Executor, Registry, Tool, ToolCall, ToolError, ToolOptions, Toolset,
    Wire, schema::SchemaDoc, tool, tools,
};

/// A tool that says which one it is.
fn pay(
    description: &str,
    cents: &Value,
    options: ToolOptions,
    says: &'static str,
) -> Arc<dyn Tool> {
    let schema = json!({"type": "object", "properties": {"cents": cents}, "required": ["cents"]});
    DynTool::builder()
        .name("pay")
        .description(description.to_owned())
        .parameters(SchemaDoc::parse(&schema.to_string()).unwrap())
        .options(options)
        .handler_sync(move |_: Value, _cx| Ok::<_, ToolError>(says))
        .build()
        .unwrap()
}

fn texts(batch: &Batch) -> Vec<String> {
    let results = batch.results();
    results
        .map(|result| result.content(toolwright::Encoder::auto()).into_owned())
        .collect()
}

#[test]
fn a_tool_of_another_definition_waits_again() {
    let integer = json!({"type": "integer"});
    let asks = || ToolOptions::new();
    let manual = || ToolOptions::new().manual(true);
    let destructive = Annotations {
        destructive: Some(true),
        ..Annotations::default()
    };
    for options in [asks as fn() -> ToolOptions, manual] {
        let first = || pay("Pays.", &integer, options(), "first");
        let others = [
            ("words", pay("Pays twice.", &integer, options(), "other")),
            (
                "schema",
                pay(
                    "Pays.",
                    &json!({"type": "integer", "minimum": 1}),
                    options(),
                    "other",
                ),
            ),
            (
                "hints",
                pay(
                    "Pays.",
                    &integer,
                    options().annotations(destructive),
                    "other",
                ),
            ),
        ];
        for (what, other) in others {
            for decision in [Decision::Approve, Decision::edit(json!({"cents": 7}))] {
                let registry = Registry::from(Toolset::new([first()]).unwrap());
                let executor = Executor::serial(&registry).layer(Approval::when(|_| true));
                let cx = Context::new();
                let calls = [ToolCall::new("1", "pay", r#"{"cents": 5}"#)];
                let batch = executor.run_blocking(&calls, &cx);
                let pending = batch.pending().next().unwrap().clone();
                registry.insert(Arc::clone(&other));

                let resumed = batch.resume_blocking(&executor, [(0, decision.clone())], &cx);
                let resumed = resumed.unwrap();
                let again = resumed.pending().next().unwrap();
                let PendingReason::Decision(why) = &again.reason else {
                    panic!("{what}: {again:?}");
                };
                assert!(
                    why["why"].as_str().unwrap().contains("has changed"),
                    "{what}"
                );
                // By the other way, too.
                let decided = [pending.with_decision(decision.clone())];
                let other_way = executor.run_blocking(&decided, &cx);
                assert_eq!(other_way.pending().count(), 1, "{what}");

                // The answer to that is for the tool of now.
                let last = resumed.resume_blocking(&executor, [(0, Decision::Approve)], &cx);
                assert_eq!(texts(&last.unwrap()), ["other"], "{what}");
            }
        }
    }
}

#[test]
fn the_same_tool_may_be_registered_anew_and_words_of_people_need_none() {
    let integer = json!({"type": "integer"});
    let pay = |says| pay("Pays.", &integer, ToolOptions::new(), says);
    let registry = Registry::from(Toolset::new([pay("first")]).unwrap());
    let executor = Executor::serial(&registry).layer(Approval::when(|_| true));
    let cx = Context::new();
    let calls = ["1", "2", "3"].map(|id| ToolCall::new(id, "pay", r#"{"cents": 5}"#));
    let batch = executor.run_blocking(&calls, &cx);
    registry.insert(pay("second"));
    let batch = batch.resume_blocking(&executor, [(0, Decision::Approve)], &cx);
    let batch = batch.unwrap();
    registry.remove("pay");
    let decisions = [
        (1, Decision::Answer("by hand".into())),
        (2, Decision::Reject("no".into())),
    ];
    let batch = batch.resume_blocking(&executor, decisions, &cx).unwrap();
    let rejected = "the call was rejected: no";
    assert_eq!(texts(&batch), ["second", "by hand", rejected]);
    // A decision that was made without a tool is about the call alone.
    registry.insert(pay("third"));
    let decided = [DecidedCall::new(calls[0].clone(), 0, Decision::Approve)];
    let batch = executor.run_blocking(&decided, &cx);
    assert_eq!(texts(&batch), ["third"]);
}

/// Books rooms.
#[tool]
fn book(
    rooms: std::collections::BTreeMap<String, u32>,
    #[arg(default = 2)] guests: u32,
    note: Option<&str>,
    approval: Approved<'_>,
) -> String {
    let note = note.is_some();
    format!("{rooms:?} {guests} {note} {}", approval.arguments())
}

/// Lists rooms.
#[tool(manual)]
fn list(#[arg(default = "Oslo")] city: String, #[arg(default = 7, secret)] pin: u32) -> String {
    format!("{city} {pin}")
}

/// The arguments, without keys that are `null`.
fn json_of(text: &str) -> Value {
    let mut read: Value = serde_json::from_str(text).unwrap();
    if let Some(arguments) = read.as_object_mut() {
        arguments.retain(|_, value| !value.is_null());
    }
    read
}

#[test]
fn a_call_is_shown_as_its_tool_reads_it() {
    let tools = tools![book, list];
    let executor = Executor::serial(&tools);
    let cx = Context::new();
    let strict = Wire::OpenAiChat
        .definitions_in(&tools, Dialect::OpenAiStrict)
        .unwrap();
    let arguments = r#"{"rooms":[{"key":"big","value":4}],"guests":null,"note":null}"#;
    let response = json!({"choices": [{"message": {"role": "assistant", "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "book", "arguments": arguments}}
    ]}}]});
    let in_strict_form = strict.calls(&response.to_string()).unwrap().remove(0);
    let in_plain_form = ToolCall::new("1", "book", r#"{"rooms": {"big": 4}}"#);
    for call in [in_strict_form, in_plain_form] {
        let batch = executor.run_blocking(&[call], &cx);
        let waiting = batch.pending().next().unwrap().shown(&tools);
        let expected = json!({"rooms": {"big": 4}, "guests": 2});
        assert_eq!(json_of(waiting.arguments.as_deref().unwrap()), expected);
        let approved = batch.resume_blocking(&executor, [(0, Decision::Approve)], &cx);
        let text = texts(&approved.unwrap()).remove(0);
        let (read, approved) = text.split_once(" false ").unwrap();
        assert_eq!(read, r#"{"big": 4} 2"#);
        assert_eq!(json_of(approved), expected);
    }
    // The default of a secret is not published.
    for (arguments, expected) in [
        ("", json!({"city": "Oslo"})),
        ("null", json!({"city": "Oslo"})),
        (r#"{"city": "Rome"}"#, json!({"city": "Rome"})),
        (r#"{"pin": 5}"#, json!({"pin": "[secret]", "city": "Oslo"})),
    ] {
        let calls = [ToolCall::new("1", "list", arguments)];
        let batch = executor.run_blocking(&calls, &cx);
        let pending = batch.pending().next().unwrap();
        let shown = pending.shown(&tools).arguments.unwrap();
        assert_eq!(json_of(&shown), expected, "{arguments}");
    }
    // A tool of run time, unless its code takes no defaults.
    let city = json!({"type": "string", "default": "Oslo"});
    let schema = json!({"type": "object", "properties": {"city": city}}).to_string();
    for (fills, expected) in [(true, json!({"city": "Oslo"})), (false, json!({}))] {
        let tool = DynTool::builder()
            .name("look")
            .description("Looks.")
            .parameters(SchemaDoc::parse(&schema).unwrap())
            .fill_defaults(fills)
            .handler_sync(|given: Value, _cx| Ok::<_, ToolError>(given.to_string()))
            .build()
            .unwrap();
        let tools = Toolset::new([tool]).unwrap();
        let executor = Executor::serial(&tools).layer(Approval::when(|_| true));
        let batch = executor.run_blocking(&[ToolCall::new("1", "look", "{}")], &cx);
        let shown = batch.pending().next().unwrap().shown(&tools);
        assert_eq!(json_of(shown.arguments.as_deref().unwrap()), expected);
        let approved = batch.resume_blocking(&executor, [(0, Decision::Approve)], &cx);
        assert_eq!(json_of(&texts(&approved.unwrap())[0]), expected);
    }
}

/// Books a table.
#[tool]
fn reserve(
    tables: std::collections::BTreeMap<String, u32>,
    #[arg(default = 2)] guests: u32,
    #[arg(default = 7, secret)] pin: u32,
) -> String {
    format!("{tables:?} {guests} {pin}")
}

/// A closure that decides sees what a person would see.
#[test]
fn a_closure_that_decides_sees_the_call_as_its_tool_reads_it() {
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let notes = Arc::clone(&seen);
    let asks = Approval::when(|_| true).ask(move |ask| {
        let shown = (json_of(&ask.call.arguments), json_of(&ask.arguments()));
        notes.lock().unwrap().push(shown);
        std::future::ready(Decision::Approve)
    });
    let executor = Executor::serial(tools![reserve]).layer(asks);
    let calls = [
        r#"{"tables": {"big": 4}}"#,
        r#"{"tables": {}, "guests": 3, "pin": 5}"#,
    ]
    .map(|arguments| ToolCall::new("1", "reserve", arguments));
    let batch = executor.run_blocking(&calls, &Context::new());
    assert_eq!(texts(&batch), [r#"{"big": 4} 2 7"#, "{} 3 5"]);
    let expected = [
        (
            json!({"tables": {"big": 4}, "guests": 2}),
            json!({"tables": {"big": 4}, "guests": 2}),
        ),
        (
            json!({"tables": {}, "guests": 3, "pin": 5}),
            json!({"tables": {}, "guests": 3, "pin": "[secret]"}),
        ),
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
}
