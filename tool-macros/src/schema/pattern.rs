//! Regular expressions as JSON Schema means them (ECMA-262 with the flag `u`), in the dialect of the
//! crate `regex`, which runs them: the same text means other things in both, or is refused by one.
//!
//! What the flag forbids (`\-` outside of a class, a lone `{`) is refused: a client that compiles a
//! published schema would refuse all of it. So is what the flag allows and the crate `regex` reads as an
//! operator, since that is probably what was meant.

use proc_macro2::TokenStream;
use regex::{Error, Regex};

use crate::ctxt::Ctxt;
use crate::model::Text;
use crate::span::{self, quote};

mod class;
mod escape;
#[cfg(test)]
mod tests;

/// A pattern that can be run.
pub(super) struct Pattern {
    /// As it is published.
    text: String,
    /// As it is run.
    regex: String,
}

impl Pattern {
    /// Reads it; what is wrong with it is told where the literal stands.
    pub(super) fn read(cx: &Ctxt, text: &Text) -> Option<Self> {
        match checked(&text.value) {
            Ok(regex) => Some(Self {
                text: text.value.clone(),
                regex,
            }),
            Err(refusal) => {
                cx.error_at(text.span, refusal.to_string());
                None
            }
        }
    }

    /// Returns true if a text matches.
    pub(super) fn is_match(&self, text: &str) -> bool {
        // It was built when it was read.
        Regex::new(&self.regex).is_ok_and(|regex| regex.is_match(text))
    }

    /// The tokens of the runtime's `Pattern`.
    pub(super) fn tokens(&self) -> TokenStream {
        let (text, regex) = (span::literal(&self.text), span::literal(&self.regex));
        quote! {
            __tool::Pattern::new(#text, |__tool_text| {
                static REGEX: __tool::Regex = __tool::Regex::new(#regex);
                REGEX.is_match(__tool_text)
            })
        }
    }
}

/// Reasons why a pattern is refused.
#[derive(Debug)]
enum PatternError {
    /// Engines that run in linear time do not know it.
    Unportable(&'static str),
    /// It is no regular expression: why, and what to do.
    Wrong(String, String),
    /// Its author may mean what it means to the crate `regex`: which part, and what to write.
    Ambiguous(String, &'static str),
    /// It would take too much memory.
    TooLarge,
    /// The crate `regex` has a reason of its own.
    Unbuilt(String),
}

impl std::fmt::Display for PatternError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unportable(what) => write!(
                f,
                "`pattern` has {what}, which most providers refuse\nhelp: write the pattern without it, or check the rest in code"
            ),
            Self::Wrong(why, help) => {
                write!(f, "`pattern` is no regular expression: {why}\nhelp: {help}")
            }
            Self::Ambiguous(what, help) => write!(
                f,
                "`pattern` can be read in two ways: {what}\nhelp: {help}"
            ),
            Self::TooLarge => f.write_str(
                "`pattern` is too large to be run\nhelp: write smaller numbers in `{…}`, or check the length with `len`",
            ),
            Self::Unbuilt(why) => write!(f, "`pattern` cannot be run\nhelp: simplify it: {why}"),
        }
    }
}

fn wrong(why: impl Into<String>, help: impl Into<String>) -> PatternError {
    PatternError::Wrong(why.into(), help.into())
}

type Parsed<T> = Result<T, PatternError>;

/// The pattern in the dialect of the crate `regex`, which has built it.
fn checked(text: &str) -> Parsed<String> {
    let regex = translate(text)?;
    match Regex::new(&regex) {
        Ok(_) => Ok(regex),
        Err(Error::CompiledTooBig(_)) => Err(PatternError::TooLarge),
        Err(error) => {
            // The last line says it, behind a drawing of the place.
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            let why = last.strip_prefix("error: ").unwrap_or(last);
            Err(PatternError::Unbuilt(why.to_owned()))
        }
    }
}

/// The pattern in the dialect of the crate `regex`.
fn translate(text: &str) -> Parsed<String> {
    let mut reader = PatternParser {
        rest: text,
        out: String::new(),
        depth: 0,
        names: Vec::new(),
        repeatable: false,
    };
    while let Some(char) = reader.next() {
        reader.term(char)?;
    }
    if reader.depth > 0 {
        return Err(wrong(
            "a `(` is not closed",
            r"add a `)`, or write `\(` for the character",
        ));
    }
    Ok(reader.out)
}

/// Parser of a pattern: the remaining input, and the output so far.
struct PatternParser<'t> {
    rest: &'t str,
    out: String,
    /// The groups that are open.
    depth: usize,
    /// The names of groups.
    names: Vec<&'t str>,
    /// True if the last item can be repeated.
    repeatable: bool,
}

