//! Tools as JSON, for programs and for the page. Secrets are marked in the schemas.

use toolwright_json::{ObjectWriter, list, object, quoted};
use toolwright_provider::call::{Annotations, Example, ToolDef};
use toolwright_provider::definitions::sent_definitions;
use toolwright_provider::dialect::Dialect;
use toolwright_provider::wire::{Namespace, Wire};
use toolwright_runtime::executor::Executor;
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::tokens::Tokenizer;

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
    ObjectWriter::new()
        .json("tools", &all)
        .json("tokens", &tokens(tools, tokenizer).to_string())
        .text("tokenizer", tokenizer.name())
        .end()
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
    let output = def.output.as_ref().map(SchemaDoc::to_marked_json);
    let examples = def.examples.iter().map(example_json);
    let examples = (!def.examples.is_empty()).then(|| list(examples));
    let hints = def.options.annotations;
    let hints = (hints != Annotations::NONE).then(|| annotations_json(hints));
    ObjectWriter::new()
        .text("name", &def.name)
        .maybe_text("title", def.title.as_deref())
        .text("description", &def.description)
        .json("input_schema", &def.input.to_marked_json())
        .maybe_json("output_schema", output.as_deref())
        .maybe_json("examples", examples.as_deref())
        .maybe_json("annotations", hints.as_deref())
        .maybe_text("namespace", namespace.map(Namespace::name))
        .maybe_json("manual", def.options.manual.then_some("true"))
        .maybe_json("requires_approval", requires_approval.then_some("true"))
        .json("tokens", &tokens.to_string())
        .end()
}

fn example_json(example: &Example) -> String {
    let shows = (!example.shows.is_empty()).then_some(&*example.shows);
    ObjectWriter::new()
        .json("arguments", &example.arguments)
        .maybe_text("shows", shows)
        .end()
}

fn annotations_json(hints: Annotations) -> String {
    let hints = [
        ("read_only", hints.read_only),
        ("destructive", hints.destructive),
        ("idempotent", hints.idempotent),
        ("open_world", hints.open_world),
    ];
    let given = hints.into_iter();
    object(given.filter_map(|(name, hint)| Some((name, hint?.to_string()))))
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
        let one = ObjectWriter::new().text("dialect", dialect.name());
        let one = match wire.definitions_in(tools, dialect) {
            Ok(sent) if sent.is_empty() && sent.notices().next().is_some() => {
                let reasons = sent.notices().map(|notice| quoted(&notice.to_string()));
                one.json("refused", &list(reasons))
            }
            Ok(sent) => {
                let notes = sent.notes().map(|(_, note)| quoted(&note.to_string()));
                one.json("tools", &sent.text()).json("notes", &list(notes))
            }
            Err(refused) => {
                let reasons = refused.reasons().iter().map(|(_, why)| quoted(why));
                one.json("refused", &list(reasons))
            }
        };
        (name, one.end())
    }))
}
