// How do I run a blocking function?

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use toolwright::{Context, Encoder, Executor, Provide, ToolCall, tool, tools};

#[derive(Provide)]
struct Door {
    bell: Mutex<Receiver<String>>,
    button: Sender<String>,
}

/// Wait until somebody rings.
// Its body runs on a thread that may block; other calls go on meanwhile.
#[tool(blocking)]
fn wait_for_bell(#[state] bell: &Mutex<Receiver<String>>) -> Result<String, String> {
    let bell = bell.lock().map_err(|error| error.to_string())?;
    let who = bell.recv_timeout(Duration::from_secs(20));
    let who = who.map_err(|error| error.to_string())?;
    Ok(format!("{who} is at the door"))
}

/// Ring the bell.
#[tool]
async fn ring(#[state] button: &Sender<String>) -> Result<(), String> {
    button
        .send("Ada".to_owned())
        .map_err(|error| error.to_string())
}

#[tokio::main]
async fn main() {
    let (button, bell) = channel();
    let bell = Mutex::new(bell);
    let tools = tools![wait_for_bell, ring; state = Door { bell, button }];
    let executor = Executor::parallel(&tools, 8);
    let calls = [
        ToolCall::new("call_1", "wait_for_bell", "{}"),
        ToolCall::new("call_2", "ring", "{}"),
    ];
    let batch = executor.run(&calls, &Context::new()).await;
    for result in batch.results() {
        println!("{}: {}", result.name, result.content(Encoder::auto()));
    }
}

// Prints:
// wait_for_bell: Ada is at the door
// ring: done
