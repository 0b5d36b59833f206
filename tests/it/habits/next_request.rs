//! What a provider sent, and would refuse to read again, is mended on the way back.

use serde_json::{Value, json};
use toolwright::{
    Encoder, Outcome, ToolCall, ToolResult, Wire,
    call::{Block, Content},
    wire::{JsonText, Message},
};

use super::{read, stream};
use crate::wires::parsed;

/// The messages that the next request repeats, by `turn`, by `completion` and by `conversation`.
fn echoed(wire: Wire, response: &Value) -> Vec<Value> {
    let text = response.to_string();
    let turn = parsed(&wire.turn(&text, &[], Encoder::auto()).unwrap());
    let said = read(wire, response);
    let messages: Vec<_> = said.messages.iter().map(|text| parsed(text)).collect();
    assert_eq!(turn, json!(messages), "{wire:?}");
    messages
}

fn anthropic(blocks: &Value) -> Value {
    json!({"role": "assistant", "content": blocks, "stop_reason": "tool_use"})
}

fn bedrock(blocks: &Value) -> Value {
    json!({"output": {"message": {"role": "assistant", "content": blocks}}, "stopReason": "tool_use"})
}

#[test]
fn blocks_of_white_space_do_not_go_back_and_their_neighbours_do() {
    let thought = json!({"type": "thinking", "thinking": " \n", "signature": "s1"});
    let hidden = json!({"type": "redacted_thinking", "data": "d"});
    let call = json!({"type": "tool_use", "id": "c", "name": "now", "input": {}});
    let blank = |text: &str| json!({"type": "text", "text": text});
    let kept = json!([thought, hidden, call]);
    for text in ["\n\n", "", " ", "\t\r\n", "\u{a0}"] {
        let blocks = json!([blank(text), thought, blank(text), hidden, call]);
        let messages = echoed(Wire::Anthropic, &anthropic(&blocks));
        assert_eq!(
            messages,
            [json!({"role": "assistant", "content": kept})],
            "{text:?}"
        );
    }
    let thought = json!({"reasoningContent": {"reasoningText": {"text": " ", "signature": "s1"}}});
    let call = json!({"toolUse": {"toolUseId": "c", "name": "now", "input": {}}});
    let messages = echoed(
        Wire::BedrockConverse,
        &bedrock(&json!([{"text": "\n\n"}, thought, {"text": ""}, call])),
    );
    assert_eq!(
        messages,
        [json!({"content": [thought, call], "role": "assistant"})]
    );
    // One that needs nothing is as it came.
    let whole = json!([blank(" a "), call]);
    assert_eq!(
        echoed(Wire::Anthropic, &anthropic(&whole))[0]["content"],
        whole
    );
    // A call after it is answered under its id.
    let blocks = json!([blank("\n"), {"type": "tool_use", "name": "now", "input": {}}]);
    assert_eq!(
        echoed(Wire::Anthropic, &anthropic(&blocks))[0]["content"][0]["id"],
        json!("call_0")
    );
}

