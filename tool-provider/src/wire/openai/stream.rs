//! `OpenAI`'s Chat Completions: `choices[].delta`, of which calls come by `index`.
//!
//! Source: `CreateChatCompletionStreamResponse` of openai/openai-openapi, `openapi.yaml`, 2026-08.

use serde_json::value::RawValue;

use super::super::WireError;
use super::super::hosted::HostedCalls;
use super::super::read::{Members, elements, is_object, text};
use super::super::stream::tree::Tree;
use super::super::stream::word_keys::WordKeys;
use super::super::stream::{Assemble, DeltaSink, ResponseId, unfinished};
use super::failed_call::failed_calls;
use super::response::{EXECUTED_TOOLS, call, executed};
use crate::call::ToolCall;

#[derive(Debug, Default)]
pub(in super::super) struct Stream {
    head: Tree,
    message: Tree,
    word_keys: WordKeys,
    calls: Vec<Call>,
    hosted: HostedCalls,
    finish_reason: Option<String>,
    id: ResponseId,
}

#[derive(Debug)]
struct Call {
    index: Option<String>,
    tree: Tree,
    is_told: bool,
}

impl Call {
    /// Returns true if nothing can follow: the call's arguments are a whole object.
    fn is_whole(&mut self) -> bool {
        is_object(&self.tree.entry("function").entry("arguments").plain())
    }

    /// Returns true if it is a call of another tool.
    fn is_of_other(&mut self, name: &str) -> bool {
        let own = self.tree.entry("function").get("name").map(Tree::plain);
        own.is_some_and(|own| own != name)
    }
}

