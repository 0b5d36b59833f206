//! Typed arguments: `#[tool(args = Name)]`, and a list as an enum of its calls.

// Tools are written as users write them; and a test that finds less than it expects has failed.
#![allow(
    clippy::needless_pass_by_value,
    clippy::ref_option_ref,
    clippy::unused_async,
    clippy::unwrap_used
)]

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use toolwright::call::ErrorKind;
use toolwright::{Context, Provide, Schema, ToolCall, tool, tools};

#[derive(Deserialize, Schema)]
struct Line {
    price: u32,
    count: u32,
}

#[derive(Deserialize, Schema)]
struct Customer<'a> {
    name: &'a str,
}

struct Stock(u32);

#[derive(Provide)]
struct App {
    stock: Stock,
}

/// Creates an order.
#[tool(args = CreateOrder, validate = is_small)]
async fn create_order<'a>(
    /// Who pays.
    customer: Customer<'a>,
    lines: &[Line],
    note: Option<&'a str>,
    place: Cow<'_, str>,
    #[arg(default = &[1, 2])] marks: &[u8],
    #[state] stock: &Stock,
    #[context] cx: &Context,
) -> Result<String, String> {
    let total: u32 = lines.iter().map(|line| line.price * line.count).sum();
    if total > stock.0 {
        return Err("too much".into());
    }
    Ok(format!(
        "{} {total} {} {place} {marks:?} {:?}",
        customer.name,
        note.unwrap_or("-"),
        cx.call_id()
    ))
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_small(
    _: &Customer<'_>,
    lines: &[Line],
    _: &Option<&str>,
    _: &str,
    _: &[u8],
) -> Result<(), String> {
    if lines.len() > 3 {
        return Err("three lines are enough".into());
    }
    Ok(())
}

impl CreateOrder<'_> {
    fn total(&self) -> u32 {
        self.lines.iter().map(|line| line.price * line.count).sum()
    }
}

/// Adds.
#[tool(args = Add, read_only)]
fn add(a: i64, #[arg(default = 2)] b: i64) -> i64 {
    a + b
}

/// Logs in.
#[tool(args = Login)]
fn login(user: &str, #[arg(secret)] password: String) -> usize {
    user.len() + password.len()
}

/// Counts.
#[tool(args = Count)]
fn count<T: Schema + for<'de> Deserialize<'de>>(items: Vec<T>) -> usize {
    items.len()
}

/// Takes all.
#[tool(args = Whole)]
fn r#move(#[arg(flatten)] line: Line) -> u32 {
    line.price
}

struct Crm(u32);

#[tool(args = CrmCall)]
impl Crm {
    /// Finds a customer.
    #[tool(args = FindCustomer, destructive)]
    fn find_customer(&self, name: &str) -> usize {
        name.len() + self.0 as usize
    }

    /// Waits.
    #[tool(args = Wait, name = "pause")]
    async fn wait(&self, seconds: u32) -> u32 {
        seconds + self.0
    }
}

tools! {
    /// What the model may do.
    #[derive(Debug)]
    enum Call;
    targets: [anthropic];
    create_order,
    add,
    add as "plus": "Adds again.",
    login,
    count::<u8> as "count_bytes",
    r#move,
    ..Crm,
    ..Crm as "north_",
    #[cfg(any())] nothing_of_the_kind,
    ;
    state: App
}

fn call(name: &str, arguments: serde_json::Value) -> ToolCall {
    ToolCall::new("call_1", name, arguments.to_string())
}

#[tokio::test]
async fn arguments_are_typed_and_run_the_tool() {
    let app = Arc::new(App { stock: Stock(100) });
    let crm = Arc::new(Crm(10));
    let tools = Call::tools(crm.clone(), Crm(20), app.clone());
    let order = json!({
        "customer": {"name": "Ada \u{e9}\n"},
        "lines": [{"price": 3, "count": 4}],
        "place": "Oslo"
    });
    let order = call("create_order", order);
    let cx = Context::new().reading();
    let Ok(Call::CreateOrder(args)) = Call::read(&order, &cx) else {
        panic!("no order");
    };
    assert_eq!((args.total(), args.customer.name), (12, "Ada é\n"));
    assert!(matches!(args.place, Cow::Borrowed("Oslo")));
    let outcome = args.run(&app, &cx).await.unwrap();
    let text = json!("Ada é\n 12 - Oslo [1, 2] None");
    assert_eq!(outcome.payload().unwrap().to_value(), text);
    // The toolset's way is the same, with the call's own context.
    let result = tools.call(&order, &Context::new()).await;
    let text = json!("Ada é\n 12 - Oslo [1, 2] Some(\"call_1\")");
    assert_eq!(result.value(), Some(text));
}

