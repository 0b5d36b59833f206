use std::sync::LazyLock;

use serde_json::value::RawValue;
use toolwright_json::quoted;

use super::super::call::{Element, Elements, RawCall, words_if};
use super::super::completion::{FinishReason, Reasons, Usage, UsageKeys};
use super::super::hosted::{HostedCall, HostedPart, paired};
use super::super::read::{Members, array, elements};
use super::super::{ReadResponse, WireError};
use super::loading::{client_search, loaded};
use crate::call::ToolCall;
use toolwright_schema::text::ShortStr;

/// The status, or the reason of one that is incomplete.
///
/// Source: `Response` of openai/openai-openapi, `openapi.yaml`, 2026-08.
const REASONS: &Reasons = &[
    (FinishReason::Done, &["completed"]),
    (FinishReason::CutOff, &["max_output_tokens"]),
    (FinishReason::Filtered, &["content_filter"]),
    (FinishReason::InProgress, &["queued", "in_progress"]),
    (
        FinishReason::Failed(String::new()),
        &["cancelled", "incomplete"],
    ),
];

/// Source: `ResponseUsage` of openai/openai-openapi, `openapi.yaml`, 2026-08; the total counts xAI's thoughts.
const COUNTS: UsageKeys = UsageKeys {
    input: &["input_tokens"],
    output: &["output_tokens"],
    total: &["total_tokens"],
    cached: &["cached_tokens"],
    cache_written: &[],
    reasoning: &["reasoning_tokens"],
};

pub(in super::super) struct Response<'t> {
    members: Members<'t>,
    items: Elements<'t>,
}

impl<'t> Response<'t> {
    pub(in super::super) fn read(response: &'t str) -> Result<Self, WireError> {
        let wrong = |error| WireError::json("this is not an OpenAI response", error);
        let members = Members::read(response).map_err(wrong)?;
        let items = members.one("output").and_then(array);
        // One that failed need not have any output.
        let items = items.map_err(|error| failure(&members).unwrap_or_else(|| wrong(error)))?;
        let items = Elements::read(items, any_call);
        if let Some(kind) = unknown_call(&items) {
            return Err(WireError::unknown_call(&kind));
        }
        Ok(Self { members, items })
    }

    fn is_refused(&self) -> bool {
        let mut parts = self.items.iter().flat_map(|item| parts(&item.members));
        parts.any(|part| !part.words("refusal").is_empty())
    }
}

/// Source: `OutputItem` of openai/openai-openapi, `openapi.yaml`, 2026-08. A request for an approval is there, too, for what
/// it asks: it is a call of [`MCP_APPROVAL`].
pub(super) fn hosted(json: &RawValue, item: &Members<'_>) -> Option<HostedPart> {
    let of = |key: &str| item.words(key);
    let kind = of("type");
    let id = [of("call_id"), of("id")]
        .into_iter()
        .find(|id| !id.is_empty());
    let id = id.unwrap_or_default();
    if let Some(tool) = kind
        .strip_suffix("_call")
        .filter(|_| any_call(item).is_none())
    {
        let name = Some(of("name")).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| tool.to_owned());
        let HostedPart::Call(call) = HostedPart::call(id, &kind, name, json) else {
            return None;
        };
        let status = of("status");
        return Some(HostedPart::Call(HostedCall { status, ..call }));
    }
    if kind == MCP_APPROVAL {
        return Some(HostedPart::call(id, &kind, of("name"), json));
    }
    kind.ends_with("_call_output").then(|| HostedPart::Result {
        id,
        status: of("status"),
        result: item.get("output").map_or("null", RawValue::get).to_owned(),
    })
}

/// Type of an item by which the provider asks whether it may call a tool of a remote server, and name of the call that it is
/// here. A result that failed, or is `false`, is a refusal.
pub const MCP_APPROVAL: &str = "mcp_approval_request";

/// Returns the type of an item that waits for our answer and is not a function call: it has a `call_id`, and the response has
/// no output of that id. Tools that the provider runs have no `call_id`, or their output in the same response.
///
/// Source: `OutputItem` of openai/openai-openapi, `openapi.yaml`, 2026-08.
fn unknown_call(items: &Elements<'_>) -> Option<String> {
    let kind = |item: &Element<'_>| item.members.words("type");
    let is_answered = |id: &str, output: &str| {
        let same = |item: &Element<'_>| kind(item) == output && item.members.words("call_id") == id;
        items.iter().any(same)
    };
    let unknown = items.iter().find(|item| {
        let (kind, id) = (kind(item), item.members.words("call_id"));
        let waits = !item.is_call() && kind.ends_with("_call") && !id.is_empty();
        waits && !is_answered(&id, &format!("{kind}_output"))
    });
    unknown.map(kind)
}