impl Assemble for Stream {
    fn event(&mut self, json: &str, sink: &mut DeltaSink) -> Result<(), WireError> {
        let event = Members::read(json).map_err(|error| {
            WireError::json("this is not an event of an OpenAI chat stream", error)
        })?;
        // The first piece of a response has the role. Usage alone may have an id of its own.
        let choices = elements(event.get("choices")).into_iter();
        let deltas = choices.map(|choice| Members::of(Members::of(Some(choice)).get("delta")));
        let deltas: Vec<_> = deltas.collect();
        let begins = deltas.iter().any(|delta| delta.get("role").is_some());
        if !deltas.is_empty() && self.id.changes(event.words("id")) && begins {
            let id = std::mem::take(&mut self.id);
            *self = Self {
                id,
                ..Self::default()
            };
            sink.restart();
        }
        for (key, value) in event.iter() {
            match key {
                "error" => match failed_calls(value) {
                    Some(calls) => self.failed(calls, sink),
                    None => WireError::none_reported(value)?,
                },
                // Of chunks alone.
                "object" | "obfuscation" => {}
                "choices" => {
                    for choice in elements(Some(value)) {
                        self.choice(choice, sink);
                    }
                }
                _ => self.head.set(key, value),
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>, ended: bool) -> (Tree, Vec<ToolCall>) {
        let Self {
            mut head,
            mut message,
            word_keys,
            calls,
            finish_reason,
            ..
        } = *self;
        let mut broken = Vec::new();
        let mut whole = Vec::new();
        for mut call in calls {
            call.tree.once(true);
            if ended || call.is_whole() {
                whole.push(call.tree);
            } else {
                broken.extend(unfinished(&call.tree.json(), |element| {
                    Some(self::call(element))
                }));
            }
        }
        word_keys.once(&mut message);
        if message.get("role").is_none() {
            message.put("role", Tree::string("assistant"));
        }
        if !whole.is_empty() {
            message.put("tool_calls", Tree::List(whole));
        }
        let mut choice = Tree::default();
        choice.put("index", Tree::Raw("0".into()));
        choice.put("message", message);
        let reason = finish_reason.map_or_else(Tree::null, Tree::Raw);
        choice.put("finish_reason", reason);
        head.put("object", Tree::string("chat.completion"));
        head.put("choices", Tree::List(vec![choice]));
        (head, broken)
    }
}

impl Stream {
    /// A request with tools asks for one choice; pieces of others are not for us.
    fn choice(&mut self, choice: &RawValue, sink: &mut DeltaSink) {
        let keys = ["index", "delta", "finish_reason", "usage"];
        let Ok([index, delta, finish_reason, usage]) = Members::of(Some(choice)).each(keys) else {
            return;
        };
        if index.is_some_and(|index| index.get() != "0") {
            return;
        }
        if let Some(reason) = finish_reason {
            self.finish_reason = Some(reason.get().to_owned());
            sink.ended = true;
        }
        if let Some(usage) = usage {
            self.head.set("usage", usage);
        }
        let (delta, before) = (Members::of(delta), sink.len());
        for (key, value) in delta.iter() {
            match key {
                "tool_calls" => {
                    for piece in elements(Some(value)) {
                        self.call(piece, sink);
                    }
                }
                "role" => self.message.set(key, value),
                // A refusal is the answer's words, too.
                "refusal" => self.message.join_under(key, value, key, sink),
                _ => self.message.join_under(key, value, "content", sink),
            }
        }
        self.word_keys.count(&delta, before, sink);
        if delta.get(EXECUTED_TOOLS).is_some() {
            let tools = RawValue::from_string(self.message.entry(EXECUTED_TOOLS).json());
            sink.all_hosted(&mut self.hosted, executed(tools.ok().as_deref()));
        }
    }

    /// Calls that the provider could not read are answered like any broken ones.
    fn failed(&mut self, calls: Vec<(String, String)>, sink: &mut DeltaSink) {
        for (name, arguments) in calls {
            let place = self.calls.len();
            let mut tree = Tree::default();
            let function = tree.entry("function");
            function.put("name", Tree::string(&name));
            function.put("arguments", Tree::string(&arguments));
            tree.put("type", Tree::string("function"));
            sink.call(place, name);
            sink.arguments(place, Some(arguments));
            self.calls.push(Call {
                index: None,
                tree,
                is_told: true,
            });
        }
        self.finish_reason = Some("\"tool_calls\"".to_owned());
        sink.ended = true;
    }

    fn call(&mut self, piece: &RawValue, sink: &mut DeltaSink) {
        let Ok(members) = Members::read(piece.get()) else {
            return;
        };
        let Ok([index, id, function]) = members.each(["index", "id", "function"]) else {
            return;
        };
        let place = self.place(index, id, function);
        let Some(call) = self.calls.get_mut(place) else {
            return;
        };
        call.tree.join(piece);
        call.tree.remove("index");
        let function = call.tree.entry("function");
        function.open_object();
        if !call.is_told {
            let name = function.get("name").map(Tree::plain);
            if let Some(name) = name.filter(|name| !name.is_empty() && name != "null") {
                call.is_told = true;
                sink.call(place, name);
            }
        }
        sink.arguments(place, function.entry("arguments").news());
    }

    /// Returns the position of the call that a piece belongs to; a new one if to none.
    ///
    /// Imitators leave the index out, where the id or the order tells, or give every call the same:
    /// another id with a name begins another call after whole arguments, or where the name is another.
    fn place(
        &mut self,
        index: Option<&RawValue>,
        id: Option<&RawValue>,
        function: Option<&RawValue>,
    ) -> usize {
        let said = |json: Option<&RawValue>| {
            let said = json.and_then(|json| Some(text(json.get())?.into_owned()));
            said.filter(|said| !said.is_empty())
        };
        let id = said(id);
        let name = said(Members::of(function).one("name").ok());
        let has_id = |call: &Call, id: &str| {
            let own = call.tree.get("id").map(Tree::plain);
            own.is_some_and(|own| own == id)
        };
        let index = index.map(RawValue::get);
        let found = match (index, &id) {
            (Some(index), id) => {
                let same = |call: &Call| call.index.as_deref() == Some(index);
                let is_another = |call: &mut Call| {
                    let other = |id: &str| call.tree.get("id").is_some() && !has_id(call, id);
                    let has_other_id = id.as_deref().is_some_and(other);
                    let is_after = |name: &str| call.is_whole() || call.is_of_other(name);
                    has_other_id && name.as_deref().is_some_and(is_after)
                };
                let at = self.calls.iter().rposition(same);
                at.filter(|at| !self.calls.get_mut(*at).is_some_and(is_another))
            }
            (None, Some(id)) => self.calls.iter().rposition(|call| has_id(call, id)),
            (None, None) if name.is_some() => None,
            (None, None) => self.calls.len().checked_sub(1),
        };
        found.unwrap_or_else(|| {
            self.calls.push(Call {
                index: index.map(str::to_owned),
                tree: Tree::default(),
                is_told: false,
            });
            self.calls.len() - 1
        })
    }
}
