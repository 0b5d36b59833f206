//! Keys that arguments add to a request.

use toolwright_openapi::OpenApi;

use crate::bodies::with_body;
use crate::{body, document, operation, schema, sent};

/// Each leaf of a nested argument had its own copy of the names above it.
#[test]
fn names_of_nested_arguments_are_not_multiplied() {
    let form = with_body(
        "application/x-www-form-urlencoded",
        true,
        r#"{"type": "object", "properties": {"meta": {"type": "object"}}}"#,
    );
    let list = with_body(
        "multipart/form-data",
        true,
        r#"{"type": "object", "additionalProperties": true}"#,
    );
    let query = |style: &str| {
        let parameter = format!(
            r#""parameters": [{{"name": "meta", "in": "query", "style": "{style}", "explode": true, "schema": {{}}}}]"#
        );
        document(&operation("/a", "get", &parameter), "")
    };
    let zeros = vec![0; 12_500];
    let (long, key) = ("k".repeat(25_000), "k".repeat(1_000));
    // Sixty names of 1 KB each stand above all the zeros.
    let mut nested = serde_json::json!(vec![0; 300]);
    for _ in 0..60 {
        nested = serde_json::json!({&key: nested});
    }
    for (document, given) in [
        (&form, serde_json::json!({"meta": {&long: zeros}})),
        (&form, serde_json::json!({"meta": nested})),
        (
            &query("deepObject"),
            serde_json::json!({"meta": {&key: zeros}}),
        ),
        (&query("form"), serde_json::json!({"meta": {&long: 1}})),
        (&list, serde_json::json!({"body": {&long: zeros}})),
        // A key may have 1 KB, and no more.
        (&form, serde_json::json!({"meta": {"k".repeat(1_025): 1}})),
        (
            &query("form"),
            serde_json::json!({"meta": {"k".repeat(1_025): 1}}),
        ),
        (&list, serde_json::json!({"body": {"k".repeat(1_025): 1}})),
    ] {
        assert!(sent(document, &given.to_string()).is_err(), "{document}");
    }
    let fits = serde_json::json!({"meta": {&key: [0, 1]}}).to_string();
    assert_eq!(
        body(&sent(&form, &fits).unwrap()),
        format!("meta%5B{key}%5D%5B%5D=0&meta%5B{key}%5D%5B%5D=1")
    );
}

/// A server that splits names at brackets reads `meta[a][tenant]` below `meta[a`, or as two names.
#[test]
fn keys_with_brackets_are_not_written_into_names() {
    let form = with_body(
        "application/x-www-form-urlencoded",
        true,
        r#"{"type": "object", "properties": {"meta": {"type": "object"}, "user": {"type": "object", "properties": {"role": {"type": "string", "readOnly": true}}}}}"#,
    );
    let parameter = r#""parameters": [{"name": "meta", "in": "query", "style": "deepObject", "explode": true, "schema": {}}]"#;
    let query = document(&operation("/a", "get", parameter), "");
    for key in ["a][b", "a[b]", "[", "]", "a%5Db", "a]&user[role"] {
        for given in [
            serde_json::json!({"meta": {key: "x"}}),
            serde_json::json!({"meta": {"deep": [{key: "x"}]}}),
        ] {
            for text in [&form, &query] {
                assert!(sent(text, &given.to_string()).is_err(), "{key}");
            }
        }
    }
    let given = r#"{"meta": {"a.b": {"c d": "[x]"}}}"#;
    assert_eq!(
        body(&sent(&form, given).unwrap()),
        "meta%5Ba.b%5D%5Bc%20d%5D=%5Bx%5D"
    );
}

/// Servers that look for a credential in the query often look in a form too.
#[test]
fn a_form_does_not_set_credentials_of_the_query() {
    let schemes = r#""components": {"securitySchemes": {"k": {"type": "apiKey", "in": "query", "name": "api_key"}}}"#;
    let of = |media: &str, schema: &str| {
        let entries = format!(
            r#""requestBody": {{"required": true, "content": {{"{media}": {{"schema": {schema}}}}}}}"#
        );
        document(&operation("/a", "post", &entries), schemes)
    };
    let flat =
        r#"{"type": "object", "properties": {"name": {}, "api_key": {}, "access_token": {}}}"#;
    let open = r#"{"type": "object", "properties": {"name": {}, "api_key": {}}, "additionalProperties": true}"#;
    for media in ["application/x-www-form-urlencoded", "multipart/form-data"] {
        let properties = schema(&of(media, flat))["properties"].clone();
        let names: Vec<_> = properties.as_object().unwrap().keys().collect();
        assert_eq!(names, ["name"], "{media}");
        for key in ["api_key", "Api-Key", "access_token", "access_token[]"] {
            let given = serde_json::json!({"body": {"name": "x", key: "evil"}}).to_string();
            assert!(sent(&of(media, open), &given).is_err(), "{media} {key}");
        }
        assert!(sent(&of(media, open), r#"{"body": {"name": "x", "token": "t"}}"#).is_ok());
    }
    let query = r#""parameters": [{"name": "q", "in": "query", "explode": true, "schema": {"type": "object"}}]"#;
    let query = document(&operation("/a", "get", query), "");
    assert!(sent(&query, r#"{"q": {"access_token": "x"}}"#).is_err());
    assert!(sent(&query, r#"{"q": {"token_access": "x"}}"#).is_ok());
    let json = of("application/json", open);
    assert!(sent(&json, r#"{"body": {"api_key": "x", "access_token": "y"}}"#).is_ok());
    let offered = |text: &str| {
        let api = OpenApi::parse(text).unwrap().offer(|_| true);
        let tools = api.toolset().unwrap();
        tools.get("run").unwrap().def().input.to_value()["properties"].clone()
    };
    let seen = offered(&of("multipart/form-data", flat));
    assert!(
        seen.get("access_token").is_some() && seen.get("api_key").is_none(),
        "{seen}"
    );
}

#[test]
fn letters_that_have_a_capital_of_ascii_are_that_letter() {
    let open = with_body(
        "application/json",
        true,
        r#"{"type": "object", "additionalProperties": true, "properties": {"is_admin": {"readOnly": true}, "kind": {"readOnly": true}}}"#,
    );
    for key in [
        "i\u{17f}_admin",
        "I\u{17f}Admin",
        "\u{212a}ind",
        "is_adm\u{131}n",
        "k\u{130}nd",
    ] {
        let given = serde_json::json!({"body": {key: true}}).to_string();
        assert!(sent(&open, &given).is_err(), "{key}");
    }
    assert!(sent(&open, r#"{"body": {"straße": 1}}"#).is_ok());
}
