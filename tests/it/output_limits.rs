//! Answers that are too long for a model are cut, say so, and can be read on.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use serde_json::{Value, json};
use toolwright::{
    Context, Encoder, Executor, Outcome, ToolCall, Toolset,
    call::{Block, Content, ErrorKind, HaltReason, Payload},
    executor::{OutputLimit, Overflow},
    tool, tools,
};

/// Says it so many times.
#[tool]
fn repeat(text: &str, times: usize) -> String {
    text.repeat(times)
}

/// Fails at length.
#[tool]
fn fail(times: usize) -> Result<u8, String> {
    Err("no ".repeat(times))
}

/// Many rows.
#[tool]
fn rows(count: u32) -> Value {
    json!({"rows": (0..count).map(|n| json!({"n": n, "name": format!("row {n}")})).collect::<Vec<_>>(), "count": count})
}

/// To the user.
#[tool(return_direct)]
fn direct(times: usize) -> String {
    "x".repeat(times)
}

/// The end.
#[tool]
fn halt(times: usize) -> Outcome {
    Outcome::halt(HaltReason::new("done"), "x".repeat(times))
}

/// Blocks.
#[tool]
fn blocks(times: usize) -> Content {
    Content::text("é".repeat(times))
        .image("image/png", "A".repeat(100_000))
        .with(Block::Text {
            text: "second".into(),
        })
        .with(Block::Json {
            value: json!({"list": vec![1; times]}),
        })
}

/// What is not a text.
#[tool]
fn binary(bytes: Vec<u8>) -> Outcome {
    Outcome::Value(Payload::from_bytes(bytes))
}

fn all() -> Toolset {
    tools![repeat, fail, rows, direct, halt, blocks, binary]
}

fn answer(executor: &Executor, cx: &Context, name: &str, arguments: Value) -> (bool, String) {
    let call = ToolCall::new("1", name, arguments.to_string());
    let batch = executor.run_blocking(&[call], cx);
    let result = batch.results().next().unwrap();
    let text = result.content(Encoder::auto()).into_owned();
    (result.is_success(), text)
}

fn limited(name: &str, arguments: Value) -> String {
    let executor = Executor::serial(all()).output_limit(OutputLimit::default());
    answer(&executor, &Context::new(), name, arguments).1
}

#[test]
fn text_is_cut_by_bytes_and_by_lines_and_says_so() {
    let by_bytes = limited("repeat", json!({"text": "x", "times": 60_000}));
    let (kept, mark) = by_bytes.split_once('\n').unwrap();
    assert_eq!(kept.len(), 50_000);
    assert_eq!(mark, "[output truncated: 10000 of 60000 bytes left out]");

    let by_lines = limited("repeat", json!({"text": "line\n", "times": 2100}));
    let lines: Vec<_> = by_lines.lines().collect();
    assert_eq!((lines.len(), lines[1999]), (2001, "line"));
    assert_eq!(
        lines[2000],
        "[output truncated: 500 of 10500 bytes left out]"
    );

    // Between characters.
    let wide = limited("repeat", json!({"text": "€", "times": 20_000}));
    assert!(wide.starts_with('€') && wide.find('\n') == Some(49_998));

    // What is short enough is untouched, to the last byte and line.
    for (text, times) in [("x", 50_000), ("line\n", 2000), ("", 1)] {
        let whole = limited("repeat", json!({"text": text, "times": times}));
        assert_eq!(whole, text.repeat(times));
    }
}

#[test]
fn json_that_is_cut_is_json() {
    let text = limited("rows", json!({"count": 5000}));
    assert!(
        text.len() <= 50_000 && text.len() > 40_000,
        "{}",
        text.len()
    );
    let value: Value = serde_json::from_str(&text).unwrap();
    let rows = value["rows"].as_array().unwrap();
    assert_eq!(rows[7], json!({"n": 7, "name": "row 7"}));
    assert_eq!(
        rows.last().unwrap(),
        &json!(format!("{} more", 5001 - rows.len()))
    );
    let note = value["[output truncated]"].as_str().unwrap();
    assert!(
        note.starts_with("shortened from ") && note.ends_with(" bytes of JSON"),
        "{note}"
    );
    let whole: Value = serde_json::from_str(&limited("rows", json!({"count": 3}))).unwrap();
    assert_eq!(whole["count"], 3);
}

