use std::fmt;
use std::sync::{Arc, PoisonError};

use crate::sync::RwLock;
use crate::tool::Tool;
use crate::toolset::{AttachError, ConflictError, Toolset};
use toolwright_provider::call::ToolDef;

/// A shared handle to a toolset that may change at run time. Cheap to clone; all clones see the same tools.
///
/// Calls run on a [`snapshot`](Self::snapshot), which never changes: a batch sees one state of the registry, and no
/// lock is held while a tool runs.
///
/// ```
/// use toolwright::{Registry, tool, tool_of};
///
/// /// Answers.
/// #[tool]
/// fn ping() -> &'static str {
///     "pong"
/// }
///
/// let registry = Registry::new();
/// let before = registry.snapshot();
/// assert!(registry.insert(tool_of!(ping)).is_none());
/// assert!(before.get("ping").is_none() && registry.get("ping").is_some());
/// ```
#[derive(Clone, Default)]
pub struct Registry(Arc<RegistryState>);

#[derive(Default)]
struct RegistryState {
    tools: RwLock<Toolset>,
    /// Number of changes.
    #[cfg(feature = "tokio")]
    changes: tokio::sync::watch::Sender<u64>,
}

/// Notifies of changes of a [`Registry`]; see [`Registry::changes`].
#[cfg(feature = "tokio")]
#[derive(Debug, Clone)]
pub struct Changes(tokio::sync::watch::Receiver<u64>);

#[cfg(feature = "tokio")]
impl Changes {
    /// Waits until the registry has changed since the last call. Several changes count as one. Never returns once the
    /// last handle to the registry is dropped.
    pub async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Registry {
    /// Makes an empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the current tools.
    pub fn snapshot(&self) -> Toolset {
        // A toolset is swapped whole, so a panic elsewhere cannot have left it half changed.
        self.0
            .tools
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Replaces the tools by the result of `change`.
    fn change<T>(&self, change: impl FnOnce(&Toolset) -> (Toolset, T)) -> T {
        let mut tools = self.0.tools.write().unwrap_or_else(PoisonError::into_inner);
        let (changed, value) = change(&tools);
        let old = std::mem::replace(&mut *tools, changed);
        drop(tools);
        #[cfg(feature = "tokio")]
        self.0.changes.send_modify(|count| *count += 1);
        // Dropped outside of the lock: a tool's destructor may use the registry.
        drop(old);
        value
    }

    /// Notifies of changes from now on.
    ///
    /// ```
    /// # use toolwright::{Registry, Toolset};
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let registry = Registry::new();
    /// let mut changes = registry.changes();
    /// registry.replace(Toolset::default());
    /// changes.changed().await;
    /// # });
    /// ```
    #[cfg(feature = "tokio")]
    pub fn changes(&self) -> Changes {
        Changes(self.0.changes.subscribe())
    }

    /// Adds a tool; one of the same name is replaced in its place and returned.
    pub fn insert(&self, tool: Arc<dyn Tool>) -> Option<Arc<dyn Tool>> {
        self.change(|tools| tools.replace(tool))
    }

    /// Adds a tool of a new name.
    ///
    /// # Errors
    /// When a tool has this name; nothing changes.
    pub fn insert_new(&self, tool: Arc<dyn Tool>) -> Result<(), ConflictError> {
        self.merge(&Toolset::new([tool])?)
    }

    /// Adds all tools of a set, which have new names. Those that are [deferred](Toolset::defer) stay so.
    ///
    /// # Errors
    /// When a tool has one of the names; nothing changes.
    pub fn merge(&self, others: &Toolset) -> Result<(), ConflictError> {
        self.change(|tools| match tools.merge(others) {
            Ok(changed) => (changed, Ok(())),
            Err(conflicts) => (tools.clone(), Err(conflicts)),
        })
    }

    /// Adds all tools of a set; the last of a name wins, in the place of the first. Those that are
    /// [deferred](Toolset::defer) stay so.
    pub fn extend(&self, others: &Toolset) {
        self.change(|tools| (tools.with_all(others), ()));
    }

    /// Replaces all tools and returns the old ones.
    pub fn replace(&self, tools: Toolset) -> Toolset {
        self.change(|old| (tools, old.clone()))
    }

    /// Removes and returns the tool of this name.
    pub fn remove(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.change(|tools| {
            let kept = tools.filter(|tool| tool.def().name != name);
            let removed = tools.get(name).filter(|tool| tool.def().name == name);
            (kept, removed.cloned())
        })
    }

    /// Makes tools of stored definitions; see [`Toolset::attach`].
    ///
    /// # Errors
    /// When no tool here has the name of a definition, or definitions have equal names; the error lists all such names.
    pub fn attach(&self, defs: impl IntoIterator<Item = ToolDef>) -> Result<Toolset, AttachError> {
        self.snapshot().attach(defs)
    }

    /// Returns the tool of this name, or the one that had it before.
    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.snapshot().get(name).cloned()
    }
}

impl From<Toolset> for Registry {
    fn from(tools: Toolset) -> Self {
        Self(Arc::new(RegistryState {
            tools: RwLock::new(tools),
            #[cfg(feature = "tokio")]
            changes: tokio::sync::watch::Sender::default(),
        }))
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Registry").field(&self.snapshot()).finish()
    }
}
