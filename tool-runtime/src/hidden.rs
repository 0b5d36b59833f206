//! Characters that a model reads and a person does not see: in the name or the description of a
//! tool, they are words that nobody approved.
//!
//! Sources: Unicode 16, chapter 23 (special areas and format characters), UTS 51 (emoji).

/// The first character of a text that nobody sees, and what it is.
///
/// What an emoji is made of is no such character, and neither are joiners in scripts that are
/// written with them.
pub(crate) fn hidden(text: &str) -> Option<(char, &'static str)> {
    // What a selector is for, and whether there was one.
    let (mut before, mut is_styled) = (None, false);
    if text.is_ascii() {
        return None;
    }
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        let rest = text.get(at + char.len_utf8()..).unwrap_or_default();
        if char == BLACK_FLAG {
            // The tags name the country whose flag it is.
            for _ in 0..flag(rest) {
                chars.next();
            }
        }
        let Some(kind) = kind(char) else {
            (before, is_styled) = (Some(char), false);
            continue;
        };
        let belongs = before.is_some_and(|before| belongs(before, char, rest.chars().next()));
        let is_selector = kind == SELECTOR;
        if !belongs || is_selector && is_styled {
            return Some((char, kind));
        }
        is_styled = is_selector;
        if !is_selector {
            before = Some(char);
        }
    }
    None
}

const BLACK_FLAG: char = '\u{1f3f4}';
const SELECTOR: &str = "a variation selector";

fn kind(char: char) -> Option<&'static str> {
    Some(match char {
        '\u{e0000}'..='\u{e007f}' => "a tag character",
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            "a control character for the direction of text"
        }
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' => "a character without width",
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => SELECTOR,
        '\u{e0080}'..='\u{e0fff}' => "a character that is none",
        _ => return None,
    })
}

/// Whether a character without width belongs to what stands around it.
fn belongs(before: char, char: char, after: Option<char>) -> bool {
    match char {
        '\u{200d}' if is_picture(before) => after.is_some_and(is_picture),
        '\u{200c}' | '\u{200d}' => {
            is_joined(before) && (is_virama(before) || after.is_some_and(is_joined))
        }
        // Scripts without spaces divide words with it.
        '\u{200b}' => is_undivided(before) && after.is_some_and(is_undivided),
        '\u{180b}'..='\u{180d}' | '\u{180f}' => matches!(before, '\u{1820}'..='\u{18aa}'),
        // One of them says how the character before it looks.
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {
            !before.is_whitespace() && kind(before).is_none()
        }
        _ => false,
    }
}

/// The blocks that emoji are from.
fn is_picture(char: char) -> bool {
    matches!(char,
        '\u{1f000}'..='\u{1faff}' | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}'
        | '\u{2460}'..='\u{27bf}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}')
}

/// Letters and signs of Arabic and its neighbours, of Mongolian, and of the scripts from India.
fn is_joined(char: char) -> bool {
    matches!(char,
        '\u{620}'..='\u{8ff}' | '\u{900}'..='\u{109f}' | '\u{1780}'..='\u{18af}'
        | '\u{1a20}'..='\u{1aaf}' | '\u{1b00}'..='\u{1bff}' | '\u{a840}'..='\u{a8ff}'
        | '\u{a930}'..='\u{a9df}' | '\u{aa60}'..='\u{aaff}' | '\u{abc0}'..='\u{abff}'
        | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10a00}'..='\u{10fff}'
        | '\u{11000}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}')
        && !char.is_whitespace()
}

/// The signs that take a letter's vowel; behind one a joiner may end a word (Unicode, chapter 12).
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

/// Thai, Lao, Tibetan, Burmese and Khmer.
fn is_undivided(char: char) -> bool {
    matches!(char, '\u{e00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// How many tags follow that make another flag of a black one: that of England, Scotland or Wales,
/// the only ones that there are.
fn flag(rest: &str) -> usize {
    let tag = |letter: u8| char::from_u32(0xe0000 + u32::from(letter));
    for part in [b"gbeng", b"gbsct", b"gbwls"] {
        let tags = part.iter().map(|letter| tag(*letter)).chain([tag(0x7f)]);
        if rest.chars().map(Some).take(part.len() + 1).eq(tags) {
            return part.len() + 1;
        }
    }
    0
}
