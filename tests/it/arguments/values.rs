//! What a value of each type may be written as.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use toolwright::{Schema, tool, tools};

use super::{answer, any_schema, decode, echo_rows, pretty_rows};

#[derive(Serialize, Deserialize, Schema)]
struct Deep {
    n: u8,
    list: Vec<i64>,
    map: BTreeMap<String, u64>,
    pair: (i32, Option<i32>),
}

#[test]
fn an_integer_is_exact_in_every_spelling() {
    echo_rows! {
        i64, "1.0", Ok("1");
        i64, "1e2", Ok("100");
        i64, "1E+2", Ok("100");
        i64, "-12.50e1", Ok("-125");
        i64, "1200e-2", Ok("12");
        i64, "-0", Ok("0");
        i64, "-0.0", Ok("0");
        u8, "-0e9", Ok("0");
        u8, "0.255e3", Ok("255");
        i64, "9007199254740993", Ok("9007199254740993");
        i64, "9007199254740993.0", Ok("9007199254740993");
        i64, "-9223372036854775808", Ok("-9223372036854775808");
        i64, "-9223372036854775808.0", Ok("-9223372036854775808");
        u64, "18446744073709551615", Ok("18446744073709551615");
        u64, "1844674407370955161.5e1", Ok("18446744073709551615");
        i128, "-170141183460469231731687303715884105728",
            Ok("-170141183460469231731687303715884105728");
        u128, "340282366920938463463374607431768211455",
            Ok("340282366920938463463374607431768211455");
        u128, "7", Ok("7");
        i128, "-7.0", Ok("-7");
        Deep, r#"{"n": 1.0, "list": [1e2, 2.0], "map": {"a": 3e0}, "pair": [4.0, 5e0]}"#,
            Ok(r#"{"n":1,"list":[100,2],"map":{"a":3},"pair":[4,5]}"#);

        i64, "1.5", Err("v: expected an integer, got 1.5");
        i64, "15e-1", Err("v: expected an integer, got 15e-1");
        i64, "9007199254740992.5", Err("v: expected an integer, got 9007199254740992.5");
        i64, "1e-99999999999999999999", Err("v: expected an integer, got 1e-99999999999999999999");
        i64, r#""1""#, Err(r#"v: expected an integer, got "1""#);
        u8, "256", Err("v: expected an integer from 0 to 255, got 256");
        u8, "2.56e2", Err("v: expected an integer from 0 to 255, got 2.56e2");
        i8, "-129", Err("v: expected an integer from -128 to 127, got -129");
        u32, "-1", Err("v: expected an integer from 0 to 4294967295, got -1");
        u64, "18446744073709551616",
            Err("v: expected an integer from 0 to 18446744073709551615, got 18446744073709551616");
        i64, "9223372036854775808",
            Err("v: expected an integer from -9223372036854775808 to 9223372036854775807, got 9223372036854775808");
        u128, "-1",
            Err("v: expected an integer from 0 to 340282366920938463463374607431768211455, got -1");
        u128, "340282366920938463463374607431768211456",
            Err("v: expected an integer from 0 to 340282366920938463463374607431768211455, got 340282366920938463463374607431768211456");
        i128, "1e99999999999999999999",
            Err("v: expected an integer from -170141183460469231731687303715884105728 to 170141183460469231731687303715884105727, got 1e99999999999999999999");
    }
}

#[test]
fn a_float_is_the_nearest_one_and_never_infinite() {
    for (json, expected) in [
        ("1", 1.0),
        ("-0", -0.0),
        ("0.1", 0.1),
        ("1e-999", 0.0),
        ("1.7976931348623157e308", f64::MAX),
        ("5e-324", f64::from_bits(1)),
        ("9007199254740993", 9_007_199_254_740_992.0),
        (
            "123456789012345678901234567890",
            123_456_789_012_345_680_000_000_000_000.0,
        ),
        (
            "0.500000000000000166533453693773481063544750213623046875",
            0.500_000_000_000_000_2,
        ),
    ] {
        let read = decode::<BTreeMap<String, f64>>(&format!(r#"{{"v": {json}}}"#)).unwrap();
        let read: Vec<_> = read.into_values().map(f64::to_bits).collect();
        assert_eq!(read, [f64::to_bits(expected)], "{json}");
    }
    let read = decode::<BTreeMap<String, f32>>(r#"{"a": 3.4028235e38, "b": 1e-60}"#).unwrap();
    assert_eq!(read.into_values().collect::<Vec<_>>(), [f32::MAX, 0.0]);
    echo_rows! {
        f64, "1e309", Err("v: expected a number from -1.7976931348623157e308 to 1.7976931348623157e308, got 1e309");
        Option<f64>, "-1e309", Err("v: expected a number from -1.7976931348623157e308 to 1.7976931348623157e308 or null, got -1e309");
        f32, "1e40", Err("v: expected a number from -3.4028235e38 to 3.4028235e38, got 1e40");
        f32, "-1e40", Err("v: expected a number from -3.4028235e38 to 3.4028235e38, got -1e40");
        Vec<f32>, "[1, 1e40]",
            Err("v[1]: expected a number from -3.4028235e38 to 3.4028235e38, got 1e40");
        f64, "true", Err("v: expected a number, got true");
        f64, r#""NaN""#, Err(r#"v: expected a number, got "NaN""#);
    }
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(rename_all = "snake_case")]
enum Speed {
    Normal,
    NextDay,
}

/// A struct of one value is that value.
#[derive(Serialize, Deserialize)]
struct Wrapper(u8);
#[derive(Serialize, Deserialize)]
struct Unit;
#[derive(Serialize, Deserialize)]
struct Pair(u8, bool);
any_schema!(Wrapper, Unit, Pair);

#[test]
fn each_type_takes_what_its_schema_says() {
    echo_rows! {
        bool, "true", Ok("true");
        bool, "1", Err("v: expected true or false, got 1");
        String, r#""a\"b\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#, Ok(r#""a\"b\\/\u0008\u000c\n\r\té😀""#);
        String, "7", Err("v: expected a string, got 7");
        char, r#""é""#, Ok(r#""é""#);
        char, r#""\u00e9""#, Ok(r#""é""#);
        char, r#""""#, Err(r#"v: expected a string of one character, got """#);
        char, r#""ab""#, Err(r#"v: expected a string of one character, got "ab""#);
        (), "null", Ok(r#""done""#);
        (), "0", Err("v: expected null, got 0");
        Unit, "null", Ok("null");
        Unit, "{}", Err("v: expected null, got {}");
        Wrapper, "7", Ok("7");
        Wrapper, "[7]", Err("v: expected an integer, got [7]");
        Option<u8>, "null", Ok("null");
        Option<u8>, "7", Ok("7");
        Option<u8>, r#""""#, Err(r#"v: expected an integer from 0 to 255 or null, got """#);
        Option<u8>, "300", Err("v: expected an integer from 0 to 255 or null, got 300");
        Option<Option<u8>>, "null", Ok("null");
        Option<Option<u8>>, "7", Ok("7");
        Vec<u8>, "[]", Ok("[]");
        Vec<u8>, "[1, 2.0]", Ok("[1,2]");
        Vec<u8>, "[1, null]", Err("v[1]: expected an integer from 0 to 255, got null");
        Vec<u8>, "{}", Err("v: expected an array, got {}");
        VecDeque<bool>, "[true]", Ok("[true]");
        Box<u8>, "1", Ok("1");
        Rc<u8>, "1", Ok("1");
        Arc<str>, r#""a""#, Ok(r#""a""#);
        Cow<'static, str>, r#""a\n""#, Ok(r#""a\n""#);
        [u8; 2], "[1, 2]", Ok("[1,2]");
        [u8; 2], "[1]", Err("v: expected an array of 2 elements, got [1]");
        [u8; 2], "[1, 2, 3]", Err("v: expected an array of 2 elements, got [1, 2, 3]");
        [u8; 0], "[1]", Err("v: expected an array of 0 elements, got [1]");
        (u8, bool), "[1, true]", Ok("[1,true]");
        (u8, bool), "[1]", Err("v: expected an array of 2 elements, such as [1,true], got [1]");
        (u8, bool), "[1, true, 3]", Err("v: expected an array of 2 elements, such as [1,true], got [1, true, 3]");
        (u8, bool), "[1, 2]", Err("v[1]: expected true or false, got 2");
        Vec<(u8, bool)>, "[[1]]", Err("v[0]: expected an array of 2 elements, such as [1,true], got [1]");
        Pair, "[1]", Err("v: expected another number of elements, got [1]");
        Pair, "[1, true, 3]", Err("v: expected another number of elements, got [1, true, 3]");
        HashSet<u8>, "[7]", Ok("[7]");
        BTreeSet<u8>, "[2, 1]", Ok("[1,2]");
        Speed, r#""next_day""#, Ok(r#""next_day""#);
        Speed, r#""next\u005fday""#, Ok(r#""next_day""#);
        Speed, "1", Err(r#"v: expected one of "normal", "next_day", got 1"#);
        Speed, r#"{"normal": null}"#,
            Err(r#"v: expected one of "normal", "next_day", got {"normal": null}"#);
        Value, r#"{"a": [1, -2, 3.5, "\n", null, true]}"#, Ok(r#"{"a":[1,-2,3.5,"\n",null,true]}"#);
        Value, "18446744073709551615", Ok("18446744073709551615");
        Value, r#"{"a": 1e999}"#, Err("v.a: expected another number, got 1e999");
        serde_json::Map<String, Value>, r#"{"a": 1}"#, Ok(r#"{"a":1}"#);
        serde_json::Map<String, Value>, "[]", Err("v: expected an object, got []");
        Box<RawValue>, r#" {"a" : 1.0, "b": [ "\u0041" ]} "#, Ok(r#"{"a" : 1.0, "b": [ "\u0041" ]}"#);
    }
}

#[test]
fn a_key_of_a_map_is_read_as_its_type() {
    echo_rows! {
        BTreeMap<String, u8>, r#"{"b": 1, "a\n": 2}"#, Ok(r#"{"a\n":2,"b":1}"#);
        BTreeMap<char, u8>, r#"{"é": 1}"#, Ok(r#"{"é":1}"#);
        BTreeMap<u8, u8>, r#"{"255": 1, "0": 2}"#, Ok(r#"{"0":2,"255":1}"#);
        BTreeMap<i128, u8>, r#"{"-170141183460469231731687303715884105728": 1}"#,
            Ok(r#"{"-170141183460469231731687303715884105728":1}"#);
        BTreeMap<bool, u8>, r#"{"true": 1}"#, Ok(r#"{"true":1}"#);
        HashMap<SpeedKey, u8>, r#"{"next_day": 1}"#, Ok(r#"{"next_day":1}"#);
        BTreeMap<Wrapped, u8>, r#"{"1": 1}"#, Ok(r#"{"1":1}"#);

        BTreeMap<u8, u8>, r#"{"01": 1}"#, Err(r#"v.01: expected a key that is an integer from 0 to 255, got "01""#);
        BTreeMap<u8, u8>, r#"{"-0": 1}"#, Err(r#"v.-0: expected a key that is an integer from 0 to 255, got "-0""#);
        BTreeMap<u8, u8>, r#"{"1.0": 1}"#, Err(r#"v["1.0"]: expected a key that is an integer from 0 to 255, got "1.0""#);
        BTreeMap<u8, u8>, r#"{"256": 1}"#, Err(r#"v.256: expected a key that is an integer from 0 to 255, got "256""#);
        BTreeMap<u64, u8>, r#"{"18446744073709551616": 1}"#,
            Err(r#"v.18446744073709551616: expected a key that is an integer from 0 to 18446744073709551615, got "18446744073709551616""#);
        BTreeMap<i8, u8>, r#"{"": 1}"#, Err(r#"v[""]: expected a key that is an integer from -128 to 127, got """#);
        BTreeMap<bool, u8>, r#"{"yes": 1}"#, Err(r#"v.yes: expected a key that is true or false, got "yes""#);
        HashMap<SpeedKey, u8>, r#"{"nextday": 1}"#,
            Err(r#"v.nextday: expected a key that is one of "normal", "next_day", got "nextday"; did you mean `next_day`?"#);
        BTreeMap<u8, u8>, r#"{"1": "x"}"#, Err(r#"v.1: expected an integer from 0 to 255, got "x""#);
    }
}

#[derive(Serialize, Deserialize, Schema, PartialEq, Eq, Hash)]
#[serde(rename_all = "snake_case")]
enum SpeedKey {
    Normal,
    NextDay,
}

#[derive(Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Wrapped(u8);
any_schema!(Wrapped);

/// Returns what is optional.
#[tool]
fn optional(
    a: Option<u8>,
    b: Option<&str>,
    c: Option<Vec<u8>>,
    #[arg(default = 7)] d: u8,
) -> String {
    format!("{a:?} {b:?} {c:?} {d}")
}

/// Takes nothing.
#[tool]
fn nothing() -> &'static str {
    "done"
}

#[test]
fn no_arguments_are_an_empty_object() {
    let tools = tools![optional, nothing, super::echo::<u8> as "echo"];
    for arguments in ["", " \r\n\t", "null", " null\n", "{}", " { } "] {
        let rows = ["optional", "nothing", "echo"]
            .map(|tool| (tool, arguments.to_owned(), answer(&tools, tool, arguments)));
        let expected = [
            (
                "optional",
                arguments.to_owned(),
                Ok(r#""None None None 7""#.to_owned()),
            ),
            ("nothing", arguments.to_owned(), Ok(r#""done""#.to_owned())),
            (
                "echo",
                arguments.to_owned(),
                Err("v: missing, expected an integer from 0 to 255".to_owned()),
            ),
        ];
        pretty_rows(&rows, &expected);
    }
}

#[test]
fn null_is_absent_for_what_is_optional() {
    let tools = tools![optional];
    assert_eq!(
        answer(&tools, "optional", r#"{"b": null, "c": null, "a": null}"#).unwrap(),
        r#""None None None 7""#
    );
}

#[test]
fn the_order_of_arguments_is_free() {
    let tools = tools![optional];
    assert_eq!(
        answer(
            &tools,
            "optional",
            r#"{"d": 1, "c": [2], "b": "x", "a": 3}"#
        )
        .unwrap(),
        r#""Some(3) Some(\"x\") Some([2]) 1""#
    );
}
