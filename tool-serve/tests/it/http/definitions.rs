//! What providers would get of a tool, and which tools need approval.

use serde_json::{Value, json};
use toolwright::layers::Approval;
use toolwright::schema::SchemaDoc;
use toolwright::{Dialect, DynTool, Executor, ToolDef, Toolset, Wire};

use super::client::{Served, serve, serve_tools, serve_with};
use super::tools;

fn definitions(served: &Served, tool: &str) -> Value {
    let answer = served.get(&format!("/tools/{tool}/definitions"));
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

#[test]
fn every_wire_says_what_it_sends_of_a_tool() {
    let sent = definitions(&serve(), "order");
    let table = [
        ("openai_chat", Wire::OpenAiChat, Dialect::OpenAiStrict),
        (
            "openai_responses",
            Wire::OpenAiResponses,
            Dialect::OpenAiStrict,
        ),
        ("anthropic", Wire::Anthropic, Dialect::Anthropic),
        ("gemini", Wire::Gemini, Dialect::GeminiJson),
        ("bedrock", Wire::BedrockConverse, Dialect::Bedrock),
        ("ollama", Wire::Ollama, Dialect::Ollama),
        ("mcp", Wire::Mcp, Dialect::Mcp20251125),
        ("mcp_2026", Wire::Mcp2026, Dialect::Mcp20260728),
    ];
    let one = tools::all().filter(|tool| tool.def().name == "order");
    for (name, wire, dialect) in table {
        let expected = wire.definitions_in(&one, dialect).unwrap();
        let notes = expected.notes().map(|(_, note)| note.to_string());
        let expected = json!({
            "dialect": dialect.name(),
            "tools": serde_json::from_str::<Value>(expected.text().as_ref()).unwrap(),
            "notes": notes.collect::<Vec<_>>(),
        });
        assert_eq!(sent[name], expected, "{name}");
    }
    assert_eq!(sent.as_object().unwrap().len(), Wire::ALL.len());
    assert_eq!(sent["openai_chat"]["tools"][0]["function"]["strict"], true);
}

#[test]
fn a_dialect_that_refuses_a_tool_says_why() {
    // Arguments that are not objects.
    let mut def = ToolDef::new("list", "Lists.");
    def.input = SchemaDoc::parse(r#"{"type": "array", "items": {"type": "string"}}"#).unwrap();
    let tools = Toolset::new([DynTool::declare(def)]).unwrap();
    let sent = definitions(&serve_tools(tools, |server| server), "list");
    for (wire, dialect) in [("anthropic", "anthropic"), ("ollama", "ollama")] {
        assert_eq!(sent[wire]["dialect"], dialect);
        let why = sent[wire]["refused"][0].as_str().unwrap();
        assert!(why.contains("root_not_object"), "{why}");
    }
}

#[test]
fn a_tool_that_is_not_there_has_no_definitions() {
    let served = serve();
    for (name, status, kind, words) in [
        ("ordr", 404, "unknown_tool", "did you mean `order`?"),
        ("a%2Fb", 404, "unknown_tool", "unknown tool `a/b`"),
        ("%FF", 400, "no_utf8", "not UTF-8"),
    ] {
        let answer = served.get(&format!("/tools/{name}/definitions"));
        assert_eq!(
            (answer.status, answer.kind().as_str()),
            (status, kind),
            "{answer:?}"
        );
        assert!(answer.body.contains(words), "{answer:?}");
    }
    let document = served.get("/openapi.json").json();
    let route = &document["paths"]["/tools/{name}/definitions"]["get"];
    let names = route["parameters"][0]["schema"]["enum"].as_array().unwrap();
    assert!(names.contains(&json!("order")), "{names:?}");
    assert!(route["responses"]["404"].is_object());
}

#[test]
fn lists_say_which_tools_need_approval() {
    type Change = fn(Executor) -> Executor;
    let table: [(Change, &[&str]); 5] = [
        (|executor| executor, &["charge"]),
        (
            |executor| executor.layer(Approval::default()),
            &["order", "charge"],
        ),
        (
            |executor| executor.manual(|def| def.is_called("fail")),
            &["fail", "charge"],
        ),
        // Which calls those are is known with the call.
        (
            |executor| executor.layer(Approval::when(|_| true)),
            &["charge"],
        ),
        (
            |executor| executor.layer(Approval::default().ask(|_| std::future::pending())),
            &["order", "charge"],
        ),
    ];
    for (change, expected) in table {
        let served = serve_with(|server| server.executor(change));
        let listed = served.get("/tools").json();
        let listed = listed["tools"].as_array().unwrap().iter();
        let asking = listed.filter(|tool| tool["requires_approval"] == true);
        let names: Vec<_> = asking.map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, expected);
    }
}

#[test]
fn lists_say_how_a_tool_is_called() {
    let served = serve();
    let listed = served.get("/tools").json();
    for tool in listed["tools"].as_array().unwrap() {
        let examples = &tool["examples"];
        if tool["name"] == "travel" {
            assert_eq!(
                *examples,
                json!([{"arguments": {}}, {"arguments": {}, "shows": "anywhere"}])
            );
        } else {
            assert_eq!(*examples, Value::Null, "{tool}");
        }
    }
}
