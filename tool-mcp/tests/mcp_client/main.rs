//! The client of MCP servers, against servers that are written here, to misbehave: a process that is
//! this very program, and a listener that speaks raw HTTP. A program of its own: its peak of memory is measured, of which
//! a larger program takes more before it begins.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod calls;
mod connections;
mod greetings;
mod habits;
mod hints;
mod lists;
#[cfg(feature = "lock")]
mod lock;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(feature = "oauth")]
mod oauth;
mod over_http;
mod pauses;
mod pauses_live;
mod pauses_runs;
mod pauses_served;
mod raw_http;
mod recovery;
mod results;
mod scripted;
mod sessions;
mod texts;
mod versions;

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolwright::{Context, ToolCall, ToolResult, Toolset};
use toolwright_mcp::{self as mcp, ClientEvent, Connector};

/// Not a test: the server's process, when it is started as one.
#[test]
fn scripted_server() {
    if let Ok(script) = std::env::var("MCP_SCRIPT") {
        scripted::serve(&script);
    }
}

/// The command of a server that follows the script.
fn command(script: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["scripted_server", "--exact", "--nocapture", "--quiet"])
        .env("MCP_SCRIPT", script);
    command
}

/// What was told beside calls.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<ClientEvent>>>);

impl Told {
    fn all(&self) -> Vec<ClientEvent> {
        self.0.lock().unwrap().clone()
    }

    fn stderr(&self) -> Vec<String> {
        let lines = self.all().into_iter().filter_map(|event| match event {
            ClientEvent::Stderr(line) => Some(line),
            _ => None,
        });
        lines.collect()
    }

    /// Waits until an event is there for which `is_it` says yes.
    async fn wait_for(&self, what: &str, is_it: impl Fn(&ClientEvent) -> bool) {
        let found = async {
            while !self.0.lock().unwrap().iter().any(&is_it) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        if tokio::time::timeout(Duration::from_secs(30), found)
            .await
            .is_err()
        {
            panic!("no {what} in {:?}", self.all());
        }
    }

    async fn wait_for_stderr(&self, line: &str) {
        let is_it =
            |event: &ClientEvent| matches!(event, ClientEvent::Stderr(told) if told == line);
        self.wait_for(line, is_it).await;
    }
}

fn connect(script: &str) -> (Connector, Told) {
    told(mcp::connect(command(script)))
}

fn told(connector: Connector) -> (Connector, Told) {
    let told = Told::default();
    let events = told.clone();
    let quick = Duration::from_millis(10);
    let connector = connector
        .on_event(move |event| events.0.lock().unwrap().push(event.clone()))
        .backoff(quick, quick);
    (connector, told)
}

async fn call(tools: &Toolset, name: &str, arguments: &str) -> ToolResult {
    let call = ToolCall::new("call_1", name, arguments);
    tools.call(&call, &Context::new()).await
}

/// The one text of an answer.
fn text(result: &ToolResult) -> String {
    match &result.outcome {
        Ok(outcome) => outcome.payload().expect("a value").to_plain().into_owned(),
        Err(error) => panic!("{error:?}"),
    }
}
