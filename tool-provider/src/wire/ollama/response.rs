use super::super::call::{Element, RawCall, mended};
use super::super::completion::{FinishReason, Usage};
use super::super::openai::response::ResponseMessage;
use super::super::read::Members;
use super::super::{ReadResponse, WireError};
use crate::call::ToolCall;

pub(in super::super) struct Response<'t> {
    members: Members<'t>,
    message: ResponseMessage<'t>,
}

impl<'t> Response<'t> {
    pub(in super::super) fn read(response: &'t str) -> Result<Self, WireError> {
        let wrong = |error| WireError::json("this is no Ollama chat response", error);
        let members = Members::read(response).map_err(wrong)?;
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

    fn messages(&self) -> Vec<String> {
        vec![self.message.echo(answerable)]
    }

    fn text(&self) -> String {
        self.message.words()
    }

    fn stop(&self) -> Option<FinishReason> {
        let reason = self.members.words("done_reason");
        FinishReason::of(&reason, &["stop"], &["length"], &[])
    }

    fn usage(&self) -> Option<Usage> {
        Usage::sum(&self.members, &["prompt_eval_count"], &["eval_count"])
    }
}

/// A call as the server takes it back: its arguments must be an object.
fn answerable(element: &Element<'_>, call: &RawCall<'_>, id: &str) -> Option<String> {
    let function = Members::of(element.members.one("function").ok());
    let function = function.with(&[("arguments", mended(call.arguments))]);
    let changes = [("function", function), ("id", call.new_id(id))];
    element.members.with(&changes)
}
