//! What a call can come to besides a value.
// A test that finds less than it expects has failed; and tools take and return what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::unused_async
)]

use serde_json::{Map, Value, json};
use toolwright::{
    Context, DynTool, Encoder, Outcome, ToolCall, ToolError, ToolResult, Toolset,
    call::{Block, Content, ErrorKind, HaltReason},
    tool, tools,
};

const SUBMITTED: HaltReason = HaltReason::new("plan_submitted");

/// Does what it is asked for.
#[tool]
async fn act(kind: &str) -> Result<Outcome, ToolError> {
    Ok(match kind {
        "ok" => Outcome::value("sun"),
        "ask" => Outcome::ask("Which city?"),
        "ask_with" => Outcome::ask("Which city?")
            .option("choices", json!(["Oslo", "Rome"]))
            .option("many", false),
        "halt" => Outcome::halt(SUBMITTED, json!({"steps": 3})),
        "direct" => Outcome::direct("to you"),
        "content" => Outcome::Content(Content::text("See:").image("image/png", "AAAA")),
        other => return Err(ToolError::failed(format!("cannot {other}"))),
    })
}

fn closure() -> Toolset {
    let tool = DynTool::builder()
        .name("act")
        .description("Does what it is asked for.")
        .handler(|arguments: Value, _| async move {
            act(arguments["kind"].as_str().unwrap_or_default()).await
        })
        .build()
        .unwrap();
    Toolset::new([tool]).unwrap()
}

fn run(tools: &Toolset, kind: &str) -> ToolResult {
    let arguments = json!({ "kind": kind }).to_string();
    tools.call_blocking(&ToolCall::new("c1", "act", arguments), &Context::new())
}

fn options(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn every_return_is_passed_through_unchanged() {
    let halt = Outcome::halt(SUBMITTED, json!({"steps": 3}));
    let content = vec![
        Block::Text {
            text: "See:".into(),
        },
        Block::Image {
            mime_type: "image/png".into(),
            data: "AAAA".into(),
        },
    ];
    for tools in [tools![act], closure()] {
        for (kind, expected) in [
            ("ok", Outcome::value("sun")),
            (
                "ask",
                Outcome::AskUser {
                    question: "Which city?".into(),
                    options: Map::new(),
                },
            ),
            (
                "ask_with",
                Outcome::AskUser {
                    question: "Which city?".into(),
                    options: options(&json!({"choices": ["Oslo", "Rome"], "many": false})),
                },
            ),
            ("halt", halt.clone()),
            ("direct", Outcome::direct("to you")),
            ("content", Outcome::Content(content.clone().into())),
        ] {
            let result = run(&tools, kind);
            assert!(result.is_success());
            assert_eq!(result.outcome.unwrap(), expected);
        }
        let result = run(&tools, "fly");
        assert_eq!(result.errors().collect::<Vec<_>>(), ["cannot fly"]);
        assert_eq!(result.outcome.unwrap_err().kind(), ErrorKind::Failed);
    }
}

#[test]
fn a_value_is_there_where_the_outcome_has_one() {
    let tools = tools![act];
    for (kind, value, text) in [
        ("ok", Some(json!("sun")), "sun"),
        ("halt", Some(json!({"steps": 3})), r#"{"steps":3}"#),
        ("direct", Some(json!("to you")), "to you"),
        ("ask", None, "<awaiting user response>"),
        ("content", None, "See:\n[image, image/png]"),
        ("fly", None, "cannot fly"),
    ] {
        let result = run(&tools, kind);
        assert_eq!(result.value(), value, "{kind}");
        assert_eq!(result.content(Encoder::auto()), text, "{kind}");
    }
}

#[test]
fn options_belong_to_questions() {
    assert_eq!(Outcome::value(1).option("x", 1), Outcome::value(1));
}

#[test]
fn a_tool_cannot_end_a_conversation_in_the_runtimes_name() {
    for word in [
        "",
        "aborted",
        "ask_user",
        "cancelled",
        "completed",
        "error",
        "halt_when",
        "interrupted",
        "manual",
        "pending",
        "max_steps",
        "max_tool_rounds",
        "max_turns",
        "return_direct",
        "tool_error",
    ] {
        assert_eq!(HaltReason::try_new(word), None, "{word}");
    }
    for word in ["plan_submitted", "errors", "Error", "max_turn"] {
        assert_eq!(HaltReason::try_new(word).unwrap().as_str(), word);
    }
    assert_eq!(HaltReason::try_new("plan_submitted"), Some(SUBMITTED));
    assert_eq!(SUBMITTED.to_string(), "plan_submitted");
}

#[test]
fn content_is_blocks_in_order() {
    let content = Content::text("a")
        .with(Block::Audio {
            mime_type: "audio/wav".into(),
            data: "AA==".into(),
        })
        .with(Block::Resource {
            uri: "file:///x".into(),
            mime_type: None,
        })
        .with(Block::Json {
            value: json!({"n": 1}),
        });
    assert_eq!(
        content.to_plain(),
        "a\n[audio, audio/wav]\n[resource, file:///x]\n{\"n\":1}"
    );
    assert_eq!(
        serde_json::to_value(content.blocks()).unwrap(),
        json!([
            {"type": "text", "text": "a"},
            {"type": "audio", "mime_type": "audio/wav", "data": "AA=="},
            {"type": "resource", "uri": "file:///x"},
            {"type": "json", "value": {"n": 1}},
        ])
    );
    let back: Vec<Block> =
        serde_json::from_value(serde_json::to_value(content.blocks()).unwrap()).unwrap();
    assert_eq!(Content::from(back), content);
}

/// Blocks for the model.
#[tool]
fn chart() -> Content {
    Content::text("Here.")
}

#[test]
fn content_may_be_the_return_type() {
    let result = tools![chart].call_blocking(&ToolCall::new("c1", "chart", ""), &Context::new());
    assert_eq!(
        result.outcome.unwrap(),
        Outcome::Content(Content::text("Here."))
    );
}
