//! Connections that go on after a refusal, and answers that nobody reads.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use toolwright::{tool, tools};

use super::client::{Served, serve_tools};

const JSON: &str = "Content-Type: application/json\r\n";
const TOKEN: &str = "Authorization: Bearer secret\r\n";

/// Returns so many bytes.
#[tool(read_only)]
fn filler(count: usize) -> String {
    "x".repeat(count)
}

/// Returns JSON with every line end as space.
#[tool(read_only)]
fn spaced() -> Box<RawValue> {
    RawValue::from_string("[1,\r2,\r\n3,\n\"\\r\"]".to_owned()).unwrap()
}

fn serve() -> Served {
    serve_tools(tools![filler, spaced], |server| server.bearer("secret"))
}

/// A request whose connection stays open, in its head and its body.
fn kept_alive(method: &str, path: &str, headers: &str, body: &str) -> (String, String) {
    let host = if headers.contains("Host:") {
        ""
    } else {
        "Host: 127.0.0.1\r\n"
    };
    let length = body.len();
    let head =
        format!("{method} {path} HTTP/1.1\r\n{host}{headers}Content-Length: {length}\r\n\r\n");
    (head, body.to_owned())
}

/// Reads one response: its status, and whether it says that the connection ends.
fn response(stream: &mut TcpStream) -> Option<(u16, bool)> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let length = head.split_once("content-length: ");
    let length = length.map_or("0", |(_, rest)| rest.split("\r\n").next().unwrap());
    let mut body = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut body).ok()?;
    Some((status, head.contains("connection: close")))
}

