use std::fmt;
use std::sync::Arc;

use crate::tool::Scope;
use toolwright_provider::call::ToolDef;

/// Rule for the tools that a conversation may see and call, beside the tools' own visibility.
///
/// A tool that the filter of an [`Executor`](crate::executor::Executor) rejects is not listed, called or offered as a near name.
/// A rule that panics rejects all tools.
///
/// ```
/// use toolwright::{ToolDef, call::{Filter, Scope}};
///
/// let pay = ToolDef::new("pay", "Pays.");
/// // No `delete`, and `pay` only after the basket was shown.
/// let filter = Filter::deny(["delete"]).and(Filter::after_tool("basket").only_for(["pay"]));
/// assert!(!filter.passes(&pay, &Scope::default()));
/// let called = ["basket".into()];
/// assert!(filter.passes(&pay, &Scope::default().with_called(&called)));
/// ```
#[derive(Clone)]
pub struct Filter(FilterRule);

#[derive(Clone)]
enum FilterRule {
    Allow(Arc<[Arc<str>]>),
    Deny(Arc<[Arc<str>]>),
    After(Arc<str>),
    From(u32),
    Until(u32),
    All(Arc<[Filter]>),
    Any(Arc<[Filter]>),
    Not(Arc<Filter>),
    When(Arc<Predicate>),
}

type Predicate = dyn Fn(&ToolDef, &Scope<'_>) -> bool + Send + Sync;

fn listed<N: Into<Arc<str>>>(names: impl IntoIterator<Item = N>) -> Arc<[Arc<str>]> {
    names.into_iter().map(Into::into).collect()
}

impl Filter {
    /// Accepts tools of these names and no others. An old name of a tool counts, here and in the other rules.
    pub fn allow<N: Into<Arc<str>>>(names: impl IntoIterator<Item = N>) -> Self {
        Self(FilterRule::Allow(listed(names)))
    }

    /// Accepts all tools but those of these names.
    pub fn deny<N: Into<Arc<str>>>(names: impl IntoIterator<Item = N>) -> Self {
        Self(FilterRule::Deny(listed(names)))
    }

    /// Accepts tools once the conversation has called `tool`; see [`Scope::called`].
    pub fn after_tool(tool: impl Into<Arc<str>>) -> Self {
        Self(FilterRule::After(tool.into()))
    }

    /// Accepts tools from this turn of a run on. The first one is 0.
    pub fn from_turn(turn: u32) -> Self {
        Self(FilterRule::From(turn))
    }

    /// Accepts tools before this turn of a run. The first one is 0.
    pub fn until_turn(turn: u32) -> Self {
        Self(FilterRule::Until(turn))
    }

    /// Accepts tools for which `passes` returns true.
    pub fn when(passes: impl Fn(&ToolDef, &Scope<'_>) -> bool + Send + Sync + 'static) -> Self {
        Self(FilterRule::When(Arc::new(passes)))
    }

    /// Accepts tools that all of these accept; with no filters, every tool.
    pub fn all(filters: impl IntoIterator<Item = Self>) -> Self {
        Self(FilterRule::All(filters.into_iter().collect()))
    }

    /// Accepts tools that one of these accepts; with no filters, none.
    pub fn any(filters: impl IntoIterator<Item = Self>) -> Self {
        Self(FilterRule::Any(filters.into_iter().collect()))
    }

    /// Accepts tools that both accept.
    pub fn and(self, other: Self) -> Self {
        Self::all([self, other])
    }

    /// Accepts tools that one of both accepts.
    pub fn or(self, other: Self) -> Self {
        Self::any([self, other])
    }

    /// Accepts tools that this filter rejects.
    // `!filter` would be the trait's; a chain of methods reads on.
    #[allow(clippy::should_implement_trait)]
    pub fn not(self) -> Self {
        Self(FilterRule::Not(Arc::new(self)))
    }

    /// Limits the rule to tools of these names; all others are accepted.
    pub fn only_for<N: Into<Arc<str>>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.or(Self::deny(names))
    }

    /// Returns true if the filter accepts the tool.
    ///
    /// # Panics
    /// When a closure of [`when`](Self::when) panics.
    pub fn passes(&self, def: &ToolDef, scope: &Scope<'_>) -> bool {
        match &self.0 {
            FilterRule::Allow(names) => names.iter().any(|name| def.is_called(name)),
            FilterRule::Deny(names) => !names.iter().any(|name| def.is_called(name)),
            FilterRule::After(tool) => scope.has_called(tool),
            FilterRule::From(turn) => scope.turn >= *turn,
            FilterRule::Until(turn) => scope.turn < *turn,
            FilterRule::All(filters) => filters.iter().all(|filter| filter.passes(def, scope)),
            FilterRule::Any(filters) => filters.iter().any(|filter| filter.passes(def, scope)),
            FilterRule::Not(filter) => !filter.passes(def, scope),
            FilterRule::When(passes) => passes(def, scope),
        }
    }
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            FilterRule::Allow(names) => f.debug_tuple("Allow").field(names).finish(),
            FilterRule::Deny(names) => f.debug_tuple("Deny").field(names).finish(),
            FilterRule::After(tool) => f.debug_tuple("After").field(tool).finish(),
            FilterRule::From(turn) => f.debug_tuple("FromTurn").field(turn).finish(),
            FilterRule::Until(turn) => f.debug_tuple("UntilTurn").field(turn).finish(),
            FilterRule::All(filters) => f.debug_tuple("All").field(filters).finish(),
            FilterRule::Any(filters) => f.debug_tuple("Any").field(filters).finish(),
            FilterRule::Not(filter) => f.debug_tuple("Not").field(filter).finish(),
            FilterRule::When(_) => f.write_str("When(..)"),
        }
    }
}
