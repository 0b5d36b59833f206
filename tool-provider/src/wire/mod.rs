//! Providers' wire formats, as pure text: no network, no clock.
//!
//! Each provider is a folder. A new one has
//!
//! | file | contents |
//! | --- | --- |
//! | `mod.rs` | the sources of the format, and the type that writes it |
//! | `request.rs` | `impl WriteRequest`: definitions, tool choice, messages, answers |
//! | `response.rs` | `Response`, with `read` and `impl ReadResponse`: one pass over the text, and all that is asked of it. `call` finds the call that an element of a response is |
//! | `stream.rs` | `Stream`, with `impl Assemble`: from pieces to the text of a whole response, which `Response` reads |
//!
//! It is named by a variant of [`Wire`], in `Wire::provider`, `Wire::read`, `Wire::stream` and
//! [`Wire::detect`].
//!
//! Shared modules are beside the folders: `read` (members of objects, as written in the text),
//! `call` (lists of calls, their ids, their echo), `hosted` (calls that the provider runs), `media` (types of pictures and sound),
//! `extras` (keys that a user adds) and `stream`.

mod answer_form;
mod anthropic;
mod bedrock;
mod call;
mod choice;
mod completion;
mod conversation;
mod error;
mod extras;
mod gemini;
mod hosted;
mod json_text;
mod loading;
mod mcp;
mod media;
mod ollama;
mod openai;
mod read;
mod responses;
mod stream;
mod tool_declaration;

use toolwright_json::list;

use self::answer_form::AnswerSchema;
use self::call::answered_ids;
use self::loading::{Echoed, WriteLoading};
use self::read::Members;
use self::stream::Assemble;
use crate::call::{Encoder, ToolCall, ToolDef, ToolResult};
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::text::ShortStr;

pub(crate) use self::loading::{Loadable, Loads};
pub(crate) use self::tool_declaration::ToolDeclaration;

pub use self::answer_form::AnswerForm;
pub use self::choice::{Parallel, ToolChoice, ToolChoiceError};
pub use self::completion::{Completion, FinishReason, Usage};
pub use self::conversation::Message;
pub use self::error::WireError;
pub use self::extras::ExtrasError;
pub use self::hosted::HostedCall;
pub use self::json_text::JsonText;
pub use self::loading::{Loading, Namespace, SEARCH_TOOLS};
#[doc(hidden)]
pub use self::mcp::request::mcp_output;
#[doc(hidden)]
pub use self::responses::MCP_APPROVAL;
pub use self::stream::{Accumulator, StreamEvent, Streamed};

/// A provider's format: how tools are declared, how calls come and how answers go.
///
/// | wire | where [`definitions`](Self::definitions) go | where [`tool_choice`](Self::tool_choice) goes | where [`turn`](Self::turn) goes |
/// | --- | --- | --- | --- |
/// | `OpenAiChat` | `tools` | `tool_choice` | `messages` |
/// | `OpenAiResponses` | `tools` | `tool_choice` | `input` |
/// | `Anthropic` | `tools` | `tool_choice` | `messages` |
/// | `Gemini` | `tools` | `toolConfig` | `contents` |
/// | `Ollama` | `tools` | has none | `messages` |
/// | `BedrockConverse` | `toolConfig.tools` | `toolConfig.toolChoice` | `messages` |
/// | `Mcp`, `Mcp2026` | `tools` of the result of `tools/list` | has none | the answer to the client |
///
/// A model that MCP serves is on the other side: its "response" is the client's `tools/call`.
///
/// ```
/// use toolwright::{Context, Encoder, Wire, tool, tools};
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let tools = tools![add];
/// let request = format!(r#"{{"model": "gpt-5", "tools": {}}}"#, Wire::OpenAiChat.definitions(&tools));
/// assert!(request.contains(r#""name":"add""#));
///
/// let response = r#"{"choices": [{"message": {"role": "assistant", "tool_calls": [
///     {"id": "call_1", "type": "function", "function": {"name": "add", "arguments": "{\"a\": 1, \"b\": 2}"}}
/// ]}}]}"#;
/// let call = &Wire::OpenAiChat.calls(response).unwrap()[0];
/// let result = tools.call_blocking(call, &Context::new());
/// let turn = Wire::OpenAiChat.turn(response, &[result], Encoder::auto()).unwrap();
/// assert!(turn.contains(r#""content":"3""#)); // the assistant's message, and the answer
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Wire {
    /// `OpenAI`'s Chat Completions, and the many endpoints that speak it.
    OpenAiChat,
    /// `OpenAI`'s Responses.
    OpenAiResponses,
    /// Anthropic's Messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
    /// Ollama's `/api/chat`.
    Ollama,
    /// Amazon Bedrock's Converse.
    BedrockConverse,
    /// The Model Context Protocol up to 2025-11-25, as its server.
    Mcp,
    /// The Model Context Protocol of 2026-07-28, as its server: structured content of any type.
    Mcp2026,
}

