//! `tools.lock`: what a list's tools were when they were last accepted, and what changed since.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;
use serde::de::IgnoredAny;
use toolwright_json::{write_key, write_string};
use toolwright_provider::call::{Annotations, ToolDef};
use toolwright_schema::compare::{Comparison, Members, Verdict, compared, value_of};
use toolwright_schema::read::read;

use crate::tool::Past;
use crate::toolset::Toolset;

/// The lock of a list: made by `tools! { lock: "tools.lock"; … }`.
#[derive(Debug, Clone, Copy)]
pub struct Locked {
    /// The file, from the folder of the package's `Cargo.toml`.
    pub file: &'static str,
    /// That folder. Empty unless the program was built to write the file.
    pub folder: &'static str,
    /// True if the program was built to accept breaks, too.
    pub accepts_breaks: bool,
    /// The file's text when the program was built.
    pub text: &'static str,
    /// Names of elements that a `#[cfg]` switches off.
    pub off: &'static [&'static str],
    /// Names that are retired.
    pub retired: &'static [&'static str],
    /// The list's tools.
    pub tools: fn() -> Vec<LockedTool>,
}

/// A tool as it is locked.
#[derive(Debug, Clone)]
pub struct LockedTool {
    /// The definition.
    pub def: ToolDef,
    /// The last name of the element that brings the tool.
    pub element: &'static str,
    /// The fingerprint of the tree; `None` if a part of it is known at run time alone.
    pub fingerprint: Option<u64>,
    /// What the tool was before.
    pub past: Past,
}

/// What changed in a tool since it was locked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockChange {
    /// The tool's name.
    pub tool: String,
    /// What the change means to those who call the tool.
    pub verdict: Verdict,
    /// The reasons, a sentence each.
    pub reasons: Vec<String>,
    /// The JSON of arguments that were admitted and are refused now, where some were found.
    pub witness: Option<String>,
}

impl fmt::Display for LockChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}`: ", self.verdict, self.tool)?;
        f.write_str(&self.reasons.join("; "))?;
        match &self.witness {
            Some(witness) => write!(f, " (refused now: {witness})"),
            None => Ok(()),
        }
    }
}

/// Why a lock was not accepted or not written.
#[derive(Debug)]
#[non_exhaustive]
pub enum LockError {
    /// Tools changed in a way that breaks those who call them.
    Breaks(Vec<LockChange>),
    /// The file does not say what the tools are now.
    Behind(Vec<LockChange>),
    /// This file is neither empty nor a lock; it may have marks of a conflict.
    Unreadable(&'static str),
    /// This tool states a version and broke, and the first number of its version is not larger than it was.
    Unraised(String),
    /// The program was not built to write the file: `TOOLS_LOCK` was not set.
    ReadOnly,
    /// The file cannot be written.
    Io(PathBuf, io::Error),
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, changes, help) = match self {
            Self::Breaks(changes) => (
                "these changes break those who call the tools:",
                changes,
                "to accept them, build with `TOOLS_LOCK=accept-major`",
            ),
            Self::Behind(changes) => (
                "the lock does not say what the tools are now:",
                changes,
                "write it anew: build and run the same with `TOOLS_LOCK=update`",
            ),
            Self::Unraised(tool) => {
                return write!(
                    f,
                    "`{tool}` breaks those who call it, and its version does not say so\nhelp: raise the first number: `#[tool(version = \"2.0\")]`"
                );
            }
            Self::Unreadable(file) => {
                return write!(
                    f,
                    "the lock file {file} cannot be read: it is not as it was written\nhelp: bring it back from version control, or empty it and write it anew with `TOOLS_LOCK=update`"
                );
            }
            Self::ReadOnly => {
                return f.write_str(
                    "the program was not built to write its lock\nhelp: build it with `TOOLS_LOCK=update`",
                );
            }
            Self::Io(path, error) => return write!(f, "cannot write {}: {error}", path.display()),
        };
        f.write_str(what)?;
        for change in changes {
            write!(f, "\n  {change}")?;
        }
        if changes.is_empty() {
            f.write_str(
                "\n  nothing that a caller sees: their order, a fingerprint, what is secret",
            )?;
        }
        write!(f, "\nhelp: {help}")
    }
}

