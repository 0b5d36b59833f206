//! Body of a request. It is assembled as text, so that the provider's own messages go back byte by byte.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use toolwright_provider::call::{Encoder, ToolDef};
use toolwright_provider::definitions::{DefinitionOptions, Definitions};
use toolwright_provider::wire::{AnswerForm, Loading, Parallel, ToolChoice, Wire};
use toolwright_runtime::dyn_tool::DynTool;
use toolwright_runtime::toolset::Toolset;

use super::{Endpoint, failure};
use crate::model::{ModelError, ModelRequest};
use crate::thread::{Thread, ThreadMessage};

/// Body of a request, with the definitions that it declares.
pub(super) struct RequestBody {
    pub(super) text: String,
    pub(super) sent: Definitions,
    /// Form of the answer, if it has to be a value.
    pub(super) answer: Option<AnswerForm>,
}

impl Endpoint {
    pub(super) fn body(
        &self,
        request: &ModelRequest<'_>,
        streams: bool,
    ) -> Result<RequestBody, ModelError> {
        let sent = self.wire.definitions_in(request.tools, self.fit());
        let mut sent = sent.map_err(failure::refused)?;
        let mut choice = request.choice;
        let is_forced = matches!(choice, ToolChoice::Required | ToolChoice::Specific(_));
        if sent.is_empty()
            && !is_forced
            && let Some(declared) = self.called(request.thread)
        {
            let declared = self.wire.definitions_in(&declared, self.fit.dialect());
            sent = declared.map_err(failure::refused)?;
            choice = &ToolChoice::None;
        }
        let mut body = JsonMembers::default();
        self.put_settings(&mut body, streams);
        let tools = sent.request(choice, Parallel::Allowed);
        body.join(&tools.map_err(failure::refused)?);
        body.extend_list("tools", &self.builtins);
        let mut answer = None;
        if let Some(schema) = request.schema {
            let form = sent.answer_form(schema).map_err(failure::refused)?;
            let form = form.ok_or_else(|| failure::refused("the wire has no form of an answer"))?;
            body.join(form.members());
            answer = Some(form);
        }
        let encoder = self.encoder();
        let messages = request
            .thread
            .format_encoded(&sent, request.system, encoder);
        body.join(&messages.map_err(failure::refused)?);
        for (name, value) in &self.members {
            body.put(&[name], &value.to_string());
        }
        Ok(RequestBody {
            text: body.end(),
            sent,
            answer,
        })
    }

    /// Returns how tools are declared.
    pub(super) fn fit(&self) -> DefinitionOptions {
        self.fit.clone().or_loading(loading(self.wire, &self.model))
    }

    /// Returns how results are written. Gemini 2.5 and earlier take no pictures inside.
    fn encoder(&self) -> Encoder {
        let is_old = || {
            let known = self.wire == Wire::Gemini && self.model.contains("gemini-");
            known && version(&self.model) < (3, 0)
        };
        if self.pictures_after.unwrap_or_else(is_old) {
            Encoder::auto().pictures_after()
        } else {
            Encoder::auto()
        }
    }

    fn put_settings(&self, body: &mut JsonMembers, streams: bool) {
        let model = Value::from(&*self.model).to_string();
        let most = self.max_tokens.map(|most| most.to_string());
        let path: &[&str] = match self.wire {
            Wire::Gemini => &["generationConfig", "maxOutputTokens"],
            Wire::Ollama => &["options", "num_predict"],
            Wire::Anthropic => &["max_tokens"],
            Wire::OpenAiResponses => &["max_output_tokens"],
            _ => &[self.chat.max_tokens],
        };
        // Gemini has both in its URL.
        if self.wire != Wire::Gemini {
            body.put(&["model"], &model);
            // Ollama streams by default.
            if streams || self.wire == Wire::Ollama {
                body.put(&["stream"], if streams { "true" } else { "false" });
            }
        }
        if streams && self.wire == Wire::OpenAiChat && self.chat.has_stream_options {
            body.put(&["stream_options", "include_usage"], "true");
        }
        if let Some(most) = most {
            body.put(path, &most);
        }
    }

