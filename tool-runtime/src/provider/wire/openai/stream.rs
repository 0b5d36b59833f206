//! `OpenAI`'s Chat Completions: `choices[].delta`, of which calls come by `index`.
//!
//! Source: `CreateChatCompletionStreamResponse` of openai/openai-openapi, `openapi.yaml`, 2026-08.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::WireError;
use super::super::raw::{Entries, elements, is_object, object, text};
use super::super::stream::tree::{Text, Tree};
use super::super::stream::{Assemble, StreamEvent, Streamed, unfinished};
use super::raw_call;

#[derive(Debug)]
pub(super) struct Stream {
    head: Tree,
    message: Tree,
    calls: Vec<Call>,
    finish_reason: Option<String>,
    ended: bool,
}

impl Default for Stream {
    fn default() -> Self {
        Self {
            head: Tree::empty_object(),
            message: Tree::empty_object(),
            calls: Vec::new(),
            finish_reason: None,
            ended: false,
        }
    }
}

#[derive(Debug)]
struct Call {
    index: Option<String>,
    tree: Tree,
    is_told: bool,
}

impl Call {
    /// Whether nothing can follow: its arguments are a whole object.
    fn is_whole(&mut self) -> bool {
        is_object(&self.tree.entry("function").entry("arguments").plain())
    }

    /// Whether it is a call of another tool.
    fn is_of_other(&mut self, name: &str) -> bool {
        let own = self.tree.entry("function").get("name").map(Tree::plain);
        own.is_some_and(|own| own != name)
    }
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow, default)]
    index: Option<&'a RawValue>,
    #[serde(borrow, default)]
    delta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    finish_reason: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Piece<'a> {
    #[serde(borrow, default)]
    index: Option<&'a RawValue>,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    function: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
}

impl Assemble for Stream {
    fn event(&mut self, json: &str, news: &mut Vec<StreamEvent>) -> Result<(), WireError> {
        let Entries(entries) = object(json)
            .map_err(|error| WireError::json("this is no event of an OpenAI chat stream", error))?;
        for (key, value) in entries {
            match &*key {
                "error" => WireError::none_reported(value)?,
                // Of chunks alone.
                "object" | "obfuscation" => {}
                "choices" => {
                    for choice in elements(Some(value)) {
                        self.choice(choice, news);
                    }
                }
                _ => self.head.set(&key, value),
            }
        }
        Ok(())
    }

    fn end(&mut self) {
        self.ended = true;
    }

    fn finish(self: Box<Self>) -> Streamed {
        let Self {
            mut head,
            mut message,
            calls,
            finish_reason,
            ended,
        } = *self;
        let mut broken = Vec::new();
        let mut whole = Vec::new();
        for mut call in calls {
            if ended || call.is_whole() {
                whole.push(call.tree);
            } else {
                broken.extend(unfinished(&call.tree.json(), |call| Some(raw_call(call))));
            }
        }
        if message.get("role").is_none() {
            message.put("role", Tree::string("assistant"));
        }
        if !whole.is_empty() {
            message.put("tool_calls", Tree::List(whole));
        }
        let mut choice = Tree::empty_object();
        choice.put("index", Tree::Raw("0".into()));
        choice.put("message", message);
        let reason = finish_reason.map_or_else(Tree::default, Tree::Raw);
        choice.put("finish_reason", reason);
        head.put("object", Tree::string("chat.completion"));
        head.put("choices", Tree::List(vec![choice]));
        Streamed {
            response: head.json(),
            ended,
            unfinished: broken,
        }
    }
}

impl Stream {
    /// A request with tools asks for one choice; pieces of others are not for us.
    fn choice(&mut self, choice: &RawValue, news: &mut Vec<StreamEvent>) {
        let Ok(choice) = object::<Choice<'_>>(choice.get()) else {
            return;
        };
        if choice
            .index
            .is_some_and(|index| !matches!(index.get(), "0" | "null"))
        {
            return;
        }
        if let Some(reason) = choice.finish_reason.filter(|reason| reason.get() != "null") {
            self.finish_reason = Some(reason.get().to_owned());
            self.ended = true;
        }
        let Some(Ok(Entries(delta))) = choice.delta.map(|delta| object(delta.get())) else {
            return;
        };
        for (key, value) in delta {
            match &*key {
                "tool_calls" => {
                    for piece in elements(Some(value)) {
                        self.call(piece, news);
                    }
                }
                "role" => self.message.set(&key, value),
                _ => {
                    let entry = self.message.entry(&key);
                    entry.join(value);
                    if key == "content" {
                        let words = entry.as_text_mut().and_then(Text::news);
                        news.extend(words.map(StreamEvent::Text));
                    }
                }
            }
        }
    }

    fn call(&mut self, piece: &RawValue, news: &mut Vec<StreamEvent>) {
        let Ok(parts) = object::<Piece<'_>>(piece.get()) else {
            return;
        };
        let place = self.place(&parts);
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
                news.push(StreamEvent::Call { place, name });
            }
        }
        let arguments = function.entry("arguments").as_text_mut();
        let fragment = arguments.and_then(Text::news);
        news.extend(fragment.map(|text| StreamEvent::Arguments { place, text }));
    }

    /// Which call a piece belongs to; a new one if to none.
    ///
    /// Imitators leave the index out, where the id or the order tells, or give every call the same:
    /// another id with a name begins another call after whole arguments, or where the name is another.
    fn place(&mut self, piece: &Piece<'_>) -> usize {
        let id = piece.id.and_then(|id| text(id.get()));
        let id = id.filter(|id| !id.is_empty());
        let function = piece
            .function
            .and_then(|function| object(function.get()).ok());
        let name = function.and_then(|function: Named<'_>| text(function.name?.get()));
        let name = name.filter(|name| !name.is_empty());
        let has_id = |call: &Call, id: &str| {
            let own = call.tree.get("id").map(Tree::plain);
            own.is_some_and(|own| own == id)
        };
        let index = piece
            .index
            .map(RawValue::get)
            .filter(|index| *index != "null");
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
                tree: Tree::empty_object(),
                is_told: false,
            });
            self.calls.len() - 1
        })
    }
}
