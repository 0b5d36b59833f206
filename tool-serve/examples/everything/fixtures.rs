//! What the official conformance suite asks of a server: npm's `@modelcontextprotocol/conformance`
//! calls these tools by their names, and looks at what they answer.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;
use toolwright::mcp::{ElicitResult, ElicitResults};
use toolwright::{
    Context, DynTool, Outcome, Registry, Tool, ToolError, Toolset,
    call::{Block, Content, Progress},
    schema::SchemaDoc,
    tool, tools,
};

use crate::offers::{Prompts, test_added_prompt};

/// A red pixel.
pub(crate) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/// No samples at all.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

/// Between two reports of progress.
const STEP: Duration = Duration::from_millis(50);

/// Answers with words.
#[tool(read_only, title = "Simple text")]
fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Answers with a picture.
#[tool(read_only)]
fn test_image_content() -> Content {
    Content::default().image("image/png", PNG)
}

/// Answers with sound.
#[tool(read_only)]
fn test_audio_content() -> Content {
    Content::default().with(Block::Audio {
        mime_type: "audio/wav".into(),
        data: WAV.into(),
    })
}

fn document(uri: &str, mime_type: &str, text: &str) -> Block {
    Block::Document {
        uri: uri.into(),
        mime_type: Some(mime_type.into()),
        text: text.into(),
    }
}

/// Answers with a document.
#[tool(read_only)]
fn test_embedded_resource() -> Content {
    let text = "This is an embedded resource content.";
    Content::default().with(document("test://embedded-resource", "text/plain", text))
}

/// Answers with words, a picture and a document.
#[tool(read_only)]
fn test_multiple_content_types() -> Content {
    let text = r#"{"test":"data","value":123}"#;
    Content::text("Multiple content types test:")
        .image("image/png", PNG)
        .with(document(
            "test://mixed-content-resource",
            "application/json",
            text,
        ))
}

/// Says what it does while it does it.
#[tool(read_only)]
async fn test_tool_with_logging(cx: &Context) -> &'static str {
    cx.progress(Progress::new(0.0).with_message("Tool execution started"));
    sleep(STEP).await;
    cx.progress(Progress::new(1.0).with_message("Tool processing data"));
    sleep(STEP).await;
    cx.progress(Progress::new(2.0).with_message("Tool execution completed"));
    "Tool with logging executed successfully"
}

/// Fails.
#[tool]
fn test_error_handling() -> Result<&'static str, ToolError> {
    Err(ToolError::failed(
        "This tool intentionally returns an error for testing",
    ))
}

/// Says how far it is.
#[tool(read_only)]
async fn test_tool_with_progress(cx: &Context) -> &'static str {
    for done in [0.0, 50.0, 100.0] {
        cx.progress(Progress::new(done).with_total(100.0));
        sleep(STEP).await;
    }
    "Tool with progress executed successfully"
}

/// Answers some time after the stream has begun.
#[tool(read_only)]
async fn test_reconnection() -> &'static str {
    sleep(2 * STEP).await;
    "Reconnection test completed successfully"
}

/// What a person said, as the suite wants to read it.
fn said(answer: &ElicitResult) -> String {
    match answer {
        ElicitResult::Accept(content) => {
            format!("action=accept, content={}", Value::from(content.clone()))
        }
        ElicitResult::Decline => "action=decline".into(),
        _ => "action=cancel".into(),
    }
}

/// Asks for a name and an address.
#[tool]
fn test_elicitation(
    /// What to ask
    message: String,
    cx: &Context,
) -> Outcome {
    let schema = json!({
        "type": "object",
        "properties": {
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"},
        },
        "required": ["username", "email"],
    });
    match ElicitResults::of(cx).get("user") {
        Some(answer) => Outcome::value(format!("User response: {}", said(answer))),
        None => Outcome::ask(message)
            .option("key", "user")
            .option("schema", schema),
    }
}

