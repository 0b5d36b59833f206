//! The tables of the README of this package, out of what was measured, in their places between `<!-- … -->` and `<!-- end -->`.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::compile::Table;
use crate::goals;
use crate::report::{BORROWING, Measured, Report};

/// Puts the tables where they belong. What is not there yet leaves what stands there.
pub(crate) fn write(
    here: &Path,
    report: Option<&Report>,
    table: Option<&Table>,
) -> Result<(), String> {
    let path = here.join("README.md");
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut text = fs::read_to_string(&path).map_err(failed)?;
    if let Some(report) = report {
        replace(&mut text, "machine", &format!("{}\n", report.machine));
        replace(&mut text, "calls", &calls(report, &CALLS));
        replace(&mut text, "sets", &calls(report, &SETS));
        let goals = goals::of_calls(report);
        replace(
            &mut text,
            "missed calls",
            &format!("```text\n{}```\n", goals::text(&goals)),
        );
    }
    if let Some(table) = table {
        replace(&mut text, "compile", &compile(table));
        let goals = goals::of_compiling(table);
        replace(
            &mut text,
            "missed compile",
            &format!("```text\n{}```\n", goals::text(&goals)),
        );
    }
    fs::write(&path, text).map_err(failed)?;
    Ok(())
}

/// Replaces what stands between the comments, where they are.
fn replace(text: &mut String, name: &str, by: &str) {
    let start = format!("<!-- {name} -->\n");
    let Some(from) = text.find(&start).map(|at| at + start.len()) else {
        return;
    };
    let Some(to) = text[from..].find("<!-- end -->").map(|at| at + from) else {
        return;
    };
    text.replace_range(from..to, by);
}

/// A column: its title, the group, and what of a row is told.
type Column = (&'static str, &'static str, fn(&Measured) -> Option<String>);

const CALLS: [Column; 6] = [
    ("`add`", "add", ratio),
    ("`weather`", "weather", ratio),
    ("`order`, 1.5 KB", "order", ratio),
    ("`text`, 64 KiB", "text", ratio),
    ("allocations of `order`", "order", allocations),
    ("a bad `order`, µs", "four-faults", micros),
];

const SETS: [Column; 7] = [
    ("one of 1,000, ns", "dispatch-1000", nanos),
    ("of 100,000, ns", "dispatch-100000", nanos),
    ("100 definitions, µs", "definitions-first", micros),
    ("again, µs", "definitions-later", micros),
    ("their bytes", "definitions-first", bytes),
    ("1,000 tools made, µs", "start-up", micros),
    ("10,000 sleep 1 ms, ms", "parallel-rest-spawned-2", millis),
];

fn ratio(row: &Measured) -> Option<String> {
    Some(format!("{:.2}", row.ratio_to_hand?))
}

fn allocations(row: &Measured) -> Option<String> {
    Some(row.allocations?.to_string())
}

fn bytes(row: &Measured) -> Option<String> {
    Some(row.text_bytes?.to_string())
}

#[allow(clippy::unnecessary_wraps)]
fn nanos(row: &Measured) -> Option<String> {
    Some(format!("{:.0}", row.ns))
}

#[allow(clippy::unnecessary_wraps)]
fn micros(row: &Measured) -> Option<String> {
    let micros = row.ns / 1e3;
    Some(if micros < 10.0 {
        format!("{micros:.2}")
    } else {
        format!("{micros:.0}")
    })
}

#[allow(clippy::unnecessary_wraps)]
fn millis(row: &Measured) -> Option<String> {
    Some(format!("{:.1}", row.ns / 1e6))
}

/// A line a way; those of which no column tells anything are left out.
fn calls(report: &Report, columns: &[Column]) -> String {
    let mut text = head("", columns.iter().map(|(title, ..)| *title));
    let version = |way: &str| {
        report
            .versions
            .get(way)
            .map(|version| format!(" {version}"))
    };
    for way in report.ways() {
        let cells: Vec<_> = columns
            .iter()
            .map(|(_, group, tell)| report.row(group, way).and_then(tell))
            .collect();
        if cells.iter().all(Option::is_none) {
            continue;
        }
        let name = match way {
            "toolwright" => "**Toolwright**".to_owned(),
            BORROWING => "**Toolwright, borrowing**".to_owned(),
            peer => format!("{peer}{}", version(peer).unwrap_or_default()),
        };
        line(
            &mut text,
            &name,
            cells.into_iter().map(Option::unwrap_or_default),
        );
    }
    text
}

/// Of each way: 100 and 500 tools of different types, and what one tool adds.
fn compile(table: &Table) -> String {
    let titles = [
        "check 100, s",
        "build 100, s",
        "after an edit",
        "check 500, s",
        "build 500, s",
        "IR lines a tool",
        "bytes a tool",
        "dependencies",
        "clean build, s",
    ];
    let mut text = head("", titles.into_iter());
    for whole in &table.ways {
        let row = |tools: usize| {
            let mut rows = table.crates.iter();
            rows.find(|row| row.way == whole.way && row.tools == tools && row.types == "mixed")
        };
        let (Some(hundred), Some(more)) = (row(100), row(500)) else {
            continue;
        };
        let cells = [
            seconds(hundred.check.clock_s),
            seconds(hundred.build.clock_s),
            format!(
                "{}, {}",
                seconds(hundred.check_edited.clock_s),
                seconds(hundred.build_edited.clock_s)
            ),
            seconds(more.check.clock_s),
            seconds(more.build.clock_s),
            format!("{:.0}", whole.ir_lines_a_tool),
            format!("{:.0}", whole.stripped_bytes_a_tool),
            whole.dependencies.to_string(),
            whole
                .clean_build
                .map_or_else(String::new, |cost| seconds(cost.clock_s)),
        ];
        let name = match &*whole.way {
            "toolwright" => "**Toolwright**",
            other => other,
        };
        line(&mut text, name, cells.into_iter());
    }
    text
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.2}")
}

fn head<'a>(first: &str, titles: impl Iterator<Item = &'a str> + Clone) -> String {
    let mut text = String::new();
    line(&mut text, first, titles.clone().map(str::to_owned));
    line(&mut text, "---", titles.map(|_| "---:".to_owned()));
    text
}

fn line(text: &mut String, first: &str, cells: impl Iterator<Item = String>) {
    let _ = write!(text, "| {first} |");
    for cell in cells {
        let _ = write!(text, " {cell} |");
    }
    text.push('\n');
}
