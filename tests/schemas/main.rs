//! The schema of every kind of type: as text, beside schemars' schema of the same type, and beside
//! what serde reads and writes.
//!
//! `canonical.txt` has the text of each type. `TRYBUILD=overwrite cargo test --all-features` writes
//! it anew; read what changed.

#![cfg(feature = "schemars")]

mod differences;
mod enums;
#[cfg(any(
    feature = "bytes",
    feature = "chrono",
    feature = "rust_decimal",
    feature = "url",
    feature = "uuid"
))]
mod features;
mod foreign;
mod row;
mod std_types;
mod structs;

use std::fmt::Write as _;
use std::path::Path;

use row::Row;

fn rows() -> Vec<Row> {
    let mut rows = std_types::rows();
    rows.extend(structs::rows());
    rows.extend(enums::rows());
    rows.extend(foreign::rows());
    #[cfg(any(
        feature = "bytes",
        feature = "chrono",
        feature = "rust_decimal",
        feature = "url",
        feature = "uuid"
    ))]
    rows.extend(features::rows());
    rows
}

const ALL_FEATURES: bool = cfg!(all(
    feature = "bytes",
    feature = "chrono",
    feature = "rust_decimal",
    feature = "url",
    feature = "uuid"
));

/// The blocks of the golden file by the name of their type.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    text.split("\n\n")
        .filter_map(|block| block.trim().split_once('\n'))
        .collect()
}

fn block(row: &Row) -> String {
    if row.input == row.output {
        format!("  {}", row.input)
    } else {
        format!("  read    {}\n  written {}", row.input, row.output)
    }
}

#[test]
fn there_are_enough_types_and_none_twice() {
    let rows = rows();
    for (at, row) in rows.iter().enumerate() {
        let again = rows.iter().skip(at + 1).any(|other| other.name == row.name);
        assert!(!again, "{} stands in the table twice", row.name);
    }
    assert!(!ALL_FEATURES || rows.len() >= 120, "{} types", rows.len());
}

#[test]
fn canonical_text() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas/canonical.txt");
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let known = blocks(&golden);
    let rows = rows();
    if std::env::var_os("TRYBUILD").is_some_and(|value| value == "overwrite") {
        let mut text = String::new();
        for row in &rows {
            writeln!(text, "{}\n{}\n", row.name, block(row)).unwrap();
        }
        for (name, block) in known {
            if !ALL_FEATURES && !rows.iter().any(|row| row.name == name) {
                writeln!(text, "{name}\n{block}\n").unwrap();
            }
        }
        std::fs::write(path, text).unwrap();
        return;
    }
    for row in &rows {
        let golden = known.iter().find(|(name, _)| *name == row.name);
        let golden = golden.map_or("  nothing", |(_, block)| block);
        assert_eq!(block(row).trim(), golden.trim(), "{}", row.name);
    }
    for (name, _) in known {
        let is_there = !ALL_FEATURES || rows.iter().any(|row| row.name == name);
        assert!(is_there, "{name} is in the golden file and not in the table");
    }
}

#[test]
fn schemars_agrees_but_for_what_is_listed() {
    for row in &rows() {
        let listed = differences::OF.iter().find(|(name, _)| *name == row.name);
        match (row.agrees.map(|agrees| agrees()), listed) {
            (Some(Err(differs)), None) => panic!("{}: {differs}", row.name),
            (Some(Ok(())), Some(_)) => panic!("{} is listed and does not differ", row.name),
            (None, Some(_)) => panic!("{} is listed and schemars does not know it", row.name),
            _ => {}
        }
    }
    for (name, why) in differences::OF {
        assert!(!ALL_FEATURES || rows().iter().any(|row| row.name == *name), "{name}: no such type");
        assert!(!why.is_empty());
    }
}

#[test]
fn what_is_read_is_what_the_schema_of_the_input_admits() {
    for row in &rows() {
        let schema = row::validator(&row.input);
        for sample in row.good() {
            let value = serde_json::from_str(&sample).unwrap();
            assert!(schema.is_valid(&value), "{}: {sample} against {}", row.name, row.input);
            let refused = (row.decode)(&sample);
            assert_eq!(refused, None, "{}: {sample}", row.name);
        }
        for sample in row.bad() {
            let value = serde_json::from_str(&sample).unwrap();
            assert!(!schema.is_valid(&value), "{}: {sample} against {}", row.name, row.input);
            let is_refused = (row.decode)(&sample).is_some();
            let exception = differences::DECODED
                .iter()
                .any(|(name, known, _)| *name == row.name && *known == sample);
            match (is_refused, exception) {
                (false, false) => panic!("{}: {sample} is decoded", row.name),
                (true, true) => panic!("{}: {sample} is listed as decoded and is not", row.name),
                _ => {}
            }
        }
    }
}

#[test]
fn what_is_written_is_what_the_schema_of_the_output_admits() {
    for row in &rows() {
        let schema = row::validator(&row.output);
        for sample in row.good() {
            let written = (row.rewrite)(&sample);
            let value = serde_json::from_str(&written).unwrap();
            assert!(schema.is_valid(&value), "{}: {written} against {}", row.name, row.output);
        }
    }
}
