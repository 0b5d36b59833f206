use std::fmt;

use serde::{Deserialize, Serialize};

/// A change to a call's arguments that made them fit the schema as the model meant them.
///
/// Arguments that a model wrote are repaired where their meaning is certain, and everything is read and checked again
/// afterwards. A string parameter is never touched. [`Repairs`] sets the extent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Repair {
    /// Path from the arguments' root: `lines[2].qty`. Empty for the arguments as a whole.
    pub path: String,
    /// Kind of repair.
    pub kind: RepairKind,
    /// Text that the model wrote, shortened.
    pub from: String,
    /// Text that it was taken for, shortened; empty where it was left out.
    pub to: String,
}

impl Repair {
    /// Creates a repair at a path.
    #[doc(hidden)]
    pub fn new(path: String, kind: RepairKind, from: String, to: String) -> Self {
        Self {
            path,
            kind,
            from,
            to,
        }
    }
}

toolwright_json::named_enum! {
    /// The kinds of repairs.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum RepairKind {
        /// A number or boolean stood in a string.
        Unquoted = "unquoted",
        /// JSON text stood in a string, where an object or array belongs.
        Parsed = "parsed",
        /// One value stood where a list of such values belongs.
        Wrapped = "wrapped",
        /// `null` stood for a default.
        NullDropped = "null_dropped",
        /// The arguments as a whole were encoded twice.
        Decoded = "decoded",
        /// A key was misspelled: the only unknown one, for the only one that was missing. They differ in
        /// letters alone, beyond their case, and the key that was written has no letters but ASCII's and those
        /// of the other one.
        Renamed = "renamed",
        /// The tool or an argument was called by a name that it had before: `#[tool(was("old_name"))]`.
        OldName = "old_name",
    }
}

/// Extent to which arguments are repaired: see `Context::with_repairs`.
///
/// A gateway in front of a server reads arguments by their keys, so exactly the arguments that it sees
/// must run. If the caller is not known, keys are not renamed, and not taken out of JSON in a text.
/// Nothing is repaired for an exact tool, for any caller and in any context: one that is
/// `destructive`, needs an approval, or is marked `#[tool(exact)]`.
///
/// ```
/// use toolwright::{Context, args::Repairs};
///
/// let cx = Context::new();
/// assert_eq!(cx.repairs(), Repairs::All);
/// // Of two contexts, the one that repairs less counts.
/// let server = Context::new().with_repairs(Repairs::Values);
/// assert_eq!(cx.with_fallback(&server).repairs(), Repairs::Values);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Repairs {
    /// No repairs.
    None,
    /// Values whose keys are as they were written, or old names of arguments. Examples: a number in quotes, one value for a
    /// list, `null` for a default, a list in a string. Servers go no further.
    Values,
    /// Keys too: one that is misspelled, objects in a string, arguments that were encoded twice.
    #[default]
    All,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        match (self.kind, self.from.as_str(), self.to.as_str()) {
            (RepairKind::NullDropped, ..) => f.write_str("`null` was left out"),
            (_, from, to) => write!(f, "{from} was taken for {to}"),
        }
    }
}
