//! What a change of a schema means to those who make calls.

use std::fmt;

use toolwright_schema::decode::walk::{WalkOptions, collect_faults};
use toolwright_schema::decode::{Fault, Repairs};
use toolwright_schema::read::tree::{SchemaNote, Tree};
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::shape::Shape;
use toolwright_schema::text::Printable;

use crate::proof::is_proven;
use crate::witness::witness;

toolwright_json::named_enum! {
    /// Meaning of a change; later ones are worse.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Verdict {
        /// Nothing changed.
        Same = "same",
        /// Words or the order changed: the same values are admitted.
        Patch = "patch",
        /// All values that were admitted still are, and perhaps others.
        Minor = "minor",
        /// Values that were admitted may be refused: neither a proof nor an example was found. Treat it as `Major`.
        Undecided = "undecided",
        /// A value that was admitted is refused.
        Major = "major",
    }
}

impl Verdict {
    /// Returns true if calls that were written before may be refused.
    pub const fn breaks(self) -> bool {
        matches!(self, Self::Undecided | Self::Major)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Comparison of two schemas.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comparison {
    /// Meaning of the change.
    pub verdict: Verdict,
    /// A value that shows the change, as JSON. For `Major` the old schema admits it and the new one refuses it. For
    /// `Minor` it is the other way round, if one was found.
    pub witness: Option<String>,
    /// The faults that the refusing schema finds in the witness: `days: at most 7, got 8`.
    pub faults: Vec<String>,
}

impl Comparison {
    pub(crate) const UNKNOWN: Self = Self {
        verdict: Verdict::Undecided,
        witness: None,
        faults: Vec::new(),
    };
}

/// Compares two schemas of arguments. To compare schemas of results, swap the two: whoever reads results by the old
/// schema must be able to read those of the new one.
///
/// `Same`, `Patch` and `Minor` are proofs: each value that the old schema admits is admitted by the new one. One thing
/// is left out: keys that an object neither names nor mentions in `additionalProperties` mean nothing to it. A new
/// optional argument of such a name is `Minor`.
///
/// ```
/// use toolwright::lock::{Verdict, compare};
/// use toolwright::schema::SchemaDoc;
///
/// let old = SchemaDoc::parse(r#"{"type": "integer", "minimum": 0}"#)?;
/// let new = SchemaDoc::parse(r#"{"type": "integer", "minimum": 1}"#)?;
/// let comparison = compare(&old, &new);
/// assert_eq!(comparison.verdict, Verdict::Major);
/// assert_eq!(comparison.witness.as_deref(), Some("0"));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn compare(old: &SchemaDoc, new: &SchemaDoc) -> Comparison {
    let of = |verdict, witness, faults| Comparison {
        verdict,
        witness,
        faults,
    };
    if old == new {
        return of(Verdict::Same, None, Vec::new());
    }
    let (old, new) = match (exact(old), exact(new)) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(why), _) | (_, Err(why)) => return of(Verdict::Undecided, None, vec![why]),
    };
    let (old, new) = (old.root(), new.root());
    if !is_proven(old, new, false) {
        let Some(witness) = witness(old, new) else {
            return of(Verdict::Undecided, None, Vec::new());
        };
        let faults = faults(&witness, new);
        return of(Verdict::Major, Some(witness), faults);
    }
    if is_proven(new, old, true) && is_proven(old, new, true) {
        return of(Verdict::Patch, None, Vec::new());
    }
    let witness = witness(new, old);
    let faults = witness
        .as_ref()
        .map_or_else(Vec::new, |witness| faults(witness, old));
    of(Verdict::Minor, witness, faults)
}

/// Returns the tree of a schema, if it says all that the schema says.
fn exact(schema: &SchemaDoc) -> Result<Tree, String> {
    let tree = Tree::exact(schema.as_json()).map_err(|error| error.to_string())?;
    match tree.notes().iter().find(|note| note.is_weaker) {
        Some(SchemaNote { at, message, .. }) => {
            let (at, message) = (Printable::new(at), Printable::new(message));
            Err(format!("the schema, at `{at}`: {message}"))
        }
        None => Ok(tree),
    }
}

/// Returns the faults that a schema finds in a value, a line each.
fn faults(value: &str, shape: &Shape<'_>) -> Vec<String> {
    let found = collect_faults(value, WalkOptions::at_run_time(value), shape, Repairs::None);
    let words = |(_, fault): (usize, Fault)| match &*fault.path {
        "" => fault.message,
        path => format!("{path}: {}", fault.message),
    };
    found.faults.into_iter().map(words).collect()
}
