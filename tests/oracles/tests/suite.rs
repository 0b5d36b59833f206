//! The official test suite of JSON Schema, in the folder that `TOOLWRIGHT_SUITE` names.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolwright::{
    Context, DynTool, ToolCall, ToolError, Toolset, args::Repairs, schema::SchemaDoc,
};

/// Groups, by draft and file, in which values are admitted that the schema refuses: where a dynamic reference leads is not
/// followed.
const KNOWN: [&str; 6] = [
    "draft2019-09/recursiveRef: ",
    "draft2019-09/unevaluatedItems: unevaluatedItems with $recursiveRef",
    "draft2019-09/unevaluatedProperties: unevaluatedProperties with $recursiveRef",
    "draft2020-12/dynamicRef: ",
    "draft2020-12/unevaluatedItems: unevaluatedItems with $dynamicRef",
    "draft2020-12/unevaluatedProperties: unevaluatedProperties with $dynamicRef",
];

/// A tool with one argument that is of the schema, if it can be made.
fn toolset(schema: &Value, draft: &str) -> Option<Toolset> {
    let mut schema = schema.clone();
    let defs = if draft.contains("2020") || draft.contains("2019") {
        "$defs"
    } else {
        "definitions"
    };
    let id = match &mut schema {
        Value::Object(keywords) => {
            keywords.remove("$schema");
            let id = keywords
                .entry("$id")
                .or_insert_with(|| json!("urn:toolwright:case"));
            id.as_str()?.to_owned()
        }
        _ => "urn:toolwright:none".to_owned(),
    };
    let property = if schema.is_object() {
        json!({ "$ref": id })
    } else {
        schema.clone()
    };
    let whole = json!({
        "$schema": draft,
        "type": "object",
        "properties": {"v": property},
        defs: {"case": schema},
    });
    let tool = DynTool::builder()
        .name("t")
        .description("Does.")
        .handler_sync(|_: Box<RawValue>, _| Ok::<_, ToolError>("done"))
        .parameters(SchemaDoc::parse(&whole.to_string()).ok()?)
        // The suite has defaults that their schemas refuse.
        .fill_defaults(false)
        .build();
    Some(Toolset::new([tool.ok()?]).unwrap())
}

#[test]
fn the_suite_of_json_schema_holds() {
    let suite = std::env::var("TOOLWRIGHT_SUITE").expect("`TOOLWRIGHT_SUITE` names no folder");
    let cx = Context::new().with_repairs(Repairs::None);
    let mut differences = BTreeSet::new();
    let (mut tests, mut unfit) = (0, BTreeSet::new());
    for (folder, draft) in [
        (
            "draft2020-12",
            "https://json-schema.org/draft/2020-12/schema",
        ),
        (
            "draft2019-09",
            "https://json-schema.org/draft/2019-09/schema",
        ),
        ("draft7", "http://json-schema.org/draft-07/schema#"),
    ] {
        let mut files: Vec<_> = fs::read_dir(Path::new(&suite).join(folder))
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        files.sort();
        for file in files.iter().filter(|file| file.is_file()) {
            let name = file.file_stem().unwrap().to_str().unwrap();
            // Nothing is ever fetched; formats are checked here, and only notes there.
            if ["refRemote", "format", "vocabulary"].contains(&name) {
                continue;
            }
            let groups: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
            for group in groups.as_array().unwrap() {
                let place = format!(
                    "{folder}/{name}: {}",
                    group["description"].as_str().unwrap()
                );
                let Some(tools) = toolset(&group["schema"], draft) else {
                    unfit.insert(place);
                    continue;
                };
                for test in group["tests"].as_array().unwrap() {
                    tests += 1;
                    let arguments = json!({ "v": test["data"] }).to_string();
                    let result = tools.call_blocking(&ToolCall::new("1", "t", arguments), &cx);
                    let is_admitted = result.errors().next().is_none();
                    if is_admitted != test["valid"].as_bool().unwrap() {
                        let refused = if is_admitted { "" } else { "refused: " };
                        differences.insert(format!(
                            "{refused}{place}: {}",
                            test["description"].as_str().unwrap()
                        ));
                    }
                }
            }
        }
    }
    println!(
        "{tests} tests, {} schemas that no tool is made with",
        unfit.len()
    );
    for place in &unfit {
        println!("  {place}");
    }
    let is_known = |one: &&String| KNOWN.iter().any(|place| one.starts_with(place));
    let (known, new): (Vec<&String>, Vec<&String>) = differences.iter().partition(is_known);
    let needed = |place: &str| known.iter().any(|one| one.starts_with(place));
    let unneeded: Vec<_> = KNOWN.iter().filter(|place| !needed(place)).collect();
    assert!(
        new.is_empty(),
        "{}",
        new.iter()
            .map(|one| one.as_str())
            .collect::<Vec<_>>()
            .join("\n")
    );
    assert!(unneeded.is_empty(), "not needed: {unneeded:?}");
    // No tool is made with a schema that holds control characters in a key or a value.
    assert!(tests >= 2_845, "{tests}");
}
