//! What the model is told: one line a fault, all faults of a call.

use std::collections::BTreeMap;

use crate::json::CheckText;
use serde::de::{Deserializer, Error as _, Unexpected, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json, value::RawValue};
use toolwright::args::FaultCode::{
    Bound, DuplicateKey, InvalidJson, MissingArgument, NotObject, OutOfRange, TooDeep,
    UnknownArgument, WrongType,
};
use toolwright::{
    DynTool, Schema, ToolError, Toolset,
    args::FaultCode,
    schema::{SchemaDoc, Shape},
    tool, tools,
};

use super::{any_schema, decode};

#[derive(Serialize, Deserialize, Schema)]
#[serde(rename_all = "snake_case")]
enum Speed {
    Normal,
    NextDay,
}

#[derive(Serialize, Deserialize, Schema)]
struct Line {
    sku: String,
    qty: u8,
    #[serde(default)]
    tags: BTreeMap<String, u8>,
}

/// A type with a rule of its own.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Country;

impl TryFrom<String> for Country {
    type Error = &'static str;

    fn try_from(code: String) -> Result<Self, Self::Error> {
        match code.as_str() {
            "NO" => Ok(Self),
            _ => Err("we only ship to Norway"),
        }
    }
}

/// Another one, as people write it by hand.
struct Even;

impl<'de> Deserialize<'de> for Even {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u8::deserialize(deserializer)? {
            even if even % 2 == 0 => Ok(Self),
            odd => Err(D::Error::invalid_value(
                Unexpected::Unsigned(odd.into()),
                &"an even number",
            )),
        }
    }
}

impl Schema for Country {
    const SHAPE: &'static Shape<'static> = String::SHAPE;
}

impl Schema for Even {
    const SHAPE: &'static Shape<'static> = u8::SHAPE;
}

/// Orders.
#[tool]
fn order(
    lines: Vec<Line>,
    country: Country,
    speed: Option<Speed>,
    #[arg(default = Even)] seats: Even,
    gift: Option<bool>,
) -> &'static str {
    let _ = (lines, country, speed, seats, gift);
    "ordered"
}

/// Path, code and words of a fault.
type Told<'a> = (&'a str, FaultCode, &'a str);

