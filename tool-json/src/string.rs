//! Strings in JSON text: escapes, and the search for the end of a plain run.

use std::fmt::Write as _;

use crate::scan::{Error, Expected};

/// Returns the end of the plain run that starts at `from`: the offset of the first quote, backslash or control
/// character, or the length of the text.
#[inline(never)]
pub fn plain_run(bytes: &[u8], from: usize) -> usize {
    let (chunks, rest) = bytes.get(from..).unwrap_or_default().as_chunks();
    let mut at = from;
    for chunk in chunks {
        if let Some(place) = special(chunk) {
            return at + place;
        }
        at += chunk.len();
    }
    at + short_run(rest)
}

/// Returns the length of the plain run of less than 16 bytes. It reads eight bytes from each end, which may overlap.
fn short_run(bytes: &[u8]) -> usize {
    let len = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let first = special_of_eight(u64::from_le_bytes(*first));
        let last = || Some(len + special_of_eight(u64::from_le_bytes(*last))? - 8);
        return first.or_else(last).unwrap_or(len);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        let both = u64::from(first) | u64::from(last) << 32;
        return match special_of_eight(both) {
            Some(place @ 0..4) => place,
            Some(place) => len + place - 8,
            None => len,
        };
    }
    bytes.iter().take_while(|byte| !is_special(**byte)).count()
}

/// Returns the position of the first special byte, in little-endian order. Marks after it may be wrong, because the
/// subtraction borrows.
fn special_of_eight(bytes: u64) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xff;
    let below = |bytes: u64, limit: u64| bytes.wrapping_sub(ONES * limit) & !bytes;
    let is = |byte: u8| below(bytes ^ (ONES * u64::from(byte)), 1);
    let marks = (below(bytes, 0x20) | is(b'"') | is(b'\\')) & (ONES << 7);
    (marks != 0).then(|| marks.trailing_zeros() as usize / 8)
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Returns the position of the first special byte. All bytes are marked before any mark is checked, so that the
/// compiler uses vector instructions.
#[inline(always)]
#[allow(clippy::inline_always)] // Most of a text is read by it.
fn special(chunk: &[u8; 16]) -> Option<usize> {
    let mut marks = [0; 16];
    for (mark, byte) in marks.iter_mut().zip(chunk) {
        *mark = if is_special(*byte) { 0xff } else { 0 };
    }
    if marks.iter().fold(0, |any, mark| any | mark) == 0 {
        return None;
    }
    Some(u128::from_le_bytes(marks).trailing_zeros() as usize / 8)
}

/// Appends `text` as a JSON string.
pub fn write_string(out: &mut String, text: &str) {
    out.reserve(text.len() + 2);
    out.push('"');
    // Most texts are one plain run.
    if plain_run(text.as_bytes(), 0) == text.len() {
        out.push_str(text);
    } else {
        write_runs(out, text);
    }
    out.push('"');
}

/// Writes the plain runs, and escapes the characters between them.
fn write_runs(out: &mut String, text: &str) {
    let mut rest = text;
    loop {
        // Runs end at ASCII characters, and so at character boundaries.
        let run = rest.split_at_checked(plain_run(rest.as_bytes(), 0));
        let (plain, from) = run.unwrap_or((rest, ""));
        out.push_str(plain);
        let mut chars = from.chars();
        match chars.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(control) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            None => break,
        }
        rest = chars.as_str();
    }
}

/// Returns the text without a byte order mark before it. Editors and shells of Windows write one before JSON.
pub fn strip_bom(text: &str) -> &str {
    text.trim_ascii_start()
        .strip_prefix('\u{feff}')
        .unwrap_or(text)
}

/// Returns the text as a JSON string.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(&mut out, text);
    out
}

/// Reads the escape whose backslash is at `at`. Returns the character and the offset after the escape.
pub(crate) fn escape(text: &str, at: usize) -> Result<(char, usize), Error> {
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
        _ => return Err(Error::new(Expected::Escape, at)),
    };
    Ok((char, at + 2))
}

/// Reads `\uXXXX`, or two of them that form a surrogate pair. A Rust string cannot hold a lone surrogate.
fn unicode_escape(bytes: &[u8], at: usize) -> Result<(char, usize), Error> {
    let first = hex(bytes, at)?;
    let (code, end) = match first {
        0xd800..=0xdbff => {
            let low = match bytes.get(at + 6..at + 8) {
                Some(b"\\u") => hex(bytes, at + 6)?,
                _ => return Err(Error::new(Expected::Pair, at)),
            };
            if !(0xdc00..=0xdfff).contains(&low) {
                return Err(Error::new(Expected::Pair, at));
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
        None => Err(Error::new(Expected::Pair, at)),
    }
}

/// Reads the four hexadecimal digits of the `\uXXXX` at `at`.
fn hex(bytes: &[u8], at: usize) -> Result<u32, Error> {
    let digits = bytes.get(at + 2..at + 6).unwrap_or_default();
    let value = digits.iter().try_fold(0, |value, &digit| {
        Some(value << 4 | char::from(digit).to_digit(16)?)
    });
    match value {
        Some(value) if digits.len() == 4 => Ok(value),
        _ => Err(Error::new(Expected::Hex, at)),
    }
}

#[cfg(test)]
mod tests {
    use super::plain_run;

    #[test]
    fn a_run_ends_at_the_first_special_byte_wherever_it_stands() {
        // Bytes close to the special ones must not end the run.
        for plain in [b'a', 0x20, 0x7f, 0x80, 0xff, b'!', b'#', b'[', b']'] {
            for len in 0..40 {
                let run = vec![plain; len];
                assert_eq!(plain_run(&run, 0), len, "{plain} {len}");
                for special in [b'"', b'\\', 0, 0x1f] {
                    for behind in 0..10 {
                        let bytes = [run.as_slice(), &[special], &vec![plain; behind]].concat();
                        assert_eq!(
                            plain_run(&bytes, 0),
                            len,
                            "{plain} {len} {special} {behind}"
                        );
                    }
                }
            }
        }
    }
}
