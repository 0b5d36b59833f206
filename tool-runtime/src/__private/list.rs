//! Support for `tools![]`: the check in `const` that no two names are equal, and the making.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::tool::Tool;
use crate::toolset::Toolset;
use toolwright_schema::text::same;

use super::{Handle, OneToolBlock};
use toolwright_schema::text::ConstText;

/// A name and its hash, so that most comparisons are one of numbers.
#[derive(Debug, Clone, Copy)]
pub struct Named {
    hash: u64,
    name: &'static str,
}

/// One element of a list: the names that it brings.
#[derive(Debug, Clone, Copy)]
pub enum Names {
    /// A tool.
    One(Named),
    /// The tools of a type.
    Many(&'static [Named]),
}

impl Names {
    const fn names(&self) -> &[Named] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Many(names) => names,
        }
    }
}

/// A name for the check.
pub const fn named(name: &'static str) -> Named {
    // FNV-1a, of eight bytes at a time while there are as many: the steps are what counts in `const`.
    const PRIME: u64 = 0x0100_0000_01b3;
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut bytes = name.as_bytes();
    while let Some((word, rest)) = bytes.split_first_chunk() {
        hash = (hash ^ u64::from_le_bytes(*word)).wrapping_mul(PRIME);
        bytes = rest;
    }
    while let [byte, rest @ ..] = bytes {
        hash = (hash ^ *byte as u64).wrapping_mul(PRIME);
        bytes = rest;
    }
    // The product moves upward alone, and the lower bits are those that are looked at first.
    hash ^= hash >> 32;
    Named { hash, name }
}

/// Names that an element brings: `NAME` of a tool, `NAMES` of a type with tools. Whatever else is listed
/// brings none, since the bounds of `bound` and `group` refuse it already.
#[derive(Debug)]
pub struct Listed<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: Handle> Listed<T> {
    /// The name. A tool that did not compile has none, and is said to be wrong where it stands.
    pub const NAME: Names = if T::TOOL_NAME.is_empty() {
        Names::Many(&[])
    } else {
        Names::One(named(T::TOOL_NAME))
    };
}

impl<T: OneToolBlock> Listed<T> {
    /// The names.
    pub const NAMES: Names = Names::Many(T::NAMES);
}

/// See [`Listed`].
pub trait Unlisted {
    /// Nothing.
    const NAME: Names = Names::Many(&[]);
    /// Nothing.
    const NAMES: Names = Names::Many(&[]);
}

impl<T: ?Sized> Unlisted for Listed<T> {}

/// A name that the list gives.
pub const fn name_as(name: &'static str) -> Names {
    Names::One(named(name))
}

/// The names of a list's `N` elements, as far as they were looked at.
///
/// Each name sets a bit by its hash, and only where that is set already it is held against those before it: two by two, five
/// hundred names would take the compiler longer than their tools.
#[derive(Debug)]
pub struct Taken<const N: usize> {
    bits: [u64; WORDS],
    elements: [Names; N],
    count: usize,
}

impl<const N: usize> Taken<N> {
    /// No names yet.
    pub const NONE: Self = Self {
        bits: [0; WORDS],
        elements: [Names::Many(&[]); N],
        count: 0,
    };
}

const WORDS: usize = 128;

/// Sets the bit of a name; returns true if it was set already.
#[allow(clippy::indexing_slicing)] // The index is within: it is a remainder.
const fn is_set(bits: &mut [u64; WORDS], name: &Named) -> bool {
    let (word, bit) = (name.hash / 64 % WORDS as u64, 1 << (name.hash % 64));
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
pub const fn unique<const N: usize>(taken: &mut Taken<N>, element: Names) {
    let own = element.names();
    let (mut rest, mut at) = (own, 0);
    while let [name, after @ ..] = rest {
        if is_set(&mut taken.bits, name) {
            absent(taken.elements.split_at(taken.count).0, name);
            among(own.split_at(at).0, name);
        }
        at += 1;
        rest = after;
    }
    taken.elements[taken.count] = element;
    taken.count += 1;
}

#[track_caller]
const fn absent(mut list: &[Names], name: &Named) {
    while let [element, rest @ ..] = list {
        match element {
            Names::One(other) => differ(other, name),
            Names::Many(names) => among(names, name),
        }
        list = rest;
    }
}

#[track_caller]
const fn among(mut names: &[Named], name: &Named) {
    while let [other, rest @ ..] = names {
        differ(other, name);
        names = rest;
    }
}

#[track_caller]
const fn differ(a: &Named, b: &Named) {
    if a.hash == b.hash && same(a.name, b.name) {
        let mut text = ConstText::new();
        text.push("two tools are named `");
        text.push(b.name);
        text.push("`\nhelp: name one of them otherwise: `path as \"other_name\"`");
        panic!("{}", text.as_str());
    }
}

/// A list's state.
#[derive(Debug)]
pub struct Given<T>(pub T);

impl<T> Given<Arc<T>> {
    /// Returns the `Arc` that the host shares already.
    pub fn __share(self) -> Arc<T> {
        self.0
    }
}

/// See [`Given`].
pub trait Share<T> {
    /// The state, shared by the list's tools.
    fn __share(self) -> Arc<T>;
}

impl<T> Share<T> for Given<T> {
    fn __share(self) -> Arc<T> {
        Arc::new(self.0)
    }
}

/// The tools of a list and the state that they share.
#[derive(Debug)]
pub struct List<S> {
    pub(super) tools: Vec<Arc<dyn Tool>>,
    pub(super) state: Arc<S>,
}

impl<S> List<S> {
    /// No tools yet, and place for so many elements.
    pub fn new(state: Arc<S>, count: usize) -> Self {
        Self {
            tools: Vec::with_capacity(count),
            state,
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
    Toolset::of_distinct(list.tools)
}
