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
}
