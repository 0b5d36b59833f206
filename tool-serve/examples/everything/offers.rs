//! Prompts and resources, as the conformance suite of MCP asks for them.

use serde_json::{Value, json};
use toolwright::mcp::{Completing, ElicitResult, ElicitResults, McpServer, Messages};
use toolwright::{
    Context, Outcome, Registry,
    call::{Block, Content},
    prompt, resource, tools,
};

use crate::fixtures::PNG;

/// A prompt without arguments.
#[prompt]
fn test_simple_prompt() -> &'static str {
    "This is a simple prompt for testing."
}

/// A prompt with arguments.
///
/// # Arguments
/// - `arg1`: First test argument
/// - `arg2`: Second test argument
#[prompt]
fn test_prompt_with_arguments(arg1: &str, arg2: &str) -> String {
    format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
}

/// A prompt with a resource in it.
#[prompt]
fn test_prompt_with_embedded_resource(
    /// URI of the resource to embed
    #[arg(rename = "resourceUri")]
    resource_uri: String,
) -> Messages {
    let document = Block::Document {
        uri: resource_uri,
        mime_type: Some("text/plain".into()),
        text: "Embedded resource content for testing.".into(),
    };
    Messages::new()
        .user_content(Content::default().with(document))
        .user("Please process the embedded resource above.")
}

/// A prompt with a picture in it.
#[prompt]
fn test_prompt_with_image() -> Messages {
    Messages::new()
        .user_content(Content::default().image("image/png", PNG))
        .user("Please analyze the image above.")
}

/// A prompt that asks for more.
#[prompt]
fn test_input_required_result_prompt(cx: &Context) -> Outcome {
    match ElicitResults::of(cx).get("user_context") {
        Some(ElicitResult::Accept(said)) => Outcome::value(format!("Use this: {}", said["context"])),
        Some(_) => Outcome::value("Use nothing."),
        None => Outcome::ask("What context should the prompt use?")
            .option("key", "user_context")
            .option(
                "schema",
                json!({"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]}),
            ),
    }
}

/// A text.
#[resource("test://static-text", mime_type = "text/plain")]
fn static_text() -> &'static str {
    "This is the content of the static text resource."
}

/// A picture.
#[resource("test://static-binary", mime_type = "image/png")]
fn static_binary() -> Content {
    Content::default().image("image/png", PNG)
}

/// Data by its id.
#[resource("test://template/{id}/data", mime_type = "application/json")]
fn template(id: &str) -> Value {
    let data = format!("Data for ID: {id}");
    json!({"id": id, "templateTest": true, "data": data})
}

/// A resource that may change.
#[resource("test://watched-resource", mime_type = "text/plain")]
fn watched() -> &'static str {
    "Nothing has changed yet."
}

/// The prompts, which a tool may change.
#[derive(Clone)]
pub(crate) struct Prompts(pub(crate) Registry);

impl Prompts {
    pub(crate) fn new() -> Self {
        let prompts = tools![
            test_simple_prompt,
            test_prompt_with_arguments,
            test_prompt_with_embedded_resource,
            test_prompt_with_image,
            test_input_required_result_prompt,
        ];
        Self(prompts.into())
    }
}

/// Was added.
#[prompt]
pub(crate) fn test_added_prompt() -> &'static str {
    "I was added."
}

/// The server with all of them.
pub(crate) fn offer(server: McpServer, prompts: &Prompts) -> McpServer {
    server
        .prompts(prompts.0.clone())
        .resources(tools![static_text, static_binary, template, watched])
        .completion("test_prompt_with_arguments", "arg1", cities)
}

async fn cities(asked: Completing) -> Vec<String> {
    let cities = ["paris", "park", "party", "rome"];
    let written = cities
        .into_iter()
        .filter(|city| city.starts_with(&asked.value));
    written.map(str::to_owned).collect()
}
