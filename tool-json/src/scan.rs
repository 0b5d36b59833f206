//! Reader over one JSON text, in pieces.
//!
//! Decoders drive it by their schema, so nothing is parsed twice and no tree is built.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU64;

use crate::string::{escape, plain_run};

/// Maximal nesting of arrays and objects, since the users of a [`Scanner`] recurse.
pub const MAX_DEPTH: u8 = 128;

/// Closing bracket of a container, and the error if no element follows.
#[derive(Clone, Copy)]
struct Brackets {
    close: u8,
    next: Expected,
}

const ARRAY: Brackets = Brackets {
    close: b']',
    next: Expected::NextElement,
};
const OBJECT: Brackets = Brackets {
    close: b'}',
    next: Expected::NextEntry,
};

/// Position of the scanner in an array or object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// After the opening bracket.
    Opened,
    /// After an element.
    Inside,
    /// After the closing bracket.
    Closed,
}

crate::named_enum! {
    /// Token that is missing in an invalid text.
    #[non_exhaustive]
    pub enum Expected {
        /// A value.
        Value = "a JSON value",
        /// The end of the text.
        End = "the end of the text",
        /// No comma before the closing bracket.
        NoComma = "no comma before the closing bracket",
        /// A comma or the end of an array.
        NextElement = "`,` or `]`",
        /// A comma or the end of an object.
        NextEntry = "`,` or `}`",
        /// A key.
        Key = "a key in double quotes",
        /// The colon after a key.
        Colon = "`:`",
        /// A digit of a number.
        Digit = "a digit",
        /// No digit after a leading zero.
        NoDigit = "no digit after a leading zero",
        /// The quote that ends a string.
        StringEnd = "the end of a string",
        /// A control character in its escaped form.
        Control = "an escape: a control character may not stand in a string",
        /// An escape that JSON defines.
        Escape = "an escape such as \\n or \\u00e9",
        /// The digits of `\u`.
        Hex = "four hexadecimal digits after \\u",
        /// The other half of a surrogate pair.
        Pair = "a surrogate pair (this half stands alone)",
        /// Less nesting of arrays and objects.
        LessDepth = "less depth",
    }
}

/// Error of an invalid text: the expected token, and the offset of the byte.
///
/// It has the size of one word, because results on the hot path contain it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Error(NonZeroU64);

impl Error {
    pub(crate) const fn new(expected: Expected, at: usize) -> Self {
        // Never zero, so that a `Result` without a value takes one word.
        match NonZeroU64::new((at as u64) << 8 | (expected as u64 + 1)) {
            Some(error) => Self(error),
            None => Self(NonZeroU64::MIN),
        }
    }

    /// Returns the token that is missing.
    pub fn expected(self) -> Expected {
        let index = usize::try_from((self.0.get() & 0xff) - 1).unwrap_or_default();
        let expected = Expected::ALL.get(index).copied();
        expected.unwrap_or(Expected::Value)
    }

    /// Returns the offset of the byte at which it is missing.
    pub fn at(self) -> usize {
        usize::try_from(self.0.get() >> 8).unwrap_or(usize::MAX)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("expected", &self.expected())
            .field("at", &self.at())
            .finish()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected {} at byte {}",
            self.expected().as_str(),
            self.at()
        )
    }
}

impl std::error::Error for Error {}

/// Reader over one JSON text, which returns its pieces in order.
///
/// Small functions are inlined into other crates; rare cases stay here.
#[derive(Debug, Clone)]
pub struct Scanner<'t> {
    text: &'t str,
    at: usize,
    /// Further arrays and objects that may open.
    depth: u8,
    is_lossy: bool,
}

