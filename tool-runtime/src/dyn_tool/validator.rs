//! Arguments checked against a schema that arrived at run time.
//!
//! The schema is read into a tree, and the walk that validates and repairs the arguments of compiled
//! types does so here. What no tree says, `jsonschema` decides: of such a schema it says whether a value
//! fits, and nothing else, since what it collects about a failure grows with two to the power of the
//! depth where alternatives recurse.

mod audit;
mod checked;
mod cost;
mod draft;
mod keyword;
mod limits;
mod oracle;
mod plain;
mod references;
mod work;

use std::sync::Arc;

use toolwright_json::Value;

use self::audit::error;
use self::checked::CheckedSchema;
use self::draft::Draft;
use super::{SchemaError, SchemaErrorKind};
use toolwright_schema::decode::walk::Defaults;
use toolwright_schema::read::tree::{Document, Tree};
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::shape::Shape;

/// Reading and compiling take up to 8 KiB of stack a schema in a build without optimisation.
const STACK: usize = 32 * 1024 * 1024;

/// A schema that has been found safe to check against.
pub struct SchemaValidator {
    tree: Tree,
    /// Those that are added to arguments.
    defaults: Defaults,
}

impl SchemaValidator {
    pub(super) fn new(doc: &SchemaDoc, fills_defaults: bool) -> Result<Self, SchemaError> {
        Self::read(doc, fills_defaults, false)
    }

    /// Reads a schema of any values, to compare it with another.
    pub fn exact(doc: &SchemaDoc) -> Result<Self, SchemaError> {
        Self::read(doc, false, true)
    }

    fn read(doc: &SchemaDoc, fills_defaults: bool, is_exact: bool) -> Result<Self, SchemaError> {
        let text = doc.as_json();
        let schema = limits::read(text)?;
        let draft = Draft::of(&schema)?;
        draft.check(&schema)?;
        let resolved = audit::audit(&schema, draft, !is_exact)?;
        let checked = Arc::new(CheckedSchema::new(schema, draft, resolved.by_text));
        let tree = std::thread::scope(|scope| {
            let reader = std::thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, || {
                    let parsed = Value::parse(text).ok()?;
                    let document = Document {
                        schema: &parsed,
                        references: Some(&resolved.by_place),
                        has_prefix_items: draft == Draft::Twenty,
                        is_seven: draft == Draft::Seven,
                        is_dynamic: resolved.is_dynamic,
                        is_exact,
                    };
                    let oracles = oracle::all(&checked, document.needs())?;
                    Some(Tree::new(document, oracles))
                });
            reader.ok()?.join().ok()?
        });
        let tree = tree.ok_or_else(|| {
            let message = format!("this is no valid JSON Schema of {}", draft.name());
            error(SchemaErrorKind::Invalid, "", message)
        })?;
        let found = if fills_defaults { tree.defaults() } else { &[] };
        let defaults = Defaults::of(found, text).map_err(|refused| {
            let message = format!("its schema refuses the default: {}", refused.fault);
            error(SchemaErrorKind::InvalidDefault, &refused.path, message)
        })?;
        Ok(Self { tree, defaults })
    }

    /// The tree of the schema.
    pub fn root(&self) -> &Shape<'_> {
        self.tree.root()
    }

    /// The defaults of keys that may be missing.
    pub(super) fn defaults(&self) -> &Defaults {
        &self.defaults
    }
}
