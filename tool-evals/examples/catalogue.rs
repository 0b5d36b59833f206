//! Many tools, deferred: how often the tool that a question needs is among the first that a search finds, and what it costs.
//!
//! `cargo run --release -p toolwright-evals --example catalogue -- TOOLS.jsonl QUESTIONS.jsonl` reads a definition a line,
//! `{"name": …, "description": …, "parameters": {…}}`, and a question a line, `{"question": …, "expected": [names]}`. It prints one line
//! of JSON:
//!
//! - `recall_at_1`, `recall_at_5`, `recall_at_10`: of a question that needs several tools, the share of them that is found.
//! - `search_ms`, `index_ms`: a search, and the first one, which reads all definitions.
//! - `bytes_all`, `tokens_all`, `bytes_deferred`, `tokens_deferred`: the definitions of the first request to `OpenAI`'s chat, with
//!   all tools and with all of them deferred. The tokens are a bound, or exact with `--features tokens`; `tokens_by` says which.
//! - `request_ratio`: the time of a request with 40 of the tools loaded, to that of one with these 40 and no others.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use toolwright::schema::SchemaDoc;
use toolwright::tokens::Tokenizer;
use toolwright::toolset::Namespace;
use toolwright::wire::{Message, Parallel, ToolChoice};
use toolwright::{
    Context, DynTool, Encoder, Outcome, ToolCall, ToolDef, ToolResult, Toolset, Wire,
};
use toolwright_evals as evals;

/// Exact with the feature `tokens`, else a bound.
#[cfg(feature = "tokens")]
const TOKENIZER: Tokenizer = Tokenizer::O200k;
#[cfg(not(feature = "tokens"))]
const TOKENIZER: Tokenizer = Tokenizer::Bound;

#[derive(Deserialize)]
struct Definition {
    name: String,
    description: String,
    #[serde(default = "SchemaDoc::empty_object")]
    parameters: SchemaDoc,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [tools, questions] = args.as_slice() else {
        eprintln!("usage: catalogue TOOLS.jsonl QUESTIONS.jsonl");
        return ExitCode::from(2);
    };
    match report(tools, questions) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn report(tools: &str, questions: &str) -> Result<serde_json::Value, String> {
    let definitions: Vec<Definition> = lines(tools)?;
    let declared = definitions.into_iter().map(|definition| {
        let mut def = ToolDef::new(definition.name, definition.description);
        def.input = definition.parameters;
        DynTool::declare(def)
    });
    let tools = Toolset::new(declared).map_err(|error| error.to_string())?;
    let questions =
        evals::questions(&read(questions)?).map_err(|error| format!("{questions}: {error}"))?;
    let counted = u32::try_from(questions.len().max(1)).unwrap_or(u32::MAX);
    let cx = Context::new();

    // The first search makes the index.
    let start = Instant::now();
    tools.search("", 1, &cx.scope());
    let indexed = start.elapsed();

    let start = Instant::now();
    let recall = evals::recall(&tools, &questions);
    let searched = start.elapsed();
    let group = Namespace::new("tools").map_err(|error| error.to_string())?;
    let deferred = tools.defer(group);
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    let (all, none) = (size(&tools), size(&deferred));
    Ok(json!({
        "tools": tools.iter().len(),
        "questions": questions.len(),
        "recall_at_1": recall.recall_at_1,
        "recall_at_5": recall.recall_at_5,
        "recall_at_10": recall.recall_at_10,
        "mean_reciprocal_rank": recall.mean_reciprocal_rank,
        "search_ms": ms(searched / counted),
        "index_ms": ms(indexed),
        "bytes_all": all.0,
        "tokens_all": all.1,
        "bytes_deferred": none.0,
        "tokens_deferred": none.1,
        "tokens_by": TOKENIZER.name(),
        "request_ratio": request_ratio(&deferred),
    }))
}

/// Bytes and tokens of the definitions in a request.
fn size(tools: &Toolset) -> (usize, usize) {
    let sent = Wire::OpenAiChat.definitions(tools);
    let tokens = tools.requested().map(|def| def.tokens(TOKENIZER));
    (sent.len(), tokens.sum())
}

/// The shortest times of many, in turn.
fn request_ratio(tools: &Toolset) -> f64 {
    let names: Vec<String> = tools
        .definitions()
        .step_by((tools.iter().len() / 40).max(1))
        .take(40)
        .map(|def| def.name.to_string())
        .collect();
    let few = tools.filter(|tool| names.iter().any(|name| *name == tool.def().name));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut least = [f64::MAX; 2];
    for _ in 0..200 {
        for (tools, least) in [tools, &few].into_iter().zip(&mut least) {
            let start = Instant::now();
            for _ in 0..10 {
                std::hint::black_box(request(tools, &names));
            }
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    least[0] / least[1]
}

/// The body of a request, after a search and a call.
fn request(tools: &Toolset, loaded: &[&str]) -> String {
    let sent = tools.load(loaded.iter().copied());
    let calls = [ToolCall::new(
        "call_1",
        "search_tools",
        r#"{"query": "what is needed"}"#,
    )];
    let results = [ToolResult::new(
        &calls[0],
        Ok(Outcome::value("These tools can be called now:")),
    )];
    let said = [
        Message::User("Do what is needed."),
        Message::Assistant {
            text: "",
            calls: &calls,
        },
        Message::Results(&results),
    ];
    let wire = Wire::OpenAiChat;
    let tools = wire.request(&sent, &ToolChoice::Auto, Parallel::Allowed);
    let messages = wire.conversation(Some("You help."), &said, Encoder::auto());
    match (tools, messages) {
        (Ok(tools), Ok(messages)) => format!("{tools}{messages}"),
        _ => String::new(),
    }
}

/// A value a line.
fn lines<T: DeserializeOwned>(path: &str) -> Result<Vec<T>, String> {
    let text = read(path)?;
    let lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty());
    let parse = |(number, line)| {
        serde_json::from_str(line).map_err(|error| format!("{path}, line {number}: {error}"))
    };
    lines.map(parse).collect()
}

fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))
}
