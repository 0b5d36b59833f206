//! Streamed responses: put together they say what the whole ones say.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use proptest::prelude::*;
use serde_json::{Value, json};
use toolwright::{
    Encoder, ToolCall, Wire,
    wire::{StreamEvent, Streamed},
};

use crate::wires::pieces::{events, one_call};
use crate::wires::{answers, parsed, sample};

/// Every wire that streams: its stream, and the same response whole.
const STREAMS: [(Wire, &str, &str); 6] = [
    (Wire::OpenAiChat, "openai_chat.sse", "openai_chat.json"),
    (
        Wire::OpenAiResponses,
        "openai_responses.sse",
        "openai_responses.json",
    ),
    (Wire::Anthropic, "anthropic.sse", "anthropic.json"),
    (Wire::Gemini, "gemini.sse", "gemini.json"),
    (Wire::Ollama, "ollama.ndjson", "ollama.json"),
    (Wire::BedrockConverse, "bedrock.ndjson", "bedrock.json"),
];

fn streamed(wire: Wire, stream: &str) -> Streamed {
    let mut accumulator = wire.accumulator();
    for line in stream.lines() {
        accumulator.push(line).unwrap();
    }
    accumulator.finish().unwrap()
}

/// The calls, and the next request's messages.
fn said(wire: Wire, response: &str) -> (Vec<ToolCall>, Value) {
    let calls = wire.calls(response).unwrap();
    let results = answers(wire, response);
    let turn = wire.turn(response, &results, Encoder::auto()).unwrap();
    (calls, parsed(&turn))
}

#[test]
fn a_stream_says_what_the_whole_response_says() {
    for (wire, stream, whole) in STREAMS {
        let streamed = streamed(wire, &sample(stream));
        assert!(streamed.ended, "{wire:?}");
        assert_eq!(streamed.unfinished, [], "{wire:?}");
        assert_eq!(
            said(wire, &streamed.response),
            said(wire, &sample(whole)),
            "{wire:?}"
        );
        assert_eq!(Wire::detect(&streamed.response), Some(wire));
        // All of it, not only what is needed: why it ended, what it cost.
        let (mut streamed, mut whole) = (parsed(&streamed.response), parsed(&sample(whole)));
        for response in [&mut streamed, &mut whole] {
            // Said only once the response is whole, or of chunks and not of choices.
            for key in ["created_at", "system_fingerprint"] {
                response.as_object_mut().unwrap().remove(key);
            }
            if wire == Wire::OpenAiChat {
                response["choices"][0]
                    .as_object_mut()
                    .unwrap()
                    .remove("logprobs");
            }
        }
        assert_eq!(streamed, whole, "{wire:?}");
    }
}

#[test]
fn bytes_may_be_cut_anywhere_and_lines_end_as_events_do() {
    let both = ["\r\n", "\r"].map(|end| STREAMS.map(|row| (row, end)));
    for ((wire, stream, _), end) in both.into_iter().flatten() {
        let expected = streamed(wire, &sample(stream));
        // With a mark of the byte order.
        let stream = format!("\u{feff}{}", sample(stream).replace('\n', end));
        assert_eq!(streamed(wire, &stream), expected, "{wire:?} {end:?}");
        // Every line is cut at this place, so that every place of the stream is.
        let longest = stream.split_inclusive(end).map(str::len).max().unwrap();
        for at in 0..longest {
            let mut accumulator = wire.accumulator();
            for line in stream.split_inclusive(end) {
                let (first, second) = line.as_bytes().split_at(at.min(line.len()));
                accumulator.push_bytes(first).unwrap();
                accumulator.push_bytes(second).unwrap();
            }
            let found = accumulator.finish().unwrap();
            assert_eq!(found, expected, "{wire:?} {end:?} at {at}");
        }
        let mut accumulator = wire.accumulator();
        for byte in stream.trim_end().as_bytes() {
            accumulator.push_bytes(&[*byte]).unwrap();
        }
        assert_eq!(accumulator.finish().unwrap(), expected, "{wire:?}");
    }
}

