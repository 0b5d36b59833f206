//! What serde buffers: internally tagged and untagged enums, adjacently tagged content before its
//! tag, flattened fields. Its text is judged by the tree before serde reads it, or on its way into the buffer.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolwright::{Context, Encoder, Schema, ToolCall, tool, tools};

use super::{answer, decode, echo_rows};

#[derive(Serialize, Deserialize, Schema)]
struct Point {
    x: u8,
    y: u8,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Inside {
    Nothing,
    Circle { radius: u8 },
    At { at: Point },
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum Either {
    Number(u8),
    Circle { radius: u8 },
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "kind", content = "of", rename_all = "snake_case")]
enum Beside {
    Circle { radius: u8 },
    At(Point),
}

#[derive(Serialize, Deserialize, Schema)]
struct Flat {
    name: String,
    #[serde(flatten)]
    point: Point,
}

#[test]
fn what_serde_drops_is_refused() {
    echo_rows! {
        Inside, r#"{"kind": "circle", "radius": 1, "size": 2}"#, Err("v.size: unknown key; there are `kind`, `radius`");
        Inside, r#"{"kind": "nothing", "size": 2}"#, Err("v.size: unknown key; the only one is `kind`");
        Inside, r#"{"kind": "at", "at": {"x": 1, "y": 2, "z": 3}}"#, Err("v.at.z: unknown key; there are `x`, `y`");
        Either, r#"{"radius": 1, "size": 2}"#, Err("v.size: unknown key; the only one is `radius`");
        Flat, r#"{"name": "a", "x": 1, "y": 2, "z": 3}"#, Err("v.z: unknown key; there are `name`, `x`, `y`");
        Beside, r#"{"of": {"radius": 1, "size": 2}, "kind": "circle"}"#, Err("v.of.size: unknown key; the only one is `radius`");
        HashSet<u8>, "[1, 1.0]", Err("v[1]: 1.0 is there already; no two elements may be equal");
        Box<serde_json::value::RawValue>, r#"{"a": 1, "\u0061": 1}"#, Err("v.a: given more than once");
    }
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum Loose {
    Float(f64),
    Words(String),
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Tagged {
    Both { float: f64, integer: i64 },
}

#[derive(Serialize, Deserialize, Schema)]
struct Spread {
    name: String,
    #[serde(flatten)]
    rest: BTreeMap<String, f32>,
}

#[test]
fn a_float_keeps_its_sign_and_an_integer_has_none() {
    echo_rows! {
        Loose, "-0", Ok("-0.0");
        Loose, "0", Ok("0.0");
        Vec<Loose>, "[-0, -0.0, 0]", Ok("[-0.0,-0.0,0.0]");
        Tagged, r#"{"kind": "both", "float": -0, "integer": -0}"#, Ok(r#"{"kind":"both","float":-0.0,"integer":0}"#);
        Spread, r#"{"name": "a", "b": -0}"#, Ok(r#"{"name":"a","b":-0.0}"#);
        Either, "-0", Ok("0");
        Value, "[-0, -0.0, 0, -1]", Ok("[-0.0,-0.0,0,-1]");
    }
}

#[test]
fn an_array_is_no_struct() {
    echo_rows! {
        Inside, r#"["circle", 1]"#, Err(r#"v: expected an object, such as {"kind":"nothing"}, got ["circle", 1]"#);
        Inside, r#"{"kind": "at", "at": [1, 2]}"#, Err(r#"v.at: expected an object, such as {"x":1,"y":1}, got [1, 2]"#);
        Beside, r#"{"of": [1, 2], "kind": "at"}"#, Err(r#"v.of: expected an object, such as {"x":1,"y":1}, got [1, 2]"#);
        Flat, r#"["a", 1, 2]"#, Err(r#"v: expected an object, such as {"name":"text","x":1,"y":1}, got ["a", 1, 2]"#);
    }
}

#[test]
fn an_integer_is_one_in_every_spelling() {
    echo_rows! {
        Inside, r#"{"kind": "circle", "radius": 1.0}"#, Ok(r#"{"kind":"circle","radius":1}"#);
        Inside, r#"{"kind": "at", "at": {"x": 10e-1, "y": 2}}"#, Ok(r#"{"kind":"at","at":{"x":1,"y":2}}"#);
        Either, "1.0", Ok("1");
        Flat, r#"{"name": "a", "x": 1e0, "y": 2}"#, Ok(r#"{"name":"a","x":1,"y":2}"#);
        Beside, r#"{"of": {"radius": 1.0}, "kind": "circle"}"#, Ok(r#"{"kind":"circle","of":{"radius":1}}"#);
        Beside, r#"{"kind": "circle", "of": {"radius": 1.0}}"#, Ok(r#"{"kind":"circle","of":{"radius":1}}"#);
        Inside, r#"{"kind": "circle", "radius": 300}"#, Err("v.radius: expected an integer from 0 to 255, got 300");
    }
}

#[test]
fn what_was_meant_is_told() {
    echo_rows! {
        Inside, r#"{"kind": "circle", "radius": 1, "radius": 1}"#, Err("v.radius: given more than once");
        Inside, r#"{"kind": "circle", "radius": 1, "\u0072adius": 1}"#, Err("v.radius: given more than once");
        Inside, r#"{"kind": "circle", "kind": "circle", "radius": 1}"#, Err("v.kind: given more than once");
        Inside, r#"{"kind": "at", "at": {"x": 1, "x": 1, "y": 2}}"#, Err("v.at.x: given more than once");
        Either, r#"{"radius": 1, "radius": 1}"#, Err("v.radius: given more than once");
        Flat, r#"{"name": "a", "x": 1, "x": 1, "y": 2}"#, Err("v.x: given more than once");
        Beside, r#"{"of": {"radius": 1, "radius": 2}, "kind": "circle"}"#, Err("v.of.radius: given more than once");
        Inside, r#"{"kind": "hexagon"}"#, Err(r#"v.kind: expected one of "nothing", "circle", "at", got "hexagon""#);
        Inside, r#"{"kind": "Circle", "radius": 1}"#,
            Err(r#"v.kind: expected one of "nothing", "circle", "at", got "Circle"; did you mean `circle`?"#);
        Inside, r#"{"kind": 1}"#, Err(r#"v.kind: expected one of "nothing", "circle", "at", got 1"#);
        Inside, "{}", Err(r#"v.kind: missing, expected one of "nothing", "circle", "at""#);
        Either, r#""a""#, Err(r#"v: expected an integer from 0 to 255 or an object, got "a""#);
        Flat, r#"{"name": "a", "x": 1}"#, Err("v.y: missing, expected an integer from 0 to 255");
    }
}

/// A key of `serde_json`'s own makes it parse the text behind it.
#[test]
fn a_key_of_serde_jsons_own_is_not_seen_through() {
    echo_rows! {
        Value, r#"{"$serde_json::private::RawValue": "[1]"}"#, Ok("[1]");
    }
}

/// Two places.
#[tool]
fn two(a: Vec<Point>, b: Vec<Point>) -> usize {
    a.len() + b.len()
}

#[test]
fn every_fault_of_a_call_is_told() {
    let told = answer(
        &tools![two],
        "two",
        r#"{"a": [{"x": 1}, {"z": 1}], "b": [[], 1], "c": 1}"#,
    );
    let lines = [
        "a[0].y: missing, expected an integer from 0 to 255",
        "a[1].z: unknown key; there are `x`, `y`",
        "a[1].x: missing, expected an integer from 0 to 255",
        "a[1].y: missing, expected an integer from 0 to 255",
        r#"b[0]: expected an object, such as {"x":1,"y":1}, got []"#,
        r#"b[1]: expected an object, such as {"x":1,"y":1}, got 1"#,
        "c: unknown argument; there are `a`, `b`",
    ];
    assert_eq!(told, Err(lines.join("\n")));

    let told = decode::<Point>(r#"{"x": "a", "z": 1}"#).err().unwrap();
    let lines = [
        r#"x: expected an integer from 0 to 255, got "a""#,
        "z: unknown argument; there are `x`, `y`",
        "y: missing, expected an integer from 0 to 255",
    ];
    assert_eq!(told.to_string(), lines.join("\n"));
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum Nested {
    Leaf(u8),
    Left { of: Box<Nested>, left: bool },
    Right { of: Box<Nested>, right: bool },
    List(Vec<Nested>),
}

/// Each level may be one of several variants, which are told apart behind what they hold: judged
/// anew for each, a hundred levels would take for ever.
#[test]
fn variants_inside_variants_are_judged_once() {
    for leaf in ["1", "true", r#""a""#, "1.5"] {
        let mut text = leaf.to_owned();
        for level in 0..100 {
            let side = if level % 2 == 0 { "left" } else { "right" };
            text = format!(r#"{{"of": {text}, "{side}": true}}"#);
        }
        // Only what is refused: serde itself tries every variant at every level.
        if leaf != "1" {
            let told = decode::<std::collections::BTreeMap<String, Nested>>(&format!(
                r#"{{"v": {text}}}"#
            ));
            let told = told.err().unwrap();
            assert!(told.to_string().ends_with(&format!("got {leaf}")), "{told}");
        }
    }
}

#[test]
fn what_is_buffered_may_be_as_deep_as_arguments_are() {
    let nested = |leaf: &str| format!("{}{leaf}{}", "[".repeat(126), "]".repeat(126));
    echo_rows! {
        Nested, nested("1.0"), Ok(&nested("1"));
    }
    let told = decode::<std::collections::BTreeMap<String, Nested>>(&format!(
        r#"{{"v": {}}}"#,
        nested("true")
    ));
    assert!(told.err().unwrap().to_string().contains("got true"));
}

/// Read from a buffer only where the content stands before the tag.
#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "t", content = "of")]
enum Wide {
    Wide { n: i128 },
    Unit,
}

/// No other keys are buffered than those of what is flattened, and a struct's own tag is not read.
#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "t")]
struct WideAndFlat {
    n: u128,
    #[serde(flatten)]
    point: Point,
}

/// Its author reads a text, in words that a model may write as a number.
#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum Amount {
    Exact {
        #[serde(with = "small")]
        #[schema(as = u128)]
        n: u128,
    },
}

mod small {
    pub(super) fn serialize<S: serde::Serializer>(n: &u128, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(*n).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u128, D::Error> {
        <u64 as serde::Deserialize>::deserialize(from).map(u128::from)
    }
}

#[derive(Debug, PartialEq, Deserialize, Schema)]
#[serde(untagged, deny_unknown_fields)]
enum FirstOrSecond {
    First { a: Option<u8> },
    Second { b: Option<u8> },
}

#[derive(Debug, PartialEq, Deserialize, Schema)]
#[serde(untagged)]
enum Span {
    Between { from: String, to: String },
    From { from: String },
    Day(#[schema(len(10..=10))] String),
    Number(u8),
}

/// Finds what is in either form.
#[tool]
fn find(either: FirstOrSecond, span: Span) -> String {
    format!("{either:?} {span:?}")
}

/// The variant that the schema admits is the one that serde reads.
#[test]
fn an_untagged_variant_is_read_by_its_own_keys() {
    for (arguments, expected) in [
        (
            r#"{"either": {"b": 2}, "span": {"from": "a", "to": "b"}}"#,
            r#"Second { b: Some(2) } Between { from: "a", to: "b" }"#,
        ),
        (
            r#"{"either": {"a": 1}, "span": {"from": "a"}}"#,
            r#"First { a: Some(1) } From { from: "a" }"#,
        ),
        (
            r#"{"either": {}, "span": 7}"#,
            "First { a: None } Number(7)",
        ),
    ] {
        let call = ToolCall::new("1", "find", arguments);
        let result = tools![find].call_blocking(&call, &Context::new());
        assert_eq!(result.content(Encoder::auto()), expected, "{arguments}");
    }
}

#[derive(Debug, PartialEq, Deserialize, Serialize, Schema)]
#[serde(deny_unknown_fields)]
struct Dot {
    x: f64,
    y: f64,
}

#[derive(Debug, PartialEq, Deserialize, Serialize, Schema)]
#[serde(deny_unknown_fields)]
struct Person {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    age: Option<u8>,
}

/// A code of two letters
#[derive(Debug, PartialEq, Deserialize, Serialize, Schema)]
#[serde(try_from = "String")]
#[schema(pattern = "^[A-Z]{2}$")]
struct Letters(String);

impl TryFrom<String> for Letters {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_code = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
        is_code.then_some(Self(text)).ok_or("no code")
    }
}

#[derive(Debug, PartialEq, Deserialize, Serialize, Schema)]
#[serde(tag = "kind", deny_unknown_fields)]
enum Message {
    Mail {
        to: String,
    },
    #[serde(untagged)]
    Other(Value),
}

/// Untagged types that compile: by their types, their lengths, required keys, tags and checks, serde tells the variants apart.
#[derive(Debug, PartialEq, Deserialize, Serialize, Schema)]
#[serde(untagged, deny_unknown_fields)]
enum Apart {
    Letters(Letters),
    Dot(Dot),
    Triple(u8, u8, u8),
    Numbers { list: Vec<u64> },
    One(Person),
    Many(Vec<Person>),
    Message(Message),
}

/// Reads one of many forms.
#[tool]
fn tell(apart: Apart) -> String {
    serde_json::to_string(&apart).unwrap()
}

#[test]
fn no_untagged_variant_that_compiles_loses_a_part() {
    for value in [
        r#""AB""#,
        r#""ab""#,
        r#"{"x":1.5,"y":2.5}"#,
        r#"{"x":1.5,"y":2.5,"z":3.5}"#,
        r#"{"x":1.5}"#,
        "[1,2,3]",
        r#"{"list":[1]}"#,
        r#"{"list":[-1]}"#,
        r#"{"name":"a"}"#,
        r#"{"name":"a","age":3}"#,
        r#"{"age":300,"name":"a"}"#,
        r#"[{"name":"a"},{"name":"b","age":3}]"#,
        r#"{"kind":"Mail","to":"a"}"#,
        r#"{"cc":"b","kind":"Mail","to":"a"}"#,
        r#"{"kind":"Post","to":"a"}"#,
        "[]",
        "7",
    ] {
        let call = ToolCall::new("1", "tell", format!(r#"{{"apart": {value}}}"#));
        let result = tools![tell].call_blocking(&call, &Context::new());
        assert!(result.outcome.is_ok(), "{value}: {result:?}");
        assert_eq!(result.content(Encoder::auto()), value);
    }
}

#[derive(Debug, Deserialize, Serialize, Schema)]
#[serde(untagged)]
enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

#[derive(Debug, Deserialize, Serialize, Schema)]
enum Color {
    Red,
    Mixed {
        parts: u8,
    },
    #[serde(untagged)]
    Named(String),
}

#[derive(Debug, Deserialize, Serialize, Schema)]
#[serde(untagged)]
enum Tree {
    Leaf(f64),
    Text(Option<String>),
    Branches(#[schema(recursive)] Vec<Tree>),
}

#[derive(Debug, Deserialize, Serialize, Schema)]
struct Painted {
    color: Color,
    #[serde(flatten)]
    by: Painter,
}

#[derive(Debug, Deserialize, Serialize, Schema)]
#[serde(untagged, deny_unknown_fields)]
enum Painter {
    Person { name: String, house: House },
    House { house: House },
    Guest { house: Option<House> },
}

#[derive(Debug, Deserialize, Serialize, Schema)]
struct House(#[schema(len(1..=9))] String);

/// Reads other untagged types.
#[tool]
fn paint(people: OneOrMany<Person>, tree: Tree, painted: Option<Painted>) -> String {
    serde_json::to_string(&(people, tree, painted)).unwrap()
}

#[test]
fn untagged_types_of_many_kinds_compile_and_are_read_whole() {
    for [people, tree, painted] in [
        [r#"{"name":"a"}"#, "1.5", "null"],
        [
            r#"[{"name":"a","age":1},{"name":"b"}]"#,
            r#"[1.5,["a",[]]]"#,
            r#"{"color":"Red","house":"c"}"#,
        ],
        ["[]", "null", r#"{"color":"Blue","name":"b","house":"c"}"#],
        [
            "[]",
            "\"\"",
            r#"{"color":{"Mixed":{"parts":2}},"house":"c"}"#,
        ],
    ] {
        let arguments = format!(r#"{{"people": {people}, "tree": {tree}, "painted": {painted}}}"#);
        let call = ToolCall::new("1", "paint", arguments);
        let result = tools![paint].call_blocking(&call, &Context::new());
        let expected = format!("[{people},{tree},{painted}]");
        assert_eq!(result.content(Encoder::auto()), expected);
    }
}

/// What is only written may look like another variant.
#[derive(Serialize, Schema)]
#[serde(untagged)]
enum Report {
    Short { id: u8 },
    Long { id: u8, text: &'static str },
}

#[derive(Serialize, Schema)]
struct Answer {
    #[serde(flatten)]
    report: Option<Report>,
}

/// Reports.
#[tool]
fn report(long: bool) -> Answer {
    let report = if long {
        Report::Long { id: 1, text: "a" }
    } else {
        Report::Short { id: 1 }
    };
    Answer {
        report: Some(report),
    }
}

#[test]
fn untagged_results_may_look_like_each_other() {
    for (long, expected) in [("true", r#"{"id":1,"text":"a"}"#), ("false", r#"{"id":1}"#)] {
        let call = ToolCall::new("1", "report", format!(r#"{{"long": {long}}}"#));
        let result = tools![report].call_blocking(&call, &Context::new());
        assert_eq!(result.content(Encoder::auto()), expected);
    }
}

/// serde's buffers hold no more than 64 bits, and no 128-bit type is read from them: what always stands in one does
/// not compile.
#[test]
fn a_128_bit_integer_is_read_where_serde_does_not_buffer_it() {
    let most = u128::MAX.to_string();
    echo_rows! {
        Wide, r#"{"t": "Wide", "of": {"n": -5}}"#, Ok(r#"{"t":"Wide","of":{"n":-5}}"#);
        Wide, r#"{"of": {"n": 5}, "t": "Wide"}"#,
            Err(r#"v: {"of": {"n": 5}, "t": "Wide"} is refused: a 128-bit integer cannot be read here"#);
        Wide, r#"{"t": "Unit"}"#, Ok(r#"{"t":"Unit"}"#);
        WideAndFlat, format!(r#"{{"x": 1, "n": {most}, "y": 2}}"#),
            Ok(&format!(r#"{{"t":"WideAndFlat","n":{most},"x":1,"y":2}}"#));
        Amount, r#"{"n": 5}"#, Ok(r#"{"n":5}"#);
    }
}

#[derive(Serialize, Schema)]
#[serde(tag = "t")]
enum Found {
    Block { number: u128 },
}

#[derive(Serialize, Schema)]
struct FoundAt {
    at: u8,
    #[serde(flatten)]
    found: Found,
}

/// Finds it.
#[tool]
fn find_block() -> FoundAt {
    FoundAt {
        at: 1,
        found: Found::Block { number: u128::MAX },
    }
}

#[test]
fn a_result_has_128_bits_wherever_they_stand() {
    let most = u128::MAX;
    assert_eq!(
        answer(&tools![find_block], "find_block", "{}"),
        Ok(format!(r#"{{"at":1,"t":"Block","number":{most}}}"#))
    );
}

#[derive(Serialize, Deserialize, Schema)]
enum Outside {
    Nothing,
    Never,
    Circle { radius: u8 },
    At(Point),
}

#[test]
fn a_variant_is_told_with_the_way_it_is_written() {
    echo_rows! {
        Outside, r#""Circle""#,
            Err(r#"v: expected one of "Nothing", "Never" or an object whose key is one of "Circle", "At", got "Circle"; write `{"Circle": …}`"#);
        Outside, r#""nothing""#,
            Err(r#"v: expected one of "Nothing", "Never" or an object whose key is one of "Circle", "At", got "nothing"; did you mean `Nothing`?"#);
        Outside, r#"{"circle": {"radius": 1}}"#, Err("v.circle: unknown key; did you mean `Circle`?");
        Outside, r#"{"Circle": {"radius": 1}, "At": {"x": 1, "y": 1}}"#, Err("v.At: unknown key; the only one is `Circle`");
        Outside, "{}", Err(r#"v: missing a key, expected one of "Circle", "At""#);
    }
}
