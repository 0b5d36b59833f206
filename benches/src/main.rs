//! Side by side: Toolwright, the peers, and what people write by hand, in one run.
//!
//! ```text
//! cargo run --release -p toolwright-benches                  the tables of calls, definitions, dispatch, many at a time
//! cargo run --release -p toolwright-benches -- compile       what generated code costs the compiler (half an hour)
//!   --seconds N        so long in all; 240 if nothing is said
//!   --only PREFIX,…    groups whose names start so
//!   --peers NAME,…     these peers; `none` for none of them
//! ```
//!
//! Every run writes `results.json` and `chart.svg`, or `compile.json`, beside its manifest.

mod chart;
mod compile;
mod peers;
mod report;

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

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

struct Options {
    compile: bool,
    seconds: u32,
    only: Vec<String>,
    peers: Vec<String>,
}

impl Options {
    fn read(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let list = |text: String| text.split(',').map(str::to_owned).collect();
        let mut options = Self {
            compile: false,
            seconds: 240,
            only: Vec::new(),
            peers: PEERS.map(str::to_owned).to_vec(),
        };
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("`{arg}` needs a value"));
            match &*arg {
                "compile" => options.compile = true,
                "--seconds" => {
                    options.seconds = value()?.parse().map_err(|_| "a number of seconds")?;
                }
                "--only" => options.only = list(value()?),
                "--peers" => options.peers = list(value()?),
                _ => return Err(format!("unknown argument `{arg}`; see benches/README.md")),
            }
        }
        Ok(options)
    }
}

fn run(options: &Options) -> Result<(), String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let write = |name: &str, text: String| {
        fs::write(here.join(name), text).map_err(|error| format!("{name}: {error}"))
    };
    if options.compile {
        let table = compile::measure(here, &options.peers)?;
        println!("{}", table.text());
        return write("compile.json", table.json());
    }
    let mut programs = vec![Program::own(here)?];
    let mut missing = Vec::new();
    for &peer in PEERS
        .iter()
        .filter(|peer| options.peers.iter().any(|name| name == *peer))
    {
        match Program::peer(here, peer) {
            Ok(program) => programs.push(program),
            Err(error) => missing.push(format!("{peer}: {error}")),
        }
    }
    let report = Report::measure(&mut programs, options.seconds, &options.only)?;
    println!("{}", report.text());
    for missing in &missing {
        println!("not measured: {missing}");
    }
    write("results.json", report.json(&missing))?;
    chart::draw(&report, &here.join("chart.svg"))
}
