//! The types of `tests/it/schemas/canonical.txt`, as an argument in every dialect.

use std::fmt::Write as _;
use std::path::Path;

use super::lowered;
use toolwright::{Dialect, dialect::Step};

/// The types by name, and the schema of each.
pub(crate) fn types() -> Vec<(&'static str, &'static str)> {
    include_str!("../schemas/canonical.txt")
        .split("\n\n")
        .filter_map(|block| block.trim().split_once('\n'))
        .map(|(name, block)| {
            let first = block.lines().next().unwrap_or_default().trim();
            (name, first.strip_prefix("read").unwrap_or(first).trim())
        })
        .collect()
}

/// An object whose one key is of the type; what it defines stands at the root.
pub(crate) fn argument(schema: &str, required: bool) -> String {
    let required = if required {
        r#","required":["value"]"#
    } else {
        ""
    };
    match schema.find(r#","$defs":"#) {
        Some(at) => {
            let (own, defs) = schema.split_at(at);
            format!(r#"{{"type":"object","properties":{{"value":{own}}}}}{required}{defs}"#)
        }
        None => format!(r#"{{"type":"object","properties":{{"value":{schema}}}{required}}}"#),
    }
}

#[test]
fn lowering_twice_changes_nothing() {
    let types = types();
    assert!(types.len() > 100, "{} types", types.len());
    for (name, schema) in types {
        for dialect in Dialect::ALL {
            super::stays(name, &argument(schema, true), dialect);
            super::stays(name, &argument(schema, false), dialect);
        }
    }
}

/// The dialects that do with these types what no other one does. Each has a file: of all types, or
/// of those with which it does something else than the one beside it.
const GOLDEN: [(Dialect, Option<Dialect>); 14] = [
    (Dialect::OpenAiStrict, None),
    (Dialect::AzureStrict, Some(Dialect::OpenAiStrict)),
    (Dialect::Xai, Some(Dialect::OpenAiStrict)),
    (Dialect::Groq, Some(Dialect::OpenAiStrict)),
    (Dialect::DeepSeekStrict, None),
    (Dialect::Mcp20260728, None),
    (Dialect::Anthropic, Some(Dialect::Mcp20260728)),
    (Dialect::AnthropicStrict, None),
    (Dialect::OpenAiNonStrict, Some(Dialect::Mcp20260728)),
    (Dialect::Vllm, Some(Dialect::Mcp20260728)),
    (Dialect::LlGuidance, Some(Dialect::Vllm)),
    (Dialect::GeminiOpenApi, None),
    (Dialect::GeminiJson, None),
    (Dialect::Ollama, None),
];

/// Each other one, and the one that it does the same as.
const FOLLOWS: [(Dialect, Dialect); 5] = [
    (Dialect::Mistral, Dialect::OpenAiStrict),
    (Dialect::Bedrock, Dialect::Anthropic),
    (Dialect::Mcp20250326, Dialect::Mcp20260728),
    (Dialect::Mcp20250618, Dialect::Mcp20260728),
    (Dialect::Mcp20251125, Dialect::Mcp20260728),
];

/// What becomes of each type, as an argument that may be missing.
fn told(dialect: Dialect) -> String {
    let mut text = String::new();
    for (name, schema) in types() {
        let told = match lowered(&argument(schema, false), dialect) {
            Ok(lowered) => {
                let schema = lowered.schema.as_deref().unwrap_or("nothing");
                let steps = lowered.inverse.steps().iter().map(Step::to_json);
                [schema.to_owned()]
                    .into_iter()
                    .chain(steps)
                    .collect::<Vec<_>>()
                    .join("\n  ")
            }
            Err(reject) => format!("{}: {}", reject.path, reject.code),
        };
        writeln!(text, "{name}\n  {told}\n").unwrap();
    }
    text
}

/// `GOLDEN=overwrite cargo test -p toolwright --test it dialects::` writes the files.
#[test]
fn every_type_becomes_what_it_became() {
    for (dialect, base) in GOLDEN {
        let base = base.map(told).unwrap_or_default();
        let known: Vec<&str> = base.split("\n\n").collect();
        let text = told(dialect);
        let own = text.split_inclusive("\n\n");
        let own = own.filter(|block| !known.contains(&block.trim_end()));
        let text: String = own.collect();
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/it/dialects")
            .join(format!("{dialect}.txt"));
        if std::env::var_os("GOLDEN").is_some_and(|value| value == "overwrite") {
            std::fs::write(path, text).unwrap();
            continue;
        }
        let golden = std::fs::read_to_string(&path).unwrap_or_default();
        for (is, was) in text.split("\n\n").zip(golden.split("\n\n")) {
            assert_eq!(is, was, "in {dialect}");
        }
        assert_eq!(text.len(), golden.len(), "in {dialect}");
    }
}

#[test]
fn every_dialect_has_a_file_or_does_what_another_does() {
    for dialect in Dialect::ALL {
        let has_file = GOLDEN.iter().any(|(one, _)| *one == dialect);
        match FOLLOWS.iter().find(|(one, _)| *one == dialect) {
            Some((_, other)) => {
                assert!(!has_file, "{dialect}");
                assert_eq!(told(dialect), told(*other), "{dialect} and {other}");
            }
            None => assert!(has_file, "{dialect} has no file"),
        }
    }
}