#[test]
fn half_of_a_surrogate_pair_loses_no_piece_of_a_stream() {
    let piece = |key: &str, json: &str| match key {
        "content" => format!(r#"{{"choices":[{{"index":0,"delta":{{"content":{json}}}}}]}}"#),
        _ => format!(
            r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":0,"id":"c1","function":{{"name":"add","arguments":{json}}}}}]}}}}]}}"#
        ),
    };
    for (pieces, whole) in [
        ([r#""a\ud800b""#, r#""c""#], "a\u{fffd}bc"),
        ([r#""a\ud83e""#, r#""\udd80c""#], "a🦀c"),
        ([r#""a\ud83e""#, r#""bc""#], "a\u{fffd}bc"),
        ([r#""a\udd80""#, r#""c""#], "a\u{fffd}c"),
        ([r#""\ud800\\ud83e""#, r#""c""#], "\u{fffd}\\ud83ec"),
    ] {
        for key in ["content", "arguments"] {
            let mut stream = Wire::OpenAiChat.accumulator();
            let mut told = String::new();
            for json in pieces {
                for event in stream.push(&piece(key, json)).unwrap() {
                    if let StreamEvent::Text(text) | StreamEvent::Arguments { text, .. } = event {
                        told += &text;
                    }
                }
            }
            assert_eq!(told, whole, "{key} {pieces:?}");
            stream.push("data: [DONE]").unwrap();
            let said = Wire::OpenAiChat.completion(&stream.finish().unwrap().response);
            let said = said.unwrap();
            let read = match key {
                "content" => &*said.text,
                _ => &*said.calls[0].arguments,
            };
            assert_eq!(read, whole, "{key} {pieces:?}");
        }
    }
    // Gemini's arguments come as an object, which is taken apart on the way.
    let mut stream = Wire::Gemini.accumulator();
    let event = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"add","args":{"\ud800":1,"b":2}}}]},"finishReason":"STOP"}]}"#;
    stream.push(event).unwrap();
    let calls = Wire::Gemini.calls(&stream.finish().unwrap().response);
    let arguments = parsed(&calls.unwrap()[0].arguments.replace(r"\ud800", "\u{fffd}"));
    assert_eq!(arguments, json!({"\u{fffd}": 1, "b": 2}));
}

#[test]
fn a_stream_that_breaks_off_gives_what_is_complete_and_says_what_is_not() {
    for (wire, stream, whole) in STREAMS {
        let stream = sample(stream);
        let expected = wire.calls(&sample(whole)).unwrap();
        let mut most = 0;
        for end in 0..=stream.lines().count() {
            let mut accumulator = wire.accumulator();
            for line in stream.lines().take(end) {
                accumulator.push(line).unwrap();
            }
            let Ok(streamed) = accumulator.finish() else {
                assert_eq!(most, 0);
                continue;
            };
            let calls = wire.calls(&streamed.response).unwrap();
            let known = |call: &ToolCall| {
                expected
                    .iter()
                    .any(|whole| (&whole.name, &whole.arguments) == (&call.name, &call.arguments))
            };
            assert!(calls.iter().all(known), "{wire:?} after {end}: {calls:?}");
            for broken in &streamed.unfinished {
                let whole = expected
                    .iter()
                    .find(|whole| whole.name == broken.name)
                    .unwrap();
                assert!(
                    whole.arguments.starts_with(broken.arguments.as_ref())
                        || &*broken.arguments == "{}"
                );
            }
            assert!(!streamed.ended || streamed.unfinished.is_empty());
            assert!(
                calls.len() + streamed.unfinished.len() >= most,
                "{wire:?} after {end}"
            );
            most = calls.len() + streamed.unfinished.len();
            // The next request can be made of it.
            said(wire, &streamed.response);
        }
        assert_eq!(most, expected.len());
    }
}

#[test]
fn news_are_the_words_the_calls_and_their_arguments() {
    for (wire, stream, whole) in STREAMS {
        let mut accumulator = wire.accumulator();
        let (mut words, mut names, mut arguments) =
            (String::new(), Vec::new(), vec![String::new(); 3]);
        let mut hosted = Vec::new();
        for line in sample(stream).lines() {
            for event in accumulator.push(line).unwrap() {
                match event {
                    StreamEvent::Text(text) => words.push_str(&text),
                    StreamEvent::Call { place, name } => {
                        assert_eq!(place, names.len());
                        names.push(name);
                    }
                    StreamEvent::Arguments { place, text } => arguments[place].push_str(&text),
                    StreamEvent::Hosted { call, .. } => hosted.push(call),
                    _ => unreachable!("{wire:?}"),
                }
            }
        }
        let whole_hosted = wire.completion(&sample(whole)).unwrap().hosted;
        assert_eq!(hosted.len(), whole_hosted.len(), "{wire:?}");
        assert_eq!(words, "Ich schaue nach. 🌦", "{wire:?}");
        assert_eq!(names, ["weather", "now", "wether"], "{wire:?}");
        for (call, told) in wire.calls(&sample(whole)).unwrap().iter().zip(arguments) {
            let empty = told.is_empty() && &*call.arguments == "{}";
            assert!(empty || *told == *call.arguments, "{wire:?}: {told}");
        }
    }
}

const IN_PIECES: [Wire; 4] = [
    Wire::OpenAiChat,
    Wire::OpenAiResponses,
    Wire::Anthropic,
    Wire::BedrockConverse,
];

#[test]
fn arguments_may_be_cut_anywhere_and_keep_their_text() {
    let arguments = "{\"a\": 1.50, \"a\":1e2,\"x\":\"\\ud83e\\udd80 \u{1F980}\\n\\\"\", \"n\":12345678901234567890123 }";
    let whole = [ToolCall::new("c", "now", arguments)];
    for wire in IN_PIECES {
        for (at, _) in arguments.char_indices() {
            let (first, second) = arguments.split_at(at);
            for pieces in [vec![first, second], vec!["", first, "", second, ""]] {
                let (calls, _) = one_call(wire, &events(wire, &pieces));
                assert_eq!(calls, whole, "{wire:?} at {at}");
            }
            // Cut off there, nothing of it is run.
            let mut cut = events(wire, &[first]);
            cut.pop();
            let (calls, streamed) = one_call(wire, &cut);
            assert_eq!(calls, [], "{wire:?} at {at}");
            assert!(!streamed.ended);
            assert_eq!(streamed.unfinished.len(), 1);
            assert_eq!(&*streamed.unfinished[0].id, "c");
        }
        // Nothing can follow a whole object.
        let mut cut = events(wire, &[arguments]);
        cut.pop();
        assert_eq!(one_call(wire, &cut).0, whole, "{wire:?}");
    }
}

#[test]
fn empty_and_broken_arguments_are_their_calls_own_affair() {
    for wire in IN_PIECES {
        for (pieces, arguments) in [
            (vec![], vec!["", "{}"]),
            (vec![""], vec!["", "{}"]),
            (vec!["{}"], vec!["{}"]),
            (vec!["[1", "]"], vec!["[1]"]),
            (vec!["{\"a\":", "oops"], vec!["{\"a\":oops"]),
            (vec!["{\"a\":1}", "{\"a\":2}"], vec!["{\"a\":1}{\"a\":2}"]),
            (vec!["null"], vec!["null", ""]),
        ] {
            let (calls, streamed) = one_call(wire, &events(wire, &pieces));
            assert_eq!(calls.len(), 1, "{wire:?}: {pieces:?}");
            assert!(
                arguments.contains(&&*calls[0].arguments),
                "{wire:?}: {calls:?}"
            );
            // What goes back is what the provider takes: an object, or a text.
            let (_, turn) = said(wire, &streamed.response);
            let sent = match wire {
                Wire::OpenAiChat => &turn[0]["tool_calls"][0]["function"]["arguments"],
                Wire::OpenAiResponses => &turn[0]["arguments"],
                Wire::Anthropic => &turn[0]["content"][0]["input"],
                _ => &turn[0]["content"][0]["toolUse"]["input"],
            };
            assert!(sent.is_object() || sent.is_string(), "{wire:?}: {turn}");
        }
    }
}

fn chat(deltas: &[Value]) -> Vec<(String, String, String)> {
    let mut accumulator = Wire::OpenAiChat.accumulator();
    for delta in deltas {
        let event = json!({"choices": [{"index": 0, "delta": {"tool_calls": delta}}]});
        accumulator.push(&event.to_string()).unwrap();
    }
    accumulator.push("data: [DONE]").unwrap();
    let streamed = accumulator.finish().unwrap();
    let calls = Wire::OpenAiChat.calls(&streamed.response).unwrap();
    let parts = calls.iter().map(|call| {
        (
            call.id.to_string(),
            call.name.to_string(),
            call.arguments.to_string(),
        )
    });
    parts.collect()
}

#[test]
fn what_imitators_of_openais_chat_stream_is_read() {
    let call = |id: &str, name: &str, arguments: &str| (id.into(), name.into(), arguments.into());
    // By index the last id and name hold; an empty one says nothing.
    assert_eq!(
        chat(&[
            json!([{"index": 0, "id": "a", "function": {"name": "x", "arguments": "{"}}]),
            json!([{"index": 0, "id": "", "function": {"name": "", "arguments": "}"}}]),
            json!([{"index": 1, "function": {"name": "y"}}]),
            json!([{"index": 1, "id": "b", "function": {"name": "z", "arguments": null}}]),
        ]),
        [call("a", "x", "{}"), call("b", "z", "")]
    );
    // Whole calls without an index, without ids, or all of one index.
    assert_eq!(
        chat(&[
            json!([{"function": {"name": "x", "arguments": "{\"n\":1}"}}, {"function": {"name": "x", "arguments": "{\"n\":2}"}}]),
            json!([{"id": "c", "function": {"name": "x", "arguments": "{\"n\""}}]),
            json!([{"id": "c", "function": {"arguments": ":3}"}}]),
            json!([{"function": {"arguments": " "}}]),
        ]),
        [
            call("call_0", "x", "{\"n\":1}"),
            call("call_1", "x", "{\"n\":2}"),
            call("c", "x", "{\"n\":3} ")
        ]
    );
    assert_eq!(
        chat(&[
            json!([{"index": 0, "id": "a", "function": {"name": "x", "arguments": "{\"n\":1}"}}]),
            json!([{"index": 0, "id": "b", "function": {"name": "x", "arguments": "{\"n\":2}"}}]),
        ]),
        [call("a", "x", "{\"n\":1}"), call("b", "x", "{\"n\":2}")]
    );
    // Also where the first one has no arguments.
    assert_eq!(
        chat(&[
            json!([{"index": 0, "id": "a", "function": {"name": "x", "arguments": ""}}]),
            json!([{"index": 0, "id": "b", "function": {"name": "y", "arguments": ""}}]),
            json!([{"index": 0, "function": {"arguments": "{}"}}]),
        ]),
        [call("a", "x", ""), call("b", "y", "{}")]
    );
    // An object where a text should be, and what is not a call.
    assert_eq!(
        chat(&[json!([null, 7, {"index": 0, "function": {"name": "x", "arguments": {"n": 1}}}])]),
        [call("call_0", "x", "{\"n\":1}")]
    );
}

#[test]
fn thoughts_beside_the_answer_are_kept_for_the_next_request() {
    let mut accumulator = Wire::OpenAiChat.accumulator();
    for delta in [
        json!({"role": "assistant", "content": null, "reasoning_content": "Let "}),
        json!({"reasoning_content": "me see."}),
        json!({"content": "Fine."}),
        json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "Let"}]}),
        json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": " me"}]}),
    ] {
        let event = json!({"choices": [{"index": 0, "delta": delta}, {"index": 1, "delta": {"content": "other"}}]});
        accumulator.push(&event.to_string()).unwrap();
    }
    let streamed = accumulator.finish().unwrap();
    assert_eq!(
        parsed(&streamed.response)["choices"][0]["message"],
        json!({
            "role": "assistant", "content": "Fine.", "reasoning_content": "Let me see.",
            "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "Let me"}],
        })
    );
    assert!(!streamed.ended);
}

