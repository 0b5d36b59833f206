//! The calls that models get wrong: what is read all the same, and what they are told otherwise.
// A test that finds less than it expects has failed; and tools take and return what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};
use toolwright::args::FaultCode::{
    Bound, InvalidJson, MissingArgument, NotObject, UnknownArgument, WrongType,
};
use toolwright::args::RepairKind::{Decoded, NullDropped, Parsed, Renamed, Unquoted, Wrapped};
use toolwright::{
    Context, DynTool, Encoder, Schema, Tool, ToolCall, ToolError, ToolResult, Toolset,
    args::{FaultCode, Repair, RepairKind},
    call::ErrorKind,
    tool, tools,
};

#[derive(Deserialize, Serialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Language {
    En,
    Fr,
}

#[derive(Deserialize, Serialize, Schema)]
struct Filter {
    lang: Language,
    #[serde(default = "half")]
    #[schema(range(0.0..=1.0))]
    min_score: f64,
}

fn half() -> f64 {
    0.5
}

#[derive(Serialize, Schema)]
struct Searched {
    query: String,
    limit: u32,
    tags: Option<Vec<String>>,
    filter: Option<Filter>,
}

/// How often the body ran.
type Runs = AtomicU32;

/// Searches the library.
#[tool]
fn search(
    #[arg(len(1..))] query: String,
    #[arg(default = 10, range(1..=50))] limit: u32,
    tags: Option<Vec<String>>,
    filter: Option<Filter>,
    #[state] runs: &Runs,
) -> Searched {
    runs.fetch_add(1, Ordering::Relaxed);
    Searched {
        query,
        limit,
        tags,
        filter,
    }
}

/// Path, kind, from, to.
type Repaired<'a> = (&'a str, RepairKind, &'a str, &'a str);

/// What a call comes to.
enum Answer<'a> {
    /// The body ran and got this.
    Ran(&'a str, &'a [Repaired<'a>]),
    /// It did not run; each fault's code and line.
    Refused(&'a [(FaultCode, &'a str)]),
}
use Answer::{Ran, Refused};

/// A call's arguments; what comes of them with repairs, and without.
type Row<'a> = (&'a str, Answer<'a>, Answer<'a>);

#[track_caller]
fn assert_answer(arguments: &str, cx: &Context, expected: &Answer<'_>) {
    let runs = Arc::new(Runs::new(0));
    let tools = tools![search; state = Arc::clone(&runs)];
    let call = ToolCall::new("c1", "search", arguments);
    let result = tools.call_blocking(&call, cx);
    let text = result.content(Encoder::auto());
    let strict = cx.repairs() == toolwright::args::Repairs::None;
    let ran = runs.load(Ordering::Relaxed);
    let valid = tools.validate(&call, cx);
    match expected {
        Ran(value, repairs) => {
            assert_eq!(text, *value, "{arguments} strict: {strict}");
            assert_eq!(ran, 1, "{arguments}");
            let found: Vec<Repaired<'_>> = result.repairs.iter().map(parts).collect();
            assert_eq!(found, *repairs, "{arguments}");
            assert!(valid.is_ok(), "{arguments}");
        }
        Refused(faults) => {
            let error = result.outcome.as_ref().unwrap_err();
            let lines: Vec<_> = faults.iter().map(|(_, line)| *line).collect();
            assert_eq!(text, lines.join("\n"), "{arguments} strict: {strict}");
            let codes: Vec<_> = error.faults().iter().map(|fault| fault.code).collect();
            let expected: Vec<_> = faults.iter().map(|(code, _)| *code).collect();
            assert_eq!(codes, expected, "{arguments}");
            assert_eq!(error.kind(), ErrorKind::InvalidArgs);
            assert_eq!(ran, 0, "{arguments}");
            assert!(result.repairs.is_empty(), "{arguments}");
            assert_eq!(valid.unwrap_err().to_string(), text, "{arguments}");
        }
    }
    // Checking runs nothing.
    assert_eq!(runs.load(Ordering::Relaxed), ran);
}

fn parts(repair: &Repair) -> Repaired<'_> {
    (&repair.path, repair.kind, &repair.from, &repair.to)
}

