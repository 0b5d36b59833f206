//! The page `bounds.md`.
// A tool with each bound.
#![allow(clippy::too_many_arguments)]

use toolwright::Toolset;
use toolwright::args::{FaultCode, Repairs};
use toolwright::schema::SchemaDoc;

use crate::output;

// ANCHOR: program
use serde::{Deserialize, Serialize};
use toolwright::{Context, Encoder, Schema, ToolCall, tool, tools};

/// How to sort
#[derive(Default, Deserialize, Serialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Sort {
    #[default]
    Stars,
    Price,
}

/// Finds hotels.
#[tool(read_only)]
fn search(
    #[arg(len(1..=80), example = "Oslo")] city: &str,
    /// Two letters
    #[arg(pattern = "^[A-Z]{2}$")]
    country: Option<&str>,
    #[arg(format = "date")] arrival: &str,
    #[arg(default = 1, range(1..=30))] nights: u8,
    #[arg(default = 200.0, range(..=5000.0))] price: f64,
    /// A coupon, in steps of five percent
    #[arg(default, multiple_of = 5)]
    discount: u8,
    #[arg(default, unique, len(..=3))] amenities: Vec<String>,
    #[arg(default)] sort: Sort,
) -> String {
    let sort = if matches!(sort, Sort::Price) {
        "price"
    } else {
        "stars"
    };
    let country = country.unwrap_or("any country");
    let amenities = amenities.join(", ");
    format!("{city}, {country}, {arrival}, {nights}, {price}, {discount}, [{amenities}], by {sort}")
}

fn main() {
    let tools = tools![search];
    let good = r#"{"city": "Oslo", "arrival": "2026-12-24"}"#;
    let bad = r#"{"city": "", "country": "Norway", "arrival": "24.12.2026", "nights": 0, "price": 9000,
        "discount": 7, "amenities": ["spa", "spa"], "sort": "name"}"#;
    for arguments in [good, bad] {
        let call = ToolCall::new("call_1", "search", arguments);
        let result = tools.call_blocking(&call, &Context::new());
        println!("{}", result.content(Encoder::auto()));
    }
}
// ANCHOR_END: program

// ANCHOR: expressions
const DEFAULT_LIMIT: u32 = 20;

fn languages() -> Vec<String> {
    vec!["en".to_owned(), "no".to_owned()]
}

/// A filter that cannot be written as JSON.
#[derive(Default, Deserialize, Schema)]
struct Filter {
    word: String,
}

/// Lists reviews.
#[tool(read_only)]
fn reviews(
    #[arg(default = DEFAULT_LIMIT / 2)] limit: u32,
    #[arg(default = languages())] languages: Vec<String>,
    #[arg(default = "newest")] order: &str,
    #[arg(default)] filter: Filter,
) -> String {
    format!("{limit} {languages:?} {order} {:?}", filter.word)
}
// ANCHOR_END: expressions

// ANCHOR: derived
/// A room
#[derive(Deserialize, Schema)]
struct Room {
    #[schema(range(1..=4), example = 2)]
    beds: u8,
    #[schema(title = "Room number", pattern = "^[0-9]{3}$")]
    number: Number,
    #[serde(default = "no_floors")]
    #[schema(len(..=5), unique)]
    floors: Vec<Floor>,
    #[schema(deprecated, description = "Nobody smokes here any more.")]
    smoking: Option<bool>,
}

