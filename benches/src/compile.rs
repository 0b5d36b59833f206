//! What generated code costs the compiler: crates of tools, written in each way, checked and built.
//!
//! All of a crate's dependencies are built before. Times are wall clock of `cargo`, the shortest of three rounds in which
//! the ways take turns: from nothing (without what an earlier compilation of the crate left), and after the body of one
//! tool has changed.

use std::env;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::json;
use toolwright_benches_generate::{Style, Types, tools};

use crate::peers::target;

const ROUNDS: usize = 3;

/// How many tools, and of which types.
const SETS: [(usize, Types); 4] = [
    (1, Types::Mixed),
    (100, Types::Same),
    (100, Types::Mixed),
    (500, Types::Mixed),
];

/// What `cargo` does: its command, and whether the crate was compiled before and one body has changed.
const WORK: [(&str, &str, bool); 4] = [
    ("check", "check", false),
    ("build", "build", false),
    ("check, edited", "check", true),
    ("build, edited", "build", true),
];

/// What was measured of one crate.
struct Row {
    style: Style,
    tools: usize,
    types: Types,
    /// In seconds, as [`WORK`] says.
    times: [f64; WORK.len()],
}

/// What was measured of one way to write tools.
struct Whole {
    style: Style,
    /// Crates that are compiled, build scripts' and macros' too.
    dependencies: usize,
    /// Seconds of a build of one tool and all that it needs.
    clean: f64,
    /// Lines of LLVM IR for each of 100 tools, and bytes of a stripped program.
    lines: f64,
    bytes: f64,
}

/// The tables.
pub(crate) struct Table {
    rows: Vec<Row>,
    wholes: Vec<Whole>,
    failed: Vec<String>,
}

/// Measures Toolwright, derives on structs, and the peers.
pub(crate) fn measure(here: &Path, peers: &[String]) -> Result<Table, String> {
    let mut table = Table {
        rows: Vec::new(),
        wholes: Vec::new(),
        failed: Vec::new(),
    };
    let mut crates = Vec::new();
    for style in Style::ALL {
        let own = matches!(style, Style::Toolwright | Style::Derives);
        if !own && !peers.iter().any(|peer| peer == style.name()) {
            continue;
        }
        eprintln!("compiling {}: all that it needs", style.name());
        match Whole::measure(here, style) {
            Ok(whole) => table.wholes.push(whole),
            Err(error) => {
                table.failed.push(format!("{}: {error}", style.name()));
                continue;
            }
        }
        for (count, types) in SETS {
            let made = Crate::new(here, style, count, types).map_err(|error| error.to_string())?;
            let row = Row {
                style,
                tools: count,
                types,
                times: [f64::INFINITY; WORK.len()],
            };
            crates.push((made, row));
        }
    }
    for round in 1..=ROUNDS {
        for (made, row) in &mut crates {
            eprintln!("round {round}: {} tools of {}", row.tools, row.style.name());
            for ((_, command, edited), best) in WORK.iter().zip(&mut row.times) {
                *best = best.min(made.time(command, *edited)?);
            }
        }
    }
    table.rows = crates.into_iter().map(|(_, row)| row).collect();
    Ok(table)
}

impl Whole {
    fn measure(here: &Path, style: Style) -> Result<Self, String> {
        let one = Crate::new(here, style, 1, Types::Mixed).map_err(|error| error.to_string())?;
        let hundred =
            Crate::new(here, style, 100, Types::Mixed).map_err(|error| error.to_string())?;
        let _ = fs::remove_dir_all(&one.target);
        let start = Instant::now();
        one.cargo(&["build"])?;
        let clean = start.elapsed().as_secs_f64();
        let tree = one.cargo(&["tree", "--edges", "normal,build", "--prefix", "none"])?;
        let mut names: Vec<&str> = tree
            .lines()
            .map(|line| line.trim_end_matches(" (*)"))
            .collect();
        names.sort_unstable();
        names.dedup();
        let (few, many) = (one.program()?, hundred.program()?);
        #[allow(clippy::cast_precision_loss)]
        let each = |few: u64, many: u64| (many as f64 - few as f64) / 99.0;
        Ok(Self {
            style,
            // Its own name stands there too.
            dependencies: names.len().saturating_sub(1),
            clean,
            lines: each(one.ir()?, hundred.ir()?),
            bytes: each(few, many),
        })
    }
}

/// A crate of tools: a library, and a program that makes the set.
struct Crate {
    directory: PathBuf,
    target: PathBuf,
    source: String,
}

impl Crate {
    fn new(here: &Path, style: Style, count: usize, types: Types) -> io::Result<Self> {
        let name = style.name().replace('+', "-");
        let work = target(here).join("compile");
        fs::create_dir_all(&work)?;
        let work = work.canonicalize()?;
        let directory = work.join(format!("{name}-{count}-{types:?}"));
        let (own, lock) = match style {
            Style::Toolwright | Style::Derives => {
                (here.join("..").canonicalize()?, "../Cargo.lock")
            }
            _ => (PathBuf::new(), "peers/Cargo.lock"),
        };
        let own = match style {
            Style::Toolwright => format!("toolwright = {{ path = \"{}\" }}\n", own.display()),
            _ => String::new(),
        };
        let manifest = format!(
            "[package]\nname = \"crate-of-tools\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[profile.release]\nstrip = true\n\n[dependencies]\nserde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n{own}{}",
            style.dependencies()
        );
        let source = style.prelude() + &style.module(&tools(count, types));
        fs::create_dir_all(directory.join("src"))?;
        fs::write(directory.join("Cargo.toml"), manifest)?;
        fs::copy(here.join(lock), directory.join("Cargo.lock"))?;
        fs::write(directory.join("src/lib.rs"), &source)?;
        let call = if style == Style::Derives {
            "std::hint::black_box(crate_of_tools::call(\"\", \"\")).ok(); "
        } else {
            ""
        };
        let main = format!("fn main() {{ {call}std::hint::black_box(crate_of_tools::set()); }}\n");
        fs::write(directory.join("src/main.rs"), main)?;
        Ok(Self {
            directory,
            target: work.join("target").join(name),
            source,
        })
    }

