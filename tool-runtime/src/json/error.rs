use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Expected, Unexpected};

/// Why a value could not be decoded, and where. One word wide, since it is rare and results are not.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    problem: Problem,
    /// Byte offset of the value at fault, once known.
    at: Option<usize>,
    /// From the fault outwards: segments are pushed as the error travels up.
    path: Vec<Segment>,
}

/// One step of a path into the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    Key(String),
    Index(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Problem {
    /// The text is no JSON here.
    Syntax {
        expected: &'static str,
    },
    /// More than [`MAX_DEPTH`](super::MAX_DEPTH) arrays and objects.
    TooDeep,
    /// JSON, but of another type than wanted.
    Type,
    /// A number outside the type's range.
    Range,
    /// A value that the type refuses, in words of its author's.
    Refused(String),
    /// An array with too few or too many elements.
    Length,
    Missing(Cow<'static, str>),
    UnknownKey(String),
    DuplicateKey(String),
    UnknownVariant {
        got: String,
        allowed: &'static [&'static str],
    },
}

impl Error {
    #[cold]
    pub(crate) fn new(problem: Problem) -> Self {
        Self(Box::new(Inner {
            problem,
            at: None,
            path: Vec::new(),
        }))
    }

    #[cold]
    pub(crate) fn at(problem: Problem, at: usize) -> Self {
        Self::new(problem).located(at)
    }

    /// Notes the offset of the value at fault, unless an inner value has done so.
    #[cold]
    pub(crate) fn located(mut self, at: usize) -> Self {
        self.0.at.get_or_insert(at);
        self
    }

    /// Notes that the fault lies inside `segment`.
    #[cold]
    pub(crate) fn within(mut self, segment: Segment) -> Self {
        self.0.path.push(segment);
        self
    }

    /// Notes where the value of `key` stands, and the key, unless the key is itself the fault.
    #[cold]
    pub(crate) fn in_entry(self, key: &str, start: usize) -> Self {
        let is_key = matches!(self.0.problem, Problem::UnknownKey(_)) && self.0.at.is_none();
        let located = self.located(start);
        if is_key {
            located
        } else {
            located.within(Segment::Key(key.to_owned()))
        }
    }

    pub(crate) fn into_parts(self) -> (Problem, Option<usize>, Vec<Segment>) {
        let Inner {
            problem,
            at,
            mut path,
        } = *self.0;
        path.reverse();
        (problem, at, path)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never shown to a model: `Fault` has the words for that.
        write!(f, "{:?}", self.0.problem)
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(Problem::Refused(message.to_string()))
    }

    fn invalid_type(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self::new(Problem::Type)
    }

    fn invalid_value(got: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self::new(match got {
            Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => {
                Problem::Range
            }
            _ => Problem::Type,
        })
    }

    fn invalid_length(_: usize, _: &dyn Expected) -> Self {
        Self::new(Problem::Length)
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(Problem::UnknownVariant {
            got: variant.to_owned(),
            allowed: expected,
        })
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self::new(Problem::UnknownKey(field.to_owned()))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(Problem::Missing(Cow::Borrowed(field)))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(Problem::DuplicateKey(field.to_owned()))
    }
}
