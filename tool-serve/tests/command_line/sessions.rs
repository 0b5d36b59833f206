//! The stored conversations of an agent: listed, shown, decided, cancelled.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::store::{Checkpointer, Lease, NewCheckpoint, Written};
use toolwright::agent::{
    Agent, AgentTool, Model, ModelResponse, Node, Session, SqliteCheckpointer, ThreadMessage,
};
use toolwright::call::BoxFuture;
use toolwright::layers::Approval;
use toolwright::serve::Serve;
use toolwright::{Context, Executor, Outcome, ToolCall, tool, tools};

use super::Named;
use super::program::{Came, command, run};

pub(crate) const TESTS: &[Named] = named![
    a_program_without_an_agent_has_no_sessions,
    sessions_are_listed_and_a_damaged_one_ends_nothing,
    a_session_is_shown_with_what_it_waits_for,
    a_call_that_has_begun_is_told_from_one_that_has_not,
    what_others_wrote_is_escaped_and_secrets_stay_secret,
    a_decision_is_stored_and_the_agent_goes_on,
    decisions_that_cannot_be_are_refused,
    calls_inside_of_agents_are_decided,
    a_held_session_is_cancelled,
    sessions_are_deleted_and_pruned,
];

/// Names the file of the sessions for the program.
const FILE: &str = "TOOLWRIGHT_SESSIONS";

/// Time of a lease that does not end during a test.
const LONG: Duration = Duration::from_mins(10);

/// Pays an invoice.
#[tool(destructive)]
fn pay(#[arg(range(1..=99))] invoice: u32, #[arg(secret)] pin: &str) -> String {
    format!("invoice {invoice} is paid with {} digits", pin.len())
}

/// Asks for a city.
#[tool]
fn travel() -> Outcome {
    Outcome::ask("Where to?")
}

fn pay_call(invoice: u32) -> ToolCall {
    let arguments = json!({"invoice": invoice, "pin": "4321"});
    ToolCall::new("c1", "pay", arguments.to_string())
}

/// A model that says something, and something else after a result. Processes need not know of each other.
struct Says(ModelResponse, &'static str);

impl Model for Says {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let response = match request.thread.messages().last() {
            Some(ThreadMessage::Tool(_)) => ModelResponse::text(self.1),
            _ => self.0.clone(),
        };
        Box::pin(async { Ok(response) })
    }
}

/// An agent whose model says this, with an agent in its calls whose model pays.
fn agent(store: &Arc<dyn Checkpointer>, says: ModelResponse) -> Agent {
    let settle = ToolCall::new("c1", "settle", pay_call(8).arguments);
    let inside = Says(ModelResponse::calls([settle]), "The helper has paid.");
    let tools = tools![pay as "settle", travel];
    let executor = Executor::serial(tools).layer(Approval::default());
    let inside = Agent::with_executor(inside, executor);
    let helper = AgentTool::new(inside, "helper", "Helps.").build().unwrap();
    let tools = tools![pay, travel]
        .merge(&toolwright::Toolset::new([helper]).unwrap())
        .unwrap();
    let executor = Executor::serial(tools).layer(Approval::default());
    Agent::with_executor(Says(says, "All done."), executor).checkpointer(Arc::clone(store))
}

/// The program with an agent, if there is a file for its sessions.
pub(crate) fn with_agent(serve: Serve) -> Serve {
    let Some(file) = std::env::var_os(FILE) else {
        return serve;
    };
    let store = open(Path::new(&file), None);
    serve.agent(agent(&store, ModelResponse::text("Hello!")))
}

fn open(file: &Path, lease: Option<Duration>) -> Arc<dyn Checkpointer> {
    Arc::new(SqliteCheckpointer::open(file).unwrap().with_lease(lease))
}

/// A file of sessions, and the program that reads it.
struct Desk {
    file: PathBuf,
    runtime: tokio::runtime::Runtime,
    store: Arc<dyn Checkpointer>,
}

