//! What `tools![]` needs: the check in `const` that no two names are equal, and the making.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::name::same;
use crate::{Tool, Toolset};

use super::text::Text;
use super::{Handle, OneToolBlock};

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

/// A name for the check.
pub const fn named(name: &'static str) -> Named {
    // FNV-1a: a few steps a byte, which is what counts in `const`.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut bytes = name.as_bytes();
    while let [byte, rest @ ..] = bytes {
        hash = (hash ^ *byte as u64).wrapping_mul(0x0100_0000_01b3);
        bytes = rest;
    }
    Named { hash, name }
}

/// What an element brings: `NAME` of a tool, `NAMES` of a type with tools. Whatever else is listed
/// brings nothing, since the bounds of `bound` and `group` refuse it already.
#[derive(Debug)]
pub struct Listed<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: Handle> Listed<T> {
    /// The name. A tool that did not compile has none, and is said to be wrong where it stands.
    pub const NAME: Names = if T::DESCRIPTOR.name.is_empty() {
        Names::Many(&[])
    } else {
        Names::One(named(T::DESCRIPTOR.name))
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

/// Refuses the element at `index` if it brings a name that an earlier one has.
///
/// # Panics
/// At the caller's place, with the name.
#[track_caller]
pub const fn unique(list: &[Names], index: usize) {
    let Some((before, [element, ..])) = list.split_at_checked(index) else {
        return;
    };
    match element {
        Names::One(name) => absent(before, name),
        Names::Many(names) => {
            let mut names: &[Named] = names;
            while let [name, rest @ ..] = names {
                absent(before, name);
                among(rest, name);
                names = rest;
            }
        }
    }
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
        let mut text = Text::new();
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
    /// What the host shares already stays one.
    pub fn share(self) -> Arc<T> {
        self.0
    }
}

/// See [`Given`].
pub trait Share<T> {
    /// The state, shared by the list's tools.
    fn share(self) -> Arc<T>;
}

impl<T> Share<T> for Given<T> {
    fn share(self) -> Arc<T> {
        Arc::new(self.0)
    }
}

/// The toolset of a list whose names are checked.
pub fn toolset(tools: Vec<Arc<dyn Tool>>) -> Toolset {
    Toolset::of_distinct(tools)
}
