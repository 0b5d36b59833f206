//! Agents find tools, load them and call them, on every wire: against servers that refuse what the providers refuse.
// A test that finds less than it expects has failed.
// A guard of an arm would hide what is refused.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::collapsible_match
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, Endpoint, ModelResponse, RunEnd, Session};
use toolwright::call::Filter;
use toolwright::executor::{TraceStore, Traced};
use toolwright::toolset::Namespace;
use toolwright::wire::{DefinitionOptions, Loading};
use toolwright::{Context, Dialect, Executor, ToolCall, Toolset, Wire, tool, tools};

use super::http::{answer, read, whole};

/// Tells the time.
#[tool]
fn now() -> &'static str {
    "noon"
}

/// Closes an order of a customer.
#[tool]
fn close_order(order: u32, note: Option<String>) -> String {
    format!("closed {order} {}", note.unwrap_or_default())
}

/// Finds customers by name.
#[tool]
fn find_customer(name: String) -> String {
    name
}

/// Deletes a file.
#[tool]
fn delete_file(path: String) -> String {
    path
}

fn deferred() -> Toolset {
    let crm = Namespace::new("crm")
        .unwrap()
        .describe("Customers and orders");
    let files = Namespace::new("files").unwrap();
    let crm = tools![close_order, find_customer].defer(crm);
    let files = tools![delete_file].defer(files);
    tools![now].merge(&crm).unwrap().merge(&files).unwrap()
}

/// How a conversation goes on with a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Way {
    wire: Wire,
    loading: Loading,
}

const WAYS: [Way; 10] = {
    const fn way(wire: Wire, loading: Loading) -> Way {
        Way { wire, loading }
    }
    [
        way(Wire::OpenAiChat, Loading::Native),
        way(Wire::Gemini, Loading::Native),
        way(Wire::Ollama, Loading::Hosted),
        way(Wire::OpenAiResponses, Loading::Plain),
        way(Wire::OpenAiResponses, Loading::Native),
        way(Wire::OpenAiResponses, Loading::Hosted),
        way(Wire::Anthropic, Loading::Plain),
        way(Wire::Anthropic, Loading::Native),
        way(Wire::Anthropic, Loading::Hosted),
        way(Wire::Anthropic, Loading::HostedRegex),
    ]
};

impl Way {
    fn is_hosted(self) -> bool {
        let has_search = matches!(self.wire, Wire::OpenAiResponses | Wire::Anthropic);
        has_search && matches!(self.loading, Loading::Hosted | Loading::HostedRegex)
    }

    fn endpoint(self, url: &str) -> Endpoint {
        let (endpoint, dialect) = match self.wire {
            Wire::OpenAiChat => (Endpoint::openai_chat(url, "m", "k"), Dialect::OpenAiStrict),
            Wire::OpenAiResponses => (
                Endpoint::openai_responses(url, "m", "k"),
                Dialect::OpenAiStrict,
            ),
            Wire::Anthropic => (Endpoint::anthropic(url, "m", "k"), Dialect::AnthropicStrict),
            Wire::Gemini => (Endpoint::gemini(url, "m", "k"), Dialect::GeminiJson),
            _ => (Endpoint::ollama(url, "m"), Dialect::Ollama),
        };
        endpoint.dialect(DefinitionOptions::to(dialect).loading(self.loading))
    }

    /// The names of the tools that the model may call.
    fn callable(self, body: &Value) -> BTreeSet<String> {
        let names = |tools: &[Value], at: &str| -> BTreeSet<String> {
            let names = tools.iter().filter_map(|tool| tool.pointer(at)?.as_str());
            names.map(str::to_owned).collect()
        };
        match self.wire {
            Wire::OpenAiChat | Wire::Ollama => names(list(&body["tools"]), "/function/name"),
            Wire::Gemini => names(list(&body["tools"][0]["functionDeclarations"]), "/name"),
            Wire::OpenAiResponses => functions(list(&body["tools"]), false)
                .chain(searches(body).flat_map(|found| functions(list(&found["tools"]), true)))
                .map(|(_, name)| name)
                .collect(),
            _ => {
                let tools = list(&body["tools"]);
                let stable: Vec<_> = tools
                    .iter()
                    .filter(|tool| tool["defer_loading"].is_null())
                    .cloned()
                    .collect();
                let mut callable = names(&stable, "/name");
                callable.extend(references(body));
                callable
            }
        }
    }

