//! The example `agent` as people run it: a program that starts itself again, and one that talks to a
//! server.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod server;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::{Value, json};

use self::server::{Answer, Server, Wire};

/// The folder in which `cargo run --example agent` is to work.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// `cargo <verb> --example agent`, as users type it: all features come from the packages' own words.
fn cargo(verb: &str) -> Command {
    let test = std::env::current_exe().unwrap();
    // target/debug/deps/it-…
    let target = test.ancestors().nth(3).unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .current_dir(ROOT)
        .args([verb, "-q", "--offline", "--example", "agent"])
        .env("CARGO_TARGET_DIR", target);
    cargo
}

/// The program.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let output = cargo("build").output().unwrap();
        let why = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{why}");
        let test = std::env::current_exe().unwrap();
        let target = test.ancestors().nth(2).unwrap();
        target.join(format!("examples/agent{}", std::env::consts::EXE_SUFFIX))
    })
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn run(arguments: &[&str]) -> Output {
    let mut program = Command::new(program());
    program.args(arguments).stdin(Stdio::null());
    program.output().unwrap()
}

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("toolwright-example-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn db(&self) -> String {
        self.0.join("agent.db").display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const PLAYED: &str = r#"person  One of the two cups of order 17 came broken.
model   I am sorry. Let me look at the order.
calls   find_order({"order": 17})
        = {"number":17,"cups":2,"paid_cents":4200}
calls   refund({"order": 17, "cents": 4200})
waits   refund({"order": 17, "cents": 4200}) {"risk":"high"}
person  makes it {"order": 17, "cents": 2100}
calls   refund({"order": 17, "cents": 2100})
        = 21.00 were paid back
calls   ask_supplier({"order": 17})
calls   ask_address({})
        = it has begun and goes on in the background; its result will follow in a message
        = <awaiting user response>
asks    Where shall we send it?
        - 12 Fjord Street, Oslo
        - 3 Harbour Road, Bergen
        nobody answers; this process ends, and a second one goes on from the file
asks    Where shall we send it?
        - 12 Fjord Street, Oslo
        - 3 Harbour Road, Bergen
person  3 Harbour Road, Bergen
calls   ask_supplier({"order": 17})
        = it has begun and goes on in the background; its result will follow in a message
calls   ask_address({})
        = 3 Harbour Road, Bergen
calls   resend({"order": 17, "address": "3 Harbour Road, Bergen"})
        = a cup of order 17 is on its way to 3 Harbour Road, Bergen
model   Half of it was paid back, and a new cup is on its way to Bergen.
later   ask_supplier
        = no other cup like those of order 17 broke
model   The supplier says that no other cup broke.
"#;

#[test]
fn it_runs_without_a_flag_and_without_a_network() {
    let output = cargo("run").stdin(Stdio::null()).output().unwrap();
    assert_eq!(text(&output.stderr), "");
    assert!(output.status.success());
    // No colour either: nobody sits at a terminal.
    assert_eq!(text(&output.stdout), PLAYED);
}

/// Each line of standard output is an event.
fn events(output: &Output) -> Vec<Value> {
    let lines = text(&output.stdout).lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn names(events: &[Value]) -> Vec<&str> {
    let names = events.iter().filter_map(|event| event["event"].as_str());
    names.filter(|name| *name != "text").collect()
}

#[test]
fn events_are_json_lines_in_both_processes_and_the_file_is_the_only_link() {
    let folder = Folder::new("json");
    let output = run(&["--json", "--db", &folder.db()]);
    assert!(output.status.success());
    let events = events(&output);
    let second = events
        .iter()
        .position(|event| event["event"] == "second_process");
    let (first, second) = events.split_at(second.unwrap());
    assert_eq!(
        names(first),
        [
            "person",
            "run_started",
            "model_finished",
            "call_started",
            "call_finished",
            "model_finished",
            "call_started",
            "run_finished",
            "call_waits",
            "decision",
            "run_started",
            "call_started",
            "call_finished",
            "model_finished",
            "call_started",
            "call_started",
            "call_finished",
            "call_finished",
            "run_finished",
            "question",
        ]
    );
    assert_eq!(
        names(second),
        [
            "second_process",
            "question",
            "person",
            "run_started",
            "call_started",
            "call_finished",
            "call_started",
            "call_finished",
            "model_finished",
            "call_started",
            "call_finished",
            "model_finished",
            "run_finished",
            "call_finished",
            "run_started",
            "model_finished",
            "run_finished",
        ]
    );
    assert_eq!(second[0]["db"], folder.db());
    let sessions = events
        .iter()
        .filter(|event| event["event"] == "run_started");
    let sessions: Vec<_> = sessions.map(|event| &event["session"]).collect();
    assert_eq!(sessions, [&second[0]["session"]; 4]);
    let last = events.last().unwrap();
    assert_eq!(
        (&last["halted"], &last["turns"]),
        (&json!("completed"), &json!(1))
    );

    // What is over is over, and needs no model.
    let session = second[0]["session"].as_str().unwrap();
    let again = run(&["--resume", session, "--db", &folder.db()]);
    assert!(again.status.success());
    assert_eq!((text(&again.stdout), text(&again.stderr)), ("", ""));
}

/// The program while it talks.
struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Talk {
    fn start(url: &str, db: &str, arguments: &[&str]) -> Self {
        let mut child = Command::new(program())
            .args(["--json", "--base-url", url, "--model", "m", "--db", db])
            .args(["--key-env", "TOOLWRIGHT_EXAMPLE_KEY"])
            .args(arguments)
            .env("TOOLWRIGHT_EXAMPLE_KEY", "secret")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            input,
            output,
        }
    }

    fn types(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The next event of this name.
    fn event(&mut self, name: &str) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(
                self.output.read_line(&mut line).unwrap(),
                0,
                "no event {name}"
            );
            let event: Value = serde_json::from_str(&line).unwrap();
            if event["event"] == name {
                return event;
            }
        }
    }

    /// Nothing more is typed: how it ends, and what it still says.
    fn end(mut self) -> (bool, String, String) {
        drop(self.input.take());
        let (mut rest, mut errors) = (String::new(), String::new());
        self.output.read_to_string(&mut rest).unwrap();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut errors).unwrap();
        (self.child.wait().unwrap().success(), rest, errors)
    }
}

