//! The check in `const` of names that tools of a list had before, and of those that it retires.

use super::{Named, Names, Taken, named};
use toolwright_schema::text::{ConstText, same};

/// Holds the last of these elements against itself and the others: a name that a tool had before is no tool's, and no other's
/// earlier name.
///
/// # Panics
/// At the caller's place, with the name.
#[track_caller]
pub(super) const fn check(elements: &[Names]) {
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
    own: &[Named],
    own_prefix: &'static str,
    others: &[Named],
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
const fn refuse(tool: Named, old: &str, other: &Named, prefix: &'static str) {
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

/// Holds a name that the list retires against those of its tools, and against the names that were retired before it.
///
/// # Panics
/// At the caller's place, where the name is one of them.
#[track_caller]
pub const fn retired<const N: usize>(taken: &Taken<N>, old: &'static str, before: &[&str]) {
    let mut text = ConstText::new();
    text.push("`");
    text.push(old);
    let mut rest = before;
    while let [other, others @ ..] = rest {
        if same(other, old) {
            text.push("` is retired twice\nhelp: remove one");
            panic!("{}", text.as_str());
        }
        rest = others;
    }
    let mut elements = taken.elements.split_at(taken.count).0;
    while let [element, others @ ..] = elements {
        let (mut names, prefix) = element.names();
        while let [name, behind @ ..] = names {
            if same(name.prefixed(prefix).text().as_str(), old) {
                text.push(
                    "` is a tool of this list, and cannot be retired\nhelp: remove the tool, or the name from `retired(…)`",
                );
                panic!("{}", text.as_str());
            }
            let mut was = name.was;
            while let [earlier, rest @ ..] = was {
                if same(prefixed(prefix, earlier).as_str(), old) {
                    text.push("` is what `");
                    text.push(name.prefixed(prefix).text().as_str());
                    text.push("` was named before, and models are told so\nhelp: remove it from `retired(…)`");
                    panic!("{}", text.as_str());
                }
                was = rest;
            }
            names = behind;
        }
        elements = others;
    }
}

/// Looks for the tool in the place of a retired one among those of the list.
///
/// # Panics
/// At the caller's place, where the list lacks it.
#[track_caller]
pub const fn retired_for<const N: usize>(taken: &Taken<N>, name: &'static str) {
    let wanted = named(name);
    if !super::is_taken(taken.elements.split_at(taken.count).0, &wanted) {
        let mut text = ConstText::new();
        text.push("this list has no tool `");
        text.push(name);
        text.push("`\nhelp: list the tool that takes the place of the retired one");
        panic!("{}", text.as_str());
    }
}
