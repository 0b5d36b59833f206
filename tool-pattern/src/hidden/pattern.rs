//! The same characters, as a regular expression of ECMAScript.

use std::fmt::Write;
use std::ops::RangeInclusive;

use super::{FLAGS, HIDDEN, MEANT};

/// Returns a pattern, with the flag `u`, that finds what `Printable` writes as an escape, and
/// as its group `meant` what looks like it and stays.
pub fn pattern() -> String {
    let class = |ranges: &mut dyn Iterator<Item = &RangeInclusive<char>>| {
        ranges.fold(String::new(), |mut class, range| {
            let (first, last) = (u32::from(*range.start()), u32::from(*range.end()));
            // Writing to a string cannot fail.
            let _ = write!(class, r"\u{{{first:x}}}-\u{{{last:x}}}");
            class
        })
    };
    let mut meant: Vec<String> = FLAGS.map(|flag| flag.escape_unicode().to_string()).into();
    for place in MEANT {
        let chars = class(&mut place.chars.iter());
        let [before, after] = [place.before, place.after].map(|ranges| class(&mut ranges.iter()));
        let after = if after.is_empty() {
            after
        } else {
            format!("(?=[{after}])")
        };
        if before.is_empty() {
            meant.push(format!("[{chars}]{after}"));
            continue;
        }
        meant.push(format!("(?<=[{before}])[{chars}]{after}"));
        if place.chars.iter().any(|range| range.contains(&'\u{200d}')) {
            meant.push(format!(r"(?<=[{before}]\u{{fe0f}})\u{{200d}}{after}"));
        }
    }
    let hidden = class(&mut HIDDEN.iter().map(|(range, _)| range));
    format!(
        r"(?<meant>{})|[{hidden}\u{{2028}}\u{{2029}}]",
        meant.join("|")
    )
}
