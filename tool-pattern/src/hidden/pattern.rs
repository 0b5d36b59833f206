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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::HashSet;

    use regex::Regex;

    use crate::hidden::{HIDDEN, MEANT, find, name};

    /// All characters of a class, but of planes that are empty or private.
    fn of(class: &str) -> HashSet<char> {
        let planes = ('\0'..'\u{34000}').chain('\u{e0000}'..'\u{e1000}');
        let all: String = planes.collect();
        let found = Regex::new(class).unwrap();
        let found = found.find_iter(&all).map(|found| found.as_str());
        found.flat_map(str::chars).collect()
    }

    #[test]
    fn the_table_is_of_unicode() {
        let class = r"[[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u{2800}\u{fffc}]--[\t\n]]";
        let named = ('\0'..=char::MAX).filter(|char| !name(*char).is_empty());
        let named: HashSet<char> = named.collect();
        let found = named
            .iter()
            .filter(|char| find(&char.to_string()).is_some());
        let found: HashSet<char> = found.copied().collect();
        assert!(named == of(class) && found == named);
        assert!(HIDDEN.is_sorted_by(|(one, _), (other, _)| one.end() < other.start()));
        let mut meant = MEANT
            .iter()
            .flat_map(|place| place.chars)
            .cloned()
            .flatten();
        assert!(meant.all(|char| named.contains(&char)));
    }

    #[test]
    fn one_selector_stands_behind_what_has_it() {
        let emoji = of(r"[\p{Emoji}--[#*0-9]]");
        let ideographs = of(r"\p{Unified_Ideograph}");
        let selectors = ['\u{fe00}', '\u{fe0e}', '\u{fe0f}', '\u{e0100}', '\u{e01ef}'];
        for char in '\0'..'\u{34000}' {
            let passes = selectors.map(|selector| find(&format!("{char}{selector}")).is_none());
            if emoji.contains(&char) {
                assert_eq!(passes, [false, true, true, false, false], "{char:?}");
            } else if ideographs.contains(&char) {
                assert_eq!(passes, [true, false, false, true, true], "{char:?}");
            } else if char < '\u{1000}' {
                // Of Latin, Greek, Cyrillic, Arabic, Devanagari and their neighbours, none but a zero.
                assert_eq!(
                    passes,
                    [char == '0', false, false, false, false],
                    "{char:?}"
                );
            }
            let twice = format!("{char}\u{fe00}\u{fe00}");
            assert!(find(&twice).is_some(), "{twice:?}");
        }
    }
}
