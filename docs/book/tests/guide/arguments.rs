//! The page `arguments.md`.

use serde_json::json;
use toolwright::args::Repairs;
use toolwright::{Context, Encoder, ToolCall, ToolDef};

use crate::output;

// ANCHOR: search
use serde::Deserialize;
use toolwright::{Schema, tool, tools};

/// Where to look
#[derive(Deserialize, Schema)]
#[serde(rename_all = "camelCase")]
struct Place {
    /// City name
    city: String,
    /// Two letters, such as `NO`
    country_code: Option<String>,
}

/// How to sort
#[derive(Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Order {
    Price,
    Stars,
}

/// Finds hotels.
///
/// # Arguments
/// - `nights`: how many nights
#[tool(read_only)]
fn search(
    place: Place,
    nights: u8,
    /// Words that the hotel's description must contain
    words: &[String],
    order: Option<Order>,
) -> String {
    let order = match order {
        Some(Order::Stars) => "stars",
        Some(Order::Price) | None => "price",
    };
    format!(
        "{nights} nights in {}, {} words, by {order}",
        place.city,
        words.len()
    )
}
// ANCHOR_END: search

// ANCHOR: borrowed
use std::borrow::Cow;

#[derive(Deserialize, Schema)]
struct Note<'a> {
    title: &'a str,
    tags: Vec<&'a str>,
}

/// Stores a note.
#[tool]
fn store(note: Note<'_>, text: Cow<'_, str>, folder: Option<&str>) -> usize {
    let folder = folder.unwrap_or("inbox");
    note.title.len() + note.tags.len() + text.len() + folder.len()
}
// ANCHOR_END: borrowed

// ANCHOR: external
/// What to pay with
#[derive(Deserialize, Schema)]
#[serde(rename_all = "snake_case")]
enum Payment {
    Cash,
    Card { number: String },
}
// ANCHOR_END: external

// ANCHOR: internal
/// What to draw
#[derive(Deserialize, Schema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Figure {
    Circle { radius: f64 },
    Label { text: String },
}
// ANCHOR_END: internal

// ANCHOR: untagged
/// A customer
#[derive(Deserialize, Schema)]
#[serde(untagged)]
enum Customer {
    Number(u32),
    Email { email: String },
}
// ANCHOR_END: untagged

// ANCHOR: flattened
/// A parcel
#[derive(Deserialize, Schema)]
struct Parcel {
    grams: u16,
    #[serde(flatten)]
    route: Route,
}

#[derive(Deserialize, Schema)]
#[serde(tag = "by", rename_all = "snake_case")]
enum Route {
    Post { zip: String },
    Courier { phone: String },
}
// ANCHOR_END: flattened

// ANCHOR: open
/// Headers of a request
#[derive(Deserialize, Schema)]
#[schema(open)]
struct Headers {
    accept: String,
}
// ANCHOR_END: open

// ANCHOR: recursive
/// A folder
#[derive(Deserialize, Schema)]
struct Folder {
    name: String,
    folders: Vec<Folder>,
}
// ANCHOR_END: recursive

// ANCHOR: mutual
#[derive(Deserialize, Schema)]
struct Person {
    name: String,
    employer: Option<Box<Company>>,
}

#[derive(Deserialize, Schema)]
struct Company {
    #[schema(recursive)]
    owner: Box<Person>,
}
// ANCHOR_END: mutual

// ANCHOR: flatten
#[derive(Deserialize, Schema)]
struct Booking {
    /// Name of the guest
    guest: String,
    nights: u8,
}

/// Books a room.
#[tool]
fn book(#[arg(flatten)] booking: Booking) -> String {
    format!("{} nights for {}", booking.nights, booking.guest)
}
// ANCHOR_END: flatten

// ANCHOR: rename
/// Reads a file.
#[tool]
fn read(#[arg(rename = "path")] given: &str, _unused: bool) -> String {
    given.to_owned()
}
// ANCHOR_END: rename

// ANCHOR: generic
use serde::de::DeserializeOwned;
use toolwright::Toolset;

trait Record: Schema + DeserializeOwned + Send + 'static {
    const TABLE: &'static str;
}

impl Record for Place {
    const TABLE: &'static str = "places";
}