    /// What the provider refuses.
    fn check(self, body: &Value) -> Result<(), String> {
        match self.wire {
            Wire::OpenAiResponses => check_responses(body),
            Wire::Anthropic => check_anthropic(body),
            _ => Ok(()),
        }
    }

    /// What the model says next.
    fn say(self, body: &Value, count: usize) -> Value {
        let text = body.to_string();
        let order = (0..9)
            .rev()
            .find(|n| text.contains(&format!("Close order {n}")))
            .unwrap();
        if text.contains(&format!("closed {order}")) {
            return self.text(&format!("Order {order} is closed."));
        }
        let arguments = json!({"order": order, "note": null});
        if self.callable(body).contains("close_order") {
            return self.call(body, count, "close_order", &arguments);
        }
        if self.is_hosted() {
            return self.found(count, &arguments);
        }
        self.call(
            body,
            count,
            "search_tools",
            &json!({"query": "close an order"}),
        )
    }

    fn text(self, text: &str) -> Value {
        match self.wire {
            Wire::OpenAiChat => json!({"choices": [{"finish_reason": "stop", "message": {
                "role": "assistant", "content": text}}]}),
            Wire::Ollama => {
                json!({"message": {"role": "assistant", "content": text}, "done": true})
            }
            Wire::Gemini => json!({"candidates": [{"finishReason": "STOP", "content": {
                "role": "model", "parts": [{"text": text}]}}]}),
            Wire::OpenAiResponses => json!({"status": "completed", "output": [{
                "type": "message", "role": "assistant", "content": [
                    {"type": "output_text", "text": text}]}]}),
            _ => json!({"stop_reason": "end_turn", "content": [{"type": "text", "text": text}]}),
        }
    }

    fn call(self, body: &Value, count: usize, name: &str, arguments: &Value) -> Value {
        let id = format!("c_{count}");
        match self.wire {
            Wire::OpenAiChat => json!({"choices": [{"finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function",
                "function": {"name": name, "arguments": arguments.to_string()}}]}}]}),
            Wire::Ollama => json!({"done": true, "message": {"role": "assistant", "content": "",
                "tool_calls": [{"function": {"name": name, "arguments": arguments}}]}}),
            Wire::Gemini => {
                json!({"candidates": [{"finishReason": "STOP", "content": {"role": "model",
                "parts": [{"functionCall": {"name": name, "args": arguments}}]}}]})
            }
            Wire::OpenAiResponses => {
                let item = if name == "search_tools" && has_search(body) {
                    json!({"type": "tool_search_call", "id": "tsc", "execution": "client", "call_id": id,
                        "status": "completed", "arguments": arguments})
                } else {
                    let mut item = json!({"type": "function_call", "id": "fc", "call_id": id,
                        "name": name, "arguments": arguments.to_string()});
                    let found =
                        searches(body).flat_map(|found| functions(list(&found["tools"]), true));
                    let mut known = functions(list(&body["tools"]), true).chain(found);
                    if let Some((Some(group), _)) = known.find(|(_, known)| known == name) {
                        item["namespace"] = group.into();
                    }
                    item
                };
                json!({"status": "completed", "output": [item]})
            }
            _ => json!({"stop_reason": "tool_use", "content": [
                {"type": "tool_use", "id": id, "name": name, "input": arguments}]}),
        }
    }

    /// A search by the provider, and the call of what it has found.
    fn found(self, count: usize, arguments: &Value) -> Value {
        let id = format!("c_{count}");
        if self.wire == Wire::OpenAiResponses {
            return json!({"status": "completed", "output": [
                {"type": "tool_search_call", "id": "tsc", "execution": "server", "call_id": null,
                    "status": "completed", "arguments": {"paths": ["crm"]}},
                {"type": "tool_search_output", "id": "tso", "execution": "server", "call_id": null,
                    "status": "completed", "tools": [{"type": "namespace", "name": "crm",
                    "description": "Customers and orders", "tools": [
                        {"type": "function", "name": "close_order", "defer_loading": true, "parameters": {}}]}]},
                {"type": "function_call", "id": "fc", "call_id": id, "name": "close_order",
                    "namespace": "crm", "arguments": arguments.to_string()}]});
        }
        let name = if self.loading == Loading::HostedRegex {
            "tool_search_tool_regex"
        } else {
            "tool_search_tool_bm25"
        };
        json!({"stop_reason": "tool_use", "content": [
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": name, "input": {"query": "close"}},
            {"type": "tool_search_tool_result", "tool_use_id": "srvtoolu_1", "content": {
                "type": "tool_search_tool_search_result",
                "tool_references": [{"type": "tool_reference", "tool_name": "close_order"}]}},
            {"type": "tool_use", "id": id, "name": "close_order", "input": arguments}]})
    }
}

