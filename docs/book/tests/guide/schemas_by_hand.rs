//! The page `schemas-by-hand.md`.

use toolwright::args::Repairs;
use toolwright::{Context, Encoder, Schema, ToolCall, schema::SchemaDoc, tool, tools};

use crate::output;

// ANCHOR: newtype
use serde::Deserialize;

mod semver {
    /// Stands in for a type of another crate, which serde reads from a string.
    #[derive(serde::Deserialize)]
    #[serde(transparent)]
    pub struct Version(pub String);
}

#[derive(Deserialize, Schema)]
#[schema(as = String)]
struct Release(semver::Version);

/// Publishes a release.
#[tool]
fn publish(release: Release) -> String {
    release.0.0
}
// ANCHOR_END: newtype

// ANCHOR: as
/// A point in time
#[derive(Deserialize, Schema)]
struct Alarm {
    #[serde(deserialize_with = "minutes")]
    #[schema(as = String, pattern = "^[0-9]{2}:[0-9]{2}$")]
    at: u32,
}

fn minutes<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let text = String::deserialize(deserializer)?;
    let (hour, minute) = text.split_once(':').unwrap_or_default();
    let parse = |text: &str| text.parse::<u32>().map_err(serde::de::Error::custom);
    Ok(60 * parse(hour)? + parse(minute)?)
}

/// Sets an alarm.
#[tool]
fn wake(alarm: Alarm) -> u32 {
    alarm.at
}
// ANCHOR_END: as

// ANCHOR: schema_with
use serde_json::{Value, json};

#[derive(Deserialize, Schema)]
struct Listen {
    /// Where the server listens
    #[schema(schema_with = free_port)]
    port: u16,
    #[schema(schema_with = menu)]
    menu: Value,
}

fn free_port() -> Value {
    json!({"type": "integer", "minimum": 1024, "maximum": 65535})
}

fn menu() -> Value {
    json!({
        "title": "Menu",
        "type": "object",
        "properties": {"label": {"type": "string"}, "items": {"type": "array", "items": {"$ref": "#"}}},
        "required": ["label"]
    })
}

/// Starts a server.
#[tool]
fn listen(server: Listen) -> u16 {
    server.port
}
// ANCHOR_END: schema_with

// ANCHOR: by_hand
use toolwright::schema::{Foreign, Id, Kind, Shape};

/// A temperature, which is read from a number or from `"21 °C"`.
#[derive(Deserialize)]
#[serde(from = "Value")]
struct Celsius(f64);

impl From<Value> for Celsius {
    fn from(json: Value) -> Self {
        let text = json
            .as_str()
            .and_then(|text| text.trim_end_matches("°C").trim().parse().ok());
        Self(text.or(json.as_f64()).unwrap_or(f64::NAN))
    }
}

impl Schema for Celsius {
    const ID: Id = Id::of(module_path!(), "Celsius");
    const SHAPE: &'static Shape<'static> = &Shape::new(Kind::Foreign(Foreign::of(celsius)));
}

fn celsius() -> Value {
    json!({"type": ["number", "string"], "description": "Degrees, such as 21 or \"21 °C\""})
}

/// Heats a room.
#[tool]
fn heat(to: Celsius) -> f64 {
    to.0
}
// ANCHOR_END: by_hand

// ANCHOR: schemars
#[derive(Deserialize, schemars::JsonSchema)]
struct Rating {
    #[schemars(range(min = 1, max = 5))]
    stars: u8,
}

/// Rates a hotel.
#[tool]
fn rate(rating: Rating) -> u8 {
    rating.stars
}
// ANCHOR_END: schemars

// ANCHOR: schemars_with
#[derive(Deserialize, Schema)]
struct Booking {
    #[schemars(schema_with = "nights")]
    nights: u32,
}

fn nights(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "integer", "minimum": 1})
}
// ANCHOR_END: schemars_with

// ANCHOR: json_schema
#[derive(Deserialize, Schema)]
#[schema(json_schema)]
struct Room {
    #[schema(range(1..=9))]
    beds: u8,
}

/// A type of another derive, which asks for schemars' trait.
#[derive(schemars::JsonSchema)]
struct Hotel {
    rooms: Vec<Room>,
}
// ANCHOR_END: json_schema

/// The answer to a call, with nothing repaired.
fn answer(name: &str, arguments: &str) -> String {
    let tools = tools![publish, wake, listen, heat, rate];
    let call = ToolCall::new("call_1", name, arguments);
    let cx = Context::new().with_repairs(Repairs::None);
    let result = tools.call_blocking(&call, &cx);
    result.content(Encoder::auto()).into_owned()
}

fn shown_type<T: Schema>(name: &str) {
    let name = format!("schemas_by_hand.{name}.json");
    output::shown_schema(&name, &SchemaDoc::of::<T>().to_provider_json());
}

#[test]
fn types_that_say_what_they_look_like() {
    shown_type::<Release>("newtype");
    assert_eq!(answer("publish", r#"{"release": "1.2"}"#), "1.2");
    shown_type::<Alarm>("as");
    assert_eq!(answer("wake", r#"{"alarm": {"at": "07:30"}}"#), "450");
}

#[test]
fn schemas_that_functions_return() {
    shown_type::<Listen>("schema_with");
    let listen = |port: u32| {
        let arguments = json!({"server": {"port": port, "menu": {"label": "a"}}});
        answer("listen", &arguments.to_string())
    };
    assert_eq!(listen(8080), "8080");
    output::shown("schemas_by_hand.refused.txt", &listen(80));
    assert_eq!(answer("heat", r#"{"to": "21 °C"}"#), "21.0");
    assert_eq!(answer("heat", r#"{"to": 19.5}"#), "19.5");
    output::shown(
        "schemas_by_hand.not_a_celsius.txt",
        &answer("heat", r#"{"to": true}"#),
    );
}

#[test]
fn schemars() {
    let fault = answer("rate", r#"{"rating": {"stars": 9}}"#);
    assert_eq!(
        fault,
        "rating.stars: expected an integer from 1 to 5, got 9"
    );
    let booking = SchemaDoc::of::<Booking>().to_value();
    assert_eq!(
        booking.pointer("/properties/nights/minimum"),
        Some(&json!(1))
    );
    let hotel = schemars::schema_for!(Hotel).to_value();
    assert_eq!(
        hotel.pointer("/properties/rooms/items/properties/beds/maximum"),
        Some(&json!(9))
    );
}
