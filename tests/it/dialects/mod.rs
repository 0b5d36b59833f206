//! What each dialect makes of a schema, and what it refuses: the cases of `dialects/dialects.json`.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod broken;
mod frozen;
mod roots;
mod rules;
mod types;
mod undo;

use std::collections::BTreeSet;

use crate::json::Json;
use toolwright::{
    Dialect,
    dialect::{LowerError, Lowered, Note, NoteKind, lower},
    schema::SchemaDoc,
    text::is_portable_name,
};

/// Cases whose expectation does not hold, each with the reason.
const UNMET: [(&str, &str, &str); 0] = [];

fn table() -> Json {
    Json::read(include_str!("dialects.json"))
}

fn dialect(name: &str) -> Dialect {
    name.parse().unwrap()
}

fn lowered(schema: &str, dialect: Dialect) -> Result<Lowered, LowerError> {
    lower(&SchemaDoc::parse(schema).unwrap(), dialect)
}

fn plan(lowered: &Lowered) -> Json {
    let steps = lowered.inverse.steps().iter();
    Json::Array(steps.map(|step| Json::read(&step.to_json())).collect())
}

/// The cases: a name, a schema, the canonical one, a dialect, and what is expected of it.
fn cases() -> Vec<(String, Json, Json, Dialect, Json)> {
    let mut cases = Vec::new();
    for test in table().get("tests").unwrap().items() {
        for (name, expected) in test.get("expect").unwrap().entries() {
            cases.push((
                test.text("id").to_owned(),
                test.get("schema").unwrap().clone(),
                test.get("canonical").unwrap().clone(),
                dialect(name),
                expected.clone(),
            ));
        }
    }
    cases
}

fn difference(
    schema: &Json,
    canonical: &Json,
    dialect: Dialect,
    expected: &Json,
) -> Option<String> {
    let got = lowered(&schema.to_string(), dialect);
    if expected.get("reject").is_some() {
        let wanted = (expected.text("reject"), expected.text("at"));
        return match got {
            Ok(lowered) => Some(format!("{wanted:?} was accepted: {:?}", lowered.schema)),
            Err(reject) if (reject.code.as_str(), reject.path.as_str()) == wanted => None,
            Err(reject) => Some(format!("{wanted:?} became {reject}")),
        };
    }
    let got = match got {
        Ok(got) => got,
        Err(reject) => return Some(format!("refused: {reject}")),
    };
    let wanted = match expected.get("ok").unwrap() {
        Json::Leaf(value) if value.is_string() => Some(canonical.comparable()),
        Json::Leaf(_) => None,
        schema => Some(schema.comparable()),
    };
    let schema = got
        .schema
        .as_deref()
        .map(|text| Json::read(text).comparable());
    if schema != wanted {
        let show = |json: Option<Json>| json.map_or_else(String::new, |json| json.to_string());
        return Some(format!(
            "\n  is     {}\n  wanted {}",
            show(schema),
            show(wanted)
        ));
    }
    let steps = expected.get("decode").cloned();
    let steps = steps.unwrap_or(Json::Array(Vec::new())).unordered();
    let plan = plan(&got).unordered();
    (plan != steps).then(|| format!("plan {plan}, wanted {steps}"))
}

#[test]
fn every_expectation_holds() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (id, schema, canonical, dialect, expected) in cases() {
        count += 1;
        let unmet = UNMET
            .iter()
            .any(|(case, name, _)| *case == id && *name == dialect.name());
        match difference(&schema, &canonical, dialect, &expected) {
            Some(difference) if !unmet => wrong.push(format!("{id} in {dialect}: {difference}")),
            None if unmet => wrong.push(format!("{id} in {dialect} holds: take it out of UNMET")),
            _ => {}
        }
    }
    assert_eq!(count, 225);
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The table's words for what is refused and what is undone are those that are told here.
#[test]
fn every_code_and_step_of_the_table_is_told_by_its_name() {
    let (mut codes, mut steps) = (BTreeSet::new(), BTreeSet::new());
    for (_, schema, _, dialect, _) in cases() {
        match lowered(&schema.to_string(), dialect) {
            Ok(lowered) => {
                steps.extend(
                    lowered
                        .inverse
                        .steps()
                        .iter()
                        .map(|step| step.op.as_str().to_owned()),
                );
                codes.extend(lowered.notes.into_iter().map(|note| note.keyword));
            }
            Err(reject) => {
                codes.insert(reject.code.to_string());
            }
        }
    }
    let forms: Vec<_> = (0..65)
        .map(|at| format!(r#"{{"required":["k{at}"]}}"#))
        .collect();
    let many_forms = format!(
        r#"{{"type":"object","properties":{{"a":{{"type":"object","properties":{{"b":{{}}}},"anyOf":[{}]}}}}}}"#,
        forms.join(",")
    );
    // Of these the cases have none.
    let others = [
        (
            r#"{"type":"object","properties":{"a":{"allOf":[{"type":"string","pattern":"a"},{"type":"string","pattern":"b"}]}}}"#,
            Dialect::OpenAiStrict,
        ),
        (r#"{"type":"string"}"#, Dialect::Anthropic),
        // A root of 3 to the power of 4 forms.
        (
            r#"{"allOf":[{"anyOf":[{"required":["a"]},{"required":["b"]},{"required":["c"]}]},{"anyOf":[{"required":["d"]},{"required":["e"]},{"required":["f"]}]},
                {"anyOf":[{"required":["g"]},{"required":["h"]},{"required":["i"]}]},{"anyOf":[{"required":["j"]},{"required":["k"]},{"required":["l"]}]}]}"#,
            Dialect::Anthropic,
        ),
        (many_forms.as_str(), Dialect::OpenAiStrict),
        (
            r#"{"type":"object","properties":{"a":{"anyOf":[{"type":"object","properties":{"b":{"type":"string"}}},{"type":"object","properties":{"b":{"type":"integer"}}}]}}}"#,
            Dialect::OpenAiStrict,
        ),
        (
            r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"required":["a"],"$defs":{"A":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"required":["a"]}}}"##,
            Dialect::GeminiJson,
        ),
        (
            r#"{"type":"object","properties":{"a b":{"type":"string"}}}"#,
            Dialect::Anthropic,
        ),
        (
            r#"{"type":"object","properties":{"a":{"type":"array"}}}"#,
            Dialect::OpenAiStrict,
        ),
        (
            r#"{"type":"object","properties":{"a":false}}"#,
            Dialect::OpenAiStrict,
        ),
    ];
    for (schema, dialect) in others {
        match lowered(schema, dialect) {
            Ok(lowered) => {
                steps.extend(
                    lowered
                        .inverse
                        .steps()
                        .iter()
                        .map(|step| step.op.as_str().to_owned()),
                );
                codes.extend(lowered.notes.into_iter().map(|note| note.keyword));
            }
            Err(reject) => {
                codes.insert(reject.code.to_string());
            }
        }
    }
    let table = table();
    let names = |key: &str| {
        let entries = table.get(key).unwrap().entries().iter();
        entries.map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    for code in names("reject_codes") {
        assert!(codes.contains(&*code), "{code}: {codes:?}");
    }
    for op in names("decode_ops") {
        assert!(steps.contains(&*op), "{op}: {steps:?}");
    }
}

