use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::batch::Pending;
use super::redacted::Redacted;
use crate::toolset::Toolset;
use toolwright_provider::call::ToolCall;
use toolwright_schema::decode::Repairs;
use toolwright_schema::decode::walk::{WalkOptions, admits_arguments, collect_faults};
use toolwright_schema::read::tree::Tree;

/// A call that waits for somebody, as people see it. It can be stored and sent, and holds no secret.
///
/// The raw call is a [`Pending`], which stays in the program that runs the call.
///
/// ```
/// use toolwright::layers::Approval;
/// use toolwright::{Context, Executor, ToolCall, tool, tools};
///
/// /// Pays an invoice.
/// #[tool]
/// fn pay(invoice: u32) -> String {
///     format!("invoice {invoice} is paid")
/// }
///
/// let tools = tools![pay];
/// let executor = Executor::serial(&tools).layer(Approval::when(|_| true));
/// let batch = executor.run_blocking(&[ToolCall::new("1", "pay", r#"{"invoice": 7}"#)], &Context::new());
/// let waiting = batch.pending().next().unwrap().shown(&tools);
/// assert_eq!(waiting.arguments.as_deref(), Some(r#"{"invoice": 7}"#));
/// assert_eq!(serde_json::to_value(&waiting).unwrap()["reason"], "decision");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Waiting {
    /// Places in their turns, from 0: of the calls that run the agents around this one, outermost first, and its own. Empty for
    /// an [open call](crate::tool::OpenCalls) of an earlier turn.
    pub path: Vec<usize>,
    /// Names the call for its whole life: the key of its record in an agent's session. Empty outside of agents.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// The call's id.
    pub id: String,
    /// The tool's name.
    pub tool: String,
    /// The arguments as the [tool shows them](crate::tool::Tool::redacted). `None` if the tool is unknown, since its secrets
    /// are unknown then.
    pub arguments: Option<String>,
    /// Reason why it waits.
    #[serde(flatten)]
    pub reason: PendingReason,
}

impl Waiting {
    /// Shows a call with the arguments that these tools show.
    pub fn new(call: &ToolCall, reason: PendingReason, tools: &Toolset) -> Self {
        let tool = tools.get(&call.name);
        Self {
            path: Vec::new(),
            key: String::new(),
            id: call.id.to_string(),
            tool: call.name.to_string(),
            arguments: tool.map(|tool| Redacted::new(call, Some(tool)).text().into_owned()),
            reason,
        }
    }
}

impl Pending {
    /// Shows the call to people, with the arguments that these tools show.
    pub fn shown(&self, tools: &Toolset) -> Waiting {
        Waiting {
            path: vec![self.place],
            ..Waiting::new(&self.call, self.reason.clone(), tools)
        }
    }
}

/// Reason why a call is pending. In JSON it is the member `reason`, and `ask` where something is to be shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reason", content = "ask", rename_all = "snake_case")]
#[non_exhaustive]
pub enum PendingReason {
    /// The tool is `manual`: the host or a person answers it.
    ManualTool,
    /// The executor leaves all calls, or those of this name, to the host.
    ManualMode,
    /// A [`Layer`](crate::executor::Layer) asks for a decision before the call runs. Holds details for the person who decides.
    Decision(Value),
    /// The call began, and it is unknown whether it took effect: the process or the run ended before the call did, or the
    /// tool says so. Holds the error's text. An approval runs it again,
    /// as another call with a new [key](crate::tool::Context::idempotency_key); otherwise answer or reject it. See
    /// [`Executor::on_unknown_outcome`](crate::executor::Executor::on_unknown_outcome).
    OutcomeUnknown(String),
    /// The call has not run yet: because of a pause or a limit of an agent, or since the host's
    /// [`CallPlan`](crate::executor::CallPlan) leaves it.
    NotRun,
    /// The call runs an agent that waits for somebody. Answering or rejecting the call ends that agent's conversation.
    Agent,
    /// The tool asks a person. The answer is the call's result, unless the tool goes on with it.
    Question(Question),
}

impl PendingReason {
    /// Returns the reason's stable name: `decision`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::ManualTool => "manual_tool",
            Self::ManualMode => "manual_mode",
            Self::Decision(_) => "decision",
            Self::OutcomeUnknown(_) => "outcome_unknown",
            Self::NotRun => "not_run",
            Self::Agent => "agent",
            Self::Question(_) => "question",
        }
    }

    /// Returns the question of a tool that asks a person.
    pub fn question(&self) -> Option<&Question> {
        match self {
            Self::Question(question) => Some(question),
            _ => None,
        }
    }
}

/// Question of a tool to a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Text of the question.
    pub text: String,
    /// Further data for the front end.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub options: Map<String, Value>,
}

impl Question {
    /// Checks an answer against the option `schema`, the JSON Schema of an object. Every answer fits a question without one, and
    /// one whose schema cannot be read.
    ///
    /// # Errors
    /// Fails if the answer does not fit. The error lists the faults.
    #[doc(hidden)]
    pub fn check(&self, answer: &Value) -> Result<(), String> {
        let Some(schema) = self.options.get("schema") else {
            return Ok(());
        };
        let Ok(tree) = Tree::of_arguments(&schema.to_string(), Tree::MOST_BYTES) else {
            return Ok(());
        };
        let text = answer.to_string();
        let reading = WalkOptions::at_run_time(&text);
        if admits_arguments(&text, reading, tree.root()) != Some(false) {
            return Ok(());
        }
        let found = collect_faults(&text, reading, tree.root(), Repairs::None);
        let faults: Vec<_> = found
            .faults
            .iter()
            .map(|(_, fault)| fault.to_string())
            .collect();
        Err(if faults.is_empty() {
            "an object is expected".to_owned()
        } else {
            faults.join("; ")
        })
    }

    /// Adds the error of an answer that could not be taken.
    pub(super) fn with_error(mut self, error: &str) -> Self {
        self.options.insert("error".to_owned(), error.into());
        self
    }
}

impl From<Question> for PendingReason {
    fn from(question: Question) -> Self {
        Self::Question(question)
    }
}
