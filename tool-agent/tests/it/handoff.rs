//! A conversation that goes on under another agent.
// A test that finds less than it expects has failed.
// Steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolwright::agent::model::ModelError;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    Agent, AgentError, HANDOFF, ModelResponse, RunEnd, RunEvent, Session, Status, ThreadMessage,
    handoff,
};
use toolwright::{Context, Outcome, Tool, ToolCall, Toolset, tool, tools};

use crate::kept::stores;

fn call(id: &str, name: &str) -> ToolCall {
    ToolCall::new(id, name, "{}")
}

fn calls(calls: &[ToolCall]) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::calls(calls.iter().cloned()))
}

fn text(text: &str) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::text(text))
}

fn script(steps: impl IntoIterator<Item = Result<ModelResponse, ModelError>>) -> ScriptedModel {
    ScriptedModel::new(steps)
}

/// Says which agent calls.
#[tool]
fn whoami(#[context] cx: &Context) -> String {
    cx.agent_id().unwrap_or("nobody").to_owned()
}

/// Is answered by the host.
#[tool(manual)]
fn by_hand() -> u8 {
    1
}

fn to(name: &str) -> Arc<dyn Tool> {
    handoff(name, "Somebody else.").unwrap()
}

fn and(tools: &Toolset, more: &[&str]) -> Toolset {
    let more = Toolset::new(more.iter().map(|name| to(name))).unwrap();
    tools.merge(&more).unwrap()
}

fn answers(session: &Session) -> Vec<String> {
    let messages = session.thread().messages().iter();
    let answers = messages.filter_map(|message| match message {
        ThreadMessage::Tool(answer) => Some(answer.text.clone()),
        _ => None,
    });
    answers.collect()
}

