use super::super::call::{Element, RawCall, mended};
use super::super::completion::{FinishReason, Reasons, Usage, UsageKeys};
use super::super::openai::response::ResponseMessage;
use super::super::read::Members;
use super::super::{ReadResponse, WireError};
use crate::call::ToolCall;
use toolwright_schema::text::ShortStr;

/// Source: the type `DoneReason` of ollama/ollama, `llm/server.go`, 2026-11.
const REASONS: &Reasons = &[
    (FinishReason::Done, &["stop"]),
    (FinishReason::CutOff, &["length"]),
];

const COUNTS: UsageKeys = UsageKeys {
    input: &["prompt_eval_count"],
    output: &["eval_count"],
    total: &[],
    cached: &[],
    cache_written: &[],
    reasoning: &[],
};

pub(in super::super) struct Response<'t> {
    members: Members<'t>,
    message: ResponseMessage<'t>,
}

impl<'t> Response<'t> {
    pub(in super::super) fn read(response: &'t str) -> Result<Self, WireError> {
        let wrong = |error| WireError::json("this is not an Ollama chat response", error);
        let members = Members::read(response).map_err(wrong)?;
        if is_cohere(&members) {
            return Err(cohere());
        }
        let message = members.one("message").map_err(wrong)?;
        Ok(Self {
            members,
            message: ResponseMessage::read(message)?,
        })
    }
}

impl ReadResponse for Response<'_> {
    fn calls(&self) -> Vec<ToolCall> {
        self.message.calls.calls()
    }

    fn messages(&self, ids: Option<&[ShortStr]>) -> Vec<String> {
        self.message.echo(ids, answerable).into_iter().collect()
    }

    fn text(&self) -> String {
        self.message.words()
    }

    fn stop(&self) -> Option<FinishReason> {
        FinishReason::of(&self.members.words("done_reason"), REASONS)
    }

    fn usage(&self) -> Option<Usage> {
        Usage::of(&self.members, &COUNTS)
    }
}

/// Returns true for a response, or an event of a stream, of Cohere's v2 chat, which has a `message` too.
///
/// Source: "Chat (v2)" of Cohere's API reference, 2026-11.
pub(in super::super) fn is_cohere(members: &Members<'_>) -> bool {
    let has = |key: &str| members.get(key).is_some();
    let is_event = members.says("type", "message-start");
    is_event || (has("message") && has("finish_reason") && !has("done"))
}

pub(super) fn cohere() -> WireError {
    WireError::new("this is a response of Cohere's v2 chat, which no wire reads")
}

/// A call as the server takes it back: its arguments must be an object.
fn answerable(element: &Element<'_>, call: &RawCall<'_>, id: &str) -> Option<String> {
    let function = Members::of(element.members.one("function").ok());
    let function = function.with(&[("arguments", mended(call.arguments))]);
    let changes = [("function", function), ("id", call.new_id(id))];
    element.members.with(&changes)
}