#[test]
fn an_enum_has_the_calls_of_its_tools() {
    let cx = Context::new().reading();
    let shown = |name: &str, arguments: serde_json::Value| {
        let call = call(name, arguments);
        format!("{:?}", Call::read(&call, &cx))
    };
    assert_eq!(
        shown("add", json!({"a": 1})),
        "Ok(Add(Add { a: 1, b: 2, .. }))"
    );
    assert_eq!(
        shown("plus", json!({"a": 1, "b": 5})),
        "Ok(Plus(Add { a: 1, b: 5, .. }))"
    );
    assert_eq!(
        shown("find_customer", json!({"name": "Ada"})),
        "Ok(Crm(FindCustomer(FindCustomer { name: \"Ada\", .. })))"
    );
    assert_eq!(
        shown("north_pause", json!({"seconds": 3})),
        "Ok(North(Wait(Wait { seconds: 3, .. })))"
    );
    assert_eq!(
        shown("count_bytes", json!({"items": [1, 2]})),
        "Ok(CountBytes(Count { .. }))"
    );
    assert_eq!(
        shown("move", json!({"price": 1, "count": 2})),
        "Ok(Move(Whole { .. }))"
    );
    // A name of another spread's prefix is no tool.
    for name in ["multiply", "north_add", "pause_", "wait"] {
        let call = call(name, json!({}));
        assert!(matches!(Call::read(&call, &cx), Ok(Call::Other(of)) if of.name == name));
    }
}

#[test]
fn a_secret_argument_is_not_shown() {
    let call = call("login", json!({"user": "ada", "password": "hunter2"}));
    let cx = Context::new().reading();
    let args = Login::read(&call, &cx).unwrap();
    assert_eq!(args.password, "hunter2");
    assert_eq!(format!("{args:?}"), "Login { user: \"ada\", .. }");
    let call = Call::read(&call, &cx).unwrap();
    assert!(!format!("{call:?}").contains("hunter2"));
}

#[test]
fn reading_refuses_what_the_tool_refuses() {
    let cx = Context::new().reading();
    let app = App { stock: Stock(9) };
    let tools = Call::tools(Crm(1), Crm(2), app);
    let line = json!({"price": 1, "count": 1});
    let order = |lines: usize| {
        let lines = vec![&line; lines];
        json!({"customer": {"name": "Ada"}, "lines": lines, "place": "Oslo"})
    };
    for (name, arguments) in [
        ("add", json!({"a": "x", "c": 1})),
        ("add", json!({})),
        ("create_order", order(4)),
        // A destructive tool repairs no keys.
        ("find_customer", json!({"Name": "Ada"})),
    ] {
        let call = call(name, arguments);
        let error = Call::read(&call, &cx).unwrap_err();
        let expected = tools.validate_call(&call, &Context::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgs);
        assert_eq!(error.to_string(), expected.to_string());
    }
    let call = call("create_order", order(3));
    assert!(Call::read(&call, &cx).is_ok());
    assert!(tools.validate_call(&call, &Context::new()).is_ok());
}

#[test]
fn what_is_repaired_is_read() {
    let lines = r#"[{"price": 2, "count": 3}]"#;
    let order = json!({"customer": {"name": "Ada"}, "lines": lines, "place": "a\nb"});
    let call = call("create_order", order);
    let cx = Context::new().reading();
    let order = CreateOrder::read(&call, &cx).unwrap();
    let read = (order.total(), order.customer.name, &*order.place);
    assert_eq!(read, (6, "Ada", "a\nb"));
}

#[tokio::test]
async fn a_tool_that_is_asked_for_nothing_runs_with_any_state() {
    let cx = Context::new();
    let sum = call("add", json!({"a": 1}));
    let outcome = Add::read(&sum, &cx).unwrap().run(&(), &cx).unwrap();
    assert_eq!(outcome.payload().unwrap().to_value(), json!(3));
    let wait = call("pause", json!({"seconds": 1}));
    let crm = Arc::new(Crm(4));
    let outcome = Wait::read(&wait, &cx).unwrap().run(&crm, &cx);
    assert_eq!(
        outcome.await.unwrap().payload().unwrap().to_value(),
        json!(5)
    );
}

#[tokio::test]
async fn the_set_is_that_of_the_list() {
    let list = tools![
        create_order,
        add,
        add as "plus": "Adds again.",
        login,
        count::<u8> as "count_bytes",
        r#move,
        ..Crm(1): Crm,
        ..Crm(2): Crm as "north_";
        state = App { stock: Stock(5) }
    ];
    let tools = Call::tools(Crm(1), Crm(2), App { stock: Stock(5) });
    let definitions =
        |tools: &toolwright::Toolset| format!("{:?}", tools.definitions().collect::<Vec<_>>());
    assert_eq!(definitions(&tools), definitions(&list));
    assert_eq!(
        tools
            .call_json("north_pause", json!({"seconds": 3}))
            .await
            .unwrap(),
        5
    );
    assert_eq!(
        tools
            .call_json("count_bytes", json!({"items": [1]}))
            .await
            .unwrap(),
        1
    );
}