impl Record for Booking {
    const TABLE: &'static str = "bookings";
}

/// Inserts a record.
#[tool]
fn insert<T: Record>(record: T) -> String {
    let _ = record;
    format!("inserted into {}", T::TABLE)
}

fn both() -> Toolset {
    tools![
        insert::<Place> as "insert_place",
        insert::<Booking> as "insert_booking": "Inserts a booking of a guest.",
    ]
}
// ANCHOR_END: generic

// ANCHOR: others
use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use url::Url;
use uuid::Uuid;

/// Schedules a payment.
#[tool]
fn schedule(id: Uuid, amount: Decimal, at: DateTime<Utc>, receipt: Option<Url>) -> String {
    format!("{id}: {amount} at {at}, {receipt:?}")
}
// ANCHOR_END: others

// ANCHOR: any
/// Posts an event.
#[tool]
fn post(topic: &str, payload: serde_json::Value) -> String {
    format!("{topic}: {payload}")
}
// ANCHOR_END: any

// ANCHOR: methods
struct Crm {
    region: &'static str,
}

#[tool]
impl Crm {
    /// Counts the customers.
    #[tool(read_only)]
    fn count(&self) -> String {
        format!("7 in the {}", self.region)
    }

    /// Finds a customer.
    #[tool(read_only)]
    async fn find(&self, name: &str) -> String {
        format!("{name} of the {}", self.region)
    }
}

fn regions() -> Toolset {
    let (north, south) = (Crm { region: "north" }, Crm { region: "south" });
    tools![
        ..north: Crm as "north_",
        ..south: Crm as "south_": "In the southern region.",
    ]
}
// ANCHOR_END: methods

// ANCHOR: run_time
use toolwright::{DynTool, ToolError, schema::SchemaDoc};

fn from_a_row(
    name: String,
    about: String,
    schema: &str,
) -> Result<Toolset, Box<dyn std::error::Error>> {
    let tool = DynTool::builder()
        .name(name)
        .description(about)
        .parameters(SchemaDoc::parse(schema)?)
        .handler_sync(|arguments: serde_json::Value, _cx| {
            Ok::<_, ToolError>(format!("sun in {}", arguments["city"]))
        })
        .build()?;
    Ok(Toolset::new([tool])?)
}
// ANCHOR_END: run_time

/// What providers get of the first tool's arguments.
fn parameters(tools: &Toolset) -> String {
    let def = tools.definitions().next().unwrap();
    def.input.to_provider_json().into_owned()
}

/// Each tool's name and description.
fn listed(tools: &Toolset) -> String {
    let line = |def: &ToolDef| format!("{}: {}", def.name, def.description);
    tools.definitions().map(line).collect::<Vec<_>>().join("\n")
}

/// The answer to a call, with nothing repaired.
fn answer(tools: &Toolset, name: &str, arguments: &str) -> String {
    let call = ToolCall::new("call_1", name, arguments);
    let cx = Context::new().with_repairs(Repairs::None);
    tools
        .call_blocking(&call, &cx)
        .content(Encoder::auto())
        .into_owned()
}

fn shown_type<T: Schema>(name: &str) {
    let name = format!("arguments.{name}.json");
    output::shown_schema(&name, &SchemaDoc::of::<T>().to_provider_json());
}

#[test]
fn the_first_program() {
    let tools = tools![search];
    output::shown_schema("arguments.search.json", &parameters(&tools));
    let arguments = r#"{"place": {"city": "Oslo"}, "nights": 2, "words": ["sauna"]}"#;
    assert_eq!(
        answer(&tools, "search", arguments),
        "2 nights in Oslo, 1 words, by price"
    );
    let arguments = r#"{"place": {"city": "Oslo"}, "nights": 2, "words": [], "order": null}"#;
    assert_eq!(
        answer(&tools, "search", arguments),
        "2 nights in Oslo, 0 words, by price"
    );
}

