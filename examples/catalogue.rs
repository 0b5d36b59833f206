//! Many tools, deferred: how often the tool that a question needs is among the first that a search finds, and what it costs.
//!
//! `cargo run --release --example catalogue -- TOOLS.jsonl QUESTIONS.jsonl` reads a definition a line,
//! `{"name": …, "description": …, "parameters": {…}}`, and a question a line, `{"question": …, "expected": [names]}`. It prints one line
//! of JSON:
//!
//! - `recall_at_1`, `recall_at_5`, `recall_at_10`: of a question that needs several tools, the share of them that is found.
//! - `search_ms`, `index_ms`: a search, and the first one, which reads all definitions.
//! - `bytes_all`, `tokens_all`, `bytes_deferred`, `tokens_deferred`: the definitions of the first request to `OpenAI`'s chat, with
//!   all tools and with all of them deferred.
//! - `request_ratio`: the time of a request with 40 of the tools loaded, to that of one with these 40 and no others.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use toolwright::schema::SchemaDoc;
use toolwright::toolset::Namespace;
use toolwright::wire::{Message, Parallel, ToolChoice};
use toolwright::{
    Context, DynTool, Encoder, Outcome, ToolCall, ToolDef, ToolResult, Toolset, Wire,
};

#[derive(Deserialize)]
struct Definition {
    name: String,
    description: String,
    #[serde(default = "SchemaDoc::empty_object")]
    parameters: SchemaDoc,
}

#[derive(Deserialize)]
struct Question {
    question: String,
    expected: Vec<String>,
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
    let questions: Vec<Question> = lines(questions)?;
    let (cx, counted) = (Context::new(), questions.len().max(1) as f64);

    // The first search makes the index.
    let start = Instant::now();
    tools.search("", 1, &cx.scope());
    let indexed = start.elapsed();

    let mut recall = [1, 5, 10].map(|most| (most, 0.0));
    let mut searched = Duration::ZERO;
    for Question { question, expected } in &questions {
        let start = Instant::now();
        let found = tools.search(question, 10, &cx.scope());
        searched += start.elapsed();
        for (most, sum) in &mut recall {
            let first = || found.iter().take(*most);
            let hits = expected
                .iter()
                .filter(|name| first().any(|found| found.def.name == ***name));
            *sum += hits.count() as f64 / expected.len().max(1) as f64;
        }
    }
    let [at_1, at_5, at_10] = recall.map(|(_, sum)| sum / counted);
    let group = Namespace::new("tools").map_err(|error| error.to_string())?;
    let deferred = tools.defer(group);
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    let (all, none) = (size(&tools), size(&deferred));
    Ok(json!({
        "tools": tools.len(),
        "questions": questions.len(),
        "recall_at_1": at_1,
        "recall_at_5": at_5,
        "recall_at_10": at_10,
        "search_ms": ms(searched) / counted,
        "index_ms": ms(indexed),
        "bytes_all": all.0,
        "tokens_all": all.1,
        "bytes_deferred": none.0,
        "tokens_deferred": none.1,
        "request_ratio": request_ratio(&deferred),
    }))
}

/// Bytes and tokens of the definitions in a request, the tokens by estimate.
fn size(tools: &Toolset) -> (usize, usize) {
    let sent = Wire::OpenAiChat.definitions(tools);
    let named = |name: &str| tools.get(name).map(|tool| tool.def().estimated_tokens());
    let names = tools.requested();
    (sent.len(), names.filter_map(named).sum())
}

/// The shortest times of many, in turn.
fn request_ratio(tools: &Toolset) -> f64 {
    let names: Vec<String> = tools
        .definitions()
        .step_by((tools.len() / 40).max(1))
        .take(40)
        .map(|def| def.name.to_string())
        .collect();
    let few = tools.filter(|tool| names.iter().any(|name| *name == tool.def().name));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut least = [f64::MAX; 2];
    for _ in 0..2_000 {
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
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty());
    let read = |(number, line)| {
        serde_json::from_str(line).map_err(|error| format!("{path}, line {number}: {error}"))
    };
    lines.map(read).collect()
}
