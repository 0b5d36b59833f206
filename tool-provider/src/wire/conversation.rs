//! A conversation as the messages of a request.

use std::collections::HashSet;

use super::read::{Members, elements, text};
use super::{JsonText, Wire, WireError};
use crate::call::{Encoder, Outcome, ToolCall, ToolResult};
use toolwright_json::{Object, list};

/// One thing that was said in a conversation, for [`Wire::conversation`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Message<'a> {
    /// A person's words.
    User(&'a str),
    /// The model's words and calls.
    Assistant {
        /// Its words; empty if it only called tools.
        text: &'a str,
        /// Its calls, in order.
        calls: &'a [ToolCall],
    },
    /// The model's messages as this provider wrote them:
    /// [`Completion::messages`](super::Completion::messages). They go back byte by byte.
    Echo(&'a [String]),
    /// The answers to all calls of the message before, in call order.
    Results(&'a [ToolResult]),
    /// The result of an [open](crate::call::Outcome::Open) call of an earlier message. It becomes a message that names
    /// the call, as from a person. On `OpenAI`'s Responses it is the output of the call, if the provider wrote
    /// `"async":true` at it.
    Late(&'a ToolResult),
}

impl Wire {
    /// A conversation as members of a request's body: the text of an object, which has the messages
    /// and, where the provider has a place of its own for it, the system prompt.
    ///
    /// Where the provider wants roles that alternate, what one of them says in a row becomes one
    /// message; what is empty, and would be refused, is left out. Arguments that are no object,
    /// where it takes nothing else, become one, as in [`turn`](Self::turn).
    ///
    /// The note of an open call is its answer, until its [result](Message::Late) follows. Where the provider has calls
    /// without an answer, it is left out.
    ///
    /// # Errors
    /// On MCP, which has no conversations.
    ///
    /// ```
    /// use toolwright::{Encoder, Wire, wire::Message};
    ///
    /// let said = [Message::User("Hi!")];
    /// let members = Wire::Anthropic.conversation(Some("Be brief."), &said, Encoder::auto());
    /// assert_eq!(
    ///     members.unwrap(),
    ///     r#"{"system":"Be brief.","messages":[{"role":"user","content":[{"type":"text","text":"Hi!"}]}]}"#
    /// );
    /// ```
    pub fn conversation(
        self,
        system: Option<&str>,
        said: &[Message<'_>],
        encoder: Encoder,
    ) -> Result<JsonText<'static>, WireError> {
        let provider = self.provider();
        let mut messages = Vec::new();
        let (mut async_calls, mut open) = (HashSet::new(), HashSet::new());
        for one in said {
            match *one {
                Message::User(text) => messages.extend(provider.user(text)),
                Message::Assistant { text, calls } => {
                    messages.extend(provider.assistant(text, calls));
                }
                Message::Echo(native) => {
                    async_calls.extend(provider.async_calls(native));
                    messages.extend_from_slice(native);
                }
                Message::Results(results) => {
                    let is_open = |result: &&ToolResult| {
                        matches!(result.outcome, Ok(Outcome::Open { .. }))
                            && async_calls.contains(&*result.id)
                    };
                    open.extend(results.iter().filter(is_open).map(|result| &*result.id));
                    if results.iter().any(|result| is_open(&result)) {
                        let answered = results.iter().filter(|result| !is_open(result));
                        let answered: Vec<_> = answered.cloned().collect();
                        messages.extend(provider.results(&answered, encoder));
                    } else {
                        messages.extend(provider.results(results, encoder));
                    }
                }
                // A call has one output: what else has its id is of another call, which is not in the request.
                Message::Late(result) if open.remove(&*result.id) => {
                    messages.extend(provider.results(std::slice::from_ref(result), encoder));
                }
                Message::Late(result) => messages.extend(provider.user(&late(result, encoder))),
            }
        }
        let members = provider.conversation(system, messages);
        members
            .map(JsonText::new)
            .ok_or_else(|| WireError::new("MCP has no conversations to write"))
    }
}

/// The result of an open call in words that name the call.
fn late(result: &ToolResult, encoder: Encoder) -> String {
    let (id, name) = (&result.id, &result.name);
    let end = match &result.outcome {
        Ok(Outcome::AskUser { question, .. }) => format!("asks:\n{question}"),
        Ok(_) => format!("has ended:\n{}", result.content(encoder)),
        Err(_) => format!("has failed:\n{}", result.content(encoder)),
    };
    format!("The call `{id}` of `{name}` {end}")
}

/// A message of this role, whose parts stand under `key`.
pub(super) fn message(role: &str, key: &str, parts: impl IntoIterator<Item = String>) -> String {
    let message = Object::new().text("role", role);
    message.json(key, &list(parts)).end()
}

/// Messages of alternating roles: what one role says in a row is one message, and one without
/// content is none. A message that stands alone stays as it is. `block` writes words as a block.
pub(super) fn alternating(messages: Vec<String>, block: fn(&str) -> String) -> Vec<String> {
    struct Open {
        role: String,
        /// The message itself, while it is one.
        alone: Option<String>,
        blocks: Vec<String>,
    }
    let mut all: Vec<Open> = Vec::new();
    for message in messages {
        let members = Members::read(&message).unwrap_or_default();
        let role = members.words("role");
        let content = members.get("content");
        let blocks = match content.and_then(|content| text(content.get())) {
            Some(words) if words.is_empty() => Vec::new(),
            Some(words) => vec![block(&words)],
            None => {
                let blocks = elements(content);
                blocks.iter().map(|block| block.get().to_owned()).collect()
            }
        };
        if blocks.is_empty() {
            continue;
        }
        match all.last_mut().filter(|last| last.role == role) {
            Some(last) => {
                last.alone = None;
                last.blocks.extend(blocks);
            }
            None => all.push(Open {
                role,
                alone: Some(message),
                blocks,
            }),
        }
    }
    let written = all.into_iter().map(|open| {
        open.alone
            .unwrap_or_else(|| message(&open.role, "content", open.blocks))
    });
    written.collect()
}
