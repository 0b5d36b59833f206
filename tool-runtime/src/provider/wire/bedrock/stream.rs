//! Amazon Bedrock's `ConverseStream`: one object an event, named by its one key, as the SDKs give
//! it.
//!
//! Source: the shape `ConverseStreamOutput` of botocore's `bedrock-runtime` 2023-09-30
//! `service-2.json`, botocore 1.44, 2026-11.

use serde_json::value::RawValue;

use super::super::WireError;
use super::super::read::Members;
use super::super::stream::blocks::{Block, Blocks};
use super::super::stream::tree::{Text, Tree};
use super::super::stream::{Assemble, StreamEvent, Streamed, unfinished};
use super::response::call;

#[derive(Debug)]
pub(super) struct Stream {
    response: Tree,
    role: Tree,
    blocks: Blocks,
    ended: bool,
}

impl Default for Stream {
    fn default() -> Self {
        Self {
            response: Tree::empty_object(),
            role: Tree::string("assistant"),
            blocks: Blocks::default(),
            ended: false,
        }
    }
}

impl Assemble for Stream {
    fn event(&mut self, json: &str, news: &mut Vec<StreamEvent>) -> Result<(), WireError> {
        let event = Members::read(json)
            .map_err(|error| WireError::json("this is no event of a Bedrock stream", error))?;
        for (key, value) in event.iter() {
            if key.ends_with("Exception") {
                return Err(WireError::reported(value));
            }
            let part = Members::read(value.get());
            let keys = ["contentBlockIndex", "start", "delta", "role"];
            let Ok([index, start, delta, role]) = part.and_then(|part| part.each(keys)) else {
                continue;
            };
            match key {
                "messageStart" => self.role = role.map_or_else(Tree::default, Tree::of),
                "contentBlockStart" => {
                    if let Some(begun) = start {
                        self.blocks.begin(index, begun, call, news);
                    }
                }
                "contentBlockDelta" => self.delta(index, delta, news),
                "contentBlockStop" => self.blocks.at(index).is_stopped = true,
                "messageStop" => {
                    self.response.join(value);
                    self.ended = true;
                }
                "metadata" => self.response.join(value),
                _ => {}
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
            role,
            blocks,
            ended,
        } = *self;
        let (mut whole, mut broken) = (Vec::new(), Vec::new());
        for mut block in blocks.into_iter() {
            let is_whole = block.is_whole(ended);
            if block.tree.get("toolUse").is_some() {
                let tool_use = block.tree.entry("toolUse");
                tool_use.open_object();
                let begun = tool_use.get("input").cloned();
                let input = block.arguments(begun.as_ref());
                block.tree.entry("toolUse").put("input", input);
            }
            if is_whole || block.tree.get("text").is_some() {
                whole.push(block.tree);
            } else {
                // Half a thought is not taken back: it has no signature.
                broken.extend(unfinished(&block.tree.json(), call));
            }
        }
        let mut message = Tree::empty_object();
        message.put("role", role);
        message.put("content", Tree::List(whole));
        response.entry("output").put("message", message);
        Streamed {
            response: response.json(),
            ended,
            unfinished: broken,
        }
    }
}

impl Stream {
    fn delta(
        &mut self,
        index: Option<&RawValue>,
        delta: Option<&RawValue>,
        news: &mut Vec<StreamEvent>,
    ) {
        let Some(Ok(delta)) = delta.map(|delta| Members::read(delta.get())) else {
            return;
        };
        let block = self.blocks.at(index);
        for (key, value) in delta.iter() {
            add(block, key, value, news);
        }
    }
}

/// What a piece goes on with stands elsewhere in a whole message where it is a call or a thought.
fn add(block: &mut Block, key: &str, value: &RawValue, news: &mut Vec<StreamEvent>) {
    let parts = match key {
        "toolUse" | "reasoningContent" => Members::of(Some(value)),
        "citation" => return,
        _ => {
            let entry = block.tree.entry(key);
            entry.join(value);
            if key == "text" {
                let words = entry.as_text_mut().and_then(Text::news);
                news.extend(words.map(StreamEvent::Text));
            }
            return;
        }
    };
    for (part, value) in parts.iter() {
        match (key, part) {
            ("toolUse", "input") => block.add_input(value, news),
            // A call is what began as one, of the tool that was told then.
            ("toolUse", "name" | "toolUseId") => {}
            ("toolUse", _) if block.tree.get(key).is_none() => {}
            ("reasoningContent", "text" | "signature") => {
                let thought = block.tree.entry(key).entry("reasoningText");
                thought.entry(part).join(value);
            }
            _ => block.tree.entry(key).entry(part).join(value),
        }
    }
}
