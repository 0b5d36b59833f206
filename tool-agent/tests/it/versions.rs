//! A store of version 1 of a program, which was killed, opened by version 2: pending approvals, calls and the journal.
// A test that finds less than it expects has failed.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, Node, RunEnd, Session, SqliteCheckpointer, ThreadMessage};
use toolwright::call::Decision;
use toolwright::executor::PendingReason;
use toolwright::layers::Approval;
use toolwright::{Context, Executor, ToolCall};

use crate::scripts::{answers, calls, text};

/// The directory of the child process, in which the test plays version 1 until it is killed.
const DIR: &str = "TOOLWRIGHT_VERSION_ONE";

/// The file of effects: a line each.
struct Effects(PathBuf);

impl Effects {
    fn append(&self, line: &str) {
        let file = OpenOptions::new().append(true).create(true).open(&self.0);
        let mut file = file.unwrap();
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
        file.sync_data().unwrap();
    }

    fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

mod one {
    use toolwright::tool;

    use super::Effects;

    /// Orders something.
    #[tool(destructive)]
    pub(super) async fn place_order(#[state] effects: &Effects, item: &str, qty: u32) -> String {
        effects.append(&format!("{item} {qty}"));
        if item.starts_with("slow") {
            std::future::pending::<()>().await;
        }
        format!("ordered {item}")
    }

    /// Reads what was written.
    #[tool(read_only)]
    pub(super) fn read_output() -> &'static str {
        "all"
    }

    /// Notes something.
    #[tool]
    pub(super) fn note(text: &str) -> String {
        text.to_owned()
    }
}

mod two {
    use toolwright::tool;

    use super::Effects;

    /// Orders something. Nothing is not an order any more.
    #[tool(destructive, was("place_order"))]
    pub(super) async fn create_order(
        #[state] effects: &Effects,
        item: &str,
        #[arg(was = "qty", range(1..))] quantity: u32,
        #[arg(default = "EUR")] currency: &str,
    ) -> String {
        effects.append(&format!("{item} {quantity} {currency}"));
        format!("ordered {item} in {currency}")
    }

    /// Reads one page of what was written.
    #[tool(read_only)]
    pub(super) fn read_page(page: Option<u32>) -> u32 {
        page.unwrap_or_default()
    }

    /// Notes something.
    #[tool]
    pub(super) fn note(#[arg(was = "text")] words: &str) -> String {
        words.to_owned()
    }
}

fn effects(dir: &Path) -> Effects {
    Effects(dir.join("effects"))
}

fn store(dir: &Path) -> SqliteCheckpointer {
    SqliteCheckpointer::open(dir.join("sessions.db")).unwrap()
}

fn order(id: &str, item: &str, qty: u32) -> ToolCall {
    let arguments = json!({ "item": item, "qty": qty });
    ToolCall::new(id, "place_order", arguments.to_string())
}

fn executor_one(dir: &Path) -> Executor {
    let tools =
        toolwright::tools![one::place_order, one::read_output, one::note; state = effects(dir)];
    Executor::serial(tools)
}

fn executor_two(dir: &Path) -> Executor {
    let tools = toolwright::tools![
        two::create_order,
        two::read_page,
        two::note; state = effects(dir)
    ];
    Executor::serial(tools.retired("read_output -> read_page"))
}

/// Version 2 asks about orders, as version 1 did where it left some.
fn agent_two(dir: &Path, last: &str) -> Agent {
    let executor = executor_two(dir).layer(Approval::default());
    Agent::with_executor(ScriptedModel::new([text(last)]), executor).checkpointer(store(dir))
}

