//! Credentials: which request carries which, and that nothing shows them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolwright::call::{BoxFuture, Grant};
use toolwright::{Context, ToolError};
use toolwright_openapi::{
    AuthRequest, Credential, HttpClient, HttpError, HttpRequest, HttpResponse, ImportError, OpenApi,
};

use crate::{Recorder, call, call_with, document, header};

const SCHEMES: &str = r#""security": [{"token": []}], "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"},
    "basic": {"type": "http", "scheme": "basic"}, "key": {"type": "apiKey", "in": "query", "name": "api_key"}, "head": {"type": "apiKey", "in": "header", "name": "X-Key"}}}"#;
const PATHS: &str = r#""/a": {"get": {"operationId": "default"}}, "/b": {"get": {"operationId": "open", "security": []}},
    "/c": {"get": {"operationId": "keys", "security": [{"basic": []}, {"key": [], "head": []}]}}, "/d": {"get": {"operationId": "maybe", "security": [{}, {"token": []}]}},
    "/e": {"get": {"operationId": "elsewhere", "servers": [{"url": "https://files.example.com"}]}}"#;

#[test]
fn each_operation_has_what_it_asks_for() {
    let text = document(PATHS, SCHEMES);
    let recorder = Recorder::default();
    let api = OpenApi::parse(&text)
        .unwrap()
        .bearer("tok-123")
        .api_key("key", "k&1")
        .api_key("head", "h-1");
    let tools = api
        .allow_origin("https://files.example.com")
        .unwrap()
        .client(recorder.clone())
        .toolset()
        .unwrap();
    let request = |name: &str| {
        call(&tools, name, "{}").unwrap();
        recorder.requests().pop().unwrap()
    };
    assert_eq!(
        header(&request("default"), "Authorization"),
        Some("Bearer tok-123")
    );
    assert_eq!(request("open").headers.len(), 1);
    let keys = request("keys");
    assert_eq!(
        (
            keys.url.as_str(),
            header(&keys, "X-Key"),
            header(&keys, "Authorization")
        ),
        (
            "https://api.example.com/v1/c?api_key=k%261",
            Some("h-1"),
            None
        )
    );
    assert_eq!(
        header(&request("maybe"), "Authorization"),
        Some("Bearer tok-123")
    );
    // Another origin gets no credential.
    let elsewhere = request("elsewhere");
    assert_eq!(
        (elsewhere.url.as_str(), header(&elsewhere, "Authorization")),
        ("https://files.example.com/e", None)
    );
    let unknown = OpenApi::parse(&text)
        .unwrap()
        .api_key("none", "x")
        .toolset();
    assert!(matches!(unknown, Err(ImportError::Setting(words)) if words.contains("none")));
    let basic = OpenApi::parse(&text)
        .unwrap()
        .basic("ann", "pass")
        .client(recorder.clone())
        .toolset()
        .unwrap();
    call(&basic, "keys", "{}").unwrap();
    assert_eq!(
        header(&recorder.requests().pop().unwrap(), "Authorization"),
        Some("Basic YW5uOnBhc3M=")
    );
}

/// A token is of no use to an API that takes keys, and says more than it should.
#[test]
fn an_operation_that_takes_only_keys_gets_no_token() {
    let text = document(
        r#""/a": {"get": {"operationId": "keys", "security": [{"key": []}, {"head": []}]}}, "/b": {"get": {"operationId": "token", "security": [{"named": []}]}}"#,
        &SCHEMES.replace(
            r#""basic":"#,
            r#""named": {"type": "apiKey", "in": "header", "name": "Authorization"}, "basic":"#,
        ),
    );
    let recorder = Recorder::default();
    let api = OpenApi::parse(&text).unwrap().bearer("tok-123");
    let tools = api.client(recorder.clone()).toolset().unwrap();
    for (name, expected) in [("keys", None), ("token", Some("Bearer tok-123"))] {
        call(&tools, name, "{}").unwrap();
        let request = recorder.requests().pop().unwrap();
        assert_eq!(header(&request, "Authorization"), expected, "{name}");
    }
    let unknown = OpenApi::parse(&text).unwrap().api_key("kye", "x").toolset();
    let Err(ImportError::Setting(words)) = unknown else {
        panic!("it has such a scheme");
    };
    assert!(words.ends_with("it has `named`, `key`, `head`"), "{words}");
}