impl Desk {
    fn new(name: &str) -> Self {
        let process = std::process::id();
        let folder = std::env::temp_dir().join(format!("toolwright-{name}-{process}"));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("sessions.db");
        Self {
            store: open(&file, Some(LONG)),
            file,
            runtime: tokio::runtime::Runtime::new().unwrap(),
        }
    }

    /// Runs a conversation of this id, whose model says this.
    fn talk(&self, id: &str, says: ModelResponse) -> Session {
        let agent = agent(&self.store, says);
        let mut session = Session::with_id(id);
        session.say("Go!").unwrap();
        let cx = Context::new();
        let run = agent.run(&mut session, &cx);
        let _ = self.runtime.block_on(run).unwrap();
        session
    }

    fn put(&self, id: &str, body: &str, lease: Lease) {
        let metadata = serde_json::Map::new();
        let put = self.store.put(NewCheckpoint {
            session: id,
            after: None,
            parent: None,
            written: Written::Start,
            next: Node::Model,
            at_ms: 0,
            metadata: &metadata,
            body,
            caller: None,
            lease,
        });
        self.runtime.block_on(put).unwrap();
    }

    fn latest(&self, id: &str) -> Session {
        let latest = self.runtime.block_on(self.store.latest(id));
        latest.unwrap().unwrap().session().unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Came {
        let arguments = [&["sessions"], arguments].concat();
        Came::of(command(&arguments).env(FILE, &self.file).output().unwrap())
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.file.parent().unwrap());
    }
}

fn a_program_without_an_agent_has_no_sessions() {
    let came = run(&["sessions", "list"]);
    assert_eq!(came.code, 2, "{came:?}");
    assert!(came.err.contains("unrecognized subcommand"), "{came:?}");
}

fn sessions_are_listed_and_a_damaged_one_ends_nothing() {
    let desk = Desk::new("list");
    assert_eq!(desk.run(&["list"]).out, "");
    desk.talk("a", ModelResponse::text("Hello!"));
    desk.put("b", "{}", Lease::None);
    desk.talk(
        "c",
        ModelResponse::calls([pay_call(7), ToolCall::new("c2", "travel", "{}")]),
    );
    let came = desk.run(&["list"]);
    assert_eq!(came.code, 0, "{came:?}");
    let lines: Vec<_> = came.out.lines().collect();
    assert!(lines[0].starts_with("a  completed "), "{came:?}");
    assert!(lines[1].starts_with("b  checkpoint "), "{came:?}");
    assert!(lines[1].contains("is damaged"), "{came:?}");
    assert!(lines[2].starts_with("c  awaiting_user "), "{came:?}");
    assert!(
        lines[2].ends_with(" s  call 0 pay; call 1 travel asks: Where to?"),
        "{came:?}"
    );
    let came = desk.run(&["list", "--after", "a", "--most", "1", "--output", "json"]);
    let listed = came.json();
    assert_eq!(listed["more"], true);
    assert_eq!(listed["sessions"][0]["id"], "b");
    assert!(listed["sessions"][0]["error"].is_string());
    let came = desk.run(&["list", "--most", "2"]);
    assert!(came.err.contains("`--after b`"), "{came:?}");
    let listed = desk.run(&["list", "--output", "json"]).json();
    let last = &listed["sessions"][2];
    assert_eq!(last["waits"][0]["tool"], "pay");
    assert_eq!(last["messages"], 3);
    assert!(last["age_ms"].as_u64().unwrap() < 600_000);
}

