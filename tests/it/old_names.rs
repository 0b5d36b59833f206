//! Tools and arguments that had other names before: which calls run by these, and which are answered with the name of today.
#![cfg(feature = "tokio")]
// Tools are written as users write them; and a test that finds less than it expects has failed.
#![allow(
    clippy::needless_pass_by_value,
    clippy::unused_self,
    clippy::unwrap_used,
    clippy::indexing_slicing
)]

use std::sync::{Arc, Mutex};

use toolwright::args::{RepairKind, Repairs};
use toolwright::call::{Approved, BoxFuture, Decision, Filter, Scope};
use toolwright::executor::{CallPlan, Reply, Turn};
use toolwright::layers::{Approval, CallLimit, Handled, Layer, Next, Request};
use toolwright::{Context, Executor, ToolCall, ToolResult, Toolset, tool, tools};

/// Orders something.
#[tool(was("place_order", "order"))]
fn create_order(
    #[arg(was = "qty")] quantity: u64,
    #[arg(was = "key", secret)] token: Option<String>,
    #[context] cx: &Context,
) -> String {
    let by = if token.is_some() { " by token" } else { "" };
    format!("{} {quantity}{by}", cx.tool().unwrap_or_default())
}

/// Deletes an order.
#[tool(destructive, was("remove"))]
fn delete(#[arg(was = "nr")] number: u32) -> u32 {
    number
}

/// Pays an order.
#[tool(was("settle"))]
fn pay(#[arg(was = "cents")] amount: u32, yes: Approved<'_>) -> String {
    format!("{amount} as {}", yes.arguments())
}

/// Reads pages, of any book.
#[tool(was("read"), ignore_unknown)]
fn read_page(#[arg(was = "nr")] page: Option<u32>) -> u32 {
    page.unwrap_or_default()
}

/// For some alone.
#[tool(visible = is_shown, was("old_secret"))]
fn secret() {}

fn is_shown(scope: &Scope<'_>) -> bool {
    scope.has_called("read_page") && scope.last_called() == Some("read_page")
}

struct Crm;

#[tool]
impl Crm {
    /// Finds a customer.
    #[tool(was("search"))]
    fn find(&self, #[arg(was = "q")] name: &str) -> String {
        name.to_owned()
    }
}

fn all() -> Toolset {
    tools![
        create_order,
        delete,
        pay,
        read_page,
        secret,
        ..Crm: Crm as "crm_",
    ]
    .retired(
        "read_output -> read_page\npeek -> secret\nread_page 0123456789abcdef\n  takes {}\nlost ->",
    )
}

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall::new("call_1", name, arguments)
}

fn run(tools: &Toolset, name: &str, arguments: &str) -> ToolResult {
    tools.call_blocking(&call(name, arguments), &Context::new())
}

fn refused(result: ToolResult) -> String {
    result.outcome.unwrap_err().to_string()
}

/// The call, as an executor runs it that a program has stored.
fn run_stored(executor: &Executor, call: &ToolCall) -> Reply {
    let calls = std::slice::from_ref(call);
    let (plans, cx) = ([CallPlan::Stored], Context::new());
    let batch = executor.run(Turn::planned(calls, &plans), &cx);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.unwrap().block_on(batch).calls()[0].clone()
}

