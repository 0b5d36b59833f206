//! What calls come to: on which stream, in which words, with which exit code.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
#[cfg(unix)]
use std::time::{Duration, Instant};

use serde_json::json;

use super::Named;
#[cfg(unix)]
use super::program::interrupt;
use super::program::{command, run, run_with};

pub(crate) const TESTS: &[Named] = named![
    exit_codes_say_how_it_ended,
    json_says_the_same_as_text,
    what_is_said_for_http_counts_more_there_than_what_is_said_for_all,
    what_tools_print_is_no_answer,
    parts_of_a_result_are_shown,
    secrets_are_not_shown,
    keys_are_read_as_they_were_written,
    what_is_said_is_safe_to_print,
    a_call_that_waits_runs_after_a_yes,
    // Nothing sends Ctrl-C to a single process elsewhere.
    #[cfg(unix)]
    interrupt_cancels_the_call,
    #[cfg(unix)]
    a_second_interrupt_ends_what_hears_nothing,
    a_reader_that_goes_away_is_no_error,
    a_system_without_threads_is_an_error,
];

fn exit_codes_say_how_it_ended() {
    let table: [(&[&str], i32, &str); 18] = [
        (&["call", "get_forecast", "--location", "Oslo"], 0, ""),
        (&["call", "goodbye"], 0, "farewell"),
        (
            &["call", "login", "--user", "ada", "--password", "wrong"],
            1,
            "user or password is wrong",
        ),
        (&["call", "boom"], 1, "error:"),
        (
            &["call", "get_forecast", "--locaton", "Oslo"],
            2,
            "--location",
        ),
        (&["cal"], 2, "call"),
        (&["call"], 2, "Tools"),
        (&[], 2, "Usage"),
        (&["call", "endless", "--timeout", "-1"], 2, "--timeout"),
        (&["call", "get_forecast"], 3, "location: missing"),
        (
            &[
                "call",
                "get_forecast",
                "--location",
                "Oslo",
                "--days",
                "eleven",
            ],
            3,
            "got \"eleven\"",
        ),
        (&["call", "get_forcast"], 4, "did you mean `get_forecast`?"),
        (&["call", "hidden"], 4, "unknown tool `hidden`"),
        (&["call", "travel"], 5, "Where to?"),
        (
            &["call", "charge", "--cents", "5", "--card", "4242"],
            5,
            "--approve",
        ),
        (&["call", "late"], 124, "its time limit of 500ms"),
        (&["call", "late", "--timeout", "0.02"], 124, "within 20ms"),
        (
            &["call", "endless", "--timeout", "0.1"],
            124,
            "did not end within 100ms",
        ),
    ];
    for (arguments, code, words) in table {
        let came = run(arguments);
        assert_eq!(came.code, code, "{arguments:?}: {came:?}");
        assert!(came.err.contains(words), "{arguments:?}: {came:?}");
        assert_eq!(came.out.is_empty(), code != 0, "{arguments:?}: {came:?}");
    }
}

fn json_says_the_same_as_text() {
    let came = run(&[
        "call",
        "get_forecast",
        "--location",
        "Oslo",
        "--output",
        "json",
    ])
    .json();
    assert_eq!(came["status"], "done");
    assert_eq!(came["value"]["location"], "Oslo");
    let came = run(&["--output", "json", "call", "get_forecast", "--days", "x"]);
    assert_eq!(came.code, 3);
    let faults = came.json()["error"]["faults"].clone();
    assert_eq!(faults[0]["path"], "days");
    assert_eq!(faults[0]["code"], "wrong_type");
    assert_eq!(faults[1]["path"], "location");
    let came = run(&["--output", "json", "call", "travel"]).json();
    assert_eq!(came["status"], "ask_user");
    assert_eq!(came["options"], json!({"choices": ["Oslo", "Rome"]}));
    let came = run(&["--output", "json", "call", "blocks"]).json();
    assert_eq!(came["content"][1]["mime_type"], "image/png");
    let came = run(&["--output", "json", "call", "goodbye"]).json();
    assert_eq!(
        (&came["halt"], &came["value"]),
        (&json!("farewell"), &json!("bye"))
    );
    let came = run(&["--output", "json", "call", "nope"]);
    assert_eq!(came.json()["error"]["kind"], "unknown_tool");
    // A number in a string is meant as one, and that is told.
    let text = r#"{"location": "Oslo", "days": "2"}"#;
    let came = run(&["--output", "json", "call", "get_forecast", "--json", text]).json();
    assert_eq!(came["repairs"][0]["kind"], "unquoted");
    let came = run(&["call", "get_forecast", "--json", text]);
    assert!(came.err.contains("days: \"2\" was taken for 2"), "{came:?}");
}

