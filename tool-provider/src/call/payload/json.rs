//! The text of a value other than a string. Small numbers, `true`, `false` and `null` are stored inline, without an
//! allocation.

use std::fmt;

/// See the module.
#[derive(Clone)]
pub(super) enum JsonScalar {
    Long(String),
    Word(Word),
}

/// A short text.
#[derive(Clone, Copy)]
pub(super) struct Word {
    /// ASCII up to the length; the rest is undefined.
    bytes: [u8; ROOM],
    len: u8,
}

const ROOM: usize = 8;

impl JsonScalar {
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

impl PartialEq for JsonScalar {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for JsonScalar {}

impl fmt::Debug for JsonScalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl Word {
    /// The digits of a number of eight at most.
    #[inline]
    fn of(value: u64) -> Option<Self> {
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(value).as_bytes();
        let mut bytes = [0; ROOM];
        bytes.get_mut(..digits.len())?.copy_from_slice(digits);
        let len = u8::try_from(digits.len()).ok()?;
        Some(Self { bytes, len })
    }
}
