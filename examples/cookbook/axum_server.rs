// How do I add tools to an axum server?

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use toolwright::call::Cancel;
use toolwright::serve::axum::{self, Router, routing::get};
use toolwright::serve::http::HttpServer;
use toolwright::{tool, tools};

/// Add two numbers.
#[tool(read_only)]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn app(stop: &Cancel) -> Router {
    // Calls at `/api/tools/add`, MCP at `/api/mcp`, a page to try the tools at `/api/`.
    let tools = HttpServer::new(tools![add]).into_router(stop);
    Router::new()
        .route("/", get(|| async { "my own page" }))
        .nest("/api", tools)
}

async fn post(port: u16, path: &str, body: &str) -> std::io::Result<Value> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await?;
    let mut response = String::new();
    stream.read_to_string(&mut response).await?;
    let (_, body) = response.split_once("\r\n\r\n").unwrap_or_default();
    Ok(serde_json::from_str(body)?)
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    tokio::spawn(async move { axum::serve(listener, app(&Cancel::new())).await });

    let good = post(port, "/api/tools/add", r#"{"a": 1, "b": 2}"#).await?;
    println!("{}: {}", good["status"], good["value"]);
    let bad = post(port, "/api/tools/add", r#"{"a": 1}"#).await?;
    println!("{}: {}", bad["status"], bad["error"]["messages"]);
    Ok(())
}

// Prints:
// "done": 3
// "failed": ["b: missing, expected an integer"]
