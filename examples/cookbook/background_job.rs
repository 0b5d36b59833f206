// How do I start a job whose result comes later?

use std::sync::Arc;

use tokio::sync::Notify;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, ModelResponse, Session};
use toolwright::{Context, ToolCall, tool, tools};

/// Render a film.
// In an agent the model reads a note at once, and the result in a later message.
#[tool(background)]
async fn render(title: &str, #[state] studio: &Notify) -> String {
    studio.notified().await; // hours of work
    format!("{title}.mp4")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Stands for a model of a provider.
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([ToolCall::new(
            "call_1",
            "render",
            r#"{"title": "Holidays"}"#,
        )])),
        Ok(ModelResponse::text("I have started it.")),
        Ok(ModelResponse::text("Holidays.mp4 is ready.")),
    ]);
    let studio = Arc::new(Notify::new());
    let agent = Agent::new(model, tools![render; state = Arc::clone(&studio)]);
    let mut session = Session::ask("Make a film of my holidays");
    let run = agent.run(&mut session, &Context::new()).await?;
    println!("{}", run.text().unwrap_or_default());
    println!("{} open", session.open().len());

    studio.notify_one();
    // Ready when a result has come, or a message.
    session.queue().arrived().await;
    let run = agent.run(&mut session, &Context::new()).await?;
    println!("{}", run.text().unwrap_or_default());
    println!("{} open", session.open().len());
    Ok(())
}

// Prints:
// I have started it.
// 1 open
// Holidays.mp4 is ready.
// 0 open
