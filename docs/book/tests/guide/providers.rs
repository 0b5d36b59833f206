//! The page `providers.md`.

use serde_json::Value;

use crate::output;

// ANCHOR: program
use toolwright::wire::{Parallel, ToolChoice, WireError};
use toolwright::{Context, Encoder, Toolset, Wire, tool, tools};

/// Weather forecast of a city.
#[tool(read_only)]
fn forecast(city: &str) -> String {
    format!("sun in {city}")
}

/// Runs the calls of a provider's response. Returns the messages for the next request.
fn answer(wire: Wire, tools: &Toolset, response: &str) -> Result<String, WireError> {
    let cx = Context::new();
    let calls = wire.calls(response)?;
    let results: Vec<_> = calls
        .iter()
        .map(|call| tools.call_blocking(call, &cx))
        .collect();
    Ok(wire
        .turn(response, &results, Encoder::auto())?
        .into_string())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tools = tools![forecast];
    let wire = Wire::Anthropic;

    // Members for the request's body, beside the model and the messages.
    println!(
        "{}",
        wire.request(&tools, &ToolChoice::Auto, Parallel::Allowed)?
    );

    let response = r#"{"role": "assistant", "content": [
        {"type": "text", "text": "I will look."},
        {"type": "tool_use", "id": "toolu_1", "name": "forecast", "input": {"city": "Oslo"}}
    ], "stop_reason": "tool_use"}"#;
    println!("{}", answer(wire, &tools, response)?); // append these to the messages
    Ok(())
}
// ANCHOR_END: program

// ANCHOR: detect
fn answer_any(tools: &Toolset, response: &str) -> Result<String, Box<dyn std::error::Error>> {
    let wire = Wire::detect(response).ok_or("no provider's response")?;
    Ok(answer(wire, tools, response)?)
}
// ANCHOR_END: detect

// ANCHOR: choice
fn choices(tools: &Toolset) -> Result<(), Box<dyn std::error::Error>> {
    for wire in [Wire::OpenAiChat, Wire::Anthropic, Wire::Gemini] {
        for choice in [ToolChoice::Required, "forecast".into()] {
            println!("{wire:?}, {choice}: {}", wire.tool_choice(tools, &choice)?);
        }
    }
    Ok(())
}
// ANCHOR_END: choice

// ANCHOR: stream
use toolwright::wire::StreamEvent;

fn streamed(body: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
    let mut stream = Wire::OpenAiChat.accumulator();
    for bytes in body.chunks(50) {
        // As they come from the network, cut anywhere.
        for event in stream.push_bytes(bytes)? {
            match event {
                StreamEvent::Text(text) => println!("text: {text}"),
                StreamEvent::Call { name, .. } => println!("call of {name}"),
                StreamEvent::Arguments { text, .. } => println!("arguments: {text}"),
                _ => {}
            }
        }
    }
    let streamed = stream.finish()?;
    println!(
        "ended: {}, calls that broke off: {}",
        streamed.ended,
        streamed.unfinished.len()
    );
    for call in Wire::OpenAiChat.calls(&streamed.response)? {
        println!("{}({})", call.name, call.arguments);
    }
    Ok(())
}
// ANCHOR_END: stream

// ANCHOR: strict
use std::collections::BTreeMap;

use toolwright::Dialect;

/// Orders books.
#[tool]
fn order(
    /// How many copies of each book
    copies: BTreeMap<String, u32>,
    #[arg(range(1..=5))] priority: Option<u8>,
    #[arg(len(..=200))] note: Option<String>,
) -> String {
    format!("{copies:?} {priority:?} {note:?}")
}

fn in_strict_mode() -> Result<(), Box<dyn std::error::Error>> {
    let tools = tools![order];
    let sent = Wire::OpenAiChat.definitions_in(&tools, Dialect::OpenAiStrict)?;
    println!("{}", sent.request(&ToolChoice::Auto, Parallel::Allowed)?);

    let response = r#"{"choices": [{"message": {"role": "assistant", "tool_calls": [{
        "id": "call_1", "type": "function", "function": {"name": "order", "arguments":
        "{\"copies\": [{\"key\": \"Emma\", \"value\": 2}], \"priority\": null, \"note\": null}"}
    }]}}]}"#;
    for call in sent.calls(response)? {
        let result = tools.call_blocking(&call, &Context::new());
        println!("{}", result.content(Encoder::auto()));
    }
    for (tool, note) in sent.notes() {
        println!("{tool}{note}");
    }
    Ok(())
}
// ANCHOR_END: strict

