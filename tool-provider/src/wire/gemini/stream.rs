//! Gemini's `streamGenerateContent`: whole responses, of which each has the parts that are new.
//! Calls come whole, or their arguments path by path.
//!
//! Source: `GenerateContentResponse` of the Gemini API reference (v1beta), 2026-11.

use serde_json::value::RawValue;

use super::super::WireError;
use super::super::hosted::HostedCalls;
use super::super::read::{Members, elements};
use super::super::stream::tree::{Text, Tree};
use super::super::stream::{Assemble, DeltaSink, ResponseId, unfinished};
use super::partial_call::{PartialCall, goes_on};
use super::response::{call, hosted, is_said};
use crate::call::ToolCall;

#[derive(Debug, Default)]
pub(in super::super) struct Stream {
    response: Tree,
    candidate: Tree,
    content: Tree,
    parts: Vec<Tree>,
    calls: usize,
    hosted: HostedCalls,
    has_content: bool,
    id: ResponseId,
    /// The call whose arguments are coming.
    partial: Option<PartialCall>,
}

impl Assemble for Stream {
    fn event(&mut self, json: &str, sink: &mut DeltaSink) -> Result<(), WireError> {
        let event = Members::read(json)
            .map_err(|error| WireError::json("this is not an event of a Gemini stream", error))?;
        if event.get("candidates").is_some() && self.id.changes(event.words("responseId")) {
            let id = std::mem::take(&mut self.id);
            *self = Self {
                id,
                ..Self::default()
            };
            sink.restart();
        }
        for (key, value) in event.iter() {
            match key {
                "error" => WireError::none_reported(value)?,
                "candidates" => {
                    // A request with tools asks for one candidate.
                    if let Some(candidate) = elements(Some(value)).first() {
                        self.candidate(candidate, sink);
                    }
                }
                _ => self.response.set(key, value),
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>, _: bool) -> (Tree, Vec<ToolCall>) {
        let Self {
            mut response,
            mut candidate,
            mut content,
            parts,
            has_content,
            partial,
            ..
        } = *self;
        let broken = partial.and_then(|partial| unfinished(&partial.end().json(), call));
        if has_content {
            content.put("parts", Tree::List(parts));
            candidate.put("content", content);
        }
        response.put("candidates", Tree::List(vec![candidate]));
        (response, broken.into_iter().collect())
    }
}

impl Stream {
    fn candidate(&mut self, candidate: &RawValue, sink: &mut DeltaSink) {
        for (key, value) in Members::of(Some(candidate)).iter() {
            match key {
                "content" => self.content(value, sink),
                "finishReason" => {
                    sink.ended |= !matches!(value.get(), "null" | "\"\"");
                    self.candidate.set(key, value);
                }
                _ => self.candidate.set(key, value),
            }
        }
    }

    fn content(&mut self, content: &RawValue, sink: &mut DeltaSink) {
        let Ok(content) = Members::read(content.get()) else {
            return;
        };
        self.has_content = true;
        for (key, value) in content.iter().filter(|(key, _)| *key != "parts") {
            self.content.set(key, value);
        }
        for part in elements(content.one("parts").ok()) {
            self.part(part, sink);
        }
    }

    /// Takes a part of a call whose arguments come path by path. Returns false for other parts.
    fn is_partial(&mut self, part: &RawValue, members: &Members<'_>, sink: &mut DeltaSink) -> bool {
        let Some(json) = members.get("functionCall") else {
            return false;
        };
        let call = Members::of(Some(json));
        let goes_on = goes_on(&call);
        // A call with a name is another one.
        if call.get("name").is_some() || self.partial.is_none() {
            self.end_partial(sink);
            if !goes_on && call.get("partialArgs").is_none() {
                return false;
            }
            self.partial = Some(PartialCall::new(part, &call));
            sink.call(self.calls, call.words("name"));
        }
        if let Some(partial) = &mut self.partial {
            partial.join(&call);
        }
        if !goes_on {
            self.end_partial(sink);
        }
        true
    }

    fn end_partial(&mut self, sink: &mut DeltaSink) {
        let Some(part) = self.partial.take().map(PartialCall::end) else {
            return;
        };
        let arguments = part.get("functionCall").and_then(|call| call.get("args"));
        sink.arguments(self.calls, arguments.map(Tree::json));
        self.calls += 1;
        self.parts.push(part);
    }

    /// Words go on with the words before them. A part that has more than words, such as a thought's
    /// signature, stays as it is: it has to come back as it came.
    fn part(&mut self, part: &RawValue, sink: &mut DeltaSink) {
        let members = Members::of(Some(part));
        if self.is_partial(part, &members, sink) {
            return;
        }
        if let Some(call) = call(&members) {
            sink.whole_call(self.calls, &call);
            self.calls += 1;
        }
        let Some((text, is_thought)) = words(&members) else {
            if is_said(&members) {
                sink.words(Some(members.words("text")).filter(|words| !words.is_empty()));
            }
            sink.hosted(&mut self.hosted, hosted(part, &members));
            self.parts.push(Tree::Raw(part.get().to_owned()));
            return;
        };
        let goes_on = |last: &Tree| {
            matches!(last, Tree::Object(_)) && last.get("thought").is_some() == is_thought
        };
        let mut words = self.parts.pop_if(|last| goes_on(last)).unwrap_or_else(|| {
            let mut begun = Tree::default();
            begun.put("text", Tree::Text(Text::default()));
            if is_thought {
                begun.put("thought", Tree::Raw("true".into()));
            }
            begun
        });
        let told = if is_thought { "" } else { "text" };
        words.join_under("text", text, told, sink);
        self.parts.push(words);
    }
}

/// The words of a part that is words and nothing else, and whether they are a thought.
fn words<'t>(part: &Members<'t>) -> Option<(&'t RawValue, bool)> {
    let is_known = |(key, _)| matches!(key, "text" | "thought");
    let [text, thought] = part.each(["text", "thought"]).ok()?;
    let text = text.filter(|text| text.get().starts_with('"') && part.iter().all(is_known))?;
    match thought.map_or("false", RawValue::get) {
        "true" => Some((text, true)),
        "false" => Some((text, false)),
        _ => None,
    }
}
