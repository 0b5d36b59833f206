//! Classes: `[a-z]`. In the dialect of the crate `regex` brackets nest, and `&&`, `--` and `~~` are
//! operators; in that of JSON Schema all of these are characters. So they are refused.

use super::escape::Escaped;
use super::{Parsed, PatternError, PatternParser, literal, wrong};

/// Any character; a class that admits all must be written so.
pub(super) const ANY: &str = r"[\x{0}-\x{10FFFF}]";
/// No character.
pub(super) const NONE: &str = r"[^\x{0}-\x{10FFFF}]";

impl PatternParser<'_> {
    /// A class, behind its bracket.
    pub(super) fn class(&mut self) -> Parsed<String> {
        let negated = self.eat("^");
        self.no_operator()?;
        let mut items = String::new();
        while let Some(first) = self.item()? {
            self.no_operator()?;
            let is_range = self.rest.starts_with('-') && !self.rest.starts_with("-]");
            if !is_range {
                items.push_str(&first.inside());
                continue;
            }
            self.eat("-");
            if let Some(last) = self.item()? {
                items.push_str(&range(&first, &last)?);
            }
            self.no_operator()?;
        }
        Ok(match (items.as_str(), negated) {
            ("", true) => ANY.to_owned(),
            ("", false) => NONE.to_owned(),
            (items, true) => format!("[^{items}]"),
            (items, false) => format!("[{items}]"),
        })
    }

    /// Refuses an operator of the crate `regex` in front of an item.
    fn no_operator(&self) -> Parsed<()> {
        let operators = ["&&", "--", "~~"];
        let found = operators.iter().find(|it| self.rest.starts_with(**it));
        found.map_or(Ok(()), |operator| {
            Err(PatternError::Ambiguous(
                format!("`{operator}` stands inside `[…]`"),
                r"list the characters that may stand there, one of each; `\-` is the character",
            ))
        })
    }

    /// One item of a class; none at its end.
    fn item(&mut self) -> Parsed<Option<Escaped>> {
        match self.next() {
            Some(']') => Ok(None),
            Some('\\') => self.escape(true).map(Some),
            Some('[') => Err(PatternError::Ambiguous(
                if self.rest.starts_with(':') {
                    "a POSIX class, such as `[:alpha:]`, stands inside `[…]`".to_owned()
                } else {
                    "a `[` stands inside `[…]`".to_owned()
                },
                r"list the characters, as in `[A-Za-z]`; `\[` is the character",
            )),
            Some(char) => Ok(Some(Escaped::Char(char.into()))),
            None => Err(wrong(
                "a `[` is not closed",
                r"add a `]`, or write `\[` for the character",
            )),
        }
    }
}

/// Writes a range from one character to another. No Rust text has a surrogate, so ends that are one move to
/// the next character inside.
fn range(first: &Escaped, last: &Escaped) -> Parsed<String> {
    let (&Escaped::Char(first), &Escaped::Char(last)) = (first, last) else {
        return Err(wrong(
            "a class such as `\\d` is an end of a range",
            r"put the `-` last, or write `\-` for the character",
        ));
    };
    if first > last {
        return Err(wrong(
            "a range in `[…]` is the wrong way round",
            r"put the smaller character first, or write `\-` for the character",
        ));
    }
    let is_surrogate = |code: u32| (0xD800..=0xDFFF).contains(&code);
    let first = if is_surrogate(first) { 0xE000 } else { first };
    let last = if is_surrogate(last) { 0xD7FF } else { last };
    let ends = char::from_u32(first).zip(char::from_u32(last));
    Ok(ends
        .filter(|(first, last)| first <= last)
        .map(|(first, last)| format!("{}-{}", literal(first), literal(last)))
        .unwrap_or_default())
}
