//! A conversation's outcome as a value.
// A test that finds less than it expects has failed.
// Steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use toolwright::agent::model::{ModelError, ModelErrorKind};
use toolwright::agent::session::SessionError;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, AgentError, ModelResponse, Session};
use toolwright::wire::Usage;
use toolwright::{Context, Schema, ToolCall, tool, tools};

#[derive(Debug, PartialEq, serde::Deserialize, Schema)]
struct Sum {
    #[schema(range(0..=9))]
    sum: i64,
}

/// Adds two numbers.
#[tool(manual)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn says(text: &str) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::text(text))
}

#[tokio::test]
async fn one_more_request_without_tools_and_with_a_schema() {
    let usage = Usage::new(7, 2);
    let last = ModelResponse::text("{\"sum\": 5}\n").with_usage(usage);
    let model = ScriptedModel::new([says("It is 5."), Ok(last)]);
    let agent = Agent::new(model.clone(), &tools![add]).system("You add.");
    let (mut session, cx) = (Session::ask("What is 2 + 3?"), Context::new());
    let _ = agent.run(&mut session, &cx).await.unwrap();
    let stored = session.thread().clone();
    let sum: Sum = agent.finalize(&mut session, &cx).await.unwrap();
    assert_eq!(sum, Sum { sum: 5 });
    assert_eq!(session.thread(), &stored);
    assert_eq!(session.usage(), usage);
    let asked = model.requests();
    assert!(!asked[0].has_schema && asked[1].has_schema);
    assert_eq!((asked[0].tools.len(), asked[1].tools.len()), (1, 0));
    assert_eq!(asked[1].system.as_deref(), Some("You add."));
    // It ends with a user's words, as providers want it.
    assert_eq!(asked[1].thread.len(), 3);
    assert!(session.say("And 3 + 4?").is_ok());
}

#[tokio::test]
async fn an_answer_of_another_form_is_an_error_that_says_why() {
    let rows = [
        ("", "there is no answer"),
        ("It is 5.", "not valid JSON"),
        ("{\"sum\": \"5\"}", "sum: expected"),
        ("{\"sum\": 50}", "from 0 to 9"),
        ("{\"sum\": 5, \"of\": 2}", "of"),
        ("{\"sum\": 5} {}", ""),
        ("{\"sum\": ", ""),
    ];
    for (text, words) in rows {
        let model = ScriptedModel::new([says("It is 5."), says(text)]);
        let agent = Agent::new(model, &tools![add]);
        let (mut session, cx) = (Session::ask("What is 2 + 3?"), Context::new());
        let _ = agent.run(&mut session, &cx).await.unwrap();
        let error = agent.finalize::<Sum>(&mut session, &cx).await.unwrap_err();
        assert!(matches!(error, AgentError::Answer(_)), "{text}: {error:?}");
        assert!(error.to_string().contains(words), "{text}: {error}");
    }
}

#[tokio::test]
async fn a_session_that_waits_has_no_outcome() {
    let call = ToolCall::new("c1", "add", r#"{"a": 2, "b": 3}"#);
    let model = ScriptedModel::new([Ok(ModelResponse::calls([call]))]);
    let agent = Agent::new(model, &tools![add]);
    let (mut session, cx) = (Session::ask("What is 2 + 3?"), Context::new());
    let _ = agent.run(&mut session, &cx).await.unwrap();
    let error = agent.finalize::<Sum>(&mut session, &cx).await.unwrap_err();
    let AgentError::Session(SessionError::WrongStatus { status, .. }) = error else {
        panic!("{error:?}");
    };
    assert_eq!(status, "awaiting_tools");
}

#[tokio::test]
async fn a_model_that_fails_says_so_and_the_session_stays() {
    let error = ModelError::new(ModelErrorKind::Busy, "later");
    let model = ScriptedModel::new([says("It is 5."), Err(error)]);
    let agent = Agent::new(model, &tools![add]);
    let (mut session, cx) = (Session::ask("What is 2 + 3?"), Context::new());
    let _ = agent.run(&mut session, &cx).await.unwrap();
    let error = agent.finalize::<Sum>(&mut session, &cx).await.unwrap_err();
    assert!(matches!(error, AgentError::Model(error) if error.kind() == ModelErrorKind::Busy));
    assert!(session.say("And 3 + 4?").is_ok());
}
