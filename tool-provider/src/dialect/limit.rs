//! Limits of one request over all of its tools, and each tool's share of them.

use std::fmt;

use super::{Dialect, Lowered};

toolwright_json::named_enum! {
    /// A limit over all tools of a request.
    #[non_exhaustive]
    pub enum Limit {
        /// Tools.
        Tools = "tools",
        /// Keys that may be missing, over all strict tools.
        OptionalKeys = "optional_keys",
        /// Values of one of several types, over all strict tools.
        Unions = "unions",
    }
}

impl Limit {
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

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tools => "tools",
            Self::OptionalKeys => "keys that may be missing",
            Self::Unions => "values of one of several types",
        })
    }
}

/// A limit with its maximum, and the use of it by one tool.
pub struct LimitUse {
    pub limit: Limit,
    pub most: usize,
    pub of: fn(&Lowered) -> usize,
}

/// The limits on the strict tools of one request.
pub fn shares(dialect: Dialect) -> impl Iterator<Item = LimitUse> {
    let limits = dialect.request_limits();
    let share = |limit, most: Option<usize>, of| most.map(|most| LimitUse { limit, most, of });
    [
        share(Limit::Tools, limits.tools, |_| 1),
        share(Limit::OptionalKeys, limits.optional_keys, |lowered| {
            lowered.optional_keys
        }),
        share(Limit::Unions, limits.unions, |lowered| lowered.unions),
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
