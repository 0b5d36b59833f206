//! Support for `tools![]`: the check in `const` that no two names are equal, and the making.

mod past;

use std::borrow::Cow;
use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::tool::Tool;
use crate::toolset::{Instructions, ListState, LoadOptions, Toolset};
use toolwright_provider::wire::Namespace;
use toolwright_schema::text::{ConstText, FNV_OFFSET, fnv1a, same};

use super::{Handle, OneToolImplPerType};

/// A list's clause `as` of an element. Empty texts change nothing.
#[derive(Debug, Clone, Copy)]
pub enum NameOverride {
    /// A tool: its name and its description.
    Tool(&'static str, &'static str),
    /// The tools of a value: the prefix of their names, and the suffix of their descriptions.
    Instance(&'static str, &'static str),
}

impl NameOverride {
    /// Nothing.
    pub const NONE: Self = Self::Tool("", "");

    pub(super) fn name(&self, own: &'static str) -> Cow<'static, str> {
        match self {
            Self::Tool("", _) | Self::Instance("", _) => own.into(),
            Self::Tool(name, _) => (*name).into(),
            Self::Instance(prefix, _) => format!("{prefix}{own}").into(),
        }
    }

    /// Returns the name that the tool had in this list: the prefix was there before, too.
    pub(super) fn old_name(&self, old: &'static str) -> Cow<'static, str> {
        match self {
            Self::Tool(..) => old.into(),
            Self::Instance(..) => self.name(old),
        }
    }

    pub(super) fn description(&self, own: &'static str) -> Cow<'static, str> {
        match self {
            Self::Tool(_, "") | Self::Instance(_, "") => own.into(),
            Self::Tool(_, description) => (*description).into(),
            Self::Instance(_, words) => format!("{own} {words}").into(),
        }
    }
}

/// A name and its hash, so that most comparisons are one of numbers.
#[derive(Debug, Clone, Copy)]
pub struct NamedTool {
    hash: u64,
    prefix: &'static str,
    name: &'static str,
    /// The names that the tool had before.
    was: &'static [&'static str],
}

impl NamedTool {
    /// Sets the names that the tool had before.
    #[must_use]
    pub const fn was(self, was: &'static [&'static str]) -> Self {
        Self { was, ..self }
    }

    const fn text(&self) -> ConstText {
        let mut text = ConstText::new();
        text.push(self.prefix);
        text.push(self.name);
        text
    }

    #[track_caller]
    const fn prefixed(&self, prefix: &'static str) -> Self {
        if prefix.is_empty() {
            return *self;
        }
        let prefixed = Self { prefix, ..*self };
        let text = prefixed.text();
        if text.as_str().len() > 64 {
            let mut refused = ConstText::new();
            refused.push("providers refuse the tool name `");
            refused.push(text.as_str());
            refused.push("`\nhelp: write a shorter prefix: a name has 64 characters at most");
            panic!("{}", refused.as_str());
        }
        Self {
            hash: hash(text.as_str()),
            ..prefixed
        }
    }
}

/// One element of a list: the names that it brings.
#[derive(Debug, Clone, Copy)]
pub enum NameSet {
    /// A tool.
    One(NamedTool),
    /// The tools of a type, and the prefix of their names.
    Many(&'static [NamedTool], &'static str),
}

impl NameSet {
    /// No names.
    const NONE: Self = Self::Many(&[], "");

    /// Puts a prefix before the names of a type's tools.
    #[must_use]
    pub const fn prefixed(self, prefix: &'static str) -> Self {
        match self {
            Self::Many(names, _) => Self::Many(names, prefix),
            Self::One(_) => self,
        }
    }

    const fn names(&self) -> (&[NamedTool], &'static str) {
        match self {
            Self::One(name) => (std::slice::from_ref(name), ""),
            Self::Many(names, prefix) => (names, prefix),
        }
    }
}

/// A name for the check.
pub const fn named(name: &'static str) -> NamedTool {
    NamedTool {
        hash: hash(name),
        prefix: "",
        name,
        was: &[],
    }
}

const fn hash(name: &str) -> u64 {
    let hash = fnv1a(FNV_OFFSET, name.as_bytes());
    // The product moves upward alone, and the lower bits are those that are looked at first.
    hash ^ (hash >> 32)
}

/// Names that an element adds: `NAME` of a tool, `NAMES` of a type with tools. Any other element adds none, since the
/// bounds of `bound` and `group` refuse it already.
#[derive(Debug)]
pub struct Listed<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: Handle> Listed<T> {
    /// The name. A tool that did not compile has none; its error is reported at the tool.
    pub const NAME: NameSet = if T::TOOL_NAME.is_empty() {
        NameSet::NONE
    } else {
        NameSet::One(named(T::TOOL_NAME).was(T::WAS))
    };
    /// The names that the tool had before.
    pub const WAS: &'static [&'static str] = T::WAS;
}

impl<T: OneToolImplPerType> Listed<T> {
    /// The names.
    pub const NAMES: NameSet = NameSet::Many(T::TOOLS.names, "");
}

/// See [`Listed`].
pub trait Unlisted {
    /// Nothing.
    const NAME: NameSet = NameSet::NONE;
    /// Nothing.
    const NAMES: NameSet = NameSet::NONE;
    /// Nothing.
    const WAS: &'static [&'static str] = &[];
}

impl<T: ?Sized> Unlisted for Listed<T> {}

