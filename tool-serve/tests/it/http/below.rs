//! Routes below a path of a host's own router.

use std::net::SocketAddr;

use toolwright::serve::axum::extract::Request;
use toolwright::serve::axum::routing::get;
use toolwright::serve::axum::{self, Router, middleware};
use toolwright::serve::http::HttpServer;
use toolwright::{Context, Toolset, call::Cancel, tool, tools};

use super::client::{Answer, read};

struct User(String);

/// Says who asks.
#[tool(read_only)]
fn who(#[context] cx: &Context) -> Option<String> {
    cx.get::<User>().map(|user| user.0.clone())
}

fn all() -> Toolset {
    tools![who]
}

/// What a host's app answers, whose tools are at `place`.
fn asked(place: &str, request: &str) -> Answer {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let tools = HttpServer::new(all()).into_router(&Cancel::new());
    let tools = tools.layer(middleware::map_request(|mut request: Request| async {
        let user = request.headers().get("x-user");
        let user = user.map(|user| User(user.to_str().unwrap().to_owned()));
        if let Some(user) = user {
            request.extensions_mut().insert(Context::new().with(user));
        }
        request
    }));
    let app = Router::new()
        .route("/", get(|| async { "the host's own" }))
        .nest(place, tools);
    let address: SocketAddr = runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async { axum::serve(listener, app).await.unwrap() });
        address
    });
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let request = request.replace("Host: -", &format!("Host: {address}\r\nConnection: close"));
    std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
    let answer = read(stream);
    runtime.shutdown_background();
    answer
}

fn got(place: &str, path: &str) -> Answer {
    asked(place, &format!("GET {path} HTTP/1.1\r\nHost: -\r\n\r\n"))
}

#[test]
fn a_page_below_a_path_leads_to_what_is_below_it() {
    assert_eq!(got("/api", "/").body, "the host's own");
    let page = got("/api", "/api");
    assert_eq!(page.status, 200);
    let mut links = page
        .body
        .split(&['"', '\''][..])
        .filter(|text| text.starts_with('/'));
    assert!(links.all(|link| link.starts_with("/api/")), "{}", page.body);
    for path in ["/api/page/page.css", "/api/page/page.js"] {
        assert!(page.body.contains(&format!("\"{path}\"")), "{}", page.body);
        assert_eq!(got("/api", path).status, 200, "{path}");
    }
    // Calls go to where the script is from.
    let script = got("/api", "/api/page/call.js").body;
    assert!(!script.contains("fetch(\"/"), "{script}");
}

#[test]
fn the_document_says_where_its_paths_are() {
    let document = got("/a/b", "/a/b/openapi.json").json();
    assert_eq!(document["servers"], serde_json::json!([{"url": "/a/b"}]));
    assert!(document["paths"]["/tools/who"].is_object());
}

#[test]
fn a_path_that_the_client_chose_ends_no_attribute() {
    let page = got("/of/{tenant}", "/of/\"onload=x");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("\"/page/page.js\""), "{}", page.body);
    assert!(!page.body.contains("onload"), "{}", page.body);
    let page = got("/of/{tenant}", "/of/a%22b");
    assert!(
        page.body.contains("\"/of/a%22b/page/page.js\""),
        "{}",
        page.body
    );
}

#[test]
fn a_layer_says_who_asks() {
    let call = |user: &str| {
        let head = format!(
            "POST /api/tools/who HTTP/1.1\r\nHost: -\r\nContent-Type: application/json\r\nContent-Length: 2\r\n{user}\r\n{{}}"
        );
        asked("/api", &head).json()["value"].clone()
    };
    assert_eq!(call("X-User: ada\r\n"), "ada");
    assert_eq!(call(""), serde_json::Value::Null);
}
