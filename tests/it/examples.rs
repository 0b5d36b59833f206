//! Calls that show a model how a tool is called: where they are sent, and what becomes of one that is refused.
// Tools are written as users write them; and a test that finds less than it expects has failed.
#![allow(
    clippy::needless_pass_by_value,
    clippy::unused_self,
    clippy::unwrap_used,
    clippy::indexing_slicing
)]

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use toolwright::{
    Context, Dialect, DynTool, Encoder, Schema, ToolCall, ToolDef, Toolset, Wire, call::Example,
    tool, tools, toolset::ProblemCode,
};
use toolwright_testing as testing;

/// Tells the weather.
#[tool(
    example({"city": "Oslo", "days": 2}, "two days"),
    example({"city": "Bergen"}),
)]
fn forecast(city: String, #[arg(range(1..=14))] days: Option<u8>) -> String {
    format!("{city} {days:?}")
}

/// Counts words.
#[tool]
fn count(text: String) -> usize {
    text.split(' ').count()
}

/// The compiler does not match patterns.
#[tool(example({"code": "abc"}, "a code"), example({"code": "a1"}))]
fn find(#[arg(pattern = "^[a-z][0-9]$")] code: String) -> String {
    code
}

#[derive(Deserialize, Schema)]
#[serde(tag = "kind")]
enum Part {
    Bolt {
        size: u8,
    },
    Box {
        parts: Vec<Part>,
    },
    #[serde(rename = "none")]
    Nothing,
}

#[derive(Deserialize, Schema)]
struct Line {
    part: Part,
    at: (f64, i8),
    marks: BTreeMap<String, Option<bool>>,
}

/// What the compiler reads in an example: each kind of value.
#[tool(
    example({"line": {"part": {"kind": "Bolt", "size": 7}, "at": [-1.5e2, -8], "marks": {"a": null, "b": true,},},
        "letter": "x", "free": [1, {"any": null}]}, "each kind"),
    example({"line": {"part": {"kind": "Box", "parts": [{"kind": "none"}]}, "at": [0, 2.0], "marks": {}},
        "letter": "\u{e9}", "free": "\"", "other": 1}),
)]
fn pack(line: Line, letter: char, free: Value, other: Option<u16>) -> bool {
    let size = match line.part {
        Part::Bolt { size } => usize::from(size),
        Part::Box { parts } => parts.len(),
        Part::Nothing => 0,
    };
    size > 1
        && line.at.0 > 1.0
        && line.at.1 > 1
        && line.marks.len() > 1
        && letter == 'x'
        && free.is_null()
        && other.is_some()
}

struct Desk;

#[tool]
impl Desk {
    /// Opens a drawer.
    #[tool(example({"number": 3}))]
    fn open(&self, number: u8) -> u8 {
        number
    }
}

/// Echoes.
#[tool(example({"value": "what no compiler looks at before it is listed"}))]
fn echo<T: Schema + serde::de::DeserializeOwned + serde::Serialize>(value: T) -> T {
    value
}

fn definition(tools: &Toolset, wire: Wire) -> Value {
    let all: Value = serde_json::from_str(wire.definitions(tools).as_ref()).unwrap();
    all[0].clone()
}

