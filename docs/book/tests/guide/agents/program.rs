// ANCHOR: program
use toolwright::agent::{Agent, ModelResponse, Session, testing::ScriptedModel};
use toolwright::{Context, ToolCall, tool, tools};

/// Weather forecast of a city.
#[tool(read_only)]
fn forecast(city: &str) -> String {
    format!("sun in {city}")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A model that follows a script, so that this runs without a network.
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([ToolCall::new(
            "call_1",
            "forecast",
            r#"{"city": "Oslo"}"#,
        )])),
        Ok(ModelResponse::text("Take your sunglasses!")),
    ]);
    let agent = Agent::new(model, tools![forecast]).system("You are a weather forecaster.");

    let mut session = Session::ask("What will I need in Oslo?");
    let run = agent.run(&mut session, &Context::new()).await?;
    println!("{} after {} requests", run.end.as_str(), run.turns);
    println!("{}", run.text().unwrap_or_default());

    // What the user says next.
    println!("{} messages so far", session.thread().len());
    session.say("And in Bergen?")?;
    Ok(())
}
// ANCHOR_END: program

#[test]
fn it_prints_what_the_page_shows() {
    crate::output::shown("agents.txt", &crate::output::of(|| main().unwrap()));
}
