use std::borrow::Cow;
use toolwright_json::{ObjectWriter, list};

use serde::Deserialize;

use super::super::answer_form::AnswerSchema;
use super::super::read::object;
use super::super::tool_declaration::ToolDeclaration;
use super::super::{Loads, Parallel, ToolChoice, WireError, WriteRequest, read_def};
use super::Mcp;
use crate::call::{
    Annotations, Block, Encoder, ErrorKind, Meta, OldNames, Outcome, ToolCall, ToolDef, ToolError,
    ToolResult,
};
use crate::dialect::provider_text;
use toolwright_schema::decode::Repair;
use toolwright_schema::render::SchemaDoc;

/// The key of `_meta` under which a result says how the call's arguments were repaired.
const REPAIRS: &str = "toolwright/repairs";

impl Mcp {
    fn result(&self, result: &ToolResult, encoder: Encoder) -> String {
        let content = match &result.outcome {
            Ok(Outcome::Content(content)) => list(content.blocks().iter().map(block_json)),
            _ => list([text_block(&result.content(encoder))]),
        };
        let failed = result
            .outcome
            .as_ref()
            .err()
            .filter(|error| says_more(error));
        let error = failed.map(ToolError::__to_json);
        let is_structured = |error: &&ToolError| {
            encoder.has_structured_errors()
                && (error.data().is_some() || !error.faults().is_empty())
        };
        let structured = match failed.filter(is_structured) {
            Some(_) => error.as_deref().map(Cow::Borrowed),
            None => self.structured(result),
        };
        let repairs = list(result.repairs.iter().map(repair));
        let repairs = (!result.repairs.is_empty()).then_some(repairs);
        let meta = (error.is_some() || repairs.is_some()).then(|| {
            let meta = ObjectWriter::new().maybe_json(ToolError::META, error.as_deref());
            meta.maybe_json(REPAIRS, repairs.as_deref()).end()
        });
        ObjectWriter::new()
            .maybe_text("resultType", self.of_2026.then_some("complete"))
            .json("content", &content)
            .maybe_json("structuredContent", structured.as_deref())
            .maybe_json("isError", (!result.is_success()).then_some("true"))
            .maybe_json("_meta", meta.as_deref())
            .end()
    }

    /// The value, where the version has a place for one of its type. Its text is sent as well, for
    /// clients that look at nothing else.
    fn structured<'r>(&self, result: &'r ToolResult) -> Option<Cow<'r, str>> {
        let json = result.outcome.as_ref().ok()?.payload()?.to_json();
        (self.of_2026 || json.starts_with('{')).then_some(json)
    }
}

impl WriteRequest for Mcp {
    /// `_meta` holds the members of the tool's `meta` whose keys have a `/`, as the protocol's own keys
    /// have, and `icons` the member of that name: all others are the host's. It has the old names of arguments, too.
    fn definition(&self, tool: &ToolDeclaration<'_>) -> String {
        let def = tool.def;
        let output = mcp_output(def, self.of_2026);
        let hints = (def.options.annotations != Annotations::NONE)
            .then(|| annotations(def.options.annotations));
        let icons = def.meta.get("icons").filter(|icons| icons.is_array());
        let definition = tool
            .open()
            .text("name", tool.name)
            .maybe_text("title", def.title.as_deref())
            .text("description", &tool.description())
            .with("inputSchema", |out| tool.write_object_schema(out))
            .maybe_json("outputSchema", output.map(provider_text).as_deref())
            .maybe_json("annotations", hints.as_deref())
            .maybe_json("icons", icons.map(ToString::to_string).as_deref())
            .maybe_json("_meta", meta(def).as_deref());
        tool.with_extras(definition).end()
    }

    fn parse_definition(&self, text: &str) -> Result<ToolDef, WireError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Tool {
            name: String,
            title: Option<String>,
            description: Option<String>,
            input_schema: Option<SchemaDoc>,
            output_schema: Option<SchemaDoc>,
            annotations: Option<Hints>,
            #[serde(rename = "_meta", default)]
            meta: Meta,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Hints {
            title: Option<String>,
            read_only_hint: Option<bool>,
            destructive_hint: Option<bool>,
            idempotent_hint: Option<bool>,
            open_world_hint: Option<bool>,
        }
        let tool: Tool =
            object(text).map_err(|error| WireError::json("this is not an MCP tool", error))?;
        let mut def = read_def(tool.name, tool.description, tool.input_schema);
        def.title = tool.title.map(Cow::Owned);
        def.output = tool.output_schema;
        def.meta = tool.meta;
        if let Some(hints) = tool.annotations {
            // Where the title stood before 2025-06-18.
            def.title = def.title.or(hints.title.map(Cow::Owned));
            def.options.annotations = Annotations {
                read_only: hints.read_only_hint,
                destructive: hints.destructive_hint,
                idempotent: hints.idempotent_hint,
                open_world: hints.open_world_hint,
            };
        }
        Ok(def)
    }