/// Version 1: it leaves approvals, calls that have ended, one that runs, and some that have not begun.
async fn version_one(dir: &Path) {
    for id in ["approved", "asked", "refused"] {
        let qty = u32::from(id != "refused") * 2;
        let script = ScriptedModel::new([calls([order("c0", id, qty)])]);
        let executor = executor_one(dir).layer(Approval::default());
        let agent = Agent::with_executor(script, executor).checkpointer(store(dir));
        let mut session = Session::with_id(id);
        session.say("Order!").unwrap();
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert!(matches!(run.end, RunEnd::Pending));
    }
    // Somebody has said yes, and nothing has come of it.
    let agent = Agent::with_executor(ScriptedModel::new([]), executor_one(dir));
    let agent = agent.checkpointer(store(dir));
    let decided = agent.update_state("approved", |session| {
        session.decide("c0", Decision::Approve)
    });
    decided.await.unwrap();

    let turn = [
        order("c0", "tea", 2),
        order("c1", "gift", 0),
        ToolCall::new("c2", "note", r#"{"text": "so far"}"#),
        order("c3", "slow", 1),
        order("c4", "cup", 3),
        order("c5", "nothing", 0),
        ToolCall::new("c6", "read_output", "{}"),
        ToolCall::new("c7", "note", r#"{"text": "all"}"#),
    ];
    let begun = |id: &'static str, turn: Vec<ToolCall>| async move {
        let script = ScriptedModel::new([calls(turn)]);
        let agent = Agent::with_executor(script, executor_one(dir)).checkpointer(store(dir));
        let mut session = Session::with_id(id);
        session.say("Order!").unwrap();
        let _ = agent.run(&mut session, &Context::new()).await;
    };
    tokio::join!(
        begun("journal", turn.to_vec()),
        begun("unknown", vec![order("c0", "slow too", 0)])
    );
}

/// A directory that goes with the test.
struct Dir(PathBuf);

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns what version 1 left behind when it was killed.
fn killed() -> Dir {
    let name = format!("toolwright-versions-{}", std::process::id());
    let dir = Dir(std::env::temp_dir().join(name));
    fs::create_dir(&dir.0).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "versions::a_store_of_version_1_is_opened_by_version_2",
        ])
        .env(DIR, &dir.0)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    let is_there = || {
        let lines = effects(&dir.0).lines();
        ["slow 1", "slow too 0"]
            .iter()
            .all(|line| lines.iter().any(|there| there == line))
    };
    while !is_there() {
        assert!(
            child.try_wait().unwrap().is_none(),
            "version 1 ended too early"
        );
        assert!(
            began.elapsed() < Duration::from_mins(1),
            "version 1 is stuck"
        );
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    dir
}

fn arguments(session: &Session, index: usize) -> (String, Value) {
    let pending = session.pending();
    let call = &pending
        .iter()
        .find(|pending| pending.index == index)
        .unwrap()
        .call;
    (
        call.name.to_string(),
        serde_json::from_str(&call.arguments).unwrap(),
    )
}

/// Every call of the thread is answered once, under the name that it was made by.
fn judge(session: &Session) {
    session.thread().check().unwrap();
    let messages = session.thread().messages();
    let made: usize = messages
        .iter()
        .map(|message| message.tool_calls().len())
        .sum();
    assert_eq!(answers(session.thread()).len(), made);
    let called = messages.iter().flat_map(ThreadMessage::tool_calls);
    let answered = messages.iter().filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some(&answer.name),
        _ => None,
    });
    assert!(called.map(|call| &call.name).eq(answered));
}

