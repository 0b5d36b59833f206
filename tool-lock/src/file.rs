//! The file of a lock: a few lines a tool, sorted by name, made to be reviewed and merged.
//!
//! ```text
//! find_order 2f6a1c0b9d3e4857 read_only
//!   says "Finds an order."
//!   takes {"additionalProperties":false,"properties":{"id":{"type":"string"}},"required":["id"],"type":"object"}
//!   returns {"type":"string"}
//! lookup_order -> find_order
//! ```
//!
//! The words of a tool of this program stand in its source, and the fingerprint finds a change. Those of a tool of somebody
//! else's server stand in the file: a server may forge a fingerprint, and a person reads them before accepting.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use toolwright_json::{Value, quoted};
use toolwright_provider::call::{Annotations, ToolDef};
use toolwright_schema::keyword::{Keyword, Subschemas};
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::text::{FNV_OFFSET, fnv1a};

const HEAD: &str =
    "# What the tools take and return. A test holds them to it; TOOLS_LOCK=update writes it.\n";
const FOREIGN_HEAD: &str = "# What a server's tools say, take and return. Others are left out; TOOLS_LOCK=update writes it.\n";
const SAYS: &str = "  says ";
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
    /// The tools are those of somebody else's server.
    pub(crate) is_foreign: bool,
}

/// A tool as it was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Hash of the whole definition, with all words.
    fingerprint: String,
    pub(crate) hints: Vec<String>,
    /// Title and description of a foreign tool, as JSON.
    pub(crate) says: Option<String>,
    pub(crate) takes: String,
    pub(crate) returns: Option<String>,
}

impl Entry {
    /// Describes a tool. The schemas of a foreign one keep their words.
    pub(crate) fn of(def: &ToolDef, is_foreign: bool) -> Self {
        let takes = sorted(&def.input, is_foreign);
        let returns = def.output.as_ref().map(|schema| sorted(schema, is_foreign));
        let says = is_foreign.then(|| {
            let texts = [def.title.as_deref(), Some(&*def.description)];
            let texts = texts.into_iter().flatten().map(quoted);
            texts.collect::<Vec<_>>().join(" ")
        });
        // Some servers write keys in another order each time.
        let output = def.output.as_ref().map(SchemaDoc::as_json);
        let texts = match &says {
            Some(says) => [says, &takes, returns.as_deref().unwrap_or_default()],
            None => [
                &def.description,
                def.input.as_json(),
                output.unwrap_or_default(),
            ],
        };
        let hints = HINTS
            .iter()
            .filter(|(_, hint)| hint(&def.options.annotations) == Some(true));
        Self {
            fingerprint: format!("{:016x}", fnv1a(FNV_OFFSET, texts.concat().as_bytes())),
            hints: hints.map(|(name, _)| (*name).to_owned()).collect(),
            says,
            takes,
            returns,
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
            says: None,
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
            let is_read = if let Some(says) = line.strip_prefix(SAYS) {
                entry.map(|entry| entry.says.replace(says.to_owned())) == Some(None)
            } else if let Some(takes) = line.strip_prefix(TAKES) {
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
        let head = if self.is_foreign { FOREIGN_HEAD } else { HEAD };
        let mut text = head.to_owned();
        for (name, entry) in &self.tools {
            let _ = write!(text, "{name} {}", entry.fingerprint);
            for hint in &entry.hints {
                let _ = write!(text, " {hint}");
            }
            if let Some(says) = &entry.says {
                let _ = write!(text, "\n{SAYS}{says}");
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

/// Returns the text of a schema, its keys sorted, with or without words.
fn sorted(schema: &SchemaDoc, has_words: bool) -> String {
    let mut text = String::new();
    match Value::parse(schema.as_json()) {
        Ok(mut schema) => {
            if !has_words {
                remove_words(&mut schema);
            }
            schema.write_sorted(&mut text);
        }
        // On one line in any case.
        Err(_) => text.push_str(&quoted(schema.as_json())),
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