/// Asks with a default for each kind of field.
#[tool]
fn test_elicitation_sep1034_defaults(cx: &Context) -> Outcome {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "User name", "default": "John Doe"},
            "age": {"type": "integer", "description": "User age", "default": 30},
            "score": {"type": "number", "description": "User score", "default": 95.5},
            "status": {
                "type": "string",
                "description": "User status",
                "enum": ["active", "inactive", "pending"],
                "default": "active",
            },
            "verified": {"type": "boolean", "description": "Verification status", "default": true},
        },
        "required": [],
    });
    complete(
        cx,
        "Please review and update the form fields with defaults",
        schema,
    )
}

/// Asks with each form of a choice.
#[tool]
fn test_elicitation_sep1330_enums(cx: &Context) -> Outcome {
    let titled = |words: &[(&str, &str)]| -> Value {
        let each = words
            .iter()
            .map(|(value, title)| json!({"const": value, "title": title}));
        each.collect()
    };
    let options = json!(["option1", "option2", "option3"]);
    let firsts = [
        ("value1", "First Option"),
        ("value2", "Second Option"),
        ("value3", "Third Option"),
    ];
    let choices = [
        ("value1", "First Choice"),
        ("value2", "Second Choice"),
        ("value3", "Third Choice"),
    ];
    let schema = json!({
        "type": "object",
        "properties": {
            "untitledSingle": {"type": "string", "enum": options},
            "titledSingle": {"type": "string", "oneOf": titled(&firsts)},
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled(&choices)}},
        },
        "required": [],
    });
    complete(cx, "Please select options from the enum fields", schema)
}

fn complete(cx: &Context, message: &str, schema: Value) -> Outcome {
    match ElicitResults::of(cx).get("form") {
        Some(answer) => Outcome::value(format!("Elicitation completed: {}", said(answer))),
        None => Outcome::ask(message)
            .option("key", "form")
            .option("schema", schema),
    }
}

/// A question of one field.
fn ask(key: &str, message: &str, field: &str, kind: &str) -> Outcome {
    let schema = json!({
        "type": "object",
        "properties": {field: {"type": kind}},
        "required": [field],
    });
    Outcome::ask(message)
        .option("key", key)
        .option("schema", schema)
}

/// The text of a field that was asked for.
fn field(answer: Option<&ElicitResult>, name: &str) -> Option<String> {
    match answer? {
        ElicitResult::Accept(content) => content.get(name)?.as_str().map(str::to_owned),
        _ => Some("whoever you are".into()),
    }
}

/// Asks for a name, and greets.
#[tool]
fn test_input_required_result_elicitation(cx: &Context) -> Outcome {
    match field(ElicitResults::of(cx).get("user_name"), "name") {
        Some(name) => Outcome::value(format!("Hello, {name}!")),
        None => ask("user_name", "What is your name?", "name", "string"),
    }
}

/// Asks for a yes.
#[tool]
fn test_input_required_result_request_state(cx: &Context) -> Outcome {
    match ElicitResults::of(cx).get("confirm") {
        Some(_) => Outcome::value("state-ok"),
        None => ask("confirm", "Please confirm", "ok", "boolean"),
    }
}

/// Asks for a yes.
#[tool]
fn test_input_required_result_tampered_state(cx: &Context) -> Outcome {
    match ElicitResults::of(cx).get("confirm") {
        Some(_) => Outcome::value("confirmed"),
        None => ask("confirm", "Please confirm", "ok", "boolean"),
    }
}

/// Asks twice.
#[tool]
fn test_input_required_result_multi_round(cx: &Context) -> Outcome {
    let answers = ElicitResults::of(cx);
    let Some(name) = field(answers.get("step1"), "name") else {
        return ask("step1", "Step 1: What is your name?", "name", "string");
    };
    match field(answers.get("step2"), "color") {
        Some(color) => Outcome::value(format!("{name} likes {color}")),
        None => ask(
            "step2",
            "Step 2: What is your favorite color?",
            "color",
            "string",
        ),
    }
}

/// Asks in the middle of a stream.
#[tool]
fn test_streaming_elicitation(cx: &Context) -> Outcome {
    cx.progress(Progress::new(1.0).with_message("about to ask"));
    match field(ElicitResults::of(cx).get("user_name"), "name") {
        Some(name) => Outcome::value(format!("Hello, {name}!")),
        None => ask("user_name", "What is your name?", "name", "string"),
    }
}

