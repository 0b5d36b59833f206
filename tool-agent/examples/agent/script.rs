//! What the scripted model says, so that the example needs no network.

use std::io;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use toolwright::ToolCall;
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{ModelResponse, Thread, ThreadMessage};

/// What the customer says.
pub(crate) const WORDS: &str = "One of the two cups of order 17 came broken.";

/// What the person makes of the refund that the model wants.
pub(crate) const EDITED: &str = r#"{"order": 17, "cents": 2100}"#;
/// What the person answers when a tool asks.
pub(crate) const ADDRESS: &str = "3 Harbour Road, Bergen";

/// How many steps there are up to the question.
const FIRST: usize = 3;

fn steps() -> [ModelResponse; 6] {
    let mut look = ModelResponse::calls([ToolCall::new("c1", "find_order", r#"{"order": 17}"#)]);
    look.text = "I am sorry. Let me look at the order.".into();
    let send = format!(r#"{{"order": 17, "address": "{ADDRESS}"}}"#);
    [
        look,
        ModelResponse::calls([ToolCall::new(
            "c2",
            "refund",
            r#"{"order": 17, "cents": 4200}"#,
        )]),
        ModelResponse::calls([
            ToolCall::new("c3", "ask_supplier", r#"{"order": 17}"#),
            ToolCall::new("c4", "ask_address", "{}"),
        ]),
        ModelResponse::calls([ToolCall::new("c5", "resend", send)]),
        ModelResponse::text("Half of it was paid back, and a new cup is on its way to Bergen."),
        ModelResponse::text("The supplier says that no other cup broke."),
    ]
}

fn model(steps: impl Iterator<Item = ModelResponse>) -> ScriptedModel {
    ScriptedModel::new(steps.map(Ok))
}

/// The model of the first process.
pub(crate) fn until_the_question() -> ScriptedModel {
    model(steps().into_iter().take(FIRST))
}

/// The model of a process that goes on with this thread.
pub(crate) fn from(thread: &Thread) -> ScriptedModel {
    let said = thread.messages().iter().filter(|message| {
        // A question is the tool's.
        matches!(message, ThreadMessage::Assistant(said) if !said.asks)
    });
    model(steps().into_iter().skip(said.count()))
}

/// A model that is not asked.
pub(crate) fn nothing() -> ScriptedModel {
    model(std::iter::empty())
}

/// A folder of this process, which goes with it.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> io::Result<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default().as_nanos();
        let name = format!("toolwright-agent-{}-{now}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path)?;
        Ok(Self(path))
    }

    /// Where sessions are kept if nothing is said.
    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("agent.db")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If it stays, it is small.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
