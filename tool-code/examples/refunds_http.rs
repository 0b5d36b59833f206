//! How does a program that waits for a person wait over HTTP?

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use toolwright::call::{Cancel, Grant};
use toolwright::serve::http::HttpServer;
use toolwright::{Context, Toolset, tool, tools};
use toolwright_code::CodeMode;

/// Refunds an order.
#[tool(destructive)]
fn refund(order: u32, cents: u32) -> String {
    format!("refunded {cents} of order {order}")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: server
    // The interpreter is this program, started again.
    toolwright_code::worker();
    let run_code = CodeMode::new(&tools![refund]).build()?;
    // Usually a layer or a token says who calls.
    let caller = Grant::unlimited().with_subject("ada");
    let server = HttpServer::new(Toolset::new([run_code])?);
    let server = server.context(Context::new().with(caller));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    // ANCHOR_END: server
    let address = listener.local_addr()?.to_string();
    tokio::spawn(server.serve(listener, Cancel::new()));

    let program = r#"{"code": "cents = 50 * 2\nawait refund(5, cents)"}"#;
    let waiting = ask(&address, "POST /tools/run_code", program).await?;
    ask(&address, "GET /calls", "").await?;
    let path = format!("POST /calls/{}", id(&waiting));
    ask(&address, &path, r#""approve""#).await?;
    Ok(())
}

fn id(answer: &serde_json::Value) -> &str {
    let id = answer.get("id").and_then(serde_json::Value::as_str);
    id.unwrap_or_default()
}

/// Sends a request, and prints it with its answer. `ID` and `KEY` stand for the call's own.
async fn ask(
    address: &str,
    line: &str,
    body: &str,
) -> Result<serde_json::Value, Box<dyn std::error::Error>> {
    let mut stream = TcpStream::connect(address).await?;
    let length = body.len();
    let head = format!(
        "{line} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}"
    );
    stream
        .write_all(format!("{head}\r\n\r\n{body}").as_bytes())
        .await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (head, text) = answer.split_once("\r\n\r\n").ok_or("no answer")?;
    let status = head.split(' ').nth(1).unwrap_or_default();
    let mut answer: serde_json::Value = serde_json::from_str(text)?;
    if let Some(answer) = answer.as_object_mut() {
        answer.remove("duration_ms");
    }
    let line = match line.rsplit_once('/') {
        Some(("POST /calls", _)) => "POST /calls/ID",
        _ => line,
    };
    let line = format!("{line} {body}");
    let shown = format!("{}\n{status} {answer:#}\n", line.trim_end());
    let call = answer.pointer("/calls/0").unwrap_or(&answer);
    let shown = match call.pointer("/ask/key").and_then(serde_json::Value::as_str) {
        Some(key) => shown.replace(id(call), "ID").replace(key, "KEY"),
        None => shown,
    };
    println!("{shown}");
    Ok(answer)
}
