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
