//! What a provider would say of a toolset, known before it is asked.
// A test that finds less than it expects has failed.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use toolwright::{
    Dialect, DynTool, Outcome, Tool, ToolDef, Toolset, Wire,
    call::{Answer, Call},
    dialect::{Limit, LowerErrorCode, NoteKind},
    schema::SchemaDoc,
    tool, tools,
    toolset::{ProblemCode, Report, Severity},
};
use toolwright_testing as testing;

fn declared(name: &'static str, schema: &str) -> Arc<dyn Tool> {
    let mut def = ToolDef::new(name, "Does something.");
    def.input = SchemaDoc::parse(schema).unwrap();
    DynTool::declare(def)
}

fn set(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Toolset {
    Toolset::new(tools).unwrap()
}

/// Tool, path and code of each error.
fn errors(report: &Report) -> Vec<(&str, &str, &str)> {
    report
        .errors()
        .map(|problem| {
            (
                problem.tool.as_deref().unwrap_or_default(),
                problem.path.as_deref().unwrap_or_default(),
                problem.code.as_str(),
            )
        })
        .collect()
}

#[test]
fn every_problem_of_every_tool_is_told() {
    let tools = set([
        declared(
            "first",
            r#"{"type": "object", "properties": {
                "none": false,
                "fine": {"type": "string"},
                "lists": {"type": "array", "items": {"allOf": [{"pattern": "a"}, {"pattern": "b"}]}},
                "inner": {"type": "object", "properties": {"none": false, "any": {}}}
            }}"#,
        ),
        declared("second", r#"{"type": "string"}"#),
        declared(
            "third",
            r#"{"type": "object", "properties": {"n": {"type": "integer"}}}"#,
        ),
        declared(
            "fourth",
            r#"{"type": "object", "properties": {"x y": {"type": "string"}, "ü": {"type": "string"}, "v": false}}"#,
        ),
    ]);
    assert_eq!(
        errors(&tools.check(Dialect::OpenAiStrict)),
        [
            ("first", "/none", "false_schema"),
            ("first", "/lists/*", "all_of"),
            ("first", "/inner/none", "false_schema"),
            ("second", "/", "root_not_object"),
            ("fourth", "/v", "false_schema"),
        ]
    );
    assert_eq!(
        errors(&tools.check(Dialect::AnthropicStrict)).split_off(3),
        [("fourth", "/v", "false_schema")]
    );
    let report = tools.check(Dialect::Mcp20260728);
    assert_eq!(errors(&report), [("second", "/", "root_not_object")]);
    assert_eq!(
        report.to_string(),
        "mcp_2026_07_28 does not accept 1 of 4 tools: 1 error
error: second: /: root_not_object: the arguments are not objects
  help: the arguments are one object: put this value behind a name, as a parameter
note: second: left_out: requests leave the tool out; the other tools work"
    );
}

/// Does nothing.
#[tool]
fn rest() {}

/// Searches.
#[tool]
fn search(a: Option<u8>, b: Option<&str>, c: Option<bool>) {
    let _ = (a, b, c);
}

fn many(one: &Toolset, count: usize) -> Toolset {
    let own = one.definitions().next().unwrap().name.clone();
    (0..count).fold(tools![], |all, index| {
        all.merge(&one.rename(&own, &format!("{own}_{index}")).unwrap())
            .unwrap()
    })
}

#[test]
fn a_request_holds_so_much_and_no_more() {
    let report = many(&tools![rest], 129).check(Dialect::OpenAiStrict);
    let code = ProblemCode::TooMany(Limit::Tools);
    assert!(!report.is_accepted());
    assert_eq!((report.problems.len(), report.problems[0].code), (1, code));
    assert_eq!(
        report.problems[0].message,
        "129 tools, and one request may hold 128"
    );
    for (count, dialect) in [
        (128, Dialect::OpenAiStrict),
        (128, Dialect::OpenAiNonStrict),
        (20, Dialect::AnthropicStrict),
        (200, Dialect::Anthropic),
        (200, Dialect::GeminiJson),
    ] {
        let report = many(&tools![rest], count).check(dialect);
        assert!(report.is_accepted(), "{report}");
    }

    let report = many(&tools![search], 21).check(Dialect::AnthropicStrict);
    assert_eq!(
        report.to_string(),
        "anthropic_strict does not accept 21 tools: 2 errors
error: too_many_tools: 21 tools, and one request may hold 20
  help: send the tools that a turn needs, and no others
error: too_many_optional_keys: 63 keys that may be missing, and one request may hold 24
  help: send some of the tools without strictness"
    );
    let nullable = r#"{"type": "object", "properties": {"n": {"type": ["integer", "null"]}}, "required": ["n"]}"#;
    let names = [
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q",
    ];
    let unions = |count: usize| {
        let tools = names.into_iter().take(count);
        set(tools.map(|name| declared(name, nullable))).check(Dialect::AnthropicStrict)
    };
    assert!(unions(16).is_accepted());
    assert_eq!(errors(&unions(17)), [("", "", "too_many_unions")]);
}

