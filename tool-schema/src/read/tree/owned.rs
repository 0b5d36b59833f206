//! Trees that own what they are made of.

use bumpalo::Bump;
use self_cell::{MutBorrow, self_cell};

use super::memory::Memory;
use super::{Document, FieldDefault, Needs, Oracles, Reader};
use crate::shape::Shape;

/// A tree that owns what it is made of.
pub struct Tree(Owned);

self_cell!(
    struct Owned {
        owner: Arena,
        #[covariant]
        dependent: Root,
    }
);

struct Arena {
    bump: MutBorrow<Bump>,
    oracles: Oracles,
}

struct Root<'a> {
    shape: &'a Shape<'a>,
    defaults: Vec<FieldDefault<'a>>,
}

impl Tree {
    /// Reads a schema. What an oracle is missing for is not checked.
    pub fn new(document: Document<'_>, oracles: Oracles) -> Self {
        let arena = Arena {
            bump: MutBorrow::new(Bump::new()),
            oracles,
        };
        Self(Owned::new(arena, |arena| {
            let memory = Memory::Arena(arena.bump.borrow_mut());
            let mut reader = Reader::new(document, memory, &arena.oracles);
            let shape = reader.root();
            let defaults = reader.defaults;
            Root { shape, defaults }
        }))
    }

    /// Returns the tree.
    pub fn root(&self) -> &Shape<'_> {
        self.0.borrow_dependent().shape
    }

    /// Returns the defaults of keys that may be missing.
    pub fn defaults(&self) -> &[FieldDefault<'_>] {
        &self.0.borrow_dependent().defaults
    }
}

impl Document<'_> {
    /// Finds out which oracles the schema needs.
    pub fn needs(self) -> Needs {
        let (bump, oracles) = (Bump::new(), Oracles::default());
        let mut reader = Reader::new(self, Memory::Arena(&bump), &oracles);
        reader.root();
        reader.needs
    }
}