/// A token goes where the document asks for one, or does not say what it asks for.
#[test]
fn an_operation_gets_no_credential_of_another_scheme() {
    let operations: Vec<_> = ["basic", "token", "digest", "tls", "undeclared", "odd"]
        .iter()
        .map(|name| {
            format!(r#""/{name}": {{"get": {{"operationId": "{name}", "security": [{{"{name}": []}}]}}}}"#)
        })
        .collect();
    let schemes = SCHEMES.replace(
        r#""basic":"#,
        r#""digest": {"type": "http", "scheme": "digest"}, "tls": {"type": "mutualTLS"}, "odd": {"type": "token"}, "basic":"#,
    );
    let text = document(&operations.join(","), &schemes);
    let got = |name: &str, set: fn(OpenApi<'_>) -> OpenApi<'_>| {
        let recorder = Recorder::default();
        let api = set(OpenApi::parse(&text).unwrap()).client(recorder.clone());
        call(&api.toolset().unwrap(), name, "{}").unwrap();
        let request = recorder.requests().pop().unwrap();
        header(&request, "Authorization").map(|value| value.split(' ').next().unwrap().to_owned())
    };
    for (name, bearer, basic) in [
        ("basic", None, Some("Basic")),
        ("token", Some("Bearer"), None),
        ("digest", None, None),
        ("tls", None, None),
        ("undeclared", Some("Bearer"), Some("Basic")),
        ("odd", Some("Bearer"), Some("Basic")),
    ] {
        assert_eq!(
            got(name, |api| api.bearer("tok-123")).as_deref(),
            bearer,
            "{name}"
        );
        assert_eq!(
            got(name, |api| api.basic("ann", "pass")).as_deref(),
            basic,
            "{name}"
        );
    }
}

/// The server of a path, and one that is relative to the base URL.
#[test]
fn paths_and_operations_have_servers_of_their_own() {
    let text = document(
        r#""/a": {"servers": [{"url": "https://files.example.com/root/"}], "get": {"operationId": "of_path"},
            "put": {"operationId": "of_operation", "servers": [{"url": "/v2"}]}},
            "/b": {"get": {"operationId": "beside", "servers": [{"url": "v3"}]}, "put": {"operationId": "none", "servers": []}}"#,
        SCHEMES,
    );
    let recorder = Recorder::default();
    let api = OpenApi::parse(&text).unwrap().bearer("tok-123");
    let api = api.allow_origin("https://files.example.com").unwrap();
    let tools = api.client(recorder.clone()).toolset().unwrap();
    for (name, url, has_token) in [
        ("of_path", "https://files.example.com/root/a", false),
        ("of_operation", "https://api.example.com/v2/a", true),
        ("beside", "https://api.example.com/v3/b", true),
        ("none", "https://api.example.com/v1/b", true),
    ] {
        call(&tools, name, "{}").unwrap();
        let request = recorder.requests().pop().unwrap();
        assert_eq!(
            (&*request.url, header(&request, "Authorization").is_some()),
            (url, has_token),
            "{name}"
        );
    }
    let tools = OpenApi::parse(&text).unwrap().toolset().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name().to_owned()).collect();
    assert_eq!(names, ["of_operation", "beside", "none"]);
}

#[test]
fn without_a_base_url_no_server_is_doubted() {
    let text = document(PATHS, SCHEMES).replace(
        r#""servers": [{"url": "https://api.example.com/v1"}]"#,
        r#""servers": []"#,
    );
    let api = OpenApi::parse(&text).unwrap();
    assert_eq!(api.notices(), []);
    let with = OpenApi::parse(&text)
        .unwrap()
        .base_url("https://api.example.com")
        .unwrap();
    let notices = with.notices();
    assert!(
        notices.len() == 1 && notices[0].operation == "GET /e",
        "{notices:?}"
    );
}

