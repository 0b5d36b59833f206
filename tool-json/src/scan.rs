//! A reader over one JSON text.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU64;

use crate::string::{escape, plain_run};

/// How many arrays and objects a [`Scanner`] lets stand inside each other: its users recurse, and the stack ends.
pub const MAX_DEPTH: u8 = 128;

/// What closes an array or object, and what may follow an element.
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

/// How far an array or object has been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Behind the opening bracket.
    Opened,
    /// Behind an element.
    Inside,
    /// Behind the closing bracket.
    Closed,
}

macro_rules! expected {
    ($($(#[$doc:meta])* $name:ident => $words:literal,)*) => {
        /// What the text should have where it is no JSON.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Expected {
            $($(#[$doc])* $name,)*
        }

        impl Expected {
            const ALL: &[Self] = &[$(Self::$name),*];

            /// The words for it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $words,)*
                }
            }
        }
    };
}

expected! {
    /// A value.
    Value => "a JSON value",
    /// The end of the text.
    End => "the end of the text",
    /// Nothing between a comma and the closing bracket.
    NoComma => "no comma before the closing bracket",
    /// A comma or the end of an array.
    NextElement => "`,` or `]`",
    /// A comma or the end of an object.
    NextEntry => "`,` or `}`",
    /// A key.
    Key => "a key in double quotes",
    /// The colon behind a key.
    Colon => "`:`",
    /// A digit of a number.
    Digit => "a digit",
    /// No digit, since a zero stands first.
    NoDigit => "no digit after a leading zero",
    /// The quote that ends a string.
    StringEnd => "the end of a string",
    /// A control character in its escaped form.
    Control => "an escape: a control character may not stand in a string",
    /// An escape that JSON has.
    Escape => "an escape such as \\n or \\u00e9",
    /// The digits of `\u`.
    Hex => "four hexadecimal digits after \\u",
    /// The other half of a surrogate pair.
    Pair => "a surrogate pair (this half stands alone)",
    /// Fewer arrays and objects inside each other.
    LessDepth => "less depth",
}

/// Why a text is no JSON: what should stand at which byte.
///
/// It is one word wide, since it travels through results that hold a text at most.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Error(NonZeroU64);

impl Error {
    pub(crate) const fn new(expected: Expected, at: usize) -> Self {
        // Never zero, so that a result without a value takes one word.
        match NonZeroU64::new((at as u64) << 8 | (expected as u64 + 1)) {
            Some(error) => Self(error),
            None => Self(NonZeroU64::MIN),
        }
    }

    /// What the text should have.
    pub fn expected(self) -> Expected {
        let index = usize::try_from((self.0.get() & 0xff) - 1).unwrap_or_default();
        let expected = Expected::ALL.get(index).copied();
        expected.unwrap_or(Expected::Value)
    }

    /// The byte where it should stand.
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

/// A reader over one JSON text, which hands out its pieces in order.
///
/// Small functions are compiled into the callers' crates, and what is rare stays here.
#[derive(Debug, Clone)]
pub struct Scanner<'t> {
    text: &'t str,
    at: usize,
    /// How many more arrays and objects may open.
    depth: u8,
}

impl<'t> Scanner<'t> {
    /// A reader at the start of a text.
    #[inline]
    pub const fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            depth: MAX_DEPTH,
        }
    }

    /// Goes to the value at `at`, which stands so deep that `depth` more arrays and objects may open.
    #[inline]
    pub fn rewind(&mut self, at: usize, depth: u8) {
        (self.at, self.depth) = (at, depth);
    }

    /// Goes to another place of the same array or object.
    #[inline]
    pub fn set_offset(&mut self, at: usize) {
        self.at = at;
    }

    /// The whole text.
    #[inline]
    pub const fn text(&self) -> &'t str {
        self.text
    }

    /// How many more arrays and objects may open.
    #[inline]
    pub const fn depth(&self) -> u8 {
        self.depth
    }

    /// Where reading goes on: at the next piece, or at the white space before it.
    #[inline]
    pub const fn offset(&self) -> usize {
        self.at
    }

    /// The bytes of the whole text.
    #[inline]
    pub const fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    /// A part of the text; nothing if an end is in the middle of a character.
    #[inline]
    pub fn slice(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// The next byte, not consumed.
    #[inline]
    pub fn byte(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    /// The next byte that is no white space, not consumed.
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

    /// Nothing but white space may follow.
    #[inline]
    pub fn finish(&mut self) -> Result<(), Error> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error(Expected::End)),
        }
    }

    /// Consumes `word`, whose first byte has been seen.
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

    /// Consumes a string that has no escapes, whose opening quote has been seen; where it has some, the offset of the
    /// first.
    #[inline(always)]
    #[allow(clippy::inline_always)] // Three places read most of a text through it.
    pub fn plain(&mut self) -> Result<&'t str, usize> {
        let start = self.at + 1;
        let end = plain_run(self.bytes(), start);
        // The quote is looked at first: a part of a text that ends there need not be looked at again.
        if self.bytes().get(end) == Some(&b'"')
            && let Some(text) = self.text.get(start..end)
        {
            self.at = end + 1;
            return Ok(text);
        }
        Err(end)
    }

    /// Consumes the rest of a string from `end`, which is no plain character, and hands on each character that was
    /// escaped, with the plain ones behind it.
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
                    let (char, from) = escape(self.text, end)?;
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

    /// Consumes a string, whose opening quote has been seen and whose first escape stands at `end`.
    #[cold]
    pub fn unescaped(&mut self, end: usize) -> Result<String, Error> {
        let mut out = String::from(self.slice(self.at + 1, end));
        self.escapes(end, |char, plain| {
            out.push(char);
            out.push_str(plain);
        })?;
        Ok(out)
    }

    /// Consumes a string, whose opening quote has been seen.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'t, str>, Error> {
        match self.plain() {
            Ok(text) => Ok(Cow::Borrowed(text)),
            Err(end) => self.unescaped(end).map(Cow::Owned),
        }
    }

    /// Consumes the opening bracket of an array or object, which has been seen.
    #[inline]
    pub fn open(&mut self) -> Result<(), Error> {
        match self.depth.checked_sub(1) {
            Some(depth) => self.depth = depth,
            None => return Err(self.error(Expected::LessDepth)),
        }
        self.at += 1;
        Ok(())
    }

    /// Whether another element follows; its comma, or the closing bracket, is consumed. A closing bracket right behind the
    /// comma is for the caller to refuse.
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

    /// Consumes the closing bracket, which stands here.
    #[inline]
    fn close(&mut self, place: &mut Place) {
        self.at += 1;
        self.depth += 1;
        *place = Place::Closed;
    }

    /// Whether another element of an array follows.
    #[inline]
    pub fn next_element(&mut self, place: &mut Place) -> Result<bool, Error> {
        let more = self.next(ARRAY, place)?;
        if more && self.peek() == Some(ARRAY.close) {
            return Err(self.error(Expected::NoComma));
        }
        Ok(more)
    }

    /// Whether another entry of an object follows: then its key's opening quote stands here.
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

    /// Consumes the colon behind a key.
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

    /// Consumes the closing bracket of an object, if it stands right here.
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

    /// Consumes a string, whose opening quote has been seen.
    pub fn skip_string(&mut self) -> Result<(), Error> {
        match self.plain() {
            Ok(_) => Ok(()),
            Err(end) => self.escapes(end, |_, _| ()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Expected, MAX_DEPTH, Scanner};

    fn read(text: &str) -> Result<&str, (Expected, usize)> {
        let mut scanner = Scanner::new(text);
        let value = scanner
            .skip()
            .and_then(|text| scanner.finish().map(|()| text));
        value.map_err(|error| (error.expected(), error.at()))
    }

    #[test]
    fn an_error_names_what_is_missing_and_where() {
        let table = [
            ("", Expected::Value, 0),
            (" nul", Expected::Value, 1),
            ("[1 2]", Expected::NextElement, 3),
            ("[1,]", Expected::NoComma, 3),
            ("[,]", Expected::Value, 1),
            (r#"{"a" 1}"#, Expected::Colon, 5),
            (r#"{"a":1 "b":2}"#, Expected::NextEntry, 7),
            (r#"{"a":1,}"#, Expected::NoComma, 7),
            ("{a:1}", Expected::Key, 1),
            ("1 x", Expected::End, 2),
            ("-", Expected::Digit, 1),
            ("1.", Expected::Digit, 2),
            ("1e+", Expected::Digit, 3),
            ("01", Expected::NoDigit, 1),
            (r#""a"#, Expected::StringEnd, 2),
            ("\"\n\"", Expected::Control, 1),
            (r#""\x""#, Expected::Escape, 1),
            (r#""\u12g4""#, Expected::Hex, 1),
            (r#""\ud800""#, Expected::Pair, 1),
            (r#""\ud800\u0041""#, Expected::Pair, 1),
            (r#""\udc00""#, Expected::Pair, 1),
        ];
        for (text, expected, at) in table {
            assert_eq!(read(text), Err((expected, at)), "{text}");
        }
    }

    #[test]
    fn values_are_skipped_whole() {
        for text in [
            "null",
            "-0.5e+3",
            r#""a\"\ud83d\ude00\\""#,
            r#"[ 1 , [ ] , { } , "x" ]"#,
            r#"{"a" : {"a": [true, false]} , "a":1}"#,
        ] {
            assert_eq!(read(&format!("\n {text}\t")), Ok(text));
        }
    }

    #[test]
    fn depth_has_an_end() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let deepest = usize::from(MAX_DEPTH);
        assert!(read(&nested(deepest)).is_ok());
        let deeper = nested(deepest + 1);
        assert_eq!(read(&deeper), Err((Expected::LessDepth, deepest)));
    }
}
