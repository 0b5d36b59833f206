//! A thread as the messages of a provider's request.
//!
//! Calls get unique ids where the provider needs them. The same thread always gives the same text, because a changed
//! prefix would miss the provider's prompt cache.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fmt;

use serde_json::value::RawValue;
use toolwright_provider::call::{Content, Encoder, Outcome, ToolCall, ToolError, ToolResult};
use toolwright_provider::definitions::Definitions;
use toolwright_provider::wire::{JsonText, Message, Wire, WireError};
use toolwright_schema::text::ShortStr;

use crate::thread::{Assistant, Thread, ThreadError, ThreadMessage, ToolMessage, wire_name};

/// Error of a thread that cannot be formatted.
#[derive(Debug)]
#[non_exhaustive]
pub enum FormatError {
    /// No provider would accept the thread.
    Thread(ThreadError),
    /// The wire has no conversations.
    Wire(WireError),
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Thread(error) => error.fmt(f),
            Self::Wire(error) => error.fmt(f),
        }
    }
}

impl Error for FormatError {}

impl Thread {
    /// Formats the thread as members of a request's body, for any wire: see [`Wire::conversation`]. Messages from a
    /// model of the same wire are sent as their provider wrote them.
    ///
    /// Call ids are unique in a turn; they are unique in the whole request if the provider matches answers by id alone.
    /// A call with a used or empty id gets another one, together with its answer, also in the provider's own message. The
    /// new ids stay the same as the thread grows.
    ///
    /// ```
    /// use toolwright::agent::{ThreadMessage, Thread};
    /// use toolwright::Wire;
    ///
    /// let thread = Thread::from([ThreadMessage::user("Hi!")]);
    /// assert_eq!(
    ///     thread.format(Wire::OpenAiChat, Some("Be brief.")).unwrap(),
    ///     r#"{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi!"}]}"#
    /// );
    /// ```
    ///
    /// # Errors
    /// Fails if [`check`](Self::check) does, and on MCP.
    pub fn format(
        &self,
        wire: Wire,
        system: Option<&str>,
    ) -> Result<JsonText<'static>, FormatError> {
        let is_own = |said: &Assistant| is_of(said, &wire_name(wire));
        self.with_utterances(wire, is_own, |said| {
            wire.conversation(system, said, Encoder::auto())
        })
    }

    /// Formats the thread for a request with these tools. Calls and answers use the names that the provider knows.
    ///
    /// # Errors
    /// See [`format`](Self::format).
    pub fn format_with(
        &self,
        sent: &Definitions,
        system: Option<&str>,
    ) -> Result<JsonText<'static>, FormatError> {
        self.format_encoded(sent, system, Encoder::auto())
    }

    pub(crate) fn format_encoded(
        &self,
        sent: &Definitions,
        system: Option<&str>,
        encoder: Encoder,
    ) -> Result<JsonText<'static>, FormatError> {
        let name = native_name(sent);
        // A provider refuses what leads to a tool that is not there any more.
        let is_own = |said: &Assistant| {
            is_of(said, &name)
                && said.loaded.iter().all(|tool| sent.defers(tool))
                && said
                    .native
                    .as_ref()
                    .is_some_and(|own| sent.takes_back(&own.messages))
        };
        self.with_utterances(sent.wire(), is_own, |said| {
            sent.conversation(system, said, encoder)
        })
    }

    fn with_utterances(
        &self,
        wire: Wire,
        is_own: impl Fn(&Assistant) -> bool,
        write: impl FnOnce(&[Message<'_>]) -> Result<JsonText<'static>, WireError>,
    ) -> Result<JsonText<'static>, FormatError> {
        self.check().map_err(FormatError::Thread)?;
        let mut ids = IdRewriter::of(wire);
        let mut said: Vec<WireMessage<'_>> = Vec::new();
        for message in self.messages() {
            match (message, said.last_mut()) {
                (ThreadMessage::Tool(answer), Some(WireMessage::Answers(results))) => {
                    results.push(ids.result(answer));
                }
                (ThreadMessage::Tool(answer), _) => {
                    said.push(WireMessage::Answers(vec![ids.result(answer)]));
                }
                (ThreadMessage::Late(answer), _) => {
                    said.push(WireMessage::Late(ids.late(answer)));
                }
                (ThreadMessage::User { text }, _) => {
                    said.push(WireMessage::Other(Message::User(text)));
                }
                (ThreadMessage::Assistant(assistant), _) => {
                    let own = assistant.native.as_ref();
                    let same = own.filter(|_| is_own(assistant));
                    let is_renamed = ids.begin_turn(&assistant.calls);
                    // Signatures, reasoning and encrypted content stay where ids change.
                    let own = match same {
                        Some(own) if is_renamed => {
                            wire.with_ids(&own.messages, &ids.turn).map(Cow::Owned)
                        }
                        own => own.map(|own| Cow::Borrowed(&*own.messages)),
                    };
                    // The provider's own message has its search.
                    if !assistant.loaded.is_empty() && own.is_none() {
                        said.push(WireMessage::Other(Message::Loaded(&assistant.loaded)));
                    }
                    let message = match own {
                        Some(own) => {
                            // What has loaded the tools may be trimmed away.
                            let own_search = |name: &ShortStr| assistant.loaded.contains(name);
                            let called = assistant.calls.iter().map(|call| call.name.clone());
                            let called: Vec<_> = called.filter(|name| !own_search(name)).collect();
                            if !called.is_empty() {
                                said.push(WireMessage::Loaded(called));
                            }
                            WireMessage::Echo(own)
                        }
                        None if is_renamed => {
                            WireMessage::Renamed(&assistant.text, ids.renamed(&assistant.calls))
                        }
                        None => WireMessage::Other(Message::Assistant {
                            text: &assistant.text,
                            calls: &assistant.calls,
                        }),
                    };
                    said.push(message);
                }
            }
        }
        let said: Vec<_> = said.iter().map(WireMessage::as_utterance).collect();
        write(&said).map_err(FormatError::Wire)
    }
}

