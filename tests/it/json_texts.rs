//! Any text: ours and `serde_json` take the same ones for JSON and read the same from them, what
//! was written is read back, and nothing panics. `PROPTEST_CASES=100000` looks harder.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use crate::json::CheckText;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright::{
    Context, Schema, ToolError,
    args::{Arena, FaultCode},
    call::{Call, ErrorKind},
    tool, tools,
};

fn decode<T: Schema + DeserializeOwned>(arguments: &str) -> Result<T, ToolError> {
    Call::new(arguments, &Arena::new(), &Context::new()).decode()
}

/// A number in some spelling.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<u64>().prop_map(|n| n.to_string()),
        any::<i8>().prop_map(|n| format!("{n}.0")),
        (any::<i32>(), 0..20u32, -30..30i32).prop_map(|(n, m, e)| format!("{n}.{m}e{e}")),
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,2})?",
        select(vec![
            "-0",
            "-0.0",
            "0e0",
            "18446744073709551616",
            "-9223372036854775809",
            "5e-324"
        ])
        .prop_map(str::to_owned),
    ]
}

/// A string with the quotes: plain characters and escapes of every kind.
fn string() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-c \\[\\]{},:]{0,9}",
        1 => "[é€😀\u{7f}\u{80}\u{2028}]{1,3}",
        1 => select(vec!["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"])
            .prop_map(str::to_owned),
        1 => any::<char>().prop_map(|char| {
            let units = char.encode_utf16(&mut [0; 2]).to_vec();
            units.iter().map(|unit| format!("\\u{unit:04x}")).collect::<Vec<_>>().concat()
        }),
    ];
    vec(part, 0..4).prop_map(|parts| format!("\"{}\"", parts.concat()))
}

fn space() -> impl Strategy<Value = &'static str> {
    select(vec!["", "", " ", "\n", "\t \r"])
}

/// A JSON text.
fn json() -> impl Strategy<Value = String> {
    let word = select(vec!["true", "false", "null"]).prop_map(str::to_owned);
    let leaf = prop_oneof![word, number(), string()];
    let spaced = |text: BoxedStrategy<String>| {
        (space(), text, space()).prop_map(|(a, b, c)| format!("{a}{b}{c}"))
    };
    leaf.prop_recursive(5, 40, 6, move |inner| {
        let item = spaced(inner.boxed()).boxed();
        let entry = (spaced(string().boxed()), item.clone())
            .prop_map(|(key, value)| format!("{key}:{value}"));
        prop_oneof![
            (space(), vec(item, 0..6))
                .prop_map(|(space, items)| format!("[{space}{}]", items.join(","))),
            (space(), vec(entry, 0..6))
                .prop_map(|(space, items)| format!("{{{space}{}}}", items.join(","))),
        ]
    })
}

/// A text that once was JSON, with some characters changed.
fn broken_json() -> impl Strategy<Value = String> {
    let insert = select(
        "[]{},:\"\\/u0123456789.eE+-tfn \n\u{0}aé😀\u{feff}"
            .chars()
            .collect::<Vec<_>>(),
    );
    let edit = (any::<Index>(), 0..3usize, proptest::option::of(insert));
    (json(), vec(edit, 1..4)).prop_map(|(text, edits)| {
        let mut chars: Vec<char> = text.chars().collect();
        for (at, delete, insert) in edits {
            let at = at.index(chars.len() + 1);
            let end = (at + delete).min(chars.len());
            chars.splice(at..end, insert);
        }
        chars.into_iter().collect()
    })
}

fn is_near(a: f64, b: f64) -> bool {
    // serde_json is off by a bit at times; ours is exact.
    (a - b).abs() <= a.abs() * 1e-14 || (a.abs() < 1e-300 && b.abs() < 1e-300)
}

/// Whether two values are equal, numbers by what they stand for.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let exact = (a.as_u64(), a.as_i64()) == (b.as_u64(), b.as_i64());
            exact
                || (a
                    .as_f64()
                    .zip(b.as_f64())
                    .is_some_and(|(a, b)| is_near(a, b)))
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| is_same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Whether the decoder agrees with `serde_json` on this text, in the place of an argument.
fn agree(text: &str) -> Result<(), TestCaseError> {
    let text = format!(r#"{{"v":{text}}}"#);
    let theirs = serde_json::from_str::<Value>(&text);
    match (decode::<Map<String, Value>>(&text), theirs) {
        (Ok(ours), Ok(theirs)) => {
            let ours = Value::Object(ours);
            prop_assert!(is_same(&ours, &theirs), "{ours} is not {theirs}");
        }
        (Err(_), Err(_)) => {}
        (Ok(ours), Err(error)) => prop_assert!(false, "{text:?} is {ours:?} for us; {error}"),
        (Err(error), Ok(theirs)) => {
            prop_assert!(!error.faults().is_empty(), "{error:?}");
            for fault in error.faults() {
                // A number beyond `f64` is one for `serde_json` where a neighbour switches that on.
                let is_ours = matches!(fault.code, FaultCode::DuplicateKey | FaultCode::OutOfRange);
                prop_assert!(is_ours, "{text:?} is {theirs} for serde_json; {error}");
            }
        }
    }
    Ok(())
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Schema)]
struct All {
    byte: i8,
    small: i64,
    large: u64,
    huge: i128,
    float: f64,
    half: f32,
    flag: bool,
    letter: char,
    text: String,
    none: (),
    maybe: Option<u16>,
    list: Vec<String>,
    map: BTreeMap<String, i32>,
    numbered: BTreeMap<i16, char>,
    pair: (u8, bool),
    three: [u32; 3],
    inner: Option<Inner>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Schema)]
