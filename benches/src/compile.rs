//! What generated code costs the compiler: crates of tools, written in each way, checked and built.
//!
//! All of a crate's dependencies are built before. Times are of `cargo`, the shortest of some rounds in which the ways
//! take turns: from nothing (without what an earlier compilation of the crate left), and after the body of one tool has
//! changed. Beside the time on the clock stands what the processors worked, which a busy machine changes less.

mod cost;
mod made;
mod table;

use std::path::Path;

use serde::{Deserialize, Serialize};
use toolwright_benches_generate::{Style, Types};

use self::cost::Cost;
use self::made::Crate;
pub(crate) use self::table::Table;
use crate::report::machine;

/// How many tools, and of which types.
const SETS: [(usize, Types); 4] = [
    (1, Types::Mixed),
    (100, Types::Same),
    (100, Types::Mixed),
    (500, Types::Mixed),
];

/// What was measured of one crate.
#[derive(Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) way: String,
    pub(crate) tools: usize,
    /// `same` or `mixed`.
    pub(crate) types: String,
    pub(crate) check: Cost,
    pub(crate) check_edited: Cost,
    pub(crate) build: Cost,
    pub(crate) build_edited: Cost,
}

/// What was measured of one way to write tools.
#[derive(Serialize, Deserialize)]
pub(crate) struct Whole {
    pub(crate) way: String,
    /// Crates that are compiled, build scripts' and macros' too.
    pub(crate) dependencies: usize,
    /// A build of one tool and all that it needs, where that was measured.
    pub(crate) clean_build: Option<Cost>,
    /// Lines of LLVM IR for each of 100 tools, and bytes of a stripped program.
    pub(crate) ir_lines_a_tool: f64,
    pub(crate) stripped_bytes_a_tool: f64,
}

/// Measures Toolwright, derives on structs, and these peers, in so many rounds; clean builds only if they are asked for.
pub(crate) fn measure(
    here: &Path,
    peers: &[String],
    rounds: usize,
    clean: bool,
) -> Result<Table, String> {
    let mut table = Table {
        machine: machine(),
        crates: Vec::new(),
        ways: Vec::new(),
        not_measured: Vec::new(),
    };
    let mut crates = Vec::new();
    for style in Style::ALL {
        let own = matches!(style, Style::Toolwright | Style::Derives);
        if !own && !peers.iter().any(|peer| peer == style.name()) {
            continue;
        }
        eprintln!("compiling {}: all that it needs", style.name());
        match Whole::measure(here, style, clean) {
            Ok(whole) => table.ways.push(whole),
            Err(error) => {
                table
                    .not_measured
                    .push(format!("{}: {error}", style.name()));
                continue;
            }
        }
        for (count, types) in SETS {
            let made = Crate::new(here, style, count, types)?;
            crates.push((made, Row::new(style, count, types)));
        }
    }
    for round in 1..=rounds {
        for (made, row) in &mut crates {
            eprintln!("round {round}: {} tools of {}", row.tools, row.way);
            row.measure(made)?;
        }
    }
    table.crates = crates.into_iter().map(|(_, row)| row).collect();
    Ok(table)
}

impl Row {
    fn new(style: Style, tools: usize, types: Types) -> Self {
        Self {
            way: style.name().to_owned(),
            tools,
            types: format!("{types:?}").to_lowercase(),
            check: Cost::NONE_YET,
            check_edited: Cost::NONE_YET,
            build: Cost::NONE_YET,
            build_edited: Cost::NONE_YET,
        }
    }

    fn measure(&mut self, made: &Crate) -> Result<(), String> {
        let work = [
            ("check", &mut self.check, &mut self.check_edited),
            ("build", &mut self.build, &mut self.build_edited),
        ];
        for (command, whole, edited) in work {
            let (first, later) = made.compile(command)?;
            whole.improve(first);
            edited.improve(later);
        }
        Ok(())
    }
}

impl Whole {
    fn measure(here: &Path, style: Style, clean: bool) -> Result<Self, String> {
        let one = Crate::new(here, style, 1, Types::Mixed)?;
        let hundred = Crate::new(here, style, 100, Types::Mixed)?;
        let clean_build = clean.then(|| one.build_all()).transpose()?;
        let (few, many) = (one.program()?, hundred.program()?);
        #[allow(clippy::cast_precision_loss)]
        let each = |few: u64, many: u64| (many as f64 - few as f64) / 99.0;
        Ok(Self {
            way: style.name().to_owned(),
            dependencies: one.dependencies()?,
            clean_build,
            ir_lines_a_tool: each(one.ir()?, hundred.ir()?),
            stripped_bytes_a_tool: each(few, many),
        })
    }
}
