//! Values marked as secret are for the tool alone: no error, repair, event, trace or `Debug` shows
//! them, whatever a model sends.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed; and tools take what people write.
#![allow(
    clippy::unwrap_used,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolwright::{
    Context, DynTool, Encoder, Executor, Schema, ToolCall, ToolError, Toolset, Wire,
    args::{Arena, Repairs},
    call::{BoxFuture, Decision},
    executor::{Batch, Event},
    layers::{Approval, Cache, Handled, Layer, Next, Request},
    tool, tools,
    wire::Message,
};

/// Who logs in.
#[derive(Debug, Default, PartialEq, Clone, Serialize, Deserialize, Schema)]
struct Login {
    user: String,
    #[schema(secret, len(3..))]
    password: String,
    #[serde(default)]
    #[schema(secret)]
    pin: Option<u32>,
}

/// A key; its type says that it is a secret.
#[derive(Debug, Deserialize, Schema)]
#[schema(secret)]
struct Key(String);

#[derive(Debug, Deserialize, Schema)]
#[serde(rename_all = "snake_case")]
enum Way {
    Anonymous,
    Token(#[schema(secret)] String),
    Basic {
        user: String,
        #[schema(secret)]
        password: String,
    },
}

#[derive(Debug, Deserialize, Schema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Tagged {
    Open {
        note: String,
    },
    Locked {
        note: String,
        #[schema(secret)]
        code: u32,
    },
}

/// Refuses what it reads in words that repeat it.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Quoting(#[allow(dead_code)] String);

impl TryFrom<String> for Quoting {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Err(format!("cannot take {text}"))
    }
}

impl Schema for Quoting {
    const SHAPE: &'static toolwright::schema::Shape<'static> = String::SHAPE;
}

/// Logs in.
#[tool]
fn login(
    who: Login,
    #[arg(secret, pattern = "^[a-z]+$")] word: Option<String>,
    #[arg(secret)] codes: Vec<u16>,
    times: Option<u8>,
) -> String {
    format!(
        "{} {} {:?}",
        who.user,
        word.is_some(),
        times.map(|n| usize::from(n) + codes.len())
    )
}

/// Uses keys.
#[tool]
fn keys(
    #[arg(secret)] by_name: BTreeMap<String, u32>,
    list: Vec<Key>,
    named: BTreeMap<String, Key>,
) -> usize {
    let keys = list.iter().chain(named.values());
    by_name.len() + keys.map(|Key(key)| key.len()).sum::<usize>()
}

/// Goes in.
#[tool]
fn enter(way: Way, tagged: Tagged, #[arg(secret)] level: Option<Level>) -> String {
    let way = match way {
        Way::Anonymous => 0,
        Way::Token(token) => token.len(),
        Way::Basic { user, password } => user.len() + password.len(),
    };
    let tagged = match tagged {
        Tagged::Open { note } => note.len(),
        Tagged::Locked { note, code } => note.len() + usize::from(code > 0),
    };
    format!("{way} {tagged} {}", level.is_none())
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Schema)]
#[serde(rename_all = "snake_case")]
enum Level {
    Low,
    High,
}

/// Reads what refuses.
#[tool]
fn quoting(#[arg(secret)] it: Quoting) -> bool {
    matches!(it, Quoting(_))
}

/// All arguments are one struct.
#[tool]
fn flat(#[arg(flatten)] who: Login) -> String {
    who.user
}

fn dynamic() -> Arc<dyn toolwright::Tool> {
    DynTool::builder()
        .name("dynamic")
        .description("Logs in.")
        .typed_sync(|who: Login, _| Ok::<_, ToolError>(who.user))
        .validate(|who: &BTreeMap<String, u8>| {
            if who.is_empty() {
                Err(vec!["empty".to_owned()])
            } else {
                Ok(())
            }
        })
        .build()
        .unwrap()
}

fn all() -> Toolset {
    tools![login, keys, enter, quoting, flat].with(dynamic())
}

/// All that a host or a model may see of a batch of calls.
fn everything_seen(calls: &[ToolCall], cx: &Context) -> (Batch, String) {
    seen_of(&all(), calls, cx)
}

