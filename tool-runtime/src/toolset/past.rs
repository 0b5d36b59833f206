//! Names that tools had before.

use super::{ToolEntry, Toolset, ToolsetData};
use crate::tool::{Context, Filter, Scope, old_name};
use toolwright_provider::call::{ToolCall, ToolResult};
use toolwright_schema::decode::Repairs;
use toolwright_schema::text::{ShortStr, near};

/// A name that a tool had before, and the one that it has today.
pub(super) type OldName = (ShortStr, ShortStr);

impl Toolset {
    /// Returns true if some tool had another name before.
    #[cfg(feature = "tokio")]
    pub(crate) fn has_old_names(&self) -> bool {
        !self.set.old_names.is_empty()
    }

    /// Returns the call under the tool's name of today, if it uses an old one and may do so: if it was stored, or if its
    /// arguments may be repaired.
    ///
    /// A model that calls a tool by an old name may know the old meaning, too. The call of an exact tool is therefore
    /// answered with the name of today.
    #[inline]
    pub(crate) fn call_of_today(
        &self,
        call: &ToolCall,
        is_stored: bool,
        cx: &Context,
        filter: Option<&Filter>,
    ) -> Option<ToolCall> {
        if self.set.old_names.is_empty() || self.find(call.name.as_bytes()).is_some() {
            return None;
        }
        let entry = self.set.find_old(&call.name)?;
        let may = is_stored || (!entry.is_exact && cx.repairs() >= Repairs::Values);
        // A hidden tool is not named, either.
        let scope = self.set.scope(&cx.scope());
        (may && entry.is_visible(&scope, filter)).then(|| ToolCall {
            name: entry.name.clone(),
            ..call.clone()
        })
    }

    /// Answers models that call a tool which is gone with the name of the tool in its place. The text is that of a lock
    /// file, whose lines `old_name -> new_name` name such tools; all other lines are passed over.
    ///
    /// ```
    /// use toolwright::{Context, ToolCall, tool, tools};
    ///
    /// /// Reads a page.
    /// #[tool]
    /// fn read_page() {}
    ///
    /// // In a program: `include_str!("../tools.lock")`.
    /// let tools = tools![read_page].retired("read_output -> read_page");
    /// let call = ToolCall::new("1", "read_output", "{}");
    /// let result = tools.call_blocking(&call, &Context::new());
    /// assert!(result.errors().any(|error| error.contains("use `read_page` instead")));
    /// ```
    pub fn retired(&self, lock: &str) -> Self {
        let mut set = ToolsetData::clone(&self.set);
        for (old, new) in lock.lines().filter_map(|line| line.split_once(" -> ")) {
            let at = set.position(new.trim().as_bytes());
            if let Some(entry) = at.and_then(|at| set.tools.get_mut(at)) {
                entry.retired.push(old.into());
            }
        }
        set.finish()
    }
}

impl ToolEntry {
    /// Stands in the place of another entry: in its group, with its retired names behind a prefix.
    pub(super) fn instead(mut self, other: &Self, prefix: &str) -> Self {
        self.namespace.clone_from(&other.namespace);
        self.prints = other.prints;
        let names = other.retired.iter();
        self.retired = names
            .map(|name| ShortStr::from(format!("{prefix}{name}")))
            .collect();
        self
    }

    /// Returns the error text for a call of a retired name, if this tool replaces it.
    pub(super) fn instead_of(&self, name: &str) -> Option<String> {
        let new = &self.name;
        if self.retired.iter().any(|old| **old == *name) {
            return Some(format!("use `{new}` instead"));
        }
        let is_old = self.old_names.iter().any(|old| **old == *name);
        is_old.then(|| format!("it is called `{new}` now"))
    }
}

impl ToolsetData {
    /// Returns the old names that lead to one tool, and those that are another tool's name or old name, each with its
    /// tool's current name.
    pub(super) fn sorted_old_names(&self) -> (Vec<OldName>, Vec<OldName>) {
        let names = self.tools.iter().flat_map(|entry| {
            let names = entry.old_names.iter();
            names.map(|old| (old.clone(), entry.name.clone()))
        });
        let all: Vec<OldName> = names.collect();
        let is_free = |(old, today): &OldName| {
            let others = |(other, of): &OldName| other == old && of != today;
            self.position(old.as_bytes()).is_none() && !all.iter().any(others)
        };
        all.iter().cloned().partition(is_free)
    }

    /// Returns the tool that had this name before.
    #[cold]
    pub(super) fn find_old(&self, name: &str) -> Option<&ToolEntry> {
        let (_, today) = self.old_names.iter().find(|(old, _)| **old == *name)?;
        self.find(today.as_bytes())
    }

    /// Returns the names among these that are near to a name, or had one before that is.
    pub(super) fn near<'n>(&'n self, name: &str, names: &[&'n str]) -> Vec<&'n str> {
        let old_names = self.old_names.iter();
        let old_names = old_names.filter(|(_, today)| names.contains(&&**today));
        let old_names = old_names.map(|(old, _)| &**old);
        let all: Vec<&str> = names.iter().copied().chain(old_names).collect();
        let mut found = Vec::new();
        for name in near(name, all) {
            let name = self.find_old(name).map_or(name, |entry| &*entry.name);
            if !found.contains(&name) {
                found.push(name);
            }
        }
        found
    }

    /// Returns the tool that has this name, or had it before.
    pub(super) fn find_any(&self, name: &str) -> Option<&ToolEntry> {
        self.find(name.as_bytes()).or_else(|| self.find_old(name))
    }

    /// Returns a scope that knows the old names of tools that were called.
    pub(super) fn scope<'s>(&'s self, scope: &Scope<'s>) -> Scope<'s> {
        if self.old_names.is_empty() {
            return *scope;
        }
        scope.with_old_names(&self.old_names)
    }
}

/// Puts the name that was called into the result of a call that ran under the name of today.
#[cold]
pub(super) fn answered_by_old_name(call: &ToolCall, mut result: ToolResult) -> ToolResult {
    let renamed = old_name("", &call.name, &result.name);
    let repairs = std::iter::once(renamed).chain(result.repairs.iter().cloned());
    result.repairs = repairs.collect::<Vec<_>>().into();
    result.name = call.name.clone();
    result
}