/// A tool of a server that takes any name.
struct Foreign(ToolDef);

impl Tool for Foreign {
    fn def(&self) -> &ToolDef {
        &self.0
    }

    fn call<'a>(&'a self, _: Call<'a>) -> Answer<'a> {
        Answer::Ready(Ok(Outcome::value("")))
    }
}

#[test]
fn a_name_that_is_told_otherwise_is_a_note() {
    let tools = set([Arc::new(Foreign(ToolDef::new("files/list", "Lists."))) as Arc<dyn Tool>]);
    let report = tools.check(Dialect::GeminiJson);
    assert!(report.is_accepted());
    assert_eq!(
        report.to_string(),
        "gemini_json accepts 1 tool
note: files/list: renamed: the provider does not take the name, and is told `files_list`"
    );
}

#[test]
fn a_long_description_is_a_note_where_one_has_been_refused() {
    let of = |len: usize| set([DynTool::declare(ToolDef::new("long", "é".repeat(len)))]);
    let report = of(1025).check(Dialect::OpenAiStrict);
    assert!(report.is_accepted());
    let codes: Vec<_> = report.notes().map(|note| note.code).collect();
    assert_eq!(codes, [ProblemCode::LongDescription]);
    assert_eq!(report.notes().next().unwrap().severity, Severity::Note);
    assert!(of(1024).check(Dialect::OpenAiStrict).problems.is_empty());
    assert!(of(9000).check(Dialect::Anthropic).problems.is_empty());
}

/// Texts that look like what they are.
const SEEN: [&str; 21] = [
    "",
    "Plain words,\n\twith “quotes”, an ëxtra mark and 日本語.",
    "👩‍👩‍👧‍👦 family",
    "👍🏽 thumbs",
    "❤️ and ❤️‍🔥, ✈️, ☎︎",
    "1️⃣ #️⃣ keycaps",
    "🇨🇭 flag",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿 England 🏴󠁧󠁢󠁳󠁣󠁴󠁿 Scotland",
    "🏴‍☠️ pirates, 🏳️‍🌈 rainbow",
    "👨🏿‍🚀 astronaut",
    "🧑‍🤝‍🧑",
    "می‌خواهم",
    "क्‍ष",
    "葛\u{e0100}城",
    "⠓⠊⠀⠁",
    "۝٣",
    "two\r\nlines, © and ™\u{fe0f}",
    "≨\u{fe00}",
    "©️ ™️",
    "ไทย\u{200b}ไทย",
    "ක්\u{200d}",
];

/// Texts that hold more than they show, and what it is.
const HIDDEN: [(&str, &str); 24] = [
    ("ta\u{e0041}g", "U+E0041, a tag character"),
    ("🏴\u{e0067}\u{e0062}", "U+E0067, a tag character"),
    ("🏴\u{e007f}", "U+E007F, a tag character"),
    (
        "🏴\u{e0061}\u{e0062}\u{e0063}\u{e0064}\u{e0065}\u{e0066}\u{e0067}\u{e007f}",
        "U+E0061, a tag character",
    ),
    (
        "👍\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        "U+E0067, a tag character",
    ),
    ("zero\u{200b}width", "U+200B, a zero-width space"),
    ("join\u{200d}ed", "U+200D, a zero-width joiner"),
    ("👩\u{200d}x", "U+200D, a zero-width joiner"),
    ("\u{feff}start", "U+FEFF, a byte-order mark"),
    ("soft\u{ad}hyphen", "U+00AD, a character without width"),
    ("word\u{2060}s", "U+2060, a word joiner"),
    (
        "a\u{202e}b",
        "U+202E, a mark that turns the direction of text",
    ),
    (
        "a\u{2066}b",
        "U+2066, a mark that turns the direction of text",
    ),
    ("a \u{fe0f}", "U+FE0F, a variation selector"),
    ("❤\u{fe0f}\u{fe0f}", "U+FE0F, a variation selector"),
    ("葛\u{e0105}\u{e0106}", "U+E0106, a variation selector"),
    ("😀\u{e0105}", "U+E0105, a variation selector"),
    ("a\u{fe00}b\u{e0142}", "U+FE00, a variation selector"),
    ("ж\u{e01ef}", "U+E01EF, a variation selector"),
    ("blank\u{2800}", "U+2800, a blank of Braille"),
    ("object\u{fffc}", "U+FFFC, a place for an object"),
    ("short\u{1bca3}hand", "U+1BCA3, a formatting character"),
    ("red\u{1b}[31m", "U+001B, a control character"),
    ("over\rwritten", "U+000D, a control character"),
];