#[test]
fn lowering_twice_changes_nothing() {
    for (id, schema, ..) in cases() {
        for dialect in Dialect::ALL {
            stays(&id, &schema.to_string(), dialect);
        }
    }
}

/// Lowers a schema, and what comes out once more.
fn stays(name: &str, schema: &str, dialect: Dialect) {
    let Ok(once) = lowered(schema, dialect) else {
        return;
    };
    let Some(text) = once.schema else {
        return;
    };
    // A type that is sent as a string does not contain itself any more, and then stands inline; a union of such types may start
    // otherwise.
    let changes = |note: &Note| {
        note.kind == NoteKind::AsText && (note.path.contains("/?") || note.path.starts_with('#'))
    };
    if once.notes.iter().any(changes) {
        return;
    }
    let twice = lowered(&text, dialect)
        .unwrap_or_else(|reject| panic!("{name} in {dialect}: {reject}\n{text}"));
    assert_eq!(
        twice.schema.as_deref(),
        Some(text.as_str()),
        "{name} in {dialect}"
    );
    assert!(
        twice.inverse.steps().is_empty(),
        "{name} in {dialect}: {:?}",
        twice.inverse.steps()
    );
}

/// The macros let no other name pass, so that a target need not be asked about names.
#[test]
fn every_dialect_takes_a_portable_name() {
    let longest = "_9-".repeat(21) + "z";
    for name in ["a", "_", "Z_9-", "__", "_-0", longest.as_str()] {
        assert!(is_portable_name(name), "{name}");
        for dialect in Dialect::ALL {
            assert!(dialect.accepts_name(name), "{name} in {dialect}");
        }
    }
    // One character of each kind at each place.
    for sign in (0..128).map(char::from) {
        for name in [format!("{sign}"), format!("a{sign}"), format!("_{sign}a")] {
            let mut others = Dialect::ALL.iter();
            let refusing = others.find(|dialect| !dialect.accepts_name(&name));
            assert!(
                !is_portable_name(&name) || refusing.is_none(),
                "{name:?} in {refusing:?}"
            );
        }
    }
}

#[test]
fn names_are_accepted_as_the_table_says() {
    let dialects = [
        ("openai", Dialect::OpenAiStrict),
        ("openai", Dialect::OpenAiNonStrict),
        ("openai", Dialect::AzureStrict),
        ("openai", Dialect::Mistral),
        // OpenAI's form, by what they document to follow.
        ("openai", Dialect::DeepSeekStrict),
        ("openai", Dialect::Groq),
        ("openai", Dialect::Xai),
        ("anthropic", Dialect::Anthropic),
        ("anthropic", Dialect::AnthropicStrict),
        ("gemini", Dialect::GeminiOpenApi),
        ("gemini", Dialect::GeminiJson),
        ("bedrock", Dialect::Bedrock),
        ("mcp", Dialect::Mcp20251125),
        ("mcp", Dialect::Mcp20260728),
    ];
    for test in table().get("name_tests").unwrap().items() {
        let name = test.text("name");
        for (column, dialect) in dialects {
            let accepted = Json::Leaf(dialect.accepts_name(name).into());
            let expected = test.get("accept").unwrap().get(column);
            assert_eq!(Some(&accepted), expected, "{name:?} in {dialect}");
        }
    }
}

#[test]
fn dialects_go_by_their_names() {
    for dialect in Dialect::ALL {
        assert_eq!(dialect.name().parse(), Ok(dialect));
    }
    let unknown = |name: &str| name.parse::<Dialect>().unwrap_err().to_string();
    assert_eq!(
        unknown("openai-strict"),
        "no dialect is called \"openai-strict\"; did you mean `openai_strict`?"
    );
    assert!(unknown("cobol").contains("gemini_json, bedrock"));
}
