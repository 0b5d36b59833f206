//! A listener that speaks just enough HTTP, and answers what a function says.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// What is sent back. Without a type of content the connection is closed instead.
pub(crate) struct Reply {
    pub(crate) status: &'static str,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    /// Sends more than was announced, without an end.
    pub(crate) endless: bool,
    pub(crate) hang_up: bool,
    /// How long the body is kept open behind what is sent of it.
    pub(crate) open_for: Duration,
}

impl Reply {
    pub(crate) fn new(status: &'static str, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("content-type", kind.to_owned())],
            body: body.into(),
            endless: false,
            hang_up: false,
            open_for: Duration::ZERO,
        }
    }

    pub(crate) fn json(body: &Value) -> Self {
        Self::new("200 OK", "application/json", body.to_string())
    }

    pub(crate) fn events(body: impl Into<Vec<u8>>) -> Self {
        Self::new("200 OK", "text/event-stream", body)
    }

    pub(crate) fn status(status: &'static str) -> Self {
        Self::new(status, "text/plain", "no")
    }

    pub(crate) fn hang_up() -> Self {
        Self {
            hang_up: true,
            ..Self::status("")
        }
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// A listener on a port of its own, and what it was asked.
pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) asked: Arc<Mutex<Vec<Asked>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    pub(crate) async fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let (answer, all) = (Arc::new(answer), Arc::clone(&asked));
        let task = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, all) = (Arc::clone(&answer), Arc::clone(&all));
                connections.spawn(async move {
                    // A client that goes away is not a failure of the server's.
                    let _ = serve(stream, answer, &all).await;
                });
            }
        });
        Self { url, asked, task }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

async fn serve(
    stream: TcpStream,
    answer: Arc<impl Fn(&Asked) -> Reply + Send + Sync + 'static>,
    all: &Mutex<Vec<Asked>>,
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let mut words = line.split(' ').map(str::to_owned);
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        let mut headers = HashMap::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).await?;
            match line.trim().split_once(": ") {
                Some((name, value)) => headers.insert(name.to_lowercase(), value.to_owned()),
                None => break,
            };
        }
        let length = headers
            .get("content-length")
            .map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        let asked = Asked {
            method,
            path,
            headers,
            body: String::from_utf8(body).unwrap(),
        };
        all.lock().unwrap().push(asked.clone());
        let answer = Arc::clone(&answer);
        // An answer may wait for another request. A blocked worker would keep the task that it was to run next.
        let reply = tokio::task::spawn_blocking(move || answer(&asked))
            .await
            .unwrap();
        if reply.hang_up {
            return Ok(());
        }
        let mut head = format!("HTTP/1.1 {}\r\n", reply.status);
        for (name, value) in &reply.headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        let length = reply.body.len();
        if reply.endless {
            write!(head, "transfer-encoding: chunked\r\n\r\n").unwrap();
            stream.write_all(head.as_bytes()).await?;
            let part = String::from_utf8_lossy(&reply.body);
            let part = format!("{length:x}\r\n{part}\r\n");
            loop {
                stream.write_all(part.as_bytes()).await?;
            }
        }
        if !reply.open_for.is_zero() {
            write!(head, "connection: close\r\n\r\n").unwrap();
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(&reply.body).await?;
            stream.flush().await?;
            tokio::time::sleep(reply.open_for).await;
            return Ok(());
        }
        write!(head, "content-length: {length}\r\n\r\n").unwrap();
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&reply.body).await?;
        stream.flush().await?;
    }
}

/// The answer of a plain server to all but calls; nothing for a call.
pub(crate) fn plain(asked: &Asked) -> Option<Reply> {
    let message = asked.json();
    let id = &message["id"];
    let result = match message["method"].as_str() {
        None if asked.method == "GET" => return Some(Reply::status("405 Method Not Allowed")),
        None => return Some(Reply::status("200 OK")),
        Some("initialize") => json!({
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "raw", "version": "1"},
        }),
        Some("tools/list") => json!({"tools": [
            {"name": "echo", "inputSchema": {"type": "object"}},
            {"name": "again", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
        ]}),
        Some("server/discover") => return Some(Reply::status("400 Bad Request")),
        Some("tools/call") => return None,
        Some(_) => return Some(Reply::new("202 Accepted", "text/plain", "")),
    };
    Some(Reply::json(
        &json!({"jsonrpc": "2.0", "id": id, "result": result}),
    ))
}

/// The text of an answer to a call.
pub(crate) fn answered(asked: &Asked, text: &str) -> Value {
    let result = json!({"content": [{"type": "text", "text": text}]});
    json!({"jsonrpc": "2.0", "id": asked.json()["id"], "result": result})
}
