//! A call's outcome as JSON: what another process reads is the outcome that a call came to.

// A test may panic.
#![allow(clippy::unwrap_used)]

use serde_json::json;
use toolwright::call::{Block, Content, ErrorKind, HaltReason, StoredOutcome};
use toolwright::{Context, Outcome, ToolCall, ToolError, ToolResult, tool, tools};

const DONE: HaltReason = HaltReason::new("done_for_today");

fn call() -> ToolCall {
    ToolCall::new("call_1", "any", "{}")
}

/// What another process reads of it.
fn carried(result: &ToolResult) -> ToolResult {
    let text = StoredOutcome::of(result).unwrap().to_json().unwrap();
    StoredOutcome::from_json(&text)
        .unwrap()
        .into_result(&call())
}

#[test]
fn every_outcome_is_carried_whole() {
    let outcomes = [
        Outcome::value(json!({"a": [1, 2.50, null], "z": "ü\u{0}"})),
        Outcome::value(9_007_199_254_740_993_u64),
        Outcome::value(()),
        Outcome::Content(
            Content::default()
                .with(Block::Text { text: "one".into() })
                .with(Block::Text { text: "two".into() }),
        ),
        Outcome::ask("Which city?").option("choices", ["Oslo", "Rome"]),
        Outcome::halt(DONE, "good night"),
        Outcome::direct("as it is"),
    ];
    for outcome in outcomes {
        let result = ToolResult::new(&call(), Ok(outcome.clone()));
        let carried = carried(&result);
        assert_eq!(carried.outcome.unwrap(), outcome);
        assert_eq!((&*carried.id, &*carried.name), ("call_1", "any"));
    }
}

#[test]
fn every_error_is_carried_with_what_the_host_reads() {
    let kinds = [
        ErrorKind::Unknown,
        ErrorKind::InvalidArgs,
        ErrorKind::Rejected,
        ErrorKind::Failed,
        ErrorKind::Panicked,
        ErrorKind::Timeout,
        ErrorKind::Cancelled,
        ErrorKind::NoHandler,
        ErrorKind::NotApproved,
        ErrorKind::NotStarted,
        ErrorKind::NoAnswer,
        ErrorKind::Encoding,
        ErrorKind::InvalidReturn,
    ];
    for kind in kinds {
        let error = ToolError::new(kind, "first")
            .with_message("second")
            .with_debug("at /srv/db")
            .permanent()
            .with_outcome_unknown();
        let error = carried(&ToolResult::new(&call(), Err(error)))
            .outcome
            .unwrap_err();
        assert_eq!(error.kind(), kind);
        assert_eq!(error.messages().collect::<Vec<_>>(), ["first", "second"]);
        assert_eq!(error.host_detail(), Some("at /srv/db"));
        assert!(error.is_permanent() && error.is_outcome_unknown());
    }
}

/// Adds two numbers.
#[tool(meta(risk = 3))]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[test]
fn faults_repairs_and_attributes_are_carried() {
    let tools = tools![add];
    let run = |arguments| {
        let call = ToolCall::new("call_1", "add", arguments);
        tools.call_blocking(&call, &Context::new())
    };
    let repaired = run(r#"{"a": "2", "b": 3}"#);
    let back = carried(&repaired);
    assert_eq!(repaired.repairs.len(), 1);
    assert_eq!(back.repairs, repaired.repairs);
    assert_eq!(back.attributes, repaired.attributes);
    assert_eq!(back.value(), Some(5.into()));
    let refused = run(r#"{"a": "x"}"#).outcome.unwrap_err();
    let back = carried(&run(r#"{"a": "x"}"#)).outcome.unwrap_err();
    assert_eq!(refused.faults().len(), 2);
    assert_eq!(back.faults(), refused.faults());
    assert_eq!(back.to_string(), refused.to_string());
    let failed = ToolError::failed("no").with_data(json!({"code": 7}));
    let back = carried(&ToolResult::new(&call(), Err(failed)));
    assert_eq!(back.outcome.unwrap_err().data(), Some(&json!({"code": 7})));
}

#[test]
fn updates_of_the_state_are_carried_in_order() {
    let result = ToolResult::new(&call(), Ok(Outcome::value(1)));
    let updates = vec![("a".to_owned(), json!(1)), ("a".to_owned(), json!([2]))];
    let stored = StoredOutcome::of(&result)
        .unwrap()
        .with_updates(updates.clone());
    let back = StoredOutcome::from_json(&stored.to_json().unwrap()).unwrap();
    assert_eq!(back.updates(), updates);
}

/// Records need not have repairs and attributes.
#[test]
fn old_records_are_read() {
    let value =
        r#"{"form":2,"came_to":{"value":{"n":1}},"handled":true,"updates":[["seen",true]]}"#;
    let stored = StoredOutcome::from_json(value).unwrap();
    assert_eq!(stored.updates(), [("seen".to_owned(), json!(true))]);
    assert_eq!(stored.into_result(&call()).value(), Some(json!({"n": 1})));
    let error = r#"{"form":2,"came_to":{"error":{"kind":"timeout","messages":["late"]}}}"#;
    let stored = StoredOutcome::from_json(error).unwrap();
    assert!(stored.is_error());
    assert_eq!(
        stored.into_outcome().unwrap_err().kind(),
        ErrorKind::Timeout
    );
}

#[test]
fn what_is_no_outcome_is_an_error() {
    for text in [
        "",
        "{}",
        "[]",
        r#"{"came_to":{"value":1}}"#,
        r#"{"form":2,"came_to":{"nothing":1}}"#,
        r#"{"form":2,"came_to":{"value":}}"#,
    ] {
        let error = StoredOutcome::from_json(text).unwrap_err();
        assert!(!error.is_of_another_version(), "{text}: {error}");
        assert!(!error.to_string().is_empty());
    }
    for form in [1, 3] {
        let other = format!(r#"{{"form":{form},"came_to":{{"value":1}}}}"#);
        let error = StoredOutcome::from_json(&other).unwrap_err();
        assert!(error.is_of_another_version());
        assert_eq!(
            error.to_string(),
            format!("it is of form {form}; this program knows form 2")
        );
    }
}
