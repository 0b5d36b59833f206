//! Cached definitions of tools and of lists of tools.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::lazy::LazyMap;
use super::visible::Stripped;
use super::{DefinitionsError, DefinitionsInner};
use crate::call::ToolDef;
use crate::dialect::{Dialect, LowerError, Lowered, Note, NoteKind, lower};
use crate::wire::{Loading, ToolDeclaration, Wire};
use toolwright_schema::decode::{RefusedDefault, refused_defaults};
use toolwright_schema::text::ShortStr;

/// Cached definitions of one tool, one entry per wire and dialect.
///
/// All toolsets that hold the tool share it, so a toolset that is made for one turn only joins texts.
#[derive(Default)]
pub struct EncodedTool {
    /// The definition without invisible characters, if the tool's has some, and the removed characters.
    visible: OnceLock<Option<Box<(ToolDef, Stripped)>>>,
    plain: LazyMap<Wire, String>,
    lowered: LazyMap<(Wire, Dialect), Result<Arc<LoweredTool>, LowerError>>,
}

/// A tool in a dialect.
#[derive(Debug)]
pub(super) struct LoweredTool {
    pub(super) name: ShortStr,
    pub(super) lowered: Lowered,
    /// The definition, under the tool's own name.
    pub(super) text: String,
    pub(super) dialect: Dialect,
    /// The dialect takes the name.
    takes_name: bool,
}

impl LoweredTool {
    /// Returns true if a dialect takes the tool's name: its own, or one that is stricter otherwise.
    pub(super) fn is_named_for(&self, dialect: Dialect) -> bool {
        if dialect == self.dialect {
            self.takes_name
        } else {
            dialect.accepts_name(&self.name)
        }
    }
}

impl fmt::Debug for EncodedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EncodedTool")
    }
}

impl EncodedTool {
    /// Returns the published definition, and the characters that were removed from it.
    #[doc(hidden)]
    pub fn visible<'d>(&'d self, def: &'d ToolDef) -> (&'d ToolDef, Option<&'d Stripped>) {
        let visible = self.visible.get_or_init(|| {
            if def.is_plain() {
                return None;
            }
            let mut def = def.clone();
            let stripped = def.strip_hidden();
            (stripped != Stripped::default()).then(|| Box::new((def, stripped)))
        });
        match visible.as_deref() {
            Some((def, stripped)) => (def, Some(stripped)),
            None => (def, None),
        }
    }

    #[inline]
    pub(super) fn plain(&self, wire: Wire, def: &ToolDef) -> &str {
        self.plain.get_or_make(wire, || {
            let (def, _) = self.visible(def);
            wire.write_tool(&ToolDeclaration::plain(wire, def))
        })
    }

    #[inline]
    pub(super) fn lowered(
        &self,
        wire: Wire,
        dialect: Dialect,
        def: &ToolDef,
    ) -> Result<&Arc<LoweredTool>, &LowerError> {
        let lowered = self.lowered.get_or_make((wire, dialect), || {
            let (def, hidden) = self.visible(def);
            let mut lowered = lower(&def.input, dialect)?;
            lowered.notes.extend(hidden.and_then(Stripped::to_note));
            lowered.notes.extend(refused(def));
            let declared = ToolDeclaration::lowered(wire, &def.name, def, &lowered, dialect);
            Ok(Arc::new(LoweredTool {
                name: def.name.as_ref().into(),
                text: wire.write_tool(&declared),
                lowered,
                dialect,
                takes_name: dialect.accepts_name(&def.name),
            }))
        });
        lowered.as_ref()
    }
}

/// Notes the defaults that are left out, since their own bounds refuse them.
fn refused(def: &ToolDef) -> impl Iterator<Item = Note> {
    let shape = def.input.input_shape().into_iter();
    let refused = shape.flat_map(refused_defaults);
    refused.map(|RefusedDefault { path, json, .. }| Note {
        kind: NoteKind::RefusedDefault,
        path,
        keyword: "default".to_owned(),
        value: json,
    })
}

/// Cached definitions of one list of tools, one entry per wire and dialect.
#[derive(Default)]
pub struct DefinitionCache {
    pub(super) plain: LazyMap<Wire, String>,
    pub(super) in_dialect:
        LazyMap<(Wire, Dialect, Loading), Result<Arc<DefinitionsInner>, DefinitionsError>>,
}

impl fmt::Debug for DefinitionCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DefinitionCache")
    }
}

/// A copy of a set will be changed, and starts without them.
impl Clone for DefinitionCache {
    fn clone(&self) -> Self {
        Self::default()
    }
}
