//! Characters of a text that a model reads and nobody sees.
//!
//! The macros, the runtime, the MCP client and the page share these tables: macros apply them when a program compiles,
//! the others when texts arrive, and the page gets a pattern that is made of them.
//!
//! Source: Unicode 17.0. `DerivedCoreProperties.txt` (`Default_Ignorable_Code_Point`), `DerivedGeneralCategory.txt` (`Cc`,
//! `Cf`), `StandardizedVariants.txt`, `emoji-variation-sequences.txt`, `emoji-data.txt`, `PropList.txt`, and chapters 9,
//! 12 and 23 of the standard.

mod pattern;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

pub use self::pattern::pattern;

type Ranges = &'static [RangeInclusive<char>];

const JOINER: char = '\u{200d}';
const EMOJI_STYLE: char = '\u{fe0f}';

const CONTROL: &str = "a control character";
const DIRECTION: &str = "a mark that turns the direction of text";
const FORMAT: &str = "a formatting character";
const NONE: &str = "a character that is none";
const SELECTOR: &str = "a variation selector";
const WIDTHLESS: &str = "a character without width";

/// All of `Cc`, `Cf` and `Default_Ignorable_Code_Point` but newlines and tabs, and two that are blank, in order.
pub(super) const HIDDEN: &[(RangeInclusive<char>, &str)] = &[
    ('\0'..='\u{8}', CONTROL),
    ('\u{b}'..='\u{1f}', CONTROL),
    ('\u{7f}'..='\u{9f}', CONTROL),
    ('\u{ad}'..='\u{ad}', WIDTHLESS),
    ('\u{34f}'..='\u{34f}', WIDTHLESS),
    ('\u{600}'..='\u{605}', FORMAT),
    ('\u{61c}'..='\u{61c}', DIRECTION),
    ('\u{6dd}'..='\u{6dd}', FORMAT),
    ('\u{70f}'..='\u{70f}', FORMAT),
    ('\u{890}'..='\u{891}', FORMAT),
    ('\u{8e2}'..='\u{8e2}', FORMAT),
    ('\u{115f}'..='\u{1160}', WIDTHLESS),
    ('\u{17b4}'..='\u{17b5}', WIDTHLESS),
    ('\u{180b}'..='\u{180d}', SELECTOR),
    ('\u{180e}'..='\u{180e}', WIDTHLESS),
    ('\u{180f}'..='\u{180f}', SELECTOR),
    ('\u{200b}'..='\u{200b}', "a zero-width space"),
    ('\u{200c}'..='\u{200c}', "a zero-width non-joiner"),
    (JOINER..=JOINER, "a zero-width joiner"),
    ('\u{200e}'..='\u{200f}', DIRECTION),
    ('\u{202a}'..='\u{202e}', DIRECTION),
    ('\u{2060}'..='\u{2060}', "a word joiner"),
    ('\u{2061}'..='\u{2064}', "an invisible operator"),
    ('\u{2065}'..='\u{2065}', WIDTHLESS),
    ('\u{2066}'..='\u{2069}', DIRECTION),
    (
        '\u{206a}'..='\u{206f}',
        "a formatting character that is no longer used",
    ),
    ('\u{2800}'..='\u{2800}', "a blank of Braille"),
    ('\u{3164}'..='\u{3164}', WIDTHLESS),
    ('\u{fe00}'..=EMOJI_STYLE, SELECTOR),
    ('\u{feff}'..='\u{feff}', "a byte-order mark"),
    ('\u{ffa0}'..='\u{ffa0}', WIDTHLESS),
    ('\u{fff0}'..='\u{fff8}', NONE),
    ('\u{fff9}'..='\u{fffb}', WIDTHLESS),
    ('\u{fffc}'..='\u{fffc}', "a place for an object"),
    ('\u{110bd}'..='\u{110bd}', FORMAT),
    ('\u{110cd}'..='\u{110cd}', FORMAT),
    ('\u{13430}'..='\u{1343f}', FORMAT),
    ('\u{1bca0}'..='\u{1bca3}', FORMAT),
    ('\u{1d173}'..='\u{1d17a}', WIDTHLESS),
    ('\u{e0000}'..='\u{e007f}', "a tag character"),
    ('\u{e0080}'..='\u{e00ff}', NONE),
    ('\u{e0100}'..='\u{e01ef}', SELECTOR),
    ('\u{e01f0}'..='\u{e0fff}', NONE),
];