#[test]
fn what_nobody_sees_is_an_error_wherever_it_stands() {
    for text in SEEN {
        let tools = set([DynTool::declare(ToolDef::new("seen", text))]);
        assert!(tools.check(Dialect::Anthropic).is_accepted(), "{text:?}");
    }
    for (text, what) in HIDDEN {
        let tools = set([DynTool::declare(ToolDef::new("hides", text))]);
        let report = tools.check(Dialect::Anthropic);
        assert_eq!(report.problems.len(), 1, "{report}");
        assert_eq!(report.problems[0].code, ProblemCode::HiddenText);
        let expected =
            format!("the description holds {what}, which a model reads and a person does not see");
        assert_eq!(report.problems[0].message, expected);
    }
    let schema = r#"{"type": "object", "properties": {
        "a": {"type": "object", "properties": {"b": {"type": "string", "description": "x\u200by"}}},
        "c\u2066": {"type": "string"},
        "d": {"anyOf": [{"type": "null"}, {"type": "string", "enum": ["on", "o\u200bff"]}]},
        "e": {"type": "array", "items": {"type": "string", "title": "\ufeff"}},
        "f": {"$ref": "\u0023/$defs/F"}
    }, "$defs": {"F": {"type": "string", "description": "\u202e"}}}"#;
    let report = set([declared("deep", schema)]).check(Dialect::Mcp20260728);
    let found: Vec<_> = report
        .errors()
        .map(|problem| (problem.path.as_deref().unwrap(), problem.code.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("/a/b", "hidden_text"),
            ("/", "hidden_text"),
            ("/d/?1", "hidden_text"),
            ("/e/*", "hidden_text"),
            ("#/$defs/F", "hidden_text"),
        ]
    );
    // A report shows what was hidden, and does not hide it again.
    let tools = set([DynTool::declare(ToolDef::new("a\u{202e}b", "Hides."))]);
    let told = tools.check(Dialect::Mcp20260728).to_string();
    assert!(
        told.contains(r"error: a\u{202e}b: hidden_text: the name holds U+202E"),
        "{told}"
    );
    assert!(!told.contains('\u{202e}'));
}

