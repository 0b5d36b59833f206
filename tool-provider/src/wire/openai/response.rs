use serde_json::value::RawValue;
use toolwright_json::{ObjectWriter, list};

use super::super::call::{Element, Elements, RawCall, words_if};
use super::super::completion::{FinishReason, Usage};
use super::super::read::{Members, array, elements};
use super::super::{ReadResponse, WireError};
use super::request::readable;
use crate::call::ToolCall;

pub(in super::super) struct Response<'t> {
    members: Members<'t>,
    /// The first: a request with tools asks for one choice.
    choice: Members<'t>,
    message: ResponseMessage<'t>,
}

impl<'t> Response<'t> {
    pub(in super::super) fn read(response: &'t str) -> Result<Self, WireError> {
        let wrong = |error| WireError::json("this is no OpenAI chat response", error);
        let members = Members::read(response).map_err(wrong)?;
        let choices = members.one("choices").and_then(array).map_err(wrong)?;
        let Some(first) = choices.first() else {
            return Err(WireError::new("the OpenAI chat response has no choice"));
        };
        let choice = Members::read(first.get()).map_err(wrong)?;
        let message = choice.one("message").map_err(wrong)?;
        Ok(Self {
            members,
            choice,
            message: ResponseMessage::read(message)?,
        })
    }

    fn refusal(&self) -> String {
        self.message.members.words("refusal")
    }
}

impl ReadResponse for Response<'_> {
    fn calls(&self) -> Vec<ToolCall> {
        self.message.calls.calls()
    }

    fn messages(&self) -> Vec<String> {
        let named = |element: &Element<'_>, call: &RawCall<'_>, id: &str| {
            element.members.with(&[("id", call.new_id(id))])
        };
        readable(self.message.echo(named)).into_iter().collect()
    }

    fn text(&self) -> String {
        self.message.words() + &self.refusal()
    }

    fn stop(&self) -> Option<FinishReason> {
        if !self.refusal().is_empty() {
            return Some(FinishReason::Refused);
        }
        FinishReason::of(
            &self.choice.words("finish_reason"),
            &["stop", "tool_calls", "function_call"],
            &["length"],
            &["content_filter"],
        )
    }

    fn usage(&self) -> Option<Usage> {
        let counts = Members::of(self.members.get("usage"));
        Usage::sum(&counts, &["prompt_tokens"], &["completion_tokens"])
    }
}

/// A model's message, which Ollama writes like this, too.
pub(in super::super) struct ResponseMessage<'t> {
    json: &'t RawValue,
    members: Members<'t>,
    pub(in super::super) calls: Elements<'t>,
}

impl<'t> ResponseMessage<'t> {
    pub(in super::super) fn read(json: &'t RawValue) -> Result<Self, WireError> {
        let wrong = |error| WireError::json("this is no OpenAI chat message", error);
        let members = Members::read(json.get()).map_err(wrong)?;
        let [calls] = members.each(["tool_calls"]).map_err(wrong)?;
        let calls = calls.map_or_else(|| Ok(Vec::new()), array);
        Ok(Self {
            json,
            members,
            calls: Elements::read(calls.map_err(wrong)?, |element| Some(call(element))),
        })
    }

    /// The words: a string, or parts of which some are text.
    pub(in super::super) fn words(&self) -> String {
        let content = self.members.get("content");
        match content.filter(|content| content.get().starts_with('[')) {
            Some(parts) => {
                let parts = elements(Some(parts)).into_iter();
                let words = parts.map(|part| words_if(&Members::of(Some(part)), "text"));
                words.collect()
            }
            None => self.members.words("content"),
        }
    }

    /// The message, with the calls that `mended` writes.
    pub(in super::super) fn echo(
        &self,
        mended: impl Fn(&Element<'t>, &RawCall<'t>, &str) -> Option<String>,
    ) -> String {
        let Some(calls) = self.calls.echo(mended).map(list) else {
            return self.json.get().to_owned();
        };
        let members = self
            .members
            .iter()
            .fold(ObjectWriter::new(), |object, (key, value)| {
                let is_calls = key == "tool_calls";
                object.json(key, if is_calls { &calls } else { value.get() })
            });
        members.end()
    }
}

/// Reads an element of the list as a call, however little of it can be read.
pub(in super::super) fn call<'t>(element: &Members<'t>) -> RawCall<'t> {
    let [id, function] = element.each(["id", "function"]).unwrap_or_default();
    let parts = Members::of(function).each(["name", "arguments"]);
    let [name, arguments] = parts.unwrap_or_default();
    RawCall::of([id, name, arguments])
}
