//! Types that mix what is hard for a decoder: bounds and wide numbers inside of what serde buffers,
//! and one way of writing an enum inside another.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use toolwright::Schema;

use crate::schemas::enums::{Event, Speed};
use crate::schemas::row::{Row, rows};
use crate::schemas::structs::{Column, Point};

/// Declares types that schemars does not know.
macro_rules! ours {
    ($($(#[$attr:meta])* $kind:ident $name:ident $body:tt)*) => {
        $(
            #[derive(Debug, Clone, Serialize, Deserialize, Schema)]
            $(#[$attr])*
            $kind $name $body
        )*
    };
}

ours! {
    #[serde(tag = "t")]
    enum TaggedWide {
        Numbers { a: u64, b: i64, c: f64, d: f32 },
        Bounded {
            #[schema(range(1..=50))]
            n: u32,
            #[schema(len(1..=3))]
            word: String,
            #[schema(len(..=2), unique)]
            list: Vec<u8>,
        },
        Maybe {
            #[schema(range(-5..=5))]
            n: Option<i8>,
            #[schema(len(..=2))]
            word: Option<String>,
            speed: Option<Speed>,
        },
        Keyed { speeds: BTreeMap<Speed, u8>, letters: HashMap<char, u8>, set: BTreeSet<u8> },
        Deep { at: Option<Point>, pair: (u8, Option<Point>), inner: Event },
    }

    #[serde(untagged)]
    enum UntaggedWide {
        Half { #[schema(range(0.0..=0.5))] share: f64 },
        Small(i8),
        Wide(u64),
        Float(f32),
        Letter(char),
        Speeds(Vec<Speed>),
        Points(Vec<Point>),
        Tagged(Event),
        Flag(bool),
    }

    struct FlattensBounds {
        #[schema(len(1..=3))]
        name: String,
        #[serde(flatten)]
        rest: Limits,
    }

    struct Limits {
        #[schema(range(1..=50))]
        limit: u32,
        #[schema(range(0.0..1.0))]
        share: Option<f64>,
        #[serde(default)]
        list: Vec<Option<Point>>,
    }

    struct FlattensTwice {
        id: u8,
        #[serde(flatten)]
        outer: FlattensBounds,
        #[serde(flatten)]
        at: Option<Column>,
    }

    #[serde(tag = "kind", content = "of")]
    enum AdjacentWide {
        Bounded(#[schema(range(1..=50))] u32),
        Limits(Limits),
        List(Vec<Event>),
        Untagged(UntaggedWide),
        Pair(#[schema(len(..=2))] String, Option<i64>),
        Nothing,
    }

    enum ExternalWide {
        #[serde(rename = "one")]
        One(#[schema(len(2..=3))] Vec<UntaggedWide>),
        Two { adjacent: AdjacentWide, tagged: Option<TaggedWide> },
        Three,
    }

    #[schema(open)]
    struct OpenBounds {
        #[schema(len(1..=3), pattern = "^[a-z]+$")]
        word: Option<String>,
        list: Vec<Open>,
    }

    #[schema(open)]
    struct Open {
        #[schema(range(0..10), multiple_of = 3)]
        n: u8,
    }

    struct Formats {
        #[schema(format = "email")]
        mail: Option<String>,
        #[schema(format = "date")]
        day: String,
        #[schema(format = "uuid")]
        id: String,
        #[schema(format = "ipv4")]
        host: String,
    }

    struct Sets {
        #[schema(unique)]
        floats: Vec<f64>,
        #[schema(unique)]
        points: Vec<Point>,
        inside: BTreeSet<BTreeSet<u8>>,
        #[schema(len(1..=2))]
        maps: BTreeMap<String, Option<u8>>,
    }
}

pub(crate) fn rows() -> Vec<Row> {
    rows! {
        -no TaggedWide => r#"[{"t":"Numbers","a":1,"b":-1,"c":0.5,"d":1}]"#, r#"[{"t":"Bounded","n":0,"word":"a","list":[]}]"#;
        -no UntaggedWide => r#"[{"share":0.5},1,300,0.5,"a",["slow"],[{"x":1,"y":2}],{"kind":"closed"},true]"#, r#"[{"share":0.75},"ab",null]"#;
        -no FlattensBounds => r#"[{"name":"a","limit":1}]"#, r#"[{"name":"a","limit":0},{"name":"abcd","limit":1}]"#;
        -no FlattensTwice => r#"[{"id":1,"name":"a","limit":1},{"id":1,"name":"a","limit":1,"x":1}]"#, r#"[{"id":1}]"#;
        -no AdjacentWide => r#"[{"kind":"Bounded","of":1},{"kind":"Nothing"}]"#, r#"[{"kind":"Bounded","of":51}]"#;
        -no ExternalWide => r#"["Three",{"one":[1,"a"]}]"#, r#"[{"one":[1]}]"#;
        -no OpenBounds => r#"[{"list":[]},{"word":"abc","list":[{"n":3,"more":1}],"more":null}]"#, r#"[{"list":[{"n":4}]},{"word":"A","list":[]}]"#;
        -no Formats => r#"[{"day":"2026-12-31","id":"67e55044-10b1-426f-9247-bb680e5fe0c8","host":"127.0.0.1"}]"#, r#"[{"day":"2026-12-32","id":"67e55044-10b1-426f-9247-bb680e5fe0c8","host":"127.0.0.1"}]"#;
        -no Sets => r#"[{"floats":[1,2],"points":[],"inside":[[1],[2]],"maps":{"a":null}}]"#, r#"[{"floats":[1,1.0],"points":[],"inside":[],"maps":{"a":1}},{"floats":[],"points":[],"inside":[[1],[1]],"maps":{"a":1}}]"#;
    }
}
