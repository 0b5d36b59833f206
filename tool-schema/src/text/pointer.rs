//! Keys in JSON pointers (RFC 6901), also inside a URI.

use std::borrow::Cow;

/// A key as a segment of a pointer: `/` separates segments, so inside one it is `~1`.
pub fn escaped(key: &str) -> Cow<'_, str> {
    if key.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
        Cow::Owned(key.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(key)
    }
}

/// The key that a part of a pointer names.
pub fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

/// A fragment without its percent-encoding. `None` if the encoding is broken.
pub fn percent_decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (high, low) = (digit()?, digit()?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(bytes).ok()
}
