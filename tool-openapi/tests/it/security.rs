//! What documents, models and answers must not get past the host.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use toolwright::Context;
use toolwright::call::Grant;
use toolwright_openapi::{AuthRequest, Credential, NoticeKind, OpenApi};

use crate::bodies::with_body;
use crate::{
    Recorder, body, call, call_with, document, header, operation, schema, sent, sent_with,
};

/// The document of a server of Toolwright has the operation by which people approve calls.
#[test]
fn a_model_decides_about_no_call_that_waits() {
    let other = operation("/calls", "get", r#""summary": "Lists""#);
    let text = document(
        &operation(
            "/calls/{id}",
            "post",
            r#""x-toolwright-decision": true, "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]"#,
        ),
        "",
    );
    let api = OpenApi::parse(&text).unwrap();
    assert!(api.toolset().is_err());
    let notices = OpenApi::parse(&text).unwrap().notices();
    let [notice] = notices.as_slice() else {
        panic!("{notices:?}")
    };
    assert_eq!(notice.kind, NoticeKind::LeftOut);
    assert!(notice.message.contains("a person decides"), "{notice:?}");
    assert!(
        OpenApi::parse(&document(&other, ""))
            .unwrap()
            .toolset()
            .is_ok()
    );
}

#[test]
fn the_query_of_a_path_follows_the_rules_of_queries() {
    let parameter = r#""parameters": [{"name": "m", "in": "path", "required": true, "schema": {"type": "string"}}]"#;
    let schemes = r#""components": {"securitySchemes": {"k": {"type": "apiKey", "in": "query", "name": "api_key"}}}"#;
    for path in [
        "/a?_method={m}",
        "/a?_METHOD=DELETE",
        "/a?%5Fmethod={m}",
        "/a?x=1&X-HTTP-Method-Override={m}",
    ] {
        assert!(
            OpenApi::parse(&document(&operation(path, "get", parameter), ""))
                .unwrap()
                .toolset()
                .is_err(),
            "{path}"
        );
    }
    for path in [
        "/a?api_key={m}",
        "/a?Api-Key={m}",
        "/a?api_key=demo",
        "/a?access_token={m}",
    ] {
        let text = document(&operation(path, "get", parameter), schemes);
        assert_eq!(schema(&text)["properties"], serde_json::json!({}), "{path}");
        assert_eq!(
            sent(&text, "{}").unwrap().url,
            "https://api.example.com/v1/a",
            "{path}"
        );
        assert!(
            !OpenApi::parse(&text).unwrap().notices().is_empty(),
            "{path}"
        );
    }
    let text = document(&operation("/a?tenant={m}&q=1", "get", parameter), "");
    let request = sent_with(&text, "{}", |api| api.preset("tenant", "a b")).unwrap();
    assert_eq!(request.url, "https://api.example.com/v1/a?tenant=a%20b&q=1");
    assert!(
        sent(&text, r#"{"m": "x"}"#)
            .unwrap()
            .url
            .ends_with("?tenant=x&q=1")
    );
}

const KEY: &str = r#""security": [{"k": []}], "components": {"securitySchemes": {"k": {"type": "apiKey", "in": "query", "name": "api_key"}}}"#;

#[test]
fn answers_do_not_show_the_hosts_key() {
    let secret = "to/k\"e 12";
    let text = document(&operation("/a", "get", r#""tags": []"#), KEY);
    let json = &[("content-type", "application/json")][..];
    let plain = &[("content-type", "text/plain")][..];
    for (status, headers, answer) in [
        (
            200,
            json,
            r#"{"links": {"next": "https://api.example.com/a?page=2&api_key=to%2Fk%22e%2012"}}"#,
        ),
        (200, json, r#"{"a": {"to\/k\"e 12": 1}}"#),
        (200, json, r#"["to/k\u0022e 12"]"#),
        (200, json, r#"["x?k=to%2fk%22e+12"]"#),
        (200, plain, r#"your key is to/k"e 12"#),
        (200, plain, r#"{"key": "to\/k\"e 12", "#),
        (400, json, r#"{"error": "bad key to\/k\u0022e 12"}"#),
        (400, plain, "bad key to%2fk%22e+12"),
    ] {
        let tools = OpenApi::parse(&text)
            .unwrap()
            .api_key("k", secret)
            .client(Recorder::answering(status, headers, answer))
            .toolset()
            .unwrap();
        let seen = match call(&tools, "run", "{}") {
            Ok(outcome) => outcome.payload().unwrap().to_json().into_owned(),
            Err(error) => format!("{error} {error:?}"),
        };
        assert!(
            seen.contains("[secret]") && !seen.contains("12"),
            "{answer}: {seen}"
        );
    }
}

#[test]
fn a_credential_replaces_what_a_model_sent_under_its_name() {
    let parameters = r#""parameters": [{"name": "k", "in": "query", "schema": {"type": "string"}}, {"name": "k2", "in": "query", "schema": {"type": "string"}},
        {"name": "x_tenant", "in": "header", "schema": {"type": "string"}}, {"name": "C", "in": "cookie", "schema": {"type": "string"}}, {"name": "d", "in": "cookie", "schema": {"type": "string"}}]"#;
    let text = document(&operation("/a", "get", parameters), "");
    let given = r#"{"k": "evil", "k2": "fine", "x_tenant": "evil", "C": "evil", "d": "fine"}"#;
    let request = |credential: Credential| {
        sent_with(&text, given, |api| {
            api.auth(move |_| std::future::ready(Ok(credential.clone())))
        })
        .unwrap()
    };
    assert!(
        request(Credential::query("k", "mine"))
            .url
            .ends_with("/a?k2=fine&k=mine")
    );
    assert!(
        request(Credential::query("K", "mine"))
            .url
            .ends_with("/a?k2=fine&K=mine")
    );
    let by_header = request(Credential::header("X-Tenant", "mine"));
    assert_eq!(header(&by_header, "X-Tenant"), Some("mine"));
    assert_eq!(header(&by_header, "x_tenant"), None);
    assert_eq!(
        header(&request(Credential::cookie("c", "mine")), "Cookie"),
        Some("d=fine; c=mine")
    );
}

#[test]
fn a_caller_without_a_name_shares_no_credential() {
    let text = document(&operation("/a", "get", r#""tags": []"#), KEY);
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let tools = OpenApi::parse(&text)
        .unwrap()
        .auth(move |_: AuthRequest| {
            let number = count.fetch_add(1, Ordering::Relaxed);
            std::future::ready(Ok(
                Credential::bearer(&format!("token-{number}")).expires_in(Duration::from_mins(1))
            ))
        })
        .client(Recorder::default())
        .toolset()
        .unwrap();
    for cx in [Context::new(), Context::new().with(Grant::new())] {
        for _ in 0..2 {
            call_with(&tools, "run", "{}", &cx).unwrap();
        }
    }
    assert_eq!(asked.load(Ordering::Relaxed), 4);
    // The newest callers are kept, however many there were.
    let cx = |name: usize| Context::new().with(Grant::new().with_subject(format!("caller-{name}")));
    for name in 0..1_030 {
        call_with(&tools, "run", "{}", &cx(name)).unwrap();
    }
    call_with(&tools, "run", "{}", &cx(1_029)).unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 4 + 1_030);
}

#[test]
fn a_value_that_some_server_reads_as_empty_is_refused() {
    let text = |style: &str| {
        let parameter = format!(
            r#""parameters": [{{"name": "id", "in": "path", "required": true, "style": "{style}", "schema": {{"type": "string"}}}}]"#
        );
        document(&operation("/orders/{id}", "delete", &parameter), "")
    };
    for id in [
        "", "/", "//", ";x", "\\", " ", "%20", "%2F", "%252f", ";", " ;a=b", "%3Bx", "/;x",
    ] {
        for style in ["simple", "matrix"] {
            let given = serde_json::json!({"id": id}).to_string();
            assert!(sent(&text(style), &given).is_err(), "{style} {id:?}");
        }
    }
    assert!(
        sent(&text("matrix"), r#"{"id": "a b"}"#)
            .unwrap()
            .url
            .ends_with("/orders/;id=a%20b")
    );
    assert!(
        sent(&text("simple"), r#"{"id": "a;b"}"#)
            .unwrap()
            .url
            .ends_with("/orders/a%3Bb")
    );
    assert!(sent(&text("simple"), r#"{"id": "50%25"}"#).is_ok());
}

/// Each of these took time that grows with the square of the argument.
#[test]
fn long_arguments_cost_no_more_than_their_length() {
    let parameter = r#""parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]"#;
    let text = document(&operation("/orders/{id}", "get", parameter), "");
    for count in [6, 100, 2_000, 1_000_000] {
        let given = serde_json::json!({"id": format!("%{}", "25".repeat(count))}).to_string();
        assert!(sent(&text, &given).is_err(), "{count}");
    }
    let form = with_body(
        "multipart/form-data",
        true,
        r#"{"type": "object", "properties": {"note": {"type": "string"}}}"#,
    );
    let all: Vec<_> = (0..2_000)
        .map(|count| format!("toolwright-{count}"))
        .collect();
    let given = serde_json::json!({"note": all.join(" ")}).to_string();
    let request = sent(&form, &given).unwrap();
    let boundary = header(&request, "Content-Type")
        .unwrap()
        .rsplit('=')
        .next()
        .unwrap()
        .to_owned();
    assert!(!all.contains(&boundary), "{boundary}");
    assert_eq!(body(&request).matches(&boundary).count(), 2);
}

#[test]
fn more_names_look_secret_and_paging_tokens_do_not() {
    let with = |name: &str| {
        let parameter = format!(
            r#""parameters": [{{"name": "{name}", "in": "query", "schema": {{"type": "string"}}}}]"#
        );
        document(&operation("/a", "get", &parameter), "")
    };
    for name in [
        "Private-Token",
        "X-Vault-Token",
        "Api-Token",
        "X-Api-Secret",
        "refresh_token",
        "id_token",
        "JSESSIONID",
        "PHPSESSID",
        "csrftoken",
        "pwd",
        "passwd",
        "X-XSRF-TOKEN",
        "X-Authorization",
        "X-Authentication",
        "Authorization",
        "Bearer",
        "X-Passphrase",
        "X-Credentials",
        "credential",
    ] {
        assert!(
            schema(&with(name))["properties"].get(name).is_none(),
            "{name}"
        );
    }
    for name in [
        "page_token",
        "nextToken",
        "pageToken",
        "continuationToken",
        "sync_token",
        "continue_token",
        "starting_token",
        "authorization_id",
        "allow_credentials",
        "bearer_of_news",
    ] {
        assert!(
            schema(&with(name))["properties"].get(name).is_some(),
            "{name}"
        );
    }
}

#[test]
fn a_reading_method_that_acts_anywhere_in_its_name_does_not_count_as_reading() {
    let hints = |path: &str, id: &str| {
        let text = document(
            &format!(r#""{path}": {{"get": {{"operationId": "{id}"}}}}"#),
            "",
        );
        let tools = OpenApi::parse(&text).unwrap().toolset().unwrap();
        tools.get(id).unwrap().def().options.annotations.read_only
    };
    for (path, id) in [
        ("/users/{user}/hardDelete", "x"),
        ("/a", "adminUsersDelete"),
        ("/a/activate", "x"),
        ("/a/kill", "x"),
        ("/cache/clear", "x"),
        ("/a", "runJob"),
        ("/a/refund", "x"),
        ("/a", "user_rename"),
        ("/deleteuser", "x"),
        ("/a", "removeall"),
    ] {
        assert_eq!(hints(path, id), Some(false), "{path} {id}");
    }
    for (path, id) in [
        ("/senders", "listSenders"),
        ("/deleted-items", "listDeletedItems"),
        ("/orders", "getOrders"),
        ("/updates", "x"),
        ("/creators", "deletedAt"),
    ] {
        assert_eq!(hints(path, id), Some(true), "{path} {id}");
    }
}

#[test]
fn a_required_key_is_sent_without_a_place_of_the_call() {
    let parameters = r#""parameters": [{"name": "Idempotency-Key", "in": "header", "required": true, "schema": {"type": "string"}}]"#;
    let text = document(&operation("/pay", "post", parameters), "");
    let key = || header(&sent(&text, "{}").unwrap(), "Idempotency-Key").map(str::to_owned);
    let first = key();
    assert!(
        first.as_ref().is_some_and(|key| key.len() >= 32),
        "{first:?}"
    );
    assert_ne!(first, key());
}

#[test]
fn a_huge_value_of_json_is_cut() {
    let text = document(&operation("/a", "get", r#""tags": []"#), "");
    let entries: Vec<_> = (0..10_000)
        .map(|count| format!(r#""key-{count}": {count}"#))
        .collect();
    let row = format!(
        "[{}]",
        vec!["\"0123456789012345678901234567890123456789\""; 50].join(",")
    );
    let table = format!("[{}]", vec![row; 50].join(","));
    for answer in [format!("{{{}}}", entries.join(",")), table] {
        let tools = OpenApi::parse(&text)
            .unwrap()
            .client(Recorder::answering(
                200,
                &[("content-type", "application/json")],
                &answer,
            ))
            .toolset()
            .unwrap();
        let seen = call(&tools, "run", "{}")
            .unwrap()
            .payload()
            .unwrap()
            .to_json()
            .into_owned();
        assert!(
            seen.len() < 60_000 && seen.contains("cut"),
            "{}",
            seen.len()
        );
    }
}

#[test]
fn a_hidden_parameter_that_the_api_requires_is_a_notice() {
    let text = document(
        &operation(
            "/a",
            "get",
            r#""parameters": [{"name": "a", "in": "query", "required": true, "schema": {}}, {"name": "b", "in": "query", "schema": {}}]"#,
        ),
        "",
    );
    let notices = OpenApi::parse(&text).unwrap().hide(|_| true).notices();
    let hidden: Vec<_> = notices
        .iter()
        .filter(|notice| notice.kind == NoticeKind::NotOffered)
        .collect();
    assert!(
        hidden.len() == 1 && hidden[0].message.contains("`a`"),
        "{notices:?}"
    );
}

/// `%+F` is not an escape, so it cannot hide what stands behind it.
#[test]
fn a_sign_is_no_digit_of_an_escape() {
    let text = document(&operation("/a%+F/{id}", "get", r#""parameters": []"#), "");
    assert_eq!(
        sent(&text, r#"{"id": "x"}"#).unwrap().url,
        "https://api.example.com/v1/a%25+F/x"
    );
}

/// Properties of one object cost the square of their number.
#[test]
fn an_object_of_many_properties_is_read() {
    let all: Vec<_> = (0..60_000).map(|n| format!(r#""p{n}": {{}}"#)).collect();
    let text = with_body(
        "application/json",
        true,
        &format!(
            r#"{{"type": "object", "properties": {{{}}}}}"#,
            all.join(",")
        ),
    );
    let notices = OpenApi::parse(&text).unwrap().notices();
    assert!(
        notices
            .iter()
            .all(|notice| notice.kind != NoticeKind::LeftOut),
        "{notices:?}"
    );
}

/// What was read of a long answer may end inside of a key.
#[test]
fn an_answer_that_is_cut_inside_of_a_key_does_not_show_its_start() {
    let text = document(&operation("/a", "get", r#""tags": []"#), KEY);
    for (status, answer) in [
        (200, "your key is top-sec"),
        (200, "[\"top-secret-k"),
        (400, "bad key top-secret"),
    ] {
        let client = Recorder::answering(status, &[("content-type", "text/plain")], answer);
        client.answer.lock().unwrap().is_cut = true;
        let tools = OpenApi::parse(&text)
            .unwrap()
            .api_key("k", "top-secret-key")
            .client(client)
            .toolset()
            .unwrap();
        let seen = match call(&tools, "run", "{}") {
            Ok(outcome) => outcome.payload().unwrap().to_json().into_owned(),
            Err(error) => format!("{error} {error:?}"),
        };
        assert!(
            !seen.contains("top-") && seen.contains("[secret]"),
            "{seen}"
        );
    }
}

/// Some APIs have one `GET` for all they do.
#[test]
fn a_reading_method_that_lets_a_parameter_choose_does_not_count_as_reading() {
    let reads = |parameter: &str| {
        let text = document(
            &operation("/a", "get", &format!(r#""parameters": [{parameter}]"#)),
            "",
        )
        .replace("run", "look");
        let tools = OpenApi::parse(&text).unwrap().toolset().unwrap();
        tools
            .get("look")
            .unwrap()
            .def()
            .options
            .annotations
            .read_only
    };
    let chooses = r#"{"name": "action", "in": "query", "schema": {"type": "string", "enum": ["list", "delete"]}}"#;
    assert_eq!(reads(chooses), Some(false));
    assert_eq!(reads(&chooses.replace("delete", "deleteItem")), Some(false));
    assert_eq!(reads(&chooses.replace("delete", "count")), Some(true));
    assert_eq!(reads(&chooses.replace("action", "sort")), Some(true));
}

#[test]
fn an_empty_value_before_a_semicolon_of_the_path_is_refused() {
    let parameters = r#""parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}, {"name": "rev", "in": "path", "required": true, "schema": {"type": "string"}}]"#;
    let text = document(
        &operation("/orders/{id};rev={rev}", "delete", parameters),
        "",
    );
    for id in ["", " ", "%20", ";x"] {
        let given = serde_json::json!({"id": id, "rev": "5"}).to_string();
        assert!(sent(&text, &given).is_err(), "{id:?}");
    }
    let request = sent(&text, r#"{"id": "7", "rev": "5"}"#).unwrap();
    assert!(request.url.ends_with("/orders/7;rev=5"), "{}", request.url);
}

/// The host's own URL is called, and never one that a document makes of its variables.
#[test]
fn a_server_with_variables_is_a_url_of_the_host_that_fits() {
    let own = r#""servers": [{"url": "https://{index}-{project}.svc.{place}.example.com/v1"}]"#;
    let text = document(&operation("/a", "get", own), "");
    let called = |base: &str, allowed: &str| {
        let client = Recorder::default();
        let api = OpenApi::parse(&text).unwrap().client(client.clone());
        let api = api.base_url(base).unwrap().bearer("tok-123");
        let api = api.allow_origin(allowed).unwrap();
        let tools = api.toolset().ok()?;
        call(&tools, "run", "{}").unwrap();
        let request = client.requests().pop().unwrap();
        let has_token = header(&request, "Authorization").is_some();
        Some((request.url, has_token))
    };
    let index = "https://shop-7.svc.eu.example.com/v1";
    let url = format!("{index}/a");
    assert_eq!(
        called(index, "https://b.example.com"),
        Some((url.clone(), true))
    );
    assert_eq!(called("https://b.example.com", index), Some((url, false)));
    for other in [
        "https://shop-7.svc.eu.example.com",
        "https://shop-7.svc..example.com/v1",
        "https://shop7.svc.eu.example.com/v1",
        "http://shop-7.svc.eu.example.com/v1",
        "https://shop-7.svc.eu.example.com.evil.example/v1/b",
    ] {
        assert_eq!(called(other, "https://b.example.com"), None, "{other}");
    }
}
