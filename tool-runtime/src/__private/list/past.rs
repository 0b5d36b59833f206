//! The check in `const` of names that tools of a list had before.

use super::{NameSet, NamedTool};
use toolwright_schema::text::{ConstText, same};

/// Compares the last of these elements with itself and the others: an earlier name of a tool must be neither a tool's
/// name nor another tool's earlier name.
///
/// # Panics
///
/// At the caller's place, with the name.
#[track_caller]
pub(super) const fn check(elements: &[NameSet]) {
    let Some((last, _)) = elements.split_last() else {
        return;
    };
    let mut others = elements;
    while let [other, rest @ ..] = others {
        let ((own, own_prefix), (names, prefix)) = (last.names(), other.names());
        let is_itself = rest.is_empty();
        check_names(own, own_prefix, names, prefix, is_itself);
        if !is_itself {
            check_names(names, prefix, own, own_prefix, false);
        }
        others = rest;
    }
}

/// Looks for earlier names of `own` among all names of `others`.
#[track_caller]
const fn check_names(
    own: &[NamedTool],
    own_prefix: &'static str,
    others: &[NamedTool],
    prefix: &'static str,
    is_itself: bool,
) {
    let (mut rest, mut place) = (own, 0);
    while let [tool, after @ ..] = rest {
        let mut was = tool.was;
        while let [old, olds @ ..] = was {
            let old = prefixed(own_prefix, old);
            let (mut candidates, mut at) = (others, 0);
            while let [other, behind @ ..] = candidates {
                if !(is_itself && at == place) {
                    refuse(tool.prefixed(own_prefix), old.as_str(), other, prefix);
                }
                at += 1;
                candidates = behind;
            }
            was = olds;
        }
        place += 1;
        rest = after;
    }
}

#[track_caller]
const fn refuse(tool: NamedTool, old: &str, other: &NamedTool, prefix: &'static str) {
    let name = other.prefixed(prefix);
    let mut text = ConstText::new();
    if same(name.text().as_str(), old) {
        text.push("`");
        text.push(tool.text().as_str());
        text.push("` was named `");
        text.push(old);
        text.push(
            "` before, and a tool of this list is now\nhelp: remove the name from its `was(…)`, or name the other tool otherwise: `path as \"other_name\"`",
        );
        panic!("{}", text.as_str());
    }
    let mut was = other.was;
    while let [earlier, rest @ ..] = was {
        if same(prefixed(prefix, earlier).as_str(), old) {
            text.push("`");
            text.push(tool.text().as_str());
            text.push("` and `");
            text.push(name.text().as_str());
            text.push("` both were named `");
            text.push(old);
            text.push(
                "` before\nhelp: keep the name in the `was(…)` of the tool that its stored calls are for",
            );
            panic!("{}", text.as_str());
        }
        was = rest;
    }
}

pub(super) const fn prefixed(prefix: &str, name: &str) -> ConstText {
    let mut text = ConstText::new();
    text.push(prefix);
    text.push(name);
    text
}
