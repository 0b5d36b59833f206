use super::store::Pen;
use super::string::escape;
use super::watch::Watch;
use super::{Error, MAX_DEPTH, Problem, Store};
use crate::json::{ARRAY, Brackets, OBJECT, Place, plain_run};
use crate::schema::decode::Leaf;
use crate::schema::shape::{Field, Presence};

/// A reader over one JSON text, and the deserializer of what stands in it.
///
/// What is called from generic code, which is compiled into the user's crate, is small there: the
/// reading is done by functions that are compiled once, here.
pub struct Json<'de> {
    text: &'de str,
    pub(super) at: usize,
    /// Where the last key starts.
    key_at: usize,
    /// How many more arrays and objects may open.
    depth: u8,
    /// The keys of the struct, the value of one of whose keys is read next, if it is one's.
    pub(super) asked: Option<&'static [&'static str]>,
    /// What the value that is read next has to be.
    pub(super) watch: Watch,
    /// Whether the text was written for a provider's strict mode.
    lowered: bool,
    pub(super) pen: Pen<'de>,
}

impl<'de> Json<'de> {
    pub(crate) fn new(text: &'de str, store: &'de Store) -> Self {
        Self {
            text,
            at: 0,
            key_at: 0,
            depth: MAX_DEPTH,
            asked: None,
            watch: Watch::Typed,
            lowered: false,
            pen: store.pen(),
        }
    }

    /// The same reader, of a text that was written for a provider's strict mode, or not.
    pub(crate) fn lowered(self, lowered: bool) -> Self {
        Self { lowered, ..self }
    }

    /// Whether the text was written for a provider's strict mode.
    #[inline]
    pub(crate) fn is_lowered(&self) -> bool {
        self.lowered
    }

    /// A reader over another text, whose texts go where those of this one go.
    pub(super) fn beside(&self, text: &'de str, watch: Watch) -> Self {
        Self {
            text,
            at: 0,
            key_at: 0,
            asked: None,
            watch,
            ..*self
        }
    }

    /// The same reader at the value at `at`, which stands so deep that `depth` more arrays and
    /// objects may open.
    pub(crate) fn at(self, at: usize, depth: u8) -> Self {
        Self { at, depth, ..self }
    }

    /// Goes to the value at `at`, which stands in the array or object that is being read.
    pub(crate) fn rewind(&mut self, at: usize, depth: u8) {
        (self.at, self.depth) = (at, depth);
    }