/// Flags of parts of a country: a black flag, the letters as tags, and an end. Only England, Scotland and Wales have one.
pub(super) const FLAGS: [&str; 3] = [
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// Where a hidden character does what it is for: one of `chars` between one of `before` and one of `after`. An empty list
/// admits anything, and the end of the text.
pub(super) struct Meant {
    pub(super) chars: Ranges,
    pub(super) before: Ranges,
    pub(super) after: Ranges,
}

#[rustfmt::skip]
pub(super) const MEANT: &[Meant] = &[
    // A line's end on Windows.
    Meant { chars: &['\r'..='\r'], before: &[], after: &['\n'..='\n'] },
    // A joiner or a non-joiner stands between two letters, or behind a virama, which may end a word.
    Meant { chars: JOINERS, before: JOINED, after: JOINED },
    Meant { chars: JOINERS, before: VIRAMAS, after: &[] },
    Meant { chars: &[JOINER..=JOINER], before: EMOJI, after: EMOJI },
    // Thai, Lao, Tibetan, Burmese and Khmer have no spaces between words.
    Meant { chars: &['\u{200b}'..='\u{200b}'], before: UNSPACED, after: UNSPACED },
    // A sign spans the number behind it.
    Meant { chars: SPANS, before: &[], after: JOINED },
    Meant { chars: &['\u{13430}'..='\u{1343f}'], before: HIEROGLYPHS, after: HIEROGLYPHS },
    Meant { chars: &['\u{2800}'..='\u{2800}'], before: BRAILLE, after: BRAILLE },
    // One selector says how the character before it looks.
    Meant { chars: &['\u{180b}'..='\u{180d}', '\u{180f}'..='\u{180f}'], before: &['\u{1820}'..='\u{18aa}'], after: &[] },
    Meant { chars: &['\u{fe00}'..='\u{fe06}'], before: VARIANTS, after: &[] },
    Meant { chars: &['\u{fe00}'..='\u{fe06}'], before: HIEROGLYPHS, after: &[] },
    Meant { chars: &['\u{fe00}'..='\u{fe02}', '\u{e0100}'..='\u{e01ef}'], before: IDEOGRAPHS, after: &[] },
    Meant { chars: STYLES, before: EMOJI, after: &[] },
    Meant { chars: STYLES, before: OTHER_EMOJI, after: &[] },
    // A keycap.
    Meant { chars: STYLES, before: &['#'..='#', '*'..='*', '0'..='9'], after: &['\u{20e3}'..='\u{20e3}'] },
];

const JOINERS: Ranges = &['\u{200c}'..=JOINER];
const STYLES: Ranges = &['\u{fe0e}'..=EMOJI_STYLE];

/// The blocks of emoji, and the emoji outside of them.
#[rustfmt::skip]
const EMOJI: Ranges = &[
    '\u{2190}'..='\u{21ff}', '\u{2300}'..='\u{23ff}', '\u{2460}'..='\u{27bf}', '\u{2900}'..='\u{297f}',
    '\u{2b00}'..='\u{2bff}', '\u{1f000}'..='\u{1faff}',
];
#[rustfmt::skip]
const OTHER_EMOJI: Ranges = &[
    '\u{a9}'..='\u{a9}', '\u{ae}'..='\u{ae}', '\u{203c}'..='\u{203c}', '\u{2049}'..='\u{2049}', '\u{2122}'..='\u{2122}',
    '\u{2139}'..='\u{2139}', '\u{3030}'..='\u{3030}', '\u{303d}'..='\u{303d}', '\u{3297}'..='\u{3297}',
    '\u{3299}'..='\u{3299}',
];

/// The blocks of Arabic and its neighbours, of Mongolian, and of the scripts from India.
#[rustfmt::skip]
const JOINED: Ranges = &[
    '\u{620}'..='\u{8ff}', '\u{900}'..='\u{109f}', '\u{1780}'..='\u{18af}', '\u{1a20}'..='\u{1aaf}',
    '\u{1b00}'..='\u{1bff}', '\u{a840}'..='\u{a8ff}', '\u{a930}'..='\u{a9df}', '\u{aa60}'..='\u{aaff}',
    '\u{abc0}'..='\u{abff}', '\u{fb50}'..='\u{fdff}', '\u{fe70}'..='\u{fefc}', '\u{10a00}'..='\u{10fff}',
    '\u{11000}'..='\u{11fff}', '\u{1e900}'..='\u{1e95f}',
];

/// Signs that take a letter's vowel.
#[rustfmt::skip]
const VIRAMAS: Ranges = &[
    '\u{94d}'..='\u{94d}', '\u{9cd}'..='\u{9cd}', '\u{a4d}'..='\u{a4d}', '\u{acd}'..='\u{acd}', '\u{b4d}'..='\u{b4d}',
    '\u{bcd}'..='\u{bcd}', '\u{c4d}'..='\u{c4d}', '\u{ccd}'..='\u{ccd}', '\u{d4d}'..='\u{d4d}', '\u{dca}'..='\u{dca}',
    '\u{1039}'..='\u{103a}', '\u{17d2}'..='\u{17d2}',
];

const UNSPACED: Ranges = &['\u{e00}'..='\u{109f}', '\u{1780}'..='\u{17ff}'];
const BRAILLE: Ranges = &['\u{2801}'..='\u{28ff}'];
#[rustfmt::skip]
const HIEROGLYPHS: Ranges = &['\u{13000}'..='\u{1342f}', '\u{13441}'..='\u{13446}', '\u{13460}'..='\u{143fa}'];
#[rustfmt::skip]
const IDEOGRAPHS: Ranges = &[
    '\u{3400}'..='\u{4dbf}', '\u{4e00}'..='\u{9fff}', '\u{f900}'..='\u{faff}', '\u{20000}'..='\u{3ffff}',
];

/// `Prepended_Concatenation_Mark`.
#[rustfmt::skip]
const SPANS: Ranges = &[
    '\u{600}'..='\u{605}', '\u{6dd}'..='\u{6dd}', '\u{70f}'..='\u{70f}', '\u{890}'..='\u{891}', '\u{8e2}'..='\u{8e2}',
    '\u{110bd}'..='\u{110bd}', '\u{110cd}'..='\u{110cd}',
];

/// The characters of `StandardizedVariants.txt` behind which U+FE00 to U+FE06 stand, but ideographs and hieroglyphs: of
/// mathematics, of East Asian punctuation, and of Burmese, Phags-pa and Manichaean.
#[rustfmt::skip]
const VARIANTS: Ranges = &[
    '\u{30}'..='\u{30}', '\u{1000}'..='\u{1000}', '\u{1002}'..='\u{1002}', '\u{1004}'..='\u{1004}',
    '\u{1010}'..='\u{1011}', '\u{1015}'..='\u{1015}', '\u{1019}'..='\u{101a}', '\u{101c}'..='\u{101d}',
    '\u{1022}'..='\u{1022}', '\u{1031}'..='\u{1031}', '\u{1075}'..='\u{1075}', '\u{1078}'..='\u{1078}',
    '\u{107a}'..='\u{107a}', '\u{1080}'..='\u{1080}', '\u{2018}'..='\u{2019}', '\u{201c}'..='\u{201d}',
    '\u{210b}'..='\u{210b}', '\u{2110}'..='\u{2110}', '\u{2112}'..='\u{2112}', '\u{211b}'..='\u{211b}',
    '\u{212c}'..='\u{212c}', '\u{2130}'..='\u{2131}', '\u{2133}'..='\u{2133}', '\u{2205}'..='\u{2205}',
    '\u{2229}'..='\u{222a}', '\u{2268}'..='\u{2269}', '\u{2272}'..='\u{2273}', '\u{228a}'..='\u{228b}',
    '\u{2293}'..='\u{2295}', '\u{2297}'..='\u{2297}', '\u{229c}'..='\u{229c}', '\u{22da}'..='\u{22db}',
    '\u{29b7}'..='\u{29b7}', '\u{2a3c}'..='\u{2a3d}', '\u{2a9d}'..='\u{2a9e}', '\u{2aac}'..='\u{2aad}',
    '\u{2acb}'..='\u{2acc}', '\u{3001}'..='\u{3002}', '\u{a856}'..='\u{a856}', '\u{a85c}'..='\u{a85c}',
    '\u{a85e}'..='\u{a860}', '\u{a868}'..='\u{a868}', '\u{aa60}'..='\u{aa66}', '\u{aa6b}'..='\u{aa6c}',
    '\u{aa6f}'..='\u{aa6f}', '\u{aa7a}'..='\u{aa7a}', '\u{ff01}'..='\u{ff01}', '\u{ff0c}'..='\u{ff0c}',
    '\u{ff0e}'..='\u{ff0e}', '\u{ff10}'..='\u{ff10}', '\u{ff1a}'..='\u{ff1b}', '\u{ff1f}'..='\u{ff1f}',
    '\u{10ac5}'..='\u{10ac6}', '\u{10ad6}'..='\u{10ad7}', '\u{10ae1}'..='\u{10ae1}', '\u{1d49c}'..='\u{1d49c}',
    '\u{1d49e}'..='\u{1d49f}', '\u{1d4a2}'..='\u{1d4a2}', '\u{1d4a5}'..='\u{1d4a6}', '\u{1d4a9}'..='\u{1d4ac}',
    '\u{1d4ae}'..='\u{1d4b5}',
];

/// Returns the first character that is hidden, and its place.
pub fn find(text: &str) -> Option<(usize, char)> {
    all(text).next()
}

/// Returns the characters that are hidden, each with its place, in time that grows with the text's length alone.
pub fn all(text: &str) -> impl Iterator<Item = (usize, char)> {
    let is_plain = |byte: u8| matches!(byte, b'\t' | b'\n' | b' '..=b'~');
    let is_plain = text.bytes().all(is_plain);
    let mut next = if is_plain { text.len() } else { 0 };
    std::iter::from_fn(move || {
        loop {
            let (head, rest) = text.split_at_checked(next)?;
            let at = next;
            let mut chars = rest.chars();
            let one = chars.next()?;
            let is_flag = |flag: &&&str| rest.starts_with(**flag);
            next += match FLAGS.iter().find(is_flag) {
                Some(flag) => flag.len(),
                None => one.len_utf8(),
            };
            if !name(one).is_empty() && !is_meant(head, one, chars.next()) {
                return Some((at, one));
            }
        }
    })
}

fn is_meant(head: &str, one: char, after: Option<char>) -> bool {
    // A joiner stands behind a character and its style.
    let base = head.strip_suffix(EMOJI_STYLE).filter(|_| one == JOINER);
    let before = base.unwrap_or(head).chars().next_back();
    let is_of = |ranges: Ranges, char: Option<char>| {
        ranges.is_empty() || char.is_some_and(|char| ranges.iter().any(|of| of.contains(&char)))
    };
    let mut places = MEANT.iter().filter(|place| is_of(place.chars, Some(one)));
    places.any(|place| is_of(place.before, before) && is_of(place.after, after))
}

/// Returns the name of a character that nobody sees; empty for any other.
pub fn name(char: char) -> &'static str {
    let at = HIDDEN.partition_point(|(range, _)| *range.end() < char);
    let found = HIDDEN.get(at).filter(|(range, _)| range.contains(&char));
    found.map_or("", |(_, name)| name)
}
