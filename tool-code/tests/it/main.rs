//! Tests of `toolwright-code`, by its public API. Programs run in this process; `tests/process` has the interpreter's own.

// A test that finds less than it expects has failed.
#![allow(clippy::indexing_slicing, clippy::unwrap_used)]
mod awaits;
mod callers;
mod limits;
mod pauses;
mod programs;
mod served;
mod stored;
mod stubs;

use std::sync::{Arc, Mutex};

use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, ModelResponse, Session};
use toolwright::{Context, Executor, Tool, ToolCall, ToolError, Toolset, tool, tools};
use toolwright_code::{CodeMode, Interpreter};

/// What ran, in order.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn add(&self, words: impl Into<String>) {
        self.0.lock().unwrap().push(words.into());
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Adds two numbers.
#[tool(read_only)]
pub(crate) fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Pays an amount.
#[tool(destructive)]
pub(crate) fn pay(to: &str, amount: u32, cx: &Context) -> Result<String, ToolError> {
    if amount == 13 {
        return Err(ToolError::failed("the bank is closed"));
    }
    if let Some(log) = cx.get::<Log>() {
        log.add(format!("{to} {amount}"));
    }
    Ok(format!("paid {amount} to {to}"))
}

pub(crate) fn code_mode(tools: &Toolset) -> CodeMode {
    CodeMode::new(tools).interpreter(Interpreter::InProcess)
}

pub(crate) fn run_code(tools: &Toolset) -> Arc<dyn Tool> {
    code_mode(tools).build().unwrap()
}

pub(crate) fn call_of(code: &str) -> ToolCall {
    let arguments = serde_json::json!({ "code": code }).to_string();
    ToolCall::new("code", "run_code", arguments)
}

/// An agent whose model makes these calls in one turn, and then ends.
pub(crate) fn agent(tool: Arc<dyn Tool>, calls: Vec<ToolCall>) -> Agent {
    let model = ScriptedModel::new([
        Ok(ModelResponse::calls(calls)),
        Ok(ModelResponse::text("done")),
    ]);
    Agent::with_executor(model, Executor::serial(Toolset::new([tool]).unwrap()))
}

/// Runs a program without approvals, and returns what the model reads.
pub(crate) async fn answer(tools: &Toolset, code: &str) -> String {
    let tool = code_mode(tools).executor(|tools| Executor::parallel(tools, 8));
    answer_of(tool.build().unwrap(), code).await
}

pub(crate) async fn answer_of(tool: Arc<dyn Tool>, code: &str) -> String {
    let agent = agent(tool, vec![call_of(code)]);
    let mut session = Session::ask("Go!");
    let run = agent.run(&mut session, &Context::new()).await;
    assert!(matches!(
        run.unwrap().end,
        toolwright::agent::RunEnd::Completed
    ));
    text(&session)
}

/// Returns the text of the last call's answer.
pub(crate) fn text(session: &Session) -> String {
    let messages = session.thread().messages().iter().rev();
    let mut answers = messages.filter_map(|message| match message {
        toolwright::agent::ThreadMessage::Tool(answer) => Some(answer.text.clone()),
        _ => None,
    });
    answers.next().unwrap()
}

pub(crate) fn basic() -> Toolset {
    tools![add, pay]
}
