//! Typed arguments: `#[tool(args = Name)]`.

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
use toolwright::{Context, Provide, Schema, ToolCall, Toolset, tool, tools};

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

#[tool]
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

fn tools(app: Arc<App>, crm: Arc<Crm>) -> Toolset {
    tools![
        create_order,
        add,
        login,
        count::<u8> as "count_bytes",
        r#move,
        ..crm: Crm;
        state = app
    ]
}

fn call(name: &str, arguments: serde_json::Value) -> ToolCall {
    ToolCall::new("call_1", name, arguments.to_string())
}

#[tokio::test]
async fn arguments_are_typed_and_run_the_tool() {
    let app = Arc::new(App { stock: Stock(100) });
    let tools = tools(app.clone(), Arc::new(Crm(10)));
    let order = json!({
        "customer": {"name": "Ada \u{e9}\n"},
        "lines": [{"price": 3, "count": 4}],
        "place": "Oslo"
    });
    let order = call("create_order", order);
    let cx = Context::new().reading();
    let args = CreateOrder::read(&order, &cx).unwrap();
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
fn each_kind_of_tool_has_a_struct() {
    let cx = Context::new().reading();
    let of = |name: &str, arguments: serde_json::Value| call(name, arguments);
    let sum = of("add", json!({"a": 1}));
    let shown = format!("{:?}", Add::read(&sum, &cx));
    assert_eq!(shown, "Ok(Add { a: 1, b: 2, .. })");
    // The name is that of the list, and the arguments are those of the tool.
    let bytes = of("count_bytes", json!({"items": [1, 2]}));
    let shown = format!("{:?}", Count::<u8>::read(&bytes, &cx));
    assert_eq!(shown, "Ok(Count { .. })");
    let found = of("find_customer", json!({"name": "Ada"}));
    let shown = format!("{:?}", FindCustomer::read(&found, &cx));
    assert_eq!(shown, "Ok(FindCustomer { name: \"Ada\", .. })");
    let whole = of("move", json!({"price": 1, "count": 2}));
    assert_eq!(Whole::read(&whole, &cx).unwrap().line.count, 2);
}

#[test]
fn a_secret_argument_is_not_shown() {
    let call = call("login", json!({"user": "ada", "password": "hunter2"}));
    let cx = Context::new().reading();
    let args = Login::read(&call, &cx).unwrap();
    assert_eq!(args.password, "hunter2");
    assert_eq!(format!("{args:?}"), "Login { user: \"ada\", .. }");
}

#[test]
fn reading_refuses_what_the_tool_refuses() {
    let cx = Context::new().reading();
    let tools = tools(Arc::new(App { stock: Stock(9) }), Arc::new(Crm(1)));
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
        let error = match name {
            "add" => Add::read(&call, &cx).unwrap_err(),
            "create_order" => CreateOrder::read(&call, &cx).unwrap_err(),
            _ => FindCustomer::read(&call, &cx).unwrap_err(),
        };
        let expected = tools.validate(&call, &Context::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgs);
        assert_eq!(error.to_string(), expected.to_string());
    }
    let call = call("create_order", order(3));
    assert!(CreateOrder::read(&call, &cx).is_ok());
    assert!(tools.validate(&call, &Context::new()).is_ok());
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
