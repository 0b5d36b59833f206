//! Where Toolwright wants to stand, and whether it does.

use std::fmt::Write;

use crate::compile::Table;
use crate::peers::PEERS;
use crate::report::{Measured, Report};

/// A number that should be no more than another.
pub(crate) struct Goal {
    what: String,
    at_most: f64,
    found: f64,
}

impl Goal {
    fn new(what: impl Into<String>, at_most: f64, found: f64) -> Self {
        Self {
            what: what.into(),
            at_most,
            found,
        }
    }

    fn is_met(&self) -> bool {
        self.found <= self.at_most
    }
}

/// Nanoseconds of Toolwright's row.
const TIMES: [(&str, f64); 8] = [
    ("dispatch-1000/toolwright", 60.0),
    ("dispatch-100000/toolwright", 190.0),
    ("definitions-first/toolwright", 300_000.0),
    ("definitions-joined/toolwright", 3_000.0),
    ("definitions-first/toolwright-strict", 300_000.0),
    ("definitions-joined/toolwright-strict", 3_000.0),
    ("parallel-rest-spawned-1/toolwright", 7e6),
    ("parallel-rest-spawned-2/toolwright", 7e6),
];

/// A row may make as many allocations as the other, and so many more.
const ALLOCATIONS: [(&str, &str, u64); 12] = [
    ("add/blocking", "add/HAND", 0),
    ("add/polled-async-fn", "add/HAND", 1),
    ("weather/blocking", "weather/HAND_OWNED", 0),
    ("order/owned", "order/HAND_OWNED", 0),
    ("order/owned-bounded", "order/HAND_OWNED", 0),
    ("order/borrowed", "order/HAND", 0),
    ("order/borrowed-bounded", "order/HAND", 0),
    ("text/owned", "text/HAND_OWNED", 0),
    ("text/borrowed", "text/HAND", 0),
    ("text-escaped/owned", "text-escaped/HAND_OWNED", 0),
    ("text-escaped/borrowed", "text-escaped/HAND", 0),
    (
        "definitions-later/toolwright",
        "definitions-later/toolwright",
        0,
    ),
];

/// Bytes of a hundred definitions to those of schemars' schemas.
const SHORTER: f64 = 42.0 / 49.0;

/// Peers that do not tell what an argument means.
const SILENT: [&str; 2] = ["tools-rs", "aisdk"];

/// Those of the rows that were measured.
#[allow(clippy::cast_precision_loss)]
pub(crate) fn of_calls(report: &Report) -> Vec<Goal> {
    let row = |name: &str| report.rows.iter().find(|row| row.row == name);
    let mut goals = Vec::new();
    for row in &report.rows {
        if let (Some(target), Some(ratio)) = (row.target, row.ratio_to_hand) {
            goals.push(Goal::new(
                format!("{}, ratio to HAND", row.row),
                target,
                ratio,
            ));
        }
    }
    if let (Some(hand), Some(later)) = (row("add/HAND"), row("add/polled-async-fn")) {
        goals.push(Goal::new(
            "add/polled-async-fn, ns more than HAND",
            70.0,
            later.ns - hand.ns,
        ));
    }
    for (name, other, more) in ALLOCATIONS {
        let allocations = |row: &Measured| Some(row.allocations? as f64);
        let limit = if name == other {
            Some(0.0)
        } else {
            row(other)
                .and_then(allocations)
                .map(|limit| limit + more as f64)
        };
        if let (Some(limit), Some(found)) = (limit, row(name).and_then(allocations)) {
            goals.push(Goal::new(format!("{name}, allocations"), limit, found));
        }
    }
    for (name, limit) in TIMES {
        if let Some(row) = row(name) {
            goals.push(Goal::new(format!("{name}, ns"), limit, row.ns));
        }
    }
    let first = |way: &str| row(&format!("definitions-first/{way}"))?.text_bytes;
    if let Some(ours) = first("toolwright") {
        if let Some(theirs) = first("rmcp") {
            goals.push(Goal::new(
                "100 definitions, bytes, beside schemars' as they are (rmcp)",
                theirs as f64 * SHORTER,
                ours as f64,
            ));
        }
        let theirs = PEERS.iter().filter(|peer| !SILENT.contains(peer));
        if let Some(least) = theirs.filter_map(|peer| first(peer)).min() {
            goals.push(Goal::new(
                "100 definitions, bytes, beside the shortest peer's",
                least as f64,
                ours as f64,
            ));
        }
    }
    if let (Some(one), Some(two)) = (
        row("parallel-work-1/toolwright-join-all"),
        row("parallel-work-2/toolwright"),
    ) {
        goals.push(Goal::new(
            "parallel-work-2/toolwright, times as long as in one task",
            1.0 / 1.6,
            two.ns / one.ns,
        ));
    }
    goals
}

/// Seconds on the clock of 100 and of 500 tools, and bytes.
pub(crate) fn of_compiling(table: &Table) -> Vec<Goal> {
    let mut goals = Vec::new();
    for row in table.crates.iter().filter(|row| row.way == "toolwright") {
        let limits = match row.tools {
            100 => [Some(0.5), Some(1.2), Some(0.2), Some(0.5)],
            500 => [Some(1.6), Some(4.0), None, None],
            _ => [None; 4],
        };
        let work = [
            ("check", row.check),
            ("build", row.build),
            ("check, edited", row.check_edited),
            ("build, edited", row.build_edited),
        ];
        for ((what, cost), limit) in work.into_iter().zip(limits) {
            let Some(limit) = limit else { continue };
            let what = format!("{} {} tools: {what}, s", row.tools, row.types);
            goals.push(Goal::new(what, limit, cost.clock_s));
        }
    }
    for whole in table.ways.iter().filter(|whole| whole.way == "toolwright") {
        goals.push(Goal::new(
            "stripped bytes a tool",
            5000.0,
            whole.stripped_bytes_a_tool,
        ));
    }
    goals
}

/// How many are met, and those that are not.
pub(crate) fn text(goals: &[Goal]) -> String {
    let met = goals.iter().filter(|goal| goal.is_met()).count();
    let mut text = format!("{met} of {} targets are met\n", goals.len());
    for goal in goals.iter().filter(|goal| !goal.is_met()) {
        let _ = writeln!(
            text,
            "missed: {}: {}, at most {}",
            goal.what,
            short(goal.found),
            short(goal.at_most)
        );
    }
    text
}

/// Three digits that say something.
fn short(number: f64) -> String {
    if number >= 100.0 {
        format!("{number:.0}")
    } else {
        format!("{number:.2}")
    }
}
