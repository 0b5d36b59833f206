//! The page `many-tools.md`.

mod program;

use toolwright::{Context, Encoder, ToolCall, Toolset, Wire, tool, tools};

use self::program::shop;
use crate::output;

// ANCHOR: at_run_time
use std::num::NonZeroUsize;
use toolwright::Tool;
use toolwright::toolset::{ConflictError, LoadOptions, Namespace};

fn with_orders(own: &Toolset, orders: &Toolset) -> Result<Toolset, Box<dyn std::error::Error>> {
    let group = Namespace::new("orders")?.describe("Orders of the shop");
    // Those that only read stay in every request.
    let reads = |tool: &dyn Tool| tool.def().options.annotations.read_only == Some(true);
    let rest = orders.filter(|tool| !reads(tool)).defer(group);
    let limit = LoadOptions {
        at_most: NonZeroUsize::new(20),
        ..LoadOptions::default()
    };
    Ok(own
        .merge(&orders.filter(reads))?
        .merge(&rest)?
        .loading(limit))
}
// ANCHOR_END: at_run_time

fn with_options() -> Toolset {
    use program::{close_order, find_customer, now};
    // ANCHOR: options
    tools! {
        targets: [openai_strict, anthropic];
        budget: 600;
        at_most: 20;
        defer: { "my-crm": [find_customer, close_order] };
        now
    }
    // ANCHOR_END: options
}

// ANCHOR: by_hand
use serde_json::json;
use toolwright::Executor;
use toolwright::Outcome;
use toolwright::call::Block;

type Error = Box<dyn std::error::Error + Send + Sync>;

const WIRE: Wire = Wire::OpenAiChat;