/// A name that the list gives, and those that the tool had before.
pub const fn name_as(name: &'static str, was: &'static [&'static str]) -> NameSet {
    NameSet::One(named(name).was(was))
}

/// The names of a list's `N` elements, as far as they were looked at.
///
/// Each name sets a bit by its hash, and only where that is set already it is held against those before it: two by two, five
/// hundred names would take the compiler longer than their tools.
#[derive(Debug)]
pub struct UsedNames<const N: usize> {
    bits: [u64; WORDS],
    elements: [NameSet; N],
    count: usize,
    /// True if a tool had another name before.
    has_past: bool,
}

impl<const N: usize> UsedNames<N> {
    /// No names yet.
    pub const NONE: Self = Self {
        bits: [0; WORDS],
        elements: [NameSet::NONE; N],
        count: 0,
        has_past: false,
    };
}

const WORDS: usize = 128;

/// Sets the bit of a name; returns true if it was set already.
#[allow(clippy::indexing_slicing)] // The index is within: it is a remainder.
const fn is_set(bits: &mut [u64; WORDS], hash: u64) -> bool {
    let (word, bit) = (hash / 64 % WORDS as u64, 1 << (hash % 64));
    #[allow(clippy::cast_possible_truncation)]
    let word = &mut bits[word as usize];
    let is_set = *word & bit != 0;
    *word |= bit;
    is_set
}

/// Takes an element's names.
///
/// # Panics
/// At the caller's place, with the name, where one is taken already.
#[allow(clippy::indexing_slicing)] // There are as many calls as elements.
#[track_caller]
pub const fn unique<const N: usize>(taken: &mut UsedNames<N>, element: NameSet) {
    let (own, prefix) = element.names();
    let (mut rest, mut at) = (own, 0);
    let mut collides = false;
    while let [name, after @ ..] = rest {
        let name = &name.prefixed(prefix);
        let is_known = is_set(&mut taken.bits, name.hash);
        collides |= is_known;
        let mut was = name.was;
        while let [old, olds @ ..] = was {
            taken.has_past = true;
            collides |= is_set(&mut taken.bits, hash(past::prefixed(prefix, old).as_str()));
            was = olds;
        }
        if is_known
            && (is_taken(taken.elements.split_at(taken.count).0, name)
                || is_among(own.split_at(at).0, prefix, name))
        {
            let mut text = ConstText::new();
            text.push("two tools are named `");
            text.push(name.text().as_str());
            text.push(match element {
                NameSet::One(_) => "`\nhelp: list a tool once, or rename one of two: `path as \"other_name\"`",
                NameSet::Many(..) => {
                    "`\nhelp: put a prefix before the names of this value's tools: `..value: Type as \"prefix_\"`"
                }
            });
            panic!("{}", text.as_str());
        }
        at += 1;
        rest = after;
    }
    taken.elements[taken.count] = element;
    taken.count += 1;
    if taken.has_past && collides {
        past::check(taken.elements.split_at(taken.count).0);
    }
}

const fn is_taken(mut list: &[NameSet], name: &NamedTool) -> bool {
    while let [element, rest @ ..] = list {
        let (names, prefix) = element.names();
        if is_among(names, prefix, name) {
            return true;
        }
        list = rest;
    }
    false
}

const fn is_among(mut names: &[NamedTool], prefix: &'static str, name: &NamedTool) -> bool {
    while let [other, rest @ ..] = names {
        let other = other.prefixed(prefix);
        if other.hash == name.hash && same(other.text().as_str(), name.text().as_str()) {
            return true;
        }
        names = rest;
    }
    false
}

/// A list's state.
#[derive(Debug)]
pub struct StateExpr<T>(pub T);

impl<T> StateExpr<Arc<T>> {
    /// Returns the `Arc` that the host shares already.
    pub fn __list_state(self) -> ListState<T> {
        self.0.into()
    }
}

impl<T> StateExpr<ListState<T>> {
    /// Returns the state as it is.
    pub fn __list_state(self) -> ListState<T> {
        self.0
    }
}

/// See [`StateExpr`].
pub trait IntoListState<T> {
    /// The state, shared by the list's tools.
    fn __list_state(self) -> ListState<T>;
}

impl<T> IntoListState<T> for StateExpr<T> {
    fn __list_state(self) -> ListState<T> {
        self.0.into()
    }
}

/// The tools of a list and the state that they share.
#[derive(Debug)]
pub struct List<S> {
    pub(super) tools: Vec<Arc<dyn Tool>>,
    pub(super) state: ListState<S>,
    /// The groups of deferred tools, each with the place where its tools begin.
    groups: Vec<(usize, Namespace)>,
}

impl<S> List<S> {
    /// No tools yet, and place for so many elements.
    pub fn new(state: ListState<S>, count: usize) -> Self {
        Self {
            tools: Vec::with_capacity(count),
            state,
            groups: Vec::new(),
        }
    }
}

/// The tool of a list with one element.
pub fn only(tools: &Toolset) -> Arc<dyn Tool> {
    match tools.iter().next() {
        Some(tool) => Arc::clone(tool),
        None => unreachable!("`tool_of!` lists one tool"),
    }
}

/// The toolset of a list whose names are checked.
pub fn toolset<S>(list: List<S>) -> Toolset {
    Toolset::of_distinct(list.tools, &list.groups)
}

/// Adds the instructions of a list, for [`Toolset::check`].
pub fn instructed(tools: Toolset, instructions: &[Instructions]) -> Toolset {
    tools.instructed(instructions)
}

/// Begins a group of deferred tools. The macro has checked its name.
pub fn defer<S>(list: &mut List<S>, name: &'static str, words: &'static str) {
    if let Ok(group) = Namespace::new(name) {
        list.groups.push((list.tools.len(), group.describe(words)));
    }
}

/// Limits the deferred tools of a request.
pub fn at_most(tools: &Toolset, most: usize) -> Toolset {
    tools.loading(LoadOptions {
        at_most: NonZeroUsize::new(most),
        finder: None,
    })
}