// ANCHOR: loose
#[derive(serde::Deserialize, toolwright::Schema)]
struct Record {
    id: u32,
    #[serde(flatten)]
    others: BTreeMap<String, String>,
}

/// Stores a record.
#[tool]
fn store(#[arg(flatten)] record: Record) -> String {
    format!("{} {:?}", record.id, record.others)
}

fn not_strict() -> Result<(), Box<dyn std::error::Error>> {
    let sent = Wire::OpenAiChat.definitions_in(&tools![forecast, store], Dialect::OpenAiStrict)?;
    for (tool, why) in sent.non_strict() {
        println!("{tool}: {why}");
    }
    Ok(())
}
// ANCHOR_END: loose

// ANCHOR: targets
fn proven() -> Toolset {
    tools! {
        targets: [openai_strict, anthropic_strict, gemini_json];
        budget: 250;
        forecast, order
    }
}
// ANCHOR_END: targets

// ANCHOR: unproven
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Theirs {
    name: String,
}

/// Takes a type that only schemars knows.
#[tool]
fn take(theirs: Theirs) -> String {
    theirs.name
}

fn with_unproven() -> Toolset {
    tools! { targets: [openai_strict], unproven: [take]; forecast, take }
}
// ANCHOR_END: unproven

// ANCHOR: own_targets
/// Counts words.
#[tool(targets(openai_strict, anthropic_strict))]
fn count(text: &str, most: Option<u32>) -> usize {
    let count = text.split_whitespace().count();
    most.map_or(count, |most| count.min(most as usize))
}
// ANCHOR_END: own_targets

// ANCHOR: check
fn report() {
    let report = tools![forecast, store].check(Dialect::OpenAiStrict);
    println!("{report}");
}
// ANCHOR_END: check

// ANCHOR: keep
use toolwright::wire::DefinitionOptions;

fn keep(tools: &Toolset) -> Result<usize, Box<dyn std::error::Error>> {
    let options = DefinitionOptions::to(Dialect::AnthropicStrict).keep(["order"]);
    let sent = Wire::Anthropic.definitions_in(tools, options)?;
    Ok(sent.non_strict().len())
}
// ANCHOR_END: keep

const STREAM: &str = r#"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"I will look."}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"forecast","arguments":""}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":"}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"Oslo\"}"}}]}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

"#;

#[test]
fn the_first_program() {
    let printed = output::of(|| main().unwrap());
    let (request, turn) = printed.split_once('\n').unwrap();
    output::shown_schema("providers.request.json", request);
    output::shown_schema("providers.turn.json", turn);
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

/// A row for each wire: what stands there by hand is what the wire's documentation says.
#[test]
fn the_table_of_wires() {
    let tools = tools![forecast];
    let words = |wire: Wire| match wire {
        Wire::OpenAiChat => (
            "OpenAI's Chat Completions, and what imitates it",
            "`messages`",
        ),
        Wire::OpenAiResponses => ("OpenAI's Responses", "`input`"),
        Wire::Anthropic => ("Anthropic's Messages", "`messages`"),
        Wire::Gemini => ("Gemini's `generateContent`", "`contents`"),
        Wire::Ollama => ("Ollama's `/api/chat`", "`messages`"),
        Wire::BedrockConverse => ("Amazon Bedrock's Converse", "`messages`"),
        Wire::Mcp => ("MCP up to 2025-11-25, as its server", "the client"),
        Wire::Mcp2026 => ("MCP of 2026-07-28, as its server", "the client"),
        other => panic!("{other:?} has no row"),
    };
    let mut table = vec![
        "| wire | API | `request` writes | `turn` goes to |".to_owned(),
        "| --- | --- | --- | --- |".to_owned(),
    ];
    for wire in Wire::ALL {
        let request = wire
            .request(&tools, &ToolChoice::Required, Parallel::Allowed)
            .or_else(|_| wire.request(&tools, &ToolChoice::Auto, Parallel::Allowed))
            .unwrap();
        let request = parsed(&request);
        let members = request.as_object().unwrap().keys();
        let mut members: Vec<_> = members.map(|key| format!("`{key}`")).collect();
        members.sort_unstable();
        let (api, turn) = words(wire);
        table.push(format!(
            "| `{wire:?}` | {api} | {} | {turn} |",
            members.join(", ")
        ));
    }
    output::shown("providers.wires.md", &table.join("\n"));
}

#[test]
fn the_table_of_dialects() {
    let mut table = vec![
        "| dialect | name | strict | tools in a request |".to_owned(),
        "| --- | --- | --- | --- |".to_owned(),
    ];
    for dialect in Dialect::ALL {
        let strict = if dialect.is_strict() { "yes" } else { "" };
        let tools = dialect.request_limits().tools;
        let tools = tools.map_or(String::new(), |tools| tools.to_string());
        table.push(format!(
            "| `{dialect:?}` | `{dialect}` | {strict} | {tools} |"
        ));
    }
    output::shown("providers.dialects.md", &table.join("\n"));
    assert_eq!("openai_strict".parse(), Ok(Dialect::OpenAiStrict));
}

#[test]
fn a_wire_is_found_by_its_response() {
    let response = r#"{"candidates": [{"content": {"role": "model", "parts": [
        {"functionCall": {"name": "forecast", "args": {"city": "Oslo"}}}
    ]}}]}"#;
    let messages = answer_any(&tools![forecast], response).unwrap();
    assert!(
        messages.contains("functionResponse") && messages.contains("sun in Oslo"),
        "{messages}"
    );
    assert!(answer_any(&tools![forecast], "{}").is_err());
    // Calls without an id get one.
    assert_eq!(&*Wire::Gemini.calls(response).unwrap()[0].id, "call_0");
}

