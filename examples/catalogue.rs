//! Search over many tools: how often the tool that a question needs is among the first that are found, and what it costs.
//!
//! `cargo run --release --example catalogue -- TOOLS.jsonl QUESTIONS.jsonl` reads a definition a line,
//! `{"name": …, "description": …, "parameters": {…}}`, and a question a line, `{"question": …, "expected": [names]}`. It prints one line
//! of JSON. Of a question that needs several tools, recall is the share of them that is found.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use toolwright::schema::SchemaDoc;
use toolwright::{Context, DynTool, ToolDef, Toolset, Wire, tool, tools};
use toolwright_testing::choice;

#[derive(Deserialize)]
struct Definition {
    name: String,
    description: String,
    #[serde(default = "SchemaDoc::empty_object")]
    parameters: SchemaDoc,
}

/// Finds tools by what they do. Search before you say that there is none.
#[tool(read_only)]
fn search_tools(
    /// What the tool should do, in a few words
    query: &str,
) -> Vec<String> {
    // The example looks at definitions alone.
    vec![query.to_owned()]
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
        choice::questions(&read(questions)?).map_err(|error| format!("{questions}: {error}"))?;
    let counted = u32::try_from(questions.len().max(1)).unwrap_or(u32::MAX);
    let cx = Context::new();

    // The first search makes the index.
    let start = Instant::now();
    tools.search("", 1, &cx.scope());
    let indexed = start.elapsed();

    let start = Instant::now();
    let recall = choice::recall(&tools, &questions);
    let searched = start.elapsed();
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    Ok(json!({
        "tools": tools.len(),
        "questions": questions.len(),
        "recall_at_1": recall.recall_at_1,
        "recall_at_5": recall.recall_at_5,
        "recall_at_10": recall.recall_at_10,
        "mean_reciprocal_rank": recall.mean_reciprocal_rank,
        "search_ms": ms(searched / counted),
        "index_ms": ms(indexed),
        "all": size(&tools),
        "deferred": size(&tools![search_tools]),
    }))
}

/// Bytes and tokens of the definitions in a request, the tokens by estimate.
fn size(tools: &Toolset) -> serde_json::Value {
    let sent = Wire::OpenAiChat.definitions(tools);
    let bytes = sent.len();
    let tokens: usize = tools.definitions().map(ToolDef::estimated_tokens).sum();
    json!({"bytes": bytes, "tokens": tokens})
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
