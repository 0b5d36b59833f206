//! A toolset: an ordered collection that finds, combines and calls.
// A test that finds less than it expects has failed; and tools take and return what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::unused_async
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::json::CheckText;
use serde_json::{Value, json};
use toolwright::{
    Context, Dialect, DynTool, Encoder, Tool, ToolCall, ToolDef, ToolError, ToolResult, Toolset,
    Wire,
    call::{ErrorKind, State},
    schema::SchemaDoc,
    text::NameError,
    tool, tools,
    toolset::{BuildError, RenameError},
};

/// Adds.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn is_address(to: &str, subject: &str) -> Result<(), Vec<&'static str>> {
    let mut faults = Vec::new();
    if !to.contains('@') {
        faults.push("not an address");
    }
    if subject.is_empty() {
        faults.push("no subject");
    }
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults)
    }
}

static SENT: AtomicU32 = AtomicU32::new(0);

/// Sends.
#[tool(validate = is_address, meta(risk = "high"))]
async fn send(to: &str, subject: &str) -> String {
    SENT.fetch_add(1, Ordering::Relaxed);
    format!("{subject} to {to}")
}

fn is_admin(scope: &toolwright::call::Scope<'_>) -> bool {
    scope.state.get("role") == Some(&json!("admin"))
}

/// Resets.
#[tool(visible = is_admin)]
fn reset(hard: bool) -> bool {
    hard
}

fn named(name: &'static str) -> Arc<dyn Tool> {
    DynTool::builder()
        .name(name)
        .description("Says its name.")
        .handler_sync(move |_: Value, cx: Context| {
            Ok::<_, ToolError>(format!("{name} as {}", cx.tool().unwrap_or("nothing")))
        })
        .build()
        .unwrap()
}