fn refund(cents: u32) -> Answer {
    Answer::call("Let me ", "refund", &json!({"order": 17, "cents": cents}))
}

#[test]
fn a_model_behind_http_is_talked_to_and_the_person_decides() {
    let server = Server::start(vec![
        refund(4200),
        Answer::words("Half."),
        Answer::words("No."),
    ]);
    let folder = Folder::new("http");
    let mut talk = Talk::start(&server.url, &folder.db(), &["My cup is broken."]);
    // The first words are here before the answer is: the server waits for the test.
    assert_eq!(talk.event("text")["text"], "Let me ");
    server.go_on();
    let waits = talk.event("call_waits");
    let arguments: Value = serde_json::from_str(waits["arguments"].as_str().unwrap()).unwrap();
    assert_eq!(arguments, json!({"order": 17, "cents": 4200}));

    talk.types("maybe");
    assert!(
        talk.event("note")["text"]
            .as_str()
            .unwrap()
            .starts_with("y, n")
    );
    // More than the tool takes: nothing runs, and the call waits on.
    talk.types(r#"{"order": 17, "cents": 10001}"#);
    let note = talk.event("note");
    assert_eq!(
        note["text"],
        "cents: expected an integer from 1 to 10000, got 10001"
    );
    talk.event("call_waits");
    talk.types(r#"{"order": 17, "cents": 2100}"#);
    let ran = talk.event("call_finished");
    assert_eq!(
        (&ran["ok"], &ran["text"]),
        (&json!(true), &json!("21.00 were paid back"))
    );
    server.go_on();
    assert_eq!(talk.event("run_finished")["text"], "Half.");
    // The conversation goes on until nothing more is said.
    talk.types("And the other half?");
    server.go_on();
    assert_eq!(talk.event("run_finished")["text"], "No.");
    let (success, rest, errors) = talk.end();
    assert_eq!((success, rest.as_str(), errors.as_str()), (true, "", ""));

    let got = server.got();
    assert!(
        got.iter()
            .all(|got| got.head.contains("authorization: Bearer secret"))
    );
    assert_eq!(
        (&got[0].body["model"], &got[0].body["stream"]),
        (&json!("m"), &json!(true))
    );
    let messages = got[2].body["messages"].as_array().unwrap();
    let roles: Vec<_> = messages
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(
        roles,
        ["system", "user", "assistant", "tool", "assistant", "user"]
    );
    assert_eq!(messages[3]["content"], "21.00 were paid back");
    assert_eq!(messages[5]["content"], "And the other half?");
}

#[test]
fn another_wire_is_spoken_where_it_is_asked_for() {
    let server = Server::speaking(
        Wire::Anthropic,
        "",
        vec![refund(4200), Answer::words("Half.")],
    );
    let folder = Folder::new("anthropic");
    let wire = ["--wire", "anthropic", "My cup is broken."];
    let mut talk = Talk::start(&server.url, &folder.db(), &wire);
    assert_eq!(talk.event("text")["text"], "Let me ");
    server.go_on();
    assert_eq!(talk.event("call_waits")["tool"], "refund");
    talk.types(r#"{"order": 17, "cents": 2100}"#);
    assert_eq!(talk.event("call_finished")["text"], "21.00 were paid back");
    server.go_on();
    assert_eq!(talk.event("run_finished")["text"], "Half.");
    let (success, rest, errors) = talk.end();
    assert_eq!((success, rest.as_str(), errors.as_str()), (true, "", ""));

    let got = server.got();
    for got in &got {
        assert!(got.head.contains("x-api-key: secret"), "{}", got.head);
        assert!(got.head.contains("anthropic-version: "), "{}", got.head);
        assert_eq!(
            (&got.body["model"], &got.body["stream"]),
            (&json!("m"), &json!(true))
        );
        assert!(
            got.body["system"]
                .as_str()
                .is_some_and(|system| !system.is_empty())
        );
        let names: Vec<_> = got.body["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| &tool["name"])
            .collect();
        assert_eq!(
            names,
            [
                "find_order",
                "refund",
                "ask_address",
                "ask_supplier",
                "resend"
            ]
        );
    }
    // What the model said goes back as it came, and the answer to its call is a block of the user's.
    let call = json!({"type": "tool_use", "id": "c1", "name": "refund", "input": {"order": 17, "cents": 4200}});
    let messages = got[1].body["messages"].as_array().unwrap();
    assert_eq!(
        messages[1],
        json!({"role": "assistant", "content": [{"type": "text", "text": "Let me see."}, call]})
    );
    assert_eq!(messages.len(), 3);
    assert_eq!(messages[2]["role"], "user");
    let answer = &messages[2]["content"][0];
    assert_eq!(
        (&answer["type"], &answer["tool_use_id"]),
        (&json!("tool_result"), &json!("c1"))
    );
    assert!(
        answer["content"]
            .to_string()
            .contains("21.00 were paid back"),
        "{answer}"
    );
}

#[test]
fn a_session_that_nobody_answers_is_kept_and_gone_on_with() {
    let server = Server::start(vec![refund(100), Answer::words("Done.")]);
    let folder = Folder::new("kept");
    let mut talk = Talk::start(&server.url, &folder.db(), &["My cup is broken."]);
    server.go_on();
    talk.event("call_waits");
    let (success, rest, _) = talk.end();
    assert!(success);
    let kept: Value = serde_json::from_str(&rest).unwrap();
    assert_eq!(
        (&kept["event"], &kept["db"]),
        (&json!("kept"), &json!(folder.db()))
    );

    let session = kept["session"].as_str().unwrap();
    let mut talk = Talk::start(&server.url, &folder.db(), &["--resume", session]);
    // It is asked about at once; nothing was paid yet.
    assert_eq!(talk.event("call_waits")["tool"], "refund");
    talk.types("y");
    assert_eq!(talk.event("call_finished")["text"], "1.00 were paid back");
    server.go_on();
    assert_eq!(talk.event("run_finished")["text"], "Done.");
    assert!(talk.end().0);
}

#[test]
fn what_a_model_says_does_not_steer_the_terminal() {
    let server = Server::start(vec![Answer::words("\u{1b}[31mred\u{7}\nand more")]);
    server.go_on();
    let folder = Folder::new("escape");
    let db = folder.db();
    let output = run(&[
        "--base-url",
        &server.url,
        "--model",
        "m",
        "--db",
        &db,
        "Hi!",
    ]);
    assert!(output.status.success());
    assert_eq!(
        text(&output.stdout),
        "person  Hi!\nmodel   \\u{1b}[31mred\\u{7}\nand more\n"
    );
}

#[test]
fn what_is_wrong_is_said() {
    let help = run(&["--help"]);
    assert!(help.status.success());
    for word in [
        "--base-url",
        "--model",
        "--key-env",
        "--wire",
        "--db",
        "--resume",
        "--json",
        "anthropic",
        "without a network",
    ] {
        assert!(text(&help.stdout).contains(word), "{word}");
    }
    // Nobody listens on this port of the loopback.
    let http = ["--base-url", "http://127.0.0.1:9", "--model", "m"];
    let folder = Folder::new("wrong");
    let db = folder.db();
    let rows: [(&[&str], i32, &str); 8] = [
        (&["--base-url", "http://127.0.0.1:9"], 2, "--model <NAME>"),
        (&["--wire", "telex"], 2, "openai-responses"),
        (&["Hello!"], 2, "--base-url <URL>"),
        (
            &["--key-env", "NO_SUCH_KEY", "Hi!"],
            1,
            "--key-env NO_SUCH_KEY: ",
        ),
        (
            &["--resume", "nobody"],
            1,
            "no session `nobody` is kept there",
        ),
        (&["--db", "/no/such/folder/agent.db", "Hi!"], 1, "agent.db"),
        (&["Hi!"], 1, "error sending request"),
        (&["--resume", "s"], 1, "where is the session kept?"),
    ];
    for (place, (arguments, code, words)) in rows.into_iter().enumerate() {
        let mut all: Vec<&str> = Vec::new();
        if (3..7).contains(&place) {
            all.extend(http);
            if !arguments.contains(&"--db") {
                all.extend(["--db", &*db]);
            }
        }
        all.extend(arguments);
        let output = run(&all);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
        assert!(errors.contains(words), "{arguments:?}: {errors}");
        assert!(errors.starts_with("error: "), "{errors}");
    }
}