#[test]
fn a_signature_stays_where_it_stood() {
    let mut accumulator = Wire::Gemini.accumulator();
    for parts in [
        json!([{"text": "a"}, {"text": "b"}]),
        json!([{"text": "c", "thoughtSignature": "s"}]),
        json!([{"text": "d"}, {"text": "t", "thought": true}, {"text": "e"}]),
    ] {
        let event = json!({"candidates": [{"content": {"parts": parts, "role": "model"}}]});
        accumulator.push(&event.to_string()).unwrap();
    }
    let streamed = accumulator.finish().unwrap();
    assert_eq!(
        parsed(&streamed.response)["candidates"][0]["content"]["parts"],
        json!([
            {"text": "ab"}, {"text": "c", "thoughtSignature": "s"}, {"text": "d"},
            {"text": "t", "thought": true}, {"text": "e"},
        ])
    );
}

#[test]
fn half_a_thought_does_not_go_back() {
    let mut accumulator = Wire::Anthropic.accumulator();
    for event in [
        json!({"type": "message_start", "message": {"role": "assistant", "content": []}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "So"}}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "thinking", "thinking": ""}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "thinking_delta", "thinking": "hm"}}),
    ] {
        accumulator.push(&event.to_string()).unwrap();
    }
    let streamed = accumulator.finish().unwrap();
    assert_eq!(
        parsed(&streamed.response)["content"],
        json!([{"type": "text", "text": "So"}])
    );
}