#[test]
fn nothing_shows_a_secret() {
    let text = document(PATHS, SCHEMES);
    let echo = Recorder::answering(
        400,
        &[],
        "bad token tok-123-secret, Basic YW5uOnBhc3MtMTIz, k%26long-key, pass-123",
    );
    let api = OpenApi::parse(&text)
        .unwrap()
        .bearer("tok-123-secret")
        .api_key("key", "k&long-key")
        .api_key("head", "head-key");
    assert!(!format!("{api:?}").contains("tok-123"));
    let tools = api.client(echo.clone()).toolset().unwrap();
    let error = call(&tools, "default", "{}").unwrap_err();
    assert!(
        !format!("{error} {error:?}").contains("tok-123"),
        "{error:?}"
    );
    let error = call(&tools, "keys", "{}").unwrap_err();
    assert!(
        !format!("{error} {error:?}").contains("long-key"),
        "{error:?}"
    );
    let sent = echo.requests();
    assert!(!format!("{sent:?}").contains("tok-123") && !format!("{sent:?}").contains("long-key"));
    let basic = OpenApi::parse(&text)
        .unwrap()
        .basic("ann", "pass-123")
        .client(echo)
        .toolset()
        .unwrap();
    let error = call(&basic, "keys", "{}").unwrap_err();
    assert!(
        !error.to_string().contains("pass-123") && !error.to_string().contains("YW5uOnBhc3MtMTIz"),
        "{error}"
    );
    assert!(!format!("{:?}", Credential::bearer("tok-123")).contains("tok-123"));
}

