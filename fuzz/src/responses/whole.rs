//! The calls of a response, and what the next request gains by it.

use std::collections::HashSet;

use serde_json::value::RawValue;
use toolwright::{Encoder, ToolCall, ToolResult, Wire, wire::Message};

use super::forms::{self, Form, Given, at, form, given, is_plain, list, said};
use super::{answers, is_json, is_object, results};

/// Checks what was read of a response.
pub(super) fn check(wire: Wire, response: &str, calls: &[ToolCall]) {
    // A request for an approval has an answer of its own form.
    if wire == Wire::OpenAiResponses && response.contains("mcp_approval_request") {
        return;
    }
    let form = form(wire);
    let is_plain = is_plain(response);
    if is_plain {
        check_given(wire, &given(wire, response), calls);
    }
    if form.is_some() {
        let wire = Wire::detect(response);
        assert!(wire.is_some(), "what is read shows its wire");
    }
    // A response may be read and be a failure's report.
    let said = wire.completion(response).ok();
    assert!(said.iter().all(|said| said.calls == calls));
    for encoder in [Encoder::auto(), Encoder::json(), Encoder::envelope()] {
        let results = results(calls);
        let turn = wire.turn(response, &results, encoder);
        let turn = turn.expect("calls were read");
        assert!(is_json(&turn), "{turn}");
        let messages: Vec<&RawValue> = serde_json::from_str(&turn).expect("a turn is an array");
        let Some(form) = &form else {
            answers::check_responses(wire, is_plain.then_some(response), &messages, &results);
            continue;
        };
        let echoed = messages.len().checked_sub(form.messages_of(results.len()));
        let (echoed, answers) = messages.split_at(echoed.expect("every answer is there"));
        if let Some(said) = &said {
            assert!(
                echoed
                    .iter()
                    .map(|message| message.get())
                    .eq(&said.messages)
            );
        }
        check_echo(wire, form, is_plain, echoed, calls);
        answers::check(wire, form, answers, &results, encoder);
        if !calls.is_empty() {
            check_told_again(wire, form, calls, &results, encoder);
        }
    }
}

/// Where the provider's own message is not at hand, one with the same calls is made.
fn check_told_again(
    wire: Wire,
    form: &Form,
    calls: &[ToolCall],
    results: &[ToolResult],
    encoder: Encoder,
) {
    let said = [
        Message::Assistant { text: "", calls },
        Message::Results(results),
    ];
    let members = wire.conversation(None, &said, encoder);
    let members = members.expect("a wire with conversations");
    let members: &RawValue = serde_json::from_str(&members).expect("an object");
    let messages = ["/messages", "/contents", "/input"]
        .iter()
        .find_map(|key| at(members, key));
    let messages = list(messages.expect("messages"));
    let of_answers = form.messages_of(results.len());
    let (made, answers) = messages.split_at(messages.len() - of_answers);
    check_echo(wire, form, true, made, calls);
    answers::check(wire, form, answers, results, encoder);
}

/// The calls are those that a plain reader finds, with the ids that they came with.
fn check_given(wire: Wire, given: &[Given<'_>], calls: &[ToolCall]) {
    assert_eq!(calls.len(), given.len(), "every call is read: {calls:?}");
    let mut before = HashSet::new();
    for (index, (call, given)) in calls.iter().zip(given).enumerate() {
        assert_eq!(*call.name, said(given.name));
        assert_eq!(*call.arguments, said(given.arguments));
        let id = given.id.filter(|id| match wire {
            Wire::Mcp | Wire::Mcp2026 => id.get() != r#""""#,
            _ => id.get().starts_with('"') && id.get() != r#""""#,
        });
        // An id that a call before has is read as none.
        if id.is_some_and(|id| before.insert(said(Some(id)))) {
            assert_eq!(*call.id, said(id));
        } else {
            let same = calls.iter().filter(|other| other.id == call.id).count();
            assert_eq!(same, 1, "a made id is nobody else's: {calls:?}");
            assert!(call.id.starts_with(&format!("call_{index}")));
        }
    }
}

/// The model's message holds the calls as they were read, each under the id of its answer.
fn check_echo(wire: Wire, form: &Form, is_plain: bool, echoed: &[&RawValue], calls: &[ToolCall]) {
    match wire {
        Wire::OpenAiResponses => {}
        // A message that says nothing does not go back.
        _ if echoed.is_empty() => return assert_eq!(calls, []),
        _ => assert_eq!(echoed.len(), 1),
    }
    let message = form.response(echoed);
    let again = wire.calls(&message).expect("the message is still one");
    if is_plain {
        assert_eq!(again.len(), calls.len(), "{message}");
        for (again, call) in again.iter().zip(calls) {
            assert_eq!(again.name, call.name, "{message}");
            // Where there are objects alone, what was none is told in one, and an object in a string
            // loses the white space around it.
            if !form.is_object_alone || is_object(&call.arguments) {
                assert_eq!(again.arguments.trim(), call.arguments.trim(), "{message}");
            } else {
                let is_left_out = wire == Wire::Gemini && again.arguments.is_empty();
                assert!(is_object(&again.arguments) || is_left_out, "{message}");
            }
        }
    }
    // A call in which a key stands twice may be readable once its id is put in.
    let ids = |calls: &[ToolCall]| calls.iter().map(|call| call.id.clone()).collect();
    let (again, ids): (Vec<_>, Vec<_>) = (ids(&again), ids(calls));
    assert_eq!(again, ids, "{message}");
    // Nor has the provider, if it takes the last of two, an id that is not answered.
    let given = forms::given(wire, &message).into_iter();
    for id in given
        .filter_map(|call| call.id)
        .filter(|id| id.get().starts_with('"'))
    {
        let id = said(Some(id));
        assert!(ids.iter().any(|own| **own == id), "{id} has no answer");
    }
}