/// `request.rs`: writes a request. [`Wire`] documents the methods.
trait WriteRequest: Sync {
    fn definition(&self, tool: &ToolDeclaration<'_>) -> String;

    /// The value of `tools`, of which `list` is the text of an array of all definitions.
    fn definitions(&self, list: String) -> String {
        list
    }

    fn parse_definition(&self, text: &str) -> Result<ToolDef, WireError>;

    /// The choice's value; `None` where the wire cannot express it.
    fn tool_choice(&self, choice: &ToolChoice, parallel: Parallel) -> Option<String>;

    /// The members of a request's body that say all this.
    fn request(&self, definitions: &str, choice: Option<&str>, parallel: Parallel) -> String;

    /// A person's words as a message, if the provider takes them.
    fn user(&self, text: &str) -> Option<String>;

    /// The model's words and calls as messages, where its own are not at hand.
    fn assistant(&self, text: &str, calls: &[ToolCall], loads: Option<&dyn Loads>) -> Vec<String>;

    fn results(&self, results: &[ToolResult], encoder: Encoder) -> Vec<String>;

    /// A response with these messages of the model, which were read from one.
    fn response_of(&self, native: &[String]) -> String;

    /// Parts of the model's own messages, beside text.
    fn echoed(&self, _: &[String]) -> Echoed {
        Echoed::default()
    }

    /// The wire's own form for deferred tools, if it has one.
    fn loading(&self) -> Option<&dyn WriteLoading> {
        None
    }

    /// The members of a request's body that have the conversation; `None` where there is none.
    fn conversation(&self, system: Option<&str>, messages: Vec<String>) -> Option<String>;

    /// The members of a request's body that ask for an answer of this form; `None` where the wire
    /// cannot express it.
    fn answer_form(&self, form: &AnswerSchema<'_>) -> Option<String>;
}

/// `response.rs`: a response that was read, and all that is asked of it.
trait ReadResponse {
    fn calls(&self) -> Vec<ToolCall>;

    /// The messages that the next request repeats. The calls have these ids, or those of [`calls`](Self::calls).
    fn messages(&self, ids: Option<&[ShortStr]>) -> Vec<String>;

    /// All messages that the next request gains: `answers` are the `results` as
    /// [`WriteRequest::results`] wrote them.
    fn turn(&self, results: &[ToolResult], answers: Vec<String>) -> Vec<String> {
        let ids = answered_ids(&self.calls(), results);
        let mut messages = self.messages(Some(&ids));
        messages.extend(answers);
        messages
    }

    fn text(&self) -> String;

    fn stop(&self) -> Option<FinishReason>;

    fn usage(&self) -> Option<Usage>;

    /// Calls of the provider's own tools.
    fn hosted(&self) -> Vec<HostedCall> {
        Vec::new()
    }

    /// The tools that the provider's search has loaded, by the names that it knows.
    fn loaded(&self) -> Vec<String> {
        Vec::new()
    }

    /// The failure that the response reports, where it can be read all the same.
    fn failure(&self) -> Option<WireError> {
        None
    }
}

impl Wire {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
        Self::BedrockConverse,
        Self::Mcp,
        Self::Mcp2026,
    ];

    /// Writes requests.
    fn provider(self) -> &'static dyn WriteRequest {
        match self {
            Self::OpenAiChat => &openai::OpenAiChat,
            Self::OpenAiResponses => &responses::OpenAiResponses,
            Self::Anthropic => &anthropic::Anthropic,
            Self::Gemini => &gemini::Gemini,
            Self::Ollama => &ollama::Ollama,
            Self::BedrockConverse => &bedrock::BedrockConverse,
            Self::Mcp => &mcp::Mcp::UP_TO_2025,
            Self::Mcp2026 => &mcp::Mcp::OF_2026,
        }
    }

