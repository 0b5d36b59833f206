//! Gemini's `streamGenerateContent`: whole responses, of which each has the parts that are new.
//! Calls come whole.
//!
//! Source: `GenerateContentResponse` of the Gemini API reference (v1beta), 2026-11.

use serde_json::value::RawValue;

use super::super::WireError;
use super::super::read::{Members, elements};
use super::super::stream::tree::{Text, Tree};
use super::super::stream::{Assemble, DeltaSink};
use super::response::call;
use crate::call::ToolCall;

#[derive(Debug, Default)]
pub(in super::super) struct Stream {
    response: Tree,
    candidate: Tree,
    content: Tree,
    parts: Vec<Tree>,
    calls: usize,
    has_content: bool,
}

impl Assemble for Stream {
    fn event(&mut self, json: &str, sink: &mut DeltaSink) -> Result<(), WireError> {
        let event = Members::read(json)
            .map_err(|error| WireError::json("this is no event of a Gemini stream", error))?;
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
            ..
        } = *self;
        if has_content {
            content.put("parts", Tree::List(parts));
            candidate.put("content", content);
        }
        response.put("candidates", Tree::List(vec![candidate]));
        (response, Vec::new())
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

    /// Words go on with the words before them. A part that has more than words, such as a thought's
    /// signature, stays as it is: it has to come back as it came.
    fn part(&mut self, part: &RawValue, sink: &mut DeltaSink) {
        let members = Members::of(Some(part));
        if let Some(call) = call(&members) {
            sink.whole_call(self.calls, &call);
            self.calls += 1;
        }
        let Some((text, is_thought)) = words(&members) else {
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
