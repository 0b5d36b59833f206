//! `OpenAI`'s Responses: items by `output_index`, then the whole response.
//!
//! Source: `ResponseStreamEvent` of openai/openai-openapi, `openapi.yaml`, 2026-08.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::super::WireError;
use super::super::call::RawCall;
use super::super::read::{Members, elements, is_object, text};
use super::super::stream::tree::{Text, Tree};
use super::super::stream::{Assemble, StreamEvent, Streamed, unfinished};
use super::response::call;

#[derive(Debug)]
pub(super) struct Stream {
    response: Tree,
    items: Vec<Item>,
    ended: bool,
    /// How many items the provider's last word of the whole response has.
    told: usize,
}

impl Default for Stream {
    fn default() -> Self {
        Self {
            response: Tree::empty_object(),
            items: Vec::new(),
            ended: false,
            told: 0,
        }
    }
}

#[derive(Debug)]
struct Item {
    index: String,
    tree: Tree,
    call_id: Option<String>,
    arguments: Text,
    place: Option<usize>,
    is_done: bool,
}

impl Assemble for Stream {
    fn event(&mut self, json: &str, news: &mut Vec<StreamEvent>) -> Result<(), WireError> {
        let wrong = |error| WireError::json("this is no event of an OpenAI response", error);
        let event = Members::read(json).map_err(wrong)?;
        let keys = [
            "output_index",
            "item",
            "delta",
            "arguments",
            "response",
            "error",
        ];
        let parts = event.each(["type"]).and_then(|_| event.each(keys));
        let [index, item, delta, arguments, response, error] = parts.map_err(wrong)?;
        match event.words("type").as_str() {
            "response.output_item.added" => self.item(index, item, false, news),
            "response.output_item.done" => self.item(index, item, true, news),
            "response.function_call_arguments.delta" => {
                if let (Some(item), Some(delta)) = (self.find(index), delta) {
                    item.arguments.push(delta);
                    item.tell(news);
                }
            }
            "response.function_call_arguments.done" => {
                if let (Some(item), Some(whole)) = (self.find(index), arguments) {
                    item.replace(whole, news);
                    item.is_done = true;
                }
            }
            "response.output_text.delta" => {
                let words = delta.and_then(|delta| text(delta.get()));
                news.extend(words.map(|words| StreamEvent::Text(words.into_owned())));
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.ended = true;
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

    fn end(&mut self) {
        self.ended = true;
    }

    /// The provider's own whole response, if it has all that came. Imitators send one without
    /// output.
    fn finish(self: Box<Self>) -> Streamed {
        let Self {
            mut response,
            items,
            ended,
            told,
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
        Streamed {
            response: response.json(),
            ended,
            unfinished: broken,
        }
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

    fn item(
        &mut self,
        index: Option<&RawValue>,
        item: Option<&RawValue>,
        is_done: bool,
        news: &mut Vec<StreamEvent>,
    ) {
        let Some(raw) = item else {
            return;
        };
        let call = call(&Members::of(Some(raw)));
        let index = index.map_or("", RawValue::get);
        let same = |item: &Item| item.index == index && item.is_same(call.as_ref(), is_done);
        if !self.items.iter().any(same) {
            let calls = self.items.iter().filter(|item| item.place.is_some());
            let place = call.is_some().then(|| calls.count());
            if let (Some(place), Some(call)) = (place, &call) {
                let name = call.name().into_owned();
                news.push(StreamEvent::Call { place, name });
            }
            self.items.push(Item {
                index: index.to_owned(),
                tree: Tree::default(),
                call_id: call
                    .as_ref()
                    .and_then(RawCall::given_id)
                    .map(Cow::into_owned),
                arguments: Text::default(),
                place,
                is_done: false,
            });
        }
        let Some(item) = self.items.iter_mut().rfind(|item| same(item)) else {
            return;
        };
        if let Some(arguments) = call.and_then(|call| call.arguments) {
            item.replace(arguments, news);
        }
        item.tree = Tree::Raw(raw.get().to_owned());
        item.is_done |= is_done;
    }
}

impl Item {
    /// Whether what is added or done is this one. Imitators give all items one index: what is added
    /// after this was done is another, and so is a call of another id.
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

    /// The whole arguments: what of them was not told yet is news.
    fn replace(&mut self, whole: &RawValue, news: &mut Vec<StreamEvent>) {
        let mut arguments = Text::default();
        arguments.push(whole);
        if arguments.is_empty() {
            return;
        }
        if arguments.go_on_from(&self.arguments) {
            self.arguments = arguments;
            self.tell(news);
        } else {
            let _ = arguments.news();
            self.arguments = arguments;
        }
    }

    fn tell(&mut self, news: &mut Vec<StreamEvent>) {
        if let (Some(place), Some(text)) = (self.place, self.arguments.news()) {
            news.push(StreamEvent::Arguments { place, text });
        }
    }

    /// The item, and whether all of it came.
    fn close(mut self, ended: bool) -> (Tree, bool) {
        let is_call = self.place.is_some();
        let is_object = || self.arguments.text().is_some_and(|text| is_object(&text));
        let is_whole = ended || self.is_done || (is_call && is_object());
        if is_call && !self.arguments.is_empty() {
            self.tree.put("arguments", Tree::Text(self.arguments));
            if is_whole {
                self.tree.put("status", Tree::string("completed"));
            }
        }
        (self.tree, is_whole)
    }
}
