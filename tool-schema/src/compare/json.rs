//! Reads the text of JSON in `const`, without a tree: values are slices of the text.

/// Returns the text without white space at its start.
const fn trim(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\n' | b'\t' | b'\r', rest @ ..] = text {
        text = rest;
    }
    text
}

/// Splits the value at the start off; `None` if none stands there.
pub(super) const fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = trim(text);
    match skip(text) {
        Some(rest) => text.split_at_checked(text.len() - rest.len()),
        None => None,
    }
}

/// Returns what stands behind the value. It counts brackets and keeps no stack of calls: `const` has a short one.
const fn skip(mut text: &[u8]) -> Option<&[u8]> {
    // A bit for each bracket that is open, the innermost lowest: 1 for an object.
    let (mut open, mut depth) = (0u128, 0u32);
    // What may stand here.
    let mut wants = Wants::Value;
    loop {
        text = trim(text);
        let is_object = open & 1 == 1;
        match (wants, text) {
            (Wants::Key | Wants::KeyOrEnd, [b'"', rest @ ..]) => {
                text = match string(rest) {
                    Some(rest) => match trim(rest) {
                        [b':', rest @ ..] => rest,
                        _ => return None,
                    },
                    None => return None,
                };
                wants = Wants::Value;
                continue;
            }
            (Wants::KeyOrEnd, [b'}', rest @ ..])
            | (Wants::ValueOrEnd, [b']', rest @ ..])
            | (Wants::CommaOrEnd, [b'}' | b']', rest @ ..]) => {
                if matches!(text, [b'}', ..]) != is_object {
                    return None;
                }
                open >>= 1;
                depth -= 1;
                text = rest;
            }
            (Wants::CommaOrEnd, [b',', rest @ ..]) => {
                wants = if is_object { Wants::Key } else { Wants::Value };
                text = rest;
                continue;
            }
            (Wants::Value | Wants::ValueOrEnd, [bracket @ (b'{' | b'['), rest @ ..]) => {
                if depth == u128::BITS {
                    return None;
                }
                depth += 1;
                open = (open << 1) | (*bracket == b'{') as u128;
                wants = if *bracket == b'{' {
                    Wants::KeyOrEnd
                } else {
                    Wants::ValueOrEnd
                };
                text = rest;
                continue;
            }
            (Wants::Value | Wants::ValueOrEnd, [b'"', rest @ ..]) => match string(rest) {
                Some(rest) => text = rest,
                None => return None,
            },
            (Wants::Value | Wants::ValueOrEnd, _) => match word(text) {
                Some(rest) => text = rest,
                None => return None,
            },
            _ => return None,
        }
        if depth == 0 {
            return Some(text);
        }
        wants = Wants::CommaOrEnd;
    }
}

#[derive(Clone, Copy)]
enum Wants {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    CommaOrEnd,
}

/// Returns what stands behind a string, whose first quote has been read.
const fn string(mut text: &[u8]) -> Option<&[u8]> {
    loop {
        match text {
            [b'"', rest @ ..] => return Some(rest),
            [b'\\', _, rest @ ..] | [_, rest @ ..] => text = rest,
            [] => return None,
        }
    }
}

/// Returns what stands behind a number, `true`, `false` or `null`.
const fn word(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b't', b'r', b'u', b'e', rest @ ..]
        | [b'n', b'u', b'l', b'l', rest @ ..]
        | [b'f', b'a', b'l', b's', b'e', rest @ ..] => return Some(rest),
        [b'-' | b'0'..=b'9', ..] => {}
        _ => return None,
    }
    let mut rest = text;
    while let [b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E', behind @ ..] = rest {
        rest = behind;
    }
    Some(rest)
}

/// The members of an object, or the elements of an array, one by one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts<'t>(&'t [u8]);

impl<'t> Parts<'t> {
    /// The parts of a value that is known to be whole. Of another value there are none.
    pub(super) const fn of(value: &'t [u8]) -> Self {
        match trim(value) {
            [b'{' | b'[', inside @ ..] => Self(inside),
            _ => Self(&[]),
        }
    }

    /// A list of one value.
    pub(super) const fn of_one(value: &'t [u8]) -> Self {
        Self(value)
    }

