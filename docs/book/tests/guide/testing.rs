//! The page `testing.md`.

use crate::output;

// ANCHOR: tools
use toolwright::{Context, tool, tools};

/// Adds a line to a shopping list.
#[tool]
fn add_line(
    /// What to buy
    article: &str,
    /// How many
    #[arg(range(1..=99), default = 1)]
    count: u8,
) -> Result<String, String> {
    match article {
        "" => Err("say what to buy".into()),
        _ => Ok(format!("{count} x {article}")),
    }
}
// ANCHOR_END: tools

// ANCHOR: function
#[test]
fn a_line_says_how_many() {
    assert_eq!(add_line("tea", 2).unwrap(), "2 x tea");
    assert!(add_line("", 1).is_err());
}
// ANCHOR_END: function

// ANCHOR: call_json
use serde_json::json;

#[tokio::test]
async fn a_line_is_one_by_default() {
    let tools = tools![add_line];
    let line = tools
        .call_json("add_line", json!({"article": "tea"}), &Context::new())
        .await;
    assert_eq!(line.unwrap(), "1 x tea");

    let error = tools
        .call_json(
            "add_line",
            json!({"article": "tea", "count": 100}),
            &Context::new(),
        )
        .await;
    assert_eq!(
        error.unwrap_err().to_string(),
        "count: expected an integer from 1 to 99, got 100"
    );
}
// ANCHOR_END: call_json

// ANCHOR: with_context
struct User(&'static str);

/// Greets the user.
#[tool]
fn greet(cx: &Context) -> String {
    format!("Hello {}", cx.get::<User>().map_or("you", |user| user.0))
}

#[tokio::test]
async fn a_user_is_greeted_by_name() {
    let cx = Context::new().with(User("Ada"));
    let said = tools![greet].call_json("greet", json!({}), &cx).await;
    assert_eq!(said.unwrap(), "Hello Ada");
}
// ANCHOR_END: with_context

/// Pays an order back.
#[tool(destructive)]
fn refund(order: u32) -> String {
    format!("order {order} is paid back")
}

// ANCHOR: assert_callable
use toolwright_testing as testing;

#[test]
fn tools_take_what_their_schemas_admit() {
    let tools = tools![add_line, greet, refund];
    let tools = tools.filter(|tool| tool.name() != "refund"); // it must not run in a test
    // The smallest call of each tool, and a hundred at random, always the same by this seed.
    let answers = testing::assert_callable(&tools, &Context::new(), 1, 100);
    assert_eq!(answers.len(), 202);
}
// ANCHOR_END: assert_callable

// ANCHOR: middle
/// Returns the number in the middle of a list.
#[tool]
fn middle(numbers: Vec<i32>) -> i32 {
    numbers[numbers.len() / 2]
}
// ANCHOR_END: middle

// ANCHOR: assert_accepted
use toolwright::Dialect;

#[test]
fn strict_modes_accept_the_tools() {
    let tools = tools![add_line, greet];
    testing::assert_accepted(&tools, Dialect::OpenAiStrict);
    testing::assert_accepted(&tools, Dialect::GeminiJson);
}
// ANCHOR_END: assert_accepted

// ANCHOR: snapshot
#[test]
fn definitions_change_only_on_purpose() {
    let text = testing::snapshot(&tools![add_line]);
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/guide/testing/definitions.txt"
    );
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(file, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(file).unwrap());
}
// ANCHOR_END: snapshot

// ANCHOR: encoder
use toolwright::{Encoder, Outcome};

/// Results in capitals.
fn capitals() -> Encoder {
    Encoder::custom(|result| match &result.outcome {
        Ok(Outcome::Value(value)) => Ok(value.to_plain().to_uppercase()),
        _ => Ok(result.content(Encoder::auto()).into_owned()),
    })
}
// ANCHOR_END: encoder

// ANCHOR: executor
use toolwright::Executor;