/// From the ground up
#[derive(Debug, PartialEq, Deserialize, Serialize, Schema)]
struct Floor(#[schema(range(0..=12))] i32);

#[derive(Deserialize, Schema)]
struct Number(#[schema(len(3..=3))] String);

fn no_floors() -> Vec<Floor> {
    vec![Floor(0)]
}
// ANCHOR_END: derived

// ANCHOR: validate
/// Books a stay.
#[tool(validate = arrival_is_first)]
fn book(#[arg(format = "date")] arrival: &str, #[arg(format = "date")] departure: &str) -> String {
    format!("{arrival} to {departure}")
}

fn arrival_is_first(arrival: &str, departure: &str) -> Result<(), String> {
    if arrival < departure {
        Ok(())
    } else {
        Err(format!("departure: must be after {arrival}"))
    }
}
// ANCHOR_END: validate

/// Holds a number in a room.
#[tool]
fn hold(room: Room) -> String {
    format!(
        "{} {} {:?} {:?}",
        room.beds, room.number.0, room.floors, room.smoking
    )
}

/// Takes integers.
#[tool]
fn integers(small: u8, wide: u32, #[arg(range(..=4294967295))] said: u32) -> String {
    format!("{small} {wide} {said}")
}

fn schema(tools: &Toolset) -> String {
    let def = tools.definitions().next().unwrap();
    def.input.to_provider_json().into_owned()
}

fn answer(tools: &Toolset, name: &str, arguments: &str) -> String {
    let call = ToolCall::new("call_1", name, arguments);
    let cx = Context::new().with_repairs(Repairs::None);
    tools
        .call_blocking(&call, &cx)
        .content(Encoder::auto())
        .into_owned()
}

#[test]
fn the_first_program() {
    output::shown_schema("bounds.search.json", &schema(&tools![search]));
    let printed = output::of(main);
    let (good, bad) = printed.split_once('\n').unwrap();
    output::shown("bounds.good.txt", good);
    output::shown("bounds.bad.txt", bad);
}

#[test]
fn defaults_are_expressions() {
    let tools = tools![reviews];
    output::shown_schema("bounds.expressions.json", &schema(&tools));
    assert_eq!(
        answer(&tools, "reviews", "{}"),
        r#"10 ["en", "no"] newest """#
    );
}

#[test]
fn types_have_bounds() {
    let tools = tools![hold];
    output::shown_schema(
        "bounds.derived.json",
        &SchemaDoc::of::<Room>().to_provider_json(),
    );
    let good = r#"{"room": {"beds": 2, "number": "101"}}"#;
    assert_eq!(answer(&tools, "hold", good), "2 101 [Floor(0)] None");
    let bad = r#"{"room": {"beds": 9, "number": "10a", "floors": [1, 13]}}"#;
    output::shown("bounds.derived.txt", &answer(&tools, "hold", bad));
}

#[test]
fn what_no_bound_says() {
    let tools = tools![book];
    let arguments = r#"{"arrival": "2026-12-24", "departure": "2026-12-23"}"#;
    output::shown("bounds.validate.txt", &answer(&tools, "book", arguments));
    // Without a valid form there is nothing to compare.
    let fault = answer(
        &tools,
        "book",
        r#"{"arrival": "soon", "departure": "2026-12-23"}"#,
    );
    assert_eq!(
        fault,
        r#"arrival: expected a string in the format `date`, got "soon""#
    );
}

#[test]
fn widths_and_ranges() {
    let tools = tools![integers];
    output::shown_schema("bounds.integers.json", &schema(&tools));
    let call = ToolCall::new(
        "call_1",
        "integers",
        r#"{"small": 256, "wide": -1, "said": 1}"#,
    );
    let error = tools
        .call_blocking(&call, &Context::new())
        .outcome
        .unwrap_err();
    let codes: Vec<_> = error.faults().iter().map(|fault| fault.code).collect();
    assert_eq!(codes, [FaultCode::OutOfRange, FaultCode::OutOfRange]);
}

#[test]
fn patterns_and_lengths() {
    /// Takes a text.
    #[tool]
    fn take(#[arg(pattern = "b")] unanchored: &str, #[arg(len(1..=1))] one: &str) -> String {
        format!("{unanchored} {one}")
    }
    let tools = tools![take];
    // Anywhere in the text; characters and not bytes.
    assert_eq!(
        answer(&tools, "take", r#"{"unanchored": "abc", "one": "é"}"#),
        "abc é"
    );
}

#[test]
fn formats_that_are_checked() {
    macro_rules! formats {
        ($($format:literal: $good:literal, $bad:literal;)*) => {$({
            /// Takes a text.
            #[tool]
            fn take(#[arg(format = $format)] text: &str) -> String {
                text.to_owned()
            }
            let tools = tools![take];
            let call = |text: &str| answer(&tools, "take", &format!(r#"{{"text": "{text}"}}"#));
            assert_eq!(call($good), $good);
            assert!(call($bad).starts_with("text: expected a string in the format"), $format);
        })*};
    }
    formats! {
        "date-time": "2026-12-24T10:00:00Z", "2026-12-24 10:00";
        "date": "2026-12-24", "24.12.2026";
        "time": "10:00:00Z", "10";
        "duration": "PT5M", "5m";
        "email": "ada@example.org", "ada";
        "idn-email": "ada@example.org", "ada";
        "hostname": "example.org", "-";
        "idn-hostname": "example.org", "-";
        "ipv4": "127.0.0.1", "127.0.0";
        "ipv6": "::1", "1";
        "uri": "https://example.org", "example";
        "uri-reference": "example", " ";
        "uuid": "00000000-0000-0000-0000-000000000000", "0";
        "json-pointer": "/a", "a";
    }
}

#[test]
fn ends_and_maps() {
    use std::collections::BTreeMap;
    /// Takes numbers.
    #[tool]
    fn take(
        #[arg(range(0.0..1.0))] share: f64,
        #[arg(len(1..))] counts: BTreeMap<String, u8>,
        #[arg(range(1..=5))] stars: Option<u8>,
    ) -> String {
        format!("{share} {counts:?} {stars:?}")
    }
    let tools = tools![take];
    let schema = schema(&tools);
    assert!(schema.contains(r#""exclusiveMaximum":1"#), "{schema}");
    assert!(schema.contains(r#""minProperties":1"#), "{schema}");
    let found = answer(
        &tools,
        "take",
        r#"{"share": 0.5, "counts": {"a": 1}, "stars": null}"#,
    );
    assert_eq!(found, r#"0.5 {"a": 1} None"#);
    let found = answer(&tools, "take", r#"{"share": 1, "counts": {}, "stars": 6}"#);
    assert_eq!(found.lines().count(), 3, "{found}");
}
