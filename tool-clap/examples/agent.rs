//! An agent on a command line: each call runs the program as a child process, and one that changes something waits.

use std::time::Duration;

use clap::{CommandFactory, Parser};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, ModelResponse, Session};
use toolwright::layers::Approval;
use toolwright::{Context, Executor, ToolCall};
use toolwright_clap::{Process, tools_of};

#[derive(Parser)]
enum Cli {
    /// Lists the orders of a customer
    List {
        /// Name of the customer
        customer: String,
    },
    /// Cancels an order
    Cancel {
        /// Number of the order
        id: u64,
    },
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The child is this program; it may be any whose `clap::Command` you have.
    if std::env::args().len() > 1 {
        match Cli::parse() {
            Cli::List { customer } => println!("{customer} has the order 7"),
            Cli::Cancel { id } => println!("the order {id} is cancelled"),
        }
        return Ok(());
    }
    let process = Process::new(std::env::current_exe()?)
        .inherit_env(["HOME", "PATH"])
        .timeout(Duration::from_secs(10));
    let import = tools_of(Cli::command())
        .annotate(|name, options| match name {
            "list" => options.read_only(true).destructive(false),
            _ => options,
        })
        .process(process);

    // A model that follows a script; `Endpoint` is one behind HTTP.
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls([ToolCall::new(
            "1",
            "list",
            r#"{"customer": "Ada"}"#,
        )])),
        Ok(ModelResponse::calls([ToolCall::new(
            "2",
            "cancel",
            r#"{"id": 7}"#,
        )])),
    ]);
    let executor = Executor::serial(&import.tools).layer(Approval::default());
    let agent = Agent::with_executor(model, executor);
    let mut session = Session::ask("Cancel Ada's order.");
    let cx = Context::new();
    let run = agent.run(&mut session, &cx).await?;
    println!("{}", run.end.as_str());
    for waiting in agent.waiting(&session, &cx) {
        println!(
            "May it run? {} {}",
            waiting.tool,
            waiting.arguments.unwrap_or_default()
        );
    }
    Ok(())
}
