//! Sessions of Toolwright's agents in Postgres, for several machines.
//!
//! [`PostgresCheckpointer`] is a [`Checkpointer`](toolwright::agent::store::Checkpointer): an agent that has it saves its sessions there, and
//! any machine continues them. [`Database`] is where it is, and makes the tables. [`PostgresPayloads`] keeps what is too large for the
//! messages of a fleet.
//!
//! ```no_run
//! use toolwright::agent::testing::ScriptedModel;
//! use toolwright::agent::{Agent, ModelResponse};
//! use toolwright::{Context, tool, tools};
//! use toolwright_postgres::{Database, PostgresCheckpointer};
//!
//! /// Adds two numbers.
//! #[tool]
//! fn add(a: i64, b: i64) -> i64 {
//!     a + b
//! }
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let database = Database::connect("postgres://agents@localhost/agents")?;
//! // Once, when a new version is rolled out; or by the program `toolwright-postgres migrate`.
//! database.migrate().await?;
//!
//! let store = PostgresCheckpointer::open(database).await?;
//! let model = ScriptedModel::new([Ok(ModelResponse::text("Hello."))]);
//! let agent = Agent::new(model, &tools![add]).checkpointer(store);
//! // On any machine that has this agent:
//! let (session, run) = agent.resume("ticket-17", &Context::new()).await?;
//! # let _ = (session, run);
//! # Ok(())
//! # }
//! ```

mod database;
mod error;
mod payloads;
mod rows;
mod sql;
mod store;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use database::{Database, Migration};
pub use payloads::PostgresPayloads;
pub use store::PostgresCheckpointer;
