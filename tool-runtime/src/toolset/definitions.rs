//! The tools of a request in a provider's dialect, and what belongs to them: the names that the
//! provider takes, and the way back from them.

mod conversation;
mod fit;
mod kept;
mod told;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use self::fit::{Fitted, fitted};
use self::told::ToldIn;
use toolwright_json::joined;

use crate::provider::dialect::{Dialect, Note, Reject, Renames};
use crate::provider::wire::{
    Accumulator, Completion, Parallel, ToolChoice, ToolChoiceError, Wire, WireError,
};
use crate::schema::render::SchemaDoc;
use crate::text::Printable;
use crate::tool::{Context, Encoder, ToolCall, ToolDef, ToolResult};
use crate::toolset::{Entry, Toolset};

pub use self::fit::{Fit, Loose};
pub(crate) use self::told::{ToldSet, ToldTool};

/// The tools of a request in a provider's dialect: [`Wire::definitions_in`]. Cheap to clone.
///
/// A provider that does not take a tool's name is told another one. So what belongs to such a
/// request is made and read here, and not by the [`Wire`]: the choice of a tool, the calls of the
/// response, and what the next request repeats. Here every tool goes by its own name.
///
/// ```
/// use toolwright::{
///     Context, Dialect, DynTool, Encoder, Parallel, ToolDef, Toolset, Wire,
/// };
///
/// // From a server that allows dots.
/// let tools = Toolset::new([DynTool::declare(ToolDef::new("files.list", "Lists files."))]).unwrap();
/// let sent = Wire::OpenAiChat.definitions_in(&tools, Dialect::OpenAiStrict).unwrap();
/// let request = sent.request(&"files.list".into(), Parallel::Allowed).unwrap();
/// assert!(request.contains(r#""name":"files_list""#));
///
/// let response = r#"{"choices": [{"message": {"role": "assistant", "tool_calls": [
///     {"id": "call_1", "type": "function", "function": {"name": "files_list", "arguments": "{}"}}
/// ]}}]}"#;
/// let calls = sent.calls(response).unwrap();
/// assert_eq!(&*calls[0].name, "files.list");
/// let result = tools.call_blocking(&calls[0], &sent.context(Context::new()));
/// let messages = sent.turn(response, &[result], Encoder::auto()).unwrap();
/// # let _ = messages;
/// ```
#[derive(Debug, Clone)]
pub struct Definitions {
    made: Arc<Made>,
    /// Whose they are. Each tool keeps what it is told as.
    tools: Toolset,
}

/// What is made of a set in a dialect.
#[derive(Debug)]
pub(super) struct Made {
    text: String,
    loose: Vec<(String, Loose)>,
    /// Where those stand in the set.
    loose_at: Vec<usize>,
    /// Why those are loose.
    loosened: Vec<Note>,
    /// Made at once if there is a name that the provider does not take.
    renames: OnceLock<Renames>,
    wire: Wire,
    dialect: Dialect,
}

/// What a provider would refuse: each tool's name, and why.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refused(Vec<(String, String)>);

impl Refused {
    /// Each tool's name, and why it would be refused.
    pub fn reasons(&self) -> &[(String, String)] {
        &self.0
    }

    pub(super) fn note(&mut self, tool: &str, why: String) {
        self.0.push((tool.to_owned(), why));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn or<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() {
            Ok(value)
        } else {
            Err(self)
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (tool, why)) in self.0.iter().enumerate() {
            let gap = if index > 0 { "\n" } else { "" };
            write!(f, "{gap}{}: {why}", Printable::new(tool).one_line())?;
        }
        Ok(())
    }
}

impl std::error::Error for Refused {}

impl Wire {
    /// The tools for a request: the text of its `tools` array. It is made once for a toolset, and
    /// lent from then on.
    pub fn definitions(self, tools: &Toolset) -> &str {
        tools.told().plain.get_or_make(self, || {
            let texts = tools.entries().map(|entry| entry.told().plain(self, entry));
            let texts: Vec<_> = texts.collect();
            self.write_tools(joined(texts.iter().copied()))
        })
    }

