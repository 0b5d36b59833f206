//! The page `change-a-tool.md`.

use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, ModelResponse, Session};
use toolwright::layers::Approval;
use toolwright::{Context, Encoder, Executor, ToolCall};

use crate::output;

mod before {
    use toolwright::tool;

    /// Orders something.
    #[tool(destructive, version = "1.0")]
    pub(super) fn place_order(qty: u32) -> String {
        format!("ordered {qty}")
    }
}

// ANCHOR: tools
use serde_json::{Value, json};
use toolwright::{Toolset, tool, tools};

/// Orders something.
#[tool(destructive, version = "2.0", was("place_order"), migrate = from_v1)]
fn create_order(#[arg(was = "qty")] quantity: u32, currency: String) -> String {
    format!("ordered {quantity}, to be paid in {currency}")
}

/// Version 1 knew euros alone. Arguments have their names of today.
fn from_v1(version: &str, mut arguments: Value) -> Result<Value, String> {
    if arguments["quantity"] == 0 {
        return Err(format!("version {version} took orders of nothing"));
    }
    arguments["currency"] = json!("EUR");
    Ok(arguments)
}

/// Reads one page of the output.
#[tool(read_only)]
fn read_page(page: u32) -> String {
    format!("page {page}")
}

fn desk() -> Toolset {
    // The lock has the line `read_output -> read_page`.
    tools![create_order, read_page].retired(include_str!("tools.lock"))
}
// ANCHOR_END: tools

#[test]
fn a_model_is_told() {
    let printed = output::of(|| {
        for (name, arguments) in [
            ("place_order", "{}"),
            ("read_output", "{}"),
            ("create_order", r#"{"qty": 2, "currency": "EUR"}"#),
        ] {
            let call = ToolCall::new("call_1", name, arguments);
            let result = desk().call_blocking(&call, &Context::new());
            println!("{}", result.content(Encoder::auto()));
        }
    });
    output::shown("change_a_tool.told.txt", &printed);
}

// ANCHOR: agent
/// What a session of version 1 waits for.
fn show(session: &Session) {
    for pending in session.pending() {
        println!("{} {}", pending.call.name, pending.call.arguments);
    }
}
// ANCHOR_END: agent

#[tokio::test]
async fn an_agent_migrates() {
    let store = toolwright::agent::MemoryCheckpointer::new();
    let call = ToolCall::new("call_1", "place_order", r#"{"qty":2}"#);
    let model = ScriptedModel::new([Ok(ModelResponse::calls([call]))]);
    let executor = Executor::serial(tools![before::place_order]).layer(Approval::default());
    let agent = Agent::with_executor(model, executor).checkpointer(store.clone());
    let mut session = Session::with_id("ann");
    session.reply("Two, please.").unwrap();
    agent.run(&mut session, &Context::new()).await.unwrap();

    let executor = Executor::serial(desk()).layer(Approval::default());
    let new = Agent::with_executor(ScriptedModel::new([]), executor).checkpointer(store);
    let now = new.state("ann").await.unwrap().unwrap();
    let printed = output::of(|| {
        show(&session);
        show(&now);
    });
    output::shown("change_a_tool.agent.txt", &printed);
}

// ANCHOR: own
use toolwright::ToolError;

/// What you store.
fn stored(tools: &Toolset, call: &ToolCall) -> (ToolCall, String) {
    (call.clone(), tools.version(&call.name).to_owned())
}

/// What you run, or the words for the model.
fn opened(tools: &Toolset, stored: &(ToolCall, String)) -> Result<ToolCall, ToolError> {
    let (call, version) = stored;
    Ok(tools.migrate(call, version)?.into_owned())
}
// ANCHOR_END: own

#[test]
fn own_stores() {
    let call = ToolCall::new("call_1", "place_order", r#"{"qty":0}"#);
    let kept = stored(&tools![before::place_order], &call);
    assert_eq!(kept.1, "1.0");
    assert_eq!(
        opened(&desk(), &kept).unwrap_err().to_string(),
        "a call of version 1.0 cannot be made one of version 2.0: version 1.0 took orders of nothing"
    );
}

// ANCHOR: lock_test
#[test]
fn the_lock_is_up_to_date() {
    toolwright::lock!(desk(), "tests/guide/tools.lock")
        .check()
        .unwrap();
}
// ANCHOR_END: lock_test

mod after {
    use toolwright::tool;

    /// Reads one page of the output.
    #[tool(read_only)]
    pub(super) fn read_page(#[arg(range(1..))] page: u32) -> String {
        format!("page {page}")
    }
}

#[test]
fn a_break_is_shown() {
    use toolwright::lock::Lock;

    let path = std::env::temp_dir().join(format!("toolwright-{}.lock", std::process::id()));
    Lock::new(&tools![read_page], &path)
        .update(false)
        .check()
        .unwrap();
    let error = Lock::new(&tools![after::read_page], &path)
        .check()
        .unwrap_err();
    std::fs::remove_file(&path).unwrap();
    let shown = error
        .to_string()
        .replace(&path.display().to_string(), "tools.lock");
    output::shown("change_a_tool.break.txt", &format!("{shown}\n"));
}

#[test]
fn two_schemas_are_compared() -> Result<(), serde_json::Error> {
    // ANCHOR: compare
    use toolwright::lock::{Verdict, compare};
    use toolwright::schema::SchemaDoc;

    let old = SchemaDoc::parse(r#"{"type": "integer", "minimum": 1, "maximum": 14}"#)?;
    let new = SchemaDoc::parse(r#"{"type": "integer", "minimum": 1, "maximum": 7}"#)?;
    let comparison = compare(&old, &new);
    assert_eq!(comparison.verdict, Verdict::Major);
    assert_eq!(comparison.witness.as_deref(), Some("8"));
    // ANCHOR_END: compare
    Ok(())
}
