//! The programs that are measured: Toolwright's and one a peer, each with its own dependencies and its own HAND.

use std::collections::HashMap;
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The peers, in the order of the tables.
pub(crate) const PEERS: [&str; 7] = [
    "swiftide", "synaptic", "tools-rs", "llm-tool", "rmcp", "aisdk", "rig",
];

/// What is known of a row before it is timed.
pub(crate) struct Known {
    pub(crate) name: String,
    pub(crate) target: Option<f64>,
    pub(crate) bytes: Option<usize>,
    /// Allocations, and their bytes.
    pub(crate) allocations: Option<(u64, u64)>,
}

/// A program that times its rows when it is told to.
pub(crate) struct Program {
    pub(crate) name: String,
    /// The release that was built.
    pub(crate) version: String,
    pub(crate) rows: Vec<Known>,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Program {
    /// Toolwright's.
    pub(crate) fn own(here: &Path) -> Result<Self, String> {
        let target = target(here);
        let manifest = here.join("Cargo.toml");
        cargo(
            &["build", "--release", "-q", "--bins", "--manifest-path"],
            &manifest,
            "",
            &target,
        )?;
        let version = version(&here.join("../Cargo.lock"), "toolwright").unwrap_or_default();
        Self::start("toolwright", &version, &target.join("release/calls"))
    }

    /// A peer's.
    pub(crate) fn peer(here: &Path, name: &str) -> Result<Self, String> {
        let target = target(here).join("peers");
        let (manifest, package) = (here.join("peers/Cargo.toml"), format!("peer-{name}"));
        eprintln!("building {package}");
        cargo(
            &["build", "--release", "-q", "--bins", "--manifest-path"],
            &manifest,
            &package,
            &target,
        )?;
        let library = if name == "rig" { "rig-core" } else { name };
        let version = version(&here.join("peers/Cargo.lock"), library).unwrap_or_default();
        Self::start(name, &version, &target.join("release").join(package))
    }

    fn start(name: &str, version: &str, program: &Path) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", program.display());
        let rows = rows(program).map_err(failed)?;
        let mut child = Command::new(program)
            .arg("--serve")
            .envs(KEPT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{name}: nothing to talk through"));
        };
        let (name, version, output) = (name.to_owned(), version.to_owned(), BufReader::new(output));
        Ok(Self {
            name,
            version,
            rows,
            child,
            input,
            output,
        })
    }

    /// Whether it has rows of a group.
    pub(crate) fn has(&self, group: &str) -> bool {
        self.rows.iter().any(|row| self::group(&row.name) == group)
    }

    /// The shortest times of a group's rows, in nanoseconds, of so many milliseconds.
    pub(crate) fn time(&mut self, group: &str, span: u32) -> Result<Vec<(String, f64)>, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.name);
        writeln!(self.input, "{group} {span}")
            .and_then(|()| self.input.flush())
            .map_err(failed)?;
        let mut times = Vec::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).map_err(failed)? == 0 {
                return Err(format!("{} ended while it timed {group}", self.name));
            }
            match line.trim().split_once(' ') {
                Some((row, time)) => times.push((row.to_owned(), time.parse().unwrap_or(f64::NAN))),
                None => return Ok(times),
            }
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What glibc's allocator is given back it keeps. By itself it returns some megabytes of each large batch to the system, and
/// has them anew in the next, or does not: that depends on the sizes of the largest list and of all that stands above it.
const KEPT: [(&str, &str); 2] = [
    ("MALLOC_TRIM_THRESHOLD_", "1073741824"),
    ("MALLOC_MMAP_THRESHOLD_", "33554432"),
];

/// A row's group.
pub(crate) fn group(row: &str) -> &str {
    row.split('/').next().unwrap_or_default()
}

/// Where programs are built.
pub(crate) fn target(here: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| here.join("../target"), PathBuf::from)
}

/// Runs `cargo` with the arguments, the manifest after them, and for one package if it is named.
fn cargo(args: &[&str], manifest: &Path, package: &str, target: &Path) -> Result<(), String> {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(args)
        .arg(manifest)
        .env("CARGO_TARGET_DIR", target);
    if !package.is_empty() {
        command.args(["-p", package]);
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("cargo: {status}")),
        Err(error) => Err(format!("cargo: {error}")),
    }
}

/// A package's version in a lock file.
fn version(lock: &Path, package: &str) -> Option<String> {
    let lock = std::fs::read_to_string(lock).ok()?;
    let (_, rest) = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    Some(rest.split_once('"')?.0.to_owned())
}

fn rows(program: &Path) -> std::io::Result<Vec<Known>> {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let run = |program: &Path, args: &[&str]| {
        let output = Command::new(program).args(args).output()?;
        Ok::<_, std::io::Error>(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let counted = run(&program.with_file_name(format!("{name}-allocations")), &[])?;
    let counted: HashMap<&str, (u64, u64)> = counted
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            Some((
                words.next()?,
                (words.next()?.parse().ok()?, words.next()?.parse().ok()?),
            ))
        })
        .collect();
    let listed = run(program, &["--list"])?;
    let rows = listed.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let name = words.next()?;
        Some(Known {
            name: name.to_owned(),
            target: words.next()?.parse().ok(),
            bytes: words.next()?.parse().ok(),
            allocations: counted.get(name).copied(),
        })
    });
    Ok(rows.collect())
}
