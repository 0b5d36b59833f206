//! Enums, in all of serde's representations.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolwright::Schema;

use crate::schemas::row::{Row, rows};
use crate::schemas::structs::{Point, types};

/// How fast
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    Schema,
    JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Speed {
    #[default]
    Slow,
    Fast,
}

#[derive(Debug, Clone, Serialize, Deserialize, Schema, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Event {
    Opened { by: String },
    Closed,
}

#[derive(Debug, Clone, Serialize, Deserialize, Schema, JsonSchema)]
pub(crate) enum Choice {
    All,
    Some(Vec<u8>),
    At(Point),
}

types! {
    enum Plain { A, B }

    enum One { Only }

    /// Which
    enum Documented {
        /// The first
        First,
        Second,
        /// The third,
        /// on two lines
        Third,
    }

    enum Renamed {
        #[serde(rename = "a-1")]
        A,
        #[serde(rename(serialize = "out", deserialize = "in"))]
        B,
        #[serde(alias = "c")]
        C,
    }

    #[serde(rename_all = "SCREAMING-KEBAB-CASE")]
    enum Shouting { TwoWords, Http2Only }

    enum External {
        Unit,
        /// One value
        Newtype(u8),
        Tuple(u8, String),
        Struct { a: Option<u8>, b: Point },
        Last,
        Empty(),
        EmptyStruct {},
    }

    #[serde(rename_all_fields = "camelCase")]
    enum ExternalFields {
        A { two_words: u8 },
        #[serde(rename_all = "UPPERCASE")]
        B { two_words: u8 },
    }

    #[serde(tag = "t")]
    enum Internal {
        Unit,
        /// Of a struct
        Newtype(Point),
        Map(HashMap<String, u8>),
        Struct { a: Option<u8> },
        Nested(Inner),
    }

    #[serde(tag = "inner")]
    enum Inner { A { x: u8 }, B }

    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        Unit,
        Newtype(u8),
        Maybe(Option<u8>),
        Tuple(u8, u8),
        Struct { a: u8 },
    }

    #[serde(untagged)]
    enum Untagged {
        Number(u8),
        Text(String),
        Pair(u8, u8),
        Struct { a: u8 },
        Nothing,
    }

    enum Mixed {
        Known(u8),
        Unit,
        #[serde(untagged)]
        Other(String),
    }

    #[serde(tag = "t")]
    enum MixedInternal {
        A { a: u8 },
        #[serde(untagged)]
        Other { b: u8 },
    }

    enum Sided {
        Both,
        #[serde(skip_serializing)]
        Read(u8),
        #[serde(skip_deserializing)]
        Written(u8),
        #[serde(skip)]
        Neither,
    }

    enum Custom {
        #[serde(with = "text")]
        #[schema(as = String)]
        #[schemars(with = "String")]
        Text(u8, u8),
    }

    enum Expr {
        Number(f64),
        Sum(Vec<Expr>),
        Negative(Box<Expr>),
    }

    #[serde(tag = "op")]
    enum TaggedExpr {
        Number { value: f64 },
        Not { inner: Box<TaggedExpr> },
    }
}

#[derive(Serialize, Deserialize, Schema, JsonSchema)]
enum Either<A, B> {
    Left(A),
    Right { value: B },
}

#[derive(Serialize, Deserialize, Schema, JsonSchema)]
struct HoldsEnums {
    /// What happened
    event: Event,
    maybe: Option<External>,
    plain: Option<Documented>,
    list: Vec<Untagged>,
}

mod text {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        a: &u8,
        b: &u8,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{a} {b}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<(u8, u8), D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok((u8::try_from(text.len()).unwrap_or(0), 0))
    }
}

pub(crate) fn rows() -> Vec<Row> {
    rows! {
        Speed => r#"["slow","fast"]"#, r#"["Slow",null,1]"#;
        Event => r#"[{"kind":"opened","by":"me"},{"kind":"closed"}]"#, r#"["closed",{"kind":"opened"},{"by":"me"}]"#;
        Choice => r#"["All",{"Some":[1]},{"At":{"x":1,"y":2}}]"#, r#"["Some",{"Some":1},{"Some":[1],"At":{"x":1,"y":2}}]"#;
        Plain => r#"["A","B"]"#, r#"["C",{"A":null}]"#;
        One => r#"["Only"]"#, r#"["only"]"#;
        Documented => r#"["First","Second","Third"]"#, "[1]";
        Renamed => r#"["a-1","in","C"]"#, r#"["A","out","c"]"#;
        Shouting => r#"["TWO-WORDS","HTTP2-ONLY"]"#, r#"["TwoWords"]"#;
        External => r#"["Unit","Last",{"Newtype":1},{"Tuple":[1,"a"]},{"Struct":{"b":{"x":1,"y":2}}},{"Empty":[]},{"EmptyStruct":{}}]"#, r#"["Newtype",{"Tuple":[1]},{"Struct":[]},{"Newtype":1,"Unit":null}]"#;
        ExternalFields => r#"[{"A":{"twoWords":1}},{"B":{"TWO_WORDS":1}}]"#, r#"[{"A":{"two_words":1}}]"#;
        Internal => r#"[{"t":"Unit"},{"t":"Newtype","x":1,"y":2},{"t":"Map","a":1},{"t":"Struct"},{"t":"Nested","inner":"A","x":1}]"#, r#"[{"t":"Unit","z":3},{"t":"Newtype"},{"x":1,"y":2},{"t":"Map","a":"b"}]"#;
        Inner => r#"[{"inner":"A","x":1},{"inner":"B"}]"#, r#"[{"inner":"C"}]"#;
        Adjacent => r#"[{"t":"Unit"},{"t":"Newtype","c":1},{"t":"Maybe"},{"t":"Maybe","c":null},{"t":"Tuple","c":[1,2]},{"t":"Struct","c":{"a":1}}]"#, r#"[{"t":"Unit","c":null},{"t":"Newtype"},{"c":1},{"t":"Tuple","c":[1]}]"#;
        Untagged => r#"[1,"a",[1,2],{"a":1},null]"#, "[true,[1]]";
        Mixed => r#"[{"Known":1},"Unit","anything"]"#, "[1]";
        MixedInternal => r#"[{"t":"A","a":1},{"b":1}]"#, "[{}]";
        Sided => r#"["Both","Both"]"#, r#"[{"Written":1},"Neither"]"#;
        Custom => r#"[{"Text":"1 2"}]"#, r#"[{"Text":[1,2]}]"#;
        Expr => r#"[{"Number":1},{"Sum":[{"Number":1},{"Negative":{"Number":2}}]}]"#, r#"[{"Sum":[1]}]"#;
        TaggedExpr => r#"[{"op":"Number","value":1},{"op":"Not","inner":{"op":"Number","value":1}}]"#, r#"[{"op":"Not"}]"#;
        Either<u8, Point> => r#"[{"Left":1},{"Right":{"value":{"x":1,"y":2}}}]"#, r#"[{"Left":256}]"#;
        HoldsEnums => r#"[{"event":{"kind":"closed"},"list":[1,"a"]}]"#, r#"[{"list":[]}]"#;
    }
}
