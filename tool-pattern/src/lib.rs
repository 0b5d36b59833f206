//! Regular expressions as JSON Schema means them (ECMA-262 with the flag `u`), in the dialect of the crate `regex`, which
//! runs them: the same text means other things in both, or one refuses it. [`hidden`] has the characters that nobody sees.
//! Part of the crate `toolwright`.
//!
//! A pattern of ours is refused where another engine may refuse or misread it, since a client that compiles a published
//! schema would refuse all of it. A pattern of others is read as engines without the flag `u` read it.

mod escape;
pub mod hidden;
#[cfg(test)]
mod tests;

use std::fmt;

use regex::{Error, Regex, RegexBuilder};

use self::escape::Escaped;

/// Limit on the memory of a built pattern, in bytes, which also bounds what a match costs.
pub const MOST_BYTES: usize = 512 * 1024;

/// Any character; a class that admits all must be written so.
const ANY: &str = r"[\x{0}-\x{10FFFF}]";
/// No character.
const NONE: &str = r"[^\x{0}-\x{10FFFF}]";

/// Reason why a pattern is refused, with a line of help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError(String);

impl PatternError {
    /// Returns the reason without the help.
    pub fn reason(&self) -> &str {
        self.0.lines().next().unwrap_or_default()
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PatternError {}

type Parsed<T> = Result<T, PatternError>;

fn refused(what: impl fmt::Display, help: impl fmt::Display) -> PatternError {
    PatternError(format!("`pattern` {what}\nhelp: {help}"))
}

fn wrong(why: impl fmt::Display, help: impl fmt::Display) -> PatternError {
    refused(format_args!("is not a regular expression: {why}"), help)
}

fn ambiguous(what: impl fmt::Display, help: &str) -> PatternError {
    refused(format_args!("can be read in two ways: {what}"), help)
}

fn unportable(what: &str) -> PatternError {
    let help = "write the pattern without it, or check the rest in code";
    refused(
        format_args!("has {what}, which most providers refuse"),
        help,
    )
}

fn too_large() -> PatternError {
    let help = "write smaller numbers in `{…}`, or check the length with `len`";
    refused("is too large to be run", help)
}

/// Builds a pattern of others.
///
/// # Errors
/// If it is not a regular expression, is too large, or cannot be matched in linear time.
pub fn read(pattern: &str) -> Result<Regex, PatternError> {
    build(&translate(pattern, false)?)
}

/// Returns a pattern of ours in the dialect of the crate `regex`.
///
/// # Errors
/// If another engine may refuse or misread it, or it is too large.
pub fn checked(pattern: &str) -> Result<String, PatternError> {
    let regex = translate(pattern, true)?;
    build(&regex).map(|_| regex)
}

/// Builds an expression in the dialect of the crate `regex`.
///
/// # Errors
/// If it is too large, or nested too deep.
pub fn build(regex: &str) -> Result<Regex, PatternError> {
    let built = RegexBuilder::new(regex).size_limit(MOST_BYTES).build();
    built.map_err(|error| match error {
        Error::CompiledTooBig(_) => too_large(),
        error => {
            // The last line says it, behind a drawing of the place.
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            let why = last.strip_prefix("error: ").unwrap_or(last);
            refused("cannot be run", format_args!("simplify it: {why}"))
        }
    })
}

fn translate(text: &str, is_ours: bool) -> Parsed<String> {
    let mut parser = PatternParser {
        rest: text,
        is_ours,
        out: String::new(),
        depth: 0,
        names: Vec::new(),
        repeatable: false,
    };
    while let Some(char) = parser.next() {
        parser.term(char)?;
    }
    if parser.depth > 0 {
        let help = r"add a `)`, or write `\(` for the character";
        return Err(wrong("a `(` is not closed", help));
    }
    Ok(parser.out)
}

/// Parser of a pattern: the remaining input, and the output so far.
struct PatternParser<'t> {
    rest: &'t str,
    is_ours: bool,
    out: String,
    /// Number of open groups.
    depth: usize,
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
        let closes_nothing = |char: char| {
            let help = format!(r"remove it, or write `\{char}` for the character");
            wrong(format_args!("a `{char}` closes nothing"), help)
        };
        match char {
            '^' | '$' | '|' => self.push(&char.to_string(), false),
            '.' => self.push(r"[^\n\r\x{2028}\x{2029}]", true),
            '(' => self.group()?,
            ')' => {
                let depth = self.depth.checked_sub(1);
                self.depth = depth.ok_or_else(|| closes_nothing(char))?;
                self.push(")", true);
            }
            '[' => {
                let class = self.class()?;
                self.push(&class, true);
            }
            '\\' if self.eat("b") => self.push(r"(?-u:\b)", false),
            '\\' if self.eat("B") => self.push(r"(?-u:\B)", false),
            '\\' => {
                let atom = self.escape(false)?.outside();
                self.push(&atom, true);
            }
            '*' | '+' | '?' => self.repeat(&char.to_string())?,
            '{' => match self.count()? {
                Some(count) => self.repeat(&count)?,
                None => self.push(&literal('{'), true),
            },
            '}' | ']' if self.is_ours => return Err(closes_nothing(char)),
            other => self.push(&literal(other), true),
        }
        Ok(())
    }

    fn push(&mut self, text: &str, repeatable: bool) {
        self.out.push_str(text);
        self.repeatable = repeatable;
    }

    /// A quantifier, once: the crate `regex` would take `a**`.
    fn repeat(&mut self, quantifier: &str) -> Parsed<()> {
        if !self.repeatable {
            return Err(wrong(
                format_args!("nothing that can repeat stands before `{quantifier}`"),
                format_args!("remove it, or write `\\{quantifier}` for the character"),
            ));
        }
        self.push(quantifier, false);
        if self.eat("?") {
            self.out.push('?');
        }
        Ok(())
    }