#[test]
fn a_block_that_is_read_as_a_call_goes_back() {
    // A key that stands twice, and one block of two kinds: fuzzing found the first.
    for (wire, block) in [
        (
            Wire::Anthropic,
            r#"{"type": "tool_use", "id": "c", "type": "text", "name": "now", "input": {}}"#,
        ),
        (
            Wire::Anthropic,
            r#"{"type": "text", "text": " ", "id": "c", "type": "tool_use", "name": "now", "input": {}}"#,
        ),
        (
            Wire::BedrockConverse,
            r#"{"text": " ", "toolUse": {"toolUseId": "c", "name": "now", "input": {}}}"#,
        ),
    ] {
        let response = match wire {
            Wire::Anthropic => format!(r#"{{"role": "assistant", "content": [{block}]}}"#),
            _ => format!(
                r#"{{"output": {{"message": {{"role": "assistant", "content": [{block}]}}}}}}"#
            ),
        };
        assert_eq!(wire.calls(&response).unwrap().len(), 1, "{block}");
        let turn = parsed(&wire.turn(&response, &[], Encoder::auto()).unwrap());
        let sent = &turn[0]["content"];
        assert_eq!(sent.as_array().map(Vec::len), Some(1), "{block}: {turn}");
    }
}

#[test]
fn a_message_that_says_nothing_is_no_message() {
    let chat = |message: Value| json!({"choices": [{"message": message}]});
    let gemini =
        |parts: Value| json!({"candidates": [{"content": {"role": "model", "parts": parts}}]});
    let rows = [
        (Wire::Anthropic, anthropic(&json!([]))),
        (
            Wire::Anthropic,
            anthropic(&json!([{"type": "text", "text": "\n"}])),
        ),
        (Wire::Anthropic, anthropic(&json!(" "))),
        (Wire::BedrockConverse, bedrock(&json!([]))),
        (Wire::BedrockConverse, bedrock(&json!([{"text": " "}]))),
        (Wire::Gemini, gemini(json!([]))),
        (Wire::Gemini, gemini(json!([{"text": ""}]))),
        (
            Wire::Gemini,
            json!({"candidates": [{"content": {"role": "model"}}]}),
        ),
        (
            Wire::OpenAiChat,
            chat(json!({"role": "assistant", "content": null})),
        ),
        (
            Wire::OpenAiChat,
            chat(json!({"role": "assistant", "content": "", "tool_calls": []})),
        ),
        (
            Wire::OpenAiChat,
            chat(json!({"role": "assistant", "content": [], "refusal": null})),
        ),
    ];
    for (wire, response) in rows {
        assert_eq!(
            echoed(wire, &response),
            [] as [Value; 0],
            "{wire:?}: {response}"
        );
    }
    // An empty list of calls is refused.
    let said = chat(json!({"role": "assistant", "content": "Hi", "tool_calls": []}));
    assert_eq!(
        echoed(Wire::OpenAiChat, &said),
        [json!({"role": "assistant", "content": "Hi"})]
    );
    // A signature may stand on no words.
    let signed = json!([{"text": "", "thoughtSignature": "s"}]);
    assert_eq!(
        echoed(Wire::Gemini, &gemini(signed.clone()))[0]["parts"],
        signed
    );
    let refusal = json!({"role": "assistant", "content": null, "refusal": "No."});
    assert_eq!(echoed(Wire::OpenAiChat, &chat(refusal.clone())), [refusal]);
}

/// A thread that was stored before has such blocks in its messages.
#[test]
fn a_stored_message_is_mended_too() {
    for (wire, blank, call) in [
        (
            Wire::Anthropic,
            json!({"type": "text", "text": "\n"}),
            json!({"type": "tool_use", "id": "c", "name": "now", "input": {}}),
        ),
        (
            Wire::BedrockConverse,
            json!({"text": "\n"}),
            json!({"toolUse": {"toolUseId": "c", "name": "now", "input": {}}}),
        ),
    ] {
        let stored = [json!({"role": "assistant", "content": [blank, call]}).to_string()];
        let result = ToolResult::new(
            &ToolCall::new("c", "now", "{}"),
            Ok(Outcome::value("12:00")),
        );
        let results = [result];
        let said = [
            Message::User("Hi"),
            Message::Echo(&stored),
            Message::Results(&results),
        ];
        let body = parsed(&wire.conversation(None, &said, Encoder::auto()).unwrap());
        assert_eq!(body["messages"][1]["content"], json!([call]), "{wire:?}");
    }
}

#[test]
fn a_streamed_block_of_white_space_does_not_go_back() {
    let block = |index: u8, block: Value, delta: Value| {
        [
            json!({"type": "content_block_start", "index": index, "content_block": block}),
            json!({"type": "content_block_delta", "index": index, "delta": delta}),
            json!({"type": "content_block_stop", "index": index}),
        ]
    };
    let mut events =
        vec![json!({"type": "message_start", "message": {"role": "assistant", "content": []}})];
    events.extend(block(
        0,
        json!({"type": "text", "text": ""}),
        json!({"type": "text_delta", "text": "\n\n"}),
    ));
    events.extend(block(
        1,
        json!({"type": "thinking", "thinking": ""}),
        json!({"type": "signature_delta", "signature": "s"}),
    ));
    events.extend(block(
        2,
        json!({"type": "tool_use", "id": "c", "name": "now", "input": {}}),
        json!({"type": "input_json_delta", "partial_json": "{}"}),
    ));
    events.push(json!({"type": "message_stop"}));
    let (_, streamed) = stream(Wire::Anthropic, &events);
    let content = echoed(Wire::Anthropic, &parsed(&streamed.response))[0]["content"].clone();
    let kinds: Vec<_> = content
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["type"].clone())
        .collect();
    assert_eq!(kinds, ["thinking", "tool_use"]);
    assert_eq!(content[0]["signature"], json!("s"));
}

