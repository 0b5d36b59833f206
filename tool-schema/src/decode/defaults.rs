//! Defaults and examples that their own types refuse.
//!
//! A model is sent them, and may send them back.

use crate::decode::walk::Budget;
use crate::decode::{Fault, MAX_DEPTH, Repairs, WalkOptions, collect_faults, written};
use crate::read::tree::{SchemaNote, Tree};
use crate::shape::{Field, Kind, Role, Shape, bare};
use crate::text::escaped;

/// A default that its field's type refuses.
pub struct RefusedDefault {
    /// Path of the default, as in `LowerError::path`.
    pub path: String,
    /// JSON of the default.
    pub json: String,
    /// Fault of the default.
    pub fault: Fault,
}

/// Returns the first fault of a value that should be of a shape; `None` if it is.
pub fn refusal(shape: &Shape<'_>, json: &str) -> Option<Fault> {
    faults(shape, json).into_iter().next()
}

/// Returns the faults of a value that should be of a shape.
pub fn faults(shape: &Shape<'_>, json: &str) -> Vec<Fault> {
    let reading = WalkOptions {
        depth: MAX_DEPTH,
        is_typed: true,
        budget: Budget::NONE,
    };
    let found = collect_faults(json, reading, shape, Repairs::None);
    found.faults.into_iter().map(|(_, fault)| fault).collect()
}

/// Returns the defaults inside a shape that are refused, without those of secrets.
pub fn refused_defaults(shape: &'static Shape<'static>) -> Vec<RefusedDefault> {
    refused(shape, Field::public_default)
}

/// Returns the examples of fields inside a shape that are refused. They have the form of defaults.
pub fn refused_examples(shape: &'static Shape<'static>) -> Vec<RefusedDefault> {
    refused(shape, |field| field.example)
}

/// Returns the JSON that a field is looked at for.
type Of = fn(&Field<'static>) -> Option<fn() -> Option<String>>;

fn refused(shape: &'static Shape<'static>, of: Of) -> Vec<RefusedDefault> {
    let mut found = Vec::new();
    look(shape, None, "", &mut |shape, field, path| {
        if let Some(json) = field.and_then(of).and_then(|json| written(shape, json))
            && let Some(fault) = refusal(shape, &json)
        {
            let path = path.to_owned();
            found.push(RefusedDefault { path, json, fault });
        }
    });
    found
}

/// Returns notes on the schemas inside a shape that functions return: their parts that are not checked. A place is the path of
/// the part, and the pointer into its schema.
pub fn schema_notes(shape: &'static Shape<'static>) -> Vec<SchemaNote> {
    let mut found = Vec::new();
    look(shape, None, "", &mut |shape, _, path| {
        if let Kind::Foreign(foreign) = bare(shape, false).kind
            && let Ok(tree) = Tree::exact(&(foreign.input)().to_string())
        {
            found.extend(tree.notes().iter().map(|note| SchemaNote {
                at: format!("{path}{}", note.at),
                ..note.clone()
            }));
        }
    });
    found
}

/// Visits a shape and those inside it, each with the field whose value it is and its path. Terminates: edges back are not followed.
fn look(
    shape: &'static Shape<'static>,
    field: Option<&Field<'static>>,
    path: &str,
    visit: &mut impl FnMut(&'static Shape<'static>, Option<&Field<'static>>, &str),
) {
    visit(shape, field, path);
    for child in bare(shape, false).kind.children() {
        let (field, path) = match child.role {
            Role::Field(field) if field.flatten => (None, path.to_owned()),
            Role::Field(field) => (Some(field), format!("{path}/{}", escaped(field.name))),
            Role::Item => (None, format!("{path}/*")),
            Role::Value => (None, format!("{path}/*/value")),
            Role::Place(index) => (None, format!("{path}/_{index}")),
            Role::Member(index) => (None, format!("{path}/?{index}")),
            Role::Key | Role::Layer | Role::Output => continue,
        };
        look(child.shape, field, &path, visit);
    }
}