    /// `{2}`, `{2,}` or `{2,3}`, behind its brace. In `{,3}` and `{ 2 }` the crate `regex` would see a count, too.
    fn count(&mut self) -> Parsed<Option<String>> {
        let start = self.rest;
        let inner = self.until('}').unwrap_or_default();
        let (min, max) = inner.split_once(',').unwrap_or((inner, inner));
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(min) || !(max.is_empty() || is_number(max)) {
            self.rest = start;
            let help = r"the counts are `{2}`, `{2,}` and `{0,2}`; the character is `\{`";
            let refusal = wrong("a `{` starts no count", help);
            return if self.is_ours { Err(refusal) } else { Ok(None) };
        }
        let number = |text: &str| text.parse::<u32>().map_err(|_| too_large());
        if !max.is_empty() && number(max)? < number(min)? {
            let why = format_args!("`{{{inner}}}` is the wrong way round");
            return Err(wrong(why, "put the smaller number first"));
        }
        number(min).map(|_| Some(format!("{{{inner}}}")))
    }

    /// A group, behind its parenthesis. Nobody asks what it matched, so that names are left out.
    fn group(&mut self) -> Parsed<()> {
        let looks = ["?=", "?!", "?<=", "?<!"];
        if looks.iter().any(|look| self.rest.starts_with(look)) {
            return Err(unportable("look-around"));
        }
        if self.eat("?<") {
            let name = self.until('>').unwrap_or_default();
            let is_letter = |char: char| char.is_alphabetic() || char == '_' || char == '$';
            let mut chars = name.chars();
            if !chars.next().is_some_and(is_letter)
                || !chars.all(|char| is_letter(char) || char.is_numeric())
            {
                let help = "write `(?<name>…)` with letters, digits and `_`, or `(…)`";
                return Err(wrong("a group has a name that is none", help));
            }
            if self.names.contains(&name) {
                let why = format_args!("two groups are named `{name}`");
                return Err(wrong(why, "rename one, or write `(…)`"));
            }
            self.names.push(name);
        } else if !self.eat("?:") && self.rest.starts_with('?') {
            let help = r"the groups are `(…)`, `(?:…)` and `(?<name>…)`; the character is `\(`";
            return Err(wrong("a group starts with `(?`", help));
        }
        self.push("(?:", false);
        self.depth += 1;
        Ok(())
    }

    /// A class, behind its bracket. In the dialect of the crate `regex` brackets nest, and `&&`, `--` and `~~` are
    /// operators; in that of JSON Schema all of these are characters.
    fn class(&mut self) -> Parsed<String> {
        let negated = self.eat("^");
        let mut items = String::new();
        loop {
            self.no_operator()?;
            let Some(first) = self.item()? else {
                break;
            };
            self.no_operator()?;
            if self.rest.starts_with("-]") || !self.eat("-") {
                items.push_str(&first.inside());
            } else if let Some(last) = self.item()? {
                items.push_str(&range(&first, &last)?);
            }
        }
        Ok(match (items.as_str(), negated) {
            ("", true) => ANY.to_owned(),
            ("", false) => NONE.to_owned(),
            (items, _) => format!("[{}{items}]", if negated { "^" } else { "" }),
        })
    }

    fn no_operator(&self) -> Parsed<()> {
        let operators = ["&&", "--", "~~"];
        let mut operators = operators.iter().filter(|it| self.rest.starts_with(**it));
        match operators.next() {
            Some(operator) if self.is_ours => Err(ambiguous(
                format_args!("`{operator}` stands inside `[…]`"),
                r"list the characters that may stand there, one of each; `\-` is the character",
            )),
            _ => Ok(()),
        }
    }

    /// One item of a class; none at its end.
    fn item(&mut self) -> Parsed<Option<Escaped>> {
        match self.next() {
            Some(']') => Ok(None),
            Some('\\') => self.escape(true).map(Some),
            Some('[') if self.is_ours => {
                let is_posix = self.rest.starts_with(':');
                let posix = "a POSIX class, such as `[:alpha:]`,";
                let what = if is_posix { posix } else { "a `[`" };
                let help = r"list the characters, as in `[A-Za-z]`; `\[` is the character";
                Err(ambiguous(format_args!("{what} stands inside `[…]`"), help))
            }
            Some(char) => Ok(Some(Escaped::Char(char.into()))),
            None => {
                let help = r"add a `]`, or write `\[` for the character";
                Err(wrong("a `[` is not closed", help))
            }
        }
    }
}

/// Writes a range from one character to another. No Rust text has a surrogate, so ends that are one move to
/// the next character inside.
fn range(first: &Escaped, last: &Escaped) -> Parsed<String> {
    let (&Escaped::Char(first), &Escaped::Char(last)) = (first, last) else {
        let help = r"put the `-` last, or write `\-` for the character";
        return Err(wrong(r"a class such as `\d` is an end of a range", help));
    };
    if first > last {
        let help = r"put the smaller character first, or write `\-` for the character";
        return Err(wrong("a range in `[…]` is the wrong way round", help));
    }
    let first = char::from_u32(first).unwrap_or('\u{E000}');
    let last = char::from_u32(last).unwrap_or('\u{D7FF}');
    let ends = (first <= last).then(|| format!("{}-{}", literal(first), literal(last)));
    Ok(ends.unwrap_or_default())
}

/// The character itself, in a class or outside.
fn literal(char: char) -> String {
    regex::escape(char.encode_utf8(&mut [0; 4]))
}
