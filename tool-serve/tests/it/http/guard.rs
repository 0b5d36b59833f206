//! Who may ask, and what is refused.

use std::io::Write;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use toolwright::serve::axum::body::Body;
use toolwright::serve::axum::extract::Request;
use toolwright::serve::axum::http::HeaderValue;
use toolwright::serve::axum::middleware::{Next, from_fn};
use toolwright::serve::axum::routing::get;
use toolwright::serve::http::HttpServer;
use toolwright::{Context, call::Cancel};
use tower_service::Service;

use super::client::{read, serve, serve_with};
use super::tools;

#[test]
fn names_that_are_not_allowed_are_refused() {
    let served = serve_with(|server| server.allow_host("Tools.Example.com"));
    let table = [
        ("127.0.0.1", 200),
        ("localhost", 200),
        ("LOCALHOST:8080", 200),
        ("[::1]:8080", 200),
        ("tools.example.com", 200),
        ("tools.example.com:8080", 200),
        ("evil.example.com", 403),
        ("localhost.evil.example.com", 403),
        ("127.0.0.1.evil.example.com", 403),
        ("tools.example.com.evil.example.com:80", 403),
        ("", 403),
    ];
    for (host, status) in table {
        for path in ["/tools", "/", "/health", "/nothing"] {
            let status = if (path, status) == ("/nothing", 200) {
                404
            } else {
                status
            };
            let request =
                format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            let answer = served.raw(request.as_bytes());
            assert_eq!(answer.status, status, "{host} {path}: {answer:?}");
        }
    }
    let twice = "GET /tools HTTP/1.1\r\nHost: localhost\r\nHost: evil.example.com\r\nConnection: close\r\n\r\n";
    assert_ne!(served.raw(twice.as_bytes()).status, 200);
}

#[test]
fn pages_of_other_sites_are_refused() {
    let served = serve_with(|server| server.allow_origin("https://app.example.com"));
    let own = format!("http://{}", served.address);
    let table = [
        (own.as_str(), 200),
        ("https://app.example.com", 200),
        ("https://app.example.com:8443", 403),
        ("http://evil.example.com", 403),
        ("http://127.0.0.1:1", 403),
        ("null", 403),
        (&own.replace("http", "evil"), 403),
        (&own.replace("http", "ftp"), 403),
        ("https://app.example.com.evil.example.com", 403),
    ];
    for (origin, status) in table {
        let answer = served.get_with("/tools", &format!("Origin: {origin}\r\n"));
        assert_eq!(answer.status, status, "{origin}: {answer:?}");
    }
    // A page of the same host over another scheme, as the browser sees it.
    for (site, status) in [
        ("same-origin", 200),
        ("same-site", 403),
        ("cross-site", 403),
    ] {
        let headers = format!("Origin: {own}\r\nSec-Fetch-Site: {site}\r\n");
        assert_eq!(served.get_with("/tools", &headers).status, status, "{site}");
    }
}

#[test]
fn bodies_in_codings_that_are_not_undone_are_refused() {
    let served = serve();
    let host = served.address.to_string();
    for (coding, status) in [
        ("chunked", 200),
        ("Chunked", 200),
        ("gzip, chunked", 501),
        ("identity, chunked", 501),
        ("gzip,chunked", 501),
    ] {
        let request = format!(
            "POST /tools/order HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Transfer-Encoding: {coding}\r\n\r\nd\r\n{{\"lines\": []}}\r\n0\r\n\r\n"
        );
        let answer = served.raw(request.as_bytes());
        assert_eq!(answer.status, status, "{coding}: {answer:?}");
    }
}

#[test]
fn heads_have_a_limit() {
    let served = serve();
    for (size, status) in [(30_000, 200), (66_000, 431), (80_000, 431)] {
        let long = format!("X-Long: {}\r\n", "a".repeat(size));
        assert_eq!(served.get_with("/tools", &long).status, status, "{size}");
    }
}

const APP: &str = "https://app.example.com";

/// Pages of browser extensions and of apps have schemes of their own.
#[test]
fn origins_of_any_scheme_are_listed() {
    for origin in ["chrome-extension://abc", "tauri://localhost"] {
        let served = serve_with(|server| server.allow_origin(origin));
        let listed = served.get_with("/tools", &format!("Origin: {origin}\r\n"));
        assert_eq!(listed.status, 200, "{listed:?}");
        assert_eq!(listed.header("access-control-allow-origin"), Some(origin));
        let other = served.get_with("/tools", "Origin: moz-extension://abc\r\n");
        assert_eq!(other.status, 403, "{other:?}");
    }
}

