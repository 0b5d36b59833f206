//! Defaults that their own bounds refuse.
//!
//! A model is told a default and may send it. Literals and constants are looked at when they
//! compile; what a function makes is known when the program runs.

use crate::decode::walk::Budget;
use crate::decode::{Fault, MAX_DEPTH, Reading, Repairs, tell};
use crate::read::Path;
use crate::shape::{Bare, Field, Kind, Shape, bare, written};
use crate::text::escaped;

/// A default that the type of its own field refuses.
pub struct RefusedDefault {
    /// Where, as in [`Reject::path`](crate::Reject::path).
    pub path: String,
    /// The default's JSON.
    pub json: String,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a value that should be of a shape.
pub fn refusal(shape: &Shape<'_>, json: &str) -> Option<Fault> {
    let reading = Reading {
        depth: MAX_DEPTH,
        lowered: false,
        is_typed: true,
        budget: Budget::NONE,
    };
    let found = tell(json, reading, shape, Repairs::None);
    found.faults.into_iter().next().map(|(_, fault)| fault)
}

/// The defaults inside a shape that are refused; those of secrets are told nobody.
pub fn refused_defaults(shape: &'static Shape<'static>) -> Vec<RefusedDefault> {
    let mut found = Vec::new();
    look(shape, &mut Path::default(), &mut found);
    found
}

/// The walk ends: what leads back is not followed.
fn look(shape: &'static Shape<'static>, path: &mut Path, found: &mut Vec<RefusedDefault>) {
    let Bare { kind, .. } = bare(shape, false);
    match kind {
        Kind::Object(object) => {
            for field in object.fields {
                inside(field, path, found);
            }
        }
        Kind::Array(array) => {
            let mark = path.enter("*");
            look(array.items, path, found);
            path.leave(mark);
        }
        Kind::Map(map) => {
            let mark = path.enter("*/value");
            look(map.values, path, found);
            path.leave(mark);
        }
        Kind::Tuple(items) => {
            for (index, item) in items.iter().enumerate() {
                let mark = path.enter_numbered('_', index);
                look(item, path, found);
                path.leave(mark);
            }
        }
        Kind::Union(union) => {
            for (index, member) in union.members.iter().enumerate() {
                let mark = path.enter_numbered('?', index);
                look(member, path, found);
                path.leave(mark);
            }
        }
        _ => {}
    }
}

fn inside(field: &'static Field<'static>, path: &mut Path, found: &mut Vec<RefusedDefault>) {
    if field.flatten {
        return look(field.shape, path, found);
    }
    let mark = path.enter(&escaped(field.name));
    if let Some(json) = field.told_default().and_then(written)
        && let Some(fault) = refusal(field.shape, &json)
    {
        found.push(RefusedDefault {
            path: path.at(),
            json,
            fault,
        });
    }
    look(field.shape, path, found);
    path.leave(mark);
}
