//! The page `safety.md`.

mod program;

use serde_json::json;
use toolwright::{Context, Encoder, ToolCall, ToolResult, tool, tools};

use crate::output;

// ANCHOR: secret_field
use serde::Deserialize;
use toolwright::Schema;

#[derive(Deserialize, Schema)]
struct Login {
    user: String,
    #[schema(secret)]
    password: String,
}
// ANCHOR_END: secret_field

// ANCHOR: repairs
use toolwright::args::Repairs;

/// Books seats.
#[tool]
fn book(seats: u8, #[arg(default)] window: bool) -> String {
    format!("{seats} seats, window: {window}")
}

fn exact() -> Context {
    Context::new().with_repairs(Repairs::None)
}
// ANCHOR_END: repairs

// ANCHOR: printable
use toolwright::text::Printable;

fn log_line(words: &str) -> String {
    Printable::new(words).one_line().at_most(200).to_string()
}
// ANCHOR_END: printable

// ANCHOR: scopes
use toolwright::call::Grant;

/// Cancels an order.
#[tool(scopes("orders:write"))]
fn cancel_order(id: u32, cx: &Context) -> String {
    let by = cx
        .get::<Grant>()
        .and_then(Grant::subject)
        .unwrap_or("nobody");
    format!("{id} is cancelled by {by}")
}

/// The context of a request, after you know who sent it.
fn context_of(user: &str, scopes: &[&str]) -> Context {
    let grant = Grant::new()
        .with_subject(user)
        .with_scopes(scopes.iter().copied());
    Context::new().with(grant)
}
// ANCHOR_END: scopes

// ANCHOR: limits
use toolwright::args::Limits;

fn small() -> Context {
    Context::new().with_limits(Limits {
        max_bytes: 64 * 1024, // bytes of the arguments; 8 MiB by default
        depth: 16,            // arrays and objects inside each other; 128 by default
    })
}
// ANCHOR_END: limits

// ANCHOR: errors
use toolwright::ToolError;

/// Reads a note.
#[tool(read_only)]
fn read_note(name: &str) -> Result<String, ToolError> {
    std::fs::read_to_string("/srv/notes/none").map_err(|error| {
        ToolError::failed(format!("there is no note {name}")).with_source(error) // for the host
    })
}
// ANCHOR_END: errors

// ANCHOR: server
use toolwright::Toolset;
use toolwright::call::Cancel;
use toolwright::serve::axum::Router;
use toolwright::serve::http::HttpServer;

fn routes(tools: Toolset) -> Router {
    HttpServer::new(tools)
        .bearer("a-long-random-token") // from a file or a variable
        .allow_host("tools.example.com")
        .allow_origin("https://app.example.com")
        .into_router(&Cancel::new())
}
// ANCHOR_END: server

fn result(tools: &Toolset, name: &str, arguments: &str, cx: &Context) -> ToolResult {
    tools.call_blocking(&ToolCall::new("call_1", name, arguments), cx)
}

fn said(tools: &Toolset, name: &str, arguments: &str, cx: &Context) -> String {
    result(tools, name, arguments, cx)
        .content(Encoder::auto())
        .into_owned()
}

/// Says its argument's words in an error.
#[tool]
fn repeats(#[arg(secret)] key: &str) -> Result<(), String> {
    Err(format!("no such key: {key}"))
}

/// Logs in.
#[tool]
fn login(login: Login) -> String {
    login.user + &"*".repeat(login.password.len())
}

