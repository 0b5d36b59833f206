//! What a model means and does not say: repaired, and recorded; or refused as it came.

use std::collections::{BTreeMap, HashSet};

use crate::json::CheckText;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use toolwright::{
    Context, DynTool, Encoder, Outcome, Schema, Tool, ToolCall, ToolDef, ToolError, ToolOptions,
    ToolResult, Toolset,
    args::{Arena, Repair, Repairs},
    call::{Annotations, Answer, Approved, Call, ErrorKind},
    tool, tools,
    toolset::DynToolBuilder,
};

/// What a call comes to: what the tool answers as JSON or what the model is told, and the repairs.
type Said = (Result<String, String>, Vec<String>);

fn said(result: &ToolResult) -> Said {
    let outcome = match &result.outcome {
        Ok(_) => Ok(result.content(Encoder::json()).into_owned()),
        Err(error) => Err(error.to_string()),
    };
    (outcome, lines(&result.repairs))
}

/// `path kind from -> to`
fn lines(repairs: &[Repair]) -> Vec<String> {
    let line = |repair: &Repair| {
        let kind = repair.kind.as_str();
        format!("{} {kind} {} -> {}", repair.path, repair.from, repair.to)
    };
    repairs.iter().map(line).collect()
}

fn call(tools: &Toolset, tool: &str, arguments: &str) -> Said {
    said(&tools.call_blocking(&ToolCall::new("c1", tool, arguments), &Context::new()))
}

