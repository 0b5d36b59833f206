//! Anthropic's Messages: `content_block_start`, `_delta`, `_stop` by `index`.
//!
//! Source: the type `RawMessageStreamEvent` of anthropic-sdk-python 2.12, 2026-11.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::WireError;
use super::super::raw::{Entries, object, text};
use super::super::stream::blocks::{Block, Blocks};
use super::super::stream::tree::{Text, Tree};
use super::super::stream::{Assemble, StreamEvent, Streamed, unfinished};
use super::raw_call;

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

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Option<&'a RawValue>,
    #[serde(borrow, default)]
    index: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content_block: Option<&'a RawValue>,
    #[serde(borrow, default)]
    delta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

impl Assemble for Stream {
    fn event(&mut self, json: &str, news: &mut Vec<StreamEvent>) -> Result<(), WireError> {
        let event: Event<'_> = object(json)
            .map_err(|error| WireError::json("this is no event of an Anthropic stream", error))?;
        let kind = event.kind.and_then(|kind| text(kind.get()));
        match kind.as_deref() {
            Some("message_start") => {
                if let Some(message) = event.message {
                    self.message.join(message);
                }
            }
            Some("content_block_start") => {
                if let Some(begun) = event.content_block {
                    self.blocks.begin(event.index, begun, raw_call, news);
                }
            }
            Some("content_block_delta") => self.delta(&event, news),
            Some("content_block_stop") => self.blocks.at(event.index).is_stopped = true,
            Some("message_delta") => {
                if let Some(Ok(Entries(delta))) = event.delta.map(|delta| object(delta.get())) {
                    for (key, value) in delta {
                        self.ended |= key == "stop_reason" && value.get() != "null";
                        self.message.set(&key, value);
                    }
                }
                if let Some(usage) = event.usage {
                    self.message.entry("usage").join(usage);
                }
            }
            Some("message_stop") => self.ended = true,
            Some("error") => {
                return Err(event.error.map_or_else(
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
                broken.extend(unfinished(&block.tree.json(), raw_call));
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
    fn delta(&mut self, event: &Event<'_>, news: &mut Vec<StreamEvent>) {
        let Some(Ok(Entries(delta))) = event.delta.map(|delta| object(delta.get())) else {
            return;
        };
        let block = self.blocks.at(event.index);
        for (key, value) in delta {
            add(block, &key, value, news);
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
