//! Types whose fields have no schema, and that say what they look like.
// Tools take what people write.
#![allow(clippy::needless_pass_by_value)]

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolwright::{Context, Encoder, Schema, ToolCall, schema::SchemaDoc, tool, tools};

/// As another crate has it: of ours it knows nothing.
#[derive(Deserialize, Serialize, Clone)]
#[serde(try_from = "String", into = "String")]
struct Version(u8, u8);

impl TryFrom<String> for Version {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let parts = text.split_once('.').ok_or("a version has a point")?;
        match (parts.0.parse(), parts.1.parse()) {
            (Ok(major), Ok(minor)) => Ok(Self(major, minor)),
            _ => Err("a version is two numbers"),
        }
    }
}

impl From<Version> for String {
    fn from(version: Version) -> Self {
        format!("{}.{}", version.0, version.1)
    }
}

#[derive(Deserialize, Serialize, Schema)]
#[schema(as = String, len(3..))]
struct Release(Version);

#[derive(Deserialize, Serialize, Schema, Clone)]
#[serde(from = "String", into = "String")]
struct Named {
    version: Option<Version>,
}

impl From<String> for Named {
    fn from(text: String) -> Self {
        let version = Version::try_from(text).ok();
        Self { version }
    }
}

impl From<Named> for String {
    fn from(named: Named) -> Self {
        named.version.map_or_else(Self::new, Self::from)
    }
}

#[derive(Deserialize, Serialize, Schema)]
#[schema(as = Option<String>)]
#[serde(untagged)]
enum Maybe {
    Known(Version),
    Unknown(()),
}

/// Ships.
#[tool]
fn ship(release: Release, named: Named, maybe: Maybe) -> (Release, Named, Maybe) {
    (release, named, maybe)
}