#[test]
fn a_reported_error_is_told_and_ends_nothing() {
    for (wire, error) in [
        (
            Wire::OpenAiChat,
            r#"data: {"error":{"message":"Overloaded","code":503}}"#,
        ),
        (
            Wire::OpenAiResponses,
            r#"data: {"type":"error","code":"x","message":"Overloaded"}"#,
        ),
        (
            Wire::Anthropic,
            r#"data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        ),
        (
            Wire::Gemini,
            r#"data: {"error":{"code":503,"message":"Overloaded"}}"#,
        ),
        (Wire::Ollama, r#"{"error":"Overloaded"}"#),
        (
            Wire::BedrockConverse,
            r#"{"throttlingException":{"message":"Overloaded"}}"#,
        ),
    ] {
        let mut accumulator = wire.accumulator();
        let told = accumulator.push(error).unwrap_err().to_string();
        assert_eq!(
            told, "the provider reports an error: Overloaded",
            "{wire:?}"
        );
        assert!(accumulator.push("data: {broken").is_err(), "{wire:?}");
        let (_, stream, whole) = STREAMS.into_iter().find(|row| row.0 == wire).unwrap();
        for line in sample(stream).lines() {
            accumulator.push(line).unwrap();
        }
        let streamed = accumulator.finish().unwrap();
        assert_eq!(said(wire, &streamed.response), said(wire, &sample(whole)));
    }
}

#[test]
fn no_more_is_told_of_a_provider_s_words_than_a_page() {
    let long = "\u{202e}wörd ".repeat(100_000);
    let events = [
        (Wire::Ollama, json!({ "error": long })),
        (
            Wire::BedrockConverse,
            json!({"throttlingException": {"message": long}}),
        ),
    ];
    let errors = events.map(|(wire, event)| wire.accumulator().push(&event.to_string()));
    let mut told: Vec<_> = errors.map(|pushed| pushed.unwrap_err().to_string()).into();
    let response = json!({ "choices": long }).to_string();
    told.push(Wire::OpenAiChat.calls(&response).unwrap_err().to_string());
    for told in told {
        assert!(told.len() < 5_000, "{} bytes", told.len());
        assert!(
            told.contains("wörd") && !told.contains('\u{202e}'),
            "{told}"
        );
    }
}

#[test]
fn an_error_that_is_null_is_none() {
    for (wire, event) in [
        (
            Wire::OpenAiChat,
            r#"{"error":null,"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}"#,
        ),
        (
            Wire::Gemini,
            r#"{"error":null,"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}]}"#,
        ),
        (
            Wire::Ollama,
            r#"{"error":null,"message":{"role":"assistant","content":"Hi"},"done":true}"#,
        ),
    ] {
        let mut accumulator = wire.accumulator();
        accumulator.push(event).unwrap();
        let streamed = accumulator.finish().unwrap();
        let completion = wire.completion(&streamed.response).unwrap();
        assert_eq!(
            (&*completion.text, streamed.ended),
            ("Hi", true),
            "{wire:?}"
        );
    }
}

#[test]
fn nothing_is_no_response() {
    for wire in Wire::ALL {
        for nothing in [
            "",
            "\n\n",
            ": keep-alive\n\n",
            "event: ping\n",
            "data: [DONE]",
            "id: 3\nretry: 1",
        ] {
            let mut accumulator = wire.accumulator();
            accumulator.push(nothing).unwrap();
            accumulator.push_bytes(nothing.as_bytes()).unwrap();
            assert!(accumulator.finish().is_err(), "{wire:?}: {nothing}");
        }
    }
}

#[test]
fn a_wire_that_does_not_stream_takes_whole_messages() {
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now"}}"#;
    let mut accumulator = Wire::Mcp.accumulator();
    accumulator.push(request).unwrap();
    assert_eq!(accumulator.finish().unwrap().response, request);
    let mut accumulator = Wire::Mcp.accumulator();
    accumulator
        .push_bytes(format!("{request}\n{request}").as_bytes())
        .unwrap();
    let streamed = accumulator.finish().unwrap();
    assert_eq!(Wire::Mcp.calls(&streamed.response).unwrap().len(), 2);
}

/// Lines of a stream, of which some are other lines, cut, twice there or gone.
fn spoiled(wire: usize) -> impl Strategy<Value = (Wire, String)> {
    let (wire, stream, _) = STREAMS[wire];
    let lines: Vec<String> = sample(stream).lines().map(str::to_owned).collect();
    let line = (0..lines.len(), 0..400_usize, 0..6_u8, any::<String>());
    proptest::collection::vec(line, 0..30).prop_map(move |picks| {
        let picked = picks.into_iter().map(|(at, cut, kind, text)| match kind {
            0 => text,
            1 => lines[at].chars().take(cut).collect(),
            2 => lines[at].replace(":0", &text),
            _ => lines[at].clone(),
        });
        (wire, picked.collect::<Vec<_>>().join("\n"))
    })
}

proptest! {
    #[test]
    fn no_text_panics_and_ids_and_counts_are_kept(
        (wire, stream) in (0..STREAMS.len()).prop_flat_map(spoiled)
    ) {
        let mut accumulator = wire.accumulator();
        let mut begun = 0;
        for line in stream.lines() {
            let news = accumulator.push(line).unwrap_or_default();
            for news in &news {
                match news {
                    // What came before does not count.
                    StreamEvent::Restart => begun = 0,
                    StreamEvent::Call { .. } => begun += 1,
                    _ => {}
                }
            }
        }
        let Ok(streamed) = accumulator.finish() else {
            return Ok(());
        };
        prop_assert!(serde_json::from_str::<Value>(&streamed.response).is_ok() || !streamed.response.is_empty());
        if let Ok(calls) = wire.calls(&streamed.response) {
            if wire != Wire::OpenAiResponses {
                prop_assert!(calls.len() + streamed.unfinished.len() >= begun);
            }
            let results = answers(wire, &streamed.response);
            let answered: Vec<_> = results.iter().map(|result| &result.id).collect();
            prop_assert_eq!(answered, calls.iter().map(|call| &call.id).collect::<Vec<_>>());
            let turn = wire.turn(&streamed.response, &results, Encoder::auto());
            prop_assert!(turn.is_ok());
        }
    }

    #[test]
    fn no_response_panics_and_each_call_is_answered_by_its_id(
        at in 0..Wire::ALL.len(), cut in 0..900_usize, text in any::<String>(), from in 0..6_usize
    ) {
        let wire = Wire::ALL[at];
        let whole = sample(STREAMS[from].2);
        let texts = [
            whole.chars().take(cut).chain(text.chars()).collect(),
            whole.replace("\"name\"", &text),
            whole.replace("\"id\"", &format!("{text:?}")).replace("\"call_id\"", "\"x\""),
            text,
        ];
        for text in &texts {
            let Ok(calls) = wire.calls(text) else { continue };
            let results = answers(wire, text);
            prop_assert_eq!(results.len(), calls.len());
            let turn = wire.turn(text, &results, Encoder::auto());
            prop_assert!(turn.is_ok_and(|turn| serde_json::from_str::<Value>(&turn).is_ok() || turn.contains("\\u")));
        }
    }
}
