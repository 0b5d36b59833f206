//! Calls that Groq could not read: an error with the model's own words.
//!
//! Source: "Error handling" in "Tool use" of Groq's documentation, 2026-11; the forms are those of pydantic/pydantic-ai pull
//! requests 2774 and 4354, tashfeenahmed/freellmapi pull request 291 and huggingface/smolagents issue 1119.

use serde_json::value::RawValue;

use super::super::read::{Members, elements, text_or_json};

/// Name of a call whose own name cannot be read. It is the code of the error.
const CODE: &str = "tool_use_failed";

/// Returns the name and the arguments of the calls that the error holds; `None` if it is another error.
pub(super) fn failed_calls(error: &RawValue) -> Option<Vec<(String, String)>> {
    let error = Members::of(Some(error));
    error.says("code", CODE).then(|| {
        let words = error.words("failed_generation");
        let calls = as_json(&words).unwrap_or_else(|| as_function(&words).into_iter().collect());
        if calls.is_empty() {
            return vec![(CODE.to_owned(), words)];
        }
        calls
    })
}

/// Reads a call, a list of calls or an object with `tool_calls`, whatever stands around it.
fn as_json(words: &str) -> Option<Vec<(String, String)>> {
    let is_tagged = words.trim_start().starts_with("<function");
    let start = words.find(['{', '[']).filter(|_| !is_tagged)?;
    let end = words.rfind(['}', ']'])?;
    let json: &RawValue = serde_json::from_str(words.get(start..=end)?).ok()?;
    let inner = Members::of(Some(json)).get("tool_calls");
    let mut calls = elements(Some(inner.unwrap_or(json)));
    if calls.is_empty() {
        calls.push(json);
    }
    let calls = calls.into_iter().map(|call| {
        let call = Members::of(Some(call));
        let function = Members::of(call.get("function"));
        let find = |key: &str| function.get(key).or_else(|| call.get(key));
        let name = text_or_json(find("name")).into_owned();
        let arguments = find("arguments").or_else(|| find("parameters"));
        (!name.is_empty()).then(|| (name, text_or_json(arguments).into_owned()))
    });
    calls.collect()
}

/// Reads `<function=name{…}</function>`, with or without its first tag.
fn as_function(words: &str) -> Option<(String, String)> {
    let words = words.trim();
    let words = words.strip_prefix("<function=").unwrap_or(words);
    let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.');
    let (name, rest) = words.split_at(words.find(|char| !is_name(char))?);
    let arguments = rest.get(rest.find('{')?..=rest.rfind('}')?)?;
    let is_direct = rest
        .trim_start_matches(['=', '>', '(', ' '])
        .starts_with('{');
    (is_direct && !name.is_empty()).then(|| (name.to_owned(), arguments.to_owned()))
}
