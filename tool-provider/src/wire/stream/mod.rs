//! Responses that come in pieces. Put together, each is the text of the whole response, so calls and
//! messages are read as without streaming.

pub(super) mod blocks;
pub(super) mod tree;
pub(super) mod word_keys;

use std::collections::VecDeque;
use std::fmt;

use self::tree::Tree;
use super::call::{RawCall, ReadCall, with_made};
use super::hosted::{HostedCall, HostedCalls, HostedPart};
use super::read::{Members, is_json};
use super::{Wire, WireError};
use crate::call::{Bytes, ToolCall};
use crate::dialect::Renames;

/// Puts a streamed response together.
///
/// It takes the provider's stream line by line ([`push`](Self::push)) or as bytes of any length
/// ([`push_bytes`](Self::push_bytes)), and returns the whole response at the end: the text that
/// the provider would have sent unstreamed, as far as calls and the next request's messages go.
///
/// ```
/// use toolwright::{Encoder, Wire};
///
/// let mut stream = Wire::OpenAiChat.accumulator();
/// for line in [
///     r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":""}}]}}]}"#,
///     r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]}}]}"#,
///     r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]}"#,
///     r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
///     "data: [DONE]",
/// ] {
///     stream.push(line).unwrap();
/// }
/// let streamed = stream.finish().unwrap();
/// assert!(streamed.ended);
/// let calls = Wire::OpenAiChat.calls(&streamed.response).unwrap();
/// assert_eq!(&*calls[0].arguments, r#"{"a":1}"#);
/// ```
///
/// `Debug` does not show the received text, which contains the arguments of calls.
pub struct Accumulator {
    wire: Wire,
    state: Box<dyn Assemble>,
    line: Vec<u8>,
    begun: bool,
    ended: bool,
    renames: Renames,
    /// Events and errors that were not returned yet.
    news: VecDeque<Result<StreamEvent, WireError>>,
}

impl fmt::Debug for Accumulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Accumulator")
            .field("wire", &self.wire)
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}

/// Events of a stream that somebody may want to see at once.
///
/// A call's place is its number among the calls of this response, by the order in which they began.
///
/// `Debug` shows how long a piece of arguments is, as that of a [`ToolCall`] does.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamEvent {
    /// The response starts again, since a proxy retried: earlier events do not count.
    Restart,
    /// Words of the model's answer.
    Text(String),
    /// A call began: of this tool.
    Call {
        /// Its place.
        place: usize,
        /// The tool's name.
        name: String,
    },
    /// A piece of a call's arguments.
    Arguments {
        /// The call's place.
        place: usize,
        /// The piece.
        text: String,
    },
    /// A call of the provider's own tool, or its result. The last event of each place equals the entry of
    /// [`Completion::hosted`](super::Completion::hosted).
    Hosted {
        /// Number of the call among those of the provider's own tools.
        place: usize,
        /// The call, as far as it has come.
        call: HostedCall,
    },
}

impl fmt::Debug for StreamEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Restart => f.write_str("Restart"),
            Self::Text(text) => f.debug_tuple("Text").field(text).finish(),
            Self::Call { place, name } => f
                .debug_struct("Call")
                .field("place", place)
                .field("name", name)
                .finish(),
            Self::Arguments { place, text } => f
                .debug_struct("Arguments")
                .field("place", place)
                .field("text", &Bytes(text))
                .finish(),
            Self::Hosted { place, call } => f
                .debug_struct("Hosted")
                .field("place", place)
                .field("call", call)
                .finish(),
        }
    }
}

/// A response that was streamed. `Debug` shows how long it is, since it holds the arguments of calls.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Streamed {
    /// The whole response, for [`Wire::calls`] and [`Wire::turn`]. Calls that broke off are not in
    /// it.
    pub response: String,
    /// True if the provider said that this is all.
    pub ended: bool,
    /// The calls that broke off with the stream, as far as they came.
    pub unfinished: Vec<ToolCall>,
}

impl fmt::Debug for Streamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streamed")
            .field("response", &Bytes(&self.response))
            .field("ended", &self.ended)
            .field("unfinished", &self.unfinished)
            .finish()
    }
}

