//! A tag that stands first tells which variant a value is before serde buffers it, and one that stands last does
//! not: the value is then judged before. Both ways have to say the same.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolwright::Schema;

use super::echoed;

#[derive(Serialize, Deserialize, Schema)]
struct Point {
    x: u8,
    y: Option<u8>,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum Either {
    Number(u8),
    Word(String),
    List(Vec<u8>),
    Circle { radius: u8 },
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Node {
    Leaf,
    #[serde(alias = "both")]
    Pair {
        left: Box<Node>,
        right: Box<Node>,
    },
    At(Point),
}

#[derive(Serialize, Deserialize, Schema)]
enum Outside {
    Nothing,
    Circle { radius: u8 },
}

// As people write them.
#[allow(clippy::large_enum_variant)]
#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Parts {
    All {
        small: Option<u8>,
        #[serde(alias = "wide")]
        big: Option<u64>,
        float: Option<f64>,
        flag: Option<bool>,
        #[schema(len(1..=2))]
        list: Option<Vec<u8>>,
        points: Option<Vec<Point>>,
        any: Option<Value>,
        node: Option<Node>,
        nodes: Option<Vec<Node>>,
        either: Option<Either>,
        eithers: Option<Vec<Either>>,
        outside: Option<Outside>,
        map: Option<BTreeMap<String, u8>>,
        pair: Option<(u8, Point)>,
    },
    Other {
        small: u16,
    },
    At(Point),
}

const ENTRIES: [&str; 72] = [
    r#""small": 1"#,
    r#""small": 1.0"#,
    r#""small": -0"#,
    r#""small": 300"#,
    r#""small": null"#,
    r#""small": "1""#,
    r#""small": [1]"#,
    r#""small": {}"#,
    r#""small": 1, "small": 1"#,
    r#""small": 1, "\u0073mall": 1"#,
    r#""\u0073mall": 1"#,
    r#""big": 18446744073709551615"#,
    r#""big": 18446744073709551616"#,
    r#""big": 1e3"#,
    r#""wide": 1"#,
    r#""wide": 1, "big": 1"#,
    r#""big": 1, "wide": 1"#,
    r#""float": 1"#,
    r#""float": -0"#,
    r#""float": 1e400"#,
    r#""flag": true"#,
    r#""flag": 1"#,
    r#""flag": null, "small": 2"#,
    r#""unknown": 1"#,
    r#""float": 2.5, "unknown": null"#,
    r#""float": 2.5, "small": 3"#,
    r#""list": []"#,
    r#""list": [1.0, 2]"#,
    r#""list": [1, 2, 3]"#,
    r#""list": [1, [2]]"#,
    r#""list": {"0": 1}"#,
    r#""list": null"#,
    r#""points": [{"x": 1}, {"y": 1.0, "x": 2}]"#,
    r#""points": [{"x": 1, "z": 1}]"#,
    r#""points": [{"y": 1}]"#,
    r#""points": [{"x": 1, "x": 1}]"#,
    r#""points": [[1, 2]]"#,
    r#""any": {"a": 1, "b": [1.0]}"#,
    r#""any": {"a": 1, "a": 1}"#,
    r#""any": [-0, {"a": {"b": 1, "b": 2}}]"#,
    r#""node": {"kind": "leaf"}"#,
    r#""node": {"kind": "leaf", "x": 1}"#,
    r#""node": {"kind": "leaf", "kind": "leaf"}"#,
    r#""node": {"kind": "twig"}"#,
    r#""node": {}"#,
    r#""node": {"kind": "at", "x": 1.0}"#,
    r#""node": {"x": 1.0, "kind": "at"}"#,
    r#""node": {"kind": "at", "x": 1, "z": 1}"#,
    r#""node": {"kind": "pair", "left": {"kind": "leaf"}, "right": {"kind": "at", "x": 1}}"#,
    r#""node": {"kind": "both", "right": {"kind": "leaf"}, "left": {"x": 1, "kind": "at"}}"#,
    r#""node": {"kind": "pair", "left": {"kind": "leaf"}}"#,
    r#""node": {"kind": "pair", "left": {"kind": "leaf", "a": 1}, "right": {"kind": "leaf"}}"#,
    r#""nodes": [{"kind": "leaf"}, {"x": 1, "kind": "at"}, {"kind": "at", "x": 2}]"#,
    r#""nodes": [{"kind": "leaf"}, {"kind": "at"}]"#,
    r#""nodes": [], "flag": 2"#,
    r#""either": 1.0"#,
    r#""either": 300"#,
    r#""either": "a\nb""#,
    r#""either": [1, 2.0]"#,
    r#""either": [1, "a"]"#,
    r#""either": {"radius": 1e0}"#,
    r#""either": {"radius": 1, "size": 1}"#,
    r#""either": true"#,
    r#""eithers": [1, "a", {"radius": 1}, [1.0]], "small": 1.0"#,
    r#""eithers": [{"radius": 1}, {"radius": 1, "radius": 1}]"#,
    r#""outside": "Nothing", "small": 1.0"#,
    r#""outside": {"Circle": {"radius": 1.0}}"#,
    r#""outside": {"Circle": {"radius": 1, "size": 1}}"#,
    r#""map": {"a": 1.0}, "list": [1]"#,
    r#""map": {"a": 1, "a": 1}"#,
    r#""pair": [1, {"x": 1}]"#,
    r#""pair": [1, {"x": 1, "z": 1}]"#,
];

#[test]
fn a_tag_says_the_same_wherever_it_stands() {
    let mut differ = Vec::new();
    let mut admitted = 0;
    for kind in ["all", "other", "at", "none"] {
        for entries in ENTRIES {
            let tag = format!(r#""kind": "{kind}""#);
            let last = echoed!(Parts, format!("{{{entries}, {tag}}}"));
            admitted += usize::from(last.is_ok());
            let firsts = [
                format!("{{{tag}, {entries}}}"),
                format!("{{\n  {tag} ,\n  {entries}\n}}"),
                format!(r#"{{"\u006bind": "{kind}", {entries}}}"#),
            ];
            for first in firsts {
                let answer = echoed!(Parts, first);
                if answer != last {
                    differ.push(format!("{first}\n  {answer:?}\n  {last:?}\n"));
                }
            }
        }
    }
    assert!(differ.is_empty(), "\n{}", differ.join(""));
    assert!(admitted > 30, "{admitted}");
}

/// What stands behind a buffered value is read by its type again.
#[test]
fn a_value_behind_a_buffered_one_is_read_as_ever() {
    let told = |json: &str| echoed!((Node, Point, Either, Point), json);
    let node = r#"{"kind": "at", "x": 1}"#;
    assert_eq!(
        told(&format!(
            r#"[{node}, {{"x": 1.0}}, [1], {{"y": 2, "x": 1}}]"#
        )),
        Ok(r#"[{"kind":"at","x":1,"y":null},{"x":1,"y":null},[1],{"x":1,"y":2}]"#.to_owned())
    );
    let refused = told(&format!(r#"[{node}, {{"x": 1}}, [1], {{"x": 1, "z": 2}}]"#));
    assert_eq!(
        refused,
        Err("v[3].z: unknown key; there are `x`, `y`".to_owned())
    );
}