fn has_search(body: &Value) -> bool {
    list(&body["tools"])
        .iter()
        .any(|tool| tool["type"] == "tool_search")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Functions with their groups: those that can be called, or all of them.
pub(super) fn functions(
    tools: &[Value],
    all: bool,
) -> impl Iterator<Item = (Option<String>, String)> {
    let mut found = Vec::new();
    for tool in tools {
        let group = tool["type"] == "namespace";
        let inner = if group {
            list(&tool["tools"])
        } else {
            std::slice::from_ref(tool)
        };
        for one in inner {
            if one["type"] == "function" && (all || one["defer_loading"].is_null()) {
                let group = group.then(|| tool["name"].as_str().unwrap().to_owned());
                found.push((group, one["name"].as_str().unwrap().to_owned()));
            }
        }
    }
    found.into_iter()
}

fn searches(body: &Value) -> impl Iterator<Item = &Value> {
    let items = list(&body["input"]).iter();
    items.filter(|item| item["type"] == "tool_search_output")
}

/// The rules that the documentation and the reported errors of `OpenAI`'s Responses name.
pub(super) fn check_responses(body: &Value) -> Result<(), String> {
    let tools = list(&body["tools"]);
    let has_search = tools
        .iter()
        .filter(|tool| tool["type"] == "tool_search")
        .count();
    let is_deferred = functions(tools, true).count() > functions(tools, false).count();
    if has_search > 1 || (is_deferred && has_search == 0) {
        return Err("Deferred tools require tools.tool_search.".into());
    }
    for tool in tools {
        if tool["type"] == "namespace" && tool["description"].as_str().is_none_or(str::is_empty) {
            return Err("a namespace needs a description".into());
        }
    }
    let (mut open, mut searched) = (BTreeSet::new(), BTreeSet::new());
    let mut known: BTreeSet<(Option<String>, String)> = functions(tools, true).collect();
    for item in list(&body["input"]) {
        let id = item["call_id"].as_str().map(str::to_owned);
        match item["type"].as_str() {
            Some("tool_search_call") if item["execution"] == "client" => {
                if !item["arguments"].is_object() || !searched.insert(id.unwrap()) {
                    return Err("a search is wrong".into());
                }
            }
            Some("tool_search_output") => {
                if item["execution"] == "client" && !searched.remove(&id.unwrap()) {
                    return Err("No tool call found for tool search output".into());
                }
                known.extend(functions(list(&item["tools"]), true));
            }
            Some("function_call") => {
                let name = item["name"].as_str().unwrap().to_owned();
                let group = item["namespace"].as_str().map(str::to_owned);
                // Of a tool that is not there any more, nothing is documented.
                let is_there = functions(tools, true)
                    .chain(searches(body).flat_map(|found| functions(list(&found["tools"]), true)));
                let is_there = is_there.into_iter().any(|(_, known)| known == name);
                if is_there && !known.contains(&(group, name.clone())) {
                    return Err(format!("Missing namespace for function_call '{name}'"));
                }
                open.insert(id.unwrap());
            }
            Some("function_call_output") => {
                if !open.remove(&id.unwrap()) {
                    return Err("No tool call found for function call output".into());
                }
            }
            _ => {}
        }
    }
    if open.is_empty() && searched.is_empty() {
        Ok(())
    } else {
        Err("No tool output found for function call".into())
    }
}

/// The tools that a conversation refers to.
pub(super) fn references(body: &Value) -> BTreeSet<String> {
    fn collect(value: &Value, into: &mut BTreeSet<String>) {
        if value["type"] == "tool_reference" {
            into.insert(value["tool_name"].as_str().unwrap().to_owned());
        }
        match value {
            Value::Array(all) => all.iter().for_each(|one| collect(one, into)),
            Value::Object(all) => all.values().for_each(|one| collect(one, into)),
            _ => {}
        }
    }
    let mut all = BTreeSet::new();
    collect(&body["messages"], &mut all);
    all
}

/// The rules that the documentation of Anthropic names.
pub(super) fn check_anthropic(body: &Value) -> Result<(), String> {
    let tools = list(&body["tools"]);
    let mut deferred = BTreeMap::new();
    for tool in tools {
        let is_deferred = tool["defer_loading"] == true;
        if is_deferred && (!tool["cache_control"].is_null() || tool["strict"] == true) {
            return Err("a deferred tool is cached, or strict".into());
        }
        if deferred
            .insert(tool["name"].as_str().unwrap(), is_deferred)
            .is_some()
        {
            return Err("Tool names must be unique.".into());
        }
    }
    if !tools.is_empty() && deferred.values().all(|is_deferred| *is_deferred) {
        return Err("All tools cannot be deferred.".into());
    }
    let mut loaded = BTreeSet::new();
    let (mut open, mut role) = (BTreeSet::new(), "assistant");
    for message in list(&body["messages"]) {
        let now = message["role"].as_str().unwrap();
        if now == role {
            return Err("roles must alternate".into());
        }
        role = now;
        let mut answered = BTreeSet::new();
        for block in list(&message["content"]) {
            match block["type"].as_str().unwrap() {
                "tool_use" => {
                    let name = block["name"].as_str().unwrap();
                    if deferred.get(name) == Some(&true) && !loaded.contains(name) {
                        return Err(format!("{name} was not loaded"));
                    }
                    open.insert(block["id"].as_str().unwrap().to_owned());
                }
                "tool_result" => {
                    let id = block["tool_use_id"].as_str().unwrap();
                    if id.starts_with("srvtoolu") || !open.remove(id) {
                        return Err(format!("unexpected tool_use_id {id}"));
                    }
                    answered.extend(references(&json!({"messages": block["content"]})));
                }
                "tool_search_tool_result" => {
                    loaded.extend(references(&json!({"messages": block["content"]})));
                }
                _ => {}
            }
        }
        if role == "user" && !open.is_empty() {
            return Err("tool_use ids were found without tool_result blocks".into());
        }
        for name in answered {
            if !deferred.contains_key(&*name) {
                return Err(format!(
                    "Tool reference '{name}' not found in available tools"
                ));
            }
            loaded.insert(name);
        }
    }
    Ok(())
}

/// A server with a model behind it.
#[derive(Clone)]
struct Server {
    url: String,
    got: Arc<Mutex<Vec<Value>>>,
}

impl Server {
    async fn start(way: Way) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let got = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&got);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let body = read(&mut stream).await.body;
                heard.lock().unwrap().push(body.clone());
                let count = heard.lock().unwrap().len();
                let said = match way.check(&body) {
                    Ok(()) => whole(&way.say(&body, count).to_string()),
                    Err(error) => {
                        let error = json!({"error": {"message": error}}).to_string();
                        answer("400 Bad Request", "", &error)
                    }
                };
                stream.write_all(&said).await.unwrap();
                let _ = stream.shutdown().await;
            }
        });
        Self { url, got }
    }

    fn got(&self) -> Vec<Value> {
        self.got.lock().unwrap().clone()
    }
}

