use serde::Deserialize;
use toolwright_json::{ObjectWriter, list, quoted};

use super::super::answer_form::AnswerSchema;
use super::super::call::as_object;
use super::super::conversation::{media_of, message, readable};
use super::super::media::accepted;
use super::super::read::{Members, object};
use super::super::tool_declaration::ToolDeclaration;
use super::super::{Loads, Parallel, ToolChoice, WireError, WriteRequest, read_def};
use super::Gemini;
use crate::call::{Block, Content, Encoder, Outcome, ToolCall, ToolDef, ToolResult};
use toolwright_schema::render::SchemaDoc;

/// Signature of a call that Gemini did not make. Gemini 3 answers 400 to a message whose first call has none; Gemini 2.5
/// takes it.
///
/// Source: "Thought signatures", FAQ, of the Gemini API's documentation, 2026-11; strands-agents/harness-sdk pull request
/// 1298 tests it with both.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

impl WriteRequest for Gemini {
    /// `parametersJsonSchema` takes JSON Schema as it is, where `parameters` takes a dialect. A tool
    /// without arguments has neither: an object without properties is refused.
    fn definition(&self, tool: &ToolDeclaration<'_>) -> String {
        let def = tool.def;
        let declaration = tool
            .open()
            .text("name", tool.name)
            .text("description", &tool.description());
        if !tool.has_schema() || def.input == SchemaDoc::empty_object() {
            return tool.with_extras(declaration).end();
        }
        let key = if tool.openapi {
            "parameters"
        } else {
            "parametersJsonSchema"
        };
        let declaration = declaration.with(key, |out| tool.write_schema(out));
        tool.with_extras(declaration).end()
    }

    /// One tool that holds all functions.
    fn definitions(&self, declarations: String) -> String {
        let tool = ObjectWriter::new().json("functionDeclarations", &declarations);
        list([tool.end()])
    }

    fn parse_definition(&self, text: &str) -> Result<ToolDef, WireError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Declaration {
            name: String,
            description: Option<String>,
            parameters_json_schema: Option<SchemaDoc>,
            parameters: Option<SchemaDoc>,
        }
        let declaration: Declaration = object(text)
            .map_err(|error| WireError::json("this is not a Gemini function declaration", error))?;
        if declaration.parameters.is_some() {
            // `"type": "OBJECT"` is not JSON Schema.
            return Err(WireError::new(
                "the Gemini function declaration has `parameters`, in a dialect of its own; \
                 `parametersJsonSchema` can be read",
            ));
        }
        Ok(read_def(
            declaration.name,
            declaration.description,
            declaration.parameters_json_schema,
        ))
    }

    fn user(&self, text: &str) -> Option<String> {
        (!text.is_empty()).then(|| message("user", "parts", [text_part(text)]))
    }

    /// The first call has a [stand-in](NO_SIGNATURE) for its signature.
    fn assistant(&self, text: &str, calls: &[ToolCall], _: Option<&dyn Loads>) -> Vec<String> {
        let words = (!text.is_empty()).then(|| text_part(text));
        let calls = calls.iter().enumerate().map(|(place, call)| {
            let call = ObjectWriter::new()
                .text("id", &call.id)
                .text("name", &call.name)
                .json("args", &as_object(&call.arguments));
            let part = ObjectWriter::new().json("functionCall", &call.end());
            let signature = (place == 0).then_some(NO_SIGNATURE);
            part.maybe_text("thoughtSignature", signature).end()
        });
        vec![message("model", "parts", words.into_iter().chain(calls))]
    }

    /// Roles need not alternate. A content without parts is refused.
    fn conversation(&self, system: Option<&str>, messages: Vec<String>) -> Option<String> {
        let system = system.map(|system| {
            let parts = list([text_part(system)]);
            ObjectWriter::new().json("parts", &parts).end()
        });
        let body = ObjectWriter::new().maybe_json("systemInstruction", system.as_deref());
        let contents = messages.into_iter();
        let contents = list(contents.filter_map(|content| readable(content, "parts", refuses)));
        Some(body.json("contents", &contents).end())
    }

    /// One content for all answers. The answer's value stands under `output` or `error`, which the
    /// API reserves for them; pictures are parts beside it, or in a content behind all answers: of a model that takes none
    /// inside, a content has as many parts as there were calls. Sound is always behind.
    ///
    /// Source: google-gemini/gemini-cli issue 19436 and pull request 16137.
    fn results(&self, results: &[ToolResult], encoder: Encoder) -> Vec<String> {
        if results.is_empty() {
            return Vec::new();
        }
        let mut behind = Vec::new();
        let parts = results.iter().map(|result| {
            let key = if result.is_success() {
                "output"
            } else {
                "error"
            };
            let (value, parts, media) = match &result.outcome {
                Ok(Outcome::Content(content)) => split(content, encoder.has_pictures_after()),
                _ => (
                    encoder.encode_json(result).into_owned(),
                    Vec::new(),
                    Vec::new(),
                ),
            };
            if !media.is_empty() {
                behind.push(text_part(&media_of(result)));
                behind.extend(media);
            }
            let response = ObjectWriter::new()
                .text("id", &result.id)
                .text("name", &result.name)
                .json("response", &ObjectWriter::new().json(key, &value).end());
            let parts = (!parts.is_empty()).then(|| list(parts));
            let response = response.maybe_json("parts", parts.as_deref());
            ObjectWriter::new()
                .json("functionResponse", &response.end())
                .end()
        });
        let mut messages = vec![message("user", "parts", parts)];
        if !behind.is_empty() {
            messages.push(message("user", "parts", behind));
        }
        messages
    }

    fn response_of(&self, native: &[String]) -> String {
        let candidate = ObjectWriter::new().json("content", &native.concat());
        let candidates = list([candidate.end()]);
        ObjectWriter::new().json("candidates", &candidates).end()
    }

    fn tool_choice(&self, choice: &ToolChoice, parallel: Parallel) -> Option<String> {
        // Nothing keeps the model from several calls but the word for none.
        if parallel == Parallel::Forbidden && *choice != ToolChoice::None {
            return None;
        }
        let config = match choice {
            ToolChoice::Auto => ObjectWriter::new().text("mode", "AUTO"),
            ToolChoice::Required => ObjectWriter::new().text("mode", "ANY"),
            ToolChoice::None => ObjectWriter::new().text("mode", "NONE"),
            ToolChoice::Specific(name) => ObjectWriter::new()
                .text("mode", "ANY")
                .json("allowedFunctionNames", &list([quoted(name)])),
        };
        Some(
            ObjectWriter::new()
                .json("functionCallingConfig", &config.end())
                .end(),
        )
    }

    fn request(&self, definitions: &str, choice: Option<&str>, _: Parallel) -> String {
        let body = ObjectWriter::new().json("tools", definitions);
        body.maybe_json("toolConfig", choice).end()
    }

    /// Source: `GenerationConfig` of the Gemini API reference (v1beta), 2026-11.
    fn answer_form(&self, form: &AnswerSchema<'_>) -> Option<String> {
        let key = if form.openapi {
            "responseSchema"
        } else {
            "responseJsonSchema"
        };
        let config = ObjectWriter::new()
            .text("responseMimeType", "application/json")
            .json(key, form.schema)
            .end();
        Some(ObjectWriter::new().json("generationConfig", &config).end())
    }
}

