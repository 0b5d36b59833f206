//! Threads with deferred tools, held against the rules of the servers in `deferred.rs`.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::{Value, json};
use toolwright::agent::Thread;
use toolwright::toolset::Namespace;
use toolwright::wire::{DefinitionOptions, Definitions, Loading};
use toolwright::{Dialect, Toolset, Wire, tool, tools};

use super::deferred::{check_anthropic, check_responses, references};

/// Tells the time.
#[tool]
fn now() -> &'static str {
    "noon"
}

/// Closes an order of a customer.
#[tool]
fn close_order(order: u32) -> u32 {
    order
}

/// Finds customers by name.
#[tool]
fn find_customer(name: String) -> String {
    name
}

fn group(name: &str) -> Namespace {
    Namespace::new(name).unwrap()
}

fn all() -> Toolset {
    let crm = tools![close_order, find_customer].defer(group("crm"));
    tools![now].merge(&crm).unwrap()
}

/// Without the tool that was loaded.
fn without() -> Toolset {
    all().filter(|tool| tool.def().name != "close_order")
}

/// In which the tool is not deferred any more.
fn undeferred() -> Toolset {
    let crm = tools![find_customer].defer(group("crm"));
    tools![now, close_order].merge(&crm).unwrap()
}

/// In which the tool is in another group.
fn moved() -> Toolset {
    let crm = tools![find_customer].defer(group("crm"));
    let orders = tools![close_order].defer(group("orders"));
    tools![now].merge(&crm).unwrap().merge(&orders).unwrap()
}

fn sent(wire: Wire, loading: Loading, tools: &Toolset) -> Definitions {
    let dialect = if wire == Wire::Anthropic {
        Dialect::Anthropic
    } else {
        Dialect::OpenAiStrict
    };
    let fit = DefinitionOptions::to(dialect).loading(loading);
    wire.definitions_in(tools, fit).unwrap()
}

fn body(thread: &Thread, sent: &Definitions) -> Value {
    let mut body: Value = serde_json::from_str(&thread.format_with(sent, None).unwrap()).unwrap();
    body["tools"] = serde_json::from_str(&sent.text()).unwrap();
    body
}

/// A conversation with Responses that has searched, and then called the tool in a turn of its own.
fn responses() -> Thread {
    let wire = "OpenAiResponses+deferred";
    let messages = json!([
        {"role": "user", "text": "Find the tool."},
        {"role": "assistant", "calls": [{"id": "s1", "name": "search_tools", "arguments": "{\"query\":\"close\"}"}],
            "native": {"wire": wire, "messages": [json!({"type": "tool_search_call", "id": "tsc", "execution": "client",
                "call_id": "s1", "status": "completed", "arguments": {"query": "close"}}).to_string()]}},
        {"role": "tool", "index": 0, "id": "s1", "name": "search_tools", "text": "close_order: Closes",
            "blocks": [{"type": "tool", "name": "close_order", "description": "Closes"}]},
        {"role": "assistant", "text": "Found."},
        {"role": "user", "text": "Close order 7."},
        {"role": "assistant", "calls": [{"id": "c1", "name": "close_order", "arguments": "{\"order\":7}"}],
            "native": {"wire": wire, "messages": [json!({"type": "function_call", "id": "fc", "call_id": "c1",
                "name": "close_order", "namespace": "crm", "arguments": "{\"order\":7}"}).to_string()]}},
        {"role": "tool", "index": 0, "id": "c1", "name": "close_order", "text": "7"},
        {"role": "assistant", "text": "Closed."},
        {"role": "user", "text": "And 8."},
    ]);
    serde_json::from_value(messages).unwrap()
}

