//! A stored session with each kind of wait, which every later version reads: `stored_form.json`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::path::Path;

use serde_json::{Value, json};
use toolwright::agent::model::{ModelError, ModelErrorKind};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, AgentTool, ModelResponse, Node, Session, Status, ThreadMessage};
use toolwright::executor::Waiting;
use toolwright::layers::{Approval, Risk};
use toolwright::{
    Context, Executor, Outcome, ToolCall, ToolError, Toolset, call::Decision, tool, tools,
};

use crate::remote::{SECRET, remote};

/// Pays.
#[tool(meta(risk = "high"))]
fn pay(cents: u128, #[arg(secret)] pin: u16) -> String {
    format!("{cents} {}", pin > 0)
}

/// Looks out of the window.
#[tool(manual)]
fn look() -> String {
    "nothing".to_owned()
}

/// Asks for a city.
#[tool]
fn pick() -> Outcome {
    Outcome::ask("Which city?").option("choices", ["Oslo", "Rome"])
}

/// Transfers money.
#[tool]
fn transfer(cents: u64) -> Result<String, ToolError> {
    match cents {
        0 => Ok("nothing".to_owned()),
        _ => Err(ToolError::failed("no word of it").with_outcome_unknown()),
    }
}

/// An agent whose calls all wait, here and in the agent of its last call: before they do, or after.
fn agent(begins: bool) -> Agent {
    let call = |id: &str, tool: &str, arguments: &str| ToolCall::new(id, tool, arguments);
    let script = |calls: Vec<ToolCall>, text: &str| {
        let calls = ModelResponse::calls(calls);
        ScriptedModel::new([Ok(if begins {
            calls
        } else {
            ModelResponse::text(text)
        })])
    };
    let executor = |tools: Toolset| Executor::serial(tools).layer(Approval::at_least(Risk::High));
    let five = r#"{"cents": 5, "pin": 1}"#;
    let inner = script(
        vec![call("x", "pay", five), call("x", "pay", five)],
        "Paid.",
    );
    let inner = Agent::with_executor(inner, executor(tools![pay]));
    let helper = AgentTool::new(inner, "helper", "Helps.").build().unwrap();
    let outer = vec![
        call("p", "pay", r#"{"cents": 7, "pin": 2}"#),
        call("l", "look", "{}"),
        call("q", "pick", "{}"),
        call("t", "transfer", r#"{"cents": 9}"#),
        call("h", "helper", r#"{"input": "Pay!"}"#),
        call("r", "remote", "{}"),
    ];
    let own = tools![pay, look, pick, transfer];
    let tools = Toolset::new(own.iter().cloned().chain([helper, remote(|_| {})])).unwrap();
    Agent::with_executor(script(outer, "Done."), executor(tools))
}

/// The session as it is stored, and what it waits for.
async fn stored() -> Value {
    let (agent, mut session) = (agent(true), Session::with_id("s"));
    session.say("Go!").unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let edit =
        Decision::Edit("{\"pin\": 3,\n\"cents\": 340282366920938463463374607431768211455}".into());
    session.decide(&[4, 1][..], edit).unwrap();
    let waiting = agent.waiting(&session, &Context::new());
    let session = serde_json::to_string(&session).unwrap();
    let read: Value = serde_json::from_str(&session).unwrap();
    // What differs in each process.
    let born = [&read["born"], &read["waits"][3]["sub"]["born"]];
    let fixed = |text: String| {
        let born = born.iter().zip(["b0", "b1"]);
        born.fold(text, |text, (born, name)| {
            text.replace(born.as_str().unwrap(), name)
        })
    };
    let waiting = fixed(serde_json::to_string(&waiting).unwrap());
    let waiting: Value = serde_json::from_str(&waiting).unwrap();
    let session = fixed(session);
    json!({"session": session, "waiting": waiting})
}

#[tokio::test]
async fn each_kind_of_wait_is_read_and_decided() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/stored_form.json");
    let now = stored().await;
    if std::env::var_os("GOLDEN").is_some_and(|value| value == "overwrite") {
        let text = serde_json::to_string_pretty(&now).unwrap();
        std::fs::write(&path, text + "\n").unwrap();
    }
    let golden: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let (text, agent, cx) = (
        golden["session"].as_str().unwrap(),
        agent(false),
        Context::new(),
    );
    assert_eq!(golden["waiting"], now["waiting"]);
    let mut session: Session = serde_json::from_str(text).unwrap();
    let waiting: Vec<Waiting> = serde_json::from_value(golden["waiting"].clone()).unwrap();
    let listed = agent.waiting(&session, &cx);
    // The keys of an agent's calls have its caller's mark.
    let shown = |waiting: &[Waiting]| -> Vec<_> {
        let one = |one: &Waiting| (one.path.clone(), one.arguments.clone(), one.reason.clone());
        waiting.iter().map(one).collect()
    };
    assert_eq!(shown(&listed), shown(&waiting));
    let kinds: Vec<_> = listed
        .iter()
        .map(|one| (&*one.path, one.reason.as_str()))
        .collect();
    assert_eq!(
        kinds,
        [
            (&[0][..], "decision"),
            (&[1], "manual_tool"),
            (&[2], "question"),
            (&[3], "outcome_unknown"),
            (&[4], "agent"),
            // The other one is decided.
            (&[4, 0], "decision"),
            (&[5], "question"),
        ]
    );
    assert!(text.contains(SECRET) && !golden["waiting"].to_string().contains(SECRET));
    for paid in listed.iter().filter(|one| one.tool == "pay") {
        let shown: Value = serde_json::from_str(paid.arguments.as_deref().unwrap()).unwrap();
        assert_eq!(shown["pin"], "[secret]", "{paid:?}");
    }
    for one in &listed {
        let decision = match one.reason.as_str() {
            "decision" => Decision::Approve,
            "manual_tool" => Decision::Answer("a tree".into()),
            "question" => Decision::Answer("Oslo".into()),
            "outcome_unknown" => Decision::Reject("nobody knows".into()),
            _ => continue,
        };
        session.decide(one, decision).unwrap();
    }
    let run = agent.run(&mut session, &cx).await.unwrap();
    assert_eq!(run.text(), Some("Done."));
    let answers = session.thread().messages().iter();
    let answers: Vec<_> = answers
        .filter_map(|message| match message {
            ThreadMessage::Tool(answer) => Some(&*answer.text),
            _ => None,
        })
        .collect();
    let rejected = "the call was rejected: nobody knows";
    assert_eq!(
        answers,
        ["7 true", "a tree", "Oslo", rejected, "Paid.", "booked"]
    );
}

/// How the last run ended, which no call says that waits.
#[tokio::test]
async fn the_end_of_a_run_is_stored_and_the_status_follows() {
    let at = |node: &str| {
        let allowed = json!({"turns": 0, "rounds": 0, "steps": 0});
        json!({"node": node, "run": 1, "turn": 1, "rounds": 0, "steps": 1, "allowed": allowed})
    };
    let failed = |message: &str| Status::Failed {
        message: message.to_owned(),
    };
    let rows = [
        (json!(null), "model", Status::Idle),
        (json!({"reason": "completed"}), "end", Status::Completed),
        (json!({"reason": "max_turns"}), "model", Status::Idle),
        (json!({"reason": "cancelled"}), "model", Status::Idle),
        (
            json!({"reason": "tool_error", "message": "no"}),
            "model",
            Status::Idle,
        ),
        (
            json!({"reason": "error", "message": "the model is gone"}),
            "model",
            failed("the model is gone"),
        ),
        (
            json!({"reason": "interrupted", "place": "tools"}),
            "model",
            Status::Interrupted { node: Node::Tools },
        ),
    ];
    for (end, node, status) in rows {
        let mut stored = json!({
            "form": 2,
            "id": "s",
            "thread": [{"role": "user", "text": "Go!"}, {"role": "assistant", "text": "Done."}],
            "end": end,
            "at": at(node),
            "born": "b0",
        });
        let session: Session = serde_json::from_value(stored.clone()).unwrap();
        assert_eq!(session.status(), status, "{end}");
        let again = serde_json::to_value(&session).unwrap();
        if end.is_null() {
            stored.as_object_mut().unwrap().remove("end");
        }
        assert_eq!(again.get("end"), stored.get("end"));
        assert_eq!(again.get("status"), None);
    }

    // As a run writes it, until the next input.
    let broken = ModelError::new(ModelErrorKind::Refused, "no such model");
    let agent = Agent::new(ScriptedModel::new([Err(broken)]), Toolset::default());
    let mut session = Session::ask("Go!");
    let _ = agent.run(&mut session, &Context::new()).await;
    assert!(matches!(
        session.status(),
        Status::Idle | Status::Failed { .. }
    ));
    let model = ScriptedModel::new([Ok(ModelResponse::text("Done."))]);
    let agent = Agent::new(model, Toolset::default());
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    let end = session.end().unwrap();
    assert_eq!(end.reason, run.end.as_str());
    assert_eq!((&end.message, &end.place), (&None, &None));
    session.say("And?").unwrap();
    assert_eq!((session.end(), session.status()), (None, Status::Idle));
}

/// A session of form 1 is refused with both numbers, and nothing is lost.
#[test]
fn another_form_is_an_error_that_names_both() {
    let stored = r#"{"form":1,"id":"s","thread":[],"status":{"status":"idle"}}"#;
    let error = serde_json::from_str::<Session>(stored).unwrap_err();
    for number in ["1", "2"] {
        assert!(error.to_string().contains(number), "{error}");
    }
}
