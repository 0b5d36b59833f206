//! The tools of a request in a provider's dialect, with the names that the provider takes and their
//! translation back.

mod cache;
mod conversation;
mod deferred;
mod error;
mod lazy;
mod notice;
mod strict_tools;
mod tokens;
mod visible;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use self::deferred::RequestedTools;
use self::strict_tools::{StrictSelection, fitted};
use toolwright_json::joined;

use crate::call::{Block, Encoder, Outcome, ToolCall, ToolDef, ToolResult};
use crate::dialect::{Dialect, Inverse, LowerError, Note, Renames};
use crate::wire::{
    Accumulator, AnswerForm, Completion, JsonText, Loading, Parallel, ToolChoice, ToolChoiceError,
    Wire, WireError,
};
use toolwright_schema::render::SchemaDoc;

use self::cache::LoweredTool;
pub use self::cache::{DefinitionCache, EncodedTool};
#[doc(hidden)]
pub use self::deferred::{Catalog, Deferral, Deferred};
pub use self::error::DefinitionsError;
pub use self::notice::{Notice, NoticeKind};
pub use self::strict_tools::{DefinitionOptions, NonStrict};
pub use self::visible::Stripped;

/// The tools of a request in a provider's dialect: [`Wire::definitions_in`]. Cheap to clone.
///
/// Tools whose names a provider rejects are renamed in the request. So make and read its parts here, and not by the
/// [`Wire`]: the choice of a tool, the calls of the response, and the next request's copy of them. Here every tool has its
/// own name.
///
/// ```
/// use toolwright::{Context, Dialect, DynTool, Encoder, ToolDef, Toolset, Wire, wire::Parallel};
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
/// let result = tools.call_blocking(&calls[0], &Context::new());
/// let messages = sent.turn(response, &[result], Encoder::auto()).unwrap();
/// # let _ = messages;
/// ```
#[derive(Debug, Clone)]
pub struct Definitions(Arc<DefinitionsInner>);

/// The tools that a request offers. A `Toolset` is such a list.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of tools",
    label = "no tools to define",
    note = "pass a `Toolset`, such as `&tools![…]`; `Registry::snapshot` returns one"
)]
pub trait ToolList {
    /// Each tool's definition and its encoded texts, in order.
    #[doc(hidden)]
    fn encoded(&self) -> impl ExactSizeIterator<Item = (&ToolDef, &EncodedTool)>;

    /// The same of all tools, deferred or not, and without the search.
    #[doc(hidden)]
    fn all(&self) -> impl ExactSizeIterator<Item = (&ToolDef, &EncodedTool)> {
        self.encoded()
    }

    /// Cached definitions of the whole list.
    #[doc(hidden)]
    fn cache(&self) -> &DefinitionCache;

    /// The deferred tools of the list, if there are any.
    #[doc(hidden)]
    fn deferral(&self) -> Option<Deferral<'_>> {
        None
    }
}

impl<T: ToolList + ?Sized> ToolList for &T {
    fn encoded(&self) -> impl ExactSizeIterator<Item = (&ToolDef, &EncodedTool)> {
        (**self).encoded()
    }

    fn all(&self) -> impl ExactSizeIterator<Item = (&ToolDef, &EncodedTool)> {
        (**self).all()
    }

    fn cache(&self) -> &DefinitionCache {
        (**self).cache()
    }

    fn deferral(&self) -> Option<Deferral<'_>> {
        (**self).deferral()
    }
}

impl<T: ToolList + ?Sized> ToolList for Arc<T> {
    fn encoded(&self) -> impl ExactSizeIterator<Item = (&ToolDef, &EncodedTool)> {
        (**self).encoded()
    }

    fn all(&self) -> impl ExactSizeIterator<Item = (&ToolDef, &EncodedTool)> {
        (**self).all()
    }

    fn cache(&self) -> &DefinitionCache {
        (**self).cache()
    }

    fn deferral(&self) -> Option<Deferral<'_>> {
        (**self).deferral()
    }
}