    fn user(&self, _: &str) -> Option<String> {
        None
    }

    fn assistant(&self, _: &str, _: &[ToolCall], _: Option<&dyn Loads>) -> Vec<String> {
        Vec::new()
    }

    fn conversation(&self, _: Option<&str>, _: Vec<String>) -> Option<String> {
        None
    }

    fn results(&self, results: &[ToolResult], encoder: Encoder) -> Vec<String> {
        let results = results.iter().map(|result| self.result(result, encoder));
        results.collect()
    }

    /// The client's model chooses, and the server is not asked.
    fn response_of(&self, native: &[String]) -> String {
        native.concat()
    }

    fn tool_choice(&self, _: &ToolChoice, _: Parallel) -> Option<String> {
        None
    }

    /// The members of the result of `tools/list`.
    fn request(&self, definitions: &str, _: Option<&str>, _: Parallel) -> String {
        ObjectWriter::new().json("tools", definitions).end()
    }

    fn answer_form(&self, _: &AnswerSchema<'_>) -> Option<String> {
        None
    }
}

/// Returns the output schema that a definition publishes: of an object, as far as its root says, or of any value since
/// 2026-07-28.
pub fn mcp_output(def: &ToolDef, of_2026: bool) -> Option<&SchemaDoc> {
    let output = def.output.as_ref()?;
    let is_object = || {
        output
            .to_value()
            .get("type")
            .is_some_and(|kind| kind == "object")
    };
    (of_2026 || is_object()).then_some(output)
}

fn annotations(hints: Annotations) -> String {
    let hints = [
        ("readOnlyHint", hints.read_only),
        ("destructiveHint", hints.destructive),
        ("idempotentHint", hints.idempotent),
        ("openWorldHint", hints.open_world),
    ];
    let given = hints
        .into_iter()
        .filter_map(|(key, hint)| Some((key, hint?)));
    given
        .fold(ObjectWriter::new(), |object, (key, hint)| {
            object.json(key, if hint { "true" } else { "false" })
        })
        .end()
}

fn meta(def: &ToolDef) -> Option<String> {
    let entries = def.meta.iter().filter(|(key, _)| key.contains('/'));
    let mut entries: Vec<_> = entries
        .map(|(key, value)| (key, value.to_string()))
        .collect();
    let was = &def.old_names().arguments;
    if !was.is_empty() {
        let names = was.iter();
        let names = names.fold(ObjectWriter::new(), |names, (old, new)| {
            names.text(old, new)
        });
        entries.push((OldNames::META, names.end()));
    }
    entries.sort_unstable_by_key(|(key, _)| *key);
    let object = entries
        .iter()
        .fold(ObjectWriter::new(), |object, (key, value)| {
            object.json(key, value)
        });
    (!entries.is_empty()).then(|| object.end())
}

/// Returns true if there is more to an error than its text.
fn says_more(error: &ToolError) -> bool {
    error.kind() != ErrorKind::Failed
        || error.data().is_some()
        || !error.faults().is_empty()
        || error.is_permanent()
        || error.is_outcome_unknown()
}

fn repair(repair: &Repair) -> String {
    ObjectWriter::new()
        .text("path", &repair.path)
        .text("kind", repair.kind.as_str())
        .text("from", &repair.from)
        .text("to", &repair.to)
        .end()
}

fn text_block(text: &str) -> String {
    ObjectWriter::new()
        .text("type", "text")
        .text("text", text)
        .end()
}

/// Data is text; all else has a block of its own.
fn block_json(block: &Block) -> String {
    match block {
        Block::Image { mime_type, data } => binary("image", mime_type, data),
        Block::Audio { mime_type, data } => binary("audio", mime_type, data),
        Block::Resource { uri, mime_type } => {
            let last = uri.rsplit('/').find(|part| !part.is_empty());
            let link = ObjectWriter::new()
                .text("type", "resource_link")
                .text("uri", uri)
                .text("name", last.unwrap_or(uri));
            link.maybe_text("mimeType", mime_type.as_deref()).end()
        }
        Block::Document {
            uri,
            mime_type,
            text,
        } => {
            let document = ObjectWriter::new().text("uri", uri);
            let document = document.maybe_text("mimeType", mime_type.as_deref());
            ObjectWriter::new()
                .text("type", "resource")
                .json("resource", &document.text("text", text).end())
                .end()
        }
        other => text_block(&other.to_plain()),
    }
}

fn binary(kind: &str, mime_type: &str, data: &str) -> String {
    ObjectWriter::new()
        .text("type", kind)
        .text("data", data)
        .text("mimeType", mime_type)
        .end()
}
