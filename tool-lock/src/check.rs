//! Tools held to a file.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::{env, fs, io};

use toolwright_json::Value;
use toolwright_provider::call::ToolDef;
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::text::{Printable, near};

use crate::compare::{Comparison, Verdict, compare};
use crate::error::LockError;
use crate::file::{Entry, File};

/// Makes a [`Lock`] of tools and a file in the package's folder: `lock!(tools, "tools.lock")`.
#[macro_export]
macro_rules! lock {
    ($tools:expr, $file:expr $(,)?) => {
        $crate::Lock::new(
            &$tools,
            ::std::path::Path::new(::core::env!("CARGO_MANIFEST_DIR")).join($file),
        )
    };
}

/// Environment variable that says what is written.
pub(crate) const MODE: &str = "TOOLS_LOCK";

/// Maximal number of changed tools of a foreign server whose schemas are compared. Those of others are `undecided`.
const MOST_COMPARED: usize = 64;

/// Tools and the file that they are held to.
///
/// Make it with [`lock!`](crate::lock!) in a test:
///
/// ```no_run
/// # let tools = toolwright::Toolset::default();
/// // #[test] fn the_lock_is_up_to_date()
/// toolwright::lock!(tools, "tools.lock").check().unwrap();
/// ```
///
/// | `TOOLS_LOCK` | what [`check`](Self::check) does |
/// | --- | --- |
/// | not set | fails if the file is missing or not up to date |
/// | `update` | writes the file, unless a tool broke |
/// | `accept-major` | writes the file in any case |
#[must_use = "a lock holds nothing until it is checked"]
#[derive(Debug, Clone)]
pub struct Lock {
    path: PathBuf,
    tools: Vec<ToolDef>,
    optional: Vec<String>,
    is_foreign: bool,
    mode: Option<Mode>,
}

/// Mode of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Compare,
    Update { accepts_breaks: bool },
}

/// Change of a tool since it was locked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockChange {
    /// The tool's name.
    pub tool: String,
    /// Meaning of the change to those who call the tool or read its results.
    pub verdict: Verdict,
    /// The reasons, a sentence each.
    pub reasons: Vec<String>,
}

impl fmt::Display for LockChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            tool,
            verdict,
            reasons,
        } = self;
        write!(f, "{verdict}: `{tool}`: {}", reasons.join("; "))
    }
}

impl Lock {
    /// Compares tools with the file at a path.
    pub fn new(tools: &Toolset, path: impl Into<PathBuf>) -> Self {
        let tools = tools.iter().map(|tool| tool.def().clone());
        Self {
            path: path.into(),
            tools: tools.collect(),
            optional: Vec::new(),
            is_foreign: false,
            mode: None,
        }
    }

    /// Compares tools of somebody else's server with the file at a path, which holds their words, too. Take them from a client
    /// without a prefix that trusts hints, since a connection compares the server's own names and hints.
    ///
    /// A missing file is an error and is not written, unless the mode is `update` or `accept-major`. A tool that the server does
    /// not list is not a change, and its entry stays: what is listed may depend on who asks.
    pub fn foreign(tools: impl IntoIterator<Item = ToolDef>, path: impl Into<PathBuf>) -> Self {
        Self {
            tools: tools.into_iter().collect(),
            is_foreign: true,
            ..Self::new(&Toolset::default(), path)
        }
    }