/// A list's tools in a dialect.
#[derive(Debug)]
pub(super) struct DefinitionsInner {
    text: String,
    /// Each tool as it is sent, in order.
    tools: Vec<Arc<LoweredTool>>,
    non_strict: Vec<(String, NonStrict)>,
    /// Reasons why those are not strict.
    loosened: Vec<Note>,
    /// Notices of tools that are left out.
    left_out: Vec<Notice>,
    /// Made at once if there is a name that the provider does not take.
    renames: OnceLock<Renames>,
    wire: Wire,
    dialect: Dialect,
    /// Deferred tools that are loaded in the wire's own form.
    catalog: Option<Arc<dyn Catalog>>,
    loading: Loading,
}

impl Wire {
    /// The tools for a request: the text of its `tools` array. It is made once for a toolset, and
    /// lent from then on.
    pub fn definitions(self, tools: &(impl ToolList + ?Sized)) -> JsonText<'_> {
        let text = tools.cache().plain.get_or_make(self, || {
            let texts = tools.encoded();
            let texts = texts.map(|(def, encoded)| encoded.plain(self, def));
            let texts: Vec<_> = texts.collect();
            self.write_tools(joined(texts.iter().copied()))
        });
        JsonText::new(text)
    }

    /// The value for the choice's place in a request (see the table at [`Wire`]): JSON text.
    ///
    /// # Errors
    /// When a specific tool is not in the set, when a call is required of no tools, or when the
    /// provider cannot express the choice. `None` then means that the tools are left out, as
    /// [`request`](Self::request) does.
    pub fn tool_choice(
        self,
        tools: &(impl ToolList + ?Sized),
        choice: &ToolChoice,
    ) -> Result<JsonText<'static>, ToolChoiceError> {
        self.checked_choice(tools, choice, Parallel::Allowed)
            .map(JsonText::new)
    }

    /// All that a request says about its tools, where the provider wants it: the text of an object
    /// whose members belong in the request's body. Empty where there is nothing to say.
    ///
    /// # Errors
    /// When a specific tool is not in the set, when a call is required of no tools, or when the
    /// provider has no way to say it.
    pub fn request(
        self,
        tools: &(impl ToolList + ?Sized),
        choice: &ToolChoice,
        parallel: Parallel,
    ) -> Result<JsonText<'static>, ToolChoiceError> {
        let value = self.checked_choice(tools, choice, parallel);
        let is_empty = tools.encoded().len() == 0;
        self.request_of(value, choice, parallel, is_empty, || {
            self.definitions(tools)
        })
    }

    fn checked_choice(
        self,
        tools: &(impl ToolList + ?Sized),
        choice: &ToolChoice,
        parallel: Parallel,
    ) -> Result<String, ToolChoiceError> {
        Self::check_choice(tools.encoded().map(|(def, _)| &*def.name), choice)?;
        let word = self.write_choice(choice, parallel);
        word.ok_or_else(|| self.unsupported(choice, parallel))
    }

    /// The tools for a request, in a dialect of the provider that the wire leads to.
    ///
    /// A tool whose schema others wrote is left out if the provider would refuse it, with a [notice](Definitions::notices). Its
    /// schema arrived at run time, or it is one of an MCP server; the other tools of the request work. Calls of it that
    /// wait are decided as before. A deferred tool is left out so once it is loaded. [`Toolset::check`] says so before, and
    /// [`DefinitionOptions::deny`] makes it an error.
    ///
    /// [`Toolset::check`]: crate::Toolset::check
    ///
    /// Where the dialect is a strict mode, a tool that it cannot express, or that exceeds the
    /// limits of one request, is sent in the provider's other mode, with a note. [`DefinitionOptions::keep`] sets which
    /// tools stay strict first. A tool whose name the provider does not take is sent under another
    /// one. Invisible characters are left out of words, with a note that counts them.
    ///
    /// ```
    /// use toolwright::{Dialect, DynTool, ToolDef, Toolset, Wire, schema::SchemaDoc};
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
    /// When the provider would refuse the request: too many tools, or arguments of a compiled tool that its dialect
    /// cannot say, or not even its mode that is not strict; when a tool is to be kept strict that is not
    /// there; and when there is a notice of a kind that is denied. The error lists them all.
    pub fn definitions_in(
        self,
        tools: &(impl ToolList + ?Sized),
        fit: impl Into<DefinitionOptions>,
    ) -> Result<Definitions, DefinitionsError> {
        let fit = fit.into();
        let loading = fit.loading.unwrap_or_default();
        let native = tools
            .deferral()
            .filter(|deferral| self.loads(deferral.deferred) && loading != Loading::Plain);
        let cache = native.map_or_else(|| tools.cache(), |deferral| deferral.cache);
        let made =
            || DefinitionsInner::new(self, RequestedTools::of(tools, native), &fit).map(Arc::new);
        let made = if fit.keep.is_empty() {
            let key = (self, fit.dialect, loading);
            cache.in_dialect.get_or_make(key, made).clone()?
        } else {
            made()?
        };
        let made = Definitions(made);
        made.denied(&fit.deny).or(made)
    }
}

