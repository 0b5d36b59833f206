//! Deferred tools: they are in the list, and in a request once a conversation has found them.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::unused_self)]

use std::num::NonZeroUsize;
use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::call::{Block, Content, Filter, Scope, State};
use toolwright::toolset::{FindTools, LoadOptions, Namespace, ToolQuery};
use toolwright::wire::{DefinitionOptions, Loading, Message};
use toolwright::{
    Context, Dialect, Encoder, Executor, Outcome, Registry, ToolCall, ToolError, ToolResult,
    Toolset, Wire, tool, tools,
};

/// A request has so many deferred tools.
pub(crate) fn at_most(most: usize) -> LoadOptions {
    LoadOptions {
        at_most: NonZeroUsize::new(most),
        finder: None,
    }
}

/// Tells the time.
#[tool]
fn now() -> &'static str {
    "noon"
}

/// Closes an order of a customer.
///
/// It cannot be opened again.
#[tool]
fn close_order(
    /// The order's number
    order: u32,
) -> u32 {
    order
}

/// Finds customers by name.
#[tool]
fn find_customer(name: &str) -> String {
    name.to_owned()
}

fn is_admin(scope: &Scope<'_>) -> bool {
    scope.state.get("admin").is_some()
}

/// Deletes a customer and all orders.
#[tool(visible = is_admin)]
fn delete_customer(name: &str) -> String {
    name.to_owned()
}

struct Disk;

#[tool]
impl Disk {
    /// Reads a file.
    #[tool]
    fn read_file(&self, path: &str) -> String {
        path.to_owned()
    }

    /// Writes a file.
    #[tool]
    fn write_file(&self, path: &str) -> String {
        path.to_owned()
    }
}

fn set() -> Toolset {
    tools! {
        targets: [openai_strict, gemini_json],
        defer: {
            /// Customers and
            /// their orders
            crm: [find_customer, close_order as "finish_order", delete_customer],
            "local-files": [..Disk: Disk],
        },
        at_most: 3;
        now
    }
}

/// The names of a list of definitions, as a chat has them.
fn names(tools: &Toolset) -> Vec<String> {
    let sent: Value = serde_json::from_str(&Wire::OpenAiChat.definitions(tools)).unwrap();
    let names = sent.as_array().unwrap().iter();
    names
        .map(|tool| tool["function"]["name"].as_str().unwrap().to_owned())
        .collect()
}

fn search(tools: &Toolset, query: &str, cx: &Context) -> ToolResult {
    let call = ToolCall::new("1", "search_tools", json!({"query": query}).to_string());
    tools.call_blocking(&call, cx)
}

/// The tools that an answer refers to.
fn found(result: &ToolResult) -> Vec<String> {
    let Ok(Outcome::Content(content)) = &result.outcome else {
        return Vec::new();
    };
    let found = content.blocks().iter().filter_map(|block| match block {
        Block::Tool { name, .. } => Some(name.clone()),
        _ => None,
    });
    found.collect()
}

