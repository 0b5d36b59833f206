use rig::message::{ImageMediaType, ToolName, ToolResultContent};
use rig::rig_tool;
use rig::tool::{ContextValue, DynamicTool, Tool, ToolContext, ToolExecutionError, ToolOutput};
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolwright::call::{Block, ErrorKind};
use toolwright::{Context, Outcome, ToolCall, ToolResult, Toolset, Wire};
use toolwright_rig::{from_dynamic_tool, from_tool};

/// Halves a number.
#[rig_tool]
fn halve(
    /// The number.
    number: u64,
) -> Result<u64, ToolExecutionError> {
    if number.is_multiple_of(2) {
        Ok(number / 2)
    } else {
        let odd = ToolExecutionError::other(format!("{number} is odd, on line 7"));
        Err(odd.with_model_feedback("take an even number"))
    }
}

fn call(tools: &Toolset, name: &str, arguments: &str) -> ToolResult {
    tools.call_blocking(&ToolCall::new("c1", name, arguments), &Context::new())
}

#[test]
fn a_typed_tool_is_declared_and_runs() {
    let tools = Toolset::new([from_tool(Halve).unwrap()]).unwrap();
    let declared: serde_json::Value =
        serde_json::from_str(&Wire::OpenAiChat.definitions(&tools)).unwrap();
    let function = &declared[0]["function"];
    assert_eq!(function["name"], "halve");
    assert_eq!(function["description"], "Halves a number.");
    assert_eq!(function["parameters"], Halve.parameters());

    let half = call(&tools, "halve", r#"{"number": 18446744073709551614}"#);
    assert_eq!(half.value(), Some(json!(9_223_372_036_854_775_807_u64)));

    let odd = call(&tools, "halve", r#"{"number": 3}"#)
        .outcome
        .unwrap_err();
    assert_eq!(odd.kind(), ErrorKind::Failed);
    assert_eq!(odd.to_string(), "take an even number");
    assert_eq!(odd.host_detail(), Some("3 is odd, on line 7"));

    let wrong = call(&tools, "halve", r#"{"number": "three"}"#).outcome;
    let wrong = wrong.unwrap_err();
    assert_eq!(wrong.kind(), ErrorKind::InvalidArgs);
    assert!(wrong.to_string().contains("three"), "{wrong}");
}

#[derive(Serialize, Deserialize)]
struct User(String);

impl ContextValue for User {
    const KEY: &'static str = "user";
}

#[test]
fn a_tool_of_run_time_gets_the_context_and_answers_with_images() {
    let name = ToolName::new("portrait").unwrap();
    let schema = json!({"type": "object", "properties": {"size": {"type": "integer"}}});
    let text = "Draws a portrait.";
    let tool = DynamicTool::new_with_context(name, text, schema, |context, arguments| {
        let user = context.get::<User>().unwrap().unwrap();
        let words = format!("{} at {}", user.0, arguments["size"]);
        let image = ToolResultContent::image_base64("iVBO", Some(ImageMediaType::PNG), None);
        let far = ToolResultContent::image_url("https://a.example/b.png", None, None);
        let content = vec![ToolResultContent::text(words), image, far];
        Box::pin(async { ToolOutput::content(content) })
    });
    let tools = Toolset::new([from_dynamic_tool(tool).unwrap()]).unwrap();

    let mut rig = ToolContext::new();
    rig.insert(User("Ada".to_owned())).unwrap();
    let cx = Context::new().with(rig);
    let call = ToolCall::new("c1", "portrait", r#"{"size": 3}"#);
    let drawn = tools.call_blocking(&call, &cx).outcome.unwrap();
    let Outcome::Content(content) = drawn else {
        panic!("{drawn:?}");
    };
    let blocks = [
        Block::Text {
            text: "Ada at 3".to_owned(),
        },
        Block::Image {
            mime_type: "image/png".to_owned(),
            data: "iVBO".to_owned(),
        },
        Block::Resource {
            uri: "https://a.example/b.png".to_owned(),
            mime_type: None,
        },
    ];
    assert_eq!(content.blocks(), blocks);
}