    /// The value for the choice's place in a request (see the table at [`Wire`]): JSON text.
    ///
    /// # Errors
    /// When a specific tool is not in the set, when a call is required of no tools, or when the
    /// provider has no word for the choice. `None` is then said by leaving the tools out, which is
    /// what [`request`](Self::request) does.
    pub fn tool_choice(
        self,
        tools: &Toolset,
        choice: &ToolChoice,
    ) -> Result<String, ToolChoiceError> {
        self.checked_choice(tools, choice, Parallel::Allowed)
    }

    /// All that a request says about its tools, where the provider wants it: the text of an object
    /// whose members belong in the request's body. Empty where there is nothing to say.
    ///
    /// # Errors
    /// When a specific tool is not in the set, when a call is required of no tools, or when the
    /// provider has no way to say it.
    pub fn request(
        self,
        tools: &Toolset,
        choice: &ToolChoice,
        parallel: Parallel,
    ) -> Result<String, ToolChoiceError> {
        let value = self.checked_choice(tools, choice, parallel);
        self.request_of(value, choice, parallel, tools.is_empty(), || {
            Cow::Borrowed(self.definitions(tools))
        })
    }

    fn checked_choice(
        self,
        tools: &Toolset,
        choice: &ToolChoice,
        parallel: Parallel,
    ) -> Result<String, ToolChoiceError> {
        Self::check_choice(tools.definitions().map(|def| &*def.name), choice)?;
        let word = self.write_choice(choice, parallel);
        word.ok_or_else(|| self.unsupported(choice, parallel))
    }

    /// The tools for a request, in a dialect of the provider that the wire leads to.
    ///
    /// Where the dialect is a strict mode, a tool that it cannot say, or that goes beyond what one
    /// request may hold, is sent in the provider's other mode, and says so. [`Fit::keep`] says which
    /// tools stay strict first. A tool whose name the provider does not take is sent under another
    /// one. Characters that nobody sees are left out of words, with a note that counts them.
    ///
    /// ```
    /// use toolwright::{Dialect, DynTool, SchemaDoc, ToolDef, Toolset, Wire};
    ///
    /// let schema = r#"{"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}"#;
    /// let mut def = ToolDef::new("count", "Counts.");
    /// def.input = SchemaDoc::parse(schema).unwrap();
    /// let tools = Toolset::new([DynTool::declare(def)]).unwrap();
    /// let sent = Wire::Anthropic.definitions_in(&tools, Dialect::AnthropicStrict).unwrap();
    /// assert!(sent.text().contains(r#""strict":true"#));
    /// assert_eq!(sent.notes().count(), 1);
    /// ```
    ///
    /// # Errors
    /// When the provider would refuse the request: too many tools, or arguments that its dialect
    /// cannot say, or not even its mode that is not strict; when a tool is to be kept strict that is not
    /// there; and when keys or values of a schema hold characters that nobody sees. The error lists
    /// them all.
    pub fn definitions_in(
        self,
        tools: &Toolset,
        fit: impl Into<Fit>,
    ) -> Result<Definitions, Refused> {
        let fit = fit.into();
        let made = || Made::new(self, tools, &fit).map(Arc::new);
        let made = if fit.keep.is_empty() {
            let key = (self, fit.dialect);
            tools.told().fitted.get_or_make(key, made).clone()?
        } else {
            made()?
        };
        let tools = tools.clone();
        Ok(Definitions { made, tools })
    }
}

