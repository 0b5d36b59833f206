//! What serde alone would let pass.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolwright::{Schema, tool, tools};

use super::{answer, any_schema, echo_rows, pretty_rows};

#[derive(Serialize, Deserialize, Schema)]
struct Point {
    x: i32,
    y: i32,
}

#[derive(Serialize, Deserialize, Schema)]
struct Deep {
    one: Point,
    list: Vec<Point>,
    map: BTreeMap<String, Point>,
    maybe: Option<Point>,
    pair: (u8, Point),
}

fn deep(with: &str, json: &str) -> String {
    let point = r#"{"x": 1, "y": 2}"#;
    let place = |name| if name == with { json } else { point };
    format!(
        r#"{{"one": {}, "list": [{point}, {}], "map": {{"k": {}}}, "maybe": {}, "pair": [1, {}]}}"#,
        place("one"),
        place("list"),
        place("map"),
        place("maybe"),
        place("pair"),
    )
}

#[test]
fn a_struct_is_an_object_with_its_keys_at_any_depth() {
    let whole = r#"{"one":{"x":1,"y":2},"list":[{"x":1,"y":2},{"x":1,"y":2}],"map":{"k":{"x":1,"y":2}},"maybe":{"x":1,"y":2},"pair":[1,{"x":1,"y":2}]}"#;
    echo_rows! { Deep, deep("", ""), Ok(whole); }

    for (name, path, or_null) in [
        ("one", "v.one", ""),
        ("list", "v.list[1]", ""),
        ("map", "v.map.k", ""),
        ("maybe", "v.maybe", " or null"),
        ("pair", "v.pair[1]", ""),
    ] {
        let in_place = |json| deep(name, json);
        let array =
            format!(r#"{path}: expected an object{or_null}, such as {{"x":1,"y":1}}, got [1, 2]"#);
        let unknown = format!("{path}.z: unknown key; there are `x`, `y`");
        let duplicate = format!("{path}.x: given more than once");
        let missing = format!("{path}.y: missing, expected an integer");
        let inner = format!("{path}.y: expected an integer, got {{}}");
        echo_rows! {
            Deep, in_place("[1, 2]"), Err(&array);
            Deep, in_place(r#"{"x": 1, "y": 2, "z": 3}"#), Err(&unknown);
            Deep, in_place(r#"{"z": {"a": [1]}, "x": 1, "y": 2}"#), Err(&unknown);
            Deep, in_place(r#"{"x": 1, "x": 1, "y": 2}"#), Err(&duplicate);
            // The escaped spelling of a key is the same key.
            Deep, in_place(r#"{"x": 1, "\u0078": 1, "y": 2}"#), Err(&duplicate);
            Deep, in_place(r#"{"x": 1}"#), Err(&missing);
            Deep, in_place(r#"{"\u0078": 1, "y": {}}"#), Err(&inner);
        }
    }
}

/// Where it is.
#[tool]
fn place(name: String, at: Point) -> String {
    format!("{name} {} {}", at.x, at.y)
}

#[test]
fn the_arguments_are_such_a_struct() {
    let tools = tools![place];
    let rows = [
        (
            r#"{"name": "a", "\u0061t": {"y": 2, "\u0078": 1}}"#,
            Ok(r#""a 1 2""#),
        ),
        (
            r#"["a", {"x": 1, "y": 2}]"#,
            Err(r#"the arguments must be a JSON object, got ["a", {"x": 1, "y": 2}]"#),
        ),
        (
            r#"{"name": "a", "at": {"x": 1, "y": 2}, "nam\u0065": "a"}"#,
            Err("name: given more than once"),
        ),
        (
            r#"{"name": "a", "at": {"x": 1, "y": 2}, "Names": 1}"#,
            Err("Names: unknown argument; did you mean `name`?"),
        ),
    ];
    let row =
        |(json, answer): (&'static str, Result<String, String>)| ("place", json.to_owned(), answer);
    pretty_rows(
        &rows.map(|(json, _)| row((json, answer(&tools, "place", json)))),
        &rows.map(|(json, expected)| row((json, super::owned(expected)))),
    );
}

#[test]
fn a_map_has_each_key_once() {
    let many = |last: &str| {
        let entries: Vec<_> = (0..100).map(|n| format!(r#""k{n}": {n}"#)).collect();
        format!("{{{}, {last}}}", entries.join(", "))
    };
    echo_rows! {
        BTreeMap<String, u8>, r#"{"a": 1, "b": 2, "a": 1}"#, Err("v.a: given more than once");
        BTreeMap<String, u8>, r#"{"é": 1, "\u00e9": 1}"#, Err("v.é: given more than once");
        BTreeMap<String, u8>, many(r#""k99": 1"#), Err("v.k99: given more than once");
        BTreeMap<String, u8>, many(r#""k0": 1"#), Err("v.k0: given more than once");
        BTreeMap<u8, u8>, r#"{"1": 1, "1": 1}"#, Err("v.1: given more than once");
        BTreeMap<String, BTreeMap<String, u8>>, r#"{"a": {"b": 1, "b": 1}}"#, Err("v.a.b: given more than once");
        Value, r#"[{"a": {"b": 1, "b": 1}}]"#, Err("v[0].a.b: given more than once");
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Shape {
    Nothing,
    Circle { radius: u8 },
    Square(Point),
    Line(Point, Point),
    Text(String),
}

/// Tag and content are keys of one object.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", content = "of", rename_all = "snake_case")]
enum Beside {
    Nothing,
    Circle { radius: u8 },
    Square(Point),
}

any_schema!(Shape, Beside);

#[test]
fn an_enum_is_as_strict_as_what_it_holds() {
    const SHAPES: &str = r#"one of "nothing", "circle", "square", "line", "text""#;
    let variant = format!(r#"v: expected {SHAPES}, got "circel"; did you mean `circle`?"#);
    echo_rows! {
        Shape, r#""nothing""#, Ok(r#""nothing""#);
        Shape, r#"{"circle": {"radius": 1.0}}"#, Ok(r#"{"circle":{"radius":1}}"#);
        Shape, r#"{"\u0063ircle": {"\u0072adius": 1}}"#, Ok(r#"{"circle":{"radius":1}}"#);
        Shape, r#"{"line": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]}"#, Ok(r#"{"line":[{"x":1,"y":2},{"x":3,"y":4}]}"#);
        Shape, r#"{"text": "a"}"#, Ok(r#"{"text":"a"}"#);

        Shape, r#"{"nothing": null}"#, Err(r#"v: expected a string, got {"nothing": null}"#);
        Shape, r#""circle""#, Err(r#"v: expected another value, got "circle""#);
        Shape, r#""circel""#, Err(&variant);
        Shape, r#"{"circel": {}}"#, Err(&variant);
        Shape, "{}", Err("v: expected a string, or an object with one key, got {}");
        Shape, "[]", Err("v: expected a string, or an object with one key, got []");
        Shape, r#"{"circle": [1]}"#, Err("v.circle: expected an object, got [1]");
        Shape, r#"{"circle": {"radius": 1, "size": 2}}"#, Err("v.circle.size: unknown key; the only one is `radius`");
        Shape, r#"{"circle": {"radius": 1, "radius": 2}}"#, Err("v.circle.radius: given more than once");
        Shape, r#"{"circle": {"radius": 300}}"#, Err("v.circle.radius: expected another number, got 300");
        Shape, r#"{"circle": {"radius": "a"}}"#, Err(r#"v.circle.radius: expected an integer, got "a""#);
        Shape, r#"{"circle": {}}"#, Err("v.circle.radius: missing");
        Shape, r#"{"square": [1, 2]}"#, Err("v.square: expected an object, got [1, 2]");
        Shape, r#"{"square": {"x": 1, "y": 2, "z": 3}}"#, Err("v.square.z: unknown key; there are `x`, `y`");
        Shape, r#"{"line": [{"x": 1, "y": 2}]}"#, Err(r#"v.line: expected another number of elements, got [{"x": 1, "y": 2}]"#);
        Shape, r#"{"line": [{"x": 1, "y": 2}, {"x": 1}]}"#, Err("v.line[1].y: missing");
        Shape, r#"{"circle": {"radius": 1}, "text": "a"}"#, Err("v.text: unknown key");
        Shape, r#"{"circle": {"radius": 1}, "circle": {"radius": 1}}"#, Err("v.circle: given more than once");
        Vec<Shape>, r#"["nothing", {"circle": {"radius": 1, "size": 2}}]"#,
            Err("v[1].circle.size: unknown key; the only one is `radius`");

        Beside, r#"{"kind": "circle", "of": {"radius": 1.0}}"#, Ok(r#"{"kind":"circle","of":{"radius":1}}"#);
        Beside, r#"{"kind": "nothing"}"#, Ok(r#"{"kind":"nothing"}"#);
        Beside, r#"{"kind": "circle", "of": {"radius": 1, "size": 2}}"#,
            Err("v.of.size: unknown key");
        Beside, r#"{"kind": "circle", "of": {"radius": 1}, "on": 1}"#,
            Err("v.on: unknown key; there are `kind`, `of`");
        Beside, r#"{"kind": "circle", "of": {"radius": 1}, "of": {"radius": 1}}"#,
            Err("v.of: given more than once");
        Beside, r#"{"kind": "square", "of": [1, 2]}"#, Err("v.of: expected an object, got [1, 2]");
        Beside, r#"["circle", {"radius": 1}]"#, Err(r#"v: expected an object, got ["circle", {"radius": 1}]"#);
    }
}

#[derive(Deserialize, Schema)]
#[serde(deny_unknown_fields)]
struct Denying {
    #[allow(dead_code)]
    name: String,
}

/// Any value under its own key, and no other key.
#[derive(Deserialize)]
struct Probing {
    #[allow(dead_code)]
    name: String,
    #[allow(dead_code)]
    rest: IgnoredAny,
    #[allow(dead_code)]
    #[serde(skip)]
    hidden: u8,
}

#[derive(Deserialize)]
struct Ignoring(#[allow(dead_code)] Vec<BTreeMap<String, Option<IgnoredAny>>>);

#[derive(Deserialize)]
struct Anything(#[allow(dead_code)] IgnoredAny);

any_schema!(Probing, Ignoring, Anything);

/// Takes a struct and then anything.
#[tool]
fn both(at: Point, v: Anything) -> i32 {
    let _ = v;
    at.x
}

/// Takes it.
#[tool]
fn take<T: Schema + serde::de::DeserializeOwned>(v: T) -> bool {
    let _ = v;
    true
}

#[test]
fn a_value_that_nobody_reads_is_no_unknown_key() {
    let tools = tools![
        take::<Denying> as "denying",
        take::<Probing> as "probing",
        take::<Ignoring> as "ignoring",
        take::<Anything> as "anything",
        both,
    ];
    let json = r#"{"at": {"x": 1, "y": 2}, "v": [{"a": 1}]}"#;
    assert_eq!(answer(&tools, "both", json).unwrap(), "1");
    for (tool, json, expected) in [
        ("denying", r#"{"name": "a"}"#, Ok("true")),
        (
            "probing",
            r#"{"rest": [{"a": 1}], "name": "a"}"#,
            Ok("true"),
        ),
        ("ignoring", r#"[{"a": 1, "b": [null]}, {}]"#, Ok("true")),
        ("anything", r#"{"a": 1}"#, Ok("true")),
        (
            "denying",
            r#"{"name": "a", "nam": 1}"#,
            Err("v.nam: unknown key; did you mean `name`?"),
        ),
        (
            "ignoring",
            r#"[{"a": 1, "a": 1}]"#,
            Err("v[0].a: given more than once"),
        ),
        (
            "probing",
            r#"{"rest": 1, "name": "a", "else": 1}"#,
            Err("v.else: unknown key; there are `name`, `rest`"),
        ),
        (
            "probing",
            r#"{"rest": 1, "name": "a", "hidden": 1}"#,
            Err("v.hidden: unknown key; there are `name`, `rest`"),
        ),
    ] {
        let told = answer(&tools, tool, &format!(r#"{{"v": {json}}}"#));
        assert_eq!(told, super::owned(expected), "{tool} {json}");
    }
}