/// Returns true if the provider has written the message, in this form.
fn is_of(said: &Assistant, name: &str) -> bool {
    said.native.as_ref().is_some_and(|own| own.wire == name)
}

/// Returns the name of the form in which a provider writes messages. Where deferred tools are loaded in its own form, calls
/// of them have another one, so what was written in the one is not repeated in the other.
pub(crate) fn native_name(sent: &Definitions) -> String {
    let wire = wire_name(sent.wire());
    match sent.loads_natively() {
        Some(loading) => format!("{wire}+{loading:?}"),
        None => wire,
    }
}

/// Ids of calls in one request, made unique where the provider needs it.
struct IdRewriter {
    /// True if the provider matches an answer to the calls of the whole request, and not only of the message right
    /// before it.
    is_of_request: bool,
    taken: HashSet<ShortStr>,
    /// Ids of the calls of the last turn.
    turn: Vec<ShortStr>,
    /// Ids of open calls, by key.
    open: HashMap<String, ShortStr>,
}

impl IdRewriter {
    fn of(wire: Wire) -> Self {
        Self {
            is_of_request: matches!(
                wire,
                Wire::Anthropic | Wire::OpenAiResponses | Wire::BedrockConverse
            ),
            taken: HashSet::new(),
            turn: Vec::new(),
            open: HashMap::new(),
        }
    }

    /// Assigns ids to the calls of the next turn. Returns true if a call's id changes.
    fn begin_turn(&mut self, calls: &[ToolCall]) -> bool {
        if !self.is_of_request {
            self.taken.clear();
        }
        self.turn.clear();
        let mut is_renamed = false;
        for (index, call) in calls.iter().enumerate() {
            let id = if !call.id.is_empty() && self.taken.insert(call.id.clone()) {
                call.id.clone()
            } else {
                is_renamed = true;
                self.unused_id(&call.id, index)
            };
            self.turn.push(id);
        }
        is_renamed
    }

