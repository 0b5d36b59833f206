//! Source: the types `tool_search_tool_bm25_20251119_param`, `tool_search_tool_regex_20251119_param`,
//! `tool_reference_block_param` and `tool_search_tool_search_result_block` of anthropic-sdk-python 2.14, and "Tool search
//! tool" of Anthropic's documentation, 2026-11.

use std::borrow::Cow;

use toolwright_json::{ObjectWriter, list, quoted};

use super::super::WriteRequest;
use super::super::conversation::message;
use super::super::loading::{Echoed, Loadable, Loading, SEARCH_TOOLS, WriteLoading};
use super::super::read::{Members, elements};
use super::super::responses::loading::deferred;
use super::super::tool_declaration::ToolDeclaration;
use super::Anthropic;
use super::request::{block_json, is_empty};
use crate::call::{Encoder, Outcome, ToolResult};

impl WriteLoading for Anthropic {
    fn most(&self) -> usize {
        10_000
    }

    fn search(&self, tool: &ToolDeclaration<'_>) -> String {
        self.definition(tool)
    }

    fn reserved(&self, loading: Loading) -> Option<&'static str> {
        match loading {
            Loading::Hosted => Some("tool_search_tool_bm25"),
            Loading::HostedRegex => Some("tool_search_tool_regex"),
            Loading::Plain | Loading::Native => None,
        }
    }

    fn hosted(&self, loading: Loading) -> String {
        let name = self.reserved(loading).unwrap_or_default();
        let kind = format!("{name}_20251119");
        ObjectWriter::new()
            .text("type", &kind)
            .text("name", name)
            .end()
    }

    /// A reference leads to a definition of the same request, so each request holds them all.
    fn deferred(&self, tools: &[Loadable<'_>], _: Loading) -> Vec<String> {
        tools
            .iter()
            .map(|tool| deferred(&uncached(&tool.definition)))
            .collect()
    }

    fn refers_anywhere(&self) -> bool {
        true
    }

    /// References stand where the answer has them. Tools that left the request become text.
    fn found(&self, result: &ToolResult, tools: &[Loadable<'_>], _: Encoder) -> Vec<String> {
        let blocks = match &result.outcome {
            Ok(Outcome::Content(content)) => content.blocks(),
            _ => &[],
        };
        let blocks = blocks.iter().filter(|block| !is_empty(block));
        let blocks = blocks.map(|block| {
            let found = block.tool();
            let found = found.and_then(|name| tools.iter().find(|tool| tool.name == name));
            found.map_or_else(|| block_json(block), |tool| reference(tool.name))
        });
        let answer = ObjectWriter::new()
            .text("type", "tool_result")
            .text("tool_use_id", &result.id)
            .json("content", &list(blocks));
        vec![message("user", "content", [answer.end()])]
    }

    fn load(&self, number: usize, tools: &[Loadable<'_>]) -> Vec<String> {
        let id = format!("load_{number}");
        let names = tools.iter().map(|tool| tool.name).collect::<Vec<_>>();
        let input = ObjectWriter::new().json("query", &quoted(&names.join(" ")));
        let call = ObjectWriter::new()
            .text("type", "tool_use")
            .text("id", &id)
            .text("name", SEARCH_TOOLS)
            .json("input", &input.end());
        let answer = ObjectWriter::new()
            .text("type", "tool_result")
            .text("tool_use_id", &id)
            .json(
                "content",
                &list(tools.iter().map(|tool| reference(tool.name))),
            );
        vec![
            message("assistant", "content", [call.end()]),
            message("user", "content", [answer.end()]),
        ]
    }
}

/// A definition without `cache_control`, which is refused of a deferred tool.
fn uncached(definition: &str) -> Cow<'_, str> {
    let members = Members::read(definition).unwrap_or_default();
    if members.get("cache_control").is_none() {
        return Cow::Borrowed(definition);
    }
    let kept = members.iter().filter(|(key, _)| *key != "cache_control");
    let kept = kept.fold(ObjectWriter::new(), |object, (key, value)| {
        object.json(key, value.get())
    });
    Cow::Owned(kept.end())
}

fn reference(name: &str) -> String {
    ObjectWriter::new()
        .text("type", "tool_reference")
        .text("tool_name", name)
        .end()
}

pub(super) fn echoed(native: &[String]) -> Echoed {
    let messages = native
        .iter()
        .filter_map(|message| Members::read(message).ok());
    let loaded = messages.flat_map(|message| {
        let blocks = elements(message.get("content")).into_iter();
        let loaded = blocks.flat_map(|block| loaded(&Members::of(Some(block))));
        loaded.collect::<Vec<_>>()
    });
    Echoed {
        loaded: loaded.collect(),
        ..Echoed::default()
    }
}

/// The tools that Anthropic's own search has loaded.
pub(super) fn loaded(block: &Members<'_>) -> Vec<String> {
    if !block.says("type", "tool_search_tool_result") {
        return Vec::new();
    }
    let result = Members::of(block.get("content"));
    let found = elements(result.get("tool_references")).into_iter();
    let found = found.map(|reference| Members::of(Some(reference)).words("tool_name"));
    found.collect()
}
