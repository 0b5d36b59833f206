mod call;
mod compact;
mod deferred;
mod entry;
mod error;
mod instructions;
mod list_state;
mod past;
mod registry;
mod report;
mod search;
mod search_tools;
mod table;

use std::fmt;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::tool::{Filter, Redefined, Scope, Tool};
use toolwright_provider::call::{ErrorKind, Meta, ToolDef, ToolError, ToolOptions};
use toolwright_provider::definitions::{self, DefinitionCache, EncodedTool, Stripped, ToolList};
use toolwright_provider::wire::Namespace;
use toolwright_schema::text::{NameError, ShortStr};

#[cfg(feature = "tokio")]
pub(crate) use self::call::resolved;
use self::deferred::DeferredTools;
pub use self::deferred::LoadOptions;
pub use self::error::{AttachError, ConflictError, RenameError};
pub use self::instructions::{Instructions, InstructionsError, InstructionsPart};
pub use self::list_state::ListState;
#[cfg(feature = "tokio")]
pub use self::registry::Changes;
pub use self::registry::Registry;
pub use self::report::{Problem, ProblemCode, Report, Severity};
pub use self::search::FoundTool;
pub use self::search_tools::{FindTools, ToolQuery};

/// An ordered collection of tools that never changes. Cheap to clone.
///
/// Made by `tools![]`, or from tools known only at run time. Tools are in the order in which they were given.
///
/// ```
/// use toolwright::{Context, ToolCall, tool, tools};
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let tools = tools![add];
/// assert!(tools.get("add").is_some());
///
/// let call = ToolCall::new("call_1", "add", r#"{"a": 1, "b": 2}"#);
/// let result = tools.call_blocking(&call, &Context::new());
/// assert_eq!(result.value(), Some(3.into()));
///
/// let math = tools.prefix("math_").unwrap();
/// assert!(math.get("math_add").is_some());
/// ```
#[derive(Clone, Default)]
pub struct Toolset {
    set: Arc<ToolsetData>,
    /// The deferred tools, if there are any.
    deferral: Option<DeferredTools>,
}

#[derive(Clone, Default)]
struct ToolsetData {
    tools: Vec<ToolEntry>,
    index: HashTable<usize>,
    hasher: RandomState,
    /// Old names of tools, each with the current name.
    old_names: Vec<past::OldName>,
    cache: DefinitionCache,
    inherited: InheritedOptions,
    search: search::LazyIndex,
    /// True if some tool may be hidden.
    may_hide: bool,
}

/// Options that derived sets inherit.
#[derive(Clone, Default)]
struct InheritedOptions {
    /// The instructions of the lists.
    instructions: Vec<Instructions>,
    loads: LoadOptions,
}

/// A tool with cached parts of its definition. The runtime reads the definition only when a set is made, so no
/// uncontained code of the tool runs during a call.
// Each is asked by itself.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone)]
pub(crate) struct ToolEntry {
    name: ShortStr,
    tool: Arc<dyn Tool>,
    attributes: Meta,
    /// Attributes of the tools inside this one, where they are others.
    #[cfg(feature = "tokio")]
    inside: Vec<Meta>,
    may_hide: bool,
    is_exact: bool,
    /// Names that the tool had before.
    old_names: Vec<ShortStr>,
    /// Names that models are answered with this tool's.
    retired: Vec<ShortStr>,
    has_mentions: bool,
    /// The group of a deferred tool.
    namespace: Option<Namespace>,
    /// True for the search of the set. Filters apply to the tools that it finds.
    searches: bool,
    /// True if that search prints definitions, since tools are not loaded.
    prints: bool,
    encoded: Arc<EncodedTool>,
    options: ToolOptions,
    #[cfg(feature = "tokio")]
    reads_context: bool,
}

impl ToolList for Toolset {
    fn encoded(&self) -> impl ExactSizeIterator<Item = (&ToolDef, &EncodedTool)> {
        let sent = self.sent().into_iter();
        sent.map(|entry| (entry.def(), &*entry.encoded))
    }

    fn all(&self) -> impl ExactSizeIterator<Item = (&ToolDef, &EncodedTool)> {
        self.entries().map(|entry| (entry.def(), &*entry.encoded))
    }

    fn cache(&self) -> &DefinitionCache {
        match &self.deferral {
            Some(deferral) => deferral.cache(),
            None => &self.set.cache,
        }
    }

    fn deferral(&self) -> Option<definitions::Deferral<'_>> {
        self.deferral.as_ref().map(DeferredTools::of_request)
    }
}

impl InheritedOptions {
    fn with(mut self, other: &Self) -> Self {
        self.instructions.extend(&other.instructions);
        Self {
            loads: self.loads.with(&other.loads),
            ..self
        }
    }
}

impl Toolset {
    /// Makes a set of tools in this order.
    ///
    /// # Errors
    /// When tools have equal names; the error lists them all.
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Result<Self, ConflictError> {
        Self::of_entries(
            InheritedOptions::default(),
            tools.into_iter().map(ToolEntry::new),
        )
    }

