//! The tools of a server as they are now, and where they are put.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolwright_provider::definitions::{Notice, NoticeKind};
use toolwright_runtime::tool::Tool;
use toolwright_runtime::toolset::{Registry, Toolset};

/// The newest list.
pub(super) struct Lists {
    registry: Registry,
    /// True if tools of others may be in the registry.
    is_shared: bool,
    now: Mutex<Now>,
}

#[derive(Default)]
struct Now {
    tools: Toolset,
    notices: Vec<Notice>,
    /// The client was closed: a list that was under way comes too late.
    is_closed: bool,
}

impl Lists {
    pub(super) fn new(registry: Option<Registry>) -> Self {
        Self {
            is_shared: registry.is_some(),
            registry: registry.unwrap_or_default(),
            now: Mutex::default(),
        }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        // Each change is one step.
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.registry
    }

    pub(super) fn tools(&self) -> Toolset {
        self.now().tools.clone()
    }

    pub(super) fn notices(&self) -> Vec<Notice> {
        self.now().notices.clone()
    }

    /// Puts a new list in the place of the one before; false if the client was closed.
    pub(super) fn put(&self, tools: Toolset, mut notices: Vec<Notice>) -> bool {
        let mut now = self.now();
        if now.is_closed {
            return false;
        }
        let tools = if self.is_shared {
            self.mix(&now.tools, &tools, &mut notices)
        } else {
            drop(self.registry.replace(tools.clone()));
            tools
        };
        let old = std::mem::replace(&mut now.tools, tools);
        now.notices = notices;
        drop(now);
        // Behind the lock: a tool may hold the last word with the connection.
        drop(old);
        true
    }

    /// Into a registry with tools of others, whose names stay theirs. What is there of both lists is
    /// never out of the registry.
    fn mix(&self, before: &Toolset, tools: &Toolset, notices: &mut Vec<Notice>) -> Toolset {
        for old in before.iter() {
            if tools.get(&old.def().name).is_none() {
                self.take_out(old);
            }
        }
        let mut refused = Vec::new();
        for tool in tools.iter() {
            let name = &tool.def().name;
            // With its group, if it is deferred.
            let one = tools.filter(|other| other.def().name == *name);
            if before.get(name).is_some_and(|old| self.has(old)) {
                self.registry.extend(&one);
            } else if self.registry.merge(&one).is_err() {
                refused.push(name.clone());
                let words = "a tool of the registry has this name; give the server a prefix";
                notices.push(Notice::new(&**name, NoticeKind::Refused, words));
            }
        }
        tools.filter(|tool| !refused.contains(&tool.def().name))
    }

    /// Takes the tools out of a registry that is not this server's alone. None is put there any more.
    pub(super) fn leave(&self) {
        let mut now = self.now();
        now.is_closed = true;
        let tools = std::mem::take(&mut now.tools);
        now.notices = Vec::new();
        drop(now);
        if self.is_shared {
            for tool in tools.iter() {
                self.take_out(tool);
            }
        }
    }

    /// Returns true if the registry has this very tool: a host may have put another in its place.
    fn has(&self, tool: &Arc<dyn Tool>) -> bool {
        let there = self.registry.get(&tool.def().name);
        there.is_some_and(|there| Arc::ptr_eq(&there, tool))
    }

    fn take_out(&self, tool: &Arc<dyn Tool>) {
        if self.has(tool) {
            self.registry.remove(&tool.def().name);
        }
    }
}
