use super::super::call::{Elements, RawCall, words_if};
use super::super::completion::{FinishReason, Usage};
use super::super::read::{Members, array, elements};
use super::super::{ReadResponse, WireError};
use super::loading::{client_search, loaded};
use crate::call::ToolCall;

pub(in super::super) struct Response<'t> {
    members: Members<'t>,
    items: Elements<'t>,
}

impl<'t> Response<'t> {
    pub(in super::super) fn read(response: &'t str) -> Result<Self, WireError> {
        let wrong = |error| WireError::json("this is no OpenAI response", error);
        let members = Members::read(response).map_err(wrong)?;
        let items = members.one("output").and_then(array);
        // One that failed need not have any output.
        let items = items.map_err(|error| failure(&members).unwrap_or_else(|| wrong(error)))?;
        Ok(Self {
            members,
            items: Elements::read(items, |item| call(item).or_else(|| client_search(item))),
        })
    }

    /// The parts of the items' content.
    fn parts(&self) -> impl Iterator<Item = Members<'t>> {
        let contents = self.items.iter().map(|item| item.members.get("content"));
        let parts = contents.flat_map(elements);
        parts.map(|part| Members::of(Some(part)))
    }

    fn refusal(&self) -> String {
        self.parts().map(|part| part.words("refusal")).collect()
    }
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
    fn messages(&self) -> Vec<String> {
        let echoed = self.items.echo(|item, call, id| {
            let call_id = call.new_id(id);
            item.members.with(&[("call_id", call_id)])
        });
        echoed.unwrap_or_else(|| {
            let items = self.items.iter();
            items.map(|item| item.json.get().to_owned()).collect()
        })
    }

    fn text(&self) -> String {
        // Other items have no such content: a reasoning's is `reasoning_text`.
        let words = self.parts().map(|part| words_if(&part, "output_text"));
        words.collect::<String>() + &self.refusal()
    }

    fn stop(&self) -> Option<FinishReason> {
        if !self.refusal().is_empty() {
            return Some(FinishReason::Refused);
        }
        if self.members.words("status") == "completed" {
            return Some(FinishReason::Done);
        }
        let details = Members::of(self.members.get("incomplete_details"));
        let reason = details.words("reason");
        FinishReason::of(&reason, &[], &["max_output_tokens"], &["content_filter"])
    }

    fn usage(&self) -> Option<Usage> {
        let counts = Members::of(self.members.get("usage"));
        Usage::sum(&counts, &["input_tokens"], &["output_tokens"])
    }

    fn loaded(&self) -> Vec<String> {
        let items = self.items.iter();
        items.flat_map(|item| loaded(&item.members)).collect()
    }

    fn failure(&self) -> Option<WireError> {
        failure(&self.members)
    }
}

/// The call that an item is; all but `function_call` are for somebody else. The item's own `id` is
/// another one: answers name the `call_id`.
pub(super) fn call<'t>(item: &Members<'t>) -> Option<RawCall<'t>> {
    item.says("type", "function_call").then(|| {
        let parts = item.each(["type", "call_id", "name", "arguments"]);
        let [_, id, name, arguments] = parts.unwrap_or_default();
        RawCall::of([id, name, arguments])
    })
}
