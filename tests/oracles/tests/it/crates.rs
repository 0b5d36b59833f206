//! Types of other crates as arguments and results: faults at their paths, secrets, what borrows and what nests.
// A test that finds less than it expects has failed; and tools take what people write.
#![allow(clippy::unwrap_used, clippy::needless_pass_by_value, dead_code)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use camino::{Utf8Path, Utf8PathBuf};
use chrono::NaiveDate;
use either::Either;
use indexmap::IndexMap;
use secrecy::{ExposeSecret, SecretBox, SecretString};
use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use smallvec::SmallVec;
use smol_str::SmolStr;
use toolwright::{
    Context, Dialect, Encoder, Executor, Schema, ToolCall, Toolset, dialect::lower,
    schema::SchemaDoc, tokens::Tokenizer, tool, tools,
};

fn content(tools: &Toolset, name: &str, arguments: &Value) -> String {
    let call = ToolCall::new("1", name, arguments.to_string());
    let result = tools.call_blocking(&call, &Context::new());
    result.content(Encoder::auto()).into_owned()
}

/// All of them.
#[derive(Debug, Serialize, Deserialize, Schema)]
struct All {
    timestamp: jiff::Timestamp,
    zoned: jiff::ZonedDateTime,
    span: jiff::Span,
    old: jiff02::Timestamp,
    old_span: jiff02::Span,
    day: time::Date,
    at: time::OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    #[schema(as = String, format = "date-time")]
    rfc3339: time::OffsetDateTime,
    month: time::Month,
    dates: Vec<IndexMap<String, NaiveDate>>,
    few: SmallVec<[SmolStr; 2]>,
    either: Either<u8, Version>,
    needs: Option<VersionReq>,
    price: bigdecimal::BigDecimal,
    score: ordered_float::NotNan<f64>,
    path: Utf8PathBuf,
}

/// Echoes.
#[tool]
fn echo(all: All) -> All {
    all
}

fn good() -> Value {
    json!({
        "timestamp": "2026-12-31T23:59:59Z",
        "zoned": "2026-12-31T23:59:59-05:00[-05:00]",
        "span": "P1DT2H30M",
        "old": "2026-12-31T23:59:59Z",
        "old_span": "P1D",
        "day": "2026-12-31",
        "at": "2026-12-31 23:59:59.0 +01:00:00",
        "rfc3339": "2026-12-31T23:59:59Z",
        "month": "May",
        "dates": [{"b": "2026-12-31", "a": "2026-01-01"}],
        "few": ["a", "b", "c"],
        "either": {"Right": "1.2.3"},
        "needs": "^1.2",
        "price": "12.50",
        "score": 0.5,
        "path": "/a",
    })
}

#[test]
fn what_is_read_is_written_again() {
    let echoed: Value =
        serde_json::from_str(&content(&tools![echo], "echo", &json!({"all": good()}))).unwrap();
    assert_eq!(echoed, good());
}

