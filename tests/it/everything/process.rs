//! The example as a program of its own: what it says on its standard output, when, and how it ends.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The program, built with the features of this test.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let test = std::env::current_exe().unwrap();
        // target/debug/deps/it-…
        let target = test.ancestors().nth(3).unwrap();
        let mut build = Command::new(env!("CARGO"));
        build
            .args(["build", "-q", "--offline", "--example", "everything"])
            .arg("--manifest-path")
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
            .arg("--target-dir")
            .arg(target);
        let output = build.output().unwrap();
        let why = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{why}");
        target.join("debug/examples/everything")
    })
}

fn start() -> Child {
    Command::new(program())
        .arg("jsonl")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What the program answers to these lines, what it says on its standard error, and how long it
/// takes. Every line that it says is JSON.
fn served(lines: &[Value]) -> (Vec<Value>, String, Duration) {
    let mut child = start();
    let mut input = child.stdin.take().unwrap();
    let mut text = Vec::new();
    for line in lines {
        writeln!(text, "{line}").unwrap();
    }
    let writer = std::thread::spawn(move || input.write_all(&text));
    let start = Instant::now();
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    let replies = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    (replies, told, start.elapsed())
}

/// A directory that no other test uses.
fn dir(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

fn call(id: &str, name: &str, arguments: &Value) -> Value {
    json!({"id": id, "name": name, "arguments": arguments})
}

#[test]
fn what_tools_print_is_no_answer() {
    let call = call("n", "noisy", &json!({}));
    let lines = [
        call.clone(),
        json!({"id": 2, "batch": [call.clone(), call]}),
    ];
    let (replies, told, _) = served(&lines);
    assert_eq!(replies.len(), 2);
    assert_eq!(replies[0]["text"], "printed");
    assert_eq!(replies[1]["results"].as_array().unwrap().len(), 2);
    assert_eq!(
        told.matches("was not said by the one who answers").count(),
        3
    );
}

#[test]
fn a_batch_runs_at_once_and_is_answered_in_call_order() {
    let dir = dir("batch");
    let slow = dir.join("slow");
    let calls = [
        call("a", "hang", &json!({})),
        call("b", "echo", &json!({"text": "b"})),
        call("a", "spin", &json!({"ms": 3_600_000})),
        call("c", "boom", &json!({"msg": "swordfish"})),
        call("d", "boom_drop", &json!({})),
        call("e", "append_slow", &json!({"path": slow, "lines": 1000})),
        call("f", "nope", &json!({})),
        call("g", "fail_secret", &json!({})),
        call("h", "spin", &json!({"ms": 10})),
    ];
    let lines = [
        json!({"id": 1, "batch": calls}),
        json!({"id": 2, "name": "echo", "arguments": {"text": "still here"}}),
    ];
    let (replies, told, took) = served(&lines);
    let results = replies[0]["results"].as_array().unwrap();
    let shown: Vec<_> = results
        .iter()
        .map(|result| format!("{} {}", result["id"], result["code"]))
        .collect();
    assert_eq!(
        shown,
        [
            r#""a" "timeout""#,
            r#""b" null"#,
            r#""a" "timeout""#,
            r#""c" "panicked""#,
            r#""d" "panicked""#,
            r#""e" "timeout""#,
            r#""f" "unknown_tool""#,
            r#""g" "failed""#,
            r#""h" null"#,
        ]
    );
    assert_eq!(replies[0]["pending"], json!([]));
    assert_eq!(replies[0]["halt"], json!(null));
    assert_eq!(replies[1]["text"], "still here");
    // Two seconds a call, and a thread that spins for an hour keeps nobody.
    assert!(
        took >= Duration::from_secs(2) && took < Duration::from_mins(1),
        "{took:?}"
    );
    // What the model may not read stands nowhere in its answers, and causes in no log.
    let answers = replies[0].to_string();
    assert!(!answers.contains("swordfish") && told.contains("swordfish"));
    for secret in ["Bearer", "example-token", "example-key"] {
        assert!(
            !answers.contains(secret) && !told.contains(secret),
            "{secret}"
        );
    }
    // Some lines were written, as many as the time allowed, and none after the answer.
    let lines = fs::read_to_string(&slow).unwrap().lines().count();
    assert!((1..=21).contains(&lines), "{lines}");
}

#[test]
fn what_halts_a_turn_is_told_beside_its_answers() {
    let lines = [
        json!({"id": 1, "register": {"name": "sign", "description": "A person signs.", "manual": true}}),
        json!({"id": 2, "batch": [
            call("a", "sign", &json!({"what": "it"})),
            call("b", "final", &json!({"text": "bye"})),
            7,
            call("c", "ask", &json!({"q": "Where?"})),
        ]}),
        json!({"id": 3, "batch": [call("a", "sign", &json!({})), call("b", "echo", &json!({"text": "x"}))]}),
        json!({"id": 4, "name": "final", "arguments": {"text": "bye"}}),
        json!({"id": 5, "name": "ask", "arguments": {"q": "Where?"}}),
        json!({"id": 6, "name": "sign"}),
    ];
    let (replies, _, _) = served(&lines);
    let asks = &replies[1];
    assert_eq!(
        asks["halt"],
        json!({"reason": "ask_user", "index": 3, "id": "c", "question": "Where?", "options": {}})
    );
    assert_eq!(
        asks["pending"],
        json!([{"index": 0, "id": "a", "name": "sign", "arguments": r#"{"what":"it"}"#, "reason": "manual_tool"}])
    );
    let results = asks["results"].as_array().unwrap();
    let shown: Vec<_> = results
        .iter()
        .map(|result| (&result["id"], &result["code"]))
        .collect();
    let (null, b, c, bad) = (json!(null), json!("b"), json!("c"), json!("not_object"));
    assert_eq!(shown, [(&b, &null), (&null, &bad), (&c, &null)]);
    assert_eq!(replies[2]["halt"], json!({"reason": "pending"}));
    assert_eq!(replies[3]["halt"], json!({"reason": "return_direct"}));
    assert_eq!(replies[4]["halt"]["question"], "Where?");
    assert_eq!(
        (&replies[5]["ok"], &replies[5]["code"]),
        (&json!(false), &json!("pending"))
    );
}

#[test]
fn a_charge_is_made_once_for_its_key() {
    let dir = dir("charge");
    let journal = dir.join("journal");
    // A line that a crash left half done.
    fs::write(&journal, r#"{"key":"old","ce"#).unwrap();
    let pay = |id: &str, key: &str, cents: u64| {
        call(
            id,
            "charge",
            &json!({"key": key, "cents": cents, "journal": journal}),
        )
    };
    let calls: Vec<_> = (0..20).map(|n| pay(&n.to_string(), "k", 5)).collect();
    let batch = json!({"id": 1, "batch": calls});
    let others =
        json!({"id": 2, "batch": [pay("a", "k", 6), pay("b", "old", 1), pay("c", "é\n", 2)]});
    let (replies, _, _) = served(&[batch.clone(), others]);
    for result in replies[0]["results"].as_array().unwrap() {
        assert_eq!(result["value"], json!({"key": "k", "cents": 5}), "{result}");
    }
    assert_eq!(
        replies[1]["results"][0]["text"],
        "5 cents were charged under this key before"
    );
    // Another process knows of it.
    let (replies, _, _) = served(&[batch]);
    assert_eq!(replies[0]["results"][0]["ok"], true);
    let written = fs::read_to_string(&journal).unwrap();
    assert!(written.ends_with('\n'), "{written:?}");
    let mut lines: Vec<_> = written.lines().collect();
    // Two of them are calls of one turn, which run at once.
    lines[2..].sort_unstable();
    let expected = [
        r#"{"key":"old","ce"#,
        r#"{"key":"k","cents":5}"#,
        r#"{"key":"old","cents":1}"#,
        r#"{"key":"é\n","cents":2}"#,
    ];
    assert_eq!(lines, expected);
    let no_file = call(
        "x",
        "charge",
        &json!({"key": "k", "cents": 1, "journal": dir}),
    );
    assert_eq!(served(&[no_file]).0[0]["code"], "failed");
}

#[test]
fn a_charge_waits_for_a_yes_unless_lines_ask_for_it() {
    let journal = dir("attended").join("journal");
    let charge = |more: &[&str]| {
        let mut command = Command::new(program());
        command.args(["call", "charge", "--key", "k", "--cents", "5", "--journal"]);
        let command = command.arg(&journal).args(more).stdin(Stdio::null());
        command.output().unwrap().status.code()
    };
    assert_eq!(charge(&[]), Some(5));

    // A client that cannot ask its user.
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let arguments = json!({"key": "k", "cents": 5, "journal": journal});
    let params = json!({"name": "charge", "arguments": arguments});
    let mut child = Command::new(program())
        .arg("stdio")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut answer = Value::Null;
    for (id, (method, params)) in [("initialize", hello), ("tools/call", params)]
        .into_iter()
        .enumerate()
    {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(input, "{request}").unwrap();
        answer = serde_json::from_str(&output.next().unwrap().unwrap()).unwrap();
    }
    drop(input);
    child.wait().unwrap();
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("the call did not run"), "{text}");
    assert!(!journal.exists());
    assert_eq!(charge(&["--approve"]), Some(0));
    assert!(journal.exists());
}

#[test]
fn hostile_batches_are_answered() {
    let many: Vec<_> = (0..5000)
        .map(|n| call("same", "add", &json!({"a": n, "b": 1})))
        .collect();
    let lines = [
        (
            json!({"id": 1, "batch": []}),
            json!({"id": 1, "results": [], "pending": [], "halt": null}),
        ),
        (json!({"id": 2, "batch": null}), json!(null)),
        (json!({"id": 3, "batch": {"0": 1}}), json!("wrong_type")),
        (
            json!({"id": 4, "batch": [], "name": "add"}),
            json!("unknown_argument"),
        ),
        (
            json!({"id": 5, "batch": [], "repair": 1}),
            json!("wrong_type"),
        ),
    ];
    let sent: Vec<_> = lines.iter().map(|(line, _)| line.clone()).collect();
    let (replies, _, _) = served(&sent);
    assert_eq!(replies.len(), lines.len());
    assert_eq!(replies[0], lines[0].1);
    // `null` is not a batch, and then the line has no name.
    assert_eq!(replies[1]["code"], "missing_argument");
    for (reply, (line, code)) in replies.iter().zip(&lines).skip(2) {
        assert_eq!(reply["code"], *code, "{line}");
    }

    let mixed = json!({"id": 6, "repair": false, "batch": [
        null, [], "x", {}, {"id": [1], "name": 1}, {"id": 2, "name": "add", "arguments": 3},
        {"id": 3, "name": "add", "arguments": r#"{"a": 1, "b": "2"}"#},
        {"id": 4, "name": "add", "arguments": {"a": 1, "b": 2}, "repair": true},
        {"id": 5, "batch": []},
        {"id": 6, "name": "echo", "arguments": {"text": "é"}, "more": 1},
    ]});
    let (replies, _, _) = served(&[mixed, json!({"batch": many})]);
    let codes: Vec<_> = replies[0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["code"].clone())
        .collect();
    assert_eq!(
        json!(codes),
        json!([
            "not_object",
            "not_object",
            "not_object",
            "missing_argument",
            "wrong_type",
            "not_object",
            "wrong_type",
            "unknown_argument",
            "unknown_argument",
            null
        ])
    );
    assert_eq!(replies[0]["results"][4]["id"], json!([1]));
    let sums: Vec<_> = replies[1]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["value"].clone())
        .collect();
    assert_eq!(sums, (1..=5000).map(Value::from).collect::<Vec<_>>());
}

#[test]
fn large_answers_are_whole_lines() {
    let line = |bytes: u64| json!({"name": "big", "arguments": {"bytes": bytes}});
    let (replies, _, _) = served(&[line(0), line(81), line(5_000_000), line(1 << 40)]);
    let text = |index: usize| replies[index]["text"].as_str().unwrap();
    assert_eq!((text(0), text(1).len(), text(2).len()), ("", 81, 5_000_000));
    assert_eq!(replies[3]["code"], "out_of_range");
}

#[test]
fn the_end_of_either_pipe_ends_the_program() {
    // A line without its end is a line.
    let mut child = start();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"{\"id\": 1, \"batch\": [{\"na").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let reply: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(reply["code"], "invalid_json");

    // Who has heard enough closes the other one: no error, even in the middle of an answer.
    let mut child = start();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    writeln!(
        input,
        "{}",
        json!({"name": "echo", "arguments": {"text": "a"}})
    )
    .unwrap();
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert!(line.contains("\"ok\":true"), "{line}");
    drop(output);
    writeln!(
        input,
        "{}",
        json!({"name": "big", "arguments": {"bytes": 5_000_000}})
    )
    .unwrap();
    assert!(child.wait().unwrap().success());
}
