//! The tools of a set by their names.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::deferred::DeferredTools;
use super::{InheritedOptions, ToolEntry, Toolset, ToolsetData};
use crate::tool::{Filter, Redefined, Scope, Tool};
use toolwright_provider::call::{ErrorKind, ToolError};
use toolwright_schema::text::{LONGEST_SHOWN, Printable, did_you_mean};

/// Hashes a name without the end mark of `str`.
#[inline]
fn hash_of(hasher: &RandomState, name: &[u8]) -> u64 {
    let mut hash = hasher.build_hasher();
    hash.write(name);
    hash.finish()
}

impl ToolsetData {
    // Each call looks a tool up, and the compiler would rather not.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub(super) fn position(&self, name: &[u8]) -> Option<usize> {
        let hash = hash_of(&self.hasher, name);
        let same = |&at: &usize| {
            self.tools
                .get(at)
                .is_some_and(|entry| entry.name.as_bytes() == name)
        };
        self.index.find(hash, same).copied()
    }

    // Each call looks a tool up, and the compiler would rather not.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub(super) fn find(&self, name: &[u8]) -> Option<&ToolEntry> {
        self.tools.get(self.position(name)?)
    }

    pub(super) fn only(&self, keep: impl Fn(&ToolEntry) -> bool) -> Toolset {
        // Instructions are about the whole list.
        let mut set = Self::keeping(InheritedOptions {
            instructions: Vec::new(),
            ..self.inherited.clone()
        });
        for entry in self.tools.iter().filter(|entry| keep(entry)) {
            set.push(entry.clone());
        }
        set.finish()
    }

    pub(super) fn keeping(inherited: InheritedOptions) -> Self {
        Self {
            inherited,
            ..Self::default()
        }
    }

    /// Makes it a set, in which descriptions name other tools as they are called here.
    pub(super) fn finish(mut self) -> Toolset {
        if self.tools.iter().any(|entry| entry.has_mentions) {
            self.name_mentions();
        }
        self.old_names = self.sorted_old_names().0;
        self.renew_search();
        self.drop_foreign_search();
        self.may_hide = self.tools.iter().any(|entry| entry.may_hide);
        let set = Arc::new(self);
        let deferral = DeferredTools::of(&set);
        Toolset { set, deferral }
    }

    #[cold]
    pub(super) fn name_mentions(&mut self) {
        let told = |own: &str| {
            let mut tools = self.tools.iter();
            let entry = tools.find(|entry| entry.def().own_name() == own)?;
            Some(entry.name.as_ref().to_owned())
        };
        let entries = self.tools.iter().enumerate();
        let retold = entries.filter(|(_, entry)| entry.has_mentions);
        let retold = retold.filter_map(|(at, entry)| {
            let def = entry.def().mentioning(told)?;
            let told = ToolEntry::new(Redefined::share(def, &entry.tool));
            Some((at, told.instead(entry, "")))
        });
        let retold: Vec<_> = retold.collect();
        for (at, entry) in retold {
            if let Some(place) = self.tools.get_mut(at) {
                *place = entry;
            }
        }
    }

    /// Adds a tool whose name is new.
    pub(super) fn push(&mut self, entry: ToolEntry) {
        let Self {
            tools,
            index,
            hasher,
            ..
        } = self;
        let hash = hash_of(hasher, entry.name.as_bytes());
        let at = tools.len();
        tools.push(entry);
        index.insert_unique(hash, at, |&at| match tools.get(at) {
            Some(entry) => hash_of(hasher, entry.name.as_bytes()),
            None => 0,
        });
    }

    /// Adds a tool. Returns its name if that is taken.
    pub(super) fn add(&mut self, entry: ToolEntry) -> Result<(), String> {
        if self.position(entry.name.as_bytes()).is_some() {
            return Err(entry.name.as_ref().to_owned());
        }
        self.push(entry);
        Ok(())
    }

    /// Adds a tool; one of the same name is replaced and returned.
    pub(super) fn put(&mut self, mut entry: ToolEntry) -> Option<Arc<dyn Tool>> {
        let at = self.position(entry.name.as_bytes());
        let Some(place) = at.and_then(|at| self.tools.get_mut(at)) else {
            self.push(entry);
            return None;
        };
        entry.namespace = entry.namespace.or_else(|| place.namespace.clone());
        Some(std::mem::replace(place, entry).tool)
    }

    /// A hidden tool is refused in the same words as an unknown one, and is never a near name.
    #[cold]
    pub(super) fn unknown(
        &self,
        kind: ErrorKind,
        name: &[u8],
        scope: &Scope<'_>,
        filter: Option<&Filter>,
    ) -> ToolError {
        let (name, scope) = (&*String::from_utf8_lossy(name), &self.scope(scope));
        if name.is_empty() {
            return ToolError::new(kind, "the call names no tool");
        }
        let shown = Printable::new(name).one_line().at_most(LONGEST_SHOWN);
        if name.chars().nth(LONGEST_SHOWN).is_some() {
            return ToolError::new(kind, format!("unknown tool `{shown}`"));
        }
        let visible = self
            .tools
            .iter()
            .filter(|entry| entry.is_visible(scope, filter));
        if let Some(today) = visible.clone().find_map(|entry| entry.instead_of(name)) {
            return ToolError::new(kind, format!("unknown tool `{shown}`; {today}"));
        }
        let visible: Vec<_> = visible.map(|entry| &*entry.name).collect();
        let near = self.near(name, &visible);
        let gap = if near.is_empty() { "" } else { "; " };
        let hint = did_you_mean(&near);
        ToolError::new(kind, format!("unknown tool `{shown}`{gap}{hint}"))
    }
}
