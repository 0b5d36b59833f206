//! Heads of keys as they stand in JSON, made in `const`. A text is compared with the key that
//! mostly comes next, a word at a time. That takes fewer instructions than a call.

/// The first eight bytes of `key":`, or all, if there are fewer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyHead {
    bytes: u64,
    /// Mask of the bytes that are compared; zero for a key that has to be escaped in JSON.
    mask: u64,
}

impl KeyHead {
    /// Returns the head of a key.
    pub(crate) const fn of(key: &str) -> Self {
        let (mut head, mut shift) = (0, 0);
        let mut rest = key.as_bytes();
        while let [byte, tail @ ..] = rest {
            if *byte < 0x20 || *byte == b'"' || *byte == b'\\' {
                return Self { bytes: 1, mask: 0 };
            }
            if shift < u64::BITS {
                head |= (*byte as u64) << shift;
                shift += 8;
            }
            rest = tail;
        }
        if shift < u64::BITS {
            head |= (b'"' as u64) << shift;
            shift += 8;
        }
        if shift < u64::BITS {
            head |= (b':' as u64) << shift;
            shift += 8;
        }
        Self {
            bytes: head,
            mask: u64::MAX >> (u64::BITS - shift),
        }
    }

    /// Returns what comes behind the `key":` that a text starts with, if it does: `key` has this
    /// head.
    #[inline]
    pub(crate) fn strip_from<'t>(self, text: &'t [u8], key: &str) -> Option<&'t [u8]> {
        let length = key.len() + 2;
        match text.first_chunk() {
            Some(start) if u64::from_le_bytes(*start) & self.mask != self.bytes => None,
            Some(_) if length <= 8 => text.get(length..),
            _ => self.strip_long(text, key),
        }
    }

    /// Does the work of `strip_from` for a long key or a short text.
    #[inline(never)]
    fn strip_long<'t>(self, text: &'t [u8], key: &str) -> Option<&'t [u8]> {
        match text.strip_prefix(key.as_bytes())? {
            [b'"', b':', rest @ ..] if self.mask != 0 => Some(rest),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::KeyHead;

    #[test]
    fn a_head_is_stripped_where_the_key_stands() {
        let keys = [
            "",
            "a",
            "abcdef",
            "abcdefg",
            "abcdefgh",
            "straße",
            "a longer key",
        ];
        for key in keys {
            let head = KeyHead::of(key);
            for behind in ["", "1", " 1234567890"] {
                let text = format!("{key}\":{behind}");
                let rest = head.strip_from(text.as_bytes(), key);
                assert_eq!(rest, Some(behind.as_bytes()), "{text}");
                for at in 0..key.len() + 2 {
                    let (before, rest) = text.as_bytes().split_at(at);
                    assert_eq!(head.strip_from(before, key), None, "{text} {at}");
                    let other = [before, b"\x1f", rest.get(1..).unwrap_or_default()].concat();
                    assert_eq!(head.strip_from(&other, key), None, "{text} {at}");
                }
            }
        }
    }

    #[test]
    fn a_key_that_has_to_be_escaped_has_no_head() {
        for key in ["\"", "a\\", "a\nb", "a key that is \"long\""] {
            for text in [format!("{key}\":"), format!("{key}\": 1234567890")] {
                assert_eq!(KeyHead::of(key).strip_from(text.as_bytes(), key), None);
            }
        }
    }
}
