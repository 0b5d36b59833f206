//! A budget counts what is sent: pictures, reasoning, and the frame of the messages.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::json;
use toolwright::agent::budget::{Money, Prices};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::thread::Native;
use toolwright::agent::{
    Agent, AgentError, Budget, Endpoint, ModelResponse, RunEnd, Session, Thread, ThreadMessage,
};
use toolwright::call::Content;
use toolwright::tokens::Tokenizer;
use toolwright::{Context, ToolCall, Toolset};

use crate::http::{Server, whole};

fn thread(answer: Content) -> Thread {
    Thread::from([
        ThreadMessage::user("What is on it?"),
        ThreadMessage::calls([ToolCall::new("c1", "look", "{}")]),
        ThreadMessage::tool(answer, "c1"),
    ])
}

/// Runs an agent with this budget, and returns what the request needed.
async fn needs(agent: Agent, thread: Thread, tokens: u64) -> Option<u64> {
    let budget = Budget::new().tokenizer(Tokenizer::Gemini).tokens(tokens);
    let mut session = Session::from_thread(thread);
    let run = agent
        .budget(budget)
        .run(&mut session, &Context::new())
        .await;
    match run.unwrap().end {
        RunEnd::Budget { needs, .. } => Some(needs),
        _ => None,
    }
}

/// No server is there: a request that is sent fails.
fn endpoints() -> [Endpoint; 4] {
    let url = "http://127.0.0.1:9";
    [
        Endpoint::anthropic(url, "m", ""),
        Endpoint::openai_responses(url, "m", ""),
        Endpoint::gemini(url, "gemini-3", ""),
        Endpoint::ollama(url, "m"),
    ]
}

#[tokio::test]
async fn a_picture_counts_as_long_as_it_is() {
    let picture = || Content::text("Here.").image("image/png", "A".repeat(400_000));
    for endpoint in endpoints() {
        let agent = Agent::new(endpoint, Toolset::default());
        let needs = needs(agent, thread(picture()), 2_000).await;
        assert!(needs.is_some_and(|needs| needs >= 100_000), "{needs:?}");
    }
    // A model that says nothing of its wire is counted as one that takes pictures.
    let agent = Agent::new(ScriptedModel::new([]), Toolset::default());
    let needs = needs(agent, thread(picture()), 2_000).await;
    assert!(needs.is_some_and(|needs| needs >= 100_000), "{needs:?}");
}

#[tokio::test]
async fn reasoning_that_goes_back_counts() {
    let reasoning = json!({"type": "reasoning", "id": "r1", "summary": [],
        "encrypted_content": "x".repeat(40_000)});
    let message = json!({"type": "message", "role": "assistant",
        "content": [{"type": "output_text", "text": "Five."}]});
    let body = json!({"status": "completed", "output": [reasoning, message],
        "usage": {"input_tokens": 10, "output_tokens": 10}});
    let server = Server::start(vec![whole(&body.to_string())]).await;
    let endpoint = Endpoint::openai_responses(&*server.url, "m", "");
    let budget = Budget::new().tokenizer(Tokenizer::Gemini).tokens(2_000);
    let agent = Agent::new(endpoint, Toolset::default()).budget(budget);
    let mut session = Session::ask("2 + 3?");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Five."));
    session.say("And 3 + 4?").unwrap();
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(
        matches!(
            run.end,
            RunEnd::Budget {
                needs: 10_000..,
                ..
            }
        ),
        "{run:?}"
    );
}

/// Many short messages are mostly frame.
#[tokio::test]
async fn the_frame_of_messages_counts() {
    let turns = (0..200).flat_map(|_| [ThreadMessage::user("a"), ThreadMessage::assistant("b")]);
    let thread: Vec<_> = turns.chain([ThreadMessage::user("c")]).collect();
    let thread = Thread::from(thread);
    for endpoint in endpoints() {
        let sent = thread.format(endpoint.wire(), None).unwrap().len() as u64;
        let agent = Agent::new(endpoint, Toolset::default());
        assert_eq!(
            needs(agent, thread.clone(), 1_000).await,
            Some(sent.div_ceil(4))
        );
    }
}

/// Its tokens count, and its money does not.
#[tokio::test]
async fn a_model_that_costs_nothing_needs_no_price() {
    let text = json!({"message": {"role": "assistant", "content": "Five."}, "done": true,
        "done_reason": "stop", "prompt_eval_count": 700, "eval_count": 300});
    let server = Server::start(vec![whole(&text.to_string()); 2]).await;
    let budget = Budget::new().money(Money::from_cents(1), Prices::new());
    let priced = Agent::new(Endpoint::ollama(&*server.url, "m"), Toolset::default());
    let mut session = Session::ask("2 + 3?");
    let error = priced
        .budget(budget.clone())
        .run(&mut session, &Context::new())
        .await;
    assert!(matches!(error, Err(AgentError::NoPrice(_))));
    let free = Agent::new(
        Endpoint::ollama(&*server.url, "m").free(),
        Toolset::default(),
    );
    let free = free.budget(budget.clone().tokens(1_000));
    let run = free.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(
        (run.text(), session.usage().total()),
        (Some("Five."), 1_000)
    );
    let stored = serde_json::to_string(&session).unwrap();
    let mut session: Session = serde_json::from_str(&stored).unwrap();
    assert_eq!(Prices::new().cost(&session).unwrap(), Money::default());
    session.say("And now?").unwrap();
    let run = free.run(&mut session, &Context::new()).await.unwrap();
    assert!(matches!(run.end, RunEnd::Budget { .. }), "{run:?}");
}

/// What a provider does not report is counted by the same rule.
#[tokio::test]
async fn reasoning_in_a_response_without_usage_counts() {
    let mut response = ModelResponse::text("Five.");
    response.native = Some(Native {
        wire: "OpenAiResponses".to_owned(),
        messages: vec![
            json!({"type": "reasoning", "encrypted_content": "x".repeat(4_000)}).to_string(),
        ],
    });
    let agent = Agent::new(ScriptedModel::new([Ok(response)]), Toolset::default());
    let agent = agent.budget(Budget::new().tokenizer(Tokenizer::Gemini).tokens(9_000));
    let mut session = Session::ask("2 + 3?");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    assert!(session.usage().output >= 1_000, "{:?}", session.usage());
}