    fn of_entries(
        inherited: InheritedOptions,
        entries: impl IntoIterator<Item = ToolEntry>,
    ) -> Result<Self, ConflictError> {
        let mut set = ToolsetData::keeping(inherited);
        let mut conflicts = Vec::new();
        for entry in entries {
            if let Err(name) = set.add(entry) {
                note(&mut conflicts, name);
            }
        }
        for (old, today) in set.sorted_old_names().1 {
            if old != today {
                note(&mut conflicts, old.as_ref().to_owned());
            }
        }
        if conflicts.is_empty() {
            Ok(set.finish())
        } else {
            Err(ConflictError(conflicts))
        }
    }

    /// Makes a set of tools whose names differ. The last ones are deferred, each from the place of a group on.
    pub(crate) fn of_distinct(tools: Vec<Arc<dyn Tool>>, groups: &[(usize, Namespace)]) -> Self {
        let mut set = ToolsetData::default();
        for (at, tool) in tools.into_iter().enumerate() {
            let group = groups.iter().rfind(|(start, _)| *start <= at);
            let entry = ToolEntry::new(tool);
            let group = group.filter(|_| !entry.is_search());
            set.push(ToolEntry {
                namespace: group.map(|(_, group)| group.clone()),
                ..entry
            });
        }
        set.finish()
    }

    /// Adds the instructions of the list that the tools are from.
    pub(crate) fn instructed(self, instructions: &[Instructions]) -> Self {
        let mut set = Arc::unwrap_or_clone(self.set);
        set.inherited.instructions.extend(instructions);
        set.finish()
    }