#[test]
fn an_early_refusal_does_not_cost_the_next_request() {
    let served = serve();
    let call = "/tools/filler";
    let table = [
        (401, "POST", call, JSON.to_owned()),
        (401, "POST", "/mcp", JSON.to_owned()),
        (
            403,
            "POST",
            call,
            format!("{TOKEN}{JSON}Host: evil.example\r\n"),
        ),
        (
            403,
            "POST",
            "/mcp",
            format!("{TOKEN}{JSON}Origin: https://evil.example\r\n"),
        ),
        (
            406,
            "POST",
            "/mcp",
            format!("{TOKEN}{JSON}Accept: text/html\r\n"),
        ),
        (415, "POST", call, TOKEN.to_owned()),
        (415, "POST", "/calls/1", TOKEN.to_owned()),
        (404, "POST", "/nothing", format!("{TOKEN}{JSON}")),
        (405, "PUT", call, format!("{TOKEN}{JSON}")),
        (405, "PUT", "/mcp", format!("{TOKEN}{JSON}")),
        (405, "PUT", "/mcp/", format!("{TOKEN}{JSON}")),
    ];
    for (status, method, path, headers) in table {
        for (length, late) in [(2, true), (100, true), (300_000, false), (300_000, true)] {
            let case = format!("{method} {path}: {status}, {length} bytes");
            let (head, body) = kept_alive(method, path, &headers, &"x".repeat(length));
            let mut stream = served.connect();
            stream.write_all(head.as_bytes()).unwrap();
            if late {
                sleep(Duration::from_millis(30));
            }
            stream.write_all(body.as_bytes()).unwrap();
            let (found, closes) = response(&mut stream).unwrap_or_else(|| panic!("{case}"));
            assert_eq!(found, status, "{case}");
            if closes {
                continue;
            }
            let headers = format!("{TOKEN}{JSON}");
            let (head, body) = kept_alive("POST", call, &headers, r#"{"count": 3}"#);
            let sent = stream.write_all(format!("{head}{body}").as_bytes());
            assert!(sent.is_ok(), "{case}: the connection is closed");
            assert_eq!(response(&mut stream), Some((200, false)), "{case}");
        }
    }
}

#[test]
fn a_body_that_does_not_come_ends_the_connection_and_says_so() {
    let served = serve();
    for path in ["/tools/filler", "/mcp"] {
        let (head, _) = kept_alive("POST", path, JSON, "never sent");
        let mut stream = served.connect();
        let begun = Instant::now();
        stream.write_all(head.as_bytes()).unwrap();
        assert_eq!(response(&mut stream), Some((401, true)), "{path}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{path}");
    }
}

#[test]
fn events_are_sent_to_those_who_accept_them() {
    let served = serve();
    for (accept, is_event) in [
        ("text/event-stream", true),
        ("application/json, Text/Event-Stream;q=0.1", true),
        ("text/event-stream;q=0", false),
        ("application/json, text/event-stream; q=0.000", false),
        ("text/event-stream;Q=0, */*", false),
        ("*/*", false),
        ("text/event-streams", false),
    ] {
        let headers = format!("{TOKEN}{JSON}Accept: {accept}\r\n");
        let answer = served.call_with("filler", br#"{"count": 1}"#, &headers);
        let kind = answer.header("content-type").unwrap();
        assert_eq!(kind == "text/event-stream", is_event, "{accept}: {kind}");
        // A client of MCP has to accept JSON.
        let (head, body) = kept_alive("POST", "/mcp", &headers, "[]");
        let mut stream = served.connect();
        stream
            .write_all(format!("{head}{body}").as_bytes())
            .unwrap();
        let (status, _) = response(&mut stream).unwrap();
        let takes_json = accept.contains("*/*") || accept.contains("application/json");
        assert_eq!(status != 406, takes_json, "{accept}: {status}");
    }
}

#[test]
fn an_event_holds_any_line_end_between_tokens() {
    let served = serve();
    let headers = format!("{TOKEN}{JSON}Accept: text/event-stream\r\n");
    let answer = served.call_with("spaced", b"{}", &headers);
    // A reader of events takes each of the three as the end of a line.
    let text = answer.body.replace("\r\n", "\n").replace('\r', "\n");
    let (event, rest) = text.split_once("\n\n").unwrap();
    assert_eq!(rest, "", "{:?}", answer.body);
    let mut lines = event.lines();
    assert_eq!(lines.next(), Some("event: answer"));
    let data: Vec<_> = lines
        .map(|line| {
            line.strip_prefix("data:")
                .unwrap_or_else(|| panic!("{event:?}"))
        })
        .collect();
    let data: serde_json::Value = serde_json::from_str(&data.join("\n")).unwrap();
    assert_eq!(data["value"], serde_json::json!([1, 2, 3, "\r"]));
}

/// Some clients ask for 16 MiB each and read nothing. The server holds a bounded part of that, and answers again once the
/// clients are gone.
#[test]
fn answers_that_nobody_reads_have_a_bound() {
    const CLIENTS: usize = 8;
    const BYTES: usize = 16_000_000;
    let served = serve();
    let host = served.address;
    let body = format!(r#"{{"count": {BYTES}}}"#);
    let headers = format!("{TOKEN}{JSON}");
    let message = served.mcp_request(
        "tools/call",
        serde_json::json!({"name": "filler", "arguments": {"count": BYTES}}),
        &format!("{TOKEN}MCP-Name: filler\r\n"),
    );
    for (path, request) in [
        (
            "/tools/filler",
            served.request("filler", body.as_bytes(), &headers),
        ),
        (
            "/tools/filler",
            served.request(
                "filler",
                body.as_bytes(),
                &format!("{headers}Accept: text/event-stream\r\n"),
            ),
        ),
        ("/mcp", message),
    ] {
        let mut clients = Vec::new();
        let mut refused = 0;
        for _ in 0..CLIENTS {
            let mut stream = served.connect();
            stream.write_all(&request).unwrap();
            let mut start = [0; 12];
            stream.read_exact(&mut start).unwrap();
            refused += usize::from(&start == b"HTTP/1.1 503");
            clients.push(stream);
        }
        // 64 MiB, and the answer that exceeds them.
        let held = (CLIENTS - refused) * BYTES;
        assert!(held <= 5 * BYTES, "{path} at {host}: {held} bytes");
        drop(clients);
        let since = Instant::now();
        while served
            .call_with("filler", br#"{"count": 1}"#, &headers)
            .status
            != 200
        {
            assert!(since.elapsed() < Duration::from_secs(10), "{path}");
            sleep(Duration::from_millis(10));
        }
    }
}
