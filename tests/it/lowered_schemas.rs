//! Calls in the forms of providers' strict modes, of arguments that only their schema tells of: types
//! that schemars alone knows, and tools whose schema arrives at run time.
#![allow(clippy::unwrap_used, clippy::needless_pass_by_value)]

use std::sync::Arc;

use serde_json::Value;
use toolwright::{
    Context, Dialect, DynTool, Encoder, Tool, ToolCall, Toolset, Wire, schema::SchemaDoc,
};

/// The call of a model that wrote these arguments.
fn call(tools: &Toolset, arguments: &str) -> ToolCall {
    let name = tools.definitions().next().unwrap().name.to_string();
    ToolCall::new("c1", name, arguments)
}

fn answer(tools: &Toolset, call: &ToolCall) -> Result<String, String> {
    let cx = Context::new().with_repairs(toolwright::args::Repairs::None);
    let result = tools.call_blocking(call, &cx);
    match &result.outcome {
        Ok(_) => Ok(result.content(Encoder::json()).into_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn rows(tools: &Toolset, rows: &[(&str, Result<&str, &str>)]) {
    // It has no word for lengths, so short arrays are objects.
    let sent = Wire::OpenAiChat.definitions_in(tools, Dialect::AzureStrict);
    let sent = sent.unwrap();
    assert!(sent.non_strict().is_empty());
    for (arguments, expected) in rows {
        let mut call = call(tools, arguments);
        sent.restore(&mut call);
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(answer(tools, &call), expected, "{arguments}");
    }
}

const SCHEMA: &str = r##"{"type": "object", "properties": {
    "labels": {"type": "object", "additionalProperties": {"type": "integer", "maximum": 9}},
    "pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2},
    "three": {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3},
    "limit": {"type": "integer"},
    "maybe": {"type": ["integer", "null"]},
    "shape": {"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "a"}, "of": {"type": "object", "additionalProperties": {"type": "string"}}}, "required": ["kind", "of"]},
        {"type": "object", "properties": {"kind": {"const": "b"}, "size": {"type": "integer"}}, "required": ["kind"]}
    ]},
    "tree": {"$ref": "#/$defs/Tree"}
}, "$defs": {"Tree": {"type": "object", "properties": {
    "tags": {"type": "object", "additionalProperties": {"type": "string"}},
    "next": {"$ref": "#/$defs/Tree"}
}}}}"##;

/// A tool that hands back what it was given.
fn echo() -> Arc<dyn Tool> {
    DynTool::builder()
        .name("echo")
        .description("Hands back what it is given.")
        .parameters(SchemaDoc::parse(SCHEMA).unwrap())
        .handler_sync(|given: Value, _| Ok::<_, String>(given))
        .build()
        .unwrap()
}

