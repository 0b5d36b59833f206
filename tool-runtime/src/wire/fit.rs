//! Which tools of a set are sent strictly.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use super::declared::Declared;
use super::definitions::Refused;
use super::told::ToldIn;
use crate::dialect::{Share, shares};
use crate::near::{did_you_mean, near};
use crate::toolset::Entry;
use crate::{Budget, Dialect, Reject, Renames, Toolset, Wire};

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
    pub(super) keep: Vec<String>,
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
    entry: &'t Entry,
    pub(super) told: Arc<ToldIn>,
    /// Why it is not strict where the dialect is.
    pub(super) loose: Option<Loose>,
}

impl<'t> Sent<'t> {
    fn new(entry: &'t Entry, wire: Wire, dialect: Dialect) -> Result<Self, Reject> {
        let (told, loose) = match told(entry, wire, dialect) {
            Err(reject) if dialect.is_strict() => {
                let other = told(entry, wire, dialect.loose())?;
                (other, Some(Loose::Rejected(reject)))
            }
            told => (told?, None),
        };
        Ok(Self { entry, told, loose })
    }

    /// Its definition, under the name that the provider takes.
    pub(super) fn text(&self, wire: Wire, renames: &Renames) -> Cow<'_, str> {
        let ToldIn {
            name,
            lowered,
            text,
            dialect,
        } = &*self.told;
        match renames.to_provider(name) {
            Some(other) if *other != **name => {
                let declared = Declared::lowered(other, self.entry.def(), lowered, *dialect);
                Cow::Owned(wire.format().definition(&declared))
            }
            _ => Cow::Borrowed(text),
        }
    }

    fn is_strict(&self) -> bool {
        self.told.lowered.strict
    }

    /// Sends it in the provider's other dialect.
    fn loosen(&mut self, why: Loose, wire: Wire, dialect: Dialect) -> Result<(), Reject> {
        self.told = told(self.entry, wire, dialect.loose())?;
        self.loose = Some(why);
        Ok(())
    }
}

fn told(entry: &Entry, wire: Wire, dialect: Dialect) -> Result<Arc<ToldIn>, Reject> {
    entry.told().lowered(wire, dialect, entry)
}

/// Every tool in the dialect, strict where it can be and where a request may hold it so.
pub(super) fn fitted<'t>(
    tools: &'t Toolset,
    wire: Wire,
    fit: &Fit,
) -> Result<Vec<Sent<'t>>, Refused> {
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
    let mut sent = Vec::with_capacity(tools.len());
    for entry in tools.entries() {
        match Sent::new(entry, wire, dialect) {
            Ok(one) => sent.push(one),
            Err(reject) => refused.note(entry.name(), reject.to_string()),
        }
    }
    // What a request may hold is known only of all tools.
    if refused.is_empty() {
        for share in shares(dialect) {
            loosen(&mut sent, wire, fit, &share, &mut refused);
        }
    }
    refused.or(sent)
}

/// Turns strictness off, tool by tool, until a request may hold what is left. Of those that add
/// nothing to what there is too much of, none loses it.
fn loosen(sent: &mut [Sent<'_>], wire: Wire, fit: &Fit, share: &Share, refused: &mut Refused) {
    loop {
        let strict = sent.iter().filter(|one| one.is_strict());
        let total: usize = strict.map(|one| (share.of)(&one.told.lowered)).sum();
        if total <= share.most {
            return;
        }
        let adds = |one: &&mut Sent<'_>| one.is_strict() && (share.of)(&one.told.lowered) > 0;
        // The last of the named behind those that are not named, and of equal shares the later one.
        let last = sent.iter_mut().filter(adds).max_by_key(|one| {
            let priority = fit.priority(&one.told.name).unwrap_or(usize::MAX);
            (priority, (share.of)(&one.told.lowered))
        });
        let Some(one) = last else { return };
        let why = Loose::Budget {
            budget: share.budget,
            most: share.most,
            share: (share.of)(&one.told.lowered),
        };
        if let Err(reject) = one.loosen(why, wire, fit.dialect) {
            refused.note(&one.told.name, reject.to_string());
            return;
        }
    }
}
