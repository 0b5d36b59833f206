//! How far the estimate of a definition's tokens, which is known when it compiles, is from a quarter
//! of the bytes that are sent.

use toolwright::{Dialect, Wire};

use crate::schemas::{none, rows};

const SENT: [(Wire, Dialect); 7] = [
    (Wire::OpenAiChat, Dialect::OpenAiNonStrict),
    (Wire::OpenAiChat, Dialect::OpenAiStrict),
    (Wire::Anthropic, Dialect::Anthropic),
    (Wire::Anthropic, Dialect::AnthropicStrict),
    (Wire::Gemini, Dialect::GeminiOpenApi),
    (Wire::Gemini, Dialect::GeminiJson),
    (Wire::Ollama, Dialect::Ollama),
];

/// Types, by the beginning of their names, that some dialect says in a form of its own.
const APART: [(&str, &str); 2] = [
    (
        "(u8, u8, u8, u8, u8, u8, u8, u8, u8,",
        "places of one type are a list with a length",
    ),
    (
        "HoldsTheirs",
        "the schema of a type inside is known when the program runs, and stands inline where there are no references",
    ),
];

#[test]
fn the_estimate_is_near_to_what_is_sent() {
    let mut wrong = Vec::new();
    let (mut seen, mut all, mut all_sent) = (0, 0, [0; SENT.len()]);
    for row in &rows() {
        let tools = (row.tools)();
        let Some(def) = tools.definitions().next() else {
            continue;
        };
        let sent: Vec<_> = SENT
            .iter()
            .map(|(wire, dialect)| wire.definitions_in(&tools, *dialect))
            .collect();
        if def.input.shape().is_none() || sent.iter().any(Result::is_err) {
            continue;
        }
        seen += 1;
        let estimate = def.estimated_tokens();
        all += estimate;
        for (((wire, dialect), sent), sum) in SENT.iter().zip(sent).zip(&mut all_sent) {
            let tokens = sent.map_or(0, |sent| sent.text().len() / 4);
            *sum += tokens;
            let (least, most) = (tokens / 2, tokens * 3 / 2);
            let is_apart = APART.iter().any(|(name, _)| row.name.starts_with(name));
            if !is_apart && !(least..=most).contains(&estimate) {
                wrong.push(format!(
                    "{} {wire:?} {dialect}: {estimate} by estimate, {tokens} sent",
                    row.name
                ));
            }
        }
    }
    assert!(seen > 100, "{seen}");
    none(wrong);
    // Over all types: from 4 % too many to 10 % too few (2026-11).
    for sum in all_sent {
        let is_near = all * 100 >= sum * 88 && all * 100 <= sum * 106;
        assert!(is_near, "{all} by estimate, {all_sent:?} sent");
    }
}
