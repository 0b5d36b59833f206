//! Side by side: Toolwright, the peers, and what people write by hand, in one run.
//!
//! ```text
//! cargo run --release -p toolwright-benches                  the tables of calls, definitions, dispatch, many at a time
//! cargo run --release -p toolwright-benches -- compile       what generated code costs the compiler (an hour and a half)
//! cargo run --release -p toolwright-benches -- tables        both once more, as they were measured last
//!   --seconds N        so long in all; 240 if nothing is said
//!   --rounds N         of `compile`, the shortest of which counts; 3 if nothing is said
//!   --no-clean         `compile` without the clean builds, which take most of its time
//!   --only PREFIX,…    groups whose names start so
//!   --peers NAME,…     these peers; `none` for none of them
//! ```
//!
//! What is measured whole is written down: `results.json` and `chart.svg`, or `compile.json`, beside this package's manifest,
//! and the tables of README.md. A `compile` of some peers keeps what is known of the others.

mod chart;
mod compile;
mod goals;
mod markdown;
mod peers;
mod report;
mod text;

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use serde::Serialize;

use self::compile::Table;
use self::peers::{PEERS, Program};
use self::report::Report;

fn main() -> ExitCode {
    match Options::read(env::args().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

enum Work {
    Calls,
    Compile,
    Tables,
}

struct Options {
    work: Work,
    seconds: u32,
    rounds: usize,
    clean: bool,
    only: Vec<String>,
    peers: Vec<String>,
}

impl Options {
    fn read(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let list = |text: String| text.split(',').map(str::to_owned).collect();
        let mut options = Self {
            work: Work::Calls,
            seconds: 240,
            rounds: 3,
            clean: true,
            only: Vec::new(),
            peers: PEERS.map(str::to_owned).to_vec(),
        };
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("`{arg}` needs a value"));
            match &*arg {
                "compile" => options.work = Work::Compile,
                "tables" => options.work = Work::Tables,
                "--seconds" => {
                    options.seconds = value()?.parse().map_err(|_| "a number of seconds")?;
                }
                "--rounds" => {
                    options.rounds = value()?.parse().map_err(|_| "a number of rounds")?;
                }
                "--no-clean" => options.clean = false,
                "--only" => options.only = list(value()?),
                "--peers" => options.peers = list(value()?),
                _ => return Err(format!("unknown argument `{arg}`; see benches/README.md")),
            }
        }
        Ok(options)
    }

    fn is_partial(&self) -> bool {
        !self.only.is_empty()
            || PEERS
                .iter()
                .any(|peer| !self.peers.iter().any(|p| p == peer))
    }
}

fn run(options: &Options) -> Result<(), String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (calls, compiled) = (here.join("results.json"), here.join("compile.json"));
    let write = |path: &Path, text: String| {
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    match options.work {
        Work::Compile => {
            let mut table = compile::measure(here, &options.peers, options.rounds, options.clean)?;
            if let Ok(earlier) = Table::read(&compiled) {
                table.keep(earlier);
            }
            println!("{}", compile_text(&table));
            write(&compiled, pretty(&table)?)?;
            chart::draw_compile(&table, &here.join("compile.svg"))?;
            markdown::write(here, None, Some(&table))
        }
        Work::Calls => {
            let report = measure(here, options)?;
            println!("{}", calls_text(&report));
            if options.is_partial() {
                println!("a part alone: nothing is written");
                return Ok(());
            }
            write(&calls, pretty(&report)?)?;
            markdown::write(here, Some(&report), None)?;
            chart::draw_calls(&report, &here.join("chart.svg"))
        }
        Work::Tables => {
            let report = Report::read(&calls)?;
            println!("{}", calls_text(&report));
            let table = if compiled.exists() {
                Some(Table::read(&compiled)?)
            } else {
                None
            };
            if let Some(table) = &table {
                println!("{}", compile_text(table));
                chart::draw_compile(table, &here.join("compile.svg"))?;
            }
            markdown::write(here, Some(&report), table.as_ref())?;
            chart::draw_calls(&report, &here.join("chart.svg"))
        }
    }
}

fn measure(here: &Path, options: &Options) -> Result<Report, String> {
    let mut programs = vec![Program::own(here)?];
    let mut missing = Vec::new();
    for peer in PEERS {
        if !options.peers.iter().any(|name| name == peer) {
            continue;
        }
        match Program::peer(here, peer) {
            Ok(program) => programs.push(program),
            Err(error) => missing.push(format!("{peer}: {error}")),
        }
    }
    Report::measure(&mut programs, options.seconds, &options.only, missing)
}

fn calls_text(report: &Report) -> String {
    let goals = goals::of_calls(report);
    text::tables(report) + &goals::text(&goals)
}

fn compile_text(table: &Table) -> String {
    let goals = goals::of_compiling(table);
    format!("{}\n{}", table.text(), goals::text(&goals))
}

/// As JSON: a line a member, and one for each element of those that are lists.
fn pretty(data: &impl Serialize) -> Result<String, String> {
    let data = serde_json::to_value(data).map_err(|error| error.to_string())?;
    let members = data.as_object().into_iter().flatten();
    let members = members.map(|(key, value)| match value.as_array() {
        Some(list) => {
            let list: Vec<_> = list
                .iter()
                .map(|element| format!("\n    {element}"))
                .collect();
            format!("  \"{key}\": [{}\n  ]", list.join(","))
        }
        None => format!("  \"{key}\": {value}"),
    });
    let members: Vec<_> = members.collect();
    Ok(format!("{{\n{}\n}}\n", members.join(",\n")))
}
