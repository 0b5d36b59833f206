#![allow(clippy::unwrap_used)]

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

#[test]
fn what_nobody_sees_is_found() {
    let table = [
        ("Adds.\u{e0041}\u{e0042}", 5, '\u{e0041}'),
        ("\u{e0001}", 0, '\u{e0001}'),
        ("a\u{200b}b", 1, '\u{200b}'),
        ("a\u{200c}b", 1, '\u{200c}'),
        ("a\u{200d}b", 1, '\u{200d}'),
        ("a\u{2060}", 1, '\u{2060}'),
        ("\u{feff}a", 0, '\u{feff}'),
        ("a\u{202e}b", 1, '\u{202e}'),
        ("a\u{2066}b\u{2069}", 1, '\u{2066}'),
        ("a\u{200e}", 1, '\u{200e}'),
        ("a\u{200f}", 1, '\u{200f}'),
        ("a\u{61c}", 1, '\u{61c}'),
        ("a\u{2063}", 1, '\u{2063}'),
        ("a\u{ad}b", 1, '\u{ad}'),
        ("a\u{3164}", 1, '\u{3164}'),
        ("a\u{180b}", 1, '\u{180b}'),
        ("a\u{1b}[2J", 1, '\u{1b}'),
        ("\0", 0, '\0'),
        ("a\u{7f}", 1, '\u{7f}'),
        ("a\u{9b}2J", 1, '\u{9b}'),
        ("a\rb", 1, '\r'),
        ("a\u{2800}b", 1, '\u{2800}'),
        ("\u{2801}\u{2800}\u{2800}\u{2801}", 3, '\u{2800}'),
        ("a\u{fffc}", 1, '\u{fffc}'),
        ("a\u{fff0}", 1, '\u{fff0}'),
        ("a\u{1bca0}", 1, '\u{1bca0}'),
        ("a\u{13430}", 1, '\u{13430}'),
        ("\u{13000}\u{13437}\u{13437}\u{13000}", 4, '\u{13437}'),
        ("a\u{600}b", 1, '\u{600}'),
        // Selectors behind what has none, two behind one character, another, and one behind none.
        ("a\u{fe00}", 1, '\u{fe00}'),
        ("a\u{fe0f}", 1, '\u{fe0f}'),
        ("\u{e4}\u{fe01}", 2, '\u{fe01}'),
        ("\u{436}\u{e0100}", 2, '\u{e0100}'),
        ("1\u{fe0f}", 1, '\u{fe0f}'),
        ("\u{1f642}\u{fe00}", 4, '\u{fe00}'),
        ("\u{1f642}\u{e0100}", 4, '\u{e0100}'),
        ("\u{845b}\u{fe0f}", 3, '\u{fe0f}'),
        ("\u{845b}\u{e0100}\u{e0101}", 7, '\u{e0101}'),
        ("\u{845b}\u{fe07}", 3, '\u{fe07}'),
        ("\u{2764}\u{fe0f}\u{fe0f}", 6, '\u{fe0f}'),
        ("\u{2764}\u{fe0f}\u{fe01}", 6, '\u{fe01}'),
        ("a\u{fe0f}\u{200d}\u{1f642}", 1, '\u{fe0f}'),
        ("a \u{e0101}", 2, '\u{e0101}'),
        ("\u{fe0f}", 0, '\u{fe0f}'),
        // A flag of nowhere, and tags behind a flag's end.
        (
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0041}\u{e007f}",
            4,
            '\u{e0067}',
        ),
        (
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\u{e0041}",
            28,
            '\u{e0041}',
        ),
        // A joiner that joins nothing, and two of them.
        ("\u{1f469}\u{200d}", 4, '\u{200d}'),
        ("\u{1f469}\u{200d}\u{200d}\u{1f680}", 4, '\u{200d}'),
        ("\u{1f469}\u{200d}a", 4, '\u{200d}'),
        ("\u{645}\u{200c} a", 2, '\u{200c}'),
    ];
    for (text, at, char) in table {
        assert_eq!(find(text), Some((at, char)), "{text:?}");
    }
}

#[test]
fn what_people_write_is_not() {
    for text in [
        "",
        "Adds.",
        "Größe, naïve, 寿司, Привет",
        // Families, professions, skins, flags, keycaps.
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
        "\u{1f469}\u{1f3fd}\u{200d}\u{1f680}",
        "\u{2764}\u{fe0f}\u{200d}\u{1f525}",
        "\u{1f3f3}\u{fe0f}\u{200d}\u{26a7}\u{fe0f}",
        "\u{1f3f4}\u{200d}\u{2620}\u{fe0f}",
        "\u{1f1e9}\u{1f1ea} 1\u{fe0f}\u{20e3}",
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}!",
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
        "\u{1f642}\u{200d}\u{2194}\u{fe0f}",
        // Persian, Hindi, Malayalam at a word's end, Sinhala, Thai, a Japanese name.
        "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}",
        "\u{915}\u{94d}\u{200d}\u{937}",
        "\u{d28}\u{d4d}\u{200d}.",
        "\u{dc1}\u{dca}\u{200d}\u{dbb}\u{dd3}",
        "\u{e20}\u{e32}\u{200b}\u{e29}\u{e32}",
        "\u{845b}\u{e0100}\u{98fe}",
        "\u{1820}\u{180b}",
        // Signs around Arabic numbers, Braille, hieroglyphs, a zero with a stroke, a Burmese letter with a dot.
        "\u{6dd}\u{663} \u{600}\u{661}",
        "\u{2803}\u{2800}\u{2811}",
        "\u{13000}\u{13430}\u{13001}",
        "0\u{fe00} \u{1000}\u{fe00} \u{4e26}\u{fe00} \u{201c}\u{fe00}",
        "\u{a9}\u{fe0f} \u{2122}\u{fe0e} \u{3299}\u{fe0f} #\u{fe0f}\u{20e3} \u{1f441}\u{fe0f}\u{200d}\u{1f5e8}\u{fe0f}",
        "two\nlines\tof\r\ntext",
    ] {
        assert_eq!(find(text), None, "{text:?}");
    }
}
