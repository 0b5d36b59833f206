//! Types that contain themselves through keys that must be there.

use std::collections::HashMap;

use toolwright_schema::read::canonical::Canonical;
use toolwright_schema::read::refs::comes_back;
use toolwright_schema::read::{Ordered, Parts};

/// The references to types that contain themselves where no key on the way may be missing.
pub(super) fn through_required(canonical: &Canonical) -> Vec<String> {
    if !canonical.is_recursive {
        return Vec::new();
    }
    let root = ("#".to_owned(), &canonical.root);
    let defs = canonical.defs.iter();
    let defs = defs.map(|(name, body)| (format!("#/$defs/{name}"), body));
    let all: Vec<(String, &Ordered)> = [root].into_iter().chain(defs).collect();
    let edges: HashMap<&str, Vec<&str>> = all
        .iter()
        .map(|(reference, body)| (reference.as_str(), needed(body)))
        .collect();
    let references = edges.keys().copied();
    references
        .filter(|reference| comes_back(reference, &edges))
        .map(str::to_owned)
        .collect()
}

/// The references that every value of a schema may have to follow.
fn needed(schema: &Ordered) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        found.extend(schema.reference());
        let declared = schema.declared().unwrap_or_default().iter();
        let may_miss = declared.filter(|(name, _)| !schema.requires(name));
        let optional: Vec<_> = may_miss
            .map(|(_, member)| std::ptr::from_ref(member))
            .collect();
        schema.inside(&mut |member| {
            if !optional.contains(&std::ptr::from_ref(member)) {
                open.push(member);
            }
        });
    }
    found
}