#[test]
fn pages_of_listed_origins_read_every_answer() {
    let served = serve_with(|server| server.allow_origin(APP).bearer("correct"));
    let host = served.address.to_string();
    let ask = |method: &str, path: &str, headers: &str| {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n"
        );
        served.raw(head.as_bytes())
    };
    let page = format!("Origin: {APP}\r\n");
    let allowed = format!("{page}Authorization: Bearer correct\r\n");
    let html = format!("{allowed}Accept: text/html\r\n");
    for (method, path, headers, status) in [
        ("GET", "/health", &page, 200),
        ("GET", "/tools", &page, 401),
        ("POST", "/mcp", &page, 401),
        ("GET", "/tools", &allowed, 200),
        ("GET", "/nothing", &allowed, 404),
        ("DELETE", "/tools", &allowed, 405),
        ("OPTIONS", "/tools", &allowed, 405),
        ("POST", "/mcp", &html, 406),
        ("POST", "/mcp", &allowed, 415),
        ("POST", "/tools/order", &allowed, 415),
    ] {
        let answer = ask(method, path, headers);
        assert_eq!(answer.status, status, "{method} {path}: {answer:?}");
        assert_eq!(
            answer.header("access-control-allow-origin"),
            Some(APP),
            "{answer:?}"
        );
        let exposed = answer.header("access-control-expose-headers").unwrap();
        assert!(exposed.contains("mcp-session-id"), "{exposed}");
        assert_eq!(answer.header("vary"), Some("Origin"), "{answer:?}");
        assert_eq!(answer.header("access-control-allow-credentials"), None);
    }
    let preflight = "Access-Control-Request-Method: POST\r\n\
                     Access-Control-Request-Headers: authorization,content-type,mcp-param-city\r\n";
    for path in ["/mcp", "/tools/order", "/nothing"] {
        let answer = ask("OPTIONS", path, &format!("{page}{preflight}"));
        assert_eq!(
            (answer.status, &*answer.body),
            (204, ""),
            "{path}: {answer:?}"
        );
        assert_eq!(answer.header("access-control-allow-origin"), Some(APP));
        let methods = answer.header("access-control-allow-methods");
        assert_eq!(methods, Some("POST"));
        let headers = answer.header("access-control-allow-headers");
        assert_eq!(headers, Some("authorization,content-type,mcp-param-city"));
    }
}

#[test]
fn pages_of_no_listed_origin_read_nothing() {
    let served = serve_with(|server| server.allow_origin(APP));
    let host = served.address.to_string();
    let own = format!("http://{host}");
    let preflight = "Access-Control-Request-Method: POST\r\n";
    for origin in [
        "https://evil.example.com",
        "null",
        &own,
        "https://app.example.com:444",
    ] {
        for method in ["GET", "OPTIONS"] {
            let head = format!(
                "{method} /tools HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nOrigin: {origin}\r\n{preflight}\r\n"
            );
            let answer = served.raw(head.as_bytes());
            assert_ne!(answer.status, 204, "{origin}: {answer:?}");
            assert_eq!(
                answer.header("access-control-allow-origin"),
                None,
                "{answer:?}"
            );
            assert_eq!(answer.header("vary"), Some("Origin"), "{answer:?}");
        }
    }
    // Under DNS rebinding not even a listed page gets past the preflight.
    let head = format!(
        "OPTIONS /tools HTTP/1.1\r\nHost: evil.example.com\r\nConnection: close\r\nOrigin: {APP}\r\n{preflight}\r\n"
    );
    assert_eq!(served.raw(head.as_bytes()).status, 403);
    // Without listed origins nothing is said of them.
    assert_eq!(serve().get("/tools").header("vary"), None);
}

#[test]
fn a_token_is_asked_for_where_tools_are() {
    let served = serve_with(|server| server.bearer("correct"));
    for (path, status) in [
        ("/tools", 401),
        ("/openapi.json", 401),
        ("/tools/order/definitions", 401),
        ("/", 200),
        ("/health", 200),
        ("/page/page.js", 200),
    ] {
        let answer = served.get(path);
        assert_eq!(answer.status, status, "{path}");
        assert_eq!(answer.header("www-authenticate").is_some(), status == 401);
    }
    for (header, status) in [
        ("Authorization: Bearer correct", 200),
        ("authorization: bearer correct", 200),
        ("Authorization: Bearer correc", 401),
        ("Authorization: Bearer correctt", 401),
        ("Authorization: Bearer ", 401),
        ("Authorization: Basic correct", 401),
        ("Authorization: correct", 401),
    ] {
        let answer = served.get_with("/tools", &format!("{header}\r\n"));
        assert_eq!(answer.status, status, "{header}");
    }
    assert_eq!(served.call("order", r#"{"lines": []}"#).status, 401);
}

#[test]
fn a_token_has_no_space_around_it_and_one_that_is_none_lets_nobody_in() {
    let served = serve_with(|server| server.bearer(" correct\n"));
    let fits = "Authorization: Bearer correct\r\n";
    assert_eq!(served.get_with("/tools", fits).status, 200);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    for token in [
        "",
        " \n",
        "cor rect",
        "cor\nrect",
        "corr\u{e9}ct",
        "cor\0rect",
    ] {
        let with_token = || HttpServer::new(tools::all()).bearer(token);
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let refused = with_token()
                .serve(listener, Cancel::new())
                .await
                .unwrap_err();
            assert_eq!(
                refused.kind(),
                std::io::ErrorKind::InvalidInput,
                "{token:?}"
            );
            assert!(refused.to_string().starts_with("the token "), "{refused}");
            // Whoever serves the routes lets nobody in.
            for given in [token.trim(), ""] {
                let request = Request::builder().uri("/tools").header("host", "localhost");
                let Ok(given) = HeaderValue::try_from(format!("Bearer {given}")) else {
                    continue;
                };
                let request = request.header("authorization", given);
                let mut router = with_token().into_router(&Cancel::new());
                let answer = Service::call(&mut router, request.body(Body::empty()).unwrap());
                assert_eq!(answer.await.unwrap().status(), 401, "{token:?}");
            }
        });
    }
}

