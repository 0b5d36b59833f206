use super::number::Number;
use super::store::Pen;
use super::string::{plain_run, unescape};
use super::{Error, MAX_DEPTH, Problem, Store};

/// A reader over one JSON text, and the deserializer of what stands in it.
pub struct Json<'de> {
    text: &'de str,
    at: usize,
    /// How many more arrays and objects may open.
    depth: u8,
    /// The key of the value that is read next, inside an object.
    pub(super) key: &'de str,
    pen: Pen<'de>,
}

/// A string of the text: as it stands there, or without its escapes.
pub(super) enum Str<'de> {
    Plain(&'de str),
    Unescaped(String),
}

/// What opens and closes, and what may follow an element.
#[derive(Clone, Copy)]
pub(super) struct Brackets {
    open: u8,
    close: u8,
    next: &'static str,
}

pub(super) const ARRAY: Brackets = Brackets {
    open: b'[',
    close: b']',
    next: "`,` or `]`",
};
pub(super) const OBJECT: Brackets = Brackets {
    open: b'{',
    close: b'}',
    next: "`,` or `}`",
};

impl<'de> Json<'de> {
    pub(crate) fn new(text: &'de str, store: &'de Store) -> Self {
        Self {
            text,
            at: 0,
            depth: MAX_DEPTH,
            key: "",
            pen: store.pen(),
        }
    }

    /// Goes back to the value at `at`, which stands in the same array or object.
    pub(crate) fn rewind(&mut self, at: usize, depth: u8) {
        (self.at, self.depth) = (at, depth);
    }

