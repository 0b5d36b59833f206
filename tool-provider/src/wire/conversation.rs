//! A conversation as the messages of a request.

use std::collections::HashSet;
use std::fmt;

use super::loading::{Echoed, Loads, WriteLoading, is_search, references};
use super::read::{Members, elements, text};
use super::{JsonText, Wire, WireError, WriteRequest};
use crate::call::{Bytes, Encoder, Outcome, ToolCall, ToolResult};
use toolwright_json::{ObjectWriter, list};
use toolwright_schema::text::ShortStr;

/// One thing that was said in a conversation, for [`Wire::conversation`].
///
/// `Debug` leaves out the texts of [`Echo`](Self::Echo), which hold the arguments of calls.
#[derive(Clone, Copy)]
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
    /// Deferred tools that are loaded from here on, by their names. Only [`Definitions::conversation`] writes them, where
    /// the provider has a form for it.
    ///
    /// [`Definitions::conversation`]: crate::definitions::Definitions::conversation
    Loaded(&'a [ShortStr]),
}

impl fmt::Debug for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(text) => f.debug_tuple("User").field(text).finish(),
            Self::Assistant { text, calls } => f
                .debug_struct("Assistant")
                .field("text", text)
                .field("calls", calls)
                .finish(),
            Self::Echo(messages) => f.debug_tuple("Echo").field(&Bytes::all(messages)).finish(),
            Self::Results(results) => f.debug_tuple("Results").field(results).finish(),
            Self::Late(result) => f.debug_tuple("Late").field(result).finish(),
            Self::Loaded(names) => f.debug_tuple("Loaded").field(names).finish(),
        }
    }
}

impl Wire {
    /// A conversation as members of a request's body: the text of an object, which has the messages
    /// and, where the provider has a place of its own for it, the system prompt.
    ///
    /// If the provider requires alternating roles, consecutive messages of one role become one
    /// message. Empty messages that it would refuse are left out. If it takes only objects as arguments,
    /// other arguments become one, as in [`turn`](Self::turn).
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
        self.conversation_with(system, said, encoder, None)
    }

    /// Writes a conversation in which tools are loaded in the wire's own form.
    pub(crate) fn conversation_with(
        self,
        system: Option<&str>,
        said: &[Message<'_>],
        encoder: Encoder,
        loads: Option<&dyn Loads>,
    ) -> Result<JsonText<'static>, WireError> {
        let provider = self.provider();
        let mut writer = Writer {
            provider,
            encoder,
            loads,
            messages: Vec::new(),
            async_calls: HashSet::new(),
            open: HashSet::new(),
            searches: HashSet::new(),
            loaded: HashSet::new(),
        };
        for one in said {
            writer.write(one);
        }
        let members = provider.conversation(system, writer.messages);
        members
            .map(JsonText::new)
            .ok_or_else(|| WireError::new("MCP has no conversations to write"))
    }
}

/// Messages of a conversation that is being written, and their state for later messages.
struct Writer<'a> {
    provider: &'static dyn WriteRequest,
    encoder: Encoder,
    loads: Option<&'a dyn Loads>,
    messages: Vec<String>,
    async_calls: HashSet<String>,
    open: HashSet<&'a str>,
    /// Ids of calls that are a search in the wire's own form.
    searches: HashSet<String>,
    /// Deferred tools that the messages load.
    loaded: HashSet<String>,
}

impl<'a> Writer<'a> {
    fn write(&mut self, one: &Message<'a>) {
        match *one {
            Message::User(text) => self.messages.extend(self.provider.user(text)),
            Message::Assistant { text, calls } => {
                self.load(calls.iter().map(|call| &*call.name));
                if self.loads.is_some() && !self.refers_anywhere() {
                    let searches = calls.iter().filter(|call| is_search(call));
                    self.searches
                        .extend(searches.map(|call| call.id.to_string()));
                }
                let said = self.provider.assistant(text, calls, self.loads);
                self.messages.extend(said);
            }
            Message::Echo(native) => {
                let Echoed {
                    async_calls,
                    searches,
                    loaded,
                } = self.echoed(native);
                self.async_calls.extend(async_calls);
                self.searches.extend(searches);
                self.loaded.extend(loaded);
                self.messages.extend_from_slice(native);
            }
            Message::Loaded(names) => self.load(names.iter().map(|name| &**name)),
            Message::Results(results) => self.results(results),
            // A call has one output: what else has its id is of another call, which is not in the request.
            Message::Late(result) if self.open.remove(&*result.id) => {
                self.answers(std::slice::from_ref(result));
            }
            Message::Late(result) => {
                let words = late(result, self.encoder);
                self.messages.extend(self.provider.user(&words));
            }
        }
    }

