use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::time::Instant;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::contain::{Contained, contained, settled, wait};
use crate::near::{did_you_mean, near};
use crate::{
    Answer, Call, Context, ErrorKind, NameError, Outcome, Scope, Store, Tool, ToolCall, ToolDef,
    ToolError, ToolResult,
};

/// An ordered collection of tools that never changes. Cheap to clone.
///
/// Made by `tools![]`, or from tools that are known only at run time. Its order is the order in
/// which the tools were given.
#[derive(Clone, Default)]
pub struct Toolset(Arc<Inner>);

#[derive(Default)]
struct Inner {
    tools: Vec<Entry>,
    index: HashTable<usize>,
    hasher: RandomState,
}

struct Entry {
    /// The name once more, as results carry it.
    name: Arc<str>,
    tool: Arc<dyn Tool>,
}

/// Tools of equal names, which a toolset cannot hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflicts(Vec<String>);

impl Conflicts {
    /// The names that more than one tool has, each once, in order of appearance.
    pub fn names(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for Conflicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than one tool is named `{}`", self.0.join("`, `"))
    }
}

impl std::error::Error for Conflicts {}

/// Stored definitions of which no tool here has the name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingTools(Vec<String>);

impl MissingTools {
    /// The names, in order.
    pub fn names(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for MissingTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no tool here is named `{}`", self.0.join("`, `"))
    }
}

impl std::error::Error for MissingTools {}

impl Toolset {
    /// The tools in this order.
    ///
    /// # Errors
    /// When tools have equal names; the error lists them all.
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Result<Self, Conflicts> {
        let mut set = Inner::default();
        let mut conflicts = Vec::new();
        for tool in tools {
            let name = tool.def().name.as_ref();
            if set.find(name).is_some() {
                if !conflicts.iter().any(|known| known == name) {
                    conflicts.push(name.to_owned());
                }
            } else {
                set.push(tool);
            }
        }
        if conflicts.is_empty() {
            Ok(Self(Arc::new(set)))
        } else {
            Err(Conflicts(conflicts))
        }
    }

    /// Tools whose names differ.
    pub(crate) fn of_distinct(tools: Vec<Arc<dyn Tool>>) -> Self {
        let mut set = Inner::default();
        for tool in tools {
            set.push(tool);
        }
        Self(Arc::new(set))
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.0.tools.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.tools.is_empty()
    }