/// A table of types: each is the type of a parameter.
macro_rules! types {
    ($($words:literal: $ty:ty;)*) => {{
        let mut table = vec!["| type | schema |".to_owned(), "| --- | --- |".to_owned()];
        $({
            /// Takes a value.
            #[tool]
            fn take(value: $ty) {
                let _ = value;
            }
            let tools = tools![take];
            let schema = tools.definitions().next().unwrap().input.to_provider_json().into_owned();
            let start = r#"{"type":"object","properties":{"value":"#;
            let required = r#"},"required":["value"],"additionalProperties":false}"#;
            let optional = r#"},"additionalProperties":false}"#;
            let schema = schema.strip_prefix(start).unwrap();
            let schema = schema
                .strip_suffix(required)
                .or_else(|| schema.strip_suffix(optional))
                .unwrap();
            let schema = schema.replace('|', r"\|");
            table.push(format!("| {} | `` {schema} `` |", $words));
        })*
        table.join("\n")
    }};
}

#[track_caller]
fn same<A: Schema, B: Schema>() {
    assert_eq!(
        SchemaDoc::of::<A>().to_provider_json(),
        SchemaDoc::of::<B>().to_provider_json()
    );
}

#[test]
fn types_of_std() {
    use std::collections::{BTreeMap, BTreeSet, HashMap};
    use std::net::{IpAddr, Ipv4Addr, SocketAddr};
    use std::num::NonZero;
    use std::time::Duration;
    let table = types! {
        "`bool`": bool;
        "`u8`; so `i8`, `i16`, `u16`": u8;
        "`u32`, `u64`, `u128`, `usize`": u64;
        "`i32`, `i64`, `i128`, `isize`": i64;
        "`NonZero<u32>`": NonZero<u32>;
        "`f32`, `f64`": f64;
        "`&str`, `String`, `Cow<str>`, `PathBuf`": &str;
        "`char`": char;
        "`Option<T>`": Option<bool>;
        "`Vec<T>`, `&[T]`, `VecDeque<T>`": &[bool];
        "`[T; 3]`": [bool; 3];
        "`BTreeSet<T>`, `HashSet<T>`": BTreeSet<bool>;
        "`HashMap<String, T>`, `BTreeMap<String, T>`": HashMap<String, bool>;
        "`HashMap<u32, T>`": BTreeMap<u32, bool>;
        "`(A, B)`, up to 16 elements": (bool, String);
        "`IpAddr`": IpAddr;
        "`Ipv4Addr`; so `Ipv6Addr`": Ipv4Addr;
        "`SocketAddr`": SocketAddr;
        "`Duration`": Duration;
        "`()`": ();
        "`serde_json::Value`": serde_json::Value;
    };
    output::shown("arguments.types.md", &table);
    // In the same row, the same schema.
    same::<u32, u64>();
    same::<u128, usize>();
    same::<u64, usize>();
    same::<i32, i64>();
    same::<i128, isize>();
    same::<i64, isize>();
    same::<f32, f64>();
    same::<String, Cow<'_, str>>();
    same::<String, std::path::PathBuf>();
    same::<Vec<u8>, std::collections::VecDeque<u8>>();
    same::<BTreeSet<u8>, std::collections::HashSet<u8>>();
    same::<Box<u8>, std::sync::Arc<u8>>();
    same::<Box<u8>, u8>();
}

/// Takes a small number.
#[tool]
fn small(count: u32, ratio: f32) -> String {
    format!("{count} {ratio}")
}

