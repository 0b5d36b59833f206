//! The page `results.md`.

use toolwright::call::{Block, ErrorKind};
use toolwright::{ToolResult, Toolset, tool_of};

use crate::output;

// ANCHOR: program
use std::fmt;

use serde::{Deserialize, Serialize};
use toolwright::{Context, Encoder, Schema, ToolCall, tool, tools};

#[derive(Serialize, Schema)]
struct Receipt {
    number: u32,
    total: f64,
}

#[derive(Debug)]
enum OrderError {
    SoldOut { sku: String },
    Database(std::io::Error),
}

impl fmt::Display for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SoldOut { sku } => {
                write!(f, "`{sku}` is sold out; offer the customer another one")
            }
            Self::Database(_) => f.write_str("the shop cannot be reached; try again in a minute"),
        }
    }
}

#[derive(Deserialize, Schema)]
struct Line {
    sku: String,
    quantity: u32,
}

#[derive(Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Speed {
    Normal,
    Express,
}

/// Places an order.
#[tool]
fn create_order(
    lines: &[Line],
    #[arg(default = Speed::Normal)] speed: Speed,
) -> Result<Receipt, OrderError> {
    let mut total = match speed {
        Speed::Normal => 0.0,
        Speed::Express => 10.0,
    };
    for Line { sku, quantity } in lines {
        match sku.as_str() {
            "tea" => total += 4.5 * f64::from(*quantity),
            "clock" => return Err(OrderError::SoldOut { sku: sku.clone() }),
            _ => return Err(OrderError::Database(std::io::ErrorKind::TimedOut.into())),
        }
    }
    Ok(Receipt { number: 1, total })
}

