//! Anthropic's Messages: `content_block_start`, `_delta`, `_stop` by `index`.
//!
//! Source: the type `RawMessageStreamEvent` of anthropic-sdk-python 2.12, 2026-11.

use serde_json::value::RawValue;

use super::super::WireError;
use super::super::read::Members;
use super::super::stream::blocks::{Block, Blocks};
use super::super::stream::tree::{Text, Tree};
use super::super::stream::{Assemble, StreamEvent, Streamed, unfinished};
use super::response::call;

#[derive(Debug)]
pub(super) struct Stream {
    message: Tree,
    blocks: Blocks,
    ended: bool,
}

impl Default for Stream {
    fn default() -> Self {
        Self {
            message: Tree::empty_object(),
            blocks: Blocks::default(),
            ended: false,
        }
    }
}

impl Assemble for Stream {
    fn event(&mut self, json: &str, news: &mut Vec<StreamEvent>) -> Result<(), WireError> {
        let wrong = |error| WireError::json("this is no event of an Anthropic stream", error);
        let event = Members::read(json).map_err(wrong)?;
        let keys = [
            "index",
            "message",
            "content_block",
            "delta",
            "usage",
            "error",
        ];
        let parts = event.each(["type"]).and_then(|_| event.each(keys));
        let [index, message, content_block, delta, usage, error] = parts.map_err(wrong)?;
        match event.words("type").as_str() {
            "message_start" => {
                if let Some(message) = message {
                    self.message.join(message);
                }
            }
            "content_block_start" => {
                if let Some(begun) = content_block {
                    self.blocks.begin(index, begun, call, news);
                }
            }
            "content_block_delta" => self.delta(index, delta, news),
            "content_block_stop" => self.blocks.at(index).is_stopped = true,
            "message_delta" => {
                for (key, value) in Members::of(delta).iter() {
                    self.ended |= key == "stop_reason" && value.get() != "null";
                    self.message.set(key, value);
                }
                if let Some(usage) = usage {
                    self.message.entry("usage").join(usage);
                }
            }
            "message_stop" => self.ended = true,
            "error" => {
                return Err(error.map_or_else(
                    || WireError::new("the provider reports an error"),
                    WireError::reported,
                ));
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self) {
        self.ended = true;
    }

    fn finish(self: Box<Self>) -> Streamed {
        let Self {
            mut message,
            blocks,
            ended,
        } = *self;
        let (mut whole, mut broken) = (Vec::new(), Vec::new());
        for mut block in blocks.into_iter() {
            let kind = block.tree.get("type").map(Tree::plain).unwrap_or_default();
            let is_whole = block.is_whole(ended);
            if kind.ends_with("tool_use") || !block.input.is_empty() {
                let input = block.arguments(block.tree.get("input"));
                block.tree.put("input", input);
            }
            if is_whole || kind == "text" {
                whole.push(block.tree);
            } else {
                // Half a thought is not taken back: it has no signature.
                broken.extend(unfinished(&block.tree.json(), call));
            }
        }
        message.put("content", Tree::List(whole));
        Streamed {
            response: message.json(),
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

/// Most pieces are named as what they go on with.
fn add(block: &mut Block, key: &str, value: &RawValue, news: &mut Vec<StreamEvent>) {
    match key {
        // What the block is was told when it began.
        "type" | "id" | "name" => {}
        "partial_json" => block.add_input(value, news),
        "citation" => block
            .tree
            .entry("citations")
            .push(Tree::Raw(value.get().to_owned())),
        _ => {
            let entry = block.tree.entry(key);
            entry.join(value);
            if key == "text" {
                let words = entry.as_text_mut().and_then(Text::news);
                news.extend(words.map(StreamEvent::Text));
            }
        }
    }
}
