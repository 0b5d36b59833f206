use std::borrow::Cow;
use toolwright_json::{ObjectWriter, list};

use serde_json::value::RawValue;

use super::super::call::{Element, Elements, RawCall, mended};
use super::super::completion::{FinishReason, Reasons, Usage, UsageKeys};
use super::super::conversation::readable;
use super::super::hosted::{HostedCall, HostedPart, paired};
use super::super::read::{Members, array, elements, text};
use super::super::{ReadResponse, WireError};
use super::loading::loaded;
use crate::call::ToolCall;
use toolwright_schema::text::ShortStr;

/// Source: the type `StopReason` of anthropic-sdk-python 2.12 and "Handling stop reasons" of Anthropic's documentation,
/// 2026-11.
const REASONS: &Reasons = &[
    (
        FinishReason::Done,
        &["end_turn", "tool_use", "stop_sequence"],
    ),
    (
        FinishReason::CutOff,
        &["max_tokens", "model_context_window_exceeded"],
    ),
    (FinishReason::Refused, &["refusal"]),
    (FinishReason::Paused, &["pause_turn", "compaction"]),
];

/// Source: the type `Usage` of anthropic-sdk-python 2.12, 2026-11.
const COUNTS: UsageKeys = UsageKeys {
    input: &[
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ],
    output: &["output_tokens"],
    total: &[],
    cached: &["cache_read_input_tokens"],
    cache_written: &["cache_creation_input_tokens"],
    reasoning: &[],
};

pub(in super::super) struct Response<'t> {
    members: Members<'t>,
    content: &'t RawValue,
    blocks: Elements<'t>,
}

impl<'t> Response<'t> {
    pub(in super::super) fn read(response: &'t str) -> Result<Self, WireError> {
        let wrong = |error| WireError::json("this is not an Anthropic message", error);
        let members = Members::read(response).map_err(wrong)?;
        let content = members.one("content").map_err(wrong)?;
        // The short form of a message that is text alone has no blocks.
        let blocks = if content.get().starts_with('"') {
            Vec::new()
        } else {
            array(content)
                .map_err(|error| WireError::json("this is not Anthropic message content", error))?
        };
        Ok(Self {
            members,
            content,
            blocks: Elements::read(blocks, call),
        })
    }
}

impl ReadResponse for Response<'_> {
    fn calls(&self) -> Vec<ToolCall> {
        self.blocks.calls()
    }

    fn messages(&self, ids: Option<&[ShortStr]>) -> Vec<String> {
        let content = self.blocks.echo(ids, answerable).map(list);
        let content = content.as_deref().unwrap_or(self.content.get());
        let message = ObjectWriter::new().text("role", "assistant");
        let message = message.json("content", content).end();
        readable(message, "content", refuses).into_iter().collect()
    }

    fn text(&self) -> String {
        let alone = text(self.content.get());
        alone.map_or_else(|| self.blocks.words("text"), Cow::into_owned)
    }

    fn stop(&self) -> Option<FinishReason> {
        FinishReason::of(&self.members.words("stop_reason"), REASONS)
    }

    /// Source: `ServerToolUseBlock`, `BetaMCPToolUseBlock` and the results of both in anthropic-sdk-python 2.12, 2026-11.
    fn hosted(&self) -> Vec<HostedCall> {
        let blocks = self.blocks.iter();
        paired(blocks.filter_map(|block| hosted(block.json, &block.members)))
    }

    fn loaded(&self) -> Vec<String> {
        let blocks = self.blocks.iter();
        blocks.flat_map(|block| loaded(&block.members)).collect()
    }

    /// The counts at the top leave out what a compaction took, which `iterations` have.
    ///
    /// Source: "Compaction" of Anthropic's documentation, 2026-11.
    fn usage(&self) -> Option<Usage> {
        let counts = Members::of(self.members.get("usage"));
        let steps = elements(counts.get("iterations")).into_iter();
        let steps = steps.filter_map(|step| Usage::of(&Members::of(Some(step)), &COUNTS));
        let mut sum = Usage::default();
        steps.for_each(|step| sum += step);
        Usage::of(&counts, &COUNTS).map(|usage| usage.max(sum))
    }
}

/// Returns true for a block that the API sends before thoughts and refuses to read: "text content blocks must contain
/// non-whitespace text".
///
/// Source: LibreChat-AI/agents pull request 124.
pub(super) fn refuses(block: &Members<'_>) -> bool {
    let is_blank = || block.words("text").trim().is_empty();
    block.says("type", "text") && call(block).is_none() && is_blank()
}

/// The call that a block is; all but `tool_use` are for somebody else.
pub(super) fn call<'t>(block: &Members<'t>) -> Option<RawCall<'t>> {
    block.says("type", "tool_use").then(|| {
        let parts = block.each(["type", "id", "name", "input"]);
        let [_, id, name, arguments] = parts.unwrap_or_default();
        RawCall::of([id, name, arguments])
    })
}

pub(super) fn hosted(json: &RawValue, block: &Members<'_>) -> Option<HostedPart> {
    let of = |key: &str| block.words(key);
    let kind = of("type");
    if kind.ends_with("_tool_use") {
        return Some(HostedPart::call(of("id"), &kind, of("name"), json));
    }
    let content = block.get("content")?;
    let has_failed =
        block.says_true("is_error") || Members::of(Some(content)).words("type").ends_with("_error");
    kind.ends_with("_tool_result").then(|| HostedPart::Result {
        id: of("tool_use_id"),
        status: if has_failed { "failed" } else { "completed" }.to_owned(),
        result: content.get().to_owned(),
    })
}

fn answerable(block: &Element<'_>, call: &RawCall<'_>, id: &str) -> Option<String> {
    // A call whose id stands there twice can be read once another one is put in.
    let parts = block.members.each(["type", "name", "input"]);
    let [_, _, input] = parts.unwrap_or_default();
    let changes = [("input", mended(input)), ("id", call.new_id(id))];
    block.members.with(&changes)
}