#[test]
fn a_call_by_an_old_name_runs_and_is_a_repair() {
    let tools = all();
    let cx = Context::new();
    let executor = Executor::serial(&tools);
    for (name, arguments, value, repairs) in [
        (
            "create_order",
            r#"{"quantity": 1}"#,
            "create_order 1",
            vec![],
        ),
        (
            "place_order",
            r#"{"quantity": 1}"#,
            "create_order 1",
            vec![("", "place_order", "create_order")],
        ),
        (
            "order",
            r#"{"qty": 2, "key": "s"}"#,
            "create_order 2 by token",
            vec![
                ("", "order", "create_order"),
                ("quantity", "qty", "quantity"),
                ("token", "key", "token"),
            ],
        ),
        // The prefix was there before, too.
        (
            "crm_search",
            r#"{"q": "Ada"}"#,
            "Ada",
            vec![("", "crm_search", "crm_find"), ("name", "q", "name")],
        ),
        (
            "read",
            r#"{"nr": 3, "other": 1}"#,
            "3",
            vec![("", "read", "read_page"), ("page", "nr", "page")],
        ),
    ] {
        let call = call(name, arguments);
        let batch = executor.run_blocking(std::slice::from_ref(&call), &cx);
        let by_executor = batch.results().next().unwrap().clone();
        for result in [tools.call_blocking(&call, &cx), by_executor] {
            assert_eq!(result.name, name);
            let said: Vec<_> = result
                .repairs
                .iter()
                .map(|one| (&*one.path, &*one.from, &*one.to))
                .collect();
            assert_eq!(said, repairs);
            assert!(
                result
                    .repairs
                    .iter()
                    .all(|one| one.kind == RepairKind::OldName)
            );
            assert_eq!(result.content(toolwright::Encoder::auto()), value);
        }
        assert!(tools.validate(&call, &cx).is_ok());
    }
    // Beside other repairs, and inside a text.
    let result = run(&tools, "create_order", r#"{"qty": "4"}"#);
    let kinds: Vec<_> = result.repairs.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [RepairKind::OldName, RepairKind::Unquoted]);
}