#[test]
fn the_executor_answers_each_call_once() {
    testing::conformance::executor(|tools, calls, cx| {
        Executor::parallel(tools, 4).run_blocking(calls, cx).into() // yours
    });
    testing::conformance::encoder(Encoder::envelope()); // yours
}
// ANCHOR_END: executor

// ANCHOR: agrees
/// A type that other code describes by schemars.
#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema, toolwright::Schema)]
struct Address {
    street: String,
    #[schemars(range(min = 1))]
    number: u32,
}

#[test]
fn both_schemas_of_an_address_are_the_same() {
    testing::agrees::<Address>().unwrap();
}
// ANCHOR_END: agrees

// ANCHOR: tool
#[test]
fn a_tool_built_at_run_time_is_one() {
    for tool in tools![add_line, greet].iter() {
        testing::conformance::tool(&**tool);
    }
}
// ANCHOR_END: tool

// ANCHOR: store
use toolwright::agent::{MemoryCheckpointer, testing::conformance::checkpointer};

#[tokio::test]
async fn a_store_of_ones_own_keeps_sessions() {
    let store = MemoryCheckpointer::new(); // yours
    checkpointer(async || store.clone()).await;
}
// ANCHOR_END: store

// ANCHOR: samples
use std::collections::BTreeMap;
use toolwright::schema::SchemaDoc;
use toolwright_testing::Samples;

/// A decoder of one's own.
fn switches(text: &str) -> Option<BTreeMap<String, bool>> {
    serde_json::from_str(text).ok()
}

#[test]
fn a_decoder_takes_what_its_schema_admits() {
    let schema = SchemaDoc::of::<BTreeMap<String, bool>>();
    let mut samples = Samples::of(&schema, 1);
    for _ in 0..200 {
        let text = samples.valid().unwrap();
        assert!(switches(&text).is_some(), "{text}");
        let _ = switches(&samples.near().text); // near misses: no panic
    }
}
// ANCHOR_END: samples

// ANCHOR: scripted
use toolwright::agent::{Agent, ModelResponse, Session, testing::ScriptedModel};
use toolwright::{ToolCall, Toolset};

#[tokio::test]
async fn the_agent_reads_the_list_back() {
    let call = ToolCall::new("call_1", "add_line", r#"{"article": "tea"}"#);
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([call])),
        Ok(ModelResponse::text("It is on your list.")),
    ]);
    let agent = Agent::new(model.clone(), tools![add_line]).system("You keep a list.");
    let mut session = Session::ask("I need tea.");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("It is on your list."));

    // What the agent sent.
    let requests = model.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].system.as_deref(), Some("You keep a list."));
    assert_eq!(requests[1].thread.len(), 3);
    model.finish(); // every step was played, once
}
// ANCHOR_END: scripted

// ANCHOR: recall
use toolwright_evals::{self as evals, Differences, Recall};

fn measured(tools: &Toolset) -> Result<Recall, String> {
    // A file of your own, one question on a line.
    let questions = evals::questions(include_str!("testing/questions.jsonl"))?;
    Ok(evals::recall(tools, &questions))
}

#[test]
fn the_search_finds_what_people_ask_for() {
    let report = measured(&tools![add_line, greet, middle]).unwrap();
    assert!(report.recall_at_5 > 0.6, "{report}");
    // To keep beside the test: serde_json::to_string(&report), report.to_svg()
}
// ANCHOR_END: recall

// ANCHOR: compare
/// Adds a line to a shopping list: something to remember to get from a shop.
#[tool(name = "add_line")]
fn add_reworded(article: &str, count: u8) -> Result<String, String> {
    add_line(article, count)
}

fn reworded() -> Result<Differences, String> {
    let before = measured(&tools![add_line, greet, middle])?; // or a report that was stored
    let after = measured(&tools![add_reworded, greet, middle])?;
    Ok(before.compare(&after))
}

#[test]
fn the_new_words_are_better() {
    let changes = reworded().unwrap();
    assert!(changes.worse.is_empty(), "{changes}");
}
// ANCHOR_END: compare

