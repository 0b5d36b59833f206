//! Messages: reading and writing.

use std::borrow::Cow;

use toolwright_json::{Error, ObjectWriter, Place, Scanner};

use super::error::RpcError;
use super::fields::{Fields, FieldsError};
use super::id::Id;

/// A message, as far as it is looked into. All but the method is JSON text.
#[derive(Debug, Default)]
pub(crate) struct Frame<'m> {
    pub(crate) jsonrpc: Option<&'m str>,
    pub(crate) id: Option<&'m str>,
    pub(crate) method: Option<Cow<'m, str>>,
    pub(crate) params: MessageParams<'m>,
    pub(crate) result: Option<&'m str>,
    pub(crate) error: Option<&'m str>,
}

/// Parameters of a request or notification.
#[derive(Debug, Default)]
pub(crate) enum MessageParams<'m> {
    #[default]
    None,
    Object(Fields<'m>),
    /// No object, which the protocol has nowhere; or one in which a key is there twice.
    Wrong(FieldsError),
}

/// Why a text is not a message.
#[derive(Debug, PartialEq)]
pub(crate) enum FrameError {
    /// It is not JSON.
    Json(Error),
    /// It is an array, which may be several messages.
    Array,
    /// It is another value than an object.
    NotAnObject,
    /// It has a key that no message has so.
    Key(String),
}

impl From<Error> for FrameError {
    fn from(error: Error) -> Self {
        Self::Json(error)
    }
}

impl<'m> Frame<'m> {
    /// Reads a message, once: keys of the message and of its parameters are told apart, and all values are checked. Values may
    /// hold halves of surrogate pairs: each belongs to whoever reads it.
    pub(crate) fn read(text: &'m str) -> Result<Self, FrameError> {
        Self::scan(Scanner::lossy(text))
    }

    /// Reads a message without such halves.
    pub(crate) fn read_strict(text: &'m str) -> Result<Self, FrameError> {
        Self::scan(Scanner::new(text))
    }

    fn scan(mut scanner: Scanner<'m>) -> Result<Self, FrameError> {
        let first = scanner.peek();
        if first != Some(b'{') {
            scanner.skip()?;
            scanner.finish()?;
            return Err(match first {
                Some(b'[') => FrameError::Array,
                _ => FrameError::NotAnObject,
            });
        }
        let mut frame = Self::default();
        let mut place = Place::Opened;
        scanner.open()?;
        while let Some(key) = scanner.next_key(&mut place)? {
            frame.entry(&key, &mut scanner)?;
        }
        scanner.finish()?;
        Ok(frame)
    }

    fn entry(&mut self, key: &str, scanner: &mut Scanner<'m>) -> Result<(), FrameError> {
        let value = match key {
            "params" => return self.params(scanner),
            "method" => return self.method(scanner),
            "jsonrpc" => &mut self.jsonrpc,
            "id" => &mut self.id,
            "result" => &mut self.result,
            "error" => &mut self.error,
            _ => return Ok(scanner.skip().map(drop)?),
        };
        match value.replace(scanner.skip()?) {
            None => Ok(()),
            Some(_) => Err(twice(key)),
        }
    }

    fn method(&mut self, scanner: &mut Scanner<'m>) -> Result<(), FrameError> {
        if scanner.peek() != Some(b'"') {
            scanner.skip()?;
            return Err(FrameError::Key("`method` is not a string".to_owned()));
        }
        match self.method.replace(scanner.string()?) {
            None => Ok(()),
            Some(_) => Err(twice("method")),
        }
    }

    fn params(&mut self, scanner: &mut Scanner<'m>) -> Result<(), FrameError> {
        let params = match scanner.peek() {
            Some(b'{') => match Fields::read(scanner) {
                Ok(fields) => MessageParams::Object(fields),
                Err(FieldsError::Json(error)) => return Err(error.into()),
                Err(wrong) => MessageParams::Wrong(wrong),
            },
            _ => match scanner.skip()? {
                "null" => MessageParams::None,
                _ => MessageParams::Wrong(FieldsError::NotAnObject),
            },
        };
        match std::mem::replace(&mut self.params, params) {
            MessageParams::None => Ok(()),
            _ => Err(twice("params")),
        }
    }

    /// The id, if it is one.
    pub(crate) fn id(&self) -> Option<Id> {
        Id::read(self.id?)
    }
}

fn twice(key: &str) -> FrameError {
    FrameError::Key(format!("`{key}` is there more than once"))
}

/// The elements of an array; none where the text is none.
pub(crate) fn array(text: &str) -> Vec<&str> {
    let mut scanner = Scanner::lossy(text);
    let (mut elements, mut place) = (Vec::new(), Place::Opened);
    let mut read = || {
        if scanner.peek() == Some(b'[') {
            scanner.open()?;
            while scanner.next_element(&mut place)? {
                elements.push(scanner.skip()?);
            }
        }
        Ok::<_, Error>(())
    };
    match read() {
        Ok(()) => elements,
        Err(_) => Vec::new(),
    }
}

/// A request, with the JSON of its parameters.
pub(crate) fn request(id: &Id, method: &str, params: &str) -> String {
    start(params.len() + 64)
        .json("id", id.as_json())
        .text("method", method)
        .json("params", params)
        .end()
}

/// A notification, with the JSON of its parameters.
pub(crate) fn notification(method: &str, params: &str) -> String {
    start(params.len() + 64)
        .text("method", method)
        .json("params", params)
        .end()
}

/// The answer to a request.
pub(crate) fn response(id: &Id, answer: &Result<String, RpcError>) -> String {
    match answer {
        Ok(result) => start(result.len() + id.as_json().len() + 40)
            .json("id", id.as_json())
            .json("result", result)
            .end(),
        Err(error) => error_response(Some(id.as_json()), error),
    }
}

/// An error about the request of this id, or about a message whose id cannot be read.
pub(crate) fn error_response(id: Option<&str>, error: &RpcError) -> String {
    start(256)
        .json("id", id.unwrap_or("null"))
        .json("error", &error.to_json())
        .end()
}

fn start(bytes: usize) -> ObjectWriter {
    ObjectWriter::sized(bytes + 16).text("jsonrpc", "2.0")
}

/// The same JSON in one line: a line's end inside of it can only be space between two tokens.
pub(crate) fn one_line(json: String) -> String {
    match memchr::memchr2(b'\n', b'\r', json.as_bytes()) {
        None => json,
        Some(_) => json.replace(['\n', '\r'], " "),
    }
}