    /// The tools, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<dyn Tool>> {
        self.0.tools.iter().map(|entry| &entry.tool)
    }

    /// The tools' definitions, in order.
    pub fn definitions(&self) -> impl ExactSizeIterator<Item = &ToolDef> {
        self.iter().map(|tool| tool.def())
    }

    /// The tools that a conversation may see, in order. A visibility function that panics hides its
    /// tool.
    pub fn visible(&self, scope: &Scope<'_>) -> Self {
        self.filter(|tool| is_visible(tool, scope))
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.0.find(name).map(|entry| &entry.tool)
    }

    /// Whether there is a tool of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// These tools and then the others.
    ///
    /// # Errors
    /// When tools have equal names; the error lists them all.
    pub fn merge(&self, others: &Self) -> Result<Self, Conflicts> {
        Self::new(self.iter().chain(others.iter()).cloned())
    }

    /// The tools for which `keep` says yes.
    pub fn filter(&self, keep: impl Fn(&dyn Tool) -> bool) -> Self {
        let mut set = Inner::default();
        for tool in self.iter().filter(|tool| keep(tool.as_ref())) {
            set.push(Arc::clone(tool));
        }
        Self(Arc::new(set))
    }

    /// The same tools and one more, which replaces a tool of the same name in its place. Also
    /// returns the tool that was replaced.
    pub fn with(&self, tool: Arc<dyn Tool>) -> (Self, Option<Arc<dyn Tool>>) {
        let name = tool.def().name.clone();
        let mut set = Inner::default();
        let mut old = None;
        for known in self.iter() {
            if known.def().name == name {
                old = Some(Arc::clone(known));
                set.push(Arc::clone(&tool));
            } else {
                set.push(Arc::clone(known));
            }
        }
        if old.is_none() {
            set.push(tool);
        }
        (Self(Arc::new(set)), old)
    }

    /// The same tools, with `prefix` before every name.
    ///
    /// # Errors
    /// When a name becomes one that a provider refuses.
    pub fn prefix(&self, prefix: &str) -> Result<Self, NameError> {
        let mut set = Inner::default();
        for tool in self.iter() {
            set.push(renamed(tool, format!("{prefix}{}", tool.def().name))?);
        }
        Ok(Self(Arc::new(set)))
    }

    /// The same tools, of which `from` is called `to`.
    ///
    /// # Errors
    /// When there is no tool `from`, another one is called `to`, or a provider refuses that name.
    pub fn rename(&self, from: &str, to: &str) -> Result<Self, RenameError> {
        if !self.contains(from) {
            return Err(RenameError::Missing(from.to_owned()));
        }
        let tools = self.iter().map(|tool| {
            if tool.def().name == from {
                renamed(tool, to.to_owned())
            } else {
                Ok(Arc::clone(tool))
            }
        });
        let tools = tools
            .collect::<Result<Vec<_>, _>>()
            .map_err(RenameError::Name)?;
        Self::new(tools).map_err(RenameError::Conflict)
    }

    /// Tools for stored definitions: each definition as it was stored, with the code of the tool of
    /// the same name here.
    ///
    /// # Errors
    /// When no tool here has the name of a definition; the error lists all such names.
    pub fn attach(&self, defs: impl IntoIterator<Item = ToolDef>) -> Result<Self, MissingTools> {
        let mut set = Inner::default();
        let mut missing = Vec::new();
        for def in defs {
            match self.get(&def.name) {
                Some(tool) => set.push(Arc::new(Redefined {
                    def,
                    tool: Arc::clone(tool),
                })),
                None => missing.push(def.name.into_owned()),
            }
        }
        if missing.is_empty() {
            Ok(Self(Arc::new(set)))
        } else {
            Err(MissingTools(missing))
        }
    }

    /// Whether a call would be accepted, without running the tool.
    ///
    /// # Errors
    /// The error that the call would be answered with.
    pub fn validate(&self, name: &str, arguments: &str) -> Result<(), ToolError> {
        let (store, cx) = (Store::new(), Context::new());
        let entry = self.0.known(name, &cx)?;
        contained(|| entry.tool.validate(Call::new(arguments, &store, &cx)))?
    }

    /// Answers a call: whatever it asks for and whatever the tool does, there is an answer, and
    /// nothing panics.
    pub async fn call(&self, call: &ToolCall, cx: &Context) -> ToolResult {
        let store = Store::new();
        let start = Started::now(call);
        match self.0.begin(&call.name, Call::of(call, &store, cx), cx) {
            Begun::Answered(answer, entry) => start.end(answer, entry),
            Begun::Later(answer, entry) => start.end(settled(answer.await), Some(entry)),
        }
    }

    /// Answers a call on this thread. Inside a runtime it blocks the thread that calls it.
    pub fn call_blocking(&self, call: &ToolCall, cx: &Context) -> ToolResult {
        let store = Store::new();
        let start = Started::now(call);
        match self.0.begin(&call.name, Call::of(call, &store, cx), cx) {
            Begun::Answered(answer, entry) => start.end(answer, entry),
            Begun::Later(answer, entry) => start.end(settled(wait(answer)), Some(entry)),
        }
    }
}

impl fmt::Debug for Toolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.tools.iter().map(|entry| &entry.name);
        f.debug_tuple("Toolset")
            .field(&names.collect::<Vec<_>>())
            .finish()
    }
}

/// A call whose answer is on the way.
struct Started<'a> {
    call: &'a ToolCall,
    at: Instant,
}

impl<'a> Started<'a> {
    fn now(call: &'a ToolCall) -> Self {
        Self {
            call,
            at: Instant::now(),
        }
    }

    fn end(self, outcome: Result<Outcome, ToolError>, entry: Option<&Entry>) -> ToolResult {
        let mut result = ToolResult::new(self.call, outcome);
        if let Some(entry) = entry {
            result.attributes = entry.tool.def().meta.clone();
        }
        result.duration = self.at.elapsed();
        result
    }
}

