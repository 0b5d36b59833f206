//! What providers are told of tools and toolsets: made once, and kept with them.

use std::sync::{Arc, OnceLock};

use super::kept::Kept;
use super::{Made, Refused};
use crate::provider::dialect::{Dialect, Lowered, Note, NoteKind, Reject, lower};
use crate::provider::wire::{Declared, Wire};
use crate::schema::decode::{RefusedDefault, refused_defaults};
use crate::text::ShortStr;
use crate::tool::ToolDef;
use crate::toolset::{Entry, Stripped};

/// What providers are told of one tool. All toolsets that hold the tool share it, so that those that
/// are made anew for each turn only put texts together.
#[derive(Default)]
pub(crate) struct ToldTool {
    /// Where the tool's own definition holds characters that nobody sees: what is sent in its place.
    visible: OnceLock<Option<Box<(ToolDef, Stripped)>>>,
    plain: Kept<Wire, String>,
    lowered: Kept<(Wire, Dialect), Result<ToldIn, Reject>>,
}

/// A tool in a dialect.
#[derive(Debug)]
pub(super) struct ToldIn {
    pub(super) name: ShortStr,
    pub(super) lowered: Lowered,
    /// The definition, under the tool's own name.
    pub(super) text: String,
    pub(super) dialect: Dialect,
    /// The dialect takes the name.
    takes_name: bool,
}

impl ToldIn {
    /// Whether a dialect takes the tool's name: its own, or one that is stricter otherwise.
    pub(super) fn is_named_for(&self, dialect: Dialect) -> bool {
        if dialect == self.dialect {
            self.takes_name
        } else {
            dialect.accepts_name(&self.name)
        }
    }
}

impl ToldTool {
    /// What providers are sent of the definition, and what was hidden in it.
    pub(in crate::toolset) fn visible<'d>(
        &'d self,
        entry: &'d Entry,
    ) -> (&'d ToolDef, Option<&'d Stripped>) {
        let visible = self.visible.get_or_init(|| {
            let def = entry.def();
            if def.is_plain() {
                return None;
            }
            let mut def = def.clone();
            let stripped = def.strip_hidden();
            (stripped != Stripped::default()).then(|| Box::new((def, stripped)))
        });
        match visible.as_deref() {
            Some((def, stripped)) => (def, Some(stripped)),
            None => (entry.def(), None),
        }
    }

    #[inline]
    pub(super) fn plain(&self, wire: Wire, entry: &Entry) -> &str {
        self.plain
            .get_or_make(wire, || wire.definition(self.visible(entry).0))
    }

    #[inline]
    pub(super) fn lowered(
        &self,
        wire: Wire,
        dialect: Dialect,
        entry: &Entry,
    ) -> Result<&ToldIn, &Reject> {
        let told = self.lowered.get_or_make((wire, dialect), || {
            let (def, hidden) = self.visible(entry);
            let mut lowered = lower(&def.input, dialect)?;
            lowered.notes.extend(hidden.and_then(Stripped::to_note));
            lowered.notes.extend(refused(def));
            let declared = Declared::lowered(&def.name, def, &lowered, dialect);
            Ok(ToldIn {
                name: entry.name().clone(),
                text: wire.write_tool(&declared),
                lowered,
                dialect,
                takes_name: dialect.accepts_name(&def.name),
            })
        });
        told.as_ref()
    }
}

/// The defaults that are not told, since their own bounds refuse them.
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

/// What providers are told of the tools of one set.
#[derive(Default)]
pub(crate) struct ToldSet {
    pub(super) plain: Kept<Wire, String>,
    pub(super) fitted: Kept<(Wire, Dialect), Result<Arc<Made>, Refused>>,
}

/// A copy of a set will be changed, and starts without them.
impl Clone for ToldSet {
    fn clone(&self) -> Self {
        Self::default()
    }
}
