//! Bodies, and arguments under the document's own names.

use toolwright::Context;
use toolwright::call::CallPlace;
use toolwright_openapi::{Notice, NoticeKind, OpenApi};

use crate::bodies::with_body;
use crate::{Recorder, body, call_with, document, header, operation, schema, sent, sent_with};

fn post(media: &str, schema: &str, more: &str) -> String {
    let body = format!(
        r#""requestBody": {{"required": true, "content": {{"{media}": {{"schema": {schema}{more}}}}}}}"#
    );
    document(&operation("/orders", "post", &body), "")
}

const ORDER: &str = r#"{"type": "object", "required": ["name"], "properties": {
    "name": {"type": "string"}, "price": {"type": "number"}, "tags": {"type": "array", "items": {"type": "string"}},
    "at": {"type": "object", "properties": {"city": {"type": "string"}, "zip": {"type": "string", "nullable": true}}},
    "items": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}, "n": {"type": "integer"}}}},
    "id": {"type": "string", "readOnly": true}}}"#;

#[test]
fn json_bodies_keep_names_order_and_numbers() {
    let document = post("application/json", ORDER, "");
    let request = sent(
        &document,
        r#"{"price": 1.50, "name": "é", "at": {"zip": null, "city": "Oslo"}}"#,
    )
    .unwrap();
    assert_eq!(
        body(&request),
        r#"{"name":"é","price":1.50,"at":{"zip":null,"city":"Oslo"}}"#
    );
    assert_eq!(header(&request, "Content-Type"), Some("application/json"));
    assert_eq!(request.method, "POST");
    // Read-only properties are no arguments.
    assert!(sent(&document, r#"{"name": "a", "id": "7"}"#).is_err());
}

/// Other importers sent JSON where the document asks for a form.
#[test]
fn forms_have_brackets() {
    let document = post("application/x-www-form-urlencoded", ORDER, "");
    let arguments = r#"{"name": "a b&c", "tags": ["x", "y"], "at": {"city": "Oslo"}, "items": [{"id": "p", "n": 2}]}"#;
    let request = sent(&document, arguments).unwrap();
    let expected = "name=a%20b%26c&tags=x&tags=y&at%5Bcity%5D=Oslo&items%5B0%5D%5Bid%5D=p&items%5B0%5D%5Bn%5D=2";
    assert_eq!(body(&request), expected);
    assert_eq!(
        header(&request, "Content-Type"),
        Some("application/x-www-form-urlencoded")
    );
}

#[test]
fn encoding_objects_choose_styles_and_types() {
    let encoding = r#", "encoding": {"tags": {"style": "deepObject", "explode": true}, "at": {"contentType": "application/json"}}"#;
    let document = post("application/x-www-form-urlencoded", ORDER, encoding);
    let request = sent(
        &document,
        r#"{"name": "a", "tags": ["x", "y"], "at": {"city": "Oslo"}}"#,
    )
    .unwrap();
    assert_eq!(
        body(&request),
        "name=a&tags%5B%5D=x&tags%5B%5D=y&at=%7B%22city%22%3A%22Oslo%22%7D"
    );
    let document = post(
        "application/x-www-form-urlencoded",
        ORDER,
        r#", "encoding": {"tags": {"style": "form", "explode": false}}"#,
    );
    assert_eq!(
        body(&sent(&document, r#"{"name": "a", "tags": ["x", "y"]}"#).unwrap()),
        "name=a&tags=x,y"
    );
}

#[test]
fn multipart_has_files_and_json_parts() {
    let schema_text = r#"{"type": "object", "properties": {"note": {"type": "string"}, "file": {"type": "string", "format": "binary"},
        "meta": {"type": "object", "properties": {"a": {"type": "integer"}}}, "tags": {"type": "array", "items": {"type": "string"}}}}"#;
    let document = post("multipart/form-data", schema_text, "");
    assert_eq!(
        schema(&document)["properties"]["file"]["contentEncoding"],
        "base64"
    );
    let request = sent(
        &document,
        r#"{"note": "hi", "file": "AAEC", "meta": {"a": 1}, "tags": ["x", "y"]}"#,
    )
    .unwrap();
    let kind = header(&request, "Content-Type").unwrap();
    let boundary = kind.strip_prefix("multipart/form-data; boundary=").unwrap();
    let expected = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhi\r\n\
         --{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"file\"\r\nContent-Type: application/octet-stream\r\n\r\n\u{0}\u{1}\u{2}\r\n\
         --{boundary}\r\nContent-Disposition: form-data; name=\"meta\"\r\nContent-Type: application/json\r\n\r\n{{\"a\":1}}\r\n\
         --{boundary}\r\nContent-Disposition: form-data; name=\"tags\"\r\n\r\nx\r\n\
         --{boundary}\r\nContent-Disposition: form-data; name=\"tags\"\r\n\r\ny\r\n--{boundary}--\r\n"
    );
    assert_eq!(body(&request), expected);
    // A text that holds the boundary cannot end its part.
    let arguments = serde_json::json!({"note": format!("--{boundary}--")}).to_string();
    let request = sent(&document, &arguments).unwrap();
    assert!(
        !header(&request, "Content-Type")
            .unwrap()
            .ends_with(boundary)
    );
    assert!(sent(&document, r#"{"file": "not Base64!"}"#).is_err());
}

#[test]
fn texts_and_bytes_are_one_argument() {
    let request = sent(
        &post("text/plain", r#"{"type": "string"}"#, ""),
        r#"{"body": "hi"}"#,
    )
    .unwrap();
    assert_eq!(
        (body(&request).as_str(), header(&request, "Content-Type")),
        ("hi", Some("text/plain"))
    );
    let document = post(
        "application/octet-stream",
        r#"{"type": "string", "format": "binary"}"#,
        "",
    );
    assert_eq!(body(&sent(&document, r#"{"body": "aGk="}"#).unwrap()), "hi");
    let document = post(
        "application/merge-patch+json",
        r#"{"type": "array", "items": {"type": "integer"}}"#,
        "",
    );
    let request = sent(&document, r#"{"body": [1]}"#).unwrap();
    assert_eq!(
        (body(&request).as_str(), header(&request, "Content-Type")),
        ("[1]", Some("application/merge-patch+json"))
    );
}

#[test]
fn names_that_stand_twice_get_their_place() {
    let entries = r#""parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
        {"name": "id", "in": "query", "schema": {"type": "string"}}, {"name": "body", "in": "query", "schema": {"type": "string"}}],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object",
        "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}}}}"#;
    let text = document(&operation("/orders/{id}", "put", entries), "");
    let arguments = r#"{"id_path": "a", "id_query": "b", "id_body": 3, "name": "n", "body": "c"}"#;
    let request = sent(&text, arguments).unwrap();
    assert_eq!(
        request.url,
        "https://api.example.com/v1/orders/a?id=b&body=c"
    );
    assert_eq!(body(&request), r#"{"id":3,"name":"n"}"#);
    let notices = OpenApi::parse(&text).unwrap().notices();
    let renamed: Vec<_> = notices
        .iter()
        .map(|notice| notice.message.as_str())
        .collect();
    assert_eq!(
        renamed,
        [
            "the argument `id_path` is `id` in the path",
            "the argument `id_query` is `id` in the query",
            "the argument `id_body` is `id` in the body"
        ]
    );
}

#[test]
fn a_body_that_is_no_plain_object_is_one_argument() {
    let union = r#"{"oneOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "object", "properties": {"b": {"type": "string"}}}]}"#;
    let map = r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#;
    for (schema_text, value) in [
        (union, r#"{"a":"x"}"#),
        (map, r#"{"x":1}"#),
        (
            r#"{"type": "object", "additionalProperties": true, "properties": {"a": {}}}"#,
            r#"{"q":1}"#,
        ),
    ] {
        let request = sent(
            &post("application/json", schema_text, ""),
            &format!(r#"{{"body": {value}}}"#),
        )
        .unwrap();
        assert_eq!(body(&request), value);
    }
    // Pieces of `allOf` are one object.
    let pieces = r#"{"allOf": [{"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "string"}}}]}"#;
    let request = sent(
        &post("application/json", pieces, ""),
        r#"{"b": "y", "a": "x"}"#,
    )
    .unwrap();
    assert_eq!(body(&request), r#"{"a":"x","b":"y"}"#);
}

#[test]
fn an_optional_body_may_be_left_out() {
    let body_of = |properties: &str| {
        format!(
            r#""requestBody": {{"content": {{"application/json": {{"schema": {{"type": "object", {properties}}}}}}}}}"#
        )
    };
    let flat = document(
        &operation(
            "/a",
            "post",
            &body_of(r#""properties": {"a": {"type": "string"}}"#),
        ),
        "",
    );
    assert_eq!(sent(&flat, "{}").unwrap().body, None);
    assert_eq!(body(&sent(&flat, r#"{"a": "x"}"#).unwrap()), r#"{"a":"x"}"#);
    let whole = document(
        &operation(
            "/a",
            "post",
            &body_of(r#""required": ["a"], "properties": {"a": {"type": "string"}}"#),
        ),
        "",
    );
    assert_eq!(sent(&whole, "{}").unwrap().body, None);
    assert_eq!(
        body(&sent(&whole, r#"{"body": {"a": "x"}}"#).unwrap()),
        r#"{"a":"x"}"#
    );
}

/// Its text was lost, since a form has fields alone.
#[test]
fn a_form_that_is_no_object_is_refused() {
    for media in ["application/x-www-form-urlencoded", "multipart/form-data"] {
        let text = with_body(media, true, r#"{"type": "string"}"#);
        assert!(sent(&text, r#"{"body": "a=1"}"#).is_err(), "{media}");
    }
}

/// A request without a body was sent, which its API refuses.
#[test]
fn a_body_that_is_required_may_be_null() {
    let of = |required: bool| {
        with_body(
            "application/json",
            required,
            r#"{"nullable": true, "oneOf": [{"type": "object", "properties": {"a": {}}}]}"#,
        )
    };
    let null = r#"{"body": null}"#;
    assert_eq!(body(&sent(&of(true), null).unwrap()), "null");
    assert_eq!(sent(&of(false), null).unwrap().body, None);
    let preset = sent_with(&of(true), null, |api| api.preset("a", "x"));
    assert_eq!(body(&preset.unwrap()), r#"{"a":"x"}"#);
}

#[test]
fn the_calls_own_key_makes_it_idempotent() {
    let parameters = r#""parameters": [{"name": "Idempotency-Key", "in": "header", "required": true, "schema": {"type": "string"}}]"#;
    let text = document(&operation("/pay", "post", parameters), "");
    let recorder = Recorder::default();
    let tools = OpenApi::parse(&text)
        .unwrap()
        .client(recorder.clone())
        .toolset()
        .unwrap();
    let cx = Context::new().with_place(CallPlace::new("run-1", 1, 0, "1"));
    call_with(&tools, "run", "{}", &cx).unwrap();
    call_with(&tools, "run", "{}", &cx).unwrap();
    let sent = recorder.requests();
    let key = header(&sent[0], "Idempotency-Key");
    assert!(key.is_some() && key == header(&sent[1], "Idempotency-Key"));
}

/// The whole query of `OpenAPI` 3.2, and a form that a model could put the host's names into.
#[test]
fn keys_of_objects_set_none_of_the_hosts_names() {
    let parameters = r#""parameters": [{"name": "filter", "in": "query", "schema": {"type": "object"}}, {"name": "page", "in": "query", "schema": {"type": "integer"}}]"#;
    let schemes = r#""components": {"securitySchemes": {"k": {"type": "apiKey", "in": "query", "name": "api_key"}}}"#;
    let text = document(&operation("/a", "get", parameters), schemes);
    for key in [
        "_method",
        "_METHOD",
        "%5fmethod",
        "api_key",
        "API-KEY",
        "version",
        "page",
    ] {
        let arguments = serde_json::json!({"filter": {key: "x"}}).to_string();
        let error = sent_with(&text, &arguments, |api| api.preset("version", "1")).unwrap_err();
        assert!(error.contains("cannot be set"), "{key}: {error}");
    }
    assert!(
        sent(&text, r#"{"filter": {"method": "x"}}"#)
            .unwrap()
            .url
            .ends_with("?method=x")
    );
    let form = post(
        "application/x-www-form-urlencoded",
        r#"{"type": "object", "additionalProperties": {"type": "string"}}"#,
        "",
    );
    assert!(sent(&form, r#"{"body": {"_method": "DELETE"}}"#).is_err());
    let map = r#"{"type": "object", "additionalProperties": {"type": "string"}}"#;
    for (media, key) in [
        ("application/json", "_method"),
        ("application/x-www-form-urlencoded", ".method"),
        ("application/x-www-form-urlencoded", "[method"),
    ] {
        let arguments = serde_json::json!({"body": {key: "DELETE"}}).to_string();
        assert!(
            sent(&post(media, map, ""), &arguments).is_err(),
            "{media} {key}"
        );
    }
    let multipart = post(
        "multipart/form-data",
        r#"{"type": "object", "additionalProperties": {"type": "string"}}"#,
        "",
    );
    assert!(sent(&multipart, r#"{"body": {"_method": "DELETE"}}"#).is_err());
}

#[test]
fn headers_are_bounded_and_have_no_line_break() {
    let parameters =
        r#""parameters": [{"name": "If-Match", "in": "header", "schema": {"type": "string"}}]"#;
    let text = document(&operation("/a", "get", parameters), "");
    assert_eq!(
        header(
            &sent(&text, r#"{"If-Match": " \"a\" "}"#).unwrap(),
            "If-Match"
        ),
        Some("\"a\"")
    );
    for value in ["a\r\nX: y", "a\nb", "é", "a\u{0}", &"a".repeat(9000)] {
        let arguments = serde_json::json!({"If-Match": value}).to_string();
        assert!(sent(&text, &arguments).is_err(), "{value:?}");
    }
    let query = document(
        &operation(
            "/a",
            "get",
            r#""parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}]"#,
        ),
        "",
    );
    let arguments = serde_json::json!({"q": "a".repeat(20_000)}).to_string();
    assert!(sent(&query, &arguments).unwrap_err().contains("too long"));
}

#[test]
fn a_picture_of_3_1_is_a_file() {
    let parts = r#"{"type": "object", "properties": {"picture": {"contentMediaType": "image/png"}, "note": {"type": "string", "contentMediaType": "text/markdown"}}}"#;
    let text = post("multipart/form-data", parts, "").replace("3.0.3", "3.1.0");
    let sent = body(&sent(&text, r#"{"picture": "AQID", "note": "hi"}"#).unwrap());
    assert!(
        sent.contains("\u{1}\u{2}\u{3}") && sent.contains("\r\n\r\nhi"),
        "{sent}"
    );
}

/// A key that differs with each attempt would only look as if it made the call idempotent.
#[test]
fn an_optional_key_is_not_made_up() {
    let parameters = r#""parameters": [{"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}]"#;
    let text = document(&operation("/pay", "post", parameters), "");
    assert_eq!(header(&sent(&text, "{}").unwrap(), "Idempotency-Key"), None);
}

/// What of a document is not written is said.
#[test]
fn what_is_not_written_is_a_notice() {
    let query = r#""parameters": [{"name": "at", "in": "query", "allowReserved": true, "schema": {"type": "string"}}]"#;
    let header =
        r#", "encoding": {"tags": {"headers": {"X-Part": {"schema": {"type": "string"}}}}}"#;
    let reserved = r#", "encoding": {"tags": {"allowReserved": true}}"#;
    for (document, words) in [
        (
            document(&operation("/a", "get", query), ""),
            "reserved characters of `at`",
        ),
        (
            post("multipart/form-data", ORDER, header),
            "the headers of the part `tags`",
        ),
        (
            post("application/x-www-form-urlencoded", ORDER, reserved),
            "reserved characters of `tags`",
        ),
    ] {
        let notices = OpenApi::parse(&document).unwrap().notices();
        let is_said =
            |notice: &Notice| notice.kind == NoticeKind::Ignored && notice.message.contains(words);
        assert!(notices.iter().any(is_said), "{words}: {notices:?}");
    }
    let types = r#", "encoding": {"tags": {"headers": {"Content-Type": {}}}}"#;
    let document = post("multipart/form-data", ORDER, types);
    assert_eq!(OpenApi::parse(&document).unwrap().notices(), []);
}

/// The keys of an object that explodes are pairs of their own, and one of them may have its name.
#[test]
fn a_key_may_have_the_name_of_its_parameter() {
    let parameters = r#""parameters": [{"name": "sort", "in": "query", "schema": {"type": "object", "properties": {"sort": {"type": "string"}, "order": {"type": "string"}}}},
        {"name": "page", "in": "query", "schema": {"type": "integer"}}]"#;
    let text = document(&operation("/a", "get", parameters), "");
    let request = sent(&text, r#"{"sort": {"sort": "name", "order": "asc"}}"#).unwrap();
    assert_eq!(
        request.url,
        "https://api.example.com/v1/a?sort=name&order=asc"
    );
    for key in ["page", "Sort"] {
        let given = serde_json::json!({"sort": {key: "x"}}).to_string();
        assert!(sent(&text, &given).is_err(), "{key}");
    }
    let entries = r#""requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {
        "schema": {"type": "object", "properties": {"sort": {"type": "object"}, "page": {}}}, "encoding": {"sort": {"style": "form", "explode": true}}}}}"#;
    let text = document(&operation("/a", "post", entries), "");
    let request = sent(&text, r#"{"sort": {"sort": "name", "order": "asc"}}"#).unwrap();
    assert_eq!(body(&request), "sort=name&order=asc");
    assert!(sent(&text, r#"{"sort": {"page": 1}}"#).is_err());
}