#[test]
fn widths_are_enforced() {
    let tools = tools![small];
    let faults = answer(&tools, "small", r#"{"count": 4294967296, "ratio": 1e40}"#);
    output::shown("arguments.widths.txt", &faults);
    assert_eq!(
        answer(&tools, "small", r#"{"count": 2.0, "ratio": 1}"#),
        "2 1"
    );
}

#[test]
fn text_is_borrowed() {
    let tools = tools![store];
    let arguments = r#"{"note": {"title": "a", "tags": ["b"]}, "text": "c\n"}"#;
    assert_eq!(answer(&tools, "store", arguments), "9");
}

#[test]
fn enums() {
    shown_type::<Payment>("external");
    shown_type::<Figure>("internal");
    shown_type::<Customer>("untagged");
    shown_type::<Parcel>("flattened");
}

/// Sends a request.
#[tool]
fn send(headers: Headers) -> String {
    headers.accept
}

#[test]
fn keys_and_functions() {
    let tools = tools![search, send];
    let arguments =
        r#"{"place": {"city": "Oslo", "zip": 1}, "nights": 2, "words": [], "night": 3}"#;
    output::shown(
        "arguments.unknown.txt",
        &answer(&tools, "search", arguments),
    );
    shown_type::<Headers>("open");
    let arguments = r#"{"headers": {"accept": "text/html", "dnt": 1}}"#;
    assert_eq!(answer(&tools, "send", arguments), "text/html");
}

#[test]
fn recursive_types() {
    shown_type::<Folder>("recursive");
    assert!(SchemaDoc::of::<Person>().as_json().contains("$ref"));
}

#[test]
fn structs_and_names() {
    let tools = tools![book];
    output::shown_schema("arguments.flatten.json", &parameters(&tools));
    let arguments = r#"{"guest": "Ada", "nights": 2}"#;
    assert_eq!(answer(&tools, "book", arguments), "2 nights for Ada");
    let tools = tools![read];
    output::shown_schema("arguments.rename.json", &parameters(&tools));
}

#[test]
fn generic_tools() {
    let tools = both();
    let text = listed(&tools);
    output::shown("arguments.generic.txt", &text);
    let arguments = r#"{"record": {"guest": "Ada", "nights": 2}}"#;
    assert_eq!(
        answer(&tools, "insert_booking", arguments),
        "inserted into bookings"
    );
}

#[test]
fn types_of_other_crates() {
    let tools = tools![schedule, post];
    output::shown_schema("arguments.others.json", &parameters(&tools));
    assert_eq!(
        answer(&tools, "post", r#"{"topic": "a", "payload": [1, null]}"#),
        "a: [1,null]"
    );
}

#[test]
fn types_of_other_crates_as_a_table() {
    let table = types! {
        "`chrono`: `DateTime<Tz>`": DateTime<Utc>;
        "`chrono`: `NaiveDate`": chrono::NaiveDate;
        "`chrono`: `NaiveTime`": chrono::NaiveTime;
        "`chrono`: `NaiveDateTime`": chrono::NaiveDateTime;
        "`chrono`: `Weekday`": chrono::Weekday;
        "`chrono`: `Month`": chrono::Month;
        "`uuid`: `Uuid`": Uuid;
        "`url`: `Url`": Url;
        "`rust_decimal`: `Decimal`": Decimal;
        "`bytes`: `Bytes`, `BytesMut`": bytes::Bytes;
    };
    output::shown("arguments.crates.md", &table);
}

#[test]
fn methods_of_two_values() {
    let tools = regions();
    let text = listed(&tools);
    output::shown("arguments.methods.txt", &text);
    assert_eq!(answer(&tools, "south_count", "{}"), "7 in the south");
    assert_eq!(
        answer(&tools, "north_find", r#"{"name": "Ada"}"#),
        "Ada of the north"
    );
}

#[test]
fn a_schema_that_arrives_at_run_time() {
    let schema = json!({
        "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"],
    });
    let tools = from_a_row(
        "forecast".into(),
        "Weather of a city.".into(),
        &schema.to_string(),
    );
    let tools = tools.unwrap();
    assert_eq!(
        answer(&tools, "forecast", r#"{"city": "Oslo"}"#),
        "sun in \"Oslo\""
    );
    let fault = answer(&tools, "forecast", r#"{"city": 1}"#);
    assert_eq!(fault, "city: expected a string, got 1");
}

#[test]
fn lists_and_registries() {
    use toolwright::{Registry, tool_of};
    let tools = tools![
        #[cfg(false)]
        read as "book",
        book,
    ];
    assert_eq!(tools.iter().len(), 1);
    let registry = Registry::new();
    registry.insert(tool_of!(book));
    registry.insert(tool_of!(read as "book"));
    assert!(registry.get("book").is_some());
    let def = registry.snapshot().definitions().next().unwrap().clone();
    assert_eq!(def.description, "Reads a file.");
}

#[test]
fn arguments_that_are_passed_over() {
    /// Says hello.
    #[tool(ignore_unknown)]
    fn hello(name: &str) -> String {
        format!("hello {name}")
    }
    let tools = tools![hello];
    assert_eq!(
        answer(&tools, "hello", r#"{"name": "Ada", "age": 36}"#),
        "hello Ada"
    );
    assert!(!parameters(&tools).contains("additionalProperties"));
}
