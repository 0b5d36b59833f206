//! Tools of a server that a client of rmcp is connected to.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    InputRequiredResult, ListToolsResult, MetaObject, PaginatedRequestParams, Resource,
    ResourceContents, ServerCapabilities, ServerConfig, Tool as Listed, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleClient, RunningService};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::timeout;
use toolwright::call::{Annotations, Block, Cancel, ErrorKind};
use toolwright::{Context, Executor, Outcome, ToolCall, ToolError, ToolResult, Toolset};
use toolwright_rmcp::toolset_of;

use super::{connected, object};

const LONG: Duration = Duration::from_secs(20);

type Answer = fn(&Value) -> Result<CallToolResponse, ErrorData>;

/// Server that answers as a test says.
#[derive(Clone)]
struct Scripted {
    tools: Vec<Listed>,
    /// Tools of a page; with 0 the pages never end.
    page: usize,
    answer: Answer,
    /// Hears when a call of `hangs` begins and is cancelled.
    events: mpsc::UnboundedSender<&'static str>,
    pages: Arc<AtomicUsize>,
}

impl ServerHandler for Scripted {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        params: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.pages.fetch_add(1, Ordering::SeqCst);
        let cursor = params.and_then(|params| params.cursor);
        let start: usize = cursor.map_or(0, |cursor| cursor.parse().unwrap());
        let mut page = ListToolsResult::default();
        if self.page == 0 {
            page.next_cursor = Some((start + 1).to_string());
            return Ok(page);
        }
        let rest = &self.tools[start..];
        page.tools = rest.iter().take(self.page).cloned().collect();
        let next = start + page.tools.len();
        page.next_cursor = (next < self.tools.len()).then(|| next.to_string());
        Ok(page)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if params.name == "hangs" {
            let _ = self.events.send("began");
            request.ct.cancelled().await;
            let _ = self.events.send("cancelled");
        }
        (self.answer)(&params.arguments.unwrap_or_default().into())
    }
}

fn listed(name: &str) -> Listed {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    Listed::new(name.to_owned(), "Does it.", object(schema))
}

type Served = (
    RunningService<RoleClient, ()>,
    mpsc::UnboundedReceiver<&'static str>,
);

async fn serve(tools: Vec<Listed>, answer: Answer) -> Served {
    let (events, heard) = mpsc::unbounded_channel();
    let server = Scripted {
        tools,
        page: 2,
        answer,
        events,
        pages: Arc::default(),
    };
    (connected(server, ()).await, heard)
}

async fn tool(answer: Answer) -> (RunningService<RoleClient, ()>, Toolset) {
    let (client, _) = serve(vec![listed("go")], answer).await;
    let tools = toolset_of(&client).await.unwrap().toolset;
    (client, tools)
}

async fn called(tools: &Toolset, name: &str, arguments: &str) -> ToolResult {
    let call = ToolCall::new("1", name, arguments);
    let cx = Context::new();
    timeout(LONG, tools.call(&call, &cx)).await.unwrap()
}

async fn error(answer: Answer) -> ToolError {
    let (_client, tools) = tool(answer).await;
    called(&tools, "go", "{}").await.outcome.unwrap_err()
}

#[tokio::test]
async fn all_pages_are_listed_with_all_that_a_tool_says() {
    let meta = json!({"risk": "none", "example.com/price": 3});
    let mut first = listed("shop.search");
    first.title = Some("Search".to_owned());
    first.output_schema = Some(Arc::new(object(json!({"type": "object"}))));
    first.annotations = Some(ToolAnnotations::new().read_only(true).open_world(false));
    first.meta = Some(MetaObject(object(meta)));
    let mut silent = listed("silent");
    silent.description = None;
    let mut hidden = listed("hidden");
    hidden.description = Some("Adds.\u{e0041}".into());
    let mut refused = listed("refused");
    let schema = json!({"type": "object", "properties": {"a\u{e0041}": {"type": "string"}}});
    refused.input_schema = Arc::new(object(schema));
    let all = vec![first, silent, hidden, refused, listed("shop/search")];
    let (client, _) = serve(all, |_| Ok(CallToolResult::success(vec![]).into())).await;
    let tools = toolset_of(&client).await.unwrap();
    let names: Vec<_> = tools.toolset.definitions().map(|def| &*def.name).collect();
    assert_eq!(names, ["shop_search", "silent", "hidden"]);
    let refused: Vec<_> = tools.refused.iter().map(|tool| &*tool.name).collect();
    assert_eq!(refused, ["refused", "shop/search"]);

    let def = tools.toolset.get("shop_search").unwrap().def();
    assert_eq!(def.title.as_deref(), Some("Search"));
    assert_eq!(def.description, "Does it.");
    assert_eq!(def.input.to_value()["properties"]["n"]["type"], "integer");
    assert!(def.output.is_some());
    // The server's hints do not lessen caution.
    let hints = Annotations {
        read_only: Some(false),
        destructive: Some(true),
        idempotent: Some(false),
        open_world: Some(true),
    };
    assert_eq!(def.options.annotations, hints);
    // The host's layers read `risk`, which is not the server's to say.
    assert_eq!(def.meta.get("risk"), None);
    assert_eq!(def.meta.get("_meta"), Some(&json!({"risk": "none"})));
    assert_eq!(def.meta.get("example.com/price"), Some(&json!(3)));
    let description = |name| tools.toolset.get(name).unwrap().def().description.clone();
    assert!(description("silent").contains("`silent`"));
    assert_eq!(description("hidden"), "Adds.");
    // A renamed tool is called by the server's name for it.
    assert!(
        called(&tools.toolset, "shop_search", "{}")
            .await
            .is_success()
    );
}

