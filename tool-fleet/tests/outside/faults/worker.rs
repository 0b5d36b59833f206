//! A machine with tools and an agent.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Map;
use tokio::time::sleep;
use toolwright::agent::model::{DeltaSink, ModelError, ModelRequest};
use toolwright::agent::{Agent, Model, ModelResponse, ThreadMessage};
use toolwright::call::{Approved, BoxFuture};
use toolwright::executor::UnknownOutcome;
use toolwright::{Context, Outcome, ToolCall, tool, tools};
use toolwright_fleet::Fleet;
use toolwright_postgres::{Database, PostgresCheckpointer};

use crate::{AGENT, Failure, HEARTBEAT, LEASE, QUEUE, setting};

/// File that all tools of all machines append their effects to.
struct Effects(PathBuf);

impl Effects {
    /// Appends a line: `begin`, the session, the call. One write, so that lines of two processes are not mixed.
    fn note(&self, what: &str, cx: &Context) {
        let (session, call) = (cx.session_id(), cx.call_id());
        let (session, call) = (session.unwrap_or_default(), call.unwrap_or_default());
        let line = format!("{what} {session} {call}\n");
        let file = OpenOptions::new().append(true).create(true).open(&self.0);
        if let Err(error) = file.and_then(|mut file| file.write_all(line.as_bytes())) {
            eprintln!("an effect is not noted: {error}");
            std::process::abort();
        }
    }

    async fn have(&self, ms: u64, cx: &Context) -> &'static str {
        self.note("begin", cx);
        sleep(Duration::from_millis(ms)).await;
        self.note("end", cx);
        "done"
    }
}

/// Tools before the deploy.
mod before {
    use super::{Approved, Context, Effects, tool};

    /// Charges a customer.
    #[tool]
    pub(super) async fn charge(
        ms: u64,
        #[state] effects: &Effects,
        #[context] cx: &Context,
    ) -> &'static str {
        effects.have(ms, cx).await
    }

    /// Gives money back.
    #[tool]
    pub(super) async fn refund(
        yes: Approved<'_>,
        ms: u64,
        #[state] effects: &Effects,
        #[context] cx: &Context,
    ) -> &'static str {
        let _ = yes.arguments();
        effects.have(ms, cx).await
    }
}

/// Charges a customer.
#[tool]
async fn charge(
    #[arg(was = "ms")] millis: u64,
    #[state] effects: &Effects,
    #[context] cx: &Context,
) -> &'static str {
    effects.note("deployed", cx);
    effects.have(millis, cx).await
}

/// Looks something up.
#[tool(read_only)]
async fn look_up(ms: u64, #[context] cx: &Context) -> &'static str {
    sleep(Duration::from_millis(ms)).await;
    let _ = cx;
    "found"
}

/// Writes a note, where the agent runs.
#[tool]
async fn note(ms: u64, #[state] effects: &Effects, #[context] cx: &Context) -> &'static str {
    effects.have(ms, cx).await
}

/// Gives money back.
#[tool]
async fn refund(
    yes: Approved<'_>,
    #[arg(was = "ms")] millis: u64,
    #[state] effects: &Effects,
    #[context] cx: &Context,
) -> &'static str {
    let _ = yes.arguments();
    effects.have(millis, cx).await
}

/// Asks the customer.
#[tool]
fn confirm() -> Outcome {
    Outcome::AskUser {
        question: "Is all well?".to_owned(),
        options: Map::new(),
    }
}

/// A model that makes five calls in three turns.
struct Shop;

impl Model for Shop {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async move {
            sleep(Duration::from_millis(20)).await;
            let turns = request.thread.messages().iter().filter(
                |message| matches!(message, ThreadMessage::Assistant(said) if !said.calls.is_empty()),
            );
            // A little different for each conversation, and the same for each attempt.
            let ms = 10 + 37 * (request.thread.len() as u64 % 7);
            let slow = format!(r#"{{"ms": {ms}}}"#);
            let paid = if std::env::var_os("DEPLOYED").is_some() {
                format!(r#"{{"millis": {ms}}}"#)
            } else {
                slow.clone()
            };
            let call =
                |name: &str, arguments: &str| ToolCall::new(name, name, arguments.to_owned());
            Ok(match turns.count() {
                0 => ModelResponse::calls([
                    call("charge", &paid),
                    call("look_up", &slow),
                    call("note", &slow),
                ]),
                1 => ModelResponse::calls([call("refund", &paid)]),
                2 => ModelResponse::calls([call("confirm", "{}")]),
                _ => ModelResponse::text("All is done."),
            })
        })
    }
}

/// Serves until it is killed.
pub(crate) async fn run() -> Result<(), Failure> {
    let name = format!("worker-{}", std::process::id());
    let fleet = connected().await?;
    let effects = Arc::new(Effects(setting("EFFECTS")?.into()));
    let state = Arc::clone(&effects);
    let remote = if std::env::var_os("DEPLOYED").is_some() {
        tools![charge, look_up, refund, confirm; state = state]
    } else {
        tools![before::charge, look_up, before::refund, confirm; state = state]
    };
    let local = tools![note; state = effects];
    let url = format!("{}?application_name={name}", setting("DATABASE_URL")?);
    let database = Database::connect(&url)?;
    let store = loop {
        match PostgresCheckpointer::open(database.clone()).await {
            Ok(store) => break store.with_lease(LEASE),
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
    };
    let tools = fleet.toolset(QUEUE, &remote)?.merge(&local)?;
    let agent = Agent::new(Shop, &tools)
        .checkpointer(store)
        .on_unknown_outcome(UnknownOutcome::Ask);
    loop {
        let worker = fleet
            .worker()
            .tools(QUEUE, &remote)
            .agent(AGENT, agent.clone());
        // The server may be gone for a while.
        if let Err(error) = worker.run(std::future::pending()).await {
            eprintln!("{name}: {error}");
        }
        sleep(Duration::from_millis(200)).await;
    }
}

/// Connects, and waits for the server.
pub(crate) async fn connected() -> Result<Fleet, Failure> {
    let address = setting("TEMPORAL_ADDRESS")?;
    loop {
        let fleet = Fleet::builder(&address)
            .heartbeat(HEARTBEAT)
            .queue_timeout(Duration::from_mins(2));
        match fleet.connect().await {
            Ok(fleet) => return Ok(fleet),
            Err(_) => sleep(Duration::from_millis(200)).await,
        }
    }
}
