//! A program asks before calls that destroy something or are of high risk, however they come.

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::Named;
use super::program::{command, run};
#[cfg(unix)]
use terminal::{a_terminal_is_asked, an_interrupt_at_the_prompt_cancels_the_call};

pub(crate) const TESTS: &[Named] = named![
    risky_calls_wait_for_a_yes_on_the_command_line,
    what_is_to_be_approved_is_what_runs,
    an_approval_does_not_let_a_call_run_twice,
    #[cfg(unix)]
    a_terminal_is_asked,
    #[cfg(unix)]
    an_interrupt_at_the_prompt_cancels_the_call,
    a_tool_that_needs_a_yes_waits_for_it_in_every_program,
    nobody_is_asked_twice,
    unattended_programs_ask_nobody,
    the_help_says_who_is_asked,
    a_client_of_mcp_asks_its_user,
    a_client_of_mcp_that_cannot_ask_is_refused,
    input_is_required_over_mcp_of_2026,
    risky_calls_are_pending_over_http,
];

const REFUND: [&str; 6] = ["call", "refund", "--cents", "5", "--card", "4242"];
const REFUNDED: &str = "5 cents back to a card of 4 digits";

fn with_approve(arguments: &[&str]) -> Vec<String> {
    let all = arguments.iter().copied().chain(["--approve"]);
    all.map(str::to_owned).collect()
}

fn risky_calls_wait_for_a_yes_on_the_command_line() {
    for arguments in [
        &REFUND[..],
        &["call", "transfer", "--cents", "7"],
        &[
            "call",
            "order",
            "--json",
            r#"{"customer":{"name":"Ada","vip":false}}"#,
        ],
    ] {
        let came = run(arguments);
        assert_eq!((came.code, &*came.out), (5, ""), "{came:?}");
        assert!(came.err.contains("a person has to decide"), "{came:?}");
        assert!(came.err.contains("--approve"), "{came:?}");
        assert!(!came.err.contains("refunding"), "{came:?}");
        let approved = with_approve(arguments);
        let approved: Vec<_> = approved.iter().map(String::as_str).collect();
        assert_eq!(run(&approved).code, 0, "{approved:?}");
    }
    let came = run(&REFUND);
    let why = "waits: a person has to decide (destructive, risk: high)\n";
    assert!(came.err.starts_with(why), "{came:?}");
    let waits = run(&[&["--output", "json"], &REFUND[..]].concat()).json();
    assert_eq!(waits["status"], "pending");
    assert_eq!(waits["ask"], json!({"risk": "high", "destructive": true}));
    assert_eq!(waits.get("key"), None);
    // What was repaired is told of a call that waits, and of one that somebody let run.
    let transfer = [
        "--output",
        "json",
        "call",
        "transfer",
        "--json",
        r#"{"cents":"7"}"#,
    ];
    let repairs = json!([{"path": "cents", "kind": "unquoted", "from": "\"7\"", "to": "7"}]);
    assert_eq!(run(&transfer).json()["repairs"], repairs);
    let approved = run(&[&transfer[..], &["--approve"]].concat()).json();
    assert_eq!(
        (&approved["value"], &approved["repairs"]),
        (&json!(7), &repairs)
    );
    let came = run(&transfer[2..]);
    assert!(
        came.err.contains("cents: \"7\" was taken for 7"),
        "{came:?}"
    );
    // The arguments of a destructive tool are as they were written.
    let text = r#"{"cents":"5","card":"4242"}"#;
    let came = run(&["call", "refund", "--json", text, "--approve"]);
    assert_eq!(came.code, 3, "{came:?}");
    // Nobody is asked about what could not run.
    let came = run(&["call", "refund", "--cents", "x", "--card", "4242"]);
    assert_eq!(came.code, 3, "{came:?}");
}