    /// Runs `cargo` there, and returns what it prints.
    fn cargo(&self, args: &[&str]) -> Result<String, String> {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(args).arg("-q").current_dir(&self.directory);
        command
            .env("CARGO_TARGET_DIR", &self.target)
            .env_remove("RUSTFLAGS")
            .stderr(Stdio::inherit());
        let output = command.output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(format!("cargo {}: {}", args.join(" "), output.status));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Seconds of one compilation of the library.
    fn time(&self, command: &str, edited: bool) -> Result<f64, String> {
        let source = self.directory.join("src/lib.rs");
        let write = |text: &str| fs::write(&source, text).map_err(|error| error.to_string());
        // The dependencies for this command, and what the last compilation leaves for the next one.
        write(&self.source)?;
        self.cargo(&[command, "--lib"])?;
        if edited {
            write(
                &self
                    .source
                    .replacen("(\"done\")", "(\"done, and more\")", 1),
            )?;
        } else {
            let _ = fs::remove_dir_all(self.target.join("debug/incremental"));
            write(&format!("{}\n", self.source))?;
        }
        let start = Instant::now();
        self.cargo(&[command, "--lib", "--offline"])?;
        Ok(start.elapsed().as_secs_f64())
    }

    /// Lines of LLVM IR of the library, before any pass.
    fn ir(&self) -> Result<u64, String> {
        let emit = [
            "--emit=llvm-ir",
            "-Ccodegen-units=1",
            "-Cno-prepopulate-passes",
        ];
        self.cargo(&[&["rustc", "--lib", "--release", "--"][..], &emit[..]].concat())?;
        let directory = self.target.join("release/deps");
        let mut lines = 0;
        for entry in fs::read_dir(directory)
            .map_err(|error| error.to_string())?
            .flatten()
        {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("crate_of_tools-") && name.contains(".ll") {
                let text = fs::read_to_string(entry.path()).map_err(|error| error.to_string())?;
                lines += text.lines().count() as u64;
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(lines)
    }

    /// Bytes of the program, stripped.
    fn program(&self) -> Result<u64, String> {
        self.cargo(&["build", "--release", "--bin", "crate-of-tools"])?;
        let built = fs::metadata(self.target.join("release/crate-of-tools"));
        built
            .map(|built| built.len())
            .map_err(|error| error.to_string())
    }
}

impl Table {
    /// As text.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{:<16} {:>6} {:>7}", "seconds", "tools", "types");
        for (name, ..) in WORK {
            let _ = write!(text, " {name:>14}");
        }
        text.push('\n');
        for Row {
            style,
            tools,
            types,
            times,
        } in &self.rows
        {
            let _ = write!(
                text,
                "{:<16} {tools:>6} {:>7}",
                style.name(),
                format!("{types:?}").to_lowercase()
            );
            for time in times {
                let _ = write!(text, " {time:>14.2}");
            }
            text.push('\n');
        }
        let _ = writeln!(
            text,
            "\n{:<16} {:>12} {:>15} {:>18} {:>20}",
            "", "dependencies", "clean build, s", "lines of IR a tool", "stripped bytes a tool"
        );
        for Whole {
            style,
            dependencies,
            clean,
            lines,
            bytes,
        } in &self.wholes
        {
            let _ = writeln!(
                text,
                "{:<16} {dependencies:>12} {clean:>15.1} {lines:>18.0} {bytes:>20.0}",
                style.name()
            );
        }
        for failed in &self.failed {
            let _ = writeln!(text, "not measured: {failed}");
        }
        text
    }

    /// The same for programs.
    pub(crate) fn json(&self) -> String {
        let rows = self.rows.iter().map(|Row { style, tools, types, times }| {
            let [check, build, check_edited, build_edited] = times;
            json!({
                "way": style.name(), "tools": tools, "types": format!("{types:?}").to_lowercase(),
                "check_s": check, "build_s": build, "check_edited_s": check_edited, "build_edited_s": build_edited,
            })
        });
        let wholes = self.wholes.iter().map(
            |Whole {
                 style,
                 dependencies,
                 clean,
                 lines,
                 bytes,
             }| {
                json!({
                    "way": style.name(), "dependencies": dependencies, "clean_build_s": clean,
                    "ir_lines_a_tool": lines, "stripped_bytes_a_tool": bytes,
                })
            },
        );
        let all = json!({
            "crates": rows.collect::<Vec<_>>(),
            "ways": wholes.collect::<Vec<_>>(),
            "not_measured": self.failed,
        });
        format!("{all:#}\n")
    }
}
