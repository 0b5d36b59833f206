//! Calls rustc with the crates that cargo has built for this test, and reads its errors.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use serde_json::Value;

/// What the programs depend on.
const CRATES: [&str; 5] = [
    "toolwright",
    "toolwright_compile_tests",
    "schemars",
    "serde",
    "serde_json",
];

pub struct Compiler {
    externs: Vec<String>,
    dependencies: PathBuf,
}

impl Compiler {
    /// Asks cargo where it has put the crates. This builds nothing if the same packages were built for this test.
    pub fn new() -> Self {
        let output = Command::new(env!("CARGO"))
            .args([
                "test",
                "--no-run",
                "--test",
                "ui",
                "--message-format",
                "json",
            ])
            .current_dir(workspace())
            .stderr(Stdio::inherit())
            .output()
            .unwrap();
        assert!(output.status.success());
        let mut libraries = HashMap::new();
        for message in json_lines(&output.stdout) {
            let name = message["target"]["name"].as_str().unwrap_or_default();
            let file = message["filenames"][0].as_str().unwrap_or_default();
            if CRATES.contains(&name) && file.ends_with(".rlib") {
                let other = libraries.insert(name.to_owned(), file.to_owned());
                assert!(
                    other.is_none_or(|other| other == file),
                    "two libraries `{name}`"
                );
            }
        }
        assert_eq!(libraries.len(), CRATES.len(), "{libraries:?}");
        let dependencies = Path::new(&libraries["toolwright"])
            .parent()
            .unwrap()
            .to_owned();
        let externs = libraries
            .iter()
            .map(|(name, file)| format!("--extern={name}={file}"))
            .collect();
        Self {
            externs,
            dependencies,
        }
    }

    /// The errors of one program, or `None` if it compiles.
    pub fn errors(&self, program: &Path) -> Option<String> {
        let messages = self.run(program);
        let text: String = messages.iter().map(|message| shown(message, "")).collect();
        let failed = messages.iter().any(|message| message["level"] == "error");
        failed.then(|| normalized(&text))
    }

    /// The errors of each program, of all programs that are modules of one.
    pub fn errors_of_modules(&self, programs: &[PathBuf]) -> HashMap<PathBuf, String> {
        let dir = env::current_dir().unwrap();
        let modules: HashMap<_, _> = programs
            .iter()
            .map(|program| (dir.join(program), module(program)))
            .collect();
        let mut text: String = modules
            .iter()
            .map(|(path, name)| format!("#[path = {path:?}]\nmod {name};\n"))
            .collect();
        text.push_str("fn main() {}\n");
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("modules.rs");
        fs::write(&root, text).unwrap();
        let mut errors = HashMap::<_, String>::new();
        for message in self.run(&root) {
            let path = spans(&message)
                .find_map(|span| modules.get_key_value(Path::new(span["file_name"].as_str()?)));
            if let Some((path, module)) = path
                && let Ok(program) = path.strip_prefix(&dir)
            {
                *errors.entry(program.to_owned()).or_default() += &shown(&message, module);
            }
        }
        errors
            .values_mut()
            .for_each(|text| *text = normalized(text));
        errors
    }

    fn run(&self, root: &Path) -> Vec<Value> {
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        // As cargo does.
        let mut command: Vec<OsString> = env::var_os("RUSTC_WRAPPER").into_iter().collect();
        command.push(rustc);
        let output = Command::new(&command[0])
            .args(&command[1..])
            .args([
                "--crate-name",
                "program",
                "--edition",
                "2024",
                "--emit",
                "metadata",
                "--error-format",
                "json",
                "--out-dir",
            ])
            .arg(env!("CARGO_TARGET_TMPDIR"))
            .args(&self.externs)
            .arg("-L")
            .arg(format!("dependency={}", self.dependencies.display()))
            .arg(env::current_dir().unwrap().join(root))
            // Where the paths of the crates begin, so that their lines are shown.
            .current_dir(workspace())
            // Locks are named from there.
            .env(
                "CARGO_MANIFEST_DIR",
                concat!(env!("CARGO_MANIFEST_DIR"), "/tests"),
            )
            .output()
            .unwrap();
        json_lines(&output.stderr).collect()
    }
}

