//! Selection of the tools of a set that are sent strictly.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::Arc;

use super::cache::LoweredTool;
use super::deferred::RequestedTools;
use super::notice::{Notice, NoticeKind};
use super::{CachedDefinition, DefinitionsError};
use toolwright_json::quoted;

use crate::dialect::{Dialect, Limit, LimitUse, LowerError, Note, NoteKind, Renames, shares};
use crate::wire::{Loading, ToolDeclaration, Wire};
use toolwright_schema::text::{did_you_mean, near};

/// A dialect, and the tools that stay strict first where a request may not hold all of them so.
///
/// A [`Dialect`] alone is one, in which no tool comes first.
///
/// ```
/// use toolwright::{Dialect, wire::DefinitionOptions};
///
/// let fit = DefinitionOptions::to(Dialect::AnthropicStrict).keep(["pay", "refund"]);
/// # let _: DefinitionOptions = Dialect::AnthropicStrict.into();
/// # let _ = fit;
/// ```
#[derive(Debug, Clone)]
pub struct DefinitionOptions {
    pub(super) dialect: Dialect,
    pub(super) keep: Vec<String>,
    pub(super) deny: Vec<NoticeKind>,
    pub(super) loading: Option<Loading>,
}

impl DefinitionOptions {
    /// This dialect.
    pub fn to(dialect: Dialect) -> Self {
        Self {
            dialect,
            keep: Vec::new(),
            deny: Vec::new(),
            loading: None,
        }
    }

    /// Returns the dialect.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Sets how deferred tools are loaded. Default: [`Loading::Plain`]. An agent's `Endpoint` takes [`Loading::Native`] for models
    /// that are known to have it, by their names.
    pub fn loading(mut self, loading: Loading) -> Self {
        self.loading = Some(loading);
        self
    }

    /// Sets how deferred tools are loaded, unless that is set.
    #[doc(hidden)]
    pub fn or_loading(mut self, loading: Loading) -> Self {
        self.loading = self.loading.or(Some(loading));
        self
    }

    /// The named tools keep strictness before all others, the first of them longest. Other tools lose strictness first,
    /// the largest share of the exceeded limit before smaller ones.
    pub fn keep<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.keep.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Makes notices of these kinds errors: [`NoticeKind::Refused`] for a program that must not run with fewer tools than it has.
    ///
    /// ```
    /// use toolwright::wire::{DefinitionOptions, NoticeKind};
    /// use toolwright::{Dialect, DynTool, ToolDef, Toolset, Wire, schema::SchemaDoc};
    ///
    /// let mut def = ToolDef::new("page", "Turns to a page.");
    /// def.input = SchemaDoc::parse(r#"{"type": "object", "properties": {"never": false}}"#).unwrap();
    /// let tools = Toolset::new([DynTool::declare(def)]).unwrap();
    /// let sent = Wire::Gemini.definitions_in(&tools, Dialect::GeminiOpenApi).unwrap();
    /// assert_eq!(sent.notices().count(), 1);
    /// let fit = DefinitionOptions::to(Dialect::GeminiOpenApi).deny([NoticeKind::Refused]);
    /// assert!(Wire::Gemini.definitions_in(&tools, fit).is_err());
    /// ```
    pub fn deny(mut self, kinds: impl IntoIterator<Item = NoticeKind>) -> Self {
        self.deny.extend(kinds);
        self
    }

    /// Returns the tool's position among those to keep; `None` for one that is not named.
    fn priority(&self, tool: &str) -> Option<usize> {
        self.keep.iter().position(|name| name == tool)
    }
}

impl From<Dialect> for DefinitionOptions {
    fn from(dialect: Dialect) -> Self {
        Self::to(dialect)
    }
}

/// Reasons why a tool is sent without strictness.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NonStrict {
    /// The strict mode cannot say its arguments.
    Rejected(LowerError),
    /// The strict tools of a request reached a limit, and this tool came after those that were kept: it is named later,
    /// or it is not named and has the largest share.
    TooMany {
        /// The exceeded limit.
        limit: Limit,
        /// The most that a request may hold.
        most: usize,
        /// Share of it that the tool would add.
        share: usize,
    },
}

impl NonStrict {
    /// Converts the reason into a notice of the tool.
    pub(super) fn to_notice(&self, tool: &str) -> Notice {
        let kind = NoticeKind::Loosened;
        match self {
            Self::Rejected(reject) => Notice::of_rejected(tool, kind, reject),
            Self::TooMany { .. } => Notice::new(tool, kind, self.to_string()),
        }
    }

    /// Converts the reason into a note on the tool.
    pub(super) fn to_note(&self) -> Note {
        let Notice { path, message, .. } = self.to_notice("");
        Note {
            kind: NoteKind::Loosened,
            path: path.unwrap_or_else(|| "/".to_owned()),
            keyword: "strict".to_owned(),
            value: quoted(&message),
        }
    }
}

impl fmt::Display for NonStrict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(reject) => reject.fmt(f),
            Self::TooMany {
                limit: Limit::Tools,
                most,
                ..
            } => write!(
                f,
                "a request may hold {most} strict tools, and there are more"
            ),
            Self::TooMany { limit, most, share } => write!(
                f,
                "a request may hold {most} {limit} in strict tools, and this one would add {share}"
            ),
        }
    }
}

/// The tools as they are sent, in their order.
pub(super) struct StrictSelection {
    pub(super) sent: Vec<Arc<LoweredTool>>,
    /// Those that are not strict where the dialect is, by their places.
    pub(super) non_strict: BTreeMap<usize, NonStrict>,
}

