use std::fmt;
use std::sync::Arc;

use crate::tool::Scope;
use crate::toolset::{Registry, Toolset};
use toolwright_schema::panics::reported;

/// Source of an executor's tools: a toolset, a registry or a catalogue.
#[derive(Clone)]
pub struct Source(SourceKind);

#[derive(Clone)]
enum SourceKind {
    Tools(Toolset),
    Registry(Registry),
    Catalog(Arc<dyn Fn(&Scope<'_>) -> Toolset + Send + Sync>),
}

impl Source {
    /// Chooses the tools of each turn, by the conversation. If the choice panics, there are no tools.
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
        Self(SourceKind::Catalog(Arc::new(choose)))
    }

    /// Returns the current tools.
    pub(super) fn tools(&self, scope: &Scope<'_>) -> Toolset {
        match &self.0 {
            SourceKind::Tools(tools) => tools.clone(),
            SourceKind::Registry(registry) => registry.snapshot(),
            SourceKind::Catalog(choose) => {
                reported("a catalogue", || choose(scope)).unwrap_or_default()
            }
        }
    }

    /// See [`Toolset::check_examples`]. The tools of a catalogue are not known yet.
    pub(super) fn check_examples(&self) -> Result<(), String> {
        match &self.0 {
            SourceKind::Tools(tools) => tools.check_examples(),
            SourceKind::Registry(registry) => registry.snapshot().check_examples(),
            SourceKind::Catalog(_) => Ok(()),
        }
    }
}

impl std::convert::From<Toolset> for Source {
    fn from(tools: Toolset) -> Self {
        Self(SourceKind::Tools(tools))
    }
}

impl std::convert::From<&Toolset> for Source {
    fn from(tools: &Toolset) -> Self {
        tools.clone().into()
    }
}

impl std::convert::From<Arc<Toolset>> for Source {
    fn from(tools: Arc<Toolset>) -> Self {
        Arc::unwrap_or_clone(tools).into()
    }
}

impl std::convert::From<&Arc<Toolset>> for Source {
    fn from(tools: &Arc<Toolset>) -> Self {
        Toolset::clone(tools).into()
    }
}

impl std::convert::From<Registry> for Source {
    fn from(registry: Registry) -> Self {
        Self(SourceKind::Registry(registry))
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
            SourceKind::Tools(tools) => tools.fmt(f),
            SourceKind::Registry(registry) => registry.fmt(f),
            SourceKind::Catalog(_) => f.write_str("Catalog(..)"),
        }
    }
}
