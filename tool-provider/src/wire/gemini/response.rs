use serde_json::value::RawValue;
use toolwright_json::{ObjectWriter, list, quoted};

use super::super::call::{Element, Elements, RawCall, mended};
use super::super::completion::{FinishReason, Reasons, Usage, UsageKeys};
use super::super::conversation::readable;
use super::super::hosted::{HostedCall, HostedPart, paired};
use super::super::read::{Members, array};
use super::super::{ReadResponse, WireError};
use super::request::refuses;
use crate::call::ToolCall;
use toolwright_schema::text::ShortStr;

/// Source: the type `FinishReason` of the Gemini API reference (v1beta), of Vertex AI's, and of python-genai 3.4, 2026-11.
const REASONS: &Reasons = &[
    (FinishReason::Done, &["STOP"]),
    (FinishReason::CutOff, &["MAX_TOKENS"]),
    (
        FinishReason::Filtered,
        &[
            "SAFETY",
            "RECITATION",
            "LANGUAGE",
            "BLOCKLIST",
            "PROHIBITED_CONTENT",
            "SPII",
            "MODEL_ARMOR",
            "IMAGE_SAFETY",
            "IMAGE_PROHIBITED_CONTENT",
            "IMAGE_RECITATION",
        ],
    ),
    (
        FinishReason::MalformedCall,
        &["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"],
    ),
    (
        FinishReason::Failed(String::new()),
        &[
            "OTHER",
            "NO_IMAGE",
            "IMAGE_OTHER",
            "TOO_MANY_TOOL_CALLS",
            "MISSING_THOUGHT_SIGNATURE",
            "MALFORMED_RESPONSE",
        ],
    ),
];

/// Source: the type `UsageMetadata` of the Gemini API reference (v1beta), 2026-11.
const COUNTS: UsageKeys = UsageKeys {
    input: &["promptTokenCount", "toolUsePromptTokenCount"],
    output: &["candidatesTokenCount", "thoughtsTokenCount"],
    total: &["totalTokenCount"],
    cached: &["cachedContentTokenCount"],
    cache_written: &[],
    reasoning: &["thoughtsTokenCount"],
};

pub(in super::super) struct Response<'t> {
    members: Members<'t>,
    /// The first: a request with tools asks for one candidate.
    candidate: Members<'t>,
    /// A candidate that was stopped (`finishReason` tells why) has none.
    content: Option<Content<'t>>,
}

struct Content<'t> {
    json: &'t RawValue,
    members: Members<'t>,
    parts: Elements<'t>,
}

impl<'t> Response<'t> {
    pub(in super::super) fn read(response: &'t str) -> Result<Self, WireError> {
        let wrong = |error| WireError::json("this is not a Gemini response", error);
        let members = Members::read(response).map_err(wrong)?;
        let [candidates] = members.each(["candidates"]).map_err(wrong)?;
        // A prompt that was blocked has no candidates.
        let candidates = candidates.map_or_else(|| Ok(Vec::new()), array);
        let candidates = candidates.map_err(wrong)?;
        let Some(candidate) = candidates.first() else {
            return Err(no_candidate(&members));
        };
        let candidate = Members::read(candidate.get()).map_err(wrong)?;
        let [content] = candidate.each(["content"]).map_err(wrong)?;
        Ok(Self {
            members,
            candidate,
            content: content.map(Content::read).transpose()?,
        })
    }
}

impl<'t> Content<'t> {
    fn read(json: &'t RawValue) -> Result<Self, WireError> {
        let wrong = |error| WireError::json("this is not Gemini content", error);
        let members = Members::read(json.get()).map_err(wrong)?;
        let [parts] = members.each(["parts"]).map_err(wrong)?;
        let parts = parts.map_or_else(|| Ok(Vec::new()), array);
        Ok(Self {
            json,
            members,
            parts: Elements::read(parts.map_err(wrong)?, call),
        })
    }

