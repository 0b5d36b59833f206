use std::fmt;
use std::sync::Arc;

use crate::tool::Scope;
use crate::toolset::{Registry, Toolset};
use toolwright_schema::panics::reported;

/// Where an [`Executor`](crate::Executor) has its tools from.
#[derive(Clone)]
pub struct Source(From);

#[derive(Clone)]
enum From {
    Tools(Toolset),
    Registry(Registry),
    Catalog(Arc<dyn Fn(&Scope<'_>) -> Toolset + Send + Sync>),
}

impl Source {
    /// Tools that are chosen anew for each turn, by what the conversation is. A choice that panics is
    /// a choice of no tools.
    ///
    /// ```
    /// use toolwright::{Executor, Toolset, call::Scope, executor::Source};
    ///
    /// let (few, all) = (Toolset::default(), Toolset::default());
    /// let source = Source::catalog(move |scope: &Scope<'_>| {
    ///     if scope.state.get("admin").is_some() { all.clone() } else { few.clone() }
    /// });
    /// let executor = Executor::serial(source);
    /// ```
    pub fn catalog(choose: impl Fn(&Scope<'_>) -> Toolset + Send + Sync + 'static) -> Self {
        Self(From::Catalog(Arc::new(choose)))
    }

    /// The tools as they are now.
    pub(super) fn tools(&self, scope: &Scope<'_>) -> Toolset {
        match &self.0 {
            From::Tools(tools) => tools.clone(),
            From::Registry(registry) => registry.snapshot(),
            From::Catalog(choose) => reported("a catalogue", || choose(scope)).unwrap_or_default(),
        }
    }
}

impl std::convert::From<Toolset> for Source {
    fn from(tools: Toolset) -> Self {
        Self(From::Tools(tools))
    }
}

impl std::convert::From<&Toolset> for Source {
    fn from(tools: &Toolset) -> Self {
        tools.clone().into()
    }
}

impl std::convert::From<Registry> for Source {
    fn from(registry: Registry) -> Self {
        Self(From::Registry(registry))
    }
}

impl std::convert::From<&Registry> for Source {
    fn from(registry: &Registry) -> Self {
        registry.clone().into()
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            From::Tools(tools) => tools.fmt(f),
            From::Registry(registry) => registry.fmt(f),
            From::Catalog(_) => f.write_str("Catalog(..)"),
        }
    }
}