    /// Returns the text that is left.
    pub(super) const fn rest(self) -> &'t [u8] {
        self.0
    }

    /// Splits the first member off an object: its key, without the quotes and as it is written, and its value.
    pub(super) const fn member(self) -> Option<(&'t [u8], &'t [u8], Self)> {
        let Some((key, rest)) = split(self.0) else {
            return None;
        };
        let ([b'"', key @ .., b'"'], [b':', rest @ ..]) = (key, trim(rest)) else {
            return None;
        };
        match split(rest) {
            Some((value, rest)) => Some((key, value, Self(behind_comma(rest)))),
            None => None,
        }
    }

    /// Splits the first element off an array.
    pub(super) const fn element(self) -> Option<(&'t [u8], Self)> {
        match split(self.0) {
            Some((value, rest)) => Some((value, Self(behind_comma(rest)))),
            None => None,
        }
    }
}

const fn behind_comma(text: &[u8]) -> &[u8] {
    match trim(text) {
        [b',', rest @ ..] => rest,
        other => other,
    }
}

/// Returns the value behind a key of an object.
pub(super) const fn get<'t>(object: &'t [u8], key: &[u8]) -> Option<&'t [u8]> {
    let mut parts = Parts::of(object);
    while let Some((name, value, rest)) = parts.member() {
        if equal(name, key) {
            return Some(value);
        }
        parts = rest;
    }
    None
}

/// Returns true if an array has a string with this text inside its quotes.
pub(super) const fn has_string(array: &[u8], text: &[u8]) -> bool {
    let mut parts = Parts::of(array);
    while let Some((one, rest)) = parts.element() {
        if let [b'"', inside @ .., b'"'] = one
            && equal(inside, text)
        {
            return true;
        }
        parts = rest;
    }
    false
}

/// Returns how many parts a value has.
pub(super) const fn count(value: &[u8]) -> u64 {
    let is_object = matches!(trim(value), [b'{', ..]);
    let mut parts = Parts::of(value);
    let mut count = 0;
    loop {
        parts = match (is_object, parts) {
            (true, parts) => match parts.member() {
                Some((_, _, rest)) => rest,
                None => return count,
            },
            (false, parts) => match parts.element() {
                Some((_, rest)) => rest,
                None => return count,
            },
        };
        count += 1;
    }
}

/// Returns true if two texts are the same.
pub(super) const fn equal(mut a: &[u8], mut b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    while let (Some((one, rest)), Some((other, behind))) =
        (a.split_first_chunk::<8>(), b.split_first_chunk::<8>())
    {
        if u64::from_le_bytes(*one) != u64::from_le_bytes(*other) {
            return false;
        }
        (a, b) = (rest, behind);
    }
    while let ([one, rest @ ..], [other, behind @ ..]) = (a, b) {
        if *one != *other {
            return false;
        }
        (a, b) = (rest, behind);
    }
    true
}

/// Returns true if two values are the same but for white space between their parts.
pub(super) const fn alike(mut a: &[u8], mut b: &[u8]) -> bool {
    if equal(a, b) {
        return true;
    }
    loop {
        (a, b) = (trim(a), trim(b));
        match (a, b) {
            ([], []) => return true,
            ([b'"', behind @ ..], [b'"', other @ ..]) => {
                let (Some(rest), Some(rest_of_other)) = (string(behind), string(other)) else {
                    return false;
                };
                let one = a.split_at(a.len() - rest.len()).0;
                if !equal(one, b.split_at(b.len() - rest_of_other.len()).0) {
                    return false;
                }
                (a, b) = (rest, rest_of_other);
            }
            ([one, rest @ ..], [other, behind @ ..]) if *one == *other => (a, b) = (rest, behind),
            _ => return false,
        }
    }
}

/// Returns how many characters a string has, whose quotes are taken off.
pub(super) const fn chars(mut inside: &[u8]) -> u64 {
    let mut count = 0;
    loop {
        inside = match inside {
            [] => return count,
            // The first half of a pair; the second counts for both.
            [
                b'\\',
                b'u',
                b'd' | b'D',
                b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B',
                _,
                _,
                rest @ ..,
            ] => {
                inside = rest;
                continue;
            }
            [b'\\', b'u', _, _, _, _, rest @ ..] | [b'\\', _, rest @ ..] => rest,
            // A byte that continues a character.
            [0x80..=0xbf, rest @ ..] => {
                inside = rest;
                continue;
            }
            [_, rest @ ..] => rest,
        };
        count += 1;
    }
}