fn json_lines(text: &[u8]) -> impl Iterator<Item = Value> {
    let lines = text
        .split(|byte| *byte == b'\n')
        .filter(|line| line.first() == Some(&b'{'));
    lines.map(|line| serde_json::from_slice(line).unwrap())
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap()
}

fn module(program: &Path) -> String {
    let name = program.with_extension("");
    let names: Vec<_> = name
        .iter()
        .rev()
        .take(2)
        .map(|name| name.to_str().unwrap())
        .collect();
    format!("{}_{}", names[1], names[0])
}

/// The places that a message shows, and those of the code whose macros made them.
fn spans(message: &Value) -> impl Iterator<Item = &Value> {
    let children = message["children"].as_array().into_iter().flatten();
    let all = std::iter::once(message)
        .chain(children)
        .filter_map(|part| part["spans"].as_array());
    all.flatten().flat_map(|span| {
        std::iter::successors(Some(span), |span| {
            Some(&span["expansion"]["span"]).filter(|span| !span.is_null())
        })
    })
}

/// A message as rustc prints it, with the names of a module as they are in a program of its own.
fn shown(message: &Value, module: &str) -> String {
    let headline = message["message"].as_str().unwrap_or_default();
    if message["level"] == "failure-note" || headline.starts_with("aborting due to ") {
        return String::new();
    }
    let text = message["rendered"].as_str().unwrap_or_default();
    if module.is_empty() {
        text.to_owned()
    } else {
        text.replace(&format!("{module}::"), "")
    }
}

/// The text without paths of this machine, and without line numbers of other files than the program's.
fn normalized(text: &str) -> String {
    let package = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let mut lines: Vec<String> = Vec::new();
    // Where the arrow of this error is.
    let mut arrow_line = None;
    let mut elsewhere = false;
    for line in text.lines().chain([""]) {
        let words = line.trim();
        let indent = line.len() - line.trim_start().len();
        let number = words.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
        if let Some((arrow @ ("-->" | ":::"), path)) = words.split_once(' ') {
            let path = path.strip_prefix(package).unwrap_or(path);
            elsewhere = !path.starts_with("tests/ui/");
            let path = if elsewhere {
                file_of(path)
            } else {
                path.to_owned()
            };
            arrow_line.get_or_insert(lines.len());
            lines.push(format!("{:indent$}{arrow} {path}", ""));
        } else if elsewhere && number > 0 {
            let width = indent + number;
            lines.push(format!("{:width$}{}", "", &words[number..]));
        } else if words.starts_with("and ") && words.ends_with(" others") {
            lines.push(format!("{:indent$}and $N others", ""));
        } else if words.is_empty() {
            if let Some(first) = arrow_line.take() {
                narrow(&mut lines[first..]);
            }
            lines.push(String::new());
        } else if !words.contains(" has been written to ") {
            elsewhere &= words.starts_with(['|', '.']);
            lines.push(line.trim_end().replace(package, "$DIR/"));
        }
    }
    lines.dedup_by(|line, before| line.is_empty() && before.is_empty());
    format!("{}\n", lines.join("\n").trim_end())
}

/// Makes the margin as narrow as the line numbers that are left.
fn narrow(lines: &mut [String]) {
    let indent = |line: &String| line.len() - line.trim_start().len();
    let is_numbered = |line: &&String| line.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let excess = match lines.iter().filter(is_numbered).map(indent).min() {
        Some(excess) => excess,
        None => lines.first().map_or(0, indent).saturating_sub(1),
    };
    for line in lines {
        if let Some(rest) = line.strip_prefix(&" ".repeat(excess)) {
            *line = rest.to_owned();
        }
    }
}

/// A file of the workspace or of std.
fn file_of(path: &str) -> String {
    let path = path.split(':').next().unwrap_or_default();
    match path.split_once("/library/") {
        Some((_, path)) => format!("$RUST/{path}"),
        None => format!("$WORKSPACE/{path}"),
    }
}
