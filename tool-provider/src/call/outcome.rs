use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use crate::call::{Content, Output, Payload, ToolError};
use toolwright_schema::text::same;

/// Outcome of a call. Most tools return a value and never name this type; return it to say more.
///
/// ```
/// use toolwright::{Outcome, tool};
///
/// /// Weather forecast of a city.
/// #[tool]
/// fn forecast(city: Option<&str>) -> Outcome {
///     match city {
///         Some(city) => Outcome::value(format!("sun in {city}")),
///         None => Outcome::ask("Which city?").option("choices", ["Oslo", "Rome"]),
///     }
/// }
/// assert!(matches!(forecast(None), Outcome::AskUser { .. }));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// A value for the model.
    Value(Payload),
    /// Blocks of text, pictures and more for the model.
    Content(Content),
    /// The tool cannot go on without a person's answer. Agents, servers and the command line ask for it. In a loop of your
    /// own, the answer becomes the result: `result.outcome = Ok(Outcome::value(answer))`, before the next request.
    AskUser {
        /// Text of the question.
        question: String,
        /// Data for the front end, such as choices.
        options: serde_json::Map<String, serde_json::Value>,
    },
    /// The conversation ends here.
    Halt {
        /// Reason for the end.
        reason: HaltReason,
        /// Result of the conversation.
        value: Payload,
    },
    /// A value that goes to the user as it is; the model does not reword it.
    ReturnDirect(Payload),
    /// The work continues, and its result follows later. The runtime makes this from the call of a `background` tool.
    Open {
        /// Key of the open call.
        key: String,
        /// The text for the model until then.
        note: String,
    },
}

impl Outcome {
    /// A value for the model.
    pub fn value(value: impl Serialize) -> Self {
        Self::Value(Payload::new(value))
    }

    /// Returns the outcome of a call from the tool's return value, or the error of a value that could not be written.
    #[doc(hidden)]
    #[inline]
    pub fn returned(value: impl Output) -> Result<Self, ToolError> {
        let outcome = value.into_outcome();
        match outcome.payload().and_then(Payload::failure) {
            Some(error) => Err(error),
            None => Ok(outcome),
        }
    }

    /// A question to a person.
    pub fn ask(question: impl Into<String>) -> Self {
        Self::AskUser {
            question: question.into(),
            options: serde_json::Map::new(),
        }
    }

    /// Adds data for the front end to a question. Other outcomes stay as they are.
    pub fn option(mut self, name: impl Into<String>, value: impl Into<serde_json::Value>) -> Self {
        if let Self::AskUser { options, .. } = &mut self {
            options.insert(name.into(), value.into());
        }
        self
    }

    /// Ends the conversation, with a result.
    pub fn halt(reason: HaltReason, value: impl Serialize) -> Self {
        Self::Halt {
            reason,
            value: Payload::new(value),
        }
    }

    /// A value that goes to the user as it is.
    pub fn direct(value: impl Serialize) -> Self {
        Self::ReturnDirect(Payload::new(value))
    }

    /// The value of a tool that is `return_direct`. An error that was handled is for the model.
    pub fn into_direct(self) -> Self {
        match self {
            Self::Value(value) if !value.__is_handled() => Self::ReturnDirect(value),
            other => other,
        }
    }

    /// Removes the error mark.
    pub fn without_error_mark(self) -> Self {
        match self {
            Self::Value(value) => Self::Value(value.without_error_mark()),
            other => other,
        }
    }

    /// The value, where the outcome has one.
    pub fn payload(&self) -> Option<&Payload> {
        match self {
            Self::Value(value) | Self::ReturnDirect(value) | Self::Halt { value, .. } => {
                Some(value)
            }
            Self::Content(_) | Self::AskUser { .. } | Self::Open { .. } => None,
        }
    }
}

/// Reason why a tool ended the conversation, as a short word.
///
/// The runtime's words are refused, so that a host can distinguish them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HaltReason(Cow<'static, str>);

toolwright_json::named_enum! {
    /// The runtime's own reasons why a batch or a run ends.
    ///
    /// All names of such ends are from here, so these words are reserved.
    #[doc(hidden)]
    pub enum EndReason {
        /// A policy ended a batch at a call's failure.
        Aborted = "aborted",
        /// A tool asks a person.
        AskUser = "ask_user",
        /// A budget does not cover the next step.
        Budget = "budget",
        /// The host stopped it.
        Cancelled = "cancelled",
        /// The model finished.
        Completed = "completed",
        /// A response was cut off at a limit of tokens.
        CutOff = "cut_off",
        /// The model failed.
        Error = "error",
        /// The provider broke off a response.
        Failed = "failed",
        /// A filter of the provider stopped a response.
        Filtered = "filtered",
        /// The host's own condition.
        HaltWhen = "halt_when",
        /// A response goes on in the background.
        InProgress = "in_progress",
        /// A pause that the host wanted.
        Interrupted = "interrupted",
        /// The model made a call that the provider could not read.
        MalformedCall = "malformed_call",
        /// Reserved for hosts that answer calls by hand.
        Manual = "manual",
        /// The provider paused a response too often.
        Paused = "paused",
        /// Calls are pending.
        Pending = "pending",
        /// The model refused to answer.
        Refused = "refused",
        /// A limit on steps.
        MaxSteps = "max_steps",
        /// A limit on rounds of tools.
        MaxToolRounds = "max_tool_rounds",
        /// A limit on model calls.
        MaxTurns = "max_turns",
        /// The answers go to the user.
        ReturnDirect = "return_direct",
        /// A response without an answer ended for an unknown reason.
        Stopped = "stopped",
        /// A policy ended the conversation at a call's failure.
        ToolError = "tool_error",
    }
}

impl HaltReason {
    /// A reason known when the program compiles.
    ///
    /// # Panics
    /// When the word is reserved or empty; in a `const` that is a compile error.
    pub const fn new(reason: &'static str) -> Self {
        assert!(!reason.is_empty(), "a halt reason needs a word");
        assert!(
            !is_reserved(reason),
            "this halt reason is reserved for the runtime"
        );
        Self(Cow::Borrowed(reason))
    }

    /// A reason known at run time; `None` when the word is reserved or empty.
    pub fn try_new(reason: impl Into<String>) -> Option<Self> {
        let reason = reason.into();
        let free = !reason.is_empty() && !is_reserved(&reason);
        free.then_some(Self(Cow::Owned(reason)))
    }

    /// The word.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HaltReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A loop over patterns: in `const`, slices have no iterators.
const fn is_reserved(reason: &str) -> bool {
    let mut reserved = EndReason::ALL;
    while let [one, rest @ ..] = reserved {
        if same(one.as_str(), reason) {
            return true;
        }
        reserved = rest;
    }
    false
}