    /// Names tools that may be absent, such as those that a feature switches off. Their entries stay.
    pub fn optional<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.optional.extend(names.into_iter().map(Into::into));
        self
    }

    /// Writes the file, whatever `TOOLS_LOCK` says: unless a tool broke, or in any case if breaks are accepted.
    pub fn update(mut self, accepts_breaks: bool) -> Self {
        self.mode = Some(Mode::Update { accepts_breaks });
        self
    }

    /// Compares, whatever `TOOLS_LOCK` says.
    pub fn compare_only(mut self) -> Self {
        self.mode = Some(Mode::Compare);
        self
    }

    /// Compares the tools with the file, or writes it if `TOOLS_LOCK` says so. Returns the changes that were written.
    ///
    /// # Errors
    /// When a tool broke, when the file is missing, cannot be read or is out of date, or when it cannot be written.
    pub fn check(&self) -> Result<Vec<LockChange>, LockError> {
        let mode = match self.mode {
            Some(mode) => mode,
            None => mode_of(&env::var(MODE).unwrap_or_default())?,
        };
        let path = || self.path.clone();
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text.replace("\r\n", "\n"),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if self.is_foreign && mode == Mode::Compare {
                    return Err(LockError::Absent(path()));
                }
                self.write(&File::default())?;
                return match mode {
                    Mode::Compare => Err(LockError::Missing(path())),
                    Mode::Update { .. } => Ok(self.changes(&File::default())),
                };
            }
            Err(error) => return Err(LockError::Io(path(), error)),
        };
        let file = File::read(&text).map_err(|line| LockError::Unreadable(path(), line))?;
        let changes = self.changes(&file);
        let breaks = changes.iter().any(|change| change.verdict.breaks());
        if breaks
            && mode
                != (Mode::Update {
                    accepts_breaks: true,
                })
        {
            return Err(LockError::Breaks(path(), changes));
        }
        // An unchanged file keeps its time.
        if self.new_file(&file).text() != text {
            if mode == Mode::Compare {
                return Err(LockError::Outdated(path(), changes));
            }
            self.write(&file)?;
        }
        Ok(changes)
    }

    fn write(&self, old: &File) -> Result<(), LockError> {
        let text = self.new_file(old).text();
        fs::write(&self.path, text).map_err(|error| LockError::Io(self.path.clone(), error))
    }

    /// Returns the up-to-date file.
    fn new_file(&self, old: &File) -> File {
        let mut file = File {
            is_foreign: self.is_foreign,
            ..File::default()
        };
        for def in &self.tools {
            let entry = Entry::of(def, self.is_foreign);
            file.tools.insert(def.name.to_string(), entry);
        }
        file.gone = old.gone.clone();
        for (name, entry) in self.gone(old) {
            if self.may_be_absent(name) {
                file.tools.insert(name.clone(), entry.clone());
            } else {
                let names = self.tools.iter().map(|def| &*def.name);
                let new = near(name, names).first().copied().unwrap_or_default();
                file.gone.insert(name.clone(), new.to_owned());
            }
        }
        file.gone.retain(|old, _| !file.tools.contains_key(old));
        file
    }

    fn may_be_absent(&self, name: &String) -> bool {
        self.is_foreign || self.optional.contains(name)
    }

    /// Returns the entries of tools that are not there any more, under any name.
    fn gone<'f>(&self, file: &'f File) -> impl Iterator<Item = (&'f String, &'f Entry)> {
        file.tools
            .iter()
            .filter(|(name, _)| !self.tools.iter().any(|def| def.is_called(name)))
    }

    fn changes(&self, file: &File) -> Vec<LockChange> {
        let mut changes = Vec::new();
        for def in &self.tools {
            // Whoever wrote the schemas, the time is bounded.
            let decides = !self.is_foreign || changes.len() < MOST_COMPARED;
            changes.extend(change(file, def, self.is_foreign, decides));
        }
        let gone = self
            .gone(file)
            .filter(|(name, _)| !self.may_be_absent(name));
        changes.extend(gone.map(|(name, _)| LockChange {
            tool: name.clone(),
            verdict: Verdict::Major,
            reasons: vec!["the tool is gone".to_owned()],
        }));
        changes.sort_by(|one, other| one.tool.cmp(&other.tool));
        changes
    }
}

fn mode_of(words: &str) -> Result<Mode, LockError> {
    match words {
        "" => Ok(Mode::Compare),
        "update" | "accept-major" => Ok(Mode::Update {
            accepts_breaks: words == "accept-major",
        }),
        _ => Err(LockError::Mode(words.to_owned())),
    }
}