#[test]
fn a_list_defers_groups_of_tools_and_a_request_has_those_that_are_loaded() {
    let tools = set();
    assert_eq!(names(&tools), ["now", "search_tools"]);
    let all: Vec<_> = tools.definitions().map(|def| &*def.name).collect();
    assert_eq!(
        all,
        [
            "now",
            "find_customer",
            "finish_order",
            "delete_customer",
            "read_file",
            "write_file"
        ]
    );
    let group = |name| tools.namespace(name).map(Namespace::name);
    assert_eq!(group("finish_order"), Some("crm"));
    assert_eq!(group("write_file"), Some("local-files"));
    assert!(tools.get("search_tools").is_some());

    let loaded = tools.load([
        "write_file",
        "now",
        "nowhere",
        "find_customer",
        "write_file",
    ]);
    assert_eq!(
        names(&loaded),
        ["now", "search_tools", "write_file", "find_customer"]
    );
    // The set is what it was, and each tool can be called.
    assert_eq!(names(&tools), ["now", "search_tools"]);
    let call = ToolCall::new("1", "finish_order", r#"{"order": 7}"#);
    assert_eq!(
        tools.call_blocking(&call, &Context::new()).value(),
        Some(7.into())
    );
    // What is sent in every request stays what it is, byte by byte.
    let (before, after) = (
        Wire::Anthropic.definitions(&tools).to_string(),
        Wire::Anthropic.definitions(&loaded).to_string(),
    );
    assert!(after.starts_with(before.strip_suffix(']').unwrap()));
}

#[test]
fn the_search_says_what_there_is() {
    let tools = set();
    let def = tools.get("search_tools").unwrap().def();
    assert!(
        def.description
            .ends_with("Groups:\n- crm: Customers and their orders\n- local-files")
    );
    let result = search(&tools, "finish an order", &Context::new());
    assert_eq!(
        result.content(Encoder::auto()),
        "These tools can be called now:\nfinish_order: Closes an order of a customer.\n\
         find_customer: Finds customers by name."
    );
    // By names, and by those of groups.
    let cx = Context::new();
    assert_eq!(
        found(&search(&tools, "read_file, find_customer", &cx)),
        ["read_file", "find_customer"]
    );
    assert_eq!(
        found(&search(&tools, "local-files", &cx)),
        ["read_file", "write_file"]
    );
    assert_eq!(
        found(&search(&tools, "customers and their", &cx))[0],
        "find_customer"
    );
    let nothing = search(&tools, "dance", &cx);
    assert_eq!(
        nothing.content(Encoder::auto()),
        "no tool fits; search with other words"
    );
    let wrong = tools.call_blocking(&ToolCall::new("1", "search_tools", "{}"), &cx);
    assert!(!wrong.is_success());
    // What every request has is not found.
    assert!(found(&search(&tools, "tell the time", &cx)).is_empty());
}

#[tokio::test]
async fn what_a_conversation_may_not_see_is_not_found_in_any_way() {
    let (tools, cx) = (set(), Context::new());
    let admin = Context::new().with_state(State::new().with("admin", true));
    for query in ["delete a customer and all orders", "delete_customer", "crm"] {
        // Of a group the first ones are found, as many as do not make each other leave.
        let seen = found(&search(&tools.loading(at_most(6)), query, &admin));
        assert!(seen.contains(&"delete_customer".to_owned()));
        let result = search(&tools, query, &cx);
        assert!(
            !format!("{result:?}").contains("delete_customer"),
            "{result:?}"
        );
    }
    let seen = tools.visible(&cx.scope()).load(["delete_customer"]);
    assert_eq!(names(&seen), ["now", "search_tools"]);
    assert!(seen.get("delete_customer").is_none());

    // A filter hides from the search, and not the search.
    let filter = Filter::allow(["read_file", "find_customer"]);
    let executor = Executor::serial(&tools).filter(filter);
    assert_eq!(names(&executor.tools(&cx)), ["search_tools"]);
    for (query, expected) in [
        ("write or read a file", vec!["read_file"]),
        // The other one of the words `write` and `file`.
        ("write_file", vec!["read_file"]),
        ("crm", vec!["find_customer"]),
    ] {
        let call = ToolCall::new("1", "search_tools", json!({"query": query}).to_string());
        let batch = executor.run(&[call], &cx).await;
        assert_eq!(found(batch.results().next().unwrap()), expected, "{query}");
    }
    // The next executor's batch is not filtered by this one.
    let call = ToolCall::new("1", "search_tools", r#"{"query": "write_file"}"#);
    let batch = Executor::serial(&tools).run(&[call], &cx).await;
    assert_eq!(found(batch.results().next().unwrap()), ["write_file"]);

    // A group whose tools are all hidden is not told of.
    let one = tools![delete_customer].defer(Namespace::new("danger").unwrap());
    let one = tools
        .merge(&one.rename("delete_customer", "erase").unwrap())
        .unwrap();
    let told = |tools: &Toolset| tools.get("search_tools").unwrap().def().description.clone();
    assert!(told(&one).contains("danger"));
    assert!(!told(&one.visible(&cx.scope())).contains("danger"));
    // And without any, there is no search.
    let none = tools![delete_customer].defer(Namespace::new("danger").unwrap());
    assert!(none.visible(&cx.scope()).iter().next().is_none());
    assert!(none.visible(&cx.scope()).get("search_tools").is_none());
}

#[test]
fn prefix_rename_merge_and_filter_show_in_what_is_found() {
    let cx = Context::new();
    let tools = set().prefix("app_").unwrap();
    assert_eq!(names(&tools), ["app_now", "search_tools"]);
    assert_eq!(
        found(&search(&tools, "find customers", &cx))[0],
        "app_find_customer"
    );
    assert_eq!(
        found(&search(&tools, "app_read_file", &cx)),
        ["app_read_file"]
    );
    let tools = set().rename("read_file", "slurp").unwrap();
    assert_eq!(found(&search(&tools, "slurp", &cx)), ["slurp"]);
    assert_eq!(
        found(&search(&tools, "local-files", &cx)),
        ["slurp", "write_file"]
    );
    let tools = set().filter(|tool| tool.def().name != "read_file");
    assert_eq!(found(&search(&tools, "local-files", &cx)), ["write_file"]);
    // A tool in the place of a deferred one is deferred.
    let tools = set().with(set().get("read_file").unwrap().clone());
    assert_eq!(names(&tools), ["now", "search_tools"]);
    // Two sets with a search are one set with a search, of the smaller limit.
    let more = tools![now as "clock"].defer(Namespace::new("time").unwrap());
    let both = set().merge(&more).unwrap();
    assert_eq!(names(&both), ["now", "search_tools"]);
    let loads = ["find_customer", "read_file", "write_file", "clock"];
    assert_eq!(names(&both.load(loads)).len(), 2 + 2);
    // A stored definition is deferred as its tool is.
    let defs: Vec<_> = set().definitions().cloned().collect();
    assert_eq!(names(&set().attach(defs).unwrap()), ["now", "search_tools"]);
}

#[test]
fn of_more_than_a_request_may_have_the_older_half_leaves() {
    let tools = set();
    let names = |loads: &[&str]| names(&tools.load(loads.iter().copied()))[2..].to_vec();
    let loads = ["find_customer", "finish_order", "read_file"];
    assert_eq!(names(&loads), loads);
    let loads = ["find_customer", "finish_order", "read_file", "write_file"];
    assert_eq!(names(&loads), ["read_file", "write_file"]);
    // What is called again is loaded again.
    let loads = [
        "find_customer",
        "finish_order",
        "read_file",
        "write_file",
        "find_customer",
    ];
    assert_eq!(names(&loads), ["read_file", "write_file", "find_customer"]);
}

#[test]
fn a_registry_changes_what_is_found() {
    let registry = Registry::from(set());
    let cx = Context::new();
    let before = registry.snapshot();
    let github = tools![now as "open_issue"].defer(Namespace::new("github").unwrap());
    registry.extend(&github);
    let call = ToolCall::new("1", "search_tools", r#"{"query": "github"}"#);
    assert!(found(&before.call_blocking(&call, &cx)).is_empty());
    assert_eq!(
        found(&registry.snapshot().call_blocking(&call, &cx)),
        ["open_issue"]
    );
    registry.remove("open_issue");
    assert!(found(&registry.snapshot().call_blocking(&call, &cx)).is_empty());
    assert!(registry.get("search_tools").is_some());
}

/// Finds by the first letter.
struct ByLetter;

impl FindTools for ByLetter {
    fn find<'a>(
        &'a self,
        query: ToolQuery<'a>,
    ) -> toolwright::call::BoxFuture<'a, Result<Vec<String>, ToolError>> {
        Box::pin(async move {
            if query.words == "fail" {
                return Err(ToolError::failed("the index is away"));
            }
            let names = query.tools.iter().map(|tool| tool.name.to_string());
            let found = names.filter(|name| name.starts_with(query.words));
            // What is not a deferred tool that the conversation sees is not taken.
            Ok(["now", "delete_customer", "nowhere"]
                .map(str::to_owned)
                .into_iter()
                .chain(found)
                .collect())
        })
    }
}

#[tokio::test]
async fn the_host_may_search_itself() {
    let tools = set()
        .loading(LoadOptions {
            finder: Some(Arc::new(ByLetter)),
            at_most: None,
        })
        .prefix("")
        .unwrap();
    let cx = Context::new();
    let ask = async |query: &str| {
        let call = ToolCall::new("1", "search_tools", json!({"query": query}).to_string());
        tools.call(&call, &cx).await
    };
    assert_eq!(found(&ask("f").await), ["find_customer", "finish_order"]);
    assert_eq!(found(&ask("read_file").await), ["read_file"]);
    let failed = ask("fail").await;
    assert!(
        !failed.is_success()
            && failed
                .content(Encoder::auto())
                .contains("the index is away")
    );
}

/// Finds what it likes.
#[tool]
fn search_tools(query: &str) -> Content {
    Content::text(query).with(Block::Tool {
        name: "find_customer".to_owned(),
        description: String::new(),
    })
}

#[test]
fn a_tool_of_the_hosts_own_takes_the_place_of_the_search() {
    // The groups may stand behind the tools, too.
    let tools = tools! {
        targets: [openai_strict];
        search_tools, now;
        defer: { crm: [find_customer, close_order] };
        at_most: 2;
        state = ()
    };
    assert_eq!(names(&tools), ["now", "search_tools"]);
    assert!(
        tools
            .get("search_tools")
            .unwrap()
            .def()
            .description
            .starts_with("Finds what it likes.")
    );
    assert_eq!(
        found(&search(&tools, "x", &Context::new())),
        ["find_customer"]
    );
}

/// A conversation in which a search has found a tool, and the tool was called.
fn conversation(sent: &toolwright::wire::Definitions) -> Value {
    let searched = [ToolCall::new(
        "s1",
        "search_tools",
        r#"{"query":"find a customer"}"#,
    )];
    let called = [ToolCall::new("c1", "find_customer", r#"{"name":"Ann"}"#)];
    let answer = Content::text("These tools can be called now:").with(Block::Tool {
        name: "find_customer".to_owned(),
        description: "Finds customers by name.".to_owned(),
    });
    let answers = [ToolResult::new(&searched[0], Ok(Outcome::Content(answer)))];
    let values = [ToolResult::new(&called[0], Ok(Outcome::value("Ann")))];
    let said = [
        Message::User("Find Ann."),
        Message::Assistant {
            text: "",
            calls: &searched,
        },
        Message::Results(&answers),
        Message::Assistant {
            text: "",
            calls: &called,
        },
        Message::Results(&values),
    ];
    let text = sent.conversation(None, &said, Encoder::auto()).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn sent(wire: Wire, dialect: Dialect, loading: Loading) -> (Value, Value) {
    let fit = DefinitionOptions::to(dialect).loading(loading);
    let sent = wire.definitions_in(&set(), fit).unwrap();
    (
        serde_json::from_str(&sent.text()).unwrap(),
        conversation(&sent),
    )
}

#[test]
fn responses_declares_a_search_that_the_client_executes() {
    let (tools, body) = sent(
        Wire::OpenAiResponses,
        Dialect::OpenAiStrict,
        Loading::Native,
    );
    assert_eq!(tools.as_array().unwrap().len(), 2);
    assert_eq!(tools[1]["type"], "tool_search");
    assert_eq!(tools[1]["execution"], "client");
    assert_eq!(tools[1]["parameters"]["required"], json!(["query"]));
    assert!(tools[1].get("name").is_none());
    let input = &body["input"];
    assert_eq!(
        input[1],
        json!({"type": "tool_search_call", "execution": "client", "call_id": "s1",
            "status": "completed", "arguments": {"query": "find a customer"}})
    );
    assert_eq!(
        (&input[2]["type"], &input[2]["call_id"]),
        (&json!("tool_search_output"), &json!("s1"))
    );
    let group = &input[2]["tools"][0];
    assert_eq!(
        (&group["type"], &group["name"], &group["description"]),
        (
            &json!("namespace"),
            &json!("crm"),
            &json!("Customers and their orders")
        )
    );
    let tool = &group["tools"][0];
    assert_eq!(
        (&tool["name"], &tool["strict"], &tool["defer_loading"]),
        (&json!("find_customer"), &json!(true), &json!(true))
    );
    assert_eq!(
        (&input[3]["type"], &input[3]["namespace"]),
        (&json!("function_call"), &json!("crm"))
    );
    assert_eq!(input[4]["type"], "function_call_output");
}

#[test]
fn responses_and_anthropic_search_themselves_if_they_are_asked_to() {
    let (tools, _) = sent(
        Wire::OpenAiResponses,
        Dialect::OpenAiStrict,
        Loading::Hosted,
    );
    assert_eq!(tools[1], json!({"type": "tool_search"}));
    assert_eq!(
        (&tools[2]["name"], &tools[3]["name"]),
        (&json!("crm"), &json!("local-files"))
    );
    // The API wants words about each group.
    assert_eq!(tools[3]["description"], "local-files");
    assert_eq!(tools[2]["tools"].as_array().unwrap().len(), 3);
    assert_eq!(tools[2]["tools"][2]["defer_loading"], true);
    for (loading, name) in [
        (Loading::Hosted, "tool_search_tool_bm25"),
        (Loading::HostedRegex, "tool_search_tool_regex"),
    ] {
        let (tools, _) = sent(Wire::Anthropic, Dialect::AnthropicStrict, loading);
        assert_eq!(
            tools[1],
            json!({"type": format!("{name}_20251119"), "name": name})
        );
        assert_eq!(tools.as_array().unwrap().len(), 2 + 5);
    }
}

#[test]
fn anthropic_is_sent_all_definitions_and_references_to_them() {
    let (tools, body) = sent(Wire::Anthropic, Dialect::AnthropicStrict, Loading::Native);
    assert_eq!(tools.as_array().unwrap().len(), 2 + 5);
    assert_eq!(
        (&tools[0]["strict"], &tools[1]["name"]),
        (&json!(true), &json!("search_tools"))
    );
    // Anthropic compiles the schemas of all strict tools, deferred or not, and takes few.
    assert_eq!(
        (&tools[2]["defer_loading"], tools[2].get("strict")),
        (&json!(true), None)
    );
    let answer = &body["messages"][2]["content"][0];
    assert_eq!(
        answer["content"],
        json!([
            {"type": "text", "text": "These tools can be called now:"},
            {"type": "tool_reference", "tool_name": "find_customer"},
        ])
    );
}

#[test]
fn other_wires_are_told_in_words() {
    for (wire, dialect) in [
        (Wire::OpenAiChat, Dialect::OpenAiStrict),
        (Wire::Gemini, Dialect::GeminiJson),
        (Wire::Ollama, Dialect::Ollama),
        (Wire::BedrockConverse, Dialect::Bedrock),
    ] {
        let (tools, body) = sent(wire, dialect, Loading::Native);
        let text = tools.to_string();
        assert!(
            text.contains("search_tools") && !text.contains("find_customer"),
            "{wire:?}"
        );
        let words = "find_customer: Finds customers by name.";
        assert!(body.to_string().contains(words), "{body}");
    }
    // Plain is plain everywhere.
    for wire in [Wire::OpenAiResponses, Wire::Anthropic] {
        let dialect = Dialect::OpenAiStrict;
        let (tools, body) = sent(wire, dialect, Loading::Plain);
        let text = tools.to_string() + &body.to_string();
        let native = [
            "tool_search",
            "tool_reference",
            "defer_loading",
            "namespace\":\"",
        ];
        assert!(native.iter().all(|word| !text.contains(word)), "{text}");
    }
}

#[test]
fn a_tool_that_nobody_searched_for_is_loaded_before_its_call() {
    for (wire, dialect, at, kind) in [
        (
            Wire::OpenAiResponses,
            Dialect::OpenAiStrict,
            "/input/1/type",
            "tool_search_call",
        ),
        (
            Wire::Anthropic,
            Dialect::Anthropic,
            "/messages/1/content/0/name",
            "search_tools",
        ),
    ] {
        let fit = DefinitionOptions::to(dialect).loading(Loading::Native);
        let sent = wire.definitions_in(&set(), fit).unwrap();
        let loaded = ["read_file".into()];
        let called = [ToolCall::new("c1", "write_file", r#"{"path":"a"}"#)];
        let values = [ToolResult::new(&called[0], Ok(Outcome::value("a")))];
        let said = [
            Message::User("Write."),
            Message::Loaded(&loaded),
            Message::Assistant {
                text: "",
                calls: &called,
            },
            Message::Results(&values),
            Message::Assistant {
                text: "",
                calls: &called,
            },
            Message::Results(&values),
        ];
        let body = sent.conversation(None, &said, Encoder::auto()).unwrap();
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body.pointer(at).unwrap(), kind, "{body}");
        let text = body.to_string();
        let loads = text.matches("load_1").count() / 2 + text.matches("load_2").count() / 2;
        assert_eq!(loads, 2, "{text}");
    }
}

#[test]
fn a_response_with_a_search_is_read() {
    let client = json!({"status": "completed", "output": [{"type": "tool_search_call", "id": "t",
        "execution": "client", "call_id": "s1", "status": "completed", "arguments": {"query": "x"}}]});
    let said = Wire::OpenAiResponses
        .completion(&client.to_string())
        .unwrap();
    assert_eq!(
        said.calls,
        [ToolCall::new("s1", "search_tools", r#"{"query":"x"}"#)]
    );
    assert!(said.loaded.is_empty());

    // Until a search is done, it has another id and no arguments.
    let mut stream = Wire::OpenAiResponses.accumulator();
    let item = |id: &str, status: &str, arguments: Value| {
        json!({"type": "tool_search_call", "id": "t", "execution": "client", "call_id": id,
            "status": status, "arguments": arguments})
    };
    let added = json!({"type": "response.output_item.added", "output_index": 0,
        "item": item("early", "in_progress", json!({}))});
    let done = json!({"type": "response.output_item.done", "output_index": 0,
        "item": item("s1", "completed", json!({"query": "x"}))});
    let ended =
        json!({"type": "response.completed", "response": {"status": "completed", "output": []}});
    for event in [added, done, ended] {
        stream.push(&format!("data: {event}\n\n")).unwrap();
    }
    let streamed = stream.finish().unwrap();
    let said = Wire::OpenAiResponses
        .completion(&streamed.response)
        .unwrap();
    assert_eq!(
        said.calls,
        [ToolCall::new("s1", "search_tools", r#"{"query":"x"}"#)]
    );
}

#[test]
fn a_name_that_a_provider_refuses_is_another_one_in_all_places() {
    let github = tools![find_customer as "find-customer"].defer(Namespace::new("crm").unwrap());
    let tools = tools![now].merge(&github).unwrap();
    // Gemini alone takes no hyphen; there the search is plain, and the name is another one once it is loaded.
    let fit = DefinitionOptions::to(Dialect::GeminiOpenApi);
    let sent = Wire::Gemini
        .definitions_in(&tools.load(["find-customer"]), fit)
        .unwrap();
    let told = sent.renames().to_provider("find-customer").unwrap();
    assert!(sent.text().contains(told));
}

#[test]
fn groups_have_names_that_providers_take() {
    for wrong in ["", "a b", "é", &"x".repeat(65)] {
        assert!(Namespace::new(wrong).is_err(), "{wrong}");
    }
}

#[derive(serde::Deserialize, toolwright::Schema)]
struct Record {
    id: u8,
    #[serde(flatten)]
    others: std::collections::BTreeMap<String, u8>,
}

/// Takes an object with any keys.
#[tool]
#[allow(clippy::needless_pass_by_value)]
fn anything(#[arg(flatten)] record: Record) -> usize {
    record.others.len() + usize::from(record.id)
}

#[test]
fn a_loaded_tool_that_a_provider_refuses_does_not_end_the_conversation() {
    let any = tools![anything, find_customer as "find"].defer(Namespace::new("any").unwrap());
    let tools = tools![now].merge(&any).unwrap();
    let loaded = tools.load(["anything", "find"]);
    let sent = |dialect| {
        let sent = Wire::Gemini.definitions_in(&loaded, dialect).unwrap();
        let text = sent.text().to_string();
        (text.contains("anything"), text.contains("find"))
    };
    assert_eq!(sent(Dialect::GeminiJson), (true, true));
    let refuses = Dialect::ALL
        .into_iter()
        .filter(|dialect| !tools.check(*dialect).is_accepted() && !dialect.is_strict());
    let mut count = 0;
    for dialect in refuses {
        assert_eq!(sent(dialect), (false, true), "{dialect}");
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn what_was_sent_before_a_tool_was_loaded_stays_strict() {
    let many = |names: [&str; 5]| {
        let one = |name: &str| {
            tools![more_flags]
                .rename("more_flags", name)
                .unwrap()
                .get(name)
                .unwrap()
                .clone()
        };
        Toolset::new(names.map(one)).unwrap()
    };
    let stable = many(["a", "b", "c", "d", "e"]);
    let deferred = many(["f", "g", "h", "i", "j"]).defer(Namespace::new("flags").unwrap());
    let tools = stable.merge(&deferred).unwrap();
    let sent = |tools: &Toolset| {
        let sent = Wire::Anthropic
            .definitions_in(tools, Dialect::AnthropicStrict)
            .unwrap();
        sent.text().to_string()
    };
    // 24 keys may be missing in a request: five of the tools have 20, and six 24.
    let before = sent(&tools);
    let after = sent(&tools.load(["f", "g", "h"]));
    assert!(
        after.starts_with(before.strip_suffix(']').unwrap()),
        "{after}"
    );
    assert_eq!(after.matches(r#""strict":true"#).count(), 5 + 1 + 1);
}

/// Sets flags.
#[tool]
fn flags(a: Option<bool>, b: Option<bool>, c: Option<bool>) -> usize {
    [a, b, c].into_iter().flatten().count()
}

/// Sets many flags.
#[tool]
fn more_flags(a: Option<bool>, b: Option<bool>, c: Option<bool>, d: Option<bool>) -> usize {
    [a, b, c, d].into_iter().flatten().count()
}

#[test]
fn a_report_counts_what_may_be_loaded() {
    let group = Namespace::new("flags").unwrap();
    let many = (0..300).map(|n| {
        let one = tools![more_flags]
            .rename("more_flags", &format!("flags_{n}"))
            .unwrap();
        one.get(&format!("flags_{n}")).unwrap().clone()
    });
    let many = Toolset::new(many).unwrap().defer(group);
    let tools = tools![flags].merge(&many).unwrap();
    assert!(tools.check(Dialect::OpenAiStrict).is_accepted());
    let refused = |most: usize, dialect| {
        let report = tools.loading(at_most(most)).check(dialect);
        report
            .errors()
            .map(|error| error.message.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        refused(127, Dialect::OpenAiStrict),
        ["129 tools, and one request may hold 128"]
    );
    assert!(refused(126, Dialect::OpenAiStrict).is_empty());
    // 3 of one, and 4 of each that is loaded.
    assert!(refused(5, Dialect::AnthropicStrict).is_empty());
    assert_eq!(
        refused(6, Dialect::AnthropicStrict),
        ["27 keys that may be missing, and one request may hold 24"]
    );
}
