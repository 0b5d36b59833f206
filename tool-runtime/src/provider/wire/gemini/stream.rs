//! Gemini's `streamGenerateContent`: whole responses, of which each has the parts that are new.
//! Calls come whole.
//!
//! Source: `GenerateContentResponse` of the Gemini API reference (v1beta), 2026-11.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::WireError;
use super::super::read::{Members, elements, object};
use super::super::stream::tree::{Text, Tree};
use super::super::stream::{Assemble, StreamEvent, Streamed};
use super::response::call;

#[derive(Debug)]
pub(super) struct Stream {
    response: Tree,
    candidate: Tree,
    content: Tree,
    parts: Vec<Tree>,
    calls: usize,
    has_content: bool,
    ended: bool,
}

impl Default for Stream {
    fn default() -> Self {
        Self {
            response: Tree::empty_object(),
            candidate: Tree::empty_object(),
            content: Tree::empty_object(),
            parts: Vec::new(),
            calls: 0,
            has_content: false,
            ended: false,
        }
    }
}

impl Assemble for Stream {
    fn event(&mut self, json: &str, news: &mut Vec<StreamEvent>) -> Result<(), WireError> {
        let event = Members::read(json)
            .map_err(|error| WireError::json("this is no event of a Gemini stream", error))?;
        for (key, value) in event.iter() {
            match key {
                "error" => WireError::none_reported(value)?,
                "candidates" => {
                    // A request with tools asks for one candidate.
                    if let Some(candidate) = elements(Some(value)).first() {
                        self.candidate(candidate, news);
                    }
                }
                _ => self.response.set(key, value),
            }
        }
        Ok(())
    }

    fn end(&mut self) {
        self.ended = true;
    }

    fn finish(self: Box<Self>) -> Streamed {
        let Self {
            mut response,
            mut candidate,
            mut content,
            parts,
            has_content,
            ended,
            ..
        } = *self;
        if has_content {
            content.put("parts", Tree::List(parts));
            candidate.put("content", content);
        }
        response.put("candidates", Tree::List(vec![candidate]));
        Streamed {
            response: response.json(),
            ended,
            unfinished: Vec::new(),
        }
    }
}

impl Stream {
    fn candidate(&mut self, candidate: &RawValue, news: &mut Vec<StreamEvent>) {
        for (key, value) in Members::of(Some(candidate)).iter() {
            match key {
                "content" => self.content(value, news),
                "finishReason" => {
                    self.ended |= !matches!(value.get(), "null" | "\"\"");
                    self.candidate.set(key, value);
                }
                _ => self.candidate.set(key, value),
            }
        }
    }

    fn content(&mut self, content: &RawValue, news: &mut Vec<StreamEvent>) {
        let Ok(content) = Members::read(content.get()) else {
            return;
        };
        self.has_content = true;
        for (key, value) in content.iter().filter(|(key, _)| *key != "parts") {
            self.content.set(key, value);
        }
        for part in elements(content.one("parts").ok()) {
            self.part(part, news);
        }
    }

    /// Words go on with the words before them. A part that has more than words, such as a thought's
    /// signature, stays as it is: it has to come back as it came.
    fn part(&mut self, part: &RawValue, news: &mut Vec<StreamEvent>) {
        if let Some(call) = call(&Members::of(Some(part))) {
            StreamEvent::whole_call(self.calls, &call, news);
            self.calls += 1;
        }
        let Some(words) = words(part) else {
            self.parts.push(Tree::Raw(part.get().to_owned()));
            return;
        };
        let same = self.parts.last_mut().filter(|last| match last {
            Tree::Object(_) => last.get("thought").is_some() == words.is_thought,
            _ => false,
        });
        let last = match same {
            Some(last) => last,
            None => {
                let mut begun = Tree::empty_object();
                begun.put("text", Tree::Text(Text::default()));
                if words.is_thought {
                    begun.put("thought", Tree::Raw("true".into()));
                }
                self.parts.push(begun);
                let Some(last) = self.parts.last_mut() else {
                    return;
                };
                last
            }
        };
        let entry = last.entry("text");
        entry.join(words.text);
        let told = entry.as_text_mut().and_then(Text::news);
        if !words.is_thought {
            news.extend(told.map(StreamEvent::Text));
        }
    }
}

struct Words<'a> {
    text: &'a RawValue,
    is_thought: bool,
}

/// A part that is words and nothing else.
fn words(part: &RawValue) -> Option<Words<'_>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Part<'a> {
        #[serde(borrow)]
        text: &'a RawValue,
        #[serde(default)]
        thought: bool,
    }
    let part: Part<'_> = object(part.get()).ok()?;
    part.text.get().starts_with('"').then_some(Words {
        text: part.text,
        is_thought: part.thought,
    })
}
