//! Source: the types `tool_search_tool_param`, `namespace_tool_param`, `response_tool_search_call` and
//! `response_tool_search_output_item_param_param` of openai-python 3.57, and the guide "Tool search" of `OpenAI`'s
//! documentation, 2026-11.

use std::sync::LazyLock;

use serde_json::value::RawValue;
use toolwright_json::{ObjectWriter, list, quoted};

use super::super::call::{RawCall, as_object};
use super::super::loading::{
    Echoed, Loadable, Loading, Loads, Namespace, SEARCH_TOOLS, WriteLoading, references,
};
use super::super::read::{Members, elements};
use super::super::tool_declaration::ToolDeclaration;
use super::OpenAiResponses;
use crate::call::{Encoder, ToolCall, ToolResult};

impl WriteLoading for OpenAiResponses {
    fn search(&self, tool: &ToolDeclaration<'_>) -> String {
        tool.open()
            .text("type", "tool_search")
            .text("execution", "client")
            .text("description", &tool.description())
            .with("parameters", |out| tool.write_schema(out))
            .end()
    }

    fn hosted(&self, _: Loading) -> String {
        ObjectWriter::new().text("type", "tool_search").end()
    }

    /// If the client searches, the request has no other declarations.
    fn deferred(&self, tools: &[Loadable<'_>], loading: Loading) -> Vec<String> {
        if loading.is_hosted() {
            grouped(tools)
        } else {
            Vec::new()
        }
    }

    /// A call names the group of its tool, if that is deferred.
    fn takes_back(&self, native: &[String], loads: &dyn Loads) -> bool {
        let items = native.iter().filter_map(|item| Members::read(item).ok());
        let mut calls = items.filter(|item| item.says("type", "function_call"));
        calls.all(|call| {
            let (name, group) = (call.words("name"), call.words("namespace"));
            let own = loads.namespace_of(&name).map_or("", Namespace::name);
            !loads.has(&name) || group == own
        })
    }

    fn refers_anywhere(&self) -> bool {
        false
    }

    /// There is no place for words in the output, so they are a message behind it.
    fn found(&self, result: &ToolResult, tools: &[Loadable<'_>], encoder: Encoder) -> Vec<String> {
        let words = references(result).next().is_none().then(|| {
            ObjectWriter::new()
                .text("role", "developer")
                .text("content", &result.content(encoder))
                .end()
        });
        let output = output(&result.id, tools);
        std::iter::once(output).chain(words).collect()
    }

    fn load(&self, number: usize, tools: &[Loadable<'_>]) -> Vec<String> {
        let id = format!("load_{number}");
        let names = tools.iter().map(|tool| tool.name).collect::<Vec<_>>();
        let query = quoted(&names.join(" "));
        let call = ToolCall::new(
            &*id,
            SEARCH_TOOLS,
            ObjectWriter::new().json("query", &query).end(),
        );
        vec![search(&call), output(&id, tools)]
    }
}

/// A search as the model would have made it.
pub(super) fn search(call: &ToolCall) -> String {
    ObjectWriter::new()
        .text("type", "tool_search_call")
        .text("execution", "client")
        .text("call_id", &call.id)
        .text("status", "completed")
        .json("arguments", &as_object(&call.arguments))
        .end()
}

fn output(id: &str, tools: &[Loadable<'_>]) -> String {
    ObjectWriter::new()
        .text("type", "tool_search_output")
        .text("execution", "client")
        .text("call_id", id)
        .text("status", "completed")
        .json("tools", &list(grouped(tools)))
        .end()
}

/// The tools in their groups, in the order in which those come first. The API wants words about each group.
fn grouped(tools: &[Loadable<'_>]) -> Vec<String> {
    let mut groups: Vec<(&Loadable<'_>, Vec<String>)> = Vec::new();
    for tool in tools {
        let text = deferred(&tool.definition);
        let known = groups
            .iter_mut()
            .find(|(first, _)| first.namespace.name() == tool.namespace.name());
        match known {
            Some((_, texts)) => texts.push(text),
            None => groups.push((tool, vec![text])),
        }
    }
    let written = groups.into_iter().map(|(first, texts)| {
        let (name, words) = (first.namespace.name(), first.namespace.description());
        let words = if words.is_empty() { name } else { words };
        ObjectWriter::new()
            .text("type", "namespace")
            .text("name", name)
            .text("description", words)
            .json("tools", &list(texts))
            .end()
    });
    written.collect()
}

/// A definition that says that it is deferred.
pub(in super::super) fn deferred(definition: &str) -> String {
    let open = definition.strip_suffix('}').unwrap_or(definition);
    format!("{open},\"defer_loading\":true}}")
}

pub(super) fn echoed(native: &[String]) -> Echoed {
    let mut echoed = Echoed::default();
    for item in native {
        let Ok(item) = Members::read(item) else {
            continue;
        };
        let is_async = item.get("async").is_some_and(|value| value.get() == "true");
        if is_async && item.says("type", "function_call") {
            echoed.async_calls.push(item.words("call_id"));
        } else if is_client_search(&item) {
            echoed.searches.push(item.words("call_id"));
        }
        echoed.loaded.extend(loaded(&item));
    }
    echoed
}

/// A search that the provider leaves to the client. It is a call of `search_tools`.
pub(super) fn client_search<'t>(item: &Members<'t>) -> Option<RawCall<'t>> {
    static NAME: LazyLock<Option<Box<RawValue>>> =
        LazyLock::new(|| RawValue::from_string(quoted(SEARCH_TOOLS)).ok());
    is_client_search(item).then(|| {
        let parts = item.each(["call_id", "arguments"]);
        let [id, arguments] = parts.unwrap_or_default();
        RawCall::of([id, NAME.as_deref(), arguments])
    })
}

fn is_client_search(item: &Members<'_>) -> bool {
    item.says("type", "tool_search_call") && !item.says("execution", "server")
}

/// The tools that the provider's own search has loaded.
pub(super) fn loaded(item: &Members<'_>) -> Vec<String> {
    if !item.says("type", "tool_search_output") {
        return Vec::new();
    }
    let tools = elements(item.get("tools")).into_iter();
    let tools = tools.flat_map(|tool| {
        let tool = Members::of(Some(tool));
        if tool.says("type", "namespace") {
            let inner = elements(tool.get("tools")).into_iter();
            inner.map(|tool| Members::of(Some(tool))).collect()
        } else {
            vec![tool]
        }
    });
    tools.map(|tool| tool.words("name")).collect()
}