impl Made {
    fn new(wire: Wire, tools: &Toolset, fit: &Fit) -> Result<Self, Refused> {
        let dialect = fit.dialect;
        let Fitted { told, loose } = fitted(tools, wire, fit)?;
        let renames = OnceLock::new();
        let text = if told.iter().all(|told| told.is_named_for(dialect)) {
            joined(told.iter().map(|told| &*told.text))
        } else {
            let renames = renames.get_or_init(|| named(dialect, told.iter().copied()));
            let texts = tools.entries().zip(&told);
            let texts = texts.map(|(entry, told)| told.text_as(wire, renames, entry));
            let texts: Vec<_> = texts.collect();
            joined(texts.iter().map(|text| &**text))
        };
        let name = |at: usize| told.get(at).map_or("", |told| &told.name).to_owned();
        Ok(Self {
            text: wire.write_tools(text),
            loosened: loose.values().map(Loose::to_note).collect(),
            loose_at: loose.keys().copied().collect(),
            loose: loose.into_iter().map(|(at, why)| (name(at), why)).collect(),
            renames,
            wire,
            dialect,
        })
    }
}

/// The tools' definitions as others are sent them, in order: without the characters in their words that nobody sees.
#[doc(hidden)]
pub fn sent_definitions(tools: &Toolset) -> impl ExactSizeIterator<Item = &ToolDef> {
    tools.entries().map(|entry| entry.told().visible(entry).0)
}

