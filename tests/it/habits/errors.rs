//! Errors that come as if they were answers, and calls that are not for us.

use serde_json::{Value, json};
use toolwright::{Encoder, Wire, wire::StreamEvent};

use super::stream;
use crate::wires::parsed;

const MODELS: [Wire; 6] = [
    Wire::OpenAiChat,
    Wire::OpenAiResponses,
    Wire::Anthropic,
    Wire::Gemini,
    Wire::Ollama,
    Wire::BedrockConverse,
];

#[test]
fn an_error_that_comes_as_an_answer_says_its_message() {
    let bodies = [
        json!({"error": {"message": "The model is asleep.", "code": 503}}),
        json!({"error": "The model is asleep."}),
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "The model is asleep."}}),
        json!({"id": "x", "choices": null, "error": {"message": "The model is asleep."}}),
        json!([{"error": {"code": 503, "message": "The model is asleep."}}]),
    ];
    for wire in MODELS {
        for body in &bodies {
            let error = wire.completion(&body.to_string()).unwrap_err();
            assert!(error.is_reported(), "{wire:?}: {body}");
            assert_eq!(
                error.to_string(),
                "the provider reports an error: The model is asleep.",
                "{wire:?}: {body}"
            );
            assert!(wire.calls(&body.to_string()).unwrap_err().is_reported());
        }
        let none = json!({"error": null, "x": 1}).to_string();
        assert!(
            !wire.completion(&none).unwrap_err().is_reported(),
            "{wire:?}"
        );
    }
    // An answer that has both is an answer.
    let both = json!({"error": {"message": "x"}, "choices": [{"message": {"role": "assistant", "content": "5"}}]});
    assert_eq!(
        Wire::OpenAiChat.completion(&both.to_string()).unwrap().text,
        "5"
    );
}

/// A provider's words may have several lines, and hide something. An error is one line that hides nothing.
#[test]
fn an_error_is_one_line() {
    let words = "The model\r\n\tis \u{85}asleep.\u{2028}\u{7}";
    let mut errors = Vec::new();
    for wire in MODELS {
        let body = json!({"error": {"message": words}}).to_string();
        errors.push(wire.completion(&body).unwrap_err());
        errors.extend(wire.accumulator().push(&body).err());
    }
    let chat = json!({"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": words}]}}]});
    errors.push(Wire::OpenAiChat.calls(&chat.to_string()).unwrap_err());
    let output = json!({"status": "completed", "output": [{"type": format!("{words}_call"), "call_id": "c"}]});
    let output = output.to_string();
    errors.push(Wire::OpenAiResponses.calls(&output).unwrap_err());
    let blocked = json!({"promptFeedback": {"blockReason": words}}).to_string();
    errors.push(Wire::Gemini.completion(&blocked).unwrap_err());
    let tool = json!({"type": words, "name": "x", "input_schema": {}}).to_string();
    errors.push(Wire::Anthropic.parse_definition(&tool).unwrap_err());
    assert!(errors.len() > 10, "{errors:?}");
    for error in errors {
        let text = error.to_string();
        assert!(!text.contains(char::is_control), "{text:?}");
        assert!(!text.contains('\u{2028}'), "{text:?}");
        assert!(text.contains("The model"), "{text:?}");
    }
}

/// Groq answers 400 to a call that its model wrote badly, with the model's own words.
#[test]
fn a_call_that_the_provider_could_not_read_is_a_call() {
    let failed = |words: &str| json!({"error": {"message": "Failed to call a function.", "type": "invalid_request_error", "code": "tool_use_failed", "failed_generation": words}});
    let rows = [
        (
            r#"{"name": "weather", "arguments": {"city": 7}}"#,
            "weather",
            r#"{"city": 7}"#,
        ),
        (
            r#"[{"name": "weather", "parameters": {"city": "Bern"}}]"#,
            "weather",
            r#"{"city": "Bern"}"#,
        ),
        (
            r#"<tool-use>{"tool_calls":[{"id":"p","type":"function","function":{"name":"weather"},"parameters":{"city": "Bern"}}]}</tool-use>"#,
            "weather",
            r#"{"city": "Bern"}"#,
        ),
        (
            r#"<function=weather{"city": "Bern"}</function>"#,
            "weather",
            r#"{"city": "Bern"}"#,
        ),
        (
            r#"<function=weather>{"city": "Bern"}</function>"#,
            "weather",
            r#"{"city": "Bern"}"#,
        ),
        (
            r#"{"name": "weather", "arguments": {"city": "Be"#,
            "tool_use_failed",
            r#"{"name": "weather", "arguments": {"city": "Be"#,
        ),
        (
            "I will call weather.",
            "tool_use_failed",
            "I will call weather.",
        ),
        ("", "tool_use_failed", ""),
    ];
    for (words, name, arguments) in rows {
        let (told, streamed) = stream(Wire::OpenAiChat, &[failed(words)]);
        let calls = Wire::OpenAiChat.calls(&streamed.response).unwrap();
        assert!(streamed.ended);
        assert_eq!(calls.len(), 1, "{words}");
        assert_eq!(
            (&*calls[0].name, &*calls[0].arguments),
            (name, arguments),
            "{words}"
        );
        assert!(matches!(&told[0], StreamEvent::Call { name: told, .. } if told == name));
        let turn = parsed(
            &Wire::OpenAiChat
                .turn(&streamed.response, &[], Encoder::auto())
                .unwrap(),
        );
        assert_eq!(turn[0]["tool_calls"][0]["id"], json!(&*calls[0].id));
    }
    let other = json!({"error": {"message": "no", "code": "invalid_api_key"}}).to_string();
    assert!(Wire::OpenAiChat.accumulator().push(&other).is_err());
}

