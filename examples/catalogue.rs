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
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    Ok(json!({
        "tools": tools.len(),
        "questions": questions.len(),
        "recall_at_1": at_1,
        "recall_at_5": at_5,
        "recall_at_10": at_10,
        "search_ms": ms(searched) / counted,
        "index_ms": ms(indexed),
        "all": size(&tools),
        "deferred": size(&tools![search_tools]),
    }))
}

/// Bytes and tokens of the definitions in a request, the tokens by estimate.
fn size(tools: &Toolset) -> serde_json::Value {
    let sent = Wire::OpenAiChat.definitions(tools);
    let bytes = sent.len();
    let tokens: usize = tools.definitions().map(|def| def.estimated_tokens()).sum();
    json!({"bytes": bytes, "tokens": tokens})
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