impl DefinitionsInner {
    fn new(
        wire: Wire,
        mut asked: RequestedTools<'_>,
        fit: &DefinitionOptions,
    ) -> Result<Self, DefinitionsError> {
        let dialect = fit.dialect;
        asked.leave_out(wire, dialect);
        let StrictSelection { sent, non_strict } = fitted(&asked, wire, fit)?;
        let RequestedTools {
            tools,
            names,
            left_out,
            catalog,
            ..
        } = asked;
        let renames = OnceLock::new();
        let is_named = sent.iter().all(|tool| tool.is_named_for(dialect))
            && names.iter().all(|name| dialect.accepts_name(name));
        if !is_named {
            renames.get_or_init(|| named(dialect, &sent, names));
        }
        let texts = tools
            .iter()
            .zip(&sent)
            .map(|(tool, sent)| match renames.get() {
                Some(renames) => sent.text_as(wire, renames, *tool),
                None => Cow::Borrowed(&*sent.text),
            });
        let mut texts: Vec<_> = texts.collect();
        let name = |at: usize| sent.get(at).map_or("", |tool| &tool.name).to_owned();
        let mut made = Self {
            text: String::new(),
            loosened: non_strict.values().map(NonStrict::to_note).collect(),
            non_strict: non_strict
                .into_iter()
                .map(|(at, why)| (name(at), why))
                .collect(),
            left_out,
            tools: sent.clone(),
            renames,
            wire,
            dialect,
            catalog,
            loading: fit.loading.unwrap_or_default(),
        };
        texts.extend(made.write_deferred()?.into_iter().map(Cow::Owned));
        made.text = wire.write_tools(joined(texts.iter().map(|text| &**text)));
        Ok(made)
    }
}

/// A tool of a list: its definition and its encoded texts.
type CachedDefinition<'t> = (&'t ToolDef, &'t EncodedTool);

/// The tools' definitions as they are sent, in order: without invisible characters in their texts.
#[doc(hidden)]
pub fn sent_definitions<T: ToolList + ?Sized>(
    tools: &T,
) -> impl ExactSizeIterator<Item = &ToolDef> {
    let tools = tools.all();
    tools.map(|(def, encoded)| encoded.visible(def).0)
}

/// Displays as the text of the request's `tools`.
impl fmt::Display for Definitions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.text(), f)
    }
}

/// Serializes as the request's `tools`, in `serde_json`; see [`JsonText`].
impl serde::Serialize for Definitions {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text().serialize(serializer)
    }
}

