use crate::shape::{Id, Kind, Shape};

/// The types in this tree that something inside them comes back to.
pub(crate) fn targets(root: &'static Shape<'static>) -> Vec<Id> {
    let mut found = Vec::new();
    collect(root, &mut found);
    found
}

fn collect(shape: &'static Shape<'static>, found: &mut Vec<Id>) {
    if let Kind::Back(back) = shape.kind
        && !found.contains(&back.id)
    {
        found.push(back.id);
        collect(back.shape(), found);
    }
    inside(shape, &mut |part| collect(part, found));
}

/// Visits the shapes directly inside a shape; an edge back leads out of it.
fn inside(shape: &'static Shape<'static>, visit: &mut dyn FnMut(&'static Shape<'static>)) {
    match &shape.kind {
        Kind::Array(array) => visit(array.items),
        Kind::Tuple(items) => items.iter().for_each(|item| visit(item)),
        Kind::Object(object) => object.fields.iter().for_each(|field| visit(field.shape)),
        Kind::Map(map) => [map.keys, map.values].into_iter().for_each(visit),
        Kind::Nullable(inner) | Kind::Narrow(inner, _) => visit(inner),
        Kind::Union(union) => union.members.iter().for_each(visit),
        Kind::Sides { input, output } => [input, output].into_iter().for_each(|side| visit(side)),
        _ => {}
    }
}