#[test]
fn a_tool_whose_schema_arrives_at_run_time_gets_its_schemas_form() {
    let tools = Toolset::new([echo()]).unwrap();
    rows(
        &tools,
        &[
            // What may be missing and cannot be `null` is gone; what can be `null` stays.
            (
                r#"{"labels": null, "pair": null, "three": null, "limit": null, "maybe": null, "shape": null, "tree": null}"#,
                Ok(r#"{"maybe":null}"#),
            ),
            (
                r#"{"labels": [{"key": "a", "value": 1}, {"value": 2, "key": "b"}]}"#,
                Ok(r#"{"labels":{"a":1,"b":2}}"#),
            ),
            (r#"{"labels": {"a": 1}}"#, Ok(r#"{"labels":{"a":1}}"#)),
            (r#"{"labels": []}"#, Ok(r#"{"labels":{}}"#)),
            (r#"{"limit": 7}"#, Ok(r#"{"limit":7}"#)),
            // Keys in other spellings.
            (
                r#"{"pair": {"_1": "x", "\u005f0": 1}}"#,
                Ok(r#"{"pair":[1,"x"]}"#),
            ),
            (
                r#"{"labels": [{"\u006bey": "a", "v\u0061lue": 1}]}"#,
                Ok(r#"{"labels":{"a":1}}"#),
            ),
            (
                r#"{"pair": {"_1": "x", "_0": 1}, "three": {"_0": 1, "_1": 2, "_2": 3}}"#,
                Ok(r#"{"pair":[1,"x"],"three":[1,2,3]}"#),
            ),
            (
                r#"{"pair": [1, "x"], "three": [1, 2, 3]}"#,
                Ok(r#"{"pair":[1,"x"],"three":[1,2,3]}"#),
            ),
            (
                r#"{"shape": {"kind": "a", "of": [{"key": "k", "value": "v"}]}}"#,
                Ok(r#"{"shape":{"kind":"a","of":{"k":"v"}}}"#),
            ),
            (
                r#"{"shape": {"kind": "b", "size": null}}"#,
                Ok(r#"{"shape":{"kind":"b"}}"#),
            ),
            (
                r#"{"tree": {"tags": [], "next": {"tags": [{"key": "a", "value": "b"}], "next": null}}}"#,
                Ok(r#"{"tree":{"next":{"tags":{"a":"b"}},"tags":{}}}"#),
            ),
            (
                r#"{"labels": [{"key": "a", "value": 1}, {"key": "a", "value": 2}]}"#,
                Err("labels.a: given more than once"),
            ),
        ],
    );
}

#[test]
fn only_where_the_model_was_told_so() {
    let tools = Toolset::new([echo()]).unwrap();
    let sent = r#"{"labels":[{"key":"a","value":1}]}"#;
    let plain = answer(&tools, &call(&tools, sent));
    assert!(plain.unwrap_err().starts_with("labels: expected an object"));
}

/// Faults are told of the schema's form, wherever they stand in what was sent.
#[test]
fn what_is_wrong_is_told_of_the_schemas_form() {
    let tools = Toolset::new([echo()]).unwrap();
    rows(
        &tools,
        &[
            (
                r#"{"labels": [{"key": "a", "value": "one"}, {"key": "b", "value": 10}]}"#,
                Err(
                    "labels.a: expected an integer of at most 9, got \"one\"\nlabels.b: expected an integer of at most 9, got 10",
                ),
            ),
            (
                r#"{"pair": {"_0": "x", "_1": "y"}}"#,
                Err(r#"pair[0]: expected an integer, got "x""#),
            ),
            (
                r#"{"labels": [{"key": "a"}]}"#,
                Err(r#"labels: expected an object, such as {"key":1}, got [{"key": "a"}]"#),
            ),
        ],
    );
}

#[cfg(feature = "schemars")]
mod schemars_alone {
    use std::collections::{BTreeMap, HashMap};

    use serde::{Deserialize, Serialize};
    use serde_json::json;
    use toolwright::{tool, tools};

    use super::{answer, call, rows};

    #[derive(Serialize, Deserialize, schemars::JsonSchema)]
    struct Part {
        name: String,
        #[serde(default)]
        count: u8,
        note: Option<String>,
        #[serde(default)]
        sizes: BTreeMap<String, (u8, f64)>,
    }

    #[derive(Serialize, Deserialize, schemars::JsonSchema)]
    #[serde(tag = "kind", rename_all = "snake_case")]
    enum Target {
        Map {
            of: BTreeMap<String, Vec<(u8, String)>>,
        },
        Point {
            at: [i32; 2],
            #[serde(default)]
            weight: f32,
        },
        Next {
            next: Box<Target>,
        },
    }

    /// Takes what strict modes cannot say.
    #[tool]
    fn many(
        labels: HashMap<String, u32>,
        part: Option<Part>,
        parts: Vec<Part>,
        target: Option<Target>,
    ) -> serde_json::Value {
        let labels: BTreeMap<_, _> = labels.into_iter().collect();
        json!([labels, part, parts, target])
    }

    #[test]
    fn a_type_that_schemars_alone_knows_is_read_in_its_own_form() {
        rows(
            &tools![many],
            &[
                (
                    r#"{"labels": [], "parts": [], "part": null, "target": null}"#,
                    Ok("[{},null,[],null]"),
                ),
                (
                    r#"{"labels": {}, "parts": [{"name": "a", "count": null, "note": null, "sizes": null}], "part": {"name": "b"}}"#,
                    Ok(
                        r#"[{},{"count":0,"name":"b","note":null,"sizes":{}},[{"count":0,"name":"a","note":null,"sizes":{}}],null]"#,
                    ),
                ),
                (
                    r#"{"labels": {}, "parts": [], "part": {"name": "b", "sizes": [{"key": "s", "value": {"_0": 1, "_1": 2}}]}}"#,
                    Ok(r#"[{},{"count":0,"name":"b","note":null,"sizes":{"s":[1,2.0]}},[],null]"#),
                ),
                (
                    r#"{"labels": {}, "parts": [], "target": {"kind": "map", "of": [{"key": "1", "value": [{"_0": 2.0, "_1": "a"}]}]}}"#,
                    Ok(r#"[{},null,[],{"kind":"map","of":{"1":[[2,"a"]]}}]"#),
                ),
                (
                    r#"{"labels": {}, "parts": [], "target": {"kind": "next", "next": {"kind": "point", "at": {"_0": 1, "_1": 2}, "weight": null}}}"#,
                    Ok(
                        r#"[{},null,[],{"kind":"next","next":{"at":[1,2],"kind":"point","weight":0.0}}]"#,
                    ),
                ),
            ],
        );
    }

    #[test]
    fn what_is_wrong_is_told_of_the_types_form() {
        rows(
            &tools![many],
            &[
                (
                    r#"{"labels": {}, "parts": [], "part": {"name": "b", "sizes": [{"key": "s", "value": {"_0": 300, "_1": 2}}]}}"#,
                    Err("part.sizes.s[0]: expected an integer from 0 to 255, got 300"),
                ),
                (
                    r#"{"labels": {}, "parts": [], "part": {"name": "b", "sizes": [{"key": "s", "value": {"_0": 1, "_1": 2}}, {"key": "s", "value": {"_0": 1, "_1": 2}}]}}"#,
                    Err("part.sizes.s: given more than once"),
                ),
                (
                    r#"{"labels": {}, "parts": [{"name": "a", "count": null}, {"name": "b", "sizes": [{"key": "s"}]}]}"#,
                    Err(
                        r#"parts[1].sizes: expected an object, such as {"key":[1,1]}, got [{"key":"s"}]"#,
                    ),
                ),
            ],
        );
    }

    #[test]
    fn only_where_the_model_was_told_so() {
        let sent = r#"{"labels": {}, "parts": [], "part": {"name": "b", "count": null}}"#;
        let tools = tools![many];
        assert!(answer(&tools, &call(&tools, sent)).is_err());
    }
}
