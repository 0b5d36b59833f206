//! The tools of the program under test; most say what they got.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolwright::executor::UnknownOutcome;
use toolwright::layers::{Approval, Risk};
use toolwright::serve::Serve;
use toolwright::{
    Context, DynTool, Outcome, Schema, Tool, ToolError, Toolset,
    call::{Approved, BoxFuture, Content, Decision, HaltReason, Items, Progress},
    layers::{Handled, Layer, Next, Request},
    schema::SchemaDoc,
    tool, tools,
    toolset::Namespace,
};

#[derive(Deserialize, Serialize, Schema, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
}

#[derive(Serialize, Schema)]
struct Forecast {
    location: String,
    unit: Unit,
    days: u8,
}

/// Weather forecast of a city. It is made up.
#[tool(read_only, was("meteo"))]
fn get_forecast(
    /// City name
    location: String,
    #[arg(default = Unit::Celsius)] unit: Unit,
    /// How many days, counted from today
    #[arg(default = 3, range(1..=10), was = "num_days")]
    days: u8,
) -> Forecast {
    Forecast {
        location,
        unit,
        days,
    }
}

/// Who pays
#[derive(Deserialize, Serialize, Schema)]
struct Customer {
    name: String,
    vip: bool,
    address: Option<Address>,
}

#[derive(Deserialize, Serialize, Schema)]
struct Address {
    /// Two letters
    #[schema(pattern = "^[A-Z]{2}$")]
    country: String,
}

#[derive(Deserialize, Serialize, Schema)]
struct Line {
    sku: String,
    quantity: u32,
}

#[derive(Deserialize, Serialize, Schema)]
#[serde(tag = "by", rename_all = "snake_case")]
enum Delivery {
    /// To the door
    Post { express: bool },
    /// In a shop
    Pickup {
        /// Which one
        shop: String,
    },
}

#[derive(Serialize, Schema)]
struct Order {
    customer: Customer,
    lines: Vec<Line>,
    delivery: Option<Delivery>,
    labels: BTreeMap<String, i64>,
    tags: Vec<String>,
    dry_run: bool,
}

/// Places an order.
#[tool(destructive, was("requisition"))]
fn order(
    #[arg(was = "buyer")] customer: Customer,
    #[arg(default)] lines: Vec<Line>,
    delivery: Option<Delivery>,
    #[arg(default)] labels: BTreeMap<String, i64>,
    #[arg(default)] tags: Vec<String>,
    #[arg(default)] dry_run: bool,
) -> Order {
    Order {
        customer,
        lines,
        delivery,
        labels,
        tags,
        dry_run,
    }
}

/// A number or a word
#[derive(Deserialize, Serialize, Schema)]
#[serde(untagged)]
enum Either {
    Number(i64),
    Word(String),
}

#[derive(Serialize, Schema)]
struct Odd {
    either: Option<Either>,
    text: Option<String>,
    any: Option<serde_json::Value>,
    big: Option<u128>,
    pair: Option<(i64, String)>,
    json: Option<String>,
    help: Option<i64>,
    a_b: Option<i64>,
}

/// Takes what is odd on a command line.
#[tool(read_only)]
fn odd(
    either: Option<Either>,
    text: Option<String>,
    any: Option<serde_json::Value>,
    big: Option<u128>,
    pair: Option<(i64, String)>,
    json: Option<String>,
    help: Option<i64>,
    a_b: Option<i64>,
) -> Odd {
    Odd {
        either,
        text,
        any,
        big,
        pair,
        json,
        help,
        a_b,
    }
}

#[derive(Deserialize, Serialize, Schema)]
struct Node {
    label: String,
    #[serde(default)]
    children: Vec<Node>,
}

/// Reads a tree.
#[tool(read_only)]
fn tree(node: Node) -> Node {
    node
}

/// Prints, and then says what it says.
#[tool]
fn noisy(#[context] cx: &Context) -> &'static str {
    cx.progress(Progress::new(1.0).with_total(2.0).with_message("begun"));
    cx.progress(Progress::new(2.0).with_total(2.0));
    println!("this is not an answer");
    "this is the answer"
}

#[derive(Deserialize, Serialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Reading {
    /// From the first one
    Forwards,
    /// From the last one
    Backwards,
}

