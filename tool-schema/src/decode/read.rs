use toolwright_json::{Number, Place, Scanner};

use super::arena::ArenaCursor;
use super::expected::Expected;
use super::{Arena, Error, Mismatch};
use crate::decode::Leaf;
use crate::shape::{Field, Presence};

/// A [`Scanner`] over one JSON text with the expectation of the next value, and the deserializer of the text.
///
/// Functions that are called from generic code are compiled into the user's crate, so they are
/// small. The reading is done by functions that are compiled once, here.
pub struct Json<'de> {
    scan: Scanner<'de>,
    /// Offset of the last key.
    key_at: usize,
    /// Keys of the struct whose field is read next; `None` outside of a struct.
    pub(super) asked: Option<&'static [&'static str]>,
    /// Expectation of the value that is read next.
    pub(super) expected: Expected,
    pub(super) mode: ReadMode,
    pub(super) cursor: ArenaCursor<'de>,
}

/// Ways to read the next value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadMode {
    /// Read by the type, which sees all of it.
    Plain,
    /// Read by serde, into a buffer: the type does not see the text, so only its shape determines faults.
    Buffered,
    /// Read into a buffer, as an object whose tag has been looked at already: it is the first key.
    Tagged,
}

impl<'de> Json<'de> {
    pub fn new(text: &'de str, arena: &'de Arena) -> Self {
        Self {
            scan: Scanner::new(text),
            key_at: 0,
            asked: None,
            expected: Expected::Typed,
            mode: ReadMode::Plain,
            cursor: arena.cursor(),
        }
    }

    /// Returns true if serde reads the next value into a buffer. A false positive only costs time.
    #[inline]
    pub(super) fn is_buffered(&self) -> bool {
        matches!(self.mode, ReadMode::Buffered | ReadMode::Tagged)
    }

    /// A reader over another text, whose texts go where those of this one go, and which may nest as deep.
    pub(super) fn beside(&self, text: &'de str, expected: Expected) -> Self {
        let mut scan = Scanner::new(text);
        scan.rewind(0, self.depth());
        Self {
            scan,
            key_at: 0,
            asked: None,
            expected,
            ..*self
        }
    }

    /// Moves the reader to the value at `at`, at the level where `depth` more arrays and objects may open.
    pub fn at(mut self, at: usize, depth: u8) -> Self {
        self.rewind(at, depth);
        self
    }

    /// Moves to the value at `at`, inside the array or object that is being read.
    pub fn rewind(&mut self, at: usize, depth: u8) {
        self.scan.rewind(at, depth);
    }

