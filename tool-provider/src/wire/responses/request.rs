use serde::Deserialize;
use toolwright_json::{ObjectWriter, list};

use super::super::answer_form::AnswerSchema;
use super::super::loading::{Echoed, Namespace, WriteLoading, is_search};
use super::super::media::accepted;
use super::super::openai::request::{PICTURES, data_url, mode, request, user};
use super::super::read::object;
use super::super::tool_declaration::ToolDeclaration;
use super::super::{Loads, Parallel, ToolChoice, WireError, WriteRequest, read_def};
use super::response::MCP_APPROVAL;
use super::{OpenAiResponses, loading};
use crate::call::{Block, Encoder, Outcome, ToolCall, ToolDef, ToolResult};
use toolwright_schema::render::SchemaDoc;

impl WriteRequest for OpenAiResponses {
    /// `strict` is said: where it is missing, this API takes it for `true`.
    fn definition(&self, tool: &ToolDeclaration<'_>) -> String {
        let definition = tool
            .open()
            .text("type", "function")
            .text("name", tool.name)
            .text("description", &tool.description())
            .with("parameters", |out| tool.write_schema(out))
            .json("strict", if tool.strict { "true" } else { "false" });
        tool.with_extras(definition).end()
    }

    fn parse_definition(&self, text: &str) -> Result<ToolDef, WireError> {
        #[derive(Deserialize)]
        struct Tool {
            #[serde(rename = "type")]
            kind: Option<String>,
            name: Option<String>,
            description: Option<String>,
            parameters: Option<SchemaDoc>,
        }
        let tool: Tool = object(text)
            .map_err(|error| WireError::json("this is not an OpenAI tool definition", error))?;
        match (tool.kind.as_deref(), tool.name) {
            (None | Some("function"), Some(name)) => {
                Ok(read_def(name, tool.description, tool.parameters))
            }
            (None | Some("function"), None) => Err(WireError::new(
                "this is not an OpenAI tool definition: it has no `name`",
            )),
            // Such as `web_search`: its schema is OpenAI's and so is its code.
            (Some(kind), _) => Err(WireError::new(format!(
                "the tool definition is of the type {kind:?}, which is not a function"
            ))),
        }
    }

    fn user(&self, text: &str) -> Option<String> {
        Some(user(text))
    }

    /// Words and calls are items of their own.
    fn assistant(&self, text: &str, calls: &[ToolCall], loads: Option<&dyn Loads>) -> Vec<String> {
        let said = ObjectWriter::new()
            .text("role", "assistant")
            .text("content", text);
        let said = (!text.is_empty() || calls.is_empty()).then(|| said.end());
        let calls = calls.iter().map(|call| {
            if loads.is_some() && is_search(call) {
                return loading::search(call);
            }
            // A call of a deferred tool is refused without its group.
            let namespace = loads.and_then(|loads| loads.namespace_of(&call.name));
            ObjectWriter::new()
                .text("type", "function_call")
                .text("call_id", &call.id)
                .text("name", &call.name)
                .maybe_text("namespace", namespace.map(Namespace::name))
                .text("arguments", &call.arguments)
                .end()
        });
        said.into_iter().chain(calls).collect()
    }

    fn conversation(&self, system: Option<&str>, messages: Vec<String>) -> Option<String> {
        let body = ObjectWriter::new().maybe_text("instructions", system);
        Some(body.json("input", &list(messages)).end())
    }

    /// One item an answer. There is no flag for an error.
    fn results(&self, results: &[ToolResult], encoder: Encoder) -> Vec<String> {
        let items = results.iter().map(|result| {
            if &*result.name == MCP_APPROVAL {
                return approval(result, encoder);
            }
            let item = ObjectWriter::new()
                .text("type", "function_call_output")
                .text("call_id", &result.id);
            match &result.outcome {
                Ok(Outcome::Content(content)) => {
                    let parts = content.blocks().iter().map(part);
                    item.json("output", &list(parts)).end()
                }
                _ => item.text("output", &result.content(encoder)).end(),
            }
        });
        items.collect()
    }

    /// Source: the guide "Async tool calling" of `OpenAI`'s documentation, 2026-11: a call of a tool that is declared
    /// with `"async":true` has it too, and its output may follow in a later request.
    fn echoed(&self, native: &[String]) -> Echoed {
        loading::echoed(native)
    }

    fn loading(&self) -> Option<&dyn WriteLoading> {
        Some(self)
    }

    fn response_of(&self, native: &[String]) -> String {
        let output = list(native.iter().cloned());
        ObjectWriter::new().json("output", &output).end()
    }

    fn tool_choice(&self, choice: &ToolChoice, _: Parallel) -> Option<String> {
        Some(match choice {
            ToolChoice::Specific(name) => ObjectWriter::new()
                .text("type", "function")
                .text("name", name)
                .end(),
            word => mode(word),
        })
    }

    fn request(&self, definitions: &str, choice: Option<&str>, parallel: Parallel) -> String {
        request(definitions, choice, parallel)
    }

    /// Source: `text.format` of openai/openai-openapi, `openapi.yaml`, 2026-08.
    fn answer_form(&self, form: &AnswerSchema<'_>) -> Option<String> {
        let format = ObjectWriter::new()
            .text("type", "json_schema")
            .text("name", AnswerSchema::NAME);
        let format = form.write(format).end();
        let text = ObjectWriter::new().json("format", &format).end();
        Some(ObjectWriter::new().json("text", &text).end())
    }
}

/// The answer to a request for an approval. A failure, or `false`, refuses it.
///
/// Source: `MCPApprovalResponse` of openai/openai-openapi, `openapi.yaml`, 2026-08.
fn approval(result: &ToolResult, encoder: Encoder) -> String {
    let words = result.content(encoder);
    let is_approved = result.is_success() && &*words != "false";
    let item = ObjectWriter::new()
        .text("type", "mcp_approval_response")
        .text("approval_request_id", &result.id)
        .json("approve", if is_approved { "true" } else { "false" });
    item.maybe_text("reason", (!is_approved).then_some(&*words))
        .end()
}

/// Text and pictures have parts of their own; of all else the model gets words.
fn part(block: &Block) -> String {
    if let Block::Image { mime_type, data } = block
        && let Some(mime_type) = accepted(mime_type, PICTURES)
    {
        let part = ObjectWriter::new().text("type", "input_image");
        return part.text("image_url", &data_url(mime_type, data)).end();
    }
    let part = ObjectWriter::new().text("type", "input_text");
    part.text("text", &block.to_plain()).end()
}
