//! Changes to texts that know what a value is: bytes changed at random seldom make other JSON.

use std::ops::Range;

/// Values of every type, and some at the edge of one.
const VALUES: [&str; 24] = [
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    "\"a\"",
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "5",
    "99",
    "256",
    "0.5",
    "1.0",
    "1e2",
    "1e-2",
    "1e400",
    "9007199254740993",
    "18446744073709551616",
    "{\"kind\":\"nothing\"}",
    "{\"x\":1,\"y\":2}",
    "{\"value\":1}",
];

/// Changes an input in place; `otherwise` is what changes its bytes.
pub fn mutate(
    data: &mut [u8],
    size: usize,
    max_size: usize,
    seed: u32,
    otherwise: impl FnOnce(&mut [u8], usize, usize) -> usize,
) -> usize {
    let mut random = Random(u64::from(seed));
    let text = data.get(1..size).and_then(|text| str::from_utf8(text).ok());
    let changed = text
        .filter(|_| random.below(3) > 0)
        .and_then(|text| change(text, &mut random))
        .filter(|text| text.len() < max_size.min(data.len()));
    let Some(changed) = changed else {
        return otherwise(data, size, max_size);
    };
    let end = 1 + changed.len();
    data[1..end].copy_from_slice(changed.as_bytes());
    end
}

/// The text with something of it changed.
fn change(text: &str, random: &mut Random) -> Option<String> {
    match random.below(8) {
        0 => change_entry(text, random),
        1 => change_lines(text, random),
        _ => change_value(text, random),
    }
}

/// The text with the entry of an object there twice, with its own value or another, or with a copy of
/// it in another object; or with two values in each other's place.
fn change_entry(text: &str, random: &mut Random) -> Option<String> {
    let values = values(text);
    let other = random.pick(&values)?.clone();
    let entries = entries(text, &values);
    let entry = random.pick(&entries)?;
    let (key, value) = (&text[entry.key.clone()], &text[entry.value.clone()]);
    let (at, added) = match random.below(4) {
        0 => (entry.value.end, format!(",{key}:{value}")),
        1 => (entry.value.end, format!(",{key}:{}", &text[other])),
        2 => {
            let objects: Vec<_> = entries.iter().map(|entry| entry.key.start).collect();
            (*random.pick(&objects)?, format!("{key}:{value},"))
        }
        _ => return swapped(text, entry.value.clone(), other),
    };
    Some(format!("{}{added}{}", &text[..at], &text[at..]))
}

/// The text with these two of its parts in each other's place, if neither is in the other.
fn swapped(text: &str, one: Range<usize>, other: Range<usize>) -> Option<String> {
    let (first, second) = if one.start < other.start {
        (one, other)
    } else {
        (other, one)
    };
    let between = text.get(first.end..second.start)?;
    let (before, behind) = (&text[..first.start], &text[second.end..]);
    Some(format!(
        "{before}{}{between}{}{behind}",
        &text[second], &text[first]
    ))
}

/// The text, which may be a stream, with one of its lines twice, gone or elsewhere.
fn change_lines(text: &str, random: &mut Random) -> Option<String> {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (at, to) = (
        random.below(lines.len().max(1)),
        random.below(lines.len() + 1),
    );
    let line = *lines.get(at)?;
    if random.below(2) == 0 {
        lines.remove(at);
    }
    if random.below(4) > 0 {
        lines.insert(to.min(lines.len()), line);
    }
    Some(lines.concat())
}

/// The text with one of its values changed, or two.
fn change_value(text: &str, random: &mut Random) -> Option<String> {
    let values = values(text);
    let at = random.pick(&values)?.clone();
    let other = random.pick(&values)?.clone();
    let value = &text[at.clone()];
    let changed = match random.below(10) {
        0 => text[other].to_owned(),
        1 => format!("[{value}]"),
        2 => serde_json::to_string(value).ok()?,
        3 => serde_json::from_str(value).ok()?,
        4 => (*random.pick(&VALUES)?).to_owned(),
        5 => format!("{value},{value}"),
        6 => format!("{value},{}", &text[other]),
        7 => escaped(value, random)?,
        8 if value.ends_with(|char: char| char.is_ascii_digit()) => {
            format!("{value}{}", random.pick(&[".0", "e0", "0e-1", "e1"])?)
        }
        _ => {
            // The entry or element goes, with the comma behind it.
            let rest = text[at.end..].trim_start();
            let rest = rest.strip_prefix([',', ':']).unwrap_or(rest);
            return Some(format!("{}{rest}", &text[..at.start]));
        }
    };
    Some(format!("{}{changed}{}", &text[..at.start], &text[at.end..]))
}

/// A string with one of its characters as an escape.
fn escaped(string: &str, random: &mut Random) -> Option<String> {
    let inner = string.strip_prefix('"')?.strip_suffix('"')?;
    let chars: Vec<(usize, char)> = inner.char_indices().collect();
    let (at, char) = *random.pick(&chars)?;
    let units = char.encode_utf16(&mut [0; 2]).to_vec();
    let escape: Vec<String> = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
    let escape = escape.concat();
    let behind = &inner[at + char.len_utf8()..];
    Some(format!("\"{}{escape}{behind}\"", &inner[..at]))
}

/// An entry of an object: where its key and its value stand.
struct Entry {
    key: Range<usize>,
    value: Range<usize>,
}

/// The entries among these values.
fn entries(text: &str, values: &[Range<usize>]) -> Vec<Entry> {
    let entry = |key: &Range<usize>| {
        let value = text[key.end..].trim_start().strip_prefix(':')?.trim_start();
        let start = text.len() - value.len();
        let value = values.iter().find(|value| value.start == start)?;
        Some(Entry {
            key: key.clone(),
            value: value.clone(),
        })
    };
    values.iter().filter_map(entry).collect()
}

/// Where values and keys stand, in a text that need not be JSON.
fn values(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        let rest = &text.as_bytes()[at..];
        let start = at;
        at += match byte {
            b'"' => string_len(rest),
            b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => word_len(rest),
            b'[' | b'{' => {
                open.push(at);
                1
            }
            b']' | b'}' => {
                if let Some(start) = open.pop() {
                    found.push(start..at + 1);
                }
                1
            }
            _ => 1,
        };
        if matches!(byte, b'"' | b'-' | b'+' | b'.') || byte.is_ascii_alphanumeric() {
            found.push(start..at);
        }
    }
    found
}

fn string_len(text: &[u8]) -> usize {
    let mut is_escaped = true;
    for (index, byte) in text.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return index + 1,
            _ => {}
        }
    }
    text.len()
}

fn word_len(text: &[u8]) -> usize {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
    text.iter().take_while(is_part).count()
}

/// `SplitMix64`: the fuzzer gives a seed a mutation, so that it can repeat one.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 33).unwrap_or_default() % end
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len().max(1)))
    }
}
