//! Foreign text in messages: escapes make invisible characters visible.

use std::borrow::Cow;
use std::fmt;

use super::all;

/// Text that somebody else wrote, as it is safe to print.
///
/// Names and arguments that a model or a caller made up, words of providers and servers, results of
/// tools: on a terminal, an escape sequence in them moves the cursor, and a mark of direction shows
/// another text than a model reads. `Display` writes every character that nobody sees as an escape of
/// Rust's (`\u{1b}`, `\u{202e}`): separators of lines, and those that the macros refuse in descriptions, such as control
/// characters. Messages of the runtime's errors are written like this already.
///
/// What people write stays: letters of all scripts, emoji of several characters, and joiners between
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
}
