//! A text is decoded if and only if the schema admits it: by texts that are made from each type's
//! schema, valid ones and ones that differ from a valid one in a change or two.
//!
//! `TOOLWRIGHT_SAMPLES=1000000` makes more of them, of each kind; `--nocapture` shows the counts.

use std::collections::{BTreeMap, BTreeSet};

use toolwright::{ToolError, Toolset, call::ErrorKind};
use toolwright_testing::Samples;

use crate::schemas::exact::Exact;
use crate::schemas::exceptions::{self, Exception};
use crate::schemas::row::{Row, call};
#[cfg(not(oracle))]
use crate::schemas::{none, rows};

/// So many disagreements are shown.
const SHOWN: usize = 20;

/// How many texts of each kind a type gets, so that all together there are `least`.
pub(crate) fn samples_of_each(rows: &[Row], least: usize) -> usize {
    let asked = std::env::var("TOOLWRIGHT_SAMPLES").ok();
    let asked = asked.and_then(|count| count.parse().ok());
    asked.unwrap_or(least).div_ceil(rows.len())
}

/// The texts of a type: the same in every run, whatever other types there are.
pub(crate) fn samples(row: &Row) -> Samples {
    let seed = row.name.bytes().fold(0xcbf2_9ce4_8422_2325, |seed, byte| {
        (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Samples::of(&row.schema, seed)
}

/// A type under test, and what is known to be different of it.
pub(crate) struct Subject<'r> {
    pub(crate) row: &'r Row,
    tools: Toolset,
}

impl<'r> Subject<'r> {
    pub(crate) fn new(row: &'r Row) -> Self {
        Self {
            row,
            tools: (row.tools)(),
        }
    }

    /// What is wrong with a text, said by the decoder.
    pub(crate) fn decode(&self, text: &str) -> Option<ToolError> {
        let error = call(&self.tools, text);
        if let Some(error) = &error {
            let name = self.row.name;
            assert_eq!(
                error.kind(),
                ErrorKind::InvalidArgs,
                "{name}: {text}: {error}"
            );
        }
        error
    }
}

/// What is found on the way: disagreements, and which exceptions were needed.
#[derive(Default)]
pub(crate) struct Findings {
    disagreements: BTreeMap<&'static str, Vec<String>>,
    needed: BTreeSet<usize>,
}

impl Findings {
    /// Notes what decoder and schema say of a text.
    pub(crate) fn note(
        &mut self,
        row: &Row,
        text: &str,
        refusal: Option<&ToolError>,
        judged: Result<(&Exact, bool), &str>,
    ) {
        let (value, admitted) = match judged {
            Ok((value, admitted)) => (Some(value), admitted),
            Err(_) => (None, false),
        };
        if admitted == refusal.is_none() {
            return;
        }
        let is_listed = |exception: &Exception| {
            (exception.of == ["*"] || exception.of.contains(&row.name))
                && exception.decoded == refusal.is_none()
                && value.is_some_and(|value| (exception.is_such)(value))
        };
        if let Some(at) = exceptions::ALL.iter().position(is_listed) {
            self.needed.insert(at);
            return;
        }
        let decoder = refusal.map_or("decoded".to_owned(), ToString::to_string);
        let schema = match judged {
            Ok((_, true)) => "admitted".to_owned(),
            Ok((_, false)) => format!("refused by {}", row.input),
            Err(why) => format!("no text to admit: {why}"),
        };
        let told = format!(
            "{}: {text}\n  decoder: {decoder}\n  schema:  {schema}",
            row.name
        );
        self.disagreements.entry(row.name).or_default().push(told);
    }

    /// The disagreements: how many, of which types, and some of each type.
    pub(crate) fn disagreements(&self) -> Vec<String> {
        let lists = || self.disagreements.values();
        // The first of each type, then the second of each, …
        let longest = lists().map(Vec::len).max().unwrap_or(0);
        let in_turn = (0..longest).flat_map(|at| lists().filter_map(move |list| list.get(at)));
        let mut told: Vec<_> = in_turn.take(SHOWN).cloned().collect();
        if !told.is_empty() {
            let count: usize = lists().map(Vec::len).sum();
            let counts = self.disagreements.iter();
            let counts = counts.map(|(name, list)| format!("{name}: {}", list.len()));
            let counts = counts.collect::<Vec<_>>().join(", ");
            told.insert(0, format!("{count} disagreements ({counts})"));
        }
        told
    }

    /// The exceptions that no text needed.
    #[cfg(oracle)]
    pub(crate) fn needless(&self) -> Vec<String> {
        exceptions::ALL
            .iter()
            .enumerate()
            .filter(|(at, _)| !self.needed.contains(at))
            .map(|(_, it)| format!("an exception that no text needs: {:?}, {}", it.of, it.why))
            .collect()
    }
}

#[cfg(not(oracle))]
#[test]
fn what_the_schema_admits_is_decoded() {
    let rows = rows();
    assert!(rows.len() >= 80, "{} types", rows.len());
    let count = samples_of_each(&rows, 100_000);
    let mut findings = Findings::default();
    for row in &rows {
        let subject = Subject::new(row);
        let mut samples = samples(row);
        for _ in 0..count {
            let text = samples.valid().expect(row.name);
            if let Some(refusal) = subject.decode(&text) {
                let value = Exact::read(&text).expect("a valid text");
                findings.note(row, &text, Some(&refusal), Ok((&value, true)));
            }
        }
    }
    none(findings.disagreements());
}

#[cfg(not(oracle))]
#[test]
fn what_is_near_is_answered_the_same_way_twice() {
    let rows = rows();
    let count = samples_of_each(&rows, 10_000);
    for row in &rows {
        let subject = Subject::new(row);
        let mut samples = samples(row);
        for _ in 0..count {
            let text = samples.near().text;
            let answer = || subject.decode(&text).map(|error| error.to_string());
            assert_eq!(answer(), answer(), "{}: {text}", row.name);
        }
    }
}
