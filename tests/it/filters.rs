//! What an executor's filters and its catalogue let a conversation see and call.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolwright::{
    Context, Encoder, Executor, Registry, ToolCall, ToolDef, ToolResult, Toolset,
    call::{ErrorKind, Filter, Scope, State},
    executor::{Batch, Source},
    tool, tools,
};

fn is_admin(scope: &Scope<'_>) -> bool {
    scope.state.get("role") == Some(&json!("admin"))
}

/// Resets.
#[tool(visible = is_admin)]
fn reset() -> bool {
    true
}

/// Looks.
#[tool]
fn look() -> bool {
    true
}

fn names(tools: &Toolset) -> Vec<&str> {
    tools.definitions().map(|def| &*def.name).collect()
}

/// Logs in.
#[tool]
fn login() -> bool {
    true
}

/// Pays.
#[tool]
fn pay() -> bool {
    true
}

/// Refunds.
#[tool]
fn refund() -> bool {
    true
}

fn shop() -> Toolset {
    tools![login, look, pay, refund, reset]
}

fn listed(executor: &Executor, cx: &Context) -> String {
    let tools = executor.tools(cx);
    names(&tools).join(" ")
}

fn answers(executor: &Executor, cx: &Context, names: &[&str]) -> Batch {
    let calls: Vec<_> = names
        .iter()
        .map(|name| ToolCall::new("c", *name, ""))
        .collect();
    executor.run_blocking(&calls, cx)
}

#[test]
fn a_filter_says_what_is_listed_and_what_can_be_called() {
    let admin = State::new().with("role", "admin");
    let cx = |turn: u32, called: &[&str]| {
        Context::new()
            .with_state(admin.clone())
            .with_turn(turn)
            .with_called(called.iter().copied())
    };
    let paying = || Filter::after_tool("login").only_for(["pay", "refund"]);
    let by_word = || Filter::when(|def: &ToolDef, _: &Scope<'_>| def.description.contains("Re"));
    for (filter, turn, called, expected) in [
        (Filter::allow(["pay", "look"]), 0, &[][..], "look pay"),
        (Filter::deny(["pay", "look"]), 0, &[], "login refund reset"),
        (paying(), 0, &[], "login look reset"),
        (paying(), 0, &["look"], "login look reset"),
        (
            paying(),
            0,
            &["look", "login", "look"],
            "login look pay refund reset",
        ),
        (Filter::after_tool("login"), 0, &[], ""),
        (Filter::from_turn(2), 1, &[], ""),
        (Filter::from_turn(2), 2, &[], "login look pay refund reset"),
        (
            Filter::until_turn(2).only_for(["login"]),
            1,
            &[],
            "login look pay refund reset",
        ),
        (
            Filter::until_turn(2).only_for(["login"]),
            2,
            &[],
            "look pay refund reset",
        ),
        (by_word(), 0, &[], "refund reset"),
        (by_word().not(), 0, &[], "login look pay"),
        (by_word().and(Filter::deny(["reset"])), 0, &[], "refund"),
        (
            by_word().or(Filter::allow(["pay"])),
            0,
            &[],
            "pay refund reset",
        ),
        (
            Filter::all([paying(), Filter::deny(["look"])]),
            0,
            &["login"],
            "login pay refund reset",
        ),
        (Filter::all([]), 0, &[], "login look pay refund reset"),
        (Filter::any([]), 0, &[], ""),
        (Filter::when(|_, _| panic!("cannot decide")), 0, &[], ""),
        (
            Filter::when(|_, _| panic!("cannot decide")).not(),
            0,
            &[],
            "",
        ),
    ] {
        let executor = Executor::serial(shop()).filter(filter.clone());
        let cx = cx(turn, called);
        assert_eq!(listed(&executor, &cx), expected, "{filter:?} {turn}");
        // What is not listed cannot be called, and nobody hears that it is there.
        let all: Vec<_> = shop()
            .definitions()
            .map(|def| def.name.to_string())
            .collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let batch = answers(&executor, &cx, &all);
        let expected: Vec<_> = expected.split_whitespace().collect();
        for result in batch.results() {
            let name = &*result.name;
            if expected.contains(&name) {
                assert_eq!(result.value(), Some(json!(true)), "{filter:?} {name}");
            } else {
                let error = result.outcome.as_ref().unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Hidden, "{filter:?} {name}");
                let words = error.to_string();
                assert!(
                    words.starts_with(&format!("unknown tool `{name}`")),
                    "{words}"
                );
            }
        }
    }
}

#[test]
fn a_set_without_a_tool_neither_lists_nor_calls_it() {
    let rest = shop().without("refund");
    assert_eq!(names(&rest), ["login", "look", "pay", "reset"]);
    let refund = ToolCall::new("1", "refund", "{}");
    let result = rest.call_blocking(&refund, &Context::new());
    assert_eq!(result.outcome.unwrap_err().kind(), ErrorKind::Unknown);
    assert_eq!(names(&rest.without("nothing")), names(&rest));
}

#[test]
fn filters_add_up_and_the_tools_own_word_counts_beside_them() {
    let executor = Executor::serial(shop())
        .filter(Filter::deny(["pay"]))
        .filter(Filter::deny(["refund"]));
    assert_eq!(listed(&executor, &Context::new()), "login look");
    let all = Executor::serial(shop()).filter(Filter::allow(["reset", "look"]));
    assert_eq!(listed(&all, &Context::new()), "look");
}

