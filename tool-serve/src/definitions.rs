//! Tools as JSON, for programs and for the page. Secrets are marked in the schemas.

use std::borrow::Cow;

use toolwright_provider::call::{Annotations, Example, ToolDef};
use toolwright_provider::definitions::sent_definitions;
use toolwright_provider::dialect::Dialect;
use toolwright_provider::wire::{Namespace, Wire};
use toolwright_runtime::executor::Executor;
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::tokens::Tokenizer;

use crate::json::{list, object, quoted};

/// Returns `{"tools": […], "tokens": …, "tokenizer": …}`, the tools in the toolset's order, each with its tokens; together
/// those that a request has.
pub(crate) fn tools_json(executor: &Executor, tools: &Toolset, tokenizer: Tokenizer) -> String {
    // The executor knows a tool by its own name.
    let all = sent_definitions(tools).zip(tools.definitions());
    let all = list(all.map(|(sent, def)| {
        let namespace = tools.namespace(&def.name);
        let tokens = sent.tokens(tokenizer);
        tool_json(sent, namespace, executor.requires_approval(def), tokens)
    }));
    object([
        ("tools", all.into()),
        ("tokens", tokens(tools, tokenizer).to_string().into()),
        ("tokenizer", quoted(tokenizer.name()).into()),
    ])
}

/// Returns the tokens that the definitions take of a request.
pub(crate) fn tokens(tools: &Toolset, tokenizer: Tokenizer) -> usize {
    tools.requested().map(|def| def.tokens(tokenizer)).sum()
}

fn tool_json(
    def: &ToolDef,
    namespace: Option<&Namespace>,
    requires_approval: bool,
    tokens: usize,
) -> String {
    let mut members: Vec<(&str, Cow<'_, str>)> = vec![("name", quoted(&def.name).into())];
    if let Some(title) = &def.title {
        members.push(("title", quoted(title).into()));
    }
    members.push(("description", quoted(&def.description).into()));
    members.push(("input_schema", def.input.to_marked_json()));
    if let Some(output) = &def.output {
        members.push(("output_schema", output.to_marked_json()));
    }
    if !def.examples.is_empty() {
        members.push((
            "examples",
            list(def.examples.iter().map(example_json)).into(),
        ));
    }
    if def.options.annotations != Annotations::NONE {
        members.push((
            "annotations",
            annotations_json(def.options.annotations).into(),
        ));
    }
    if let Some(namespace) = namespace {
        members.push(("namespace", quoted(namespace.name()).into()));
    }
    if def.options.manual {
        members.push(("manual", "true".into()));
    }
    if requires_approval {
        members.push(("requires_approval", "true".into()));
    }
    members.push(("tokens", tokens.to_string().into()));
    object(members)
}

fn example_json(example: &Example) -> String {
    let mut members = vec![("arguments", example.arguments.clone())];
    if !example.shows.is_empty() {
        members.push(("shows", quoted(&example.shows).into()));
    }
    object(members)
}

fn annotations_json(hints: Annotations) -> String {
    let hints = [
        ("read_only", hints.read_only),
        ("destructive", hints.destructive),
        ("idempotent", hints.idempotent),
        ("open_world", hints.open_world),
    ];
    let given = hints.into_iter().filter_map(|(name, hint)| {
        let hint = if hint? { "true" } else { "false" };
        Some((name, hint.into()))
    });
    object(given)
}

/// Each wire by its name, with the dialect in which a provider of its own gets tools, as from an agent's `Endpoint`.
pub(crate) const WIRES: [(&str, Wire, Dialect); Wire::ALL.len()] = [
    ("openai_chat", Wire::OpenAiChat, Dialect::OpenAiStrict),
    (
        "openai_responses",
        Wire::OpenAiResponses,
        Dialect::OpenAiStrict,
    ),
    ("anthropic", Wire::Anthropic, Dialect::Anthropic),
    ("gemini", Wire::Gemini, Dialect::GeminiJson),
    ("bedrock", Wire::BedrockConverse, Dialect::Bedrock),
    ("ollama", Wire::Ollama, Dialect::Ollama),
    ("mcp", Wire::Mcp, Dialect::Mcp20251125),
    ("mcp_2026", Wire::Mcp2026, Dialect::Mcp20260728),
];

/// Returns what each wire sends of these tools, or why its provider would refuse them, as one object.
pub(crate) fn by_wire_json(tools: &Toolset) -> String {
    object(WIRES.map(|(name, wire, dialect)| {
        let mut members = vec![("dialect", Cow::from(quoted(dialect.name())))];
        match wire.definitions_in(tools, dialect) {
            Ok(sent) if sent.is_empty() && sent.notices().next().is_some() => {
                let reasons = sent.notices().map(|notice| quoted(&notice.to_string()));
                members.push(("refused", list(reasons).into()));
            }
            Ok(sent) => {
                members.push(("tools", sent.text().to_string().into()));
                let notes = sent.notes().map(|(_, note)| quoted(&note.to_string()));
                members.push(("notes", list(notes).into()));
            }
            Err(refused) => {
                let reasons = refused.reasons().iter().map(|(_, why)| quoted(why));
                members.push(("refused", list(reasons).into()));
            }
        }
        (name, object(members).into())
    }))
}