#[tokio::test]
async fn the_thread_goes_on_under_another_prompt_and_other_tools() {
    for (store, _kept) in stores().await {
        let desk = script([
            calls(&[call("c1", "whoami"), call("c2", "transfer_to_billing")]),
            text("Anything else?"),
        ]);
        let billing = script([
            calls(&[call("c3", "whoami")]),
            text("It was paid."),
            calls(&[call("c4", "transfer_to_desk")]),
        ]);
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&told);
        let other =
            Agent::new(billing.clone(), and(&tools![whoami], &["desk"])).system("Invoices.");
        let agent = Agent::new(desk.clone(), and(&tools![whoami], &["billing"]))
            .system("The desk.")
            .name("desk")
            .peer("billing", other)
            .checkpointer(store.clone())
            .on_event(move |event| {
                if let RunEvent::HandedOver { agent, .. } = event {
                    heard.lock().unwrap().push((*agent).to_owned());
                }
            });
        let mut session = Session::with_id("s");
        session.say("Was invoice 7 paid?").unwrap();
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("It was paid."));
        assert_eq!(session.agent(), Some("billing"));
        assert_eq!(
            answers(&session),
            ["desk", r#"{"agent":"billing"}"#, "billing"]
        );
        let first = &billing.requests()[0];
        assert_eq!(first.system.as_deref(), Some("Invoices."));
        assert_eq!(first.tools, ["whoami", "transfer_to_desk"]);
        // All that was said before.
        assert_eq!(first.thread.len(), 4);

        // Whoever goes on with the session knows who speaks.
        let mut session = agent.state("s").await.unwrap().unwrap();
        session.say("Thanks. And now?").unwrap();
        let run = agent.run(&mut session, &Context::new()).await.unwrap();
        assert_eq!(run.text(), Some("Anything else?"));
        assert_eq!(session.agent(), Some("desk"));
        assert_eq!(desk.requests()[1].system.as_deref(), Some("The desk."));
        assert_eq!(*told.lock().unwrap(), ["billing", "desk"]);

        let stranger = Agent::new(script([]), Toolset::default());
        session.say("Hm?").unwrap();
        let error = stranger
            .run(&mut session, &Context::new())
            .await
            .unwrap_err();
        assert!(
            matches!(&error, AgentError::UnknownAgent(name) if name == "desk"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn calls_that_wait_belong_to_who_made_them() {
    let both = [call("c1", "transfer_to_billing"), call("c2", "by_hand")];
    let desk = script([calls(&both)]);
    let billing = script([text("Here I am.")]);
    let agent = Agent::new(desk, and(&tools![by_hand], &["billing"]))
        .peer("billing", Agent::new(billing, Toolset::default()));
    let mut session = Session::ask("Invoices!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Pending));
    assert_eq!(session.agent(), None);

    let stored = serde_json::to_string(&session).unwrap();
    let mut session: Session = serde_json::from_str(&stored).unwrap();
    session
        .decide("c2", toolwright::call::Decision::Approve)
        .unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Here I am."));
    assert_eq!(session.agent(), Some("billing"));
}

#[tokio::test]
async fn of_several_the_first_counts_and_an_unknown_one_ends_the_run() {
    let both = [call("c1", "transfer_to_a"), call("c2", "transfer_to_b")];
    let peer = |words: &str| Agent::new(script([text(words)]), Toolset::default());
    let agent = Agent::new(
        script([calls(&both)]),
        and(&Toolset::default(), &["a", "b"]),
    )
    .peer("a", peer("I am a."))
    .peer("b", Agent::new(script([]), Toolset::default()));
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!((run.text(), session.agent()), (Some("I am a."), Some("a")));

    // Nobody of this name is known: the host may know.
    let agent = Agent::new(
        script([calls(&[call("c1", "transfer_to_c")])]),
        and(&Toolset::default(), &["c"]),
    );
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    let RunEnd::Halt { reason, value, .. } = run.end else {
        panic!("{:?}", run.end);
    };
    assert_eq!((reason, value.to_value()), (HANDOFF, json!({"agent": "c"})));
    assert_eq!(session.status(), Status::Completed);
    assert!(handoff("b c", "Bad name.").is_err());
}

#[tokio::test]
async fn a_tool_of_the_hosts_hands_over_too_and_limits_stay() {
    /// Looks who is there.
    #[tool]
    fn escalate(urgent: bool) -> Outcome {
        if urgent {
            Outcome::halt(HANDOFF, json!({"agent": "boss", "why": "urgent"}))
        } else {
            Outcome::value("wait")
        }
    }

    let urgent = |urgent| ToolCall::new("c", "escalate", json!({"urgent": urgent}).to_string());
    let desk = script([calls(&[urgent(false)]), calls(&[urgent(true)])]);
    let boss = Agent::new(script([]), Toolset::default());
    let agent = Agent::new(desk, tools![escalate])
        .peer("boss", boss)
        .max_turns(2);
    let mut session = Session::ask("Help!");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::MaxTurns(2)));
    assert_eq!(session.agent(), Some("boss"));
}

#[tokio::test]
async fn whoever_looks_on_is_told_where_the_host_answers_the_last_call() {
    let both = [call("c1", "transfer_to_billing"), call("c2", "by_hand")];
    let desk = script([calls(&both)]);
    let billing = script([text("Here I am."), text("Still me.")]);
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    let agent = Agent::new(desk, and(&tools![by_hand], &["billing"]))
        .peer("billing", Agent::new(billing, Toolset::default()))
        .on_event(move |event| match event {
            RunEvent::RunStarted { .. } => heard.lock().unwrap().push("run".to_owned()),
            RunEvent::HandedOver { agent, .. } => heard.lock().unwrap().push((*agent).to_owned()),
            _ => {}
        });
    let mut session = Session::ask("Invoices!");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    session.submit("c2", 1).unwrap();

    let stored = serde_json::to_string(&session).unwrap();
    let mut session: Session = serde_json::from_str(&stored).unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Here I am."));
    assert_eq!(session.agent(), Some("billing"));
    session.say("And now?").unwrap();
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(*told.lock().unwrap(), ["run", "run", "billing", "run"]);
}