/// A conversation with Anthropic's own search.
fn hosted() -> Thread {
    let content = json!({"role": "assistant", "content": [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "tool_search_tool_bm25", "input": {"query": "close"}},
        {"type": "tool_search_tool_result", "tool_use_id": "srvtoolu_1", "content": {
            "type": "tool_search_tool_search_result",
            "tool_references": [{"type": "tool_reference", "tool_name": "close_order"}]}},
        {"type": "tool_use", "id": "c1", "name": "close_order", "input": {"order": 7}}]});
    let messages = json!([
        {"role": "user", "text": "Close order 7."},
        {"role": "assistant", "calls": [{"id": "c1", "name": "close_order", "arguments": "{\"order\":7}"}],
            "loaded": ["close_order"],
            "native": {"wire": "Anthropic+deferred", "messages": [content.to_string()]}},
        {"role": "tool", "index": 0, "id": "c1", "name": "close_order", "text": "7"},
        {"role": "assistant", "text": "Closed."},
        {"role": "user", "text": "And 8."},
    ]);
    serde_json::from_value(messages).unwrap()
}

#[test]
fn the_threads_are_accepted() {
    let sent = sent(Wire::OpenAiResponses, Loading::Native, &all());
    assert_eq!(check_responses(&body(&responses(), &sent)), Ok(()));
    let sent = self::sent(Wire::Anthropic, Loading::Hosted, &all());
    assert_eq!(check_anthropic(&body(&hosted(), &sent)), Ok(()));
}

fn trimmed() -> Thread {
    let mut thread = responses();
    let length = thread.len();
    assert_eq!(thread.trim(length - 1, |_| 1).len(), 4);
    thread
}

#[test]
fn a_trimmed_thread_goes_on_on_responses() {
    let sent = sent(Wire::OpenAiResponses, Loading::Native, &all());
    let body = body(&trimmed(), &sent);
    assert_eq!(check_responses(&body), Ok(()), "{body}");
}

#[test]
fn a_trimmed_thread_goes_on_on_anthropic() {
    let mut thread = serde_json::to_value(trimmed()).unwrap();
    thread[1]["native"] = json!({"wire": "Anthropic+deferred", "messages": [json!({"role": "assistant", "content": [
        {"type": "tool_use", "id": "c1", "name": "close_order", "input": {"order": 7}}]}).to_string()]});
    let thread: Thread = serde_json::from_value(thread).unwrap();
    assert!(
        thread.loaded().any(|name| name == "close_order"),
        "so the thread says"
    );
    let sent = sent(Wire::Anthropic, Loading::Native, &all());
    let body = body(&thread, &sent);
    assert!(references(&body).contains("close_order"), "{body}");
}

#[test]
fn a_loaded_tool_that_is_gone_does_not_end_a_conversation_with_responses() {
    for (what, tools) in [
        ("gone", without()),
        ("not deferred", undeferred()),
        ("in another group", moved()),
    ] {
        let sent = sent(Wire::OpenAiResponses, Loading::Native, &tools);
        let body = body(&responses(), &sent);
        assert_eq!(check_responses(&body), Ok(()), "{what}: {body}");
    }
}

#[test]
fn a_loaded_tool_that_is_gone_does_not_end_a_conversation_with_anthropics_search() {
    for (what, tools) in [
        ("gone", without()),
        ("nothing is deferred", tools![now, close_order]),
    ] {
        let sent = sent(Wire::Anthropic, Loading::Hosted, &tools);
        let body = body(&hosted(), &sent);
        let declared = body["tools"].to_string();
        for name in references(&body) {
            let name_in = format!("\"name\":\"{name}\"");
            assert!(
                declared.contains(&name_in),
                "{what}: Tool reference '{name}' not found in available tools: {body}"
            );
        }
    }
}

#[test]
fn a_search_by_anthropic_stands_only_where_its_tool_is() {
    // Hosted, then native: `server_tool_use` of a tool that the request does not have.
    let sent = sent(Wire::Anthropic, Loading::Native, &all());
    let body = body(&hosted(), &sent);
    let has_search = body["tools"].to_string().contains("tool_search_tool_bm25");
    assert!(
        has_search || !body["messages"].to_string().contains("server_tool_use"),
        "{body}"
    );
}