#[track_caller]
fn assert_refused(tools: &Toolset, tool: &str, json: &str, expected: &[Told<'_>]) {
    let error = tools.check_text(tool, json).unwrap_err();
    let faults: Vec<Told<'_>> = error
        .faults()
        .iter()
        .map(|fault| (fault.path.as_str(), fault.code, fault.message.as_str()))
        .collect();
    assert_eq!(faults, expected, "{json}");
}

/// One row a text: `json => faults;`.
macro_rules! refusals {
    ($tools:expr, $tool:expr; $($json:expr => $($fault:expr),+;)*) => {
        $(assert_refused($tools, $tool, $json, &[$($fault),+]);)*
    };
}

#[test]
fn each_fault_has_its_words() {
    refusals! { &tools![order], "order";
        r#"{"lines": [{"sku": "a", "qty": 1}, {"sku": "b", "qty": "three"}], "country": "NO"}"# =>
            ("lines[1].qty", WrongType, r#"expected an integer from 0 to 255, got "three""#);
        r#"{"lines": [{"sku": "a", "qty": 300}], "country": "NO"}"# =>
            ("lines[0].qty", OutOfRange, "expected an integer from 0 to 255, got 300");
        r#"{"lines": [{"sku": "a", "qty": 1, "tags": {"a b\n\u0001é\"": true}}], "country": "NO"}"# =>
            (r#"lines[0].tags["a b\n\u0001é\""]"#, WrongType, "expected an integer from 0 to 255, got true");
        r#"{"lines": [{"sku": "a", "qyt": 1}], "country": "NO"}"# =>
            ("lines[0].qyt", UnknownArgument, "unknown key; did you mean `qty`?"),
            ("lines[0].qty", MissingArgument, "missing, expected an integer from 0 to 255");
        r#"{"lines": [{"sku": "a", "colour": 1}], "country": "NO"}"# =>
            ("lines[0].colour", UnknownArgument, "unknown key; there are `sku`, `qty`, `tags`"),
            ("lines[0].qty", MissingArgument, "missing, expected an integer from 0 to 255");
        r#"{"lines": [{"sku": "a", "sku": "a"}], "country": "NO"}"# =>
            ("lines[0].sku", DuplicateKey, "given more than once"),
            ("lines[0].qty", MissingArgument, "missing, expected an integer from 0 to 255");
        r#"{"lines": [{"qty": 1}], "country": "NO"}"# =>
            ("lines[0].sku", MissingArgument, "missing, expected a string");
        r#"{"lines": [], "country": "SE"}"# =>
            ("country", Bound, r#""SE" is refused: we only ship to Norway"#);
        r#"{"lines": [], "country": "NO", "seats": 3}"# =>
            ("seats", Bound, "3 is refused: expected an even number");
        r#"{"lines": [], "country": "NO", "speed": "nextDay"}"# =>
            ("speed", WrongType, r#"expected one of "normal", "next_day", got "nextDay"; did you mean `next_day`?"#);
        r#"{"lines": [], "country": "NO", "speed": "overnight"}"# =>
            ("speed", WrongType, r#"expected one of "normal", "next_day", got "overnight""#);
        r#"{"lines": [], "country": "NO", "spede": "normal"}"# =>
            ("spede", UnknownArgument, "unknown argument; did you mean `speed`?");
        r#"{"lines": [], "country": "NO", "": 1}"# =>
            (r#"[""]"#, UnknownArgument, "unknown argument; there are `lines`, `country`, `speed`, `seats`, `gift`");
        r#"[{"lines": []}]"# =>
            ("", NotObject, r#"the arguments must be a JSON object, got [{"lines": []}]"#);
        r#" "{\"lines\": []}" "# =>
            ("", NotObject, r#"the arguments must be a JSON object, got "{\"lines\": []}""#);

        // Every fault of a call, in the order of the text; then what is missing.
        r#"{"speed": 1, "lines": 2, "gift": "yes", "gift": true, "wrap": {"a": [1]}, "lines": []}"# =>
            ("speed", WrongType, r#"expected one of "normal", "next_day" or null, got 1"#),
            ("lines", WrongType, r#"expected an array, such as [{"sku":"text","qty":1}], got 2"#),
            ("gift", WrongType, r#"expected true or false or null, got "yes""#),
            ("gift", DuplicateKey, "given more than once"),
            ("wrap", UnknownArgument, "unknown argument; there are `lines`, `country`, `speed`, `seats`, `gift`"),
            ("lines", DuplicateKey, "given more than once"),
            ("country", MissingArgument, "missing, expected a string");
    }
}

/// Takes nothing.
#[tool]
fn nothing() -> &'static str {
    "done"
}

#[test]
fn what_is_known_of_an_object_is_told() {
    refusals! { &tools![nothing], "nothing";
        r#"{"a": 1}"# => ("a", UnknownArgument, "unknown argument; there is none to give");
    }
    refusals! { &tools![super::echo::<u8> as "echo"], "echo";
        r#"{"v": 1, "a": 1}"# => ("a", UnknownArgument, "unknown argument; the only one is `v`");
    }
}

#[test]
fn a_text_that_is_no_json_has_that_one_fault() {
    macro_rules! invalid {
        ($($json:expr => $at:literal $rest:expr;)*) => { [$(($json, $at, $rest)),*] };
    }
    let table = invalid! {
        "{" => 1 "a key in double quotes, the text ends";
        "nul" => 0 "a JSON value, found 'n'";
        r#"{"lines": 1,}"# => 12 "no comma before the closing bracket, found '}'";
        r#"{"lines": [1,]}"# => 13 "no comma before the closing bracket, found ']'";
        r#"{"lines": [1 2]}"# => 13 "`,` or `]`, found '2'";
        r#"{"lines": 1 "country": 2}"# => 12 "`,` or `}`, found '\"'";
        r#"{"lines" 1}"# => 9 "`:`, found '1'";
        r#"{"lines": }"# => 10 "a JSON value, found '}'";
        r#"{"lines": é}"# => 10 "a JSON value, found 'é'";
        "{lines: 1}" => 1 "a key in double quotes, found 'l'";
        "{'lines': 1}" => 1 "a key in double quotes, found '\\''";
        r#"{"é": 01}"# => 8 "no digit after a leading zero, found '1'";
        r#"{"é": -}"# => 8 "a digit, found '}'";
        r#"{"é": +1}"# => 7 "a JSON value, found '+'";
        r#"{"é": .5}"# => 7 "a JSON value, found '.'";
        r#"{"é": 1.}"# => 9 "a digit, found '}'";
        r#"{"é": 1e}"# => 9 "a digit, found '}'";
        r#"{"é": 0x1}"# => 8 "`,` or `}`, found 'x'";
        r#"{"é": NaN}"# => 7 "a JSON value, found 'N'";
        r#"{"é": truE}"# => 7 "a JSON value, found 't'";
        r#"{"é": "\é"}"# => 8 r"an escape such as \n or \u00e9, found '\\'";
        r#"{"é": "\u00g0"}"# => 8 r"four hexadecimal digits after \u, found '\\'";
        r#"{"é": "\u00"}"# => 8 r"four hexadecimal digits after \u, found '\\'";
        "{\"é\": \"a\nb\"}" => 9 "an escape: a control character may not stand in a string, found '\\n'";
        r#"{"é": "😀"# => 12 "the end of a string, the text ends";
        r#"{"é": "a\"# => 9 r"an escape such as \n or \u00e9, found '\\'";
        r#"{"lines": []} {}"# => 14 "the end of the text, found '{'";
        "{\u{a0}}" => 1 "a key in double quotes, found '\\u{a0}'";
        "\u{feff}{}" => 0 "a JSON value, found '\\u{feff}'";
    };
    let tools = tools![order];
    for (json, at, rest) in table {
        let words = format!("the arguments are not valid JSON: at byte {at} expected {rest}");
        assert_refused(&tools, "order", json, &[("", InvalidJson, &words)]);
    }
}

/// The half is only one value's fault, and everything before it can be read.
#[test]
fn half_of_a_pair_is_told_with_its_path() {
    let tools = tools![order];
    for (json, path, at) in [
        (r#"{"é": "\ud83d"}"#, "é", 8),
        (r#"{"é": "\ud83d\u0041"}"#, "é", 8),
        (r#"{"a": "\ude00"}"#, "a", 7),
        (r#"{"a": [1, {"b": "x\ud83d"}]}"#, "a[1].b", 18),
        (r#"{"a\ud83d": 1}"#, "", 3),
        (r#"["\ud83d"]"#, "[0]", 2),
        (r#""\ud83d""#, "", 1),
    ] {
        let half = r"a surrogate pair (this half stands alone), found '\\'";
        let words = format!("the arguments are not valid JSON: at byte {at} expected {half}");
        assert_refused(&tools, "order", json, &[(path, InvalidJson, &words)]);
    }
}

#[test]
fn values_nest_128_deep_the_arguments_included() {
    let tools = tools![super::echo::<serde_json::Value> as "echo"];
    for (open, close) in [("[", "]"), (r#"{"k": "#, "}")] {
        let nested = |times| format!(r#"{{"v": {}1{}}}"#, open.repeat(times), close.repeat(times));
        assert!(tools.check_text("echo", nested(127)).is_ok());
        for depth in [128, 100_000] {
            let words = "more than 128 arrays and objects inside each other";
            assert_refused(&tools, "echo", &nested(depth), &[("", TooDeep, words)]);
        }
    }
}

#[test]
fn what_is_long_is_cut() {
    let tools = tools![order];
    let long = "é".repeat(1000);
    let (cut, more) = ("é".repeat(59), "é".repeat(60));
    let table = [
        (
            format!(r#"{{"lines": "{long}", "country": "NO"}}"#),
            "lines",
            format!(
                r#"expected an array, such as [{{"sku":"text","qty":1}}], got "{cut}… (942 more characters)"#
            ),
        ),
        (
            format!("{{\"lines\":\n[\n  \"{long}\"], \"country\": \"NO\"}}"),
            "lines[0]",
            format!(
                r#"expected an object, such as {{"sku":"text","qty":1}}, got "{cut}… (942 more characters)"#
            ),
        ),
        (
            format!(r#"{{"lines": [], "country": "NO", "speed": "{long}"}}"#),
            "speed",
            format!(r#"expected one of "normal", "next_day", got "{cut}… (942 more characters)"#),
        ),
        (
            format!(r#"{{"lines": [], "country": "{long}"}}"#),
            "country",
            format!("\"{cut}… (942 more characters) is refused: we only ship to Norway"),
        ),
        (
            "{\"lines\": [], \"country\": \"NO\", \"gift\": {\"a\":\n[1,\t2]}}".into(),
            "gift",
            r#"expected true or false or null, got {"a": [1, 2]}"#.into(),
        ),
    ];
    for (json, path, words) in &table {
        let error = tools.check_text("order", json).unwrap_err();
        let faults: Vec<_> = error
            .faults()
            .iter()
            .map(|fault| (&*fault.path, &*fault.message))
            .collect();
        assert_eq!(faults, [(*path, words.as_str())]);
    }

    let key = format!(r#"{{"lines": [], "country": "NO", "{long}": 1}}"#);
    let error = tools.check_text("order", key).unwrap_err();
    let fault = error.faults().first().unwrap();
    assert_eq!(fault.path, format!("[\"{cut}… (942 more characters)]"));

    let text = tools
        .check_text("order", format!("\"{long}{more}\""))
        .unwrap_err();
    assert_eq!(
        text.to_string(),
        format!("the arguments must be a JSON object, got \"{cut}… (1002 more characters)")
    );
}

#[test]
fn more_than_16_faults_are_counted() {
    let tools = tools![order];
    let unknown: Vec<_> = (0..17).map(|n| format!(r#""x{n}": 1"#)).collect();
    for (extra, more) in [
        ("", "and 3 more faults"),
        (r#", "lines": []"#, "and 2 more faults"),
        (r#", "lines": [], "country": "NO""#, "and 1 more fault"),
    ] {
        let json = format!("{{{}{extra}}}", unknown.join(", "));
        let error = tools.check_text("order", json).unwrap_err();
        assert_eq!(error.faults().len(), 16);
        let told: Vec<_> = error.messages().collect();
        assert_eq!(told.len(), 17);
        assert_eq!(told.last(), Some(&more));
    }
}

#[test]
fn very_many_faults_are_counted_too() {
    let tools = tools![order];
    let unknown: Vec<_> = (0..500_000).map(|n| format!(r#""x{n}":1"#)).collect();
    let json = format!("{{{}}}", unknown.join(","));
    let error = tools.check_text("order", json).unwrap_err();
    assert_eq!(error.messages().last(), Some("and 499986 more faults"));
}

/// Its fields are the arguments.
#[tool]
fn flat(#[arg(flatten)] line: Line) -> u8 {
    line.qty
}

/// The same tool, known at run time only.
fn dynamic(is_typed: bool) -> Toolset {
    let builder = DynTool::builder().name("flat").description("Counts.");
    let qty = |line: Line, _| Ok::<_, ToolError>(line.qty);
    let tool = if is_typed {
        builder.typed_sync(qty)
    } else {
        builder.handler_sync(qty)
    };
    Toolset::new([tool.build().unwrap()]).unwrap()
}

#[test]
fn arguments_that_are_one_struct_have_the_same_words() {
    for tools in [tools![flat], dynamic(true)] {
        refusals! { &tools, "flat";
            "{" => ("", InvalidJson, "the arguments are not valid JSON: at byte 1 expected a key in double quotes, the text ends");
            "[]" => ("", NotObject, "the arguments must be a JSON object, got []");
            "" => ("sku", MissingArgument, "missing, expected a string"),
                ("qty", MissingArgument, "missing, expected an integer from 0 to 255");
            r#"{"sku": 1, "qty": 1}"# => ("sku", WrongType, "expected a string, got 1");
            r#"{"sku": "a", "qty": 256}"# => ("qty", OutOfRange, "expected an integer from 0 to 255, got 256");
            r#"{"sku": "a", "qyt": 1}"# => ("qyt", UnknownArgument, "unknown argument; did you mean `qty`?"),
                ("qty", MissingArgument, "missing, expected an integer from 0 to 255");
            r#"{"sku": "a", "qty": 1, "qty": 1}"# => ("qty", DuplicateKey, "given more than once");
            r#"{"sku": "a", "qty": 1, "tags": {"b": []}}"# => ("tags.b", WrongType, "expected an integer from 0 to 255, got []");
        }
        assert!(
            tools
                .check_text("flat", r#"{"sku": "a", "qty": 1.0}"#)
                .is_ok()
        );
    }
    // Without a schema, serde's own list of keys helps out.
    refusals! { &dynamic(false), "flat";
        r#"{"sku": 1, "qty": 1}"# => ("sku", WrongType, "expected a string, got 1");
        r#"{"sku": "a"}"# => ("qty", MissingArgument, "missing");
        r#"{"qyt": 1}"# => ("qyt", UnknownArgument, "unknown argument; did you mean `qty`?");
    }
    let raw = DynTool::builder()
        .name("raw")
        .description("Takes JSON as it stands.")
        .handler_sync(|json: Box<RawValue>, _| Ok::<_, ToolError>(json));
    refusals! { &Toolset::new([raw.build().unwrap()]).unwrap(), "raw";
        r#"{"a": {"b": 1, "b": 2}}"# => ("a.b", DuplicateKey, "given more than once");
    }
}

/// Reads nothing of its value.
#[derive(Deserialize)]
struct Blind(
    #[allow(dead_code)]
    #[serde(deserialize_with = "blind")]
    u8,
);

// serde hands the deserializer on by value.
#[allow(clippy::unnecessary_wraps)]
fn blind<'de, D: Deserializer<'de>>(_: D) -> Result<u8, D::Error> {
    Ok(7)
}

/// Reads the first entry of an object and no more.
struct First;

impl<'de> Deserialize<'de> for First {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = First;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an entry")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<First, A::Error> {
                map.next_entry::<String, u8>()?;
                Ok(First)
            }
        }
        deserializer.deserialize_map(Words)
    }
}

/// Says that it may be missing, and refuses `null`.
#[derive(Deserialize)]
struct Never(#[allow(dead_code)] u8);

impl Schema for Never {
    const SHAPE: &'static Shape<'static> = Option::<u8>::SHAPE;
}

any_schema!(Blind, First);

/// Takes types that are not what they say.
#[tool]
fn odd(
    #[arg(default = Blind(0))] blind: Blind,
    #[arg(default = First)] first: First,
    never: Never,
) -> &'static str {
    let _ = (blind, first, never);
    "odd"
}

#[test]
fn a_type_that_reads_wrongly_is_told_like_a_wrong_value() {
    let tools = tools![odd];
    refusals! { &tools, "odd";
        r#"{"never": 1, "blind": 1}"# => ("blind", WrongType, "expected another value, got 1");
        r#"{"never": 1, "blind": [{"a": 1}]}"# =>
            ("blind", WrongType, r#"expected another value, got [{"a": 1}]"#);
        r#"{"never": 1, "first": {"a": 1, "b": 2}}"# => ("first.b", UnknownArgument, "unknown key");
        "{}" => ("never", MissingArgument, "missing, expected an integer from 0 to 255 or null");
        r#"{"never": null}"# => ("never", WrongType, "expected an integer from 0 to 255 or null, got null");
    }
    assert!(
        tools
            .check_text("odd", r#"{"never": 1, "first": {"a": 1}}"#)
            .is_ok()
    );
}

/// Refuses its value every other time.
#[derive(Deserialize)]
#[serde(try_from = "u8")]
struct Moody;

impl TryFrom<u8> for Moody {
    type Error = &'static str;

    fn try_from(_: u8) -> Result<Self, Self::Error> {
        use std::sync::atomic::{AtomicBool, Ordering};
        static GOOD: AtomicBool = AtomicBool::new(true);
        if GOOD.fetch_not(Ordering::Relaxed) {
            Err("not now")
        } else {
            Ok(Self)
        }
    }
}

any_schema!(Moody);

/// Is moody.
#[tool]
fn moody(v: Moody) -> &'static str {
    let _ = v;
    "fine"
}

#[test]
fn a_refusal_has_a_fault_whatever_the_type_does() {
    let tools = tools![moody];
    assert_refused(
        &tools,
        "moody",
        r#"{"v": 1}"#,
        &[("", Bound, r#"{"v": 1} is refused: not now"#)],
    );
}

#[test]
fn validating_and_calling_tell_the_same() {
    let tools = tools![order];
    for json in ["{", "[]", "{}", r#"{"lines": 1, "x": 2}"#] {
        let told = super::answer(&tools, "order", json).unwrap_err();
        assert_eq!(
            tools.check_text("order", json).unwrap_err().to_string(),
            told
        );
    }
    let told = decode::<Line>("{}").err().unwrap();
    let lines = [
        "sku: missing, expected a string",
        "qty: missing, expected an integer from 0 to 255",
    ];
    assert_eq!(told.to_string(), lines.join("\n"));
    assert!(decode::<Line>(r#"{"sku": "a", "qty": 1}"#).is_ok());
}

/// Types that nobody looks into before serde reads them.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    Not { of: Box<Tagged> },
    Nothing,
}

#[derive(Serialize, Deserialize)]
struct Flattening {
    #[serde(flatten)]
    of: Outside,
}

#[derive(Serialize, Deserialize)]
enum Outside {
    One(u8),
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Either {
    Number(std::num::NonZeroU8),
}

#[derive(Serialize, Deserialize)]
struct NonZero(std::num::NonZeroU8);

any_schema!(Tagged, Flattening, Either, NonZero);

#[test]
fn what_serde_says_itself_is_told_in_our_words() {
    super::echo_rows! {
        Tagged, r#"{"kind": "Not", "of": {"kind": 2}}"#,
            Err(r#"v: expected another value, got {"kind": "Not", "of": {"kind": 2}}"#);
        Tagged, r#"{"kind": "Not", "of": {"kind": "None"}}"#,
            Err(r#"v: expected one of "Not", "Nothing", got "None""#);
        Flattening, r#"{"two": 2}"#, Err(r#"v: expected another value, got {"two": 2}"#);
        Either, "0", Err("v: expected another value, got 0");
        NonZero, "0", Err("v: expected another number, got 0");
    }
}

/// What a library of Rust's says of a text tells a model nothing.
#[test]
fn what_a_library_refuses_is_told_in_our_words() {
    super::echo_rows! {
        std::net::SocketAddr, r#""localhost:80""#,
            Err(r#"v: expected a string (IP address and port, such as `127.0.0.1:80` or `[::1]:80`), got "localhost:80""#);
        std::num::NonZeroU8, "0", Err("v: expected an integer from 1 to 255, got 0");
        std::net::IpAddr, r#""1.2.3""#,
            Err(r#"v: expected a string in the format `ipv4` or a string in the format `ipv6`, such as "192.0.2.1", got "1.2.3""#);
    }
}

/// A schema may list thousands of values, forms or keys. A fault shows a dozen and the nearest names.
#[test]
fn long_lists_are_cut_in_faults() {
    let names: Vec<String> = (0..200).map(|at| format!("state_{at:03}")).collect();
    let forms: Vec<_> = (1..=200)
        .map(|at| json!({"type": "array", "minItems": at}))
        .collect();
    let keys: serde_json::Map<_, _> = names.iter().map(|name| (name.clone(), json!({}))).collect();
    let tagged: Vec<_> = names.iter().map(|name| tagged(name)).collect();
    let tools = listing(&json!({
        "type": "object",
        "properties": {
            "name": {"enum": names},
            "form": {"anyOf": forms},
            "keys": {"type": "object", "properties": keys, "additionalProperties": false},
            "map": {"type": "object", "propertyNames": {"enum": names}},
            "tag": {"oneOf": tagged},
            "mixed": {"enum": (0..200).collect::<Vec<_>>()},
        },
        "additionalProperties": false,
    }));
    let shown = |quote: &str| {
        let shown: Vec<_> = names
            .iter()
            .take(12)
            .map(|name| format!("{quote}{name}{quote}"))
            .collect();
        format!("{}, … and 188 others", shown.join(", "))
    };
    for (text, words) in [
        (r#"{"name": "state199"}"#, format!("name: expected one of {}, got \"state199\"; did you mean `state_199`?", shown("\""))),
        (r#"{"keys": {"other": 1}}"#, format!("keys.other: unknown key; there are {}", shown("`"))),
        (r#"{"map": {"other": 1}}"#, format!("map.other: expected a key that is one of {}, got \"other\"", shown("\""))),
        (r#"{"tag": {"kind": 1}}"#, format!("tag.kind: expected one of {}, got 1", shown("\""))),
        (r#"{"tag": {}}"#, format!("tag.kind: missing, expected one of {}", shown("\""))),
        (r#"{"mixed": true}"#, "mixed: expected one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … and 188 others, got true".into()),
    ] {
        assert_eq!(tools.check_text("odd", text).unwrap_err().to_string(), words);
    }
    let error = tools
        .check_text("odd", r#"{"form": true}"#)
        .unwrap_err()
        .to_string();
    assert!(error.ends_with("… and 188 others, got true"), "{error}");
    assert!(error.len() < 1000, "{error}");
}

fn listing(schema: &Value) -> Toolset {
    let tool = DynTool::builder()
        .name("odd")
        .description("Does something.")
        .parameters(SchemaDoc::parse(&schema.to_string()).unwrap())
        .handler(|_: Value, _| async { Ok::<_, ToolError>("ok") });
    Toolset::new([tool.build().unwrap()]).unwrap()
}

fn tagged(name: &str) -> Value {
    json!({"type": "object", "properties": {"kind": {"const": name}}, "required": ["kind"]})
}

/// Every element of a list breaks the same long rule. The text for the model stays short, and the rest is counted.
#[test]
fn faults_of_a_call_have_a_bound_in_bytes() {
    let pattern = format!("^({})$", "ab|".repeat(3000));
    let items = json!({"type": "string", "pattern": pattern});
    let tools = listing(
        &json!({"type": "object", "properties": {"list": {"type": "array", "items": items}}}),
    );
    let error = tools
        .check_text("odd", json!({"list": vec!["x"; 100]}).to_string())
        .unwrap_err();
    let shown = error.faults().len();
    assert!((1..16).contains(&shown), "{shown}");
    assert!(error.to_string().len() < 10_000);
    let more = format!("and {} more faults", 100 - shown);
    assert_eq!(error.messages().last(), Some(&*more));
}
