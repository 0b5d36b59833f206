use serde_json::value::RawValue;
use toolwright_json::{ObjectWriter, list};

use super::super::call::{Element, Elements, RawCall, words_if};
use super::super::completion::{FinishReason, Reasons, Usage, UsageKeys};
use super::super::hosted::HostedCall;
use super::super::read::{Members, array, elements};
use super::super::{ReadResponse, WireError};
use super::request::readable;
use crate::call::ToolCall;
use toolwright_schema::text::ShortStr;

/// Source: `CreateChatCompletionResponse` of openai/openai-openapi, `openapi.yaml`, 2026-08. `eos` is Together's,
/// `eos_token` and `stop_sequence` are those of Hugging Face's TGI, `model_length` is Mistral's. `error` is Mistral's and
/// `OpenRouter`'s, `abort` vLLM's, `insufficient_system_resource` `DeepSeek`'s.
const REASONS: &Reasons = &[
    (
        FinishReason::Done,
        &[
            "stop",
            "tool_calls",
            "function_call",
            "eos",
            "eos_token",
            "stop_sequence",
        ],
    ),
    (
        FinishReason::CutOff,
        &["length", "max_tokens", "model_length"],
    ),
    (FinishReason::Filtered, &["content_filter"]),
    (
        FinishReason::Failed(String::new()),
        &["error", "abort", "insufficient_system_resource"],
    ),
];

/// Source: `CompletionUsage` of openai/openai-openapi, `openapi.yaml`, 2026-08. `prompt_cache_hit_tokens` is `DeepSeek`'s;
/// xAI counts thoughts in the total and the details alone.
const COUNTS: UsageKeys = UsageKeys {
    input: &["prompt_tokens"],
    output: &["completion_tokens"],
    total: &["total_tokens"],
    cached: &["cached_tokens", "prompt_cache_hit_tokens"],
    cache_written: &[],
    reasoning: &["reasoning_tokens"],
};

pub(in super::super) struct Response<'t> {
    members: Members<'t>,
    /// The first: a request with tools asks for one choice.
    choice: Members<'t>,
    message: ResponseMessage<'t>,
}

impl<'t> Response<'t> {
    pub(in super::super) fn read(response: &'t str) -> Result<Self, WireError> {
        let wrong = |error| WireError::json("this is not an OpenAI chat response", error);
        let members = Members::read(response).map_err(wrong)?;
        let choices = members.one("choices").and_then(array).map_err(wrong)?;
        let Some(first) = choices.first() else {
            return Err(WireError::new("the OpenAI chat response has no choice"));
        };
        let choice = Members::read(first.get()).map_err(wrong)?;
        let message = match choice.one("message") {
            // Azure leaves it out where its filter stopped the choice.
            Err(_) if choice.says("finish_reason", "content_filter") => ResponseMessage::default(),
            message => ResponseMessage::read(message.map_err(wrong)?)?,
        };
        Ok(Self {
            members,
            choice,
            message,
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

    fn messages(&self, ids: Option<&[ShortStr]>) -> Vec<String> {
        let named = |element: &Element<'_>, call: &RawCall<'_>, id: &str| {
            element.members.with(&[("id", call.new_id(id))])
        };
        let message = self.message.echo(ids, named);
        message.and_then(readable).into_iter().collect()
    }

    fn text(&self) -> String {
        self.message.words() + &self.refusal()
    }

    fn stop(&self) -> Option<FinishReason> {
        if !self.refusal().is_empty() {
            return Some(FinishReason::Refused);
        }
        FinishReason::of(&self.choice.words("finish_reason"), REASONS)
    }

    fn hosted(&self) -> Vec<HostedCall> {
        executed(self.message.members.get(EXECUTED_TOOLS))
    }

    /// Groq's streams have it in `x_groq`, Moonshot's in the choice.
    fn usage(&self) -> Option<Usage> {
        let groq = Members::of(self.members.get("x_groq"));
        let places = [&self.members, &groq, &self.choice];
        let counts = places.into_iter().find_map(|place| place.get("usage"));
        Usage::of(&Members::of(counts), &COUNTS)
    }
}

/// Key of a message under which the calls of Groq's own tools stand.
///
/// Source: `executed_tools` of Groq's API reference, 2026-11.
pub(super) const EXECUTED_TOOLS: &str = "executed_tools";

/// Reads the calls of Groq's own tools.
pub(super) fn executed(tools: Option<&RawValue>) -> Vec<HostedCall> {
    let calls = elements(tools).into_iter().map(|json| {
        let tool = Members::of(Some(json));
        HostedCall {
            kind: EXECUTED_TOOLS.to_owned(),
            name: tool.words("type"),
            call: json.get().to_owned(),
            result: tool.get("output").map(|output| output.get().to_owned()),
            ..HostedCall::default()
        }
    });
    calls.collect()
}

/// A model's message, which Ollama writes like this, too.
#[derive(Default)]
pub(in super::super) struct ResponseMessage<'t> {
    json: Option<&'t RawValue>,
    members: Members<'t>,
    pub(in super::super) calls: Elements<'t>,
}

impl<'t> ResponseMessage<'t> {
    pub(in super::super) fn read(json: &'t RawValue) -> Result<Self, WireError> {
        let wrong = |error| WireError::json("this is not an OpenAI chat message", error);
        let members = Members::read(json.get()).map_err(wrong)?;
        let [calls] = members.each(["tool_calls"]).map_err(wrong)?;
        let calls = calls.map_or_else(|| Ok(Vec::new()), array);
        let calls = Elements::read(calls.map_err(wrong)?, |element| Some(call(element)));
        // Imitators leave the type out.
        let is_unknown = |call: &&Element<'_>| {
            let kind = call.members.words("type");
            call.members.get("function").is_none() && !matches!(&*kind, "" | "function")
        };
        if let Some(call) = calls.iter().find(is_unknown) {
            return Err(WireError::unknown_call(&call.members.words("type")));
        }
        Ok(Self {
            json: Some(json),
            members,
            calls,
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

    /// The message, if there is one, with the calls that `mended` writes.
    pub(in super::super) fn echo(
        &self,
        ids: Option<&[ShortStr]>,
        mended: impl Fn(&Element<'t>, &RawCall<'t>, &str) -> Option<String>,
    ) -> Option<String> {
        let Some(calls) = self.calls.echo(ids, mended).map(list) else {
            return self.json.map(|json| json.get().to_owned());
        };
        let members = self
            .members
            .iter()
            .fold(ObjectWriter::new(), |object, (key, value)| {
                let is_calls = key == "tool_calls";
                object.json(key, if is_calls { &calls } else { value.get() })
            });
        Some(members.end())
    }
}

/// Reads an element of the list as a call, however little of it can be read.
pub(in super::super) fn call<'t>(element: &Members<'t>) -> RawCall<'t> {
    let [id, function] = element.each(["id", "function"]).unwrap_or_default();
    let parts = Members::of(function).each(["name", "arguments"]);
    let [name, arguments] = parts.unwrap_or_default();
    RawCall::of([id, name, arguments])
}
