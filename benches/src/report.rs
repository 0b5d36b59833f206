//! What was measured, as data.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::peers::{Known, PEERS, Program, group};

/// A group is timed in so many turns, in each of which every program has one.
const TURNS: u32 = 20;

/// What was measured of one program's row.
#[derive(Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) program: String,
    /// Its group's name and its own.
    pub(crate) row: String,
    /// The shortest time, in nanoseconds.
    pub(crate) ns: f64,
    /// Times as long as HAND in the same program.
    pub(crate) ratio_to_hand: Option<f64>,
    /// That ratio should not be more.
    pub(crate) target: Option<f64>,
    /// How long the text is that it makes.
    pub(crate) text_bytes: Option<usize>,
    pub(crate) allocations: Option<u64>,
    pub(crate) allocated_bytes: Option<u64>,
}

/// All that was measured.
#[derive(Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) machine: String,
    /// The releases, by the programs' names.
    pub(crate) versions: BTreeMap<String, String>,
    /// Programs that are missing, and why.
    pub(crate) not_measured: Vec<String>,
    /// Groups one after the other, in each of them Toolwright first.
    pub(crate) rows: Vec<Measured>,
}

/// Toolwright's rows in the groups of calls: of a tool that owns what it is given, and of one that borrows it. Everything
/// is on in them, bounds too.
const OWN: [(&str, [&str; 2]); 6] = [
    ("add", ["blocking", "-"]),
    ("weather", ["blocking", "-"]),
    ("order", ["owned-bounded", "borrowed-bounded"]),
    ("text", ["owned", "borrowed"]),
    ("text-escaped", ["owned", "borrowed"]),
    ("four-faults", ["-", "borrowed-bounded"]),
];

/// The name of the way that borrows.
pub(crate) const BORROWING: &str = "toolwright, borrowing";

impl Report {
    /// Times all groups whose names start with one of `only`, or all, in about so many seconds.
    pub(crate) fn measure(
        programs: &mut [Program],
        seconds: u32,
        only: &[String],
        not_measured: Vec<String>,
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
        let mut rows = Vec::new();
        for name in names {
            eprintln!("measuring {name}");
            rows.extend(measure(programs, &name, span.max(1))?);
        }
        let versions = programs
            .iter()
            .map(|program| (program.name.clone(), program.version.clone()));
        Ok(Self {
            machine: machine(),
            versions: versions.collect(),
            not_measured,
            rows,
        })
    }

    /// What an earlier run left.
    ///
    /// # Errors
    /// When there is none, or it is none of this program's.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let failed = |error: &dyn std::error::Error| format!("{}: {error}", path.display());
        let text = fs::read_to_string(path).map_err(|error| failed(&error))?;
        serde_json::from_str(&text).map_err(|error| failed(&error))
    }

    /// The rows, by groups.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &[Measured]> {
        self.rows
            .chunk_by(|one, next| group(&one.row) == group(&next.row))
    }

    /// The ways that stand side by side: Toolwright's two, and one a peer.
    pub(crate) fn ways(&self) -> impl Iterator<Item = &'static str> {
        let peers = PEERS.into_iter();
        let peers = peers.filter(|peer| self.versions.contains_key(*peer));
        ["toolwright", BORROWING].into_iter().chain(peers)
    }

    /// A way's row in a group.
    pub(crate) fn row(&self, of: &str, way: &str) -> Option<&Measured> {
        let own = OWN.iter().find(|(name, _)| *name == of);
        let name = match (way, own) {
            ("toolwright", Some((_, [owning, _]))) => owning,
            (BORROWING, Some((_, [_, borrowing]))) => borrowing,
            _ => way,
        };
        let is_it = |row: &&Measured| row.row.split_once('/') == Some((of, name));
        self.rows.iter().find(is_it)
    }
}

/// Times a group in all programs that have it. They take turns, so that a machine that is slow for a while is slow for
/// all; the ratio is to the HAND of the same program. In the names of HAND and its like stands whose they are, but for the
/// first program's.
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
        for known in told {
            let Known {
                name,
                target,
                bytes,
                allocations,
            } = known;
            let time = best.get(&(at, name.clone())).copied();
            let ns = time.ok_or(format!("{} did not time {name}", program.name))?;
            rows.push(Measured {
                program: program.name.clone(),
                row: if name.contains("/HAND") && at > 0 {
                    format!("{name} ({})", program.name)
                } else {
                    name.clone()
                },
                ns,
                ratio_to_hand: hand.map(|hand| ns / hand),
                target: *target,
                text_bytes: *bytes,
                allocations: allocations.map(|(count, _)| count),
                allocated_bytes: allocations.map(|(_, bytes)| bytes),
            });
        }
    }
    Ok(rows)
}

/// The processor, as the system names it, and how many of them there are.
pub(crate) fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
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
