//! Defaults and examples that their own types refuse.
//!
//! A model is sent them, and may send them back.

use crate::decode::walk::Budget;
use crate::decode::{Fault, MAX_DEPTH, Repairs, WalkOptions, collect_faults, written};
use crate::shape::{Field, Role, Shape, bare};
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
    let mut found = Vec::new();
    look(shape, "", Field::public_default, &mut found);
    found
}

/// Returns the examples of fields inside a shape that are refused. They have the form of defaults.
pub fn refused_examples(shape: &'static Shape<'static>) -> Vec<RefusedDefault> {
    let mut found = Vec::new();
    look(shape, "", |field| field.example, &mut found);
    found
}

/// Returns the JSON that a field is looked at for.
type Of = fn(&Field<'static>) -> Option<fn() -> Option<String>>;

/// Terminates: edges back are not followed.
fn look(shape: &'static Shape<'static>, path: &str, of: Of, found: &mut Vec<RefusedDefault>) {
    for child in bare(shape, false).kind.children() {
        let path = match child.role {
            Role::Field(field) => {
                inside(field, path, of, found);
                continue;
            }
            Role::Item => format!("{path}/*"),
            Role::Value => format!("{path}/*/value"),
            Role::Place(index) => format!("{path}/_{index}"),
            Role::Member(index) => format!("{path}/?{index}"),
            Role::Key | Role::Layer | Role::Output => continue,
        };
        look(child.shape, &path, of, found);
    }
}

fn inside(field: &'static Field<'static>, path: &str, of: Of, found: &mut Vec<RefusedDefault>) {
    if field.flatten {
        return look(field.shape, path, of, found);
    }
    let name = escaped(field.name);
    let path = format!("{path}/{name}");
    if let Some(json) = of(field).and_then(|json| written(field.shape, json))
        && let Some(fault) = refusal(field.shape, &json)
    {
        found.push(RefusedDefault {
            path: path.clone(),
            json,
            fault,
        });
    }
    look(field.shape, &path, of, found);
}