    /// The whole text.
    pub(crate) fn whole(&self) -> &'de str {
        self.text
    }

    pub(crate) fn depth(&self) -> u8 {
        self.depth
    }

    /// Where reading goes on: at the next value, or at the white space before it.
    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// Where the key starts that was read last.
    pub(crate) fn key_at(&self) -> usize {
        self.key_at
    }

    #[inline]
    pub(super) fn bytes(&self) -> &'de [u8] {
        self.text.as_bytes()
    }

    /// A part of the text; both ends stand beside ASCII bytes, so they are boundaries.
    pub(crate) fn slice(&self, from: usize, to: usize) -> &'de str {
        self.text.get(from..to).unwrap_or_default()
    }

    #[inline]
    pub(super) fn byte(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    /// The next byte that is no white space, not consumed.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
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
    pub(super) fn syntax(&self, expected: &'static str) -> Error {
        Error::at(Problem::Syntax { expected }, self.at)
    }

    /// What is wrong with a value that is not what was wanted: its type, or that it is none.
    #[cold]
    pub(crate) fn mismatch(&mut self, wanted: &'static str) -> Error {
        match self.peek() {
            Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                Error::at(Problem::Type { wanted }, self.at)
            }
            _ => self.syntax("a JSON value"),
        }
    }

    /// Nothing but white space may follow.
    pub(crate) fn finish(&mut self) -> Result<(), Error> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.syntax("the end of the text")),
        }
    }

    // Words

    /// Consumes `word`, whose first byte has been seen.
    pub(super) fn word(&mut self, word: &'static str) -> Result<(), Error> {
        let rest = self.bytes().get(self.at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(())
        } else {
            Err(self.syntax("a JSON value"))
        }
    }

    pub(super) fn boolean(&mut self) -> Result<bool, Error> {
        self.see(Leaf::Bool)?;
        match self.peek() {
            Some(b't') => self.word("true").map(|()| true),
            Some(b'f') => self.word("false").map(|()| false),
            _ => Err(self.mismatch("true or false")),
        }
    }

    pub(crate) fn null(&mut self) -> Result<(), Error> {
        self.see(Leaf::Null)?;
        match self.peek() {
            Some(b'n') => self.word("null"),
            _ => Err(self.mismatch("null")),
        }
    }

    // Strings

    /// Consumes a string that has no escapes, whose opening quote has been seen; where it has some,
    /// the offset of the first.
    #[inline(always)]
    #[allow(clippy::inline_always)] // Three places read most of a text through it.
    fn plain(&mut self) -> Result<&'de str, usize> {
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

    /// Consumes the rest of a string from `end`, which is no plain character, and hands on each
    /// character that was escaped, with the plain ones behind it.
    fn escapes(
        &mut self,
        mut end: usize,
        mut each: impl FnMut(char, &'de str),
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
                Some(_) => "an escape: a control character may not stand in a string",
                None => "the end of a string",
            };
            return Err(Error::at(Problem::Syntax { expected }, end));
        }
    }

    #[cold]
    fn unescaped(&mut self, end: usize) -> Result<String, Error> {
        let mut out = String::from(self.slice(self.at + 1, end));
        self.escapes(end, |char, plain| {
            out.push(char);
            out.push_str(plain);
        })?;
        Ok(out)
    }

    /// Consumes a string, whose opening quote has been seen, and lends it for as long as the text
    /// lives.
    #[inline]
    fn lent(&mut self) -> Result<&'de str, Error> {
        match self.plain() {
            Ok(text) => Ok(text),
            Err(end) => self.lent_unescaped(end),
        }
    }

    #[cold]
    fn lent_unescaped(&mut self, end: usize) -> Result<&'de str, Error> {
        let text = self.unescaped(end)?;
        Ok(self.pen.keep(text))
    }

    /// The key that was read last, once more.
    pub(super) fn last_key(&self) -> Result<&'de str, Error> {
        let mut json = self.beside(self.text, Watch::Typed);
        json.at = self.key_at;
        json.lent()
    }

    /// Consumes a string and lends it for as long as the text lives.
    pub(super) fn text(&mut self) -> Result<&'de str, Error> {
        match self.peek() {
            Some(b'"') => {
                let text = self.lent()?;
                self.see(Leaf::String(text))?;
                Ok(text)
            }
            _ => Err(self.mismatch("a string")),
        }
    }

    /// Consumes a string for somebody who will own it.
    pub(crate) fn string(&mut self) -> Result<Result<&'de str, String>, Error> {
        let text = match self.peek() {
            Some(b'"') => match self.plain() {
                Ok(text) => Ok(text),
                Err(end) => Err(self.unescaped(end)?),
            },
            _ => return Err(self.mismatch("a string")),
        };
        self.see(Leaf::String(match &text {
            Ok(text) => text,
            Err(text) => text,
        }))?;
        Ok(text)
    }

    /// Consumes a string as one of its own: made here, where it is compiled once.
    pub(super) fn owned(&mut self) -> Result<String, Error> {
        Ok(self.string()?.map_or_else(|text| text, str::to_owned))
    }

    // Arrays and objects

    /// Consumes the opening bracket, if it stands here.
    fn open(&mut self, brackets: Brackets) -> Result<bool, Error> {
        if self.peek() != Some(brackets.open) {
            return Ok(false);
        }
        match self.depth.checked_sub(1) {
            Some(depth) => self.depth = depth,
            None => return Err(Error::at(Problem::TooDeep, self.at)),
        }
        self.at += 1;
        Ok(true)
    }

    /// Consumes the opening bracket, which must stand here.
    fn enter(&mut self, brackets: Brackets) -> Result<(), Error> {
        if self.open(brackets)? {
            Ok(())
        } else {
            Err(self.mismatch(brackets.name))
        }
    }

    /// Whether another element follows; its comma, or the closing bracket, is consumed. A closing
    /// bracket right behind the comma is for the caller to refuse.
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
            _ => return Err(self.syntax(brackets.next)),
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

    #[cold]
    fn trailing_comma(&self) -> Error {
        self.syntax("no comma before the closing bracket")
    }

    /// Consumes the opening bracket of an array, which must stand here.
    pub(crate) fn enter_array(&mut self) -> Result<(), Error> {
        self.enter(ARRAY)
    }

    /// Whether another element of an array follows.
    pub(crate) fn next_element(&mut self, place: &mut Place) -> Result<bool, Error> {
        let more = self.next(ARRAY, place)?;
        if more && self.peek() == Some(ARRAY.close) {
            return Err(self.trailing_comma());
        }
        Ok(more)
    }

    /// Consumes the opening bracket of an object, which must stand here.
    pub(crate) fn enter_object(&mut self) -> Result<(), Error> {
        self.enter(OBJECT)
    }

    /// Consumes the closing bracket of an object, if it stands right here.
    #[inline]
    pub(crate) fn take_end(&mut self, place: &mut Place) -> bool {
        let is_end = *place != Place::Closed && self.byte() == Some(OBJECT.close);
        if is_end {
            self.close(place);
        }
        is_end
    }

    /// Consumes the next `"key":` if it is that of this field, in one of the two ways in which
    /// almost everybody writes it: to compare a key takes less time than to look for its end.
    #[inline]
    pub(crate) fn take_key(&mut self, place: &mut Place, field: &Field) -> bool {
        let Some(rest) = self.bytes().get(self.at..) else {
            return false;
        };
        let rest = match (*place, rest) {
            (Place::Inside, [b',', b' ', b'"', rest @ ..] | [b',', b'"', rest @ ..]) => rest,
            (Place::Opened, [b'"', rest @ ..]) => rest,
            _ => return false,
        };
        if field.presence == Presence::Never {
            return false;
        }
        let Some(rest) = field.head.strip_from(rest, field.name) else {
            return false;
        };
        self.at = self.text.len() - rest.len();
        self.asked = None;
        *place = Place::Inside;
        true
    }

    /// Consumes the next `"key":` of an object, if another one follows.
    pub(crate) fn next_key(&mut self, place: &mut Place) -> Result<Option<&'de str>, Error> {
        if !self.next(OBJECT, place)? {
            return Ok(None);
        }
        self.expect_key()?;
        self.key_at = self.at;
        let key = self.lent()?;
        self.colon()?;
        // Until a struct says that it asked.
        self.asked = None;
        Ok(Some(key))
    }

    #[inline]
    fn expect_key(&mut self) -> Result<(), Error> {
        match self.peek() {
            Some(b'"') => Ok(()),
            Some(b'}') => Err(self.trailing_comma()),
            _ => Err(self.syntax("a key in double quotes")),
        }
    }

    #[inline]
    fn colon(&mut self) -> Result<(), Error> {
        if self.peek() != Some(b':') {
            return Err(self.syntax("`:`"));
        }
        self.at += 1;
        Ok(())
    }

    // Values that nobody asked the content of

    /// Consumes one value of any type and returns its text.
    pub(crate) fn skip(&mut self) -> Result<&'de str, Error> {
        self.peek();
        let start = self.at;
        self.skip_value()?;
        Ok(self.slice(start, self.at))
    }

    fn skip_value(&mut self) -> Result<(), Error> {
        let mut place = Place::Opened;
        match self.peek() {
            Some(b'"') => self.skip_string(),
            Some(b'-' | b'0'..=b'9') => self.number("a number").map(drop),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            Some(b'[') => {
                self.open(ARRAY)?;
                while self.next_element(&mut place)? {
                    self.skip_value()?;
                }
                Ok(())
            }
            Some(b'{') => {
                self.open(OBJECT)?;
                while self.next(OBJECT, &mut place)? {
                    self.expect_key()?;
                    self.skip_string()?;
                    self.colon()?;
                    self.skip_value()?;
                }
                Ok(())
            }
            _ => Err(self.syntax("a JSON value")),
        }
    }

    fn skip_string(&mut self) -> Result<(), Error> {
        match self.plain() {
            Ok(_) => Ok(()),
            Err(end) => self.escapes(end, |_, _| ()),
        }
    }
}