    /// All parts, whatever they are: thought signatures must come back where they stood.
    fn message(&self, ids: Option<&[ShortStr]>) -> String {
        let parts = self.parts.echo(ids, answerable);
        let has_role = self.members.all("role").next().is_some();
        if parts.is_none() && has_role {
            return self.json.get().to_owned();
        }
        let parts = parts.unwrap_or_else(|| {
            let parts = self.parts.iter();
            parts.map(|part| part.json.get().to_owned()).collect()
        });
        let changes = [
            ("role", Some(quoted("model"))),
            ("parts", Some(list(parts))),
        ];
        self.members.with(&changes).unwrap_or_default()
    }
}

fn no_candidate(response: &Members<'_>) -> WireError {
    let feedback = Members::of(response.get("promptFeedback"));
    let reason = feedback.words("blockReason");
    if reason.is_empty() {
        return WireError::new("the Gemini response has no candidate");
    }
    let reason = reason.escape_debug();
    WireError::new(format!("Gemini blocked the prompt: {reason}"))
}

impl ReadResponse for Response<'_> {
    fn calls(&self) -> Vec<ToolCall> {
        let content = self.content.as_ref();
        content.map_or_else(Vec::new, |content| content.parts.calls())
    }

    fn messages(&self, ids: Option<&[ShortStr]>) -> Vec<String> {
        let contents = self.content.iter().map(|content| content.message(ids));
        contents
            .filter_map(|content| readable(content, "parts", refuses))
            .collect()
    }

    fn text(&self) -> String {
        let parts = self.content.iter().flat_map(|content| content.parts.iter());
        let said = parts.filter(|part| is_said(&part.members));
        said.map(|part| part.members.words("text")).collect()
    }

    fn stop(&self) -> Option<FinishReason> {
        FinishReason::of(&self.candidate.words("finishReason"), REASONS)
    }

    /// Source: the types `Part`, `ToolCall`, `ToolResponse`, `ExecutableCode` and `CodeExecutionResult` of the Gemini API
    /// reference (v1beta), 2026-11.
    fn hosted(&self) -> Vec<HostedCall> {
        let parts = self.content.iter().flat_map(|content| content.parts.iter());
        paired(parts.filter_map(|part| hosted(part.json, &part.members)))
    }

    fn usage(&self) -> Option<Usage> {
        Usage::of(&Members::of(self.members.get("usageMetadata")), &COUNTS)
    }
}

pub(super) fn hosted(_: &RawValue, part: &Members<'_>) -> Option<HostedPart> {
    let find = |key: &str| Some((part.get(key)?, Members::of(part.get(key))));
    if let Some((json, call)) = find("toolCall") {
        return Some(HostedPart::call(
            call.words("id"),
            "toolCall",
            call.words("toolType"),
            json,
        ));
    }
    if let Some((json, code)) = find("executableCode") {
        let name = "code_execution".to_owned();
        return Some(HostedPart::call(
            code.words("id"),
            "executableCode",
            name,
            json,
        ));
    }
    let (json, result) = find("toolResponse").or_else(|| find("codeExecutionResult"))?;
    Some(HostedPart::Result {
        id: result.words("id"),
        status: result.words("outcome"),
        result: json.get().to_owned(),
    })
}

/// Returns true for a part that is not a thought.
pub(super) fn is_said(part: &Members<'_>) -> bool {
    !part.says_true("thought")
}

/// The call that a part is.
pub(super) fn call<'t>(part: &Members<'t>) -> Option<RawCall<'t>> {
    let Ok([call]) = part.each(["functionCall"]) else {
        return Some(RawCall::default());
    };
    let parts = Members::of(Some(call?)).each(["id", "name", "args"]);
    Some(RawCall::of(parts.unwrap_or_default()))
}

fn answerable(part: &Element<'_>, call: &RawCall<'_>, id: &str) -> Option<String> {
    let function_call = match part.members.one("functionCall") {
        Ok(function_call) => {
            // Arguments that are missing are not a fault: the API leaves them out itself.
            let args = call.arguments.and_then(|args| mended(Some(args)));
            Members::of(Some(function_call)).with(&[("args", args), ("id", call.new_id(id))])
        }
        // It stands there twice, and cannot be read: what is left is a call that can be answered.
        Err(_) => Some(ObjectWriter::new().text("id", id).text("name", "").end()),
    };
    part.members.with(&[("functionCall", function_call)])
}