fn seen_of(tools: &Toolset, calls: &[ToolCall], cx: &Context) -> (Batch, String) {
    let seen = Arc::new(Mutex::new(String::new()));
    let log = Arc::clone(&seen);
    let executor = Executor::serial(tools).on_event(move |event| {
        let mut log = log.lock().unwrap();
        *log += &format!("{event:?}\n{event:#?}\n");
    });
    let batch = executor.run_blocking(calls, cx);
    let mut log = seen.lock().unwrap().clone();
    log += &format!("{calls:?} {batch:?}");
    for result in batch.results() {
        log += &format!("{result:?}");
        for encoder in [
            Encoder::auto(),
            Encoder::json(),
            Encoder::envelope(),
            Encoder::text(),
        ] {
            log += &result.content(encoder);
        }
        for repair in &result.repairs {
            log += &format!("{repair} {repair:?}");
        }
        if let Err(error) = &result.outcome {
            log += &format!("{error} {error:?} {:?}", error.host_detail());
            for fault in error.faults() {
                log += &format!("{fault} {fault:?}");
            }
        }
    }
    for call in calls {
        log += &tools.get(&call.name).unwrap().redacted(&call.arguments);
        let store = Arena::new();
        // Also what another tool with secrets says of these arguments.
        let other = if tools.get("login").is_some() {
            "login"
        } else {
            &call.name
        };
        let name = other.to_owned();
        let call = toolwright::call::Call::of(call, &store, cx);
        log += &format!("{call:?}");
        if let Err(error) = tools.get(&name).unwrap().validate(call) {
            log += &error.to_string();
        }
        log += &format!("{store:?}");
    }
    (batch, log)
}

fn one(name: &str, arguments: &str) -> String {
    let calls = [ToolCall::new("1", name, arguments)];
    let (batch, _) = everything_seen(&calls, &Context::new());
    batch
        .results()
        .next()
        .unwrap()
        .content(Encoder::auto())
        .into_owned()
}

#[test]
fn a_tool_reads_its_secrets() {
    let arguments = json!({"who": {"user": "ann", "password": "abc"}, "word": "x", "codes": [1]});
    assert_eq!(one("login", &arguments.to_string()), "ann true None");
}

#[test]
fn faults_tell_a_secrets_type_and_no_more() {
    let cases = [
        (
            "login",
            r#"{"who": {"user": 7, "password": "ab"}, "word": "UP", "codes": ["x", 70000]}"#,
            "who.user: expected a string, got a number (not shown)\n\
             who.password: expected a string of 3 or more characters, got a string (not shown)\n\
             word: expected a string that matches `^[a-z]+$` or null, got a string (not shown)\n\
             codes[0]: expected an integer from 0 to 65535, got a string (not shown)\n\
             codes[1]: expected an integer from 0 to 65535, got a number (not shown)",
        ),
        (
            "login",
            r#"{"who": "ann:abc", "codes": [], "word": null}"#,
            "who: expected an object, such as {\"user\":\"text\",\"password\":\"text\"}, got a string (not shown)",
        ),
        (
            "keys",
            r#"{"by_name": {"marker": "x"}, "list": [1], "named": {"b": {}}}"#,
            "by_name[\"…\"]: expected an integer of 0 or more, got a string (not shown)\n\
             list[0]: expected a string, got a number (not shown)\n\
             named.b: expected a string, got an object (not shown)",
        ),
        (
            "enter",
            r#"{"way": {"basic": {"user": "u", "password": 5}}, "tagged": {"kind": "locked", "note": 1, "code": "x"}, "level": "lo"}"#,
            "way.basic.password: expected a string, got a number (not shown)\n\
             tagged.note: expected a string, got a number (not shown)\n\
             tagged.code: expected an integer of 0 or more, got a string (not shown)\n\
             level: expected one of \"low\", \"high\", got a string (not shown)",
        ),
        (
            "quoting",
            r#"{"it": "marker"}"#,
            "it: a string (not shown) is refused",
        ),
    ];
    for (name, arguments, expected) in cases {
        assert_eq!(one(name, arguments), expected, "{arguments}");
    }
}

