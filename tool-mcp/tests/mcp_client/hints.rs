//! What a server says of its tools' effects: the protocol's defaults hold, unless the host trusts the server.

use serde_json::{Value, json};
use toolwright::call::{Annotations, ErrorKind};
use toolwright::layers::Approval;
use toolwright::{Context, Executor, ToolCall, ToolDef, Toolset, Wire};
use toolwright_mcp::{ClientEvent, NoticeKind};

use super::{call, connect, text};

/// The hints of each tool of the script, and what they come to at a server that is trusted: whether it only reads, may
/// destroy, may be repeated, and reaches beyond the host.
fn hints() -> Vec<(&'static str, Value, [bool; 4])> {
    let default = [false, true, false, true];
    vec![
        ("none", Value::Null, default),
        ("empty", json!({}), default),
        ("null", json!({"readOnlyHint": null}), default),
        ("writes", json!({"readOnlyHint": false}), default),
        ("destroys", json!({"destructiveHint": true}), default),
        (
            "reads",
            json!({"readOnlyHint": true}),
            [true, false, false, true],
        ),
        (
            "safe",
            json!({"destructiveHint": false}),
            [false, false, false, true],
        ),
        (
            "repeats",
            json!({"idempotentHint": true}),
            [false, true, true, true],
        ),
        (
            "closed",
            json!({"openWorldHint": false}),
            [false, true, false, false],
        ),
        (
            "torn",
            json!({"readOnlyHint": true, "destructiveHint": true}),
            default,
        ),
        (
            "all",
            json!({"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}),
            [true, false, true, false],
        ),
        (
            "words",
            json!({"readOnlyHint": "true", "destructiveHint": "false"}),
            default,
        ),
        (
            "numbers",
            json!({"readOnlyHint": 1, "destructiveHint": 0}),
            default,
        ),
        (
            "lists",
            json!({"idempotentHint": [true], "openWorldHint": {}}),
            default,
        ),
        ("text", json!("readOnly"), default),
        (
            "part",
            json!({"readOnlyHint": true, "openWorldHint": "no"}),
            [true, false, false, true],
        ),
    ]
}

/// The page of the script `hints`.
pub(crate) fn tools() -> Value {
    let tool = |(name, hints, _): (&str, Value, _)| json!({"name": name, "inputSchema": {"type": "object", "properties": {"count": {"type": "integer"}}}, "annotations": hints});
    let mut tools: Vec<Value> = hints().into_iter().map(tool).collect();
    tools[0].as_object_mut().unwrap().remove("annotations");
    json!({"tools": tools})
}

fn said(def: &ToolDef) -> [Option<bool>; 4] {
    let Annotations {
        read_only,
        destructive,
        idempotent,
        open_world,
    } = def.options.annotations;
    [read_only, destructive, idempotent, open_world]
}

/// The calls that ran under the default approval, of those with no arguments.
async fn unasked(tools: &Toolset) -> Vec<String> {
    let names: Vec<_> = tools
        .definitions()
        .map(|def| def.name.to_string())
        .collect();
    let calls = names
        .iter()
        .map(|name| ToolCall::new(&**name, &**name, "{}"));
    let executor = Executor::serial(tools).layer(Approval::default());
    let batch = executor
        .run(&calls.collect::<Vec<_>>(), &Context::new())
        .await;
    batch
        .results()
        .map(|result| result.name.to_string())
        .collect()
}

#[tokio::test]
async fn hints_of_a_server_do_not_lessen_caution() {
    let (connector, _) = connect("hints");
    let client = connector.await.unwrap();
    let tools = client.toolset();
    assert_eq!(tools.definitions().count(), hints().len());
    for def in tools.definitions() {
        assert_eq!(
            said(def),
            [false, true, false, true].map(Some),
            "{}",
            def.name
        );
        assert!(!def.options.annotations.may_repeat());
    }
    assert!(unasked(&tools).await.is_empty());
    // Who takes the tools from us reads what they are to us.
    let told: Vec<Value> = serde_json::from_str(&Wire::Mcp.definitions(&tools)).unwrap();
    for tool in told {
        assert_eq!(
            tool["annotations"],
            json!({"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true}),
        );
    }
}

#[tokio::test]
async fn a_hint_of_the_wrong_type_is_ignored_with_a_notice() {
    let (connector, _) = connect("hints");
    let client = connector.prefix("x_").await.unwrap();
    let notices = client.notices().into_iter();
    let told: Vec<_> = notices
        .map(|one| (one.tool, one.kind, one.message))
        .collect();
    let expected = [
        (
            "x_words",
            "its hint `readOnlyHint` is not a boolean and is ignored",
        ),
        (
            "x_words",
            "its hint `destructiveHint` is not a boolean and is ignored",
        ),
        (
            "x_numbers",
            "its hint `readOnlyHint` is not a boolean and is ignored",
        ),
        (
            "x_numbers",
            "its hint `destructiveHint` is not a boolean and is ignored",
        ),
        (
            "x_lists",
            "its hint `idempotentHint` is not a boolean and is ignored",
        ),
        (
            "x_lists",
            "its hint `openWorldHint` is not a boolean and is ignored",
        ),
        (
            "x_text",
            "its `annotations` is not an object of hints and is ignored",
        ),
        (
            "x_part",
            "its hint `openWorldHint` is not a boolean and is ignored",
        ),
    ];
    let expected =
        expected.map(|(tool, why)| (tool.to_owned(), NoticeKind::HintIgnored, why.to_owned()));
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_list_that_changes_has_the_same_defaults() {
    let (connector, told) = connect("normal");
    let client = connector.await.unwrap();
    assert_eq!(
        text(&call(&client.toolset(), "change", "{}").await),
        "changed"
    );
    told.wait_for("change", |event| *event == ClientEvent::ToolsChanged)
        .await;
    let tools = client.toolset();
    assert_eq!(
        said(tools.get("new").unwrap().def()),
        [false, true, false, true].map(Some)
    );
    assert!(unasked(&tools).await.is_empty());
}

#[tokio::test]
async fn hints_of_a_trusted_server_count() {
    let (connector, _) = connect("hints");
    let client = connector.trust_hints().await.unwrap();
    let tools = client.toolset();
    for (name, hints, expected) in hints() {
        let def = tools.get(name).unwrap().def();
        assert_eq!(said(def), expected.map(Some), "{name}: {hints}");
    }
    let ran = unasked(&tools).await;
    assert_eq!(ran, ["reads", "safe", "all", "part"]);
}

/// Elsewhere a tool is destructive because nobody said otherwise, and its server checks the arguments.
#[tokio::test]
async fn arguments_are_exact_where_the_server_says_that_the_tool_destroys() {
    for is_trusted in [false, true] {
        let (connector, _) = connect("hints");
        let connector = if is_trusted {
            connector.trust_hints()
        } else {
            connector
        };
        let client = connector.await.unwrap();
        for (name, hints, _) in hints() {
            let result = call(&client.toolset(), name, r#"{"count": "5"}"#).await;
            let error = result.outcome.as_ref().err();
            let is_refused = error.is_some_and(|error| error.kind() == ErrorKind::InvalidArgs);
            assert_eq!(
                is_refused,
                hints["destructiveHint"] == true,
                "{name}: {result:?}"
            );
        }
    }
}