fn what_tools_print_is_no_answer() {
    let came = run(&["call", "noisy"]);
    // Only Unix puts the standard output aside.
    let (out, err) = if cfg!(unix) {
        ("this is the answer\n", "this is not an answer")
    } else {
        ("this is not an answer\nthis is the answer\n", "")
    };
    assert_eq!(came.out, out);
    assert!(came.err.contains(err), "{}", came.err);
    // Nor is how far they are, which is told to the last.
    assert!(came.err.contains("1 of 2: begun\n2 of 2\n"), "{}", came.err);
}

fn keys_are_read_as_they_were_written() {
    for arguments in [
        r#"{"Location": "Oslo"}"#,
        r#"{"locatoin": "Oslo"}"#,
        r#"{"location\u0000": "Oslo"}"#,
        r#""{\"location\": \"Oslo\"}""#,
    ] {
        let came = run(&["call", "get_forecast", "--json", arguments]);
        assert_eq!(came.code, 3, "{came:?}");
    }
}

fn what_is_said_is_safe_to_print() {
    let hostile = "{\"a\u{1b}]0;x\u{7}\u{202e}\": 1, \"location\": \"Oslo\"}";
    let hostile = hostile
        .replace('\u{1b}', r"\u001b")
        .replace('\u{7}', r"\u0007");
    let came = run(&["call", "get_forecast", "--json", &hostile]);
    assert_eq!(came.code, 3, "{came:?}");
    let seen = r#"error: ["a\u001b]0;x\u0007\u{202e}"]: unknown argument"#;
    assert!(came.err.starts_with(seen), "{came:?}");
    // What a command line says that makes no sense, and what is repeated of it in a tip.
    for arguments in [
        &["wi\u{202e}pe\u{e0041}"][..],
        &["call", "wi\u{202e}pe\u{e0041}"],
        &["call", "get_forecast", "--wi\u{202e}pe\u{e0041}", "1"],
        &["call", "get_forecast", "wi\u{202e}pe\u{e0041}"],
        &["call", "login", "--timeout", "wi\u{202e}pe\u{e0041}"],
        &["--output", "wi\u{202e}pe\u{e0041}", "list"],
        &["check", "--target", "wi\u{202e}pe\u{e0041}"],
        &["completions", "wi\u{202e}pe\u{e0041}"],
    ] {
        let came = run(arguments);
        assert!(came.err.contains(r"wi\u{202e}pe\u{e0041}"), "{came:?}");
        assert!(!came.err.contains(['\u{202e}', '\u{e0041}']), "{came:?}");
    }
    let long = "x".repeat(100_000);
    assert!(run(&[&long]).err.len() < 1_000);
    // What a tool says of itself that came from elsewhere.
    for arguments in [&["call", "--help"][..], &["call", "strange", "--help"]] {
        let came = run(arguments);
        assert!(came.out.contains(r"Says what\u{2028}it got"), "{came:?}");
        assert!(!came.out.contains('\u{2028}'), "{came:?}");
    }
}

fn parts_of_a_result_are_shown() {
    let came = run(&["call", "pages"]);
    assert_eq!(came.out, "all\n");
    let long = "x".repeat(80);
    assert_eq!(
        came.err,
        format!("1: one\n2: {{\"page\":2}}\n3: {long}… (20 more characters)\n")
    );
}

fn secrets_are_not_shown() {
    let marked = "MARKED-SECRET";
    for arguments in [
        &["call", "login", "--user", "ada", "--password", marked][..],
        &[
            "call",
            "login",
            "--user",
            "5",
            "--password",
            marked,
            "--output",
            "json",
        ],
        &["call", "charge", "--cents", "x", "--card", marked],
        &["call", "charge", "--cents", "5", "--card", marked],
        &[
            "call", "charge", "--cents", "5", "--card", marked, "--output", "json",
        ],
        &["call", "login", "--password", marked, "--usr", "ada"],
    ] {
        let came = run(arguments);
        assert_ne!(came.code, 0);
        assert!(!format!("{came:?}").contains(marked), "{came:?}");
    }
    let came = run(&["call", "login", "--user", "ada", "--password", "abc"]);
    assert!(came.err.contains("password: "), "{came:?}");
    assert!(!came.err.contains("abc"), "{came:?}");
}