/// Gemini sends the arguments of a call path by path, where it is asked to.
#[test]
fn arguments_that_come_by_paths_are_one_call() {
    let part = |call: Value| json!({"candidates": [{"content": {"role": "model", "parts": [{"functionCall": call}]}}]});
    let begun = json!({"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "book", "id": "c", "willContinue": true}, "thoughtSignature": "s"}]}}]});
    let piece = |path: &str, value: Value| {
        let mut one = value;
        one["jsonPath"] = json!(path);
        part(json!({"partialArgs": [one], "willContinue": true}))
    };
    let end = json!({"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {}}]}, "finishReason": "STOP"}]});
    let events = [
        begun,
        piece("$.city", json!({"stringValue": "Zü", "willContinue": true})),
        piece("$.city", json!({"stringValue": "rich"})),
        piece("$.nights", json!({"numberValue": 2})),
        piece("$.guests[0].name", json!({"stringValue": "Ann"})),
        piece("$.guests[1].name", json!({"stringValue": "Bob"})),
        piece("$.paid", json!({"boolValue": false})),
        piece("$.note", json!({"nullValue": "NULL_VALUE"})),
        piece("$['a key']", json!({"stringValue": "x"})),
        end,
    ];
    let arguments = json!({"city": "Zürich", "nights": 2, "guests": [{"name": "Ann"}, {"name": "Bob"}], "paid": false, "note": null, "a key": "x"});
    let (told, streamed) = stream(Wire::Gemini, &events);
    let calls = Wire::Gemini.calls(&streamed.response).unwrap();
    assert_eq!(calls.len(), 1, "{}", streamed.response);
    assert_eq!((&*calls[0].id, &*calls[0].name), ("c", "book"));
    assert_eq!(parsed(&calls[0].arguments), arguments);
    let [
        StreamEvent::Call { place: 0, name },
        StreamEvent::Arguments { place: 0, text },
    ] = &told[..]
    else {
        panic!("{told:?}");
    };
    assert_eq!(
        (name.as_str(), text.as_str()),
        ("book", &*calls[0].arguments)
    );
    let part = &parsed(&streamed.response)["candidates"][0]["content"]["parts"];
    assert_eq!(part[0]["thoughtSignature"], json!("s"));
    assert_eq!(part[0]["functionCall"].get("willContinue"), None);
    // One that breaks off does not run.
    let (_, streamed) = stream(Wire::Gemini, &events[..4]);
    assert_eq!(Wire::Gemini.calls(&streamed.response).unwrap(), []);
    assert_eq!(streamed.unfinished.len(), 1);
    assert_eq!(&*streamed.unfinished[0].name, "book");
    // A path that leads nowhere costs that piece, and no memory.
    for path in ["$.a[4000000000]", "$", "", "$.a[", "$..", "city"] {
        let events = [
            events[0].clone(),
            piece(path, json!({"stringValue": "x"})),
            piece("$.n", json!({"numberValue": 1})),
            events[9].clone(),
        ];
        let (_, streamed) = stream(Wire::Gemini, &events);
        let calls = Wire::Gemini.calls(&streamed.response).unwrap();
        assert_eq!(parsed(&calls[0].arguments)["n"], json!(1), "{path}");
    }
}

#[test]
fn values_that_come_by_paths_keep_their_digits_and_halves_of_pairs() {
    let mut accumulator = Wire::Gemini.accumulator();
    for call in [
        r#"{"name": "book", "id": "c", "willContinue": true}"#,
        r#"{"partialArgs": [{"jsonPath": "$.z", "numberValue": 1234567890123456789012345}], "willContinue": true}"#,
        r#"{"partialArgs": [{"jsonPath": "$.a", "numberValue": 1.50}], "willContinue": true}"#,
        r#"{"partialArgs": [{"jsonPath": "$.b", "stringValue": "\ud83d"}], "willContinue": true}"#,
        r#"{"partialArgs": [{"jsonPath": "$.b", "stringValue": "\ude00"}], "willContinue": true}"#,
        "{}",
    ] {
        let part =
            format!(r#"{{"content": {{"role": "model", "parts": [{{"functionCall": {call}}}]}}}}"#);
        accumulator
            .push(&format!(r#"{{"candidates": [{part}]}}"#))
            .unwrap();
    }
    let response = accumulator.finish().unwrap().response;
    let calls = Wire::Gemini.calls(&response).unwrap();
    assert_eq!(
        &*calls[0].arguments,
        r#"{"z":1234567890123456789012345,"a":1.50,"b":"\ud83d\ude00"}"#
    );
}

#[test]
fn a_kind_of_call_that_we_cannot_answer_is_an_error_that_names_it() {
    let item = |kind: &str, item: Value| {
        let mut item = item;
        item["type"] = json!(kind);
        json!({"status": "completed", "output": [item]})
    };
    let chat = |call: Value| json!({"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [call]}}]});
    let rows = [
        (
            Wire::OpenAiResponses,
            item(
                "custom_tool_call",
                json!({"call_id": "c", "name": "sh", "input": "ls"}),
            ),
            "custom_tool_call",
        ),
        (
            Wire::OpenAiResponses,
            item("computer_call", json!({"call_id": "c", "action": {}})),
            "computer_call",
        ),
        (
            Wire::OpenAiResponses,
            item("local_shell_call", json!({"call_id": "c", "action": {}})),
            "local_shell_call",
        ),
        (
            Wire::OpenAiResponses,
            item("some_new_call", json!({"call_id": "c"})),
            "some_new_call",
        ),
        (
            Wire::OpenAiChat,
            chat(json!({"id": "c", "type": "custom", "custom": {"name": "sh", "input": "ls"}})),
            "custom",
        ),
        (
            Wire::OpenAiChat,
            chat(json!({"id": "c", "type": "some_new", "some_new": {}})),
            "some_new",
        ),
    ];
    for (wire, response, kind) in rows {
        let error = wire.calls(&response.to_string()).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("the response has a call of the type `{kind}`, which cannot be answered here")
        );
    }
    // Those that the provider has answered itself are not for us.
    let hosted = [
        item(
            "web_search_call",
            json!({"id": "ws", "status": "completed"}),
        ),
        item("some_new_call", json!({"id": "x", "call_id": null})),
        json!({"status": "completed", "output": [{"type": "shell_call", "call_id": "c"}, {"type": "shell_call_output", "call_id": "c"}]}),
    ];
    for response in hosted {
        assert_eq!(
            Wire::OpenAiResponses.calls(&response.to_string()).unwrap(),
            [],
            "{response}"
        );
    }
    // Imitators leave the type out, or say nothing by it.
    for kind in [Value::Null, json!(""), json!("function"), json!("tool")] {
        let response =
            chat(json!({"id": "c", "type": kind, "function": {"name": "now", "arguments": "{}"}}));
        assert_eq!(
            Wire::OpenAiChat.calls(&response.to_string()).unwrap().len(),
            1,
            "{kind}"
        );
    }
}

#[test]
fn coheres_second_version_is_not_taken_for_ollama() {
    let cohere = json!({"id": "x", "finish_reason": "COMPLETE", "message": {"role": "assistant", "content": [{"type": "text", "text": "Hi"}]}, "usage": {}});
    let text = cohere.to_string();
    assert_eq!(Wire::detect(&text), None);
    let error = Wire::Ollama.completion(&text).unwrap_err().to_string();
    assert!(error.contains("Cohere"), "{error}");
    let begun =
        json!({"type": "message-start", "id": "x", "delta": {"message": {"role": "assistant"}}})
            .to_string();
    let error = Wire::Ollama
        .accumulator()
        .push(&begun)
        .unwrap_err()
        .to_string();
    assert!(error.contains("Cohere"), "{error}");
    let ollama =
        json!({"model": "m", "message": {"role": "assistant", "content": "Hi"}, "done": true});
    assert_eq!(Wire::detect(&ollama.to_string()), Some(Wire::Ollama));
}
