//! Deferred tools: the list has them, and a request only once the conversation has found them.
//!
//! A set with deferred tools has one more, `search_tools`. Its answer refers to the tools that it found, and the agent
//! [loads](Toolset::load) them for the next request.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use super::search_tools::{FindTools, SearchTools};
use super::{ToolEntry, Toolset, ToolsetData};
use toolwright_provider::call::ToolDef;
use toolwright_provider::definitions::{
    self, Catalog, Deferred, DefinitionCache, EncodedTool, Notice,
};
use toolwright_provider::dialect::{Dialect, lower};
use toolwright_provider::wire::{Namespace, SEARCH_TOOLS, Wire};
use toolwright_schema::text::ShortStr;

/// Default for [`LoadOptions::at_most`].
const MOST_LOADED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(39);

/// Options of how [deferred](Toolset::defer) tools are found and loaded.
#[derive(Clone, Default)]
pub struct LoadOptions {
    /// Most deferred tools that a request has at once. Default: 40. If a conversation loads more, the older half of them
    /// leaves. A tool that is loaded [in the provider's own form](toolwright_provider::wire::Loading::Native) stays.
    pub at_most: Option<NonZeroUsize>,
    /// Search in place of the one by words; see [`FindTools`].
    pub finder: Option<Arc<dyn FindTools>>,
}

impl LoadOptions {
    /// Fills unset options from others; the smaller of two limits wins.
    pub(super) fn with(self, other: &Self) -> Self {
        let limits = [self.at_most, other.at_most];
        Self {
            at_most: limits.into_iter().flatten().min(),
            finder: self.finder.or_else(|| other.finder.clone()),
        }
    }
}

/// The deferred tools of a set, and those of them that are loaded.
#[derive(Clone)]
pub(super) struct DeferredTools {
    base: Arc<BaseSets>,
    view: Arc<LoadedView>,
}

struct BaseSets {
    /// The built-in search, for a set without another one that the conversation may see.
    built_in: ToolEntry,
    catalogue: Arc<Catalogue>,
    shared: Arc<dyn Catalog>,
    /// Places of the tools that every request has, without the search.
    stable: Vec<usize>,
    /// The number of deferred tools.
    deferred: usize,
    /// Definitions that do not depend on the loaded tools.
    cache: DefinitionCache,
    /// The last view. A conversation asks for the same one again and again.
    last: Mutex<Arc<LoadedView>>,
}

/// The tools that a conversation has loaded.
#[derive(Default)]
struct LoadedView {
    /// The requested names.
    names: Vec<ShortStr>,
    /// Their places, in the order of loading.
    loaded: Vec<usize>,
    cache: DefinitionCache,
}

/// The deferred tools of a set, for requests that load them in a provider's own form.
struct Catalogue {
    set: Arc<ToolsetData>,
    search: ToolEntry,
}

impl DeferredTools {
    /// Returns the deferred tools of a set, if there are any.
    pub(super) fn of(set: &Arc<ToolsetData>) -> Option<Self> {
        let deferred = set.tools.iter().filter(|entry| entry.is_deferred());
        let deferred = deferred.count();
        if deferred == 0 {
            return None;
        }
        let built_in = ToolEntry {
            searches: true,
            ..ToolEntry::new(Arc::new(SearchTools::of(set)))
        };
        // A host's own tool of this name is the search.
        let own = set.find(SEARCH_TOOLS.as_bytes()).cloned();
        let search = own.unwrap_or_else(|| built_in.clone());
        let is_stable = |entry: &ToolEntry| entry.namespace.is_none() && !entry.is_search();
        let tools = set.tools.iter().enumerate();
        let stable = tools
            .filter(|(_, entry)| is_stable(entry))
            .map(|(at, _)| at);
        let catalogue = Arc::new(Catalogue {
            set: Arc::clone(set),
            search,
        });
        let view = Arc::<LoadedView>::default();
        let base = BaseSets {
            built_in,
            shared: Arc::clone(&catalogue) as Arc<dyn Catalog>,
            catalogue,
            stable: stable.collect(),
            deferred,
            cache: DefinitionCache::default(),
            last: Mutex::new(Arc::clone(&view)),
        };
        Some(Self {
            base: Arc::new(base),
            view,
        })
    }

