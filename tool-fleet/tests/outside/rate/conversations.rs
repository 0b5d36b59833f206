//! Conversations with agents that have a remote tool and keep their sessions in Postgres.

use std::time::{Duration, Instant};

use futures_util::{StreamExt, TryStreamExt, future, stream};
use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::{Agent, Model, ModelResponse, ThreadMessage};
use toolwright::call::BoxFuture;
use toolwright::{ToolCall, tool, tools};
use toolwright_fleet::Fleet;
use toolwright_postgres::{Database, PostgresCheckpointer};

use crate::{Failure, fleet, is_polled, setting, start};

/// Conversations at a time.
const AT_ONCE: usize = 32;

/// Charges a customer.
#[tool]
async fn charge(cents: u64) -> String {
    format!("charged {cents} cents")
}

/// A model that makes one call, and answers at once.
struct Shop;

impl Model for Shop {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        let response = match request.thread.messages().last() {
            Some(ThreadMessage::User { .. }) => {
                ModelResponse::calls([ToolCall::new("c1", "charge", r#"{"cents": 5}"#)])
            }
            _ => ModelResponse::text("It is done."),
        };
        Box::pin(future::ready(Ok(response)))
    }
}

/// Serves the agent and its tool until it is killed.
pub(crate) async fn serve(agent: &str) -> Result<(), Failure> {
    let (fleet, tools) = (fleet().await?, tools![charge]);
    let store = PostgresCheckpointer::open(Database::connect(&setting("DATABASE_URL")?)?).await?;
    let store = store.with_lease(Duration::from_secs(30));
    let far = fleet.toolset(agent, &tools)?;
    let worker = fleet
        .worker()
        .tools(agent, tools)
        .agent(agent, Agent::new(Shop, &far).checkpointer(store));
    let health = worker.health();
    let work = tokio::spawn(worker.run(future::pending()));
    is_polled(&health).await?;
    println!("ready");
    Ok(work.await??)
}

/// Returns the conversations a second of so many workers.
#[allow(clippy::cast_precision_loss)]
pub(crate) async fn rate(workers: usize, conversations: usize) -> Result<f64, Failure> {
    let database = Database::connect(&setting("DATABASE_URL")?)?;
    database.migrate().await?;
    let agent = format!("rate-{workers}");
    let arguments = ["worker", &agent];
    let _workers = future::try_join_all((0..workers).map(|_| start(&arguments))).await?;
    let fleet = fleet().await?;
    // For warmth.
    talk(&fleet, &agent, "warm", conversations / 10).await?;
    let began = Instant::now();
    talk(&fleet, &agent, "t", conversations).await?;
    Ok(conversations as f64 / began.elapsed().as_secs_f64())
}

async fn talk(fleet: &Fleet, agent: &str, name: &str, count: usize) -> Result<(), Failure> {
    let all = (0..count).map(|number| async move {
        let talk = fleet.conversation(agent, format!("{name}{number}"));
        talk.say("Charge me.").await?;
        let state = talk.wait().await?;
        match state.text.as_deref() {
            Some("It is done.") => Ok(()),
            _ => Err(format!("{state:?}").into()),
        }
    });
    stream::iter(all)
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await
}