#[test]
fn a_filtered_name_is_not_offered() {
    let cx = Context::new();
    let text = |executor: &Executor| {
        let batch = answers(executor, &cx, &["refnd"]);
        let result = batch.results().next().unwrap();
        result.content(Encoder::auto()).into_owned()
    };
    let open = Executor::serial(shop());
    assert_eq!(text(&open), "unknown tool `refnd`; did you mean `refund`?");
    let closed = open.filter(Filter::deny(["refund"]));
    assert_eq!(text(&closed), "unknown tool `refnd`");
}

#[test]
fn a_rule_sees_the_whole_conversation() {
    let seen = Arc::new(Mutex::new(String::new()));
    let note = Arc::clone(&seen);
    let filter = Filter::when(move |def, scope| {
        *note.lock().unwrap() = format!(
            "{} {:?} {} {:?} {:?}",
            def.name,
            scope.input,
            scope.turn,
            scope.last_called(),
            scope.state.get("role"),
        );
        true
    });
    let cx = Context::new()
        .with_input("hello")
        .with_turn(3)
        .with_called(["look", "pay"])
        .with_state(State::new().with("role", "guest"));
    Executor::serial(tools![pay]).filter(filter).tools(&cx);
    assert_eq!(
        *seen.lock().unwrap(),
        r#"pay Some("hello") 3 Some("pay") Some(String("guest"))"#
    );
}

/// What a host knows beside the user's words.
struct Plan {
    name: &'static str,
}

#[test]
fn rules_and_catalogues_read_structured_input() {
    let is_pro = |scope: &Scope<'_>| scope.get::<Plan>().is_some_and(|plan| plan.name == "pro");
    let wants = |scope: &Scope<'_>, what: &str| {
        let json = scope.get::<serde_json::Value>();
        json.is_some_and(|json| json["wants"] == what)
    };
    let filter = Filter::when(move |_, scope| is_pro(scope));
    let filtered = Executor::serial(tools![pay])
        .filter(filter.and(Filter::when(move |_, scope| wants(scope, "to pay"))));
    let chosen = Executor::serial(Source::catalog(move |scope: &Scope<'_>| {
        if is_pro(scope) {
            tools![pay, refund]
        } else {
            tools![refund]
        }
    }));
    let seen = |executor: &Executor, cx: &Context| executor.tools(cx).iter().len();
    let pro = Context::new().with(Plan { name: "pro" });
    let json = Context::new().with(serde_json::json!({"wants": "to pay"}));
    for (cx, expected) in [
        (Context::new(), (0, 1)),
        (pro.clone(), (0, 2)),
        (json.clone(), (0, 1)),
        (json.clone().over(&pro), (1, 2)),
        (
            Context::new().with(Plan { name: "free" }).over(&pro),
            (0, 1),
        ),
    ] {
        assert_eq!((seen(&filtered, &cx), seen(&chosen, &cx)), expected);
    }
    // What is not offered is not called.
    let call = [ToolCall::new("1", "pay", "{}")];
    let ran = |cx: &Context| {
        let batch = filtered.run_blocking(&call, cx);
        batch.results().next().unwrap().is_success()
    };
    let both = json.over(&pro);
    assert_eq!((ran(&Context::new()), ran(&both)), (false, true));
}

#[test]
fn a_catalogue_is_asked_anew_for_each_turn() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&asked);
    let executor = Executor::serial(Source::catalog(move |scope: &Scope<'_>| {
        note.lock().unwrap().push(scope.turn);
        match (scope.turn, scope.input) {
            (0, _) => tools![login],
            (_, Some("pay")) => tools![pay, refund],
            _ => Toolset::default(),
        }
    }));
    let cx = Context::new().with_input("pay");
    assert_eq!(listed(&executor, &cx), "login");
    assert_eq!(listed(&executor, &cx.clone().with_turn(1)), "pay refund");
    assert_eq!(listed(&executor, &Context::new().with_turn(1)), "");
    let batch = answers(&executor, &cx, &["pay", "login"]);
    let kinds: Vec<_> = batch.results().map(ToolResult::is_success).collect();
    assert_eq!(kinds, [false, true]);
    assert_eq!(*asked.lock().unwrap(), [0, 1, 1, 0]);

    // One that panics offers nothing.
    let panics = Executor::serial(Source::catalog(|_| panic!("no tools today")));
    assert_eq!(listed(&panics, &cx), "");
    let batch = answers(&panics, &cx, &["pay"]);
    let error = batch
        .results()
        .next()
        .unwrap()
        .outcome
        .as_ref()
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unknown);
}

#[test]
fn a_change_of_a_registry_is_seen_by_the_next_turn() {
    let registry = Registry::from(tools![login]);
    let executor = Executor::serial(&registry);
    let cx = Context::new();
    assert_eq!(listed(&executor, &cx), "login");
    registry.insert(Arc::clone(shop().get("pay").unwrap()));
    assert_eq!(listed(&executor, &cx), "login pay");
    registry.remove("login");
    assert_eq!(listed(&executor, &cx), "pay");
}
