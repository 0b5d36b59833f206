//! Somebody who talks to the agent of `worker.rs`: says something, approves a call, answers a question.
//!
//! ```sh
//! cargo run --example client
//! ```

use toolwright::agent::session::PendingCallReason;
use toolwright::call::Decision;
use toolwright_fleet::Fleet;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::var("TEMPORAL_ADDRESS");
    let fleet = Fleet::connect(address.as_deref().unwrap_or("http://127.0.0.1:7233")).await?;

    let talk = fleet.conversation("support", format!("ticket-{}", std::process::id()));
    talk.say("Charge customer 4 for the book.").await?;
    let mut state = talk.wait().await?;
    while !state.pending.is_empty() || !state.questions.is_empty() {
        for call in &state.pending {
            if let PendingCallReason::OutcomeUnknown { error, .. } = &call.reason {
                println!("{}: {error}", call.tool);
            }
            println!("approved: {} {}", call.tool, call.arguments);
            talk.decide(call, Decision::Approve).await?;
        }
        for question in &state.questions {
            println!("answered: {} by mail", question.question);
            talk.answer(question, "mail").await?;
        }
        state = talk.wait().await?;
    }
    match state.error {
        Some(error) => Err(error.into()),
        None => {
            println!("{}", state.text.unwrap_or_default());
            talk.end().await?;
            Ok(())
        }
    }
}
