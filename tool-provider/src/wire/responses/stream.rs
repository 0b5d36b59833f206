//! `OpenAI`'s Responses: items by `output_index`, then the whole response.
//!
//! Source: `ResponseStreamEvent` of openai/openai-openapi, `openapi.yaml`, 2026-08.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::super::WireError;
use super::super::call::RawCall;
use super::super::hosted::HostedCalls;
use super::super::read::{Members, elements, is_object, text};
use super::super::stream::tree::{Text, Tree};
use super::super::stream::{Assemble, DeltaSink, unfinished};
use super::response::{call, hosted, words};
use crate::call::ToolCall;

#[derive(Debug, Default)]
pub(in super::super) struct Stream {
    response: Tree,
    items: Vec<Item>,
    /// Number of items in the provider's last report of the whole response.
    told: usize,
    hosted: HostedCalls,
    has_ended: bool,
}

#[derive(Debug)]
struct Item {
    index: String,
    tree: Tree,
    call_id: Option<String>,
    arguments: Text,
    /// Words that were sent.
    words: String,
    place: Option<usize>,
    is_done: bool,
}

impl Assemble for Stream {
    fn event(&mut self, json: &str, sink: &mut DeltaSink) -> Result<(), WireError> {
        let wrong = |error| WireError::json("this is not an event of an OpenAI response", error);
        let event = Members::read(json).map_err(wrong)?;
        let keys = [
            "type",
            "output_index",
            "item",
            "delta",
            "arguments",
            "response",
            "error",
        ];
        let [kind, index, item, delta, arguments, response, error] =
            event.each(keys).map_err(wrong)?;
        let kind = kind.and_then(|kind| text(kind.get()));
        match kind.as_deref().unwrap_or_default() {
            "response.output_item.added" => self.item(index, item, false, sink),
            "response.output_item.done" => self.item(index, item, true, sink),
            "response.function_call_arguments.delta" => {
                if let (Some(item), Some(delta)) = (self.find(index), delta) {
                    item.arguments.push(delta);
                    item.tell(sink);
                }
            }
            "response.function_call_arguments.done" => {
                if let (Some(item), Some(whole)) = (self.find(index), arguments) {
                    item.replace(whole, sink);
                    item.is_done = true;
                }
            }
            "response.output_text.delta" | "response.refusal.delta" => {
                let words = delta
                    .and_then(|delta| text(delta.get()))
                    .map(Cow::into_owned);
                if let (Some(item), Some(words)) = (self.find(index), &words) {
                    item.words.push_str(words);
                }
                sink.words(words);
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                sink.ended = true;
                self.whole(response);
                if self.items.is_empty() {
                    self.only_whole(response, sink);
                }
                if !std::mem::replace(&mut self.has_ended, true) {
                    self.open_hosted(response, sink);
                }
            }
            "response.created" if !self.items.is_empty() => {
                *self = Self::default();
                sink.restart();
                self.whole(response);
            }
            "response.created" | "response.in_progress" | "response.queued" => {
                self.whole(response);
            }
            "error" => {
                let whole: &RawValue = serde_json::from_str(json).map_err(wrong)?;
                return Err(WireError::reported(error.unwrap_or(whole)));
            }
            _ => {}
        }
        Ok(())
    }

    /// The provider's own whole response, if it has all that came. Imitators send one without
    /// output.
    fn finish(self: Box<Self>, ended: bool) -> (Tree, Vec<ToolCall>) {
        let Self {
            mut response,
            items,
            told,
            ..
        } = *self;
        let (mut whole, mut broken) = (Vec::new(), Vec::new());
        for item in items {
            let (tree, is_whole) = item.close(ended);
            if is_whole {
                whole.push(tree);
            } else {
                broken.extend(unfinished(&tree.json(), call));
            }
        }
        if !ended || told < whole.len() || told == 0 {
            response.put("output", Tree::List(whole));
        }
        (response, broken)
    }
}

impl Stream {
    fn find(&mut self, index: Option<&RawValue>) -> Option<&mut Item> {
        let index = index.map_or("", RawValue::get);
        self.items.iter_mut().rfind(|item| item.index == index)
    }

    /// The provider says the response as a whole; the later one has all of the earlier.
    fn whole(&mut self, response: Option<&RawValue>) {
        let Some(raw) = response else {
            return;
        };
        let parts = Members::read(raw.get()).and_then(|response| response.each(["output"]));
        if let Ok([output]) = parts {
            self.told = elements(output).len();
            self.response = Tree::Raw(raw.get().to_owned());
        }
    }

    /// Sends parts of a whole response that did not come in pieces.
    fn only_whole(&mut self, response: Option<&RawValue>, sink: &mut DeltaSink) {
        let output = Members::of(response).get("output");
        for item in elements(output) {
            let first = self.items.len();
            self.item(None, Some(item), true, sink);
            // None of them is another's.
            for item in self.items.iter_mut().skip(first) {
                item.index = format!("whole {first}");
            }
        }
    }

