//! What was measured, as text and as JSON.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::{Value, json};

use crate::peers::{Known, Program, group};

/// A group is timed in so many turns, in each of which every program has one.
const TURNS: u32 = 20;

/// What was measured of one program's row.
pub(crate) struct Measured {
    pub(crate) program: String,
    pub(crate) name: String,
    /// The shortest time, in nanoseconds.
    pub(crate) time: f64,
    /// Times as long as HAND in the same program.
    pub(crate) ratio: Option<f64>,
    target: Option<f64>,
    bytes: Option<usize>,
    allocations: Option<(u64, u64)>,
}

/// All that was measured.
pub(crate) struct Report {
    /// Each group's name, and its rows.
    pub(crate) groups: Vec<(String, Vec<Measured>)>,
    versions: Vec<(String, String)>,
    machine: String,
}

impl Report {
    /// Times all groups whose names start with one of `only`, or all, in about so many seconds.
    pub(crate) fn measure(
        programs: &mut [Program],
        seconds: u32,
        only: &[String],
    ) -> Result<Self, String> {
        let mut names: Vec<String> = Vec::new();
        for row in programs.iter().flat_map(|program| &program.rows) {
            let name = group(&row.name);
            let wanted = only.is_empty() || only.iter().any(|only| name.starts_with(&**only));
            if wanted && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        let shares: usize = names
            .iter()
            .map(|name| programs.iter().filter(|program| program.has(name)).count())
            .sum();
        let span = seconds * 1000 / TURNS / u32::try_from(shares.max(1)).unwrap_or(u32::MAX);
        let mut groups = Vec::new();
        for name in names {
            eprintln!("measuring {name}");
            let rows = measure(programs, &name, span.max(1))?;
            groups.push((name, rows));
        }
        let versions = programs
            .iter()
            .map(|program| (program.name.clone(), program.version.clone()));
        Ok(Self {
            groups,
            versions: versions.collect(),
            machine: machine(),
        })
    }

    /// The tables.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{}\n", self.machine);
        for (program, version) in &self.versions {
            let _ = write!(text, "{program} {version}  ");
        }
        let _ = writeln!(
            text,
            "\n\n{:<44} {:>13} {:>7} {:>9} {:>11} {:>9} {:>6}",
            "", "ns", "/HAND", "allocs", "their bytes", "text", "target"
        );
        for (_, rows) in &self.groups {
            for row in rows {
                let _ = writeln!(text, "{}", row.line());
            }
            text.push('\n');
        }
        text.push_str(&self.summary());
        text
    }

    /// The ratios of the four calls, side by side.
    fn summary(&self) -> String {
        let mut text = format!("{:<24}", "ratio to HAND");
        for (group, _) in SUMMARY {
            let _ = write!(text, " {group:>9}");
        }
        let _ = writeln!(text, " {:>9} {:>9}", "order", "four");
        let _ = writeln!(text, "{:<24}{:>51} {:>9}", "", "allocs", "faults µs");
        for (name, ratios) in self.ratios() {
            let _ = write!(text, "{name:<24}");
            for ratio in ratios {
                let _ = match ratio {
                    Some(ratio) => write!(text, " {ratio:>9.2}"),
                    None => write!(text, " {:>9}", "-"),
                };
            }
            let row = |group: &str| self.row(group, &name);
            let allocations = row("order").and_then(|row| row.allocations);
            let allocations = allocations.map_or("-".to_owned(), |(count, _)| count.to_string());
            let faults = row("four-faults")
                .map_or("-".to_owned(), |row| format!("{:.2}", row.time / 1000.0));
            let _ = writeln!(text, " {allocations:>9} {faults:>9}");
        }
        text
    }

    /// For each way that is in the summary: the ratios to HAND in the groups of [`SUMMARY`].
    pub(crate) fn ratios(&self) -> Vec<(String, [Option<f64>; SUMMARY.len()])> {
        let mut ways: Vec<String> = vec!["toolwright".into(), "toolwright, borrowing".into()];
        ways.extend(
            self.versions
                .iter()
                .skip(1)
                .map(|(program, _)| program.clone()),
        );
        let ratios = ways.into_iter().map(|way| {
            let ratios = SUMMARY.map(|(group, _)| self.row(group, &way).and_then(|row| row.ratio));
            (way, ratios)
        });
        ratios.collect()
    }