#[test]
fn a_secret_is_shown_nowhere_but_in_the_tools_own_words() {
    let call = ToolCall::new(
        "call_1",
        "login",
        r#"{"login": {"user": "ann", "password": 7}}"#,
    );
    assert!(!format!("{call:?}").contains("ann"));
    let tools = tools![login, repeats];
    assert_eq!(
        tools.get("login").unwrap().redacted(&call.arguments),
        r#"{"login":{"user":"ann","password":"[secret]"}}"#
    );
    let error = result(&tools, "login", &call.arguments, &Context::new());
    assert!(!error.content(Encoder::auto()).contains('7'));
    // A provider does not learn that it is a secret.
    assert!(
        !tools
            .get("login")
            .unwrap()
            .def()
            .input
            .as_json()
            .contains("secret")
    );
    // The author's own words are sent as they are.
    let error = said(&tools, "repeats", r#"{"key": "k-1"}"#, &Context::new());
    assert_eq!(error, "no such key: k-1");
}

/// Deletes seats.
#[tool(destructive)]
fn unbook(seats: u8) -> String {
    format!("{seats} seats")
}

#[test]
fn what_is_repaired_is_recorded() {
    let tools = tools![book, unbook];
    let arguments = r#"{"seatz": "2", "window": null}"#;
    let repaired = result(&tools, "book", arguments, &Context::new());
    let printed = output::of(|| {
        println!("{}", repaired.content(Encoder::auto()));
        for repair in &repaired.repairs {
            println!("  {repair}");
        }
        println!("{}", said(&tools, "book", arguments, &exact()));
        println!(
            "{}",
            said(&tools, "unbook", r#"{"seats": "2"}"#, &Context::new())
        );
    });
    output::shown("safety.repairs.txt", &printed);
}

#[test]
fn text_of_others_is_safe_to_print() {
    assert_eq!(
        log_line("wipe\u{1b}[2J\u{202e}\n"),
        r"wipe\u{1b}[2J\u{202e}\n"
    );
    let error = said(&tools![book], "bo\u{202e}ok", "{}", &Context::new());
    assert!(error.contains(r"bo\u{202e}ok"), "{error}");
}

#[test]
fn a_caller_without_the_scope_finds_no_tool() {
    let tools = tools![cancel_order];
    let call = |scopes: &[&str]| {
        said(
            &tools,
            "cancel_order",
            r#"{"id": 7}"#,
            &context_of("ann", scopes),
        )
    };
    assert_eq!(call(&["orders:write"]), "7 is cancelled by ann");
    assert!(call(&["orders:read"]).starts_with("unknown tool `cancel_order`"));
    // Without a grant there is no check.
    let open = said(&tools, "cancel_order", r#"{"id": 7}"#, &Context::new());
    assert_eq!(open, "7 is cancelled by nobody");
    assert!(
        tools
            .visible(&context_of("ann", &[]).scope())
            .iter()
            .next()
            .is_none()
    );
}

#[test]
fn a_filter_hides_a_tool_until_another_one_was_called() {
    use toolwright::Executor;
    use toolwright::call::Filter;

    let tools = tools![login, book];
    let executor = Executor::serial(tools).filter(Filter::after_tool("login").only_for(["book"]));
    assert_eq!(executor.tools(&Context::new()).iter().len(), 1);
    assert_eq!(
        executor
            .tools(&Context::new().with_called(["login"]))
            .iter()
            .len(),
        2
    );
}

/// Keeps any value.
#[tool]
fn keep(value: serde_json::Value) -> bool {
    value.is_null()
}

#[test]
fn large_arguments_are_refused() {
    let long = json!({"value": "a".repeat(70_000)}).to_string();
    let deep = format!(r#"{{"value": {}1{}}}"#, "[".repeat(20), "]".repeat(20));
    let printed = output::of(|| {
        for arguments in [&long, &deep] {
            println!("{}", said(&tools![keep], "keep", arguments, &small()));
        }
    });
    output::shown("safety.limits.txt", &printed);
    assert_eq!(said(&tools![keep], "keep", &deep, &Context::new()), "false");
}

#[test]
fn the_host_reads_more_than_the_model() {
    let result = result(
        &tools![read_note],
        "read_note",
        r#"{"name": "tea"}"#,
        &Context::new(),
    );
    assert_eq!(result.content(Encoder::auto()), "there is no note tea");
    let error = result.outcome.unwrap_err();
    assert!(
        std::error::Error::source(&error)
            .unwrap()
            .to_string()
            .contains("os error")
    );
}

#[test]
fn a_server_checks_who_asks() {
    use toolwright::serve::axum::body::Body;
    use toolwright::serve::axum::http::Request;
    use tower::ServiceExt;

    let routes = routes(tools![book]);
    let ask = |host: &'static str, origin: Option<&'static str>, token: Option<&'static str>| {
        let mut request = Request::post("/tools/book").header("host", host);
        request = request.header("content-type", "application/json");
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let request = request.body(Body::from(r#"{"seats": 2}"#)).unwrap();
        let routes = routes.clone();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime
            .block_on(routes.oneshot(request))
            .unwrap()
            .status()
            .as_u16()
    };
    let token = Some("a-long-random-token");
    assert_eq!(ask("tools.example.com", None, token), 200);
    assert_eq!(
        ask("tools.example.com", Some("https://app.example.com"), token),
        200
    );
    assert_eq!(ask("tools.example.com", None, None), 401);
    assert_eq!(ask("tools.example.com", None, Some("another")), 401);
    assert_eq!(ask("rebound.example", None, token), 403);
    assert_eq!(
        ask(
            "tools.example.com",
            Some("https://elsewhere.example"),
            token
        ),
        403
    );
}