/// What a host says, and whether that is enough.
type Case = (fn(HttpServer) -> HttpServer, bool);

#[test]
fn beyond_the_loopback_somebody_has_to_ask_for_something() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let stop = Cancel::new();
        stop.cancel();
        let table: [Case; 3] = [
            (|server| server, false),
            (|server| server.bearer("t"), true),
            (HttpServer::allow_anyone, true),
        ];
        for (change, is_served) in table {
            let listener = tokio::net::TcpListener::bind("0.0.0.0:0").await.unwrap();
            let served = change(HttpServer::new(tools::all()))
                .serve(listener, stop.clone())
                .await;
            assert_eq!(served.is_ok(), is_served, "{served:?}");
        }
    });
}

#[test]
fn answers_tell_browsers_to_be_careful() {
    let served = serve();
    for path in ["/", "/tools", "/nothing", "/health"] {
        let answer = served.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
    // The page loads nothing from elsewhere, and runs nothing that stands in it.
    let page = served.get("/").body;
    assert!(
        !page.contains("http://") && !page.contains("https://"),
        "{page}"
    );
    assert!(!page.contains("<style") && !page.contains(" style=") && !page.contains(" onclick="));
}

#[test]
fn routes_and_layers_of_the_host_stand_behind_the_guard() {
    let served = serve_with(|server| {
        server.bearer("t").routes(|router| {
            router
                .route("/version", get(|| async { "1.2.0" }))
                .layer(from_fn(|mut request: Request, next: Next| {
                    request
                        .extensions_mut()
                        .insert(Context::new().with_agent("ada"));
                    next.run(request)
                }))
        })
    });
    assert_eq!(served.get("/version").status, 401);
    let token = "Authorization: Bearer t\r\n";
    assert_eq!(served.get_with("/version", token).body, "1.2.0");
    let answer = served.call_with(
        "whoami",
        b"{}",
        &format!("{token}Content-Type: application/json\r\n"),
    );
    assert_eq!(answer.json()["value"], "ada");
}

#[test]
fn what_is_too_long_is_refused() {
    let served = serve();
    let limit = 8 * 1024 * 1024;
    let text = |length: usize| format!(r#"{{"lines": [], "x": "{}"}}"#, "a".repeat(length - 22));
    assert_eq!(served.call("order", &text(limit)).status, 422);
    let answer = served.call("order", &text(limit + 1));
    assert_eq!(
        (answer.status, answer.kind().as_str()),
        (413, "too_large"),
        "{}",
        answer.head
    );
    // A body that does not say how long it is.
    let host = served.address;
    let mut stream = served.connect();
    let head = format!(
        "POST /tools/order HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let piece = format!("100000\r\n{}\r\n", "a".repeat(0x10_0000));
    for _ in 0..9 {
        stream.write_all(piece.as_bytes()).unwrap();
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    assert_eq!(read(stream).status, 413);
    // A head without an end.
    let head = format!("GET /health HTTP/1.1\r\nX-Long: {}", "a".repeat(70_000));
    assert_eq!(served.raw(head.as_bytes()).status, 431);
}

#[test]
fn bad_requests_end_their_connection_alone() {
    let served = serve();
    for bytes in [
        &b"\x00\x01\x02\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /tools/order HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
    ] {
        let answer = served.raw(bytes);
        assert!(answer.status == 400 || answer.status == 505, "{answer:?}");
    }
    // Half a request, and nothing more.
    let mut half = served.connect();
    half.write_all(b"POST /tools/order HTTP/1.1\r\nHost: local")
        .unwrap();
    assert_eq!(served.get("/health").status, 200);
    drop(half);
}

#[tokio::test]
async fn a_head_that_does_not_come_is_not_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = HttpServer::new(tools::all()).serve(listener, Cancel::new());
    let mut server = std::pin::pin!(server);
    let since = tokio::time::Instant::now();
    let client = async {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET /health HTTP/1.1\r\n").await.unwrap();
        // The server reads it, and then its clock alone goes on.
        tokio::time::sleep(Duration::from_millis(50)).await;
        tokio::time::pause();
        // Closed with or without an answer that says why.
        let _ = stream.read_to_end(&mut Vec::new()).await;
    };
    tokio::select! {
        () = client => {}
        ended = &mut server => panic!("{ended:?}"),
    }
    let waited = since.elapsed();
    assert!(
        waited > Duration::from_secs(10) && waited < Duration::from_secs(19),
        "{waited:?}"
    );
}