fn restarted(session: &Session) -> Session {
    serde_json::from_str(&serde_json::to_string(session).unwrap()).unwrap()
}

#[tokio::test]
async fn a_tool_is_found_loaded_and_called_on_every_wire_and_goes_on_on_every_other() {
    for from in WAYS {
        for to in WAYS {
            let (first, second) = (Server::start(from).await, Server::start(to).await);
            let agent = |way: Way, url: &str| Agent::new(way.endpoint(url), deferred());
            // One request, and the process ends.
            let mut session = Session::ask("Close order 7");
            let one = agent(from, &first.url).max_turns(1);
            let run = one.run(&mut session, &Context::new()).await.unwrap();
            assert!(matches!(run.end, RunEnd::MaxTurns(1)), "{from:?} {run:?}");
            let mut session = restarted(&session);
            let one = agent(from, &first.url);
            let run = one.run(&mut session, &Context::new()).await;
            let run = run.unwrap_or_else(|error| panic!("{from:?}: {error}"));
            assert_eq!(run.text(), Some("Order 7 is closed."), "{from:?} {run:?}");
            let searched = usize::from(!from.is_hosted());
            assert_eq!(first.got().len(), 2 + searched, "{from:?}");
            assert!(session.thread().loaded().any(|name| name == "close_order"));

            let mut session = restarted(&session);
            session.say("Close order 8").unwrap();
            let other = agent(to, &second.url);
            let run = other.run(&mut session, &Context::new()).await;
            let run = run.unwrap_or_else(|error| panic!("{from:?} to {to:?}: {error}"));
            let text = run.text();
            assert_eq!(
                text,
                Some("Order 8 is closed."),
                "{from:?} to {to:?}: {run:?}"
            );
            // Nobody searches again.
            assert_eq!(second.got().len(), 2, "{from:?} to {to:?}");
        }
    }
}