/// Source: "Thought signatures" of the Gemini API's documentation, on calls that another model made.
#[test]
fn calls_of_other_providers_have_geminis_stand_in_for_a_signature() {
    let calls = ["a", "b"].map(|id| ToolCall::new(id, "now", "{}"));
    let said = [
        Message::User("Hi"),
        Message::Assistant {
            text: "Let me see.",
            calls: &calls,
        },
    ];
    let body = parsed(
        &Wire::Gemini
            .conversation(None, &said, Encoder::auto())
            .unwrap(),
    );
    let parts = &body["contents"][1]["parts"];
    assert_eq!(parts[0], json!({"text": "Let me see."}));
    assert_eq!(
        parts[1]["thoughtSignature"],
        json!("skip_thought_signature_validator")
    );
    // Gemini signs the first of parallel calls alone.
    assert_eq!(parts[2].get("thoughtSignature"), None);
    // What Gemini said itself stays as it came.
    let own = [json!({"role": "model", "parts": [{"functionCall": {"id": "a", "name": "now"}, "thoughtSignature": "own"}]}).to_string()];
    let body = parsed(
        &Wire::Gemini
            .conversation(None, &[Message::Echo(&own)], Encoder::auto())
            .unwrap(),
    );
    assert_eq!(body["contents"][0], parsed(&own[0]));
}

