//! Presets: spellings of their names, and those that are secret.

use toolwright_openapi::{NoticeKind, OpenApi};

use crate::{Recorder, call, document, header, operation, sent_with};

#[test]
fn secret_presets_stay_with_the_origin_and_are_not_shown() {
    let token =
        r#""parameters": [{"name": "X-Api-Token", "in": "header", "schema": {"type": "string"}}]"#;
    let text = document(
        &format!(
            r#""/a": {{"get": {{"operationId": "run", {token}}}}}, "/b": {{"get": {{"operationId": "elsewhere", "servers": [{{"url": "https://files.example.com"}}], {token}}}}}"#
        ),
        "",
    );
    let recorder = Recorder::answering(400, &[], "bad token s3cret");
    let tools = OpenApi::parse(&text)
        .unwrap()
        .preset("X-Api-Token", "s3cret")
        .allow_origin("https://files.example.com")
        .unwrap()
        .client(recorder.clone())
        .toolset()
        .unwrap();
    let error = call(&tools, "run", "{}").unwrap_err();
    assert!(!format!("{error} {error:?}").contains("s3cret"), "{error}");
    let _ = call(&tools, "elsewhere", "{}");
    let sent = recorder.requests();
    assert_eq!(header(&sent[0], "X-Api-Token"), Some("s3cret"));
    assert_eq!(header(&sent[1], "X-Api-Token"), None);
}

#[test]
fn spellings_of_a_presets_name_are_the_hosts() {
    let parameters = r#""parameters": [{"name": "x-tenant", "in": "header", "schema": {"type": "string"}}, {"name": "Team-Id", "in": "query", "schema": {"type": "string"}}]"#;
    let text = document(&operation("/a", "get", parameters), "");
    let set = |api: OpenApi<'static>| api.preset("X-Tenant", "acme").preset("team_id", "t");
    let text: &'static str = Box::leak(text.into_boxed_str());
    let request = sent_with(text, "{}", |api| {
        api.preset("X-Tenant", "acme").preset("team_id", "t")
    })
    .unwrap();
    assert_eq!(header(&request, "x-tenant"), Some("acme"));
    assert!(!request.url.contains('?'));
    let notices = set(OpenApi::parse(text).unwrap()).notices();
    assert_eq!(
        notices
            .iter()
            .filter(|notice| notice.kind == NoticeKind::NotOffered)
            .count(),
        1,
        "{notices:?}"
    );
    let notices = OpenApi::parse(text)
        .unwrap()
        .preset("nothing", 1_u64)
        .notices();
    assert!(
        notices
            .iter()
            .any(|notice| notice.message.contains("nothing")),
        "{notices:?}"
    );
}

#[test]
fn a_preset_replaces_a_header_that_is_sent_anyway() {
    let parameter =
        r#""parameters": [{"name": "Accept", "in": "header", "schema": {"type": "string"}}]"#;
    let text = document(&operation("/a", "get", parameter), "");
    let request = sent_with(&text, "{}", |api| api.preset("Accept", "text/csv")).unwrap();
    let accepts: Vec<_> = request
        .headers
        .iter()
        .map(|(_, value)| value.as_str())
        .collect();
    assert_eq!(accepts, ["text/csv"]);
}

#[test]
fn a_preset_media_type_is_sent_once() {
    let entries = |media: &str| {
        let entries = format!(
            r#""parameters": [{{"name": "Content-Type", "in": "header", "schema": {{"type": "string"}}}}],
            "requestBody": {{"required": true, "content": {{"{media}": {{"schema": {{"type": "object", "properties": {{"a": {{}}}}}}}}}}}}"#
        );
        document(&operation("/a", "post", &entries), "")
    };
    let types = |media: &str| {
        let text = entries(media);
        let request = sent_with(&text, r#"{"a": "x"}"#, |api| {
            api.preset("Content-Type", "application/vnd.api+json")
        });
        let headers = request.unwrap().headers.into_iter();
        let types = headers.filter(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        types.map(|(_, value)| value).collect::<Vec<_>>()
    };
    assert_eq!(types("application/json"), ["application/vnd.api+json"]);
    // The boundary of the parts is known to the body alone.
    let multipart = types("multipart/form-data");
    assert!(
        multipart.len() == 1 && multipart[0].contains("boundary="),
        "{multipart:?}"
    );
}

