//! Every row of `systems.md` names tests that exist.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The rows that must be there, a line for each system.
const ROWS: &str = "
    S1 S2 S3 S4 S5 S6 S7 S8 S9 S10 S11 S12 S13 S14 S15 S16 S17 S18 S20 S21 S22 S24 S25 S27 S28 S29 S30 S31
    P1 P2 P3 P4 P5 P6 P7 P8 P9 P10 P11 P12 P13 P14 P17 P18 P20
    M1 M2 M3 M4 M5 M6 M7 M8 M9 M10 M11 M12 M13 M14 M15 M16 M17 M18 M22 M23 M24 M25 M26 M29
    Y1 Y2 Y3 Y4 Y5 Y6 Y7 Y8 Y9 Y10 Y11 Y16 Y17 Y18 Y19 Y20 Y22 Y23 Y24 Y25 Y26 Y28
    A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A20 A21 A22 A23 A24 A28 A33 A34 A35 A36 A37 A38
    1 2 3 4 5 6 7 8 12 13 15
";

struct Row {
    id: String,
    observed: String,
    tests: Vec<(String, String)>,
}

fn tests_dir() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))
}

/// The rows of all tables; the last cell names tests as `file::function`, each in backticks. A file of
/// the agent's crate is `agent/file`.
fn rows() -> Vec<Row> {
    let text = fs::read_to_string(tests_dir().join("systems.md")).unwrap();
    let mut rows = Vec::new();
    for line in text.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [id, observed, tests] = cells[..] else {
            panic!("a row has three cells: {line}")
        };
        if id == "row" || id == "scenario" || id.starts_with("--") {
            continue;
        }
        let tests = tests.split(", ").map(|test| {
            let name = test
                .strip_prefix('`')
                .and_then(|test| test.strip_suffix('`'));
            let Some((file, function)) = name.and_then(|name| name.split_once("::")) else {
                panic!("a test is `file::function`, not {test}: {line}")
            };
            (file.to_owned(), function.to_owned())
        });
        rows.push(Row {
            id: id.to_owned(),
            observed: observed.to_owned(),
            tests: tests.collect(),
        });
    }
    rows
}

/// The functions of a file that are tests.
fn tests_of(file: &str) -> Vec<String> {
    let (dir, file) = match file.strip_prefix("agent/") {
        Some(file) => (tests_dir().join("../tool-agent/tests"), file),
        None => (tests_dir().to_owned(), file),
    };
    let path = dir.join(format!("{file}.rs"));
    let Ok(text) = fs::read_to_string(&path) else {
        panic!("there is no {}", path.display())
    };
    let mut tests = Vec::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if line == "#[test]" || line.starts_with("#[tokio::test") {
            is_test = true;
        }
        let line = line.strip_prefix("async ").unwrap_or(line);
        if let Some((name, _)) = line
            .strip_prefix("fn ")
            .and_then(|rest| rest.split_once('('))
        {
            if is_test {
                tests.push(name.to_owned());
            }
            is_test = false;
        }
    }
    tests
}

#[test]
fn every_row_names_tests_that_exist() {
    let mut known = BTreeMap::new();
    let mut missing = Vec::new();
    for row in rows() {
        assert!(
            !row.observed.is_empty() && !row.tests.is_empty(),
            "{}",
            row.id
        );
        for (file, function) in row.tests {
            let tests = known.entry(file.clone()).or_insert_with(|| tests_of(&file));
            if !tests.contains(&function) {
                missing.push(format!("{}: {file}::{function}", row.id));
            }
        }
    }
    assert!(missing.is_empty(), "no such test: {missing:#?}");
}

#[test]
fn every_row_is_there_once() {
    let mut found: Vec<_> = rows().into_iter().map(|row| row.id).collect();
    let mut expected: Vec<_> = ROWS.split_whitespace().map(str::to_owned).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}
