//! Limits of one request over all of its tools, and each tool's share of them.

use std::fmt;

use super::{Dialect, Lowered};

/// Quantities that a request may hold only so much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Quantity {
    /// Tools.
    Tools,
    /// Keys that may be missing, over all strict tools.
    OptionalKeys,
    /// Values of one of several types, over all strict tools.
    Unions,
}

impl Quantity {
    /// The stable name: `optional_keys`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::OptionalKeys => "optional_keys",
            Self::Unions => "unions",
        }
    }

    /// The stable name of a problem with it: `too_many_optional_keys`.
    #[doc(hidden)]
    pub const fn too_many(self) -> &'static str {
        match self {
            Self::Tools => "too_many_tools",
            Self::OptionalKeys => "too_many_optional_keys",
            Self::Unions => "too_many_unions",
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tools => "tools",
            Self::OptionalKeys => "keys that may be missing",
            Self::Unions => "values of one of several types",
        })
    }
}

/// A limit, and what a tool adds to what it limits.
pub struct Share {
    pub quantity: Quantity,
    pub most: usize,
    pub of: fn(&Lowered) -> usize,
}

/// The limits on what one request's strict tools hold.
pub fn shares(dialect: Dialect) -> impl Iterator<Item = Share> {
    let limits = dialect.request_limits();
    let share = |quantity, most: Option<usize>, of| most.map(|most| Share { quantity, most, of });
    [
        share(Quantity::Tools, limits.tools, |_| 1),
        share(Quantity::OptionalKeys, limits.optional_keys, |lowered| {
            lowered.optional_keys
        }),
        share(Quantity::Unions, limits.unions, |lowered| lowered.unions),
    ]
    .into_iter()
    .flatten()
}

impl Dialect {
    /// The most tools of one request, strict or not: Anthropic counts strict ones alone.
    pub fn most_tools(self) -> Option<usize> {
        let limits = self.request_limits();
        limits.tools.filter(|_| limits.optional_keys.is_none())
    }
}
