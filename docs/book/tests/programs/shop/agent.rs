//! The agent that answers customers.

use std::error::Error;

use toolwright::agent::{Agent, Model, Session, SqliteCheckpointer};
use toolwright::layers::Approval;
use toolwright::{Context, Executor, Toolset};

/// An agent over these tools. Its conversations are stored, so a person may approve a call in another process.
pub fn agent(model: impl Model + 'static, tools: &Toolset) -> Result<Agent, Box<dyn Error>> {
    let executor = Executor::parallel(tools, 4).layer(Approval::default());
    Ok(Agent::with_executor(model, executor)
        .system("You answer customers of a shop. Amounts are in cents.")
        .max_turns(10)
        .checkpointer(SqliteCheckpointer::open("shop.db")?))
}

/// Passes on the user's words, in a new conversation or a stored one. Returns the answer, or `None` while a person has to
/// approve something.
pub async fn ask(agent: &Agent, id: &str, words: &str) -> Result<Option<String>, Box<dyn Error>> {
    let stored = agent.state(id).await?;
    let mut session = stored.unwrap_or_else(|| Session::with_id(id));
    session.say(words)?;
    let run = agent.run(&mut session, &Context::new()).await?;
    Ok(run.text().map(str::to_owned))
}
