// How do I give an agent a budget?

use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, ModelResponse, Session, ThreadMessage};
use toolwright::layers::CallLimit;
use toolwright::wire::Usage;
use toolwright::{Context, Executor, ToolCall, tool, tools};

/// Search the web.
#[tool(read_only)]
async fn search(words: &str) -> String {
    format!("nothing about {words}")
}

/// A request that costs 3,000 tokens, and searches on.
fn searches(id: &str) -> ModelResponse {
    let call = ToolCall::new(id, "search", r#"{"words": "the answer"}"#);
    ModelResponse::calls([call]).with_usage(Usage::new(2_900, 100))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Stands for a model that never stops.
    let model = ScriptedModel::new(["call_1", "call_2", "call_3"].map(|id| Ok(searches(id))));
    let executor = Executor::serial(&tools![search]).layer(CallLimit::of("search", 2));
    let agent = Agent::with_executor(model, executor)
        .max_turns(10)
        .halt_when(|session, _last| session.usage().total() >= 9_000);

    let mut session = Session::ask("Find the answer");
    let run = agent.run(&mut session, &Context::new()).await?;
    println!("{} after {} turns", run.end.as_str(), run.turns);
    println!("{} tokens", session.usage().total());
    if let Some(ThreadMessage::Tool(answer)) = session.thread().last() {
        println!("{}", answer.text);
    }
    Ok(())
}

// Prints:
// halt_when after 3 turns
// 9000 tokens
// the call was rejected: `search` may be called no more than 2 times here