#[test]
fn types_that_look_like_others_ask_nothing_of_their_fields() {
    let string = json!({"type": "string"});
    let long = json!({"type": "string", "minLength": 3});
    assert_eq!(SchemaDoc::of::<Release>().to_value(), long);
    assert_eq!(SchemaDoc::of_output::<Release>().to_value(), long);
    assert_eq!(SchemaDoc::of::<Named>().to_value(), string);
    assert_eq!(SchemaDoc::of_output::<Named>().to_value(), string);
    let nullable = json!({"type": ["string", "null"]});
    assert_eq!(SchemaDoc::of::<Maybe>().to_value(), nullable);

    let call = |arguments: &str| {
        let call = ToolCall::new("1", "ship", arguments);
        let result = tools![ship].call_blocking(&call, &Context::new());
        result.content(Encoder::auto()).into_owned()
    };
    let arguments = r#"{"release": "1.2", "named": "3.4", "maybe": null}"#;
    assert_eq!(call(arguments), r#"["1.2","3.4",null]"#);
    let arguments = r#"{"release": "1", "named": "", "maybe": "5.6"}"#;
    assert_eq!(
        call(arguments),
        "release: expected a string of 3 or more characters, got \"1\""
    );
}

/// As those who come from schemars have it.
#[cfg(feature = "schemars")]
mod told_by_schemars {
    use serde::Deserialize;
    use serde_json::json;
    use toolwright::{Context, Schema, ToolCall, tool, tools};

    #[derive(Deserialize, schemars::JsonSchema)]
    struct Theirs {
        #[schemars(range(min = 1, max = 5))]
        stars: u8,
    }

    #[derive(Deserialize, Schema)]
    struct Ours {
        #[schemars(range(min = 1, max = 5))]
        stars: u8,
    }

    /// Rates.
    #[tool]
    fn theirs(rating: Theirs) -> u8 {
        rating.stars
    }

    /// Rates.
    #[tool]
    fn ours(rating: Ours) -> u8 {
        rating.stars
    }

    #[test]
    fn bounds_are_published_and_held_whoever_derives_them() {
        let tools = tools![theirs, ours];
        let call = |name: &str, arguments: &str| {
            let result = tools.call_blocking(&ToolCall::new("1", name, arguments), &Context::new());
            (result.outcome.is_ok(), result.repairs.len())
        };
        for def in tools.definitions() {
            let schema = def.input.to_value();
            let stars = |key: &str| {
                let place = format!("/properties/rating/properties/stars/{key}");
                schema.pointer(&place).cloned()
            };
            assert_eq!(stars("minimum"), Some(json!(1)));
            assert_eq!(stars("maximum"), Some(json!(5)));
        }
        let (wide, quoted) = (
            r#"{"rating": {"stars": 9}}"#,
            r#"{"rating": {"stars": "4"}}"#,
        );
        for name in ["theirs", "ours"] {
            assert_eq!(call(name, wide), (false, 0));
            assert_eq!(call(name, quoted), (true, 1));
        }
        // Keys that nobody knows are refused by both.
        let more = r#"{"rating": {"stars": 4, "words": "x"}}"#;
        assert_eq!(call("theirs", more), (false, 0));
        assert_eq!(call("ours", more), (false, 0));
    }

    #[derive(Deserialize, schemars::JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Way {
        Train,
        Boat,
    }

    #[derive(Deserialize, schemars::JsonSchema)]
    struct Leg {
        to: String,
        #[schemars(range(min = 1))]
        hours: u8,
        #[serde(default)]
        by: Vec<Way>,
        next: Option<Box<Leg>>,
    }

    /// Counts the hours of a journey.
    #[tool]
    fn hours(first: Leg) -> Result<u32, String> {
        let Leg {
            to,
            hours,
            by,
            next,
        } = first;
        if to.is_empty() || by.iter().any(|way| matches!(way, Way::Boat)) {
            return Err("not by boat".into());
        }
        let rest = next.map_or(Ok(0), |next| self::hours(*next))?;
        Ok(u32::from(hours) + rest)
    }

    #[test]
    fn all_that_is_wrong_is_told_and_slips_are_repaired() {
        let tools = tools![hours];
        let call = |arguments: &str| {
            let call = ToolCall::new("1", "hours", arguments);
            tools.call_blocking(&call, &Context::new())
        };
        let repaired = call(
            r#"{"first": {"to": "Rome", "hours": "3", "by": "train", "next": {"to": "Bari", "hours": 4.0, "by": null}}}"#,
        );
        assert_eq!(repaired.value(), Some(json!(7)));
        assert_eq!(repaired.repairs.len(), 3);
        let refused = call(
            r#"{"first": {"to": 1, "hours": 0, "by": ["boot"], "next": {"to": "Bari", "hours": 1.5}}}"#,
        );
        assert_eq!(
            refused.errors().collect::<Vec<_>>(),
            [
                "first.to: expected a string, got 1",
                "first.hours: expected an integer from 1 to 255, got 0",
                r#"first.by[0]: expected one of "train", "boat", got "boot"; did you mean `boat`?"#,
                "first.next.hours: expected an integer from 1 to 255, got 1.5",
            ]
        );
    }

    /// The same types, of which we know one and schemars the other.
    macro_rules! both {
        ($($item:item)*) => {
            mod of_ours {
                use serde::Deserialize;
                use std::collections::{BTreeMap, BTreeSet};
                $(#[derive(Deserialize, toolwright::Schema)] $item)*
            }
            mod of_theirs {
                use serde::Deserialize;
                use std::collections::{BTreeMap, BTreeSet};
                $(#[derive(Deserialize, schemars::JsonSchema)] $item)*
            }
        };
    }

    both! {
        #[allow(dead_code)]
        #[serde(rename_all = "lowercase")]
        pub(super) enum Plain { Train, Boat }

        #[allow(dead_code)]
        pub(super) enum External { Unit, New(u8), Pair(u8, String), Named { x: i32, y: Option<bool> } }

        #[allow(dead_code)]
        #[serde(tag = "kind")]
        pub(super) enum Internal { A { x: u8 }, B { y: String } }

        #[allow(dead_code)]
        #[serde(tag = "t", content = "c")]
        pub(super) enum Adjacent { A(u8), B { y: String } }

        #[allow(dead_code)]
        #[serde(untagged)]
        pub(super) enum Untagged { N(u64), S { y: String }, L(Vec<u8>) }

        #[allow(dead_code)]
        pub(super) struct Widths {
            pub i8: i8,
            pub i32: i32,
            pub u32: u32,
            pub i64: i64,
            pub u64: u64,
            pub usize: usize,
            pub i128: i128,
            pub u128: u128,
            pub maybe: Option<u64>,
            pub many: Vec<u64>,
            pub f32: f32,
        }

        #[allow(dead_code)]
        pub(super) struct Bounds {
            #[schemars(range(min = 3))]
            pub from: u64,
            #[schemars(range(min = 1, max = 5))]
            pub n: i32,
            #[schemars(range(min = 0.5, max = 1.5))]
            pub f: f64,
            #[schemars(length(min = 2, max = 4))]
            pub s: String,
            #[schemars(length(min = 1, max = 2))]
            pub v: Vec<u8>,
            #[schemars(email)]
            pub e: String,
        }

        #[allow(dead_code)]
        pub(super) struct Parts {
            pub a: Plain,
            pub c: char,
            pub m: BTreeMap<String, u8>,
            pub s: BTreeSet<u8>,
            pub t: (u8, String),
            #[serde(default)]
            pub z: Vec<Parts>,
        }
    }

    macro_rules! takes {
        ($($name:ident: $type:ident),*) => {
            mod tools_of_ours {
                $(/// Takes it.
                #[toolwright::tool]
                pub(super) fn $name(v: super::of_ours::$type) { let _ = v; })*
            }
            mod tools_of_theirs {
                $(/// Takes it.
                #[toolwright::tool]
                pub(super) fn $name(v: super::of_theirs::$type) { let _ = v; })*
            }
            fn all() -> [toolwright::Toolset; 2] {
                [tools![$(tools_of_ours::$name),*], tools![$(tools_of_theirs::$name),*]]
            }
        };
    }

    takes! {
        plain: Plain, external: External, internal: Internal, adjacent: Adjacent, untagged: Untagged,
        widths: Widths, bounds: Bounds, parts: Parts
    }

    #[test]
    fn what_is_wrong_is_told_in_the_same_words_whoever_derives_the_schema() {
        let table = [
            ("plain", r#""trian""#),
            ("plain", "5"),
            ("external", r#""Unt""#),
            ("external", r#"{"New": "x"}"#),
            ("external", r#"{"Pair": [1, 2]}"#),
            ("external", r#"{"Named": {"x": "y", "y": 3}}"#),
            ("external", r#"{"Named": {}}"#),
            ("internal", r#"{"kind": "C"}"#),
            ("internal", r#"{"kind": "A", "x": "no", "z": 1}"#),
            ("internal", r#"{"x": 1}"#),
            ("adjacent", r#"{"t": "B", "c": {}}"#),
            ("untagged", "true"),
            ("untagged", "-1"),
            ("untagged", r#"[1, "x"]"#),
            ("widths", "{}"),
            ("parts", "5"),
            (
                "widths",
                r#"{"i8": "x", "i32": "x", "u32": "x", "i64": "x", "u64": "x", "usize": 1.5, "i128": "x", "u128": "x",
                    "maybe": "x", "many": ["x", -1], "f32": "x"}"#,
            ),
            (
                "widths",
                r#"{"i8": 128, "i32": 2147483648, "u32": -1, "i64": 9223372036854775808, "u64": -1, "usize": 1e30,
                    "i128": 1e39, "u128": -1, "maybe": -1, "many": [18446744073709551616], "f32": 1e40}"#,
            ),
            (
                "bounds",
                r#"{"from": 2, "n": 6, "f": 2, "s": "x", "v": [], "e": "nobody"}"#,
            ),
            (
                "bounds",
                r#"{"from": "x", "n": "x", "f": "x", "s": 1, "v": [1, 2, 3], "e": 1}"#,
            ),
            (
                "parts",
                r#"{"a": "TRAIN", "c": "ab", "m": {"k": 300}, "s": [1, 1], "t": [1], "z": [{"a": "boat", "c": 1, "m": [],
                    "s": "x", "t": {}}]}"#,
            ),
        ];
        let [ours, theirs] = all();
        for (name, value) in table {
            let call = ToolCall::new("1", name, format!("{{\"v\": {value}}}"));
            let told = |tools: &toolwright::Toolset| {
                let result = tools.call_blocking(&call, &Context::new());
                let faults = result.outcome.err().map(|error| error.faults().to_vec());
                let mut faults = faults.unwrap_or_default();
                // Keys that are missing come in the schema's order, and schemars sorts.
                faults.sort_by(|one, other| one.path.cmp(&other.path));
                faults
            };
            let (ours, theirs) = (told(&ours), told(&theirs));
            assert!(!ours.is_empty(), "{name}: {value}");
            assert_eq!(theirs, ours, "{name}: {value}");
        }
    }

    #[test]
    fn what_the_schema_admits_and_serde_refuses_is_told_in_its_authors_words() {
        #[derive(Deserialize)]
        #[serde(try_from = "String")]
        struct Even;

        impl TryFrom<String> for Even {
            type Error = &'static str;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                match text.parse::<u8>() {
                    Ok(number) if number % 2 == 0 => Ok(Self),
                    _ => Err("it is an even number"),
                }
            }
        }

        impl schemars::JsonSchema for Even {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                "Even".into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                String::json_schema(generator)
            }
        }

        #[derive(Deserialize, schemars::JsonSchema)]
        struct Holds {
            list: Vec<Even>,
            size: u8,
        }

        /// Counts.
        #[tool]
        fn count(held: Holds) -> usize {
            held.list.len() + usize::from(held.size)
        }

        let tools = tools![count];
        let told = |arguments: &str| {
            let call = ToolCall::new("1", "count", arguments);
            let result = tools.call_blocking(&call, &Context::new());
            result.errors().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(
            told(r#"{"held": {"list": ["2", "3"], "size": 1}}"#),
            [r#"held.list[1]: "3" is refused: it is an even number"#]
        );
        // What the schema refuses comes first, all of it.
        assert_eq!(
            told(r#"{"held": {"list": ["3", 4], "size": 300}}"#),
            [
                "held.list[1]: expected a string, got 4",
                "held.size: expected an integer from 0 to 255, got 300",
            ]
        );
    }
}

/// Values in which a hash ordered the parts.
#[cfg(feature = "schemars")]
#[allow(clippy::indexing_slicing, clippy::unwrap_used)] // A test that finds less has failed.
mod hashed {
    use std::collections::{HashMap, HashSet};

    use serde::{Deserialize, Serialize};
    use serde_json::{Value, json};
    use toolwright::{tool, tools};

    /// Known to schemars alone.
    #[derive(Serialize, Deserialize, schemars::JsonSchema, Default)]
    struct Sorted {
        #[serde(default = "letters")]
        letters: HashSet<String>,
        #[serde(default)]
        inner: Inner,
        list: Vec<u8>,
    }

    #[derive(Serialize, Deserialize, schemars::JsonSchema)]
    struct Inner {
        numbers: HashMap<String, HashSet<u8>>,
        list: Vec<u8>,
        scope: Scope,
        pair: (HashSet<u8>, u8),
    }

    #[derive(Serialize, Deserialize, schemars::JsonSchema)]
    enum Scope {
        Only(HashSet<String>),
        Other { but: Vec<String> },
    }

    impl Default for Inner {
        fn default() -> Self {
            let numbers = ["b", "a"].map(|key| (key.to_owned(), [100, 9, 10, 8].into()));
            Self {
                numbers: numbers.into(),
                list: vec![2, 1],
                scope: Scope::Only(letters()),
                pair: ([100, 9, 10, 8].into(), 1),
            }
        }
    }

    fn letters() -> HashSet<String> {
        ["d", "c", "b", "a"].map(str::to_owned).into()
    }

    /// Sorts.
    #[tool]
    fn sort(
        foreign: Sorted,
        #[arg(default = Sorted { letters: letters(), list: vec![3, 1, 2], ..Sorted::default() })]
        given: Sorted,
    ) -> usize {
        let _ = (foreign.letters, foreign.inner.numbers, given.inner.list);
        foreign.list.len() + given.list.len()
    }

    #[test]
    fn defaults_of_foreign_types_are_sorted_too() {
        let tools = tools![sort];
        let def = tools.definitions().next().unwrap();
        let schema: Value = serde_json::from_str(def.input.as_json()).unwrap();
        let inner = json!({
            "list": [2, 1],
            "numbers": {"a": [8, 9, 10, 100], "b": [8, 9, 10, 100]},
            "scope": {"Only": ["a", "b", "c", "d"]},
            "pair": [[8, 9, 10, 100], 1],
        });
        let foreign = &schema["properties"]["foreign"]["properties"];
        assert_eq!(foreign["letters"]["default"], json!(["a", "b", "c", "d"]));
        assert_eq!(foreign["inner"]["default"], inner);
        let given = &schema["properties"]["given"]["default"];
        let letters = ["a", "b", "c", "d"];
        assert_eq!(
            *given,
            json!({"letters": letters, "inner": inner, "list": [3, 1, 2]})
        );
    }
}