#[tokio::test]
async fn a_store_of_version_1_is_opened_by_version_2() {
    if let Some(dir) = std::env::var_os(DIR) {
        return version_one(Path::new(&dir)).await;
    }
    let dir = killed();
    let dir = &*dir.0;
    let before = effects(dir).lines();
    let mut sorted = before.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, ["gift 0", "slow 1", "slow too 0", "tea 2"]);
    let new = || effects(dir).lines().split_off(before.len());
    let cx = Context::new();

    // What was shown and decided was another tool's.
    let agent = agent_two(dir, "All is ordered.");
    let (mut session, run) = agent.resume("approved", &cx).await.unwrap();
    assert!(matches!(run.end, RunEnd::Pending));
    assert_eq!(new(), [""; 0]);
    let stored = json!({ "item": "approved", "qty": 2 });
    assert_eq!(arguments(&session, 0), ("place_order".to_owned(), stored));
    session.decide("c0", Decision::Approve).unwrap();
    let run = agent.run(&mut session, &cx).await.unwrap();
    assert_eq!(run.text(), Some("All is ordered."));
    assert_eq!(new(), ["approved 2 EUR"]);
    judge(&session);

    // A yes to the tool of today counts.
    let agent = agent_two(dir, "All is ordered.");
    let mut session = agent.state("asked").await.unwrap().unwrap();
    session.decide("c0", Decision::Approve).unwrap();
    let _ = agent.run(&mut session, &cx).await.unwrap();
    assert_eq!(new(), ["approved 2 EUR", "asked 2 EUR"]);
    judge(&session);

    // A call that does not fit any more is answered with that.
    let refused = "quantity: expected an integer from 1 to 4294967295, got 0";
    let agent = agent_two(dir, "It cannot be ordered.");
    let mut session = agent.state("refused").await.unwrap().unwrap();
    session.decide("c0", Decision::Approve).unwrap();
    let run = agent.run(&mut session, &cx).await.unwrap();
    assert_eq!(run.text(), Some("It cannot be ordered."));
    assert_eq!(answers(session.thread()), [refused]);

    // It has begun, and does not fit any more.
    let agent = agent_two(dir, "Look yourself.");
    let (session, run) = agent.resume("unknown", &cx).await.unwrap();
    assert_eq!(run.text(), Some("Look yourself."));
    assert_eq!(
        answers(session.thread()),
        [format!(
            "this call began, and what it came to is not recorded; it is not known whether it took effect, and it cannot run again: {refused}"
        )]
    );

    journal(dir, refused, &new).await;
}

/// A turn of which version 1 had done a part.
async fn journal(dir: &Path, refused: &str, new: &dyn Fn() -> Vec<String>) {
    let cx = Context::new();
    let model = ScriptedModel::new([text("All is ordered.")]);
    let agent = Agent::with_executor(model, executor_two(dir)).checkpointer(store(dir));
    let count = new().len();
    let (mut session, run) = agent.resume("journal", &cx).await.unwrap();
    assert!(matches!(run.end, RunEnd::Pending));
    // What had ended did not happen again, and what had not begun did.
    assert_eq!(new().split_off(count), ["cup 3 EUR"]);
    // Of the one that ran somebody looks what became.
    let [pending] = &session.pending()[..] else {
        panic!("{:?}", session.pending());
    };
    assert!(matches!(pending.reason, PendingReason::OutcomeUnknown(_)));
    session.submit(3, "it was ordered").unwrap();
    let run = agent.run(&mut session, &cx).await.unwrap();
    assert_eq!(run.text(), Some("All is ordered."));
    assert_eq!(
        answers(session.thread()),
        [
            "ordered tea",
            "ordered gift",
            "so far",
            "it was ordered",
            "ordered cup in EUR",
            refused,
            "unknown tool `read_output`; use `read_page` instead",
            "all",
        ]
    );
    assert_eq!(new().len(), count + 1);
    judge(&session);
}

/// A session of which a call waits for a person, as an agent of these tools left it and a string stores it.
async fn waiting(executor: Executor, call: ToolCall) -> String {
    let agent = Agent::with_executor(ScriptedModel::new([calls([call])]), executor);
    let mut session = Session::with_id("s");
    session.say("Pay!").unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Pending));
    serde_json::to_string(&session).unwrap()
}

mod paying {
    use toolwright::call::Approved;
    use toolwright::tool;

    /// Pays cents.
    #[tool]
    pub(super) fn pay(amount: u32, yes: Approved<'_>) -> String {
        let _ = yes;
        format!("paid {amount} cents")
    }

    /// Tells.
    #[tool]
    pub(super) fn tell() {}
}

/// Versions of `paying::pay` whose arguments look the same.
mod later {
    use toolwright::call::Approved;
    use toolwright::tool;

    /// Pays dollars.
    #[tool(name = "pay")]
    pub(super) fn pay_dollars(amount: u32, yes: Approved<'_>) -> String {
        let _ = yes;
        format!("paid {amount} dollars")
    }

    /// Pays cents.
    #[tool(name = "pay", destructive)]
    pub(super) fn pay_for_good(amount: u32, yes: Approved<'_>) -> String {
        let _ = yes;
        format!("paid {amount} cents for good")
    }