impl Definitions {
    /// The text of the request's `tools`.
    pub fn text(&self) -> JsonText<'_> {
        JsonText::new(&*self.0.text)
    }

    /// Returns notes on all that the schemas no longer say, each with its tool's name. Tools that are not
    /// strict come first, with the reason ([`NoteKind::Loosened`](crate::dialect::NoteKind::Loosened)). The
    /// decoder enforces all of it.
    pub fn notes(&self) -> impl Iterator<Item = (&str, &Note)> {
        let names = self.0.non_strict.iter().map(|(name, _)| name.as_str());
        let lowered = self.0.tools.iter().flat_map(|tool| {
            let notes = tool.lowered.notes.iter();
            notes.map(|note| (&*tool.name, note))
        });
        names.zip(&self.0.loosened).chain(lowered)
    }

    /// Returns true if no tool is declared.
    pub fn is_empty(&self) -> bool {
        self.0.tools.is_empty() && self.0.catalog.is_none()
    }

    /// The tools that are sent without strictness, and why.
    pub fn non_strict(&self) -> &[(String, NonStrict)] {
        &self.0.non_strict
    }

    /// Returns the map from the tools' names to those that the provider receives.
    pub fn renames(&self) -> &Renames {
        let renames = &self.0.renames;
        renames.get_or_init(|| named(self.0.dialect, &self.0.tools, []))
    }

    /// Returns the form of the provider's own in which deferred tools are loaded.
    #[doc(hidden)]
    pub fn loads_natively(&self) -> Option<Loading> {
        self.0.catalog.as_ref().map(|_| self.0.loading)
    }

    /// Returns true if the provider would take these messages of its own back.
    #[doc(hidden)]
    pub fn takes_back(&self, native: &[String]) -> bool {
        self.0.catalog.is_none() || self.wire().takes_back(native, self)
    }

    /// Returns true if the tool of this name is deferred, and can be loaded in the provider's own form.
    #[doc(hidden)]
    pub fn defers(&self, name: &str) -> bool {
        let catalog = self.0.catalog.as_ref();
        catalog.is_some_and(|catalog| catalog.find(name).is_some())
    }

    /// The wire that they are for.
    pub fn wire(&self) -> Wire {
        self.0.wire
    }

    /// The dialect that they are in.
    pub fn dialect(&self) -> Dialect {
        self.0.dialect
    }

    /// See [`Wire::answer_form`].
    ///
    /// # Errors
    /// As there.
    pub fn answer_form(&self, schema: &SchemaDoc) -> Result<Option<AnswerForm>, LowerError> {
        self.wire().answer_form(schema, self.dialect())
    }

    /// See [`Wire::tool_choice`].
    ///
    /// # Errors
    /// As there.
    pub fn tool_choice(&self, choice: &ToolChoice) -> Result<JsonText<'static>, ToolChoiceError> {
        self.word(choice, Parallel::Allowed).map(JsonText::new)
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
    ) -> Result<JsonText<'static>, ToolChoiceError> {
        let is_strict = self.0.non_strict.len() < self.0.tools.len() || self.0.catalog.is_some();
        let parallel = if self.0.dialect == Dialect::AzureStrict && is_strict {
            Parallel::Forbidden
        } else {
            parallel
        };
        let word = self.word(choice, parallel);
        let wire = self.0.wire;
        wire.request_of(word, choice, parallel, self.is_empty(), || self.text())
    }

    fn word(&self, choice: &ToolChoice, parallel: Parallel) -> Result<String, ToolChoiceError> {
        let names = self.0.tools.iter().map(|tool| &*tool.name);
        // The search is a tool like any other, but on Responses.
        let search = self
            .0
            .catalog
            .as_ref()
            .map(|catalog| &*catalog.search().0.name);
        let is_tool = self.0.wire == Wire::Anthropic && !self.0.loading.is_hosted();
        let names = names.chain(search.filter(|_| is_tool));
        Wire::check_choice(names, choice)?;
        let told = match choice {
            ToolChoice::Specific(name) => ToolChoice::Specific(self.told(name).to_owned()),
            other => other.clone(),
        };
        let word = self.0.wire.write_choice(&told, parallel);
        word.ok_or_else(|| self.0.wire.unsupported(choice, parallel))
    }

    /// See [`Wire::calls`].
    ///
    /// # Errors
    /// As there.
    pub fn calls(&self, response: &str) -> Result<Vec<ToolCall>, WireError> {
        let mut calls = self.0.wire.calls(response)?;
        for call in &mut calls {
            self.restore(call);
        }
        Ok(calls)
    }

    /// See [`Wire::completion`].
    ///
    /// # Errors
    /// As there.
    pub fn completion(&self, response: &str) -> Result<Completion, WireError> {
        let mut completion = self.0.wire.completion(response)?;
        for call in &mut completion.calls {
            self.restore(call);
        }
        if let Some(renames) = self.0.renames.get() {
            for name in &mut completion.loaded {
                if let Some(own) = renames.from_provider(name) {
                    *name = own.to_owned();
                }
            }
        }
        Ok(completion)
    }

    /// See [`Wire::results`].
    pub fn results(&self, results: &[ToolResult], encoder: Encoder) -> JsonText<'static> {
        self.0.wire.results(&self.told_of(results), encoder)
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
    ) -> Result<JsonText<'static>, WireError> {
        self.0.wire.turn(response, &self.told_of(results), encoder)
    }

    /// See [`Wire::accumulator`]. The response that it puts together is read by
    /// [`calls`](Self::calls) and [`turn`](Self::turn) here.
    pub fn accumulator(&self) -> Accumulator {
        let renames = self.0.renames.get().cloned().unwrap_or_default();
        self.0.wire.accumulator().with_renames(renames)
    }

    /// Restores a call that something else than [`calls`](Self::calls) read from the response: the name of the tool, and the
    /// arguments in the form of its schema. Restore each call once: a string may be JSON again.
    pub fn restore(&self, call: &mut ToolCall) {
        if let Some(renames) = self.0.renames.get() {
            renames.restore(&mut call.name);
        }
        let Some(inverse) = self.inverse(&call.name) else {
            return;
        };
        if let Some(arguments) = inverse.raise(&call.arguments) {
            call.arguments = arguments.into();
        }
    }

    /// Returns the way back from the form in which a tool is sent.
    fn inverse(&self, name: &str) -> Option<&Inverse> {
        let mut tools = self.0.tools.iter();
        match tools.find(|tool| *tool.name == *name) {
            Some(tool) => Some(&tool.lowered.inverse),
            None => self.0.loaded_inverse(name),
        }
    }

    /// Returns the name that the provider receives for a tool's.
    pub(super) fn told<'n>(&'n self, name: &'n str) -> &'n str {
        let renames = self.0.renames.get();
        renames
            .and_then(|renames| renames.to_provider(name))
            .unwrap_or(name)
    }

    /// Returns the results under the names that the provider receives: those of tools, and of arguments in errors.
    pub(super) fn told_of<'r>(&self, results: &'r [ToolResult]) -> Cow<'r, [ToolResult]> {
        let is_renamed = self.0.renames.get().is_some();
        if !is_renamed && results.iter().all(ToolResult::is_success) {
            return Cow::Borrowed(results);
        }
        let results = results.iter().map(|result| {
            let mut result = result.clone();
            match &mut result.outcome {
                Ok(Outcome::Content(content)) => {
                    for block in content.blocks_mut() {
                        if let Block::Tool { name, .. } = block {
                            *name = self.told(name).to_owned();
                        }
                    }
                }
                Err(error) => {
                    if let Some(inverse) = self.inverse(&result.name) {
                        error.replace_messages(|message| inverse.name_as_sent(message));
                    }
                }
                Ok(_) => {}
            }
            result.name = self.told(&result.name).into();
            result
        });
        Cow::Owned(results.collect())
    }
}

/// Maps the names of tools to those that the provider receives.
fn named<'n>(
    dialect: Dialect,
    sent: &'n [Arc<LoweredTool>],
    deferred: impl IntoIterator<Item = &'n str>,
) -> Renames {
    // In the order of the list, where it has more than the request.
    let mut names: Vec<&str> = deferred.into_iter().collect();
    names.extend(sent.iter().map(|tool| &*tool.name));
    let mut known = std::collections::HashSet::new();
    names.retain(|name| known.insert(*name));
    Renames::new(dialect, names)
}
