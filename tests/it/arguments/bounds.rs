//! Bounds: what a declared rule refuses, wherever the value with the rule stands.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::json::CheckText;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolwright::args::FaultCode::{Bound, DuplicateKey, MissingArgument, OutOfRange, WrongType};
use toolwright::{
    Context, Schema, ToolCall, Toolset,
    args::{FaultCode, Limits},
    tool, tools,
};

use super::{answer, echo_rows};

/// Newtypes with rules.
macro_rules! ruled {
    ($($name:ident: $ty:ty => $rules:tt;)*) => {$(
        #[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Schema)]
        pub(super) struct $name(#[schema $rules] $ty);
    )*};
    (float: $($name:ident: $ty:ty => $rules:tt;)*) => {$(
        #[derive(Debug, Serialize, Deserialize, Schema)]
        pub(super) struct $name(#[schema $rules] $ty);
    )*};
}

mod integers {
    use super::*;

    ruled! {
        Age: u8 => (range(1..=99));
        Below: i8 => (range(-5..5));
        Negative: i64 => (range(..0));
        AtLeast: u64 => (range(10..));
        Exact: u64 => (range(9007199254740993..=9007199254740995));
        Wide: i128 => (range(-170141183460469231731687303715884105728..=-1));
        Huge: u128 => (range(340282366920938463463374607431768211455..));
        Fives: i64 => (multiple_of = 5);
        FivesUpTo: u8 => (range(5..=20), multiple_of = 5);
    }

    #[test]
    fn an_integer_is_within_its_range_in_every_spelling() {
        echo_rows! {
            Age, "1", Ok("1");
            Age, "99", Ok("99");
            Age, "9.90e1", Ok("99");
            Age, "0", Err("v: expected an integer from 1 to 99, got 0");
            Age, "100", Err("v: expected an integer from 1 to 99, got 100");
            Age, "1e2", Err("v: expected an integer from 1 to 99, got 1e2");
            Age, "300", Err("v: expected an integer from 1 to 99, got 300");
            Age, "-1", Err("v: expected an integer from 1 to 99, got -1");
            Age, "1.5", Err("v: expected an integer from 1 to 99, got 1.5");
            Below, "-5", Ok("-5");
            Below, "4", Ok("4");
            Below, "5", Err("v: expected an integer from -5 to 4, got 5");
            Below, "-6", Err("v: expected an integer from -5 to 4, got -6");
            Negative, "-1", Ok("-1");
            Negative, "-0", Err("v: expected an integer from -9223372036854775808 to -1, got -0");
            AtLeast, "18446744073709551615", Ok("18446744073709551615");
            AtLeast, "9", Err("v: expected an integer from 10 to 18446744073709551615, got 9");
            Exact, "9007199254740993", Ok("9007199254740993");
            Exact, "9007199254740993.0", Ok("9007199254740993");
            Exact, "9007199254740992", Err("v: expected an integer from 9007199254740993 to 9007199254740995, got 9007199254740992");
            Exact, "9007199254740996", Err("v: expected an integer from 9007199254740993 to 9007199254740995, got 9007199254740996");
            Wide, "-170141183460469231731687303715884105728", Ok("-170141183460469231731687303715884105728");
            Wide, "0", Err("v: expected an integer from -170141183460469231731687303715884105728 to -1, got 0");
            Huge, "340282366920938463463374607431768211455", Ok("340282366920938463463374607431768211455");
            Huge, "340282366920938463463374607431768211454", Err("v: expected the integer 340282366920938463463374607431768211455, got 340282366920938463463374607431768211454");
            Fives, "-10", Ok("-10");
            Fives, "0", Ok("0");
            Fives, "1.0e1", Ok("10");
            Fives, "7", Err("v: expected an integer, a multiple of 5, got 7");
            FivesUpTo, "20", Ok("20");
            FivesUpTo, "25", Err("v: expected an integer from 5 to 20, a multiple of 5, got 25");
            FivesUpTo, "7", Err("v: expected an integer from 5 to 20, a multiple of 5, got 7");
        }
    }
}
use integers::Age;

mod numbers {
    use super::*;

    ruled! { float:
        Unit: f64 => (range(0.0..=1.0));
        Open: f64 => (range(0.0..1.0));
        Tenths: f64 => (multiple_of = 0.1);
        Between: f64 => (range(0.1..=0.3));
        Tiny: f64 => (range(1e-400..));
        Exact: f64 => (range(..=9007199254740993));
        Small: f32 => (range(-0.5..0.5));
        Cents: f32 => (range(0..), multiple_of = 0.01);
    }

    #[test]
    fn a_number_is_compared_by_its_decimal_text() {
        echo_rows! {
            Unit, "0", Ok("0.0");
            Unit, "-0.0", Ok("-0.0");
            Unit, "1", Ok("1.0");
            Unit, "10e-1", Ok("1.0");
            Unit, "1.0000000000000000000001", Err("v: expected a number from 0.0 to 1.0, got 1.0000000000000000000001");
            Unit, "-1e-400", Err("v: expected a number from 0.0 to 1.0, got -1e-400");
            Unit, "1e999", Err("v: expected a number from 0.0 to 1.0, got 1e999");
            Unit, r#""1""#, Err(r#"v: expected a number from 0.0 to 1.0, got "1""#);
            Open, "0", Ok("0.0");
            Open, "0.99999999999999994", Ok("0.9999999999999999");
            Open, "0.99999999999999999999", Ok("1.0");
            Open, "1", Err("v: expected a number from 0.0 below 1.0, got 1");
            Open, "1.000", Err("v: expected a number from 0.0 below 1.0, got 1.000");
            Tenths, "0.3", Ok("0.3");
            Tenths, "0.30000000000000004", Err("v: expected a number, a multiple of 0.1, got 0.30000000000000004");
            Tenths, "-1.7e1", Ok("-17.0");
            Tenths, "0.05", Err("v: expected a number, a multiple of 0.1, got 0.05");
            Tenths, "1e-400", Err("v: expected a number, a multiple of 0.1, got 1e-400");
            Between, "0.1", Ok("0.1");
            Between, "1e-1", Ok("0.1");
            Between, "0.09999999999999999999999", Err("v: expected a number from 0.1 to 0.3, got 0.09999999999999999999999");
            Between, "0.3000", Ok("0.3");
            Between, "0.30000000000000000000001", Err("v: expected a number from 0.1 to 0.3, got 0.30000000000000000000001");
            Tiny, "1e-400", Ok("0.0");
            Tiny, "0.1e-399", Ok("0.0");
            Tiny, "9e-401", Err("v: expected a number of 1e-400 or more, got 9e-401");
            Tiny, "0", Err("v: expected a number of 1e-400 or more, got 0");
            Exact, "9007199254740993", Ok("9007199254740992.0");
            Exact, "9007199254740994", Err("v: expected a number of at most 9007199254740993, got 9007199254740994");
            Exact, "9007199254740993.1", Err("v: expected a number of at most 9007199254740993, got 9007199254740993.1");
            Small, "-0.5", Ok("-0.5");
            Small, "0.5", Err("v: expected a number from -0.5 below 0.5, got 0.5");
            Small, "1e40", Err("v: expected a number from -0.5 below 0.5, got 1e40");
            Cents, "0.07", Ok("0.07");
            Cents, "0.075", Err("v: expected a number of 0 or more, a multiple of 0.01, got 0.075");
        }
    }
}

mod texts {
    use super::*;

    ruled! {
        Name: String => (len(1..=3));
        Empty: String => (len(..=0));
        AtLeast: String => (len(2..));
        Mail: String => (format = "email");
        Day: String => (format = "date");
    }

    #[test]
    fn a_string_has_so_many_characters() {
        echo_rows! {
            Name, r#""a""#, Ok(r#""a""#);
            Name, r#""é😀ß""#, Ok(r#""é😀ß""#);
            Name, r#""\ud83d\ude00\u00e9a""#, Ok(r#""😀éa""#);
            Name, r#""""#, Err(r#"v: expected a string of 1 to 3 characters, got """#);
            Name, r#""abcd""#, Err(r#"v: expected a string of 1 to 3 characters, got "abcd""#);
            Name, r#""e\u0301bc""#, Err(r#"v: expected a string of 1 to 3 characters, got "e\u0301bc""#);
            Name, "1", Err("v: expected a string of 1 to 3 characters, got 1");
            Empty, r#""""#, Ok(r#""""#);
            Empty, r#"" ""#, Err(r#"v: expected a string of 0 characters, got " ""#);
            AtLeast, r#""a""#, Err(r#"v: expected a string of 2 or more characters, got "a""#);
        }
    }

    #[test]
    fn a_string_is_of_its_format() {
        echo_rows! {
            Mail, r#""ada@example.org""#, Ok(r#""ada@example.org""#);
            Mail, r#""ada""#, Err(r#"v: expected a string in the format `email`, got "ada""#);
            Day, r#""2024-02-29""#, Ok(r#""2024-02-29""#);
            Day, r#""2023-02-29""#, Err(r#"v: expected a string in the format `date`, got "2023-02-29""#);
            // Formats that JSON Schema does not define are notes.
        }
    }
}
use texts::Name;

mod patterns {
    use super::*;

    ruled! {
        Code: String => (pattern = "^[A-Z]{2}$");
        Long: String => (len(2..=3), pattern = "^[a-z]+$");
    }

    #[test]
    fn a_string_matches_its_pattern() {
        echo_rows! {
            Code, r#""NO""#, Ok(r#""NO""#);
            Code, r#""no""#, Err(r#"v: expected a string that matches `^[A-Z]{2}$`, got "no""#);
            Code, r#""NO\n""#, Err(r#"v: expected a string that matches `^[A-Z]{2}$`, got "NO\n""#);
            Long, r#""ab""#, Ok(r#""ab""#);
            Long, r#""a""#, Err(r#"v: expected a string of 2 to 3 characters that matches `^[a-z]+$`, got "a""#);
            Long, r#""AB""#, Err(r#"v: expected a string of 2 to 3 characters that matches `^[a-z]+$`, got "AB""#);
        }
    }
}

mod lists {
    use super::*;

    ruled! {
        Few: Vec<u8> => (len(1..=2));
        Distinct: Vec<i64> => (unique);
        DistinctAny: Vec<Vec<String>> => (len(..=3), unique);
        Set: BTreeSet<u8> => (len(2..));
        Entries: BTreeMap<String, u8> => (len(1..=2));
        Fixed: [u8; 3] => (unique);
    }

    #[test]
    fn a_list_has_so_many_elements_and_none_twice() {
        echo_rows! {
            Few, "[1, 2]", Ok("[1,2]");
            Few, "[]", Err("v: expected an array of 1 to 2 elements, got []");
            Few, "[1, 2, 3]", Err("v: expected an array of 1 to 2 elements, got [1, 2, 3]");
            Few, "1", Err("v: expected an array of 1 to 2 elements, got 1");
            Few, "[1, 2, 300]", Err("v: expected an array of 1 to 2 elements, got [1, 2, 300]\nv[2]: expected an integer from 0 to 255, got 300");
            Distinct, "[1, 2, -1]", Ok("[1,2,-1]");
            Distinct, "[1, 2, 1]", Err("v[2]: 1 is there already; no two elements may be equal");
            Distinct, "[10, 1e1]", Err("v[1]: 1e1 is there already; no two elements may be equal");
            Distinct, "[0, -0.0]", Err("v[1]: -0.0 is there already; no two elements may be equal");
            DistinctAny, r#"[["a"], ["a", "b"], []]"#, Ok(r#"[["a"],["a","b"],[]]"#);
            DistinctAny, r#"[["a"], ["\u0061"]]"#, Err(r#"v[1]: ["\u0061"] is there already; no two elements may be equal"#);
            Set, "[1, 2]", Ok("[1,2]");
            Set, "[1]", Err("v: expected an array of 2 or more elements, got [1]");
            Set, "[1, 1]", Err("v[1]: 1 is there already; no two elements may be equal");
            Entries, r#"{"a": 1, "b": 2}"#, Ok(r#"{"a":1,"b":2}"#);
            Entries, "{}", Err("v: expected an object of 1 to 2 entries, got {}");
            Entries, r#"{"a": 1, "b": 2, "c": 3}"#, Err(r#"v: expected an object of 1 to 2 entries, got {"a": 1, "b": 2, "c": 3}"#);
            Fixed, "[1, 2, 3]", Ok("[1,2,3]");
            Fixed, "[1, 2, 2]", Err("v[2]: 2 is there already; no two elements may be equal");
        }
    }
}

#[derive(Serialize, Deserialize, Schema)]
enum Outside {
    Plain,
    New(Age),
    Two(Age, Name),
    Named {
        #[schema(range(1..=5))]
        n: u8,
    },
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "kind")]
enum Inside {
    Plain,
    New(Part),
    Named {
        #[schema(range(1..=5))]
        n: u8,
    },
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "kind", content = "of")]
enum Beside {
    Plain,
    New(Age),
    Named {
        #[schema(range(1..=5))]
        n: u8,
    },
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum Either {
    New(Age),
    Text(Name),
    Named {
        #[schema(range(1..=5))]
        n: u8,
    },
}

#[derive(Serialize, Deserialize, Schema)]
struct Part {
    #[schema(range(1..=5))]
    part: u8,
}

#[derive(Serialize, Deserialize, Schema)]
struct Flat {
    #[serde(flatten)]
    inner: Part,
    #[serde(flatten)]
    rest: BTreeMap<String, Age>,
}

#[derive(Serialize, Deserialize, Schema)]
struct Tree {
    #[schema(range(1..=5))]
    n: u8,
    #[serde(default)]
    #[schema(len(..=2))]
    children: Vec<Tree>,
    next: Option<Box<Tree>>,
}

#[derive(Serialize, Deserialize, Schema)]
struct Narrowed {
    #[schema(range(10..=200))]
    age: Age,
    #[schema(range(1..=5))]
    maybe: Option<u8>,
    #[serde(default)]
    #[schema(len(2..))]
    name: Option<Name>,
}

#[test]
fn a_rule_holds_wherever_its_value_stands() {
    echo_rows! {
        Option<Age>, "null", Ok("null");
        Option<Age>, "1", Ok("1");
        Option<Age>, "0", Err("v: expected an integer from 1 to 99 or null, got 0");
        Box<Age>, "0", Err("v: expected an integer from 1 to 99, got 0");
        Vec<Age>, "[1, 0, 2, 100]", Err("v[1]: expected an integer from 1 to 99, got 0\nv[3]: expected an integer from 1 to 99, got 100");
        Vec<Option<Box<Age>>>, "[null, 0]", Err("v[1]: expected an integer from 1 to 99 or null, got 0");
        HashMap<String, Age>, r#"{"a": 0}"#, Err("v.a: expected an integer from 1 to 99, got 0");
        BTreeMap<Name, u8>, r#"{"abc": 1}"#, Ok(r#"{"abc":1}"#);
        BTreeMap<Name, u8>, r#"{"abcd": 1}"#, Err(r#"v.abcd: expected a key that is a string of 1 to 3 characters, got "abcd""#);
        BTreeMap<Age, u8>, r#"{"100": 1}"#, Err(r#"v.100: expected a key that is an integer from 1 to 99, got "100""#);
        (Age, Name), r#"[1, "a"]"#, Ok(r#"[1,"a"]"#);
        (Age, Name), r#"[0, ""]"#, Err("v[0]: expected an integer from 1 to 99, got 0\nv[1]: expected a string of 1 to 3 characters, got \"\"");
        [Age; 2], "[1, 0]", Err("v[1]: expected an integer from 1 to 99, got 0");

        Outside, r#""Plain""#, Ok(r#""Plain""#);
        Outside, r#"{"New": 1}"#, Ok(r#"{"New":1}"#);
        Outside, r#"{"New": 0}"#, Err("v.New: expected an integer from 1 to 99, got 0");
        Outside, r#"{"Two": [0, "abcd"]}"#, Err("v.Two[0]: expected an integer from 1 to 99, got 0\nv.Two[1]: expected a string of 1 to 3 characters, got \"abcd\"");
        Outside, r#"{"Named": {"n": 6}}"#, Err("v.Named.n: expected an integer from 1 to 5, got 6");

        Inside, r#"{"kind": "Plain"}"#, Ok(r#"{"kind":"Plain"}"#);
        Inside, r#"{"kind": "New", "part": 5}"#, Ok(r#"{"kind":"New","part":5}"#);
        Inside, r#"{"kind": "New", "part": 6}"#, Err("v.part: expected an integer from 1 to 5, got 6");
        Inside, r#"{"n": 6, "kind": "Named"}"#, Err("v.n: expected an integer from 1 to 5, got 6");

        Beside, r#"{"kind": "New", "of": 1}"#, Ok(r#"{"kind":"New","of":1}"#);
        Beside, r#"{"kind": "New", "of": 0}"#, Err("v.of: expected an integer from 1 to 99, got 0");
        Beside, r#"{"of": 0, "kind": "New"}"#, Err("v.of: expected an integer from 1 to 99, got 0");
        Beside, r#"{"of": {"n": 6}, "kind": "Named"}"#, Err("v.of.n: expected an integer from 1 to 5, got 6");

        Either, "99", Ok("99");
        Either, "0", Err("v: expected an integer from 1 to 99, got 0");
        Either, r#""abc""#, Ok(r#""abc""#);
        Either, r#""abcd""#, Err("v: expected a string of 1 to 3 characters, got \"abcd\"");
        Either, r#"{"n": 6}"#, Err("v.n: expected an integer from 1 to 5, got 6");
        Either, "true", Err("v: expected an integer from 1 to 99 or a string of 1 to 3 characters or an object, got true");

        Flat, r#"{"part": 1, "a": 1}"#, Ok(r#"{"part":1,"a":1}"#);
        Flat, r#"{"part": 6, "a": 0}"#, Err("v.part: expected an integer from 1 to 5, got 6\nv.a: expected an integer from 1 to 99, got 0");

        Tree, r#"{"n": 1, "children": [{"n": 6}], "next": {"n": 0}}"#,
            Err("v.children[0].n: expected an integer from 1 to 5, got 6\nv.next.n: expected an integer from 1 to 5, got 0");
        Tree, r#"{"n": 1, "next": {"n": 1, "children": [{"n": 1}, {"n": 1}, {"n": 1}]}}"#,
            Err(r#"v.next.children: expected an array of at most 2 elements, got [{"n": 1}, {"n": 1}, {"n": 1}]"#);

        Narrowed, r#"{"age": 10, "maybe": null, "name": null}"#, Ok(r#"{"age":10,"maybe":null,"name":null}"#);
        Narrowed, r#"{"age": 9}"#, Err("v.age: expected an integer from 10 to 99, got 9");
        Narrowed, r#"{"age": 100}"#, Err("v.age: expected an integer from 10 to 99, got 100");
        Narrowed, r#"{"age": 10, "maybe": 6}"#, Err("v.maybe: expected an integer from 1 to 5 or null, got 6");
        Narrowed, r#"{"age": 10, "name": "a"}"#, Err(r#"v.name: expected a string of 2 to 3 characters or null, got "a""#);
    }
}

/// Has rules of its own.
#[tool]
fn ruled(
    #[arg(range(1..=50))] n: Option<u8>,
    #[arg(default = 0.5, range(0.0..1.0))] score: f64,
    #[arg(len(1..))] name: Option<&str>,
    #[arg(default, len(..=2), unique)] list: Vec<&str>,
    #[arg(default = 10, multiple_of = 5)] step: u8,
    #[arg(format = "ipv4")] host: Option<String>,
    #[arg(default, len(..=1))] map: BTreeMap<String, u8>,
) -> Value {
    serde_json::json!([n, score, name, list, step, host, map])
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

#[test]
fn an_arguments_own_rules_hold() {
    let tools = tools![ruled];
    assert_eq!(
        answer(
            &tools,
            "ruled",
            r#"{"n": null, "list": ["a", "b"], "host": "127.0.0.1"}"#
        )
        .unwrap(),
        r#"[null,0.5,null,["a","b"],10,"127.0.0.1",{}]"#
    );
    assert_refused(
        &tools,
        "ruled",
        r#"{"n": 51, "score": 1, "name": "", "list": ["a", "b", "a"], "step": 7, "host": "localhost", "map": {"a": 1, "b": 2}}"#,
        &[
            (
                "n",
                Bound,
                "expected an integer from 1 to 50 or null, got 51",
            ),
            (
                "score",
                Bound,
                "expected a number from 0.0 below 1.0, got 1",
            ),
            (
                "name",
                Bound,
                r#"expected a string of 1 or more characters or null, got """#,
            ),
            (
                "list",
                Bound,
                r#"expected an array of at most 2 elements, got ["a", "b", "a"]"#,
            ),
            (
                "step",
                Bound,
                "expected an integer from 0 to 255, a multiple of 5, got 7",
            ),
            (
                "host",
                Bound,
                r#"expected a string in the format `ipv4` or null, got "localhost""#,
            ),
            (
                "map",
                Bound,
                r#"expected an object of at most 1 entry, got {"a": 1, "b": 2}"#,
            ),
        ],
    );
    // Each by itself, since the first fault that is met ends the reading.
    for json in [
        r#"{"n": 51}"#,
        r#"{"score": 1}"#,
        r#"{"name": ""}"#,
        r#"{"list": ["a", "b", "c"]}"#,
        r#"{"step": 7}"#,
        r#"{"host": "localhost"}"#,
        r#"{"map": {"a": 1, "b": 2}}"#,
    ] {
        assert!(answer(&tools, "ruled", json).is_err(), "{json}");
    }
    assert_refused(
        &tools,
        "ruled",
        r#"{"list": ["a", "\u0061"]}"#,
        &[(
            "list[1]",
            Bound,
            r#""\u0061" is there already; no two elements may be equal"#,
        )],
    );
}

/// Narrow numbers.
#[tool]
fn narrow(
    #[arg(default = 1)] byte: u8,
    #[arg(default = 1.0)] single: f32,
    #[arg(default = 1, range(1..=50))] few: u8,
    #[arg(default = 1.0, range(0.0..=1.0))] unit: f32,
    #[arg(default = std::num::NonZeroU8::MIN)] some: std::num::NonZeroU8,
) -> bool {
    let _ = (byte, single, few, unit, some);
    true
}

#[test]
fn what_the_type_cannot_hold_is_told_from_what_a_rule_refuses() {
    let tools = tools![narrow];
    let table: &[(&str, &[Told<'_>])] = &[
        (
            r#"{"byte": 256}"#,
            &[(
                "byte",
                OutOfRange,
                "expected an integer from 0 to 255, got 256",
            )],
        ),
        (
            r#"{"byte": -1}"#,
            &[(
                "byte",
                OutOfRange,
                "expected an integer from 0 to 255, got -1",
            )],
        ),
        (
            r#"{"byte": 1e999}"#,
            &[(
                "byte",
                OutOfRange,
                "expected an integer from 0 to 255, got 1e999",
            )],
        ),
        (
            r#"{"byte": 1.5}"#,
            &[(
                "byte",
                WrongType,
                "expected an integer from 0 to 255, got 1.5",
            )],
        ),
        (
            r#"{"single": 1e39}"#,
            &[(
                "single",
                OutOfRange,
                "expected a number from -3.4028235e38 to 3.4028235e38, got 1e39",
            )],
        ),
        (
            r#"{"few": 51}"#,
            &[("few", Bound, "expected an integer from 1 to 50, got 51")],
        ),
        (
            r#"{"few": 256}"#,
            &[(
                "few",
                OutOfRange,
                "expected an integer from 1 to 50, got 256",
            )],
        ),
        (
            r#"{"few": 1.5}"#,
            &[(
                "few",
                WrongType,
                "expected an integer from 1 to 50, got 1.5",
            )],
        ),
        (
            r#"{"unit": 1.5}"#,
            &[("unit", Bound, "expected a number from 0.0 to 1.0, got 1.5")],
        ),
        (
            r#"{"unit": 1e39}"#,
            &[(
                "unit",
                OutOfRange,
                "expected a number from 0.0 to 1.0, got 1e39",
            )],
        ),
        (
            r#"{"some": 0}"#,
            &[(
                "some",
                OutOfRange,
                "expected an integer from 1 to 255, got 0",
            )],
        ),
    ];
    for (json, faults) in table {
        assert_refused(&tools, "narrow", json, faults);
    }
}

#[derive(Serialize, Deserialize, Schema)]
#[schema(open)]
struct Lenient {
    #[schema(range(1..=5))]
    n: u8,
    #[serde(default)]
    inner: Option<Part>,
}

/// Its fields are the arguments.
#[tool]
fn lenient(#[arg(flatten)] all: Lenient) -> u8 {
    all.n
}

#[test]
fn an_open_struct_passes_over_keys_that_it_does_not_know() {
    echo_rows! {
        Lenient, r#"{"x": [1, {"y": null}], "n": 1, "z": 2}"#, Ok(r#"{"n":1,"inner":null}"#);
        Lenient, r#"{"x": 1, "n": 1, "x": 2}"#, Err("v.x: given more than once");
        Lenient, r#"{"n": 1, "x": 1, "\u0078": 2}"#, Err("v.x: given more than once");
        Lenient, r#"{"n": 1, "x": [{"y": 1, "y": 2}]}"#, Err("v.x[0].y: given more than once");
        Lenient, r#"{"n": 6, "x": 1}"#, Err("v.n: expected an integer from 1 to 5, got 6");
        Lenient, r#"{"x": 1}"#, Err("v.n: missing, expected an integer from 1 to 5");
        // What stands inside is as closed as it was.
        Lenient, r#"{"n": 1, "inner": {"part": 1, "x": 1}}"#, Err("v.inner.x: unknown key; the only one is `part`");
    }
    let tools = tools![lenient];
    assert_eq!(
        answer(&tools, "lenient", r#"{"n": 5, "x": {}}"#).unwrap(),
        "5"
    );
    assert_refused(
        &tools,
        "lenient",
        r#"{"x": 1, "x": 1}"#,
        &[
            ("x", DuplicateKey, "given more than once"),
            (
                "n",
                MissingArgument,
                "missing, expected an integer from 1 to 5",
            ),
        ],
    );
}

/// Says how long the text is.
#[tool]
fn measure(text: &str) -> usize {
    text.len()
}

#[test]
fn a_call_is_as_large_and_deep_as_the_context_allows() {
    let tools = tools![measure, super::echo::<Value> as "echo"];
    let told = |name: &str, arguments: &str, cx: &Context| {
        let call = ToolCall::new("c1", name, arguments);
        let error = tools.call_blocking(&call, cx).outcome.err()?;
        let codes: Vec<_> = error
            .faults()
            .iter()
            .map(|fault| fault.code.as_str())
            .collect();
        Some(format!("{}: {error}", codes.join(" ")))
    };
    let of = |bytes: usize| format!(r#"{{"text":"{}"}}"#, "x".repeat(bytes - 11));

    let cx = Context::new().with_limits(Limits {
        max_bytes: 64,
        ..Limits::DEFAULT
    });
    assert_eq!(told("measure", &of(64), &cx), None);
    assert_eq!(
        told("measure", &of(65), &cx).unwrap(),
        "too_large: the arguments are longer than 64 bytes"
    );
    // Of a text that is too long nothing is looked at.
    assert_eq!(
        told("measure", &"[".repeat(65), &cx).unwrap(),
        "too_large: the arguments are longer than 64 bytes"
    );

    let most = 8 * 1024 * 1024;
    assert_eq!(told("measure", &of(most), &Context::new()), None);
    assert_eq!(
        told("measure", &of(most + 1), &Context::new()).unwrap(),
        "too_large: the arguments are longer than 8388608 bytes"
    );

    let nested = |depth: usize| {
        format!(
            r#"{{"v": {}{}}}"#,
            "[".repeat(depth - 1),
            "]".repeat(depth - 1)
        )
    };
    for (depth, most) in [(4, 4), (128, 128), (200, 128)] {
        let cx = Context::new().with_limits(Limits {
            depth,
            ..Limits::DEFAULT
        });
        assert_eq!(cx.limits().depth, most);
        let most = usize::from(most);
        assert_eq!(told("echo", &nested(most), &cx), None);
        let words = format!("too_deep: more than {most} arrays and objects inside each other");
        assert_eq!(told("echo", &nested(most + 1), &cx).unwrap(), words);
        assert_eq!(
            told(
                "echo",
                &nested(most + 1),
                &cx.with_repairs(toolwright::args::Repairs::None)
            )
            .unwrap(),
            words
        );
    }
}
