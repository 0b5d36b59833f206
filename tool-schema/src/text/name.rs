//! Names that every provider accepts.
//!
//! These are the intersection of the providers' rules. `OpenAI` and Bedrock take `[a-zA-Z0-9_-]` up to 64 characters.
//! Gemini also wants a letter or an underscore first; Anthropic and MCP take more.

use std::borrow::Cow;
use std::fmt::{self, Write};

use crate::text::{FNV_OFFSET, Printable, fnv1a};

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

/// Returns a name that every provider accepts for a tool: `name` itself if it is [portable](is_portable_name).
///
/// Other characters become `_`. A name that starts with none of `a`-`z`, `A`-`Z` and `_` gets a `_` in front. A name of
/// more than 64 characters is cut and ends in a hash of the whole name, so that two long names stay distinct. The result
/// depends on nothing but `name`. Two short names can become the same: `a.b` and `a/b`.
///
/// ```
/// use toolwright::text::portable_name;
///
/// assert_eq!(portable_name("add"), "add");
/// assert_eq!(portable_name("files.read/all"), "files_read_all");
/// assert_eq!(portable_name("7zip"), "_7zip");
/// ```
pub fn portable_name(name: &str) -> Cow<'_, str> {
    const LONGEST: usize = 64;
    if is_portable_name(name) {
        return Cow::Borrowed(name);
    }
    let fits = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let chars = name.chars();
    let mut portable: String = chars
        .map(|char| if fits(char) { char } else { '_' })
        .collect();
    if !portable.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_') {
        portable.insert(0, '_');
    }
    if portable.len() > LONGEST {
        let hash = fnv1a(FNV_OFFSET, name.as_bytes());
        portable.truncate(LONGEST - 9);
        // Writing to a string cannot fail.
        let _ = write!(portable, "_{:08x}", hash >> 32);
    }
    Cow::Owned(portable)
}

/// Returns true if two texts are equal, in `const`, where `==` does not work.
pub const fn same(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    // Names of one type begin alike more often than they end alike.
    while let ([a_rest @ .., x], [b_rest @ .., y]) = (a, b) {
        if *x != *y {
            return false;
        }
        (a, b) = (a_rest, b_rest);
    }
    true
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
            "providers refuse the name \"{}\": use a letter or `_`, then letters, digits, `_` or `-`, 64 in all",
            Printable::new(&self.0).one_line().at_most(LONGEST_SHOWN)
        )
    }
}

impl std::error::Error for NameError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_becomes_portable() {
        assert_eq!(portable_name(""), "_");
        assert!(is_portable_name(&portable_name("número ñ")));
        let (one, two) = ("x".repeat(70), "x".repeat(71));
        let (one, two) = (portable_name(&one), portable_name(&two));
        assert!(one != two && one.len() == 64 && is_portable_name(&one));
    }
}