    /// Cached definitions with the loaded tools.
    pub(super) fn cache(&self) -> &DefinitionCache {
        &self.view.cache
    }

    pub(super) fn of_request(&self) -> definitions::Deferral<'_> {
        definitions::Deferral {
            stable: self.base.stable.len(),
            deferred: self.base.deferred,
            catalog: &self.base.shared,
            cache: &self.base.cache,
        }
    }

    /// Places of the tools to load, in order. If there are more than a request may hold, the older half leaves: a provider's
    /// cache of prompts is lost then, and not with every tool.
    fn places<'n>(&self, names: impl Iterator<Item = &'n str>) -> Vec<usize> {
        let set = &self.base.catalogue.set;
        let most = set.most_loaded();
        let mut loaded: Vec<usize> = Vec::new();
        for name in names {
            let Some(at) = set.position(name.as_bytes()) else {
                continue;
            };
            let is_deferred = set.tools.get(at).is_some_and(ToolEntry::is_deferred);
            if !is_deferred || loaded.contains(&at) {
                continue;
            }
            if loaded.len() == most {
                loaded.drain(..most.div_ceil(2));
            }
            loaded.push(at);
        }
        loaded
    }

    fn with(&self, names: &[&str]) -> Self {
        let mut last = self
            .base
            .last
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !last
            .names
            .iter()
            .map(|name| &**name)
            .eq(names.iter().copied())
        {
            *last = Arc::new(LoadedView {
                names: names.iter().map(|name| ShortStr::from(*name)).collect(),
                loaded: self.places(names.iter().copied()),
                cache: DefinitionCache::default(),
            });
        }
        Self {
            base: Arc::clone(&self.base),
            view: Arc::clone(&last),
        }
    }
}

impl ToolsetData {
    /// Makes the search of this set. A search that prints definitions has the tools of its set, under their names
    /// there.
    pub(super) fn renew_search(&mut self) {
        for entry in self.tools.iter_mut().filter(|entry| entry.is_search()) {
            entry.namespace = None;
        }
        let Some(at) = self.tools.iter().position(|entry| entry.prints) else {
            return;
        };
        let mut rest = Self::keeping(self.inherited.clone());
        for entry in self.tools.iter().filter(|entry| !entry.prints) {
            rest.push(entry.clone());
        }
        if let Some(entry) = self.tools.get_mut(at) {
            entry.tool = Arc::new(SearchTools::printing(&entry.name, Arc::new(rest)));
            entry.encoded = Arc::default();
            entry.searches = true;
        }
    }

    /// Leaves out a server's tool with the search's name if there are deferred tools: it would get all queries, and
    /// load none.
    pub(super) fn drop_foreign_search(&mut self) {
        let is_foreign = |entry: &ToolEntry| entry.is_search() && entry.def().is_foreign();
        if !self.tools.iter().any(is_foreign) || !self.tools.iter().any(ToolEntry::is_deferred) {
            return;
        }
        let mut rest = Self::keeping(self.inherited.clone());
        for entry in self.tools.iter().filter(|entry| !is_foreign(entry)) {
            rest.push(entry.clone());
        }
        *self = rest;
    }

    /// The most deferred tools of a request.
    pub(super) fn most_loaded(&self) -> usize {
        self.inherited.loads.at_most.unwrap_or(MOST_LOADED).get()
    }
}

