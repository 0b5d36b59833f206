//! What a body must not hold.

use toolwright_openapi::OpenApi;

use crate::{body, document, operation, schema, sent, sent_with};

pub(crate) fn with_body(media: &str, required: bool, schema: &str) -> String {
    let entries = format!(
        r#""requestBody": {{"required": {required}, "content": {{"{media}": {{"schema": {schema}}}}}}}"#
    );
    document(&operation("/a", "post", &entries), "")
}

const PARTS: &str = r#""required": ["name"], "properties": {"name": {"type": "string"}, "tenant_id": {"type": "string"},
    "secret_note": {"type": "string"}, "is_admin": {"type": "boolean", "readOnly": true}}"#;

fn hosted(api: OpenApi<'_>) -> OpenApi<'_> {
    api.preset("tenant_id", "acme")
        .hide(|parameter| parameter.name == "secret_note")
}

#[test]
fn presets_and_hidden_names_hold_in_bodies_that_are_not_flat() {
    let bodies = [
        (false, format!("{{{PARTS}}}")),
        (
            true,
            format!(r#"{{{PARTS}, "additionalProperties": true}}"#),
        ),
        (
            true,
            format!(r#"{{{PARTS}, "additionalProperties": {{"type": "string"}}}}"#),
        ),
        (
            true,
            format!(r#"{{{PARTS}, "type": "object", "nullable": true}}"#),
        ),
        (true, format!(r#"{{{PARTS}, "minProperties": 1}}"#)),
        (
            true,
            format!(
                r#"{{"oneOf": [{{{PARTS}}}, {{"type": "object", "properties": {{"other": {{}}}}}}]}}"#
            ),
        ),
        (
            true,
            format!(r#"{{"allOf": [{{"anyOf": [{{{PARTS}}}]}}]}}"#),
        ),
    ];
    let medias = [
        "application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ];
    for ((required, parts), media) in bodies
        .iter()
        .flat_map(|body| medias.map(|media| (body, media)))
    {
        let text = with_body(media, *required, parts);
        let request = sent_with(&text, r#"{"body": {"name": "x"}}"#, hosted).unwrap();
        let sent = body(&request);
        assert!(sent.contains("acme"), "{media} {parts}: {sent}");
        for given in [
            r#"{"name": "x", "tenant_id": "evil"}"#,
            r#"{"name": "x", "tenantId": "evil"}"#,
            r#"{"name": "x", "tenant_id[0]": "evil"}"#,
            r#"{"name": "x", "secret_note": "evil"}"#,
            r#"{"name": "x", "is_admin": true}"#,
            r#"{"name": "x", "Is_Admin": true}"#,
        ] {
            let given = format!(r#"{{"body": {given}}}"#);
            assert!(
                sent_with(&text, &given, hosted).is_err(),
                "{media} {parts}: {given}"
            );
        }
        let tools = hosted(OpenApi::parse(&text).unwrap()).toolset().unwrap();
        let seen = tools.get("run").unwrap().def().input.to_value().to_string();
        assert!(
            !seen.contains("tenant_id") && !seen.contains("secret_note"),
            "{seen}"
        );
    }
    // A preset that no schema lists, and one whose name has brackets.
    for media in medias {
        let open = with_body(media, true, r#"{"type": "object"}"#);
        for (preset, key) in [
            ("tenant", "tenant"),
            ("tenant", "tenant%5B0]"),
            ("a[b]", "a[b]"),
            ("a[b]", "a"),
        ] {
            let given = serde_json::json!({"body": {key: "evil"}}).to_string();
            assert!(
                sent_with(&open, &given, |api| api.preset(preset, "acme")).is_err(),
                "{media} {key}"
            );
            let refusal = sent(&open, &given);
            assert!(refusal.is_ok(), "{media} {key}: {refusal:?}");
        }
    }
    let list = with_body(
        "application/json",
        true,
        &format!(r#"{{"type": "array", "items": {{{PARTS}}}}}"#),
    );
    let request = sent_with(&list, r#"{"body": [{"name": "x"}]}"#, hosted).unwrap();
    assert_eq!(body(&request), r#"[{"name":"x","tenant_id":"acme"}]"#);
    assert!(
        sent_with(
            &list,
            r#"{"body": [{"name": "x", "is_admin": true}]}"#,
            hosted
        )
        .is_err()
    );
}

#[test]
fn read_only_properties_of_inner_objects_are_refused() {
    let text = with_body(
        "application/json",
        true,
        r#"{"type": "object", "properties": {"user": {"type": "object", "properties": {"name": {"type": "string"}, "role": {"type": "string", "readOnly": true}}}}}"#,
    );
    assert!(sent(&text, r#"{"user": {"name": "x"}}"#).is_ok());
    assert!(sent(&text, r#"{"user": {"name": "x", "role": "admin"}}"#).is_err());
    // Another object has a property of the name that can be written.
    let text = with_body(
        "application/json",
        true,
        r#"{"type": "object", "properties": {"user": {"type": "object", "properties": {"id": {"readOnly": true}}}, "team": {"type": "object", "properties": {"id": {"type": "string"}}}}}"#,
    );
    assert!(sent(&text, r#"{"team": {"id": "x"}}"#).is_ok());
}

#[test]
fn read_only_is_seen_through_parts() {
    let schemas = r#""components": {"schemas": {"Key": {"type": "string", "readOnly": true},
        "Base": {"type": "object", "properties": {"id": {"type": "integer", "readOnly": true}}}}}"#;
    let entries = |schema: &str| {
        let entries = format!(
            r#""requestBody": {{"required": true, "content": {{"application/json": {{"schema": {schema}}}}}}}"#
        );
        document(&operation("/a", "post", &entries), schemas)
    };
    let through = entries(
        r##"{"type": "object", "properties": {"name": {}, "key": {"allOf": [{"$ref": "#/components/schemas/Key"}]}}}"##,
    );
    assert!(schema(&through)["properties"].get("key").is_none());
    let twice = entries(
        r##"{"allOf": [{"$ref": "#/components/schemas/Base"}, {"type": "object", "properties": {"name": {}, "id": {"description": "the id"}}}]}"##,
    );
    assert!(schema(&twice)["properties"].get("id").is_none());
    let nested = entries(
        r##"{"type": "object", "properties": {"it": {"allOf": [{"$ref": "#/components/schemas/Base"}, {"type": "object", "required": ["id", "name"], "properties": {"name": {"type": "string"}}}]}}}"##,
    );
    assert!(sent(&nested, r#"{"it": {"name": "x"}}"#).is_ok());
    assert!(sent(&nested, r#"{"it": {"name": "x", "id": 1}}"#).is_err());
}

#[test]
fn keys_of_a_form_set_no_other_property() {
    let entries = r#""requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {
        "schema": {"type": "object", "properties": {"meta": {"type": "object"}, "is_admin": {"type": "string", "readOnly": true}, "name": {"type": "string"}}},
        "encoding": {"meta": {"style": "form", "explode": true}}}}}"#;
    let text = document(&operation("/a", "post", entries), "");
    for key in [
        "is_admin",
        "is_admin[]",
        "Is-Admin",
        "name",
        "%6eame",
        "na\u{0}me",
    ] {
        let given = serde_json::json!({"meta": {key: "true"}}).to_string();
        assert!(sent(&text, &given).is_err(), "{key}");
    }
    assert_eq!(
        body(&sent(&text, r#"{"meta": {"a": "b"}}"#).unwrap()),
        "a=b"
    );
    let declared = document(
        &operation(
            "/a",
            "get",
            r#""parameters": [{"name": "all", "in": "query", "schema": {"type": "object"}}, {"name": "where[team]", "in": "query", "schema": {}}]"#,
        ),
        "",
    );
    for key in ["where[team]", "where[team][]", "where", "where[x]"] {
        let given = serde_json::json!({"all": {key: "evil"}}).to_string();
        assert!(sent(&declared, &given).is_err(), "{key:?}");
    }
    let query = document(
        &operation(
            "/a",
            "get",
            r#""parameters": [{"name": "filter", "in": "query", "schema": {"type": "object"}}]"#,
        ),
        "",
    );
    for key in [
        "tenant[0]",
        "tenant[a][b]",
        "tenant\n",
        "te\u{0}nant",
        "Tenant[]",
    ] {
        let given = serde_json::json!({"filter": {key: "evil"}}).to_string();
        assert!(
            sent_with(&query, &given, |api| api.preset("tenant", "acme")).is_err(),
            "{key:?}"
        );
    }
}

/// A subtype takes the properties of its base as they are, and nothing of the other subtypes.
#[test]
fn read_only_properties_of_another_subtype_do_not_count() {
    let schemas = r##""components": {"schemas": {"Pet": {"type": "object", "discriminator": {"propertyName": "kind"}, "properties": {"kind": {"type": "string"}, "owner": {"type": "string", "readOnly": true}}},
        "Dog": {"allOf": [{"$ref": "#/components/schemas/Pet"}], "type": "object", "additionalProperties": true, "properties": {"id": {"type": "string"}}},
        "Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}], "type": "object", "properties": {"id": {"type": "string", "readOnly": true}}}}}"##;
    let entries = r##""requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Dog"}}}}"##;
    let text = document(&operation("/a", "post", entries), schemas);
    assert!(sent(&text, r#"{"body": {"kind": "Dog", "id": "x"}}"#).is_ok());
    assert!(sent(&text, r#"{"body": {"kind": "Dog", "owner": "x"}}"#).is_err());
    let text = text.replace("schemas/Dog\"}}}}", "schemas/Pet\"}}}}");
    assert!(sent(&text, r#"{"body": {"kind": "Dog", "id": "x"}}"#).is_err());
    assert!(sent(&text, r#"{"body": {"kind": "Dog"}}"#).is_ok());
}
