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
            is_joined(before) && after.is_none_or(|char| kind(char).is_none())
        }
        '\u{200b}' => is_spaceless(before) && after.is_some_and(is_spaceless),
        '\u{fe0e}' | '\u{fe0f}' => {
            is_picture(before)
                || matches!(before, '0'..='9' | '#' | '*' if after == Some('\u{20e3}'))
        }
        '\u{fe00}'..='\u{fe0d}' => {
            matches!(before,
            '\u{1000}'..='\u{109f}' | '\u{2200}'..='\u{22ff}' | '\u{2a00}'..='\u{2aff}')
                || is_ideograph(before)
        }
        '\u{e0100}'..='\u{e01ef}' => is_ideograph(before),
        '\u{180b}'..='\u{180f}' => matches!(before, '\u{1820}'..='\u{18aa}'),
        _ => false,
    }
}

/// Whether a character is a picture, as UTS 51 has them.
fn is_picture(char: char) -> bool {
    matches!(char,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{24c2}'
        | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// Whether a character is of a script that is written with joiners: Arabic, Syriac, N'Ko, those of
/// India and its neighbours, Mongolian.
fn is_joined(char: char) -> bool {
    matches!(char,
        '\u{600}'..='\u{7ff}' | '\u{840}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{e80}'..='\u{109f}'
        | '\u{1780}'..='\u{18af}' | '\u{1a20}'..='\u{1aaf}' | '\u{1b00}'..='\u{1c4f}'
        | '\u{a840}'..='\u{a9ff}' | '\u{aa60}'..='\u{aadf}' | '\u{abc0}'..='\u{abff}'
        | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}' | '\u{11000}'..='\u{11fff}')
}

/// Whether a character is of a script that divides words without a visible space: Thai, Lao, Tibetan,
/// Burmese, Khmer.
fn is_spaceless(char: char) -> bool {
    matches!(char, '\u{e00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

fn is_ideograph(char: char) -> bool {
    matches!(char,
        '\u{2e80}'..='\u{2fff}' | '\u{3001}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff01}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}

/// How many tags follow that make another flag of a black one: 3 to 6 letters and digits, and the end.
fn flag(rest: &str) -> usize {
    let is_named =
        |char: &char| matches!(char, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}');
    let len = rest.chars().take_while(is_named).count();
    let ends = rest.chars().nth(len) == Some('\u{e007f}');
    if ends && (3..=6).contains(&len) {
        len + 1
    } else {
        0
    }
}
