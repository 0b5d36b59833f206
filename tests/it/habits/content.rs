//! Content that changes its form within a stream.

use serde_json::{Value, json};
use toolwright::Wire;

use super::{stream, words};
use crate::wires::parsed;

fn chat(contents: &[Value]) -> (String, Value) {
    let piece = |content: &Value| json!({"choices": [{"index": 0, "delta": {"content": content}}]});
    let mut events: Vec<_> = contents.iter().map(piece).collect();
    events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
    let (told, streamed) = stream(Wire::OpenAiChat, &events);
    let text = Wire::OpenAiChat
        .completion(&streamed.response)
        .unwrap()
        .text;
    assert_eq!(words(&told), text, "{contents:?}");
    (
        text,
        parsed(&streamed.response)["choices"][0]["message"]["content"].clone(),
    )
}

/// Mistral's reasoning models think in lists and answer in strings, of which the last is empty: BerriAI/litellm issue 16272.
#[test]
fn lists_and_strings_of_one_content_are_both_kept() {
    let thought =
        |text: &str| json!([{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]);
    let said = |text: &str| json!([{"type": "text", "text": text}]);
    let part = |text: &str| json!({"type": "text", "text": text});
    let whole_thought = json!({"type": "thinking", "thinking": [part("Hm, two.")]});
    let rows = [
        (
            vec![
                thought("Hm,"),
                thought(" two."),
                json!("It is "),
                json!("2."),
                json!(""),
            ],
            "It is 2.",
            json!([whole_thought, part("It is 2.")]),
        ),
        (
            vec![
                json!(""),
                thought("Hm, two."),
                said("It is "),
                json!("2."),
                json!(null),
            ],
            "It is 2.",
            json!([whole_thought, part("It is 2.")]),
        ),
        (
            vec![json!("It "), said("is "), said("2."), thought("Hm, two.")],
            "It is 2.",
            json!([part("It is 2."), whole_thought]),
        ),
        (
            vec![json!(null), said("It is 2."), json!(null), json!("")],
            "It is 2.",
            json!([part("It is 2.")]),
        ),
        (
            vec![
                thought("Hm, two."),
                said("2."),
                thought("Hm, two."),
                json!("!"),
            ],
            "2.!",
            json!([whole_thought, part("2."), whole_thought, part("!")]),
        ),
        (
            vec![
                said("2"),
                json!([{"type": "image_url", "image_url": "a"}]),
                json!([{"type": "image_url", "image_url": "b"}]),
                json!("."),
            ],
            "2.",
            json!([part("2"), {"type": "image_url", "image_url": "a"}, {"type": "image_url", "image_url": "b"}, part(".")]),
        ),
        (vec![json!("2"), json!("."), json!("")], "2.", json!("2.")),
        (vec![json!([]), json!("2.")], "2.", json!([part("2.")])),
        (
            vec![json!({"text": "lost"}), json!("2.")],
            "2.",
            json!("2."),
        ),
    ];
    for (pieces, text, content) in rows {
        assert_eq!(chat(&pieces), (text.to_owned(), content), "{pieces:?}");
    }
}

#[test]
fn a_character_in_two_pieces_is_told_once_whatever_the_form() {
    let piece =
        |content: &str| format!(r#"{{"choices":[{{"index":0,"delta":{{"content":{content}}}}}]}}"#);
    let mut accumulator = Wire::OpenAiChat.accumulator();
    let mut told = Vec::new();
    for content in [r#"[{"type":"text","text":"a\ud83e"}]"#, r#""\udd80b""#] {
        told.extend(accumulator.push(&piece(content)).unwrap());
    }
    assert_eq!(words(&told), "a🦀b");
}

/// A word that every piece repeats is kept once; text that grows is joined.
#[test]
fn a_word_that_every_piece_repeats_is_one_word() {
    let piece = |content: &str, channel: &str| json!({"choices": [{"index": 0, "delta": {"content": content, "channel": channel, "note": {"kind": "final"}}}]});
    let events = [
        piece("ha", "final"),
        piece("ha", "final"),
        piece("ha", "final"),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
    ];
    let (told, streamed) = stream(Wire::OpenAiChat, &events);
    let message = &parsed(&streamed.response)["choices"][0]["message"];
    assert_eq!(words(&told), "hahaha");
    assert_eq!(
        *message,
        json!({"content": "hahaha", "channel": "final", "note": {"kind": "final"}, "role": "assistant"})
    );

    let call = |arguments: &str| json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c", "type": "function", "kind": "tool", "function": {"name": "now", "arguments": arguments}}]}}]});
    let (_, streamed) = stream(
        Wire::OpenAiChat,
        &[call("{\"a\":1"), call("1"), call("1"), call("}")],
    );
    let call = &parsed(&streamed.response)["choices"][0]["message"]["tool_calls"][0];
    assert_eq!(
        (&call["kind"], &call["function"]["arguments"]),
        (&json!("tool"), &json!("{\"a\":111}"))
    );

    let line = |thought: &str| json!({"message": {"role": "assistant", "content": "", "thinking": thought, "lang": "en"}, "done": false});
    let (_, streamed) = stream(
        Wire::Ollama,
        &[
            line("a"),
            line("b"),
            json!({"message": {"role": "assistant", "content": "x"}, "done": true}),
        ],
    );
    let message = &parsed(&streamed.response)["message"];
    assert_eq!(
        (&message["thinking"], &message["lang"]),
        (&json!("ab"), &json!("en"))
    );
}

/// Pieces of a thought that are equal are all of it: no listener receives thoughts, so only the pieces beside them say that
/// they are no repeated word.
#[test]
fn equal_pieces_of_a_thought_are_all_kept() {
    let role = json!({"role": "assistant"});
    let reasoning = json!({"reasoning": "ha"});
    let imitator = json!({"role": "assistant", "content": "", "reasoning_content": "ha"});
    let both = json!({"reasoning": "ha", "reasoning_details": [{"type": "reasoning.text", "text": "ha", "format": "f", "index": 0}]});
    let listed =
        json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "ha"}]}]});
    let flat = json!({"content": [{"type": "thinking", "thinking": "ha"}]});
    let marked = json!({"reasoning": "ha", "channel": "c"});
    let sound = json!({"audio": {"id": "a", "data": "AA", "transcript": "ha"}});
    let unknown = json!({"musing": {"words": "ha"}});
    let says = |text: &str| json!({"content": text});
    let rows = [
        (
            vec![&role, &reasoning, &reasoning],
            "/reasoning",
            json!("haha"),
        ),
        (
            vec![&reasoning, &reasoning, &reasoning],
            "/reasoning",
            json!("hahaha"),
        ),
        (
            vec![&imitator, &imitator],
            "/reasoning_content",
            json!("haha"),
        ),
        (vec![&both, &both], "/reasoning", json!("haha")),
        (
            vec![&both, &both],
            "/reasoning_details",
            json!([{"type": "reasoning.text", "text": "haha", "format": "f", "index": 0}]),
        ),
        (
            vec![&listed, &listed],
            "/content/0",
            json!({"type": "thinking", "thinking": [{"type": "text", "text": "haha"}]}),
        ),
        (vec![&flat, &flat], "/content/0/thinking", json!("haha")),
        (vec![&marked, &marked], "/reasoning", json!("haha")),
        (
            vec![&sound, &sound],
            "/audio",
            json!({"id": "a", "data": "AAAA", "transcript": "haha"}),
        ),
        (vec![&unknown, &unknown], "/musing/words", json!("haha")),
    ];
    for (deltas, path, expected) in rows {
        // Whether it broke off, said no words, one piece or two: the thought is the same.
        let ends = [
            vec![],
            vec![json!({})],
            vec![says("5"), json!({})],
            vec![says("5"), says("6"), json!({})],
        ];
        for end in ends {
            let all = deltas.iter().copied().chain(&end);
            let events = all.map(|delta| json!({"choices": [{"index": 0, "delta": delta}]}));
            let (_, streamed) = stream(Wire::OpenAiChat, &events.collect::<Vec<_>>());
            let message = parsed(&streamed.response)["choices"][0]["message"].clone();
            assert_eq!(
                message.pointer(path),
                Some(&expected),
                "{path} {end:?}: {message}"
            );
        }
    }
    // A transition: the last of them comes with the first words.
    let with_words = json!({"reasoning": "ha", "content": "5"});
    let deltas = [reasoning, with_words, says("6")];
    let events = deltas.map(|delta| json!({"choices": [{"index": 0, "delta": delta}]}));
    let (_, streamed) = stream(Wire::OpenAiChat, &events);
    let message = &parsed(&streamed.response)["choices"][0]["message"];
    assert_eq!(message["reasoning"], json!("haha"));
    let line = |thought: &str, words: &str, done: bool| json!({"message": {"role": "assistant", "content": words, "thinking": thought, "lang": "en"}, "done": done});
    let lines = [
        line("ha", "", false),
        line("ha", "", false),
        line("", "5", true),
    ];
    for end in [2, 3] {
        let (_, streamed) = stream(Wire::Ollama, &lines[..end]);
        let message = &parsed(&streamed.response)["message"];
        assert_eq!(message["thinking"], json!("haha"));
    }
}
