//! Types that only have schemars' trait, alone and inside ours.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolwright::{Schema, schema::Opaque};

use crate::schemas::row::{Row, rows};

/// From elsewhere
#[derive(Serialize, Deserialize, JsonSchema)]
struct Theirs {
    /// A number
    zulu: u32,
    alpha: Option<Part>,
}

/// A part
#[derive(Serialize, Deserialize, JsonSchema)]
enum Part {
    Whole,
    /// Only a half
    Half,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct TheirTree {
    children: Vec<TheirTree>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t")]
enum TheirTagged {
    A { x: u8 },
    B(Theirs),
}

#[derive(Serialize, Deserialize, Schema)]
struct HoldsTheirs {
    /// With words of its own
    one: Theirs,
    plain: Theirs,
    maybe: Option<Theirs>,
    list: Vec<Part>,
    map: HashMap<String, BTreeMap<u8, Part>>,
    tagged: TheirTagged,
}

#[derive(Serialize, Deserialize, Schema)]
struct HoldsTheirTree {
    one: TheirTree,
    two: Vec<TheirTree>,
}

#[derive(Serialize, Deserialize, Schema)]
struct FlattensTheirs {
    id: u8,
    #[serde(flatten)]
    theirs: Theirs,
}

#[derive(Serialize, Deserialize, Schema)]
enum Ours {
    #[allow(dead_code)]
    Theirs(Theirs),
    None,
}

#[derive(Serialize, Deserialize, Schema)]
struct Generic<T> {
    value: T,
}

pub(crate) fn rows() -> Vec<Row> {
    rows! {
        -no Opaque<Theirs> => r#"[{"zulu":1},{"zulu":1,"alpha":"Half"}]"#, r#"[{},{"zulu":1,"other":1}]"#;
        -no Opaque<TheirTree> => r#"[{"children":[{"children":[]}]}]"#, r#"[{"children":[1]}]"#;
        -no Opaque<Vec<Part>> => r#"[["Whole"]]"#, r#"[["Third"]]"#;
        -no HoldsTheirs => r#"[{"one":{"zulu":1},"plain":{"zulu":1},"list":["Half"],"map":{"a":{"1":"Half"}},"tagged":{"t":"A","x":1}},{"one":{"zulu":1},"plain":{"zulu":1},"list":["Half"],"map":{"a":{"1":"Half"}},"tagged":{"t":"B","zulu":1}}]"#, r#"[{"one":{},"plain":{"zulu":1},"list":[],"map":{},"tagged":{"t":"A","x":1}}]"#;
        -no HoldsTheirTree => r#"[{"one":{"children":[]},"two":[]}]"#, r#"[{"one":{"children":[1]},"two":[]}]"#;
        -no FlattensTheirs => r#"[{"id":1,"zulu":1},{"id":1,"zulu":1,"alpha":"Half"}]"#, r#"[{"zulu":1},{"id":1}]"#;
        -no Ours => r#"["None",{"Theirs":{"zulu":1}}]"#, r#"[{"Theirs":{}}]"#;
        -no Generic<Opaque<Part>> => r#"[{"value":"Half"}]"#, r#"[{"value":"Third"}]"#;
    }
}