/// The id of a response whose events all have it.
#[derive(Debug, Default)]
pub(super) struct ResponseId {
    id: String,
    /// Number of events in a row that had it.
    seen: u32,
}

impl ResponseId {
    /// Takes the id of the next event. Returns true if another response begins with it: there is an id, the last one was
    /// repeated, and this is another. Imitators give every event an id of its own.
    pub(super) fn changes(&mut self, id: String) -> bool {
        if id.is_empty() {
            return false;
        }
        if self.id == id {
            self.seen = self.seen.saturating_add(1);
            return false;
        }
        let was_repeated = self.seen > 1;
        *self = Self { id, seen: 1 };
        was_repeated
    }
}

/// `stream.rs` of a provider: a response that comes in pieces.
pub(super) trait Assemble: fmt::Debug + Send + Sync {
    /// Takes one event. Unknown events are ignored.
    fn event(&mut self, json: &str, sink: &mut DeltaSink) -> Result<(), WireError>;

    /// Puts the response together, and the calls that broke off: there are none if the response
    /// `ended`.
    fn finish(self: Box<Self>, ended: bool) -> (Tree, Vec<ToolCall>);
}

/// Collects what events bring.
#[derive(Debug, Default)]
pub(super) struct DeltaSink {
    events: Vec<StreamEvent>,
    /// The provider said that nothing more comes.
    pub(super) ended: bool,
    restarted: bool,
}

impl DeltaSink {
    /// Number of events.
    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// The response starts again.
    pub(super) fn restart(&mut self) {
        self.restarted = true;
        self.events.push(StreamEvent::Restart);
    }

    /// Words of the answer.
    pub(super) fn words(&mut self, text: Option<String>) {
        self.events.extend(text.map(StreamEvent::Text));
    }

    /// A call begins.
    pub(super) fn call(&mut self, place: usize, name: impl Into<String>) {
        let name = name.into();
        self.events.push(StreamEvent::Call { place, name });
    }

    /// A piece of a call's arguments.
    pub(super) fn arguments(&mut self, place: usize, text: Option<String>) {
        let text = text.filter(|text| !text.is_empty());
        let event = text.map(|text| StreamEvent::Arguments { place, text });
        self.events.extend(event);
    }

    /// A part of a call of the provider's own tool.
    pub(super) fn hosted(&mut self, calls: &mut HostedCalls, part: Option<HostedPart>) {
        if let Some((place, call)) = part.and_then(|part| calls.add(part)) {
            let call = call.clone();
            self.events.push(StreamEvent::Hosted { place, call });
        }
    }

    /// The calls of the provider's own tools, of which some are new or say more.
    pub(super) fn all_hosted(&mut self, known: &mut HostedCalls, calls: Vec<HostedCall>) {
        for (place, call) in calls.into_iter().enumerate() {
            if known.put(place, call.clone()) {
                self.events.push(StreamEvent::Hosted { place, call });
            }
        }
    }

    /// A call that comes whole.
    pub(super) fn whole_call(&mut self, place: usize, call: &RawCall<'_>) {
        self.call(place, call.name());
        self.arguments(place, Some(call.arguments().into_owned()));
    }
}

impl Accumulator {
    /// For a stream of this wire.
    pub fn new(wire: Wire) -> Self {
        Self {
            wire,
            state: wire.stream(),
            line: Vec::new(),
            begun: false,
            ended: false,
            renames: Renames::default(),
            news: VecDeque::new(),
        }
    }

    /// Tells each call by its tool's own name.
    pub(crate) fn with_renames(self, renames: Renames) -> Self {
        Self { renames, ..self }
    }

    /// The stream's wire.
    pub fn wire(&self) -> Wire {
        self.wire
    }