#[track_caller]
fn assert_rows(rows: &[Row<'_>]) {
    for (arguments, repaired, strict) in rows {
        assert_answer(arguments, &Context::new(), repaired);
        assert_answer(
            arguments,
            &Context::new().with_repairs(toolwright::args::Repairs::None),
            strict,
        );
    }
}

/// What `search` answers to these: its arguments, with `null` for what is not there.
macro_rules! got {
    ($query:literal, $limit:literal, $tags:literal, $filter:literal) => {
        concat!(
            r#"{"query":"#,
            $query,
            r#","limit":"#,
            $limit,
            r#","tags":"#,
            $tags,
            r#","filter":"#,
            $filter,
            "}"
        )
    };
}

#[test]
fn every_fault_is_told_at_once() {
    const FAULTS: Answer<'_> = Refused(&[
        (Bound, "limit: expected an integer from 1 to 50, got 999"),
        (
            WrongType,
            r#"filter.lang: expected one of "en", "fr", got "xx""#,
        ),
        (
            Bound,
            "filter.min_score: expected a number from 0.0 to 1.0, got 7",
        ),
        (
            MissingArgument,
            "query: missing, expected a string of 1 or more characters",
        ),
    ]);
    assert_rows(&[(
        r#"{"limit": 999, "filter": {"lang": "xx", "min_score": 7}}"#,
        FAULTS,
        FAULTS,
    )]);
}

