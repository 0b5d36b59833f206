use serde_json::value::RawValue;
use toolwright_json::{ObjectWriter, list};

use super::super::call::{Element, Elements, RawCall, mended};
use super::super::completion::{FinishReason, Reasons, Usage, UsageKeys};
use super::super::conversation::readable;
use super::super::hosted::{HostedCall, HostedPart, paired};
use super::super::read::{Members, array, elements};
use super::super::{ReadResponse, WireError};
use crate::call::ToolCall;
use toolwright_schema::text::ShortStr;

/// Source: the shape `StopReason` of botocore 1.44, 2026-11.
const REASONS: &Reasons = &[
    (
        FinishReason::Done,
        &["end_turn", "tool_use", "stop_sequence"],
    ),
    (
        FinishReason::CutOff,
        &["max_tokens", "model_context_window_exceeded"],
    ),
    (
        FinishReason::Filtered,
        &["guardrail_intervened", "content_filtered"],
    ),
    (FinishReason::MalformedCall, &["malformed_tool_use"]),
    (
        FinishReason::Failed(String::new()),
        &["malformed_model_output"],
    ),
];

/// Source: the shape `TokenUsage` of botocore 1.44, 2026-11.
const COUNTS: UsageKeys = UsageKeys {
    input: &[
        "inputTokens",
        "cacheReadInputTokens",
        "cacheWriteInputTokens",
    ],
    output: &["outputTokens"],
    total: &["totalTokens"],
    cached: &["cacheReadInputTokens"],
    cache_written: &["cacheWriteInputTokens"],
    reasoning: &[],
};

pub(in super::super) struct Response<'t> {
    members: Members<'t>,
    message: &'t RawValue,
    message_members: Members<'t>,
    blocks: Elements<'t>,
}

impl<'t> Response<'t> {
    pub(in super::super) fn read(response: &'t str) -> Result<Self, WireError> {
        let wrong = |error| WireError::json("this is not a Bedrock Converse response", error);
        let members = Members::read(response).map_err(wrong)?;
        let output = members.one("output").map_err(wrong)?;
        let output = Members::read(output.get()).map_err(wrong)?;
        let message = output.one("message").map_err(wrong)?;
        let wrong = |error| WireError::json("this is not a Bedrock Converse message", error);
        let message_members = Members::read(message.get()).map_err(wrong)?;
        let content = message_members.one("content").and_then(array);
        Ok(Self {
            members,
            message,
            message_members,
            blocks: Elements::read(content.map_err(wrong)?, call),
        })
    }
}

impl ReadResponse for Response<'_> {
    fn calls(&self) -> Vec<ToolCall> {
        self.blocks.calls()
    }

    fn messages(&self, ids: Option<&[ShortStr]>) -> Vec<String> {
        let content = self.blocks.echo(ids, answerable).map(list);
        let message = self.message_members.with(&[("content", content)]);
        let message = message.unwrap_or_else(|| self.message.get().to_owned());
        readable(message, "content", refuses).into_iter().collect()
    }

    fn text(&self) -> String {
        let words = self.blocks.iter().map(|block| {
            // Words with their sources have a block of their own.
            let cited = Members::of(block.members.get("citationsContent"));
            let cited = elements(cited.get("content")).into_iter();
            let cited: String = cited
                .map(|part| Members::of(Some(part)).words("text"))
                .collect();
            block.members.words("text") + &cited
        });
        words.collect()
    }

    fn stop(&self) -> Option<FinishReason> {
        FinishReason::of(&self.members.words("stopReason"), REASONS)
    }

    fn hosted(&self) -> Vec<HostedCall> {
        let blocks = self.blocks.iter();
        paired(blocks.filter_map(|block| hosted(block.json, &block.members)))
    }

    fn usage(&self) -> Option<Usage> {
        let counts = Members::of(self.members.get("usage"));
        Usage::of(&counts, &COUNTS)
    }
}

/// Returns true for a block that the API sends before thoughts and refuses to read: "the text field in the
/// `ContentBlock` object is blank".
///
/// Source: langchain-ai/langchain-aws issue 403.
pub(super) fn refuses(block: &Members<'_>) -> bool {
    let is_blank = || block.words("text").trim().is_empty();
    block.get("text").is_some() && call(block).is_none() && is_blank()
}

/// The call that a block is.
pub(super) fn call<'t>(block: &Members<'t>) -> Option<RawCall<'t>> {
    let Ok([tool_use]) = block.each(["toolUse"]) else {
        return Some(RawCall::default());
    };
    let tool_use = Members::of(Some(tool_use?));
    if is_hosted(&tool_use) {
        return None;
    }
    let parts = tool_use.each(["toolUseId", "name", "input"]);
    Some(RawCall::of(parts.unwrap_or_default()))
}

/// Returns true for a call of a tool that runs at the provider.
///
/// Source: the shape `ToolUseType` of botocore 1.44, 2026-11.
fn is_hosted(tool_use: &Members<'_>) -> bool {
    tool_use.says("type", SERVER_TOOL)
}

const SERVER_TOOL: &str = "server_tool_use";

pub(super) fn hosted(_: &RawValue, block: &Members<'_>) -> Option<HostedPart> {
    if let Some(tool_use) = block.get("toolUse") {
        let members = Members::of(Some(tool_use));
        let [id, name] = ["toolUseId", "name"].map(|key| members.words(key));
        return is_hosted(&members).then(|| HostedPart::call(id, SERVER_TOOL, name, tool_use));
    }
    let result = Members::of(Some(block.get("toolResult")?));
    Some(HostedPart::Result {
        id: result.words("toolUseId"),
        status: result.words("status"),
        result: result.get("content")?.get().to_owned(),
    })
}

fn answerable(block: &Element<'_>, call: &RawCall<'_>, id: &str) -> Option<String> {
    let tool_use = match block.members.one("toolUse") {
        Ok(tool_use) => Members::of(Some(tool_use)).with(&[
            ("input", mended(call.arguments)),
            ("toolUseId", call.new_id(id)),
        ]),
        // It stands there twice, and cannot be read: what is left is a call that can be answered.
        Err(_) => {
            let call = ObjectWriter::new().text("toolUseId", id).text("name", "");
            Some(call.json("input", "{}").end())
        }
    };
    block.members.with(&[("toolUse", tool_use)])
}
