//! A conversation under the names that a provider takes.

use std::borrow::Cow;

use super::Definitions;
use crate::call::{Encoder, ToolCall, ToolResult};
use crate::wire::{JsonText, Loads, Message, WireError};

impl Definitions {
    /// See [`Wire::conversation`](crate::wire::Wire::conversation): the calls and answers in it have the provider's
    /// names.
    ///
    /// # Errors
    /// As there.
    pub fn conversation(
        &self,
        system: Option<&str>,
        said: &[Message<'_>],
        encoder: Encoder,
    ) -> Result<JsonText<'static>, WireError> {
        let owned: Vec<_> = said.iter().map(|one| self.renamed(one)).collect();
        let said: Vec<_> = owned.iter().map(Renamed::lend).collect();
        let loads: Option<&dyn Loads> = self.0.catalog.is_some().then_some(self);
        self.wire().conversation_with(system, &said, encoder, loads)
    }

    fn renamed<'u>(&self, one: &Message<'u>) -> Renamed<'u> {
        match *one {
            Message::Assistant { text, calls } => Renamed::Assistant(text, self.told_calls(calls)),
            Message::Results(results) => Renamed::Results(self.told_of(results)),
            Message::Late(result) => Renamed::Late(self.told_of(std::slice::from_ref(result))),
            other => Renamed::Same(other),
        }
    }

    fn told_calls<'c>(&self, calls: &'c [ToolCall]) -> Cow<'c, [ToolCall]> {
        if calls.iter().all(|call| call.name == self.told(&call.name)) {
            return Cow::Borrowed(calls);
        }
        let calls = calls.iter().map(|call| ToolCall {
            name: self.told(&call.name).into(),
            ..call.clone()
        });
        Cow::Owned(calls.collect())
    }
}

/// An utterance under the provider's names.
enum Renamed<'u> {
    Same(Message<'u>),
    Assistant(&'u str, Cow<'u, [ToolCall]>),
    Results(Cow<'u, [ToolResult]>),
    /// One result.
    Late(Cow<'u, [ToolResult]>),
}

impl Renamed<'_> {
    fn lend(&self) -> Message<'_> {
        match self {
            Self::Same(one) => *one,
            Self::Assistant(text, calls) => Message::Assistant { text, calls },
            Self::Results(results) => Message::Results(results),
            Self::Late(results) => match &**results {
                [result, ..] => Message::Late(result),
                [] => Message::Results(results),
            },
        }
    }
}