/// Compares a tool with its entry.
fn change(file: &File, def: &ToolDef, is_foreign: bool, decides: bool) -> Option<LockChange> {
    let (mut verdict, mut reasons) = (Verdict::Same, Vec::new());
    // A foreign tool has no difference that a person need not see.
    let least = if is_foreign {
        Verdict::Patch
    } else {
        Verdict::Same
    };
    let mut add = |other: Verdict, reason: String| {
        verdict = verdict.max(other).max(least);
        reasons.push(reason);
    };
    let new = Entry::of(def, is_foreign);
    let compared = |old: &str, new: &str| {
        if decides {
            compared(old, new)
        } else {
            Comparison::UNKNOWN
        }
    };
    let before = || file.tools.iter().find(|(name, _)| def.is_called(name));
    match file.tools.get_key_value(&*def.name).or_else(before) {
        None => add(Verdict::Minor, "the tool is new".to_owned()),
        Some((name, old)) => {
            if **name != *def.name {
                add(Verdict::Minor, format!("it was called `{name}`"));
            }
            if old.hints("read_only") && !new.hints("read_only") {
                add(
                    Verdict::Major,
                    "it only read, and may change things now".to_owned(),
                );
            }
            if !old.hints("destructive") && new.hints("destructive") {
                add(Verdict::Major, "it may destroy things now".to_owned());
            }
            if old.takes != new.takes {
                // A server's word that an argument had another name counts for nothing.
                let before = if is_foreign {
                    old.takes.clone()
                } else {
                    renamed(&old.takes, &def.old_names().arguments)
                };
                let comparison = compared(&before, &new.takes);
                add(comparison.verdict, taken(&comparison, &before, &new.takes));
            }
            match (&old.returns, &new.returns) {
                (Some(old), Some(new)) if old != new => {
                    // A client with the old schema accepts the new results.
                    let comparison = compared(new, old);
                    add(comparison.verdict, returned(&comparison));
                }
                (Some(_), None) => add(
                    Verdict::Major,
                    "its result is no longer described".to_owned(),
                ),
                (None, Some(_)) => add(Verdict::Minor, "its result is described now".to_owned()),
                _ => {}
            }
            if is_foreign {
                for reason in words_changed(old, &new) {
                    add(Verdict::Patch, reason);
                }
                let is_same = (&old.takes, &old.returns) == (&new.takes, &new.returns);
                if is_same && (&old.says, &old.hints) == (&new.says, &new.hints) && *old != new {
                    add(Verdict::Patch, "its fingerprint is another".to_owned());
                }
            } else if (&old.takes, &old.returns) == (&new.takes, &new.returns) && *old != new {
                add(Verdict::Patch, "words or hints changed".to_owned());
            }
        }
    }
    (verdict != Verdict::Same).then(|| LockChange {
        tool: def.name.to_string(),
        verdict,
        reasons,
    })
}

fn compared(old: &str, new: &str) -> Comparison {
    match (SchemaDoc::parse(old), SchemaDoc::parse(new)) {
        (Ok(old), Ok(new)) => compare(&old, &new),
        _ => Comparison::UNKNOWN,
    }
}

/// Words changes of what a foreign tool says of itself.
fn words_changed(old: &Entry, new: &Entry) -> Vec<String> {
    let mut reasons = Vec::new();
    if old.says != new.says {
        let said = |entry: &Entry| entry.says.clone().unwrap_or_else(|| "nothing".to_owned());
        let (old, new) = from_difference(&said(old), &said(new));
        reasons.push(format!("it says {new} now, and said {old}"));
    }
    if old.hints != new.hints {
        let (old, new) = (old.hints.join(", "), new.hints.join(", "));
        reasons.push(format!("its hints are `{new}` now, and were `{old}`"));
    }
    reasons
}