#[test]
fn each_caller_has_credentials_of_its_own() {
    let text = document(PATHS, SCHEMES);
    let (recorder, asked) = (Recorder::default(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&asked);
    let api = OpenApi::parse(&text)
        .unwrap()
        .auth(move |request: AuthRequest| {
            count.fetch_add(1, Ordering::Relaxed);
            async move {
                let subject = request
                    .subject
                    .ok_or_else(|| ToolError::failed("nobody is signed in"))?;
                Ok(
                    Credential::bearer(&format!("of-{subject}-{}", request.operation))
                        .expires_in(Duration::from_mins(1)),
                )
            }
        });
    let tools = api.client(recorder.clone()).toolset().unwrap();
    let caller = |name: &str| Context::new().with(Grant::new().with_subject(name));
    let token = |name: &str, tool: &str| {
        call_with(&tools, tool, "{}", &caller(name)).unwrap();
        let request = recorder.requests().pop().unwrap();
        header(&request, "Authorization").map(str::to_owned)
    };
    for _ in 0..3 {
        assert_eq!(
            token("ann", "default").as_deref(),
            Some("Bearer of-ann-default")
        );
        assert_eq!(
            token("bob", "default").as_deref(),
            Some("Bearer of-bob-default")
        );
        assert_eq!(token("ann", "keys").as_deref(), Some("Bearer of-ann-keys"));
    }
    assert_eq!(asked.load(Ordering::Relaxed), 3);
    assert!(
        call(&tools, "default", "{}")
            .unwrap_err()
            .to_string()
            .contains("nobody is signed in")
    );
    assert_eq!(token("ann", "open"), None);
}

#[test]
fn servers_of_a_document_are_called_only_if_there_is_no_doubt() {
    let with = |servers: &str| {
        format!(
            r#"{{"openapi": "3.0.0", "servers": {servers}, "paths": {{"/a": {{"get": {{}}}}}}}}"#
        )
    };
    let good = [
        r#"[{"url": "https://api.example.com/v1"}]"#,
        r#"[{"url": "https://8.8.8.8/"}]"#,
        r#"[{"url": "http://api.example.com/v1"}, {"url": "https://api.example.com/v1"}]"#,
    ];
    for servers in good {
        assert!(
            OpenApi::parse(&with(servers)).unwrap().toolset().is_ok(),
            "{servers}"
        );
    }
    let bad = [
        "[]",
        r#"[{"url": "/v1"}]"#,
        r#"[{"url": "https://a.example"}, {"url": "https://b.example"}]"#,
        r#"[{"url": "http://a.example"}, {"url": "https://a.example/v1"}]"#,
        r#"[{"url": "http://a.example"}, {"url": "http://a.example"}]"#,
        r#"[{"url": "http://api.example.com"}]"#,
        r#"[{"url": "https://{region}.example.com"}]"#,
        r#"[{"url": "https://localhost/v1"}]"#,
        r#"[{"url": "https://127.0.0.1"}]"#,
        r#"[{"url": "https://169.254.169.254/latest"}]"#,
        r#"[{"url": "https://10.0.0.7"}]"#,
        r#"[{"url": "https://192.168.1.1"}]"#,
        r#"[{"url": "https://[::1]"}]"#,
        r#"[{"url": "https://[fe80::1]"}]"#,
        r#"[{"url": "https://[::ffff:127.0.0.1]"}]"#,
        r#"[{"url": "https://[fd00::1]"}]"#,
        r#"[{"url": "https://0x7f000001"}]"#,
        r#"[{"url": "https://metadata.google.internal"}]"#,
        r#"[{"url": "https://intranet"}]"#,
        r#"[{"url": "https://ann:pass@api.example.com"}]"#,
        r#"[{"url": "ftp://api.example.com"}]"#,
    ];
    for servers in bad {
        let error = OpenApi::parse(&with(servers))
            .unwrap()
            .toolset()
            .unwrap_err();
        assert!(
            matches!(error, ImportError::NoBaseUrl(_)),
            "{servers}: {error}"
        );
        assert!(!servers.contains("b.example") || error.to_string().contains("b.example"));
        assert!(
            OpenApi::parse(&with(servers))
                .unwrap()
                .base_url("http://127.0.0.1:8080/v1")
                .unwrap()
                .toolset()
                .is_ok(),
            "{servers}"
        );
    }
    for base in [
        "/v1",
        "ftp://a.example",
        "https://a:b@c.example",
        "https://a.example?x=1",
        "https://a.example#x",
        "file:///etc/passwd",
    ] {
        let text = with("[]");
        assert!(
            OpenApi::parse(&text).unwrap().base_url(base).is_err(),
            "{base}"
        );
    }
}

/// An authorization server and an API.
#[derive(Clone, Default)]
struct Servers(Arc<Mutex<Vec<HttpRequest>>>);

impl HttpClient for Servers {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, HttpError>> {
        let is_token = request.url == "https://auth.example.com/token";
        self.0.lock().unwrap().push(request);
        let body = if is_token {
            r#"{"access_token": "fresh", "expires_in": 3600}"#
        } else {
            "[]"
        };
        let response = HttpResponse {
            status: 200,
            body: body.into(),
            ..HttpResponse::default()
        };
        Box::pin(async move { Ok(response) })
    }
}

#[test]
fn client_credentials_get_one_token_from_the_hosts_server() {
    let schemes = r#""security": [{"o": []}], "components": {"securitySchemes": {"o": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://evil.example/token", "scopes": {}}}}}}"#;
    let text = document(PATHS, schemes);
    let servers = Servers::default();
    let api = OpenApi::parse(&text)
        .unwrap()
        .client_credentials("https://auth.example.com/token", "id", "a:b")
        .unwrap();
    let tools = api.client(servers.clone()).toolset().unwrap();
    call(&tools, "default", "{}").unwrap();
    call(&tools, "default", "{}").unwrap();
    let sent = servers.0.lock().unwrap();
    let urls: Vec<_> = sent.iter().map(|request| request.url.as_str()).collect();
    assert_eq!(
        urls,
        [
            "https://auth.example.com/token",
            "https://api.example.com/v1/a",
            "https://api.example.com/v1/a"
        ]
    );
    // `id:a%3Ab`, since RFC 6749 escapes both.
    assert_eq!(
        header(&sent[0], "Authorization"),
        Some("Basic aWQ6YSUzQWI=")
    );
    assert_eq!(
        sent[0].body.as_deref(),
        Some(&b"grant_type=client_credentials"[..])
    );
    assert_eq!(header(&sent[2], "Authorization"), Some("Bearer fresh"));
}

#[test]
fn a_request_for_a_token_has_the_parameters_of_its_server() {
    let text = document(PATHS, SCHEMES);
    let sent = |set: fn(OpenApi<'_>) -> OpenApi<'_>| {
        let servers = Servers::default();
        let api = OpenApi::parse(&text)
            .unwrap()
            .client_credentials("https://auth.example.com/token", "id", "secret")
            .unwrap();
        let tools = set(api).client(servers.clone()).toolset().unwrap();
        call(&tools, "default", "{}").unwrap();
        servers.0.lock().unwrap().swap_remove(0)
    };
    let scoped = sent(|api| {
        api.token_parameter("scope", "orders.read orders.write")
            .token_parameter("audience", "https://api.example.com")
    });
    assert_eq!(
        crate::body(&scoped),
        "grant_type=client_credentials&scope=orders.read%20orders.write&audience=https%3A%2F%2Fapi.example.com"
    );
    assert!(header(&scoped, "Authorization").is_some());
    let in_form = sent(|api| {
        api.token_parameter("client_id", "id")
            .token_parameter("client_secret", "secret")
    });
    assert_eq!(
        crate::body(&in_form),
        "grant_type=client_credentials&client_id=id&client_secret=secret"
    );
    assert_eq!(header(&in_form, "Authorization"), None);
}