/// gpt-oss behind Responses names the calls of every response `call_0`, `call_1`.
#[test]
fn a_call_that_its_host_named_anew_has_that_name_beside_its_thoughts() {
    let rows = [
        (
            Wire::OpenAiResponses,
            json!({"status": "completed", "output": [
                {"type": "reasoning", "id": "r", "encrypted_content": "e"},
                {"type": "function_call", "id": "f", "call_id": "call_0", "name": "now", "arguments": "{}"},
                {"type": "function_call", "id": "g", "call_id": "call_1", "name": "now", "arguments": "{}"},
            ]}),
        ),
        (
            Wire::Anthropic,
            anthropic(&json!([
                {"type": "thinking", "thinking": "Hm", "signature": "s"},
                {"type": "tool_use", "id": "call_0", "name": "now", "input": {}},
                {"type": "tool_use", "id": "call_1", "name": "now", "input": {}},
            ])),
        ),
        (
            Wire::BedrockConverse,
            bedrock(&json!([
                {"reasoningContent": {"reasoningText": {"text": "Hm", "signature": "s"}}},
                {"toolUse": {"toolUseId": "call_0", "name": "now", "input": {}}},
                {"toolUse": {"toolUseId": "call_1", "name": "now", "input": {}}},
            ])),
        ),
        (
            Wire::OpenAiChat,
            json!({"choices": [{"message": {"role": "assistant", "content": null, "reasoning": "Hm", "tool_calls": [
                {"id": "call_0", "type": "function", "function": {"name": "now", "arguments": "{}"}},
                {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": "{}"}},
            ]}}]}),
        ),
        (
            Wire::Gemini,
            json!({"candidates": [{"content": {"role": "model", "parts": [
                {"functionCall": {"id": "call_0", "name": "now", "args": {}}, "thoughtSignature": "s"},
                {"functionCall": {"id": "call_1", "name": "now", "args": {}}},
            ]}}]}),
        ),
    ];
    for (wire, response) in rows {
        let text = response.to_string();
        let answered = |ids: &[&str]| {
            let results = ids
                .iter()
                .map(|id| ToolResult::new(&ToolCall::new(*id, "now", "{}"), Ok(Outcome::value(1))));
            let results: Vec<_> = results.collect();
            wire.turn(&text, &results, Encoder::auto())
                .unwrap()
                .into_string()
        };
        let own = answered(&["call_0", "call_1"]);
        // The host's ids stand everywhere, and all else is as it was.
        let renamed = answered(&["t7_0", "t7_1"]);
        assert_eq!(
            parsed(&renamed),
            parsed(
                &own.replace("\"call_0\"", "\"t7_0\"")
                    .replace("\"call_1\"", "\"t7_1\"")
            ),
            "{wire:?}"
        );
        let one = answered(&["call_0", "t7_1"]);
        assert_eq!(
            parsed(&one),
            parsed(&own.replace("\"call_1\"", "\"t7_1\"")),
            "{wire:?}"
        );
        // The order of results says nothing, and what is of no call renames none.
        let turned = answered(&["call_1", "call_0"]);
        assert!(!turned.contains("t7_"), "{wire:?}");
        for ids in [&["call_0", "call_1", "x"][..], &["x"], &[]] {
            let calls = echoed(wire, &response);
            let messages = parsed(&answered(ids));
            assert_eq!(
                messages.as_array().unwrap()[..calls.len()],
                calls,
                "{wire:?} {ids:?}"
            );
        }
    }
}

/// Gemini 2.x refuses pictures inside a result, and parts beside the results of parallel calls; a chat takes text alone.
#[test]
fn pictures_follow_their_results_where_a_model_takes_none_inside() {
    let content = Content::text("See:").image("image/png", "AAAA");
    let results = [
        ToolResult::new(
            &ToolCall::new("a", "draw", "{}"),
            Ok(Outcome::Content(content)),
        ),
        ToolResult::new(
            &ToolCall::new("b", "now", "{}"),
            Ok(Outcome::value("12:00")),
        ),
    ];
    let words = "Media of the result of the call `a` of `draw`:";
    let written = |wire: Wire, encoder: Encoder| parsed(&wire.results(&results, encoder));
    let after = written(Wire::Gemini, Encoder::auto().pictures_after());
    let inline = json!({"inlineData": {"mimeType": "image/png", "data": "AAAA"}});
    assert_eq!(after[0]["parts"].as_array().unwrap().len(), 2);
    assert_eq!(after[0]["parts"][0]["functionResponse"].get("parts"), None);
    assert_eq!(
        after[1],
        json!({"role": "user", "parts": [{"text": words}, inline]})
    );
    let inside = written(Wire::Gemini, Encoder::auto());
    assert_eq!(
        inside[0]["parts"][0]["functionResponse"]["parts"],
        json!([inline])
    );
    assert_eq!(inside.as_array().unwrap().len(), 1);
    let after = written(Wire::OpenAiChat, Encoder::auto().pictures_after());
    let url = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}});
    assert_eq!(
        after[2],
        json!({"role": "user", "content": [{"type": "text", "text": words}, url]})
    );
    assert_eq!(
        written(Wire::OpenAiChat, Encoder::auto())
            .as_array()
            .unwrap()
            .len(),
        2
    );
    // Wires that have a place inside use it, whatever is asked.
    for wire in [
        Wire::Anthropic,
        Wire::OpenAiResponses,
        Wire::BedrockConverse,
        Wire::Ollama,
    ] {
        assert_eq!(
            written(wire, Encoder::auto()),
            written(wire, Encoder::auto().pictures_after())
        );
        assert!(
            written(wire, Encoder::auto()).to_string().contains("AAAA"),
            "{wire:?}"
        );
    }
}

