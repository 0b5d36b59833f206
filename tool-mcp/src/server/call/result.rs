//! The result of a call, as the client reads it.

use toolwright_provider::call::{Encoder, ErrorKind, Outcome, ToolError, ToolResult};
use toolwright_provider::wire::mcp_output;

use super::{CallKind, CallTask, no_resource};
use crate::outside::repaired_before;
use crate::protocol::{RpcError, Version};
use crate::server::catalog::MIME_TYPE;
use crate::server::definitions::wire;
use crate::server::dispatch::Answered;
use crate::server::question::ModelText;
use crate::server::{Shared, prompt, start, tasks};

impl CallTask {
    /// The result's JSON; of a tool that is not there, an error of the protocol.
    pub(super) fn result(&self, result: &ToolResult) -> Answered {
        let start = || start(self.caller.version);
        let def = |name: &str| self.registry().get(name);
        match &self.kind {
            CallKind::Tool => {}
            CallKind::Prompt => {
                let tool = def(&self.call.name);
                let words = tool.as_ref().map(|tool| &*tool.def().description);
                return prompt::prompt(start(), words.unwrap_or_default(), result);
            }
            CallKind::Resource { uri } => {
                let tool = def(&self.call.name);
                let kind = tool
                    .as_ref()
                    .and_then(|tool| tool.def().meta.get(MIME_TYPE)?.as_str());
                let start = if self.caller.version.is_modern() {
                    start().json("ttlMs", "0").text("cacheScope", "private")
                } else {
                    start()
                };
                let none = no_resource(self.caller.version, uri);
                return prompt::resource(start, uri, kind, none, result);
            }
        }
        if let Err(error) = &result.outcome
            && matches!(error.kind(), ErrorKind::Unknown | ErrorKind::Hidden)
        {
            let text = result.content(Encoder::auto()).into_owned();
            return Err(RpcError::invalid_params(text));
        }
        let (shared, version) = (&self.shared, self.caller.version);
        if let Ok(Outcome::Open { key, .. }) = &result.outcome
            && let Some(task) = tasks::created(shared, key)
        {
            return Ok(task);
        }
        Ok(if self.repairs.is_empty() {
            text(shared, version, result)
        } else {
            text(
                shared,
                version,
                &repaired_before(result.clone(), &self.repairs),
            )
        })
    }

    pub(super) fn refuse(&self, text: String) -> Answered {
        self.say(ModelText {
            text,
            is_error: true,
        })
    }

    pub(super) fn say(&self, said: ModelText) -> Answered {
        let outcome = if said.is_error {
            Err(ToolError::failed(said.text))
        } else {
            Ok(Outcome::value(said.text))
        };
        self.result(&ToolResult::new(&self.call, outcome))
    }
}

/// JSON of a tool's result.
pub(in crate::server) fn text(shared: &Shared, version: Version, result: &ToolResult) -> String {
    let tool = shared.registry.get(&result.name);
    let def = tool.as_ref().map(|tool| tool.def());
    let is_structured = result.outcome.is_err() && def.is_some_and(|def| def.output.is_none());
    let encoder = shared.encoder.__structured_errors(is_structured);
    // Clients hold a result to the output schema, unless it is an error, and the rest of a value does not fit.
    let has_schema = || def.is_some_and(|def| mcp_output(def, version.is_modern()).is_some());
    let cut = match &result.outcome {
        Ok(Outcome::Value(value)) if value.__is_cut() && has_schema() => {
            let mut cut = result.clone();
            cut.outcome = Err(ToolError::failed(value.to_plain().into_owned()));
            Some(cut)
        }
        _ => None,
    };
    let result = cut.as_ref().unwrap_or(result);
    let list = wire(version).results(std::slice::from_ref(result), encoder);
    // The one result, without the brackets of the list.
    let one = list
        .strip_prefix('[')
        .and_then(|list| list.strip_suffix(']'));
    one.unwrap_or(&list).to_owned()
}