#[test]
fn an_exact_tool_is_not_called_by_an_old_name() {
    let tools = all();
    for (name, arguments, words) in [
        (
            "remove",
            r#"{"number": 1}"#,
            "unknown tool `remove`; it is called `delete` now",
        ),
        (
            "delete",
            r#"{"nr": 1}"#,
            "nr: unknown argument; it is called `number` now\nnumber: missing, expected an integer of 0 or more",
        ),
        (
            "settle",
            r#"{"amount": 1}"#,
            "unknown tool `settle`; it is called `pay` now",
        ),
        (
            "pay",
            r#"{"cents": 1}"#,
            "cents: unknown argument; it is called `amount` now\namount: missing, expected an integer of 0 or more",
        ),
    ] {
        let call = call(name, arguments);
        assert_eq!(refused(run(&tools, name, arguments)), words);
        let batch = Executor::serial(&tools).run_blocking(&[call], &Context::new());
        assert_eq!(refused(batch.results().next().unwrap().clone()), words);
    }
    // Nor is any tool where nothing is repaired. Servers repair values, and take old names.
    let result = |repairs| {
        let cx = Context::new().with_repairs(repairs);
        tools.call_blocking(&call("place_order", r#"{"qty": 1}"#), &cx)
    };
    assert_eq!(
        refused(result(Repairs::None)),
        "unknown tool `place_order`; it is called `create_order` now"
    );
    assert!(result(Repairs::Values).is_success());
}

#[test]
fn a_stored_call_is_read_under_its_old_names() {
    let tools = all();
    let executor = Executor::serial(&tools);
    let stored = call("remove", r#"{"nr": 7}"#);
    let Reply::Answered(result) = run_stored(&executor, &stored) else {
        panic!("it waits");
    };
    assert_eq!((&*result.name, result.value()), ("remove", Some(7.into())));

    // What a person has approved runs, under the names of today.
    let stored = call("settle", r#"{"cents": 5}"#);
    let Reply::Pending(pending) = run_stored(&executor, &stored) else {
        panic!("nobody has approved it");
    };
    assert_eq!(&*pending.call.arguments, r#"{"amount":5}"#);
    for call in [stored, pending.call.clone()] {
        let mut decided = pending.with_decision(Decision::Approve);
        decided.call = call;
        let batch = executor.run_blocking(&[decided], &Context::new());
        let result = batch.results().next().unwrap();
        assert_eq!(result.value(), Some(r#"5 as {"amount":5}"#.into()));
    }
    let edit = Decision::edit(serde_json::json!({ "cents": 6 }));
    let batch = executor.run_blocking(&[pending.with_decision(edit)], &Context::new());
    let result = batch.results().next().unwrap();
    assert_eq!(result.value(), Some(r#"6 as {"amount":6}"#.into()));
}

#[test]
fn an_old_and_a_new_name_in_one_call_are_one_key_twice() {
    for (name, arguments, key) in [
        ("create_order", r#"{"qty": 1, "quantity": 2}"#, "quantity"),
        ("read_page", r#"{"page": 1, "nr": 2}"#, "page"),
    ] {
        let error = run(&all(), name, arguments).outcome.unwrap_err();
        let faults: Vec<_> = error
            .faults()
            .iter()
            .map(|one| (&*one.path, one.code.as_str()))
            .collect();
        assert_eq!(faults, [(key, "duplicate_key")]);
    }
}

#[test]
fn an_old_name_never_leads_to_a_hidden_tool() {
    let tools = all();
    let hide = Filter::deny(["create_order"]);
    let executor = Executor::serial(&tools).filter(hide);
    let batch = executor.run_blocking(
        &[call("place_order", r#"{"quantity": 1}"#)],
        &Context::new(),
    );
    assert_eq!(
        refused(batch.results().next().unwrap().clone()),
        "unknown tool `place_order`"
    );
    let Reply::Answered(result) = run_stored(&executor, &call("place_order", r#"{"quantity": 1}"#))
    else {
        panic!("it waits");
    };
    assert_eq!(refused(result), "unknown tool `place_order`");
    for name in ["old_secret", "peek"] {
        assert!(!refused(run(&tools, name, "{}")).contains("`secret`"));
    }
    let stored = run_stored(&Executor::serial(&tools), &call("old_secret", "{}"));
    assert!(!stored.answered().unwrap().is_success());
    let shown = Context::new().with_called(["read_page"]);
    assert!(
        tools
            .call_blocking(&call("old_secret", "{}"), &shown)
            .is_success()
    );
    // The set says that too.
    let filtered = tools.filter(|tool| tool.def().name != "secret");
    assert!(
        !refused(filtered.call_blocking(&call("old_secret", "{}"), &shown)).contains("`secret`")
    );
}

#[test]
fn whatever_goes_by_a_name_knows_old_ones() {
    let tools = all();
    // What was called, in rules of visibility and in filters.
    for called in ["read", "read_page"] {
        let cx = Context::new().with_called([called]);
        assert!(
            tools.visible(&cx.scope()).get("secret").is_some(),
            "{called}"
        );
        for after in ["read", "read_page"] {
            let filter = Filter::after_tool(after).only_for(["create_order"]);
            let executor = Executor::serial(&tools).filter(filter);
            assert!(
                executor.tools(&cx).get("create_order").is_some(),
                "{called} {after}"
            );
            assert!(
                executor
                    .tools(&Context::new())
                    .get("create_order")
                    .is_none()
            );
        }
    }
    // Lists of names, in filters and layers.
    let executor = Executor::serial(&tools).filter(Filter::allow(["place_order"]));
    assert_eq!(executor.tools(&Context::new()).iter().len(), 1);
    let executor = Executor::serial(&tools).filter(Filter::deny(["place_order"]));
    assert!(
        executor
            .tools(&Context::new())
            .get("create_order")
            .is_none()
    );
    let executor = Executor::serial(&tools).manual(|def| def.is_called("place_order"));
    let batch = executor.run_blocking(
        &[call("create_order", r#"{"quantity": 1}"#)],
        &Context::new(),
    );
    assert_eq!(batch.pending().count(), 1);
    let executor = Executor::serial(&tools).manual(|def| def.is_called("create_order"));
    let batch = executor.run_blocking(
        &[call("place_order", r#"{"quantity": 1}"#)],
        &Context::new(),
    );
    assert_eq!(batch.pending().count(), 1);
    let executor = Executor::serial(&tools).layer(CallLimit::of("place_order", 0));
    let batch = executor.run_blocking(
        &[call("create_order", r#"{"quantity": 1}"#)],
        &Context::new(),
    );
    assert!(refused(batch.results().next().unwrap().clone()).contains("no more than 0 times"));
    // The tool of a stored call, and its secrets.
    let tool = tools.get("place_order").unwrap();
    assert_eq!(tool.name(), "create_order");
    let shown = tool.redacted(r#"{"qty": 1, "key": "hush"}"#);
    assert!(
        shown.contains(r#""quantity":1"#) && !shown.contains("hush"),
        "{shown}"
    );
    // Near names are those of today.
    assert_eq!(
        refused(run(&tools, "plase_order", "{}")),
        "unknown tool `plase_order`; did you mean `create_order`?"
    );
    assert_eq!(
        refused(run(&tools, "read_output", "{}")),
        "unknown tool `read_output`; use `read_page` instead"
    );
}

/// Notes the calls that it sees.
struct Seen(Arc<Mutex<Vec<String>>>);

impl Layer for Seen {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        let call = request.call();
        let line = format!("{} {}", call.name, call.arguments);
        self.0.lock().unwrap().push(line);
        Box::pin(next.run(request))
    }
}

#[test]
fn layers_see_the_names_of_today() {
    let seen = Arc::default();
    let executor = Executor::serial(all()).layer(Seen(Arc::clone(&seen)));
    let calls = [
        call("place_order", r#"{"qty": 1}"#),
        call("read", r#"{"nr": 3, "zz": [1e2, 1.10]}"#),
    ];
    let batch = executor.run_blocking(&calls, &Context::new());
    assert!(batch.results().all(ToolResult::is_success));
    // Values stay as they are spelled.
    let lines = [
        r#"create_order {"quantity":1}"#,
        r#"read_page {"page":3,"zz":[1e2,1.10]}"#,
    ];
    assert_eq!(*seen.lock().unwrap(), lines);
    // An approval layer that asks by arguments sees the current names.
    let asks = Approval::when(|ask| {
        ask.call().name == "create_order" && ask.call().arguments.contains("quantity")
    });
    let batch = Executor::serial(all())
        .layer(asks)
        .run_blocking(&calls, &Context::new());
    assert_eq!(batch.pending().count(), 1);
}

#[test]
fn names_follow_the_toolset() {
    let order = r#"{"quantity": 1}"#;
    let prefixed = all().prefix("my_").unwrap();
    assert!(run(&prefixed, "my_place_order", order).is_success());
    assert!(run(&prefixed, "my_crm_search", r#"{"name": "Ada"}"#).is_success());
    assert!(!run(&prefixed, "place_order", order).is_success());
    let renamed = all().rename("create_order", "buy").unwrap();
    assert!(run(&renamed, "place_order", order).is_success());
    assert!(!run(&renamed, "create_order", order).is_success());
    let merged = tools![].merge(&all()).unwrap();
    let attached = all().attach(all().definitions().cloned()).unwrap();
    for tools in [merged, attached, tools![create_order as "buy"]] {
        assert!(run(&tools, "place_order", order).is_success());
    }
}

/// Orders something else.
#[tool]
fn place_order() {}

/// Orders all.
#[tool(was("place_order"))]
fn order_all() {}

#[test]
fn an_old_name_is_no_other_tools() {
    for others in [tools![place_order], tools![order_all]] {
        let error = all().merge(&others).unwrap_err();
        assert_eq!(error.names(), ["place_order"]);
        assert_eq!(
            error.to_string(),
            "more than one tool is, or was, named `place_order`; rename one, or give its toolset a prefix"
        );
        let tools = all()
            .iter()
            .chain(others.iter())
            .cloned()
            .collect::<Vec<_>>();
        assert!(Toolset::new(tools).is_err());
    }
    assert!(all().rename("delete", "place_order").is_err());
    let registry = toolwright::Registry::from(all());
    assert!(
        registry
            .insert_new(Arc::clone(tools![place_order].iter().next().unwrap()))
            .is_err()
    );
    // It is not removed by it.
    assert!(registry.remove("place_order").is_none() && registry.get("create_order").is_some());
    // Its own it may have again, and a tool that is put in has its name.
    assert!(all().rename("create_order", "place_order").is_ok());
    let tools = all().with(Arc::clone(tools![place_order].iter().next().unwrap()));
    assert!(run(&tools, "place_order", "{}").is_success());
    assert_eq!(
        run(&tools, "order", r#"{"quantity": 1}"#).value(),
        Some("create_order 1".into())
    );
    assert_eq!(
        refused(run(&tools, "nothing", "{}")),
        "unknown tool `nothing`"
    );
}
