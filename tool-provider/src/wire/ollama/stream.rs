//! Ollama's `/api/chat`: whole responses line by line, whose messages have only new text. Calls
//! come whole.
//!
//! Source: `ChatResponse` of ollama/ollama, `api/types.go`, 2026-10.

use serde_json::value::RawValue;

use super::super::WireError;
use super::super::openai::response::call;
use super::super::read::{Members, elements};
use super::super::stream::tree::Tree;
use super::super::stream::word_keys::WordKeys;
use super::super::stream::{Assemble, DeltaSink};
use super::response::{cohere, is_cohere};
use crate::call::ToolCall;

#[derive(Debug, Default)]
pub(in super::super) struct Stream {
    response: Tree,
    message: Tree,
    word_keys: WordKeys,
    calls: Vec<Tree>,
    is_done: bool,
}

impl Assemble for Stream {
    fn event(&mut self, json: &str, sink: &mut DeltaSink) -> Result<(), WireError> {
        let event = Members::read(json)
            .map_err(|error| WireError::json("this is not an event of an Ollama stream", error))?;
        if is_cohere(&event) {
            return Err(cohere());
        }
        // Lines have no id: after an end, what goes on is another response.
        if self.is_done && event.get("message").is_some() && !event.says_true("done") {
            *self = Self::default();
            sink.restart();
        }
        self.is_done |= event.says_true("done");
        sink.ended |= self.is_done;
        for (key, value) in event.iter() {
            match key {
                "error" => WireError::none_reported(value)?,
                "message" => self.message(value, sink),
                _ => self.response.set(key, value),
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>, _: bool) -> (Tree, Vec<ToolCall>) {
        let Self {
            mut response,
            mut message,
            word_keys,
            calls,
            ..
        } = *self;
        word_keys.once(&mut message);
        if !calls.is_empty() {
            message.put("tool_calls", Tree::List(calls));
        }
        response.put("message", message);
        (response, Vec::new())
    }
}

impl Stream {
    fn message(&mut self, message: &RawValue, sink: &mut DeltaSink) {
        let (message, before) = (Members::of(Some(message)), sink.len());
        for (key, value) in message.iter() {
            match key {
                "tool_calls" => {
                    for call in elements(Some(value)) {
                        self.call(call, sink);
                    }
                }
                "role" => self.message.set(key, value),
                _ => self.message.join_under(key, value, "content", sink),
            }
        }
        self.word_keys.count(&message, before, sink);
    }

    fn call(&mut self, element: &RawValue, sink: &mut DeltaSink) {
        let call = call(&Members::of(Some(element)));
        sink.whole_call(self.calls.len(), &call);
        self.calls.push(Tree::Raw(element.get().to_owned()));
    }
}