fn text_part(text: &str) -> String {
    ObjectWriter::new().text("text", text).end()
}

/// Returns true for a part that the API sends and refuses to read: empty text on which no signature stands.
pub(super) fn refuses(part: &Members<'_>) -> bool {
    let is_text = |(key, _)| matches!(key, "text" | "thought");
    part.get("text").is_some() && part.iter().all(is_text) && part.words("text").is_empty()
}

/// Types of pictures inside a result.
///
/// Source: "Multimodal function responses" of the Gemini API's documentation, 2026-11.
const PICTURES: &[&str] = &["image/png", "image/jpeg", "image/webp"];

/// Types of media in a content of the user.
///
/// Source: "Image understanding" and "Audio understanding" of the Gemini API's documentation, 2026-11.
const MEDIA: &[&str] = &[
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/heic",
    "image/heif",
    "audio/wav",
    "audio/mp3",
    "audio/aiff",
    "audio/aac",
    "audio/ogg",
    "audio/flac",
];

/// The text of the blocks, the parts that stand inside the result, and those behind it.
fn split(content: &Content, pictures_after: bool) -> (String, Vec<String>, Vec<String>) {
    let (mut words, mut inside, mut behind) = (Vec::new(), Vec::new(), Vec::new());
    for block in content.blocks() {
        let (parts, table, blob) = match block {
            Block::Image { mime_type, data } if !pictures_after => {
                (&mut inside, PICTURES, Some((mime_type, data)))
            }
            Block::Image { mime_type, data } | Block::Audio { mime_type, data } => {
                (&mut behind, MEDIA, Some((mime_type, data)))
            }
            _ => (&mut behind, MEDIA, None),
        };
        let blob = blob.and_then(|(mime_type, data)| Some((accepted(mime_type, table)?, data)));
        let Some((mime_type, data)) = blob else {
            words.push(block.clone());
            continue;
        };
        let blob = ObjectWriter::new()
            .text("mimeType", mime_type)
            .text("data", data)
            .end();
        parts.push(ObjectWriter::new().json("inlineData", &blob).end());
    }
    // One block of data stays a value.
    let value = match words.as_slice() {
        [Block::Json { value }] => value.to_string(),
        _ => quoted(&Content::from(words).to_plain()),
    };
    (value, inside, behind)
}
