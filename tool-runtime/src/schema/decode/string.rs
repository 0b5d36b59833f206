use super::{Error, Problem};

/// Reads the escape whose backslash stands at `at`: the character that it stands for, and the
/// offset behind it.
pub(super) fn escape(text: &str, at: usize) -> Result<(char, usize), Error> {
    let bytes = text.as_bytes();
    let char = match bytes.get(at + 1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode_escape(bytes, at),
        _ => return Err(bad_escape("an escape such as \\n or \\u00e9", at)),
    };
    Ok((char, at + 2))
}

/// `\uXXXX`, or two of them that form a surrogate pair. A lone surrogate is no Unicode text, and a
/// Rust string cannot hold it.
fn unicode_escape(bytes: &[u8], at: usize) -> Result<(char, usize), Error> {
    const LONE: &str = "a surrogate pair (this half stands alone)";
    let first = hex(bytes, at)?;
    let (code, end) = match first {
        0xd800..=0xdbff => {
            let low = match bytes.get(at + 6..at + 8) {
                Some(b"\\u") => hex(bytes, at + 6)?,
                _ => return Err(bad_escape(LONE, at)),
            };
            if !(0xdc00..=0xdfff).contains(&low) {
                return Err(bad_escape(LONE, at));
            }
            (
                0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00),
                at + 12,
            )
        }
        _ => (first, at + 6),
    };
    match char::from_u32(code) {
        Some(char) => Ok((char, end)),
        None => Err(bad_escape(LONE, at)),
    }
}

/// The four hexadecimal digits of the `\uXXXX` at `at`.
fn hex(bytes: &[u8], at: usize) -> Result<u32, Error> {
    let digits = bytes.get(at + 2..at + 6).unwrap_or_default();
    let value = digits.iter().try_fold(0, |value, &digit| {
        Some(value << 4 | char::from(digit).to_digit(16)?)
    });
    match value {
        Some(value) if digits.len() == 4 => Ok(value),
        _ => Err(bad_escape("four hexadecimal digits after \\u", at)),
    }
}

#[cold]
fn bad_escape(expected: &'static str, at: usize) -> Error {
    Error::at(Problem::Syntax { expected }, at)
}
