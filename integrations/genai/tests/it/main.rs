//! The loop of a user of genai, against a server that answers as providers do.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../../fake_provider.rs"]
mod fake_provider;

mod anthropic;
mod openai;

use std::collections::BTreeMap;

use genai::adapter::AdapterKind;
use genai::chat::{ChatRequest, ChatResponse};
use genai::resolver::{AuthData, Endpoint, ServiceTargetResolver};
use genai::{Client, ServiceTarget};
use serde_json::{Value, json};
use toolwright::call::Content;
use toolwright::{Context, Dialect, DynTool, Executor, ToolDef, ToolError, Toolset, tool, tools};
use toolwright_genai::{GenaiTools, dialect_of};

use self::fake_provider::FakeProvider;

/// Says how the weather will be.
#[tool]
fn weather(#[arg(range(1..=7))] days: u32, city: &str) -> String {
    format!("{days} days of sun in {city}")
}

/// Opens a door.
#[tool]
fn open(door: &str) -> Result<(), ToolError> {
    Err(ToolError::failed(format!("the {door} door is locked")))
}

/// Draws a chart.
#[tool]
fn chart(bars: &BTreeMap<String, u32>) -> Content {
    let words = format!("{bars:?}");
    Content::text(words).image("image/png", "iVBORw0KGgo=")
}

fn tools() -> Toolset {
    tools![weather, open, chart]
}

/// Client that sends every request to the server.
fn client(provider: &FakeProvider) -> Client {
    let url = format!("{}/", provider.url());
    let resolver = ServiceTargetResolver::from_resolver_fn(
        move |target: ServiceTarget| -> Result<ServiceTarget, genai::resolver::Error> {
            Ok(ServiceTarget {
                endpoint: Endpoint::from_owned(url.clone()),
                auth: AuthData::from_single("key"),
                ..target
            })
        },
    );
    Client::builder()
        .with_service_target_resolver(resolver)
        .build()
        .unwrap()
}

/// The loop of the README.
async fn run(provider: &FakeProvider, model: &str) -> ChatResponse {
    let (client, tools) = (client(provider), tools());
    let (executor, declared) = (
        Executor::parallel(&tools, 8),
        GenaiTools::for_model(&tools, model).unwrap(),
    );
    let cx = Context::new();
    let mut request = ChatRequest::from_user("Go.").with_tools(declared.tools());
    loop {
        let response = client
            .exec_chat(model, request.clone(), None)
            .await
            .unwrap();
        let calls = declared.calls(response.tool_calls());
        if calls.is_empty() {
            break response;
        }
        let batch = executor.run(&calls, &cx).await;
        request = request.append_messages(response.into_assistant_message_for_tool_use());
        request = request.append_message(declared.answers(batch.results()));
    }
}

/// Schema of `weather`, the same in every dialect here.
fn weather_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "days": {"type": "integer", "minimum": 1, "maximum": 7},
            "city": {"type": "string"},
        },
        "required": ["days", "city"],
        "additionalProperties": false,
    })
}

fn door_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"door": {"type": "string"}},
        "required": ["door"],
        "additionalProperties": false,
    })
}

#[test]
fn a_name_that_the_provider_refuses_comes_back() {
    let tools = Toolset::new([DynTool::declare(ToolDef::new("files.list", "Lists files."))]);
    let declared = GenaiTools::for_model(&tools.unwrap(), "gpt-4o").unwrap();
    assert_eq!(declared.tools()[0].name.as_str(), "files_list");
    let call = genai::chat::ToolCall {
        call_id: "c1".to_owned(),
        fn_name: "files_list".to_owned(),
        fn_arguments: Value::Null,
        thought_signatures: None,
    };
    let calls = declared.calls([&call]);
    assert_eq!(calls, [toolwright::ToolCall::new("c1", "files.list", "")]);
    let result = toolwright::ToolResult::new(&calls[0], Ok(toolwright::Outcome::value("none")));
    let message = declared.answers([&result]);
    let answer = message.content.tool_responses()[0];
    assert_eq!(answer.fn_name.as_deref(), Some("files_list"));
    assert_eq!((&*answer.call_id, &*answer.content), ("c1", "none"));
}

#[test]
fn tools_that_the_provider_refuses_are_an_error() {
    let many = (0..200).map(|n| DynTool::declare(ToolDef::new(format!("t{n}"), "Waits.")));
    let error = GenaiTools::for_model(&Toolset::new(many).unwrap(), "gpt-4o").unwrap_err();
    assert!(error.to_string().contains("128"), "{error}");
}

#[test]
fn only_openai_is_strict_by_default() {
    for provider in [AdapterKind::OpenAI, AdapterKind::OpenAIResp] {
        assert!(dialect_of(provider).is_strict());
    }
    for provider in [
        AdapterKind::Anthropic,
        AdapterKind::Gemini,
        AdapterKind::GeminiIx,
        AdapterKind::BedrockApi,
        AdapterKind::Ollama,
        AdapterKind::Groq,
        AdapterKind::DeepSeek,
        AdapterKind::Mistral,
        AdapterKind::Xai,
    ] {
        assert!(!dialect_of(provider).is_strict(), "{provider}");
    }
    let strict = GenaiTools::in_dialect(&tools(), Dialect::AnthropicStrict).unwrap();
    assert_eq!(strict.tools()[0].strict, Some(true));
}
