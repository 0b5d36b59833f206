//! A crate of tools: a library, and a program that makes the set.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use toolwright_benches_generate::{Style, Types, tools};

use super::Cost;
use crate::peers::target;

pub(super) struct Crate {
    directory: PathBuf,
    /// What is timed is built here, by ways apart: a clean build of one leaves nothing for another.
    target: PathBuf,
    /// What is counted is built here.
    counted: PathBuf,
    source: String,
}

impl Crate {
    /// Writes it.
    pub(super) fn new(
        here: &Path,
        style: Style,
        count: usize,
        types: Types,
    ) -> Result<Self, String> {
        Self::write(here, style, count, types).map_err(|error| error.to_string())
    }

    fn write(here: &Path, style: Style, count: usize, types: Types) -> io::Result<Self> {
        let name = style.name().replace('+', "-");
        let work = target(here).join("compile");
        fs::create_dir_all(&work)?;
        let work = work.canonicalize()?;
        let package = format!("{name}-{count}-{types:?}").to_lowercase();
        let directory = work.join(&package);
        let lock = match style {
            Style::Toolwright | Style::Derives => "../Cargo.lock",
            _ => "peers/Cargo.lock",
        };
        let own = match style {
            Style::Toolwright => {
                let path = here.join("..").canonicalize()?;
                format!("toolwright = {{ path = \"{}\" }}\n", path.display())
            }
            _ => String::new(),
        };
        // Packages of one name would have one place in a target directory, wherever they lie: cargo would take one for the
        // other.
        let manifest = format!(
            "[package]\nname = \"{package}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[lib]\nname = \"crate_of_tools\"\n\n[[bin]]\nname = \"crate-of-tools\"\npath = \"src/main.rs\"\n\n[dependencies]\nserde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n{own}{}",
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
            counted: match style {
                Style::Toolwright | Style::Derives => work.join("target/counted"),
                // Where some of what it needs is built already.
                _ => work.join("../peers"),
            },
            source,
        })
    }

    /// Runs `cargo` there, and returns what it prints.
    fn cargo(&self, target: &Path, args: &[&str]) -> Result<String, String> {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.arg("-q").args(args).current_dir(&self.directory);
        command
            .env("CARGO_TARGET_DIR", target)
            .env_remove("RUSTFLAGS")
            .stderr(Stdio::inherit());
        let output = command.output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(format!("cargo {}: {}", args.join(" "), output.status));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// What it takes to build it and all that it needs, where nothing of that is there.
    pub(super) fn build_all(&self) -> Result<Cost, String> {
        self.cargo(&self.target, &["fetch"])?;
        let _ = fs::remove_dir_all(&self.target);
        Cost::of(|| self.cargo(&self.target, &["build", "--lib"]).map(drop))
    }

    /// How many other crates are compiled for it.
    pub(super) fn dependencies(&self) -> Result<usize, String> {
        let tree = ["tree", "--edges", "normal,build", "--prefix", "none"];
        let tree = self.cargo(&self.target, &tree)?;
        let mut names: Vec<&str> = tree
            .lines()
            .map(|line| line.trim_end_matches(" (*)"))
            .collect();
        names.sort_unstable();
        names.dedup();
        // Its own name stands there too.
        Ok(names.len().saturating_sub(1))
    }

    /// What `cargo check` or `cargo build` of the library takes: from nothing, and after the body of one tool has changed.
    pub(super) fn compile(&self, command: &str) -> Result<(Cost, Cost), String> {
        let source = self.directory.join("src/lib.rs");
        let write = |text: &str| fs::write(&source, text).map_err(|error| error.to_string());
        let run = || {
            self.cargo(&self.target, &[command, "--lib", "--offline"])
                .map(drop)
        };
        // All that it needs.
        run()?;
        let _ = fs::remove_dir_all(self.target.join("debug/incremental"));
        write(&self.source)?;
        let first = Cost::of(run)?;
        let edited = self
            .source
            .replacen("(\"done\")", "(\"done, and more\")", 1);
        if edited == self.source {
            return Err("there is no body to edit".to_owned());
        }
        write(&edited)?;
        let later = Cost::of(run)?;
        Ok((first, later))
    }

    /// Lines of LLVM IR of the library, before any pass.
    pub(super) fn ir(&self) -> Result<u64, String> {
        let emit = [
            "--emit=llvm-ir",
            "-Ccodegen-units=1",
            "-Cno-prepopulate-passes",
        ];
        self.cargo(
            &self.counted,
            &[&["rustc", "--lib", "--release", "--"][..], &emit[..]].concat(),
        )?;
        let directory = self.counted.join("release/deps");
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
        if lines == 0 {
            return Err("no lines of IR were written".to_owned());
        }
        Ok(lines)
    }

    /// Bytes of the program, stripped.
    pub(super) fn program(&self) -> Result<u64, String> {
        let strip = [
            "rustc",
            "--release",
            "--bin",
            "crate-of-tools",
            "--",
            "-Cstrip=symbols",
        ];
        self.cargo(&self.counted, &strip)?;
        let built = fs::metadata(self.counted.join("release/crate-of-tools"));
        built
            .map(|built| built.len())
            .map_err(|error| error.to_string())
    }
}
