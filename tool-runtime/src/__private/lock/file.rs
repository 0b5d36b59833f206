//! The text of a lock file, read in `const` as far as it is asked for: all fingerprints, and the entries of tools that changed.
//!
//! Steps are what counts there. A call takes as long as ten operators and a slice of a slice as long as five, so what runs for every
//! tool goes by patterns over several bytes.

use toolwright_schema::compare::{Members, value_of};
use toolwright_schema::text::{ConstText, same};

use super::{Brief, Briefs};
use crate::__private::As;
use crate::__private::targets::is_one_of;

/// A lock file, and what it says of a list of `N` elements.
#[derive(Debug)]
pub struct Lock<const N: usize> {
    /// What stands behind the bracket of the fingerprints; empty where the lock is not held.
    pub(super) prints: &'static [u8],
    /// True for each element with a tool whose fingerprint is not where it was.
    pub(super) changed: [bool; N],
    /// True if the file has these tools in this order, and no others.
    pub(super) is_straight: bool,
}

/// Reads the file: its fingerprints are held against the list's in one pass, tool by tool. What is not where it was is looked for
/// where it is asked for.
///
/// # Panics
/// At the caller's place, if the file is neither empty nor a lock.
#[allow(clippy::indexing_slicing)] // There are `N` elements.
#[track_caller]
pub const fn lock<const N: usize>(text: &'static str, is_off: bool, list: &[Briefs; N]) -> Lock<N> {
    let mut lock = Lock {
        prints: &[],
        changed: [false; N],
        is_straight: true,
    };
    if is_off || text.trim_ascii().is_empty() {
        return lock;
    }
    let Some((b"lock", version, rest)) = first_member(text) else {
        panic!("{}", UNREADABLE);
    };
    assert!(
        same(version, "1"),
        "the lock file is of a later version\nhelp: build with the toolwright that wrote it"
    );
    let Some(mut rest) = after(rest, b"\"fingerprints\":{") else {
        panic!("{}", UNREADABLE);
    };
    lock.prints = rest;
    let mut index = 0;
    while index < N {
        let mut at = 0;
        while let Some(tool) = list[index].tool(at) {
            at += 1;
            match printed(rest, list[index].listed, &tool) {
                Some(behind) => rest = behind,
                None => {
                    lock.changed[index] = true;
                    lock.is_straight = false;
                    // The next may stand behind it.
                    if let Some(behind) = behind_member(rest) {
                        rest = behind;
                    }
                }
            }
        }
        index += 1;
    }
    lock.is_straight &= after(rest, b"}").is_some();
    lock
}

const UNREADABLE: &str = "the lock file cannot be read: it is not as it was written\nhelp: bring it back from version control, or empty it and write it anew: `TOOLS_LOCK=update cargo test`";

/// Bytes around the name and the text of an entry: a line's end, four spaces, two quotes, a colon, a space and a comma.
const AROUND: usize = 10;

/// The length of an entry, behind its fingerprint; 0 if it does not stand there.
const fn entry_len(print: &str) -> usize {
    let mut text = print.as_bytes();
    while let [rest @ .., b'"' | b'0'..=b'9'] = text {
        text = rest;
    }
    let (mut digits, mut len) = (print.as_bytes().split_at(text.len()).1, 0usize);
    while let [digit @ b'0'..=b'9', rest @ ..] = digits {
        len = len
            .saturating_mul(10)
            .saturating_add((*digit - b'0') as usize);
        digits = rest;
    }
    len
}

/// Splits the first member off the text of an object.
const fn first_member(text: &str) -> Option<(&[u8], &str, &[u8])> {
    match Members::of(text).split() {
        Some((key, value, rest)) => Some((key.as_bytes(), value, rest.rest())),
        None => None,
    }
}

/// Returns what stands behind a member and its comma.
const fn behind_member(mut text: &[u8]) -> Option<&[u8]> {
    // The comma before it was not read yet.
    while let [b' ' | b'\n' | b'\r' | b'\t' | b',', rest @ ..] = text {
        text = rest;
    }
    match Members::inside(text).split() {
        Some((_, _, rest)) => Some(rest.rest()),
        None => None,
    }
}

/// Returns what stands behind these bytes, none of which is a comma, if a text starts with them, but for white space and commas
/// between.
const fn after<'t>(mut text: &'t [u8], mut bytes: &[u8]) -> Option<&'t [u8]> {
    while let [byte, wanted @ ..] = bytes {
        match text {
            [b' ' | b'\n' | b'\r' | b'\t' | b',', rest @ ..] => text = rest,
            [one, rest @ ..] if *one == *byte => {
                text = rest;
                bytes = wanted;
            }
            _ => return None,
        }
    }
    Some(text)
}

