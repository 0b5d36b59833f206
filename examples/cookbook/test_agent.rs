// How do I test an agent without a model?

use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, AgentError, ModelResponse, Session, ThreadMessage};
use toolwright::{Context, ToolCall, tool, tools};

/// Look up the price of an article.
#[tool(read_only)]
async fn price(article: &str) -> Result<u32, String> {
    match article {
        "tea" => Ok(4),
        other => Err(format!("no article `{other}`")),
    }
}

#[tokio::main]
async fn main() -> Result<(), AgentError> {
    // It panics if the agent makes more requests, or fewer.
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([
            ToolCall::new("call_1", "price", r#"{"article": "tea"}"#),
            ToolCall::new("call_2", "price", r#"{"article": "tee"}"#),
        ])),
        Ok(ModelResponse::text("Tea is 4.")),
    ]);
    let agent = Agent::new(model.clone(), tools![price]).system("You know all prices.");
    let mut session = Session::ask("What is tea?");
    let run = agent.run(&mut session, &Context::new()).await?;
    assert_eq!(run.text(), Some("Tea is 4."));

    // What the agent sent.
    for request in model.requests() {
        println!(
            "{} messages, tools {:?}",
            request.thread.len(),
            request.tools
        );
    }
    // What the tools answered.
    for message in session.thread().messages() {
        if let ThreadMessage::Tool(answer) = message {
            println!(
                "{}: {} (error: {})",
                answer.id, answer.text, answer.is_error
            );
        }
    }
    model.finish();
    Ok(())
}

// Prints:
// 1 messages, tools ["price"]
// 4 messages, tools ["price"]
// call_1: 4 (error: false)
// call_2: no article `tee` (error: true)
