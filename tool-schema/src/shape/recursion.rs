use crate::shape::{Id, Kind, Shape};

/// Returns the types in this tree that something inside them comes back to.
pub(crate) fn targets(root: &'static Shape<'static>) -> Vec<Id> {
    let mut found = Vec::new();
    collect(root, &mut found);
    found
}

fn collect(shape: &'static Shape<'static>, found: &mut Vec<Id>) {
    if let Kind::Recursive(back) = shape.kind
        && !found.contains(&back.id)
    {
        found.push(back.id);
        collect(back.shape(), found);
    }
    for child in shape.kind.children() {
        collect(child.shape, found);
    }
}