    /// Reads a whole response, once. A body that is a provider's report of an error, whatever its status, is that error.
    fn read(self, response: &str) -> Result<Box<dyn ReadResponse + '_>, WireError> {
        let read = self.read_response(response);
        read.map_err(|error| WireError::of_body(response).unwrap_or(error))
    }

    fn read_response(self, response: &str) -> Result<Box<dyn ReadResponse + '_>, WireError> {
        Ok(match self {
            Self::OpenAiChat => Box::new(openai::response::Response::read(response)?),
            Self::OpenAiResponses => Box::new(responses::response::Response::read(response)?),
            Self::Anthropic => Box::new(anthropic::response::Response::read(response)?),
            Self::Gemini => Box::new(gemini::response::Response::read(response)?),
            Self::Ollama => Box::new(ollama::response::Response::read(response)?),
            Self::BedrockConverse => Box::new(bedrock::response::Response::read(response)?),
            Self::Mcp | Self::Mcp2026 => Box::new(mcp::response::Response::read(response)?),
        })
    }

    /// Reads a response that comes in pieces.
    fn stream(self) -> Box<dyn Assemble> {
        match self {
            Self::OpenAiChat => Box::<openai::stream::Stream>::default(),
            Self::OpenAiResponses => Box::<responses::stream::Stream>::default(),
            Self::Anthropic => Box::<anthropic::stream::Stream>::default(),
            Self::Gemini => Box::<gemini::stream::Stream>::default(),
            Self::Ollama => Box::<ollama::stream::Stream>::default(),
            Self::BedrockConverse => Box::<bedrock::stream::Stream>::default(),
            Self::Mcp | Self::Mcp2026 => Box::<mcp::stream::Stream>::default(),
        }
    }

    /// The wire that a response was written in, as far as it shows.
    pub fn detect(response: &str) -> Option<Self> {
        let members = Members::read(response).ok()?;
        let find = |key: &str| members.all(key).find(|value| value.get() != "null");
        let has = |key: &str| find(key).is_some();
        let output = find("output").and_then(|value| value.get().chars().next());
        Some(match output {
            _ if has("choices") => Self::OpenAiChat,
            _ if has("candidates") => Self::Gemini,
            _ if has("jsonrpc") => Self::Mcp,
            Some('[') => Self::OpenAiResponses,
            Some('{') => Self::BedrockConverse,
            _ if has("content") => Self::Anthropic,
            _ if has("message") && !ollama::response::is_cohere(&members) => Self::Ollama,
            _ => return None,
        })
    }

    /// One tool of a request's `tools` array. Of Gemini's, one of its `functionDeclarations`.
    pub fn definition(self, def: &ToolDef) -> JsonText<'static> {
        JsonText::new(self.write_tool(&ToolDeclaration::plain(self, def)))
    }

    /// Reads one tool of a request's `tools` array back, as far as the form has its parts.
    ///
    /// # Errors
    /// When the text is not of this form.
    pub fn parse_definition(self, definition: &str) -> Result<ToolDef, WireError> {
        self.provider().parse_definition(definition)
    }

    /// The calls of a response, in order; none if the model made none.
    ///
    /// Arguments stay text. Whatever is wrong with one call shows when it is answered: a call
    /// without a name is a call of an unknown tool, and arguments that are not JSON are refused with
    /// the place where they break. A call without an id gets `call_0`, `call_1` and so on, by its
    /// place, and so does one whose id a call before it has: providers refuse a request with two calls of one
    /// id. Both run, and each is answered under its own.
    ///
    /// # Errors
    /// When the response itself is not JSON or of another form.
    pub fn calls(self, response: &str) -> Result<Vec<ToolCall>, WireError> {
        Ok(self.read(response)?.calls())
    }

    /// The answers as messages for the next request: the text of an array, to be appended to
    /// `messages` behind the assistant's message. For MCP, the `result` of each call, whose `_meta` has under
    /// `toolwright/repairs` how its arguments were repaired, if they were: a list of
    /// `{"path", "kind", "from", "to"}`, as in `Repair`.
    ///
    /// `encoder` writes text; blocks of content stay blocks if the provider has them.
    /// Elsewhere the model reads their text: of JSON the JSON, of a document its words, of a resource where it lies, of
    /// pictures and sound their type. So it does for media of a type that the provider refuses.
    ///
    /// | wire | pictures | sound | documents, resources |
    /// | --- | --- | --- | --- |
    /// | `Anthropic`, `OpenAiResponses`, `BedrockConverse` | in the result: PNG, JPEG, GIF, WebP | text | text |
    /// | `Ollama` | beside the result: PNG, JPEG, WebP | text | text |
    /// | `Gemini` | in the result: PNG, JPEG, WebP; [behind it](Encoder::pictures_after) for Gemini 2.5 and earlier: HEIC and HEIF, too | behind the results: WAV, MP3, AIFF, AAC, OGG, FLAC | text |
    /// | `OpenAiChat` | text; on demand [behind the results](Encoder::pictures_after): PNG, JPEG, GIF, WebP | text | text |
    /// | `Mcp`, `Mcp2026` | in the result | in the result | in the result |
    pub fn results(self, results: &[ToolResult], encoder: Encoder) -> JsonText<'static> {
        JsonText::new(list(self.provider().results(results, encoder)))
    }

    /// Returns the messages that the next request gains by this response, as the text of an array. They are
    /// the assistant's message and the answers to its calls; for MCP, the responses to the client's
    /// requests. Providers refuse a turn in which an answer is missing: for calls that waited, see
    /// `Pending`.
    ///
    /// The model's own message stays unchanged, byte by byte, with these exceptions. A call without an id,
    /// or with that of a call before it, is given the one that [`calls`](Self::calls) made, so that the
    /// provider finds the call that is answered; a call that is not an object becomes one. A call whose result has another id, since
    /// the host gave it one that is unique in its conversation, gets that. If the provider takes
    /// only objects as arguments, other arguments become one: `{"INVALID_JSON": "…"}`. Blocks that the provider sends and refuses to read
    /// again, such as text of white space, are left out.
    ///
    /// # Errors
    /// When the response itself is not JSON or of another form.
    pub fn turn(
        self,
        response: &str,
        results: &[ToolResult],
        encoder: Encoder,
    ) -> Result<JsonText<'static>, WireError> {
        let response = self.read(response)?;
        let answers = self.provider().results(results, encoder);
        Ok(JsonText::new(list(response.turn(results, answers))))
    }

    /// Returns a model's own messages with other ids of their calls, in order, and all else as it was; `None` if they have
    /// another number of calls.
    #[doc(hidden)]
    pub fn with_ids(self, native: &[String], ids: &[ShortStr]) -> Option<Vec<String>> {
        let response = self.provider().response_of(native);
        let response = self.read(&response).ok()?;
        (response.calls().len() == ids.len()).then(|| response.messages(Some(ids)))
    }

    /// Writes one tool of a request's list of tools.
    pub(crate) fn write_tool(self, tool: &ToolDeclaration<'_>) -> String {
        self.provider().definition(tool)
    }

    /// Writes a request's list of tools around the text of an array of them.
    pub(crate) fn write_tools(self, array: String) -> String {
        self.provider().definitions(array)
    }

    /// Returns true if the wire has a form of its own for so many deferred tools.
    pub(crate) fn loads(self, deferred: usize) -> bool {
        let form = self.provider().loading();
        form.is_some_and(|form| deferred <= form.most())
    }

    /// Returns true if the provider would take its own messages back.
    pub(crate) fn takes_back(self, native: &[String], loads: &dyn Loads) -> bool {
        let form = self.provider().loading();
        form.is_none_or(|form| form.takes_back(native, loads))
    }

    /// Returns the name of the provider's own search, which no tool may have.
    pub(crate) fn reserved(self, loading: Loading) -> Option<&'static str> {
        self.provider().loading()?.reserved(loading)
    }

    /// Declares the search of a request and its deferred tools, as far as the request has to hold them, in the wire's own
    /// form.
    pub(crate) fn write_deferred(
        self,
        search: &ToolDeclaration<'_>,
        deferred: &[Loadable<'_>],
        loading: Loading,
    ) -> Vec<String> {
        let Some(form) = self.provider().loading() else {
            return Vec::new();
        };
        let search = if loading.is_hosted() {
            form.hosted(loading)
        } else {
            form.search(search)
        };
        let mut texts = vec![search];
        texts.extend(form.deferred(deferred, loading));
        texts
    }

    /// Writes the choice of a tool; `None` if the provider has no way to say it.
    pub(crate) fn write_choice(self, choice: &ToolChoice, parallel: Parallel) -> Option<String> {
        self.provider().tool_choice(choice, parallel)
    }

    /// Puts a streamed response together again.
    pub fn accumulator(self) -> Accumulator {
        Accumulator::new(self)
    }
}

/// A definition, of which a provider's form has no more than this.
fn read_def(name: String, description: Option<String>, input: Option<SchemaDoc>) -> ToolDef {
    ToolDef {
        input: input.unwrap_or_else(SchemaDoc::empty_object),
        ..ToolDef::new(name, description.unwrap_or_default())
    }
}
