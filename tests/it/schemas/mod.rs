//! The schema of every kind of type: as text, beside schemars' schema of the same type, and beside
//! what serde reads and writes.
//!
//! `canonical.txt` has the text of each type. `GOLDEN=overwrite cargo test -p toolwright-oracles`
//! writes it anew; read what changed.

// A test that finds less than it expects has failed; and the types are what people write.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::items_after_statements,
    clippy::linkedlist,
    clippy::needless_pass_by_value,
    clippy::option_option,
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    clippy::type_complexity,
    clippy::boxed_local,
    clippy::unwrap_used,
    dead_code
)]
#![cfg(feature = "schemars")]

#[cfg(oracle)]
mod both_ways;
#[cfg(oracle)]
mod crates;
mod differences;
mod enums;
mod equivalence;
mod exact;
mod exceptions;
#[cfg(any(
    feature = "bytes",
    feature = "chrono",
    feature = "rust_decimal",
    feature = "url",
    feature = "uuid"
))]
mod features;
mod foreign;
#[cfg(oracle)]
mod judge;
mod lowered;
mod mixed;
mod models;
mod obedient;
#[cfg(oracle)]
mod oracle;
mod row;
mod std_types;
mod structs;
#[cfg(oracle)]
mod tokens;
mod verdicts;

use std::fmt::Write as _;
use std::path::Path;

use row::Row;

fn rows() -> Vec<Row> {
    let mut rows = std_types::rows();
    rows.extend(structs::rows());
    rows.extend(enums::rows());
    rows.extend(foreign::rows());
    rows.extend(mixed::rows());
    #[cfg(any(
        feature = "bytes",
        feature = "chrono",
        feature = "rust_decimal",
        feature = "url",
        feature = "uuid"
    ))]
    rows.extend(features::rows());
    #[cfg(oracle)]
    rows.extend(crates::rows());
    rows
}

/// The types of all features, and those that only `tests/oracles` has.
const ALL: bool = cfg!(all(
    oracle,
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
    assert!(!ALL || rows.len() >= 120, "{} types", rows.len());
}

#[test]
fn a_schema_as_a_value_is_what_its_text_says() {
    for row in rows() {
        let read = toolwright::schema::SchemaDoc::parse(row.schema.as_json()).unwrap();
        let [built, read] = [&row.schema, &read].map(|doc| serde_json::to_string(doc).unwrap());
        assert_eq!(built, read, "{}", row.name);
    }
}

#[test]
fn canonical_text() {
    let root = if cfg!(oracle) { "../.." } else { "" };
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(root)
        .join("tests/it/schemas/canonical.txt");
    let known = blocks(include_str!("canonical.txt"));
    let rows = rows();
    if std::env::var_os("GOLDEN").is_some_and(|value| value == "overwrite") {
        let mut text = String::new();
        for row in &rows {
            writeln!(text, "{}\n{}\n", row.name, block(row)).unwrap();
        }
        for (name, block) in known {
            if !ALL && !rows.iter().any(|row| row.name == name) {
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
        let is_there = !ALL || rows.iter().any(|row| row.name == name);
        assert!(
            is_there,
            "{name} is in the golden file and not in the table"
        );
    }
}

/// All that is wrong, at once.
fn none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[cfg(oracle)]
#[test]
fn schemars_agrees_but_for_what_is_listed() {
    let mut wrong = Vec::new();
    let rows = rows();
    for row in &rows {
        let listed = differences::OF.iter().find(|(name, _)| *name == row.name);
        match (row.agrees.map(|agrees| agrees()), listed) {
            (Some(Err(differs)), None) => wrong.push(format!("{}: {differs}", row.name)),
            (Some(Ok(())), Some(_)) => wrong.push(format!("{} is listed and agrees", row.name)),
            (None, Some(_)) => wrong.push(format!("{} is listed and not compared", row.name)),
            _ => {}
        }
    }
    for (name, _) in differences::OF {
        if ALL && !rows.iter().any(|row| row.name == *name) {
            wrong.push(format!("{name} is listed and not in the table"));
        }
    }
    none(wrong);
}

#[test]
fn what_is_good_is_decoded_and_what_is_bad_is_not() {
    let mut wrong = Vec::new();
    for row in &rows() {
        let name = row.name;
        for sample in row.good() {
            if let Some(why) = row.decode(&sample) {
                wrong.push(format!("{name}: {sample} is not decoded: {why}"));
            }
        }
        for sample in row.bad() {
            let is_listed = differences::DECODED
                .iter()
                .any(|(of, known, _)| *of == name && *known == sample);
            match (row.decode(&sample), is_listed) {
                (None, false) => wrong.push(format!("{name}: {sample} is decoded")),
                (Some(_), true) => wrong.push(format!("{name}: {sample} is listed as decoded")),
                _ => {}
            }
        }
    }
    none(wrong);
}
