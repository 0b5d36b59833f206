use std::sync::Arc;

use serde_json::{Map, Value};

use super::waiting::PendingReason;
use crate::tool::State;
use toolwright_provider::call::{
    EndReason, HaltReason, Outcome, Payload, ToolCall, ToolError, ToolResult,
};
use toolwright_schema::decode::Repair;
use toolwright_schema::text::ShortStr;

/// The answers and pending calls of one turn, in the model's order.
///
/// Each call is there once: answered, or pending.
///
/// ```
/// use toolwright::{Context, Executor, ToolCall, Toolset};
///
/// let executor = Executor::serial(&Toolset::default());
/// let batch = executor.run_blocking(&[ToolCall::new("1", "nope", "{}")], &Context::new());
/// assert_eq!(batch.results().map(|result| &*result.id).collect::<Vec<_>>(), ["1"]);
/// assert!(batch.is_settled());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Batch {
    pub(super) calls: Vec<Reply>,
    /// Most important first.
    pub(super) halts: Vec<Halted>,
    pub(super) state: Option<State>,
    pub(super) updates: Vec<(String, Value)>,
    /// The index of the call that made each update.
    pub(super) updated_by: Vec<usize>,
}

/// The answer of a call, or the reason why it is pending.
// A batch holds one of these a call, and nearly all are answers.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Clone)]
pub enum Reply {
    /// It is answered.
    Answered(ToolResult),
    /// It waits for a person or the host.
    Pending(Pending),
}

/// A call that waits for a person or the host.
///
/// [`Batch::resume`] continues it. Where it waits longer than the program runs, store the call and its place: with a
/// decision they are a [`DecidedCall`](crate::executor::DecidedCall). The turn goes to the model when all of its calls are answered:
///
/// ```
/// use toolwright::layers::Approval;
/// use toolwright::{Context, DynTool, Encoder, Executor, ToolError, Toolset, Wire, call::Decision};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let pay = DynTool::builder().name("pay").description("Pays.");
/// # let pay = pay.handler_sync(|_: serde_json::Value, _cx| Ok::<_, ToolError>("paid")).build()?;
/// # let tools = Toolset::new([pay])?;
/// let response = r#"{"content": [
///     {"type": "tool_use", "id": "1", "name": "pay", "input": {}},
///     {"type": "tool_use", "id": "2", "name": "pya", "input": {}}
/// ]}"#;
/// let (cx, executor) = (Context::new(), Executor::serial(&tools).layer(Approval::when(|_| true)));
/// let batch = executor.run_blocking(&Wire::Anthropic.calls(response)?, &cx);
///
/// // Later: here each pending call is approved.
/// let decisions = batch.pending().map(|pending| (pending.index, Decision::Approve));
/// let batch = batch.resume_blocking(&executor, decisions, &cx)?;
/// let results: Vec<_> = batch.into_results().collect();
/// assert_eq!(results.iter().map(|result| &*result.id).collect::<Vec<_>>(), ["1", "2"]);
/// let messages = Wire::Anthropic.turn(response, &results, Encoder::auto())?;
/// # assert!(messages.contains("paid"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Pending {
    /// The call's index in the batch, from 0: calls of one turn may have equal ids.
    pub index: usize,
    /// The call's place in the model's turn, from 0. It differs from the index in a batch of calls that were pending
    /// before.
    pub place: usize,
    /// The call. If a layer asks, its arguments are those the layer saw: repaired, and rewritten by layers outside it.
    pub call: ToolCall,
    /// Reason why it is pending.
    pub reason: PendingReason,
    /// Number of reruns after an unknown outcome.
    pub attempt: u32,
    /// Repairs of the arguments that a layer asks about. The result of the decided call does not list them again.
    pub repairs: Box<[Repair]>,
    /// Definition of the tool that the call is shown with. A decision is about that tool.
    pub(super) shown: Option<Arc<[u8]>>,
}

/// Reason why a conversation does not continue by itself after a batch.
///
/// If there are several, the earliest variant here takes precedence, then the first call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Halted {
    /// The batch was cancelled.
    Cancelled,
    /// A policy ended the batch at a call's failure; calls that had not ended were cancelled.
    Aborted {
        /// The call's index in the batch, from 0.
        index: usize,
    },
    /// A tool asks a person.
    AskUser {
        /// The call's index in the batch, from 0.
        index: usize,
        /// The call's id.
        id: ShortStr,
        /// The question.
        question: String,
        /// Options for the front end.
        options: Map<String, Value>,
    },
    /// An error policy ends the conversation after a call's failure.
    ToolError {
        /// The call's index in the batch, from 0.
        index: usize,
    },
    /// A tool ended the conversation.
    Halt {
        /// The call's index in the batch, from 0.
        index: usize,
        /// The call's id.
        id: ShortStr,
        /// Reason that the tool gave.
        reason: HaltReason,
        /// Final value.
        value: Payload,
    },
    /// Calls are pending.
    Pending,
    /// Every successful result goes to the user as it is.
    ReturnDirect,
}

