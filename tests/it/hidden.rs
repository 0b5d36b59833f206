//! Invariants 3 and 5, over random sets: what a definition's bytes depend on, and that a hidden tool is
//! neither listed nor called nor named.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use proptest::prelude::*;
use serde_json::Value;
use toolwright::{
    Context, DynTool, Encoder, Executor, Tool, ToolCall, ToolError, Toolset, Wire,
    call::{ErrorKind, Filter, State},
};

/// Names near one another, so that each is offered for the others.
const NAMES: [&str; 8] = [
    "read_file",
    "read_files",
    "read_fine",
    "reed_file",
    "read_filer",
    "write_file",
    "readfile",
    "list",
];

#[derive(Debug, Clone)]
struct One {
    name: &'static str,
    /// Who decides about it: nobody, the tool itself, or the executor's filter.
    hidden_by: u8,
}

prop_compose! {
    fn set()(
        names in Just(NAMES.to_vec()).prop_shuffle(),
        hidden_by in prop::collection::vec(0..3u8, NAMES.len()),
        many in 1..=NAMES.len(),
    ) -> Vec<One> {
        let all = names.into_iter().zip(hidden_by);
        all.take(many).map(|(name, hidden_by)| One { name, hidden_by }).collect()
    }
}

fn tool(one: &One, ran: &Arc<AtomicU32>) -> Arc<dyn Tool> {
    let ran = Arc::clone(ran);
    let hides = one.hidden_by == 1;
    DynTool::builder()
        .name(one.name)
        .description(format!("Tells of {}.", one.name.len()))
        .handler_sync(move |_: Value, _| {
            ran.fetch_add(1, Ordering::Relaxed);
            Ok::<_, ToolError>("done")
        })
        .visible(move |scope| !hides || scope.state.get("all").is_some())
        .build()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn a_hidden_tool_is_neither_listed_nor_called_nor_named(set in set(), at_once in 1..4usize) {
        let ran = Arc::new(AtomicU32::new(0));
        let tools = Toolset::new(set.iter().map(|one| tool(one, &ran))).unwrap();
        let denied = set.iter().filter(|one| one.hidden_by == 2).map(|one| one.name);
        let executor = Executor::parallel(&tools, at_once).filter(Filter::deny(denied));
        let seen: BTreeSet<_> = set.iter().filter(|one| one.hidden_by == 0).map(|one| one.name).collect();
        let cx = Context::new();

        // Listed: those that are seen, in their order, as if no others were there.
        let expected: Vec<_> = set.iter().filter(|one| one.hidden_by == 0).cloned().collect();
        let alone = Toolset::new(expected.iter().map(|one| tool(one, &ran))).unwrap();
        let listed = executor.tools(&cx);
        for wire in [Wire::OpenAiChat, Wire::Anthropic, Wire::Gemini] {
            prop_assert_eq!(wire.definitions(&listed), wire.definitions(&alone));
        }

        // Called, by their names and by names near them.
        let asked: Vec<String> = NAMES
            .iter()
            .flat_map(|name| [(*name).to_owned(), format!("{name}x")])
            .collect();
        let calls: Vec<_> = asked.iter().map(|name| ToolCall::new("1", name.as_str(), "{}")).collect();
        let batch = executor.run_blocking(&calls, &cx);
        prop_assert_eq!(ran.load(Ordering::Relaxed) as usize, seen.len());
        // The same calls where the hidden tools do not exist.
        let others = Executor::parallel(&alone, at_once).run_blocking(&calls, &cx);
        for ((name, result), other) in asked.iter().zip(batch.results()).zip(others.results()) {
            prop_assert_eq!(result.is_success(), seen.contains(name.as_str()));
            for encoder in [Encoder::auto(), Encoder::json(), Encoder::envelope(), Encoder::text()] {
                prop_assert_eq!(result.content(encoder), other.content(encoder));
            }
            if let Err(error) = &result.outcome {
                let there = set.iter().any(|one| one.name == name);
                let kind = if there { ErrorKind::Hidden } else { ErrorKind::Unknown };
                prop_assert_eq!(error.kind(), kind);
            }
        }

        // Who may see all of them sees those that hid themselves.
        let all = Context::new().with_state(State::new().with("all", true));
        let listed = executor.tools(&all).definitions().count();
        prop_assert_eq!(listed, set.iter().filter(|one| one.hidden_by != 2).count());
    }

    #[test]
    fn a_sets_bytes_are_those_of_its_tools_in_order(set in set()) {
        let ran = Arc::default();
        let tools = Toolset::new(set.iter().map(|one| tool(one, &ran))).unwrap();
        for wire in [Wire::OpenAiChat, Wire::OpenAiResponses, Wire::Anthropic] {
            let single: Vec<_> = set
                .iter()
                .map(|one| {
                    let one = Toolset::new([tool(one, &ran)]).unwrap();
                    let text = wire.definitions(&one).into_string();
                    text.strip_prefix('[').unwrap().strip_suffix(']').unwrap().to_owned()
                })
                .collect();
            prop_assert_eq!(wire.definitions(&tools), format!("[{}]", single.join(",")));
        }
    }
}
