//! Definitions without invisible characters.

use std::borrow::Cow;

use crate::call::{Example, ToolDef};
use crate::dialect::{Note, NoteKind};
use toolwright_schema::keyword::{Keyword, Subschemas};
use toolwright_schema::read::{Ordered, read};
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::text::{Printable, find, name};

/// More than this is an attack; stop scanning.
const MOST_LOOKED_AT: usize = 64;

/// Result of [`ToolDef::strip_hidden`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stripped {
    /// Number of characters that were taken out.
    pub removed: usize,
    /// Keys and values of schemas, examples and extras that still hold some, such as `` the key `ci\u{200b}ty` ``. They
    /// would mean something else without them.
    pub left: Vec<String>,
}

impl Stripped {
    /// Returns a note with the number of characters that are not sent, if any.
    pub(crate) fn to_note(&self) -> Option<Note> {
        (self.removed > 0).then(|| Note {
            kind: NoteKind::HiddenRemoved,
            path: "/".to_owned(),
            keyword: "hidden".to_owned(),
            value: self.removed.to_string(),
        })
    }
}

impl ToolDef {
    /// Returns true if nothing can be hidden in it, as in most tools: nothing is in its words, and the macros have
    /// checked its schemas.
    pub(crate) fn is_plain(&self) -> bool {
        let is_plain = |schema: &SchemaDoc| schema.shape().is_some();
        let words = [
            Some(&self.name),
            Some(&self.description),
            self.title.as_ref(),
        ];
        words
            .into_iter()
            .flatten()
            .all(|words| find(words).is_none())
            && self.extras.is_empty()
            && self.examples.iter().all(|Example { arguments, shows }| {
                !arguments.contains('\\') && find(arguments).is_none() && find(shows).is_none()
            })
            && is_plain(&self.input)
            && self.output.as_ref().is_none_or(is_plain)
    }

    /// Removes the characters that a model reads and a person cannot see: from the name, the title and the description,
    /// and of the words in schemas (`title`, `description`, `$comment`).
    ///
    /// For definitions that others wrote, such as those of an MCP server: text that no person can see
    /// is how instructions are smuggled to a model. Which characters those are is the same rule as that
    /// of the macros and of [`Toolset::check`](crate::Toolset::check).
    ///
    /// ```
    /// use toolwright::ToolDef;
    ///
    /// let mut def = ToolDef::new("add", "Adds.\u{e0048}\u{e0069}");
    /// assert_eq!(def.strip_hidden().removed, 2);
    /// assert_eq!(def.description, "Adds.");
    /// ```
    pub fn strip_hidden(&mut self) -> Stripped {
        let mut found = Stripped::default();
        for text in [&mut self.name, &mut self.description] {
            strip(text, &mut found);
        }
        if let Some(title) = &mut self.title {
            strip(title, &mut found);
        }
        for schema in [Some(&mut self.input), self.output.as_mut()] {
            // The macros have looked through a schema that has a tree.
            let schema = schema.filter(|schema| schema.shape().is_none());
            let Some(schema) = schema.filter(|schema| !is_plain(schema.as_json())) else {
                continue;
            };
            let Some(mut tree) = read(schema.as_json()) else {
                continue;
            };
            let before = found.removed;
            words(&mut tree, &mut found);
            if found.removed > before
                && let Ok(visible) = SchemaDoc::parse(&tree.to_json())
            {
                *schema = visible;
            }
        }
        for example in &mut self.examples {
            strip(&mut example.shows, &mut found);
            if let Some(arguments) = read(&example.arguments) {
                values(&arguments, &mut found);
            }
        }
        let extras = (!self.extras.is_empty()).then(|| serde_json::to_string(&self.extras));
        if let Some(tree) = extras.and_then(Result::ok).and_then(|text| read(&text)) {
            values(&tree, &mut found);
        }
        found
    }
}

/// Returns true if no string in a JSON text can hold an invisible character, so that the text need not be parsed.
fn is_plain(json: &str) -> bool {
    let is_escape = |pair: &[u8]| matches!(pair, [b'\\', b'b' | b'f' | b'r' | b'u']);
    json.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && !json.as_bytes().windows(2).any(is_escape)
}

fn strip(text: &mut Cow<'static, str>, found: &mut Stripped) {
    if let Some((visible, removed)) = visible(text) {
        *text = visible.into();
        found.removed += removed;
    }
}

/// The text without invisible characters, and their number; `None` if there are none.
fn visible(text: &str) -> Option<(String, usize)> {
    find(text)?;
    let (mut out, mut rest, mut removed) = (String::with_capacity(text.len()), text, 0);
    while let Some((at, char)) = find(rest) {
        removed += 1;
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + char.len_utf8()..).unwrap_or_default();
        if removed == MOST_LOOKED_AT {
            break;
        }
    }
    out.push_str(rest);
    if find(&out).is_some() {
        let all = out.chars().count();
        out.retain(|char| name(char).is_empty());
        removed += all - out.chars().count();
    }
    Some((out, removed))
}

/// The reader limits the depth of schemas, so this walk may be recursive.
fn words(schema: &mut Ordered, found: &mut Stripped) {
    let Ordered::Object(entries) = schema else {
        return;
    };
    for (keyword, value) in entries {
        let known = Keyword::of(keyword);
        let holds = known.map_or(Subschemas::None, Keyword::subschemas);
        match value {
            Ordered::String(text) if known.is_some_and(Keyword::is_words) => {
                if let Some((visible, removed)) = visible(text) {
                    *text = visible.into();
                    found.removed += removed;
                }
            }
            Ordered::Object(named)
                if matches!(holds, Subschemas::Map | Subschemas::Definitions) =>
            {
                for (key, schema) in named {
                    left(key, "key", found);
                    words(schema, found);
                }
            }
            value if known.is_some_and(Keyword::is_values) => values(value, found),
            Ordered::Object(_) => words(value, found),
            Ordered::Array(members) => {
                for member in members {
                    match member {
                        Ordered::Object(_) => words(member, found),
                        other => values(other, found),
                    }
                }
            }
            other => values(other, found),
        }
        left(keyword, "key", found);
    }
}

/// Notes the keys and values that hold invisible characters; they are sent as they are.
fn values(value: &Ordered, found: &mut Stripped) {
    match value {
        Ordered::String(text) => left(text, "value", found),
        Ordered::Array(items) => items.iter().for_each(|item| values(item, found)),
        Ordered::Object(entries) => {
            for (key, value) in entries {
                left(key, "key", found);
                values(value, found);
            }
        }
        _ => {}
    }
}

fn left(text: &str, what: &str, found: &mut Stripped) {
    if find(text).is_some() {
        let shown = Printable::new(text).one_line().at_most(64);
        found.left.push(format!("the {what} `{shown}`"));
    }
}