/// Reads in pages.
#[tool]
fn pages(#[arg(default = Reading::Forwards)] order: Reading) -> Items<Value> {
    let mut pages = [
        json!("one"),
        json!({"page": 2}),
        json!("x".repeat(100)),
        json!("all"),
    ];
    if matches!(order, Reading::Backwards) {
        pages.reverse();
    }
    Items::new(stream::iter(pages))
}

/// Counts for ever.
#[tool]
async fn endless(#[context] cx: &Context) -> u8 {
    for number in 1_u32.. {
        cx.progress(
            Progress::new(number.into())
                .with_total(9e9)
                .with_message("on and on"),
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    0
}

/// Keeps its thread, and hears nothing.
#[tool]
fn deaf() -> u8 {
    eprintln!("deaf now");
    std::thread::sleep(Duration::from_mins(1));
    0
}

/// Says who somebody is.
#[tool]
fn login(user: &str, #[arg(secret, len(4..))] password: &str) -> Result<String, &'static str> {
    match (user, password) {
        ("ada", "countess") => Ok("Augusta Ada King".to_owned()),
        _ => Err("user or password is wrong"),
    }
}

/// Asks where to go.
#[tool]
fn travel() -> Outcome {
    Outcome::ask("Where to?").option("choices", ["Oslo", "Rome"])
}

/// Charges a card.
#[tool(manual)]
fn charge(cents: u32, #[arg(secret)] card: &str) -> String {
    format!("{cents} cents from a card of {} digits", card.len())
}

/// Pays money back.
#[tool(destructive, meta(risk = "high"))]
fn refund(cents: u32, #[arg(secret)] card: &str) -> String {
    eprintln!("refunding");
    format!("{cents} cents back to a card of {} digits", card.len())
}

/// Moves money.
#[tool(meta(risk = "high"))]
fn transfer(cents: u32) -> u32 {
    cents
}

/// A transfer of 5 is one of 500.
struct Cents;

impl Layer for Cents {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        let arguments = match &*request.call().name {
            "transfer" => request.call().arguments.replace(":5}", ":500}"),
            _ => request.call().arguments.to_string(),
        };
        Box::pin(next.run(request.with_arguments(arguments)))
    }
}

/// Panics.
#[tool]
fn boom() -> u8 {
    panic!("boom")
}

/// Takes longer than it may.
#[tool(timeout = "500ms")]
async fn late() -> u8 {
    std::future::pending().await
}

/// Answers in blocks.
#[tool]
fn blocks() -> Content {
    Content::text("a picture").image("image/png", "iVBORw0KGgo=")
}

/// Ends the conversation.
#[tool]
fn goodbye() -> Outcome {
    Outcome::halt(HaltReason::new("farewell"), "bye")
}

/// Is seen by nobody.
#[tool(visible = never)]
fn hidden() -> u8 {
    0
}

fn never(_: &toolwright::call::Scope<'_>) -> bool {
    false
}

/// A tool whose schema came from elsewhere, with names and forms that nobody expects.
fn strange() -> Arc<dyn Tool> {
    let schema = json!({
        "type": "object",
        "properties": {
            "": {"type": "string"},
            "a b": {"type": "string"},
            "a=b": {"type": "string"},
            "--x": {"type": "string"},
            "json": {"type": "integer"},
            "arg.json": {"type": "string"},
            "x.y": {"type": "integer"},
            "x": {"type": "object", "properties": {"y": {"type": "integer"}, "z": {"type": "integer"}}},
            "c_d": {"type": "integer"},
            "c-d": {"type": ["string", "null"], "format": "date"},
            "größe": {"type": "number", "description": "As it\u{2028}is"},
            "__proto__": {"type": "string"},
            "preset": {"type": "string", "default": "$(touch injected)\u{2028}"},
            "_": {"type": "object", "properties": {"_a_b": {"type": "integer", "exclusiveMinimum": 0, "maximum": 300}, "-c": {"type": "integer"}}},
            "-proto--": {"type": "string"},
            "proto--": {"type": "string"},
            "a,b": {"type": "string"},
            "help": {"type": "string"},
            "version": {"type": "boolean"},
            "output": {"enum": ["text", "json"]},
            "h": {"type": "string"},
            "$(touch injected)": {"type": "string"},
            "shell": {
                "oneOf": [
                    {"const": "$(touch injected)", "description": "\u{2018}; touch injected; \u{2018}\"); touch injected; (\"$(touch injected)"},
                    {"const": "`touch injected`"},
                    {"const": "\" ; touch injected ; \""},
                    {"const": "'; touch injected; '"},
                    {"const": "\u{2018}; touch injected; \u{2018}"},
                    {"const": "\n touch injected \n"},
                    {"const": ""},
                    {"const": "-x"},
                    {"const": "New York"},
                    {"const": "plain", "description": "As \"is\"; that's $all."}
                ],
                "description": "$(touch injected) `touch injected` \u{2018}; touch injected; '; touch injected; \" \n[x]:y"
            },
            "loop": {"$ref": "#/$defs/loop"},
            "either": {"oneOf": [{"type": "boolean"}, {"enum": ["true", "auto"]}]},
            "all": true,
            "none": false
        },
        "$defs": {"loop": {"type": ["object", "integer"], "properties": {"loop": {"$ref": "#/$defs/loop"}}}}
    });
    let echo = |arguments: serde_json::Value, _: Context| Ok::<_, ToolError>(arguments);
    let tool = DynTool::builder()
        .name("strange")
        .description("Says what\u{2028}it got. $(touch injected) `touch injected` \u{2018}; touch injected; '; touch injected")
        .parameters(SchemaDoc::try_from(&schema).unwrap())
        .handler_sync(echo);
    tool.build().unwrap()
}

struct Stock(u32);

#[tool]
impl Stock {
    /// Counts what is in stock.
    ///
    /// It may be out of date.
    #[tool]
    fn stock(&self) -> u32 {
        self.0
    }
}

/// Waits.
#[tool(example({"seconds": 300}))]
fn wait(seconds: u8) -> u8 {
    seconds
}

/// Pays, and hears nothing of it.
#[tool(destructive)]
fn pay() -> Result<u8, ToolError> {
    eprintln!("paying");
    Err(ToolError::failed("the bank said nothing").with_outcome_unknown())
}

/// Sends money.
#[tool(read_only)]
fn send(cents: u64, yes: Approved<'_>) -> String {
    eprintln!("sending");
    yes.arguments().to_owned() + &format!(" {cents}")
}

pub(crate) fn program() -> Serve {
    let (north, south) = (Stock(1), Stock(2));
    let tools = tools![
        get_forecast,
        order,
        odd,
        tree,
        noisy,
        pages,
        endless,
        deaf,
        login,
        travel,
        charge,
        refund,
        transfer,
        boom,
        late,
        blocks,
        goodbye,
        hidden,
        ..north: Stock as "north_": "In the north.",
        ..south: Stock as "south_": "In the south.",
    ];
    let group = Namespace::new("strange").unwrap();
    let strange = Toolset::new([strange()]).unwrap().defer(group);
    let tools = tools.merge(&strange).unwrap();
    let attended = std::env::var("TOOLWRIGHT_ATTENDED");
    let tools = match attended.as_deref() {
        Ok("where the bank is silent") => tools.merge(&tools![pay]).unwrap(),
        Ok("with a wrong example") => tools.merge(&tools![wait]).unwrap(),
        Ok("by a yes" | "by nobody, with a yes") => tools.merge(&tools![send]).unwrap(),
        _ => tools,
    };
    let serve = Serve::new(tools)
        // Said first, and done last.
        .http(|http| {
            http.name("shop over HTTP")
                .executor(|executor| executor.timeout(Duration::from_millis(200)))
        })
        .executor(|executor| executor.timeout(Duration::from_hours(1)))
        .name("shop")
        .version("1.2.0")
        .about("A shop")
        .executor(|executor| executor.layer(Cents));
    match attended.as_deref() {
        Ok("where the bank is silent") => {
            serve.executor(|executor| executor.on_unknown_outcome(UnknownOutcome::Ask))
        }
        Ok("by nobody" | "by nobody, with a yes") => serve.unattended(),
        Ok("by the host") => serve.executor(|executor| {
            executor.layer(Approval::at_least(Risk::High).ask(|_| async {
                eprintln!("the host is asked");
                Decision::Approve
            }))
        }),
        _ => serve,
    }
}
