//! Arguments that a person edited: the model reads it, whatever becomes of the call.
// A test that finds less than it expects has failed.
// Steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolwright::agent::model::ModelError;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, AgentTool, ModelResponse, Session, ThreadMessage, handoff};
use toolwright::call::Decision;
use toolwright::layers::{Approval, Risk};
use toolwright::{Context, Encoder, Executor, Outcome, ToolCall, ToolError, Toolset, tool, tools};

/// What the next calls come to, the first one last.
type Next = Mutex<Vec<Result<Outcome, ToolError>>>;

/// Orders something.
#[tool(meta(risk = "high"))]
fn order(item: &str, #[arg(secret)] pin: u16, #[state] next: &Next) -> Result<Outcome, ToolError> {
    let next = next.lock().unwrap().pop();
    next.unwrap_or_else(|| Ok(Outcome::value(format!("{item} {}", pin > 0))))
}

fn next(outcomes: impl IntoIterator<Item = Result<Outcome, ToolError>>) -> Arc<Next> {
    let mut outcomes: Vec<_> = outcomes.into_iter().collect();
    outcomes.reverse();
    Arc::new(Mutex::new(outcomes))
}

fn script(calls: impl IntoIterator<Item = ToolCall>) -> [Result<ModelResponse, ModelError>; 2] {
    [
        Ok(ModelResponse::calls(calls)),
        Ok(ModelResponse::text("Done.")),
    ]
}

fn call() -> ToolCall {
    ToolCall::new("c", "order", r#"{"item": "hat", "pin": 1}"#)
}

/// An agent that orders once somebody approves.
fn buyer(next: &Arc<Next>) -> Agent {
    let executor = Executor::serial(tools![order; state = Arc::clone(next)]);
    let executor = executor.layer(Approval::at_least(Risk::High));
    Agent::with_executor(ScriptedModel::new(script([call()])), executor)
}

fn edit(item: &str) -> Decision {
    Decision::edit(json!({"pin": 1, "item": item}))
}

/// A session whose call was edited, after the next run.
async fn edited(agent: &Agent, item: &str) -> Session {
    let mut session = Session::ask("A hat!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    session.decide("c", edit(item)).unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    serde_json::from_str(&serde_json::to_string(&session).unwrap()).unwrap()
}

fn answers(session: &Session) -> Vec<String> {
    let messages = session.thread().messages().iter();
    let answers = messages.filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some(answer.text.clone()),
        _ => None,
    });
    answers.collect()
}

/// The words before the sentence about the edit, which shows the coat and no secret.
fn before(answer: &str) -> &str {
    let words = "\n\nA person changed the arguments of this call. It ran with: ";
    let (before, shown) = answer
        .split_once(words)
        .unwrap_or_else(|| panic!("{answer}"));
    let shown: Value = serde_json::from_str(shown).unwrap();
    assert_eq!(shown["item"], "coat");
    assert_ne!(shown["pin"], 1);
    before
}

#[tokio::test]
async fn a_call_that_asks_afterwards_says_it_with_the_answer() {
    let agent = buyer(&next([Ok(Outcome::ask("Which size?"))])).report_edits();
    let mut session = edited(&agent, "coat").await;
    session.answer("small").unwrap();
    assert_eq!(before(&answers(&session)[0]), "small");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(before(&answers(&session)[0]), "small");
}

#[tokio::test]
async fn a_call_of_unknown_outcome_says_it_whoever_settles_it() {
    let lost = || Err(ToolError::failed("no answer").with_outcome_unknown());
    for (decision, outcomes, expected) in [
        (Decision::Approve, vec![lost()], "coat true"),
        (edit("coat"), vec![lost()], "coat true"),
        (Decision::Answer(json!("it came")), vec![lost()], "it came"),
        (
            Decision::Reject("leave it".into()),
            vec![lost()],
            "the call was rejected: leave it",
        ),
    ] {
        let agent = buyer(&next(outcomes)).report_edits();
        let mut session = edited(&agent, "coat").await;
        assert!(answers(&session).is_empty());
        session.decide("c", decision).unwrap();
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(before(&answers(&session)[0]), expected);
    }
    // And again.
    let agent = buyer(&next([lost(), lost()])).report_edits();
    let mut session = edited(&agent, "coat").await;
    for _ in 0..2 {
        session.decide("c", Decision::Approve).unwrap();
        let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    }
    assert_eq!(before(&answers(&session)[0]), "coat true");
}

#[tokio::test]
async fn agents_inside_and_peers_say_it_as_their_caller_does() {
    let ask = |tool: &str| ToolCall::new("x", tool, r#"{"input": "A hat!"}"#);
    let inner = AgentTool::new(buyer(&next([])), "buyer", "Buys.");
    let tools = Toolset::new([inner.build().unwrap()]).unwrap();
    let agent = Agent::new(ScriptedModel::new(script([ask("buyer")])), tools).report_edits();
    let mut session = Session::ask("A hat!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    session
        .in_sub_session("x", |sub| sub.decide("c", edit("coat")))
        .unwrap();
    // The model inside reads it: the agent asks once more, so that its thread can be seen.
    let inner = session.sub_session("x").unwrap().id().to_owned();
    let store = toolwright::agent::MemoryCheckpointer::new();
    let agent = agent.checkpointer(store);
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let inner = agent.state(&inner).await.unwrap().unwrap();
    assert_eq!(before(&answers(&inner)[0]), "coat true");

    let desk = ScriptedModel::new([Ok(ModelResponse::calls([ToolCall::new(
        "h",
        "transfer_to_buyer",
        "{}",
    )]))]);
    let to = Toolset::new([handoff("buyer", "Buys.").unwrap()]).unwrap();
    let agent = Agent::new(desk, to).peer("buyer", buyer(&next([])));
    let session = edited(&agent.report_edits(), "coat").await;
    assert_eq!(before(&answers(&session)[1]), "coat true");
}

#[tokio::test]
async fn an_answer_in_json_stays_json() {
    let shown = json!({"item": "coat", "pin": "[secret]"});
    let rows = [
        (json!("sold"), json!({"result": "sold"})),
        (json!({}), json!({})),
        (json!({"n": 1}), json!({"n": 1})),
        (json!([1, {"a": "}"}]), json!({"result": [1, {"a": "}"}]})),
        (json!(null), json!({"result": null})),
        (json!("}"), json!({"result": "}"})),
    ];
    let answer = async |encoder: Encoder, outcome| {
        let agent = buyer(&next([outcome])).report_edits().encoder(encoder);
        let session = edited(&agent, "coat").await;
        let answers = answers(&session);
        let mut answer: Value = serde_json::from_str(&answers[0]).unwrap();
        let edited = answer.as_object_mut().unwrap().remove("edited_arguments");
        assert_eq!(edited.unwrap()["item"], shown["item"]);
        answer
    };
    for (value, expected) in rows {
        let json = answer(Encoder::json(), Ok(Outcome::value(value.clone()))).await;
        assert_eq!(json, expected, "{value}");
        let envelope = answer(Encoder::envelope(), Ok(Outcome::value(value.clone()))).await;
        assert_eq!(
            envelope,
            json!({"success": true, "result": value, "errors": []})
        );
    }
    let failed = answer(Encoder::json(), Err(ToolError::failed("sold out"))).await;
    assert_eq!(failed, json!({"error": "sold out"}));
}

#[tokio::test]
async fn an_edit_that_changes_nothing_is_none() {
    let agent = buyer(&next([])).report_edits();
    assert_eq!(answers(&edited(&agent, "hat").await), ["hat true"]);
}