    fn results(&mut self, results: &'a [ToolResult]) {
        let (async_calls, open) = (&self.async_calls, &mut self.open);
        let is_open = |result: &&ToolResult| {
            matches!(result.outcome, Ok(Outcome::Open { .. })) && async_calls.contains(&*result.id)
        };
        open.extend(results.iter().filter(is_open).map(|result| &*result.id));
        let answered = results.iter().filter(|result| !is_open(result));
        let is_found = |result: &ToolResult| self.is_found(result);
        if results
            .iter()
            .any(|result| is_open(&result) || is_found(result))
        {
            let answered: Vec<&ToolResult> = answered.collect();
            for result in answered {
                if self.is_found(result) {
                    self.found(result);
                } else {
                    self.answers(std::slice::from_ref(result));
                }
            }
        } else {
            self.answers(results);
        }
    }

    fn answers(&mut self, results: &[ToolResult]) {
        let answers = self.provider.results(results, self.encoder);
        self.messages.extend(answers);
    }

    fn echoed(&self, native: &[String]) -> Echoed {
        // References alone are of no interest where nothing is loaded in this form.
        if self.loads.is_none() && self.refers_anywhere() {
            return Echoed::default();
        }
        self.provider.echoed(native)
    }

    fn refers_anywhere(&self) -> bool {
        let form = self.provider.loading();
        form.is_some_and(WriteLoading::refers_anywhere)
    }

    /// Returns true if the answer loads tools in the wire's own form.
    fn is_found(&self, result: &ToolResult) -> bool {
        self.searches.contains(&*result.id)
            || (self.loads.is_some()
                && self.refers_anywhere()
                && references(result).next().is_some())
    }

    fn found(&mut self, result: &ToolResult) {
        let (Some(form), loads) = (self.provider.loading(), self.loads) else {
            return;
        };
        let names = references(result);
        let tools = names.filter_map(|name| loads?.loadable(name));
        let tools: Vec<_> = tools.collect();
        self.loaded
            .extend(tools.iter().map(|tool| tool.name.to_owned()));
        self.messages
            .extend(form.found(result, &tools, self.encoder));
    }

    /// Loads deferred tools without a search in this conversation.
    fn load<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        let (Some(form), Some(loads)) = (self.provider.loading(), self.loads) else {
            return;
        };
        let tools = names.filter_map(|name| loads.loadable(name));
        let mut tools: Vec<_> = tools.collect();
        tools.retain(|tool| self.loaded.insert(tool.name.to_owned()));
        if !tools.is_empty() {
            let messages = form.load(self.loaded.len(), &tools);
            self.messages.extend(messages);
        }
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

/// Words in front of the pictures and the sound of a result that stand behind it.
pub(super) fn media_of(result: &ToolResult) -> String {
    let (id, name) = (&result.id, &result.name);
    format!("Media of the result of the call `{id}` of `{name}`:")
}

/// A message of this role, whose parts stand under `key`.
pub(super) fn message(role: &str, key: &str, parts: impl IntoIterator<Item = String>) -> String {
    let message = ObjectWriter::new().text("role", role);
    message.json(key, &list(parts)).end()
}

/// Returns the message without the parts that its provider sends and refuses to read again; `None` if it says nothing
/// then. The parts stand under `key`.
pub(super) fn readable(
    message: String,
    key: &str,
    refuses: fn(&Members<'_>) -> bool,
) -> Option<String> {
    let members = Members::read(&message).unwrap_or_default();
    let content = members.get(key);
    if let Some(words) = content.and_then(|content| text(content.get())) {
        let says_something = !words.trim().is_empty();
        return says_something.then_some(message);
    }
    let parts = elements(content);
    let kept = parts
        .iter()
        .filter(|part| !refuses(&Members::of(Some(part))));
    let kept: Vec<_> = kept.map(|part| part.get().to_owned()).collect();
    if kept.is_empty() {
        return None;
    }
    if kept.len() == parts.len() {
        return Some(message);
    }
    members.with(&[(key, Some(list(kept)))])
}

/// Messages of alternating roles: consecutive messages of one role are merged. A single message stays unchanged, except
/// for parts that are [refused](readable). `block` writes words as a block.
pub(super) fn alternating(
    messages: Vec<String>,
    block: fn(&str) -> String,
    refuses: fn(&Members<'_>) -> bool,
) -> Vec<String> {
    struct Open {
        role: String,
        /// The message itself, while it is one.
        alone: Option<String>,
        blocks: Vec<String>,
    }
    let mut all: Vec<Open> = Vec::new();
    let messages = messages.into_iter();
    for message in messages.filter_map(|message| readable(message, "content", refuses)) {
        let members = Members::read(&message).unwrap_or_default();
        let role = members.words("role");
        let content = members.get("content");
        let blocks = match content.and_then(|content| text(content.get())) {
            Some(words) => vec![block(&words)],
            None => {
                let blocks = elements(content);
                blocks.iter().map(|block| block.get().to_owned()).collect()
            }
        };
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
