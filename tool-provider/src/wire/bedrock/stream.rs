//! Amazon Bedrock's `ConverseStream`: one object an event, named by its one key, as the SDKs give
//! it.
//!
//! Source: the shape `ConverseStreamOutput` of botocore's `bedrock-runtime` 2023-09-30
//! `service-2.json`, botocore 1.44, 2026-11.

use serde_json::value::RawValue;

use super::super::WireError;
use super::super::read::Members;
use super::super::stream::blocks::{Block, Blocks};
use super::super::stream::tree::Tree;
use super::super::stream::{Assemble, DeltaSink, unfinished};
use super::response::{call, hosted};
use crate::call::ToolCall;

#[derive(Debug, Default)]
pub(in super::super) struct Stream {
    response: Tree,
    role: Option<Tree>,
    blocks: Blocks,
}

impl Assemble for Stream {
    fn event(&mut self, json: &str, sink: &mut DeltaSink) -> Result<(), WireError> {
        let event = Members::read(json)
            .map_err(|error| WireError::json("this is not an event of a Bedrock stream", error))?;
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
                "messageStart" => {
                    if self.role.is_some() {
                        *self = Self::default();
                        sink.restart();
                    }
                    self.role = Some(role.map_or_else(Tree::null, Tree::of));
                }
                "contentBlockStart" => {
                    if let Some(begun) = start {
                        self.blocks.begin(index, begun, call, sink);
                    }
                }
                "contentBlockDelta" => self.blocks.join(index, delta, add, sink),
                "contentBlockStop" => self.blocks.stop(index, close, hosted, sink),
                "messageStop" => {
                    self.response.join(value);
                    sink.ended = true;
                    self.blocks.stop_all(close, hosted, sink);
                }
                "metadata" => self.response.join(value),
                _ => {}
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>, ended: bool) -> (Tree, Vec<ToolCall>) {
        let Self {
            mut response,
            role,
            blocks,
        } = *self;
        let (mut whole, mut broken) = (Vec::new(), Vec::new());
        for mut block in blocks.into_iter() {
            let is_whole = block.is_whole(ended);
            close(&mut block);
            if is_whole || block.tree.get("text").is_some() {
                whole.push(block.tree);
            } else {
                // Half a thought is not taken back: it has no signature.
                broken.extend(unfinished(&block.tree.json(), call));
            }
        }
        let mut message = Tree::default();
        message.put("role", role.unwrap_or_else(|| Tree::string("assistant")));
        message.put("content", Tree::List(whole));
        response.entry("output").put("message", message);
        (response, broken)
    }
}

/// The pieces of a call's input become the input.
fn close(block: &mut Block) {
    if block.tree.some("toolUse").is_some() {
        let tool_use = block.tree.entry("toolUse");
        tool_use.open_object();
        let begun = tool_use.get("input").cloned();
        let input = block.arguments(begun.as_ref());
        block.tree.entry("toolUse").put("input", input);
    }
}

/// Adds a piece to a block. In a whole message, the content of a call or a thought stands elsewhere.
fn add(block: &mut Block, key: &str, value: &RawValue, sink: &mut DeltaSink) {
    let parts = match key {
        "toolUse" | "reasoningContent" => Members::of(Some(value)),
        "citation" => return,
        // Of a tool that runs at the provider.
        "toolResult" => {
            block.tree.entry(key).entry("content").join(value);
            return;
        }
        _ => {
            block.tree.join_under(key, value, "text", sink);
            return;
        }
    };
    for (part, value) in parts.iter() {
        match (key, part) {
            ("toolUse", "input") => block.add_input(value, sink),
            // A call is what began as one, of the tool that was told then.
            ("toolUse", "name" | "toolUseId") => {}
            ("toolUse", _) if block.tree.some(key).is_none() => {}
            ("reasoningContent", "text" | "signature") => {
                let thought = block.tree.entry(key).entry("reasoningText");
                thought.entry(part).join(value);
            }
            _ => block.tree.entry(key).entry(part).join(value),
        }
    }
}