impl LoweredTool {
    /// The definition, under the name that the provider takes.
    pub(super) fn text_as(
        &self,
        wire: Wire,
        renames: &Renames,
        (def, encoded): CachedDefinition<'_>,
    ) -> Cow<'_, str> {
        match renames.to_provider(&self.name) {
            Some(other) if *other != *self.name => {
                let (def, _) = encoded.visible(def);
                let declared =
                    ToolDeclaration::lowered(wire, other, def, &self.lowered, self.dialect);
                Cow::Owned(wire.write_tool(&declared))
            }
            _ => Cow::Borrowed(&self.text),
        }
    }
}

/// Every tool in the dialect, strict if possible within the request's limits. Loaded tools lose strictness first:
/// definitions that were sent before do not change.
pub(super) fn fitted(
    asked: &RequestedTools<'_>,
    wire: Wire,
    fit: &DefinitionOptions,
) -> Result<StrictSelection, DefinitionsError> {
    let tools = &*asked.tools;
    let dialect = fit.dialect;
    let mut refused = DefinitionsError::default();
    let mut unknown = HashSet::new();
    for name in &fit.keep {
        let names = || {
            tools
                .iter()
                .map(|(def, _)| &*def.name)
                .chain(asked.names.iter().copied())
                .chain(asked.left_out.iter().map(|notice| &*notice.tool))
        };
        if !names().any(|known| known == name) && unknown.insert(name) {
            let hint = did_you_mean(&near(name, names()));
            let gap = if hint.is_empty() { "" } else { "; " };
            refused.note(
                name,
                format!("there is no such tool to keep strict{gap}{hint}"),
            );
        }
    }
    for (def, encoded) in tools {
        let (_, hidden) = encoded.visible(def);
        if let Some(place) = hidden.and_then(|hidden| hidden.left.first()) {
            refused.note(&def.name, hidden_characters(place));
        }
    }
    if let Some(most) = dialect.most_tools()
        && tools.len() > most
    {
        let why = format!(
            "{dialect} takes at most {most} in one request; defer some of them (`Toolset::defer`)"
        );
        refused.note("all tools", why);
    }
    let mut sent = Vec::with_capacity(tools.len());
    let mut non_strict = BTreeMap::new();
    for (at, (def, encoded)) in tools.iter().enumerate() {
        let one = encoded.lowered(wire, dialect, def).or_else(|reject| {
            if !dialect.is_strict() {
                return Err(reject);
            }
            let other = encoded.lowered(wire, dialect.non_strict(), def)?;
            non_strict.insert(at, NonStrict::Rejected(reject.clone()));
            Ok(other)
        });
        match one {
            Ok(one) => sent.push(Arc::clone(one)),
            Err(reject) => refused.note(&def.name, reject.to_string()),
        }
    }
    // Limits of a request are known only with all tools.
    if refused.is_empty() {
        for share in shares(dialect) {
            let over = Over {
                tools,
                loaded: asked.loaded,
                wire,
                fit,
                share,
            };
            over.loosen(&mut sent, &mut non_strict, &mut refused);
        }
    }
    refused.or(StrictSelection { sent, non_strict })
}

/// Says that a part of a schema would mean something else without its invisible characters.
pub(super) fn hidden_characters(place: &str) -> String {
    format!("{place} of a schema holds characters that nobody sees")
}

/// A limit of a request, which its tools may go beyond.
struct Over<'t, 'f> {
    tools: &'t [CachedDefinition<'t>],
    loaded: usize,
    wire: Wire,
    fit: &'f DefinitionOptions,
    share: LimitUse,
}

impl Over<'_, '_> {
    /// Returns the share that a strict tool adds; 0 for any other.
    fn adds(&self, tool: &LoweredTool) -> usize {
        if tool.lowered.strict {
            (self.share.of)(&tool.lowered)
        } else {
            0
        }
    }

    /// Turns strictness off, tool by tool, until the rest is within the limits. Tools without a share of an exceeded
    /// limit keep it.
    fn loosen(
        &self,
        sent: &mut [Arc<LoweredTool>],
        non_strict: &mut BTreeMap<usize, NonStrict>,
        refused: &mut DefinitionsError,
    ) {
        loop {
            let total: usize = sent.iter().map(|tool| self.adds(tool)).sum();
            if total <= self.share.most {
                return;
            }
            let tools = self.tools.iter().zip(sent.iter_mut()).enumerate();
            // The last of the named behind those that are not named, and of equal shares the later one.
            let last = tools
                .filter(|(_, (_, tool))| self.adds(tool) > 0)
                .max_by_key(|(at, (_, tool))| {
                    let priority = self.fit.priority(&tool.name).unwrap_or(usize::MAX);
                    // Starts with the tool that was loaded last.
                    let last = at.checked_sub(self.loaded).map_or(0, |at| at + 1);
                    (priority, last, self.adds(tool))
                });
            let Some((at, ((def, encoded), one))) = last else {
                return;
            };
            let why = NonStrict::TooMany {
                limit: self.share.limit,
                most: self.share.most,
                share: self.adds(one),
            };
            match encoded.lowered(self.wire, self.fit.dialect.non_strict(), def) {
                Ok(other) => {
                    *one = Arc::clone(other);
                    non_strict.insert(at, why);
                }
                Err(reject) => {
                    refused.note(&one.name, reject.to_string());
                    return;
                }
            }
        }
    }
}