impl std::error::Error for LockError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

/// Returns what changed since the lists of a toolset were locked, in their order: nothing for tools that are as they were.
pub fn changes(tools: &Toolset) -> Vec<LockChange> {
    tools.locks().iter().flat_map(Locked::changes).collect()
}

/// Compares a toolset with its locks, or writes them if the program was built for it. Call it in a test:
///
/// ```no_run
/// # let tools = toolwright::Toolset::default();
/// // fn the_lock_says_what_the_tools_are
/// toolwright::lock::check(&tools).unwrap_or_else(|error| panic!("{error}"));
/// ```
///
/// With `TOOLS_LOCK=update` in the environment of the build, the files are written where nothing breaks those who call the
/// tools; with `TOOLS_LOCK=accept-major` in any case.
///
/// # Errors
/// When a tool broke, when a file is no lock or does not say what the tools are, or when it cannot be written.
pub fn check(tools: &Toolset) -> Result<(), LockError> {
    for lock in tools.locks() {
        lock.readable()?;
        if lock.folder.is_empty() {
            let changes = lock.changes();
            if changes.iter().any(|change| change.verdict.breaks()) {
                return Err(LockError::Breaks(changes));
            }
            // Lines may end as those of Windows.
            if lock.text.replace("\r\n", "\n") != lock.new_text() {
                return Err(LockError::Behind(changes));
            }
        } else {
            lock.update(lock.accepts_breaks)?;
        }
    }
    Ok(())
}

/// Writes the locks of a toolset. Returns what changed.
///
/// # Errors
/// When a tool broke and that is not accepted, when the program was not built with `TOOLS_LOCK=update`, or when a file cannot be
/// written.
pub fn update(tools: &Toolset, accept_breaks: bool) -> Result<Vec<LockChange>, LockError> {
    let mut all = Vec::new();
    for lock in tools.locks() {
        if lock.folder.is_empty() {
            return Err(LockError::ReadOnly);
        }
        lock.readable()?;
        all.extend(lock.update(accept_breaks || lock.accepts_breaks)?);
    }
    Ok(all)
}

/// Returns the texts that the lock files of a toolset should have, and their names.
pub fn texts(tools: &Toolset) -> Vec<(&'static str, String)> {
    let locks = tools.locks().iter();
    locks.map(|lock| (lock.file, lock.new_text())).collect()
}

impl Locked {
    /// Refuses a file that is no lock, such as one with marks of a conflict: what it says no more would be taken for new.
    fn readable(&self) -> Result<(), LockError> {
        // A set would read a list.
        #[allow(clippy::zero_sized_map_values)]
        #[derive(Deserialize)]
        struct File {
            lock: u32,
            fingerprints: BTreeMap<String, String>,
            tools: BTreeMap<String, IgnoredAny>,
        }
        let is_lock = |file: File| file.lock == 1 && file.fingerprints.keys().eq(file.tools.keys());
        if self.text.trim().is_empty() || serde_json::from_str(self.text).is_ok_and(is_lock) {
            return Ok(());
        }
        Err(LockError::Unreadable(self.file))
    }

    fn update(&self, accept_breaks: bool) -> Result<Vec<LockChange>, LockError> {
        let changes = self.changes();
        if !accept_breaks && changes.iter().any(|change| change.verdict.breaks()) {
            return Err(LockError::Breaks(changes));
        }
        if let Some(tool) = changes.iter().find_map(|change| self.unraised(change)) {
            return Err(LockError::Unraised(tool));
        }
        let text = self.new_text();
        let path = Path::new(self.folder).join(self.file);
        // An unchanged file keeps its time, so that nothing is built anew.
        if text != self.text.replace("\r\n", "\n") {
            fs::write(&path, text).map_err(|error| LockError::Io(path, error))?;
        }
        Ok(changes)
    }

    fn changes(&self) -> Vec<LockChange> {
        let tools = (self.tools)();
        let mut changes: Vec<_> = tools.iter().filter_map(|tool| self.change(tool)).collect();
        let gone = entries(self.text).into_iter().filter(|(name, entry)| {
            !tools.iter().any(|tool| tool.is(name) || tool.was(name)) && !self.is_off(name, entry)
        });
        changes.extend(gone.map(|(name, _)| {
            let (verdict, reason) = if self.retired.contains(&&*name) {
                (Verdict::Minor, "the tool is retired")
            } else {
                (Verdict::Major, "the list has no such tool any more")
            };
            LockChange {
                tool: name,
                verdict,
                reasons: vec![reason.to_owned()],
                witness: None,
            }
        }));
        changes
    }