fn a_call_that_waits_runs_after_a_yes() {
    let waits = run(&[
        "--output", "json", "call", "charge", "--cents", "5", "--card", "4242",
    ]);
    assert_eq!(waits.json()["status"], "pending");
    assert_eq!(waits.json()["reason"], "manual_tool");
    let came = run(&[
        "call",
        "charge",
        "--cents",
        "5",
        "--card",
        "4242",
        "--approve",
    ]);
    assert_eq!(
        (came.code, came.out.as_str()),
        (0, "5 cents from a card of 4 digits\n")
    );
    // Even an approval is not arguments.
    let came = run(&[
        "call",
        "charge",
        "--cents",
        "five",
        "--card",
        "4242",
        "--approve",
    ]);
    assert_eq!(came.code, 3, "{came:?}");
}

#[cfg(unix)]
fn interrupt_cancels_the_call() {
    let mut child = command(&["call", "endless"]).spawn().unwrap();
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    err.read_line(&mut line).unwrap();
    assert_eq!(line, "1 of 9000000000: on and on\n");
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let mut rest = String::new();
    err.read_to_string(&mut rest).unwrap();
    assert_eq!(output.status.code(), Some(130), "{rest}");
    assert!(output.stdout.is_empty());
    assert!(rest.contains("error: the call was cancelled"), "{rest}");
}

fn what_is_said_for_http_counts_more_there_than_what_is_said_for_all() {
    let mut child = command(&["serve", "--listen", "127.0.0.1:0"])
        .spawn()
        .unwrap();
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    err.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on http://").unwrap();
    let ask = |request: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        let head = "Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close";
        write!(stream, "{request} HTTP/1.1\r\n{head}\r\n\r\n{{}}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    // What is said for HTTP alone counts more there than what is said for all of the program.
    let document = ask("GET /openapi.json");
    assert!(
        document.contains(r#""title":"shop over HTTP""#),
        "{document}"
    );
    let late = ask("POST /tools/endless");
    assert!(late.starts_with("HTTP/1.1 504"), "{late}");
    for (taken, code) in [(address, 1), ("nonsense", 2), ("127.0.0.1", 2)] {
        let came = run(&["serve", "--listen", taken]);
        let words = format!("error: cannot listen on `{taken}`: ");
        assert!(
            came.code == code && came.err.starts_with(&words),
            "{came:?}"
        );
    }
    #[cfg(unix)]
    {
        interrupt(&child);
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    #[cfg(not(unix))]
    child.kill().unwrap();
}

#[cfg(unix)]
fn a_second_interrupt_ends_what_hears_nothing() {
    let mut child = command(&["call", "deaf"]).spawn().unwrap();
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    err.read_line(&mut line).unwrap();
    assert_eq!(line, "deaf now\n");
    let since = Instant::now();
    interrupt(&child);
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(since.elapsed() < Duration::from_secs(20));
}

fn a_reader_that_goes_away_is_no_error() {
    for arguments in [&["list"][..], &["schema"], &["completions", "bash"]] {
        let mut child = command(arguments).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), err.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}

fn a_system_without_threads_is_an_error() {
    let stack = (usize::MAX / 4).to_string();
    for arguments in [
        &["mcp"][..],
        &["serve", "--listen", "127.0.0.1:0"],
        &["call", "get_forecast", "--location", "Oslo"],
    ] {
        let output = command(arguments).env("RUST_MIN_STACK", &stack).output();
        let output = output.unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {err}");
        let last = err.lines().last().unwrap();
        assert!(last.starts_with("error: "), "{arguments:?}: {err}");
        assert!(output.stdout.is_empty());
    }
    // A server on pipes needs two, and none of its runtime's.
    let mut stdio = command(&["serve_stdio"]);
    let output = stdio.env("RUST_MIN_STACK", &stack).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(
        err.starts_with("error: ") && output.stdout.is_empty(),
        "{err}"
    );
    let came = run_with(&["serve_stdio"], b"{}\n");
    assert_eq!((came.code, &*came.err), (0, ""), "{came:?}");
    assert!(came.out.contains("2.0"), "{came:?}");
}