    /// Returns the tools, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<dyn Tool>> + DoubleEndedIterator {
        self.set.tools.iter().map(|entry| &entry.tool)
    }

    /// Returns the definitions of all tools, in order, visible or not.
    pub fn definitions(&self) -> impl ExactSizeIterator<Item = &ToolDef> + DoubleEndedIterator {
        self.iter().map(|tool| tool.def())
    }

    pub(crate) fn entries(&self) -> impl ExactSizeIterator<Item = &ToolEntry> {
        self.set.tools.iter()
    }

    /// Returns the tools that a conversation may see, in order. A visibility function that panics hides its tool.
    pub fn visible(&self, scope: &Scope<'_>) -> Self {
        self.visible_to(scope, None)
    }

    /// Returns the visible tools that the filter accepts.
    pub(crate) fn visible_to(&self, scope: &Scope<'_>, filter: Option<&Filter>) -> Self {
        if filter.is_none() && !self.set.may_hide {
            return self.clone();
        }
        let scope = &self.set.scope(scope);
        let seen = self.entries().map(|entry| entry.is_visible(scope, filter));
        let seen: Vec<bool> = seen.collect();
        // Encoded definitions are cached with the set.
        if seen.iter().all(|seen| *seen) {
            return self.clone();
        }
        let mut set = ToolsetData::keeping(self.set.inherited.clone());
        for (entry, _) in self.entries().zip(seen).filter(|(_, seen)| *seen) {
            set.push(entry.clone());
        }
        set.finish().load(self.loaded())
    }

    /// Returns the tool that a conversation may call by this name.
    ///
    /// # Errors
    /// When there is none, or it is hidden, with near names among the visible tools.
    #[inline]
    pub(crate) fn find_visible(
        &self,
        name: &[u8],
        scope: &Scope<'_>,
        filter: Option<&Filter>,
    ) -> Result<&ToolEntry, ToolError> {
        match self.find(name) {
            Some(entry) if !entry.may_hide && filter.is_none() => Ok(entry),
            Some(entry) if entry.is_visible(&self.set.scope(scope), filter) => Ok(entry),
            // In the place of a host's own search that is hidden.
            other => self.search_entry(name).ok_or_else(|| {
                let kind = other.map_or(ErrorKind::Unknown, |_| ErrorKind::Hidden);
                self.set.unknown(kind, name, scope, filter)
            }),
        }
    }

    /// Returns the tool of this name, among them that which finds others.
    // Each call looks a tool up, and the compiler would rather not.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn find(&self, name: &[u8]) -> Option<&ToolEntry> {
        match self.set.find(name) {
            Some(entry) => Some(entry),
            None => self.search_entry(name),
        }
    }

    /// Returns the tool of this name, or the one that had it before: `#[tool(was("old_name"))]`.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        let found = self
            .find(name.as_bytes())
            .or_else(|| self.set.find_old(name));
        found.map(|entry| &entry.tool)
    }

    /// Appends the other tools.
    ///
    /// # Errors
    /// When tools have equal names; the error lists them all.
    pub fn merge(&self, others: &Self) -> Result<Self, ConflictError> {
        let inherited = self.set.inherited.clone().with(&others.set.inherited);
        Self::of_entries(inherited, self.entries().chain(others.entries()).cloned())
    }

    /// Returns the tools that `keep` accepts.
    pub fn filter(&self, keep: impl Fn(&dyn Tool) -> bool) -> Self {
        self.set.only(|entry| keep(&*entry.tool))
    }

    /// Returns the tools but one. A name that the set lacks changes nothing.
    pub fn without(&self, name: &str) -> Self {
        self.set.only(|entry| *entry.name != *name)
    }

    /// Adds a tool. One of the same name is replaced, in its place.
    #[must_use = "a toolset never changes; this returns another one"]
    pub fn with(&self, tool: Arc<dyn Tool>) -> Self {
        self.replace(tool).0
    }

    /// Adds a tool, and returns the one that it replaces.
    fn replace(&self, tool: Arc<dyn Tool>) -> (Self, Option<Arc<dyn Tool>>) {
        let mut set = ToolsetData::clone(&self.set);
        let old = set.put(ToolEntry::new(tool));
        (set.finish(), old)
    }

    /// Adds all tools of a set; they replace tools of the same names in their places.
    pub(crate) fn with_all(&self, others: &Self) -> Self {
        let mut set = ToolsetData::clone(&self.set);
        for entry in others.entries() {
            set.put(entry.clone());
        }
        set.finish()
    }

    /// Puts `prefix` before every name.
    ///
    /// # Errors
    /// When a name becomes one that a provider refuses.
    pub fn prefix(&self, prefix: &str) -> Result<Self, NameError> {
        let mut set = ToolsetData::keeping(self.set.inherited.clone());
        for entry in &self.set.tools {
            let name = format!("{prefix}{}", entry.name);
            let renamed = ToolEntry::new(Redefined::renamed(&entry.tool, name, prefix)?);
            set.push(renamed.instead(entry, prefix));
        }
        Ok(set.finish())
    }

    /// Renames the tool `from` to `to`.
    ///
    /// # Errors
    /// When there is no tool `from`, another one is called `to`, or a provider refuses that name.
    pub fn rename(&self, from: &str, to: &str) -> Result<Self, RenameError> {
        if self.set.find(from.as_bytes()).is_none() {
            return Err(RenameError::Missing(from.to_owned()));
        }
        let entries = self.entries().map(|entry| {
            if *entry.name == *from {
                Redefined::renamed(&entry.tool, to.to_owned(), "")
                    .map(|tool| ToolEntry::new(tool).instead(entry, ""))
            } else {
                Ok(entry.clone())
            }
        });
        let entries = entries
            .collect::<Result<Vec<_>, _>>()
            .map_err(RenameError::Name)?;
        Self::of_entries(self.set.inherited.clone(), entries).map_err(RenameError::Conflict)
    }

    /// Makes tools of stored definitions, each with the code of the tool of the same name here.
    ///
    /// A stored definition may add caution and takes none away. Each fact of safety is the stricter one of the tool here
    /// and the stored definition:
    ///
    /// - a hint holds if one of both says that there may be harm, such as `destructive`, and otherwise only if both say
    ///   the same: `read_only` in a stored definition alone makes no call repeatable;
    /// - `manual`, `needs_approval`, `exclusive` and `exact` hold if one of both has them;
    /// - callers need the scopes of both, attributes that the stored definition lacks stay, and the higher
    ///   [level](crate::layers::Levels) counts.
    ///
    /// # Errors
    /// When no tool here has the name of a definition, definitions have equal names, or one has invisible characters;
    /// the error lists all such names.
    pub fn attach(&self, defs: impl IntoIterator<Item = ToolDef>) -> Result<Self, AttachError> {
        let mut set = ToolsetData::keeping(self.set.inherited.clone());
        let mut error = AttachError::default();
        for mut def in defs {
            match self.set.find(def.name.as_bytes()) {
                Some(_) if def.strip_hidden() != Stripped::default() => {
                    note(&mut error.hidden, def.name.into_owned());
                }
                Some(found) => {
                    let tool = &found.tool;
                    // Many stores sort keys. An equal schema stays the compiled one, in its order, and is encoded in
                    // fewer bytes.
                    let own = &tool.def().input;
                    if def.input.to_value() == own.to_value() {
                        def.input = own.clone();
                    }
                    def.originate_from(tool.def());
                    let entry = ToolEntry::new(Redefined::share(def, tool)).instead(found, "");
                    if let Err(name) = set.add(entry) {
                        note(&mut error.repeated, name);
                    }
                }
                None => note(&mut error.missing, def.name.into_owned()),
            }
        }
        if error == AttachError::default() {
            Ok(set.finish())
        } else {
            Err(error)
        }
    }
}

impl fmt::Debug for Toolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.set.tools.iter().map(|entry| &entry.name);
        f.debug_tuple("Toolset")
            .field(&names.collect::<Vec<_>>())
            .finish()
    }
}

/// Lists a name once.
fn note(names: &mut Vec<String>, name: String) {
    if !names.contains(&name) {
        names.push(name);
    }
}