async fn converse(
    tools: &Toolset,
    cx: &Context,
    question: &str,
    send: impl AsyncFn(String) -> Result<String, Error>, // a request's body; a response's body
) -> Result<String, Error> {
    // What this conversation may not see is not sent.
    let tools = tools.visible(&cx.scope());
    let executor = Executor::parallel(&tools, 8);
    let mut messages = vec![json!({"role": "user", "content": question})];
    let mut loaded: Vec<String> = Vec::new();
    loop {
        let request = tools.load(loaded.iter().map(String::as_str));
        let history = json!(messages);
        let definitions = WIRE.definitions(&request);
        let body = format!(r#"{{"model": "m", "messages": {history}, "tools": {definitions}}}"#);
        let response = send(body).await?;
        let calls = WIRE.calls(&response)?;
        if calls.is_empty() {
            return Ok(WIRE.completion(&response)?.text);
        }
        let batch = executor.run(&calls, cx).await;
        let results: Vec<_> = batch.into_results().collect();
        // A tool that has left comes back when it is called.
        loaded.extend(calls.iter().map(|call| call.name.to_string()));
        for result in &results {
            if let Ok(Outcome::Content(content)) = &result.outcome {
                for block in content.blocks() {
                    if let Block::Tool { name, .. } = block {
                        loaded.push(name.clone());
                    }
                }
            }
        }
        let turn = WIRE.turn(&response, &results, Encoder::auto())?;
        messages.append(&mut serde_json::from_str(&turn)?);
    }
}
// ANCHOR_END: by_hand

// ANCHOR: thread
use toolwright::Dialect;
use toolwright::agent::Thread;
use toolwright::wire::{DefinitionOptions, JsonText, Loading, Parallel, ToolChoice};

/// The members of a request's body that are about tools, and those that are about the conversation.
fn members(
    tools: &Toolset,
    cx: &Context,
    thread: &Thread,
) -> Result<[JsonText<'static>; 2], Error> {
    let options = DefinitionOptions::to(Dialect::Anthropic).loading(Loading::Native);
    let tools = tools.visible(&cx.scope()).load(thread.loaded());
    let sent = Wire::Anthropic.definitions_in(&tools, options)?;
    Ok([
        sent.request(&ToolChoice::Auto, Parallel::Allowed)?,
        thread.format_with(&sent, None)?,
    ])
}
// ANCHOR_END: thread

// ANCHOR: loading
use toolwright::agent::Endpoint;

fn older_model(key: &str) -> Endpoint {
    let options = DefinitionOptions::to(Dialect::OpenAiStrict).loading(Loading::Plain);
    Endpoint::openai_responses("https://api.openai.com/v1", "gpt-5", key).dialect(options)
}
// ANCHOR_END: loading

// ANCHOR: mcp
use toolwright::Registry;
use toolwright::mcp::{self, Client, ServerAt};

async fn add_github(tools: &Registry, server: ServerAt) -> Result<Client, Error> {
    let group = Namespace::new("github")?.describe("Repositories, issues, pull requests");
    let server = mcp::connect(server).prefix("github_").defer(group);
    Ok(server.registry(tools).await?)
}
// ANCHOR_END: mcp

// ANCHOR: finder
use std::sync::Arc;
use toolwright::ToolError;
use toolwright::call::BoxFuture;
use toolwright::toolset::{FindTools, ToolQuery};

/// Searches in a table of vectors, here of two numbers.
struct Nearest {
    vectors: Vec<(String, [f32; 2])>,
}

async fn embed(words: &str) -> Result<[f32; 2], ToolError> {
    // In place of a request to a model.
    Ok(if words.contains("archive") {
        [1.0, 0.0]
    } else {
        [0.0, 1.0]
    })
}

impl FindTools for Nearest {
    fn find<'a>(&'a self, query: ToolQuery<'a>) -> BoxFuture<'a, Result<Vec<String>, ToolError>> {
        Box::pin(async move {
            let wanted = embed(query.words).await?;
            let near = |vector: &[f32; 2]| wanted[0] * vector[0] + wanted[1] * vector[1];
            let mut found: Vec<_> = self.vectors.iter().collect();
            found.sort_by(|(_, a), (_, b)| near(b).total_cmp(&near(a)));
            Ok(found.iter().map(|(name, _)| name.clone()).collect())
        })
    }
}

fn by_meaning(tools: &Toolset, vectors: Vec<(String, [f32; 2])>) -> Toolset {
    tools.loading(LoadOptions {
        finder: Some(Arc::new(Nearest { vectors })),
        ..LoadOptions::default()
    })
}
// ANCHOR_END: finder

// ANCHOR: own_search
use toolwright::call::Content;

/// Finds tools for a task of the shop.
#[tool(read_only)]
fn search_tools(task: &str) -> Content {
    let found = if task.contains("order") {
        "close_order"
    } else {
        "find_customer"
    };
    Content::text("You can call this now:").with(Block::Tool {
        name: found.to_owned(),
        description: String::new(),
    })
}

fn with_own_search() -> Toolset {
    use program::{close_order, find_customer, now};
    tools! { defer: { crm: [find_customer, close_order] }; search_tools, now }
}
// ANCHOR_END: own_search

// ANCHOR: recall
use toolwright_evals::{self as evals, Recall};

fn measured() -> Result<Recall, String> {
    let questions = evals::questions(
        r#"
        {"question": "is order 12 done? then close it", "expected": ["close_order"]}
        {"question": "who of our customers is called Ada?", "expected": ["find_customer"]}
        {"question": "what does notes.txt say?", "expected": ["read_file"]}
        "#,
    )?;
    Ok(evals::recall(&shop(), &questions))
}

#[test]
fn people_find_the_tools_of_the_shop() {
    let report = measured().unwrap();
    assert!(report.recall_at_5 > 0.6, "{report}");
}
// ANCHOR_END: recall

// ANCHOR: compact
fn compact() -> Result<(), ConflictError> {
    let compact = shop().compact()?;
    for def in compact.definitions() {
        println!("{}: {}", def.name, def.description);
    }
    let call = ToolCall::new("call_1", "search_tools", r#"{"query": "close an order"}"#);
    let found = compact.call_blocking(&call, &Context::new());
    println!("\n{}", found.content(Encoder::auto()));
    Ok(())
}
// ANCHOR_END: compact

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(future)
}

/// The answer of the search.
fn found(tools: &Toolset, arguments: &serde_json::Value) -> String {
    let call = ToolCall::new("call_1", "search_tools", arguments.to_string());
    let result = block_on(tools.call(&call, &Context::new()));
    result.content(Encoder::auto()).into_owned()
}

#[test]
fn the_search_is_a_tool_like_any_other() {
    let search = shop().filter(|tool| tool.def().name != "now");
    output::shown_schema(
        "many_tools.search.json",
        &Wire::Anthropic.definitions(&search),
    );
    output::shown(
        "many_tools.found.txt",
        &found(&shop(), &json!({"query": "close an order"})),
    );
    output::shown("many_tools.compact.txt", &output::of(|| compact().unwrap()));
    output::shown("many_tools.recall.txt", &measured().unwrap().to_string());
}

#[test]
fn lists_are_deferred_at_run_time() {
    use program::{close_order, find_customer, now};
    let tools = with_orders(&tools![now], &tools![close_order, find_customer]).unwrap();
    let requested: Vec<_> = tools.requested().map(|def| &*def.name).collect();
    assert_eq!(requested, ["now", "find_customer", "search_tools"]);
}

#[test]
fn hosts_load_by_hand() {
    let call = |name: &str, arguments: &str| {
        json!({"choices": [{"finish_reason": "tool_calls", "message": {"role": "assistant", "content": null,
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}}]}}]})
    };
    let responses = [
        call("search_tools", r#"{"query": "close an order"}"#),
        call("close_order", r#"{"order": 7}"#),
        json!({"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "Done."}}]}),
    ];
    let requests = std::cell::RefCell::new(Vec::new());
    let send = async |body: String| {
        let mut requests = requests.borrow_mut();
        requests.push(body);
        Ok(responses[requests.len() - 1].to_string())
    };
    assert_eq!(
        block_on(converse(&shop(), &Context::new(), "Close order 7.", send)).unwrap(),
        "Done."
    );
    let requests = requests.into_inner();
    let declares = |at: usize| requests[at].contains(r#""name":"close_order","description""#);
    assert_eq!([declares(0), declares(1), declares(2)], [false, true, true]);
}

#[test]
fn a_thread_loads_in_the_providers_form() {
    use toolwright::agent::ThreadMessage;
    let called = ToolCall::new("c", "close_order", r#"{"order": 7}"#);
    let thread = Thread::from([
        ThreadMessage::user("Close order 7."),
        ThreadMessage::calls([called]),
        ThreadMessage::tool("order 7 is closed", "c"),
    ]);
    let [tools, messages] = members(&shop(), &Context::new(), &thread).unwrap();
    assert!(tools.contains(r#""defer_loading":true"#), "{tools}");
    assert!(
        messages.contains(r#""tool_name":"close_order""#),
        "{messages}"
    );
    let _ = older_model("k");
}

/// A server that opens issues.
fn issues() -> ServerAt {
    served(tools![program::close_order as "open_issue": "Opens an issue."])
}

fn served(tools: Toolset) -> ServerAt {
    ServerAt::pipes(move || {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(theirs);
        let server = toolwright::mcp::McpServer::new(tools.clone());
        tokio::spawn(server.serve_pipe(input, output));
        Ok(tokio::io::split(ours))
    })
}

#[test]
fn options_go_together() {
    assert_eq!(with_options().requested().count(), 2);
}

#[tokio::test]
async fn tools_of_a_server_are_deferred() {
    let registry = Registry::from(tools![program::now]);
    let client = add_github(&registry, issues()).await.unwrap();
    let tools = Executor::serial(&registry).tools(&Context::new());
    let requested: Vec<_> = tools.requested().map(|def| &*def.name).collect();
    assert_eq!(requested, ["now", "search_tools"]);
    assert!(tools.get("github_open_issue").is_some());
    client.close().await;
    assert_eq!(registry.snapshot().iter().len(), 1);
}

#[tokio::test]
async fn a_server_lists_all_tools() {
    let client = mcp::connect(served(shop())).await.unwrap();
    let names: Vec<_> = client
        .toolset()
        .iter()
        .map(|tool| tool.name().to_owned())
        .collect();
    assert_eq!(names, ["now", "find_customer", "close_order", "read_file"]);
}

#[test]
fn hosts_search_themselves() {
    let vectors = vec![
        ("find_customer".to_owned(), [0.1, 0.9]),
        ("close_order".to_owned(), [0.9, 0.1]),
    ];
    let tools = by_meaning(&shop(), vectors);
    let answer = found(&tools, &json!({"query": "archive what is paid"}));
    assert!(
        answer.lines().nth(1).unwrap().starts_with("close_order:"),
        "{answer}"
    );
    let tools = with_own_search();
    let requested: Vec<_> = tools.requested().map(|def| &*def.name).collect();
    assert_eq!(requested, ["now", "search_tools"]);
    let answer = found(&tools, &json!({"task": "finish an order"}));
    assert!(answer.contains("close_order"), "{answer}");
}

/// Tools of a program that has many.
fn catalogue() -> Toolset {
    use toolwright::{DynTool, ToolDef, schema::SchemaDoc};
    let schema = r#"{"type":"object","properties":{"id":{"type":"string","description":"What it is about"},"note":{"type":"string"}},"required":["id","note"],"additionalProperties":false}"#;
    let each = (0..500).map(|number| {
        let words = format!("Changes thing {number} of the shop, and tells who has asked for it.");
        let mut def = ToolDef::new(format!("change_{number}"), words);
        def.input = SchemaDoc::parse(schema).unwrap();
        DynTool::declare(def)
    });
    let group = Namespace::new("things")
        .unwrap()
        .describe("Things of the shop");
    tools![program::now]
        .merge(&Toolset::new(each).unwrap().defer(group))
        .unwrap()
}

/// The bytes of the definitions in a request, and what a search that loads five tools adds to the next one.
fn sizes(wire: Wire, dialect: Dialect, loading: Loading) -> (usize, usize) {
    use toolwright::ToolResult;
    use toolwright::wire::Message;
    let names = ["change_1", "change_2", "change_3", "change_4", "change_5"];
    let calls = [ToolCall::new(
        "call_1",
        "search_tools",
        r#"{"query": "change things"}"#,
    )];
    let answer = Content::text("These tools can be called now:");
    let answer = names.iter().fold(answer, |answer, name| {
        answer.with(Block::Tool {
            name: (*name).to_owned(),
            description: "Changes a thing of the shop.".to_owned(),
        })
    });
    let results = [ToolResult::new(&calls[0], Ok(Outcome::Content(answer)))];
    let said = [
        Message::User("Change them."),
        Message::Assistant {
            text: "",
            calls: &calls,
        },
        Message::Results(&results),
    ];
    let tools = catalogue();
    let sent = |tools: &Toolset, said: &[Message<'_>]| {
        let options = DefinitionOptions::to(dialect).loading(loading);
        let sent = wire.definitions_in(tools, options).unwrap();
        let messages = sent.conversation(None, said, Encoder::auto()).unwrap();
        (sent.text().len(), messages.len())
    };
    let before = sent(&tools, &said[..1]);
    let after = sent(&tools.load(names), &said);
    (before.0, after.0 + after.1 - before.0 - before.1)
}

#[test]
fn what_each_provider_is_sent() {
    use Loading::{Hosted, HostedRegex, Native, Plain};
    let all = "all definitions";
    let found = "those that were found";
    let rows = [
        (Wire::OpenAiChat, Dialect::OpenAiStrict, Plain, found),
        (Wire::OpenAiResponses, Dialect::OpenAiStrict, Plain, found),
        (Wire::OpenAiResponses, Dialect::OpenAiStrict, Native, found),
        (Wire::OpenAiResponses, Dialect::OpenAiStrict, Hosted, all),
        (Wire::Anthropic, Dialect::AnthropicStrict, Plain, found),
        (Wire::Anthropic, Dialect::AnthropicStrict, Native, all),
        (Wire::Anthropic, Dialect::AnthropicStrict, Hosted, all),
        (Wire::Anthropic, Dialect::AnthropicStrict, HostedRegex, all),
        (Wire::Gemini, Dialect::GeminiJson, Plain, found),
        (Wire::Ollama, Dialect::Ollama, Plain, found),
        (Wire::BedrockConverse, Dialect::Bedrock, Plain, found),
    ];
    let mut table = vec![
        "| wire | loading | what is sent | bytes of definitions | bytes that a search adds |"
            .to_owned(),
        "| --- | --- | --- | ---: | ---: |".to_owned(),
    ];
    for (wire, dialect, loading, sent) in rows {
        let (first, more) = sizes(wire, dialect, loading);
        // Where the provider searches, its own messages are the search.
        let more = match loading {
            Hosted | HostedRegex => "its own messages".to_owned(),
            _ => more.to_string(),
        };
        table.push(format!(
            "| `{wire:?}` | `{loading:?}` | {sent} | {first} | {more} |"
        ));
    }
    output::shown("many_tools.wires.md", &table.join("\n"));
}
