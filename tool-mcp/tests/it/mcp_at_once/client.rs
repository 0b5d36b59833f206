//! A client by its requests.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Response};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tokio::time::timeout;
use toolwright::Context;
use toolwright::mcp::{HttpBody, HttpService};
use tower_service::Service;

pub(crate) const LONG: Duration = Duration::from_secs(20);
pub(crate) const JSON: &str = "application/json";
pub(crate) const STREAM: &str = "text/event-stream";

/// What came back: the status, what kind of body it is, and the last message in it.
pub(crate) struct Heard {
    pub(crate) status: u16,
    pub(crate) kind: String,
    pub(crate) text: String,
    /// All messages.
    pub(crate) messages: Vec<Value>,
    pub(crate) session: Option<String>,
}

impl Heard {
    pub(crate) async fn of(response: Response<HttpBody>) -> Self {
        let of = |name: &str| Some(response.headers().get(name)?.to_str().unwrap().to_owned());
        let (status, session) = (response.status().as_u16(), of("mcp-session-id"));
        let kind = of("content-type").unwrap_or_default();
        let body = timeout(LONG, response.into_body().collect()).await;
        let text = String::from_utf8(body.unwrap().unwrap().to_bytes().to_vec()).unwrap();
        let lines = text.lines();
        let messages = lines.filter_map(|line| {
            serde_json::from_str(line.strip_prefix("data:").unwrap_or(line).trim()).ok()
        });
        Self {
            status,
            kind,
            messages: messages.collect(),
            text,
            session,
        }
    }

    /// The one answer, and that it came in this way.
    #[track_caller]
    pub(crate) fn answer(&self, kind: &str) -> &Value {
        assert_eq!((self.status, &*self.kind), (200, kind), "{}", self.text);
        self.messages.last().expect(&self.text)
    }
}

/// A client, and what its requests say of themselves.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) service: HttpService,
    pub(crate) headers: HeaderMap,
    /// In a session nothing.
    pub(crate) meta: Value,
}

impl Client {
    pub(crate) fn new(service: &HttpService, headers: &[(&'static str, &str)]) -> Self {
        let mut client = Self {
            service: service.clone(),
            headers: HeaderMap::new(),
            meta: Value::Null,
        };
        client.set("host", "127.0.0.1:80");
        client.set("content-type", JSON);
        client.set("accept", "application/json, text/event-stream");
        for (name, value) in headers {
            client.set(name, value);
        }
        client
    }

    /// With a session, of 2025-11-25.
    pub(crate) async fn greeted(service: &HttpService, capabilities: &Value) -> Self {
        let mut client = Self::new(service, &[]);
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        });
        let hello = client.request("initialize", &hello).await;
        client.set("mcp-session-id", &hello.session.unwrap());
        client.set("mcp-protocol-version", "2025-11-25");
        let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert_eq!(client.post(ready.into(), None).await.status, 202);
        client
    }

    /// Without a session, of 2026-07-28.
    pub(crate) fn of_2026(service: &HttpService) -> Self {
        let mut client = Self::new(
            service,
            &[
                ("mcp-protocol-version", "2026-07-28"),
                ("mcp-method", "tools/call"),
            ],
        );
        client.meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        client
    }

    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        self.headers.insert(name, value.parse().unwrap());
    }

    /// The same client, which says this of itself.
    pub(crate) fn with(&self, name: &'static str, value: &str) -> Self {
        let mut client = self.clone();
        client.set(name, value);
        client
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        body: String,
        cx: Option<Context>,
    ) -> Response<HttpBody> {
        let mut request = http::Request::builder().method(method).uri("/mcp");
        *request.headers_mut().unwrap() = self.headers.clone();
        if let Some(cx) = cx {
            request = request.extension(cx);
        }
        let request = request.body(Full::new(Bytes::from(body))).unwrap();
        self.service.clone().call(request).await.unwrap()
    }

    pub(crate) async fn post(&self, body: String, cx: Option<Context>) -> Heard {
        Heard::of(self.send(Method::POST, body, cx).await).await
    }

    pub(crate) async fn request(&self, method: &str, params: &Value) -> Heard {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.post(body.to_string(), None).await
    }

    pub(crate) fn call_body(&self, name: &str, arguments: &str) -> String {
        let meta = match &self.meta {
            Value::Null => String::new(),
            meta => format!(r#","_meta":{meta}"#),
        };
        format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}{meta}}}}}"#
        )
    }

    /// The same client, whose head names the tool where the version wants it.
    pub(crate) fn naming(&self, name: &str) -> Self {
        if self.headers.contains_key("mcp-method") {
            self.with("mcp-name", name)
        } else {
            self.clone()
        }
    }

    pub(crate) async fn call(&self, name: &str, arguments: &str) -> Heard {
        let client = self.naming(name);
        client.post(client.call_body(name, arguments), None).await
    }
}

/// What comes, up to a piece with this in it.
pub(crate) async fn until(body: &mut HttpBody, what: &str) -> String {
    let mut told = String::new();
    while !told.contains(what) {
        let frame = timeout(LONG, body.frame()).await.unwrap().unwrap().unwrap();
        told.push_str(std::str::from_utf8(&frame.into_data().unwrap()).unwrap());
    }
    told
}
