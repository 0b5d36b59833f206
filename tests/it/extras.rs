//! Extras of a tool: keys of a definition that one wire gets and this library does not write.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolwright::wire::ExtrasError;
use toolwright::{
    Context, Dialect, DynTool, Tool, ToolCall, ToolDef, Toolset, Wire, tool, tool_of, tools,
};

/// Adds two numbers.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Says something.
#[tool]
fn say(text: &str) -> String {
    text.to_owned()
}

/// Answers.
#[tool]
fn ping() -> &'static str {
    "pong"
}

fn cached() -> Value {
    json!({"cache_control": {"type": "ephemeral"}})
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The definition at its own level, where its extras stand.
fn level(wire: Wire, tools: &Toolset) -> Value {
    let first = json(&wire.definitions(tools))[0].clone();
    match wire {
        Wire::Gemini => first["functionDeclarations"][0].clone(),
        Wire::BedrockConverse => first["toolSpec"].clone(),
        _ => first,
    }
}

fn one(tool: Arc<dyn Tool>) -> Toolset {
    Toolset::new([tool]).unwrap()
}

#[test]
fn extras_reach_their_wire_and_no_other() {
    for wire in Wire::ALL {
        let plain = tools![add, say];
        let tool = tool_of!(add).with_extras(wire, cached()).unwrap();
        let tools = plain.with(tool);
        // Behind all that was there before.
        let (mut with, without) = (level(wire, &tools), level(wire, &plain));
        let added = with.as_object_mut().unwrap().remove("cache_control");
        assert_eq!(added, Some(json!({"type": "ephemeral"})), "{wire:?}");
        assert_eq!(with, without, "{wire:?}");
        for other in Wire::ALL.into_iter().filter(|other| *other != wire) {
            assert_eq!(other.definitions(&tools), other.definitions(&plain));
        }
        // A single definition has them too, and is read as before.
        let def = tools.definitions().next().unwrap();
        let text = wire.definition(def);
        assert!(text.contains(r#""cache_control":{"type":"ephemeral"}"#));
        assert_eq!(wire.parse_definition(&text).unwrap().name, "add");
    }
}

#[test]
fn a_tool_without_arguments_has_extras_too() {
    for wire in [Wire::Gemini, Wire::OpenAiChat] {
        let tool = tool_of!(ping).with_extras(wire, json!({"behavior": "BLOCKING"}));
        assert_eq!(level(wire, &one(tool.unwrap()))["behavior"], "BLOCKING");
    }
}

#[test]
fn every_dialect_of_the_wire_gets_them_under_any_name() {
    let tool = DynTool::declare(ToolDef::new("add.two", "Adds two."));
    let tools = one(tool.with_extras(Wire::Anthropic, cached()).unwrap());
    for dialect in [Dialect::Anthropic, Dialect::AnthropicStrict] {
        let sent = Wire::Anthropic.definitions_in(&tools, dialect).unwrap();
        let sent = json(&sent.text());
        // The provider takes no dot.
        assert_eq!(sent[0]["name"], "add_two");
        assert_eq!(sent[0]["cache_control"], json!({"type": "ephemeral"}));
        let is_strict = dialect == Dialect::AnthropicStrict;
        assert_eq!(sent[0].get("strict").is_some(), is_strict);
    }
}

#[test]
fn a_key_of_ours_is_a_typed_error_on_each_wire() {
    // Each key that a wire writes at the level of its extras, in any dialect.
    let mut tested = 0;
    for wire in Wire::ALL {
        let mut def = tool_of!(add).def().clone();
        def.title = Some("Sum".into());
        def.options.annotations.read_only = Some(true);
        def.meta = Map::from_iter([
            ("icons".to_owned(), json!([])),
            ("a/b".to_owned(), json!(1)),
        ])
        .into();
        let tools = tools![add].attach([def]).unwrap();
        let mut levels = vec![level(wire, &tools)];
        for dialect in Dialect::ALL {
            if let Ok(sent) = wire.definitions_in(&tools, dialect) {
                let sent = json(&sent.text())[0].clone();
                levels.push(match wire {
                    Wire::Gemini => sent["functionDeclarations"][0].clone(),
                    Wire::BedrockConverse => sent["toolSpec"].clone(),
                    _ => sent,
                });
            }
        }
        for key in levels
            .iter()
            .flat_map(|level| level.as_object().unwrap().keys())
        {
            let extras = json!({key: 1, "free": 2});
            let error = tool_of!(add).with_extras(wire, extras).err();
            let keys = vec![key.clone()];
            assert_eq!(error, Some(ExtrasError::OwnKeys { wire, keys }));
            tested += 1;
        }
    }
    assert!(tested > 100, "{tested}");
}

#[test]
fn errors_say_what_to_mend() {
    let error = |extras: Value| tool_of!(add).with_extras(Wire::Anthropic, extras).err();
    let own = error(json!({"strict": true, "input_schema": {}, "cache_control": null})).unwrap();
    assert_eq!(
        own.to_string(),
        "the extras for Anthropic name keys that its definitions have already: `input_schema`, `strict`"
    );
    for none in [json!(null), json!([1]), json!("{}")] {
        let wire = Wire::Anthropic;
        assert_eq!(error(none), Some(ExtrasError::NotAnObject { wire }));
    }
    assert_eq!(
        error(json!(1)).unwrap().to_string(),
        "the extras for Anthropic are not JSON objects"
    );
}

#[test]
fn extras_add_up_and_the_later_value_of_a_key_holds() {
    let tool = tool_of!(add)
        .with_extras(Wire::Anthropic, json!({"a": 1, "b": 1}))
        .and_then(|tool| tool.with_extras(Wire::OpenAiResponses, json!({"defer_loading": true})))
        .and_then(|tool| tool.with_extras(Wire::Anthropic, json!({"b": 2, "c": 3})))
        .and_then(|tool| tool.with_extras(Wire::Gemini, json!({})))
        .unwrap();
    let tools = one(tool);
    assert!(
        Wire::Anthropic
            .definitions(&tools)
            .ends_with(r#","a":1,"b":2,"c":3}]"#)
    );
    assert_eq!(level(Wire::OpenAiResponses, &tools)["defer_loading"], true);
    assert_eq!(
        Wire::Gemini.definitions(&tools),
        Wire::Gemini.definitions(&tools![add])
    );
}

#[test]
fn the_tool_stays_what_it_is() {
    let plain = tool_of!(add);
    let tool = Arc::clone(&plain)
        .with_extras(Wire::Anthropic, cached())
        .unwrap();
    // Extras are not counted.
    assert_eq!(tool.def().token_bound(), plain.def().token_bound());
    let call = ToolCall::new("1", "add", r#"{"a": 2, "b": 3}"#);
    let result = one(Arc::clone(&tool)).call_blocking(&call, &Context::new());
    assert_eq!(result.value(), Some(json!(5)));
    assert!(result.attributes.is_empty());
    // Whatever wraps the tool keeps them.
    let tools = one(tool);
    for kept in [
        tools.prefix("my_").unwrap(),
        tools.rename("add", "sum").unwrap(),
        tools.compact().unwrap(),
        one(tools.get("add").unwrap().clone().return_direct()),
        one(tools.get("add").unwrap().clone().handle_errors()),
    ] {
        let sent = Wire::Anthropic.definitions(&kept);
        assert!(sent.contains("cache_control"), "{sent}");
    }
}

#[test]
fn a_stored_definition_keeps_them_and_never_overrides_ours() {
    let tool = tool_of!(add)
        .with_extras(Wire::Anthropic, cached())
        .unwrap();
    let sent = Wire::Anthropic
        .definitions(&one(Arc::clone(&tool)))
        .into_string();
    let stored = serde_json::to_string(tool.def()).unwrap();
    let def: ToolDef = serde_json::from_str(&stored).unwrap();
    assert_eq!(&def, tool.def());
    let again = tools![add].attach([def]).unwrap();
    assert_eq!(*Wire::Anthropic.definitions(&again), *sent);
    // One without extras is stored as ever.
    assert!(
        !serde_json::to_string(tool_of!(add).def())
            .unwrap()
            .contains("extras")
    );

    let edited = stored.replace(r#""cache_control":"#, r#""name":"mine","cache_control":"#);
    assert_ne!(edited, stored);
    let edited = tools![add].attach([serde_json::from_str(&edited).unwrap()]);
    assert_eq!(*Wire::Anthropic.definitions(&edited.unwrap()), *sent);
}

#[test]
fn characters_that_nobody_sees_are_refused_in_them() {
    let hidden = json!({"input_examples": [{"a\u{200b}": "\u{2060}"}]});
    let tool = tool_of!(add).with_extras(Wire::Anthropic, hidden).unwrap();
    let stored = tool.def().clone();
    let tools = one(tool);
    let refused = Wire::Anthropic.definitions_in(&tools, Dialect::Anthropic);
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.starts_with(r"add: the key `a\u{200b}`"),
        "{refused}"
    );
    let refused = tools![add].attach([stored]).unwrap_err();
    assert_eq!(refused.hidden(), ["add"]);
}
