//! One toolset in every provider's dialect, and what each of them cannot say.
//!
//! - `cargo run -p toolwright --example dialects` shows the tools below, dialect by dialect.
//! - `cargo run -p toolwright --example dialects -- lower --dialect NAME` reads the JSON Schema of a tool's arguments
//!   from the standard input, and prints `{"ok": schema, "plan": […], "notes": […]}`, or
//!   `{"reject": {"code", "path", "help"}}` where the dialect cannot say it.
//! - `cargo run -p toolwright --example dialects -- decode --dialect NAME SCHEMA.json` reads what a model sent under
//!   that dialect's schema from the standard input, and prints the arguments that the tool is called
//!   with.
//!
//! It ends with 0 if it did what was asked for, with 1 where `decode` cannot, and with 2 where nothing
//! could be read or nobody knows what was asked for.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use serde::Deserialize;
use serde::de::IgnoredAny;
use toolwright::{Dialect, Schema, Toolset, dialect::lower, schema::SchemaDoc, tool, tools};

/// What to look for
#[derive(Deserialize, Schema)]
#[serde(rename_all = "snake_case", tag = "by")]
enum Filter {
    /// A word of the title
    Title { word: String },
    /// Years, both included
    Years { range: (u16, u16) },
}

/// Finds books.
#[tool(read_only)]
fn search(
    filter: Filter,
    /// How many at most
    #[arg(range(1..=50))]
    limit: Option<u32>,
) -> String {
    let filter = match filter {
        Filter::Title { word } => word,
        Filter::Years { range: (from, to) } => format!("{from} to {to}"),
    };
    format!("{filter}, at most {}", limit.unwrap_or(10))
}

/// Orders books.
#[tool]
fn order(
    /// How many of each, by ISBN
    copies: &HashMap<String, u32>,
    #[arg(default = false)] as_gift: bool,
) -> String {
    format!("{} titles, as a gift: {as_gift}", copies.len())
}

/// A shelf, and what stands on it
#[derive(Deserialize, Schema)]
struct Shelf {
    label: String,
    shelves: Vec<Shelf>,
}

/// Labels shelves.
#[tool]
fn label(shelf: &Shelf) -> String {
    format!("{}, {} inside", shelf.label, shelf.shelves.len())
}

const USAGE: &str = "usage: dialects
       dialects lower --dialect NAME < SCHEMA.json
       dialects decode --dialect NAME SCHEMA.json < ARGUMENTS.json";

/// Why nothing came of it.
enum Failure {
    /// The command line asks for nothing that there is.
    Usage(String),
    /// What it asks for cannot be read or written.
    Files(String),
}

use Failure::{Files, Usage};

/// What the command line asks for.
struct Command {
    /// `lower` or `decode`.
    decodes: bool,
    dialect: Dialect,
    /// The file that `decode` reads.
    schema: Option<String>,
}

impl Command {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Option<Self>, Failure> {
        let decodes = match words.next().as_deref() {
            None => return Ok(None),
            Some("lower") => false,
            Some("decode") => true,
            Some(other) => return Err(Usage(format!("there is no command {other:?}"))),
        };
        let (mut dialect, mut schema) = (None, None);
        while let Some(word) = words.next() {
            if dialect.is_some() && word.starts_with("--dialect") {
                return Err(Usage("--dialect stands twice".to_owned()));
            }
            let name = match word.strip_prefix("--dialect") {
                Some("") => words
                    .next()
                    .ok_or_else(|| Usage("--dialect needs a name".to_owned()))?,
                Some(rest) if rest.starts_with('=') => rest.get(1..).unwrap_or_default().to_owned(),
                _ if decodes && schema.is_none() && !word.starts_with("--") => {
                    schema = Some(word);
                    continue;
                }
                _ => return Err(Usage(format!("nothing is known of {word:?}"))),
            };
            let known = name.parse::<Dialect>();
            dialect = Some(known.map_err(|unknown| Usage(unknown.to_string()))?);
        }
        if decodes && schema.is_none() {
            return Err(Usage("decode needs the file of a schema".to_owned()));
        }
        let dialect = dialect.ok_or_else(|| Usage("--dialect NAME is missing".to_owned()))?;
        Ok(Some(Self {
            decodes,
            dialect,
            schema,
        }))
    }

