//! No `Debug` of a conversation shows the arguments of its calls: nothing there knows the tools, and so what is secret.

// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used)]

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolwright::agent::store::{Begin, CheckpointId};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::thread::Native;
use toolwright::agent::{Agent, ModelResponse, RunEvent, Session, ThreadMessage};
use toolwright::call::Decision;
use toolwright::layers::Approval;
use toolwright::wire::StreamEvent;
use toolwright::{Context, Executor, ToolCall, tool, tools};

const ARGUMENTS: &str = r#"{"password":"hunter2"}"#;

fn native() -> Native {
    Native {
        wire: "anthropic".into(),
        messages: vec![format!(
            r#"{{"role":"assistant","content":[{{"input":{ARGUMENTS}}}]}}"#
        )],
    }
}

/// Pays.
#[tool]
fn pay(#[arg(secret)] password: &str) -> usize {
    password.len()
}

#[tokio::test]
async fn no_debug_of_a_conversation_shows_arguments() {
    let call = ToolCall::new("c1", "pay", ARGUMENTS);
    let mut response = ModelResponse::calls([call.clone()]);
    response.native = Some(native());
    let model = ScriptedModel::new([Ok(response.clone())]);
    let executor = Executor::serial(tools![pay]).layer(Approval::when(|_| true));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let agent =
        Agent::with_executor(model.clone(), executor).on_event(move |event: &RunEvent<'_>| {
            log.lock().unwrap().push(format!("{event:?}"));
        });
    let mut session = Session::ask("Pay.");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    let pending = session.pending();
    session
        .decide("c1", Decision::edit(json!({"password": "hunter2"})))
        .unwrap();

    let delta = StreamEvent::Arguments {
        place: 0,
        text: ARGUMENTS.into(),
    };
    let begin = Begin {
        session: "s",
        after: CheckpointId::new(1),
        key: "k",
        call: &call,
        model_arguments: Some(ARGUMENTS),
        replaces: None,
        lease: None,
    };
    let message = ThreadMessage::calls([call.clone()]);
    let mut shown = vec![
        ("Session", format!("{session:?} {session:#?}")),
        ("Pending", format!("{pending:?}")),
        ("RunEvent", seen.lock().unwrap().join("\n")),
        (
            "RunEvent::Delta",
            format!(
                "{:?}",
                RunEvent::Delta {
                    session: "s",
                    run_id: "r",
                    delta: &delta
                }
            ),
        ),
        ("ModelResponse", format!("{response:?}")),
        ("ScriptedModel", format!("{model:?}")),
        ("Begin", format!("{begin:?}")),
        ("CallRecord", format!("{:?}", begin.record(1))),
        ("ThreadMessage", format!("{message:?}")),
    ];
    shown.retain(|(_, text)| text.contains("hunter2"));
    assert!(shown.is_empty(), "{shown:#?}");
}
