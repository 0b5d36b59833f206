use super::super::answer_form::AnswerSchema;
use super::super::call::as_object;
use super::super::media::accepted;
use super::super::openai::request as openai;
use super::super::tool_declaration::ToolDeclaration;
use super::super::{Loads, Parallel, ToolChoice, WireError, WriteRequest};
use super::Ollama;
use crate::call::{Block, Encoder, Outcome, ToolCall, ToolDef, ToolResult};
use toolwright_json::{ObjectWriter, list, quoted};

impl WriteRequest for Ollama {
    /// The form is that of `OpenAI`'s chat.
    fn definition(&self, tool: &ToolDeclaration<'_>) -> String {
        openai::definition(tool)
    }

    fn parse_definition(&self, text: &str) -> Result<ToolDef, WireError> {
        openai::parse_definition(text)
    }

    fn user(&self, text: &str) -> Option<String> {
        Some(openai::user(text))
    }

    fn assistant(&self, text: &str, calls: &[ToolCall], _: Option<&dyn Loads>) -> Vec<String> {
        vec![openai::assistant(text, calls, |call| {
            let function = ObjectWriter::new()
                .text("name", &call.name)
                .json("arguments", &as_object(&call.arguments))
                .end();
            ObjectWriter::new()
                .text("id", &call.id)
                .json("function", &function)
                .end()
        })]
    }

    fn conversation(&self, system: Option<&str>, messages: Vec<String>) -> Option<String> {
        Some(openai::conversation(system, messages))
    }

    /// One message an answer. Pictures stand beside the text, which says that they are there;
    /// there is no flag for an error.
    fn results(&self, results: &[ToolResult], encoder: Encoder) -> Vec<String> {
        let messages = results.iter().map(|result| {
            let message = ObjectWriter::new()
                .text("role", "tool")
                .text("tool_name", &result.name)
                .text("tool_call_id", &result.id)
                .text("content", &result.content(encoder));
            message
                .maybe_json("images", pictures(result).as_deref())
                .end()
        });
        messages.collect()
    }

    fn response_of(&self, native: &[String]) -> String {
        ObjectWriter::new().json("message", &native.concat()).end()
    }

    /// There is no word for any: the model chooses among the tools that are sent.
    fn tool_choice(&self, _: &ToolChoice, _: Parallel) -> Option<String> {
        None
    }

    fn request(&self, definitions: &str, _: Option<&str>, _: Parallel) -> String {
        ObjectWriter::new().json("tools", definitions).end()
    }

    /// Source: `format` of ollama/ollama, `docs/api.md`, 2026-10.
    fn answer_form(&self, form: &AnswerSchema<'_>) -> Option<String> {
        Some(ObjectWriter::new().json("format", form.schema).end())
    }
}

/// Types of pictures.
///
/// Source: the decoders that `model/model.go` of ollama/ollama imports, 2026-10.
const PICTURES: &[&str] = &["image/png", "image/jpeg", "image/webp"];

fn pictures(result: &ToolResult) -> Option<String> {
    let Ok(Outcome::Content(content)) = &result.outcome else {
        return None;
    };
    let pictures = content.blocks().iter().filter_map(|block| match block {
        Block::Image { mime_type, data } => {
            accepted(mime_type, PICTURES)?;
            Some(quoted(data))
        }
        _ => None,
    });
    let pictures: Vec<_> = pictures.collect();
    (!pictures.is_empty()).then(|| list(pictures))
}
