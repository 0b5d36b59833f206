//! Five tools of different shapes, each of which answers with what it got.
// A tool takes its arguments by value, whether it consumes them or not.
#![allow(clippy::needless_pass_by_value)]
// A parameter of the type `()` is a binding of it, and so is its default.
#![allow(clippy::let_unit_value, clippy::unused_unit)]
// This lint takes a type inside itself for one without a size.
#![allow(clippy::zero_sized_map_values)]

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use toolwright::{Schema, Toolset, tool, tools};

/// The tools' names, as the first byte of an input selects them.
pub(crate) const NAMES: [&str; 5] = ["flat", "nested", "recursive", "enums", "borrowed"];

pub(crate) fn all() -> Toolset {
    tools![flat, nested, recursive, enums, borrowed]
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(rename_all = "snake_case")]
enum Speed {
    Slow,
    Normal,
    #[serde(alias = "express")]
    NextDay,
}

#[derive(Serialize)]
struct Flat {
    count: u32,
    name: String,
    share: f64,
    step: Option<i16>,
    flag: bool,
    speed: Option<Speed>,
    or_speed: Speed,
    small: Option<i8>,
    large: Option<u64>,
    half: Option<f32>,
}

/// Takes scalars.
#[tool]
#[allow(clippy::too_many_arguments)]
fn flat(
    #[arg(range(1..=50))] count: u32,
    #[arg(len(1..=8))] name: String,
    #[arg(default = 0.5, range(0.0..=1.0))] share: f64,
    #[arg(multiple_of = 5)] step: Option<i16>,
    #[arg(default)] flag: bool,
    speed: Option<Speed>,
    #[arg(default = Speed::Normal)] or_speed: Speed,
    small: Option<i8>,
    large: Option<u64>,
    #[arg(range(-1.5..1e30))] half: Option<f32>,
) -> Flat {
    Flat {
        count,
        name,
        share,
        step,
        flag,
        speed,
        or_speed,
        small,
        large,
        half,
    }
}

#[derive(Serialize, Deserialize, Schema)]
struct Line {
    #[schema(pattern = "^[a-z]{1,3}(-\\d+)?$")]
    sku: String,
    #[schema(range(1..=99))]
    qty: u8,
    #[serde(default)]
    #[schema(len(..=3), unique)]
    tags: Vec<String>,
    price: Option<Price>,
}

#[derive(Serialize, Deserialize, Schema)]
struct Price {
    #[schema(range(0.0..), multiple_of = 0.01)]
    amount: f64,
    currency: Currency,
}

#[derive(Serialize, Deserialize, Schema, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "UPPERCASE")]
enum Currency {
    Eur,
    Nok,
}

#[derive(Serialize, Deserialize, Schema)]
struct Contact {
    #[schema(format = "email")]
    mail: Option<String>,
    #[schema(format = "date-time")]
    since: Option<String>,
    #[schema(format = "date")]
    day: Option<String>,
    #[schema(format = "uuid")]
    id: Option<String>,
    #[schema(format = "ipv6")]
    host: Option<String>,
    #[schema(format = "uri")]
    home: Option<String>,
}

#[derive(Serialize)]
struct Nested {
    lines: Vec<Line>,
    contact: Option<Contact>,
    lists: BTreeMap<String, Vec<Vec<u16>>>,
    numbered: BTreeMap<i16, bool>,
    prices: BTreeMap<Currency, Price>,
    numbers: Vec<f64>,
    set: Option<BTreeSet<String>>,
}

/// Takes what nests.
#[tool]
fn nested(
    #[arg(len(1..=4))] lines: Vec<Line>,
    contact: Option<Contact>,
    #[arg(default)] lists: BTreeMap<String, Vec<Vec<u16>>>,
    #[arg(default)] numbered: BTreeMap<i16, bool>,
    #[arg(default)] prices: BTreeMap<Currency, Price>,
    #[arg(default, unique)] numbers: Vec<f64>,
    set: Option<BTreeSet<String>>,
) -> Nested {
    Nested {
        lines,
        contact,
        lists,
        numbered,
        prices,
        numbers,
        set,
    }
}

#[derive(Serialize, Deserialize, Schema)]
struct Tree {
    value: i64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    children: Vec<Tree>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Box<Tree>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    named: BTreeMap<String, Tree>,
}

#[derive(Serialize, Deserialize, Schema)]
struct Folder {
    name: String,
    #[serde(default)]
    files: Vec<File>,
}

#[derive(Serialize, Deserialize, Schema)]
struct File {
    size: u64,
    #[schema(recursive)]
    link_to: Option<Box<Folder>>,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(rename_all = "snake_case")]
