//! Text that others wrote, with nothing in it that nobody sees: in messages, escapes show what a
//! person would not see; definitions lose it.

use std::borrow::Cow;
use std::fmt;

use crate::hidden::{all, find, name};
use crate::schema::Ordered;
use crate::{Note, NoteKind, SchemaDoc, ToolDef};

/// Text that somebody else wrote, as it is safe to print.
///
/// Names and arguments that a model or a caller made up, words of providers and servers, results of
/// tools: on a terminal, an escape sequence in them moves the cursor, and a mark of direction shows
/// another text than a model reads. `Display` writes every character that nobody sees as an escape of
/// Rust's (`\u{1b}`, `\u{202e}`): control characters, separators of lines, and those that the macros
/// refuse in descriptions. Messages of the runtime's errors are written like this already.
///
/// What people write stays: letters of all scripts, emoji of several characters, and joiners between
/// letters of scripts that have them. A newline and a tab stay unless the text is to be
/// [one line](Self::one_line). A mark of direction (`\u{200f}`) is an escape even where it is meant
/// well; the text around it can be read without. A backslash stays a backslash, so the text is for
/// reading, and nothing turns it back.
///
/// ```
/// use toolwright::Printable;
///
/// let name = "wipe\u{1b}[2J\u{202e}\n";
/// assert_eq!(Printable::new(name).one_line().to_string(), r"wipe\u{1b}[2J\u{202e}\n");
/// assert_eq!(Printable::new(name).at_most(3).to_string(), "wip… (7 more characters)");
/// assert_eq!(Printable::new("ça va, 👩‍🚀?").to_string(), "ça va, 👩‍🚀?");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Printable<'t> {
    text: &'t str,
    most: usize,
    is_line: bool,
}

impl<'t> Printable<'t> {
    /// The text as a whole, on as many lines as it has.
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            most: usize::MAX,
            is_line: false,
        }
    }

    /// Writes newlines and tabs as escapes, too.
    pub fn one_line(self) -> Self {
        Self {
            is_line: true,
            ..self
        }
    }

    /// Writes no more than so many characters, and how many were left out, if any were.
    pub fn at_most(self, characters: usize) -> Self {
        Self {
            most: characters,
            ..self
        }
    }

    /// Whether a character of the text stays, where it hides nothing.
    fn keeps(self, at: usize, char: char) -> bool {
        match char {
            '\n' | '\t' => !self.is_line,
            '\r' => !self.is_line && self.text.get(at..).is_some_and(|at| at.starts_with("\r\n")),
            '\u{2028}' | '\u{2029}' => false,
            char => !char.is_control(),
        }
    }
}

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, most, .. } = *self;
        let mut hidden = all(text).peekable();
        let (mut plain_from, mut written) = (0, 0);
        for (at, char) in text.char_indices() {
            let is_hidden = hidden.next_if(|(place, _)| *place == at).is_some();
            let escape = (is_hidden || !self.keeps(at, char)).then(|| char.escape_default());
            written += escape.as_ref().map_or(1, ExactSizeIterator::len);
            if written > most || escape.is_some() {
                f.write_str(text.get(plain_from..at).unwrap_or_default())?;
                plain_from = at + char.len_utf8();
            }
            if written > most {
                let left = text.get(at..).unwrap_or_default().chars().count();
                let noun = if left == 1 { "character" } else { "characters" };
                return write!(f, "… ({left} more {noun})");
            }
            escape.map_or(Ok(()), |escape| write!(f, "{escape}"))?;
        }
        f.write_str(text.get(plain_from..).unwrap_or_default())
    }
}

/// A text on one line, cut where it is too long. Spaces stand for newlines: JSON may have several lines.
pub(crate) fn excerpt(text: &str, most: usize) -> String {
    let on_one_line = text.replace(['\n', '\r', '\t'], " ");
    Printable::new(&on_one_line).at_most(most).to_string()
}

/// The words of a message, in which text of others may stand.
pub(crate) fn printable(words: Cow<'static, str>) -> Cow<'static, str> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if words.bytes().all(is_plain) {
        return words;
    }
    Printable::new(&words).to_string().into()
}

/// A text with more of them is no text that got some by accident; looking at what each stands between
/// takes time in the text's length.
const MOST_LOOKED_AT: usize = 64;

/// What [`ToolDef::strip_hidden`] found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stripped {
    /// How many characters were taken out.
    pub removed: usize,
    /// What still holds some, because it would mean something else without them: keys and allowed
    /// values of schemas, such as `` the key `ci\u{200b}ty` ``.
    pub left: Vec<String>,
}

impl Stripped {
    /// How many characters are not sent, if any.
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
    /// Whether nothing can be hidden in it, as for most tools: its words are ASCII, and the macros have
    /// looked through its schemas.
    pub(crate) fn is_plain(&self) -> bool {
        let is_plain = |schema: &SchemaDoc| schema.shape().is_some();
        self.name.is_ascii()
            && self.description.is_ascii()
            && self.title.as_ref().is_none_or(|title| title.is_ascii())
            && is_plain(&self.input)
            && self.output.as_ref().is_none_or(is_plain)
    }

    /// Takes out the characters that a model reads and nobody sees: of the name, the title and the
    /// description, and of the words in schemas (`title`, `description`, `$comment`).
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
            let Some(schema) = schema.filter(|schema| schema.shape().is_none()) else {
                continue;
            };
            let Ok(mut tree) = Ordered::read(schema.as_json()) else {
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
        found
    }
}

