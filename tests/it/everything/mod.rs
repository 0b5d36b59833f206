//! What the example `everything` answers to lines of JSON.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

#[path = "../../../tool-serve/examples/everything/jsonl.rs"]
mod jsonl;
#[path = "../../../tool-serve/examples/everything/lines.rs"]
mod lines;
mod process;
#[path = "../../../tool-serve/examples/everything/reply.rs"]
mod reply;
#[path = "../../../tool-serve/examples/everything/tools.rs"]
mod tools;
#[path = "../../../tool-serve/examples/everything/trouble.rs"]
mod trouble;

use std::collections::BTreeSet;
use std::io::{self, BufReader, Read, Write};

use serde_json::{Value, json};

/// The answers to these lines, each with its line's end.
fn served(input: impl Read) -> Vec<String> {
    let mut output = Vec::new();
    jsonl::serve(&tools::registry(), BufReader::new(input), &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    text.split_inclusive('\n').map(str::to_owned).collect()
}

fn one(line: &str) -> Value {
    let answers = served(line.as_bytes());
    assert_eq!(answers.len(), 1, "{line}");
    serde_json::from_str(&answers[0]).unwrap()
}

#[test]
fn each_line_is_answered_with_one() {
    let table = [
        (
            r#"{"id": 1, "name": "add", "arguments": "{\"a\": 1, \"b\": -3}"}"#,
            r#"{"id":1,"ok":true,"code":null,"text":"-2","value":-2}"#,
        ),
        // The same arguments, not in a string.
        (
            r#"{"id": "x", "name": "add", "arguments": {"a": 1, "b": -3.0}}"#,
            r#"{"id":"x","ok":true,"code":null,"text":"-2","value":-2}"#,
        ),
        (
            r#"{"name": "add", "arguments": {"a": 9223372036854775807, "b": 1}}"#,
            r#"{"id":null,"ok":false,"code":"failed","text":"the sum is larger than an integer of 64 bits can be","value":null}"#,
        ),
        // A string is what the model reads, and a JSON string as a value.
        (
            r#"{"id": 2, "name": "echo", "arguments": {"text": "a\n\"é\" \u00e9"}}"#,
            r#"{"id":2,"ok":true,"code":null,"text":"a\n\"é\" é","value":"a\n\"é\" é"}"#,
        ),
        (
            r#"{"name": "scale", "arguments": {"x": 0.1}}"#,
            r#"{"id":null,"ok":true,"code":null,"text":"0.1","value":0.1}"#,
        ),
        // No number goes through an `f64`.
        (
            r#"{"id": 18446744073709551617, "name": "big_int", "arguments": {"n": 18446744073709551615}}"#,
            r#"{"id":18446744073709551617,"ok":true,"code":null,"text":"18446744073709551615","value":18446744073709551615}"#,
        ),
        (
            r#"{"name": "opt", "arguments": {"name": "a"}}"#,
            r#"{"id":null,"ok":true,"code":null,"text":"{\"name\":\"a\",\"nick\":null,\"limit\":10}","value":{"name":"a","nick":null,"limit":10}}"#,
        ),
        (
            r#"{"name": "tree", "arguments": {"node": {"label": "a", "children": [{"label": "b"}]}}}"#,
            r#"{"id":null,"ok":true,"code":null,"text":"{\"label\":\"a\",\"children\":[{\"label\":\"b\",\"children\":[]}]}","value":{"label":"a","children":[{"label":"b","children":[]}]}}"#,
        ),
        (
            r#"{"name": "counts", "arguments": {"map": {"10": 1, "9": -2}}}"#,
            r#"{"id":null,"ok":true,"code":null,"text":"{\"9\":-2,\"10\":1}","value":{"9":-2,"10":1}}"#,
        ),
        (
            r#"{"name": "shape", "arguments": {"shape": {"radius": 1.5, "kind": "circle"}}}"#,
            r#"{"id":null,"ok":true,"code":null,"text":"{\"kind\":\"circle\",\"radius\":1.5}","value":{"kind":"circle","radius":1.5}}"#,
        ),
        (
            r#"{"name": "order", "arguments": {"items": [{"sku": "tea", "quantity": 99, "price": 0.1}], "to": {"street": "s", "country": "NO"}}}"#,
            r#"{"id":null,"ok":true,"code":null,"text":"{\"items\":[{\"sku\":\"tea\",\"quantity\":99,\"price\":0.1}],\"to\":{\"street\":\"s\",\"country\":\"NO\"},\"codes\":[],\"express\":false}","value":{"items":[{"sku":"tea","quantity":99,"price":0.1}],"to":{"street":"s","country":"NO"},"codes":[],"express":false}}"#,
        ),
        (
            r#"{"id": 3, "name": "search", "arguments": {"query": "x", "limit": "5"}}"#,
            r#"{"id":3,"ok":true,"code":null,"text":"{\"query\":\"x\",\"limit\":5,\"tags\":null,\"filter\":null}","value":{"query":"x","limit":5,"tags":null,"filter":null},"repairs":[{"path":"limit","kind":"unquoted","from":"\"5\"","to":"5"}]}"#,
        ),
        (
            r#"{"id": 3, "name": "search", "arguments": {"query": "x", "limit": "5"}, "repair": false}"#,
            r#"{"id":3,"ok":false,"code":"wrong_type","text":"limit: expected an integer from 1 to 50, got \"5\"","value":null}"#,
        ),
    ];
    let lines: Vec<_> = table.iter().map(|(line, _)| *line).collect();
    let expected: Vec<_> = table
        .iter()
        .map(|(_, reply)| format!("{reply}\n"))
        .collect();
    assert_eq!(served(lines.join("\n").as_bytes()), expected);
}

#[test]
fn every_code_is_told() {
    let deep = format!(
        r#"{{"name": "tree", "arguments": {}1{}}}"#,
        r#"{"node": "#.repeat(100_000),
        "}".repeat(100_000)
    );
    let large = format!(
        r#"{{"name": "echo", "arguments": {{"text": "{}"}}}}"#,
        "x".repeat(16 * 1024 * 1024)
    );
    let large_text = format!(
        r#"{{"name": "echo", "arguments": "{}"}}"#,
        r"\u0020".repeat(8 * 1024 * 1024 + 1)
    );
    let table = [
        (
            r#"{"name": "add", "arguments": "{\"a\": 1"}"#,
            "invalid_json",
        ),
        (r#"{"name": "add", "arguments": [1, 2]}"#, "not_object"),
        (
            r#"{"name": "add", "arguments": {"a": 1, "a": 1, "b": 2}}"#,
            "duplicate_key",
        ),
        (
            r#"{"name": "add", "arguments": {"a": 1, "b": 2, "c": 3}}"#,
            "unknown_argument",
        ),
        (
            r#"{"name": "add", "arguments": {"a": 1}}"#,
            "missing_argument",
        ),
        (r#"{"name": "add", "arguments": null}"#, "missing_argument"),
        (r#"{"name": "add", "arguments": ""}"#, "missing_argument"),
        (r#"{"name": "add"}"#, "missing_argument"),
        (
            r#"{"name": "add", "arguments": {"a": 1, "b": 1.5}}"#,
            "wrong_type",
        ),
        (
            r#"{"name": "scale", "arguments": {"x": 1e39}}"#,
            "out_of_range",
        ),
        (
            r#"{"name": "big_int", "arguments": {"n": 18446744073709551616}}"#,
            "out_of_range",
        ),
        (r#"{"name": "search", "arguments": {"query": ""}}"#, "bound"),
        (deep.as_str(), "too_deep"),
        (large.as_str(), "too_large"),
        (large_text.as_str(), "too_large"),
        (r#"{"name": "serch", "arguments": {}}"#, "unknown_tool"),
        (
            r#"{"name": "add", "arguments": {"a": -9223372036854775808, "b": -1}}"#,
            "failed",
        ),
        // Lines that are no calls.
        ("nope", "invalid_json"),
        (r#"{"name": "add", "arguments": {"a": 1,}}"#, "invalid_json"),
        (r#"{"name": "echo", "arguments": "\ud83d"}"#, "invalid_json"),
        ("[1]", "not_object"),
        ("null", "not_object"),
        (r#"{"arguments": {}}"#, "missing_argument"),
        (r#"{"name": null}"#, "missing_argument"),
        (r#"{"name": 1}"#, "wrong_type"),
        (r#"{"name": "add", "repair": "no"}"#, "wrong_type"),
        (r#"{"name": "add", "name": "echo"}"#, "duplicate_key"),
        (r#"{"register": 1}"#, "wrong_type"),
        (r#"{"register": {"name": "dyn"}}"#, "invalid_tool"),
        (
            r#"{"register": {"name": "no spaces", "description": "d"}}"#,
            "invalid_tool",
        ),
        (
            r#"{"register": {"name": "dyn", "description": "d", "parameters": 1}}"#,
            "invalid_tool",
        ),
    ];
    for (line, code) in table {
        let reply = one(line);
        let shown: String = line.chars().take(100).collect();
        assert_eq!(reply["code"], code, "{shown}");
        assert_eq!(
            (&reply["ok"], &reply["value"]),
            (&json!(false), &json!(null))
        );
        assert!(!reply["text"].as_str().unwrap().is_empty());
    }
    let told: BTreeSet<_> = table.iter().map(|(_, code)| *code).collect();
    assert_eq!(told.len(), 13);
}

#[test]
fn what_is_wrong_with_a_registration_is_told_in_words() {
    for (tool, words) in [
        (json!({"name": 5}), "its `name` is not a string"),
        (json!({"name": "a"}), "its `description` is missing"),
        (
            json!({"name": "a", "description": {}}),
            "its `description` is not a string",
        ),
        (
            json!({"name": "a", "description": "b", "parameters": [1]}),
            "its `parameters` is not a JSON Schema, an object or a boolean",
        ),
        (
            json!({"name": "a", "description": "b", "manual": "x"}),
            "its `manual` is not a boolean",
        ),
    ] {
        let reply = one(&json!({ "register": tool }).to_string());
        assert_eq!(reply["text"], format!("no tool was registered: {words}"));
    }
}

#[test]
fn a_bad_line_ends_nothing() {
    let mut input = Vec::new();
    input.extend_from_slice(b"\n  \r\n\xff\xfe\n{\"id\": 7, \"name\": 1}\r\n");
    input.extend_from_slice(
        b"{\"id\": 8, \"name\": \"echo\", \"arguments\": {\"text\": \"\xc3\"}}\n",
    );
    input.extend_from_slice(b"{\"id\": 9, \"name\": \"add\", \"arguments\": {\"a\": 1, \"b\": 1}}");
    let replies: Vec<Value> = served(&*input)
        .iter()
        .map(|reply| serde_json::from_str(reply).unwrap())
        .collect();
    let shown: Vec<_> = replies
        .iter()
        .map(|reply| (&reply["id"], &reply["code"]))
        .collect();
    let (null, invalid) = (json!(null), json!("invalid_json"));
    let (seven, wrong, nine) = (json!(7), json!("wrong_type"), json!(9));
    let expected = [
        (&null, &invalid),
        (&seven, &wrong),
        (&null, &invalid),
        (&nine, &null),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn a_line_without_end_is_not_kept() {
    let line = io::repeat(b'x').take(65 * 1024 * 1024);
    let next = b"\n{\"id\": 1, \"name\": \"echo\", \"arguments\": {\"text\": \"a\"}}\n";
    let replies = served(line.chain(&next[..]));
    let [long, good] = &replies[..] else {
        panic!("{replies:?}")
    };
    assert!(long.contains(r#""code":"too_large""#), "{long}");
    assert!(good.contains(r#""ok":true"#), "{good}");
}

#[test]
fn a_registered_tool_answers_with_what_was_sent() {
    let input = concat!(
        r#"{"id": 1, "register": {"name": "dyn", "description": "d", "parameters": {"type": "object"}}}"#,
        "\n",
        r#"{"id": 2, "name": "dyn", "arguments": "{\n\"b\": 1.50, \"a\": 18446744073709551615}"}"#,
        "\n",
        r#"{"id": 3, "name": "dyn", "arguments": {"a": {"b": 1, "b": 2}}}"#,
        "\n",
        r#"{"id": 4, "register": {"name": "dyn", "description": "another"}}"#,
        "\n",
        r#"{"id": 5, "name": "dyn"}"#,
    );
    assert_eq!(
        served(input.as_bytes()),
        [
            "{\"id\":1,\"ok\":true,\"code\":null,\"text\":\"`dyn` is registered\",\"value\":null}\n",
            "{\"id\":2,\"ok\":true,\"code\":null,\"text\":\"{\\n\\\"b\\\": 1.50, \\\"a\\\": 18446744073709551615}\",\"value\":{ \"b\": 1.50, \"a\": 18446744073709551615}}\n",
            "{\"id\":3,\"ok\":false,\"code\":\"duplicate_key\",\"text\":\"a.b: given more than once\",\"value\":null}\n",
            "{\"id\":4,\"ok\":true,\"code\":null,\"text\":\"`dyn` is registered\",\"value\":null}\n",
            "{\"id\":5,\"ok\":true,\"code\":null,\"text\":\"{}\",\"value\":{}}\n",
        ]
    );
}

/// Counts what it is told to flush, and breaks after some lines.
struct Pipe {
    lines: usize,
    flushed: usize,
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.lines == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.lines -= usize::from(bytes.contains(&b'\n'));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flushed += 1;
        Ok(())
    }
}

#[test]
fn each_line_is_flushed_and_a_broken_pipe_is_told_from_other_ends() {
    let mut pipe = Pipe {
        lines: 2,
        flushed: 0,
    };
    let input = "{}\n".repeat(5);
    let error = jsonl::serve(&tools::registry(), input.as_bytes(), &mut pipe).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    assert_eq!((pipe.lines, pipe.flushed), (0, 2));
}
