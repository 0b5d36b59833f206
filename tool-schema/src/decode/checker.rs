//! A schema that arrived at run time, ready to check arguments.

use super::walk::Defaults;
use crate::read::tree::{SchemaError, SchemaNote, Tree};
use crate::shape::Shape;

/// A schema that arrived at run time, ready to check arguments.
pub struct Checker {
    tree: Tree,
    defaults: Defaults,
    refused: Vec<SchemaNote>,
}

impl Checker {
    /// Reads the schema of arguments, which has so many bytes at most.
    ///
    /// # Errors
    /// See [`Tree::check`].
    pub fn of(schema: &str, most_bytes: usize) -> Result<Self, SchemaError> {
        let tree = Tree::of_arguments(schema, most_bytes)?;
        let (defaults, refused) = Defaults::of(tree.defaults(), schema);
        let refused = refused.into_iter().map(|refused| SchemaNote {
            message: format!(
                "its schema refuses the default, so it is not added: {}",
                refused.fault
            ),
            at: refused.path,
            is_weaker: false,
        });
        let refused = refused.collect();
        Ok(Self {
            tree,
            defaults,
            refused,
        })
    }

    /// Returns the root of the schema's tree.
    pub fn root(&self) -> &Shape<'_> {
        self.tree.root()
    }

    /// Returns the defaults of keys that may be missing.
    pub fn defaults(&self) -> &Defaults {
        &self.defaults
    }

    /// Returns notes on the parts of the schema that are not checked, or are read by their probable meaning.
    pub fn notes(&self) -> impl Iterator<Item = &SchemaNote> {
        self.tree.notes().iter().chain(&self.refused)
    }
}
