//! Regular expressions in the tree.

use std::fmt;
use std::sync::OnceLock;

/// A regular expression that must match somewhere in a string.
///
/// The published text is in JSON Schema's dialect (ECMA-262 with the flag `u`); the one that runs is its equivalent for
/// the crate `regex`.
#[derive(Clone, Copy)]
pub struct Pattern<'s> {
    /// The expression, as it is published.
    pub text: &'s str,
    matches: Matcher<'s>,
}

/// Function or expression that matches a pattern.
#[derive(Clone, Copy)]
pub(crate) enum Matcher<'s> {
    /// Generated code, which holds the compiled expression.
    Function(fn(&str) -> bool),
    /// An expression of a schema that was read at run time.
    Regex(&'s regex::Regex),
}

impl<'s> Pattern<'s> {
    /// A pattern that a function matches.
    pub const fn new(text: &'s str, matches: fn(&str) -> bool) -> Self {
        Self {
            text,
            matches: Matcher::Function(matches),
        }
    }

    /// A pattern of a schema that was read at run time.
    pub(crate) const fn of(text: &'s str, regex: &'s regex::Regex) -> Self {
        Self {
            text,
            matches: Matcher::Regex(regex),
        }
    }

    /// Returns true if it matches somewhere in a text.
    pub fn is_match(&self, text: &str) -> bool {
        match self.matches {
            Matcher::Function(matches) => matches(text),
            Matcher::Regex(regex) => regex.is_match(text),
        }
    }
}

/// Returns true if a pattern of others matches somewhere in a text; `None` if it cannot be run.
pub fn pattern_matches(pattern: &str, text: &str) -> Option<bool> {
    let regex = toolwright_pattern::read(pattern).ok()?;
    Some(regex.is_match(text))
}

/// The address of a function is meaningless to a reader.
impl fmt::Debug for Pattern<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.text).finish()
    }
}

/// An expression in the dialect of the crate `regex`, built when it is first run.
#[derive(Debug)]
pub struct Regex {
    text: &'static str,
    built: OnceLock<Option<regex::Regex>>,
}

impl Regex {
    /// The expression of this text.
    pub const fn new(text: &'static str) -> Self {
        Self {
            text,
            built: OnceLock::new(),
        }
    }

    /// Returns true if the expression matches somewhere in a text. The macro has built it before;
    /// if it did not build here all the same, it would match nothing.
    pub fn is_match(&self, text: &str) -> bool {
        self.built
            .get_or_init(|| toolwright_pattern::build(self.text).ok())
            .as_ref()
            .is_some_and(|regex| regex.is_match(text))
    }
}

#[cfg(test)]
mod tests {
    use super::{Pattern, Regex};

    #[test]
    fn an_expression_matches_somewhere() {
        static REGEX: Regex = Regex::new("b+");
        assert!(REGEX.is_match("abbc"));
        assert!(!REGEX.is_match("ac"));
    }

    #[test]
    fn what_does_not_build_matches_nothing() {
        static REGEX: Regex = Regex::new("(");
        assert!(!REGEX.is_match("("));
        assert!(!REGEX.is_match(""));
    }

    #[test]
    fn a_pattern_shows_its_text() {
        let pattern = Pattern::new("^a$", |_| true);
        assert_eq!(format!("{pattern:?}"), r#"Pattern("^a$")"#);
    }
}