    /// Returns the name of a tool that broke, if its version says otherwise.
    fn unraised(&self, change: &LockChange) -> Option<String> {
        let tools = (self.tools)();
        let tool = tools.iter().find(|tool| tool.is(&change.tool))?;
        let entries = entries(self.text);
        let (_, entry) = entries.iter().find(|(name, _)| tool.is(name))?;
        let old: String = serde_json::from_str(value_of(entry, "version")?).ok()?;
        let major = |version: &str| version.split('.').next()?.parse::<u64>().ok();
        let is_raised = major(tool.past.version) > major(&old);
        (change.verdict.breaks() && !is_raised).then(|| change.tool.clone())
    }

    /// Returns true if an entry belongs to an element that is switched off.
    fn is_off(&self, name: &str, entry: &str) -> bool {
        let element: Option<String> =
            value_of(entry, "element").and_then(|text| serde_json::from_str(text).ok());
        self.off.contains(&element.as_deref().unwrap_or(name))
    }

    fn change(&self, tool: &LockedTool) -> Option<LockChange> {
        let LockedTool { def, .. } = tool;
        let change = |verdict, reasons| {
            Some(LockChange {
                tool: def.name.to_string(),
                verdict,
                reasons,
                witness: None,
            })
        };
        let entries = entries(self.text);
        let now = entries.iter().find(|(name, _)| tool.is(name));
        let before = || entries.iter().find(|(name, _)| tool.was(name));
        let Some((name, entry)) = now.or_else(before) else {
            return change(Verdict::Minor, vec!["the tool is new".to_owned()]);
        };
        let mut verdict = Verdict::Same;
        let mut reasons = Vec::new();
        let mut add = |comparison: Comparison| {
            verdict = verdict.max(comparison.verdict);
            reasons.extend(comparison.reasons);
        };
        let canonical = |text: &str| match read(text) {
            Some(value) => {
                let mut text = String::new();
                value.write(&mut text);
                text
            }
            None => "false".to_owned(),
        };
        let old = value_of(entry, "input").map_or_else(|| "false".to_owned(), canonical);
        let input = compared(&old, def.input.as_json(), false, tool.past.was_args);
        let witness = input.witness.clone();
        add(input);
        let said = |verdict, words: &str| Comparison::said(verdict, words);
        if *name != def.name {
            add(said(Verdict::Minor, "the tool has another name"));
        }
        match (value_of(entry, "output").map(canonical), &def.output) {
            (Some(old), Some(new)) => add(compared(&old, new.as_json(), true, &[])),
            (Some(_), None) => add(said(Verdict::Major, "the result is no longer described")),
            (None, Some(_)) => add(said(Verdict::Minor, "the result is described now")),
            (None, None) => {}
        }
        let old = value_of(entry, "annotations").map_or_else(|| "{}".to_owned(), canonical);
        let new = annotations(def.annotations);
        if old != new {
            add(match broken_hint(&old, def.annotations) {
                Some(words) => said(Verdict::Major, words),
                None => said(Verdict::Patch, "hints changed"),
            });
        }
        let mut description = String::new();
        write_string(&mut description, &def.description);
        if value_of(entry, "description").map(canonical) != Some(canonical(&description)) {
            add(said(Verdict::Patch, "the description changed"));
        }
        (verdict != Verdict::Same).then(|| LockChange {
            tool: def.name.to_string(),
            verdict,
            reasons,
            witness,
        })
    }