impl<'t> PatternParser<'t> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    fn eat(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Returns the text before `end`, if `end` occurs.
    fn until(&mut self, end: char) -> Option<&'t str> {
        let (inner, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(inner)
    }

    /// Parses the term that begins with this character.
    fn term(&mut self, char: char) -> Parsed<()> {
        match char {
            '^' | '$' | '|' => {
                self.out.push(char);
                self.repeatable = false;
            }
            '.' => self.atom(r"[^\n\r\x{2028}\x{2029}]"),
            '(' => self.group()?,
            ')' => {
                self.depth = self.depth.checked_sub(1).ok_or_else(|| {
                    wrong(
                        "a `)` closes nothing",
                        r"remove it, or write `\)` for the character",
                    )
                })?;
                self.atom(")");
            }
            '[' => {
                let class = self.class()?;
                self.atom(&class);
            }
            '\\' if self.eat("b") => self.boundary(r"(?-u:\b)"),
            '\\' if self.eat("B") => self.boundary(r"(?-u:\B)"),
            '\\' => {
                let atom = self.escape(false)?.outside();
                self.atom(&atom);
            }
            '*' | '+' | '?' => self.repeat(&char.to_string())?,
            '{' => {
                let count = self.count()?;
                self.repeat(&count)?;
            }
            '}' | ']' => {
                return Err(wrong(
                    format!("a `{char}` closes nothing"),
                    format!(r"remove it, or write `\{char}` for the character"),
                ));
            }
            other => self.atom(&literal(other)),
        }
        Ok(())
    }

    fn atom(&mut self, atom: &str) {
        self.out.push_str(atom);
        self.repeatable = true;
    }

    fn boundary(&mut self, boundary: &str) {
        self.out.push_str(boundary);
        self.repeatable = false;
    }

    /// A quantifier, once: the crate `regex` would take `a**`.
    fn repeat(&mut self, quantifier: &str) -> Parsed<()> {
        if !self.repeatable {
            return Err(wrong(
                format!("nothing that can repeat stands before `{quantifier}`"),
                format!("remove it, or write `\\{quantifier}` for the character"),
            ));
        }
        self.out.push_str(quantifier);
        if self.eat("?") {
            self.out.push('?');
        }
        self.repeatable = false;
        Ok(())
    }

    /// `{2}`, `{2,}` or `{2,3}`, behind its brace. In `{,3}` and `{ 2 }` the crate `regex` would see a count, too.
    fn count(&mut self) -> Parsed<String> {
        let inner = self.until('}').unwrap_or_default();
        let (min, max) = match inner.split_once(',') {
            Some((min, "")) => (min, None),
            Some((min, max)) => (min, Some(max)),
            None => (inner, None),
        };
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(min) || !max.is_none_or(is_number) {
            return Err(wrong(
                "a `{` starts no count",
                r"the counts are `{2}`, `{2,}` and `{0,2}`; the character is `\{`",
            ));
        }
        let number = |text: &str| text.parse::<u32>().map_err(|_| PatternError::TooLarge);
        let least = number(min)?;
        if let Some(max) = max
            && number(max)? < least
        {
            return Err(wrong(
                format!("`{{{inner}}}` is the wrong way round"),
                "put the smaller number first",
            ));
        }
        Ok(format!("{{{inner}}}"))
    }

    /// A group, behind its parenthesis. Nobody asks what it matched, so that names are left out.
    fn group(&mut self) -> Parsed<()> {
        let looks = ["?=", "?!", "?<=", "?<!"];
        if looks.iter().any(|look| self.rest.starts_with(look)) {
            return Err(PatternError::Unportable("look-around"));
        }
        if self.eat("?<") {
            let name = self.until('>').unwrap_or_default();
            let is_letter = |char: char| char.is_alphabetic() || char == '_' || char == '$';
            let is_name = name.starts_with(is_letter)
                && name
                    .chars()
                    .all(|char| is_letter(char) || char.is_numeric());
            if !is_name {
                return Err(wrong(
                    "a group has a name that is none",
                    "write `(?<name>…)` with letters, digits and `_`, or `(…)`",
                ));
            }
            if self.names.contains(&name) {
                return Err(wrong(
                    format!("two groups are named `{name}`"),
                    "rename one, or write `(…)`",
                ));
            }
            self.names.push(name);
        } else if !self.eat("?:") && self.rest.starts_with('?') {
            return Err(wrong(
                "a group starts with `(?`",
                r"the groups are `(…)`, `(?:…)` and `(?<name>…)`; the character is `\(`",
            ));
        }
        self.out.push_str("(?:");
        self.depth += 1;
        self.repeatable = false;
        Ok(())
    }
}

/// The character itself, in a class or outside.
fn literal(char: char) -> String {
    regex::escape(char.encode_utf8(&mut [0; 4]))
}