enum Expression {
    Number(f64),
    Not(Box<Expression>),
    All(Vec<Expression>),
    Between {
        low: Box<Expression>,
        high: Box<Expression>,
    },
}

#[derive(Serialize)]
struct Recursive {
    tree: Tree,
    folder: Option<Folder>,
    expression: Option<Expression>,
}

/// Takes what contains itself.
#[tool]
fn recursive(tree: Tree, folder: Option<Folder>, expression: Option<Expression>) -> Recursive {
    Recursive {
        tree,
        folder,
        expression,
    }
}

#[derive(Serialize, Deserialize, Schema)]
struct Point {
    x: i32,
    y: i32,
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Inside {
    Nothing,
    Circle {
        #[schema(range(1..=9))]
        radius: u8,
        at: Option<Point>,
    },
    #[serde(alias = "points")]
    Line {
        #[serde(default)]
        points: Vec<Point>,
    },
    Square(Point),
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "kind", content = "of", rename_all = "snake_case")]
enum Beside {
    Nothing,
    Circle { radius: u8 },
    Square(Point),
    Pair(String, Option<i64>),
    Inside(Inside),
}

/// What one of these writes, no other one reads: of a float it might be an integer.
#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum Either {
    Flag(bool),
    Small(i8),
    Wide(u64),
    Share { share: f64 },
    Letters(#[schema(len(..=3))] String),
    Points(Vec<Point>),
    Circle { radius: u8 },
    Beside(Beside),
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(rename_all = "snake_case")]
enum Outside {
    Nothing,
    Circle { radius: u8 },
    Square(Point),
    Line(Point, Point),
    Text(String),
    Either(Either),
}

#[derive(Serialize, Deserialize, Schema)]
struct Spot {
    row: Option<i32>,
    column: Option<i32>,
}

#[derive(Serialize, Deserialize, Schema)]
struct Flattened {
    name: String,
    #[serde(flatten)]
    at: Option<Spot>,
    #[serde(flatten)]
    what: Inside,
}

#[derive(Serialize, Deserialize, Schema)]
struct WithRest {
    name: String,
    #[serde(flatten)]
    rest: BTreeMap<String, Either>,
}

#[derive(Serialize)]
struct Enums {
    inside: Option<Inside>,
    beside: Option<Beside>,
    either: Option<Either>,
    outside: Option<Outside>,
    list: Vec<Either>,
    flattened: Option<Flattened>,
    with_rest: Option<WithRest>,
}

/// Takes one of many.
#[tool]
fn enums(
    inside: Option<Inside>,
    beside: Option<Beside>,
    either: Option<Either>,
    outside: Option<Outside>,
    #[arg(default)] list: Vec<Either>,
    flattened: Option<Flattened>,
    with_rest: Option<WithRest>,
) -> Enums {
    Enums {
        inside,
        beside,
        either,
        outside,
        list,
        flattened,
        with_rest,
    }
}

#[derive(Deserialize, Schema)]
struct Note<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
    by: &'a str,
}

/// What schemars alone knows, and nobody looks into.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Told {
    Wide { n: u64, of: Option<Box<Told>> },
    Text { text: String },
}

#[derive(Serialize)]
struct OwnedNote {
    text: String,
    by: String,
}

#[derive(Serialize)]
struct Borrowed {
    text: String,
    texts: Vec<String>,
    notes: Vec<OwnedNote>,
    raw: Option<Box<RawValue>>,
    any: Value,
    wide: Option<i128>,
    huge: Option<u128>,
    letter: Option<char>,
    pair: Option<(u8, String, [i64; 2])>,
    told: Option<Told>,
    unit: (),
}

/// Takes what lies in the text, and passes over what it does not know.
#[tool(ignore_unknown)]
#[allow(clippy::too_many_arguments)]
fn borrowed(
    text: &str,
    #[arg(default)] texts: Vec<&str>,
    #[arg(default)] notes: Vec<Note<'_>>,
    raw: Option<&RawValue>,
    #[arg(default)] any: Value,
    wide: Option<i128>,
    huge: Option<u128>,
    letter: Option<char>,
    pair: Option<(u8, Cow<'_, str>, [i64; 2])>,
    told: Option<Told>,
    #[arg(default)] unit: (),
) -> Borrowed {
    let owned = |note: Note<'_>| OwnedNote {
        text: note.text.into_owned(),
        by: note.by.to_owned(),
    };
    Borrowed {
        text: text.to_owned(),
        texts: texts.into_iter().map(str::to_owned).collect(),
        notes: notes.into_iter().map(owned).collect(),
        raw: raw.map(ToOwned::to_owned),
        any,
        wide,
        huge,
        letter,
        pair: pair.map(|(byte, text, numbers)| (byte, text.into_owned(), numbers)),
        told,
        unit,
    }
}
