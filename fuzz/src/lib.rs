//! What holds for any arguments, for any response of a provider, and for any messages of MCP. A panic is a finding.

pub mod arguments;
pub mod messages;
mod mutate;
pub mod responses;
mod tools;

use std::borrow::Cow;

pub use self::mutate::mutate;

/// An input's text, and which of `kinds` its first byte selects. The digits select in their order, so
/// that an input is a text that people can read and write.
fn selected(input: &[u8], kinds: usize) -> Option<(usize, Cow<'_, str>)> {
    let (first, text) = input.split_first()?;
    let kind = usize::from(first.wrapping_sub(b'0')) % kinds;
    Some((kind, String::from_utf8_lossy(text)))
}
