//! Ollama's `/api/chat`: whole responses line by line, of which each message is what is new. Calls
//! come whole.
//!
//! Source: `ChatResponse` of ollama/ollama, `api/types.go`, 2026-10.

use serde_json::value::RawValue;

use super::super::WireError;
use super::super::openai::response::call;
use super::super::read::{Members, elements};
use super::super::stream::tree::{Text, Tree};
use super::super::stream::{Assemble, StreamEvent, Streamed};

#[derive(Debug)]
pub(super) struct Stream {
    response: Tree,
    message: Tree,
    calls: Vec<Tree>,
    ended: bool,
}

impl Default for Stream {
    fn default() -> Self {
        Self {
            response: Tree::empty_object(),
            message: Tree::empty_object(),
            calls: Vec::new(),
            ended: false,
        }
    }
}

impl Assemble for Stream {
    fn event(&mut self, json: &str, news: &mut Vec<StreamEvent>) -> Result<(), WireError> {
        let event = Members::read(json)
            .map_err(|error| WireError::json("this is no event of an Ollama stream", error))?;
        for (key, value) in event.iter() {
            match key {
                "error" => WireError::none_reported(value)?,
                "message" => self.message(value, news),
                _ => {
                    self.ended |= key == "done" && value.get() == "true";
                    self.response.set(key, value);
                }
            }
        }
        Ok(())
    }

    fn end(&mut self) {
        self.ended = true;
    }

    fn finish(self: Box<Self>) -> Streamed {
        let Self {
            mut response,
            mut message,
            calls,
            ended,
        } = *self;
        if !calls.is_empty() {
            message.put("tool_calls", Tree::List(calls));
        }
        response.put("message", message);
        Streamed {
            response: response.json(),
            ended,
            unfinished: Vec::new(),
        }
    }
}

impl Stream {
    fn message(&mut self, message: &RawValue, news: &mut Vec<StreamEvent>) {
        for (key, value) in Members::of(Some(message)).iter() {
            match key {
                "tool_calls" => {
                    for call in elements(Some(value)) {
                        self.call(call, news);
                    }
                }
                "role" => self.message.set(key, value),
                _ => {
                    let entry = self.message.entry(key);
                    entry.join(value);
                    if key == "content" {
                        let words = entry.as_text_mut().and_then(Text::news);
                        news.extend(words.map(StreamEvent::Text));
                    }
                }
            }
        }
    }

    fn call(&mut self, element: &RawValue, news: &mut Vec<StreamEvent>) {
        let call = call(&Members::of(Some(element)));
        StreamEvent::whole_call(self.calls.len(), &call, news);
        self.calls.push(Tree::Raw(element.get().to_owned()));
    }
}