#[test]
fn what_a_model_means_is_read_where_it_is_certain() {
    assert_rows(&[
        (
            r#"{"query": "x", "limit": "5"}"#,
            Ran(
                got!(r#""x""#, "5", "null", "null"),
                &[("limit", Unquoted, r#""5""#, "5")],
            ),
            Refused(&[(
                WrongType,
                r#"limit: expected an integer from 1 to 50, got "5""#,
            )]),
        ),
        (
            r#"{"query": "x", "filter": "{\"lang\": \"en\", \"min_score\": 1}"}"#,
            Ran(
                got!(r#""x""#, "10", "null", r#"{"lang":"en","min_score":1.0}"#),
                &[(
                    "filter",
                    Parsed,
                    r#""{\"lang\": \"en\", \"min_score\": 1}""#,
                    r#"{"lang": "en", "min_score": 1}"#,
                )],
            ),
            Refused(&[(
                WrongType,
                r#"filter: expected an object or null, such as {"lang":"en"}, got "{\"lang\": \"en\", \"min_score\": 1}""#,
            )]),
        ),
        (
            r#"{"query": "x", "limit": null}"#,
            Ran(
                got!(r#""x""#, "10", "null", "null"),
                &[("limit", NullDropped, "null", "")],
            ),
            Refused(&[(
                WrongType,
                "limit: expected an integer from 1 to 50, got null",
            )]),
        ),
        (
            r#"{"query": "x", "tags": "y"}"#,
            Ran(
                got!(r#""x""#, "10", r#"["y"]"#, "null"),
                &[("tags", Wrapped, r#""y""#, r#"["y"]"#)],
            ),
            Refused(&[(
                WrongType,
                r#"tags: expected an array or null, such as ["text"], got "y""#,
            )]),
        ),
        (
            r#""{\"query\": \"x\"}""#,
            Ran(
                got!(r#""x""#, "10", "null", "null"),
                &[("", Decoded, r#""{\"query\": \"x\"}""#, r#"{"query": "x"}"#)],
            ),
            Refused(&[(
                NotObject,
                r#"the arguments must be a JSON object, got "{\"query\": \"x\"}""#,
            )]),
        ),
        (
            r#"{"qeury": "x"}"#,
            Ran(
                got!(r#""x""#, "10", "null", "null"),
                &[("query", Renamed, "qeury", "query")],
            ),
            Refused(&[
                (
                    UnknownArgument,
                    "qeury: unknown argument; did you mean `query`?",
                ),
                (
                    MissingArgument,
                    "query: missing, expected a string of 1 or more characters",
                ),
            ]),
        ),
        (
            r#"{"query": "x", "limt": 5}"#,
            Ran(
                got!(r#""x""#, "5", "null", "null"),
                &[("limit", Renamed, "limt", "limit")],
            ),
            Refused(&[(
                UnknownArgument,
                "limt: unknown argument; did you mean `limit`?",
            )]),
        ),
    ]);
}

#[test]
fn what_a_schema_admits_needs_no_repair() {
    let rows = [
        (
            r#"{"query": "x", "limit": 5.0}"#,
            got!(r#""x""#, "5", "null", "null"),
        ),
        (
            r#"{"query": "x", "tags": null, "filter": null}"#,
            got!(r#""x""#, "10", "null", "null"),
        ),
        // A string is what it says, even if that is JSON.
        (
            r#"{"query": "{\"a\":1}"}"#,
            got!(r#""{\"a\":1}""#, "10", "null", "null"),
        ),
        (r#"{"query": "5"}"#, got!(r#""5""#, "10", "null", "null")),
        (
            r#"{"query": "null"}"#,
            got!(r#""null""#, "10", "null", "null"),
        ),
        (
            r#"{"query": "[1]"}"#,
            got!(r#""[1]""#, "10", "null", "null"),
        ),
    ];
    for (arguments, value) in rows {
        assert_rows(&[(arguments, Ran(value, &[]), Ran(value, &[]))]);
    }
}

#[test]
fn what_is_not_certain_is_refused_either_way() {
    let rows: [(&str, &[(FaultCode, &str)]); 8] = [
        // A key too many: there is no place for it.
        (
            r#"{"query": "x", "colour": 5}"#,
            &[(
                UnknownArgument,
                "colour: unknown argument; there are `query`, `limit`, `tags`, `filter`",
            )],
        ),
        // No number is a string, and nothing is a string that is missing.
        (
            r#"{"query": 5}"#,
            &[(
                WrongType,
                "query: expected a string of 1 or more characters, got 5",
            )],
        ),
        (
            r#"{"query": null}"#,
            &[(
                WrongType,
                "query: expected a string of 1 or more characters, got null",
            )],
        ),
        // The repaired value breaks a bound: the model is told of what it sent.
        (
            r#"{"query": "x", "limit": "999"}"#,
            &[(
                WrongType,
                r#"limit: expected an integer from 1 to 50, got "999""#,
            )],
        ),
        (
            r#"{"query": "x", "limit": "five"}"#,
            &[(
                WrongType,
                r#"limit: expected an integer from 1 to 50, got "five""#,
            )],
        ),
        (
            r#"{"query": "x", "limit": 5"#,
            &[(
                InvalidJson,
                "the arguments are not valid JSON: at byte 25 expected `,` or `}`, the text ends",
            )],
        ),
        (
            r#"{"query": "x"#,
            &[(
                InvalidJson,
                "the arguments are not valid JSON: at byte 12 expected the end of a string, the text ends",
            )],
        ),
        (
            r#"[{"query": "x"}]"#,
            &[(
                NotObject,
                r#"the arguments must be a JSON object, got [{"query": "x"}]"#,
            )],
        ),
    ];
    for (arguments, faults) in rows {
        assert_rows(&[(arguments, Refused(faults), Refused(faults))]);
    }
}

/// Books a table.
#[tool(validate = sensible)]
fn book(guests: u8, hour: u8, #[state] runs: &Runs) -> u8 {
    runs.fetch_add(1, Ordering::Relaxed);
    guests + hour
}

// A check is lent the parameters, whatever their size.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn sensible(guests: &u8, hour: &u8) -> Result<(), Vec<String>> {
    let mut wrong = Vec::new();
    if *guests == 0 {
        wrong.push("nobody comes".to_owned());
    }
    if *hour > 23 {
        wrong.push("a day has 24 hours".to_owned());
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

#[test]
fn what_an_author_refuses_runs_nothing_and_is_told_in_order() {
    let runs = Arc::new(Runs::new(0));
    let tools = tools![book; state = Arc::clone(&runs)];
    // Repaired arguments are checked like any others.
    for arguments in [
        r#"{"guests": 0, "hour": 24}"#,
        r#"{"guests": "0", "hour": "24"}"#,
    ] {
        let call = ToolCall::new("c1", "book", arguments);
        let result = tools.call_blocking(&call, &Context::new());
        let error = result.outcome.as_ref().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgs);
        let told: Vec<_> = result.errors().collect();
        assert_eq!(told, ["nobody comes", "a day has 24 hours"]);
        assert!(result.value().is_none());
        assert_eq!(runs.load(Ordering::Relaxed), 0);
    }
    let call = ToolCall::new("c1", "book", r#"{"guests": "2", "hour": 20}"#);
    let result = tools.call_blocking(&call, &Context::new());
    assert_eq!(result.content(Encoder::auto()), "22");
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

/// Asks another agent.
#[tool]
fn ask(
    /// Instructions for this agent
    input: String,
    #[state] runs: &Runs,
) -> String {
    runs.fetch_add(1, Ordering::Relaxed);
    input
}

#[test]
fn an_agent_without_input_is_not_asked() {
    let runs = Arc::new(Runs::new(0));
    let tools = tools![ask; state = Arc::clone(&runs)];
    for (arguments, told) in [
        ("", "input: missing, expected a string"),
        ("{}", "input: missing, expected a string"),
        (r#"{"input": null}"#, "input: expected a string, got null"),
        (
            r#"{"input": "go", "agent": "x"}"#,
            "agent: unknown argument; the only one is `input`",
        ),
    ] {
        let call = ToolCall::new("c1", "ask", arguments);
        let result = tools.call_blocking(&call, &Context::new());
        assert_eq!(result.content(Encoder::auto()), told);
        let error = result.outcome.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgs);
    }
    assert_eq!(runs.load(Ordering::Relaxed), 0);
}

/// Everything has a default.
#[tool]
fn ping(#[arg(default = 1)] times: u8, note: Option<String>) -> String {
    format!("{times} {note:?}")
}

#[test]
fn no_arguments_are_an_empty_object() {
    let missing = [(
        MissingArgument,
        "query: missing, expected a string of 1 or more characters",
    )];
    for arguments in ["", "  \n", "null", " null ", "{}"] {
        assert_rows(&[(arguments, Refused(&missing), Refused(&missing))]);
        for cx in [
            Context::new(),
            Context::new().with_repairs(toolwright::args::Repairs::None),
        ] {
            let call = ToolCall::new("c1", "ping", arguments);
            let result = tools![ping].call_blocking(&call, &cx);
            assert_eq!(result.content(Encoder::auto()), "1 None", "{arguments:?}");
            assert!(result.repairs.is_empty(), "{arguments:?}");
        }
    }
}

/// A tool of this name.
fn named(name: String) -> Arc<dyn Tool> {
    DynTool::builder()
        .name(name)
        .description("Answers.")
        .handler_sync(|_: serde_json::Value, _| Ok::<_, ToolError>("pong"))
        .build()
        .unwrap()
}

#[test]
fn an_unknown_tool_is_told_with_few_near_names() {
    let names = (0..5000).map(|n| format!("tool_{n:04}"));
    let near = ["search", "searches", "research", "seares", "sear", "arch"];
    let names = names.chain(near.map(str::to_owned));
    let tools = Toolset::new(names.map(named)).unwrap();
    for (name, told) in [
        ("serch", "unknown tool `serch`; did you mean `search`?"),
        (
            "tool_00001",
            "unknown tool `tool_00001`; did you mean `tool_0000` or `tool_0001` or `tool_0002`?",
        ),
        ("launch_the_rocket", "unknown tool `launch_the_rocket`"),
        ("", "the call names no tool"),
    ] {
        for cx in [
            Context::new(),
            Context::new().with_repairs(toolwright::args::Repairs::None),
        ] {
            let result = tools.call_blocking(&ToolCall::new("c1", name, "{}"), &cx);
            assert_eq!(result.content(Encoder::auto()), told);
            let error = result.outcome.unwrap_err();
            assert_eq!(error.kind().as_str(), "unknown_tool");
        }
    }
}

#[test]
fn a_short_name_is_near_where_one_letter_is_wrong() {
    let tools = Toolset::new(["add", "get", "id", "x"].map(|name| named(name.to_owned()))).unwrap();
    for (name, told) in [
        ("ad", "unknown tool `ad`; did you mean `add`?"),
        ("got", "unknown tool `got`; did you mean `get`?"),
        ("ids", "unknown tool `ids`; did you mean `id`?"),
        ("at", "unknown tool `at`"),
        ("is", "unknown tool `is`"),
        ("y", "unknown tool `y`"),
    ] {
        let result = tools.call_blocking(&ToolCall::new("c1", name, "{}"), &Context::new());
        assert_eq!(result.content(Encoder::auto()), told);
    }
}

/// What the author wants the model to read, above what it must not.
#[derive(Debug)]
struct Unavailable(std::io::Error);

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the library is closed today")
    }
}

impl Error for Unavailable {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

/// Fails with an error of its own.
#[tool]
fn fails() -> Result<(), Unavailable> {
    Err(Unavailable(std::io::Error::other("/home/ada/secret.key")))
}

/// Fails as most programs do.
#[tool]
fn fails_boxed() -> Result<(), Box<dyn Error + Send + Sync>> {
    Err(Unavailable(std::io::Error::other("/home/ada/secret.key")).into())
}

/// Panics.
#[tool]
fn panics() {
    panic!("/home/ada/secret.key");
}

#[test]
fn a_tools_error_is_its_authors_words_and_no_more() {
    let tools = tools![fails, fails_boxed, panics];
    let answer = |name: &str| -> ToolResult {
        tools.call_blocking(&ToolCall::new("c1", name, "{}"), &Context::new())
    };
    for name in ["fails", "fails_boxed"] {
        let result = answer(name);
        assert_eq!(
            result.outcome.as_ref().unwrap_err().kind(),
            ErrorKind::Failed
        );
        assert_eq!(
            result.content(Encoder::auto()),
            "the library is closed today"
        );
    }
    let result = answer("panics");
    let error = result.outcome.as_ref().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Panicked);
    for name in ["fails", "fails_boxed", "panics"] {
        let result = answer(name);
        for encoder in [
            Encoder::auto(),
            Encoder::json(),
            Encoder::text(),
            Encoder::envelope_with_attributes(),
        ] {
            let text = result.content(encoder);
            for secret in ["secret", "ada", "/", ".rs"] {
                assert!(!text.contains(secret), "{name}: {text}");
            }
        }
    }
}