    fn row(&self, group: &str, way: &str) -> Option<&Measured> {
        let own = |at: usize| {
            SUMMARY
                .iter()
                .find(|(name, _)| *name == group)
                .map(|(_, rows)| rows[at])
        };
        let name = match way {
            "toolwright" if group == "four-faults" => "borrowed-bounded",
            "toolwright" => own(0)?,
            "toolwright, borrowing" => own(1)?,
            peer => peer,
        };
        let (_, rows) = self.groups.iter().find(|(known, _)| known == group)?;
        rows.iter()
            .find(|row| row.name.split_once('/').is_some_and(|(_, row)| row == name))
    }

    /// The same for programs.
    pub(crate) fn json(&self, missing: &[String]) -> String {
        let rows: Vec<Value> = self
            .groups
            .iter()
            .flat_map(|(_, rows)| rows)
            .map(Measured::json)
            .collect();
        let versions: Value = self
            .versions
            .iter()
            .map(|(name, version)| (name.clone(), json!(version)))
            .collect::<serde_json::Map<_, _>>()
            .into();
        let all = json!({"machine": self.machine, "versions": versions, "not_measured": missing, "rows": rows});
        format!("{all:#}\n")
    }
}

/// The groups of the summary, and our rows in them: the one that owns what it is given, and the one that borrows.
pub(crate) const SUMMARY: [(&str, [&str; 2]); 5] = [
    ("add", ["blocking", "-"]),
    ("weather", ["blocking", "-"]),
    ("order", ["owned", "borrowed"]),
    ("text", ["owned", "borrowed"]),
    ("text-escaped", ["owned", "borrowed"]),
];

impl Measured {
    fn line(&self) -> String {
        let text = |number: Option<String>| number.unwrap_or_default();
        let target = self.target.map(|target| match self.ratio {
            Some(ratio) if ratio > target => format!("{target} !"),
            _ => target.to_string(),
        });
        let line = format!(
            "{:<44} {:>13.1} {:>7} {:>9} {:>11} {:>9} {:>6}",
            self.name,
            self.time,
            text(self.ratio.map(|ratio| format!("{ratio:.2}"))),
            text(self.allocations.map(|(count, _)| count.to_string())),
            text(self.allocations.map(|(_, bytes)| bytes.to_string())),
            text(self.bytes.map(|bytes| bytes.to_string())),
            text(target),
        );
        line.trim_end().to_owned()
    }

    fn json(&self) -> Value {
        json!({
            "program": self.program,
            "row": self.name,
            "ns": self.time,
            "ratio_to_hand": self.ratio,
            "target": self.target,
            "text_bytes": self.bytes,
            "allocations": self.allocations.map(|(count, _)| count),
            "allocated_bytes": self.allocations.map(|(_, bytes)| bytes),
        })
    }
}

/// Times a group in all programs that have it. They take turns, so that a machine that is slow for a while is slow for
/// all; the ratio is to the HAND of the same program. Of HAND and its like the first program's are told, and in the others'
/// names stands whose they are.
fn measure(programs: &mut [Program], name: &str, span: u32) -> Result<Vec<Measured>, String> {
    let mut best: HashMap<(usize, String), f64> = HashMap::new();
    for _ in 0..TURNS {
        for (at, program) in programs.iter_mut().enumerate() {
            if !program.has(name) {
                continue;
            }
            for (row, time) in program.time(name, span)? {
                let best = best.entry((at, row)).or_insert(f64::INFINITY);
                *best = best.min(time);
            }
        }
    }
    let mut rows = Vec::new();
    for (at, program) in programs.iter().enumerate() {
        let hand = best.get(&(at, format!("{name}/HAND"))).copied();
        let told = program.rows.iter().filter(|row| group(&row.name) == name);
        rows.extend(told.map(
            |Known {
                 name,
                 target,
                 bytes,
                 allocations,
             }| {
                let time = best.get(&(at, name.clone())).copied().unwrap_or(f64::NAN);
                let by_hand = name.contains("/HAND");
                Measured {
                    program: program.name.clone(),
                    name: if by_hand && at > 0 {
                        format!("{name} ({})", program.name)
                    } else {
                        name.clone()
                    },
                    time,
                    ratio: hand.map(|hand| time / hand),
                    target: *target,
                    bytes: *bytes,
                    allocations: *allocations,
                }
            },
        ));
    }
    Ok(rows)
}

/// The processor, as the system names it, and how many of them there are.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("an unknown processor", |(_, model)| model);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!(
        "{model}, {threads} threads, {} {}",
        std::env::consts::OS,
        std::env::consts::ARCH
    )
}