fn a_session_is_shown_with_what_it_waits_for() {
    let desk = Desk::new("show");
    let helper = ToolCall::new("c0", "helper", r#"{"input":"Pay!"}"#);
    desk.talk("s", ModelResponse::calls([helper, pay_call(7)]));
    let came = desk.run(&["show", "s"]);
    assert_eq!(came.code, 0, "{came:?}");
    for line in [
        "session s: awaiting_tools\n",
        "user: Go!\n",
        "  call 1: pay {\"invoice\":7,\"pin\":\"[secret]\"}\n",
        "waits: call 0, helper (id c0): the agent that it runs waits\n",
        "waits: call 0/0, settle (id c1): a person has to decide",
        "waits: call 1, pay (id c1): a person has to decide",
        "  arguments: {\"invoice\":8,\"pin\":\"[secret]\"}\n",
    ] {
        assert!(came.out.contains(line), "{line}: {}", came.out);
    }
    let shown = desk.run(&["show", "s", "--output", "json"]).json();
    assert_eq!(shown["status"], "awaiting_tools");
    assert_eq!(shown["messages"][1]["calls"][1]["tool"], "pay");
    assert_eq!(shown["waits"][1]["path"], json!([0, 0]));
    assert_eq!(shown["waits"][1]["reason"], "decision");
    let came = desk.run(&["show", "nobody"]);
    assert_eq!(came.code, 4, "{came:?}");
    assert_eq!(came.err, "error: there is no session `nobody`\n");
}

/// Asks for a city, and does not end.
#[tool]
async fn travel_far() -> &'static str {
    std::future::pending().await
}

fn a_call_that_has_begun_is_told_from_one_that_has_not() {
    let desk = Desk::new("begun");
    let turn = ["travel", "pay"].map(|tool| ToolCall::new(tool, tool, "{}"));
    let model = Says(ModelResponse::calls(turn), "");
    let agent = Agent::new(model, tools![travel_far as "travel"]);
    let agent = agent.checkpointer(Arc::clone(&desk.store));
    let mut session = Session::with_id("s");
    session.say("Go!").unwrap();
    let cx = Context::new();
    let ended = desk.runtime.block_on(async {
        let run = agent.run(&mut session, &cx);
        tokio::time::timeout(Duration::from_millis(300), run).await
    });
    ended.unwrap_err();
    let came = desk.run(&["show", "s"]);
    for line in [
        "waits: call 0, travel (id travel): it may have taken effect, so a person has to decide: it has begun, and its end is not recorded\n",
        "waits: call 1, pay (id pay): it has not run yet\n",
    ] {
        assert!(came.out.contains(line), "{line}: {}", came.out);
    }
    let shown = desk.run(&["show", "s", "--output", "json"]).json();
    assert_eq!(shown["waits"][0]["reason"], "outcome_unknown");
    assert_eq!(shown["waits"][1]["reason"], "not_run");
}