fn what_is_to_be_approved_is_what_runs() {
    let transfer = ["call", "transfer", "--cents", "5"];
    let came = run(&transfer);
    assert!(came.err.contains(r#"arguments: {"cents":500}"#), "{came:?}");
    let waits = run(&[&["--output", "json"], &transfer[..]].concat()).json();
    assert_eq!(waits["arguments"], r#"{"cents":500}"#);
    let came = run(&["call", "transfer", "--cents", "5", "--approve"]);
    assert_eq!((came.code, &*came.out), (0, "500\n"), "{came:?}");
    // What nobody sees is written out.
    let hidden = "{\"customer\":{\"name\":\"a\u{202e}b\u{200b}é\",\"vip\":false}}";
    let came = run(&["call", "order", "--json", hidden]);
    assert!(came.err.contains(r"a\u{202e}b\u{200b}é"), "{came:?}");
}

fn attended(by: &str, arguments: &[&str]) -> (i32, String, String) {
    let output = command(arguments)
        .env("TOOLWRIGHT_ATTENDED", by)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn an_approval_does_not_let_a_call_run_twice() {
    let (code, out, err) = attended("where the bank is silent", &["call", "pay", "--approve"]);
    assert_eq!((code, &*out), (5, ""), "{err}");
    let said = "paying\nwaits: it may have taken effect, so a person has to decide: the bank said nothing\n";
    assert!(err.starts_with(said), "{err}");
    assert!(!err.contains("with `--approve`"), "{err}");
    let json = ["--output", "json", "call", "pay", "--approve"];
    let (code, out, _) = attended("where the bank is silent", &json);
    let waits: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &waits["reason"]), (5, &json!("outcome_unknown")));
}

fn a_tool_that_needs_a_yes_waits_for_it_in_every_program() {
    let send = ["call", "send", "--cents", "5"];
    for by in ["by a yes", "by nobody, with a yes"] {
        let (code, out, err) = attended(by, &send);
        assert_eq!((code, &*out), (5, ""), "{err}");
        let why = "waits: a person has to decide (needs_approval)\n";
        assert!(err.starts_with(why), "{err}");
        assert!(
            err.contains("--approve") && !err.contains("sending"),
            "{err}"
        );
        let (code, out, err) = attended(by, &[&send[..], &["--approve"]].concat());
        assert_eq!((code, &*err), (0, "sending\n"), "{by}");
        assert_eq!(out, "{\"cents\":5} 5\n");
    }
}

fn nobody_is_asked_twice() {
    let (code, out, err) = attended("by the host", &REFUND);
    assert_eq!((code, out), (0, format!("{REFUNDED}\n")), "{err}");
    assert_eq!(err, "the host is asked\nrefunding\n");
    // What the host's approval lets pass without asking is asked about.
    let order = r#"{"customer":{"name":"Ada","vip":false}}"#;
    let (code, _, err) = attended("by the host", &["call", "order", "--json", order]);
    assert_eq!(code, 5, "{err}");
    // A manual tool is one question, too.
    let came = run(&[
        "call",
        "charge",
        "--cents",
        "5",
        "--card",
        "4242",
        "--approve",
    ]);
    assert_eq!(came.code, 0, "{came:?}");
}

fn unattended_programs_ask_nobody() {
    let by = "by nobody";
    let (code, out, err) = attended(by, &REFUND);
    assert_eq!((code, out), (0, format!("{REFUNDED}\n")), "{err}");
    // Other questions stay.
    let (code, _, _) = attended(by, &["call", "charge", "--cents", "5", "--card", "4242"]);
    assert_eq!(code, 5);
    let mut client = Client::attended(by, &json!({}));
    let answer = client.ask(&call(1, &json!({})));
    assert_eq!(text(&answer), (false, REFUNDED));
    let server = Server::attended(by);
    let (status, answer) = server.post("/tools/refund", r#"{"cents": 5, "card": "4242"}"#);
    assert_eq!((status, &answer["value"]), (200, &json!(REFUNDED)));
}

fn the_help_says_who_is_asked() {
    let came = run(&["--help"]);
    for words in [
        "wait for a person's approval",
        "call   with `--approve`",
        "refused where it cannot",
        "POST /calls/{id}",
    ] {
        assert!(came.out.contains(words), "{words}: {}", came.out);
    }
    let (_, out, _) = attended("by nobody", &["--help"]);
    assert!(!out.contains("wait for a person's approval"), "{out}");
    let came = run(&["call", "refund", "--help"]);
    assert!(came.out.contains("a terminal is asked"), "{}", came.out);
}

#[cfg(unix)]
mod terminal {
    //! A pseudo-terminal, and somebody at it.

    use std::fs::{File, OpenOptions};
    use std::io::{Read, Write};
    use std::os::unix::ffi::OsStrExt;
    use std::process::{Child, Stdio};

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    use super::super::program::{command, interrupt};
    use super::{REFUND, REFUNDED};

    struct Terminal {
        ours: File,
        child: Child,
        /// What is on the screen so far.
        screen: Vec<u8>,
    }

    impl Terminal {
        fn start(arguments: &[&str]) -> Self {
            let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
            grantpt(&ours).unwrap();
            unlockpt(&ours).unwrap();
            let name = ptsname(&ours, Vec::new()).unwrap();
            let name = std::ffi::OsStr::from_bytes(name.as_bytes());
            let theirs = || {
                OpenOptions::new()
                    .read(true)
                    .write(true)
                    .open(name)
                    .unwrap()
            };
            let child = command(arguments)
                .stdin(Stdio::from(theirs()))
                .stderr(Stdio::from(theirs()))
                .spawn()
                .unwrap();
            Self {
                ours: ours.into(),
                child,
                screen: Vec::new(),
            }
        }

        fn until(&mut self, words: &str) -> String {
            let mut byte = [0];
            while !self.screen.ends_with(words.as_bytes()) {
                let read = self.ours.read(&mut byte);
                let shown = String::from_utf8_lossy(&self.screen);
                assert!(matches!(read, Ok(1)), "{shown}");
                self.screen.extend(byte);
            }
            String::from_utf8(std::mem::take(&mut self.screen)).unwrap()
        }

        fn end(self) -> (Option<i32>, String) {
            let output = self.child.wait_with_output().unwrap();
            (
                output.status.code(),
                String::from_utf8(output.stdout).unwrap(),
            )
        }
    }

    pub(super) fn a_terminal_is_asked() {
        for (typed, code, out) in [
            ("y\n", 0, REFUNDED),
            (" YES \n", 0, REFUNDED),
            ("n\n", 6, ""),
            ("\n", 6, ""),
            ("yess\n", 6, ""),
            // The end of the input: nobody answers.
            ("\u{4}", 5, ""),
        ] {
            let mut terminal = Terminal::start(&REFUND);
            let screen = terminal.until("Run it? [y/N] ");
            assert!(screen.contains("tool: refund"), "{screen}");
            assert!(
                screen.contains(r#"{"cents":5,"card":"[secret]"}"#),
                "{screen}"
            );
            terminal.ours.write_all(typed.as_bytes()).unwrap();
            let (came, said) = terminal.end();
            assert_eq!((came, said.trim()), (Some(code), out), "{typed:?}");
        }
        // A tool's question is one, too.
        for (typed, code, out) in [(" Oslo \n", 0, "Oslo"), ("\u{4}", 5, "")] {
            let mut terminal = Terminal::start(&["call", "travel"]);
            let screen = terminal.until("Your answer: ");
            assert!(screen.contains("Where to?"), "{screen}");
            assert!(screen.contains(r#"choices: ["Oslo","Rome"]"#), "{screen}");
            terminal.ours.write_all(typed.as_bytes()).unwrap();
            let (came, said) = terminal.end();
            assert_eq!((came, said.trim()), (Some(code), out), "{typed:?}");
        }
        // With the flag nobody is asked.
        let terminal = Terminal::start(&["call", "transfer", "--cents", "7", "--approve"]);
        assert_eq!(terminal.end(), (Some(0), "7\n".into()));
    }

    pub(super) fn an_interrupt_at_the_prompt_cancels_the_call() {
        let mut terminal = Terminal::start(&REFUND);
        terminal.until("Run it? [y/N] ");
        interrupt(&terminal.child);
        assert_eq!(terminal.end(), (Some(130), String::new()));
    }
}

/// A client of the program over MCP, by lines.
struct Client {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Client {
    fn attended(by: &str, capabilities: &Value) -> Self {
        let mut client = Self::silent(by);
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        });
        client.ask(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}));
        client
    }

    fn silent(by: &str) -> Self {
        let mut command = command(&["mcp"]);
        command.env("TOOLWRIGHT_ATTENDED", by);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self {
            child,
            input,
            output,
        }
    }

    fn ask(&mut self, message: &Value) -> Value {
        writeln!(self.input, "{message}").unwrap();
        serde_json::from_str(&self.output.next().unwrap().unwrap()).unwrap()
    }

    /// What the program said beside its answers.
    fn end(self) -> String {
        drop((self.input, self.output));
        let output = self.child.wait_with_output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    }
}

/// A refund, with more beside it.
fn call(id: u32, more: &Value) -> Value {
    let mut params = json!({"name": "refund", "arguments": {"cents": 5, "card": "4242"}});
    let more = more.as_object().cloned().unwrap();
    params.as_object_mut().unwrap().extend(more);
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

/// Whether it is an error, and its words.
fn text(answer: &Value) -> (bool, &str) {
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str();
    (
        result["isError"] == true,
        text.unwrap_or_else(|| panic!("{answer}")),
    )
}

fn a_client_of_mcp_asks_its_user() {
    let mut client = Client::attended("", &json!({"elicitation": {}}));
    for (id, (says, is_error, words)) in (1..).zip([
        (
            json!({"action": "accept", "content": {"approve": true}}),
            false,
            REFUNDED,
        ),
        (json!({"action": "decline"}), true, "the call was rejected"),
    ]) {
        let asked = client.ask(&call(id, &json!({})));
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        let message = asked["params"]["message"].as_str().unwrap();
        let shown = r#"`refund` with {"card":"[secret]","cents":5}"#;
        assert!(message.contains(shown), "{message}");
        let said = json!({"jsonrpc": "2.0", "id": asked["id"], "result": says});
        assert_eq!(text(&client.ask(&said)), (is_error, words));
    }
    assert_eq!(client.end().matches("refunding").count(), 1);
}

fn a_client_of_mcp_that_cannot_ask_is_refused() {
    let mut client = Client::attended("", &json!({}));
    let answer = client.ask(&call(1, &json!({})));
    let (is_error, words) = text(&answer);
    assert!(is_error);
    assert!(
        words.starts_with(
            "the call did not run, since it needs a person's answer and this client cannot ask"
        ),
        "{words}"
    );
    assert!(!words.contains("4242"), "{words}");
    assert!(!client.end().contains("refunding"));
}

/// What a client of 2026-07-28 says of itself with each request.
fn meta(capabilities: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

fn input_is_required_over_mcp_of_2026() {
    let mut client = Client::silent("");
    let meta_of_one_that_asks = meta(&json!({"elicitation": {}}));
    for (id, (says, is_error, words)) in [
        (
            json!({"action": "accept", "content": {"approve": true}}),
            false,
            REFUNDED,
        ),
        (
            json!({"action": "accept", "content": {"approve": false}}),
            true,
            "the call was rejected",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let id = u32::try_from(2 * id).unwrap();
        let asked = client.ask(&call(id, &json!({"_meta": meta_of_one_that_asks})));
        assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
        let questions = asked["result"]["inputRequests"].as_object().unwrap();
        let (key, _) = questions.iter().next().unwrap();
        let again = json!({
            "_meta": meta_of_one_that_asks,
            "requestState": asked["result"]["requestState"],
            "inputResponses": {key: says},
        });
        assert_eq!(text(&client.ask(&call(id + 1, &again))), (is_error, words));
    }
    let answer = client.ask(&call(9, &json!({"_meta": meta(&json!({}))})));
    assert!(answer["error"]["data"]["requiredCapabilities"]["elicitation"].is_object());
    let words = answer["error"]["message"].as_str().unwrap();
    assert!(words.starts_with("the call did not run"), "{answer}");
    assert_eq!(client.end().matches("refunding").count(), 1);
}

/// The program over HTTP.
struct Server {
    child: Child,
    _err: BufReader<ChildStderr>,
    address: String,
}

impl Server {
    fn attended(by: &str) -> Self {
        let mut child = command(&["serve", "--listen", "127.0.0.1:0"])
            .env("TOOLWRIGHT_ATTENDED", by)
            .spawn()
            .unwrap();
        let mut err = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        err.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap();
        Self {
            address: address.to_owned(),
            child,
            _err: err,
        }
    }

    fn post(&self, path: &str, body: &str) -> (u16, Value) {
        self.post_with(path, body, "")
    }

    fn post_with(&self, path: &str, body: &str, headers: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let body = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"));
        (status, body)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn risky_calls_are_pending_over_http() {
    let server = Server::attended("");
    let refund = |decision: &str| {
        let (status, waits) = server.post("/tools/refund", r#"{"cents": 5, "card": "4242"}"#);
        assert_eq!(
            (status, &waits["status"]),
            (202, &json!("pending")),
            "{waits}"
        );
        assert_eq!(waits["arguments"], r#"{"cents":5,"card":"[secret]"}"#);
        assert_eq!(waits["ask"], json!({"risk": "high", "destructive": true}));
        let path = format!("/calls/{}", waits["id"].as_str().unwrap());
        let (status, answer) = server.post(&path, decision);
        // It is decided once.
        assert_eq!(server.post(&path, decision).0, 404);
        (status, answer)
    };
    let (status, answer) = refund(r#""approve""#);
    assert_eq!((status, &answer["value"]), (200, &json!(REFUNDED)));
    let (status, answer) = refund(r#"{"reject": "too much"}"#);
    assert_eq!(status, 403);
    assert_eq!(answer["error"]["kind"], "rejected");
    assert_eq!(
        answer["error"]["messages"][0],
        "the call was rejected: too much"
    );
    // What runs is what was shown, whatever a layer makes of it.
    let (_, waits) = server.post("/tools/transfer", r#"{"cents":5}"#);
    assert_eq!(waits["arguments"], r#"{"cents":500}"#);
    let path = format!("/calls/{}", waits["id"].as_str().unwrap());
    assert_eq!(server.post(&path, r#""approve""#).1["value"], 500);
    let (_, waits) = server.post("/tools/transfer", r#"{"cents":"7"}"#);
    assert_eq!(waits["repairs"][0]["kind"], "unquoted", "{waits}");
    // Over MCP beside it, too.
    let params = call(1, &json!({"_meta": meta(&json!({}))}));
    let headers = "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
                   MCP-Method: tools/call\r\nMCP-Name: refund\r\n";
    let (_, answer) = server.post_with("/mcp", &params.to_string(), headers);
    let words = answer["error"]["message"].as_str().unwrap();
    assert!(words.starts_with("the call did not run"), "{answer}");
}
