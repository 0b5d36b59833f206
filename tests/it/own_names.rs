//! Types of somebody's own that have the names of std's: what they are decides, wherever the macros can ask it.
//! One of the types is known to schemars alone.

#![cfg(feature = "schemars")]
// Tools take what people write.
#![allow(clippy::needless_pass_by_value)]

use serde_json::{Value, json};
use toolwright::{Context, Encoder, Schema, ToolCall, Toolset, tool, tools};

/// Names that everybody else has from the prelude.
mod own {
    use serde::{Deserialize, Serialize};
    use toolwright::Schema;

    #[derive(Deserialize, Serialize, Schema)]
    pub(crate) struct Option {
        pub(crate) number: u8,
    }

    impl Default for Option {
        fn default() -> Self {
            Self { number: 7 }
        }
    }

    #[derive(Deserialize, Serialize, Schema)]
    pub(crate) struct Vec<T> {
        pub(crate) first: T,
    }

    #[derive(Deserialize, Serialize, Schema)]
    pub(crate) struct String {
        pub(crate) text: ::std::string::String,
    }

    #[derive(Serialize, Schema)]
    pub(crate) struct Result<T> {
        pub(crate) of: T,
    }

    #[derive(Deserialize, Serialize, Schema)]
    pub(crate) struct Cow<T> {
        pub(crate) legs: T,
    }

    /// A type that only schemars knows.
    #[derive(Deserialize, schemars::JsonSchema)]
    pub(crate) struct Range {
        pub(crate) end: u8,
    }
}

/// Takes them by their paths.
#[tool]
fn by_path(
    option: own::Option,
    vec: own::Vec<u8>,
    string: own::String,
    cow: own::Cow<u8>,
    range: own::Range,
    #[arg(default)] defaulted: own::Option,
    maybe: Option<own::Option>,
) -> own::Result<u8> {
    let maybe = maybe.map_or(0, |option| option.number);
    let length = u8::try_from(string.text.len()).unwrap_or_default();
    own::Result {
        of: option.number + vec.first + length + cow.legs + range.end + defaulted.number + maybe,
    }
}

mod shadowed {
    use super::own::{Cow, Option, Result, String, Vec};
    use toolwright::tool;

    /// Takes them by names that stand for others elsewhere.
    #[tool]
    pub(crate) fn by_name(
        option: Option,
        vec: Vec<u8>,
        string: String,
        cow: Cow<u8>,
    ) -> Result<::std::string::String> {
        let sum = option.number + vec.first + cow.legs;
        Result {
            of: format!("{} {sum}", string.text),
        }
    }
}
use shadowed::by_name;

#[derive(serde::Deserialize, Schema)]
struct Held {
    option: own::Option,
    range: own::Range,
}

/// Takes them as fields.
#[tool]
fn as_fields(held: Held) -> u8 {
    held.option.number + held.range.end
}

fn required(tools: &Toolset, name: &str) -> Option<Value> {
    let tool = tools.iter().find(|tool| tool.def().name == name)?;
    Some(tool.def().input.to_value().get("required")?.clone())
}

fn told(tools: &Toolset, name: &str, arguments: &Value) -> String {
    let call = ToolCall::new("call_1", name, arguments.to_string());
    tools
        .call_blocking(&call, &Context::new())
        .content(Encoder::auto())
        .to_string()
}

#[test]
fn an_option_of_ones_own_has_to_be_there() {
    let tools = tools![by_path, by_name, as_fields];
    assert_eq!(
        required(&tools, "by_path"),
        Some(json!(["option", "vec", "string", "cow", "range"]))
    );
    assert_eq!(
        required(&tools, "by_name"),
        Some(json!(["option", "vec", "string", "cow"]))
    );
    assert_eq!(
        told(&tools, "as_fields", &json!({"held": {"range": {"end": 1}}})),
        r#"held.option: missing, expected an object, such as {"number":1}"#
    );
}

#[test]
fn they_are_read_as_what_they_are() {
    let tools = tools![by_path, by_name, as_fields];
    let mut arguments = json!({
        "option": {"number": 1}, "vec": {"first": 2}, "string": {"text": "abc"}, "cow": {"legs": 4},
    });
    assert_eq!(told(&tools, "by_name", &arguments), r#"{"of":"abc 7"}"#);
    if let Some(object) = arguments.as_object_mut() {
        object.insert("range".into(), json!({"end": 5}));
    }
    assert_eq!(told(&tools, "by_path", &arguments), r#"{"of":22}"#);
    let held = json!({"held": {"option": {"number": 1}, "range": {"end": 2}}});
    assert_eq!(told(&tools, "as_fields", &held), "3");
}
