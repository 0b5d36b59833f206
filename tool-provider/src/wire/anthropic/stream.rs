//! Anthropic's Messages: `content_block_start`, `_delta`, `_stop` by `index`.
//!
//! Source: the type `RawMessageStreamEvent` of anthropic-sdk-python 2.12, 2026-11.

use serde_json::value::RawValue;

use super::super::WireError;
use super::super::read::{Members, text};
use super::super::stream::blocks::{Block, Blocks};
use super::super::stream::tree::Tree;
use super::super::stream::{Assemble, DeltaSink, unfinished};
use super::response::{call, hosted};
use crate::call::ToolCall;

#[derive(Debug, Default)]
pub(in super::super) struct Stream {
    message: Tree,
    blocks: Blocks,
    is_begun: bool,
}

impl Assemble for Stream {
    fn event(&mut self, json: &str, sink: &mut DeltaSink) -> Result<(), WireError> {
        let wrong = |error| WireError::json("this is not an event of an Anthropic stream", error);
        let event = Members::read(json).map_err(wrong)?;
        let keys = [
            "type",
            "index",
            "message",
            "content_block",
            "delta",
            "usage",
            "error",
        ];
        let [kind, index, message, content_block, delta, usage, error] =
            event.each(keys).map_err(wrong)?;
        let kind = kind.and_then(|kind| text(kind.get()));
        match kind.as_deref().unwrap_or_default() {
            "message_start" => {
                if std::mem::take(&mut self.is_begun) {
                    *self = Self::default();
                    sink.restart();
                }
                self.is_begun = true;
                if let Some(message) = message {
                    self.message.join(message);
                }
            }
            "content_block_start" => {
                if let Some(begun) = content_block {
                    self.blocks.begin(index, begun, call, sink);
                }
            }
            "content_block_delta" => self.blocks.join(index, delta, add, sink),
            "content_block_stop" => self.blocks.stop(index, close, hosted, sink),
            "message_delta" => {
                for (key, value) in Members::of(delta).iter() {
                    sink.ended |= key == "stop_reason" && value.get() != "null";
                    self.message.set(key, value);
                }
                if let Some(usage) = usage {
                    self.message.entry("usage").join(usage);
                }
            }
            "message_stop" => sink.ended = true,
            "error" => {
                return Err(error.map_or_else(
                    || WireError::new("the provider reports an error"),
                    WireError::reported,
                ));
            }
            _ => {}
        }
        if sink.ended {
            self.blocks.stop_all(close, hosted, sink);
        }
        Ok(())
    }

    fn finish(self: Box<Self>, ended: bool) -> (Tree, Vec<ToolCall>) {
        let Self {
            mut message,
            blocks,
            ..
        } = *self;
        let (mut whole, mut broken) = (Vec::new(), Vec::new());
        for mut block in blocks.into_iter() {
            let kind = block.tree.get("type").map(Tree::plain).unwrap_or_default();
            let is_whole = block.is_whole(ended);
            close(&mut block);
            if is_whole || kind == "text" {
                whole.push(block.tree);
            } else {
                // Half a thought is not taken back: it has no signature.
                broken.extend(unfinished(&block.tree.json(), call));
            }
        }
        message.put("content", Tree::List(whole));
        (message, broken)
    }
}

/// The pieces of the input become the input.
fn close(block: &mut Block) {
    let kind = block.tree.get("type").map(Tree::plain).unwrap_or_default();
    if kind.ends_with("tool_use") || !block.input.is_empty() {
        let input = block.arguments(block.tree.get("input"));
        block.tree.put("input", input);
    }
}

/// Most pieces are named as what they go on with.
fn add(block: &mut Block, key: &str, value: &RawValue, sink: &mut DeltaSink) {
    match key {
        // What the block is was told when it began.
        "type" | "id" | "name" => {}
        "partial_json" => block.add_input(value, sink),
        "citation" => block
            .tree
            .entry("citations")
            .push(Tree::Raw(value.get().to_owned())),
        _ => {
            let is_text = block
                .tree
                .get("type")
                .is_some_and(|kind| kind.plain() == "text");
            let words = if is_text { "text" } else { "" };
            block.tree.join_under(key, value, words, sink);
        }
    }
}
