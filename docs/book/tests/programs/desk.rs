//! An agent whose conversations are decided on the command line.

use std::path::Path;
use std::time::{Duration, SystemTime};

use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::store::{Checkpointer, Lease, NewCheckpoint, Written};
use toolwright::agent::{Model, ModelResponse, Session, ThreadMessage};
use toolwright::call::BoxFuture;
use toolwright::{Context, ToolCall};

// ANCHOR: sessions
use std::error::Error;
use std::process::ExitCode;

use toolwright::agent::{Agent, SqliteCheckpointer};
use toolwright::layers::Approval;
use toolwright::serve::Serve;
use toolwright::{Executor, tool, tools};

/// Cancels an order.
#[tool(destructive)]
fn cancel_order(id: u32) -> String {
    format!("order {id} is cancelled")
}

fn agent() -> Agent {
    let executor = Executor::serial(tools![cancel_order]).layer(Approval::default());
    Agent::with_executor(model(), executor)
}

pub fn main() -> Result<ExitCode, Box<dyn Error>> {
    let store = SqliteCheckpointer::open("sessions.db")?;
    let agent = agent().checkpointer(store);
    Ok(Serve::new(tools![cancel_order])
        .name("desk")
        .agent(agent)
        .run())
}
// ANCHOR_END: sessions

/// In place of a provider's model.
struct Scripted;

fn model() -> Scripted {
    Scripted
}

impl Model for Scripted {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let thread = request.thread;
        let response = match (thread.last_input(), thread.messages().last()) {
            (Some("Cancel order 7."), Some(ThreadMessage::User { .. })) => {
                let call = ToolCall::new("c1", "cancel_order", r#"{"id": 7}"#);
                ModelResponse::calls([call])
            }
            (Some("Cancel order 7."), _) => ModelResponse::text("Order 7 is cancelled."),
            _ => ModelResponse::text("From nine to five."),
        };
        Box::pin(async { Ok(response) })
    }
}

/// Keeps two conversations in a file, as they were three hours ago.
pub fn talk(folder: &Path) -> Result<(), Box<dyn Error>> {
    let store = SqliteCheckpointer::open(folder.join("sessions.db"))?;
    let past = SystemTime::now() - Duration::from_mins(181);
    let past = past.duration_since(SystemTime::UNIX_EPOCH)?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        for (id, input) in [
            ("ada-1", "When are you open?"),
            ("ben-1", "Cancel order 7."),
        ] {
            let mut session = Session::with_id(id);
            session.say(input)?;
            let _ = agent().run(&mut session, &Context::new()).await?;
            let new = NewCheckpoint {
                session: id,
                after: None,
                parent: None,
                written: Written::End,
                next: session.next(),
                at_ms: u64::try_from(past.as_millis())?,
                metadata: &serde_json::Map::new(),
                body: &serde_json::to_string(&session)?,
                caller: None,
                lease: Lease::None,
            };
            store.put(new).await?;
        }
        Ok(())
    })
}