#[test]
fn anthropic_is_sent_them_and_nobody_else() {
    let tools = tools![forecast];
    let sent = definition(&tools, Wire::Anthropic);
    let examples = json!([{"city": "Oslo", "days": 2}, {"city": "Bergen"}]);
    assert_eq!(sent["input_examples"], examples);
    assert_eq!(sent["description"], "Tells the weather.");
    let strict = Wire::Anthropic.definitions_in(&tools, Dialect::AnthropicStrict);
    let strict = strict.unwrap().text().to_string();
    assert!(strict.contains(r#""input_examples":[{"city":"Oslo","days":2},{"city":"Bergen"}]"#));
    for wire in Wire::ALL {
        if wire == Wire::Anthropic {
            continue;
        }
        let sent = wire.definitions(&tools).to_string();
        assert!(!sent.contains("Oslo"), "{wire:?}: {sent}");
    }
    let sent = definition(&tools![count], Wire::Anthropic);
    assert_eq!(sent.get("input_examples"), None);
}

#[test]
fn others_are_told_them_in_words_by_choice() {
    let tools = tools![forecast, count].describe_examples();
    let words = "Tells the weather.\n\nExamples:\n- two days: {\"city\":\"Oslo\",\"days\":2}\n- {\"city\":\"Bergen\"}";
    let sent = definition(&tools, Wire::OpenAiResponses);
    assert_eq!(sent["description"], words);
    let sent = definition(&tools, Wire::Mcp);
    assert_eq!(sent["description"], words);
    let sent = definition(&tools, Wire::Anthropic);
    assert_eq!(sent["description"], "Tells the weather.");
    assert_eq!(sent["input_examples"][1], json!({"city": "Bergen"}));
    // It is a word about the definition: the tool is the same, and so are its name and its code.
    let renamed = tools.prefix("my_").unwrap();
    assert_eq!(
        definition(&renamed, Wire::OpenAiResponses)["description"],
        words
    );
    let call = ToolCall::new("1", "my_forecast", r#"{"city":"Oslo"}"#);
    let result = renamed.call_blocking(&call, &Context::new());
    assert_eq!(result.value(), Some("Oslo None".into()));
}

#[test]
fn extras_of_the_same_key_come_first() {
    let tool = tools![forecast];
    let tool = tool.iter().next().unwrap();
    let own = json!({"input_examples": [{"city": "Vardø"}]});
    let tools = Toolset::new([tool.clone().with_extras(Wire::Anthropic, own).unwrap()]).unwrap();
    let sent = Wire::Anthropic.definitions(&tools).to_string();
    assert_eq!(sent.matches("input_examples").count(), 1);
    assert!(sent.contains("Vardø"));
}

#[test]
fn help_tells_them() {
    let compact = tools![forecast].compact().unwrap();
    assert!(
        !Wire::Anthropic
            .definitions(&compact)
            .to_string()
            .contains("Oslo")
    );
    let help = ToolCall::new("1", "search_tools", r#"{"query": "forecast"}"#);
    let told = compact.call_blocking(&help, &Context::new());
    let told = told.content(Encoder::auto()).into_owned();
    let end = "\nExamples:\n- two days: {\"city\":\"Oslo\",\"days\":2}\n- {\"city\":\"Bergen\"}";
    assert!(told.ends_with(end), "{told}");
}

#[test]
fn a_refused_one_is_reported_and_not_sent() {
    let tools = tools![find];
    let report = tools.check(Dialect::AnthropicStrict);
    let found: Vec<_> = report.errors().collect();
    assert_eq!(found.len(), 1, "{report}");
    assert_eq!(found[0].code, ProblemCode::RefusedExample);
    assert_eq!(
        found[0].to_string(),
        "error: find: refused_example: the example {\"code\":\"abc\"} is refused: expected a string that matches `^[a-z][0-9]$`, got \"abc\"\n  help: change the example: a model does as it is shown"
    );
    let sent = definition(&tools, Wire::Anthropic);
    assert_eq!(sent["input_examples"], json!([{"code": "a1"}]));
    let sent = definition(&tools.describe_examples(), Wire::OpenAiChat);
    let words = &sent["function"]["description"];
    assert_eq!(
        words,
        "The compiler does not match patterns.\n\nExamples:\n- {\"code\":\"a1\"}"
    );
}

#[test]
fn the_example_of_an_argument_is_decoded_too() {
    /// An expression, whose value is known when the program runs.
    #[tool]
    fn wait(#[arg(range(1..=9), example = u8::MAX / 2)] seconds: u8) -> u8 {
        seconds
    }
    let report = tools![wait].check(Dialect::OpenAiNonStrict);
    let found: Vec<_> = report
        .errors()
        .map(|error| (error.code, error.path.clone()))
        .collect();
    assert_eq!(
        found,
        [(ProblemCode::RefusedExample, Some("/seconds".to_owned()))]
    );
}

#[test]
fn the_kit_calls_them() {
    let tools = tools![forecast, pack, ..Desk: Desk];
    let calls = testing::calls(&tools, 1, 0);
    let texts: Vec<_> = calls.iter().map(|call| &*call.arguments).collect();
    assert_eq!(
        texts[..2],
        [r#"{"city":"Oslo","days":2}"#, r#"{"city":"Bergen"}"#]
    );
    assert!(texts.contains(&r#"{"number":3}"#));
    testing::assert_callable(&tools, &Context::new(), 1, 2);
    let tools = tools![echo::<u8>];
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        testing::assert_callable(&tools, &Context::new(), 1, 0);
    }));
    let message = *refused.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("what no compiler looks at"), "{message}");
}

#[test]
fn values_of_all_kinds_are_the_json_that_stands_there() {
    let tools = tools![pack];
    let examples = &tools.definitions().next().unwrap().examples;
    assert_eq!(
        examples[0].arguments,
        r#"{"line":{"part":{"kind":"Bolt","size":7},"at":[-1.5e2,-8],"marks":{"a":null,"b":true}},"letter":"x","free":[1,{"any":null}]}"#
    );
    assert_eq!(
        (&*examples[0].shows, &*examples[1].shows),
        ("each kind", "")
    );
    assert!(tools.check(Dialect::OpenAiNonStrict).is_accepted());
}

#[test]
fn a_stored_definition_keeps_them() {
    let tools = tools![forecast].describe_examples();
    let def = tools.definitions().next().unwrap();
    let text = serde_json::to_string(def).unwrap();
    assert!(text.contains(r#""examples":[{"arguments":{"city":"Oslo","days":2},"shows":"two days"},{"arguments":{"city":"Bergen"}}]"#));
    let read: ToolDef = serde_json::from_str(&text).unwrap();
    assert_eq!(&read, def);
    let plain = serde_json::to_string(tools![count].definitions().next().unwrap()).unwrap();
    assert!(!plain.contains("examples"));
}

#[test]
fn what_nobody_sees_is_taken_out_of_words_and_refused_in_arguments() {
    let mut def = ToolDef::new("ping", "Answers.");
    def.examples = vec![Example::new("{}", "no\u{200b}thing")];
    let sent = |def: ToolDef| {
        let tools = Toolset::new([DynTool::declare(def)])
            .unwrap()
            .describe_examples();
        let sent = Wire::OpenAiChat.definitions_in(&tools, Dialect::OpenAiNonStrict);
        sent.map(|sent| sent.text().to_string())
    };
    assert!(sent(def.clone()).unwrap().contains("- nothing: {}"));
    def.examples = vec![Example::new("{\"a\":\"\\u200b\"}", "")];
    assert!(sent(def).is_err());
}