    fn run(&self) -> Result<ExitCode, Failure> {
        let mut given = String::new();
        let read = io::stdin().read_to_string(&mut given);
        read.map_err(|error| Files(format!("the standard input cannot be read: {error}")))?;
        let (schema, file) = match &self.schema {
            None => (given.clone(), "the standard input"),
            Some(file) => {
                let text = std::fs::read_to_string(file);
                let text =
                    text.map_err(|error| Files(format!("{file} cannot be read: {error}")))?;
                (text, file.as_str())
            }
        };
        let schema = SchemaDoc::parse(&schema)
            .map_err(|error| Files(format!("{file} holds no JSON Schema: {error}")))?;
        let lowered = match lower(&schema, self.dialect) {
            Ok(lowered) => lowered,
            Err(reject) => {
                say(&reject.to_json())?;
                // A rejection is what `lower` is asked for, and keeps `decode` from its answer.
                return Ok(ExitCode::from(u8::from(self.decodes)));
            }
        };
        if !self.decodes {
            say(&lowered.to_json())?;
            return Ok(ExitCode::SUCCESS);
        }
        // A plan leaves what is not JSON to the decoder, which is not here.
        serde_json::from_str::<IgnoredAny>(&given)
            .map_err(|error| Files(format!("the standard input holds no JSON: {error}")))?;
        match lowered.inverse.restore(&given) {
            Ok(arguments) => {
                say(arguments.trim())?;
                Ok(ExitCode::SUCCESS)
            }
            Err(faults) => {
                for fault in faults {
                    eprintln!("{fault}");
                }
                Ok(ExitCode::FAILURE)
            }
        }
    }
}

/// What a dialect makes of the tools, for a person to read.
fn told(tools: &Toolset, dialect: Dialect) -> String {
    let mut lines = Vec::new();
    for def in tools.definitions() {
        lines.push(format!("  {}", def.name));
        match lower(&def.input, dialect) {
            Err(reject) => lines.push(format!("    refused at {reject}")),
            Ok(lowered) => {
                let schema = lowered.schema.as_deref();
                lines.push(format!("    {}", schema.unwrap_or("sent without a schema")));
                for step in lowered.inverse.steps() {
                    lines.push(format!("    undone at {}: {}", step.at, step.op.as_str()));
                }
                for note in &lowered.notes {
                    lines.push(format!("    {note}"));
                }
            }
        }
    }
    lines.join("\n")
}

/// Writes a line. A reader that has seen enough is not a failure.
fn say(line: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Files(format!(
            "the standard output cannot be written: {error}"
        ))),
        _ => Ok(()),
    }
}

fn show() -> Result<ExitCode, Failure> {
    let tools = tools![search, order, label];
    let mut groups: Vec<(Vec<&str>, String)> = Vec::new();
    for dialect in Dialect::ALL {
        let told = told(&tools, dialect);
        match groups.iter_mut().find(|(_, known)| *known == told) {
            Some((names, _)) => names.push(dialect.name()),
            None => groups.push((vec![dialect.name()], told)),
        }
    }
    for (names, told) in groups {
        say(&format!("{}\n{told}\n", names.join(", ")))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn main() -> ExitCode {
    let done = match Command::read(std::env::args().skip(1)) {
        Ok(Some(command)) => command.run(),
        Ok(None) => show(),
        Err(usage) => Err(usage),
    };
    match done {
        Ok(code) => code,
        Err(Usage(problem)) => {
            eprintln!("{problem}\n{USAGE}");
            ExitCode::from(2)
        }
        Err(Files(problem)) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}
