use super::shape::{Id, Kind, Shape};

/// The types in this tree that something inside them comes back to.
pub(crate) fn targets(root: &'static Shape) -> Vec<Id> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(shape) = open.pop() {
        match shape.kind {
            Kind::Back(back) if !found.contains(&back.id) => {
                found.push(back.id);
                open.push((back.shape)());
            }
            Kind::Array(array) => open.push(array.items),
            Kind::Tuple(items) => open.extend(items.iter().copied()),
            Kind::Object(object) => open.extend(object.fields.iter().map(|field| field.shape)),
            Kind::Map(map) => open.extend([map.keys, map.values]),
            Kind::Nullable(inner) | Kind::Narrow(inner, _) => open.push(inner),
            Kind::Union(union) => open.extend(union.members.iter()),
            Kind::Sides { input, output } => open.extend([input, output]),
            _ => {}
        }
    }
    found
}
