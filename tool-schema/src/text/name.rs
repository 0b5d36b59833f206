//! Names that every provider accepts.
//!
//! These are the intersection of the providers' rules. `OpenAI` and Bedrock take `[a-zA-Z0-9_-]` up
//! to 64 characters. Gemini also wants a letter or an underscore first; Anthropic and MCP take
//! more.

use std::fmt;

use crate::text::Printable;

/// Returns true if every provider accepts `name` for a tool: `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`.
pub const fn is_portable_name(name: &str) -> bool {
    let mut bytes = name.as_bytes();
    if bytes.len() > 64 {
        return false;
    }
    let mut first = true;
    while let [byte, rest @ ..] = bytes {
        let fits = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => true,
            b'0'..=b'9' | b'-' => !first,
            _ => false,
        };
        if !fits {
            return false;
        }
        first = false;
        bytes = rest;
    }
    !first
}

/// Returns true if two texts are equal, in `const`, where `==` does not work.
pub const fn same(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    while let ([x, a_rest @ ..], [y, b_rest @ ..]) = (a, b) {
        if *x != *y {
            return false;
        }
        (a, b) = (a_rest, b_rest);
    }
    a.is_empty() && b.is_empty()
}

/// Number of characters that are shown of a name, at most. No provider takes a longer one.
pub const LONGEST_SHOWN: usize = 128;

/// A name that some provider would refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameError(pub(crate) String);

impl NameError {
    /// Checks that every provider takes the name.
    ///
    /// # Errors
    /// When one would refuse it.
    pub fn check(name: &str) -> Result<(), Self> {
        if is_portable_name(name) {
            Ok(())
        } else {
            Err(Self(name.to_owned()))
        }
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "providers refuse the tool name \"{}\": use a letter or `_`, then letters, digits, `_` or `-`, 64 in all",
            Printable::new(&self.0).one_line().at_most(LONGEST_SHOWN)
        )
    }
}

impl std::error::Error for NameError {}