    /// Reports the calls of the provider's own tools whose items were not done when the response ended.
    fn open_hosted(&mut self, response: Option<&RawValue>, sink: &mut DeltaSink) {
        let output = elements(Members::of(response).get("output"));
        let is_done = |place: usize| self.items.get(place).is_some_and(|item| item.is_done);
        let has_all = output.len() >= self.items.len();
        let places = 0..output.len().max(self.items.len());
        for place in places.filter(|place| !is_done(*place)) {
            let item = match output.get(place).filter(|_| has_all) {
                Some(item) => Some((*item).to_owned()),
                None => self
                    .items
                    .get(place)
                    .and_then(|item| RawValue::from_string(item.tree.json()).ok()),
            };
            if let Some(item) = item {
                sink.hosted(&mut self.hosted, hosted(&item, &Members::of(Some(&item))));
            }
        }
    }

    fn item(
        &mut self,
        index: Option<&RawValue>,
        item: Option<&RawValue>,
        is_done: bool,
        sink: &mut DeltaSink,
    ) {
        let Some(raw) = item else {
            return;
        };
        let members = Members::of(Some(raw));
        // Until it is done, a search has another id and no arguments.
        if !is_done && members.says("type", "tool_search_call") {
            return;
        }
        let call = call(&members);
        let index = index.map_or("", RawValue::get);
        let same = |item: &Item| item.index == index && item.is_same(call.as_ref(), is_done);
        if !self.items.iter().any(same) {
            let calls = self.items.iter().filter(|item| item.place.is_some());
            let place = call.is_some().then(|| calls.count());
            if let (Some(place), Some(call)) = (place, &call) {
                sink.call(place, call.name());
            }
            self.items.push(Item {
                index: index.to_owned(),
                tree: Tree::null(),
                call_id: call
                    .as_ref()
                    .and_then(RawCall::given_id)
                    .map(Cow::into_owned),
                arguments: Text::default(),
                words: String::new(),
                place,
                is_done: false,
            });
        }
        let Some(item) = self.items.iter_mut().rfind(|item| same(item)) else {
            return;
        };
        if let Some(arguments) = call.and_then(|call| call.arguments) {
            item.replace(arguments, sink);
        }
        if is_done {
            let words = words(&members);
            let rest = words.strip_prefix(&*item.words).unwrap_or_default();
            sink.words(Some(rest.to_owned()).filter(|rest| !rest.is_empty()));
            item.words = words;
            if !item.is_done {
                sink.hosted(&mut self.hosted, hosted(raw, &members));
            }
        }
        item.tree = Tree::Raw(raw.get().to_owned());
        item.is_done |= is_done;
    }
}

impl Item {
    /// Returns true if the added or ended item is this one. Imitators give all items one index: an item
    /// that is added after this one ended is another, and so is a call with another id.
    fn is_same(&self, call: Option<&RawCall<'_>>, is_done: bool) -> bool {
        let id = call.and_then(RawCall::given_id);
        let has_other_id = self
            .call_id
            .as_deref()
            .zip(id.as_deref())
            .is_some_and(|(own, id)| own != id);
        let is_over = self.is_done && !is_done;
        self.place.is_some() == call.is_some() && !has_other_id && !is_over
    }

    /// The whole arguments: parts that were not sent yet are sent.
    fn replace(&mut self, whole: &RawValue, sink: &mut DeltaSink) {
        let mut arguments = Text::default();
        arguments.push(whole);
        if arguments.is_empty() {
            return;
        }
        if arguments.go_on_from(&self.arguments) {
            self.arguments = arguments;
            self.tell(sink);
        } else {
            let _ = arguments.news();
            self.arguments = arguments;
        }
    }

    fn tell(&mut self, sink: &mut DeltaSink) {
        if let Some(place) = self.place {
            sink.arguments(place, self.arguments.news());
        }
    }

    /// Returns the item, and whether it is a part of the response: all of it came, or words of a message.
    fn close(mut self, ended: bool) -> (Tree, bool) {
        let is_call = self.place.is_some();
        let is_object = || self.arguments.text().is_some_and(|text| is_object(&text));
        let has_words = !is_call && !self.is_done && !self.words.is_empty();
        let is_whole = ended || self.is_done || has_words || (is_call && is_object());
        if has_words {
            // The item is as it was when it began, without words.
            let mut part = Tree::default();
            part.put("type", Tree::string("output_text"));
            part.put("text", Tree::string(&self.words));
            part.put("annotations", Tree::List(Vec::new()));
            self.tree.put("content", Tree::List(vec![part]));
            let status = if ended { "completed" } else { "incomplete" };
            self.tree.put("status", Tree::string(status));
        }
        if is_call && !self.arguments.is_empty() {
            self.tree.put("arguments", Tree::Text(self.arguments));
            self.tree.open_object();
            let is_ours = self
                .tree
                .get("type")
                .is_some_and(|kind| kind.plain() == "function_call");
            if is_whole && is_ours {
                self.tree.put("status", Tree::string("completed"));
            }
        }
        (self.tree, is_whole)
    }
}
