//! The tree of a type that only schemars knows.

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

use super::tree::leaked;
use super::{Ordered, Published, published};
use crate::keyword::Keyword;
use crate::shape::{Detail, Foreign, Shape, Side};

/// The trees, by the function that returns the schema. Reading one takes longer than reading a call.
static TREES: LazyLock<RwLock<HashMap<usize, &'static Shape<'static>>>> =
    LazyLock::new(RwLock::default);

impl Foreign {
    /// Returns the tree of the input. It is made once a type, and lives as long as the program.
    pub(crate) fn shape(&self) -> &'static Shape<'static> {
        let key = self.input as usize;
        let trees = TREES.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = trees.get(&key) {
            return known;
        }
        drop(trees);
        // The published schema is the one that is checked.
        let form = Published {
            side: Side::Input,
            detail: Detail::Full,
            nullable: false,
            is_root: true,
            closes_bare: false,
        };
        let (mut schema, defs) = published(&(self.input)(), form);
        if let Ordered::Object(keywords) = &mut schema {
            keywords.push((Keyword::Defs.into(), Ordered::Object(defs)));
        }
        let shape = leaked(&schema);
        let mut trees = TREES.write().unwrap_or_else(PoisonError::into_inner);
        trees.entry(key).or_insert(shape)
    }
}