    /// Returns the tools called in the thread, for a request that declares none. Anthropic rejects a conversation with calls
    /// of undeclared tools.
    fn called(&self, thread: &Thread) -> Option<Toolset> {
        if self.wire != Wire::Anthropic {
            return None;
        }
        let names = called(thread);
        let tools = names.into_iter().map(|name| {
            DynTool::declare(ToolDef::new(name.to_owned(), "Not to be called any more."))
        });
        Toolset::new(tools)
            .ok()
            .filter(|tools| tools.iter().next().is_some())
    }
}

/// Returns how a model loads deferred tools, unless the host says it: in the provider's own form if it is known to have it.
///
/// Source: `OpenAI`'s guide "Tool search" and Anthropic's documentation, "Tool search tool", 2026-11.
fn loading(wire: Wire, model: &str) -> Loading {
    let since = match wire {
        Wire::OpenAiResponses if model.contains("gpt-") => (5, 4),
        Wire::Anthropic if model.contains("claude-") => (4, 5),
        _ => return Loading::Plain,
    };
    if version(model) >= since {
        Loading::Native
    } else {
        Loading::Plain
    }
}

/// Returns the version in the name of a model: `(4, 5)` of `claude-sonnet-4-5-20250929`.
fn version(model: &str) -> (u32, u32) {
    // Longer numbers are dates.
    let numbers = model.split(|char: char| !char.is_ascii_digit());
    let mut numbers =
        numbers.map(|digits| digits.parse::<u32>().ok().filter(|number| *number < 100));
    let major = numbers.by_ref().flatten().next().unwrap_or(0);
    let minor = numbers.next().flatten().unwrap_or(0);
    (major, minor)
}

fn called(thread: &Thread) -> BTreeSet<&str> {
    let calls = thread.messages().iter().flat_map(ThreadMessage::tool_calls);
    calls.map(|call| &*call.name).collect()
}

/// Members of a JSON object, in order.
#[derive(Default)]
struct JsonMembers(Vec<(String, String)>);

impl JsonMembers {
    /// Inserts JSON at this path and creates objects on the way. An object is merged into the existing one.
    fn put(&mut self, path: &[&str], json: &str) {
        let Some((first, rest)) = path.split_first() else {
            return;
        };
        let known = self.0.iter_mut().find(|(name, _)| name == first);
        let mut inner = known.as_ref().and_then(|(_, there)| Self::of(there));
        let json = if rest.is_empty() {
            match (&mut inner, Self::of(json)) {
                (Some(there), Some(more)) => {
                    there.add(&more);
                    there.text()
                }
                _ => json.to_owned(),
            }
        } else {
            let mut inner = inner.unwrap_or_default();
            inner.put(rest, json);
            inner.text()
        };
        match known {
            Some((_, there)) => *there = json,
            None => self.0.push(((*first).to_owned(), json)),
        }
    }

    /// Appends to the list under `name`.
    fn extend_list(&mut self, name: &str, more: &[Value]) {
        if more.is_empty() {
            return;
        }
        let more = more.iter().map(Value::to_string);
        let more: Vec<_> = more.collect();
        let more = more.join(",");
        let there = self.0.iter_mut().find(|(known, _)| known == name);
        let Some((_, list)) = there else {
            self.0.push((name.to_owned(), format!("[{more}]")));
            return;
        };
        if let Some(open) = list.trim_end().strip_suffix(']') {
            let comma = if open.trim_end().ends_with('[') {
                ""
            } else {
                ","
            };
            *list = format!("{open}{comma}{more}]");
        }
    }

    fn add(&mut self, more: &Self) {
        for (name, json) in &more.0 {
            self.put(&[name], json);
        }
    }

    /// Inserts all members of an object.
    fn join(&mut self, object: &str) {
        if let Some(more) = Self::of(object) {
            self.add(&more);
        }
    }

    fn of(object: &str) -> Option<Self> {
        serde_json::from_str(object).ok()
    }

    fn text(&self) -> String {
        let mut out = String::from("{");
        for (name, json) in &self.0 {
            if out.len() > 1 {
                out.push(',');
            }
            out.push_str(&Value::from(name.as_str()).to_string());
            out.push(':');
            out.push_str(json);
        }
        out.push('}');
        out
    }

    fn end(self) -> String {
        self.text()
    }
}

impl<'de> Deserialize<'de> for JsonMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = JsonMembers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonMembers, A::Error> {
                let mut members = JsonMembers::default();
                while let Some((name, json)) = map.next_entry::<String, &RawValue>()? {
                    members.0.push((name, json.get().to_owned()));
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}