/// What may have become of the tools while a session was stored.
fn changed() -> Vec<(&'static str, Toolset, Option<Filter>)> {
    let group = |name: &str| Namespace::new(name).unwrap();
    let rest = tools![delete_file].defer(group("files"));
    let with = |more: Toolset| tools![now].merge(&rest).unwrap().merge(&more).unwrap();
    vec![
        ("gone", with(Toolset::default()), None),
        ("hidden", deferred(), Some(Filter::deny(["close_order"]))),
        ("not deferred", with(tools![close_order]), None),
        (
            "in another group",
            with(tools![close_order].defer(group("shop"))),
            None,
        ),
        ("nothing is deferred", tools![now, close_order], None),
    ]
}

#[tokio::test]
async fn a_conversation_goes_on_when_its_tools_have_changed() {
    for way in WAYS {
        for (what, tools, filter) in changed() {
            let server = Server::start(way).await;
            let agent = Agent::new(way.endpoint(&server.url), deferred());
            let mut session = Session::ask("Close order 7");
            let _ = agent.run(&mut session, &Context::new()).await.unwrap();
            let executor = Executor::serial(&tools);
            let executor = match filter {
                Some(filter) => executor.filter(filter),
                None => executor,
            };
            let agent = Agent::with_executor(way.endpoint(&server.url), executor).max_turns(3);
            let mut session = restarted(&session);
            session.say("Close order 8").unwrap();
            let run = agent.run(&mut session, &Context::new()).await;
            let run = run.unwrap_or_else(|error| panic!("{what}, {way:?}: {error}"));
            assert!(
                !matches!(run.end, RunEnd::ModelError(_)),
                "{what}, {way:?}: {run:?}"
            );
            if !["gone", "hidden"].contains(&what) {
                let text = run.text();
                assert_eq!(text, Some("Order 8 is closed."), "{what}, {way:?}: {run:?}");
            }
        }
    }
}

#[tokio::test]
async fn traces_and_scripts_have_the_tools_of_a_request() {
    let search = ToolCall::new("1", "search_tools", r#"{"query": "close_order"}"#);
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([search])),
        Ok(ModelResponse::text("I could close it.")),
    ]);
    let trace = TraceStore::new(100);
    let agent = Agent::new(model.clone(), deferred()).listener(trace.clone());
    let mut session = Session::ask("Close order 7");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let recorded: Vec<_> = model
        .requests()
        .iter()
        .map(|one| one.tools.clone())
        .collect();
    assert_eq!(recorded[0], ["now", "search_tools"]);
    assert_eq!(recorded[1], ["now", "search_tools", "close_order"]);
    let traced = trace.matching(|event| matches!(event.what, Traced::ModelStarted { .. }));
    let traced: Vec<Vec<String>> = traced
        .iter()
        .filter_map(|event| match &event.what {
            Traced::ModelStarted { tools, .. } => {
                Some(tools.iter().map(ToString::to_string).collect())
            }
            _ => None,
        })
        .collect();
    assert_eq!(traced, recorded);
}
