//! A tree and its text are lowered to the same: the one mostly without steps between, the other always
//! by all of them.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use serde::{Deserialize, Serialize};
use toolwright::{Dialect, Kind, Lowered, Reject, Schema, SchemaDoc, Shape, ToolDef, Wire, lower};

use crate::enums::{Event, Speed};
use crate::structs::Point;
use crate::{none, rows};

/// What each of the ways that a tree may take stands beside.
#[derive(Debug, Clone, Serialize, Deserialize, Schema)]
#[schema(title = "All of it")]
struct Everything {
    /// A name
    #[schema(title = "Name")]
    name: String,
    /// Gone soon
    #[schema(deprecated, title = "Old \"name\"")]
    old: Option<String>,
    small: u8,
    /// Signed
    signed: i8,
    wide: u64,
    widest: Option<u128>,
    #[schema(range(1..=50), multiple_of = 5)]
    fives: u32,
    #[schema(range(-5..))]
    from_below: Option<i64>,
    #[schema(range(..=18_446_744_073_709_551_616))]
    beyond: u128,
    not_zero: std::num::NonZeroU32,
    #[schema(range(0.5..))]
    share: f64,
    single: Option<f32>,
    flag: Option<bool>,
    /// How many, at most
    limit: Option<u32>,
    unsigned: Option<u32>,
    /// In a hurry
    speed: Speed,
    maybe_speed: Option<Speed>,
    #[schema(len(1..=3))]
    short: Option<String>,
    #[schema(format = "date-time")]
    when: String,
    /// Words
    words: Vec<String>,
    maybe_words: Option<Vec<Option<String>>>,
    #[schema(len(1..=3))]
    few: Vec<u8>,
    pair: Option<(u8, String)>,
    three: Option<[f64; 3]>,
    point: Point,
    /// Where it is
    maybe_point: Option<Point>,
    points: Vec<Option<Point>>,
    event: Option<Event>,
    map: Option<BTreeMap<String, Option<Point>>>,
    keyed: HashMap<u8, Speed>,
    nothing: (),
    /// Any
    any: Option<serde_json::Value>,
    #[serde(default)]
    defaulted: Vec<Option<u16>>,
    #[serde(default = "ten")]
    ten: u16,
    #[schema(example = 0.10)]
    shown: Option<f64>,
    #[serde(skip)]
    skipped: u8,
    #[serde(rename = "a/b~c\"d\u{e9}")]
    odd: Option<Inner>,
}

fn ten() -> u16 {
    10
}

/// What is inside
#[derive(Debug, Clone, Serialize, Deserialize, Schema)]
struct Inner {
    #[schema(title = "Deep")]
    deep: Option<Vec<Empty>>,
    empty: Empty,
    /// Deeper
    deeper: Option<Option<Box<Deeper>>>,
}

#[derive(Debug, Clone, Serialize, Deserialize, Schema)]
#[schema(title = "Deeper")]
struct Deeper {
    n: Option<i32>,
    map: HashMap<String, u8>,
}

#[derive(Debug, Clone, Serialize, Deserialize, Schema)]
struct Empty {}

#[derive(Debug, Clone, Serialize, Deserialize, Schema)]
struct Plain {
    /// A word for the next reader
    note: Option<String>,
    /// Where to stop
    limit: Option<u32>,
    unit: Option<Speed>,
    line: Deep,
    lines: Option<Vec<Deep>>,
    /// One of them
    one: Option<Deep>,
}

#[derive(Debug, Clone, Serialize, Deserialize, Schema)]
struct Deep {
    at: Option<String>,
    further: Option<Further>,
}

/// Further
#[derive(Debug, Clone, Serialize, Deserialize, Schema)]
struct Further {
    /// Whether
    yes: Option<bool>,
    n: Option<Vec<u64>>,
}

/// The schema that a provider is told in no dialect.
fn text(schema: &SchemaDoc) -> SchemaDoc {
    let mut def = ToolDef::new("hold", "");
    def.input = schema.clone();
    let text = Wire::Anthropic.definition(&def);
    let text = text.split_once("\"input_schema\":").unwrap().1;
    SchemaDoc::parse(text.strip_suffix('}').unwrap()).unwrap()
}

/// All that can be seen of it.
fn shown(lowered: &Result<Lowered, Reject>) -> impl Debug + PartialEq + use<> {
    match lowered {
        Err(reject) => Err(reject.clone()),
        Ok(lowered) => Ok((
            lowered.to_json(),
            // With the schema that it undoes by.
            format!("{:?}", lowered.plan),
            (lowered.strict, lowered.optional_keys, lowered.unions),
        )),
    }
}

fn compare(name: &str, schema: &SchemaDoc, wrong: &mut Vec<String>) {
    let (told, full) = (text(schema), SchemaDoc::parse(schema.as_json()).unwrap());
    for dialect in Dialect::ALL {
        // Who reads a list of MCP is told how wide numbers are.
        let is_full = dialect.name().starts_with("mcp_");
        let text = if is_full { &full } else { &told };
        let (of_tree, of_text) = (lower(schema, dialect), lower(text, dialect));
        let (of_tree, of_text) = (shown(&of_tree), shown(&of_text));
        if of_tree != of_text {
            wrong.push(format!(
                "{name} in {dialect}:\n  tree {of_tree:?}\n  text {of_text:?}"
            ));
        }
    }
}

#[test]
fn a_tree_and_its_text_are_lowered_to_the_same() {
    let mut wrong = Vec::new();
    for row in &rows() {
        compare(row.name, &row.schema, &mut wrong);
        for def in (row.tools)().definitions() {
            compare(&format!("tool of {}", row.name), &def.input, &mut wrong);
        }
    }
    compare("Everything", &SchemaDoc::of::<Everything>(), &mut wrong);
    compare("Plain", &SchemaDoc::of::<Plain>(), &mut wrong);
    compare("Inner", &SchemaDoc::of::<Inner>(), &mut wrong);
    none(wrong);
}

/// One key of `Everything`.
struct Key<const AT: usize>;

impl<const AT: usize> Schema for Key<AT> {
    const SHAPE: &'static Shape = match &Everything::SHAPE.kind {
        Kind::Object(object) => &Shape::object(object.fields.split_at(AT).1.split_at(1).0),
        _ => panic!("no object"),
    };
}

/// What one part of a type is refused for hides the others.
#[test]
fn so_is_each_key_alone() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    macro_rules! each {
        ($($at:literal)*) => {$(
            seen += 1;
            compare(concat!("key ", $at), &SchemaDoc::of::<Key<$at>>(), &mut wrong);
        )*};
    }
    each! {
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34
        35
    }
    match SchemaDoc::of::<Everything>().shape().unwrap().kind {
        Kind::Object(object) => assert_eq!(object.fields.len(), seen),
        _ => panic!("no object"),
    }
    none(wrong);
}