#[test]
fn a_choice_of_tools() {
    let tools = tools![forecast];
    let printed = output::of(|| choices(&tools).unwrap());
    output::shown("providers.choice.txt", &printed);
    let request = |choice| Wire::Ollama.request(&tools, &choice, Parallel::Allowed);
    output::shown(
        "providers.unsupported.txt",
        &request(ToolChoice::Required).unwrap_err().to_string(),
    );
    assert_eq!(request(ToolChoice::None).unwrap(), "{}");
    let error = Wire::Gemini
        .request(&tools, &"forcast".into(), Parallel::Allowed)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "no tool here is named `forcast`; did you mean `forecast`?"
    );
}

#[test]
fn one_call_at_most() {
    let tools = tools![forecast];
    let one = |wire: Wire| wire.request(&tools, &ToolChoice::Auto, Parallel::Forbidden);
    assert_eq!(
        parsed(&one(Wire::OpenAiChat).unwrap())["parallel_tool_calls"],
        false
    );
    let anthropic = parsed(&one(Wire::Anthropic).unwrap());
    assert_eq!(anthropic["tool_choice"]["disable_parallel_tool_use"], true);
    assert!(one(Wire::Gemini).is_err());
}

#[test]
fn a_response_in_pieces() {
    output::shown(
        "providers.stream.txt",
        &output::of(|| streamed(STREAM.as_bytes()).unwrap()),
    );
    let cut = &STREAM[..STREAM.len() / 2];
    let printed = output::of(|| streamed(cut.as_bytes()).unwrap());
    assert!(
        printed.contains("ended: false, calls that broke off: 1"),
        "{printed}"
    );
}

#[test]
fn strict_modes() {
    let printed = output::of(|| in_strict_mode().unwrap());
    let (request, rest) = printed.split_once('\n').unwrap();
    output::shown_schema("providers.strict.json", request);
    output::shown("providers.strict.txt", rest);
    output::shown("providers.loose.txt", &output::of(|| not_strict().unwrap()));
    output::shown("providers.report.txt", &output::of(report));
    assert_eq!(proven().iter().len(), 2);
    assert_eq!(with_unproven().iter().len(), 2);
    assert_eq!(keep(&tools![forecast, order, count]).unwrap(), 0);
}

#[test]
fn plain_definitions_are_not_strict() {
    let text = Wire::OpenAiChat.definitions(&tools![order]).to_string();
    assert!(
        !text.contains("strict") && text.contains("additionalProperties"),
        "{text}"
    );
}

#[test]
fn names_that_a_provider_refuses() {
    use toolwright::{DynTool, ToolDef};
    let tools =
        Toolset::new([DynTool::declare(ToolDef::new("files.list", "Lists files."))]).unwrap();
    let sent = Wire::OpenAiChat
        .definitions_in(&tools, Dialect::OpenAiStrict)
        .unwrap();
    assert!(sent.text().contains(r#""name":"files_list""#));
}

#[test]
fn hidden_characters_are_left_out() {
    let mut def = toolwright::ToolDef::new("add", "Adds.\u{e0048}\u{e0069}");
    let stripped = def.strip_hidden();
    assert_eq!((stripped.removed, &*def.description), (2, "Adds."));
    assert!(stripped.left.is_empty());
}
