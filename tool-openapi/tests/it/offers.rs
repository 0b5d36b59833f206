//! What a model may set, and what it never sets.

use toolwright_openapi::{NoticeKind, OpenApi, Place};

use crate::{Recorder, body, call, document, header, operation, schema, sent, sent_with};

fn with(place: &str, names: &[&str]) -> String {
    let parameters: Vec<_> = names
        .iter()
        .map(|name| format!(r#"{{"name": "{name}", "in": "{place}", "required": true, "schema": {{"type": "string"}}}}"#))
        .collect();
    document(
        &operation(
            "/a",
            "get",
            &format!(r#""parameters": [{}]"#, parameters.join(",")),
        ),
        "",
    )
}

/// Of 3,112 tools that another importer made of 99 documents, 663 offered `Authorization` to the model.
#[test]
fn headers_of_the_host_are_offered_in_no_spelling() {
    let names = [
        "Authorization",
        "authorization",
        "AUTHORIZATION",
        "Proxy-Authorization",
        "proxy_authorization",
        "Proxy-Connection",
        "Cookie",
        "cookie2",
        "Accept",
        "accept",
        "Accept-Encoding",
        "Content-Type",
        "content_type",
        "Content-Length",
        "Host",
        "HOST",
        "Connection",
        "Transfer-Encoding",
        "transfer_encoding",
        "TE",
        "Upgrade",
        "Expect",
        "User-Agent",
        "user_agent",
        "Origin",
        "Referer",
        "Forwarded",
        "X-Forwarded-For",
        "x_forwarded_host",
        "X-Forwarded-Proto",
        "X-Real-IP",
        "x-real_ip",
        "X-HTTP-Method",
        "X-HTTP-Method-Override",
        "x_http_method_override",
        "X-Method-Override",
        "Trailer",
        "Keep-Alive",
    ];
    let text = with("header", &names);
    assert_eq!(schema(&text)["properties"], serde_json::json!({}));
    let request = sent(&text, "{}").unwrap();
    let sent_names: Vec<_> = request
        .headers
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(sent_names, ["Accept"]);
    for name in names {
        assert!(
            sent(&text, &serde_json::json!({name: "x"}).to_string()).is_err(),
            "{name}"
        );
        // The host's own choices cannot offer them either.
        let text = with("header", &[name]);
        assert!(
            sent_with(&text, &serde_json::json!({name: "x"}).to_string(), |api| {
                api.offer(|_| true)
            })
            .is_err(),
            "{name}"
        );
    }
    let notices = OpenApi::parse(&text).unwrap().notices();
    assert_eq!(
        notices
            .iter()
            .filter(|notice| notice.kind == NoticeKind::NotOffered)
            .count(),
        names.len()
    );
}

#[test]
fn names_near_those_are_offered() {
    for name in [
        "Accept-Language",
        "If-Match",
        "X-Request-Id",
        "Range",
        "Prefer",
        "X-Hostname",
        "Team",
        "Original-Name",
    ] {
        let arguments = serde_json::json!({name: "x"}).to_string();
        assert_eq!(
            header(&sent(&with("header", &[name]), &arguments).unwrap(), name),
            Some("x"),
            "{name}"
        );
    }
}

#[test]
fn method_overrides_are_not_offered() {
    for name in [
        "_method",
        "_METHOD",
        ".method",
        " _method",
        "X-HTTP-Method-Override",
    ] {
        let arguments = serde_json::json!({name: "DELETE"}).to_string();
        assert!(sent(&with("query", &[name]), &arguments).is_err(), "{name}");
        let form = format!(
            r#""requestBody": {{"required": true, "content": {{"application/x-www-form-urlencoded": {{"schema": {{"type": "object", "properties": {{"{name}": {{"type": "string"}}, "a": {{"type": "string"}}}}}}}}}}}}"#
        );
        assert!(
            sent(&document(&operation("/a", "post", &form), ""), &arguments).is_err(),
            "{name}"
        );
    }
    assert!(sent(&with("query", &["method"]), r#"{"method": "x"}"#).is_ok());
}

#[test]
fn what_a_security_scheme_names_is_the_hosts() {
    let schemes = r#""components": {"securitySchemes": {"h": {"type": "apiKey", "in": "header", "name": "X-Shop-Code"},
        "q": {"type": "apiKey", "in": "query", "name": "shop_code"}, "c": {"type": "apiKey", "in": "cookie", "name": "code"}}}"#;
    let parameters = r#""parameters": [{"name": "x-shop-code", "in": "header", "schema": {}}, {"name": "Shop-Code", "in": "query", "schema": {}},
        {"name": "code", "in": "cookie", "schema": {}}, {"name": "code", "in": "query", "schema": {}}]"#;
    let text = document(&operation("/a", "get", parameters), schemes);
    let seen = schema(&text);
    let names: Vec<_> = seen["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["code"]);
}

#[test]
fn names_that_look_secret_are_the_hosts_by_choice() {
    let names = [
        "X-Amz-Security-Token",
        "X-Amz-Signature",
        "X-Amz-Credential",
        "access_token",
        "apiKey",
        "X-Api-Key",
        "client_secret",
        "key",
        "oauth_token",
    ];
    for name in names {
        let text = with("query", &[name]);
        let arguments = serde_json::json!({name: "x"}).to_string();
        assert!(sent(&text, &arguments).is_err(), "{name}");
        let notices = OpenApi::parse(&text).unwrap().notices();
        let not_offered = notices
            .iter()
            .filter(|notice| notice.kind == NoticeKind::NotOffered);
        assert_eq!(not_offered.count(), 1, "{name}");
        let offered = sent_with(&text, &arguments, move |api| {
            api.offer(move |parameter| parameter.name == name)
        });
        assert!(offered.unwrap().url.ends_with("=x"), "{name}");
        let preset = sent_with(&text, "{}", |api| api.preset(name, "p"));
        assert!(preset.unwrap().url.ends_with("=p"), "{name}");
    }
    for name in [
        "page_token",
        "nextToken",
        "keyword",
        "sort_key",
        "design",
        "author",
        "monkey",
        "signed",
    ] {
        assert!(
            sent(
                &with("query", &[name]),
                &serde_json::json!({name: "x"}).to_string()
            )
            .is_ok(),
            "{name}"
        );
    }
}

#[test]
fn presets_and_constants_are_sent_unseen() {
    let parameters = r#""parameters": [{"name": "api-version", "in": "query", "required": true, "schema": {"type": "string"}},
        {"name": "Action", "in": "query", "required": true, "schema": {"type": "string", "enum": ["List"]}},
        {"name": "force", "in": "query", "schema": {"type": "boolean", "enum": [true]}},
        {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
        {"name": "fields", "in": "query", "schema": {"type": "string"}}],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "required": ["kind"],
        "properties": {"kind": {"type": "string", "enum": ["order"]}, "team": {"type": "string"}, "name": {"type": "string"}}}}}}"#;
    let text = document(&operation("/a", "post", parameters), "");
    let set = |api: OpenApi<'_>| -> String {
        let recorder = Recorder::default();
        let api = api
            .preset("api-version", "2024-01-01")
            .preset("team", 7_u64);
        let api =
            api.hide(|parameter| parameter.place == Place::Header || parameter.name == "fields");
        let tools = api.client(recorder.clone()).toolset().unwrap();
        let seen = tools.get("run").unwrap().def().input.to_value();
        let names: Vec<_> = seen["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        call(&tools, "run", r#"{"name": "a"}"#).unwrap();
        let request = recorder.requests().pop().unwrap();
        assert!(call(&tools, "run", r#"{"api-version": "1999-01-01"}"#).is_err());
        format!("{names:?} {} {}", request.url, body(&request))
    };
    let expected = r#"["force", "name"] https://api.example.com/v1/a?api-version=2024-01-01&Action=List {"kind":"order","team":7,"name":"a"}"#;
    assert_eq!(set(OpenApi::parse(&text).unwrap()), expected);
}

/// An API that requires a value sometimes has a default for it in its document, which a caller had to write out.
#[test]
fn a_required_value_with_a_default_may_be_left_out() {
    let of = |schema: &str| {
        let entries = format!(
            r#""parameters": [{{"name": "r", "in": "query", "required": true, "schema": {schema}}}],
            "requestBody": {{"required": true, "content": {{"application/json": {{"schema": {{"type": "object", "required": ["n"], "properties": {{"n": {schema}}}}}}}}}}}"#
        );
        document(&operation("/a", "post", &entries), "")
    };
    for (schema_text, value) in [
        (
            r#"{"type": "string", "enum": ["xml", "json"], "default": "json"}"#,
            r#""json""#,
        ),
        (r#"{"type": "integer", "default": 5}"#, "5"),
        (r#"{"type": "boolean", "default": false}"#, "false"),
    ] {
        let text = of(schema_text);
        assert!(schema(&text).get("required").is_none(), "{schema_text}");
        let request = sent(&text, "{}").unwrap();
        assert_eq!(body(&request), format!(r#"{{"n":{value}}}"#));
        let query = format!("?r={}", value.trim_matches('"'));
        assert!(request.url.ends_with(&query), "{}", request.url);
    }
    let given = sent(
        &of(r#"{"type": "integer", "default": 5}"#),
        r#"{"n": 6, "r": 7}"#,
    )
    .unwrap();
    assert_eq!(
        (body(&given).as_str(), given.url.ends_with("?r=7")),
        (r#"{"n":6}"#, true)
    );
    // Defaults that do not fit are none.
    for wrong in [
        r#"{"type": "string", "default": ""}"#,
        r#"{"type": "string", "default": 7}"#,
        r#"{"type": "string", "default": null}"#,
        r#"{"type": "string", "enum": ["a", "c"], "default": "b"}"#,
        r#"{"type": "array", "default": []}"#,
    ] {
        assert!(sent(&of(wrong), "{}").is_err(), "{wrong}");
    }
}

#[test]
fn a_hidden_part_of_the_path_needs_a_preset() {
    let text = document(
        &operation(
            "/{account}/a",
            "get",
            r#""parameters": [{"name": "account", "in": "path", "required": true, "schema": {"type": "string"}}]"#,
        ),
        "",
    );
    let api = || {
        OpenApi::parse(&text)
            .unwrap()
            .hide(|parameter| parameter.name == "account")
    };
    assert!(api().toolset().is_err());
    let tools = api().preset("account", "acme").toolset().unwrap();
    assert_eq!(
        tools.get("run").unwrap().def().input.to_value()["properties"],
        serde_json::json!({})
    );
}

#[test]
fn hints_follow_the_method_and_the_name() {
    let table = [
        ("get", "/orders", "listOrders", (true, false, None)),
        ("head", "/orders", "x", (true, false, None)),
        ("post", "/orders", "x", (false, true, None)),
        ("patch", "/orders", "x", (false, true, None)),
        ("put", "/orders", "x", (false, true, Some(true))),
        ("delete", "/orders", "x", (false, true, Some(true))),
        ("get", "/orders/delete", "x", (false, true, None)),
        ("get", "/orders", "deleteOrders", (false, true, None)),
        ("get", "/mail", "mail_send", (false, true, None)),
        ("get", "/mail.send", "x", (false, true, None)),
        ("get", "/senders", "listSenders", (true, false, None)),
        (
            "get",
            "/orders/{delete}",
            "getCreatedOrders",
            (true, false, None),
        ),
    ];
    for (method, path, id, (read_only, destructive, idempotent)) in table {
        let text = document(
            &format!(r#""{path}": {{"{method}": {{"operationId": "{id}"}}}}"#),
            "",
        );
        let (tools, notices) = OpenApi::parse(&text).unwrap().import().unwrap();
        let hints = tools.get(id).unwrap().def().options.annotations;
        let expected = (Some(read_only), Some(destructive), idempotent, Some(true));
        assert_eq!(
            (
                hints.read_only,
                hints.destructive,
                hints.idempotent,
                hints.open_world
            ),
            expected,
            "{method} {path} {id}"
        );
        let has_notice = notices.iter().any(|notice| notice.kind == NoticeKind::Hint);
        assert_eq!(
            has_notice,
            method == "get" && !read_only,
            "{method} {path} {id}"
        );
    }
    let text = document(&operation("/search", "post", r#""tags": ["read"]"#), "");
    let api = OpenApi::parse(&text).unwrap();
    let tools = api
        .annotate(|operation, options| {
            options
                .read_only(operation.has_tag("read"))
                .destructive(false)
        })
        .toolset()
        .unwrap();
    assert_eq!(
        tools
            .get("run")
            .unwrap()
            .def()
            .options
            .annotations
            .read_only,
        Some(true)
    );
}

/// A document that its host did not write could break out of a header, or send a key as the name of another host.
#[test]
fn names_of_a_document_are_no_header_of_their_own() {
    let text = document(
        &operation(
            "/a",
            "get",
            r#""parameters": [{"name": "X-A: 1\r\nX-B", "in": "header", "schema": {}}]"#,
        ),
        "",
    );
    assert!(OpenApi::parse(&text).unwrap().toolset().is_err());
    for (place, name) in [
        ("header", "Host"),
        ("header", "Transfer-Encoding"),
        ("header", "a b"),
        ("cookie", "a=b; c"),
    ] {
        let schemes = format!(
            r#""components": {{"securitySchemes": {{"k": {{"type": "apiKey", "in": "{place}", "name": "{name}"}}}}}}"#
        );
        let text = document(&operation("/a", "get", r#""tags": []"#), &schemes);
        let error = OpenApi::parse(&text)
            .unwrap()
            .api_key("k", "secret")
            .toolset()
            .unwrap_err();
        assert!(
            error.to_string().contains("cannot be sent as"),
            "{name}: {error}"
        );
        assert!(OpenApi::parse(&text).unwrap().toolset().is_ok());
    }
}