fn what_others_wrote_is_escaped_and_secrets_stay_secret() {
    let desk = Desk::new("escaped");
    let long = format!("\u{1b}[2J{}", "x".repeat(300));
    desk.talk("s", ModelResponse::text(long.clone()));
    let came = desk.run(&["show", "s"]);
    assert!(came.out.contains("model: \\u{1b}[2Jxx"), "{came:?}");
    assert!(came.out.contains("more characters)"), "{came:?}");
    let came = desk.run(&["show", "s", "--full"]);
    assert!(came.out.contains(&"x".repeat(300)), "{came:?}");
    assert!(!came.out.contains('\u{1b}'), "{came:?}");
    // The tool of an agent in a call is known there alone, and a tool that is gone nowhere.
    let helper = ToolCall::new("c0", "helper", r#"{"input":"Pay!"}"#);
    let gone = ToolCall::new("c2", "gone", r#"{"pin":"4321"}"#);
    let turn = [pay_call(7), helper, gone];
    desk.talk("p", ModelResponse::calls(turn));
    for output in ["text", "json"] {
        let came = desk.run(&["show", "p", "--full", "--output", output]);
        assert!(!came.out.contains("4321"), "{came:?}");
    }
}

fn a_decision_is_stored_and_the_agent_goes_on() {
    let desk = Desk::new("decide");
    desk.talk("a", ModelResponse::calls([pay_call(7)]));
    let came = desk.run(&["decide", "a", "0", "--approve"]);
    assert_eq!(came.code, 0, "{came:?}");
    assert!(came.out.contains("the next run"), "{came:?}");
    // It is decided once.
    let came = desk.run(&["decide", "a", "c1", "--reject", "too much"]);
    let words = "error: the call `c1` is decided already\n";
    assert_eq!((came.code, &*came.err), (2, words), "{came:?}");

    desk.talk("r", ModelResponse::calls([pay_call(7)]));
    let came = desk.run(&["decide", "r", "c1", "--reject", "too much", "--run"]);
    assert_eq!((came.code, &*came.out), (0, "All done.\n"), "{came:?}");
    let came = desk.run(&["show", "r"]);
    let words = "error of call 0, pay: the call was rejected: too much";
    assert!(came.out.contains(words), "{came:?}");

    desk.talk("b", ModelResponse::calls([pay_call(7)]));
    let edit = r#"{"invoice": 9, "pin": "12"}"#;
    let came = desk.run(&[
        "decide", "b", "0", "--edit", edit, "--run", "--output", "json",
    ]);
    let ran = came.json();
    assert_eq!(
        (came.code, &ran["end"], &ran["text"]),
        (0, &json!("completed"), &json!("All done."))
    );
    let result = &ran["session"]["messages"][2]["result"];
    assert_eq!(result, "invoice 9 is paid with 2 digits");

    let both = [ToolCall::new("c0", "travel", "{}"), pay_call(7)];
    desk.talk("c", ModelResponse::calls(both));
    let came = desk.run(&["decide", "c", "0", "--answer", r#""Oslo""#, "--run"]);
    assert_eq!(came.code, 1, "{came:?}");
    let came = desk.run(&["decide", "c", "1", "--answer", "[1]", "--run"]);
    assert_eq!((came.code, &*came.out), (0, "All done.\n"), "{came:?}");
    let shown = desk.run(&["show", "c", "--output", "json"]).json();
    let results: Vec<_> = (2..4)
        .map(|place| &shown["messages"][place]["result"])
        .collect();
    assert_eq!(results, [&json!("Oslo"), &json!("[1]")]);
}

fn decisions_that_cannot_be_are_refused() {
    let desk = Desk::new("refused");
    desk.talk("a", ModelResponse::calls([pay_call(7)]));
    desk.talk("done", ModelResponse::text("Hello!"));
    let table: [(&[&str], i32, &str); 12] = [
        (&["a", "0"], 2, "--approve"),
        (
            &[
                "a",
                "0",
                "--edit",
                r#"{"invoice": 7, "invoice": 8}"#,
                "--run",
            ],
            3,
            "invoice: given more than once",
        ),
        (
            &[
                "a",
                "0",
                "--edit",
                r#"{"invoice": 99999999999999999.99}"#,
                "--run",
            ],
            3,
            "invoice: expected an integer",
        ),
        (
            &["a", "0", "--answer", "[12345678901234567890123]"],
            2,
            "`--answer`: [0]: the number has more digits",
        ),
        // Nothing but one value is read.
        (&["a", "0", "--edit", r#"{}, "answer": 1"#], 2, "trailing"),
        (
            &["a", "0", "--approve", "--reject", "no"],
            2,
            "cannot be used with",
        ),
        (&["a", "0", "--answer", "Oslo"], 2, "a text has quotes"),
        (
            &["a", "7", "--approve"],
            4,
            "no call `7` is pending\nhelp: `sessions show a`",
        ),
        (&["a", "0/1", "--approve"], 4, "no call `0/1` is pending"),
        (
            &["nobody", "0", "--approve"],
            4,
            "there is no session `nobody`",
        ),
        (
            &["done", "0", "--approve"],
            1,
            "the session is completed, and takes no decision",
        ),
        (
            &[
                "a",
                "0",
                "--edit",
                r#"{"invoice": 100, "pin": ""}"#,
                "--run",
            ],
            3,
            "invoice",
        ),
    ];
    for (arguments, code, words) in table {
        let came = desk.run(&[&["decide"], arguments].concat());
        assert_eq!(came.code, code, "{arguments:?}: {came:?}");
        assert!(came.err.contains(words), "{arguments:?}: {came:?}");
    }
    // The call still waits.
    assert_eq!(desk.latest("a").pending().len(), 1);
}

fn calls_inside_of_agents_are_decided() {
    let desk = Desk::new("inside");
    let helper = ToolCall::new("c0", "helper", r#"{"input":"Pay!"}"#);
    desk.talk("r", ModelResponse::calls([helper.clone()]));
    let came = desk.run(&["decide", "r", "0/0", "--reject", "no"]);
    assert_eq!(came.code, 0, "{came:?}");
    assert_eq!(desk.latest("r").pending().len(), 1);
    let came = desk.run(&["decide", "r", "0/0", "--approve"]);
    let words = "error: the call `c1` is decided already\n";
    assert_eq!((came.code, &*came.err), (2, words), "{came:?}");

    desk.talk("s", ModelResponse::calls([helper]));
    let came = desk.run(&["decide", "s", "0/0", "--approve", "--run"]);
    assert_eq!((came.code, &*came.out), (0, "All done.\n"), "{came:?}");
    let came = desk.run(&["show", "s"]);
    assert!(
        came.out
            .contains("result of call 0, helper: The helper has paid."),
        "{came:?}"
    );
}

fn a_held_session_is_cancelled() {
    let desk = Desk::new("cancel");
    let session = desk.talk(
        "s",
        ModelResponse::calls([pay_call(7), ToolCall::new("c2", "travel", "{}")]),
    );
    let mut body = serde_json::to_value(&session).unwrap();
    body["id"] = Value::from("held");
    body["saved"] = Value::Null;
    desk.put("held", &body.to_string(), Lease::Take(LONG));
    let came = desk.run(&["decide", "held", "0", "--approve"]);
    assert_eq!(came.code, 1, "{came:?}");
    let words = "error: another run holds the session `held`; its lease ends in ";
    assert!(came.err.starts_with(words), "{came:?}");
    assert!(
        came.err
            .ends_with("help: `sessions cancel held` takes it from that run\n"),
        "{came:?}"
    );

    let came = desk.run(&["cancel", "held"]);
    assert_eq!(came.code, 0, "{came:?}");
    let session = desk.latest("held");
    assert!(session.pending().is_empty() && session.questions().is_empty());
    let came = desk.run(&["decide", "held", "0", "--approve", "--run"]);
    assert_eq!(came.code, 1, "{came:?}");
    assert!(came.err.contains("the session was stopped"), "{came:?}");
    let came = desk.run(&["list", "--after", "h", "--most", "1"]);
    assert!(came.out.contains("failed"), "{came:?}");
    assert!(came.out.contains("the session was stopped"), "{came:?}");
    let came = desk.run(&["cancel", "nobody"]);
    assert_eq!(came.code, 4, "{came:?}");
    assert_eq!(came.err, "error: there is no session `nobody`\n");
}

fn sessions_are_deleted_and_pruned() {
    let desk = Desk::new("delete");
    for id in ["a", "b"] {
        desk.talk(id, ModelResponse::text("Hello!"));
    }
    let count = |id| desk.runtime.block_on(desk.store.history(id)).unwrap().len();
    let before = count("a");
    assert!(before > 1);
    let came = desk.run(&["prune", "a", "--older-than", "1"]);
    assert_eq!(came.out, "old states deleted: 0\n", "{came:?}");
    let came = desk.run(&["prune", "a", "--keep", "1"]);
    assert_eq!(came.out, format!("old states deleted: {}\n", before - 1));
    let came = desk.run(&["prune", "--all", "--keep", "1", "--output", "json"]);
    assert_eq!(came.json(), json!({"deleted": before - 1}));
    assert_eq!((count("a"), count("b")), (1, 1));
    for wrong in [&["prune", "a"][..], &["prune", "--keep", "1"]] {
        assert_eq!(desk.run(wrong).code, 2);
    }
    assert_eq!(desk.run(&["prune", "nobody", "--keep", "1"]).code, 4);
    assert_eq!(desk.run(&["delete", "a"]).code, 0);
    assert_eq!(desk.run(&["delete", "a"]).code, 4);
    assert_eq!(count("a"), 0);
}