fn set(names: &[&'static str]) -> Toolset {
    Toolset::new(names.iter().map(|name| named(name))).unwrap()
}

fn names(tools: &Toolset) -> Vec<&str> {
    tools.definitions().map(|def| &*def.name).collect()
}

fn run(tools: &Toolset, name: &str, arguments: &str) -> ToolResult {
    tools.call_blocking(&ToolCall::new("c1", name, arguments), &Context::new())
}

#[test]
fn order_is_the_order_of_the_list() {
    let tools = tools![send, add, reset];
    assert_eq!(names(&tools), ["send", "add", "reset"]);
    assert_eq!(
        (tools.iter().len(), tools.iter().next().is_none()),
        (3, false)
    );
    assert_eq!(format!("{tools:?}"), r#"Toolset(["send", "add", "reset"])"#);
    let empty = Toolset::default();
    assert_eq!(
        (empty.iter().len(), empty.iter().next().is_none()),
        (0, true)
    );
}

#[test]
fn a_tool_is_found_by_the_name_of_its_definition() {
    let many: Vec<_> = (0..200).map(|n| format!("tool_{n}")).collect();
    let tools = many.iter().map(|name| {
        let def = ToolDef::new(name.clone(), "One of many.");
        DynTool::declare(def)
    });
    let tools = Toolset::new(tools).unwrap();
    for name in &many {
        assert_eq!(tools.get(name).unwrap().def().name, *name);
        assert!(tools.get(name).is_some());
    }
    for other in ["tool_200", "Tool_1", "tool_1 ", ""] {
        assert!(tools.get(other).is_none());
    }
}

#[test]
fn equal_names_are_all_listed() {
    let error = Toolset::new(["a", "b", "a", "c", "b", "a"].map(named)).unwrap_err();
    assert_eq!(error.names(), ["a", "b"]);
    assert_eq!(
        error.to_string(),
        "more than one tool is, or was, named `a`, `b`; rename one, or give its toolset a prefix"
    );
    let error = set(&["a", "b", "c"])
        .merge(&set(&["c", "x", "a"]))
        .unwrap_err();
    assert_eq!(error.names(), ["c", "a"]);
    let merged = set(&["b", "a"]).merge(&set(&["d", "c"])).unwrap();
    assert_eq!(names(&merged), ["b", "a", "d", "c"]);
}

#[test]
fn a_prefix_goes_before_every_name() {
    let tools = set(&["a", "b"]);
    let prefixed = tools.prefix("crm_").unwrap();
    assert_eq!(names(&prefixed), ["crm_a", "crm_b"]);
    assert_eq!(
        run(&prefixed, "crm_b", "{}").value(),
        Some(json!("b as crm_b"))
    );
    assert!(prefixed.get("a").is_none());
    assert_eq!(names(&tools), ["a", "b"]);
    assert_eq!(
        names(&prefixed.prefix("x_").unwrap()),
        ["x_crm_a", "x_crm_b"]
    );
    for prefix in ["1", "crm.", &"x".repeat(64)] {
        let error: NameError = tools.prefix(prefix).unwrap_err();
        assert!(error.to_string().contains(prefix), "{error}");
    }
}

#[test]
fn one_tool_is_renamed_in_its_place() {
    let tools = set(&["a", "b", "c"]);
    let renamed = tools.rename("b", "z").unwrap();
    assert_eq!(names(&renamed), ["a", "z", "c"]);
    assert_eq!(run(&renamed, "z", "{}").value(), Some(json!("b as z")));
    assert_eq!(names(&tools.rename("b", "b").unwrap()), ["a", "b", "c"]);

    let missing = tools.rename("x", "z").unwrap_err();
    assert_eq!(missing, RenameError::Missing("x".into()));
    let RenameError::Conflict(conflict) = tools.rename("a", "c").unwrap_err() else {
        panic!()
    };
    assert_eq!(conflict.names(), ["c"]);
    assert!(matches!(
        tools.rename("a", "no good"),
        Err(RenameError::Name(_))
    ));
}

#[test]
fn a_renamed_tool_keeps_the_rest() {
    let tools = tools![send, reset].prefix("my_").unwrap();
    let def = tools.get("my_send").unwrap().def();
    assert_eq!(def.meta.get("risk"), Some(&json!("high")));
    assert!(
        tools
            .check_text("my_send", r#"{"to":"x","subject":"y"}"#)
            .is_err()
    );
    let error = tools
        .check_text("my_reset", r#"{"hard":true}"#)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Hidden);
}

#[test]
fn a_filter_keeps_order_and_leaves_the_set_alone() {
    let tools = set(&["a", "b", "c", "d"]);
    let kept = tools.filter(|tool| tool.def().name != "b");
    assert_eq!(names(&kept), ["a", "c", "d"]);
    assert_eq!(tools.iter().len(), 4);
    assert!(kept.get("b").is_none() && kept.get("d").is_some());
}

#[test]
fn one_more_tool_replaces_its_namesake_in_place() {
    let tools = set(&["a", "b"]);
    let with = tools.with(named("c"));
    assert_eq!(names(&with), ["a", "b", "c"]);
    let other = DynTool::declare(ToolDef::new("a", "Another."));
    let with = with.with(other);
    assert_eq!(names(&with), ["a", "b", "c"]);
    assert_eq!(with.get("a").unwrap().def().description, "Another.");
    assert_eq!(names(&tools), ["a", "b"]);
}

#[test]
fn a_call_by_name_gives_the_value_or_says_that_there_is_no_such_tool() {
    let tools = tools![add, send];
    assert_eq!(
        run(&tools, "add", r#"{"a":1,"b":2}"#).value(),
        Some(json!(3))
    );
    for (name, message) in [
        ("sned", "unknown tool `sned`; did you mean `send`?"),
        ("launch_rocket", "unknown tool `launch_rocket`"),
        ("ADD", "unknown tool `ADD`; did you mean `add`?"),
        ("", "the call names no tool"),
    ] {
        let result = run(&tools, name, "{}");
        let error = result.outcome.as_ref().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unknown);
        assert_eq!(error.to_string(), message);
        assert_eq!((&*result.id, &*result.name), ("c1", name));
        assert_eq!(result.value(), None);
    }
    let long = "x".repeat(10_000);
    let message = run(&tools, &long, "{}")
        .content(toolwright::Encoder::auto())
        .len();
    assert!(message < 200, "{message}");
}

#[test]
fn validation_runs_nothing() {
    let tools = tools![add, send];
    let before = SENT.load(Ordering::Relaxed);
    for (name, arguments) in [
        ("add", r#"{"a": 1, "b": 2.0}"#),
        ("send", r#"{"to": "a@b", "subject": "s"}"#),
    ] {
        assert!(tools.check_text(name, arguments).is_ok(), "{name}");
    }
    for (name, arguments, kind, messages) in [
        (
            "add",
            r#"{"a": "x"}"#,
            ErrorKind::InvalidArgs,
            &[
                r#"a: expected an integer, got "x""#,
                "b: missing, expected an integer",
            ][..],
        ),
        (
            "send",
            r#"{"to": "x", "subject": ""}"#,
            ErrorKind::InvalidArgs,
            &["not an address", "no subject"][..],
        ),
        (
            "ping",
            "{}",
            ErrorKind::Unknown,
            &["unknown tool `ping`"][..],
        ),
    ] {
        let error = tools.check_text(name, arguments).unwrap_err();
        assert_eq!(error.kind(), kind);
        assert_eq!(error.messages().collect::<Vec<_>>(), messages);
        // The call is answered in the same words.
        let result = run(&tools, name, arguments);
        assert_eq!(result.errors().collect::<Vec<_>>(), messages);
        assert_eq!(result.value(), None);
    }
    assert_eq!(SENT.load(Ordering::Relaxed), before);
}

#[test]
fn validation_can_know_the_conversation() {
    let tools = tools![reset];
    let call = ToolCall::new("c1", "reset", r#"{"hard": true}"#);
    let admin = Context::new().with_state(State::new().with("role", "admin"));
    assert!(tools.validate(&call, &admin).is_ok());
    let error = tools.validate(&call, &Context::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Hidden);
}

#[tokio::test]
async fn a_call_can_be_spawned() {
    let tools = tools![add, send];
    let calls = [
        ("send", r#"{"to":"a@b","subject":"s"}"#, json!("s to a@b")),
        ("add", r#"{"a":1,"b":2}"#, json!(3)),
    ];
    for (name, arguments, value) in calls {
        let (tools, call) = (tools.clone(), ToolCall::new("c1", name, arguments));
        let task = tokio::spawn(async move { tools.call(&call, &Context::new()).await });
        assert_eq!(task.await.unwrap().value(), Some(value));
    }
}

#[test]
fn stored_definitions_find_their_code_again() {
    let tools = tools![add, send];
    let mut stored: Vec<ToolDef> = tools.definitions().rev().cloned().collect();
    stored[1].description = "As it was stored.".into();
    stored[1].meta = json!({"v": 1}).as_object().unwrap().clone().into();
    let attached = tools.attach(stored).unwrap();
    assert_eq!(names(&attached), ["send", "add"]);
    assert_eq!(
        attached.get("add").unwrap().def().description,
        "As it was stored."
    );
    let result = run(&attached, "add", r#"{"a":1,"b":2}"#);
    assert_eq!(result.value(), Some(json!(3)));
    assert_eq!(result.attributes.get("v"), Some(&json!(1)));
    assert!(tools.attach([]).unwrap().iter().next().is_none());
}

#[test]
fn definitions_without_code_are_all_listed() {
    let defs = ["x", "add", "y", "add", "x", "send", "add"].map(|name| ToolDef::new(name, "…"));
    let error = tools![add, send].attach(defs).unwrap_err();
    assert_eq!(error.missing(), ["x", "y"]);
    assert_eq!(error.repeated(), ["add"]);
    assert_eq!(
        error.to_string(),
        "no tool here is named `x`, `y`; more than one definition is named `add`"
    );
}

/// What nobody sees, in text that somebody else wrote.
const HOSTILE: &str = "wipe\u{1b}[2J\n\0\u{7f}\u{9b}\u{202e}\u{2066}\u{200b}\u{2028}\u{e0041}\u{3164}x\u{fe01}y\u{e0142}\u{2800}\u{fffc}\u{1bca1}";
const SHOWN: &str = r"wipe\u{1b}[2J\n\u{0}\u{7f}\u{9b}\u{202e}\u{2066}\u{200b}\u{2028}\u{e0041}\u{3164}x\u{fe01}y\u{e0142}\u{2800}\u{fffc}\u{1bca1}";

#[track_caller]
fn assert_printable(text: &str) {
    let hides = |char: char| HOSTILE.contains(char) && !char.is_ascii_graphic() && char != '\n';
    assert!(!text.contains(hides), "{text:?}");
}

/// Counts.
#[tool]
fn count(of: std::collections::BTreeMap<u8, Side>, side: Side, n: u8) -> usize {
    let _ = (side, n);
    of.len()
}

#[derive(serde::Deserialize, toolwright::Schema)]
#[serde(rename_all = "snake_case")]
enum Side {
    Left,
    Right,
}

#[test]
fn what_nobody_sees_is_an_escape_in_every_error() {
    let schema = r#"{"type": "object", "additionalProperties": false, "properties": {
        "of": {"type": "object", "propertyNames": {"pattern": "^[0-9]+$"}},
        "side": {"enum": ["left", "right"]}, "n": {"type": "integer"}}}"#;
    let checked = DynTool::builder()
        .name("checked")
        .description("Counts.")
        .parameters(SchemaDoc::parse(schema).unwrap())
        .handler_sync(|_: Value, _| Ok::<_, ToolError>(()));
    let tools = tools![count].with(checked.build().unwrap());
    let error = |name: &str, arguments: &str| {
        let call = ToolCall::new("c1", name, arguments);
        let result = tools.call_blocking(&call, &Context::new());
        result.outcome.unwrap_err()
    };
    let unknown = error(HOSTILE, "{}");
    assert_eq!(unknown.to_string(), format!("unknown tool `{SHOWN}`"));
    for name in ["count", "checked"] {
        for arguments in [
            json!({HOSTILE: 1, "of": {}, "side": "left", "n": 1}).to_string(),
            json!({"\u{3164}": 1, "of": {}, "side": "left", "n": 1}).to_string(),
            json!({"of": {HOSTILE: "left"}, "side": "left", "n": 1}).to_string(),
            json!({"of": {}, "side": HOSTILE, "n": 1}).to_string(),
            json!({"of": {}, "side": "left\u{202e}", "n": 1}).to_string(),
            json!({"of": {}, "side": "left", "n": HOSTILE}).to_string(),
            json!({"of": {}, "side": "left", "n": {HOSTILE: [HOSTILE]}}).to_string(),
            Value::from(HOSTILE).to_string(),
            format!("{{{HOSTILE}"),
            "{\"n\": 1 \u{3164}".to_owned(),
            "{\"n\": 1 \u{202e}".to_owned(),
        ] {
            let error = error(name, &arguments);
            assert_eq!(error.kind(), ErrorKind::InvalidArgs, "{name} {arguments}");
            assert_printable(&error.to_string());
            for fault in error.faults() {
                assert_printable(&fault.path);
                assert_printable(&fault.message);
            }
        }
    }
}

#[test]
fn what_is_long_is_cut_with_a_count() {
    let call = |name: &str| {
        let call = ToolCall::new("c1", name, "{}");
        let result = tools![add].call_blocking(&call, &Context::new());
        result.outcome.unwrap_err().to_string()
    };
    let cut = format!("unknown tool `{}… (872 more characters)`", "a".repeat(128));
    assert_eq!(call(&"a".repeat(1000)), cut);
    assert!(call(&"\u{e0041}".repeat(100_000)).len() < 200);
}

#[test]
fn what_a_tools_error_says_is_safe_to_print() {
    let fails = DynTool::builder()
        .name("fails")
        .description("Fails.")
        .handler_sync(|_: Value, _| Err::<(), _>(format!("two\nlines\tof\r\n {HOSTILE}")));
    let refuses = DynTool::builder()
        .name("refuses")
        .description("Refuses.")
        .handler_sync(|_: Value, _| Ok::<_, ToolError>(()))
        .validate(|_: &Value| Err(vec![HOSTILE.to_owned()]));
    let tools = Toolset::new([fails.build().unwrap(), refuses.build().unwrap()]).unwrap();
    let words = |name: &str| {
        let call = ToolCall::new("c1", name, "{}");
        let result = tools.call_blocking(&call, &Context::new());
        result.outcome.unwrap_err().to_string()
    };
    let lines = SHOWN.replace(r"\n", "\n");
    assert_eq!(words("fails"), format!("two\nlines\tof\r\n {lines}"));
    assert_eq!(words("refuses"), lines);
    let more = ToolError::failed("a").with_message(HOSTILE).to_string();
    assert_eq!(more, format!("a\n{lines}"));
    // The letters of people stay.
    for said in [
        "Größe, 寿司, שלום, سلام, \u{645}\u{6cc}\u{200c}\u{62e}",
        "\u{1f469}\u{200d}\u{1f680} \u{2764}\u{fe0f}",
    ] {
        assert_eq!(ToolError::failed(said).to_string(), said);
    }
}

/// The definition of `add`, but for this.
fn added(change: impl FnOnce(&mut ToolDef)) -> ToolDef {
    let mut def = tools![add].definitions().next().unwrap().clone();
    change(&mut def);
    def
}

/// Where a definition can hide text: in words, which can be said without, and in what means
/// something else without it.
fn hiding() -> Vec<(ToolDef, bool)> {
    let mut all = vec![
        (added(|def| def.description = "Adds.\u{e0041}".into()), true),
        (added(|def| def.title = Some("Add\u{202e}".into())), true),
        (added(|def| def.description = "Adds.\u{1b}".into()), true),
        (added(|def| def.description = "Adds\u{fe01}.".into()), true),
        (added(|def| def.title = Some("Add\u{fffc}".into())), true),
    ];
    for (part, is_word) in [
        (r#""description": "a\u200b""#, true),
        (r#""items": {"title": "a\ufeff"}"#, true),
        (r#""description": "a\u001b""#, true),
        (r#""title": "a\udb40\udd42""#, true),
        (r#""enum": ["a\u200b"]"#, false),
        (r#""enum": ["a\b"]"#, false),
        (r#""default": "a\ufe0f""#, false),
        (r#""default": "a\u200b""#, false),
        (r#""examples": [{"b": "a\u200b"}]"#, false),
        (r#""properties": {"a\u200b": {}}"#, false),
    ] {
        let schema = format!(r#"{{"type": "object", "properties": {{"a": {{{part}}}}}}}"#);
        let schema = SchemaDoc::parse(&schema).unwrap();
        all.push((added(|def| def.input = schema), is_word));
    }
    all
}

#[test]
fn definitions_that_hide_text_are_refused() {
    for (def, _) in hiding() {
        let error = tools![add].attach([def.clone()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "characters that nobody sees stand in the definition of `add`"
        );
        assert_eq!(error.hidden(), ["add"]);
        let built = DynTool::builder()
            .def(def)
            .handler_sync(|_: Value, _| Ok::<_, ToolError>(()))
            .build();
        let error = built.unwrap_err();
        assert!(matches!(&error, BuildError::HiddenText(_)), "{error}");
        assert_printable(&error.to_string());
    }
}

#[test]
fn what_is_hidden_in_a_declared_definition_is_not_sent() {
    for (def, is_word) in hiding() {
        let tools = Toolset::new([DynTool::declare(def)]).unwrap();
        assert!(!tools.check(Dialect::OpenAiNonStrict).is_accepted());
        let sent = Wire::OpenAiChat.definitions_in(&tools, Dialect::OpenAiNonStrict);
        let sent = sent.unwrap();
        if sent.is_empty() {
            let notice = sent.notices().next().unwrap();
            let words = "of a schema holds characters that nobody sees";
            assert!(!is_word && notice.message.ends_with(words), "{notice}");
            assert_printable(&notice.to_string());
            continue;
        }
        assert!(is_word);
        assert_printable(&sent.text());
        let notes: Vec<_> = sent.notes().map(|(_, note)| note.to_string()).collect();
        assert!(
            notes.contains(&"/: hidden_removed hidden 1".to_owned()),
            "{notes:?}"
        );
        let help = ToolCall::new("1", "search_tools", r#"{"query": "add"}"#);
        let help = tools
            .compact()
            .unwrap()
            .call_blocking(&help, &Context::new());
        assert!(help.is_success(), "{help:?}");
        assert_printable(&help.content(Encoder::auto()));
        for wire in Wire::ALL {
            assert!(
                !wire
                    .definitions(&tools)
                    .contains(['\u{200b}', '\u{feff}', '\u{202e}'])
            );
        }
    }
}
