//! Traces: the spans of requests at both ends, and what goes along in `_meta`. A program of its own: a subscriber is for
//! all threads.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use toolwright::mcp::{self, Client, McpServer, ServerAt, TraceContext};
use toolwright::{Context, Encoder, ToolCall, ToolError, prompt, resource, tool, tools};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

type Fields = BTreeMap<&'static str, String>;

/// Keeps the fields of each span.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<Fields>>>);

struct Into<'f>(&'f mut Fields);

impl Visit for Into<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.name() == "mcp"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields::new();
        span.record(&mut Into(&mut fields));
        let mut spans = self.0.lock().unwrap();
        spans.push(fields);
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        let index = usize::try_from(id.into_u64()).unwrap() - 1;
        values.record(&mut Into(&mut self.0.lock().unwrap()[index]));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Says in which trace it is.
#[tool]
fn traced(#[context] cx: &Context) -> String {
    let trace = cx.get::<TraceContext>();
    trace.map_or("none".to_owned(), |trace| {
        format!(
            "{} {} {}",
            trace.traceparent(),
            trace.state().unwrap_or("-"),
            trace.baggage().unwrap_or("-")
        )
    })
}

/// Fails.
#[tool]
fn fails() -> Result<(), ToolError> {
    Err(ToolError::failed("no"))
}

/// Greets.
#[prompt]
fn greet() -> &'static str {
    "Hello."
}

/// The configuration.
#[resource("config://app")]
fn config() -> &'static str {
    "{}"
}

/// What the server's host saw of traces.
type Adopted = Arc<Mutex<Vec<String>>>;

async fn connected(change: impl FnOnce(mcp::Connector) -> mcp::Connector) -> (Client, Adopted) {
    let adopted = Adopted::default();
    let heard = Arc::clone(&adopted);
    let server = McpServer::new(tools![traced, fails])
        .prompts(tools![greet])
        .resources(tools![config])
        .trace_parent(move |span, trace| {
            assert!(!span.is_disabled());
            heard.lock().unwrap().push(trace.traceparent().to_owned());
        });
    let at = ServerAt::pipes(move || {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (input, output) = tokio::io::split(theirs);
        tokio::spawn(server.clone().serve_pipe(input, output));
        Ok(tokio::io::split(ours))
    });
    let client = change(mcp::connect(at));
    (client.await.unwrap(), adopted)
}

async fn call(client: &Client, name: &str, cx: &Context) -> String {
    let call = ToolCall::new("1", name, "{}");
    let result = client.toolset().call(&call, cx).await;
    result.content(Encoder::auto()).into_owned()
}

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

// One test: spans are counted.
#[tokio::test]
async fn requests_have_spans_and_traces_go_along() {
    let recorder = Recorder::default();
    tracing::subscriber::set_global_default(recorder.clone()).unwrap();
    let (client, adopted) = connected(|connector| connector).await;
    recorder.0.lock().unwrap().clear();
    let nothing = Context::new();
    assert_eq!(call(&client, "traced", &nothing).await, "none");
    assert_eq!(call(&client, "fails", &nothing).await, "no");
    client.prompt("greet", []).await.unwrap();
    client.read("config://app").await.unwrap();
    client.read("config://none").await.unwrap_err();

    let spans = std::mem::take(&mut *recorder.0.lock().unwrap());
    let shown = |fields: &Fields| {
        let keys = [
            "otel.kind",
            "otel.name",
            "error.type",
            "rpc.response.status_code",
        ];
        let said = keys.iter().filter_map(|key| fields.get(key));
        said.map(String::as_str).collect::<Vec<_>>().join(" | ")
    };
    let mut all: Vec<_> = spans.iter().map(shown).collect();
    // The client's subscription, which is sent some time.
    all.retain(|shown| shown != "server | subscriptions/listen");
    all.sort_unstable();
    assert_eq!(
        all,
        [
            "client | prompts/get greet",
            "client | resources/read",
            "client | resources/read | failed",
            "client | tools/call fails | tool_error",
            "client | tools/call traced",
            "server | prompts/get greet",
            "server | resources/read",
            "server | resources/read | -32602 | -32602",
            "server | tools/call fails | tool_error",
            "server | tools/call traced",
        ]
    );
    let server = spans
        .iter()
        .find(|span| shown(span) == "server | tools/call traced");
    let mut server = server.unwrap().clone();
    assert!(server.remove("mcp.session.id").is_some());
    assert!(server.remove("jsonrpc.request.id").is_some());
    let expected = [
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "traced"),
        ("mcp.method.name", "tools/call"),
        ("mcp.protocol.version", "2026-07-28"),
        ("network.transport", "pipe"),
        ("otel.kind", "server"),
        ("otel.name", "tools/call traced"),
    ];
    assert_eq!(
        server,
        expected.map(|(key, value)| (key, value.to_owned())).into()
    );
    let read = spans
        .iter()
        .find(|span| shown(span) == "client | resources/read");
    assert_eq!(read.unwrap()["mcp.resource.uri"], "config://app");

    // The trace of a call's context goes along.
    assert!(adopted.lock().unwrap().is_empty());
    let trace = TraceContext::new(PARENT).unwrap();
    let trace = trace.with_state("vendor=1").with_baggage("user=ann");
    let cx = Context::new().with(trace);
    let said = call(&client, "traced", &cx).await;
    assert_eq!(said, format!("{PARENT} vendor=1 user=ann"));
    assert_eq!(*adopted.lock().unwrap(), [PARENT]);

    // Or what the host says; where it panics, the call goes on.
    let own = "00-11111111111111111111111111111111-2222222222222222-00";
    let (client, _) = connected(|one| one.trace_context(move || TraceContext::new(own))).await;
    assert_eq!(call(&client, "traced", &cx).await, format!("{own} - -"));
    let (client, _) = connected(|one| one.trace_context(|| panic!("the host's"))).await;
    assert!(call(&client, "traced", &cx).await.starts_with(PARENT));
}

#[test]
fn what_is_no_trace_is_none() {
    let of = |text: &str| TraceContext::new(text).is_some();
    assert!(of(PARENT));
    // A later version may say more.
    assert!(of(
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more"
    ));
    for text in [
        "",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-\u{e9}",
    ] {
        assert!(!of(text), "{text}");
    }
    let trace = TraceContext::new(PARENT).unwrap();
    assert_eq!(trace.clone().with_state("a\nb").state(), None);
    assert_eq!(trace.with_baggage("x".repeat(9_000)).baggage(), None);
}
