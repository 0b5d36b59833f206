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
/// Characters outside of ASCII count as their bytes, and no tokenizer of bytes makes more tokens of them. In ASCII most
/// characters share a token with the one before them. How much of a token a character adds depends on the classes of both: a
/// vowel behind a frequent consonant adds little, a digit behind a letter a whole one. These costs were fitted to texts: half of
/// the definitions of 5,125 public tools, texts in 100 languages, code, and made-up ones such as hexadecimal numbers,
/// Base64 and lists of short codes.
///
/// No definition of the other half takes more. The bound is 1.6 times the tokens there, about twice in short texts, 2.7 times
/// in Chinese and 4 times in Russian. A text that was made to deceive it can take more than it says.
///
/// ```
/// use toolwright::tokens::bound;
///
/// const TOKENS: usize = bound("Returns the weather in a city.");
/// assert_eq!(TOKENS, 12);
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

/// What a byte costs behind another, by their classes: the other's row, the byte's column.
const COST: [[u8; 17]; 17] = [
    [
        9, 9, 60, 16, 46, 26, 21, 32, 60, 52, 51, 60, 60, 10, 9, 60, 60,
    ],
    [
        32, 9, 60, 60, 35, 60, 60, 60, 60, 60, 60, 9, 9, 9, 9, 24, 60,
    ],
    [
        46, 32, 25, 60, 60, 60, 60, 60, 24, 60, 60, 51, 60, 60, 60, 60, 60,
    ],
    [
        9, 60, 60, 60, 60, 9, 36, 60, 60, 60, 57, 9, 9, 15, 9, 23, 60,
    ],
    [
        60, 60, 60, 18, 10, 9, 9, 9, 60, 60, 60, 60, 60, 60, 60, 60, 60,
    ],
    [9, 60, 60, 24, 9, 18, 31, 16, 12, 25, 47, 9, 9, 9, 9, 60, 60],
    [
        9, 60, 60, 9, 17, 9, 36, 60, 60, 60, 60, 60, 39, 26, 60, 60, 60,
    ],
    [
        9, 60, 60, 32, 18, 60, 57, 60, 44, 60, 60, 60, 56, 26, 9, 60, 60,
    ],
    [
        60, 60, 60, 60, 23, 59, 60, 60, 60, 60, 60, 60, 60, 60, 52, 60, 60,
    ],
    [
        9, 60, 50, 9, 9, 55, 50, 9, 60, 26, 42, 60, 10, 33, 60, 60, 60,
    ],
    [
        32, 54, 55, 9, 60, 60, 60, 60, 60, 60, 54, 60, 60, 60, 60, 60, 60,
    ],
    [9, 9, 42, 25, 40, 9, 9, 60, 60, 9, 41, 9, 28, 9, 35, 9, 60],
    [
        45, 60, 60, 60, 60, 60, 60, 54, 19, 60, 60, 9, 18, 9, 60, 60, 60,
    ],
    [
        60, 9, 60, 60, 60, 33, 21, 9, 60, 29, 60, 55, 60, 9, 9, 33, 60,
    ],
    [50, 9, 60, 9, 60, 55, 60, 37, 60, 39, 9, 9, 39, 9, 9, 31, 60],
    [
        33, 9, 60, 60, 60, 60, 60, 60, 60, 60, 60, 9, 60, 60, 60, 50, 60,
    ],
    [60; 17],
];
