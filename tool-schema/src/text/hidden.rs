//! Characters of a text that a model reads and nobody sees.
//!
//! The macros and the runtime share these rules: the one applies them when a program compiles, the
//! other when texts arrive. A crate of macros can share no code with the crate above it. So each
//! has this file, and a test of the macros holds the two to be the same, byte for byte.
//!
//! Sources: Unicode 16, chapter 23 (special areas and format characters), UTS 51 (emoji).

const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';
const SPACE: char = '\u{200b}';

/// Returns the first character that is hidden, and its place.
pub fn find(text: &str) -> Option<(usize, char)> {
    all(text).next()
}

/// Returns the characters that are hidden, each with its place, in time that grows with the text's
/// length alone.
pub fn all(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut next = if text.is_ascii() { text.len() } else { 0 };
    std::iter::from_fn(move || {
        loop {
            let (head, rest) = text.split_at_checked(next)?;
            let one = rest.chars().next()?;
            let at = next;
            next += one.len_utf8();
            let rest = rest.get(one.len_utf8()..).unwrap_or_default();
            let before = head.chars().next_back();
            let after = rest.chars().next();
            let is_meant = match one {
                // The flag of a part of a country: its letters as tags, and an end.
                BLACK_FLAG => {
                    next += flag(rest);
                    true
                }
                JOINER => joins_emoji(head, after) || joins_letters(before, after),
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
    })
}

/// Returns the name of a character that nobody sees; empty for any other.
pub fn name(char: char) -> &'static str {
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

/// Returns the number of bytes of tags that make a flag at the start of a text. Only England,
/// Scotland and Wales have one.
fn flag(rest: &str) -> usize {
    let tag = |letter: u8| char::from_u32(0xe0000 + u32::from(letter));
    for part in [b"gbeng", b"gbsct", b"gbwls"] {
        let tags = part.iter().map(|letter| tag(*letter)).chain([tag(0x7f)]);
        let found = rest.chars().take(part.len() + 1);
        if found.clone().map(Some).eq(tags) {
            return found.map(char::len_utf8).sum();
        }
    }
    0
}

/// Returns true if a joiner stands between two emoji: behind the first may be a skin's colour or a
/// variation selector.
fn joins_emoji(before: &str, after: Option<char>) -> bool {
    let mut before = before.chars().rev();
    let first = before.find(|char| !matches!(char, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}'));
    first.is_some_and(is_emoji) && after.is_some_and(is_emoji)
}

/// Returns true if a character is from the blocks of emoji.
fn is_emoji(char: char) -> bool {
    matches!(char, '\u{1f000}'..='\u{1faff}' | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{2460}'..='\u{27bf}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}')
}

/// Returns true if a joiner or a non-joiner stands where scripts have them: between two letters, or
/// behind a virama. That is the sign that takes a letter's vowel, which may end a word (Unicode,
/// chapters 9 and 12).
fn joins_letters(before: Option<char>, after: Option<char>) -> bool {
    let joined = |char: Option<char>| char.is_some_and(has_joiners);
    joined(before) && (joined(after) || before.is_some_and(is_virama))
}

/// Returns true for letters and signs of Arabic and its neighbours, of Mongolian, and of the
/// scripts from India.
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

/// Returns true if a zero-width space stands where scripts without spaces divide words: Thai, Lao,
/// Tibetan, Burmese and Khmer.
fn divides_words(before: Option<char>, after: Option<char>) -> bool {
    let is_letter = |char: Option<char>| {
        char.is_some_and(|char| {
            matches!(char, '\u{e00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
        })
    };
    is_letter(before) && is_letter(after)
}
