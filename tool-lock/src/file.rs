//! The file of a lock: a few lines a tool, sorted by name, made to be reviewed and merged.
//!
//! ```text
//! find_order 2f6a1c0b9d3e4857 read_only
//!   takes {"additionalProperties":false,"properties":{"id":{"type":"string"}},"required":["id"],"type":"object"}
//!   returns {"type":"string"}
//! lookup_order -> find_order
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;

use toolwright_json::Value;
use toolwright_provider::call::{Annotations, ToolDef};
use toolwright_schema::keyword::{Keyword, Subschemas};
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::text::{FNV_OFFSET, fnv1a};

const HEAD: &str =
    "# What the tools take and return. A test holds them to it; TOOLS_LOCK=update writes it.\n";
const TAKES: &str = "  takes ";
const RETURNS: &str = "  returns ";
const INSTEAD: &str = " ->";

/// Keywords that say nothing about values.
const WORDS: [Keyword; 9] = [
    Keyword::Title,
    Keyword::Description,
    Keyword::Examples,
    Keyword::Example,
    Keyword::Comment,
    Keyword::Schema,
    Keyword::Deprecated,
    Keyword::ReadOnly,
    Keyword::WriteOnly,
];

/// Reads a hint.
type Hint = fn(&Annotations) -> Option<bool>;

/// Hints by the words that a file has for them.
const HINTS: [(&str, Hint); 4] = [
    ("read_only", |hints| hints.read_only),
    ("destructive", |hints| hints.destructive),
    ("idempotent", |hints| hints.idempotent),
    ("open_world", |hints| hints.open_world),
];

/// Tools as they were accepted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) tools: BTreeMap<String, Entry>,
    /// Names of tools that are gone, each with the name of the tool in its place; empty for none.
    pub(crate) gone: BTreeMap<String, String>,
}

/// A tool as it was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Hash of the whole definition, with all words.
    fingerprint: String,
    hints: Vec<String>,
    pub(crate) takes: String,
    pub(crate) returns: Option<String>,
}

impl Entry {
    pub(crate) fn of(def: &ToolDef) -> Self {
        let mut text = def.description.to_string();
        text.push_str(def.input.as_json());
        text.push_str(def.output.as_ref().map_or("", |output| output.as_json()));
        let hints = HINTS
            .iter()
            .filter(|(_, hint)| hint(&def.options.annotations) == Some(true));
        Self {
            fingerprint: format!("{:016x}", fnv1a(FNV_OFFSET, text.as_bytes())),
            hints: hints.map(|(name, _)| (*name).to_owned()).collect(),
            takes: without_words(&def.input),
            returns: def.output.as_ref().map(without_words),
        }
    }

    pub(crate) fn hints(&self, name: &str) -> bool {
        self.hints.iter().any(|hint| hint == name)
    }

    fn read(line: &str) -> Option<(String, Self)> {
        let mut words = line.split(' ').map(str::to_owned);
        let (name, fingerprint) = (words.next()?, words.next()?);
        let is_hex = |byte: u8| byte.is_ascii_hexdigit();
        let is_whole =
            !name.is_empty() && fingerprint.len() == 16 && fingerprint.bytes().all(is_hex);
        let entry = Self {
            fingerprint,
            hints: words.collect(),
            takes: String::new(),
            returns: None,
        };
        is_whole.then_some((name, entry))
    }
}

impl File {
    /// Reads a file.
    ///
    /// # Errors
    /// The number of a line that is not as it was written, such as one with marks of a conflict.
    pub(crate) fn read(text: &str) -> Result<Self, usize> {
        let mut file = Self::default();
        let mut last = None;
        for (number, line) in (1..).zip(text.lines()) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let entry = last.as_ref().and_then(|name| file.tools.get_mut(name));
            let is_read = if let Some(takes) = line.strip_prefix(TAKES) {
                entry.map(|entry| entry.takes.push_str(takes)).is_some()
            } else if let Some(returns) = line.strip_prefix(RETURNS) {
                entry.map(|entry| entry.returns.replace(returns.to_owned())) == Some(None)
            } else if let Some((old, new)) = line.split_once(INSTEAD) {
                let new = new.trim().to_owned();
                !new.contains(' ') && file.gone.insert(old.to_owned(), new).is_none()
            } else if let Some((name, entry)) = Entry::read(line) {
                last = Some(name.clone());
                file.tools.insert(name, entry).is_none()
            } else {
                false
            };
            if !is_read {
                return Err(number);
            }
        }
        let is_whole = file.tools.values().all(|entry| !entry.takes.is_empty());
        if is_whole {
            Ok(file)
        } else {
            Err(text.lines().count())
        }
    }

    /// Returns the text of the file.
    pub(crate) fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        for (name, entry) in &self.tools {
            let _ = write!(text, "{name} {}", entry.fingerprint);
            for hint in &entry.hints {
                let _ = write!(text, " {hint}");
            }
            let _ = write!(text, "\n{TAKES}{}", entry.takes);
            if let Some(returns) = &entry.returns {
                let _ = write!(text, "\n{RETURNS}{returns}");
            }
            text.push('\n');
        }
        for (old, new) in &self.gone {
            let _ = writeln!(text, "{}", format!("{old}{INSTEAD} {new}").trim_end());
        }
        text
    }
}

/// Returns the text of a schema without words, its keys sorted.
fn without_words(schema: &SchemaDoc) -> String {
    let mut text = String::new();
    match Value::parse(schema.as_json()) {
        Ok(mut schema) => {
            remove_words(&mut schema);
            schema.write_sorted(&mut text);
        }
        Err(_) => text.push_str(schema.as_json()),
    }
    text
}

fn remove_words(schema: &mut Value<'_>) {
    let Value::Object(keywords) = schema else {
        return;
    };
    keywords.retain(|(name, _)| !Keyword::of(name).is_some_and(|name| WORDS.contains(&name)));
    for (name, value) in keywords {
        let holds = Keyword::of(name).map_or(Subschemas::None, Keyword::subschemas);
        match (holds, value) {
            (Subschemas::None, _) => {}
            (
                Subschemas::Map | Subschemas::MapOrNames | Subschemas::Definitions,
                Value::Object(named),
            ) => {
                for (_, schema) in named {
                    remove_words(schema);
                }
            }
            (_, Value::Array(schemas)) => schemas.iter_mut().for_each(remove_words),
            (_, schema) => remove_words(schema),
        }
    }
}
