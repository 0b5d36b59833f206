//! A server on the loopback that speaks `OpenAI`'s chat form, streamed.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// What the server got.
#[derive(Debug, Clone)]
pub(crate) struct Got {
    /// The first line and the headers.
    pub(crate) head: String,
    pub(crate) body: Value,
}

/// What it answers: pieces of the message.
pub(crate) struct Answer {
    /// Sent at once.
    first: Value,
    /// Sent when the test says so.
    then: Vec<Value>,
}

impl Answer {
    pub(crate) fn words(text: &str) -> Self {
        Self {
            first: json!({"content": text}),
            then: Vec::new(),
        }
    }

    pub(crate) fn call(text: &str, name: &str, arguments: &Value) -> Self {
        let function = json!({"name": name, "arguments": arguments.to_string()});
        let call = json!({"index": 0, "id": "c1", "type": "function", "function": function});
        Self {
            first: json!({"content": text}),
            then: vec![json!({"content": "see."}), json!({"tool_calls": [call]})],
        }
    }
}

pub(crate) struct Server {
    pub(crate) url: String,
    got: Arc<Mutex<Vec<Got>>>,
    go_on: Sender<()>,
}

impl Server {
    /// Gives these answers, one a connection.
    pub(crate) fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let got = Arc::new(Mutex::new(Vec::new()));
        let (go_on, may_go_on) = channel();
        let heard = Arc::clone(&got);
        std::thread::spawn(move || {
            for answer in answers {
                let (mut stream, _) = listener.accept().unwrap();
                heard.lock().unwrap().push(read(&mut stream));
                write(&mut stream, &answer, &may_go_on);
            }
        });
        Self { url, got, go_on }
    }

    /// Lets one answer be told to its end.
    pub(crate) fn go_on(&self) {
        self.go_on.send(()).unwrap();
    }

    pub(crate) fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }
}

fn read(stream: &mut TcpStream) -> Got {
    let mut bytes = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let length = stream.read(&mut piece).unwrap();
        assert_ne!(length, 0, "the request ended early");
        bytes.extend_from_slice(&piece[..length]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.parse::<usize>().unwrap())
        });
        if body.len() >= length.unwrap() {
            let head = head.to_owned();
            return Got {
                head,
                body: serde_json::from_str(body).unwrap(),
            };
        }
    }
}

fn write(stream: &mut TcpStream, answer: &Answer, may_go_on: &Receiver<()>) {
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n";
    let event = |delta: &Value, reason: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
        format!("data: {}\n\n", json!({"choices": [choice]}))
    };
    stream.write_all(head.as_bytes()).unwrap();
    stream
        .write_all(event(&answer.first, Value::Null).as_bytes())
        .unwrap();
    stream.flush().unwrap();
    may_go_on.recv().unwrap();
    for delta in &answer.then {
        stream
            .write_all(event(delta, Value::Null).as_bytes())
            .unwrap();
    }
    let reason = if answer.then.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    let end = format!("{}data: [DONE]\n\n", event(&json!({}), reason.into()));
    stream.write_all(end.as_bytes()).unwrap();
}
