//! What comes back from a call.
// A test that finds less than it expects has failed; and tools take and return what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::unused_async
)]

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use toolwright::{
    Context, Encoder, Outcome, ToolCall, ToolError, ToolResult, Toolset, call::ErrorKind, tool,
    tools,
};

#[derive(Debug)]
struct NoSuchCity {
    #[expect(dead_code, reason = "what only `Debug` shows")]
    secret: &'static str,
}

impl fmt::Display for NoSuchCity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no such city")
    }
}

impl std::error::Error for NoSuchCity {}

#[derive(Serialize)]
struct Weather {
    sky: &'static str,
    degrees: f32,
}

/// Weather of a city.
#[tool(meta(risk = "low", owner = "geo"))]
async fn weather(city: &str) -> Result<Weather, NoSuchCity> {
    tokio::task::yield_now().await;
    match city {
        "Oslo" => Ok(Weather {
            sky: "clear",
            degrees: -2.5,
        }),
        _ => Err(NoSuchCity {
            secret: "db.internal:5432",
        }),
    }
}

/// A bare value.
#[tool]
fn bare() -> u8 {
    7
}

/// Nothing at all.
#[tool]
fn nothing() {}

/// An option.
#[tool]
fn maybe(there: bool) -> Option<&'static str> {
    there.then_some("there")
}

/// `io::Result`.
#[tool]
fn read() -> std::io::Result<String> {
    Err(std::io::Error::other("disk on fire"))
}

/// `anyhow::Result`.
#[tool]
fn sign_in() -> anyhow::Result<()> {
    Err(anyhow::anyhow!("token=hunter2").context("could not sign in"))
}

/// Words as the error.
#[tool]
fn words() -> Result<(), String> {
    Err("just words".into())
}

/// Several messages.
#[tool]
fn several() -> Result<(), Vec<&'static str>> {
    Err(vec!["first", "second"])
}

/// The runtime's own error.
#[tool]
fn own() -> Result<(), ToolError> {
    Err(ToolError::new(ErrorKind::Rejected, "not today").with_source(NoSuchCity { secret: "x" }))
}

/// An error without words.
#[tool]
fn silent() -> Result<(), String> {
    Err(String::new())
}

/// An error that only has words.
struct OnlyDisplay;

impl fmt::Display for OnlyDisplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("only display")
    }
}

/// Any error with words.
#[tool]
fn display() -> Result<u8, OnlyDisplay> {
    Err(OnlyDisplay)
}

/// An error with a conversion.
#[derive(Debug)]
struct Closed;

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not for the model")
    }
}

impl std::error::Error for Closed {}

impl From<Closed> for ToolError {
    fn from(_: Closed) -> Self {
        Self::new(ErrorKind::Rejected, "closed on Sundays").with_data(json!({"code": "closed"}))
    }
}

/// An error with a conversion, and none of its own words.
struct Wordless;

impl From<Wordless> for ToolError {
    fn from(_: Wordless) -> Self {
        Self::failed("come back later").with_data(json!({"code": "later"}))
    }
}

/// Is closed.
#[tool]
fn closed() -> Result<u8, Closed> {
    Err(Closed)
}

/// Has no words.
#[tool]
async fn wordless() -> Result<u8, Wordless> {
    Err(Wordless)
}

fn set() -> Toolset {
    tools![
        weather, bare, nothing, maybe, read, sign_in, words, several, own, silent, display, closed,
        wordless
    ]
}

#[test]
fn a_conversion_to_the_error_of_a_tool_is_used() {
    for (name, kind, text, code) in [
        ("closed", ErrorKind::Rejected, "closed on Sundays", "closed"),
        ("wordless", ErrorKind::Failed, "come back later", "later"),
    ] {
        let result = run(name, "{}");
        let Err(error) = &result.outcome else {
            panic!("{result:?}")
        };
        assert_eq!(error.kind(), kind);
        assert_eq!(error.data(), Some(&json!({"code": code})));
        assert_eq!(result.errors().collect::<Vec<_>>(), [text]);
    }
}