enum Begun<'s, 'a> {
    Answered(Result<Outcome, ToolError>, Option<&'s Entry>),
    Later(Contained<'a>, &'s Entry),
}

impl Inner {
    fn find(&self, name: &str) -> Option<&Entry> {
        let hash = self.hasher.hash_one(name);
        let same = |&at: &usize| self.tools.get(at).is_some_and(|entry| *entry.name == *name);
        self.index
            .find(hash, same)
            .and_then(|&at| self.tools.get(at))
    }

    /// Adds a tool whose name is not there yet.
    fn push(&mut self, tool: Arc<dyn Tool>) {
        let Self {
            tools,
            index,
            hasher,
        } = self;
        let name: Arc<str> = tool.def().name.as_ref().into();
        let hash = hasher.hash_one(&*name);
        let at = tools.len();
        tools.push(Entry { name, tool });
        index.insert_unique(hash, at, |&at| match tools.get(at) {
            Some(entry) => hasher.hash_one(&*entry.name),
            None => 0,
        });
    }

    /// The tool that a conversation may call by this name.
    fn known(&self, name: &str, cx: &Context) -> Result<&Entry, ToolError> {
        let scope = cx.scope();
        match self.find(name) {
            Some(entry) if is_visible(entry.tool.as_ref(), &scope) => Ok(entry),
            Some(_) => Err(self.unknown(ErrorKind::Hidden, name, &scope)),
            None => Err(self.unknown(ErrorKind::Unknown, name, &scope)),
        }
    }

    /// A hidden tool is answered in the same words as one that does not exist, and is never offered
    /// as a near name.
    #[cold]
    fn unknown(&self, kind: ErrorKind, name: &str, scope: &Scope<'_>) -> ToolError {
        let visible = self
            .tools
            .iter()
            .filter(|entry| is_visible(entry.tool.as_ref(), scope));
        let near = near(name, visible.map(|entry| &*entry.name));
        let gap = if near.is_empty() { "" } else { "; " };
        let hint = did_you_mean(&near);
        ToolError::new(kind, format!("unknown tool `{name}`{gap}{hint}"))
    }

    fn begin<'a>(&'a self, name: &str, call: Call<'a>, cx: &Context) -> Begun<'a, 'a> {
        let entry = match self.known(name, cx) {
            Ok(entry) => entry,
            Err(error) => return Begun::Answered(Err(error), None),
        };
        match contained(|| entry.tool.call(call)) {
            Ok(Answer::Ready(answer)) => Begun::Answered(settled(answer), Some(entry)),
            Ok(Answer::Later(later)) => Begun::Later(Contained::new(later), entry),
            Err(error) => Begun::Answered(Err(error), Some(entry)),
        }
    }
}

fn is_visible(tool: &dyn Tool, scope: &Scope<'_>) -> bool {
    contained(|| tool.visible(scope)).unwrap_or(false)
}

/// Why a tool could not be renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RenameError {
    /// There is no tool of this name.
    Missing(String),
    /// Another tool has the new name.
    Conflict(Conflicts),
    /// A provider refuses the new name.
    Name(NameError),
}

impl fmt::Display for RenameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(f, "no tool here is named `{name}`"),
            Self::Conflict(conflicts) => conflicts.fmt(f),
            Self::Name(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RenameError {}

/// A tool with another definition.
struct Redefined {
    def: ToolDef,
    tool: Arc<dyn Tool>,
}

fn renamed(tool: &Arc<dyn Tool>, name: String) -> Result<Arc<dyn Tool>, NameError> {
    NameError::check(&name)?;
    let mut def = tool.def().clone();
    def.name = name.into();
    Ok(Arc::new(Redefined {
        def,
        tool: Arc::clone(tool),
    }))
}

impl Tool for Redefined {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        self.tool.call(call)
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        self.tool.validate(call)
    }

    fn visible(&self, scope: &Scope<'_>) -> bool {
        self.tool.visible(scope)
    }
}