#[tokio::test]
async fn a_list_without_an_end_is_an_error() {
    let (events, _heard) = mpsc::unbounded_channel();
    let server = Scripted {
        tools: Vec::new(),
        page: 0,
        answer: |_| Ok(CallToolResult::success(vec![]).into()),
        events,
        pages: Arc::default(),
    };
    let pages = Arc::clone(&server.pages);
    let client = connected(server, ()).await;
    let error = toolset_of(&client).await.unwrap_err();
    assert!(error.to_string().contains("1000 pages"), "{error}");
    assert_eq!(pages.load(Ordering::SeqCst), 1_000);
}

#[tokio::test]
async fn arguments_go_out_and_a_text_comes_back() {
    let (_client, tools) = tool(|arguments| {
        let text = arguments.to_string();
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    })
    .await;
    let result = called(&tools, "go", r#"{"n": 9007199254740993}"#).await;
    assert_eq!(result.value(), Some(r#"{"n":9007199254740993}"#.into()));
    assert_eq!(called(&tools, "go", "").await.value(), Some("{}".into()));
    let twice = called(&tools, "go", r#"{"n": 1, "m": {"a": 1, "a": 2}}"#).await;
    assert!(!twice.is_success(), "{twice:?}");
    let error = called(&tools, "go", "[1]").await.outcome.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgs);
}

#[tokio::test]
async fn every_kind_of_block_is_read() {
    let (_client, tools) = tool(|_| {
        let mut link = Resource::new("file:///x", "X");
        link.description = Some("An x".to_owned());
        let blob = |uri: &str, mime_type: &str| ResourceContents::BlobResourceContents {
            uri: uri.to_owned(),
            mime_type: Some(mime_type.to_owned()),
            blob: "AAAA".to_owned(),
            meta: None,
        };
        Ok(CallToolResult::success(vec![
            ContentBlock::text("a\nb"),
            ContentBlock::image("aa==", "image/png"),
            ContentBlock::audio("bb==", "audio/wav"),
            ContentBlock::resource_link(link),
            ContentBlock::resource_link(Resource::new("file:///v", "v")),
            ContentBlock::embedded_text("file:///y", "y"),
            ContentBlock::resource(blob("file:///p", "image/png")),
            ContentBlock::resource(blob("file:///z", "application/pdf")),
        ])
        .into())
    })
    .await;
    let Ok(Outcome::Content(content)) = called(&tools, "go", "{}").await.outcome else {
        panic!("no content")
    };
    let expected = json!([
        {"type": "text", "text": "a\nb"},
        {"type": "image", "mime_type": "image/png", "data": "aa=="},
        {"type": "audio", "mime_type": "audio/wav", "data": "bb=="},
        {"type": "text", "text": "X: An x"},
        {"type": "resource", "uri": "file:///x"},
        {"type": "resource", "uri": "file:///v"},
        {"type": "document", "uri": "file:///y", "mime_type": "text/plain", "text": "y"},
        {"type": "image", "mime_type": "image/png", "data": "AAAA"},
        {"type": "text", "text": "[about 3 bytes, not shown]"},
        {"type": "resource", "uri": "file:///z", "mime_type": "application/pdf"},
    ]);
    assert_eq!(serde_json::to_value(content.blocks()).unwrap(), expected);
}

#[tokio::test]
async fn structured_content_is_the_value() {
    let (_client, tools) = tool(|_| Ok(CallToolResult::structured(json!({"n": 1})).into())).await;
    assert_eq!(
        called(&tools, "go", "{}").await.value(),
        Some(json!({"n": 1}))
    );
    let (_client, tools) = tool(|_| {
        let mut result = CallToolResult::structured(json!({"n": 1}));
        result.content = vec![ContentBlock::text("one")];
        Ok(result.into())
    })
    .await;
    let Ok(Outcome::Content(content)) = called(&tools, "go", "{}").await.outcome else {
        panic!("no content")
    };
    let value = Block::Json {
        value: json!({"n": 1}),
    };
    assert_eq!(content.blocks()[1], value);
    let (_client, tools) = tool(|_| Ok(CallToolResult::success(vec![]).into())).await;
    assert_eq!(called(&tools, "go", "{}").await.value(), Some(Value::Null));
}

#[tokio::test]
async fn errors_say_who_failed() {
    let failed =
        error(|_| Ok(CallToolResult::error(vec![ContentBlock::text("no disk")]).into())).await;
    assert_eq!(
        (failed.kind(), failed.to_string().as_str()),
        (ErrorKind::Failed, "no disk")
    );
    let coded = error(|_| Ok(CallToolResult::structured_error(json!({"code": 7})).into())).await;
    assert_eq!(coded.to_string(), r#"{"code":7}"#);
    let refused = error(|_| Err(ErrorData::invalid_params("no such city", None))).await;
    assert!(
        refused
            .to_string()
            .ends_with("refused the call: no such city"),
        "{refused}"
    );
    assert!(!refused.is_outcome_unknown());
    let asks = error(|_| Ok(InputRequiredResult::from_request_state("x").into())).await;
    assert_eq!(asks.kind(), ErrorKind::Failed, "{asks}");
}

#[tokio::test]
async fn a_cancel_reaches_the_server() {
    let hangs = vec![listed("hangs")];
    let (client, mut heard) = serve(hangs, |_| Ok(CallToolResult::success(vec![]).into())).await;
    let tools = toolset_of(&client).await.unwrap().toolset;
    let call = ToolCall::new("1", "hangs", "{}");
    // With an executor, which drops the call, and without one.
    for has_executor in [true, false] {
        let stop = Cancel::new();
        let cx = Context::new().with_cancel(stop.clone());
        let (tools, call) = (tools.clone(), call.clone());
        let running = tokio::spawn(async move {
            if has_executor {
                let batch = Executor::serial(&tools).run(&[call], &cx).await;
                batch.into_results().next().unwrap()
            } else {
                tools.call(&call, &cx).await
            }
        });
        assert_eq!(timeout(LONG, heard.recv()).await.unwrap(), Some("began"));
        stop.cancel();
        let error = running.await.unwrap().outcome.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        assert_eq!(
            timeout(LONG, heard.recv()).await.unwrap(),
            Some("cancelled")
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_time_limit_cancels_at_the_server() {
    let hangs = vec![listed("hangs")];
    let (client, mut heard) = serve(hangs, |_| Ok(CallToolResult::success(vec![]).into())).await;
    let tools = toolset_of(&client).await.unwrap().toolset;
    let calls = [ToolCall::new("1", "hangs", "{}")];
    let batch = Executor::serial(&tools).run(&calls, &Context::new()).await;
    let error = batch.into_results().next().unwrap().outcome.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert_eq!(heard.recv().await, Some("began"));
    assert_eq!(heard.recv().await, Some("cancelled"));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_stops_leaves_its_calls_open() {
    let mut safe = listed("hangs");
    safe.annotations = Some(ToolAnnotations::new().read_only(true));
    // The server's word that a tool only reads is not taken.
    for listed in [listed("hangs"), safe] {
        let answer: Answer = |_| Ok(CallToolResult::success(vec![]).into());
        let (client, mut heard) = serve(vec![listed], answer).await;
        let tools = toolset_of(&client).await.unwrap().toolset;
        let running = {
            let tools = tools.clone();
            tokio::spawn(async move { called(&tools, "hangs", "{}").await })
        };
        assert_eq!(timeout(LONG, heard.recv()).await.unwrap(), Some("began"));
        client.cancel().await.unwrap();
        let error = running.await.unwrap().outcome.unwrap_err();
        assert!(error.is_outcome_unknown(), "{error}");
        let late = called(&tools, "hangs", "{}").await.outcome.unwrap_err();
        assert_eq!(late.kind(), ErrorKind::NotStarted, "{late}");
    }
}