fn run(name: &str, arguments: &str) -> ToolResult {
    set().call_blocking(&ToolCall::new("c1", name, arguments), &Context::new())
}

#[test]
fn a_result_says_whose_it_is_and_what_it_came_to() {
    let good = run("weather", r#"{"city":"Oslo"}"#);
    assert_eq!((&*good.id, &*good.name), ("c1", "weather"));
    assert!(good.is_success());
    assert_eq!(good.value(), Some(json!({"sky": "clear", "degrees": -2.5})));
    assert_eq!(good.errors().count(), 0);

    let bad = run("weather", r#"{"city":"Rome"}"#);
    assert_eq!((&*bad.id, &*bad.name), ("c1", "weather"));
    assert!(!bad.is_success());
    assert_eq!(bad.value(), None);
    assert_eq!(bad.errors().collect::<Vec<_>>(), ["no such city"]);
}

/// Takes its time, and may fail after it.
#[tool(was("dawdle"))]
fn linger(fails: bool) -> Result<(), String> {
    std::thread::sleep(PAUSE);
    if fails { Err("late".into()) } else { Ok(()) }
}

const PAUSE: Duration = Duration::from_millis(3);

#[test]
fn a_result_says_how_long_its_call_took() {
    for name in ["linger", "dawdle"] {
        for fails in [false, true] {
            let call = ToolCall::new("c1", name, format!(r#"{{"fails": {fails}}}"#));
            let tools = tools![linger];
            let blocking = tools.call_blocking(&call, &Context::new());
            let later = run_later(tools.call(&call, &Context::new()));
            for result in [blocking, later] {
                assert_eq!(result.is_success(), !fails);
                assert!(result.duration >= PAUSE, "{result:?}");
            }
        }
    }
}

/// Awaits what needs no runtime.
fn run_later<T>(future: impl Future<Output = T>) -> T {
    let mut task = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut task) {
        std::task::Poll::Ready(done) => done,
        std::task::Poll::Pending => panic!("it waits for something"),
    }
}

#[test]
fn attributes_ride_on_every_result_of_the_tool() {
    let attributes = |name: &str, arguments: &str| {
        serde_json::to_value(&run(name, arguments).attributes).unwrap()
    };
    let expected = json!({"risk": "low", "owner": "geo"});
    for arguments in [r#"{"city":"Oslo"}"#, r#"{"city":"Rome"}"#, "{}", "{"] {
        assert_eq!(attributes("weather", arguments), expected, "{arguments}");
    }
    assert_eq!(attributes("bare", "{}"), json!({}));
    assert_eq!(attributes("unknown", "{}"), json!({}));
}

#[test]
fn any_value_and_any_error_can_be_returned() {
    for (name, arguments, value) in [
        ("bare", "{}", json!(7)),
        ("nothing", "{}", json!("done")),
        ("maybe", r#"{"there":true}"#, json!("there")),
        ("maybe", r#"{"there":false}"#, Value::Null),
    ] {
        let result = run(name, arguments);
        assert!(result.is_success(), "{name}");
        assert_eq!(result.value(), Some(value), "{name}");
    }
    for (name, kind, messages) in [
        ("read", ErrorKind::Failed, &["disk on fire"][..]),
        ("sign_in", ErrorKind::Failed, &["could not sign in"]),
        ("words", ErrorKind::Failed, &["just words"]),
        ("several", ErrorKind::Failed, &["first", "second"]),
        ("own", ErrorKind::Rejected, &["not today"]),
        (
            "silent",
            ErrorKind::Failed,
            &["the tool failed and did not say why"],
        ),
        ("display", ErrorKind::Failed, &["only display"]),
    ] {
        let result = run(name, "{}");
        let error = result.outcome.as_ref().unwrap_err();
        assert_eq!(error.kind(), kind, "{name}");
        assert_eq!(error.messages().collect::<Vec<_>>(), messages, "{name}");
        assert_eq!(error.to_string(), messages.join("\n"), "{name}");
    }
}

#[test]
fn the_model_reads_display_alone_and_the_host_reads_more() {
    for (name, arguments, secret) in [
        ("weather", r#"{"city":"Rome"}"#, "db.internal:5432"),
        ("sign_in", "{}", "hunter2"),
    ] {
        let result = run(name, arguments);
        for encoder in [
            Encoder::auto(),
            Encoder::json(),
            Encoder::text(),
            Encoder::envelope(),
            Encoder::envelope_with_attributes(),
        ] {
            assert!(!result.content(encoder).contains(secret), "{name}");
        }
        let error = result.outcome.as_ref().unwrap_err();
        assert!(!error.to_string().contains(secret), "{name}");
        assert!(error.host_detail().unwrap().contains(secret), "{name}");
        assert!(format!("{error:?}").contains(secret), "{name}");
    }
    let error = run("own", "{}").outcome.unwrap_err();
    let source = std::error::Error::source(&error).unwrap();
    assert_eq!(source.to_string(), "no such city");
}

#[test]
fn an_envelope_holds_it_all() {
    for (name, arguments, envelope) in [
        (
            "bare",
            "{}",
            json!({"success": true, "result": 7, "errors": []}),
        ),
        (
            "several",
            "{}",
            json!({"success": false, "result": null, "errors": ["first", "second"]}),
        ),
        (
            "bare",
            r#"{"x":1}"#,
            json!({"success": false, "result": null, "errors": ["x: unknown argument; there are no arguments"]}),
        ),
    ] {
        let result = run(name, arguments);
        let text = result.content(Encoder::envelope());
        let mut got: Value = serde_json::from_str(&text).unwrap();
        if arguments != "{}" {
            // The words of a fault are another test's.
            got["errors"] = envelope["errors"].clone();
        }
        assert_eq!(got, envelope);
    }
}

#[test]
fn a_host_can_answer_a_call_itself() {
    let call = ToolCall::new("c9", "charge", r#"{"cents":20}"#);
    let result = ToolResult::new(&call, Ok(Outcome::value(json!({"approved": true}))));
    assert_eq!((&*result.id, &*result.name), ("c9", "charge"));
    assert_eq!(result.content(Encoder::auto()), r#"{"approved":true}"#);
    assert!(result.attributes.is_empty());
}

#[test]
fn a_call_is_stored_with_its_arguments_as_text() {
    let call = ToolCall::new("c1", "add", r#"{"a": 1, broken"#);
    let stored = json!({"id": "c1", "name": "add", "arguments": r#"{"a": 1, broken"#});
    assert_eq!(serde_json::to_value(&call).unwrap(), stored);
    assert_eq!(serde_json::from_value::<ToolCall>(stored).unwrap(), call);
    // Clones share the text.
    assert_eq!(call.arguments.as_ptr(), call.clone().arguments.as_ptr());
    let result = set().call_blocking(&call, &Context::new());
    assert_eq!((result.id, result.name), (call.id, call.name));
}

/// Answers nothing, or fails.
#[tool]
fn nothing_or_error(fails: bool) -> Result<(), String> {
    if fails { Err("no".into()) } else { Ok(()) }
}

/// Answers nothing later.
#[tool]
#[allow(clippy::unused_unit)]
async fn nothing_later() -> () {}

#[test]
fn a_tool_that_returns_nothing_says_done() {
    let tools = tools![nothing_or_error, nothing_later];
    for (name, arguments) in [
        ("nothing_or_error", r#"{"fails": false}"#),
        ("nothing_later", "{}"),
    ] {
        assert!(tools.get(name).unwrap().def().output.is_none(), "{name}");
        let result = tools.call_blocking(&ToolCall::new("1", name, arguments), &Context::new());
        assert_eq!(result.content(Encoder::auto()), "done", "{name}");
    }
}
