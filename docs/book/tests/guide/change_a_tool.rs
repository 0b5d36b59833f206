//! The page `change-a-tool.md`.

use toolwright::agent::session::SessionError;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, ModelResponse, Session, ThreadMessage};
use toolwright::call::Decision;
use toolwright::layers::Approval;
use toolwright::{Context, Encoder, Executor, ToolCall};

use crate::output;

mod before {
    use toolwright::tool;

    /// Orders something.
    #[tool(destructive)]
    pub(super) fn place_order(qty: u32) -> String {
        format!("ordered {qty}")
    }
}

// ANCHOR: tools
use toolwright::{Toolset, tool, tools};

/// Orders something.
#[tool(destructive, was("place_order"))]
fn create_order(
    #[arg(was = "qty")] quantity: u32,
    #[arg(default = "EUR")] currency: &str,
) -> String {
    format!("ordered {quantity}, to be paid in {currency}")
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

fn approve(session: &mut Session) -> Result<(), SessionError> {
    session.decide("call_1", Decision::Approve)
}
// ANCHOR_END: agent

#[tokio::test]
async fn an_agent_reads_old_names() {
    let store = toolwright::agent::MemoryCheckpointer::new();
    let call = ToolCall::new("call_1", "place_order", r#"{"qty":2}"#);
    let model = ScriptedModel::new([Ok(ModelResponse::calls([call]))]);
    let executor = Executor::serial(tools![before::place_order]).layer(Approval::default());
    let agent = Agent::with_executor(model, executor).checkpointer(store.clone());
    let mut session = Session::with_id("ann");
    session.say("Two, please.").unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();

    let executor = Executor::serial(desk()).layer(Approval::default());
    let model = ScriptedModel::new([Ok(ModelResponse::text("Ordered."))]);
    let new = Agent::with_executor(model, executor).checkpointer(store);
    let mut now = new.state("ann").await.unwrap().unwrap();
    let shown = output::of(|| show(&now));
    approve(&mut now).unwrap();
    let run = new.run(&mut now, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Ordered."));
    let printed = output::of(|| {
        println!("{}", shown.trim_end());
        let last = now.thread().messages().iter().rev();
        let answer = last.filter_map(|message| match message {
            ThreadMessage::Tool(answer) => Some(&answer.text),
            _ => None,
        });
        println!("{}", answer.into_iter().next().unwrap());
    });
    output::shown("change_a_tool.agent.txt", &printed);
}

// ANCHOR: own
use toolwright::executor::{Batch, CallPlan, Turn};

/// Runs the calls of a turn that an earlier version of the program stored.
async fn run_stored(executor: &Executor, calls: &[ToolCall], cx: &Context) -> Batch {
    let plans = vec![CallPlan::Stored; calls.len()];
    executor.run(Turn::planned(calls, &plans), cx).await
}
// ANCHOR_END: own

#[tokio::test]
async fn own_stores() {
    let calls = [ToolCall::new("call_1", "place_order", r#"{"qty":2}"#)];
    let batch = run_stored(&Executor::serial(desk()), &calls, &Context::new()).await;
    let result = batch.results().next().unwrap();
    assert_eq!(
        result.content(Encoder::auto()),
        "ordered 2, to be paid in EUR"
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

mod with_state {
    use std::sync::atomic::AtomicU32;

    // ANCHOR: lock_state
    use toolwright::toolset::ListState;
    use toolwright::{Toolset, tool, tools};

    /// Counts the orders.
    #[tool(read_only)]
    fn count_orders(#[state] db: &Db) -> u32 {
        db.count()
    }

    /// The program calls `shop(Db::open()?.into())`.
    fn shop(db: ListState<Db>) -> Toolset {
        tools![count_orders; state = db]
    }

    #[test]
    fn the_lock_needs_no_database() {
        toolwright::lock!(shop(ListState::Absent), "tests/guide/shop.lock")
            .check()
            .unwrap();
    }
    // ANCHOR_END: lock_state

    #[derive(Default)]
    struct Db(AtomicU32);

    impl Db {
        fn count(&self) -> u32 {
            self.0.load(std::sync::atomic::Ordering::Relaxed)
        }
    }

    #[test]
    fn the_program_has_one() {
        let call = toolwright::ToolCall::new("1", "count_orders", "{}");
        let cx = toolwright::Context::new();
        let result = shop(Db::default().into()).call_blocking(&call, &cx);
        assert_eq!(result.value(), Some(0.into()));
    }
}

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