    /// Takes one event: its JSON, or lines of server-sent events around it. Empty lines, comments
    /// that keep the connection alive, `[DONE]` and events of unknown types pass. A Bedrock event is an object with one
    /// key, its type: an SDK decodes AWS's binary format to it. Ask Gemini for `alt=sse`: its other form is one array for
    /// the whole stream.
    ///
    /// # Errors
    /// When a line is not JSON, or the provider reports an error. Events before an error are returned first, and the next
    /// call returns the error. Later events are still accepted.
    pub fn push(&mut self, event: &str) -> Result<Vec<StreamEvent>, WireError> {
        if event.trim_start().starts_with('{') && is_json(event) {
            // One event over several lines, which no provider sends and people write.
            self.data(event);
        } else {
            for line in event.split(is_end_of_line) {
                self.line(line);
            }
        }
        self.report()
    }

    /// Takes bytes as they come from the network, cut wherever.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Result<Vec<StreamEvent>, WireError> {
        // Of a `\r\n` the second ends an empty line, which says nothing.
        let mut pieces = bytes.split(|byte| is_end_of_line(char::from(*byte)));
        let last = pieces.next_back().unwrap_or_default();
        for piece in pieces {
            self.line.extend_from_slice(piece);
            let line = std::mem::take(&mut self.line);
            self.line(&String::from_utf8_lossy(&line));
        }
        self.line.extend_from_slice(last);
        self.report()
    }

    /// Returns the events up to the next error, or the error if it is next.
    fn report(&mut self) -> Result<Vec<StreamEvent>, WireError> {
        if let Some(Err(_)) = self.news.front()
            && let Some(Err(error)) = self.news.pop_front()
        {
            return Err(error);
        }
        let mut events = Vec::new();
        while let Some(Ok(_)) = self.news.front() {
            events.extend(self.news.pop_front().and_then(Result::ok));
        }
        Ok(events)
    }

    /// Puts the response together.
    ///
    /// # Errors
    /// When nothing came that begins a response, or the provider's report of an error was not returned yet.
    pub fn finish(mut self) -> Result<Streamed, WireError> {
        let rest = std::mem::take(&mut self.line);
        // The last line may lack its end, or have broken off.
        self.line(&String::from_utf8_lossy(&rest));
        let mut errors = self.news.into_iter().filter_map(Result::err);
        if let Some(error) = errors.find(WireError::is_reported) {
            return Err(error);
        }
        if self.begun {
            let (response, mut unfinished) = self.state.finish(self.ended);
            for call in &mut unfinished {
                self.renames.restore(&mut call.name);
            }
            Ok(Streamed {
                response: response.json(),
                ended: self.ended,
                unfinished,
            })
        } else {
            Err(WireError::new("the stream ended before a response began"))
        }
    }

    fn line(&mut self, line: &str) {
        // A stream may begin with a mark of its byte order.
        let start = if self.begun { "" } else { "\u{feff}" };
        let line = line.strip_prefix(start).unwrap_or(line).trim();
        let data = match line.split_once(':') {
            Some(("data", data)) => data.trim_start(),
            Some(("" | "event" | "id" | "retry", _)) => return,
            _ => line,
        };
        match data {
            "" => {}
            "[DONE]" => self.ended = true,
            json => self.data(json),
        }
    }

    fn data(&mut self, json: &str) {
        let mut sink = DeltaSink::default();
        let outcome = self.state.event(json, &mut sink);
        self.ended = sink.ended || (self.ended && !sink.restarted);
        for event in &mut sink.events {
            if let StreamEvent::Call { name, .. } = event
                && let Some(own) = self.renames.from_provider(name)
            {
                own.clone_into(name);
            }
        }
        self.news.extend(sink.events.into_iter().map(Ok));
        match outcome {
            Ok(()) => self.begun = true,
            Err(error) => self.news.push_back(Err(error)),
        }
    }
}

/// Server-sent events have three ends of a line: `\r\n`, `\n` and `\r`.
fn is_end_of_line(char: char) -> bool {
    matches!(char, '\n' | '\r')
}

/// A call that broke off, as far as it came.
pub(super) fn unfinished(json: &str, call: ReadCall) -> Option<ToolCall> {
    let call = call(&Members::read(json).ok()?)?;
    let ids = with_made(&[call.given_id()]);
    ids.into_iter().next().map(|id| call.under(id))
}