    /// The whole text.
    pub(crate) fn whole(&self) -> &'de str {
        self.scan.text()
    }

    pub fn depth(&self) -> u8 {
        self.scan.depth()
    }

    /// Returns the offset of the next value, or of the white space before it.
    #[inline]
    pub fn offset(&self) -> usize {
        self.scan.offset()
    }

    /// Returns the offset of the key that was read last.
    pub(crate) fn key_at(&self) -> usize {
        self.key_at
    }

    /// A part of the text. Both ends are next to ASCII bytes, so they are boundaries.
    pub(crate) fn slice(&self, from: usize, to: usize) -> &'de str {
        self.scan.slice(from, to)
    }

    /// Returns the rest of the text.
    #[inline]
    pub(super) fn rest(&self) -> &'de [u8] {
        self.scan.bytes().get(self.offset()..).unwrap_or_default()
    }

    /// Returns true if the consumed text ends with `end`.
    #[inline]
    pub(super) fn has_read(&self, end: &[u8]) -> bool {
        self.scan.has_read(end)
    }

    /// The next byte other than white space, not consumed.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        self.scan.peek()
    }

    /// Returns the error for an unexpected value: another type, or no value.
    #[cold]
    pub fn mismatch(&mut self, wanted: &'static str) -> Error {
        match self.peek() {
            Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                Error::at(Mismatch::Type { wanted }, self.offset())
            }
            _ => {
                let expected = toolwright_json::Expected::Value.as_str();
                Error::at(Mismatch::Syntax { expected }, self.offset())
            }
        }
    }

    /// Checks that nothing but white space follows.
    #[inline]
    pub fn finish(&mut self) -> Result<(), Error> {
        Ok(self.scan.finish()?)
    }

    // Words

    /// Consumes `word`, whose first byte has been seen.
    pub(super) fn word(&mut self, word: &'static str) -> Result<(), Error> {
        Ok(self.scan.word(word)?)
    }

    pub(super) fn boolean(&mut self) -> Result<bool, Error> {
        self.check_leaf(Leaf::Bool)?;
        match self.peek() {
            Some(b't') => self.word("true").map(|()| true),
            Some(b'f') => self.word("false").map(|()| false),
            _ => Err(self.mismatch("true or false")),
        }
    }

    pub fn null(&mut self) -> Result<(), Error> {
        self.check_leaf(Leaf::Null)?;
        match self.peek() {
            Some(b'n') => self.word("null"),
            _ => Err(self.mismatch("null")),
        }
    }

    // Numbers

    /// Consumes a number, which the type calls `wanted`.
    #[inline(always)]
    #[allow(clippy::inline_always)] // Integers and floats are read by code of their own.
    pub(crate) fn number(&mut self, wanted: &'static str) -> Result<Number<'de>, Error> {
        match self.scan.number() {
            Ok(number) => Ok(number),
            Err(error) => Err(self.no_number(error, wanted)),
        }
    }

    #[cold]
    fn no_number(&mut self, error: toolwright_json::Error, wanted: &'static str) -> Error {
        match error.expected() {
            toolwright_json::Expected::Value => self.mismatch(wanted),
            _ => error.into(),
        }
    }

    // Strings

    /// Consumes a string, whose opening quote has been seen, and lends it for as long as the text lives.
    #[inline]
    fn lent(&mut self) -> Result<&'de str, Error> {
        match self.scan.plain() {
            Ok(text) => Ok(text),
            Err(end) => self.lent_unescaped(end),
        }
    }

    #[cold]
    fn lent_unescaped(&mut self, end: usize) -> Result<&'de str, Error> {
        let text = self.scan.unescaped(end)?;
        Ok(self.cursor.keep(text))
    }

    /// The key that was read last, once more.
    pub(super) fn last_key(&self) -> Result<&'de str, Error> {
        let mut json = self.beside(self.whole(), Expected::Typed);
        json.scan.set_offset(self.key_at);
        json.lent()
    }

    /// Consumes a string and lends it for as long as the text lives.
    pub(super) fn text(&mut self) -> Result<&'de str, Error> {
        match self.peek() {
            Some(b'"') => {
                let text = self.lent()?;
                self.check_leaf(Leaf::String(text))?;
                Ok(text)
            }
            _ => Err(self.mismatch("a string")),
        }
    }

    /// Consumes a string, whose opening quote has been seen, if it has no escapes.
    pub(super) fn plain(&mut self) -> Option<&'de str> {
        self.scan.plain().ok()
    }

    /// Consumes a string for somebody who will own it.
    pub fn string(&mut self) -> Result<Result<&'de str, String>, Error> {
        let text = match self.peek() {
            Some(b'"') => match self.scan.plain() {
                Ok(text) => Ok(text),
                Err(end) => Err(self.scan.unescaped(end)?),
            },
            _ => return Err(self.mismatch("a string")),
        };
        self.check_leaf(Leaf::String(match &text {
            Ok(text) => text,
            Err(text) => text,
        }))?;
        Ok(text)
    }

    /// Consumes a string as an owned one. It is made here, where it is compiled once.
    pub(super) fn owned(&mut self) -> Result<String, Error> {
        Ok(self.string()?.map_or_else(|text| text, str::to_owned))
    }

    // Arrays and objects

    /// Consumes the required opening bracket of `wanted`.
    #[inline]
    fn enter(&mut self, bracket: u8, wanted: &'static str) -> Result<(), Error> {
        if self.peek() == Some(bracket) {
            Ok(self.scan.open()?)
        } else {
            Err(self.mismatch(wanted))
        }
    }

    /// Consumes the required opening bracket of an array.
    pub(crate) fn enter_array(&mut self) -> Result<(), Error> {
        self.enter(b'[', "an array")
    }

    /// Returns true if another element of an array follows.
    pub(crate) fn next_element(&mut self, place: &mut Place) -> Result<bool, Error> {
        Ok(self.scan.next_element(place)?)
    }

    /// Consumes the required opening bracket of an object.
    #[inline]
    pub fn enter_object(&mut self) -> Result<(), Error> {
        self.enter(b'{', "an object")
    }

    /// Consumes the closing bracket of an object, if it is next.
    #[inline]
    pub fn take_end(&mut self, place: &mut Place) -> bool {
        self.scan.take_end(place)
    }

    /// Consumes the next `"key":` if it is that of this field, in one of the two usual spellings.
    /// Comparing a key takes less time than looking for its end.
    #[inline]
    pub fn take_key(&mut self, place: &mut Place, field: &Field<'_>) -> bool {
        let rest = match (*place, self.rest()) {
            (Place::Inside, [b',', b' ', b'"', rest @ ..] | [b',', b'"', rest @ ..]) => rest,
            (Place::Opened, [b'"', rest @ ..]) => rest,
            _ => return false,
        };
        if field.presence == Presence::Never || field.is_escaped {
            return false;
        }
        let Some([b'"', b':', rest @ ..]) = rest.strip_prefix(field.name.as_bytes()) else {
            return false;
        };
        self.scan.set_offset(self.whole().len() - rest.len());
        self.asked = None;
        *place = Place::Inside;
        true
    }

    /// Consumes the next `"key":` of an object, if another one follows.
    pub fn next_key(&mut self, place: &mut Place) -> Result<Option<&'de str>, Error> {
        if !self.scan.next_entry(place)? {
            return Ok(None);
        }
        self.key_at = self.offset();
        let key = self.lent()?;
        self.scan.colon()?;
        // Cleared by the struct that reads it.
        self.asked = None;
        Ok(Some(key))
    }

    // Values whose content was not read

    /// Consumes one value of any type and returns its text.
    pub fn skip(&mut self) -> Result<&'de str, Error> {
        Ok(self.scan.skip()?)
    }
}