/// Escapes and cuts two texts of a server. Where they begin alike for long, both are shown from the first difference on.
fn from_difference(one: &str, other: &str) -> (String, String) {
    let mut pairs = one.char_indices().zip(other.chars());
    let differs = pairs.find(|((_, char), other)| char != other);
    let at = differs.map_or(one.len().min(other.len()), |((at, _), _)| at);
    let same = one.get(..at).unwrap_or_default();
    let is_long = Printable::new(same).one_line().to_string().len() > 100;
    let shown = |text: &str| {
        let (mark, text) = match text.get(at..) {
            Some(rest) if is_long => ("…", rest),
            _ => ("", text),
        };
        format!("{mark}{}", Printable::new(text).one_line().at_most(200))
    };
    (shown(one), shown(other))
}

/// Words a change of arguments.
fn taken(comparison: &Comparison, old: &str, new: &str) -> String {
    let faults = comparison.faults.join(", ");
    match (comparison.verdict, &comparison.witness) {
        (Verdict::Major, Some(witness)) => format!("it refuses `{witness}` now: {faults}"),
        (Verdict::Undecided, _) if !faults.is_empty() => {
            format!("it may refuse arguments that it took: {faults}")
        }
        (Verdict::Undecided | Verdict::Major, _) => {
            "it may refuse arguments that it took".to_owned()
        }
        (Verdict::Minor, witness) => {
            let (old, new) = (arguments(old), arguments(new));
            let added: Vec<String> = new
                .iter()
                .filter(|name| !old.contains(name))
                .map(|name| format!("`{name}`"))
                .collect();
            match (added.is_empty(), witness) {
                (false, _) => format!("it has new optional arguments: {}", added.join(", ")),
                (true, Some(witness)) => format!("it takes `{witness}` now"),
                (true, None) => "it takes all that it took".to_owned(),
            }
        }
        (Verdict::Same | Verdict::Patch, _) => {
            "its arguments are described in another way".to_owned()
        }
    }
}

/// Words a change of results. The comparison is from the new schema to the old one.
fn returned(comparison: &Comparison) -> String {
    let faults = comparison.faults.join(", ");
    match (comparison.verdict, &comparison.witness) {
        (Verdict::Major, Some(witness)) => format!(
            "it may return `{witness}` now, which is refused by those who know the old schema: {faults}"
        ),
        (Verdict::Undecided | Verdict::Major, _) => {
            "it may return what is refused by those who know the old schema".to_owned()
        }
        (Verdict::Minor, _) => "its result is described more closely".to_owned(),
        (Verdict::Same | Verdict::Patch, _) => "its result is described in another way".to_owned(),
    }
}

/// Returns the names of the arguments.
fn arguments(schema: &str) -> Vec<String> {
    let schema = Value::parse(schema).ok();
    let properties = schema.as_ref().and_then(|schema| schema.get("properties"));
    let entries = properties.map(Value::entries).unwrap_or_default();
    entries.iter().map(|(name, _)| name.to_string()).collect()
}

/// Renames arguments in a schema to their names of today.
fn renamed(schema: &str, names: &[(Cow<'static, str>, Cow<'static, str>)]) -> String {
    let Ok(Value::Object(mut keywords)) = Value::parse(schema) else {
        return schema.to_owned();
    };
    let known = arguments(schema);
    let today = |name: &str| {
        let found = names
            .iter()
            .find(|(old, new)| **old == *name && !known.iter().any(|name| **name == **new));
        found.map(|(_, new)| &**new)
    };
    for (keyword, value) in &mut keywords {
        match (&**keyword, value) {
            ("properties", Value::Object(properties)) => {
                for (name, _) in properties {
                    if let Some(new) = today(name) {
                        *name = new.into();
                    }
                }
            }
            ("required", Value::Array(required)) => {
                for name in required {
                    if let Some(new) = name.as_str().and_then(today) {
                        *name = Value::string(new);
                    }
                }
            }
            _ => {}
        }
    }
    Value::Object(keywords).to_json()
}
