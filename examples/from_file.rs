//! Tools from files: each `TOOL.json` names a tool, its parameters, and the command that it runs.
//!
//! `cargo run -p toolwright --example from_file -- DIRECTORY` lists those that it finds there.
//!
//! ```json
//! {
//!   "name": "count_lines", "description": "Counts the lines of a file.",
//!   "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
//!   "command": "wc -l {{path}}"
//! }
//! ```
//!
//! Arguments are quoted for the shell, so that nothing in them is a command. A placeholder without
//! an argument is empty.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::{fmt, fs, io};

use serde::Deserialize;
use serde_json::{Map, Value};
use toolwright::{BuildError, DynTool, Outcome, Payload, SchemaDoc, Tool, ToolError, Toolset};

#[derive(Deserialize)]
struct File {
    name: String,
    description: String,
    parameters: Option<SchemaDoc>,
    command: String,
}

/// Why a file is no tool.
#[derive(Debug)]
pub(crate) enum LoadError {
    /// It cannot be read.
    Read(io::Error),
    /// It is not of the form.
    Form(serde_json::Error),
    /// What it says is no tool.
    Tool(BuildError),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Form(error) => error.fmt(f),
            Self::Tool(error) => error.fmt(f),
        }
    }
}

/// The tool of a file.
pub(crate) fn from_file(path: &Path) -> Result<Arc<dyn Tool>, LoadError> {
    let text = fs::read_to_string(path).map_err(LoadError::Read)?;
    let file: File = serde_json::from_str(&text).map_err(LoadError::Form)?;
    let command = file.command;
    let mut builder = DynTool::builder()
        .name(file.name)
        .description(file.description)
        .blocking(true)
        .handler_sync(move |arguments: Map<String, Value>, _| run(&filled(&command, &arguments)));
    if let Some(parameters) = file.parameters {
        builder = builder.parameters(parameters);
    }
    builder.build().map_err(LoadError::Tool)
}

/// The tools of all folders in a folder, by name; and of each file that is none, why. Of two tools
/// of one name the later counts.
pub(crate) fn load_all(folder: &Path) -> io::Result<(Toolset, Vec<String>)> {
    let (mut tools, mut skipped) = (Toolset::default(), Vec::new());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path().join("TOOL.json"));
    }
    paths.sort();
    for path in paths.into_iter().filter(|path| path.exists()) {
        match from_file(&path) {
            Ok(tool) => tools = tools.with(tool).0,
            Err(error) => skipped.push(format!("{}: {error}", path.display())),
        }
    }
    Ok((tools, skipped))
}

/// The command with its placeholders filled, each in one pass: what an argument says is no
/// placeholder.
fn filled(command: &str, arguments: &Map<String, Value>) -> String {
    let mut out = String::new();
    let mut rest = command;
    while let Some((before, behind)) = rest.split_once("{{") {
        let Some((name, after)) = behind.split_once("}}") else {
            break;
        };
        out.push_str(before);
        match arguments.get(name.trim()) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => out.push_str(&quoted(text)),
            Some(value) => out.push_str(&quoted(&value.to_string())),
        }
        rest = after;
    }
    out + rest
}

/// One word of the shell, whatever is in it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn run(command: &str) -> Result<Outcome, ToolError> {
    let output = Command::new("sh").arg("-c").arg(command).output();
    let output = output.map_err(|error| {
        ToolError::failed("the command could not be started").with_source(error)
    })?;
    if output.status.success() {
        return Ok(Outcome::Value(Payload::from_bytes(output.stdout)));
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(ToolError::failed(format!("{}: {said}", output.status)))
}

#[allow(dead_code)]
fn main() -> io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    let (tools, skipped) = load_all(Path::new(&folder))?;
    for def in tools.definitions() {
        println!("{}: {}", def.name, def.description);
    }
    for why in skipped {
        eprintln!("skipped {why}");
    }
    Ok(())
}
