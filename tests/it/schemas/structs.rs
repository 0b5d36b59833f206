//! Structs.

use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolwright::Schema;

use crate::schemas::enums::{Choice, Event, Speed};
use crate::schemas::row::{Row, rows};

/// Declares types that have all four traits.
macro_rules! types {
    ($($(#[$attr:meta])* $kind:ident $name:ident $body:tt $(;)?)*) => {
        $(
            #[derive(Debug, Clone, Serialize, Deserialize, Schema, JsonSchema)]
            $(#[$attr])*
            $kind $name $body
        )*
    };
}
pub(crate) use types;

/// A place on a plane
#[derive(Debug, Clone, Default, Serialize, Deserialize, Schema, JsonSchema)]
pub(crate) struct Point {
    pub(crate) x: i32,
    /// To the north
    pub(crate) y: i32,
}

/// A column of a plane
#[derive(Debug, Clone, Serialize, Deserialize, Schema, JsonSchema)]
pub(crate) struct Column {
    x: i32,
}

#[derive(Serialize, Deserialize, Schema, JsonSchema)]
struct Nothing {}

#[derive(Serialize, Deserialize, Schema, JsonSchema)]
struct Unit;

#[derive(Serialize, Deserialize, Schema, JsonSchema)]
struct Name(String);

/// In metres
#[derive(Serialize, Deserialize, Schema, JsonSchema)]
struct Metres(
    #[schema(range(0.0..))]
    #[schemars(range(min = 0.0))]
    f64,
);

#[derive(Serialize, Deserialize, Schema, JsonSchema)]
struct MaybeName(Option<String>);

#[derive(Serialize, Deserialize, Schema, JsonSchema)]
#[serde(transparent)]
struct SeeThrough {
    inner: Option<Point>,
    #[serde(skip)]
    _marker: PhantomData<u8>,
}

#[derive(Serialize, Deserialize, Schema, JsonSchema)]
struct Rgb(u8, u8, u8);

#[derive(Serialize, Deserialize, Schema, JsonSchema)]
struct SkipsInTuple(u8, #[serde(skip)] u8, String);

#[derive(Serialize, Deserialize, Schema, JsonSchema)]
struct SidedTuple(
    u8,
    #[serde(skip_serializing)] u8,
    #[serde(skip_deserializing)] String,
);

types! {
    #[serde(rename_all = "camelCase")]
    struct Words {
        first_name: String,
        #[serde(rename = "x-last")]
        last_name: String,
        r#type: u8,
    }

    #[serde(rename_all(serialize = "SCREAMING_SNAKE_CASE", deserialize = "kebab-case"))]
    struct TwoNames {
        first_name: String,
        #[serde(rename(serialize = "out", deserialize = "in"))]
        both: u8,
    }

    struct Dollar {
        #[serde(rename = "$x")]
        x: u8,
    }

    struct Optionals {
        a: Option<u8>,
        b: Option<Point>,
        c: Option<Value>,
        d: Option<()>,
        e: Box<Option<u8>>,
        f: SeeThrough2,
        g: MaybeByte,
    }

    #[serde(transparent)]
    struct SeeThrough2 {
        inner: Option<u8>,
    }

    struct Defaults {
        #[serde(default)]
        a: u8,
        #[serde(default = "seven")]
        b: u8,
        #[serde(default)]
        c: Option<String>,
        #[serde(default)]
        d: Vec<Point>,
        #[serde(default)]
        e: Value,
        #[serde(default)]
        f: Speed,
    }

    #[serde(default)]
    struct AllDefaults {
        a: u8,
        b: Point,
    }

    struct Skips {
        a: u8,
        #[serde(skip)]
        b: u8,
        #[serde(skip_deserializing)]
        c: u8,
        #[serde(skip_serializing)]
        d: u8,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        e: Vec<u8>,
        #[serde(skip_serializing_if = "Option::is_none")]
        f: Option<u8>,
    }

    struct Aliased {
        #[serde(alias = "colour")]
        color: String,
    }

    struct DocOnField {
        /// Where to
        to: Point,
        plain: Point,
        /// How fast
        speed: Speed,
    }

    #[serde(deny_unknown_fields)]
    struct Strict {
        a: u8,
    }

    struct Values {
        any: Value,
        list: Vec<Value>,
    }

    struct FlattensStruct {
        id: u8,
        #[serde(flatten)]
        at: Point,
        last: bool,
    }

    struct FlattensOption {
        id: u8,
        #[serde(flatten)]
        at: Option<Column>,
    }

    struct FlattensMap {
        id: u8,
        #[serde(flatten)]
        rest: HashMap<String, u8>,
    }

    struct OnlyFlattensMap {
        #[serde(flatten)]
        rest: HashMap<String, u8>,
    }

    struct FlattensAny {
        id: u8,
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }

    struct FlattensEnum {
        id: u8,
        #[serde(flatten)]
        event: Event,
    }

    struct FlattensChoice {
        id: u8,
        #[serde(flatten)]
        choice: Choice,
    }

    #[serde(tag = "type", rename = "tagged")]
    struct Tagged {
        a: u8,
    }

    struct Bounded {
        #[schema(range(1..=50))]
        #[schemars(range(min = 1, max = 50))]
        limit: u32,
        #[schema(range(0.0..=0.5))]
        #[schemars(range(min = 0.0, max = 0.5))]
        share: f64,
        #[schema(len(1..=3), pattern = "^[a-z]+$")]
        #[schemars(length(min = 1, max = 3), regex(pattern = "^[a-z]+$"))]
        word: String,
        #[schema(len(2..))]
        #[schemars(length(min = 2))]
        list: Vec<u8>,
        #[schema(len(..=2))]
        #[schemars(length(max = 2))]
        maybe: Option<String>,
        #[schema(format = "email")]
        #[schemars(email)]
        mail: String,
    }

    struct Annotated {
        #[deprecated]
        #[schema(title = "Old", example = 3)]
        #[schemars(title = "Old", example = 3)]
        old: u8,
    }

    struct SeenAs {
        #[serde(with = "as_text")]
        #[schema(as = String)]
        #[schemars(with = "String")]
        both: u8,
        #[serde(serialize_with = "as_text::serialize")]
        #[schema(as = String)]
        #[schemars(with = "u8")]
        written: u8,
        #[serde(with = "as_text::option")]
        #[schema(as = Option<String>)]
        #[schemars(with = "Option<String>")]
        maybe: Option<u8>,
    }

    #[serde(from = "String", into = "Vec<u8>")]
    struct Converted {
        bytes: Vec<u8>,
    }

    #[serde(try_from = "Option<u8>", into = "Option<u8>")]
    struct Tried {
        byte: u8,
    }

    struct Tree {
        value: i64,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        children: Vec<Tree>,
    }

    struct Chain {
        next: Option<Box<Self>>,
    }

    struct Forest {
        /// The first
        first: Tree,
        others: HashMap<String, Tree>,
    }

    struct HoldsNested {
        nested: Nested,
    }

    struct Person {
        name: String,
        #[schema(recursive)]
        employer: Option<Box<Company>>,
    }

    struct Company {
        staff: Vec<Person>,
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, Schema, JsonSchema)]
struct MaybeByte(Option<u8>);

#[derive(Debug, Clone, Serialize, Deserialize, Schema, JsonSchema)]
struct Nested(Vec<Nested>);

#[derive(Serialize, Deserialize, Schema, JsonSchema)]
struct Pair<T> {
    left: T,
    right: Option<T>,
}

#[derive(Serialize, Deserialize, Schema, JsonSchema)]
struct Fixed<const N: usize> {
    items: Vec<u8>,
}

#[derive(Serialize, Deserialize, Schema, JsonSchema)]
struct Marked<T> {
    value: u8,
    #[serde(skip)]
    _marker: PhantomData<T>,
}

#[derive(Serialize, Deserialize, Schema)]
#[schema(open)]
struct Open {
    a: u8,
}

#[derive(Serialize, Deserialize, Schema)]
#[schema(open)]
struct OpenNothing {}

#[derive(Serialize, Deserialize, Schema)]
struct OnlyOurs {
    #[schema(range(0.0..1.0), multiple_of = 0.25)]
    half_open: f64,
    #[schema(range(-5..5), multiple_of = 5)]
    whole: i8,
    #[schema(len(1..4), unique)]
    few: Vec<u8>,
    #[schema(len(1..=1))]
    one: HashMap<String, u8>,
}

struct NotSchema;

#[derive(Serialize, Deserialize, Schema, JsonSchema)]
struct MarkedWithNone {
    #[serde(skip)]
    #[schemars(skip)]
    _marker: PhantomData<NotSchema>,
    value: Marked<Point>,
}

/// Our tree, also for schemars
#[derive(Serialize, Deserialize, Schema)]
#[schema(json_schema)]
struct ForBoth {
    a: Option<u8>,
    children: Vec<ForBoth>,
}

#[derive(Serialize, Deserialize, Schema, JsonSchema)]
struct HoldsForBoth {
    one: ForBoth,
    two: Option<ForBoth>,
}

fn seven() -> u8 {
    7
}

impl Default for AllDefaults {
    fn default() -> Self {
        Self {
            a: 9,
            b: Point { x: 1, y: 2 },
        }
    }
}

impl From<String> for Converted {
    fn from(text: String) -> Self {
        Self {
            bytes: text.into_bytes(),
        }
    }
}

impl From<Converted> for Vec<u8> {
    fn from(value: Converted) -> Self {
        value.bytes
    }
}

impl TryFrom<Option<u8>> for Tried {
    type Error = &'static str;

    fn try_from(byte: Option<u8>) -> Result<Self, Self::Error> {
        byte.map(|byte| Self { byte }).ok_or("nothing")
    }
}

impl From<Tried> for Option<u8> {
    fn from(value: Tried) -> Self {
        Some(value.byte)
    }
}

mod as_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(value: &u8, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }

    pub(super) mod option {
        use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

        pub(crate) fn serialize<S: Serializer>(
            value: &Option<u8>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            value.map(|value| value.to_string()).serialize(serializer)
        }

        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<u8>, D::Error> {
            let text = Option::<String>::deserialize(deserializer)?;
            text.map(|text| text.parse().map_err(D::Error::custom))
                .transpose()
        }
    }
}

#[allow(deprecated)]
pub(crate) fn rows() -> Vec<Row> {
    rows! {
        Point => r#"[{"x":1,"y":2},{"y":2,"x":1}]"#, r#"[[1,2],{"x":1},{"x":1,"y":2,"z":3}]"#;
        Nothing => "[{}]", r#"[null,[],{"a":1}]"#;
        Unit => "[null]", "[{},[]]";
        Name => r#"["a"]"#, "[1]";
        Metres => "[0, 1.5]", r#"["1"]"#;
        MaybeName => r#"["a", null]"#, "[1]";
        SeeThrough => r#"[{"x":1,"y":2},null]"#, "[1]";
        Rgb => "[[1,2,3]]", "[[1,2],1]";
        SkipsInTuple => r#"[[1,"a"]]"#, r#"[[1,2,"a"]]"#;
        SidedTuple => "[[1,2]]", r#"[[1,2,"a"],[1]]"#;
        Words => r#"[{"firstName":"a","x-last":"b","type":1}]"#, r#"[{"first_name":"a","x-last":"b","type":1}]"#;
        TwoNames => r#"[{"first-name":"a","in":1}]"#, r#"[{"FIRST_NAME":"a","out":1}]"#;
        Dollar => r#"[{"$x":1}]"#, r#"[{"x":1}]"#;
        Optionals => r#"[{"g":null},{"a":1,"b":null,"c":2,"d":null,"e":3,"f":4,"g":5}]"#, r#"[{},{"g":256}]"#;
        Defaults => r#"[{},{"a":1,"c":null,"f":"fast"}]"#, r#"[{"a":256}]"#;
        AllDefaults => r#"[{},{"a":1}]"#, r#"[{"b":{}}]"#;
        Skips => r#"[{"a":1,"d":2},{"a":1,"d":2,"e":[1],"f":3}]"#, r#"[{"a":1},{"a":1,"b":1,"d":2},{"a":1,"c":1,"d":2}]"#;
        Aliased => r#"[{"color":"red"}]"#, r#"[{"colour":"red"}]"#;
        DocOnField => r#"[{"to":{"x":1,"y":2},"plain":{"x":1,"y":2},"speed":"fast"}]"#, "[{}]";
        Strict => r#"[{"a":1}]"#, r#"[{"a":1,"b":1}]"#;
        Values => r#"[{"any":1,"list":[null]},{"any":null,"list":[]}]"#, r#"[{"list":[]}]"#;
        FlattensStruct => r#"[{"id":1,"x":1,"y":2,"last":true}]"#, r#"[{"id":1,"at":{"x":1,"y":2},"last":true},{"id":1,"x":1,"y":2,"last":true,"z":3}]"#;
        FlattensOption => r#"[{"id":1},{"id":1,"x":1}]"#, r#"[{"x":1}]"#;
        FlattensMap => r#"[{"id":1},{"id":1,"a":2}]"#, r#"[{"id":1,"a":"b"}]"#;
        OnlyFlattensMap => r#"[{},{"a":2}]"#, r#"[{"a":"b"}]"#;
        FlattensAny => r#"[{"id":1,"a":"b"}]"#, "[{}]";
        FlattensEnum => r#"[{"id":1,"kind":"opened","by":"me"},{"id":1,"kind":"closed"}]"#, r#"[{"id":1},{"id":1,"kind":"no"}]"#;
        FlattensChoice => r#"[{"id":1,"All":null},{"id":1,"Some":[1]},{"id":1,"At":{"x":1,"y":2}}]"#, r#"[{"id":1}]"#;
        Tagged => r#"[{"a":1}]"#, r#"[{"type":"tagged","a":1}]"#;
        Bounded => r#"[{"limit":1,"share":0.5,"word":"abc","list":[1,2],"maybe":"ab","mail":"a@b.de"}]"#, "[{}]";
        Annotated => r#"[{"old":1}]"#, "[{}]";
        SeenAs => r#"[{"both":"1","written":2,"maybe":"3"},{"both":"1","written":2,"maybe":null}]"#, r#"[{"both":"1","written":2},{"both":1,"written":2,"maybe":null}]"#;
        Converted => r#"["abc"]"#, "[[1]]";
        Tried => "[1]", r#"["1"]"#;
        Pair<u8> => r#"[{"left":1},{"left":1,"right":2}]"#, r#"[{"left":256}]"#;
        Pair<Point> => r#"[{"left":{"x":1,"y":2}}]"#, r#"[{"left":1}]"#;
        Tree => r#"[{"value":1},{"value":1,"children":[{"value":2}]}]"#, r#"[{"value":1,"children":[{}]}]"#;
        Chain => r#"[{},{"next":{"next":null}}]"#, r#"[{"next":{"next":1}}]"#;
        Forest => r#"[{"first":{"value":1},"others":{"a":{"value":1}}}]"#, r#"[{"first":{"value":1}}]"#;
        Nested => "[[],[[],[[]]]]", "[[1]]";
        HoldsNested => r#"[{"nested":[[]]}]"#, r#"[{"nested":[1]}]"#;
        Person => r#"[{"name":"a"},{"name":"a","employer":{"staff":[{"name":"b"}]}}]"#, r#"[{"name":"a","employer":{"staff":[{}]}}]"#;
        Company => r#"[{"staff":[{"name":"a","employer":{"staff":[]}}]}]"#, r#"[{"staff":[{}]}]"#;
        Fixed<2> => r#"[{"items":[1,2]}]"#, r#"[{"items":1}]"#;
        Marked<u8> => r#"[{"value":1}]"#, "[{}]";
        MarkedWithNone => r#"[{"value":{"value":1}}]"#, "[{}]";
        -no Open => r#"[{"a":1}]"#, "[{}]";
        -no OpenNothing => r#"[{},{"a":1}]"#, "[null,[]]";
        -no OnlyOurs => r#"[{"half_open":0.25,"whole":-5,"few":[1,2],"one":{"a":1}}]"#, "[{}]";
        ForBoth => r#"[{"children":[]},{"a":1,"children":[{"children":[]}]}]"#, "[{}]";
        HoldsForBoth => r#"[{"one":{"children":[]}}]"#, "[{}]";
    }
}