// ANCHOR: trajectory
use toolwright::agent::AgentError;
use toolwright::executor::TraceStore;
use toolwright_evals::{Order, Scores, Trajectory, call};

/// Plays a conversation.
async fn tea_and_milk() -> Result<Trajectory, AgentError> {
    let add = |id: &str, article| {
        ToolCall::new(
            id,
            "add_line",
            json!({"article": article, "count": 2}).to_string(),
        )
    };
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([
            add("call_1", "tea"),
            add("call_2", "milk"),
        ])),
        Ok(ModelResponse::text("Both are on your list.")),
    ]);
    let trace = TraceStore::new(1000); // the last 1000 events
    let agent = Agent::new(model, tools![add_line]).listener(trace.clone());
    let mut session = Session::ask("Tea and milk, two of each.");
    let _ = agent.run(&mut session, &Context::new()).await?;
    Ok(Trajectory::of(&trace, session.id()))
}

#[tokio::test]
async fn the_agent_adds_what_is_needed() {
    let calls = tea_and_milk().await.unwrap();
    calls.assert(Order::Exact, &[call("add_line"), call("add_line")]);
    let milk = call("add_line").with(json!({"article": "milk", "count": 2}));
    let tea = call("add_line").containing(json!({"article": "tea"}));
    calls.assert(Order::AnyOrder, &[milk, tea]);
}
// ANCHOR_END: trajectory

// ANCHOR: scores
async fn scored() -> Result<Scores, AgentError> {
    let mut scores = Scores::new();
    let wanted = |article| call("add_line").containing(json!({"article": article}));
    let calls = tea_and_milk().await?; // with a real model, many different ones
    scores.add("tea and milk", &calls, &[wanted("tea"), wanted("milk")]);
    scores.add("bread and tea", &calls, &[wanted("bread"), wanted("tea")]);
    Ok(scores)
}
// ANCHOR_END: scores

#[tokio::test]
async fn reports_of_choices_are_shown() {
    let report = measured(&tools![add_line, greet, middle]).unwrap();
    output::shown("testing.recall.txt", &report.to_string());
    output::shown("testing.compare.txt", &reworded().unwrap().to_string());
    output::shown("testing.scores.txt", &scored().await.unwrap().to_string());
}

#[test]
fn another_order_is_said() {
    let calls: Trajectory =
        serde_json::from_value(json!([{"tool": "greet", "arguments": {}, "ok": true}])).unwrap();
    let said = calls.check(Order::InOrder, &[call("greet"), call("add_line")]);
    output::shown("testing.order.txt", &said.unwrap_err());
}

#[test]
fn a_snapshot_has_every_dialect() {
    let text = testing::snapshot(&tools![add_line]);
    assert!(text.matches("\n== ").count() > 10);
    let rest = text.find("== azure_strict").unwrap();
    output::shown("testing.snapshot.txt", &text[..rest]);
}

#[test]
fn an_encoder_that_loses_a_value_is_found() {
    let said = panic_of(|| testing::conformance::encoder(capitals()));
    output::shown("testing.encoder.txt", &said);
}

/// What a panic of `run` says.
fn panic_of(run: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(run).unwrap_err();
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn a_panic_is_found() {
    let said = panic_of(|| {
        testing::assert_callable(&tools![middle], &Context::new(), 1, 20);
    });
    let first: Vec<_> = said.lines().take(2).collect();
    output::shown("testing.middle.txt", &first.join("\n"));
}

#[derive(serde::Deserialize, toolwright::Schema)]
struct Record {
    id: usize,
    #[serde(flatten)]
    others: BTreeMap<String, String>,
}

/// Stores a record.
#[tool]
fn store(#[arg(flatten)] record: Record) -> usize {
    record.others.len() + record.id
}

#[test]
fn a_report_says_what_is_not_accepted() {
    let said = panic_of(|| testing::assert_accepted(&tools![store], Dialect::OpenAiStrict));
    output::shown("testing.accepted.txt", &said);
}
