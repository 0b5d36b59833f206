//! Every row of `systems.md` names tests that exist, `SECURITY.md` names files that exist, and every file of tests is part of a
//! program.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The rows of each system, and how many there are: they are numbered from 1. Scenarios have no letter.
const ROWS: [(&str, usize); 6] = [
    ("S", 31),
    ("P", 20),
    ("M", 29),
    ("Y", 28),
    ("A", 38),
    ("", 15),
];

struct Row {
    id: String,
    observed: String,
    tests: Vec<(String, String)>,
}

fn tests_dir() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))
}

/// The rows of all tables; the last cell names tests as `file::function`, each in backticks. A file of
/// another package is `agent/file` or `testing/file`.
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
    let (dir, file) = match file.split_once('/') {
        Some((package @ ("agent" | "testing"), file)) => {
            (tests_dir().join(format!("../tool-{package}/tests")), file)
        }
        _ => (tests_dir().to_owned(), file),
    };
    // A module of the one program, or a program of its own.
    let paths = [
        format!("it/{file}.rs"),
        format!("it/{file}/mod.rs"),
        format!("{file}.rs"),
    ];
    let paths = paths.map(|path| dir.join(path));
    let Some(text) = paths.iter().find_map(|path| fs::read_to_string(path).ok()) else {
        panic!("there is none of {paths:?}")
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
    let all = ROWS.iter();
    let all = all.flat_map(|(system, rows)| (1..=*rows).map(move |row| format!("{system}{row}")));
    let mut expected: Vec<_> = all.collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn what_holds_a_claim_about_security_exists() {
    let root = tests_dir().join("..");
    let text = fs::read_to_string(root.join("SECURITY.md")).unwrap();
    let quoted: Vec<_> = text.split('`').collect();
    let paths = quoted.iter().skip(1).step_by(2);
    let paths: Vec<_> = paths
        .filter(|name| name.contains('/') && !name.starts_with('/'))
        .collect();
    let missing: Vec<_> = paths
        .iter()
        .filter(|path| !root.join(path).exists())
        .collect();
    assert!(paths.len() > 30 && missing.is_empty(), "{missing:?}");
    // `function` in `file`
    let mut functions = 0;
    for words in quoted.windows(3).skip(1).step_by(2) {
        if words[1].trim() == "in" {
            let tests = fs::read_to_string(root.join(words[2])).unwrap();
            assert!(tests.contains(&format!("fn {}(", words[0])), "{words:?}");
            functions += 1;
        }
    }
    assert!(functions > 0);
}

#[test]
fn every_file_is_a_module() {
    for tests in [
        "integrations/rmcp/tests/it",
        "tests/compile/tests/accepted",
        "tests/it",
        "tool-agent/tests/it",
        "tool-lock/tests/it",
        "tool-mcp/tests/it",
        "tool-mcp/tests/mcp_client",
        "tool-serve/tests/it",
        "tool-testing/tests/it",
    ] {
        let folder = tests_dir().join("..").join(tests);
        let main = fs::read_to_string(folder.join("main.rs")).unwrap();
        let lines = main.lines().map(|line| line.trim_start_matches("pub "));
        let listed = lines.filter_map(|line| line.strip_prefix("mod "));
        let mut listed: Vec<_> = listed.map(|line| line.trim_end_matches(';')).collect();
        let files = fs::read_dir(&folder).unwrap().map(|file| file.unwrap());
        let modules = files.filter_map(|file| {
            let path = file.path();
            let is_module =
                path.extension().is_some_and(|end| end == "rs") || path.join("mod.rs").exists();
            is_module.then(|| path.file_stem().unwrap().to_str().unwrap().to_owned())
        });
        let mut modules: Vec<_> = modules.filter(|name| name != "main").collect();
        listed.sort_unstable();
        modules.sort();
        assert_eq!(listed, modules, "{}", folder.display());
    }
}
