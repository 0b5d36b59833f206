//! A whole response, read: what the model said, why it stopped, what it cost, and what the next
//! request repeats.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::read::Members;
use super::{Wire, WireError};
use crate::call::{Bytes, ToolCall};

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
            .field("messages", &Bytes::all(&self.messages))
            .field("stop", &self.stop)
            .field("usage", &self.usage)
            .field("loaded", &self.loaded)
            .finish()
    }
}

/// Reasons why a response ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FinishReason {
    /// The model said all that it had to say, or calls tools.
    Done,
    /// It came to a limit: of this answer, or of what the model can hold.
    CutOff,
    /// The model or the provider refused to say more.
    Refused,
    /// A reason of the provider's own, in its word.
    Other(String),
}

/// Tokens that a provider counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of requests: all of them, from a cache or not.
    pub input: u64,
    /// Tokens of answers, thoughts with them.
    pub output: u64,
}

impl Usage {
    /// All tokens, of requests and of answers.
    ///
    /// ```
    /// use toolwright::wire::Usage;
    ///
    /// assert_eq!(Usage { input: 20, output: 5 }.total(), 25);
    /// ```
    pub const fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl Usage {
    /// The sums of what stands under these keys, where a provider counted any.
    pub(super) fn sum(counts: &Members<'_>, input: &[&str], output: &[&str]) -> Option<Self> {
        let sum = |keys: &[&str]| {
            let found = counts.iter().filter(|(key, _)| keys.contains(key));
            let counts = found.filter_map(|(_, count)| count.get().parse::<u64>().ok());
            counts.reduce(u64::saturating_add)
        };
        let (input, output) = (sum(input), sum(output));
        (input.is_some() || output.is_some()).then(|| Self {
            input: input.unwrap_or(0),
            output: output.unwrap_or(0),
        })
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
    }
}

impl FinishReason {
    /// The stop of this word: `done`, `cut_off` and `refused` are the provider's words for these.
    pub(super) fn of(
        word: &str,
        done: &[&str],
        cut_off: &[&str],
        refused: &[&str],
    ) -> Option<Self> {
        Some(match word {
            "" => return None,
            _ if done.contains(&word) => Self::Done,
            _ if cut_off.contains(&word) => Self::CutOff,
            _ if refused.contains(&word) => Self::Refused,
            other => Self::Other(other.to_owned()),
        })
    }
}

impl Wire {
    /// All that a response says, for whoever keeps the conversation. Of MCP, whose "response" is a
    /// client's request, the calls alone.
    ///
    /// # Errors
    /// When the response itself is no JSON or of another form, or is the provider's report of a
    /// failure.
    pub fn completion(self, response: &str) -> Result<Completion, WireError> {
        let response = self.read(response)?;
        if let Some(failure) = response.failure() {
            return Err(failure);
        }
        Ok(Completion {
            text: response.text(),
            calls: response.calls(),
            messages: response.messages(),
            stop: response.stop(),
            usage: response.usage(),
            loaded: response.loaded(),
        })
    }
}
