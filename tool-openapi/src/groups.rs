//! Groups of deferred tools, and names that are free.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use toolwright::text::portable_name;
use toolwright::toolset::Namespace;
use toolwright::{Tool, Toolset};

use crate::text::folded;
use crate::tool::shown;

/// Returns the name, with a hash of its place, such as method and path, if it is taken or others want it too: a name never leads
/// to another place because one was added.
pub(crate) fn free_name(
    name: String,
    place: &str,
    is_wanted_twice: bool,
    names: &mut HashSet<String>,
) -> String {
    // The search of deferred tools has this name.
    if name != "search_tools" && !is_wanted_twice && names.insert(name.clone()) {
        return name;
    }
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    loop {
        for byte in place.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        let short = name.get(..name.len().min(55)).unwrap_or(&name);
        let other = format!("{short}_{:08x}", hash >> 32);
        if names.insert(other.clone()) {
            return other;
        }
    }
}

/// Returns a set in which each group is deferred.
pub(crate) fn grouped(tools: Vec<(String, Arc<dyn Tool>)>) -> Result<Toolset, String> {
    let mut groups: Vec<(String, Vec<Arc<dyn Tool>>)> = Vec::new();
    let mut places = HashMap::new();
    for (group, tool) in tools {
        let place = *places.entry(folded(&group)).or_insert_with(|| {
            groups.push((group.clone(), Vec::new()));
            groups.len() - 1
        });
        if let Some((_, all)) = groups.get_mut(place) {
            all.push(tool);
        }
    }
    let mut names = HashSet::new();
    let mut sets = Vec::new();
    for (group, tools) in groups {
        let name = free_name(
            portable_name(&group).into_owned(),
            &group,
            false,
            &mut names,
        );
        let namespace = Namespace::new(name)
            .map_err(|error| error.to_string())?
            .describe(shown(group));
        let set = Toolset::new(tools).map_err(|error| error.to_string())?;
        sets.push(set.defer(namespace));
    }
    // By halves, since each merge copies.
    while sets.len() > 1 {
        let mut merged = Vec::with_capacity(sets.len().div_ceil(2));
        let mut all = sets.into_iter();
        while let Some(first) = all.next() {
            merged.push(match all.next() {
                Some(second) => first.merge(&second).map_err(|error| error.to_string())?,
                None => first,
            });
        }
        sets = merged;
    }
    Ok(sets.pop().unwrap_or_default())
}