fn strip(text: &mut Cow<'static, str>, found: &mut Stripped) {
    if let Some((visible, removed)) = visible(text) {
        *text = visible.into();
        found.removed += removed;
    }
}

/// The text without what nobody sees in it, and how many characters that were; nothing where there
/// are none.
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

/// Schemas may be no deeper than what reads them, so this walk may call itself.
fn words(schema: &mut Ordered, found: &mut Stripped) {
    let Ordered::Object(entries) = schema else {
        return;
    };
    for (keyword, value) in entries {
        match (keyword.as_str(), value) {
            ("title" | "description" | "$comment", Ordered::String(text)) => {
                if let Some((visible, removed)) = visible(text) {
                    *text = visible;
                    found.removed += removed;
                }
            }
            (
                "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas",
                Ordered::Object(named),
            ) => {
                for (key, schema) in named {
                    left(key, "key", found);
                    words(schema, found);
                }
            }
            ("enum" | "const" | "default" | "examples" | "required", value) => {
                values(value, found);
            }
            (_, value @ Ordered::Object(_)) => words(value, found),
            (_, Ordered::Array(members)) => {
                for member in members {
                    match member {
                        Ordered::Object(_) => words(member, found),
                        other => values(other, found),
                    }
                }
            }
            (_, other) => values(other, found),
        }
        left(keyword, "key", found);
    }
}

/// What stands in values, which are sent as they are.
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_an_escape() {
        for (text, lines, line) in [
            ("", "", ""),
            ("a\nb\tc", "a\nb\tc", r"a\nb\tc"),
            ("a\r\nb\rc", "a\r\nb\\rc", r"a\r\nb\rc"),
            (
                "\u{1b}[31m\0\u{7f}\u{9b}",
                r"\u{1b}[31m\u{0}\u{7f}\u{9b}",
                r"\u{1b}[31m\u{0}\u{7f}\u{9b}",
            ),
            (
                "a\u{202e}b\u{2066}\u{200f}",
                r"a\u{202e}b\u{2066}\u{200f}",
                r"a\u{202e}b\u{2066}\u{200f}",
            ),
            (
                "\u{e0041}\u{200b}\u{feff}\u{2028}",
                r"\u{e0041}\u{200b}\u{feff}\u{2028}",
                r"\u{e0041}\u{200b}\u{feff}\u{2028}",
            ),
            (
                "Größe 寿司 שלום سلام",
                "Größe 寿司 שלום سلام",
                "Größe 寿司 שלום سلام",
            ),
            (
                "\u{645}\u{6cc}\u{200c}\u{62e} \u{1f469}\u{200d}\u{1f680}",
                "\u{645}\u{6cc}\u{200c}\u{62e} \u{1f469}\u{200d}\u{1f680}",
                "\u{645}\u{6cc}\u{200c}\u{62e} \u{1f469}\u{200d}\u{1f680}",
            ),
        ] {
            assert_eq!(Printable::new(text).to_string(), lines);
            assert_eq!(Printable::new(text).one_line().to_string(), line);
            assert_eq!(printable(text.to_owned().into()), lines);
        }
    }

    #[test]
    fn what_is_too_long_ends_with_a_count() {
        let at_most = |text, most| Printable::new(text).at_most(most).to_string();
        assert_eq!(at_most("abc", 3), "abc");
        assert_eq!(at_most("abcd", 3), "abc… (1 more character)");
        assert_eq!(at_most("寿司寿司", 1), "寿… (3 more characters)");
        // An escape is written as a whole or not at all.
        assert_eq!(at_most("a\u{1b}b", 7), r"a\u{1b}… (1 more character)");
        assert_eq!(at_most("a\u{1b}b", 6), "a… (2 more characters)");
        let tags = "\u{e0041}".repeat(100_000);
        assert!(at_most(&tags, 100).len() < 200);
    }

    #[test]
    fn what_is_hidden_goes_and_the_rest_stays() {
        let family = "Family: \u{1f468}\u{200d}\u{1f469}";
        assert_eq!(visible(family), None);
        let text = format!("{family}\u{200b}, \u{e0041}\u{e0042}done");
        assert_eq!(visible(&text), Some((format!("{family}, done"), 3)));
        let many = "a\u{200b}".repeat(10_000);
        assert_eq!(visible(&many), Some(("a".repeat(10_000), 10_000)));
    }

    #[test]
    fn words_of_schemas_are_stripped_and_keys_are_told() {
        let mut def = ToolDef::new("a\u{200b}dd", "Adds");
        let schema = "{\"type\":\"object\",\"properties\":{\"z\":{\"description\":\"x\u{200b}y\"},\
            \"b\u{200b}\":{\"enum\":[\"\u{2060}\"]},\"description\":{\"type\":\"string\"}}}";
        def.input = SchemaDoc::parse(schema).unwrap();
        let stripped = def.strip_hidden();
        assert_eq!((&*def.name, stripped.removed), ("add", 2));
        assert_eq!(
            stripped.left,
            ["the key `b\\u{200b}`", "the value `\\u{2060}`"]
        );
        assert!(def.input.as_json().contains(r#""z":{"description":"xy"}"#));
    }
}
