//! A whole response, read: the text and calls, the reason why it ended, the usage, and the messages that
//! the next request repeats.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::read::Members;
use super::{HostedCall, Wire, WireError};
use crate::call::{Bytes, ToolCall};
use toolwright_schema::text::Printable;

/// Content of a response: [`Wire::completion`].
///
/// ```
/// use toolwright::{Wire, wire::FinishReason};
///
/// let response = r#"{"choices": [{"finish_reason": "length", "message": {
///     "role": "assistant", "content": "It is"
/// }}], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}"#;
/// let said = Wire::OpenAiChat.completion(response).unwrap();
/// assert_eq!(said.text, "It is");
/// assert_eq!(said.stop, Some(FinishReason::CutOff));
/// assert_eq!(said.usage.unwrap().output, 2);
/// ```
///
/// `Debug` leaves out the texts of the messages, which hold the arguments of the calls.
#[derive(Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Completion {
    /// The model's words, without its thoughts. Where it refuses in words, these are they.
    pub text: String,
    /// Its calls: [`Wire::calls`].
    pub calls: Vec<ToolCall>,
    /// Calls of tools that the provider ran itself, in order, with their results.
    pub hosted: Vec<HostedCall>,
    /// Messages that the next request repeats of the response, as [`Wire::turn`] does: JSON texts.
    pub messages: Vec<String>,
    /// Reason why it ended, if the provider said so.
    pub stop: Option<FinishReason>,
    /// Tokens that it took, if the provider said so.
    pub usage: Option<Usage>,
    /// Deferred tools that the provider's own search has loaded, in order: see [`Loading::Hosted`](super::Loading::Hosted).
    pub loaded: Vec<String>,
}

impl fmt::Debug for Completion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completion")
            .field("text", &self.text)
            .field("calls", &self.calls)
            .field("hosted", &self.hosted)
            .field("messages", &Bytes::all(&self.messages))
            .field("stop", &self.stop)
            .field("usage", &self.usage)
            .field("loaded", &self.loaded)
            .finish()
    }
}

/// Reason why a response ended. `Display` prints it as a clause: `it was cut off at a limit of tokens`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FinishReason {
    /// The model said all that it had to say, or calls tools.
    Done,
    /// The response reached a limit: of its own length, or of the model's context window.
    CutOff,
    /// The provider paused a long turn. The next request, with this response's messages and nothing behind them, continues
    /// it.
    Paused,
    /// The model refused to answer.
    Refused,
    /// A filter of the provider stopped the response, or withheld it.
    Filtered,
    /// The model made a call that the provider could not read, and did not pass on.
    MalformedCall,
    /// The response goes on in the background: the provider has queued it, or works on it.
    InProgress,
    /// The provider broke off, for this reason in its own word: `error`.
    Failed(String),
    /// A word that no table knows.
    Other(String),
}

/// Tokens that a provider counted: a sum over responses where several are added.
///
/// Never less than the tokens that the provider charges, if it reports a count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens of requests: all of them, from a cache or not.
    pub input: u64,
    /// Tokens of answers, thoughts with them.
    pub output: u64,
    /// Those of `input` that were read from a cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cached: u64,
    /// Those of `input` that were written to a cache, where the provider counts them.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_written: u64,
    /// Those of `output` that are thoughts, where the provider counts them.
    #[serde(skip_serializing_if = "is_zero")]
    pub reasoning: u64,
}

