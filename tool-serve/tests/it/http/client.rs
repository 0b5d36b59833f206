//! A server on a free port, and requests as bytes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpListener;
use toolwright::serve::http::HttpServer;
use toolwright::{Registry, call::Cancel};

use super::tools;

/// A server that ends with the test.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) stop: Cancel,
    thread: Option<JoinHandle<()>>,
}

pub(crate) fn serve() -> Served {
    serve_with(|server| server)
}

pub(crate) fn serve_with(change: impl FnOnce(HttpServer) -> HttpServer) -> Served {
    serve_tools(tools::all(), |server| {
        change(server.name("shop").version("1.2.0"))
    })
}

pub(crate) fn serve_tools(
    tools: impl Into<Registry>,
    change: impl FnOnce(HttpServer) -> HttpServer,
) -> Served {
    let server = change(HttpServer::new(tools));
    let stop = Cancel::new();
    let (tell, told) = std::sync::mpsc::channel();
    let until = stop.clone();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            tell.send(listener.local_addr().unwrap()).unwrap();
            server.serve(listener, until).await.unwrap();
        });
        runtime.shutdown_background();
    });
    Served {
        address: told.recv().unwrap(),
        stop,
        thread: Some(thread),
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking());
        }
    }
}

/// An answer, as it came.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// A header's value; its name in small letters.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find_map(|(key, value)| (key == name).then_some(value))
    }

    /// What the answer says is wrong.
    pub(crate) fn kind(&self) -> String {
        self.json()["error"]["kind"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}

impl Served {
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream
    }

    /// Sends bytes, and reads until the server closes.
    pub(crate) fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request).unwrap();
        read(stream)
    }

    /// A request of MCP's, of 2026-07-28, which needs no session.
    pub(crate) fn mcp_request(&self, method: &str, mut params: Value, headers: &str) -> Vec<u8> {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let body = body.to_string();
        let head = [
            "POST /mcp HTTP/1.1".to_owned(),
            format!("Host: {}", self.host()),
            "Connection: close".to_owned(),
            "Content-Type: application/json".to_owned(),
            "Accept: application/json, text/event-stream".to_owned(),
            "MCP-Protocol-Version: 2026-07-28".to_owned(),
            format!("MCP-Method: {method}"),
            format!("{headers}Content-Length: {}", body.len()),
        ];
        format!("{}\r\n\r\n{body}", head.join("\r\n")).into_bytes()
    }

    fn host(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.get_with(path, "")
    }

    /// The same with more header lines.
    pub(crate) fn get_with(&self, path: &str, headers: &str) -> Answer {
        let host = self.host();
        self.raw(
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n")
                .as_bytes(),
        )
    }

    pub(crate) fn call(&self, tool: &str, body: &str) -> Answer {
        self.call_with(tool, body.as_bytes(), "Content-Type: application/json\r\n")
    }

    pub(crate) fn call_with(&self, tool: &str, body: &[u8], headers: &str) -> Answer {
        let mut stream = self.connect();
        stream
            .write_all(&self.request(tool, body, headers))
            .unwrap();
        read(stream)
    }

    /// The bytes of a call.
    pub(crate) fn request(&self, tool: &str, body: &[u8], headers: &str) -> Vec<u8> {
        let (host, length) = (self.host(), body.len());
        let head = format!(
            "POST /tools/{tool} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
        );
        [head.as_bytes(), body].concat()
    }
}

pub(crate) fn read(mut stream: TcpStream) -> Answer {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("{text:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let is_chunked = head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked");
    let body = if is_chunked {
        unchunked(body)
    } else {
        body.to_owned()
    };
    Answer {
        status,
        head: head.to_owned(),
        body,
    }
}

fn unchunked(mut body: &str) -> String {
    let mut out = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap();
        out.push_str(&rest[..length]);
        body = rest[length..].trim_start_matches("\r\n");
    }
    out
}
