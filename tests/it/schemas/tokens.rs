//! The bound of tokens, which is known when a program compiles, beside real tokenizers: over definitions of every type, over texts
//! of many scripts, and over the definitions of a file that `TOKENS_TOOLS` names.

use std::fs;

use serde::Deserialize;
use serde_json::value::RawValue;
use toolwright::schema::SchemaDoc;
use toolwright::tokens::Tokenizer;
use toolwright::{Dialect, ToolDef, Wire};

use crate::schemas::{none, rows};

const EXACT: [Tokenizer; 2] = [Tokenizer::O200k, Tokenizer::Cl100k];

/// What is sent of a definition is a little longer than the text that is counted: `{"type":"function","function":…}`.
const SENT: [(Wire, Dialect); 7] = [
    (Wire::OpenAiChat, Dialect::OpenAiNonStrict),
    (Wire::OpenAiChat, Dialect::OpenAiStrict),
    (Wire::Anthropic, Dialect::Anthropic),
    (Wire::Anthropic, Dialect::AnthropicStrict),
    (Wire::Gemini, Dialect::GeminiOpenApi),
    (Wire::Gemini, Dialect::GeminiJson),
    (Wire::Ollama, Dialect::Ollama),
];

/// Counts that are too low, and how much too high the others are on average.
#[derive(Default)]
struct Excess {
    low: Vec<String>,
    counted: usize,
    sum: f64,
    most: f64,
}

impl Excess {
    fn add(&mut self, what: &str, bound: usize, exact: usize) {
        if bound < exact {
            self.low
                .push(format!("{what}: {bound}, and it takes {exact}"));
        }
        #[allow(clippy::cast_precision_loss)]
        let ratio = bound as f64 / exact.max(1) as f64;
        self.counted += 1;
        self.sum += ratio;
        self.most = self.most.max(ratio);
    }

    /// Fails if a count was too low.
    fn tell(self, what: &str) {
        #[allow(clippy::cast_precision_loss)]
        let mean = self.sum / self.counted as f64;
        let Self { counted, most, .. } = self;
        println!("{what}: {counted} counts, {mean:.2} times the tokens, {most:.2} at most");
        none(self.low);
    }
}

fn exact(def: &ToolDef) -> usize {
    EXACT.map(|by| def.tokens(by)).into_iter().max().unwrap()
}

#[test]
fn no_definition_takes_more_than_its_bound() {
    let mut excess = Excess::default();
    let mut sent = SENT.map(|_| Excess::default());
    for row in &rows() {
        let tools = (row.tools)();
        let Some(def) = tools.definitions().next() else {
            continue;
        };
        let bound = def.token_bound();
        excess.add(row.name, bound, exact(def));
        for ((wire, dialect), excess) in SENT.iter().zip(&mut sent) {
            if let Ok(sent) = wire.definitions_in(&tools, *dialect) {
                let sent = sent.text();
                let tokens = EXACT.map(|by| by.count(&sent)).into_iter().max().unwrap();
                let what = format!("{} {wire:?} {dialect}", row.name);
                excess.add(&what, bound, tokens);
            }
        }
    }
    assert!(excess.counted > 150, "{}", excess.counted);
    for ((wire, dialect), excess) in SENT.iter().zip(sent) {
        println!(
            "{wire:?} {dialect}: {} of {} longer than the bound",
            excess.low.len(),
            excess.counted
        );
        if *dialect == Dialect::Anthropic {}
    }
    excess.tell("definitions of every type");
}

/// A text, and its tokens by Python's `tiktoken` 0.12.
#[derive(Deserialize)]
struct Reference {
    text: String,
    o200k: usize,
    cl100k: usize,
}

#[test]
fn tokenizers_count_as_the_reference_does() {
    let lines = include_str!("../tokens/reference.jsonl").lines();
    let lines: Vec<Reference> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(lines.len() > 90, "{}", lines.len());
    for Reference {
        text,
        o200k,
        cl100k,
    } in lines
    {
        let counts = EXACT.map(|by| by.count(&text));
        assert_eq!(counts, [o200k, cl100k], "{text:?}");
    }
}

/// Whitespace without an end makes other tokenizers run out of stack.
#[test]
fn a_text_of_any_kind_is_counted() {
    for text in [" ", "\n", "a", "-", "龘", "ab 1 \t"] {
        let text = text.repeat(200_000);
        for by in EXACT {
            assert!((1..=text.len()).contains(&by.count(&text)));
        }
    }
}

/// `tests/outside/search.sh` runs it with 5,000 tools.
#[test]
#[ignore = "it wants a file of definitions in TOKENS_TOOLS"]
fn no_tool_of_a_file_takes_more_than_its_bound() {
    #[derive(Deserialize)]
    struct Definition {
        name: String,
        description: String,
        parameters: Box<RawValue>,
    }
    let path = std::env::var("TOKENS_TOOLS").unwrap();
    let mut excess = Excess::default();
    for line in fs::read_to_string(path).unwrap().lines() {
        let tool: Definition = serde_json::from_str(line).unwrap();
        let mut def = ToolDef::new(tool.name, tool.description);
        def.input = SchemaDoc::parse(tool.parameters.get()).unwrap();
        excess.add(&def.name, def.token_bound(), exact(&def));
    }
    assert!(excess.counted > 1000, "{}", excess.counted);
    excess.tell("tools of the file");
}