/// Compares what `echo` answers, row by row: `type, json, Ok(json)` or `Err(told)`, and the repairs.
macro_rules! repair_rows {
    ($($ty:ty, $json:expr, $expected:expr, [$($repair:expr),* $(,)?];)*) => {{
        let mut differ = String::new();
        $({
            let tools = tools![crate::arguments::echo::<$ty> as "echo"];
            let found = call(&tools, "echo", &format!(r#"{{"v": {}}}"#, $json));
            let repairs: Vec<String> = vec![$($repair.to_string()),*];
            let expected = (crate::arguments::owned($expected), repairs);
            if found != expected {
                let (ty, json) = (stringify!($ty), $json);
                differ.push_str(&format!("{ty} {json}\n  {found:?}\n  expected {expected:?}\n"));
            }
        })*
        assert!(differ.is_empty(), "\n{differ}");
    }};
}

#[derive(Serialize, Deserialize, Schema, PartialEq, Eq, Hash)]
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
    gift: bool,
    note: Option<String>,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(rename_all = "snake_case")]
enum Outside {
    Nothing,
    Circle { radius: u8 },
    Line(Line),
    Numbers(Vec<u8>),
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Inside {
    Nothing,
    Circle {
        radius: u8,
        #[serde(default)]
        filled: bool,
    },
    Line(Line),
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "kind", content = "of", rename_all = "snake_case")]
enum Beside {
    Circle { radius: u8 },
    Number(u8),
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum TextOrNumber {
    Text(String),
    Number(i64),
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum NumberOrList {
    Number(i64),
    List(Vec<u8>),
    Named { n: u8 },
}

#[derive(Serialize, Deserialize, Schema)]
struct Flat {
    name: String,
    #[serde(flatten)]
    line: Line,
}

#[derive(Serialize, Deserialize, Schema)]
struct Few(#[schema(range(1..=5))] u8);

#[derive(Serialize, Deserialize, Schema)]
struct Two(#[schema(len(2..))] Vec<u8>);

/// A list of itself.
#[derive(Serialize, Deserialize, Schema)]
struct Lists(Vec<Lists>);

#[test]
fn a_number_or_boolean_in_quotes_is_one() {
    repair_rows! {
        u8, r#""7""#, Ok("7"), [r#"v unquoted "7" -> 7"#];
        u8, r#"" 7\n""#, Ok("7"), [r#"v unquoted " 7\n" -> 7"#];
        u8, r#""7.0""#, Ok("7"), [r#"v unquoted "7.0" -> 7.0"#];
        u8, r#""1e2""#, Ok("100"), [r#"v unquoted "1e2" -> 1e2"#];
        i8, r#""-7""#, Ok("-7"), [r#"v unquoted "-7" -> -7"#];
        i8, r#""\u002d7""#, Ok("-7"), [r#"v unquoted "\u002d7" -> -7"#];
        u64, r#""18446744073709551615""#, Ok("18446744073709551615"), [r#"v unquoted "18446744073709551615" -> 18446744073709551615"#];
        f64, r#""1.5""#, Ok("1.5"), [r#"v unquoted "1.5" -> 1.5"#];
        bool, r#""true""#, Ok("true"), [r#"v unquoted "true" -> true"#];
        bool, r#""false""#, Ok("false"), [r#"v unquoted "false" -> false"#];
        Option<u8>, r#""7""#, Ok("7"), [r#"v unquoted "7" -> 7"#];
        Few, r#""5""#, Ok("5"), [r#"v unquoted "5" -> 5"#];

        // No JSON, another type, beyond a bound: the model is told of what came.
        u8, r#""07""#, Err(r#"v: expected an integer from 0 to 255, got "07""#), [];
        u8, r#""+7""#, Err(r#"v: expected an integer from 0 to 255, got "+7""#), [];
        u8, r#""7 8""#, Err(r#"v: expected an integer from 0 to 255, got "7 8""#), [];
        u8, r#""""#, Err(r#"v: expected an integer from 0 to 255, got """#), [];
        u8, r#""300""#, Err(r#"v: expected an integer from 0 to 255, got "300""#), [];
        u8, r#""1.5""#, Err(r#"v: expected an integer from 0 to 255, got "1.5""#), [];
        u8, r#""true""#, Err(r#"v: expected an integer from 0 to 255, got "true""#), [];
        u8, r#""\"7\"""#, Err(r#"v: expected an integer from 0 to 255, got "\"7\"""#), [];
        u8, "true", Err("v: expected an integer from 0 to 255, got true"), [];
        bool, r#""True""#, Err(r#"v: expected true or false, got "True""#), [];
        bool, r#""1""#, Err(r#"v: expected true or false, got "1""#), [];
        bool, "1", Err("v: expected true or false, got 1"), [];
        f64, r#""NaN""#, Err(r#"v: expected a number, got "NaN""#), [];
        f32, r#""1e39""#, Err(r#"v: expected a number, got "1e39""#), [];
        Few, r#""6""#, Err(r#"v: expected an integer from 1 to 5, got "6""#), [];
        Option<u8>, r#""null""#, Err(r#"v: expected an integer from 0 to 255 or null, got "null""#), [];
    }
}

#[test]
fn json_in_a_string_is_what_it_says() {
    repair_rows! {
        Line, r#""{\"sku\": \"a\", \"qty\": 1}""#, Ok(r#"{"sku":"a","qty":1,"gift":false,"note":null}"#),
            [r#"v parsed "{\"sku\": \"a\", \"qty\": 1}" -> {"sku": "a", "qty": 1}"#];
        Vec<u8>, r#""[1, 2]""#, Ok("[1,2]"), [r#"v parsed "[1, 2]" -> [1, 2]"#];
        Vec<u8>, r#"" [1] ""#, Ok("[1]"), [r#"v parsed " [1] " -> [1]"#];
        Vec<String>, r#""[\"a\", \"b\"]""#, Ok(r#"["a","b"]"#), [r#"v parsed "[\"a\", \"b\"]" -> ["a", "b"]"#];
        (u8, bool), r#""[1, true]""#, Ok("[1,true]"), [r#"v parsed "[1, true]" -> [1, true]"#];
        BTreeMap<String, u8>, r#""{\"a\": 1}""#, Ok(r#"{"a":1}"#), [r#"v parsed "{\"a\": 1}" -> {"a": 1}"#];
        Option<Vec<u8>>, r#""[]""#, Ok("[]"), [r#"v parsed "[]" -> []"#];
        Vec<Vec<u8>>, r#"["[1]", [2]]"#, Ok("[[1],[2]]"), [r#"v[0] parsed "[1]" -> [1]"#];
        // In a string in a string, and what else is wrong in there.
        Vec<Vec<u8>>, r#""[\"[1]\", [\"2\"]]""#, Ok("[[1],[2]]"),
            [r#"v parsed "[\"[1]\", [\"2\"]]" -> ["[1]", ["2"]]"#, r#"v[0] parsed "[1]" -> [1]"#, r#"v[1][0] unquoted "2" -> 2"#];
        Inside, r#""{\"kind\": \"circle\", \"radius\": 1}""#, Ok(r#"{"kind":"circle","radius":1,"filled":false}"#),
            [r#"v parsed "{\"kind\": \"circle\", \"radius\": 1}" -> {"kind": "circle", "radius": 1}"#];
        Outside, r#""{\"circle\": {\"radius\": 1}}""#, Ok(r#"{"circle":{"radius":1}}"#),
            [r#"v parsed "{\"circle\": {\"radius\": 1}}" -> {"circle": {"radius": 1}}"#];

        // Faults inside are told, with their paths.
        Line, r#""{\"qty\": 300}""#, Err("v.qty: expected an integer from 0 to 255, got 300\nv.sku: missing, expected a string"), [];
        Vec<Line>, r#"[{"sku": "a", "qty": 1}, "{\"sku\": \"b\", \"qty\": []}"]"#,
            Err("v[1].qty: expected an integer from 0 to 255, got []"), [];
        Outside, r#""{\"circle\": {\"radius\": 300}}""#, Err("v.circle.radius: expected an integer from 0 to 255, got 300"), [];
        Two, r#""[1]""#, Err("v: expected an array of 2 or more elements, got [1]"), [];
    }
    // What is not JSON stays a string.
    let told = call(
        &tools![crate::arguments::echo::<Line> as "echo"],
        "echo",
        r#"{"v": "{\"sku\": "}"#,
    );
    assert!(told.0.unwrap_err().ends_with(r#"got "{\"sku\": ""#));
    assert!(told.1.is_empty());
}

#[test]
fn one_value_is_a_list_of_one() {
    repair_rows! {
        Vec<String>, r#""a""#, Ok(r#"["a"]"#), [r#"v wrapped "a" -> ["a"]"#];
        Vec<String>, r#""[a""#, Ok(r#"["[a"]"#), [r#"v wrapped "[a" -> ["[a"]"#];
        Vec<String>, r#""5""#, Ok(r#"["5"]"#), [r#"v wrapped "5" -> ["5"]"#];
        Vec<u8>, "5", Ok("[5]"), ["v wrapped 5 -> [5]"];
        Vec<u8>, r#""5""#, Ok("[5]"), [r#"v wrapped "5" -> ["5"]"#, r#"v[0] unquoted "5" -> 5"#];
        Vec<bool>, "true", Ok("[true]"), ["v wrapped true -> [true]"];
        HashSet<u8>, "5", Ok("[5]"), ["v wrapped 5 -> [5]"];
        Vec<Speed>, r#""next_day""#, Ok(r#"["next_day"]"#), [r#"v wrapped "next_day" -> ["next_day"]"#];
        Option<Vec<u8>>, "5", Ok("[5]"), ["v wrapped 5 -> [5]"];
        BTreeMap<String, Vec<u8>>, r#"{"a": 5}"#, Ok(r#"{"a":[5]}"#), ["v.a wrapped 5 -> [5]"];
        Outside, r#"{"numbers": 5}"#, Ok(r#"{"numbers":[5]}"#), ["v.numbers wrapped 5 -> [5]"];
        NumberOrList, r#""5""#, Ok("5"), [r#"v unquoted "5" -> 5"#];

        Vec<u8>, "300", Err("v: expected an array, got 300"), [];
        Vec<u8>, "true", Err("v: expected an array, got true"), [];
        Two, "5", Err("v: expected an array of 2 or more elements, such as [1,1], got 5"), [];
        // An object or `null` may be anything.
        Vec<u8>, "null", Err("v: expected an array, got null"), [];
        Vec<BTreeMap<String, u8>>, r#"{"a": 1}"#, Err(r#"v: expected an array, such as [{"key":1}], got {"a": 1}"#), [];
    }
    repair_rows! {
        // What stands in a string is one repair, the list around it another.
        Vec<Line>, r#""{\"sku\": \"a\", \"qty\": 1}""#, Ok(r#"[{"sku":"a","qty":1,"gift":false,"note":null}]"#), [
            r#"v wrapped "{\"sku\": \"a\", \"qty\": 1}" -> ["{\"sku\": \"a\", \"qty\": 1}"]"#,
            r#"v[0] parsed "{\"sku\": \"a\", \"qty\": 1}" -> {"sku": "a", "qty": 1}"#,
        ];
        Vec<Vec<u8>>, "[1, 2]", Ok("[[1],[2]]"), ["v[0] wrapped 1 -> [1]", "v[1] wrapped 2 -> [2]"];
        // A list of a list is a guess.
        Vec<Vec<u8>>, "1", Err("v: expected an array, got 1"), [];
    }
    // Lists of lists of lists have no end.
    let told = call(
        &tools![crate::arguments::echo::<Lists> as "echo"],
        "echo",
        r#"{"v": [5, "x"]}"#,
    );
    assert!(told.0.unwrap_err().starts_with("v[0]: expected an array"));
}

#[test]
fn null_for_a_default_is_left_out() {
    repair_rows! {
        Line, r#"{"sku": "a", "qty": 1, "gift": null, "note": null}"#, Ok(r#"{"sku":"a","qty":1,"gift":false,"note":null}"#),
            ["v.gift null_dropped null -> "];
        Vec<Line>, r#"[{"gift": null, "sku": "a", "qty": 1}]"#, Ok(r#"[{"sku":"a","qty":1,"gift":false,"note":null}]"#),
            ["v[0].gift null_dropped null -> "];
        Inside, r#"{"kind": "circle", "filled": null, "radius": 1}"#, Ok(r#"{"kind":"circle","radius":1,"filled":false}"#),
            ["v.filled null_dropped null -> "];
        Outside, r#"{"line": {"sku": "a", "gift": null, "qty": 1}}"#, Ok(r#"{"line":{"sku":"a","qty":1,"gift":false,"note":null}}"#),
            ["v.line.gift null_dropped null -> "];
        Flat, r#"{"gift": null, "name": "n", "sku": "a", "qty": 1}"#, Ok(r#"{"name":"n","sku":"a","qty":1,"gift":false,"note":null}"#),
            ["v.gift null_dropped null -> "];
        // What has no default is missed.
        Line, r#"{"sku": "a", "qty": null}"#, Err("v.qty: expected an integer from 0 to 255, got null"), [];
    }
}

#[test]
fn a_misspelled_key_is_the_one_that_is_missing() {
    repair_rows! {
        Line, r#"{"sku": "a", "qyt": 1}"#, Ok(r#"{"sku":"a","qty":1,"gift":false,"note":null}"#), ["v.qty renamed qyt -> qty"];
        Line, r#"{"sku": "a", "Qyt": 1}"#, Ok(r#"{"sku":"a","qty":1,"gift":false,"note":null}"#), ["v.qty renamed Qyt -> qty"];
        Line, r#"{"sku": "a", "q\u0079t": 1}"#, Ok(r#"{"sku":"a","qty":1,"gift":false,"note":null}"#), ["v.qty renamed qyt -> qty"];
        Line, r#"{"qyt": "1", "gift": null, "sku": "a"}"#, Ok(r#"{"sku":"a","qty":1,"gift":false,"note":null}"#),
            ["v.gift null_dropped null -> ", "v.qty renamed qyt -> qty", r#"v.qty unquoted "1" -> 1"#];
        Vec<Line>, r#"[{"qyt": 1, "sku": "a"}]"#, Ok(r#"[{"sku":"a","qty":1,"gift":false,"note":null}]"#), ["v[0].qty renamed qyt -> qty"];
        Inside, r#"{"kind": "circle", "raduis": 1}"#, Ok(r#"{"kind":"circle","radius":1,"filled":false}"#), ["v.radius renamed raduis -> radius"];
        Outside, r#"{"circle": {"raduis": 1}}"#, Ok(r#"{"circle":{"radius":1}}"#), ["v.circle.radius renamed raduis -> radius"];
        Beside, r#"{"kind": "circle", "of": {"raduis": 1}}"#, Ok(r#"{"kind":"circle","of":{"radius":1}}"#), ["v.of.radius renamed raduis -> radius"];
        Flat, r#"{"name": "n", "sku": "a", "qyt": 1}"#, Ok(r#"{"name":"n","sku":"a","qty":1,"gift":false,"note":null}"#), ["v.qty renamed qyt -> qty"];
        Line, r#"{"sku": "a", "qt": 1}"#, Ok(r#"{"sku":"a","qty":1,"gift":false,"note":null}"#), ["v.qty renamed qt -> qty"];

        Line, r#"{"sku": "a", "qyt": 300}"#, Err("v.qty: expected an integer from 0 to 255, got 300"), [];
        // Two keys that might be it, or none that is near.
        Line, r#"{"sku": "a", "qyt": 1, "qtyy": 1}"#,
            Err("v.qyt: unknown key; did you mean `qty`?\nv.qtyy: unknown key; did you mean `qty`?\nv.qty: missing, expected an integer from 0 to 255"), [];
        Line, r#"{"sku": "a", "number": 1}"#,
            Err("v.number: unknown key; there are `sku`, `qty`, `gift`, `note`\nv.qty: missing, expected an integer from 0 to 255"), [];
        Line, r#"{"sku": "a", "no": 1}"#,
            Err("v.no: unknown key; there are `sku`, `qty`, `gift`, `note`\nv.qty: missing, expected an integer from 0 to 255"), [];
        Line, r#"{"qyt": 1}"#,
            Err("v.qyt: unknown key; did you mean `qty`?\nv.sku: missing, expected a string\nv.qty: missing, expected an integer from 0 to 255"), [];
        // One that is optional, where none is missing and only one is near.
        Line, r#"{"sku": "a", "qty": 1, "gfit": true}"#, Ok(r#"{"sku":"a","qty":1,"gift":true,"note":null}"#), ["v.gift renamed gfit -> gift"];
        Line, r#"{"sku": "a", "qty": 1, "ntoe": "n"}"#, Ok(r#"{"sku":"a","qty":1,"gift":false,"note":"n"}"#), ["v.note renamed ntoe -> note"];
        Line, r#"{"sku": "a", "qty": 1, "gfit": true, "gift": false}"#, Err("v.gfit: unknown key; did you mean `gift`?"), [];
        Line, r#"{"sku": "a", "qty": 1, "gfit": 7}"#, Err("v.gift: expected true or false, got 7"), [];
        Line, r#"{"sku": "a", "qty": 1, "gfit": true, "ntoe": "n"}"#,
            Err("v.gfit: unknown key; did you mean `gift`?\nv.ntoe: unknown key; did you mean `note`?"), [];
    }
}

#[test]
fn what_may_be_a_string_is_never_touched() {
    for json in [
        r#""5""#,
        r#""null""#,
        r#""[1]""#,
        r#""{\"a\":1}""#,
        r#""true""#,
        r#""""#,
        r#""\"5\"""#,
    ] {
        repair_rows! {
            String, json, Ok(json), [];
            Option<String>, json, Ok(json), [];
            Value, json, Ok(json), [];
            Box<RawValue>, json, Ok(json), [];
            TextOrNumber, json, Ok(json), [];
        }
    }
    repair_rows! {
        Vec<String>, r#"["5", "[1]"]"#, Ok(r#"["5","[1]"]"#), [];
        BTreeMap<String, String>, r#"{"5": "5"}"#, Ok(r#"{"5":"5"}"#), [];
        Value, r#"{"a": "5", "b": ["null"]}"#, Ok(r#"{"a":"5","b":["null"]}"#), [];
        char, r#""5""#, Ok(r#""5""#), [];
        // Nor is anything else made a string.
        String, "5", Err("v: expected a string, got 5"), [];
        String, r#"{"a": 1}"#, Err(r#"v: expected a string, got {"a": 1}"#), [];
        Speed, r#""Normal""#, Err(r#"v: expected one of "normal", "next_day", got "Normal"; did you mean `normal`?"#), [];
        Speed, r#""{\"a\": 1}""#, Err(r#"v: expected one of "normal", "next_day", got "{\"a\": 1}""#), [];
    }
}

/// Shows what it got.
#[tool]
fn several(
    a: u8,
    #[arg(default = 7)] b: u8,
    c: Vec<String>,
    d: Option<Line>,
    text: &str,
    texts: &[&str],
) -> Value {
    serde_json::json!([a, b, c, d, text, texts])
}

#[test]
fn several_repairs_are_made_at_once_and_all_else_stays_as_it_is() {
    let tools = tools![several];
    let (answer, repairs) = call(
        &tools,
        "several",
        r#"{"a": "1", "b": null, "c": "x", "d": "{\"sku\": \"5\", \"qyt\": \"2\", \"gift\": null}", "text": "\"n\" 5", "texts": "\u00e9"}"#,
    );
    // As values: the order of an object's keys is not the tool's.
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(
        value(&answer.unwrap()),
        value(r#"[1,7,["x"],{"gift":false,"note":null,"qty":2,"sku":"5"},"\"n\" 5",["é"]]"#)
    );
    assert_eq!(
        repairs,
        [
            r#"a unquoted "1" -> 1"#,
            "b null_dropped null -> ",
            r#"c wrapped "x" -> ["x"]"#,
            r#"d parsed "{\"sku\": \"5\", \"qyt\": \"2\", \"gift\": null}" -> {"sku": "5", "qyt": "2", "gift": null}"#,
            "d.gift null_dropped null -> ",
            "d.qty renamed qyt -> qty",
            r#"d.qty unquoted "2" -> 2"#,
            r#"texts wrapped "\u00e9" -> ["\u00e9"]"#,
        ]
    );
    // With one fault left nothing is repaired, and that fault is told alone.
    let (answer, repairs) = call(
        &tools,
        "several",
        r#"{"a": "1", "b": null, "c": "x", "text": 1, "texts": []}"#,
    );
    assert_eq!(answer.unwrap_err(), "text: expected a string, got 1");
    assert!(repairs.is_empty());
}

#[test]
fn arguments_may_be_encoded_several_times() {
    let tools = tools![several];
    let mut arguments = r#"{"a":"1","c":[],"text":"t","texts":[]}"#.to_owned();
    for times in 0..=5 {
        let (answer, repairs) = call(&tools, "several", &arguments);
        match answer {
            Ok(answer) => {
                assert_eq!(answer, r#"[1,7,[],null,"t",[]]"#);
                assert_eq!(repairs.len(), times + 1);
                let decoded = repairs.iter().filter(|line| line.starts_with(" decoded "));
                assert_eq!(decoded.count(), times);
            }
            Err(told) => {
                assert_eq!(times, 5, "{told}");
                assert!(
                    told.starts_with("the arguments must be a JSON object"),
                    "{told}"
                );
                assert!(repairs.is_empty());
            }
        }
        arguments = serde_json::to_string(&arguments).unwrap();
    }
}

#[test]
fn a_strict_context_repairs_nothing() {
    let tools = tools![several];
    let cx = Context::new().with_repairs(Repairs::None);
    assert_eq!(cx.repairs(), Repairs::None);
    assert_eq!(Context::new().repairs(), Repairs::All);
    for (arguments, told) in [
        (
            r#"{"a": "1", "c": [], "text": "", "texts": []}"#,
            r#"a: expected an integer from 0 to 255, got "1""#,
        ),
        (
            r#"{"a": 1, "b": null, "c": [], "text": "", "texts": []}"#,
            "b: expected an integer from 0 to 255, got null",
        ),
        (
            r#""{}""#,
            r#"the arguments must be a JSON object, got "{}""#,
        ),
    ] {
        let model = ToolCall::new("c1", "several", arguments);
        let result = tools.call_blocking(&model, &cx);
        assert_eq!(said(&result), (Err(told.to_owned()), vec![]));
        let error = tools.validate(&model, &cx).unwrap_err();
        assert_eq!(error.to_string(), told);
        // Text that no model wrote is never repaired.
        let error = tools.check_text("several", arguments).unwrap_err();
        assert_eq!(error.to_string(), told);
    }
    let model = ToolCall::new(
        "c1",
        "several",
        r#"{"a": "1", "c": [], "text": "", "texts": []}"#,
    );
    assert!(tools.validate(&model, &Context::new()).is_ok());
}

#[derive(Serialize, Deserialize, Schema)]
struct Defaults {
    #[serde(default)]
    a: u8,
    #[serde(default)]
    b: u8,
    #[serde(default)]
    c: u8,
}

/// A tool by hand.
struct ByHand(ToolDef);

impl Tool for ByHand {
    fn def(&self) -> &ToolDef {
        &self.0
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        Answer::Ready(call.decode::<Defaults>().map(Outcome::value))
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        call.decode::<Defaults>().map(drop)
    }
}

#[test]
fn the_text_is_rewritten_where_it_was_repaired_and_nowhere_else() {
    let tool = ByHand(ToolDef::new("by_hand", "Shows its defaults."));
    let cx = Context::new();
    for (arguments, rewritten) in [
        (r#"{"a": null, "b": 1, "c": 2}"#, r#"{"b": 1, "c": 2}"#),
        (r#"{"b": 1, "a": null, "c": 2}"#, r#"{"b": 1, "c": 2}"#),
        (r#"{"b": 1, "c": 2, "a": null}"#, r#"{"b": 1, "c": 2}"#),
        (r#"{ "a" : null }"#, "{}"),
        (r#"{"a": null, "b": null, "c": 2}"#, r#"{"c": 2}"#),
        (r#"{"c": 2, "a": null, "b": null}"#, r#"{"c": 2}"#),
        (r#"{"a": null, "c": 2, "b": null}"#, r#"{"c": 2}"#),
        (r#"{"a": null, "b": null, "c": null}"#, "{}"),
        ("{\"a\" :\tnull , \"b\":\n \"1\" }", "{\"b\":\n 1 }"),
        (r#"{"a": "1", "b": null, "c": "2"}"#, r#"{"a": 1, "c": 2}"#),
        (r#" "{\"a\": \"1\"}" "#, r#"{"a": 1}"#),
        (r#" "{\"a\": 1}" "#, r#"{"a": 1}"#),
    ] {
        let model = ToolCall::new("c1", "by_hand", arguments);
        let store = Arena::new();
        let Answer::Ready(answer) = tool.call(Call::of(&model, &store, &cx)) else {
            panic!("the tool answers at once")
        };
        assert!(answer.is_ok(), "{arguments} {answer:?}");
        assert_eq!(store.repaired_arguments(), Some(rewritten), "{arguments}");
        assert!(!store.repairs().is_empty());

        let store = Arena::new();
        let strict = cx.clone().with_repairs(Repairs::None);
        assert!(tool.validate(Call::of(&model, &store, &strict)).is_err());
        assert!(tool.validate(Call::new(arguments, &store, &cx)).is_err());
        assert!(store.repairs().is_empty() && store.repaired_arguments().is_none());
    }
    // What needs no repair leaves no trace.
    let store = Arena::new();
    let model = ToolCall::new("c1", "by_hand", r#"{"a": 1.0}"#);
    assert!(tool.validate(Call::of(&model, &store, &cx)).is_ok());
    assert!(store.repairs().is_empty() && store.repaired_arguments().is_none());
}

/// Waits, and then fails if it is told to.
#[tool]
async fn later(n: u8, text: &str) -> Result<String, String> {
    tokio::task::yield_now().await;
    if n == 0 {
        Err(format!("{text} failed"))
    } else {
        Ok(format!("{text} {n}"))
    }
}

#[test]
fn an_answer_says_what_was_repaired_whenever_and_whatever_it_is() {
    let tools = tools![later];
    let repairs = |n: u8| vec![format!(r#"n unquoted "{n}" -> {n}"#)];
    assert_eq!(
        call(&tools, "later", r#"{"text": "a \u00e9", "n": "1"}"#),
        (Ok(r#""a é 1""#.to_owned()), repairs(1))
    );
    assert_eq!(
        call(&tools, "later", r#"{"text": "a", "n": "0"}"#),
        (Err("a failed".to_owned()), repairs(0))
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let model = ToolCall::new("c1", "later", r#"{"text": "a", "n": "1"}"#);
    let result = runtime.block_on(tools.call(&model, &Context::new()));
    assert_eq!(said(&result), (Ok(r#""a 1""#.to_owned()), repairs(1)));
}

/// A type with a rule of its own.
#[derive(Deserialize, Schema)]
#[serde(try_from = "u8")]
struct Even(#[allow(dead_code)] u8);

impl TryFrom<u8> for Even {
    type Error = &'static str;

    fn try_from(n: u8) -> Result<Self, Self::Error> {
        if n.is_multiple_of(2) {
            Ok(Self(n))
        } else {
            Err("no even number")
        }
    }
}

/// Takes even numbers.
#[tool(validate = differ)]
fn even(a: Even, b: u8) -> u8 {
    let _ = a;
    b
}

// A check is lent the parameters, whatever their size.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn differ(a: &Even, b: &u8) -> Result<(), String> {
    if a.0 == *b {
        Err("`a` and `b` are equal".to_owned())
    } else {
        Ok(())
    }
}

#[test]
fn what_was_repaired_is_checked_like_all_else() {
    let tools = tools![even];
    let (answer, repairs) = call(&tools, "even", r#"{"a": "2", "b": "1"}"#);
    assert_eq!((answer.unwrap().as_str(), repairs.len()), ("1", 2));
    let (answer, repairs) = call(&tools, "even", r#"{"a": "3", "b": "1"}"#);
    assert_eq!(answer.unwrap_err(), "a: 3 is refused: no even number");
    assert!(repairs.is_empty());
    let (answer, _) = call(&tools, "even", r#"{"a": "2", "b": "2"}"#);
    assert_eq!(answer.unwrap_err(), "`a` and `b` are equal");
}

#[test]
fn a_tool_made_at_run_time_repairs_too() {
    let tool = DynTool::builder()
        .name("line")
        .description("Shows a line.")
        .typed_sync(|line: Line, _| Ok::<_, ToolError>(line))
        .validate(|line: &Line| {
            if line.qty == 0 {
                Err(vec!["`qty` is nothing".to_owned()])
            } else {
                Ok(())
            }
        });
    let tools = Toolset::new([tool.build().unwrap()]).unwrap();
    assert_eq!(
        call(&tools, "line", r#"{"sku": "a", "qty": "1"}"#),
        (
            Ok(r#"{"sku":"a","qty":1,"gift":false,"note":null}"#.to_owned()),
            vec![r#"qty unquoted "1" -> 1"#.to_owned()]
        )
    );
    let (answer, _) = call(&tools, "line", r#"{"sku": "a", "qty": "0"}"#);
    assert_eq!(answer.unwrap_err(), "`qty` is nothing");
    let (answer, _) = call(&tools, "line", r#"{"sku": "a", "qty": "x"}"#);
    assert_eq!(
        answer.unwrap_err(),
        r#"qty: expected an integer from 0 to 255, got "x""#
    );
    let model = ToolCall::new("c1", "line", r#"{"sku": "a", "qty": "1"}"#);
    assert!(tools.validate(&model, &Context::new()).is_ok());

    // Where the type has no schema, nobody knows what was meant.
    let tool = DynTool::builder()
        .name("line")
        .description("Shows a line.")
        .handler_sync(|line: Line, _| Ok::<_, ToolError>(line));
    let tools = Toolset::new([tool.build().unwrap()]).unwrap();
    let result = tools.call_blocking(&model, &Context::new());
    assert_eq!(result.outcome.unwrap_err().kind(), ErrorKind::InvalidArgs);
}

/// A list whose kind stands beside what follows.
#[derive(Deserialize, Schema)]
struct Chain {
    #[serde(flatten)]
    #[allow(dead_code)]
    link: Link,
}

#[derive(Deserialize, Schema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(dead_code)]
enum Link {
    End,
    Left {
        #[schema(recursive)]
        next: Box<Chain>,
    },
    Right {
        #[schema(recursive)]
        next: Box<Chain>,
    },
}

/// Takes a chain.
#[tool]
fn chain(v: Chain) -> bool {
    let _ = v;
    true
}

#[test]
fn each_link_of_a_chain_is_judged_once() {
    let mut text = r#"{"kind": "end", "x": 1}"#.to_owned();
    for _ in 0..100 {
        text = format!(r#"{{"next": {text}, "kind": "right"}}"#);
    }
    let (answer, _) = call(&tools![chain], "chain", &format!(r#"{{"v": {text}}}"#));
    assert!(answer.unwrap_err().contains("x: unknown key"));
}

#[derive(Serialize, Deserialize, Schema)]
struct Urgent {
    #[allow(dead_code)]
    urgent: bool,
}

/// Books an amount.
#[tool]
fn book(
    journal: &str,
    line_2: u8,
    #[arg(default)] tags: Vec<String>,
    #[arg(default)] deep: Vec<Urgent>,
) -> String {
    let _ = (tags, deep);
    format!("{journal} {line_2}")
}

/// Spends an amount.
#[tool(destructive)]
fn spend(
    journal: &str,
    line_2: u8,
    #[arg(default)] tags: Vec<String>,
    #[arg(default)] deep: Vec<Urgent>,
) -> String {
    book(journal, line_2, tags, deep)
}

/// Spends an amount, as it is written.
#[tool(exact)]
fn exactly(
    journal: &str,
    line_2: u8,
    #[arg(default)] tags: Vec<String>,
    #[arg(default)] deep: Vec<Urgent>,
) -> String {
    book(journal, line_2, tags, deep)
}

/// Spends an amount that somebody agreed to.
#[tool]
fn agreed(
    journal: &str,
    line_2: u8,
    #[arg(default)] tags: Vec<String>,
    #[arg(default)] deep: Vec<Urgent>,
    _: Approved<'_>,
) -> String {
    book(journal, line_2, tags, deep)
}

struct Books;

// A method, for its own way into a list.
#[allow(clippy::unused_self)]
#[tool]
impl Books {
    /// Spends an amount, as it is written.
    #[tool(exact)]
    fn exactly(
        &self,
        journal: &str,
        line_2: u8,
        #[arg(default)] tags: Vec<String>,
        #[arg(default)] deep: Vec<Urgent>,
    ) -> String {
        book(journal, line_2, tags, deep)
    }
}

/// Keys that are `journal` to somebody and not to somebody else.
const DISGUISED: [&str; 22] = [
    r"journal\u0000",
    r"journa\u0000l",
    "Journal",
    "JOURNAL",
    "jour_nal",
    "jour-nal",
    "journal ",
    " journal",
    "jour nal",
    r"journal\n",
    r"\tjournal",
    r"journal\r",
    "journal\u{200b}",
    "jour\u{200d}nal",
    "journal\u{202e}",
    "\u{feff}journal",
    "journal\u{e0041}",
    "journal\u{7f}",
    "j\u{43e}urnal",
    "\u{ff4a}ournal",
    "jou\u{301}rnal",
    "journal2",
];

#[test]
fn a_key_is_repaired_only_where_letters_differ() {
    let tools = tools![book];
    for key in DISGUISED {
        let arguments = format!(r#"{{"{key}": "a", "line_2": 1}}"#);
        let (answer, repairs) = call(&tools, "book", &arguments);
        let told = answer.unwrap_err();
        assert!(
            told.contains("unknown argument; did you mean `journal`?"),
            "{told}"
        );
        assert!(told.contains("journal: missing"), "{told}");
        assert!(repairs.is_empty(), "{key}");
    }
    // A digit makes another key.
    let (answer, _) = call(&tools, "book", r#"{"journal": "a", "line_1": 1}"#);
    answer.unwrap_err();
    for key in ["jounral", "Jurnal", "journall", "jurnal"] {
        let arguments = format!(r#"{{"{key}": "a", "line_2": 1}}"#);
        let (answer, repairs) = call(&tools, "book", &arguments);
        assert_eq!(answer.as_deref(), Ok(r#""a 1""#), "{key}");
        assert_eq!(repairs, [format!("journal renamed {key} -> journal")]);
    }
}

#[test]
fn letters_that_a_key_has_itself_may_be_repaired() {
    repair_rows! {
        Accented, r#"{"grösse": 1}"#, Ok(r#"{"größe":1}"#), ["v.größe renamed grösse -> größe"];
        Accented, r#"{"größé": 1}"#,
            Err("v.größé: unknown key; did you mean `größe`?\nv.größe: missing, expected an integer from 0 to 255"), [];
    }
}

#[derive(Serialize, Deserialize, Schema)]
struct Accented {
    größe: u8,
}

#[derive(Deserialize, Schema)]
#[allow(dead_code)]
struct Spent {
    journal: String,
    line_2: u8,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    deep: Vec<Urgent>,
}

struct Hand(ToolDef);
impl Tool for Hand {
    fn def(&self) -> &ToolDef {
        &self.0
    }
    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        let spent = call.decode::<Spent>();
        Answer::Ready(spent.map(|it| Outcome::value(format!("{} {}", it.journal, it.line_2))))
    }
    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        call.decode::<Spent>().map(drop)
    }
}

/// The same tool, as it can come to be exact.
fn exact_tools() -> Vec<(&'static str, Toolset)> {
    let hints = Annotations {
        destructive: Some(true),
        ..Annotations::default()
    };
    let of = |tool| Toolset::new([tool]).unwrap();
    let run = |spent: Spent, _| Ok::<_, ToolError>(format!("{} {}", spent.journal, spent.line_2));
    let closure = || {
        DynTool::builder()
            .name("spend")
            .description("Spends.")
            .typed_sync(run)
    };
    let built = |builder: DynToolBuilder| of(builder.build().unwrap());
    let stored = |change: fn(&mut ToolDef)| {
        let mut stored = tools![book].definitions().next().unwrap().clone();
        change(&mut stored);
        tools![book].attach([stored]).unwrap()
    };
    let by_hand = |change: fn(&mut ToolDef)| {
        let mut def = ToolDef::new("book", "Spends.");
        change(&mut def);
        of(std::sync::Arc::new(Hand(def)))
    };
    let careless = |tools: Toolset| {
        let mut def = tools.definitions().next().unwrap().clone();
        def.options.annotations = Annotations::default();
        (def.options.exact, def.options.needs_approval) = (false, false);
        tools.attach([def]).unwrap()
    };
    vec![
        ("spend", tools![spend]),
        (
            "spend",
            built(closure().options(ToolOptions::new().annotations(hints))),
        ),
        (
            "spend",
            of(tools![spend].get("spend").unwrap().clone().handle_errors()),
        ),
        ("pay", tools![spend].rename("spend", "pay").unwrap()),
        (
            "book",
            stored(|def| def.options.annotations.destructive = Some(true)),
        ),
        (
            "book",
            by_hand(|def| def.options.annotations.destructive = Some(true)),
        ),
        ("spend", careless(tools![spend])),
        ("exactly", tools![exactly]),
        ("x_exactly", tools![exactly].prefix("x_").unwrap()),
        ("exactly", careless(tools![exactly])),
        ("exactly", tools![exactly].compact().unwrap()),
        ("exactly", tools![..Books: Books]),
        (
            "spend",
            built(closure().options(ToolOptions::new().exact(true))),
        ),
        ("book", stored(|def| def.options.exact = true)),
        ("book", by_hand(|def| def.options.exact = true)),
        ("agreed", tools![agreed]),
        ("agreed", careless(tools![agreed])),
        (
            "spend",
            built(closure().options(ToolOptions::new().needs_approval(true))),
        ),
        ("book", stored(|def| def.options.needs_approval = true)),
        ("book", by_hand(|def| def.options.needs_approval = true)),
    ]
}

#[test]
fn the_arguments_of_an_exact_tool_are_as_they_were_written() {
    for (at, (name, tools)) in exact_tools().into_iter().enumerate() {
        for arguments in [
            r#"{"jounral": "a", "line_2": 1}"#,
            r#""{\"journal\": \"a\", \"line_2\": 1}""#,
            r#"{"journal": "a", "line_2": "1"}"#,
            r#"{"journal": "a", "line_2": 1, "tags": "x"}"#,
            r#"{"journal": "a", "line_2": 1, "tags": "[\"x\"]"}"#,
            r#"{"journal": "a", "line_2": 1, "tags": null}"#,
            r#"{"journal": "a", "line_2": 1, "deep": [{"urgent": "true"}]}"#,
            r#"{"journal": "a", "line_2": 1, "deep": {"urgent": true}}"#,
        ] {
            let model = ToolCall::new("c1", name, arguments);
            for level in [Repairs::All, Repairs::Values, Repairs::None] {
                let cx = Context::new().with_repairs(level);
                let result = tools.call_blocking(&model, &cx);
                let error = result.outcome.unwrap_err();
                assert_eq!(
                    error.kind(),
                    ErrorKind::InvalidArgs,
                    "{at} {name} {arguments}"
                );
                assert!(result.repairs.is_empty());
                tools.validate(&model, &cx).unwrap_err();
            }
            #[cfg(feature = "tokio")]
            for error in executed(&tools, &model) {
                assert_eq!(error.kind(), ErrorKind::InvalidArgs, "{at} {name}");
            }
        }
        // What the schema admits is not a repair.
        let model = ToolCall::new("c1", name, r#"{"journal": "a", "line_2": 1.0}"#);
        tools.validate(&model, &Context::new()).unwrap();
    }
    // All others are repaired as before.
    let (answer, repairs) = call(&tools![book], "book", r#"{"jounral": "a", "line_2": "1"}"#);
    assert_eq!(answer.as_deref(), Ok(r#""a 1""#));
    assert_eq!(repairs.len(), 2);
}

/// Why executors refuse a call: with layers and without, where it goes other ways.
#[cfg(feature = "tokio")]
fn executed(tools: &Toolset, model: &ToolCall) -> [ToolError; 2] {
    let plain = toolwright::Executor::serial(tools);
    let layered = plain.clone().layer(toolwright::layers::Retry::new(1));
    [plain, layered].map(|executor| {
        let batch = executor.run_blocking(std::slice::from_ref(model), &Context::new());
        batch.results().next().unwrap().outcome.clone().unwrap_err()
    })
}

#[test]
fn repairs_of_values_show_every_key_that_is_read() {
    let tools = tools![several];
    let cx = Context::new().with_repairs(Repairs::Values);
    let come = |arguments: &str| {
        said(&tools.call_blocking(&ToolCall::new("c1", "several", arguments), &cx))
    };
    let (answer, repairs) =
        come(r#"{"a": "1", "b": null, "c": "x", "text": "", "texts": "[\"y\"]"}"#);
    answer.unwrap();
    assert_eq!(
        repairs,
        [
            r#"a unquoted "1" -> 1"#,
            "b null_dropped null -> ",
            r#"c wrapped "x" -> ["x"]"#,
            r#"texts parsed "[\"y\"]" -> ["y"]"#,
        ]
    );
    let rest = r#""c": [], "text": "", "texts": []"#;
    for hidden in [
        format!(r#"{{"a": 1, {rest}, "d": "{{\"sku\": \"a\", \"qty\": 1}}"}}"#),
        format!(r#"{{"a": 1, {rest}, "d": "\u007b\"sku\": \"a\", \"qty\": 1}}"}}"#),
        format!(r#"{{"aa": 1, {rest}}}"#),
        serde_json::to_string(&format!(r#"{{"a": 1, {rest}}}"#)).unwrap(),
    ] {
        let (answer, repairs) = come(&hidden);
        answer.unwrap_err();
        assert!(repairs.is_empty(), "{hidden}");
    }
    repair_rows! {
        Vec<Line>, r#""[{\"sku\": \"a\", \"qty\": 1}]""#, Ok(r#"[{"sku":"a","qty":1,"gift":false,"note":null}]"#),
            [r#"v parsed "[{\"sku\": \"a\", \"qty\": 1}]" -> [{"sku": "a", "qty": 1}]"#];
    }
    let lines = tools![crate::arguments::echo::<Vec<Line>> as "echo"];
    for hidden in [
        r#"{"v": "[{\"sku\": \"a\", \"qty\": 1}]"}"#,
        r#"{"v": ["{\"sku\": \"a\", \"qty\": 1}"]}"#,
        r#"{"v": "[\"\\u007b\\\"sku\\\": \\\"a\\\", \\\"qty\\\": 1}\"]"}"#,
    ] {
        let model = ToolCall::new("c1", "echo", hidden);
        lines.call_blocking(&model, &cx).outcome.unwrap_err();
        lines
            .call_blocking(&model, &Context::new())
            .outcome
            .unwrap();
    }
}

#[test]
fn of_two_contexts_the_one_that_repairs_less_counts() {
    let of = |repairs| Context::new().with_repairs(repairs);
    let all = [Repairs::None, Repairs::Values, Repairs::All];
    for one in all {
        for other in all {
            let both = of(one).with_fallback(&of(other));
            assert_eq!(both.repairs(), one.min(other));
        }
        assert_eq!(of(one).with_fallback(&Context::new()).repairs(), one);
        assert_eq!(Context::new().with_fallback(&of(one)).repairs(), one);
    }
}
