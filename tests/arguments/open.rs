//! What the decoder does not see yet.
//!
//! serde buffers what it reads for internally tagged and untagged enums and for flattened fields,
//! and hands it on from there, out of the deserializer's sight. A stricter decoder, which has the
//! tree of such a type, closes each row of `OPEN`: the row then moves to the tests of what is
//! refused, and this file goes when it is empty.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolwright::{Schema, tool, tools};

use super::{answer, any_schema, decode, echo_rows};

#[derive(Serialize, Deserialize, Schema)]
struct Point {
    x: u8,
    y: u8,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Inside {
    Nothing,
    Circle { radius: u8 },
    At { at: Point },
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Either {
    Number(u8),
    Circle { radius: u8 },
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", content = "of", rename_all = "snake_case")]
enum Beside {
    Circle { radius: u8 },
    At(Point),
}

#[derive(Serialize, Deserialize)]
struct Flat {
    name: String,
    #[serde(flatten)]
    point: Point,
}

any_schema!(Inside, Either, Beside, Flat);

/// What is accepted, or told in poor words, and should not be.
#[test]
fn open() {
    echo_rows! {
        // Unknown keys are dropped.
        Inside, r#"{"kind": "circle", "radius": 1, "size": 2}"#, Ok(r#"{"kind":"circle","radius":1}"#);
        Inside, r#"{"kind": "nothing", "size": 2}"#, Ok(r#"{"kind":"nothing"}"#);
        Inside, r#"{"kind": "at", "at": {"x": 1, "y": 2, "z": 3}}"#, Ok(r#"{"kind":"at","at":{"x":1,"y":2}}"#);
        Either, r#"{"radius": 1, "size": 2}"#, Ok(r#"{"radius":1}"#);
        Flat, r#"{"name": "a", "x": 1, "y": 2, "z": 3}"#, Ok(r#"{"name":"a","x":1,"y":2}"#);
        Beside, r#"{"of": {"radius": 1, "size": 2}, "kind": "circle"}"#, Ok(r#"{"kind":"circle","of":{"radius":1}}"#);

        // An array passes for a struct.
        Inside, r#"["circle", 1]"#, Ok(r#"{"kind":"circle","radius":1}"#);
        Inside, r#"{"kind": "at", "at": [1, 2]}"#, Ok(r#"{"kind":"at","at":{"x":1,"y":2}}"#);
        Beside, r#"{"of": [1, 2], "kind": "at"}"#, Ok(r#"{"kind":"at","of":{"x":1,"y":2}}"#);

        // An integer in another spelling is refused, and in words that name no place.
        Inside, r#"{"kind": "circle", "radius": 1.0}"#,
            Err(r#"v: expected another value, got {"kind": "circle", "radius": 1.0}"#);
        Either, "1.0", Err("v: expected another value, got 1.0");
        Flat, r#"{"name": "a", "x": 1e0, "y": 2}"#,
            Err(r#"v: expected another value, got {"name": "a", "x": 1e0, "y": 2}"#);
        Beside, r#"{"of": {"radius": 1.0}, "kind": "circle"}"#,
            Err(r#"v: expected another value, got {"of": {"radius": 1.0}, "kind": "circle"}"#);
        Inside, r#"{"kind": "circle", "radius": 300}"#,
            Err(r#"v: expected another number, got {"kind": "circle", "radius": 300}"#);

        // Equal elements of a set become one.
        HashSet<u8>, "[1, 1]", Ok("[1]");
        // Raw text is handed on as it stands.
        Box<serde_json::value::RawValue>, r#"{"a": 1, "a": 1}"#, Ok(r#"{"a": 1, "a": 1}"#);
        // A key of serde_json's own makes it parse the text behind it.
        Value, r#"{"$serde_json::private::RawValue": "[1]"}"#, Ok("[1]");
    }
}

/// What is buffered is not quite out of sight: equal keys are found before it is.
#[test]
fn closed() {
    echo_rows! {
        Inside, r#"{"kind": "circle", "radius": 1, "radius": 1}"#, Err("v.radius: given more than once");
        Inside, r#"{"kind": "circle", "radius": 1, "\u0072adius": 1}"#, Err("v.radius: given more than once");
        Inside, r#"{"kind": "circle", "kind": "circle", "radius": 1}"#, Err("v.kind: given more than once");
        Inside, r#"{"kind": "at", "at": {"x": 1, "x": 1, "y": 2}}"#, Err("v.at.x: given more than once");
        Either, r#"{"radius": 1, "radius": 1}"#, Err("v.radius: given more than once");
        Flat, r#"{"name": "a", "x": 1, "x": 1, "y": 2}"#, Err("v.x: given more than once");
        Beside, r#"{"of": {"radius": 1, "radius": 2}, "kind": "circle"}"#, Err("v.of.radius: given more than once");
        Inside, r#"{"kind": "hexagon"}"#, Err(r#"v.kind: expected one of "nothing", "circle", "at", got "hexagon""#);
        Inside, "{}", Err("v.kind: missing");
        Either, r#""a""#, Err(r#"v: expected another value, got "a""#);
        Flat, r#"{"name": "a", "x": 1}"#, Err("v.y: missing");
        Flat, r#"["a", 1, 2]"#, Err(r#"v: expected an object, got ["a", 1, 2]"#);
    }
}

/// Two places.
#[tool]
fn two(a: Vec<Point>, b: Vec<Point>) -> usize {
    a.len() + b.len()
}

/// One fault a parameter is told, and one of arguments that are one struct.
#[test]
fn open_faults() {
    let told = answer(
        &tools![two],
        "two",
        r#"{"a": [{"x": 1}, {"z": 1}], "b": [[], 1], "c": 1}"#,
    );
    let lines = [
        "a[0].y: missing, expected an integer from 0 to 255",
        "b[0]: expected an object, got []",
        "c: unknown argument; there are `a`, `b`",
    ];
    assert_eq!(told, Err(lines.join("\n")));

    let told = decode::<Point>(r#"{"x": "a", "z": 1}"#).err().unwrap();
    assert_eq!(
        told.to_string(),
        r#"x: expected an integer from 0 to 255, got "a""#
    );
}
