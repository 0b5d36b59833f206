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
    loop {
        let run = agent.run(&mut session, &Context::new()).await?;
        println!("{}", run.text().unwrap_or_default());
        println!("{} open", session.open().len());
        // A result that was ready during the run is in it.
        if !session.open().is_live() && session.queue().is_empty() {
            return Ok(());
        }
        studio.notify_one(); // the film is done
        session.queue().arrived().await; // a result, or a message of the user
    }
}

// Prints:
// I have started it.
// 1 open
// Holidays.mp4 is ready.
// 0 open
