// How do I ask the user a question from a tool?

use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, ModelResponse, RunEnd, Session};
use toolwright::{Context, Outcome, ToolCall, tool, tools};

/// Book a table at a restaurant.
#[tool]
async fn book_table(restaurant: &str, time: Option<String>) -> Outcome {
    match time {
        Some(time) => Outcome::value(format!("Booked at {restaurant} for {time}")),
        // The user's answer becomes the result of this call.
        None => Outcome::ask("At what time?").option("choices", ["18:00", "20:00"]),
    }
}

fn call(id: &str, arguments: &str) -> ModelResponse {
    ModelResponse::calls([ToolCall::new(id, "book_table", arguments)])
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Stands for a model of a provider.
    let model = ScriptedModel::new([
        Ok(call("call_1", r#"{"restaurant": "Noma"}"#)),
        Ok(call("call_2", r#"{"restaurant": "Noma", "time": "20:00"}"#)),
        Ok(ModelResponse::text("Your table at Noma is booked.")),
    ]);
    let agent = Agent::new(model, tools![book_table]);
    let mut session = Session::ask("A table at Noma, please");
    let mut run = agent.run(&mut session, &Context::new()).await?;

    if let RunEnd::AskUser {
        question, options, ..
    } = &run.end
    {
        println!("{question} {}", options["choices"]);
        session.answer("20:00")?;
        run = agent.run(&mut session, &Context::new()).await?;
    }
    println!("{}", run.text().unwrap_or_default());
    Ok(())
}

// Prints:
// At what time? ["18:00","20:00"]
// Your table at Noma is booked.
