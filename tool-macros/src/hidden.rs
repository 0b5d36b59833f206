//! Characters that a model reads and nobody sees, in what is written for the model.
//!
//! Instructions have been hidden in descriptions of tools in this way: in tag characters, which are
//! an invisible copy of ASCII, in runs of zero-width characters and of variation selectors, and in
//! text whose order on the screen is another one than in the file. What people do write stays:
//! emoji of several characters, and joiners between letters of scripts that have them. It is an
//! error wherever a tool goes, since no provider shows these characters to anyone either.

use proc_macro2::Span;

use crate::ctxt::Ctxt;

const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';
const SPACE: char = '\u{200b}';

/// An error where a text hides something.
pub(crate) fn check(cx: &Ctxt, span: Span, text: &str) {
    let Some((at, char)) = find(text) else {
        return;
    };
    cx.error_at(
        span,
        format!(
            "hidden in this text: U+{:04X}, {}, {}\nhelp: remove it; if it is meant, write what it is for in visible words",
            u32::from(char),
            name(char),
            place(text, at),
        ),
    );
}

/// Behind which word the character stands.
fn place(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or_default();
    let visible: String = before
        .chars()
        .filter(|char| name(*char).is_empty())
        .collect();
    match visible.split_whitespace().last() {
        Some(word) => {
            let count = word.chars().count();
            let end: String = word.chars().skip(count.saturating_sub(24)).collect();
            format!("behind `{end}`")
        }
        None => "at the beginning".to_owned(),
    }
}

/// The first character that is hidden, and its place.
pub(crate) fn find(text: &str) -> Option<(usize, char)> {
    if text.is_ascii() {
        return None;
    }
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let char = |index: usize| chars.get(index).map(|(_, char)| *char);
    let mut index = 0;
    while let Some((at, one)) = chars.get(index).copied() {
        index += 1;
        let before = index.checked_sub(2).and_then(char);
        let after = char(index);
        let is_meant = match one {
            // The flag of a part of a country: its letters as tags, and an end.
            BLACK_FLAG => {
                index += flag(chars.get(index..).unwrap_or_default());
                true
            }
            JOINER => {
                joins_emoji(chars.get(..index - 1).unwrap_or_default(), after)
                    || joins_letters(before, after)
            }
            NON_JOINER => joins_letters(before, after),
            SPACE => divides_words(before, after),
            '\u{180b}'..='\u{180d}' | '\u{180f}' => {
                matches!(before, Some('\u{1820}'..='\u{18aa}'))
            }
            // One of them says how the character before it looks.
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {
                before.is_some_and(|before| !before.is_whitespace() && name(before).is_empty())
            }
            other => name(other).is_empty(),
        };
        if !is_meant {
            return Some((at, one));
        }
    }
    None
}

/// What a character is called that nobody sees; empty for any other.
fn name(char: char) -> &'static str {
    match char {
        '\u{200b}' => "a zero-width space",
        NON_JOINER => "a zero-width non-joiner",
        JOINER => "a zero-width joiner",
        '\u{2060}' => "a word joiner",
        '\u{2061}'..='\u{2064}' => "an invisible operator",
        '\u{feff}' => "a byte-order mark",
        '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            "a mark that turns the direction of text"
        }
        '\u{206a}'..='\u{206f}' => "a formatting character that is no longer used",
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => "a variation selector",
        '\u{e0000}'..='\u{e007f}' => "a tag character",
        '\u{180b}'..='\u{180d}' | '\u{180f}' => "a variation selector",
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180e}'
        | '\u{2065}'
        | '\u{3164}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' => "a character without width",
        '\u{e0080}'..='\u{e0fff}' => "a character that is none",
        _ => "",
    }
}

const BLACK_FLAG: char = '\u{1f3f4}';

/// How many tags follow that make a flag: of England, Scotland or Wales, the only ones that there are.
fn flag(rest: &[(usize, char)]) -> usize {
    let tag = |letter: u8| char::from_u32(0xe0000 + u32::from(letter));
    for part in [b"gbeng", b"gbsct", b"gbwls"] {
        let tags = part.iter().map(|letter| tag(*letter)).chain([tag(0x7f)]);
        let found = rest.iter().map(|(_, char)| Some(*char));
        if found.take(part.len() + 1).eq(tags) {
            return part.len() + 1;
        }
    }
    0
}

/// Whether a joiner stands between two emoji: behind the first may be a skin's colour or how it looks.
fn joins_emoji(before: &[(usize, char)], after: Option<char>) -> bool {
    let mut before = before.iter().rev().map(|(_, char)| *char);
    let first = before.find(|char| !matches!(char, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}'));
    first.is_some_and(is_emoji) && after.is_some_and(is_emoji)
}

/// The blocks that emoji are from.
fn is_emoji(char: char) -> bool {
    matches!(char, '\u{1f000}'..='\u{1faff}' | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{2460}'..='\u{27bf}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}')
}

/// Whether a joiner or a non-joiner stands where scripts have them: between two letters, or behind
/// the sign that takes a letter's vowel, which may end a word (Unicode, chapters 9 and 12).
fn joins_letters(before: Option<char>, after: Option<char>) -> bool {
    let joined = |char: Option<char>| char.is_some_and(has_joiners);
    joined(before) && (joined(after) || before.is_some_and(is_virama))
}

/// Letters and signs of Arabic and its neighbours, of Mongolian, and of the scripts from India.
fn has_joiners(char: char) -> bool {
    matches!(char,
        '\u{620}'..='\u{8ff}' | '\u{900}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{1a20}'..='\u{1aaf}'
        | '\u{1b00}'..='\u{1bff}' | '\u{a840}'..='\u{a8ff}' | '\u{a930}'..='\u{a9df}' | '\u{aa60}'..='\u{aaff}'
        | '\u{abc0}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
        | '\u{10a00}'..='\u{10fff}' | '\u{11000}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}')
        && !char.is_whitespace()
}

fn is_virama(char: char) -> bool {
    matches!(
        char,
        '\u{94d}'
            | '\u{9cd}'
            | '\u{a4d}'
            | '\u{acd}'
            | '\u{b4d}'
            | '\u{bcd}'
            | '\u{c4d}'
            | '\u{ccd}'
            | '\u{d4d}'
            | '\u{dca}'
            | '\u{1039}'
            | '\u{103a}'
            | '\u{17d2}'
    )
}

/// Whether a zero-width space stands where scripts without spaces divide words: Thai, Lao, Tibetan,
/// Burmese and Khmer.
fn divides_words(before: Option<char>, after: Option<char>) -> bool {
    let is_letter = |char: Option<char>| {
        char.is_some_and(|char| {
            matches!(char, '\u{e00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
        })
    };
    is_letter(before) && is_letter(after)
}

#[cfg(test)]
mod tests {
    use super::{find, place};

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
            // Two selectors behind one character, and one behind none.
            ("a\u{fe0f}\u{fe01}", 4, '\u{fe01}'),
            ("a \u{e0101}", 2, '\u{e0101}'),
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
        ] {
            assert_eq!(find(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_place_is_told_in_what_people_see() {
        let text = "Adds two\u{200b}\u{200b} numbers";
        assert_eq!(place(text, text.len()), "behind `numbers`");
        assert_eq!(place(text, 11), "behind `two`");
        assert_eq!(place(text, 0), "at the beginning");
    }
}
