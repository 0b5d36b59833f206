//! Which names every provider accepts.
//!
//! The intersection of the providers' rules: `OpenAI` and Bedrock take `[a-zA-Z0-9_-]` up to 64
//! characters, Gemini also wants a letter or an underscore first, Anthropic and MCP take more.

use std::fmt;

/// Whether every provider accepts `name` for a tool: `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`.
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

/// A name that some provider would refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameError(pub(crate) String);

impl NameError {
    pub(crate) fn check(name: &str) -> Result<(), Self> {
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
            "providers refuse the tool name {:?}: use a letter or `_`, then letters, digits, `_` or `-`, 64 in all",
            self.0
        )
    }
}

impl std::error::Error for NameError {}
