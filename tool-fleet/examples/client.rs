//! Somebody who talks to the agent of `worker.rs`: says something, approves a call, answers a question.
//!
//! ```sh
//! cargo run --example client
//! ```

use toolwright::call::Decision;
use toolwright::executor::PendingReason;
use toolwright_fleet::Fleet;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::var("TEMPORAL_ADDRESS");
    let fleet = Fleet::connect(address.as_deref().unwrap_or("http://127.0.0.1:7233")).await?;

    let talk = fleet.conversation("support", format!("ticket-{}", std::process::id()));
    talk.say("Charge customer 4 for the book.").await?;
    let mut state = talk.wait().await?;
    while !state.waiting.is_empty() {
        for call in &state.waiting {
            match &call.reason {
                PendingReason::Question(question) => {
                    println!("answered: {} by mail", question.text);
                    talk.answer(call, "mail").await?;
                    continue;
                }
                // What waits inside of it is in the list, too.
                PendingReason::Agent => continue,
                PendingReason::OutcomeUnknown(error) => println!("{}: {error}", call.tool),
                _ => {}
            }
            let arguments = call.arguments.as_deref().unwrap_or_default();
            println!("approved: {} {arguments}", call.tool);
            talk.decide(call, Decision::Approve).await?;
        }
        state = talk.wait().await?;
    }
    match state.end.and_then(|end| end.message) {
        Some(message) => Err(message.into()),
        None => {
            println!("{}", state.text.unwrap_or_default());
            talk.end().await?;
            Ok(())
        }
    }
}
