//! Which conversations see a tool, and that no other can call it.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;
use toolwright::{
    Context, DynTool, Encoder, ToolCall, ToolError, ToolResult, Toolset, Wire,
    call::{ErrorKind, Grant, Scope, State},
    tool, tools,
};

fn is_admin(scope: &Scope<'_>) -> bool {
    scope.state.get("role") == Some(&json!("admin"))
}

fn asks_for_help(scope: &Scope<'_>) -> bool {
    scope.input.is_some_and(|input| input.contains("help"))
}

fn panics(_: &Scope<'_>) -> bool {
    panic!("cannot decide")
}

static RESETS: AtomicU32 = AtomicU32::new(0);

/// Resets.
#[tool(visible = is_admin, meta(policy = "secret"))]
fn reset(hard: bool) -> bool {
    RESETS.fetch_add(1, Ordering::Relaxed);
    hard
}

/// Looks.
#[tool]
fn look() -> bool {
    true
}

/// Helps.
#[tool(visible = asks_for_help)]
fn assist() -> bool {
    true
}

/// Never seen.
#[tool(visible = panics)]
fn broken() -> bool {
    true
}

fn set() -> Toolset {
    tools![reset, look, assist, broken]
}

fn names(tools: &Toolset) -> Vec<&str> {
    tools.definitions().map(|def| &*def.name).collect()
}

fn run(name: &str, cx: &Context) -> ToolResult {
    set().call_blocking(&ToolCall::new("c1", name, r#"{"hard":true}"#), cx)
}

#[test]
fn the_conversation_decides_and_order_is_kept() {
    let tools = set();
    let admin = State::new().with("role", "admin");
    let guest = State::new().with("role", "guest");
    for (scope, expected) in [
        (Scope::default(), &["look"][..]),
        (Scope::new(&guest), &["look"]),
        (Scope::new(&admin), &["reset", "look"]),
        (
            Scope::new(&guest).with_input("help me"),
            &["look", "assist"],
        ),
        (
            Scope::new(&admin).with_input("help me"),
            &["reset", "look", "assist"],
        ),
    ] {
        assert_eq!(names(&tools.visible(&scope)), expected, "{scope:?}");
    }
    // Unfiltered, all are there.
    assert_eq!(names(&tools), ["reset", "look", "assist", "broken"]);
    let cx = Context::new().with_state(admin);
    let visible = tools.visible(&cx.scope());
    let text = Wire::Anthropic.definitions(&visible);
    assert!(text.contains("reset") && !text.contains("assist"));
}

#[test]
fn a_hidden_tool_is_not_called_and_not_told_from_one_that_does_not_exist() {
    let guest = Context::new().with_input("no");
    let hidden = run("reset", &guest);
    let error = hidden.outcome.as_ref().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Hidden);
    assert_eq!(error.kind().as_str(), ErrorKind::Unknown.as_str());
    assert!(hidden.attributes.is_empty() && error.faults().is_empty());
    let unknown = run("absent", &guest).content(Encoder::auto()).into_owned();
    let words = hidden.content(Encoder::auto());
    assert_eq!(words.replace("reset", "absent"), unknown);
    assert_eq!(RESETS.load(Ordering::Relaxed), 0);

    let admin = Context::new().with_state(State::new().with("role", "admin"));
    assert_eq!(run("reset", &admin).value(), Some(json!(true)));
    assert_eq!(RESETS.load(Ordering::Relaxed), 1);
}

#[test]
fn a_hidden_name_is_not_offered() {
    let text = |name: &str, cx: &Context| run(name, cx).content(Encoder::auto()).into_owned();
    let guest = Context::new();
    let admin = Context::new().with_state(State::new().with("role", "admin"));
    assert_eq!(text("resett", &guest), "unknown tool `resett`");
    assert_eq!(
        text("resett", &admin),
        "unknown tool `resett`; did you mean `reset`?"
    );
    assert_eq!(text("brokn", &admin), "unknown tool `brokn`");
}

#[test]
fn a_panic_hides_the_tool() {
    let result = run("broken", &Context::new());
    assert_eq!(result.outcome.unwrap_err().kind(), ErrorKind::Hidden);
}

/// Cancels an order.
#[tool(scopes("orders:read", "orders:write"))]
fn cancel_order() -> bool {
    true
}

#[tokio::test]
async fn a_grant_admits_tools_whose_scopes_it_has() {
    let tools = tools![look, cancel_order].with(
        DynTool::builder()
            .name("wrong")
            .description("Says its scopes wrongly.")
            .meta("scopes", "orders:read")
            .handler_sync(|_: serde_json::Value, _| Ok::<_, ToolError>(true))
            .build()
            .unwrap(),
    );
    let of = |grant: Option<Grant>| match grant {
        Some(grant) => Context::new().with(grant),
        None => Context::new(),
    };
    let reader = Grant::new().with_scopes(["orders:read"]);
    let both = Grant::new().with_scopes(["orders:write", "orders:read"]);
    for (grant, seen) in [
        (None, &["look", "cancel_order", "wrong"][..]),
        (Some(Grant::unlimited()), &["look", "cancel_order", "wrong"]),
        (Some(Grant::new()), &["look"]),
        (Some(reader), &["look"]),
        (Some(both), &["look", "cancel_order"]),
    ] {
        let cx = of(grant.clone());
        assert_eq!(names(&tools.visible(&cx.scope())), seen, "{grant:?}");
        for name in ["cancel_order", "wrong"] {
            let call = ToolCall::new("1", name, "{}");
            let is_seen = seen.contains(&name);
            let is_hidden = |result: &ToolResult| {
                let error = result.outcome.as_ref().err().map(ToolError::kind);
                assert_eq!(
                    error,
                    (!is_seen).then_some(ErrorKind::Hidden),
                    "{name} {grant:?}"
                );
            };
            is_hidden(&tools.call(&call, &cx).await);
            #[cfg(feature = "tokio")]
            {
                let run = toolwright::Executor::serial(&tools).run(&[call], &cx).await;
                is_hidden(run.results().next().unwrap());
            }
        }
        // What is hidden is near nothing.
        let near = tools
            .call(&ToolCall::new("1", "cancel_orders", "{}"), &cx)
            .await;
        let is_near = near
            .outcome
            .as_ref()
            .unwrap_err()
            .to_string()
            .contains("cancel_order`?");
        assert_eq!(is_near, seen.contains(&"cancel_order"), "{near:?}");
    }
}

#[test]
fn a_stored_definition_takes_no_scope_away() {
    let tools = tools![cancel_order];
    let mut stored = tools.definitions().next().unwrap().clone();
    stored.meta = toolwright::call::Meta::default();
    let tools = tools.attach([stored]).unwrap();
    let cx = Context::new().with(Grant::new());
    let result = tools.call_blocking(&ToolCall::new("1", "cancel_order", "{}"), &cx);
    assert_eq!(result.outcome.unwrap_err().kind(), ErrorKind::Hidden);
}
