//! Tools of other people's schemas: makes a tool of each, and lowers each to every dialect.
//!
//! `tests/outside/openapi.sh` calls it. Standard input has a line for each schema, `{"name": …, "schema": …}`. It prints a
//! table with the first example of each error, and with the name of each schema that is not a tool. Each argument is a floor,
//! `openai_strict=99.5`: the program fails if the percentage of schemas that are lowered to this dialect is lower. It fails,
//! too, if a schema is not a tool for another reason than its size or hidden characters, or if a call does not come back (`way_back`).
//! Lowered schemas are appended to the file that `TOOLWRIGHT_LOWERED` names, one a line, for `tests/outside/lowered.sh`.
// A line that is not read has failed.
#![allow(clippy::unwrap_used)]

#[allow(dead_code)] // The tests' helpers do more.
#[path = "../../it/json.rs"]
mod json;
#[path = "../../it/schemas/obedient.rs"]
mod obedient;
#[path = "openapi/samples.rs"]
mod samples;
#[path = "openapi/way_back.rs"]
mod way_back;

use std::collections::BTreeMap;
use std::io::{BufRead, BufWriter, Write, stdin};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, fs};

use serde::Deserialize;
use serde_json::value::RawValue;
use toolwright::dialect::lower;
use toolwright::schema::SchemaDoc;
use toolwright::toolset::BuildError;
use toolwright::{Dialect, DynTool, ToolDef, ToolError};

use crate::way_back::WayBack;

#[derive(Deserialize)]
struct Operation {
    name: String,
    schema: Box<RawValue>,
}

/// Kinds of errors for which a schema may be no tool.
const UNFIT: [&str; 2] = ["HiddenText", "TooLarge"];

/// How often something succeeded, and the failures by kind.
#[derive(Default)]
struct Row {
    passed: usize,
    failed: BTreeMap<String, Vec<String>>,
}

impl Row {
    fn add(&mut self, failure: Option<(String, String)>) {
        let Some((kind, example)) = failure else {
            self.passed += 1;
            return;
        };
        self.failed.entry(kind).or_default().push(example);
    }

    /// Prints the row, and so many examples of each kind.
    fn print(&self, name: &str, percent: f64, examples: usize) {
        println!("{name:<18}{:>6}  {percent:>6.2} %", self.passed);
        for (kind, failures) in &self.failed {
            println!("    {kind:<20}{:>6}", failures.len());
            for failure in failures.iter().take(examples) {
                println!("        {failure}");
            }
        }
    }
}

/// Makes a tool, without what is hidden in words, as the client of MCP does; the kind of the error and its text if that fails.
fn make(schema: &SchemaDoc) -> Result<(), (String, String)> {
    let mut def = ToolDef::new("operation", "Calls an operation.");
    def.input = schema.clone();
    def.strip_hidden();
    let tool = DynTool::builder()
        .def(def)
        .handler_sync(|_: Box<RawValue>, _| Ok::<_, ToolError>("done"))
        .build();
    tool.map(drop).map_err(|error| {
        let kind = match &error {
            BuildError::HiddenText(_) => "HiddenText".to_owned(),
            BuildError::Schema(error) => format!("{:?}", error.kind),
            other => format!("{other:?}"),
        };
        (kind, error.to_string())
    })
}

/// The most memory that the process had, in MiB; zero where the system does not say.
fn peak_mib() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse().ok());
    kib.unwrap_or(0_usize) / 1024
}

#[allow(clippy::cast_precision_loss)] // There are few schemas.
fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn main() -> ExitCode {
    let mut count = 0;
    let mut made = Row::default();
    let mut dialects = Dialect::ALL.map(|dialect| (dialect, Row::default()));
    let (mut making, mut lowering) = (Duration::ZERO, Duration::ZERO);
    let written =
        env::var_os("TOOLWRIGHT_LOWERED").map(|path| fs::File::options().append(true).open(path));
    let mut written = written.map(|file| BufWriter::new(file.unwrap()));
    let mut slowest = (Duration::ZERO, String::new());
    let (mut way_back, mut showing) = (WayBack::default(), Duration::ZERO);
    for line in stdin().lock().lines() {
        let Operation { name, schema } = serde_json::from_str(&line.unwrap()).unwrap();
        let schema = SchemaDoc::parse(schema.get()).unwrap();
        count += 1;
        let start = Instant::now();
        let failure = make(&schema).err();
        let took = start.elapsed();
        made.add(failure.map(|(kind, text)| (kind, format!("{name}: {text}"))));
        let mut all = Vec::new();
        for (dialect, row) in &mut dialects {
            let lowered = lower(&schema, *dialect);
            if let (Some(file), Ok(lowered)) = (&mut written, &lowered)
                && let Some(schema) = &lowered.schema
            {
                let line = format!(
                    r#"{{"name":{name:?},"dialect":"{dialect}","schema":{schema},"sent":[]}}"#
                );
                writeln!(file, "{line}").unwrap();
            }
            row.add(match lowered {
                Ok(lowered) => {
                    all.push((*dialect, lowered));
                    None
                }
                Err(error) => Some((error.code.to_string(), format!("{name}: {}", error.path))),
            });
        }
        let both = start.elapsed();
        way_back.add(&name, &schema, &all, count as u64);
        showing += start.elapsed().saturating_sub(both);
        making += took;
        lowering += both.saturating_sub(took);
        if both > slowest.0 {
            slowest = (both, name);
        }
    }
    println!("{count} schemas");
    made.print("tools", percent(made.passed, count), usize::MAX);
    for (dialect, row) in &dialects {
        row.print(dialect.name(), percent(row.passed, count), 1);
    }
    println!(
        "{:.1} s for tools, {:.1} s for dialects, {:.1} s for ways back, at most {:.2} s for one ({}); {} MiB",
        making.as_secs_f64(),
        lowering.as_secs_f64(),
        showing.as_secs_f64(),
        slowest.0.as_secs_f64(),
        slowest.1,
        peak_mib()
    );
    let mut wrong = way_back.print();
    if count == 0 {
        wrong.push("no schema was read".to_owned());
    }
    for kind in made
        .failed
        .keys()
        .filter(|kind| !UNFIT.contains(&kind.as_str()))
    {
        wrong.push(format!("{kind}: a schema is not a tool"));
    }
    for floor in env::args().skip(1) {
        let (name, floor) = floor.split_once('=').unwrap();
        let is_named = |(dialect, _): &&(Dialect, Row)| dialect.name() == name;
        let (_, row) = dialects.iter().find(is_named).unwrap();
        let share = percent(row.passed, count);
        if share < floor.parse().unwrap() {
            wrong.push(format!("{name}: {share:.2} %, and {floor} is the floor"));
        }
    }
    for line in &wrong {
        eprintln!("{line}");
    }
    ExitCode::from(u8::from(!wrong.is_empty()))
}