impl<'t> Scanner<'t> {
    /// Creates a reader at the start of a text.
    #[inline]
    pub const fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            depth: MAX_DEPTH,
            is_lossy: false,
        }
    }

    /// Creates a reader that reads half of a surrogate pair as U+FFFD. JSON's grammar admits such an escape, and no Rust string
    /// can hold it.
    pub const fn lossy(text: &'t str) -> Self {
        Self {
            is_lossy: true,
            ..Self::new(text)
        }
    }

    /// Moves to the value at `at`. `depth` more arrays and objects may open there.
    #[inline]
    pub fn rewind(&mut self, at: usize, depth: u8) {
        (self.at, self.depth) = (at, depth);
    }

    /// Moves to another offset of the same array or object.
    #[inline]
    pub fn set_offset(&mut self, at: usize) {
        self.at = at;
    }

    /// Returns the whole text.
    #[inline]
    pub const fn text(&self) -> &'t str {
        self.text
    }

    /// Returns the number of arrays and objects that may still open.
    #[inline]
    pub const fn depth(&self) -> u8 {
        self.depth
    }

    /// Returns the current offset: that of the next piece, or of the white space before it.
    #[inline]
    pub const fn offset(&self) -> usize {
        self.at
    }

    /// Returns the bytes of the whole text.
    #[inline]
    pub const fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    /// Returns a part of the text. Empty if an end is inside a character.
    #[inline]
    pub fn slice(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// Returns the next byte without consuming it.
    #[inline]
    pub fn byte(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    /// Skips white space, and returns the next byte without consuming it.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        let (bytes, mut at) = (self.bytes(), self.at);
        loop {
            match bytes.get(at) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => at += 1,
                other => {
                    self.at = at;
                    return other.copied();
                }
            }
        }
    }

    #[cold]
    fn error(&self, expected: Expected) -> Error {
        Error::new(expected, self.at)
    }

    /// Checks that only white space follows.
    #[inline]
    pub fn finish(&mut self) -> Result<(), Error> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error(Expected::End)),
        }
    }

    /// Consumes `word`. The caller has seen its first byte.
    #[inline]
    pub fn word(&mut self, word: &str) -> Result<(), Error> {
        let rest = self.bytes().get(self.at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(())
        } else {
            Err(self.error(Expected::Value))
        }
    }

    /// Consumes a string without escapes. The caller has seen its opening quote. Otherwise returns the offset of the
    /// first escape.
    #[inline(always)]
    #[allow(clippy::inline_always)] // Three places read most of a text through it.
    pub fn plain(&mut self) -> Result<&'t str, usize> {
        let start = self.at + 1;
        let end = plain_run(self.bytes(), start);
        // The quote first: it makes `end` a character boundary, which the slice need not check again.
        if self.bytes().get(end) == Some(&b'"')
            && let Some(text) = self.text.get(start..end)
        {
            self.at = end + 1;
            return Ok(text);
        }
        Err(end)
    }

    /// Consumes the rest of a string from `end`. Calls `each` with every escaped character and the plain text after it.
    fn escapes(
        &mut self,
        mut end: usize,
        mut each: impl FnMut(char, &'t str),
    ) -> Result<(), Error> {
        loop {
            let expected = match self.bytes().get(end) {
                Some(b'"') => {
                    self.at = end + 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    let (char, from) = match escape(self.text, end) {
                        Err(error) if self.is_lossy && error.expected() == Expected::Pair => {
                            (char::REPLACEMENT_CHARACTER, end + 6)
                        }
                        read => read?,
                    };
                    end = plain_run(self.bytes(), from);
                    each(char, self.slice(from, end));
                    continue;
                }
                Some(_) => Expected::Control,
                None => Expected::StringEnd,
            };
            return Err(Error::new(expected, end));
        }
    }

    /// Consumes a string with escapes. The caller has seen its opening quote; the first escape is at `end`.
    #[cold]
    pub fn unescaped(&mut self, end: usize) -> Result<String, Error> {
        let mut out = String::from(self.slice(self.at + 1, end));
        self.escapes(end, |char, plain| {
            out.push(char);
            out.push_str(plain);
        })?;
        Ok(out)
    }

    /// Consumes a string. The caller has seen its opening quote.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'t, str>, Error> {
        match self.plain() {
            Ok(text) => Ok(Cow::Borrowed(text)),
            Err(end) => self.unescaped(end).map(Cow::Owned),
        }
    }

    /// Consumes the opening bracket of an array or object. The caller has seen it.
    #[inline]
    pub fn open(&mut self) -> Result<(), Error> {
        match self.depth.checked_sub(1) {
            Some(depth) => self.depth = depth,
            None => return Err(self.error(Expected::LessDepth)),
        }
        self.at += 1;
        Ok(())
    }

    /// Returns true if another element follows. Consumes its comma, or the closing bracket. The caller has to reject a
    /// closing bracket after the comma.
    #[inline]
    fn next(&mut self, brackets: Brackets, place: &mut Place) -> Result<bool, Error> {
        if *place == Place::Closed {
            return Ok(false);
        }
        match self.peek() {
            Some(byte) if byte == brackets.close => {
                self.close(place);
                return Ok(false);
            }
            _ if *place == Place::Opened => *place = Place::Inside,
            Some(b',') => self.at += 1,
            _ => return Err(self.error(brackets.next)),
        }
        Ok(true)
    }

    /// Consumes the closing bracket at the current offset.
    #[inline]
    fn close(&mut self, place: &mut Place) {
        self.at += 1;
        self.depth += 1;
        *place = Place::Closed;
    }

    /// Returns true if another element of an array follows.
    #[inline]
    pub fn next_element(&mut self, place: &mut Place) -> Result<bool, Error> {
        let more = self.next(ARRAY, place)?;
        if more && self.peek() == Some(ARRAY.close) {
            return Err(self.error(Expected::NoComma));
        }
        Ok(more)
    }

    /// Returns true if another entry of an object follows. The opening quote of its key is next then.
    #[inline]
    pub fn next_entry(&mut self, place: &mut Place) -> Result<bool, Error> {
        if !self.next(OBJECT, place)? {
            return Ok(false);
        }
        match self.peek() {
            Some(b'"') => Ok(true),
            Some(b'}') => Err(self.error(Expected::NoComma)),
            _ => Err(self.error(Expected::Key)),
        }
    }

    /// Consumes the colon after a key.
    #[inline]
    pub fn colon(&mut self) -> Result<(), Error> {
        if self.peek() != Some(b':') {
            return Err(self.error(Expected::Colon));
        }
        self.at += 1;
        Ok(())
    }

    /// Consumes the next `"key":` of an object, if another one follows.
    pub fn next_key(&mut self, place: &mut Place) -> Result<Option<Cow<'t, str>>, Error> {
        if !self.next_entry(place)? {
            return Ok(None);
        }
        let key = self.string()?;
        self.colon()?;
        Ok(Some(key))
    }

    /// Consumes the closing bracket of an object, if it is the next byte.
    #[inline]
    pub fn take_end(&mut self, place: &mut Place) -> bool {
        let is_end = *place != Place::Closed && self.byte() == Some(OBJECT.close);
        if is_end {
            self.close(place);
        }
        is_end
    }

    /// Consumes one value of any type and returns its text.
    pub fn skip(&mut self) -> Result<&'t str, Error> {
        self.peek();
        let start = self.at;
        self.skip_value()?;
        Ok(self.slice(start, self.at))
    }

    fn skip_value(&mut self) -> Result<(), Error> {
        let mut place = Place::Opened;
        match self.peek() {
            Some(b'"') => self.skip_string(),
            Some(b'-' | b'0'..=b'9') => self.number().map(drop),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            Some(b'[') => {
                self.open()?;
                while self.next_element(&mut place)? {
                    self.skip_value()?;
                }
                Ok(())
            }
            Some(b'{') => {
                self.open()?;
                while self.next_entry(&mut place)? {
                    self.skip_string()?;
                    self.colon()?;
                    self.skip_value()?;
                }
                Ok(())
            }
            _ => Err(self.error(Expected::Value)),
        }
    }

    /// Skips a string. The caller has seen its opening quote.
    pub fn skip_string(&mut self) -> Result<(), Error> {
        match self.plain() {
            Ok(_) => Ok(()),
            Err(end) => self.escapes(end, |_, _| ()),
        }
    }
}

#[cfg(test)]
mod tests;
