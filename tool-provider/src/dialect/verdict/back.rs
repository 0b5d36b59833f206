//! Recursive edges.

use super::super::LowerErrorCode;
use super::VerdictWalk;
use toolwright_schema::shape::{Id, Refs, Shape};

impl VerdictWalk {
    /// An edge back to a type. It may be a type that does not contain this place: then the edge was
    /// cut in another of the types that contain each other, and its tree stands beside.
    pub(super) const fn back(&mut self, id: Id) -> Option<LowerErrorCode> {
        let mut depth = self.depth;
        while depth > 0 {
            depth -= 1;
            if let Some((_, [(found, optional), ..])) = self.types.split_at_checked(depth)
                && found.hash == id.hash
            {
                self.back_at = depth;
                return self.rules.edge_back(self.optional <= *optional);
            }
        }
        if self.meets(id) {
            return None;
        }
        match target(self.refs, id) {
            // It stands among the definitions, whose depth is counted from there.
            Some(shape) => self.node(shape, 0),
            None => {
                self.look_away();
                None
            }
        }
    }

    /// Returns true if a type was walked before, and marks it as walked. One more than may be marked is
    /// walked again and again, until the types around it end that.
    pub(super) const fn meets(&mut self, id: Id) -> bool {
        let mut rest: &mut [u64] = &mut self.met;
        while let [met, tail @ ..] = rest {
            if *met == id.hash {
                return true;
            }
            if *met == 0 {
                *met = id.hash;
                return false;
            }
            rest = tail;
        }
        false
    }
}

/// The tree of a recursive type.
const fn target(refs: &'static Refs, id: Id) -> Option<&'static Shape<'static>> {
    let mut targets = refs.targets;
    while let [shape, rest @ ..] = targets {
        if shape.id.hash == id.hash {
            return Some(shape);
        }
        targets = rest;
    }
    let mut of = refs.of;
    while let [refs, rest @ ..] = of {
        if let Some(shape) = target(refs, id) {
            return Some(shape);
        }
        of = rest;
    }
    None
}
