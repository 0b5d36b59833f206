//! Tools of others that a model's provider refuses: an agent runs without them, and says so.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolwright::agent::model::{DeltaSink, ModelRequest};
use toolwright::agent::{
    Agent, AgentError, Endpoint, Model, RunEvent, Session, Thread, ThreadMessage,
};
use toolwright::toolset::Namespace;
use toolwright::{
    Context, Dialect, DynTool, Tool, ToolCall, ToolDef, ToolError, Toolset, schema::SchemaDoc,
    tool, tools, wire::ToolChoice,
};

use super::http::{Server, whole};

/// Tells the time.
#[tool]
fn now() -> &'static str {
    "noon"
}

/// A tool that Anthropic refuses: its arguments have more alternatives than are brought into one object.
fn page() -> Arc<dyn Tool> {
    let forms =
        (0..65).map(|at| format!(r#"{{"properties": {{"k{at}": {{"type": "integer"}}}}}}"#));
    let forms: Vec<_> = forms.collect();
    let schema = format!(r#"{{"type": "object", "anyOf": [{}]}}"#, forms.join(", "));
    let tool = DynTool::builder()
        .def(ToolDef::new("page", "Turns to a page."))
        .parameters(SchemaDoc::parse(&schema).unwrap())
        .handler(|_: Value, _| async { Ok::<_, ToolError>("turned") });
    tool.build().unwrap()
}

fn said(content: &Value) -> Vec<u8> {
    let reason = if content["type"] == "tool_use" {
        "tool_use"
    } else {
        "end_turn"
    };
    whole(&json!({"role": "assistant", "content": [content], "stop_reason": reason}).to_string())
}

fn calls(name: &str) -> Vec<u8> {
    said(&json!({"type": "tool_use", "id": "c1", "name": name, "input": {}}))
}

fn text() -> Vec<u8> {
    said(&json!({"type": "text", "text": "It is noon."}))
}

fn names(body: &Value) -> Vec<&str> {
    let tools = body["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_agent_runs_without_a_tool_that_the_provider_refuses_and_says_so_once() {
    // The model may know the tool from elsewhere: it is called as before.
    let server = Server::start(vec![calls("page"), text(), text()]).await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let events = Arc::clone(&heard);
    let agent = Agent::new(
        Endpoint::anthropic(&*server.url, "m", ""),
        tools![now].with(page()),
    )
    .on_event(move |event| {
        if let RunEvent::ToolLeftOut {
            dialect, notice, ..
        } = event
        {
            events.lock().unwrap().push((*dialect, notice.tool.clone()));
        }
    });
    let mut session = Session::ask("What time is it?");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("It is noon."));
    let got = server.got();
    assert_eq!(names(&got[0].body), ["now"]);
    let answer = &got[1].body["messages"][2]["content"][0];
    assert_eq!(answer["content"], "turned", "{answer}");
    let once = [(Dialect::Anthropic, "page".to_owned())];
    assert_eq!(*heard.lock().unwrap(), once);
    // Another run says it again.
    session.thread_mut().push(ThreadMessage::user("And now?"));
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(heard.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_tool_that_an_agent_requires_is_offered_or_nothing_is_sent() {
    let server = Server::start(vec![text(), text()]).await;
    let endpoint = || Endpoint::anthropic(&*server.url, "m", "");
    let group = Namespace::new("book").unwrap();
    let deferred = tools![now].merge(&Toolset::new([page()]).unwrap().defer(group));
    for (tools, name, reason) in [
        (tools![now].with(page()), "page", "/: root_union"),
        (deferred.unwrap(), "page", "/: root_union"),
        (tools![now], "escalate", "there is no such tool"),
    ] {
        let agent = Agent::new(endpoint(), tools).requires([name]);
        let mut session = Session::ask("What time is it?");
        let error = agent.run(&mut session, &Context::new()).await.unwrap_err();
        assert!(matches!(error, AgentError::RequiredTool { .. }), "{error}");
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(server.got().len(), 0);
    }
    let agent = Agent::new(endpoint(), tools![now].with(page())).requires(["now"]);
    let mut session = Session::ask("What time is it?");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(server.got().len(), 1);
}

/// Anthropic refuses a conversation with calls if the request declares no tools.
#[tokio::test]
async fn tools_that_were_called_are_declared_where_all_are_left_out() {
    let server = Server::start(vec![text()]).await;
    let mut thread = Thread::from([ThreadMessage::user("Turn the page.")]);
    thread.push(ThreadMessage::calls([ToolCall::new("c1", "page", "{}")]));
    thread.repair(&toolwright::agent::thread::ThreadRepair::Answer(
        "turned".into(),
    ));
    let tools = Toolset::new([page()]).unwrap();
    let endpoint = Endpoint::anthropic(&*server.url, "m", "");
    let request = ModelRequest::new(&thread, &tools, &ToolChoice::Auto);
    endpoint.respond(request, DeltaSink::NONE).await.unwrap();
    let body = &server.got()[0].body;
    assert_eq!(names(body), ["page"]);
    assert_eq!(body["tool_choice"], json!({"type": "none"}));

    // A call cannot be required of no tool.
    let request = ModelRequest::new(&thread, &tools, &ToolChoice::Required);
    let refused = endpoint.respond(request, DeltaSink::NONE).await;
    assert!(refused.is_err());
}