struct Inner {
    #[serde(rename = "the \"text\"")]
    text: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Kind {
    OneKind,
    Other,
}

fn all() -> impl Strategy<Value = All> {
    let finite = any::<f64>().prop_filter("JSON has no others", |float| float.is_finite());
    let half = any::<f32>().prop_filter("JSON has no others", |float| float.is_finite());
    let kind = select(vec![Kind::OneKind, Kind::Other]);
    let inner = (any::<String>(), kind).prop_map(|(text, kind)| Inner { text, kind });
    (
        (
            any::<i8>(),
            any::<i64>(),
            any::<u64>(),
            any::<i128>(),
            finite,
            half,
        ),
        (
            any::<bool>(),
            any::<char>(),
            any::<String>(),
            any::<Option<u16>>(),
        ),
        vec(any::<String>(), 0..4),
        btree_map(any::<String>(), any::<i32>(), 0..20),
        btree_map(any::<i16>(), any::<char>(), 0..4),
        (
            any::<(u8, bool)>(),
            any::<[u32; 3]>(),
            proptest::option::of(inner),
        ),
    )
        .prop_map(|(numbers, plain, list, map, numbered, rest)| {
            let (byte, small, large, huge, float, half) = numbers;
            let (flag, letter, text, maybe) = plain;
            let (pair, three, inner) = rest;
            All {
                byte,
                small,
                large,
                huge,
                float,
                half,
                flag,
                letter,
                text,
                none: (),
                maybe,
                list,
                map,
                numbered,
                pair,
                three,
                inner,
            }
        })
}

/// Takes many types.
#[tool]
fn many(
    a: i64,
    b: Option<&str>,
    all: &[All],
    map: Option<&BTreeMap<u8, f32>>,
    #[arg(default)] v: Value,
) -> usize {
    let _ = (a, b, map, v);
    all.len()
}

fn config() -> ProptestConfig {
    ProptestConfig {
        // The case is in the message; a file of cases would be one more thing to keep.
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn json_is_read_as_serde_json_reads_it(text in json()) {
        agree(&text)?;
    }

    #[test]
    fn broken_json_is_refused_as_serde_json_refuses_it(text in broken_json()) {
        agree(&text)?;
    }

    #[test]
    fn what_was_written_is_read_back(value in all()) {
        let text = serde_json::to_string(&value).unwrap();
        prop_assert_eq!(decode::<All>(&text).unwrap(), value.clone());
        let text = serde_json::to_string_pretty(&value).unwrap();
        prop_assert_eq!(decode::<All>(&text).unwrap(), value);
    }

    #[test]
    fn an_integer_is_the_same_in_every_spelling(n in any::<i64>(), zeros in 0..30usize, shift in 0..30usize) {
        let spelled = format!("{n}{}.{}e-{zeros}", "0".repeat(zeros), "0".repeat(shift + 1));
        let read = decode::<BTreeMap<String, i64>>(&format!(r#"{{"n": {spelled}}}"#));
        prop_assert_eq!(read.unwrap(), BTreeMap::from([("n".to_owned(), n)]));

        let fraction = format!("{n}{}1e-{}", "0".repeat(zeros), zeros + 1);
        let read = decode::<BTreeMap<String, i64>>(&format!(r#"{{"n": {fraction}}}"#));
        prop_assert_eq!(read.unwrap_err().faults().len(), 1);
    }

    #[test]
    fn every_text_gets_an_answer(
        text in prop_oneof![
            any::<String>(),
            "[\\[\\]{},:\"\\\\0-9.eE+\\-a-dnulv \u{0}é😀]{0,40}",
            broken_json(),
            (select(vec!["a", "b", "all", "map", "v"]), broken_json())
                .prop_map(|(key, json)| format!("{{\"{key}\": {json}}}")),
        ]
    ) {
        let tools = tools![many];
        if let Err(error) = tools.check_text("many", &text) {
            prop_assert_eq!(error.kind(), ErrorKind::InvalidArgs);
            let faults = error.faults();
            prop_assert!(faults.iter().all(|fault| !fault.message.is_empty()));
            let is_no_json = faults.iter().any(|fault| fault.code == FaultCode::InvalidJson);
            if is_no_json {
                prop_assert_eq!(faults.len(), 1);
            }
            // Half a surrogate pair is none to `serde_json` only where it reads the string.
            let is_blank = text.trim_matches([' ', '\n', '\r', '\t']).is_empty();
            if !is_blank && !text.to_lowercase().contains("\\ud") {
                let is_json = serde_json::from_str::<IgnoredAny>(&text).is_ok();
                prop_assert_eq!(is_json, !is_no_json);
            }
        }
    }
}