/// Returns what stands behind these bytes, if a text starts with them.
const fn behind<'t>(mut text: &'t [u8], mut bytes: &[u8]) -> Option<&'t [u8]> {
    while let [byte, wanted @ ..] = bytes {
        let [one, rest @ ..] = text else {
            return None;
        };
        if *one != *byte {
            return None;
        }
        (text, bytes) = (rest, wanted);
    }
    Some(text)
}

/// Returns what stands behind a tool's fingerprint, if it is the next one in the file.
const fn printed<'t>(text: &'t [u8], listed: &As, tool: &Brief) -> Option<&'t [u8]> {
    // As it is written, or in other white space.
    let text = match text {
        [b',', b'\n', b' ', b' ', b' ', b' ', b'"', rest @ ..]
        | [b'\n', b' ', b' ', b' ', b' ', b'"', rest @ ..] => rest,
        _ => match after(text, b"\"") {
            Some(rest) => rest,
            None => return None,
        },
    };
    let (prefix, name) = match *listed {
        As::Tool(other, _) if !other.is_empty() => ("", other),
        As::Tool(..) => ("", tool.name),
        As::Instance(prefix, _) => (prefix, tool.name),
    };
    let Some(text) = behind(text, prefix.as_bytes()) else {
        return None;
    };
    let Some(text) = behind(text, name.as_bytes()) else {
        return None;
    };
    let text = match text {
        [b'"', b':', b' ', b'"', rest @ ..] => rest,
        _ => match after(text, b"\":\"") {
            Some(rest) => rest,
            None => return None,
        },
    };
    let Some(text) = digits(text, tool.print >> 32) else {
        return None;
    };
    let Some(mut text) = digits(text, tool.print & 0xffff_ffff) else {
        return None;
    };
    // The length of the entry.
    while let [b' ' | b'0'..=b'9', rest @ ..] = text {
        text = rest;
    }
    match text {
        [b'"', rest @ ..] => Some(rest),
        _ => None,
    }
}

/// Returns what stands behind the eight hexadecimal digits of a number of 32 bits, if a text starts with them.
#[allow(clippy::many_single_char_names)] // Eight digits.
const fn digits(text: &[u8], number: u64) -> Option<&[u8]> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let [a, b, c, d, e, f, g, h, rest @ ..] = text else {
        return None;
    };
    let upper = (*a as u64) << 24 | (*b as u64) << 16 | (*c as u64) << 8 | *d as u64;
    let lower = (*e as u64) << 24 | (*f as u64) << 16 | (*g as u64) << 8 | *h as u64;
    // A digit to a byte, then its letter.
    let mut bytes = (number | number << 16) & 0x0000_ffff_0000_ffff;
    bytes = (bytes | bytes << 8) & 0x00ff_00ff_00ff_00ff;
    bytes = (bytes | bytes << 4) & (ONES * 0x0f);
    let letters = (bytes + ONES * 6) >> 4 & ONES;
    bytes += ONES * b'0' as u64 + letters * (b'a' - 10 - b'0') as u64;
    if bytes == upper << 32 | lower {
        Some(rest)
    } else {
        None
    }
}

impl<const N: usize> Lock<N> {
    /// Looks for a tool's fingerprint.
    pub(super) const fn find(&self, name: &str) -> Option<Found> {
        let (mut prints, mut before) = (Members::inside(self.prints), 0);
        while let Some((one, print, rest)) = prints.split() {
            prints = rest;
            if same(one, name) {
                return Some(Found {
                    print,
                    before,
                    prints,
                });
            }
            before += AROUND + one.len() + entry_len(print);
        }
        None
    }

    /// Returns true if the file says that a tool belongs to an element that is switched off.
    pub(super) const fn is_off_element(&self, name: &str, off: &[&str]) -> bool {
        let entry = match self.find(name) {
            Some(found) => found.entry(name),
            None => None,
        };
        let element = match entry {
            Some(entry) => value_of(entry, "element"),
            None => None,
        };
        match element {
            Some(element) => match element.as_bytes() {
                [b'"', inside @ .., b'"'] => match std::str::from_utf8(inside) {
                    Ok(element) => is_one_of(off, element),
                    Err(_) => false,
                },
                _ => false,
            },
            // It has the tool's name.
            None => is_one_of(off, name),
        }
    }