/// The parts of an item's content.
fn parts<'t>(item: &Members<'t>) -> impl Iterator<Item = Members<'t>> + use<'t> {
    let parts = elements(item.get("content")).into_iter();
    parts.map(|part| Members::of(Some(part)))
}

/// The words of an item. Other items than messages have no such content: a reasoning's is `reasoning_text`.
pub(super) fn words(item: &Members<'_>) -> String {
    let words = parts(item).map(|part| words_if(&part, "output_text") + &part.words("refusal"));
    words.collect()
}

fn failure(response: &Members<'_>) -> Option<WireError> {
    (response.words("status") == "failed").then(|| {
        let error = response.get("error");
        error.map_or_else(
            || WireError::new("the provider reports that the response failed"),
            WireError::reported,
        )
    })
}

impl ReadResponse for Response<'_> {
    fn calls(&self) -> Vec<ToolCall> {
        self.items.calls()
    }

    /// Every item of the output: a reasoning model wants its reasoning back beside its calls.
    fn messages(&self, ids: Option<&[ShortStr]>) -> Vec<String> {
        let echoed = self.items.echo(ids, |item, call, id| {
            let key = if item.members.says("type", MCP_APPROVAL) {
                "id"
            } else {
                "call_id"
            };
            item.members.with(&[(key, call.new_id(id))])
        });
        echoed.unwrap_or_else(|| {
            let items = self.items.iter();
            items.map(|item| item.json.get().to_owned()).collect()
        })
    }

    fn text(&self) -> String {
        self.items.iter().map(|item| words(&item.members)).collect()
    }

    fn stop(&self) -> Option<FinishReason> {
        if self.is_refused() {
            return Some(FinishReason::Refused);
        }
        let details = Members::of(self.members.get("incomplete_details"));
        let (status, reason) = (self.members.words("status"), details.words("reason"));
        match FinishReason::of(&status, REASONS) {
            Some(FinishReason::Failed(_)) if !reason.is_empty() => {
                // An unknown reason is one of a response that is not complete.
                match FinishReason::of(&reason, REASONS) {
                    Some(FinishReason::Other(word)) => Some(FinishReason::Failed(word)),
                    known => known,
                }
            }
            stop => stop,
        }
    }

    fn usage(&self) -> Option<Usage> {
        Usage::of(&Members::of(self.members.get("usage")), &COUNTS)
    }

    fn hosted(&self) -> Vec<HostedCall> {
        let items = self.items.iter();
        paired(items.filter_map(|item| hosted(item.json, &item.members)))
    }

    fn loaded(&self) -> Vec<String> {
        let items = self.items.iter();
        items.flat_map(|item| loaded(&item.members)).collect()
    }

    fn failure(&self) -> Option<WireError> {
        failure(&self.members)
    }
}

/// The call that an item is, or a search that is left to us.
fn any_call<'t>(item: &Members<'t>) -> Option<RawCall<'t>> {
    call(item).or_else(|| client_search(item))
}

/// The call that an item is: a `function_call`, or a request for an approval; all others are for somebody else. The item's own `id` is
/// another one: answers name the `call_id`.
pub(super) fn call<'t>(item: &Members<'t>) -> Option<RawCall<'t>> {
    static APPROVAL: LazyLock<Option<Box<RawValue>>> =
        LazyLock::new(|| RawValue::from_string(quoted(MCP_APPROVAL)).ok());
    if item.says("type", MCP_APPROVAL) {
        let [id, arguments] = item.each(["id", "arguments"]).unwrap_or_default();
        return Some(RawCall::of([id, APPROVAL.as_deref(), arguments]));
    }
    item.says("type", "function_call").then(|| {
        let parts = item.each(["type", "call_id", "name", "arguments"]);
        let [_, id, name, arguments] = parts.unwrap_or_default();
        RawCall::of([id, name, arguments])
    })
}
