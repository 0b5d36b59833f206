//! Arguments that borrow from the call.
#![deny(warnings)]
#![forbid(unsafe_code)]

use std::borrow::Cow;
use toolwright::{Context, Encoder, Schema, ToolCall, tool, tools};

#[derive(serde::Deserialize, Schema)]
struct Customer<'a> {
    name: &'a str,
}

#[derive(serde::Deserialize, Schema)]
struct Line {
    count: u32,
}

type Text<'a> = &'a str;
type Lines = Vec<Line>;

/// Borrow all that there is.
#[tool]
fn lend(
    text: &str,
    maybe_text: Option<&str>,
    cow: Cow<'_, str>,
    maybe_cow: Option<Cow<'_, str>>,
    std_cow: std::borrow::Cow<str>,
    customer: Customer<'_>,
    borrowed: &Customer<'_>,
    line: &Line,
    maybe_line: Option<&Line>,
    lines: &[Line],
    maybe_lines: Option<&[Line]>,
    words: Vec<&str>,
    slice: &[&str],
    alias: Text<'_>,
    aliased: &Lines,
    path: &std::path::Path,
    string: &String,
) -> usize {
    let texts = [
        text,
        maybe_text.unwrap_or("none"),
        &cow,
        &std_cow,
        customer.name,
        borrowed.name,
    ];
    let count = line.count + maybe_line.map_or(0, |line| line.count);
    texts.concat().len()
        + maybe_cow.map_or(0, |cow| cow.len())
        + count as usize
        + lines.len()
        + maybe_lines.map_or(0, <[Line]>::len)
        + words.len()
        + slice.len()
        + alias.len()
        + aliased.len()
        + path.as_os_str().len()
        + string.len()
}

#[test]
fn runs() {
    let arguments = r#"{
        "text": "a", "cow": "b", "std_cow": "c", "customer": {"name": "d"}, "borrowed": {"name": "e"},
        "line": {"count": 1}, "lines": [], "words": [], "slice": ["f"], "alias": "g", "aliased": [],
        "path": "h", "string": "i"
    }"#;
    let result =
        tools![lend].call_blocking(&ToolCall::new("1", "lend", arguments), &Context::new());
    assert_eq!(result.content(Encoder::auto()), "14");
}
