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

/// A body that is left out has no keys to check, and would have no presets either.
#[test]
fn a_preset_is_sent_if_the_body_is_left_out() {
    let schema_text = r#"{"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "tenant_id": {"type": "string"}}}"#;
    for (media, expected) in [
        ("application/json", r#"{"tenant_id":"acme"}"#),
        ("application/x-www-form-urlencoded", "tenant_id=acme"),
    ] {
        let text = with_body(media, false, schema_text);
        for given in ["{}", r#"{"body": null}"#] {
            let Ok(request) = sent_with(&text, given, |api| api.preset("tenant_id", "acme")) else {
                // The schema does not admit `null`.
                assert_ne!(given, "{}");
                continue;
            };
            assert_eq!(body(&request), expected, "{media} {given}");
        }
        assert_eq!(sent(&text, "{}").unwrap().body, None);
    }
    let nullable = with_body(
        "application/json",
        true,
        &schema_text.replace(
            r#"{"type": "object""#,
            r#"{"nullable": true, "type": "object""#,
        ),
    );
    let request = sent_with(&nullable, r#"{"body": null}"#, |api| {
        api.preset("tenant_id", "acme")
    });
    assert_eq!(body(&request.unwrap()), r#"{"tenant_id":"acme"}"#);
}

const USERS: &str = r#""components": {"schemas": {"User": {"type": "object", "properties": {"name": {"type": "string"}, "role": {"type": "string", "readOnly": true}}}}}"#;

fn with_users(schema: &str) -> String {
    let entries = format!(
        r#""requestBody": {{"required": true, "content": {{"application/json": {{"schema": {schema}}}}}}}"#
    );
    document(&operation("/a", "post", &entries), USERS).replace("3.0.3", "3.1.0")
}

/// Objects below keys that the document does not name had no rules.
#[test]
fn read_only_properties_are_refused_below_any_key() {
    let user = r##"{"$ref": "#/components/schemas/User"}"##;
    let bodies = [
        (
            format!(r#"{{"additionalProperties": {user}}}"#),
            r#"{"a": USER}"#,
        ),
        (
            format!(r#"{{"patternProperties": {{"^u": {user}}}}}"#),
            r#"{"ua": USER}"#,
        ),
        (
            format!(r#"{{"unevaluatedProperties": {user}}}"#),
            r#"{"a": USER}"#,
        ),
        (
            format!(r#"{{"properties": {{"by": {{"additionalProperties": {user}}}}}}}"#),
            r#"{"by": {"a": USER}}"#,
        ),
        (
            format!(
                r#"{{"properties": {{"by": {{"additionalProperties": {{"additionalProperties": {user}}}}}}}}}"#
            ),
            r#"{"by": {"a": {"b": USER}}}"#,
        ),
        (
            format!(r#"{{"additionalProperties": {{"properties": {{"owner": {user}}}}}}}"#),
            r#"{"a": {"owner": USER}}"#,
        ),
        (
            format!(r#"{{"properties": {{"all": {{"prefixItems": [{{}}, {user}]}}}}}}"#),
            r#"{"all": [1, USER]}"#,
        ),
        (
            format!(r#"{{"properties": {{"all": {{"contains": {user}}}}}}}"#),
            r#"{"all": [USER]}"#,
        ),
        (
            format!(
                r#"{{"properties": {{"all": {{"prefixItems": [{{}}], "unevaluatedItems": {user}}}}}}}"#
            ),
            r#"{"all": [1, USER]}"#,
        ),
        (
            format!(
                r#"{{"properties": {{"all": {{"items": {{"additionalProperties": {user}}}}}}}}}"#
            ),
            r#"{"all": [{"a": USER}]}"#,
        ),
    ];
    for (schema_text, value) in bodies {
        let text = with_users(&schema_text);
        // Properties of a closed object stand beside the parameters.
        let is_flat = schema(&text)["properties"].get("body").is_none();
        for (user, fits) in [
            (r#"{"name": "x"}"#, true),
            (r#"{"name": "x", "role": "admin"}"#, false),
            (r#"{"name": "x", "Role": "admin"}"#, false),
        ] {
            let value = value.replace("USER", user);
            let given = if is_flat {
                value
            } else {
                format!(r#"{{"body": {value}}}"#)
            };
            let result = sent(&text, &given);
            assert_eq!(result.is_ok(), fits, "{schema_text}: {given}: {result:?}");
        }
    }
}

/// A type that refers to itself has rules at each depth.
#[test]
fn rules_of_a_type_that_holds_itself_have_no_end() {
    let schemas = r##""components": {"schemas": {"Node": {"type": "object", "properties": {"id": {"type": "integer", "readOnly": true}, "name": {"type": "string"}, "all": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}}, "by": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Node"}}}}}}"##;
    let entries = r##""requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}}"##;
    let text = document(&operation("/a", "post", entries), schemas);
    for (given, fits) in [
        (
            r#"{"name": "x", "all": [{"all": [{"by": {"k": {"name": "y"}}}]}]}"#,
            true,
        ),
        (r#"{"all": [{"id": 1}]}"#, false),
        (r#"{"all": [{"all": [{"all": [{"id": 1}]}]}]}"#, false),
        (r#"{"by": {"k": {"by": {"l": {"id": 1}}}}}"#, false),
        (
            r#"{"all": [{"all": [{"by": {"k": {"all": [{"id": 1}]}}}]}]}"#,
            false,
        ),
    ] {
        assert_eq!(sent(&text, given).is_ok(), fits, "{given}");
    }
}

/// Rules were kept by the bare name of the property above, and one part that can be written freed a name.
#[test]
fn rules_hold_by_the_path_of_a_property() {
    let parts = with_users(
        r##"{"properties": {"customer": {"allOf": [{"$ref": "#/components/schemas/User"}, {"properties": {"role": {"type": "string"}}}]}}}"##,
    );
    assert!(sent(&parts, r#"{"customer": {"name": "x"}}"#).is_ok());
    assert!(sent(&parts, r#"{"customer": {"role": "admin"}}"#).is_err());
    let twice = with_users(
        r##"{"properties": {
            "old": {"properties": {"user": {"$ref": "#/components/schemas/User"}}},
            "new": {"properties": {"user": {"properties": {"role": {"type": "string"}}}}}}}"##,
    );
    assert!(sent(&twice, r#"{"new": {"user": {"role": "x"}}}"#).is_ok());
    assert!(sent(&twice, r#"{"old": {"user": {"role": "x"}}}"#).is_err());
    assert!(sent(&twice, r#"{"old": {"User": {"role": "x"}}}"#).is_err());
    // The name of a tag at one place says nothing about another.
    let tags = with_users(
        r##"{"properties": {
            "pet": {"discriminator": {"propertyName": "role"}, "properties": {"role": {"type": "string", "readOnly": true}}},
            "user": {"$ref": "#/components/schemas/User"}}}"##,
    );
    assert!(sent(&tags, r#"{"user": {"role": "admin"}}"#).is_err());
}

/// What is hidden at the top may be another thing further in.
#[test]
fn hidden_names_and_presets_are_those_of_the_top() {
    fn set(api: OpenApi<'_>) -> OpenApi<'_> {
        api.preset("state", "open")
            .hide(|parameter| parameter.name == "note")
    }
    let inner = r#"{"type": "object", "required": ["state"], "properties": {"state": {"type": "string"}, "note": {"type": "string"}}}"#;
    let parts = format!(
        r#""required": ["address", "state"], "properties": {{"state": {{"type": "string"}}, "note": {{"type": "string"}}, "address": {inner}}}"#
    );
    let shared = r##"{"type": "object", "nullable": true, "allOf": [{"$ref": "#/components/schemas/Place"}], "properties": {"within": {"$ref": "#/components/schemas/Place"}}}"##;
    let schemas = format!(r#""components": {{"schemas": {{"Place": {inner}}}}}"#);
    let entries = format!(
        r#""requestBody": {{"required": true, "content": {{"application/json": {{"schema": {shared}}}}}}}"#
    );
    let shared = document(&operation("/a", "post", &entries), &schemas);
    let plain = with_body(
        "application/json",
        true,
        &format!("{{{parts}, \"minProperties\": 1}}"),
    );
    for (text, given, expected) in [
        (
            &plain,
            r#"{"address": {"state": "TX", "note": "n"}}"#,
            r#"{"address":{"state":"TX","note":"n"},"state":"open"}"#,
        ),
        (
            &shared,
            r#"{"within": {"state": "TX", "note": "n"}}"#,
            r#"{"within":{"state":"TX","note":"n"},"state":"open"}"#,
        ),
    ] {
        let request = sent_with(text, &format!(r#"{{"body": {given}}}"#), set);
        assert_eq!(body(&request.unwrap()), expected);
        let tools = set(OpenApi::parse(text).unwrap()).toolset().unwrap();
        let seen = tools.get("run").unwrap().def().input.to_value().to_string();
        let count = |words: &str| seen.matches(words).count();
        // The inner object alone has them.
        assert_eq!(
            (count(r#""state":{"#), count(r#""note":{"#)),
            (1, 1),
            "{seen}"
        );
        assert_eq!(count(r#""required":["state"]"#), 1, "{seen}");
        for given in [r#"{"state": "x"}"#, r#"{"note": "x"}"#] {
            let given = format!(r#"{{"body": {given}}}"#);
            assert!(sent_with(text, &given, set).is_err(), "{text}: {given}");
        }
    }
}

/// In `OpenAPI` 3.1, a property without a schema is bytes if its part is a file.
#[test]
fn a_part_of_a_form_is_a_file_by_its_media_type() {
    let text = |schema: &str| {
        let entries = format!(
            r#""requestBody": {{"required": true, "content": {{"multipart/form-data": {{"schema": {{"type": "object", "properties": {{"picture": {schema}}}}},
                "encoding": {{"picture": {{"contentType": "image/png, image/jpeg"}}}}}}}}}}"#
        );
        document(&operation("/a", "post", &entries), "").replace("3.0.3", "3.1.0")
    };
    for schema_of in ["{}", r#"{"type": "string"}"#] {
        let text = text(schema_of);
        let request = sent(&text, r#"{"picture": "aGVsbG8="}"#).unwrap();
        let sent_body = body(&request);
        assert!(
            sent_body.contains("filename=\"file\"\r\nContent-Type: image/png\r\n\r\nhello\r\n"),
            "{sent_body}"
        );
        assert!(sent(&text, r#"{"picture": "not Base64"}"#).is_err());
        let seen = schema(&text)["properties"]["picture"].clone();
        assert_eq!(seen["contentEncoding"], "base64", "{seen}");
    }
    let list = text(r#"{"type": "array", "items": {}}"#);
    let sent_body = body(&sent(&list, r#"{"picture": ["aGVsbG8=", "aGVsbG8="]}"#).unwrap());
    assert_eq!(
        sent_body.matches("\r\n\r\nhello\r\n").count(),
        2,
        "{sent_body}"
    );
    // Text that says how it is encoded, and values of another type, stay what they are.
    let encoded = text(r#"{"type": "string", "contentEncoding": "base64"}"#);
    assert!(
        body(&sent(&encoded, r#"{"picture": "aGVsbG8="}"#).unwrap())
            .contains("\r\n\r\naGVsbG8=\r\n")
    );
    let number = text(r#"{"type": "integer"}"#);
    assert!(body(&sent(&number, r#"{"picture": 7}"#).unwrap()).contains("\r\n\r\n7\r\n"));
}

#[test]
fn styles_of_parts_and_bodies_without_a_form_are_notices() {
    let body = |method: &str, media: &str| {
        let entries = format!(
            r#""requestBody": {{"content": {{"{media}": {{"schema": {{"type": "object", "properties": {{"a": {{}}}}}},
                "encoding": {{"a": {{"style": "pipeDelimited"}}}}}}}}}}"#
        );
        let text = document(&operation("/a", method, &entries), "");
        let notices = OpenApi::parse(&text).unwrap().notices();
        let said = notices.into_iter();
        said.map(|notice| notice.to_string()).collect::<Vec<_>>()
    };
    let multipart = body("post", "multipart/form-data");
    assert!(
        multipart.len() == 1 && multipart[0].contains("the style of the part `a` is not applied"),
        "{multipart:?}"
    );
    assert_eq!(body("post", "application/x-www-form-urlencoded"), [""; 0]);
    let xml = body("delete", "application/xml");
    assert!(
        xml.len() == 1
            && xml[0].contains("no body of application/xml can be written, so none is sent"),
        "{xml:?}"
    );
}

/// What only the API sets stays its own, wherever an object stands.
#[test]
fn read_only_properties_of_parameters_are_refused() {
    let object = r#"{"type": "object", "properties": {"name": {"type": "string"}, "role": {"type": "string", "readOnly": true}, "inner": {"type": "object", "properties": {"id": {"readOnly": true}}}}}"#;
    for more in [
        format!(r#""in": "query", "style": "deepObject", "explode": true, "schema": {object}"#),
        format!(r#""in": "query", "schema": {object}"#),
        format!(r#""in": "query", "content": {{"application/json": {{"schema": {object}}}}}"#),
        format!(r#""in": "header", "schema": {object}"#),
        r##""in": "query", "style": "deepObject", "explode": true, "schema": {"$ref": "#/components/schemas/Filter"}"##.to_owned(),
    ] {
        let parameters = format!(r#""parameters": [{{"name": "filter", {more}}}]"#);
        let text = document(
            &operation("/a", "get", &parameters),
            &format!(r#""components": {{"schemas": {{"Filter": {object}}}}}"#),
        );
        assert!(sent(&text, r#"{"filter": {"name": "x"}}"#).is_ok(), "{more}");
        for given in [
            r#"{"role": "admin"}"#,
            r#"{"Role": "admin"}"#,
            r#"{"inner": {"id": 1}}"#,
        ] {
            let given = format!(r#"{{"filter": {given}}}"#);
            assert!(sent(&text, &given).is_err(), "{more}: {given}");
        }
    }
}

/// Rules end somewhere. What is beyond is refused, since nothing says that a model may set it.
#[test]
fn objects_beyond_the_rules_are_refused() {
    let schemas: Vec<_> = (0..1_200)
        .map(|at| {
            let next = at + 1;
            format!(
                r##""S{at}": {{"type": "object", "properties": {{"id": {{"readOnly": true}}, "next": {{"$ref": "#/components/schemas/S{next}"}}}}}}"##
            )
        })
        .collect();
    let last = r#""S1200": {"type": "object"}"#;
    let entries = r##""requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Top"}}}}"##;
    // Many small objects beside each other, and a chain of them.
    let wide: Vec<_> = (0..1_200)
        .map(|at| format!(r##""p{at}": {{"$ref": "#/components/schemas/S{at}"}}"##))
        .collect();
    let components = format!(
        r#""components": {{"schemas": {{"Top": {{"type": "object", "properties": {{{}}}}}, {}, {last}}}}}"#,
        wide.join(","),
        schemas.join(",")
    );
    let text = document(&operation("/a", "post", entries), &components);
    assert!(sent(&text, r#"{"p1": {"next": {}}}"#).is_ok());
    assert!(sent(&text, r#"{"p1": {"id": 1}}"#).is_err());
    assert!(sent(&text, r#"{"p1199": {"id": 1}}"#).is_err());
    let notices = OpenApi::parse(&text).unwrap().notices();
    assert!(
        notices.iter().any(|notice| notice.message
            == "its schema has more objects than are looked into; a call cannot set keys of the others"),
        "{notices:?}"
    );
}
