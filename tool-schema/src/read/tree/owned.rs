//! Trees with an arena.

use bumpalo::Bump;
use self_cell::{MutBorrow, self_cell};

use super::draft::Draft;
use super::error::{SchemaError, SchemaNote};
use super::memory::Memory;
use super::source::SchemaSource;
use super::{Document, FieldDefault, Patterns, TreeReader};
use crate::shape::Shape;

/// A tree that owns its parts.
pub struct Tree {
    owned: Owned,
    notes: Vec<SchemaNote>,
}

self_cell!(
    struct Owned {
        owner: TreeArena,
        #[covariant]
        dependent: TreeRoot,
    }
);

struct TreeArena {
    bump: MutBorrow<Bump>,
    patterns: Patterns,
}

struct TreeRoot<'a> {
    shape: &'a Shape<'a>,
    defaults: Vec<FieldDefault<'a>>,
}

impl Tree {
    /// Bytes of a schema, at most, unless a host sets another bound.
    pub const MOST_BYTES: usize = 2 << 20;

    /// Checks the schema of arguments without reading it into a tree.
    ///
    /// # Errors
    /// If checking arguments would take unbounded work, or the schema admits none.
    pub fn check(text: &str, most_bytes: usize) -> Result<(), SchemaError> {
        SchemaSource::of_arguments(text, most_bytes).map(drop)
    }

    /// Reads the schema of arguments.
    ///
    /// # Errors
    /// See [`check`](Self::check).
    pub fn of_arguments(text: &str, most_bytes: usize) -> Result<Self, SchemaError> {
        SchemaSource::of_arguments(text, most_bytes).map(|source| Self::new(source, false))
    }

    /// Reads a schema of any values, to compare it with another.
    ///
    /// # Errors
    /// See [`check`](Self::check).
    pub fn exact(text: &str) -> Result<Self, SchemaError> {
        SchemaSource::read(text, Self::MOST_BYTES).map(|source| Self::new(source, true))
    }

    fn new(source: SchemaSource<'_>, is_exact: bool) -> Self {
        let mut notes = source.notes;
        let mut patterns = Patterns::new();
        for (pattern, at) in source.patterns {
            match toolwright_pattern::read(&pattern) {
                Ok(regex) => drop(patterns.insert(pattern, regex)),
                Err(refusal) => notes.push(SchemaNote {
                    at,
                    message: format!("{}, so nothing checks it", refusal.reason()),
                    is_weaker: true,
                }),
            }
        }
        let arena = TreeArena {
            bump: MutBorrow::new(Bump::new()),
            patterns,
        };
        let owned = Owned::new(arena, |arena| {
            let memory = Memory::Arena(arena.bump.borrow_mut());
            let document = Document {
                schema: &source.schema,
                references: Some(&source.references),
                is_seven: source.draft == Draft::Seven,
                is_exact,
            };
            let mut reader = TreeReader::new(document, memory, Some(&arena.patterns));
            let shape = reader.root();
            let defaults = reader.defaults;
            TreeRoot { shape, defaults }
        });
        Self { owned, notes }
    }

    /// Returns the root of the tree.
    pub fn root(&self) -> &Shape<'_> {
        self.owned.borrow_dependent().shape
    }

    /// Returns the defaults of keys that may be missing.
    pub fn defaults(&self) -> &[FieldDefault<'_>] {
        &self.owned.borrow_dependent().defaults
    }

    /// Returns notes on the parts that are not checked, or are read by their probable meaning.
    pub fn notes(&self) -> &[SchemaNote] {
        &self.notes
    }
}
