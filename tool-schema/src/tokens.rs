//! Counts the tokens of texts: a bound that the compiler knows, and the counts of tokenizers.

#[doc(hidden)]
pub mod definition;
#[cfg(feature = "tokens")]
mod exact;
mod tokenizer;

pub use tokenizer::{Tokenizer, UnknownTokenizer};

/// A token, in the unit of [`cost`].
const TOKEN: usize = 60;

/// Tokens that a text may take more than the sum of its characters.
const ANY: usize = 3;

/// Returns a number of tokens that the text does not exceed, in the vocabularies `o200k_base` and `cl100k_base` of `OpenAI`'s
/// models.
///
/// Characters outside of ASCII count as a token for each byte, and a byte-level tokenizer never makes more of them. In ASCII
/// most characters share a token with the one before them. How much of a token a character adds depends on the classes of both: a
/// vowel behind a frequent consonant adds little, a digit behind a letter a whole one. These costs were fitted to texts
/// (`benches/tokens/fit.py`): half of the definitions of 5,125 public tools, texts in 100 languages, code, and made-up ones such
/// as hexadecimal numbers, Base64 and lists of short codes.
///
/// No definition of the other half takes more. The bound is 1.65 times the tokens there, about twice in short texts, 2.7 times
/// in Chinese and 4 times in Russian. A text that was made to deceive it can take more than it says.
///
/// ```
/// use toolwright::tokens::bound;
///
/// const TOKENS: usize = bound("Returns the weather in a city.");
/// assert_eq!(TOKENS, 14);
/// ```
pub const fn bound(text: &str) -> usize {
    let tokens = cost(text, b' ').div_ceil(TOKEN) + ANY;
    if tokens < text.len() {
        tokens
    } else {
        text.len()
    }
}

/// Returns the cost of a text behind this character, in parts of a [`TOKEN`].
#[allow(clippy::indexing_slicing)] // A class is within the table.
const fn cost(text: &str, before: u8) -> usize {
    let mut cost = 0;
    let mut previous = CLASS[before as usize];
    let mut rest = text.as_bytes();
    while let [byte, tail @ ..] = rest {
        let class = CLASS[*byte as usize];
        cost += COST[previous as usize][class as usize] as usize;
        previous = class;
        rest = tail;
    }
    cost
}

/// The classes of characters. Other characters of ASCII are the last class but one, those outside of it the last.
const CLASSES: [&str; 15] = [
    " ",
    "\t\n\r\x0b\x0c",
    "0123456789",
    "ae",
    "iou",
    "nrst",
    "cdlmp",
    "bfghvwy",
    "kjqxz",
    "AEIOUNRSTCDLMP",
    "BFGHVWYKJQXZ",
    "\"",
    "{}[],:",
    "_-",
    "./'()",
];

/// The class of each byte.
#[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)] // It is made when this compiles.
const CLASS: [u8; 256] = {
    let mut of = [15; 256];
    let mut class = 0;
    while class < CLASSES.len() {
        let mut rest = CLASSES[class].as_bytes();
        while let [byte, tail @ ..] = rest {
            of[*byte as usize] = class as u8;
            rest = tail;
        }
        class += 1;
    }
    let mut byte = 128;
    while byte < of.len() {
        of[byte] = 16;
        byte += 1;
    }
    of
};

/// Cost of a byte behind another, by their classes: the other's row, the byte's column. `benches/tokens/fit.sh` makes
/// it.
#[rustfmt::skip]
const COST: [[u8; 17]; 17] = [
    [29, 6, 59, 38, 60, 17, 27, 21, 60, 60, 60, 53, 18, 16, 6, 60, 60],
    [6, 6, 60, 60, 60, 60, 60, 60, 60, 60, 60, 6, 6, 60, 60, 40, 60],
    [60, 46, 23, 46, 60, 60, 60, 60, 60, 60, 60, 15, 60, 60, 60, 56, 60],
    [12, 6, 39, 58, 26, 16, 27, 41, 60, 60, 60, 6, 6, 36, 60, 60, 60],
    [60, 60, 38, 17, 14, 6, 18, 15, 36, 60, 60, 60, 60, 60, 60, 60, 60],
    [6, 58, 60, 24, 14, 24, 41, 10, 60, 49, 60, 6, 6, 60, 6, 60, 60],
    [14, 60, 50, 6, 23, 6, 17, 60, 60, 60, 60, 52, 37, 32, 60, 38, 60],
    [6, 59, 60, 34, 27, 57, 60, 60, 60, 60, 60, 60, 40, 52, 6, 45, 60],
    [60, 60, 60, 24, 41, 60, 60, 60, 60, 60, 60, 60, 60, 36, 60, 60, 60],
    [6, 60, 44, 6, 60, 60, 12, 34, 47, 22, 60, 60, 7, 17, 45, 60, 60],
    [22, 60, 60, 9, 46, 60, 60, 60, 60, 38, 45, 60, 60, 60, 43, 60, 60],
    [6, 6, 50, 60, 24, 6, 6, 60, 60, 9, 60, 6, 6, 6, 6, 49, 60],
    [49, 6, 60, 58, 60, 60, 37, 60, 60, 60, 60, 34, 9, 60, 13, 60, 60],
    [49, 6, 60, 6, 33, 60, 6, 6, 7, 60, 60, 60, 60, 6, 56, 6, 60],
    [6, 15, 60, 27, 11, 60, 60, 26, 60, 55, 33, 6, 60, 51, 6, 60, 60],
    [6, 6, 60, 60, 39, 60, 50, 60, 39, 60, 60, 6, 60, 60, 47, 47, 60],
    [60; 17],
];