impl Toolset {
    /// Defers all tools of the set, in this group: a request does not have them until the conversation has found them.
    ///
    /// The set has one more tool then, `search_tools`, which takes words or names, and loads the tools that it finds. Loaded
    /// tools stay, behind the other tools and in the order of loading, so that a provider's cache of the prompt stays
    /// valid. A tool that a conversation may not see is not found. A [filter](crate::tool::Filter) applies to the
    /// found tools, and does not hide the search.
    ///
    /// A tool of the host's own that is called `search_tools` takes the place of that one. It returns
    /// [`Block::Tool`](toolwright_provider::call::Block::Tool) for each tool to load. One of an MCP server that has this
    /// name is left out of the set: give the server a prefix.
    ///
    /// ```
    /// use toolwright::toolset::Namespace;
    /// use toolwright::{Wire, tool, tools};
    ///
    /// /// Tells the time.
    /// #[tool]
    /// fn now() -> String {
    ///     "noon".to_owned()
    /// }
    ///
    /// /// Finds a customer.
    /// #[tool]
    /// fn find_customer(name: &str) -> String {
    ///     name.to_owned()
    /// }
    ///
    /// let crm = tools![find_customer].defer(Namespace::new("crm").unwrap());
    /// let tools = tools![now].merge(&crm).unwrap();
    /// let sent = Wire::OpenAiChat.definitions(&tools).to_string();
    /// assert!(sent.contains("now") && sent.contains("search_tools") && !sent.contains("find_customer"));
    ///
    /// let sent = Wire::OpenAiChat.definitions(&tools.load(["find_customer"])).to_string();
    /// assert!(sent.contains("find_customer"));
    /// ```
    // A group is made where it is given.
    #[allow(clippy::needless_pass_by_value)]
    #[must_use = "a toolset never changes; this returns another one"]
    pub fn defer(&self, namespace: Namespace) -> Self {
        let mut set = ToolsetData::clone(&self.set);
        for entry in &mut set.tools {
            if !entry.is_search() {
                entry.namespace = Some(namespace.clone());
            }
        }
        set.finish()
    }

    /// Sets how deferred tools are found and loaded. An option that is `None` keeps its value.
    #[must_use = "a toolset never changes; this returns another one"]
    pub fn loading(&self, options: LoadOptions) -> Self {
        let mut set = ToolsetData::clone(&self.set);
        let LoadOptions { at_most, finder } = std::mem::take(&mut set.inherited.loads);
        set.inherited.loads = LoadOptions {
            at_most: options.at_most.or(at_most),
            finder: options.finder.or(finder),
        };
        set.finish()
    }

    /// Returns the set as a request of a conversation has it which has loaded these tools, in this order. Names of
    /// other tools are ignored. An agent does this before each request.
    ///
    /// It hides no tool; [`visible`](Self::visible) removes hidden tools before.
    #[must_use = "a toolset never changes; this returns another one"]
    pub fn load<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Self {
        let Some(deferral) = &self.deferral else {
            return self.clone();
        };
        let names: Vec<&str> = names.into_iter().collect();
        Self {
            set: Arc::clone(&self.set),
            deferral: Some(deferral.with(&names)),
        }
    }

    /// Returns the definitions that a request has, in order: of tools that are not deferred, of `search_tools`, and of those that
    /// are [loaded](Self::load).
    pub fn requested(&self) -> impl Iterator<Item = &ToolDef> {
        self.sent().into_iter().map(ToolEntry::def)
    }

    /// Returns notices of the tools that requests in a dialect leave out, deferred ones included: a provider refuses
    /// their schemas, and others wrote them. [`Definitions::notices`](definitions::Definitions::notices) has those of
    /// one request.
    ///
    /// ```
    /// use toolwright::{Dialect, DynTool, ToolDef, Toolset, Wire, schema::SchemaDoc};
    ///
    /// let mut def = ToolDef::new("page", "Turns to a page.");
    /// def.input = SchemaDoc::parse(r#"{"type": "object", "properties": {"never": false}}"#).unwrap();
    /// let tools = Toolset::new([DynTool::declare(def)]).unwrap();
    /// assert_eq!(tools.notices(Wire::Gemini, Dialect::GeminiOpenApi)[0].tool, "page");
    /// ```
    pub fn notices(&self, wire: Wire, dialect: Dialect) -> Vec<Notice> {
        let entries = self.entries();
        entries
            .filter_map(|entry| entry.refused(wire, dialect))
            .collect()
    }