    /// Pays cents.
    #[tool(was("pay"))]
    pub(super) fn pay_cents(#[arg(was = "amount")] cents: u32, yes: Approved<'_>) -> String {
        let _ = yes;
        format!("paid {cents} cents")
    }
}

#[tokio::test]
async fn a_yes_holds_for_the_tool_that_was_shown() {
    let call = ToolCall::new("c0", "pay", r#"{"amount": 5}"#);
    let cents: fn() -> Executor = || Executor::serial(toolwright::tools![paying::pay]);
    let dollars = || Executor::serial(toolwright::tools![later::pay_dollars]);
    let for_good = || Executor::serial(toolwright::tools![later::pay_for_good]);
    let renamed = || Executor::serial(toolwright::tools![later::pay_cents]);
    let table = [
        (cents, true, "paid 5 cents"),
        // Other words, another hint, another name.
        (dollars, false, "paid 5 dollars"),
        (for_good, false, "paid 5 cents for good"),
        (renamed, false, "paid 5 cents"),
    ];
    for (index, (after, counts, answer)) in table.into_iter().enumerate() {
        let stored = waiting(cents(), call.clone()).await;
        let mut session: Session = serde_json::from_str(&stored).unwrap();
        session.decide("c0", Decision::Approve).unwrap();
        let agent = Agent::with_executor(ScriptedModel::new([text("Done.")]), after());
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(matches!(run.end, RunEnd::Completed), counts, "{index}");
        if !counts {
            // It waits again, and is approved once more.
            assert_eq!(answers(session.thread()), [""; 0], "{index}");
            session.decide("c0", Decision::Approve).unwrap();
            let run = agent.run(&mut session, &Context::new()).await.unwrap();
            assert!(
                matches!(run.end, RunEnd::Completed),
                "{index}: {:?}",
                run.end
            );
        }
        assert_eq!(answers(session.thread()), [answer], "{index}");
    }
}

/// A call by an old name that the model makes today is not a stored one, also after an interrupt.
#[tokio::test]
async fn a_new_call_by_an_old_name_stays_new() {
    let made = [
        ToolCall::new("c0", "place_order", r#"{"item": "tea", "quantity": 1}"#),
        ToolCall::new("c1", "create_order", r#"{"item": "tea", "qty": 1}"#),
        ToolCall::new("c2", "note", r#"{"text": "hi"}"#),
    ];
    let dir = std::env::temp_dir().join(format!("toolwright-new-{}", std::process::id()));
    fs::create_dir(&dir).unwrap();
    let dir = Dir(dir);
    let script = ScriptedModel::new([calls(made), text("Done.")]);
    let agent = Agent::with_executor(script, executor_two(&dir.0)).interrupt_before(Node::Tools);
    let mut session = Session::ask("Order!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Interrupted { .. }));
    let stored = serde_json::to_string(&session).unwrap();
    let mut session: Session = serde_json::from_str(&stored).unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let answers = answers(session.thread());
    assert_eq!(
        answers[0],
        "unknown tool `place_order`; it is called `create_order` now"
    );
    assert!(answers[1].starts_with("qty: unknown argument; it is called `quantity` now"));
    assert_eq!(answers[2], "hi");
    assert_eq!(effects(&dir.0).lines(), [""; 0]);
}

#[tokio::test]
async fn a_rejection_counts_whatever_has_become_of_the_tool() {
    let call = ToolCall::new("c0", "pay", r#"{"amount": 5}"#);
    let stored = waiting(Executor::serial(toolwright::tools![paying::pay]), call).await;
    let mut session: Session = serde_json::from_str(&stored).unwrap();
    session
        .decide("c0", Decision::Reject("too much".into()))
        .unwrap();
    let tools = toolwright::tools![paying::tell].retired("pay -> tell");
    let agent = Agent::with_executor(ScriptedModel::new([text("Done.")]), Executor::serial(tools));
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Completed), "{:?}", run.end);
    assert_eq!(
        answers(session.thread()),
        ["the call was rejected: too much"]
    );
}
