//! A tool that asks a person and goes on with the answer, as a tool of an MCP server does.
// A state that cannot be read has failed the test.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use toolwright::call::{Answer, Call, Decision};
use toolwright::executor::Question;
use toolwright::{Context, Outcome, Tool, ToolDef, ToolError};
use toolwright_runtime::executor::{PausedCall, StoredState};

/// Stored for the tool alone, before the number of its answers.
pub(crate) const SECRET: &str = "s3cret ";

type Effect = Box<dyn Fn(&Context) + Send + Sync>;

struct Remote(Effect, ToolDef);

/// A tool `remote` that asks once, or twice with a 5 in its arguments, and has its effect then.
pub(crate) fn remote(effect: impl Fn(&Context) + Send + Sync + 'static) -> Arc<dyn Tool> {
    Arc::new(Remote(Box::new(effect), ToolDef::new("remote", "Asks.")))
}

impl Remote {
    async fn run(&self, asks: u32, cx: Context) -> Result<Outcome, ToolError> {
        let Some(pause) = PausedCall::of(&cx) else {
            return Ok(Outcome::value("there is nobody to ask"));
        };
        let given =
            |state: StoredState| -> Option<u32> { state.0.strip_prefix(SECRET)?.parse().ok() };
        let answers = match pause.answer() {
            None => 0,
            Some((_, Decision::Reject(_))) => return Ok(Outcome::value("declined")),
            Some((state, Decision::Answer(_))) => given(state).unwrap() + 1,
            Some((state, _)) => given(state).unwrap(),
        };
        tokio::task::yield_now().await;
        if answers < asks {
            let question = Question {
                text: "Where?".to_owned(),
                options: serde_json::Map::new(),
            };
            pause.ask(question, StoredState(format!("{SECRET}{answers}")));
            return Err(ToolError::failed("the server waits for an answer").permanent());
        }
        (self.0)(&cx);
        tokio::task::yield_now().await;
        Ok(Outcome::value("booked"))
    }
}

impl Tool for Remote {
    fn def(&self) -> &ToolDef {
        &self.1
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        let asks = if call.arguments().contains('5') { 2 } else { 1 };
        Answer::later(self.run(asks, call.context()))
    }

    fn validate(&self, _: Call<'_>) -> Result<(), ToolError> {
        Ok(())
    }
}