impl Halted {
    /// Returns the reason's stable name, `ask_user` for example; for a [`Halt`](Self::Halt) the tool's own.
    pub fn as_str(&self) -> &str {
        let reason = match self {
            Self::Cancelled => EndReason::Cancelled,
            Self::Aborted { .. } => EndReason::Aborted,
            Self::AskUser { .. } => EndReason::AskUser,
            Self::ToolError { .. } => EndReason::ToolError,
            Self::Halt { reason, .. } => return reason.as_str(),
            Self::Pending => EndReason::Pending,
            Self::ReturnDirect => EndReason::ReturnDirect,
        };
        reason.as_str()
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Cancelled => 0,
            Self::Aborted { .. } => 1,
            Self::AskUser { .. } => 2,
            Self::ToolError { .. } => 3,
            Self::Halt { .. } => 4,
            Self::Pending => 5,
            Self::ReturnDirect => 6,
        }
    }

    fn index(&self) -> Option<usize> {
        match self {
            Self::Aborted { index }
            | Self::AskUser { index, .. }
            | Self::ToolError { index }
            | Self::Halt { index, .. } => Some(*index),
            Self::Cancelled | Self::Pending | Self::ReturnDirect => None,
        }
    }

    /// Returns the halt that an answer asks for.
    fn of(index: usize, result: &ToolResult) -> Option<Self> {
        let id = || result.id.clone();
        match result.outcome.as_ref().ok()? {
            Outcome::AskUser { question, options } => Some(Self::AskUser {
                index,
                id: id(),
                question: question.clone(),
                options: options.clone(),
            }),
            Outcome::Halt { reason, value } => Some(Self::Halt {
                index,
                id: id(),
                reason: reason.clone(),
                value: value.clone(),
            }),
            _ => None,
        }
    }

    /// Collects the halts of a batch, most important first: those of its answers, and `before`, which the host or a
    /// policy caused.
    pub(super) fn of_batch(calls: &[Reply], mut before: Vec<Self>) -> Vec<Self> {
        before.sort_by_key(Self::index);
        before.dedup();
        let mut halts = before;
        let mut successes = calls.iter().filter_map(Reply::success).peekable();
        let any = successes.peek().is_some();
        let direct = any && successes.all(|outcome| matches!(outcome, Outcome::ReturnDirect(_)));
        let mut waits = false;
        for (index, reply) in calls.iter().enumerate() {
            match reply {
                Reply::Answered(result) => halts.extend(Self::of(index, result)),
                Reply::Pending(_) => waits = true,
            }
        }
        halts.extend(waits.then_some(Self::Pending));
        halts.extend(direct.then_some(Self::ReturnDirect));
        halts.sort_by_key(Self::rank);
        halts
    }
}

impl Pending {
    /// A call at this place of its turn.
    pub fn new(index: usize, call: ToolCall, reason: PendingReason) -> Self {
        Self {
            index,
            place: index,
            call,
            reason,
            attempt: 0,
            repairs: Box::default(),
            shown: None,
        }
    }
}

impl Reply {
    /// Returns the answer, if there is one.
    pub fn answered(&self) -> Option<&ToolResult> {
        match self {
            Self::Answered(result) => Some(result),
            Self::Pending(_) => None,
        }
    }

    fn success(&self) -> Option<&Outcome> {
        self.answered()?.outcome.as_ref().ok()
    }
}

impl Batch {
    /// Returns the answer or the pending call of each call, in call order.
    pub fn calls(&self) -> &[Reply] {
        &self.calls
    }

    /// Returns the answers, in call order.
    pub fn results(&self) -> impl DoubleEndedIterator<Item = &ToolResult> {
        self.calls.iter().filter_map(Reply::answered)
    }

    /// Returns the answers, in call order.
    pub fn into_results(self) -> impl DoubleEndedIterator<Item = ToolResult> {
        self.calls.into_iter().filter_map(|reply| match reply {
            Reply::Answered(result) => Some(result),
            Reply::Pending(_) => None,
        })
    }

    /// Returns the pending calls, in call order.
    pub fn pending(&self) -> impl DoubleEndedIterator<Item = &Pending> {
        self.calls.iter().filter_map(|reply| match reply {
            Reply::Pending(pending) => Some(pending),
            Reply::Answered(_) => None,
        })
    }

    /// Returns the most important reason why the conversation does not continue; `None` if the model is next.
    pub fn halted(&self) -> Option<&Halted> {
        self.halts.first()
    }

    /// Returns every reason why the conversation does not continue, most important first. A turn may ask several
    /// questions and end the conversation as well.
    pub fn halts(&self) -> &[Halted] {
        &self.halts
    }

    /// Returns true if no call is pending.
    pub fn is_settled(&self) -> bool {
        self.pending().next().is_none()
    }

    /// Returns the error of the call that ended the batch or the conversation.
    pub fn error(&self) -> Option<&ToolError> {
        match self.halted()? {
            Halted::Aborted { index } | Halted::ToolError { index } => {
                let result = self.calls.get(*index)?.answered()?;
                result.outcome.as_ref().err()
            }
            _ => None,
        }
    }

    /// Returns the conversation's new state, if calls changed it: the state before, with the updates of all successful
    /// calls in call order.
    pub fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// Returns the updates alone, in call order: for hosts whose context holds more state than their conversation
    /// stores.
    pub fn updates(&self) -> &[(String, Value)] {
        &self.updates
    }
}