    /// Refuses a file with marks of a conflict, and one whose entries are not those of its fingerprints: a tool that has lost its
    /// fingerprint would be taken for a new one.
    ///
    /// # Panics
    /// At the caller's place.
    #[track_caller]
    pub(super) const fn assert_whole(&self) {
        let (mut rest, mut before) = (self.prints, 0);
        while let Some((name, print, prints)) = Members::inside(rest).split() {
            before += AROUND + name.len() + entry_len(print);
            rest = prints.rest();
        }
        let Some(entries) = after(rest, b"}\"tools\":{") else {
            panic!("{}", UNREADABLE);
        };
        // The lengths end where the entries end.
        let end = match before.checked_sub(1) {
            Some(end) => end,
            None => 0,
        };
        if let Some((_, end)) = entries.split_at_checked(end)
            && after(end, b"}}").is_some()
        {
            return;
        }
        let mut entries = Members::inside(entries);
        while let Some((name, _, rest)) = entries.split() {
            entries = rest;
            if self.find(name).is_none() {
                let mut text = ConstText::new();
                text.push("`");
                text.push(name);
                text.push("` has an entry in the lock file, and no fingerprint\nhelp: bring the file back from version control");
                panic!("{}", text.as_str());
            }
        }
        assert!(after(entries.rest(), b"}}").is_some(), "{}", UNREADABLE);
    }

    /// The name that a tool had in the file; nothing if it had none that the tool tells of.
    pub(super) const fn name_before(&self, listed: As, mut was: &[&str]) -> ConstText {
        // A list's own name for a tool is none that the tool had.
        let listed = match listed {
            As::Instance(prefix, words) => As::Instance(prefix, words),
            As::Tool(..) => As::OWN,
        };
        while let [old, rest @ ..] = was {
            let name = called(listed, old);
            if self.find(name.as_str()).is_some() {
                return name;
            }
            was = rest;
        }
        ConstText::new()
    }
}

/// A tool's fingerprint in the file.
pub(super) struct Found {
    /// As it is written.
    pub(super) print: &'static str,
    /// The length of the entries before the tool's.
    before: usize,
    /// The fingerprints behind it.
    prints: Members<'static>,
}

impl Found {
    /// The tool's entry: where the lengths before say that it is. In a file whose ends of lines are others it is looked for, which
    /// takes long.
    pub(super) const fn entry(&self, name: &str) -> Option<&'static str> {
        let mut rest = self.prints.rest();
        while let Some((_, _, prints)) = Members::inside(rest).split() {
            rest = prints.rest();
        }
        let Some(entries) = after(rest, b"}\"tools\":{") else {
            return None;
        };
        if let Some((_, rest)) = entries.split_at_checked(self.before)
            && let Some((one, entry, _)) = Members::inside(rest).split()
            && same(one, name)
        {
            return Some(entry);
        }
        let mut entries = Members::inside(entries);
        while let Some((one, entry, rest)) = entries.split() {
            if same(one, name) {
                return Some(entry);
            }
            entries = rest;
        }
        None
    }
}

/// The name that a list gives a tool of this name.
pub(super) const fn called(listed: As, own: &str) -> ConstText {
    let mut text = ConstText::new();
    match listed {
        As::Tool(other, _) if !other.is_empty() => text.push(other),
        As::Tool(..) => text.push(own),
        As::Instance(prefix, _) => {
            text.push(prefix);
            text.push(own);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Lock, lock};

    const TEXT: &str = "{
  \"lock\": 1,
  \"fingerprints\": {
    \"first\": \"0000000000000001 25\",
    \"second\": \"at run time 25\",
    \"third\": \"0000000000000003 2\"
  },
  \"tools\": {
    \"first\": {
      \"input\": \"one\"
    },
    \"second\": {
      \"input\": \"two\"
    },
    \"third\": {}
  }
}
";

    fn entry(text: &str, name: &str) -> Option<String> {
        let text: &'static str = text.to_owned().leak();
        let lock: Lock<0> = lock(text, false, &[]);
        let entry = lock.find(name)?.entry(name)?;
        Some(entry.split_whitespace().collect())
    }

    #[test]
    fn an_entry_is_found_in_whatever_white_space() {
        let lines_of_windows = TEXT.replace('\n', "\r\n");
        let short: String = TEXT.split('\n').map(str::trim).collect();
        let without_lengths = TEXT.replace(" 25\"", "\"").replace(" 2\"", "\"");
        for text in [TEXT, &lines_of_windows, &short, &without_lengths] {
            let found = ["first", "second", "third", "fourth"].map(|name| entry(text, name));
            let wanted = [
                Some(r#"{"input":"one"}"#),
                Some(r#"{"input":"two"}"#),
                Some("{}"),
                None,
            ];
            assert_eq!(found.each_ref().map(Option::as_deref), wanted);
        }
    }

    #[test]
    fn an_entry_that_is_gone_is_not_taken_for_another() {
        let gone = TEXT.replace("\"second\": {", "\"other\": {");
        assert_eq!(entry(&gone, "second"), None);
        assert_eq!(entry(&gone, "third").as_deref(), Some("{}"));
    }
}
