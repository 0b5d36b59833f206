//! Foreign text in messages: escapes make invisible characters visible.

use std::borrow::Cow;
use std::fmt;

use super::all;

/// Text that somebody else wrote, as it is safe to print.
///
/// Names and arguments that a model or a caller made up, words of providers and servers, results of
/// tools: on a terminal, an escape sequence in them moves the cursor, and a mark of direction shows
/// another text than a model reads. `Display` writes every invisible character as an escape of
/// Rust's (`\u{1b}`, `\u{202e}`): separators of lines, and those that the macros refuse in descriptions, such as control
/// characters. Messages of the runtime's errors are written like this already.
///
/// Normal text stays: letters of all scripts, emoji of several characters, and joiners between
/// letters of scripts that have them. A newline and a tab stay unless the text is to be
/// [one line](Self::one_line). A mark of direction (`\u{200f}`) is an escape even where it is meant
/// well; the text around it can be read without. A backslash stays a backslash, so the text is for
/// reading, and nothing turns it back.
///
/// ```
/// use toolwright::text::Printable;
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
    pub fn one_line(mut self) -> Self {
        self.is_line = true;
        self
    }

    /// Writes no more than so many characters, and how many were left out, if any were.
    pub fn at_most(mut self, characters: usize) -> Self {
        self.most = characters;
        self
    }

    /// Returns true if the text is written as it is: most are ASCII and short.
    fn is_plain(self) -> bool {
        let is_plain = |byte: u8| match byte {
            b' '..=b'~' => true,
            b'\n' | b'\t' => !self.is_line,
            _ => false,
        };
        self.text.len() <= self.most && self.text.bytes().all(is_plain)
    }

    /// Returns true if a character of the text stays as it is, unless it hides something.
    fn keeps(self, char: char) -> bool {
        match char {
            '\n' | '\r' | '\t' => !self.is_line,
            '\u{2028}' | '\u{2029}' => false,
            _ => true,
        }
    }
}

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, most, .. } = *self;
        if self.is_plain() {
            return f.write_str(text);
        }
        let mut hidden = all(text).peekable();
        let (mut plain_from, mut written) = (0, 0);
        for (at, char) in text.char_indices() {
            let is_hidden = hidden.next_if(|(place, _)| *place == at).is_some();
            let escape = (is_hidden || !self.keeps(char)).then(|| char.escape_default());
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

/// A text on one line, cut if it is too long. Spaces replace newlines: JSON may have several lines.
pub fn excerpt(text: &str, most: usize) -> String {
    let lines = ['\n', '\r', '\t'];
    if text.contains(lines) {
        return excerpt(&text.replace(lines, " "), most);
    }
    Printable::new(text).at_most(most).to_string()
}

/// The text of a message with foreign text in it.
pub fn printable(words: Cow<'static, str>) -> Cow<'static, str> {
    let shown = Printable::new(&words);
    if shown.is_plain() {
        return words;
    }
    shown.to_string().into()
}

#[cfg(test)]
mod tests;