#[test]
fn a_secret_in_a_path_is_not_shown() {
    let parameter = r#""parameters": [{"name": "token", "in": "path", "required": true, "schema": {"type": "string"}}]"#;
    let text = document(&operation("/bot{token}/send", "post", parameter), "");
    let request = sent_with(&text, "{}", |api| api.preset("token", "s3cret")).unwrap();
    let shown = format!("{request:?}");
    assert!(
        request.url.contains("s3cret") && !shown.contains("s3cret"),
        "{shown}"
    );
    assert!(shown.contains("https://api.example.com"), "{shown}");
}

/// Names of headers and security schemes that hold a credential count as secrets, too.
#[test]
fn a_preset_credential_stays_with_the_origin_and_is_not_shown() {
    let schemes = r#""components": {"securitySchemes": {"app": {"type": "apiKey", "in": "query", "name": "appid"}}}"#;
    for (name, place) in [
        ("Authorization", "header"),
        ("Proxy-Authorization", "header"),
        ("Cookie", "header"),
        ("appid", "query"),
        ("AppId", "query"),
    ] {
        let parameter = format!(
            r#""parameters": [{{"name": "{name}", "in": "{place}", "schema": {{"type": "string"}}}}]"#
        );
        let text = document(
            &format!(
                r#""/a": {{"get": {{"operationId": "run", {parameter}}}}}, "/b": {{"get": {{"operationId": "elsewhere", "servers": [{{"url": "https://files.example.com"}}], {parameter}}}}}"#
            ),
            schemes,
        );
        let recorder = Recorder::answering(400, &[], "bad credential Bearer s3cret");
        let tools = OpenApi::parse(&text)
            .unwrap()
            .preset(name, "Bearer s3cret")
            .allow_origin("https://files.example.com")
            .unwrap()
            .client(recorder.clone())
            .toolset()
            .unwrap();
        let error = call(&tools, "run", "{}").unwrap_err();
        assert!(
            !format!("{error} {error:?}").contains("s3cret"),
            "{name}: {error}"
        );
        let _ = call(&tools, "elsewhere", "{}");
        let sent: Vec<_> = recorder
            .requests()
            .iter()
            .map(|request| format!("{} {:?}", request.url, request.headers))
            .collect();
        assert!(
            sent[0].contains("s3cret") && !sent[1].contains("s3cret"),
            "{name}: {sent:?}"
        );
    }
    // A server may repeat one cookie of several.
    let parameter =
        r#""parameters": [{"name": "Cookie", "in": "header", "schema": {"type": "string"}}]"#;
    let text = document(&operation("/a", "get", parameter), "");
    let api = OpenApi::parse(&text)
        .unwrap()
        .preset("Cookie", "lang=en; session=s3cret");
    let recorder = Recorder::answering(400, &[], "bad session s3cret");
    let tools = api.client(recorder).toolset().unwrap();
    let error = call(&tools, "run", "{}").unwrap_err();
    assert!(!format!("{error:?}").contains("s3cret"), "{error}");
    // What is not a secret goes wherever its parameter does.
    let parameter =
        r#""parameters": [{"name": "Accept", "in": "header", "schema": {"type": "string"}}]"#;
    let path = format!(
        r#""/b": {{"get": {{"operationId": "run", "servers": [{{"url": "https://files.example.com"}}], {parameter}}}}}"#
    );
    let request = sent_with(&document(&path, ""), "{}", |api| {
        let api = api.preset("Accept", "text/csv");
        api.allow_origin("https://files.example.com").unwrap()
    });
    assert_eq!(header(&request.unwrap(), "Accept"), Some("text/csv"));
}

#[test]
fn a_part_of_the_path_says_how_its_preset_is_spelled() {
    let parameter = r#""parameters": [{"name": "accountId", "in": "path", "required": true, "schema": {"type": "string"}}]"#;
    let text = document(&operation("/accounts/{accountId}", "get", parameter), "");
    let api = OpenApi::parse(&text).unwrap().preset("account_id", "x");
    let notices = api.notices();
    assert!(
        notices
            .iter()
            .any(|notice| notice.kind == NoticeKind::LeftOut
                && notice.message
                    == "its path needs `accountId`: the preset `account_id` has another spelling"),
        "{notices:?}"
    );
    let request = sent_with(&text, "{}", |api| api.preset("accountId", "x")).unwrap();
    assert_eq!(request.url, "https://api.example.com/v1/accounts/x");
}
