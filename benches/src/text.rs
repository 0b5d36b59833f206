//! The tables, as text.

use std::fmt::Write;

use crate::report::{Measured, Report};

/// All rows, group by group.
pub(crate) fn tables(report: &Report) -> String {
    let mut text = format!("{}\n", report.machine);
    for (program, version) in &report.versions {
        let _ = write!(text, "{program} {version}  ");
    }
    let _ = writeln!(
        text,
        "\n\n{:<44} {:>13} {:>7} {:>9} {:>11} {:>9} {:>6}",
        "", "ns", "/HAND", "allocs", "their bytes", "text", "target"
    );
    for rows in report.groups() {
        for row in rows {
            let _ = writeln!(text, "{}", line(row));
        }
        text.push('\n');
    }
    for missing in &report.not_measured {
        let _ = writeln!(text, "not measured: {missing}");
    }
    text
}

fn line(row: &Measured) -> String {
    let text = |number: Option<String>| number.unwrap_or_default();
    let target = row.target.map(|target| match row.ratio_to_hand {
        Some(ratio) if ratio > target => format!("{target} !"),
        _ => target.to_string(),
    });
    let line = format!(
        "{:<44} {:>13.1} {:>7} {:>9} {:>11} {:>9} {:>6}",
        row.row,
        row.ns,
        text(row.ratio_to_hand.map(|ratio| format!("{ratio:.2}"))),
        text(row.allocations.map(|count| count.to_string())),
        text(row.allocated_bytes.map(|bytes| bytes.to_string())),
        text(row.text_bytes.map(|bytes| bytes.to_string())),
        text(target),
    );
    line.trim_end().to_owned()
}