#[test]
fn what_is_no_json_is_not_quoted_where_it_could_be_a_secret() {
    assert_eq!(
        one("flat", r#"{"password": "abc" marker"#),
        "the arguments are not valid JSON: at byte 19 expected `,` or `}`"
    );
    assert_eq!(
        one("flat", r#"["ann", "marker"]"#),
        "the arguments must be a JSON object, got an array (not shown)"
    );
}

#[test]
fn what_is_shown_of_arguments_is_all_but_their_secrets() {
    let tools = all();
    let shown = |name: &str, text: &str| tools.get(name).unwrap().redacted(text).into_owned();
    assert_eq!(
        shown(
            "login",
            r#"{"who": {"user": "ann", "pasword": "abc", "pin": 3}, "word": "x", "times": 2, "more": 1}"#
        ),
        r#"{"who":{"user":"ann","…":"[secret]","pin":"[secret]"},"word":"[secret]","times":2,"…":"[secret]"}"#
    );
    assert_eq!(
        shown(
            "keys",
            r#"{"by_name": {"a": 1}, "list": ["x", "y"], "named": {"b": "z"}}"#
        ),
        r#"{"by_name":"[secret]","list":["[secret]","[secret]"],"named":{"b":"[secret]"}}"#
    );
    assert_eq!(
        shown(
            "enter",
            r#"{"way": {"token": "x"}, "tagged": {"kind": "locked", "note": "n", "code": 3}}"#
        ),
        r#"{"way":{"token":"[secret]"},"tagged":{"kind":"locked","note":"n","code":"[secret]"}}"#
    );
    assert_eq!(shown("flat", "{\"user\": marker"), "\"[15 bytes]\"");
    assert_eq!(shown("flat", "\"marker\""), "\"[secret]\"");
    assert_eq!(
        shown("dynamic", r#"{"user": "u", "password": "p"}"#),
        r#"{"user":"u","password":"[secret]"}"#
    );
    // A copy under another name keeps the secrets, and so does one whose schema was stored.
    let renamed = tools.prefix("my_").unwrap();
    assert_eq!(
        renamed
            .get("my_flat")
            .unwrap()
            .redacted(r#"{"password":1}"#),
        r#"{"password":"[secret]"}"#
    );
    let mut def = tools.get("flat").unwrap().def().clone();
    def.input = toolwright::schema::SchemaDoc::parse(r#"{"type":"object"}"#).unwrap();
    let attached = tools.attach([def]).unwrap();
    assert_eq!(
        attached.get("flat").unwrap().redacted(r#"{"password":1}"#),
        r#"{"password":"[secret]"}"#
    );
}

#[test]
fn no_provider_is_told_of_a_secret_nor_of_its_default() {
    /// Signs.
    #[tool]
    fn sign(
        #[arg(secret, default = "hunter2".to_owned())] key: String,
        #[arg(default = Login { password: "hunter2".into(), ..Login::default() })] who: Login,
    ) -> usize {
        key.len() + who.user.len()
    }
    let tools = tools![sign];
    let schema = tools.get("sign").unwrap().def().input.as_json().to_owned();
    assert!(!schema.contains("hunter2"), "{schema}");
    assert!(!schema.contains("secret"), "{schema}");
    assert_eq!(
        tools
            .call_blocking(&ToolCall::new("1", "sign", "{}"), &Context::new())
            .content(Encoder::auto()),
        "7"
    );
}

#[test]
fn repairs_of_secrets_tell_types() {
    let calls = [ToolCall::new(
        "1",
        "login",
        r#""{\"who\": \"{\\\"user\\\": \\\"ann\\\", \\\"password\\\": \\\"abc\\\"}\", \"codes\": \"11\", \"times\": \"2\"}""#,
    )];
    let (batch, _) = everything_seen(&calls, &Context::new());
    let result = batch.results().next().unwrap();
    let repairs: Vec<_> = result.repairs.iter().map(ToString::to_string).collect();
    assert_eq!(
        repairs,
        [
            "a string (not shown) was taken for an object (not shown)",
            "who: a string (not shown) was taken for an object (not shown)",
            "codes: a string (not shown) was taken for an array (not shown)",
            "codes[0]: a string (not shown) was taken for a number (not shown)",
            "times: a string (not shown) was taken for a number (not shown)",
        ]
    );
}

/// Arguments with places for secrets (`§`), and for what stands where a part with secrets belongs
/// (`¤`).
const ARGUMENTS: [(&str, &str); 12] = [
    (
        "login",
        r#"{"who": {"user": "ann", "password": §, "pin": §}, "word": §, "codes": [§, §], "times": "2"}"#,
    ),
    ("login", r#"{"who": ¤, "word": "abc", "codes": []}"#),
    ("login", r#"{"who": ["ann", §], "codes": §, "times": 900}"#),
    (
        "keys",
        r#"{"by_name": {"a": §, "b": 1}, "list": [§, "x"], "named": {"k": §}}"#,
    ),
    (
        "keys",
        r#"{"by_name": §, "list": ¤, "named": [{"key": "k", "value": §}]}"#,
    ),
    (
        "enter",
        r#"{"way": {"token": §}, "tagged": {"kind": "locked", "note": "n", "code": §}, "level": §}"#,
    ),
    (
        "enter",
        r#"{"way": {"basic": {"user": "u", "password": §}}, "tagged": {"kind": "open", "note": "n", "code": §}}"#,
    ),
    (
        "enter",
        r#"{"way": ¤, "tagged": {"kind": "lockd", "code": §}}"#,
    ),
    ("enter", r#"{"way": {"tokn": §}, "tagged": ¤}"#),
    ("quoting", r#"{"it": §}"#),
    ("flat", r#"{"user": "u", "password": §, "pin": §}"#),
    ("dynamic", r#"{"user": "u", "password": §, "pin": §}"#),
];

/// What a model may send for a secret; `M` stands for letters and `7` for digits that occur nowhere
/// else.
const SECRETS: [&str; 14] = [
    r#""M""#,
    r#""M7""#,
    "7",
    "-7.5e3",
    r#""7""#,
    r#"["M"]"#,
    "[7, 7]",
    r#"{"x": "M"}"#,
    r#"{"M": 7}"#,
    r#""{\"password\": \"M\"}""#,
    r#""[\"M\"]""#,
    r#""\u004d M""#,
    "M",
    r#"{"user": "M", "password": {"M": ["M"]}}"#,
];

const MARKER: &str = "zqjxkv";
const DIGITS: &str = "7391846250";

fn with_marker(secret: &str) -> String {
    secret.replace('M', MARKER).replace('7', DIGITS)
}

prop_compose! {
    /// A call of a tool with secrets.
    fn any_call()(
        template in prop::sample::select(&ARGUMENTS[..]),
        secrets in prop::collection::vec(prop::sample::select(&SECRETS[..]), 6),
        misspelled in prop::option::of(prop::sample::select(&["password", "word", "codes", "by_name", "list", "named", "code", "token", "it", "pin", "who"][..])),
        cut in prop::option::weighted(0.1, 0..100usize),
        wrapped in 0..3usize,
        around in prop::option::weighted(0.1, prop::sample::select(&["[§]", "§ ", "{\"a\": §", "§", "null §"][..])),
    ) -> (String, String) {
        let (name, template) = template;
        let mut text = template.to_owned();
        for secret in secrets.iter().cycle() {
            let Some(at) = text.find(['§', '¤']) else { break };
            // What fits a place that is not a secret is shown.
            let fits = text[at..].starts_with('¤') && secret.contains("user");
            let secret = if fits { r#""M""# } else { secret };
            text.replace_range(at..at + 2, &with_marker(secret));
        }
        if let Some(key) = misspelled {
            let wrong: String = key.chars().rev().enumerate().filter(|(index, _)| *index != 1).map(|(_, char)| char).collect();
            let wrong: String = wrong.chars().rev().collect();
            text = text.replace(&format!("\"{key}\":"), &format!("\"{wrong}\":"));
        }
        if let Some(around) = around {
            text = around.replace('§', &with_marker("\"M7\"")) + &text;
        }
        if let Some(share) = cut {
            let mut at = text.len() * share / 100;
            while !text.is_char_boundary(at) { at -= 1; }
            text.truncate(at);
        }
        if wrapped == 2 {
            text = serde_json::to_string(&text).unwrap();
        }
        (name.to_owned(), text)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Invariant 5, for secrets.
    #[test]
    fn a_secret_is_seen_nowhere((name, text) in any_call(), mode in 0..2usize) {
        let cx = match mode {
            0 => Context::new(),
            _ => Context::new().with_repairs(toolwright::args::Repairs::None),
        };
        let calls = [ToolCall::new("1", name, text.as_str())];
        let (_, seen) = everything_seen(&calls, &cx);
        // Fewer digits stand in a duration or a time every so often.
        for marker in [MARKER, &MARKER[..3], DIGITS, &DIGITS[..8]] {
            prop_assert!(!seen.contains(marker), "{} in {}\nof {}", marker, seen, text);
        }
    }
}

#[test]
fn layers_and_wrappers_keep_secrets() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&lines);
    let wrapped = all().get("flat").unwrap().clone().handle_errors();
    let tools = Toolset::new([wrapped]).unwrap();
    let executor = Executor::serial(tools)
        .layer(toolwright::layers::Retry::new(1))
        .on_event(move |event| {
            if let Event::Finished { call, redacted, .. } = event {
                let line = format!("{} {} {redacted}", call.id, call.name);
                log.lock().unwrap().push(line);
            }
        });
    let calls = [ToolCall::new(
        "1",
        "flat",
        r#"{"user": "u", "password": "hunter2"}"#,
    )];
    executor.run_blocking(&calls, &Context::new());
    let lines = lines.lock().unwrap();
    let head = r#"1 flat {"user":"u","password":"[secret]"}"#;
    assert!(lines[0].starts_with(head), "{lines:?}");
}

#[derive(Debug, Deserialize, Schema)]
#[serde(untagged)]
#[allow(dead_code)]
enum Note {
    Count(u8),
    Text { text: String },
}

#[derive(Debug, Deserialize, Schema)]
#[allow(dead_code)]
struct Flattened {
    page: Option<u8>,
    #[serde(flatten)]
    note: Tagged,
}

/// A type whose schema says nothing: only its own code says what it reads.
#[derive(Debug, Deserialize)]
struct Opaque {
    size: u8,
}

impl Schema for Opaque {
    const SHAPE: &'static toolwright::schema::Shape<'static> = serde_json::Value::SHAPE;
}

/// Signs in.
#[tool]
#[allow(clippy::too_many_arguments)]
fn sign_in(
    name: String,
    #[arg(secret)] password: String,
    labels: Option<BTreeMap<String, u8>>,
    by_level: Option<BTreeMap<Level, u8>>,
    tags: Option<Vec<u8>>,
    at: Option<(u8, bool)>,
    level: Option<Level>,
    way: Option<Way>,
    note: Option<Note>,
    flattened: Option<Flattened>,
    tagged: Option<Tagged>,
    times: Option<u8>,
    opaque: Option<Opaque>,
) -> String {
    let known = (
        labels, by_level, tags, at, level, way, note, flattened, tagged, times,
    );
    let size = opaque.map(|opaque| opaque.size);
    format!(
        "{name} {} {} {size:?}",
        password.len(),
        format!("{known:?}").len()
    )
}

/// The arguments of `sign_in` whose place holds anything but a string.
const PLACES: [&str; 11] = [
    "labels",
    "by_level",
    "tags",
    "at",
    "level",
    "way",
    "note",
    "flattened",
    "tagged",
    "times",
    "unheard_of",
];

/// What fits none of these places, or is of no shape in them.
const MISFITS: [&str; 20] = [
    r#"{"password": "hunter2"}"#,
    r#"{"text": {"password": "hunter2"}}"#,
    r#"{"kind": "hunter2"}"#,
    r#"{"kind": {"password": "hunter2"}}"#,
    r#"{"kind": "open", "note": {"password": "hunter2"}}"#,
    r#"{"kind": "open", "note": "n", "hunter2": 1}"#,
    r#"{"page": "hunter2", "kind": "open", "note": "n"}"#,
    r#"{"hunter2": "x"}"#,
    r#"{"size": "hunter2"}"#,
    r#"{"size": 1000, "x": "hunter2"}"#,
    r#"{"low": {"hunter2": 1}}"#,
    r#"{"basic": {"user": {"password": "hunter2"}, "password": "x"}}"#,
    r#"{"basic": {"user": "u", "password": "x", "hunter2": 1}}"#,
    r#"{"a": "hunter2", "a": "hunter2"}"#,
    r#"["hunter2"]"#,
    r#"[1, {"password": "hunter2"}]"#,
    r#"[1, true, "hunter2"]"#,
    r#""hunter2""#,
    r#""{\"password\": \"hunter2\"}""#,
    r#""[\"hunter2\"]""#,
];

fn signing_in(arguments: &str) -> String {
    let tools = tools![sign_in];
    let mut seen = String::new();
    for repairs in [Repairs::All, Repairs::Values, Repairs::None] {
        let calls = [ToolCall::new("1", "sign_in", arguments)];
        let cx = Context::new().with_repairs(repairs);
        seen += &seen_of(&tools, &calls, &cx).1;
    }
    seen
}

/// A container, or anything else that does not fit, may hold the secret that belongs beside it.
#[test]
fn what_does_not_fit_is_seen_nowhere() {
    let mut texts = vec![
        r#"{"name": {"password": "hunter2"}, "password": "okok"}"#.to_owned(),
        r#"{"name": ["hunter2"], "password": "okok"}"#.to_owned(),
        r#"{"name": "n", "name": {"password": "hunter2"}, "password": "okok"}"#.to_owned(),
        r#"{"name": "n", "password": "okok", "hunter2": true}"#.to_owned(),
        r#"{"name": "n", "password": "okok", "hunter2": 1, "hunter2": 2}"#.to_owned(),
        r#"{"name": {"password": "hunter2"#.to_owned(),
        r#"[{"name": "n", "password": "hunter2"}]"#.to_owned(),
        r#""hunter2""#.to_owned(),
    ];
    for place in PLACES {
        for misfit in MISFITS {
            // A map has any key.
            if place == "labels" && misfit.starts_with(r#"{"hunter2""#) {
                continue;
            }
            texts.push(format!(
                r#"{{"name": "n", "password": "okok", "{place}": {misfit}}}"#
            ));
        }
    }
    let leaks: Vec<_> = texts
        .iter()
        .filter_map(|text| {
            let seen = signing_in(text);
            let line = seen.lines().find(|line| line.contains("hunter2"))?;
            Some(format!("{text}\n    {line}"))
        })
        .collect();
    assert!(
        leaks.is_empty(),
        "{} of {} are seen:\n{}",
        leaks.len(),
        texts.len(),
        leaks.join("\n")
    );
}

#[test]
fn a_fault_beside_a_secret_says_the_place_and_the_type() {
    for (arguments, expected) in [
        (
            r#"{"name": {"password": "hunter2"}, "password": "okok"}"#,
            "name: expected a string, got an object (not shown)",
        ),
        (
            r#"{"nme": 1, "password": "okok"}"#,
            "[\"…\"]: unknown argument; did you mean `name`?\nname: missing, expected a string",
        ),
        (
            r#"{"name": "n", "password": "okok", "labels": {"a": "hunter2", "b": 2}, "level": "hi"}"#,
            "labels.a: expected an integer from 0 to 255, got a string (not shown)\n\
             level: expected one of \"low\", \"high\", got a string (not shown)",
        ),
        // What a type without a schema refuses.
        (
            r#"{"name": "n", "password": "okok", "opaque": {"size": "hunter2"}}"#,
            "opaque[\"…\"]: expected an integer, got a string (not shown)",
        ),
        (
            r#"{"name": "n", "password": "okok", "opaque": {"password": "hunter2"}}"#,
            "opaque[\"…\"]: unknown key; the only one is `size`",
        ),
        (
            r#"{"name": "n", "password": "okok", "name": "m"}"#,
            "name: given more than once",
        ),
    ] {
        let cx = Context::new().with_repairs(Repairs::None);
        let result = tools![sign_in].call_blocking(&ToolCall::new("1", "sign_in", arguments), &cx);
        assert_eq!(result.content(Encoder::auto()), expected);
    }
}

#[test]
fn what_fits_is_shown_beside_a_secret() {
    let shown = |text: &str| {
        tools![sign_in]
            .get("sign_in")
            .unwrap()
            .redacted(text)
            .into_owned()
    };
    let text = r#"{"name":"n","labels":{"a":1},"by_level":{"low":2},"tags":[1],"at":[1,true],"level":"low","note":{"text":"t"},"flattened":{"page":null,"kind":"open","note":"n"},"tagged":{"kind":"open","note":"n"},"times":2,"opaque":{"size":1}}"#;
    assert_eq!(shown(text), text);
    assert_eq!(
        shown(
            r#"{"name":{"password":"hunter2"},"password":"okok","times":"2","hunter2":[],"by_level":{"lo":1}}"#
        ),
        r#"{"name":"[secret]","password":"[secret]","times":"[secret]","…":"[secret]","by_level":"[secret]"}"#
    );
}

/// A schema that arrived at run time does not know the secrets of the handler's type.
#[test]
fn a_schema_of_run_time_tells_no_secret_of_the_handler() {
    #[derive(Deserialize, Schema)]
    struct Keys {
        #[schema(secret)]
        by_name: BTreeMap<String, u8>,
        user: Option<String>,
    }
    let tool = DynTool::builder()
        .name("keyed")
        .description("Uses keys.")
        .parameters(
            toolwright::schema::SchemaDoc::parse(
                &json!({
                    "type": "object",
                    "properties": {
                        "by_name": {"type": "object", "additionalProperties": {"type": "integer"}},
                        "user": {"enum": ["ann", "bob"]},
                    },
                    "additionalProperties": false,
                })
                .to_string(),
            )
            .unwrap(),
        )
        .typed_sync(|keys: Keys, _| {
            Ok::<_, ToolError>(keys.by_name.len() + keys.user.map_or(0, |user| user.len()))
        })
        .build()
        .unwrap();
    let tools = Toolset::new([tool]).unwrap();
    for arguments in [
        r#"{"by_name": {"hunter2": "x"}}"#,
        r#"{"by_name": {}, "hunter2": 1}"#,
        r#"{"by_name": {}, "user": {"password": "hunter2"}}"#,
        r#"{"by_name": "{\"hunter2\": 1}"}"#,
        r#"["hunter2"]"#,
        r#""{\"by_name\": {\"hunter2\": 1}}""#,
    ] {
        let (_, seen) = seen_of(
            &tools,
            &[ToolCall::new("1", "keyed", arguments)],
            &Context::new(),
        );
        assert!(!seen.contains("hunter2"), "{seen}\nof {arguments}");
    }
}

/// A layer of which a copy is kept.
struct Kept(Arc<Cache>);

impl Layer for Kept {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        self.0.call(request, next)
    }
}

/// Nothing here knows the tool, so nothing shows its arguments.
#[test]
fn what_does_not_know_the_tool_shows_no_arguments() {
    let call = ToolCall::new("1", "sign_in", r#"{"name": "n", "password": "hunter2"}"#);
    let edit = Decision::edit(json!({"password": "hunter2"}));
    let cx = Context::new().with_session("s");
    let executor = Executor::serial(tools![sign_in]).layer(Approval::when(|_| true));
    let batch = executor.run_blocking(std::slice::from_ref(&call), &cx);
    let pending = batch.pending().next().unwrap();
    // A cache holds the arguments of the calls whose answers it holds.
    let cache = Arc::new(Cache::new(10).always_for(["sign_in"]));
    let cached = Executor::serial(tools![sign_in]).layer(Kept(Arc::clone(&cache)));
    cached.run_blocking(std::slice::from_ref(&call), &cx);

    let input = r#""name":"sign_in","input":{"password":"hunter2"}"#;
    let response = format!(r#"{{"content":[{{"type":"tool_use","id":"1",{input}}}]}}"#);
    let completion = Wire::Anthropic.completion(&response).unwrap();
    let mut accumulator = Wire::Anthropic.accumulator();
    let begin = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"1","name":"sign_in","input":{}}}"#;
    let piece = r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"password\":\"hunter2\"}"}}"#;
    let mut events = accumulator.push(begin).unwrap();
    events.extend(accumulator.push(piece).unwrap());

    let mut shown = vec![
        ("ToolCall", format!("{call:?}")),
        ("Decision", format!("{edit:?} {edit:#?}")),
        ("DecidedCall", format!("{:?}", pending.with_decision(edit))),
        ("Pending", format!("{pending:?}")),
        ("Batch", format!("{batch:?}")),
        ("Executor", format!("{executor:?} {cached:?}")),
        ("Cache", format!("{cache:?}")),
        ("Completion", format!("{completion:?}")),
        (
            "Message",
            format!("{:?}", Message::Echo(&completion.messages)),
        ),
        ("StreamEvent", format!("{events:?}")),
        ("Accumulator", format!("{accumulator:?}")),
    ];
    shown.push(("Streamed", format!("{:?}", accumulator.finish().unwrap())));
    shown.retain(|(_, text)| text.contains("hunter2"));
    assert!(shown.is_empty(), "{shown:#?}");
}
