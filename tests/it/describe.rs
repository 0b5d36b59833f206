//! From doc comments to what a model reads.
// A test that finds less than it expects has failed; and tools take and return what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::unused_async
)]

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolwright::{Schema, ToolDef, Toolset, tool, tools};

fn def<'t>(tools: &'t Toolset, name: &str) -> &'t ToolDef {
    tools.get(name).unwrap().def()
}

/// One line.
#[tool]
fn one_line() {}

/// Looks up a customer, by
/// any part of the name.
///
/// Use it first:
///
/// - for a name
/// - for a [`String`], see [the docs](https://example.org)
///
/// ```
/// let left_out = 1;
/// ```
///
/// # Panics
/// Never.
#[tool]
fn paragraphs() {}

const ADDS: &str = "Adds";

/// For people.
#[tool(description = ADDS)]
fn constant(
    #[doc = concat!(" The ", "first")] _a: u32,
    #[doc = include_str!("data/describe.md")] b: u32,
) -> u32 {
    b
}

#[doc = " Reads"]
#[doc = " a file:"]
#[doc = include_str!("data/describe.md")]
#[tool]
fn joined(of: Described) -> Described {
    of
}

/// A tool by a constant of a module.
#[tool(description = concat!("Adds ", "up."))]
fn concatenated() {}

#[derive(Deserialize, Serialize, Schema)]
#[schema(description = ADDS)]
struct Described {
    #[doc = concat!("The ", "field")]
    field: u32,
    #[schema(description = ADDS)]
    other: u32,
}

/** A block,

of two paragraphs. */
#[tool]
fn block() {}

#[doc = "An attribute."]
#[tool]
fn attribute() {}

/// For people who read the code.
#[tool(description = "For the model.")]
fn said() {}

#[test]
fn the_doc_comment_is_the_description() {
    let tools = tools![
        one_line,
        paragraphs,
        block,
        attribute,
        said,
        constant,
        joined,
        concatenated
    ];
    for (name, description) in [
        ("one_line", "One line."),
        (
            "paragraphs",
            "Looks up a customer, by any part of the name.\n\nUse it first:\n\n- for a name\n\
             - for a `String`, see [the docs](https://example.org)",
        ),
        ("constant", "Adds"),
        ("joined", "Reads a file:\nWhat the file says."),
        ("concatenated", "Adds up."),
        ("block", "A block,\n\nof two paragraphs."),
        ("attribute", "An attribute."),
        ("said", "For the model."),
    ] {
        assert_eq!(def(&tools, name).description, description, "{name}");
    }
}

#[test]
fn constants_describe_parameters_types_and_fields() {
    let tools = tools![constant, joined];
    let constant = &def(&tools, "constant").input;
    let schema: Value = serde_json::from_str(constant.as_json()).unwrap();
    // `_` before a name is for the compiler alone.
    assert_eq!(schema["properties"]["a"]["description"], "The first");
    assert_eq!(
        schema["properties"]["b"]["description"],
        "What the file says."
    );
    assert_eq!(schema["required"], json!(["a", "b"]));

    let joined: Value = serde_json::from_str(def(&tools, "joined").input.as_json()).unwrap();
    let text = joined.to_string();
    assert!(text.contains(r#""description":"The field""#), "{text}");
    assert_eq!(text.matches(r#""description":"Adds""#).count(), 2, "{text}");
}

/// Where to look
#[derive(Deserialize, Serialize, Schema)]
struct Place {
    /// City name
    city: String,
    country: Option<String>,
}

/// How fast
#[derive(Deserialize, Serialize, Schema, Default)]
#[serde(rename_all = "snake_case")]
enum Speed {
    #[default]
    Normal,
    /// Next day
    VeryFast,
}

/// Finds.
///
/// # Arguments
///
/// * `query` - What to look for,
///   in any language
/// * `limit`: How many
#[tool]
fn find(
    query: String,
    limit: Option<u32>,
    /// Where, in these words
    place: Place,
    other: Option<Place>,
    speed: Speed,
    #[arg(default)] again: Speed,
) -> Place {
    let _ = (query, limit, other, speed, again);
    place
}

fn place(description: &str, nullable: bool) -> Value {
    let ty = if nullable {
        json!(["object", "null"])
    } else {
        json!("object")
    };
    json!({
        "type": ty,
        "description": description,
        "properties": {
            "city": {"type": "string", "description": "City name"},
            "country": {"type": ["string", "null"]},
        },
        "required": ["city"],
        "additionalProperties": false,
    })
}

#[test]
fn parameters_are_described_where_they_stand_in_a_list_or_by_their_type() {
    let tools = tools![find];
    let speed = json!({
        "type": "string",
        "enum": ["normal", "very_fast"],
        "description": "How fast\n- `very_fast`: Next day",
    });
    let mut again = speed.clone();
    again["default"] = json!("normal");
    assert_eq!(
        def(&tools, "find").input.to_value(),
        json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for, in any language"},
                "limit": {"type": ["integer", "null"], "minimum": 0, "maximum": 4_294_967_295_u32, "description": "How many"},
                "place": place("Where, in these words", false),
                "other": place("Where to look", true),
                "speed": speed,
                "again": again,
            },
            "required": ["query", "place", "speed"],
            "additionalProperties": false,
        })
    );
    // The list is not told twice.
    assert_eq!(def(&tools, "find").description, "Finds.");
}

#[test]
fn the_result_is_described_by_its_type() {
    let tools = tools![find];
    let output = def(&tools, "find").output.as_ref().unwrap().to_value();
    assert_eq!(output["description"], json!("Where to look"));
    // On the way out every key is there.
    assert_eq!(output["required"], json!(["city", "country"]));
}

/// Renames.
#[tool(name = "other_name", title = "Other name")]
fn renamed(#[arg(rename = "type")] kind: &str, #[arg(example = "Oslo")] city: &str) -> String {
    format!("{kind} {city}")
}

#[test]
fn names_titles_and_examples_can_be_said() {
    let tools = tools![renamed];
    let def = def(&tools, "other_name");
    assert_eq!(def.title.as_deref(), Some("Other name"));
    assert_eq!(
        def.input.to_value(),
        json!({
            "type": "object",
            "properties": {
                "type": {"type": "string"},
                "city": {"type": "string", "examples": ["Oslo"]},
            },
            "required": ["type", "city"],
            "additionalProperties": false,
        })
    );
}
