//! Which tools of a set are sent strictly.

use std::collections::HashSet;
use std::fmt;

use super::definitions::Refused;
use crate::dialect::{Share, shares};
use crate::near::{did_you_mean, near};
use crate::{Budget, Dialect, Lowered, Reject, ToolDef, Toolset, lower};

/// A dialect, and the tools that stay strict first where a request may not hold all of them so.
///
/// A [`Dialect`] alone is one, in which no tool comes first.
///
/// ```
/// use toolwright_runtime::{Dialect, Fit};
///
/// let fit = Fit::to(Dialect::AnthropicStrict).keep(["pay", "refund"]);
/// # let _: Fit = Dialect::AnthropicStrict.into();
/// # let _ = fit;
/// ```
#[derive(Debug, Clone)]
pub struct Fit {
    pub(super) dialect: Dialect,
    keep: Vec<String>,
}

impl Fit {
    /// This dialect.
    pub fn to(dialect: Dialect) -> Self {
        Self {
            dialect,
            keep: Vec::new(),
        }
    }

    /// These tools, by their names, stay strict before all others, the first of them the longest.
    /// Those that are not named lose strictness first, the largest share of what there is too much of
    /// before smaller ones.
    pub fn keep<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.keep.extend(tools.into_iter().map(Into::into));
        self
    }

    /// How early a tool is kept; nothing for one that is not named.
    fn priority(&self, tool: &str) -> Option<usize> {
        self.keep.iter().position(|name| name == tool)
    }
}

impl From<Dialect> for Fit {
    fn from(dialect: Dialect) -> Self {
        Self::to(dialect)
    }
}

/// Why a tool is sent without strictness.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loose {
    /// The strict mode cannot say its arguments.
    Rejected(Reject),
    /// A request may hold no more in strict tools, and of those that were left this one stood
    /// behind: it was to be kept after the others, or it was not named and has the largest share.
    Budget {
        /// Of what.
        budget: Budget,
        /// The most that a request may hold.
        most: usize,
        /// What the tool would add.
        share: usize,
    },
}

impl fmt::Display for Loose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(reject) => reject.fmt(f),
            Self::Budget {
                budget: Budget::Tools,
                most,
                ..
            } => write!(
                f,
                "a request may hold {most} strict tools, and there are more"
            ),
            Self::Budget {
                budget,
                most,
                share,
            } => write!(
                f,
                "a request may hold {most} {budget} in strict tools, and this one would add {share}"
            ),
        }
    }
}

/// A tool as it is sent.
pub(super) struct Sent<'t> {
    pub(super) def: &'t ToolDef,
    pub(super) lowered: Lowered,
    /// Why it is not strict where the dialect is.
    pub(super) loose: Option<Loose>,
}

impl Sent<'_> {
    fn is_strict(&self) -> bool {
        self.lowered.strict
    }

    /// Sends it in the provider's other dialect.
    fn loosen(&mut self, why: Loose, dialect: Dialect) -> Result<(), Reject> {
        self.lowered = lower(&self.def.input, dialect.loose())?;
        self.loose = Some(why);
        Ok(())
    }
}

/// Every tool in the dialect, strict where it can be and where a request may hold it so.
pub(super) fn fitted<'t>(tools: &'t Toolset, fit: &Fit) -> Result<Vec<Sent<'t>>, Refused> {
    let dialect = fit.dialect;
    let mut refused = Refused::default();
    let mut unknown = HashSet::new();
    for name in &fit.keep {
        if !tools.contains(name) && unknown.insert(name) {
            let hint = did_you_mean(&near(name, tools.definitions().map(|def| &*def.name)));
            let gap = if hint.is_empty() { "" } else { "; " };
            refused.note(
                name,
                format!("there is no such tool to keep strict{gap}{hint}"),
            );
        }
    }
    if let Some(most) = dialect.most_tools()
        && tools.len() > most
    {
        let why = format!("{dialect} takes at most {most} in one request");
        refused.note("all tools", why);
    }
    let mut sent = Vec::new();
    for def in tools.definitions() {
        match lowered(def, dialect) {
            Ok(one) => sent.push(one),
            Err(reject) => refused.note(&def.name, reject.to_string()),
        }
    }
    // What a request may hold is known only of all tools.
    if refused.is_empty() {
        for share in shares(dialect) {
            loosen(&mut sent, fit, &share, &mut refused);
        }
    }
    refused.or(sent)
}

fn lowered(def: &ToolDef, dialect: Dialect) -> Result<Sent<'_>, Reject> {
    match lower(&def.input, dialect) {
        Ok(lowered) => Ok(Sent {
            def,
            lowered,
            loose: None,
        }),
        Err(reject) if dialect.is_strict() => Ok(Sent {
            def,
            lowered: lower(&def.input, dialect.loose())?,
            loose: Some(Loose::Rejected(reject)),
        }),
        Err(reject) => Err(reject),
    }
}

/// Turns strictness off, tool by tool, until a request may hold what is left. Of those that add
/// nothing to what there is too much of, none loses it.
fn loosen(sent: &mut [Sent<'_>], fit: &Fit, share: &Share, refused: &mut Refused) {
    loop {
        let strict = sent.iter().filter(|one| one.is_strict());
        let total: usize = strict.map(|one| (share.of)(&one.lowered)).sum();
        if total <= share.most {
            return;
        }
        let adds = |one: &&mut Sent<'_>| one.is_strict() && (share.of)(&one.lowered) > 0;
        // The last of the named behind those that are not named, and of equal shares the later one.
        let last = sent.iter_mut().filter(adds).max_by_key(|one| {
            let priority = fit.priority(&one.def.name).unwrap_or(usize::MAX);
            (priority, (share.of)(&one.lowered))
        });
        let Some(one) = last else { return };
        let why = Loose::Budget {
            budget: share.budget,
            most: share.most,
            share: (share.of)(&one.lowered),
        };
        if let Err(reject) = one.loosen(why, fit.dialect) {
            refused.note(&one.def.name, reject.to_string());
            return;
        }
    }
}