#[test]
fn errors_and_blocks_are_cut_and_what_is_not_for_the_model_is_not() {
    let error = limited("fail", json!({"times": 20_000}));
    assert!(
        error.ends_with("[output truncated: 10000 of 60000 bytes left out]"),
        "{}",
        error.len()
    );
    assert_eq!(limited("direct", json!({"times": 60_000})).len(), 60_000);
    assert_eq!(limited("halt", json!({"times": 60_000})).len(), 60_000);

    let executor = Executor::serial(all()).output_limit(OutputLimit::default());
    let call = ToolCall::new("1", "blocks", r#"{"times": 30000}"#);
    let batch = executor.run_blocking(&[call], &Context::new());
    let Ok(Outcome::Content(content)) = &batch.results().next().unwrap().outcome else {
        panic!("{batch:?}")
    };
    let [
        Block::Text { text },
        Block::Image { data, .. },
        Block::Text { text: second },
        Block::Json { value },
    ] = content.blocks()
    else {
        panic!("{content:?}")
    };
    assert!(text.contains("[output truncated: 10000 of 60000 bytes left out]"));
    assert_eq!(data.len(), 100_000);
    assert_eq!(second, "[output truncated: 6 of 6 bytes left out]");
    assert!(value.as_str().unwrap().starts_with("shortened from "));
}

#[test]
fn bytes_that_are_no_text_are_not_shown() {
    assert_eq!(limited("binary", json!({"bytes": [104, 105]})), "hi");
    assert_eq!(
        limited("binary", json!({"bytes": [255, 0, 1]})),
        "[binary, 3 bytes: cannot be shown as text]"
    );
}

/// All that is kept under an id, read page by page.
fn read(executor: &Executor, cx: &Context, id: &str, most: usize) -> String {
    let mut read = String::new();
    loop {
        let arguments = json!({"id": id, "offset": read.len()});
        let (ok, page) = answer(executor, cx, "read_output", arguments);
        assert!(ok, "{page}");
        match page.split_once("[the output goes on at offset ") {
            Some((page, next)) => {
                assert!(!page.is_empty() && page.len() <= most + 1 && page.lines().count() <= 10);
                let next: usize = next.split_once(' ').unwrap().0.parse().unwrap();
                // A page that does not end with a line gets an end before the mark.
                read.push_str(&page[..next - read.len()]);
            }
            None => {
                read.push_str(&page);
                return read;
            }
        }
    }
}

/// Where JSON is cut it is no longer the beginning of what it was: so it is read from its beginning.
#[test]
fn a_model_can_read_on_in_json() {
    let overflow = Overflow::new(1_000_000);
    let own = Toolset::new([overflow.tool()]).unwrap();
    let limit = OutputLimit::new(400, 10).overflow(&overflow);
    let executor = Executor::serial(all().merge(&own).unwrap()).output_limit(limit);
    let (cx, many) = (Context::new().with_session("a"), json!({"count": 100}));
    let whole = answer(&Executor::serial(all()), &cx, "rows", many.clone()).1;
    let (_, first) = answer(&executor, &cx, "rows", many);
    let value: Value = serde_json::from_str(&first).unwrap();
    let note = format!(
        "shortened from {} bytes of JSON; `read_output` reads on, with id output_1 and offset 0",
        whole.len()
    );
    assert!(first.contains(&note), "{first}");
    assert_ne!(value, serde_json::from_str::<Value>(&whole).unwrap());
    assert_eq!(read(&executor, &cx, "output_1", 400), whole);

    // A block of JSON too, in what room the blocks before it leave.
    let call = ToolCall::new("1", "blocks", r#"{"times": 150}"#);
    let batch = executor.run_blocking(&[call], &cx);
    let Ok(Outcome::Content(content)) = &batch.results().next().unwrap().outcome else {
        panic!("{batch:?}")
    };
    let Some(Block::Json { value }) = content.blocks().last() else {
        panic!("{content:?}")
    };
    let whole = json!({"list": vec![1; 150]});
    let note = value.to_string();
    assert!(
        note.contains("; `read_output` reads on, with id output_2 and offset 0"),
        "{note}"
    );
    assert_eq!(read(&executor, &cx, "output_2", 400), whole.to_string());
}

#[test]
fn a_model_can_read_on() {
    let overflow = Overflow::new(1_000_000);
    let own = Toolset::new([overflow.tool()]).unwrap();
    let limit = OutputLimit::new(100, 10).overflow(&overflow);
    let executor = Executor::serial(all().merge(&own).unwrap()).output_limit(limit);
    let cx = Context::new().with_session("a");
    let lines: Vec<_> = (0..60).map(|n| format!("line {n} é\n")).collect();
    let text = lines.concat();
    let (_, first) = answer(&executor, &cx, "repeat", json!({"text": text, "times": 1}));
    assert!(
        first.contains("`read_output` reads on, with id output_1 and offset "),
        "{first}"
    );

    assert_eq!(read(&executor, &cx, "output_1", 100), text);
    let past = json!({"id": "output_1", "offset": 1_u64 << 40});
    let (ok, told) = answer(&executor, &cx, "read_output", past);
    assert!(
        !ok && told == format!("the output ends at offset {}", text.len()),
        "{told}"
    );

    // Another conversation's output is nobody else's.
    let other = Context::new().with_session("b");
    for cx in [&other, &Context::new()] {
        let (ok, told) = answer(
            &executor,
            cx,
            "read_output",
            json!({"id": "output_1", "offset": 0}),
        );
        assert!(!ok && told.starts_with("no output `output_1`"), "{told}");
    }
    let call = ToolCall::new("1", "read_output", r#"{"id": 1}"#);
    let batch = executor.run_blocking(&[call], &cx);
    let error = batch
        .results()
        .next()
        .unwrap()
        .outcome
        .as_ref()
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgs);
}

#[test]
fn the_oldest_texts_make_room() {
    let overflow = Overflow::new(1000);
    let own = Toolset::new([overflow.tool()]).unwrap();
    let limit = OutputLimit::new(100, 10).overflow(&overflow);
    let executor = Executor::serial(all().merge(&own).unwrap()).output_limit(limit);
    let cx = Context::new().with_session("a");
    let say = |times: u32| {
        answer(
            &executor,
            &cx,
            "repeat",
            json!({"text": "x", "times": times}),
        )
        .1
    };
    let read = |id: &str| {
        answer(
            &executor,
            &cx,
            "read_output",
            json!({"id": id, "offset": 0}),
        )
        .0
    };
    assert!(say(600).contains("output_1"));
    assert!(read("output_1"));
    assert!(say(600).contains("output_2"));
    assert!(!read("output_1") && read("output_2"));
    // One that is too long for the room is cut and not kept.
    assert!(say(2000).ends_with("[output truncated: 1900 of 2000 bytes left out]"));
    assert!(read("output_2"));
}