fn main() {
    let tools = tools![create_order];
    for (name, arguments) in [
        (
            "create_order",
            r#"{"lines": [{"sku": "tea", "quantity": 2}]}"#,
        ),
        (
            "create_order",
            r#"{"lines": [{"sku": "clock", "quantity": 1}]}"#,
        ),
        (
            "create_order",
            r#"{"lines": [{"sku": "tea", "quantity": "two"}], "speed": "fast", "gift": true}"#,
        ),
        ("create_order", r#"{"lines": [{"sku": "tea", "quantity": 2"#),
        ("createOrder", "{}"),
    ] {
        let call = ToolCall::new("call_1", name, arguments);
        let result = tools.call_blocking(&call, &Context::new());
        println!("{name}({arguments})");
        for line in result.content(Encoder::auto()).lines() {
            println!("  {line}");
        }
    }
}
// ANCHOR_END: program

// ANCHOR: anyhow
use anyhow::Context as _;

/// Reads a note.
#[tool(read_only, blocking)]
fn read_note(name: &str) -> anyhow::Result<String> {
    std::fs::read_to_string(format!("/no/such/folder/{name}"))
        .with_context(|| format!("there is no note `{name}`"))
}
// ANCHOR_END: anyhow

// ANCHOR: tool_error
use toolwright::ToolError;

/// Pays an invoice.
#[tool]
fn pay(invoice: u32) -> Result<String, ToolError> {
    let refused = std::io::Error::other("card 4929 1234 was declined");
    Err(
        ToolError::failed(format!("invoice {invoice}: the bank declined the card"))
            .with_source(refused) // for your logs, never for the model
            .permanent(),
    ) // the layer `Retry` does not try again
}
// ANCHOR_END: tool_error

// ANCHOR: converted
enum BookingError {
    Full { free: u32 },
}

impl From<BookingError> for ToolError {
    fn from(error: BookingError) -> Self {
        let BookingError::Full { free } = error;
        Self::failed(format!("there are {free} seats; offer fewer"))
            .with_data(serde_json::json!({ "code": "full", "free": free }))
    }
}

/// Books seats of the evening's show.
#[tool]
fn book_seats(seats: u32) -> Result<String, BookingError> {
    match seats {
        0..=4 => Ok(format!("{seats} seats are booked")),
        5.. => Err(BookingError::Full { free: 4 }),
    }
}
// ANCHOR_END: converted

// ANCHOR: outcome
use toolwright::Outcome;
use toolwright::call::HaltReason;

const DONE: HaltReason = HaltReason::new("plan_submitted");

/// Books a table.
#[tool]
fn book_table(city: Option<&str>, guests: u8) -> Outcome {
    match (city, guests) {
        (None, _) => Outcome::ask("In which city?").option("choices", vec!["Oslo", "Rome"]),
        (_, 0) => Outcome::halt(DONE, "nobody comes"),
        (Some(city), 20..) => Outcome::direct(format!("Please call the restaurant in {city}.")),
        (Some(city), _) => Outcome::value(format!("booked in {city}")),
    }
}
// ANCHOR_END: outcome

// ANCHOR: content
use toolwright::call::Content;

/// Draws a chart.
#[tool(read_only)]
fn chart(title: &str) -> Content {
    let png = "iVBORw0KGgo="; // Base64
    Content::text(format!("Here is {title}.")).image("image/png", png)
}
// ANCHOR_END: content

// ANCHOR: repairs
/// Ships a parcel.
#[tool]
fn ship(address: Address, tags: Vec<String>, note: &str, #[arg(default = 1)] count: u8) -> String {
    format!("{count} to {}, {tags:?}, {note:?}", address.city)
}

#[derive(Deserialize, Schema)]
struct Address {
    city: String,
}

fn repaired() {
    let arguments =
        r#"{"adress": "{\"city\": \"Oslo\"}", "tags": "gift", "note": "5", "count": null}"#;
    let call = ToolCall::new("call_1", "ship", arguments);
    let result = tools![ship].call_blocking(&call, &Context::new());
    println!("{}", result.content(Encoder::auto()));
    for repair in &result.repairs {
        println!("repaired: {repair}");
    }
}
// ANCHOR_END: repairs

// ANCHOR: no_repairs
use toolwright::args::Repairs;

fn strict() {
    let call = ToolCall::new(
        "call_1",
        "create_order",
        r#"{"lines": [{"sku": "tea", "quantity": "2"}]}"#,
    );
    let cx = Context::new().with_repairs(Repairs::None);
    let result = tools![create_order].call_blocking(&call, &cx);
    println!("{}", result.content(Encoder::auto()));
}
// ANCHOR_END: no_repairs

// ANCHOR: panics
/// Divides two numbers.
#[tool]
fn divide(a: i64, b: i64) -> i64 {
    a / b
}
// ANCHOR_END: panics

// ANCHOR: limit
use toolwright::Executor;
use toolwright::executor::{OutputLimit, Overflow};

/// Reads the log.
#[tool(read_only)]
fn log() -> String {
    "all is well\n".repeat(100)
}

fn limited() {
    let overflow = Overflow::new(16 * 1024 * 1024); // bytes of cut answers that are kept
    let tools = tools![log].with(overflow.tool());
    let limit = OutputLimit::new(10_000, 3).overflow(&overflow); // bytes, lines
    let executor = Executor::serial(&tools).output_limit(limit);
    let calls = [ToolCall::new("call_1", "log", "{}")];
    let batch = executor.run_blocking(&calls, &Context::new().with_session("chat_1"));
    for result in batch.results() {
        println!("{}", result.content(Encoder::auto()));
    }
}
// ANCHOR_END: limit

// ANCHOR: call_json
async fn from_rust() -> Result<serde_json::Value, ToolError> {
    let arguments = serde_json::json!({"lines": [{"sku": "tea", "quantity": 2}]});
    tools![create_order]
        .call_json("create_order", arguments, &Context::new())
        .await
}
// ANCHOR_END: call_json

fn call(tools: &Toolset, name: &str, arguments: &str) -> ToolResult {
    let call = ToolCall::new("call_1", name, arguments);
    tools.call_blocking(&call, &Context::new())
}

fn text(result: &ToolResult) -> String {
    result.content(Encoder::auto()).into_owned()
}

#[test]
fn the_first_program() {
    output::shown("results.program.txt", &output::of(main));
}

macro_rules! returns {
    ($($words:literal: $ty:ty = $value:expr;)*) => {{
        let mut table = vec!["| return type | the model reads |".to_owned(), "| --- | --- |".to_owned()];
        $({
            /// Returns it.
            #[tool]
            fn give() -> $ty {
                $value
            }
            let found = text(&call(&tools![give], "give", "{}"));
            table.push(format!("| {} | `{}` |", $words, found.replace('\n', "↵")));
        })*
        table.join("\n")
    }};
}

#[test]
fn what_may_be_returned() {
    let table = returns! {
        "`()`": () = ();
        "`&str`, `String`: `\"sun\"`": &'static str = "sun";
        "numbers, `bool`: `21.5`": f64 = 21.5;
        "`Option<T>`: `None`": Option<u8> = None;
        "lists, maps, structs, enums: `vec![\"a\"]`": Vec<&'static str> = vec!["a"];
        "`serde_json::Value`: `json!({\"a\": 1})`": serde_json::Value = serde_json::json!({"a": 1});
        "`Result<T, E>`: `Ok(3)`": Result<u8, String> = Ok(3);
        "`Result<T, E>`: `Err(\"no such city\")`": Result<u8, String> = Err("no such city".to_owned());
        "`f64::NAN`": f64 = f64::NAN;
    };
    output::shown("results.types.md", &table);
}

#[test]
fn errors_of_the_host() {
    let found = call(&tools![read_note], "read_note", r#"{"name": "todo"}"#);
    assert_eq!(text(&found), "there is no note `todo`");
    let detail = found.outcome.unwrap_err().host_detail().unwrap().to_owned();
    assert!(detail.contains("No such file"), "{detail}");

    let found = call(&tools![pay], "pay", r#"{"invoice": 7}"#);
    assert_eq!(text(&found), "invoice 7: the bank declined the card");
    let error = found.outcome.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Failed);
    assert!(error.is_permanent());
    let source = std::error::Error::source(&error).unwrap();
    assert_eq!(source.to_string(), "card 4929 1234 was declined");
}

#[test]
fn errors_are_safe_to_print() {
    let found = call(&tools![book_seats], "book_seats", r#"{"seats": 9}"#);
    let error = found.outcome.as_ref().unwrap_err();
    assert_eq!(error.to_string(), "there are 4 seats; offer fewer");
    assert_eq!(error.data().unwrap()["free"], 4);
    let found = call(&tools![create_order], "a\u{202e}b", "{}");
    output::shown("results.hidden.txt", &text(&found));
    let long = format!(r#"{{"lines": "{}"}}"#, "x".repeat(5000));
    let found = text(&call(&tools![create_order], "create_order", &long));
    assert!(found.len() < 300, "{found}");
}

#[test]
fn outcomes() {
    let tools = tools![book_table];
    let table = [
        (r#"{"guests": 2}"#, "<awaiting user response>"),
        (r#"{"city": "Oslo", "guests": 0}"#, "nobody comes"),
        (
            r#"{"city": "Oslo", "guests": 20}"#,
            "Please call the restaurant in Oslo.",
        ),
        (r#"{"city": "Oslo", "guests": 2}"#, "booked in Oslo"),
    ];
    for (arguments, expected) in table {
        assert_eq!(text(&call(&tools, "book_table", arguments)), expected);
    }
    // An answer of a person is the result.
    let mut asked = call(&tools, "book_table", r#"{"guests": 2}"#);
    let Ok(Outcome::AskUser { question, options }) = &asked.outcome else {
        panic!("{asked:?}")
    };
    assert_eq!(question, "In which city?");
    assert_eq!(options["choices"], serde_json::json!(["Oslo", "Rome"]));
    asked.outcome = Ok(Outcome::value("Rome"));
    assert_eq!(text(&asked), "Rome");
}

#[test]
fn tools_as_values() {
    let handled = Toolset::new([tool_of!(create_order).handle_errors()]).unwrap();
    let arguments = r#"{"lines": [{"sku": "clock", "quantity": 1}]}"#;
    let found = call(&handled, "create_order", arguments);
    assert!(found.is_success());
    assert_eq!(
        text(&found),
        "`clock` is sold out; offer the customer another one"
    );
    let direct = Toolset::new([tool_of!(divide).return_direct()]).unwrap();
    let calls = [ToolCall::new("call_1", "divide", r#"{"a": 6, "b": 3}"#)];
    let batch = Executor::serial(&direct).run_blocking(&calls, &Context::new());
    let found = batch.results().next().unwrap();
    assert!(
        matches!(found.outcome, Ok(Outcome::ReturnDirect(_))),
        "{found:?}"
    );
}

#[test]
fn blocks_of_content() {
    use toolwright::Wire;
    let found = call(&tools![chart], "chart", r#"{"title": "June"}"#);
    let messages = Wire::Anthropic.results(std::slice::from_ref(&found), Encoder::auto());
    output::shown_schema("results.anthropic.json", messages.as_ref());
    output::shown("results.content.txt", &text(&found));
    let all = Content::from(vec![
        Block::Text { text: "a".into() },
        Block::Resource {
            uri: "file:///a".into(),
            mime_type: None,
        },
        Block::Json {
            value: serde_json::json!({"a": 1}),
        },
    ]);
    assert_eq!(all.to_plain(), "a\n[resource, file:///a]\n{\"a\":1}");
}

#[test]
fn output_schemas() {
    use toolwright::Wire;
    let tools = tools![create_order, book_table, chart];
    let schemas: Vec<_> = tools.definitions().map(|def| def.output.clone()).collect();
    output::shown_schema(
        "results.output.json",
        &schemas[0].as_ref().unwrap().to_provider_json(),
    );
    assert!(schemas[1].is_none() && schemas[2].is_none());
    assert!(
        Wire::Mcp
            .definitions(&tools)
            .to_string()
            .contains("outputSchema")
    );
    let others = [
        Wire::OpenAiChat,
        Wire::Anthropic,
        Wire::Gemini,
        Wire::Ollama,
    ];
    assert!(
        others
            .iter()
            .all(|wire| !wire.definitions(&tools).to_string().contains("total"))
    );
    let found = call(&tools, "create_order", r#"{"lines": []}"#);
    let result = Wire::Mcp.results(&[found], Encoder::auto()).to_string();
    assert!(
        result.contains(r#""structuredContent":{"number":1,"total":0.0}"#),
        "{result}"
    );
}

#[test]
fn what_is_repaired() {
    output::shown("results.repaired.txt", &output::of(repaired));
    output::shown("results.strict.txt", &output::of(strict));
}

#[test]
fn where_nothing_is_repaired() {
    /// Deletes a file.
    #[tool(destructive)]
    fn delete(path: &str, #[arg(default = 1)] copies: u8) -> String {
        format!("{path} {copies}")
    }
    let tools = tools![delete, ship];
    let found = call(&tools, "delete", r#"{"path": "a", "copies": "2"}"#);
    assert!(!found.is_success());
    let found = call(&tools, "delete", r#"{"path": "a", "copies": 2}"#);
    assert_eq!(text(&found), "a 2");
    let found = call(&tools, "delete", r#"{"Path": "a"}"#);
    assert!(!found.is_success());
    let found = call(&tools, "delete", r#""{\"path\": \"a\"}""#);
    assert!(!found.is_success());
    let found = call(
        &tools,
        "ship",
        r#"{"address": {"Citty": "Oslo"}, "tags": [], "note": ""}"#,
    );
    assert!(found.is_success(), "{found:?}");
    let found = call(
        &tools,
        "ship",
        r#"{"address": {"City": "Oslo"}, "tags": [], "note": ""}"#,
    );
    assert!(text(&found).starts_with("address.City: unknown key; did you mean `city`?"));
    let cx = Context::new().with_repairs(Repairs::Values);
    let arguments = r#"{"address": "{\"city\": \"Oslo\"}", "tags": "gift", "note": ""}"#;
    let found = tools.call_blocking(&ToolCall::new("1", "ship", arguments), &cx);
    assert!(!found.is_success());
    // A string parameter is never touched.
    let found = call(&tools, "delete", r#"{"path": 5}"#);
    assert_eq!(text(&found), "path: expected a string, got 5");
}

#[test]
fn panics_are_answers() {
    let found = call(&tools![divide], "divide", r#"{"a": 1, "b": 0}"#);
    output::shown("results.panic.txt", &text(&found));
    let error = found.outcome.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Panicked);
    assert!(
        error
            .host_detail()
            .unwrap()
            .contains("attempt to divide by zero")
    );
}

#[test]
fn limits() {
    output::shown("results.limited.txt", &output::of(limited));
}

#[tokio::test]
async fn a_call_from_rust() {
    assert_eq!(from_rust().await.unwrap()["total"], 9.0);
    let missing = tools![create_order]
        .call_json("order", serde_json::json!({}), &Context::new())
        .await;
    assert_eq!(missing.unwrap_err().kind(), ErrorKind::Unknown);
}

#[test]
fn encoders() {
    let failed = call(&tools![divide], "divide", r#"{"a": "x", "b": 1}"#);
    assert!(failed.content(Encoder::json()).starts_with(r#"{"error":"#));
    assert!(
        failed
            .content(Encoder::envelope())
            .starts_with(r#"{"success":false"#)
    );
    let error = ToolError::failed("no")
        .with_message("not now")
        .with_debug("why");
    assert_eq!(error.to_string(), "no\nnot now");
    assert_eq!(error.host_detail(), Some("why"));
}

/// Counts.
#[tool]
fn count() -> toolwright::call::Items<u8> {
    toolwright::call::Items::new(futures_util::stream::iter([1, 2, 3]))
}

#[test]
fn parts() {
    let tools = tools![count];
    assert_eq!(text(&call(&tools, "count", "{}")), "3");
    assert!(tools.definitions().all(|def| def.output.is_none()));
}
