//! The text of a value that is no string. Small numbers, `true`, `false` and `null` stand in place: a tool that answers with one
//! of them allocates nothing.

use std::fmt;

/// See the module.
#[derive(Clone)]
pub(super) enum Json {
    Long(String),
    Word(Word),
}

/// A short text.
#[derive(Clone, Copy)]
pub(super) struct Word {
    /// ASCII; what follows the text is anything.
    bytes: [u8; ROOM],
    len: u8,
}

const ROOM: usize = 8;

impl Json {
    pub(super) const NULL: Self = Self::Word(Word {
        bytes: *b"null\0\0\0\0",
        len: 4,
    });
    const TRUE: Self = Self::Word(Word {
        bytes: *b"true\0\0\0\0",
        len: 4,
    });
    const FALSE: Self = Self::Word(Word {
        bytes: *b"false\0\0\0",
        len: 5,
    });

    pub(super) fn bool(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    #[inline]
    pub(super) fn signed(value: i64) -> Self {
        match u64::try_from(value) {
            Ok(value) => Self::unsigned(value),
            Err(_) => Self::digits(value),
        }
    }

    #[inline]
    pub(super) fn unsigned(value: u64) -> Self {
        match Word::of(value) {
            Some(word) => Self::Word(word),
            None => Self::digits(value),
        }
    }

    #[inline(never)]
    pub(super) fn digits(value: impl itoa::Integer) -> Self {
        Self::Long(itoa::Buffer::new().format(value).to_owned())
    }

    #[inline]
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Long(text) => text,
            Self::Word(word) => {
                let text = word.bytes.get(..word.len.into());
                let text = text.map(std::str::from_utf8);
                text.and_then(Result::ok).unwrap_or_default()
            }
        }
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Json {}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl Word {
    /// The digits of a number of eight at most. They are made side by side in one register, and written in one piece: eight
    /// stores would hold up the load that moves them on.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // It is 8 at most.
    fn of(value: u64) -> Option<Self> {
        if value >= 10_u64.pow(8) {
            return None;
        }
        // Two numbers of four digits in two lanes, four of two in four, eight of one in eight: the first digit in the lowest
        // lane. A quotient is a product with the divisor's inverse as a fraction, which is exact for numbers this small.
        let fours = (value / 10_000) | ((value % 10_000) << 32);
        let tens = ((fours * 5_243) >> 19) & 0x0000_007f_0000_007f;
        let twos = tens | ((fours - tens * 100) << 16);
        let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
        let ones = tens | ((twos - tens * 10) << 8);
        // The number 0 has a digit too.
        let zeros = (ones.trailing_zeros() / 8).min(7);
        let ascii = (ones | 0x3030_3030_3030_3030) >> (zeros * 8);
        Some(Self {
            bytes: ascii.to_le_bytes(),
            len: 8 - zeros as u8,
        })
    }
}
