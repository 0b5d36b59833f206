//! What the compiler took, as text and as JSON.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use toolwright_benches_generate::Style;

use super::{Cost, Row, Whole};

/// The tables.
#[derive(Serialize, Deserialize)]
pub(crate) struct Table {
    pub(crate) machine: String,
    pub(crate) crates: Vec<Row>,
    pub(crate) ways: Vec<Whole>,
    pub(crate) not_measured: Vec<String>,
}

impl Table {
    /// What an earlier run left.
    ///
    /// # Errors
    /// When there is none, or it is none of this program's.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let failed = |error: &dyn std::error::Error| format!("{}: {error}", path.display());
        let text = fs::read_to_string(path).map_err(|error| failed(&error))?;
        serde_json::from_str(&text).map_err(|error| failed(&error))
    }

    /// Takes from an earlier run what was not measured this time.
    pub(crate) fn keep(&mut self, earlier: Self) {
        let now: Vec<String> = self.ways.iter().map(|whole| whole.way.clone()).collect();
        for whole in &mut self.ways {
            let before = earlier.ways.iter().find(|other| other.way == whole.way);
            whole.clean_build = whole
                .clean_build
                .or(before.and_then(|other| other.clean_build));
        }
        let kept = |way: &str| !now.iter().any(|now| now == way);
        let (crates, ways) = (earlier.crates.into_iter(), earlier.ways.into_iter());
        self.crates.extend(crates.filter(|row| kept(&row.way)));
        self.ways.extend(ways.filter(|whole| kept(&whole.way)));
        let place = |way: &str| Style::ALL.iter().position(|style| style.name() == way);
        self.crates.sort_by_key(|row| place(&row.way));
        self.ways.sort_by_key(|whole| place(&whole.way));
    }

    /// As text.
    pub(crate) fn text(&self) -> String {
        let mut text = format!(
            "{}\nseconds on the clock, and of processors\n\n{:<15} {:>5} {:>6}",
            self.machine, "", "tools", "types"
        );
        for name in ["check", "build", "check, edited", "build, edited"] {
            let _ = write!(text, " {name:>15}");
        }
        text.push('\n');
        for row in &self.crates {
            let _ = write!(text, "{:<15} {:>5} {:>6}", row.way, row.tools, row.types);
            for cost in [row.check, row.build, row.check_edited, row.build_edited] {
                let _ = write!(text, " {:>15}", both(cost));
            }
            text.push('\n');
        }
        let _ = writeln!(
            text,
            "\n{:<15} {:>12} {:>15} {:>18} {:>21}",
            "", "dependencies", "clean build", "lines of IR a tool", "stripped bytes a tool"
        );
        for whole in &self.ways {
            let _ = writeln!(
                text,
                "{:<15} {:>12} {:>15} {:>18.0} {:>21.0}",
                whole.way,
                whole.dependencies,
                whole.clean_build.map_or_else(String::new, both),
                whole.ir_lines_a_tool,
                whole.stripped_bytes_a_tool
            );
        }
        for failed in &self.not_measured {
            let _ = writeln!(text, "not measured: {failed}");
        }
        text
    }
}

fn both(cost: Cost) -> String {
    let work = cost
        .work_s
        .map_or("-".to_owned(), |work| format!("{work:.2}"));
    format!("{:.2} {work:>7}", cost.clock_s)
}