/// Says something that only those hear who read logs.
#[tool(read_only)]
fn test_logging_tool(cx: &Context) -> &'static str {
    cx.progress(Progress::new(1.0).with_message("logged"));
    "logged"
}

/// Tools without parameters that know more than a function can.
fn without_parameters() -> [Arc<dyn Tool>; 3] {
    let made = [
        DynTool::builder()
            .name("test_missing_capability")
            .description("Needs a client with a model.")
            .meta("client_capabilities", json!({"sampling": {}}))
            .handler_sync(|_: Value, _| Ok::<_, ToolError>("the client has a model"))
            .build(),
        DynTool::builder()
            .name("test_trigger_prompt_change")
            .description("Changes the list of prompts.")
            .handler_sync(|_: Value, cx: Context| {
                let prompts = cx.get::<Prompts>().ok_or(ToolError::failed("no prompts"))?;
                for prompt in tools![test_added_prompt].iter() {
                    prompts.0.insert(Arc::clone(prompt));
                }
                Ok::<_, ToolError>("added")
            })
            .build(),
        DynTool::builder()
            .name("test_trigger_tool_change")
            .description("Changes the list of tools.")
            .handler_sync(|_: Value, cx: Context| {
                let registry = cx
                    .get::<Registry>()
                    .ok_or(ToolError::failed("no registry"))?;
                let tool = with_schema("test_added", "Was added.", json!({"type": "object"}));
                let had = registry.insert(tool).is_some();
                Ok::<_, ToolError>(if had { "replaced" } else { "added" })
            })
            .build(),
    ];
    made.map(|tool| tool.unwrap_or_else(|error| panic!("{error}")))
}

/// A tool with a schema that no type of Rust has.
fn with_schema(name: &'static str, description: &'static str, schema: Value) -> Arc<dyn Tool> {
    let schema: SchemaDoc =
        serde_json::from_value(schema).unwrap_or_else(|error| panic!("{name}: {error}"));
    DynTool::builder()
        .name(name)
        .description(description)
        .parameters(schema)
        .handler_sync(|arguments: Box<serde_json::value::RawValue>, _| {
            Ok::<_, ToolError>(arguments)
        })
        .build()
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// All of them.
pub(crate) fn tools() -> Toolset {
    let features = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    });
    let headers = json!({
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
    });
    let typed = tools![
        test_simple_text,
        test_image_content,
        test_audio_content,
        test_embedded_resource,
        test_multiple_content_types,
        test_tool_with_logging,
        test_error_handling,
        test_tool_with_progress,
        test_reconnection,
        test_elicitation,
        test_elicitation_sep1034_defaults,
        test_elicitation_sep1330_enums,
        test_input_required_result_elicitation,
        test_input_required_result_request_state,
        test_input_required_result_tampered_state,
        test_input_required_result_multi_round,
        test_streaming_elicitation,
        test_logging_tool,
    ];
    let described = "Tool with JSON Schema 2020-12 features";
    let all = typed.with(with_schema("json_schema_2020_12_tool", described, features));
    let described = "Has a parameter that is repeated in a header of HTTP.";
    let mut all = all.with(with_schema("test_headers", described, headers));
    for tool in without_parameters() {
        all = all.with(tool);
    }
    // Clients refuse a whole list for one of these, if it is listed as it was written.
    let form =
        json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]});
    let odd_roots = [
        (
            "odd_root_any_of",
            json!({"anyOf": [form, {"type": "object", "required": ["name"]}]}),
        ),
        (
            "odd_root_one_of",
            json!({"oneOf": [form, {"type": "null"}]}),
        ),
        (
            "odd_root_ref",
            json!({"$ref": "#/$defs/Form", "$defs": {"Form": form}}),
        ),
        (
            "odd_root_all_of",
            json!({"allOf": [form, {"properties": {"at": {"type": "integer"}}}]}),
        ),
        (
            "odd_root_types",
            json!({"type": ["object", "null"], "properties": {}}),
        ),
        ("odd_root_empty", json!({})),
        ("odd_root_true", json!(true)),
    ];
    for (name, schema) in odd_roots {
        all = all.with(with_schema(
            name,
            "Has a schema whose root is not a plain object.",
            schema,
        ));
    }
    all
}
