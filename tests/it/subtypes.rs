//! Bases of `OpenAPI`: a discriminator without a union stands for the types that are made of the base.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::Value;
use toolwright::dialect::{Lowered, lower};
use toolwright::{Context, Dialect, DynTool, ToolCall, ToolError, Toolset, schema::SchemaDoc};

use crate::json::Json;

fn lowered(schema: &str, dialect: Dialect) -> Lowered {
    lower(&SchemaDoc::parse(schema).unwrap(), dialect).unwrap()
}

/// The schema of a tool with an argument `v`, a pet, and what `Pet` says beside its keys.
fn pets(pet: &str, others: &str) -> String {
    format!(
        r##"{{"type":"object","properties":{{"v":{{"$ref":"#/$defs/Pet"}}}},"required":["v"],"$defs":{{
            "Pet":{{"type":"object","properties":{{"name":{{"type":"string"}},"kind":{{"type":"string"}}}},"required":["kind"]{pet}}},
            "Cat":{{"allOf":[{{"$ref":"#/$defs/Pet"}},{{"properties":{{"lives":{{"type":"integer"}}}},"required":["lives"]}}]}},
            "Dog":{{"allOf":[{{"$ref":"#/$defs/Pet"}},{{"properties":{{"friend":{{"$ref":"#/$defs/Pet"}}}}}}]}}{others}}}}}"##
    )
}

/// The members of the union that `v` is, each as its first key, the value of that and the other keys.
fn members(schema: &str, dialect: Dialect) -> Vec<(String, String, Vec<String>)> {
    let schema = Json::read(&lowered(schema, dialect).schema.unwrap());
    let mut v = schema.get("properties").unwrap().get("v").unwrap();
    while v.get("$ref").is_some() {
        let name = v.text("$ref").strip_prefix("#/$defs/").unwrap();
        v = schema.get("$defs").unwrap().get(name).unwrap();
    }
    let members = v.get("anyOf").map(Json::items).unwrap_or_default();
    let members = members.iter().map(|member| {
        let mut keys = member.get("properties").unwrap().entries().iter();
        let (tag, values) = keys.next().unwrap();
        let value = values.get("enum").unwrap().to_string();
        (
            tag.clone(),
            value,
            keys.map(|(key, _)| key.clone()).collect(),
        )
    });
    members.collect()
}

#[test]
fn a_base_with_a_discriminator_is_the_union_of_its_subtypes() {
    let member = |value: &str, keys: &[&str]| {
        let keys = keys.iter().map(|key| (*key).to_owned()).collect();
        ("kind".to_owned(), format!("[\"{value}\"]"), keys)
    };
    let plain = r#","discriminator":{"propertyName":"kind"}"#;
    let mapped = r##","discriminator":{"propertyName":"kind","mapping":{"a cat":"#/components/schemas/Cat","pet":"Pet"}}"##;
    for dialect in [
        Dialect::OpenAiStrict,
        Dialect::GeminiJson,
        Dialect::Anthropic,
        Dialect::Mcp20260728,
    ] {
        assert_eq!(
            members(&pets(plain, ""), dialect),
            [
                member("Cat", &["name", "lives"]),
                member("Dog", &["name", "friend"])
            ],
            "{dialect}"
        );
        assert_eq!(
            members(&pets(mapped, ""), dialect),
            [
                member("pet", &["name"]),
                member("a cat", &["name", "lives"]),
                member("Dog", &["name", "friend"]),
            ],
            "{dialect}"
        );
    }
    // A subtype's own constant, and a subtype of a subtype.
    let others =
        r##","Lynx":{"allOf":[{"$ref":"#/$defs/Cat"},{"properties":{"kind":{"const":"LYNX"}}}]}"##;
    let found = members(&pets(plain, others), Dialect::Anthropic);
    assert_eq!(found[2], member("LYNX", &["name", "lives"]));
    // Nothing tells the subtypes apart, or nothing may be added.
    for pet in [
        "",
        r#","discriminator":{"propertyName":"kind"},"additionalProperties":false"#,
        r#","discriminator":{"mapping":{}}"#,
    ] {
        assert!(
            members(&pets(pet, ""), Dialect::Anthropic).is_empty(),
            "{pet}"
        );
    }
    let closed_tag = pets(plain, "").replacen(
        r#""kind":{"type":"string"}"#,
        r#""kind":{"type":"string","enum":["CAT","DOG"]}"#,
        1,
    );
    assert!(members(&closed_tag, Dialect::Anthropic).is_empty());
}

#[test]
fn calls_of_subtypes_come_back() {
    let schema = pets(r#","discriminator":{"propertyName":"kind"}"#, "");
    let sent = lowered(&schema, Dialect::OpenAiStrict);
    let call = r#"{"v":{"kind":"Dog","name":null,"friend":{"kind":"Cat","name":"Tom","lives":9}}}"#;
    let own = sent.inverse.restore(call).unwrap();
    assert_eq!(
        own,
        r#"{"v":{"kind":"Dog","friend":{"kind":"Cat","name":"Tom","lives":9}}}"#
    );
    let tool = DynTool::builder()
        .name("pet")
        .description("Takes a pet.")
        .parameters(SchemaDoc::parse(&schema).unwrap())
        .handler_sync(|arguments: Value, _| Ok::<_, ToolError>(arguments))
        .build();
    let tools = Toolset::new([tool.unwrap()]).unwrap();
    let result = tools.call_blocking(&ToolCall::new("1", "pet", &*own), &Context::new());
    assert!(result.is_success(), "{result:?}");
}

/// A base of hundreds of types steers no model, and takes no tool away.
#[test]
fn a_base_of_many_subtypes_stays_what_it_is() {
    let others: Vec<_> = (0..200)
        .map(|n| format!(r##","P{n}":{{"allOf":[{{"$ref":"#/$defs/Pet"}}]}}"##))
        .collect();
    let others = others.concat();
    let schema = pets(r#","discriminator":{"propertyName":"kind"}"#, &others);
    assert!(members(&schema, Dialect::OpenAiStrict).is_empty());
}
