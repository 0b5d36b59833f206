//! A recursive type's tree and the targets of its cut edges, walked by the compiler.
#![allow(clippy::needless_pass_by_value)] // A tool takes what it is given.

use serde::{Deserialize, Serialize};
use toolwright::{
    Context, Schema, ToolCall,
    schema::{Kind, Refs, SchemaDoc, Shape},
    tool, tools,
};

#[derive(Serialize, Deserialize, Schema)]
struct Folder {
    name: String,
    files: Vec<File>,
}

#[derive(Serialize, Deserialize, Schema)]
struct File {
    size: u64,
    #[schema(recursive)]
    link_to: Option<Box<Folder>>,
}

#[derive(Serialize, Deserialize, Schema)]
struct Tree {
    value: i64,
    children: Vec<Tree>,
}

#[derive(Debug, Deserialize, Schema)]
#[allow(dead_code)] // Shown by `Debug`.
struct Step {
    note: Option<String>,
    next: Option<Link>,
}

/// Between the `Option` and the edge back to an enum that serde buffers.
#[derive(Debug, Deserialize, Schema)]
#[allow(dead_code)] // Shown by `Debug`.
struct Link(#[schema(recursive)] Box<Route>);

#[derive(Debug, Deserialize, Schema)]
#[serde(untagged)]
#[allow(dead_code)] // Shown by `Debug`.
enum Route {
    Step {
        n: u8,
        #[schema(recursive)]
        step: Option<Box<Step>>,
    },
    End {
        end: u8,
    },
}

/// Follows a route
#[tool]
fn follow(
    /// Where it starts
    start: Step,
) -> String {
    format!("{start:?}")
}

/// How many cut edges a tree has.
const fn cuts(shape: &Shape<'_>) -> usize {
    match shape.kind {
        Kind::Recursive(_) => 1,
        Kind::Nullable(inner) | Kind::Bounded(inner, _) => cuts(inner),
        Kind::Array(array) => cuts(array.items),
        Kind::Object(object) => {
            let mut count = 0;
            let mut fields = object.fields;
            while let [field, rest @ ..] = fields {
                count += cuts(field.shape);
                fields = rest;
            }
            count
        }
        _ => 0,
    }
}

/// How many of the targets that a type knows are the type of this name.
const fn targets(refs: &Refs, name: &str) -> usize {
    let mut count = 0;
    let mut own = refs.targets;
    while let [target, rest @ ..] = own {
        // Names of one length are enough to tell these apart.
        if target.id.name.len() == name.len() {
            count += 1;
        }
        own = rest;
    }
    let mut inner = refs.of;
    while let [refs, rest @ ..] = inner {
        count += targets(refs, name);
        inner = rest;
    }
    count
}

const TREE: usize = cuts(Tree::SHAPE);
const FOLDER: usize = cuts(Folder::SHAPE);
const FILE: usize = cuts(File::SHAPE);
const FROM_FILE: usize = targets(File::REFS, "Folder");

#[test]
fn a_constant_walks_the_tree_and_what_it_leads_back_to() {
    assert_eq!((TREE, FOLDER, FILE), (1, 1, 1));
    // A file leads to a folder that its own tree does not hold.
    assert_eq!(FROM_FILE, 1);
}

#[test]
fn recursive_types_stand_in_definitions_and_others_inline() {
    let value = SchemaDoc::of::<File>().to_value();
    let defs = value.get("$defs").and_then(|defs| defs.as_object());
    let names: Vec<_> = defs.into_iter().flat_map(|defs| defs.keys()).collect();
    assert_eq!(names, ["Folder"]);
}

#[test]
fn an_edge_back_to_what_serde_buffers_is_followed_through_a_newtype() {
    let tools = tools![follow];
    for (next, read) in [
        (r#"{"n":1.0}"#, "Step { n: 1, step: None }"),
        (r#"{"step":null,"n":1}"#, "Step { n: 1, step: None }"),
        (
            r#"{"n":1,"step":{"note":"b"}}"#,
            r#"Step { n: 1, step: Some(Step { note: Some("b"), next: None }) }"#,
        ),
        (r#"{"end":1}"#, "End { end: 1 }"),
    ] {
        let text = format!(r#"{{"start":{{"next":{next}}}}}"#);
        let call = ToolCall::new("1", "follow", text);
        let result = tools.call_blocking(&call, &Context::new());
        let wanted = format!("Step {{ note: None, next: Some(Link({read})) }}");
        assert_eq!(result.value(), Some(wanted.into()), "{next}");
    }
    let text = r#"{"start":{"next":{"n":1,"x":2}}}"#;
    let call = ToolCall::new("1", "follow", text);
    let result = tools.call_blocking(&call, &Context::new());
    assert!(result.value().is_none());
}

/// A span of trees
#[derive(serde::Deserialize, Schema)]
struct Span {
    #[schema(recursive)]
    upper: std::ops::Bound<Box<Span>>,
    #[schema(recursive)]
    rest: Option<std::ops::RangeFrom<Box<Span>>>,
}

#[test]
fn an_edge_back_inside_of_a_type_of_std_leads_to_the_type() {
    let schema = SchemaDoc::of::<Span>();
    let text = schema.as_json();
    // Three at the root, and three in the definition.
    assert_eq!(
        text.matches(r##""$ref":"#/$defs/Span""##).count(),
        6,
        "{text}"
    );
    assert!(!text.contains(r##""#/$defs/""##), "{text}");
    let span = serde_json::from_str::<Span>(r#"{"upper": "Unbounded"}"#);
    assert!(
        matches!(span, Ok(span) if matches!(span.upper, std::ops::Bound::Unbounded) && span.rest.is_none())
    );
}
