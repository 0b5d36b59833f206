//! A hundred tools: their definitions, and what it takes to make the set.

// Tools that own what they are given are what the others have, too.
#![allow(clippy::needless_pass_by_value)]

use std::hint::black_box;

use serde::{Deserialize, Serialize};
use toolwright::{Dialect, Schema, Toolset, Wire, tool, tools};
use toolwright_benches_measure::{Group, Row, definitions, start_up};

toolwright_benches_measure::types! {
    arguments: [Deserialize, Schema],
    answers: [Serialize, Schema],
    both: [Deserialize, Serialize, Schema]
}

include!(concat!(env!("OUT_DIR"), "/hundred.rs"));

pub(crate) fn groups() -> Vec<Group> {
    let mut groups = definitions("toolwright", set, |set| {
        Wire::OpenAiChat.definitions(set).into()
    });
    let strict = |set: &Toolset| Wire::OpenAiChat.definitions_in(set, Dialect::OpenAiStrict);
    let made = set();
    let bytes = strict(&made).map_or(0, |sent| sent.text().len());
    let first = Row::fresh("definitions-first/toolwright-strict", set, move |set| {
        let sent = strict(&set);
        (set, sent)
    });
    // A set that has just been made, of tools that were sent before.
    let told = made.clone();
    let strict_joined = Row::fresh(
        "definitions-joined/toolwright-strict",
        move || told.filter(|_| true),
        move |set| {
            let sent = strict(&set);
            (set, sent)
        },
    );
    let later = Row::again("definitions-later/toolwright-strict", move || {
        let _ = black_box(strict(black_box(&made)));
    });
    for (group, strict) in groups.iter_mut().zip([first, later]) {
        group.0.push(strict.bytes(bytes));
    }
    groups.push(Group(vec![joined(), strict_joined.bytes(bytes)]));
    groups.push(start_up("toolwright", set));
    groups
}

/// The text of a set that is new, of tools whose texts were made before: what a conversation that may see some of the
/// tools asks for.
fn joined() -> Row {
    let all = set();
    Wire::OpenAiChat.definitions(&all);
    let make = move || all.filter(|_| true);
    Row::fresh("definitions-joined/toolwright", make, |set| {
        let bytes = Wire::OpenAiChat.definitions(&set).len();
        (set, bytes)
    })
}
