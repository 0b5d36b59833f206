//! The answers to calls, as the next request has them.

use serde_json::value::RawValue;
use toolwright::{Encoder, ToolResult, Wire};

use super::forms::{Form, at, given, list, said};

/// Each call has one answer, in order, under its id, which says what the result says.
pub(super) fn check(
    wire: Wire,
    form: &Form,
    messages: &[&RawValue],
    results: &[ToolResult],
    encoder: Encoder,
) {
    let [place, kind] = form.kind;
    for message in messages {
        assert_eq!(said(at(message, place)), kind);
    }
    let answers = match form.answers {
        Some(path) => messages
            .iter()
            .filter_map(|one| at(one, path))
            .flat_map(list)
            .collect(),
        None => messages.to_vec(),
    };
    assert_eq!(answers.len(), results.len());
    for (answer, result) in answers.iter().zip(results) {
        let [id, words] = form.answer.map(|path| at(answer, path));
        assert_eq!(said(id), *result.id);
        let failed = form.failed.and_then(|path| at(answer, path));
        assert_eq!(
            failed.is_some(),
            form.failed.is_some() && !result.is_success()
        );
        let expected = result.content(encoder);
        match wire {
            // The answer is JSON there, and stands in another place if it is a failure.
            Wire::Gemini => {
                let words = failed.or(words);
                let json = words.map_or("null", RawValue::get);
                assert!(*expected == *json || *expected == said(words));
            }
            // An empty text is refused there.
            Wire::BedrockConverse if expected.trim().is_empty() => assert!(words.is_none()),
            _ => assert_eq!(said(words), *expected),
        }
        assert!(result.is_success() || !expected.is_empty());
    }
}

/// Each request for a call has one response, in order, with its id as it was spelled.
pub(super) fn check_responses(
    wire: Wire,
    request: Option<&str>,
    responses: &[&RawValue],
    results: &[ToolResult],
) {
    assert_eq!(responses.len(), results.len());
    let given = request.map(|request| given(wire, request));
    for (index, (response, result)) in responses.iter().zip(results).enumerate() {
        let id = at(response, "/id");
        if let Some(given) = &given {
            let asked = given[index].id;
            assert_eq!(id.map(RawValue::get), asked.map(RawValue::get));
        }
        let answer = match id {
            Some(_) => {
                assert_eq!(said(at(response, "/jsonrpc")), "2.0");
                at(response, "/result").expect("a result")
            }
            // The client sent no id: it knows which call it is.
            None => response,
        };
        assert_eq!(at(answer, "/isError").is_some(), !result.is_success());
        assert_eq!(at(answer, "/resultType").is_some(), wire == Wire::Mcp2026);
        let words = said(at(answer, "/content/0/text"));
        assert!(result.is_success() || !words.is_empty());
    }
}
