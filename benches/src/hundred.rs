//! A hundred tools: their definitions, and what it takes to make the set.

// Tools that own what they are given are what the others have, too.
#![allow(clippy::needless_pass_by_value)]

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use toolwright::{Dialect, Schema, Toolset, Wire, tool, tools};
use toolwright_benches_measure::{Group, definitions, start_up};

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
    let strict = definitions("toolwright-strict", set, |set| {
        let definitions = Wire::OpenAiChat.definitions_in(set, Dialect::OpenAiStrict);
        definitions.map_or(Cow::Borrowed(""), |definitions| {
            Cow::Owned(definitions.text)
        })
    });
    for (group, strict) in groups.iter_mut().zip(strict) {
        group.0.extend(strict.0);
    }
    groups.push(start_up("toolwright", set));
    groups
}