impl Definitions {
    /// What the provider is told of each tool, in order.
    fn tools<'d>(&'d self) -> impl Iterator<Item = &'d ToldIn> {
        let made = &*self.made;
        let told = |(at, entry): (usize, &'d Entry)| {
            let dialect = if made.loose_at.binary_search(&at).is_ok() {
                made.dialect.loose()
            } else {
                made.dialect
            };
            entry.told().lowered(made.wire, dialect, entry).ok()
        };
        self.tools.entries().enumerate().filter_map(told)
    }

    /// The text of the request's `tools`.
    pub fn text(&self) -> &str {
        &self.made.text
    }

    /// What the schemas do not say any more, each with its tool's name; first which tools are not
    /// strict, and why ([`NoteKind::Loosened`](crate::NoteKind::Loosened)). The decoder enforces it all
    /// the same.
    pub fn notes(&self) -> impl Iterator<Item = (&str, &Note)> {
        let names = self.made.loose.iter().map(|(name, _)| name.as_str());
        let told = self.tools().flat_map(|told| {
            let name = &*told.name;
            told.lowered.notes.iter().map(move |note| (name, note))
        });
        names.zip(&self.made.loosened).chain(told)
    }

    /// The tools that are sent without strictness, and why.
    pub fn loose(&self) -> &[(String, Loose)] {
        &self.made.loose
    }

    /// What the provider is told for each tool's name.
    pub fn renames(&self) -> &Renames {
        let renames = &self.made.renames;
        renames.get_or_init(|| named(self.made.dialect, self.tools()))
    }

    /// The wire that they are for.
    pub fn wire(&self) -> Wire {
        self.made.wire
    }

    /// The dialect that they are in.
    pub fn dialect(&self) -> Dialect {
        self.made.dialect
    }

    /// The context for the calls that come back: [`lowered`](Context::lowered) where some schema
    /// asks for another form than its tool's.
    pub fn context(&self, cx: Context) -> Context {
        let mut plans = self.tools().map(|told| &told.lowered.plan);
        if plans.any(|plan| !plan.steps().is_empty()) {
            cx.lowered()
        } else {
            cx
        }
    }

    /// See [`Wire::answer_form`].
    ///
    /// # Errors
    /// As there.
    pub fn answer_form(&self, schema: &SchemaDoc) -> Result<Option<String>, Reject> {
        self.wire().answer_form(schema, self.dialect())
    }

    /// Whether some schema asks for another form than its tool's:
    /// [`context`](Self::context) says so to the calls.
    pub fn is_lowered(&self) -> bool {
        self.context(Context::new()).is_lowered()
    }

    /// See [`Wire::tool_choice`].
    ///
    /// # Errors
    /// As there.
    pub fn tool_choice(&self, choice: &ToolChoice) -> Result<String, ToolChoiceError> {
        self.word(choice, Parallel::Allowed)
    }

    /// See [`Wire::request`]. Azure's strict mode takes one call a response (its documents, 2026-08):
    /// there several are forbidden, whatever is asked for.
    ///
    /// # Errors
    /// As there.
    pub fn request(
        &self,
        choice: &ToolChoice,
        parallel: Parallel,
    ) -> Result<String, ToolChoiceError> {
        let is_strict = self.made.loose.len() < self.tools.len();
        let parallel = if self.made.dialect == Dialect::AzureStrict && is_strict {
            Parallel::Forbidden
        } else {
            parallel
        };
        let word = self.word(choice, parallel);
        let is_empty = self.tools.is_empty();
        let text = || Cow::Borrowed(self.text());
        self.made
            .wire
            .request_of(word, choice, parallel, is_empty, text)
    }

    fn word(&self, choice: &ToolChoice, parallel: Parallel) -> Result<String, ToolChoiceError> {
        let names = self.tools().map(|told| &*told.name);
        Wire::check_choice(names, choice)?;
        let told = match choice {
            ToolChoice::Specific(name) => ToolChoice::Specific(self.told(name).to_owned()),
            other => other.clone(),
        };
        let word = self.made.wire.write_choice(&told, parallel);
        word.ok_or_else(|| self.made.wire.unsupported(choice, parallel))
    }

    /// See [`Wire::calls`].
    ///
    /// # Errors
    /// As there.
    pub fn calls(&self, response: &str) -> Result<Vec<ToolCall>, WireError> {
        let mut calls = self.made.wire.calls(response)?;
        self.restore(&mut calls);
        Ok(calls)
    }

    /// See [`Wire::completion`].
    ///
    /// # Errors
    /// As there.
    pub fn completion(&self, response: &str) -> Result<Completion, WireError> {
        let mut completion = self.made.wire.completion(response)?;
        self.restore(&mut completion.calls);
        Ok(completion)
    }

    /// See [`Wire::results`].
    pub fn results(&self, results: &[ToolResult], encoder: Encoder) -> String {
        self.made.wire.results(&self.told_of(results), encoder)
    }

    /// See [`Wire::turn`].
    ///
    /// # Errors
    /// As there.
    pub fn turn(
        &self,
        response: &str,
        results: &[ToolResult],
        encoder: Encoder,
    ) -> Result<String, WireError> {
        self.made
            .wire
            .turn(response, &self.told_of(results), encoder)
    }

    /// See [`Wire::accumulator`]. The response that it puts together is read by
    /// [`calls`](Self::calls) and [`turn`](Self::turn) here.
    pub fn accumulator(&self) -> Accumulator {
        let renames = self.made.renames.get().cloned().unwrap_or_default();
        self.made.wire.accumulator().with_renames(renames)
    }

    /// Puts the tools' own names in the place of what the provider was told.
    fn restore(&self, calls: &mut [ToolCall]) {
        if let Some(renames) = self.made.renames.get() {
            for call in calls {
                renames.restore(&mut call.name);
            }
        }
    }

    /// What the provider is told for a name.
    pub(super) fn told<'n>(&'n self, name: &'n str) -> &'n str {
        let renames = self.made.renames.get();
        renames
            .and_then(|renames| renames.to_provider(name))
            .unwrap_or(name)
    }

    /// The results under the names that the provider is told.
    pub(super) fn told_of<'r>(&self, results: &'r [ToolResult]) -> Cow<'r, [ToolResult]> {
        if results
            .iter()
            .all(|result| result.name == self.told(&result.name))
        {
            return Cow::Borrowed(results);
        }
        let results = results.iter().map(|result| ToolResult {
            name: self.told(&result.name).into(),
            ..result.clone()
        });
        Cow::Owned(results.collect())
    }
}

/// What a provider is told for the names of tools.
fn named<'t>(dialect: Dialect, told: impl Iterator<Item = &'t ToldIn>) -> Renames {
    Renames::new(dialect, told.map(|told| &*told.name))
}