    pub(crate) fn depth(&self) -> u8 {
        self.depth
    }

    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    fn bytes(&self) -> &'de [u8] {
        self.text.as_bytes()
    }

    /// A part of the text; both ends stand beside ASCII bytes, so they are boundaries.
    fn slice(&self, from: usize, to: usize) -> &'de str {
        self.text.get(from..to).unwrap_or_default()
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    /// The next byte that is no white space, not consumed.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.byte() {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                other => return other,
            }
        }
    }

    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    #[cold]
    pub(crate) fn syntax(&self, expected: &'static str) -> Error {
        Error::at(Problem::Syntax { expected }, self.at)
    }

    /// What is wrong with a value that is not of the type asked for: its type, or that it is none.
    #[cold]
    pub(super) fn mismatch(&mut self) -> Error {
        match self.peek() {
            Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                Error::at(Problem::Type, self.at)
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

    // Numbers

    /// Consumes a number.
    pub(super) fn number(&mut self) -> Result<Number<'de>, Error> {
        self.peek();
        let start = self.at;
        let negative = self.byte() == Some(b'-');
        self.at += usize::from(negative);
        let mut value = Some(0u64);
        let first = self.byte();
        while let Some(digit @ b'0'..=b'9') = self.byte() {
            value = value
                .and_then(|value| value.checked_mul(10))
                .and_then(|value| value.checked_add(u64::from(digit - b'0')));
            self.at += 1;
        }
        match (first, self.at - start - usize::from(negative)) {
            (_, 0) => return Err(self.syntax("a digit")),
            (Some(b'0'), 2..) => {
                self.at = start + usize::from(negative) + 1;
                return Err(self.syntax("no digit after a leading zero"));
            }
            _ => {}
        }
        if let Some(b'.' | b'e' | b'E') = self.byte() {
            self.fraction()?;
            return Ok(Number::Text(self.slice(start, self.at)));
        }
        let text = self.slice(start, self.at);
        Ok(match value {
            Some(value) if !negative => Number::Unsigned(value),
            Some(0) => Number::Unsigned(0),
            Some(value) => match 0i64.checked_sub_unsigned(value) {
                Some(value) => Number::Signed(value),
                None => Number::Text(text),
            },
            None => Number::Text(text),
        })
    }

    /// Consumes a number and returns its text.
    pub(super) fn number_text(&mut self) -> Result<&'de str, Error> {
        self.peek();
        let start = self.at;
        self.number()?;
        Ok(self.slice(start, self.at))
    }

    /// The rest of a number behind its whole part.
    fn fraction(&mut self) -> Result<(), Error> {
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Error> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.byte() {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.syntax("a digit"));
        }
        Ok(())
    }

    // Strings

    /// Consumes a string. The opening quote has been seen, not consumed.
    #[inline]
    pub(super) fn string(&mut self) -> Result<Str<'de>, Error> {
        let start = self.at + 1;
        let end = plain_run(self.bytes(), start);
        if self.bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Str::Plain(self.slice(start, end)));
        }
        self.string_with_escapes(start, end)
    }

    fn string_with_escapes(&mut self, start: usize, mut end: usize) -> Result<Str<'de>, Error> {
        let mut out = String::from(self.slice(start, end));
        loop {
            match self.bytes().get(end) {
                Some(b'"') => {
                    self.at = end + 1;
                    return Ok(Str::Unescaped(out));
                }
                Some(b'\\') => {
                    let from = unescape(self.text, end, &mut out)?;
                    end = plain_run(self.bytes(), from);
                    out.push_str(self.slice(from, end));
                }
                found => {
                    let expected = match found {
                        Some(_) => "an escape: a control character may not stand in a string",
                        None => "the end of a string",
                    };
                    return Err(Error::at(Problem::Syntax { expected }, end));
                }
            }
        }
    }

    /// Consumes a string and lends it for as long as the text lives.
    #[inline]
    pub(super) fn borrowed(&mut self) -> Result<&'de str, Error> {
        Ok(match self.string()? {
            Str::Plain(text) => text,
            Str::Unescaped(text) => self.pen.keep(text),
        })
    }

    /// Consumes `"key":`.
    #[inline]
    pub(crate) fn object_key(&mut self) -> Result<&'de str, Error> {
        if self.peek() != Some(b'"') {
            return Err(self.syntax("a key in double quotes"));
        }
        let key = self.borrowed()?;
        if !self.eat(b':') {
            return Err(self.syntax("`:`"));
        }
        self.key = key;
        self.peek();
        Ok(key)
    }

    // Arrays and objects

    /// Consumes the opening bracket, if it stands here.
    #[inline]
    pub(super) fn open(&mut self, brackets: Brackets) -> Result<bool, Error> {
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

    /// Whether another element follows; its separator, or the closing bracket, is consumed.
    #[inline]
    pub(super) fn next(&mut self, brackets: Brackets, first: bool) -> Result<bool, Error> {
        if self.eat(brackets.close) {
            self.depth += 1;
            return Ok(false);
        }
        if first {
            return Ok(true);
        }
        if !self.eat(b',') {
            return Err(self.syntax(brackets.next));
        }
        if self.peek() == Some(brackets.close) {
            return Err(self.syntax("no comma before the closing bracket"));
        }
        Ok(true)
    }

    /// Opens the object that stands here; `false` for any other value.
    pub(crate) fn open_object(&mut self) -> Result<bool, Error> {
        self.open(OBJECT)
    }

    /// Whether another key follows in the object; see [`open_object`](Self::open_object).
    pub(crate) fn next_in_object(&mut self, first: bool) -> Result<bool, Error> {
        self.next(OBJECT, first)
    }

    /// Consumes one value of any type and returns its text.
    pub(crate) fn skip(&mut self) -> Result<&'de str, Error> {
        self.peek();
        let start = self.at;
        self.skip_value()?;
        Ok(self.slice(start, self.at))
    }

    fn skip_value(&mut self) -> Result<(), Error> {
        match self.peek() {
            Some(b'"') => self.string().map(drop),
            Some(b'-' | b'0'..=b'9') => self.number().map(drop),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            Some(b'[') => {
                self.open(ARRAY)?;
                let mut first = true;
                while self.next(ARRAY, first)? {
                    first = false;
                    self.skip_value()?;
                }
                Ok(())
            }
            Some(b'{') => {
                self.open(OBJECT)?;
                let mut first = true;
                while self.next(OBJECT, first)? {
                    first = false;
                    self.object_key()?;
                    self.skip_value()?;
                }
                Ok(())
            }
            _ => Err(self.syntax("a JSON value")),
        }
    }
}
