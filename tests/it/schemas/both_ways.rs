//! Decoder and schema in both directions, with `jsonschema` to say what the schema admits.

use std::collections::BTreeMap;

use toolwright::ToolError;
use toolwright_testing::{Mutation, Sample};

use crate::schemas::equivalence::{Findings, Subject, samples, samples_of_each};
use crate::schemas::exact::Exact;
use crate::schemas::judge::Judge;
use crate::schemas::{none, rows};

/// Every way in which serde writes an enum or takes a struct apart, and a type of it.
const REPRESENTATIONS: &[(&str, &str)] = &[
    ("struct", "Point"),
    ("tuple struct", "Rgb"),
    ("newtype", "Name"),
    ("unit struct", "Unit"),
    ("transparent", "SeeThrough"),
    ("external", "External"),
    ("internal", "Internal"),
    ("internal inside internal", "Inner"),
    ("adjacent", "Adjacent"),
    ("untagged", "Untagged"),
    ("one untagged variant", "Mixed"),
    ("one untagged variant of an internal enum", "MixedInternal"),
    ("a tagged struct", "Tagged"),
    ("flattened struct", "FlattensStruct"),
    ("flattened option", "FlattensOption"),
    ("flattened map", "FlattensMap"),
    ("flattened values", "FlattensAny"),
    ("flattened internal enum", "FlattensEnum"),
    ("flattened external enum", "FlattensChoice"),
    ("recursive", "Tree"),
    ("recursive internal", "TaggedExpr"),
    ("from and into", "Converted"),
    ("try_from", "Tried"),
    ("with", "SeenAs"),
    ("default", "AllDefaults"),
    ("open", "Open"),
    ("schemars' trait alone", "HoldsTheirs"),
    ("bounds in internal", "TaggedWide"),
    ("bounds in untagged", "UntaggedWide"),
    ("bounds in adjacent", "AdjacentWide"),
    ("untagged in adjacent in external", "ExternalWide"),
    ("flattened in flattened", "FlattensTwice"),
];

/// What a tool can be told of one argument. `not_object` is told of the arguments as a whole, which
/// are an object here whatever the sample is, and `too_large` of a text of 8 MiB.
const CODES: [&str; 8] = [
    "invalid_json",
    "duplicate_key",
    "unknown_argument",
    "missing_argument",
    "wrong_type",
    "out_of_range",
    "bound",
    "too_deep",
];

#[test]
fn every_representation_is_there() {
    let rows = rows();
    let is_there = |name: &str| rows.iter().any(|row| row.name == name);
    let missing = REPRESENTATIONS.iter().filter(|(_, name)| !is_there(name));
    none(
        missing
            .map(|(what, name)| format!("{what}: {name}"))
            .collect(),
    );
}

#[test]
fn decoder_and_schema_agree() {
    let rows = rows();
    let count = samples_of_each(&rows, 100_000);
    let mut findings = Findings::default();
    let mut tally = Tally::default();
    // Errors of the samples themselves: what they say is valid, the schema admits.
    let mut wrong = Vec::new();
    for row in &rows {
        let subject = Subject::new(row);
        let (judge, mut samples) = (Judge::of(&row.input), samples(row));
        // Whether a text is valid, and what a tool says of it.
        let mut compare = |text: &str| {
            let refusal = subject.decode(text);
            let read = Exact::read(text).map_err(|error| error.to_string());
            let judged = match &read {
                Ok(value) => Ok((value, judge.admits(value))),
                Err(why) => Err(why.as_str()),
            };
            findings.note(row, text, refusal.as_ref(), judged);
            (matches!(judged, Ok((_, true))), refusal)
        };
        for text in row.good().iter().chain(&row.bad()) {
            compare(text);
        }
        for _ in 0..count {
            let text = samples.valid().expect(row.name);
            let (is_valid, _) = compare(&text);
            if !is_valid {
                wrong.push(format!("{}: {text} is refused by {}", row.name, row.input));
            }
            let near = samples.near();
            let (is_valid, refusal) = compare(&near.text);
            tally.add(&near, is_valid, refusal.as_ref());
        }
    }
    tally.print();
    wrong.truncate(20);
    wrong.extend(findings.disagreements());
    wrong.extend(findings.needless());
    wrong.extend(tally.lacks());
    none(wrong);
}

/// What became of the texts that are near a valid one.
#[derive(Default)]
struct Tally {
    all: usize,
    valid: usize,
    /// How often each change was made, and how many of its texts were valid.
    changes: BTreeMap<Mutation, (usize, usize)>,
    codes: BTreeMap<&'static str, usize>,
}

impl Tally {
    fn add(&mut self, sample: &Sample, is_valid: bool, refusal: Option<&ToolError>) {
        self.all += 1;
        self.valid += usize::from(is_valid);
        for mutation in &sample.mutations {
            let (made, valid) = self.changes.entry(*mutation).or_default();
            *made += 1;
            *valid += usize::from(is_valid);
        }
        for fault in refusal.iter().flat_map(|error| error.faults()) {
            *self.codes.entry(fault.code.as_str()).or_default() += 1;
        }
    }

    fn print(&self) {
        let (all, valid) = (self.all, self.valid);
        println!("{all} texts of each kind; of those near a valid one {valid} are valid");
        for (change, (made, valid)) in &self.changes {
            println!("{change:?}: {made}, of which {valid} are valid");
        }
        println!("faults: {:?}", self.codes);
    }

    /// What should have come up and did not.
    fn lacks(&self) -> Vec<String> {
        let mut lacks = Vec::new();
        let share = self.valid * 100 / self.all;
        if !(25..=45).contains(&share) {
            lacks.push(format!("{share} % are still valid"));
        }
        for change in Mutation::ALL {
            if !self.changes.contains_key(change) {
                lacks.push(format!("{change:?} was never made"));
            }
        }
        for code in CODES {
            if !self.codes.contains_key(code) {
                lacks.push(format!("{code} was never told"));
            }
        }
        lacks
    }
}