    /// Returns the group of the tool of this name, if it is deferred.
    #[doc(hidden)]
    pub fn namespace(&self, name: &str) -> Option<&Namespace> {
        self.set.find_any(name)?.namespace.as_ref()
    }

    /// The names that were requested.
    pub(super) fn loaded(&self) -> impl Iterator<Item = &str> {
        let names = self
            .deferral
            .iter()
            .flat_map(|deferral| &deferral.view.names);
        names.map(|name| &**name)
    }

    /// The most deferred tools of a request.
    pub(super) fn most_loaded(&self) -> usize {
        self.set.most_loaded()
    }

    /// The most tools of a request, among them the one that searches.
    pub(super) fn most_sent(&self) -> usize {
        let Some(DeferredTools { base, .. }) = &self.deferral else {
            return self.iter().len();
        };
        base.stable.len() + 1 + base.deferred.min(self.most_loaded())
    }

    /// The tools of a request, in order.
    pub(super) fn sent(&self) -> Vec<&ToolEntry> {
        let Some(DeferredTools { base, view }) = &self.deferral else {
            return self.set.tools.iter().collect();
        };
        let tool = |at: &usize| self.set.tools.get(*at);
        let stable = base.stable.iter().filter_map(tool);
        let loaded = view.loaded.iter().filter_map(tool);
        let sent = stable.chain([&base.catalogue.search]).chain(loaded);
        sent.collect()
    }

    /// Returns the set's own search, if this is its name.
    #[cold]
    pub(super) fn search_entry(&self, name: &[u8]) -> Option<&ToolEntry> {
        let deferral = self.deferral.as_ref()?;
        (name == SEARCH_TOOLS.as_bytes()).then_some(&deferral.base.built_in)
    }
}

impl ToolEntry {
    pub(super) fn is_deferred(&self) -> bool {
        self.namespace.is_some()
    }

    /// Returns a notice if a request leaves the tool out.
    pub(super) fn refused(&self, wire: Wire, dialect: Dialect) -> Option<Notice> {
        let is_deferred = self.is_deferred();
        self.encoded.refused(wire, dialect, self.def(), is_deferred)
    }

    /// Returns true if requests in the dialect leave the tool out, as
    /// [`definitions_in`](toolwright_provider::wire::Wire::definitions_in) does.
    pub(super) fn is_left_out(&self, dialect: Dialect) -> bool {
        let def = self.def();
        let (visible, hidden) = self.encoded.visible(def);
        let holds_hidden = hidden.is_some_and(|hidden| !hidden.left.is_empty());
        let fits = |dialect| lower(&visible.input, dialect).is_ok();
        def.is_given() && (holds_hidden || !fits(dialect) && !fits(dialect.non_strict()))
    }

    /// Returns true if the tool is the search of its set.
    pub(super) fn is_search(&self) -> bool {
        *self.name == *SEARCH_TOOLS
    }

    fn as_deferred(&self) -> Option<Deferred<'_>> {
        Some(Deferred {
            def: self.def(),
            encoded: &self.encoded,
            namespace: self.namespace.as_ref()?,
        })
    }
}

impl Catalog for Catalogue {
    fn search(&self) -> (&ToolDef, &EncodedTool) {
        (self.search.def(), &self.search.encoded)
    }

    fn find(&self, name: &str) -> Option<Deferred<'_>> {
        self.set.find_any(name)?.as_deferred()
    }

    fn each(&self) -> Vec<Deferred<'_>> {
        self.set
            .tools
            .iter()
            .filter_map(ToolEntry::as_deferred)
            .collect()
    }
}

impl fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let deferred = self.set.tools.iter().filter(|entry| entry.is_deferred());
        f.debug_list()
            .entries(deferred.map(|entry| &entry.name))
            .finish()
    }
}