#[test]
fn an_assertion_tells_the_whole_report() {
    testing::assert_accepted(&tools![rest, search], Dialect::OpenAiStrict);
    let tools = set([
        declared("one", r#"{"type": "object", "properties": {"a": false}}"#),
        declared("two", r#"{"type": "array"}"#),
    ]);
    let panic = catch_unwind(AssertUnwindSafe(|| {
        testing::assert_accepted(&tools, Dialect::OpenAiStrict);
    }));
    let message = panic.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(*message, tools.check(Dialect::OpenAiStrict).to_string());
    assert!(message.contains("one: /a: false_schema") && message.contains("two: /: root_not"));
}

#[test]
fn a_schema_is_refused_here_where_lowering_refuses_it() {
    let rejected = declared("one", r#"{"type": "object", "properties": {"a": false}}"#);
    let report = set([rejected]).check(Dialect::OpenAiStrict);
    assert_eq!(
        report.problems[0].code,
        ProblemCode::Rejected(LowerErrorCode::FalseSchema)
    );
}

fn least() -> u8 {
    7
}

#[derive(serde::Deserialize, toolwright::Schema)]
struct Page {
    #[serde(default = "least")]
    #[schema(range(..=5))]
    rows: u8,
}

/// Lists.
#[tool]
fn list(
    #[arg(default = least() - 7, range(1..=5))] most: u8,
    #[arg(default = String::from("A"), pattern = "^[a-z]$")] from: String,
    #[arg(default = 3, range(1..=5))] fine: u8,
    pages: &[Page],
) {
    let _ = (most, from, fine, pages.first().map(|page| page.rows));
}

#[test]
fn a_default_that_its_own_bounds_refuse_is_told_and_not_published() {
    let tools = tools![list];
    for dialect in [Dialect::OpenAiStrict, Dialect::Mcp20260728] {
        assert_eq!(
            errors(&tools.check(dialect)),
            [
                ("list", "/most", "refused_default"),
                ("list", "/from", "refused_default"),
                ("list", "/pages/*/rows", "refused_default"),
            ]
        );
    }
    let report = tools.check(Dialect::Anthropic).to_string();
    assert!(
        report.contains(
            "error: list: /most: refused_default: the default 0 is refused by its own bounds: \
             expected an integer from 1 to 5, got 0"
        ),
        "{report}"
    );
    let schema = tools.definitions().next().unwrap().input.to_value();
    let properties = &schema["properties"];
    assert_eq!(properties["fine"]["default"], 3);
    for place in [&properties["most"], &properties["from"]] {
        assert_eq!(place.get("default"), None);
    }
    for dialect in [Dialect::OpenAiStrict, Dialect::Anthropic] {
        let sent = Wire::OpenAiChat.definitions_in(&tools, dialect).unwrap();
        let notes = sent
            .notes()
            .filter(|(_, note)| note.kind == NoteKind::RefusedDefault);
        let notes: Vec<_> = notes.map(|(_, note)| note.to_string()).collect();
        assert_eq!(
            notes,
            [
                "/most: refused_default default 0",
                r#"/from: refused_default default "A""#,
                "/pages/*/rows: refused_default default 7",
            ]
        );
    }
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        testing::assert_callable(&tools, &toolwright::Context::new(), 1, 1)
    }));
    let message = *panicked.unwrap_err().downcast::<String>().unwrap();
    assert!(
        message.contains("list: /most: refused_default: the default 0 is refused"),
        "{message}"
    );
}

/// What a type that only schemars knows leaves open is not sent as an object without keys.
#[cfg(feature = "schemars")]
mod schemars_alone {
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use serde::Deserialize;
    use toolwright::{Dialect, ToolCall, Wire, tool, tools};

    #[derive(Deserialize)]
    struct Record(serde_json::Map<String, serde_json::Value>);

    impl JsonSchema for Record {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Record".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({"type": "object"})
        }
    }

    /// Stores.
    #[tool]
    fn store(record: &Record) -> usize {
        record.0.len()
    }

    #[test]
    fn an_open_object_stays_open() {
        let tools = tools![store];
        let published = tools.definitions().next().unwrap().input.to_value();
        let open = serde_json::json!({"type": "object"});
        assert_eq!(published["properties"]["record"], open);
        let sent = |dialect| Wire::OpenAiChat.definitions_in(&tools, dialect).unwrap();
        let loose = sent(Dialect::OpenAiNonStrict);
        assert!(
            loose
                .text()
                .contains(r#"{"type":"object","additionalProperties":true}"#)
        );
        // A list of entries, each with a string of JSON.
        let mut call = ToolCall::new(
            "1",
            "store",
            r#"{"record": [{"key": "a", "value": "1"}, {"key": "b", "value": "[]"}]}"#,
        );
        sent(Dialect::OpenAiStrict).restore(&mut call);
        assert_eq!(&*call.arguments, r#"{"record":{"a":1,"b":[]}}"#);
    }
}

/// Looks for something.
#[tool]
fn nested(query: Nested) -> u32 {
    query.limit
}

/// Looks for something.
#[tool]
fn flat(#[arg(flatten)] query: Nested) -> u32 {
    query.limit
}

/// A query.
#[derive(serde::Deserialize, toolwright::Schema)]
struct Nested {
    limit: u32,
}

#[test]
fn an_only_argument_that_is_a_struct_is_noted() {
    let tools = tools![nested, flat];
    let report = tools.check(Dialect::OpenAiStrict);
    assert_eq!(
        report.to_string(),
        "openai_strict accepts 2 tools\n\
         note: nested: nested_arguments: `query` is the only argument, and an object\n  \
         help: mark it `#[arg(flatten)]`, and its fields are the tool's arguments"
    );
}
