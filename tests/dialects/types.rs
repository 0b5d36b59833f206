//! The types of `tests/schemas/canonical.txt`, as an argument in every dialect.

use std::fmt::Write as _;
use std::path::Path;

use super::lowered;
use toolwright::{Dialect, Step};

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

/// Dialects that leave little as it is; the others' texts would say nothing new.
const GOLDEN: [Dialect; 5] = [
    Dialect::OpenAiStrict,
    Dialect::AnthropicStrict,
    Dialect::GeminiOpenApi,
    Dialect::GeminiJson,
    Dialect::DeepSeekStrict,
];

/// What becomes of each type, as an argument that may be missing. `TRYBUILD=overwrite cargo test
/// --test dialects` writes the files.
#[test]
fn every_type_becomes_what_it_became() {
    for dialect in GOLDEN {
        let mut text = String::new();
        for (name, schema) in types() {
            let told = match lowered(&argument(schema, false), dialect) {
                Ok(lowered) => {
                    let schema = lowered.schema.as_deref().unwrap_or("nothing");
                    let steps = lowered.plan.steps().iter().map(Step::to_json);
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
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/dialects")
            .join(format!("{dialect}.txt"));
        if std::env::var_os("TRYBUILD").is_some_and(|value| value == "overwrite") {
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
