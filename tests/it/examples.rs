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

/// Finds a code.
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

/// An example of each kind of value.
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
#[tool(example({"value": "no number"}))]
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

fn described(tools: &Toolset) -> Toolset {
    Toolset::new(tools.iter().map(|tool| tool.clone().describe_examples())).unwrap()
}

#[test]
fn others_are_told_them_in_words_by_choice() {
    let tools = described(&tools![forecast, count]);
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
        "error: find: refused_example: the example {\"code\":\"abc\"} is refused: code: expected a string that matches `^[a-z][0-9]$`, got \"abc\"\n  help: change the example: a model does as it is shown"
    );
    let sent = definition(&tools, Wire::Anthropic);
    assert_eq!(sent["input_examples"], json!([{"code": "a1"}]));
    let sent = definition(&described(&tools), Wire::OpenAiChat);
    let words = &sent["function"]["description"];
    assert_eq!(words, "Finds a code.\n\nExamples:\n- {\"code\":\"a1\"}");
}

#[derive(Deserialize, Schema)]
struct Goods {
    sku: String,
    #[schema(range(1..))]
    count: u32,
}

#[derive(Deserialize, Schema)]
enum Colour {
    Red,
    Rgb { red: u8 },
}

/// Orders goods. Each example is wrong.
#[tool(
    example({"goods": [{"sku": "a", "count": 1}, {"sku": "b", "count": 0, "colour": "red"}]}),
    example({}),
    example({"goods": null}),
    example({"goods": [], "colour": "Rde"}),
    example({"goods": [], "colour": {"Rgb": {"red": "many"}}, "at": [1, 2]}),
    example({"goods": [], "tags": ["a", "b", "a"]}),
    example({"goods": [], "days": 15}),
    example({"goods": [], "days": -1}),
    example({"goods": [], "days": 2.5}),
    example({"goods": [], "name": "Oslo"}),
    example({"goods": [], "name": 7}),
)]
fn order(
    goods: Vec<Goods>,
    colour: Option<Colour>,
    at: Option<(u8, u8, u8)>,
    #[arg(unique)] tags: Option<Vec<String>>,
    #[arg(range(1..=14))] days: Option<u8>,
    #[arg(len(..=3))] name: Option<String>,
) -> usize {
    let first = goods
        .first()
        .map_or(0, |goods| goods.sku.len() + goods.count as usize);
    let colour = match colour {
        Some(Colour::Rgb { red }) => red.into(),
        Some(Colour::Red) | None => 0,
    };
    let numbers = days.map_or(0, usize::from) + at.map_or(0, |at| at.0.into());
    first + colour + numbers + tags.map_or(0, |tags| tags.len()) + name.map_or(0, |name| name.len())
}

/// Measures. Each example is wrong.
#[tool]
fn measure(
    #[arg(example = [1, 300])] list: Vec<u8>,
    #[arg(example = 5)] name: String,
    #[arg(example = true)] maybe: Option<&str>,
    #[arg(range(0.5..=2.0), example = -1.5)] size: f64,
    #[arg(example = "5")] count: u8,
    #[arg(range(1..=9), example = u8::MAX / 2)] seconds: u8,
) -> usize {
    list.len()
        + name.len()
        + maybe.map_or(0, str::len)
        + usize::from(size > 1.0)
        + usize::from(count + seconds)
}

fn refused(tools: &Toolset) -> Vec<String> {
    let report = tools.check(Dialect::OpenAiNonStrict);
    let shown = report.errors().map(|error| {
        assert_eq!(error.code, ProblemCode::RefusedExample, "{error}");
        let why = error.message.split_once(" is refused: ").unwrap().1;
        let path = error.path.as_deref().unwrap_or_default();
        format!("{}{path}: {why}", error.tool.as_deref().unwrap())
    });
    shown.collect()
}

#[test]
fn a_check_reports_every_fault_of_every_example() {
    let expected = [
        "order: goods[1].count: expected an integer from 1 to 4294967295, got 0",
        "order: goods[1].colour: unknown key; there are `sku`, `count`",
        "order: goods: missing, expected an array, such as [{\"sku\":\"text\",\"count\":1}]",
        "order: goods: expected an array, such as [{\"sku\":\"text\",\"count\":1}], got null",
        "order: colour: expected \"Red\" or an object whose key is \"Rgb\", got \"Rde\"; did you mean `Red`?",
        "order: colour.Rgb.red: expected an integer from 0 to 255, got \"many\"",
        "order: at: expected an array of 3 elements or null, such as [1,1,1], got [1,2]",
        "order: tags[2]: \"a\" is there already; no two elements may be equal",
        "order: days: expected an integer from 1 to 14 or null, got 15",
        "order: days: expected an integer from 1 to 14 or null, got -1",
        "order: days: expected an integer from 1 to 14 or null, got 2.5",
        "order: name: expected a string of at most 3 characters or null, got \"Oslo\"",
        "order: name: expected a string of at most 3 characters or null, got 7",
    ];
    assert_eq!(refused(&tools![order, forecast]), expected);
    let expected = [
        "measure/list: [1]: expected an integer from 0 to 255, got 300",
        "measure/name: expected a string, got 5",
        "measure/maybe: expected a string or null, got true",
        "measure/size: expected a number from 0.5 to 2.0, got -1.5",
        "measure/count: expected an integer from 0 to 255, got \"5\"",
        "measure/seconds: expected an integer from 1 to 9, got 127",
    ];
    assert_eq!(refused(&tools![measure]), expected);
}

#[test]
fn a_tool_that_is_made_at_run_time_is_checked_too() {
    use toolwright::{ToolError, schema::SchemaDoc};

    let mut def = ToolDef::new("sum", "Adds.");
    let schema = r#"{"type": "object", "properties": {"n": {"type": "integer"}}}"#;
    def.input = SchemaDoc::parse(schema).unwrap();
    def.examples = vec![
        Example::new(r#"{"n": 1}"#, ""),
        Example::new(r#"{"n": "one"}"#, ""),
        // A model may be repaired; an example is what a model copies.
        Example::new(r#"{"n": "1"}"#, ""),
    ];
    let sum = DynTool::builder()
        .def(def)
        .handler_sync(|n: Value, _| Ok::<_, ToolError>(n));
    let tools = Toolset::new([sum.build().unwrap()]).unwrap();
    let expected = [
        "sum: n: expected an integer, got \"one\"",
        "sum: n: expected an integer, got \"1\"",
    ];
    assert_eq!(refused(&tools), expected);
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
    assert!(message.contains("no number"), "{message}");
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
    let tools = described(&tools![forecast]);
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
        let tools = Toolset::new([DynTool::declare(def).describe_examples()]).unwrap();
        let sent = Wire::OpenAiChat.definitions_in(&tools, Dialect::OpenAiNonStrict);
        sent.map(|sent| sent.text().to_string())
    };
    assert!(sent(def.clone()).unwrap().contains("- nothing: {}"));
    def.examples = vec![Example::new("{\"a\":\"\\u200b\"}", "")];
    assert!(sent(def).is_err());
}
