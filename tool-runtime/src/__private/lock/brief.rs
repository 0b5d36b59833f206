//! What a lock asks of a list's tools first: names and fingerprints. Most tools are as they were, and of these no descriptor
//! is made.

use std::fmt;
use std::marker::PhantomData;

use super::fingerprint;
use crate::__private::table::{Described, Params};
use crate::__private::{As, Descriptor, Handle, Inputs, Listed, OneToolBlock};

/// What a lock asks of a tool first.
#[derive(Debug, Clone, Copy)]
pub struct Brief {
    pub(super) name: &'static str,
    pub(super) was: &'static [&'static str],
    pub(super) print: u64,
}

impl Brief {
    const fn of(tool: &Descriptor, print: u64) -> Self {
        Self {
            name: tool.name,
            was: tool.past.was,
            print,
        }
    }
}

/// The tools of an element.
#[derive(Debug, Clone, Copy)]
enum Tools {
    One(Brief),
    Many(&'static [&'static Descriptor]),
    None,
    /// What did not compile, and has its own error.
    Rejected,
}

/// One element of a list that is held to a lock.
#[derive(Debug, Clone, Copy)]
pub struct Briefs {
    tools: Tools,
    pub(super) listed: &'static As,
    inputs: fn() -> Inputs,
}

impl Briefs {
    /// No tool.
    pub const NONE: Self = Briefed::<NoTool>::new(Tools::None).tools;

    /// Returns true if a tool of the element did not compile: then nobody knows which names it has.
    pub(super) const fn is_rejected(&self) -> bool {
        let mut tools = match self.tools {
            Tools::Rejected => return true,
            Tools::Many(tools) => tools,
            Tools::One(_) | Tools::None => return false,
        };
        while let [tool, rest @ ..] = tools {
            if tool.name.is_empty() {
                return true;
            }
            tools = rest;
        }
        false
    }

    /// Returns a tool of the element; nothing behind the last.
    pub(super) const fn tool(&self, at: usize) -> Option<Brief> {
        match self.tools {
            Tools::One(tool) if at == 0 => Some(tool),
            Tools::Many(tools) => match tools.split_at_checked(at) {
                Some((_, [tool, ..])) => Some(Brief::of(tool, fingerprint(tool))),
                _ => None,
            },
            _ => None,
        }
    }

    /// The whole tools, and what the list says of them.
    pub(super) fn inputs(&self) -> (Inputs, &'static As) {
        ((self.inputs)(), self.listed)
    }
}

/// An element of a list, and the type by which its whole tools are asked for.
pub struct Briefed<I> {
    /// The element.
    pub tools: Briefs,
    of: PhantomData<fn(I)>,
}

impl<I> fmt::Debug for Briefed<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.tools, f)
    }
}

impl<I: Input> Briefed<I> {
    const fn new(tools: Tools) -> Self {
        Self {
            tools: Briefs {
                tools,
                listed: OWN,
                inputs: || I::INPUT,
            },
            of: PhantomData,
        }
    }

    /// The element, with what the list says.
    #[must_use]
    pub const fn listed(self, listed: &'static As) -> Briefs {
        Briefs {
            listed,
            ..self.tools
        }
    }
}

/// Of a constant of its own: each place that borrows one makes another.
const OWN: &As = &As::OWN;

/// The whole tools of an element. A constant of a type, as a function cannot be handed on in `const`.
pub trait Input {
    /// The tools.
    const INPUT: Inputs;
}

/// See [`Briefed`].
#[derive(Debug)]
pub struct ToolOf<T>(PhantomData<fn(T)>);

impl<T: Handle> Input for ToolOf<T> {
    const INPUT: Inputs = Listed::<T>::INPUT;
}

/// See [`Briefed`].
#[derive(Debug)]
pub struct BlockOf<T>(PhantomData<fn(T)>);

impl<T: OneToolBlock> Input for BlockOf<T> {
    const INPUT: Inputs = Listed::<T>::INPUTS;
}

/// See [`Briefed`].
#[derive(Debug)]
pub struct NoTool;

impl Input for NoTool {
    const INPUT: Inputs = Inputs::None;
}

impl<T: Handle> Listed<T> {
    /// The tool, in brief. One that did not compile has no name.
    pub const BRIEF: Briefed<ToolOf<T>> = Briefed::new(if T::TOOL_NAME.is_empty() {
        Tools::Rejected
    } else {
        Tools::One(Brief {
            name: T::TOOL_NAME,
            ..Brief::of(&T::REST, <<T::Params as Params>::Of<T> as Described>::PRINT)
        })
    });
}

impl<T: OneToolBlock> Listed<T> {
    /// The tools of the type, in brief.
    pub const BRIEFS: Briefed<BlockOf<T>> = Briefed::new(Tools::Many(T::DESCRIPTORS));
}

/// See [`Listed`].
pub trait Unlocked: Sized {
    /// Nothing.
    const BRIEF: Briefed<NoTool> = Briefed::new(Tools::Rejected);
    /// Nothing.
    const BRIEFS: Briefed<NoTool> = Briefed::new(Tools::Rejected);
}

impl<T> Unlocked for Listed<T> {}