    /// The file as it should be. Entries of elements that are switched off stay.
    fn new_text(&self) -> String {
        let tools = (self.tools)();
        let old = entries(self.text);
        let prints = value_of(self.text, "fingerprints").unwrap_or("{}");
        let kept: Vec<&(String, String)> = old
            .iter()
            .filter(|(name, entry)| {
                !tools.iter().any(|tool| tool.is(name)) && self.is_off(name, entry)
            })
            .collect();
        let mut written: Vec<(String, String)> = Vec::new();
        for tool in &tools {
            let print = match tool.fingerprint {
                Some(print) => format!("{print:016x}"),
                None => AT_RUN_TIME.to_owned(),
            };
            written.push((print, tool.entry()));
        }
        for (name, entry) in &kept {
            let print =
                value_of(prints, name).and_then(|print| print.trim_matches('"').rsplit_once(' '));
            let print = print.map_or(AT_RUN_TIME, |(print, _)| print);
            written.push((print.to_owned(), entry.clone()));
        }
        let names = tools.iter().map(|tool| &*tool.def.name);
        let names: Vec<&str> = names.chain(kept.iter().map(|(name, _)| &**name)).collect();
        // The compiler finds an entry by the lengths of those before, so these are as they are in the file.
        let mut text = written_with(&names, &written, &[]);
        let lens = entries(&text)
            .iter()
            .map(|(_, entry)| entry.len())
            .collect::<Vec<_>>();
        text = written_with(&names, &written, &lens);
        text.push('\n');
        text
    }
}

/// The fingerprint of a tool that has none.
const AT_RUN_TIME: &str = "at run time";

/// The text of a file with these fingerprints and entries.
fn written_with(names: &[&str], written: &[(String, String)], lens: &[usize]) -> String {
    let mut text = r#"{"lock":1,"fingerprints":{"#.to_owned();
    let lens = lens.iter().copied().chain(std::iter::repeat(0));
    for ((name, (print, _)), len) in names.iter().zip(written).zip(lens) {
        write_key(&mut text, name);
        let _ = write!(text, "\"{print} {len}\"");
    }
    text.push_str(r#"},"tools":{"#);
    for (name, (_, entry)) in names.iter().zip(written) {
        write_key(&mut text, name);
        text.push_str(entry);
    }
    text.push_str("}}");
    let pretty = read(&text).and_then(|value| serde_json::to_string_pretty(&value).ok());
    pretty.unwrap_or(text)
}

impl LockedTool {
    /// Returns true if this is the tool's name.
    fn is(&self, name: &str) -> bool {
        self.def.name == name
    }

    /// Returns true if this was the tool's name.
    fn was(&self, name: &str) -> bool {
        self.past.was_called(name, &self.def.name)
    }

    /// The tool's entry in the file.
    fn entry(&self) -> String {
        let Self {
            def, element, past, ..
        } = self;
        let mut text = "{".to_owned();
        if **element != *def.name {
            write_key(&mut text, "element");
            write_string(&mut text, element);
        }
        if !past.version.is_empty() {
            write_key(&mut text, "version");
            write_string(&mut text, past.version);
        }
        write_key(&mut text, "description");
        write_string(&mut text, &def.description);
        write_key(&mut text, "annotations");
        text.push_str(&annotations(def.annotations));
        write_key(&mut text, "input");
        text.push_str(def.input.as_json());
        if let Some(output) = &def.output {
            write_key(&mut text, "output");
            text.push_str(output.as_json());
        }
        text.push('}');
        text
    }
}

/// The entries of a file: names, which need no escapes, and texts.
fn entries(text: &str) -> Vec<(String, String)> {
    let tools = value_of(text, "tools").unwrap_or("{}");
    Members::of(tools)
        .map(|(name, entry)| (name.to_owned(), entry.to_owned()))
        .collect()
}

/// Hints as JSON: those that are given.
fn annotations(hints: Annotations) -> String {
    let all = [
        ("read_only", hints.read_only),
        ("destructive", hints.destructive),
        ("idempotent", hints.idempotent),
        ("open_world", hints.open_world),
    ];
    let given: Vec<String> = all
        .iter()
        .filter_map(|(name, value)| value.map(|value| format!("\"{name}\":{value}")))
        .collect();
    format!("{{{}}}", given.join(","))
}

/// Says which hint was a promise that is gone.
fn broken_hint(old: &str, new: Annotations) -> Option<&'static str> {
    let had = |name| value_of(old, name) == Some("true");
    if had("read_only") && new.read_only != Some(true) {
        return Some("it only read, and may change things now");
    }
    (!had("destructive") && new.destructive == Some(true)).then_some("it may destroy things now")
}