#[test]
fn the_order_of_keys_is_kept() {
    /// Echoes.
    #[tool]
    fn keys(map: IndexMap<String, u8>) -> IndexMap<String, u8> {
        map
    }
    let call = ToolCall::new("1", "keys", r#"{"map": {"b": 1, "a": 2, "c": 3}}"#);
    let result = tools![keys].call_blocking(&call, &Context::new());
    assert_eq!(result.content(Encoder::auto()), r#"{"b":1,"a":2,"c":3}"#);
    let call = ToolCall::new("1", "keys", r#"{"map": {"b": 1, "b": 2}}"#);
    let result = tools![keys].call_blocking(&call, &Context::new());
    assert_eq!(
        result.content(Encoder::auto()),
        "map.b: given more than once"
    );
}

#[test]
fn what_is_wrong_is_said_at_its_path() {
    let table = [
        (
            "timestamp",
            json!("31.12.2026"),
            r#"expected a string in the format `date-time`, got "31.12.2026""#,
        ),
        (
            "timestamp",
            json!("9999-12-31T23:59:59Z"),
            r#"expected a string in the format `date-time`, got "9999-12-31T23:59:59Z""#,
        ),
        (
            "zoned",
            json!("2026-12-31T23:59:59-05:00"),
            "expected a string (Date and time with a time zone, such as `2026-12-31T23:59:59-05:00[America/New_York]`), got \"2026-12-31T23:59:59-05:00\"",
        ),
        (
            "span",
            json!("soon"),
            "expected a string (ISO 8601 duration, such as `P1DT2H30M`), got \"soon\"",
        ),
        (
            "day",
            json!([2026, 365]),
            "expected a string in the format `date`, got [2026,365]",
        ),
        (
            "at",
            json!([2026, 365, 23, 59, 59, 0, 1, 0, 0]),
            "expected a string, got [2026,365,23,59,59,0,1,0,0]",
        ),
        (
            "at",
            json!("2026-12-31T23:59:59Z"),
            "expected a string (Date and time with an offset, such as `2026-12-31 23:59:59.0 +01:00:00`), got \"2026-12-31T23:59:59Z\"",
        ),
        (
            "rfc3339",
            json!("2026-12-31 23:59:59"),
            "expected a string in the format `date-time`, got \"2026-12-31 23:59:59\"",
        ),
        (
            "needs",
            json!("1.x.y.z"),
            "expected a string or null (Requirement on a semantic version, such as `^1.2` or `>=1.2, <2`), got \"1.x.y.z\"",
        ),
        (
            "price",
            json!("1e999999999"),
            r#"expected a string of at most 1000 characters that matches `^-?[0-9]+(\.[0-9]+)?([Ee][+-]?[0-9]{1,3})?$`, got "1e999999999""#,
        ),
        (
            "price",
            json!("1".repeat(1001)),
            r#"expected a string of at most 1000 characters that matches `^-?[0-9]+(\.[0-9]+)?([Ee][+-]?[0-9]{1,3})?$`, got "11111111111111111111111111111111111111111111111111111111111… (943 more characters)"#,
        ),
        ("score", json!("NaN"), "expected a number, got \"NaN\""),
    ];
    let mut wrong = Vec::new();
    for (key, value, fault) in table {
        let mut all = good();
        all[key] = value.clone();
        let said = content(&tools![echo], "echo", &json!({ "all": all }));
        if said != format!("all.{key}: {fault}") {
            wrong.push(format!("{key} {value:.40}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (path, value, fault) in [
        (
            "/dates/0/a",
            json!("2026-02-30"),
            "all.dates[0].a: expected a string in the format `date`, got \"2026-02-30\"",
        ),
        (
            "/either/Right",
            json!("1.2"),
            "all.either.Right: \"1.2\" is refused: unexpected end of input while parsing minor version number",
        ),
        ("/few/1", json!(1), "all.few[1]: expected a string, got 1"),
    ] {
        let mut all = good();
        *all.pointer_mut(path).unwrap() = value;
        // Nothing is repaired.
        let call = ToolCall::new("1", "echo", json!({ "all": all }).to_string());
        let cx = Context::new().with_repairs(toolwright::args::Repairs::None);
        let result = tools![echo].call_blocking(&call, &cx);
        assert_eq!(result.content(Encoder::auto()), fault);
    }
}

/// Takes moments.
#[tool]
fn moments(
    new: Option<jiff::Timestamp>,
    old: Option<jiff02::Timestamp>,
    chrono: Option<chrono::DateTime<chrono::Utc>>,
    time: Option<Moment>,
) {
    let _ = (new, old, chrono, time);
}

#[derive(Deserialize, Schema)]
struct Moment(
    #[serde(with = "time::serde::rfc3339")]
    #[schema(as = String, format = "date-time")]
    time::OffsetDateTime,
);

#[test]
fn moments_of_the_format_are_read() {
    let spellings = [
        "2026-12-31T23:59:59Z",
        "2026-12-31t23:59:59z",
        "2026-12-31T23:59:59.123456789+23:59",
        "2026-12-31T23:59:59-00:00",
        "2016-12-31T23:59:60Z",
        "0000-01-01T00:00:00Z",
        "9999-12-30T21:59:59Z",
        "2026-12-31T23:59:59.1234567891Z",
        "9999-12-31T23:59:59Z",
    ];
    let mut refused = Vec::new();
    for key in ["new", "old", "chrono", "time"] {
        for text in spellings {
            let call = ToolCall::new("1", "moments", json!({ key: text }).to_string());
            let result = tools![moments].call_blocking(&call, &Context::new());
            if result.outcome.is_err() {
                refused.push(format!("{key} {text}"));
            }
        }
    }
    // As `docs/decoder-and-schema.md` lists them.
    assert_eq!(
        refused,
        [
            "new 2026-12-31T23:59:59.1234567891Z",
            "new 9999-12-31T23:59:59Z",
            "old 2026-12-31T23:59:59.1234567891Z",
            "old 9999-12-31T23:59:59Z",
        ]
    );
}

#[test]
fn every_dialect_takes_them_or_says_why_not() {
    let schema = SchemaDoc::of::<All>();
    let refused: Vec<_> = Dialect::ALL
        .into_iter()
        .filter_map(|dialect| {
            let error = lower(&schema, dialect).err()?;
            Some(format!("{dialect}: {error}"))
        })
        .collect();
    assert_eq!(refused, [""; 0]);
}

/// Reads a file.
#[tool]
fn read(path: &Utf8Path, other: Option<&Utf8Path>, name: SmolStr) -> String {
    format!("{path} {other:?} {name}")
}

#[test]
fn paths_are_borrowed() {
    let arguments = json!({"path": "/a \"b\"/é", "name": "n"});
    assert_eq!(
        content(&tools![read], "read", &arguments),
        "/a \"b\"/é None n"
    );
    let arguments = json!({"path": "/a", "other": "/b", "name": "n"});
    assert_eq!(
        content(&tools![read], "read", &arguments),
        "/a Some(\"/b\") n"
    );
}

/// A tree whose edges lead back by way of other crates' types.
#[derive(Debug, Serialize, Deserialize, Schema)]
struct Folder {
    files: IndexMap<String, Entry>,
}

#[derive(Debug, Serialize, Deserialize, Schema)]
struct Entry {
    #[schema(recursive)]
    inner: SmallVec<[Either<Box<Folder>, u8>; 1]>,
    #[serde(default)]
    next: IndexMap<String, Entry>,
}

#[test]
fn recursive_types_lead_through_them() {
    /// Counts.
    #[tool]
    fn count(folder: Folder) -> usize {
        folder
            .files
            .values()
            .map(|entry| entry.inner.len() + entry.next.len())
            .sum()
    }
    let good = json!({"folder": {"files": {"a": {"inner": [{"Left": {"files": {}}}, {"Right": 1}], "next": {"b": {"inner": []}}}}}});
    assert_eq!(content(&tools![count], "count", &good), "3");
    let bad = json!({"folder": {"files": {"a": {"inner": [{"Left": {"files": {"b": {"inner": [{"Right": 256}]}}}}]}}}});
    assert_eq!(
        content(&tools![count], "count", &bad),
        "folder.files.a.inner[0].Left.files.b.inner[0].Right: expected an integer from 0 to 255, got 256"
    );
}

#[derive(Clone, Deserialize, Schema)]
struct Card {
    number: String,
    cvc: u16,
}

impl secrecy::zeroize::Zeroize for Card {
    fn zeroize(&mut self) {
        self.number.zeroize();
        self.cvc.zeroize();
    }
}

/// Pays.
#[tool]
fn pay(
    token: SecretString,
    more: Option<SecretString>,
    card: SecretBox<Card>,
    named: BTreeMap<String, SecretBox<u32>>,
    times: u8,
) -> usize {
    let more = more.map_or(0, |more| more.expose_secret().len());
    let card = card.expose_secret();
    let named: u32 = named.values().map(|value| *value.expose_secret()).sum();
    token.expose_secret().len()
        + more
        + card.number.len()
        + usize::from(card.cvc)
        + named as usize
        + usize::from(times)
}

#[test]
fn secrets_are_read_and_look_like_what_they_hold() {
    let arguments = json!({"token": "abc", "more": "d", "card": {"number": "12", "cvc": 3}, "named": {"a": 4}, "times": 5});
    assert_eq!(content(&tools![pay], "pay", &arguments), "18");
    assert_eq!(
        SchemaDoc::of::<SecretString>().as_json(),
        r#"{"type":"string"}"#
    );
    assert_eq!(
        SchemaDoc::of::<SecretBox<Card>>().as_json(),
        SchemaDoc::of::<Card>().as_json()
    );
}

#[test]
fn no_secret_is_shown() {
    const HIDDEN: u32 = 4_242_421;
    let hidden = HIDDEN.to_string();
    let bad = [
        json!({"token": HIDDEN, "card": {}, "named": {}, "times": 1}),
        json!({"token": ["4242421"], "more": HIDDEN, "card": "4242421", "named": {"a": "x4242421"}, "times": 300}),
        json!({"token": "4242421", "card": {"number": HIDDEN, "cvc": HIDDEN, "4242421": 1}, "named": {"a": -4_242_421}, "times": 1}),
        json!({"token": "4242421", "card": {"number": "4242421", "cvc": "4242421"}, "named": {"a": [HIDDEN]}, "times": 1}),
        // And one that runs.
        json!({"token": "4242421", "more": "4242421", "card": {"number": "4242421", "cvc": 1}, "named": {"a": HIDDEN}, "times": 1}),
    ];
    let events = Arc::new(Mutex::new(String::new()));
    let seen = Arc::clone(&events);
    let executor = Executor::serial(tools![pay]).on_event(move |event| {
        *seen.lock().unwrap() += &format!("{event:?}");
    });
    for (at, arguments) in bad.iter().enumerate() {
        let call = ToolCall::new(format!("c{at}"), "pay", arguments.to_string());
        let batch = executor.run_blocking(&[call], &Context::new());
        let result = batch.results().next().unwrap();
        assert_eq!(result.outcome.is_ok(), at + 1 == bad.len(), "{result:?}");
        let said = format!(
            "{batch:?} {result:?} {}",
            result.content(Encoder::envelope())
        );
        assert!(!said.contains(&hidden), "{said}");
    }
    let events = events.lock().unwrap();
    assert!(events.contains("[secret]"), "{events}");
    assert!(!events.contains(&hidden), "{events}");
}

/// A price, in euros
#[derive(Debug, Clone, Serialize, Deserialize, Schema)]
struct Price(#[schema(range(..=1000))] rust_decimal::Decimal);

/// Takes numbers of other crates, within bounds.
#[tool]
fn settle(
    /// In euros
    #[arg(range(0.01..), multiple_of = 0.01)]
    amount: rust_decimal::Decimal,
    #[arg(range(-1..1))] rate: Option<bigdecimal::BigDecimal>,
    #[arg(range(1..))] price: Option<Price>,
    #[arg(range(0.5..=1))] score: Option<ordered_float::NotNan<f64>>,
    #[arg(range(0..1), multiple_of = 0.25)] share: Option<ordered_float::OrderedFloat<f32>>,
    #[arg(range(1..))] number: Option<serde_json::Number>,
) -> String {
    format!("{amount} {rate:?} {price:?} {score:?} {share:?} {number:?}")
}

/// Rounds.
#[tool]
fn round(#[arg(range(-1.5..1.5), multiple_of = 0.1)] a: rust_decimal::Decimal) -> String {
    a.round().to_string()
}

#[test]
fn bounds_hold_for_numbers_that_are_strings() {
    let tools = tools![settle];
    let schema = tools.get("settle").unwrap().def().input.to_value();
    let keys = &schema["properties"];
    let description = |key: &str| keys[key]["description"].clone();
    assert_eq!(
        description("amount"),
        json!("In euros [minimum 0.01; multipleOf 0.01]")
    );
    assert_eq!(
        description("rate"),
        json!("[minimum -1; exclusiveMaximum 1]")
    );
    assert_eq!(
        description("price"),
        json!("A price, in euros [minimum 1; maximum 1000]")
    );
    assert_eq!(keys["amount"]["minimum"], Value::Null);
    for tools in [tools![settle], tools![round]] {
        let def = tools.definitions().next().unwrap();
        assert!(def.tokens(Tokenizer::O200k) <= def.token_bound());
    }
    assert_eq!(keys["score"]["minimum"], json!(0.5));
    assert_eq!(keys["share"]["multipleOf"], json!(0.25));
    assert_eq!(keys["number"]["minimum"], json!(1));

    let fault = |key: &str, value: Value| {
        let mut arguments = json!({"amount": "1.50"});
        arguments[key] = value;
        content(&tools, "settle", &arguments)
    };
    let accepted = [
        ("amount", json!("0.01")),
        ("amount", json!("000.010")),
        ("amount", json!("79228162514264337593543950335")),
        ("rate", json!("-1")),
        ("rate", json!("-1.000")),
        ("rate", json!("9.999999999999999999999999e-1")),
        ("price", json!("1000.00")),
        ("score", json!(0.5)),
        ("share", json!(0.75)),
        ("number", json!(1.5)),
    ];
    for (key, value) in accepted {
        let answer = fault(key, value.clone());
        assert!(!answer.contains("expected"), "{key} {value}: {answer}");
    }
    let refused = [
        ("amount", json!("0.001")),
        ("amount", json!("0.00999999999999999999999999999")),
        ("amount", json!("-0.01")),
        ("amount", json!("0.015")),
        ("amount", json!("abc")),
        ("amount", json!(0)),
        ("rate", json!("1.00")),
        ("rate", json!("1e0")),
        ("rate", json!("-1.0000000000000000000000001")),
        ("price", json!("0.99")),
        ("price", json!("1000.01")),
        ("score", json!(0.49)),
        ("share", json!(0.3)),
        ("share", json!(1)),
        ("number", json!(0.5)),
    ];
    for (key, value) in refused {
        let answer = fault(key, value.clone());
        assert!(answer.contains("expected"), "{key} {value}: {answer}");
    }
    assert!(
        fault("amount", json!("0.001")).contains(
            "expected a number of 0.01 or more, a multiple of 0.01, as a string that matches"
        ),
        "{}",
        fault("amount", json!("0.001"))
    );
}

#[derive(Debug, Deserialize, Schema)]
struct Bill {
    #[schema(range(2..), multiple_of = 0.25)]
    amount: rust_decimal::Decimal,
}

/// Sends a bill.
#[tool]
fn send_bill(bill: Bill) -> String {
    bill.amount.to_string()
}

#[test]
fn an_example_of_a_number_that_is_a_string_is_within_its_bounds() {
    let answer = content(&tools![send_bill], "send_bill", &json!({}));
    assert!(answer.contains(r#"such as {"amount":"2.00"}"#), "{answer}");
}
