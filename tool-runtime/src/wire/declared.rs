//! Tools as a request declares them: in plain JSON Schema, or in a provider's dialect.

use std::borrow::Cow;
use std::fmt;

use crate::{Dialect, Lowered, Note, Reject, SchemaDoc, ToolDef, Toolset, Wire, lower};

/// A tool as a request declares it.
pub(super) struct Declared<'d> {
    pub(super) def: &'d ToolDef,
    /// The schema of the arguments; `None` where a tool without any is sent without one.
    pub(super) schema: Option<String>,
    /// Whether the provider holds the model to the schema.
    pub(super) strict: bool,
    /// The schema is of Gemini's `OpenAPI` form.
    pub(super) openapi: bool,
}

impl<'d> Declared<'d> {
    /// In plain JSON Schema.
    pub(super) fn plain(def: &'d ToolDef) -> Self {
        Self {
            def,
            schema: Some(def.input.to_provider_json()),
            strict: false,
            openapi: false,
        }
    }

    fn lowered(def: &'d ToolDef, lowered: &Lowered, dialect: Dialect) -> Self {
        Self {
            def,
            schema: lowered.schema.clone(),
            strict: lowered.strict,
            openapi: dialect == Dialect::GeminiOpenApi,
        }
    }

    /// The schema, where a tool without arguments has one too.
    pub(super) fn schema(&self) -> Cow<'_, str> {
        match &self.schema {
            Some(schema) => Cow::Borrowed(schema),
            None => Cow::Owned(SchemaDoc::empty_object().as_json().to_owned()),
        }
    }
}

/// The tools of a request in a provider's dialect: [`Wire::definitions_in`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Definitions {
    /// The text of the request's `tools`.
    pub text: String,
    /// What the schemas do not say any more, each with its tool's name. The decoder enforces it all
    /// the same.
    pub notes: Vec<(String, Note)>,
    /// The tools that are sent without strictness, and why. Their schemas are plain.
    pub loose: Vec<(String, Loose)>,
}

/// Why a tool is sent without strictness.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loose {
    /// The strict mode cannot say its arguments.
    Rejected(Reject),
    /// A request may hold no more, and this tool takes the largest share.
    Budget(&'static str),
}

impl fmt::Display for Loose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(reject) => reject.fmt(f),
            Self::Budget(what) => write!(f, "a request may hold no more {what} in strict tools"),
        }
    }
}

/// What a provider would refuse: each tool's name, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused(Vec<(String, String)>);

impl Refused {
    /// Each tool's name, and why it would be refused.
    pub fn reasons(&self) -> &[(String, String)] {
        &self.0
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (tool, why)) in self.0.iter().enumerate() {
            let gap = if index > 0 { "\n" } else { "" };
            write!(f, "{gap}{tool}: {why}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refused {}

impl Wire {
    /// The tools for a request, in a dialect of the provider that the wire leads to.
    ///
    /// Where the dialect is a strict mode, a tool that it cannot say, or that goes beyond what one
    /// request may hold, is sent in plain JSON Schema and without strictness, and says so. Calls that
    /// come back are read in a [`lowered`](crate::Context::lowered) context.
    ///
    /// ```
    /// use toolwright_runtime::{Dialect, DynTool, SchemaDoc, ToolDef, Toolset, Wire};
    ///
    /// let schema = r#"{"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}"#;
    /// let mut def = ToolDef::new("count", "Counts.");
    /// def.input = SchemaDoc::parse(schema).unwrap();
    /// let tools = Toolset::new([DynTool::declare(def)]).unwrap();
    /// let sent = Wire::Anthropic.definitions_in(&tools, Dialect::AnthropicStrict).unwrap();
    /// assert!(sent.text.contains(r#""strict":true"#));
    /// assert_eq!(sent.notes.len(), 1);
    /// ```
    ///
    /// # Errors
    /// When the provider would refuse the request: a name that it does not take, too many tools, or
    /// arguments that a dialect cannot say which is no strict mode. The error lists them all.
    pub fn definitions_in(self, tools: &Toolset, dialect: Dialect) -> Result<Definitions, Refused> {
        let mut refused = Vec::new();
        let mut refuse = |tool: &str, why: String| refused.push((tool.to_owned(), why));
        // Anthropic counts strict tools alone.
        if let Some(most) = dialect.request_limits().tools
            && tools.len() > most
            && dialect != Dialect::AnthropicStrict
        {
            refuse(
                "all tools",
                format!("{dialect} takes at most {most} in one request"),
            );
        }
        let mut sent: Vec<(&ToolDef, Result<Lowered, Loose>)> = Vec::new();
        for def in tools.definitions() {
            if !dialect.accepts_name(&def.name) {
                refuse(&def.name, format!("{dialect} does not take the name"));
            }
            match lower(&def.input, dialect) {
                Ok(lowered) => sent.push((def, Ok(lowered))),
                Err(reject) if dialect.is_strict() => {
                    sent.push((def, Err(Loose::Rejected(reject))));
                }
                Err(reject) => refuse(&def.name, reject.to_string()),
            }
        }
        if !refused.is_empty() {
            return Err(Refused(refused));
        }
        fit(&mut sent, dialect);
        let mut notes = Vec::new();
        let mut loose = Vec::new();
        let mut definitions = sent.into_iter().map(|(def, lowered)| {
            let declared = match &lowered {
                Ok(lowered) => Declared::lowered(def, lowered, dialect),
                Err(_) => Declared::plain(def),
            };
            let text = self.format().definition(&declared);
            let name = || def.name.as_ref().to_owned();
            match lowered {
                Ok(lowered) => notes.extend(lowered.notes.into_iter().map(|note| (name(), note))),
                Err(why) => loose.push((name(), why)),
            }
            text
        });
        let text = self.format().definitions(&mut definitions);
        drop(definitions);
        Ok(Definitions { text, notes, loose })
    }
}

/// A tool's share of what a request may hold.
type Share = fn(&Lowered) -> usize;

/// Turns strictness off, the largest share first, until a request may hold the rest.
fn fit(sent: &mut [(&ToolDef, Result<Lowered, Loose>)], dialect: Dialect) {
    let limits = dialect.request_limits();
    let shares: [(Share, Option<usize>, &'static str); 3] = [
        (|_| 1, limits.tools, "tools"),
        (
            |lowered| lowered.optional_keys,
            limits.optional_keys,
            "keys that may be missing",
        ),
        (
            |lowered| lowered.unions,
            limits.unions,
            "values of several types",
        ),
    ];
    for (share, most, what) in shares {
        let Some(most) = most else { continue };
        loop {
            let strict = sent.iter_mut().filter_map(|(_, lowered)| match lowered {
                Ok(one) if one.strict => Some(share(one)),
                _ => None,
            });
            if strict.sum::<usize>() <= most {
                break;
            }
            let largest = sent
                .iter_mut()
                .filter(|(_, lowered)| lowered.as_ref().is_ok_and(|one| one.strict))
                .max_by_key(|(_, lowered)| lowered.as_ref().map_or(0, share));
            match largest {
                Some((_, lowered)) => *lowered = Err(Loose::Budget(what)),
                None => break,
            }
        }
    }
}