    /// Returns an id that no earlier call has, short enough for every provider.
    fn unused_id(&mut self, id: &str, index: usize) -> ShortStr {
        let id = if id.is_empty() { "call" } else { id };
        let begin: String = id.chars().take(24).collect();
        let mut made = (index..).map(|number| ShortStr::from(format!("{begin}_{number}")));
        let free = made.find(|made| self.taken.insert(made.clone()));
        free.unwrap_or_default()
    }

    /// Returns the answer to a call of the last turn, under the id that the call has in the request.
    fn result(&mut self, answer: &ToolMessage) -> ToolResult {
        let id = self.turn.get(answer.index).unwrap_or(&answer.id).clone();
        let mut result = result(answer, &id);
        if let Some(key) = &answer.open {
            self.open.insert(key.clone(), id);
            result.outcome = Ok(Outcome::Open {
                key: key.clone(),
                note: answer.text.clone(),
            });
        }
        result
    }

    /// Returns the result of a call that stayed open, under the id that the call has in the request.
    fn late(&mut self, answer: &ToolMessage) -> ToolResult {
        let known = answer.open.as_ref().and_then(|key| self.open.get(key));
        let id = match known {
            Some(id) => id.clone(),
            // Its call is not in the request: of an agent inside, or trimmed. Another call may have its id.
            None if self.taken.contains(&answer.id) => self.unused_id(&answer.id, 0),
            None => answer.id.clone(),
        };
        let mut result = result(answer, &id);
        if let Some(asks) = &answer.asks {
            result.outcome = Ok(Outcome::AskUser {
                question: asks.text.clone(),
                options: asks.options.clone(),
            });
        }
        result
    }

    fn renamed(&self, calls: &[ToolCall]) -> Vec<ToolCall> {
        let calls = calls.iter().zip(&self.turn).map(|(call, id)| ToolCall {
            id: id.clone(),
            ..call.clone()
        });
        calls.collect()
    }
}

enum WireMessage<'t> {
    Other(Message<'t>),
    /// The provider's own messages.
    Echo(Cow<'t, [String]>),
    /// Message of the model with replaced ids.
    Renamed(&'t str, Vec<ToolCall>),
    /// All answers of a turn.
    Answers(Vec<ToolResult>),
    Late(ToolResult),
    /// Tools that are called next.
    Loaded(Vec<ShortStr>),
}

impl WireMessage<'_> {
    fn as_utterance(&self) -> Message<'_> {
        match self {
            Self::Other(said) => *said,
            Self::Echo(messages) => Message::Echo(messages),
            Self::Renamed(text, calls) => Message::Assistant { text, calls },
            Self::Answers(results) => Message::Results(results),
            Self::Late(result) => Message::Late(result),
            Self::Loaded(names) => Message::Loaded(names),
        }
    }
}

/// Builds the result to send to the provider from a stored answer.
fn result(answer: &ToolMessage, id: &ShortStr) -> ToolResult {
    let call = ToolCall::new(&**id, &*answer.name, "");
    let outcome = if answer.is_error {
        Err(ToolError::failed(answer.text.clone()))
    } else if !answer.blocks.is_empty() {
        Ok(Outcome::Content(Content::from(answer.blocks.clone())))
    } else if let Some(value) = data(&answer.text) {
        Ok(Outcome::value(value))
    } else {
        Ok(Outcome::value(&answer.text))
    };
    ToolResult::new(&call, outcome)
}

/// Parses an object or array, for providers that take a value. Elsewhere its text is the same.
fn data(text: &str) -> Option<&RawValue> {
    let is_data = text.starts_with(['{', '[']);
    let value: &RawValue = serde_json::from_str(text).ok().filter(|_| is_data)?;
    (value.get() == text).then_some(value)
}
