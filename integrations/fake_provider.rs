//! HTTP server for the tests of these packages. It answers as a provider would, from a script, and records the requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

/// Body of an answer, with its media type.
pub(crate) struct Answer(&'static str, String);

/// Answers with JSON.
pub(crate) fn json(body: &Value) -> Answer {
    Answer("application/json", body.to_string())
}

/// Answers with a stream of server-sent events, as they stand in the text.
pub(crate) fn events(text: impl Into<String>) -> Answer {
    Answer("text/event-stream", text.into())
}

/// Server on 127.0.0.1 that gives each request the next answer of its script.
pub(crate) struct FakeProvider {
    url: String,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl FakeProvider {
    pub(crate) fn start(script: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (script, recorded): (Vec<_>, _) = (script.into_iter().collect(), requests.clone());
        thread::spawn(move || {
            for (answer, connection) in script.into_iter().zip(listener.incoming()) {
                let connection = connection.unwrap();
                let body = read_body(&connection);
                recorded.lock().unwrap().push(body);
                write_answer(&connection, &answer);
            }
        });
        Self { url, requests }
    }

    /// The base URL, such as `http://127.0.0.1:1234/v1`.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The bodies of all requests so far, in order.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap().clone()
    }
}

fn read_body(connection: &TcpStream) -> Value {
    let mut reader = BufReader::new(connection);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    serde_json::from_slice(&body).unwrap()
}

fn write_answer(mut connection: &TcpStream, Answer(media_type, body): &Answer) {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    connection.write_all(head.as_bytes()).unwrap();
    connection.write_all(body.as_bytes()).unwrap();
}