// serde hands a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Usage {
    /// Creates a count of the tokens of requests and of answers.
    ///
    /// ```
    /// use toolwright::wire::Usage;
    ///
    /// assert_eq!(Usage::new(20, 5).total(), 25);
    /// ```
    pub const fn new(input: u64, output: u64) -> Self {
        Self {
            input,
            output,
            cached: 0,
            cache_written: 0,
            reasoning: 0,
        }
    }

    /// All tokens, of requests and of answers.
    pub const fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// Combines two counts, field by field.
    #[doc(hidden)]
    #[must_use]
    pub fn zip(self, other: Self, with: fn(u64, u64) -> u64) -> Self {
        Self {
            input: with(self.input, other.input),
            output: with(self.output, other.output),
            cached: with(self.cached, other.cached),
            cache_written: with(self.cache_written, other.cache_written),
            reasoning: with(self.reasoning, other.reasoning),
        }
    }

    /// Returns the larger of each count.
    pub(super) fn max(self, other: Self) -> Self {
        self.zip(other, Ord::max)
    }

    /// Reads counts; `None` if the provider counted nothing.
    pub(super) fn of(counts: &Members<'_>, keys: &UsageKeys) -> Option<Self> {
        let details = counts.iter().filter(|(key, _)| key.ends_with("_details"));
        let details: Vec<_> = details
            .map(|(_, details)| Members::of(Some(details)))
            .collect();
        let number = |(_, count): (&str, &RawValue)| count.get().parse::<u64>().ok();
        let find = |keys: &'static [&str]| {
            let has_key = move |(key, _): &(&str, &RawValue)| keys.contains(key);
            counts.iter().filter(has_key).filter_map(number)
        };
        // The same count may stand in several places.
        let largest = |keys: &'static [&str]| {
            let has_key = move |(key, _): &(&str, &RawValue)| keys.contains(key);
            let inner = details.iter().flat_map(Members::iter).filter(has_key);
            find(keys)
                .chain(inner.filter_map(number))
                .max()
                .unwrap_or(0)
        };
        let (input, output) = (
            find(keys.input).reduce(u64::saturating_add),
            find(keys.output).reduce(u64::saturating_add),
        );
        if input.is_none() && output.is_none() {
            return None;
        }
        let (input, reasoning) = (input.unwrap_or(0), largest(keys.reasoning));
        let rest = largest(keys.total).saturating_sub(input);
        let mut output = output.unwrap_or(0).max(rest);
        if reasoning > output {
            // Thoughts are not among the output.
            output = output.saturating_add(reasoning);
        }
        Some(Self {
            input,
            output,
            cached: largest(keys.cached).min(input),
            cache_written: largest(keys.cache_written).min(input),
            reasoning,
        })
    }
}

/// Names of a provider's counts. Those of `input` are added, and so are those of `output`. Of all others the largest holds,
/// at the top or in an object of details.
pub(super) struct UsageKeys {
    pub(super) input: &'static [&'static str],
    pub(super) output: &'static [&'static str],
    /// Output is at least the total without the input.
    pub(super) total: &'static [&'static str],
    pub(super) cached: &'static [&'static str],
    pub(super) cache_written: &'static [&'static str],
    pub(super) reasoning: &'static [&'static str],
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        *self = self.zip(other, u64::saturating_add);
    }
}

/// A provider's words for the reasons of an end.
pub(super) type Reasons = [(FinishReason, &'static [&'static str])];

impl FinishReason {
    /// Returns the reason of this word; `None` if it is empty.
    pub(super) fn of(word: &str, reasons: &Reasons) -> Option<Self> {
        if word.is_empty() {
            return None;
        }
        let known = reasons.iter().find(|(_, words)| words.contains(&word));
        Some(match known {
            Some((Self::Failed(_), _)) => Self::Failed(word.to_owned()),
            Some((reason, _)) => reason.clone(),
            None => Self::Other(word.to_owned()),
        })
    }
}

impl fmt::Display for FinishReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Done => "it is complete",
            Self::CutOff => "it was cut off at a limit of tokens",
            Self::Paused => "the provider paused it",
            Self::Refused => "the model refused to answer",
            Self::Filtered => "a filter of the provider stopped it",
            Self::MalformedCall => "the model made a call that cannot be read",
            Self::InProgress => "it goes on in the background",
            Self::Failed(word) => {
                let word = Printable::new(word).one_line();
                return write!(f, "the provider broke off (`{word}`)");
            }
            Self::Other(word) => {
                let word = Printable::new(word).one_line();
                return write!(f, "it ended with the unknown reason `{word}`");
            }
        })
    }
}

impl Wire {
    /// Reads a whole response: text, calls, messages, end and usage. For MCP, whose "response" is a client's
    /// request, it has only the calls.
    ///
    /// # Errors
    /// When the response itself is not JSON or of another form, or is the provider's report of a
    /// failure.
    pub fn completion(self, response: &str) -> Result<Completion, WireError> {
        let response = self.read(response)?;
        if let Some(failure) = response.failure() {
            return Err(failure);
        }
        Ok(Completion {
            text: response.text(),
            calls: response.calls(),
            hosted: response.hosted(),
            messages: response.messages(None),
            stop: response.stop(),
            usage: response.usage(),
            loaded: response.loaded(),
        })
    }
}