/// Each wire has a table of the types that its provider takes; a picture of another type, and sound where it stands nowhere,
/// is a note that names the type.
#[test]
fn media_that_a_provider_refuses_are_words() {
    let written = |wire: Wire, content: Content| {
        let call = ToolCall::new("a", "draw", "{}");
        let result = ToolResult::new(&call, Ok(Outcome::Content(content)));
        let encoder = Encoder::auto().pictures_after();
        let inside = wire.results(std::slice::from_ref(&result), Encoder::auto());
        let after = wire.results(&[result], encoder);
        [inside, after].map(JsonText::into_string)
    };
    let wires = [
        (Wire::Anthropic, "png jpeg gif webp", ""),
        (Wire::OpenAiResponses, "png jpeg gif webp", ""),
        (Wire::BedrockConverse, "png jpeg gif webp", ""),
        (Wire::Ollama, "png jpeg webp", ""),
        (Wire::Gemini, "png jpeg webp", "wav mp3 aiff aac ogg flac"),
        (Wire::OpenAiChat, "png jpeg gif webp", ""),
    ];
    for (wire, pictures, sounds) in wires {
        for kind in "png jpeg gif webp heic svg+xml bmp tiff x-unknown".split(' ') {
            let mime_type = format!("image/{kind}");
            let [inside, after] = written(wire, Content::default().image(&mime_type, "AAAA"));
            let note = format!("[image, {mime_type}]");
            let is_known = pictures.split(' ').any(|known| known == kind);
            let is_behind = is_known || (wire == Wire::Gemini && kind == "heic");
            assert_eq!(after.contains("AAAA"), is_behind, "{wire:?} {kind}");
            let is_inside = is_known && wire != Wire::OpenAiChat;
            assert_eq!(inside.contains("AAAA"), is_inside, "{wire:?} {kind}");
            assert!(is_inside || inside.contains(&note), "{wire:?}: {inside}");
        }
        for kind in "wav mp3 aiff aac ogg flac midi".split(' ') {
            let (mime_type, data) = (format!("audio/{kind}"), "AAAA".to_owned());
            let note = format!("[audio, {mime_type}]");
            let content = Content::text("Hear:").with(Block::Audio { mime_type, data });
            for text in written(wire, content) {
                let is_known = sounds.split(' ').any(|known| known == kind);
                assert_eq!(text.contains("AAAA"), is_known, "{wire:?} {kind}");
                assert_eq!(text.contains(&note), !is_known, "{wire:?} {kind}: {text}");
            }
        }
        // A document is words everywhere.
        let document = Block::Document {
            uri: "file:///a.txt".to_owned(),
            mime_type: None,
            text: "Words.".to_owned(),
        };
        assert!(written(wire, Content::from(vec![document]))[0].contains("Words."));
    }
    // Servers name types in other ways.
    for name in ["image/jpg", "IMAGE/JPEG", "image/jpeg; charset=binary"] {
        let [inside, _] = written(Wire::Anthropic, Content::default().image(name, "AAAA"));
        let block = &parsed(&inside)[0]["content"][0]["content"][0];
        assert_eq!(block["source"]["media_type"], "image/jpeg");
    }
    let (mime_type, data) = ("audio/mpeg".to_owned(), "AAAA".to_owned());
    let [inside, after] = written(
        Wire::Gemini,
        Content::text("Hear:").with(Block::Audio { mime_type, data }),
    );
    let words = "Media of the result of the call `a` of `draw`:";
    let expected = json!({"role": "user", "parts": [{"text": words}, {"inlineData": {"mimeType": "audio/mp3", "data": "AAAA"}}]});
    assert_eq!(parsed(&inside)[1], expected);
    assert_eq!(inside, after);
}
