use std::fmt;

use serde::de::{self, Unexpected};
use toolwright_json::Expected;

/// Why a value could not be decoded, and where. One word wide, since it is rare and results are not.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    problem: Mismatch,
    /// Byte offset of the faulty value, once known; white space may precede it.
    at: Option<usize>,
    /// Segments from the fault outwards: each is pushed as the error travels up.
    path: Vec<Segment>,
}

/// One step of a path into the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// The value behind a key.
    Key(String),
    /// The element at a place.
    Index(usize),
    /// A key of a map itself. Nothing lies inside it.
    Name(String),
}

/// Kinds of faults at the end of a path.
#[derive(Debug, Clone, PartialEq)]
pub enum Mismatch {
    /// The text is not JSON here.
    Syntax {
        expected: &'static str,
    },
    /// More than [`MAX_DEPTH`](super::MAX_DEPTH) arrays and objects.
    TooDeep,
    /// JSON, but of another type than wanted; the words are for where no shape has better ones.
    Type {
        wanted: &'static str,
    },
    /// A number outside the type's range.
    Range,
    /// A value that the type refuses, in words of its author's.
    Refused(String),
    /// A value whose content the type refuses.
    Invalid(Vec<Refusal>),
    /// An array with too few or too many elements.
    Length,
    Missing,
    /// A key that is none of `known`.
    UnknownKey {
        known: &'static [&'static str],
    },
    DuplicateKey,
    UnknownVariant {
        got: String,
        allowed: &'static [&'static str],
    },
}

/// A value that a type refuses, inside the value that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Path from the value that was read, in the names of Rust.
    pub path: Vec<Segment>,
    /// The words of the type's author.
    pub words: String,
}

impl Error {
    #[cold]
    pub fn new(problem: Mismatch) -> Self {
        Self(Box::new(Inner {
            problem,
            at: None,
            path: Vec::new(),
        }))
    }

    #[cold]
    pub(crate) fn at(problem: Mismatch, at: usize) -> Self {
        Self::new(problem).located(at)
    }

    #[cold]
    pub fn unknown_key(key: &str, known: &'static [&'static str]) -> Self {
        Self::new(Mismatch::UnknownKey { known }).of(Segment::Key(key.to_owned()))
    }

    #[cold]
    pub fn duplicate_key(key: &str) -> Self {
        Self::new(Mismatch::DuplicateKey).of(Segment::Key(key.to_owned()))
    }

    #[cold]
    pub fn missing_key(key: &str) -> Self {
        Self::new(Mismatch::Missing).of(Segment::Key(key.to_owned()))
    }

    /// Notes the offset of the value at fault, unless an inner value has done so.
    #[cold]
    pub fn located(mut self, at: usize) -> Self {
        self.0.at.get_or_insert(at);
        self
    }

    fn of(mut self, segment: Segment) -> Self {
        self.0.path.push(segment);
        self
    }

    /// Notes that the fault is at or inside the value at `start`, and the segment that leads to it.
    #[cold]
    pub(crate) fn inside(self, segment: Segment, start: usize) -> Self {
        self.located(start).of(segment)
    }

    /// Notes that the fault is the value behind a key, or lies in it.
    #[cold]
    pub fn inside_key(self, key: &str, start: usize) -> Self {
        self.inside(Segment::Key(key.to_owned()), start)
    }

    /// Notes that the fault is a key of a map, unless it is known to be one of a struct.
    #[cold]
    pub(crate) fn in_name(self, key: &str) -> Self {
        if self.0.path.is_empty() {
            self.of(Segment::Name(key.to_owned()))
        } else {
            self
        }
    }

    /// Splits an error into one for each value that is refused.
    pub fn each(self) -> impl Iterator<Item = Self> {
        let Inner { problem, at, path } = *self.0;
        let problems = match problem {
            Mismatch::Invalid(all) => all
                .into_iter()
                .map(|one| Mismatch::Invalid(vec![one]))
                .collect(),
            other => vec![other],
        };
        problems.into_iter().map(move |problem| {
            let path = path.clone();
            Self(Box::new(Inner { problem, at, path }))
        })
    }

    pub fn into_parts(self) -> (Mismatch, Option<usize>, Vec<Segment>) {
        let Inner {
            problem,
            at,
            mut path,
        } = *self.0;
        path.reverse();
        (problem, at, path)
    }
}

impl From<toolwright_json::Error> for Error {
    #[cold]
    fn from(error: toolwright_json::Error) -> Self {
        let problem = match error.expected() {
            Expected::LessDepth => Mismatch::TooDeep,
            expected => Mismatch::Syntax {
                expected: expected.as_str(),
            },
        };
        Self::at(problem, error.at())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never shown to a model: `Fault` has the words for that.
        write!(f, "{:?}", self.0.problem)
    }
}

impl std::error::Error for Error {}

#[cfg(feature = "garde")]
thread_local! {
    /// A `garde` report on its way into an error, which serde makes from a text alone.
    pub(super) static REPORT: std::cell::Cell<Option<Vec<Refusal>>> = const { std::cell::Cell::new(None) };
}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        #[cfg(feature = "garde")]
        if let Some(report) = REPORT.take() {
            return Self::new(Mismatch::Invalid(report));
        }
        let words = message.to_string();
        // serde's messages name Rust types, which a model does not know.
        if words.starts_with("data did not match any variant of untagged enum ")
            || words.starts_with("no variant of enum ")
        {
            return Self::new(Mismatch::Type { wanted: "" });
        }
        // From serde's buffers.
        if words == "i128 is not supported" || words == "u128 is not supported" {
            let words = "a 128-bit integer cannot be read here".into();
            return Self::new(Mismatch::Refused(words));
        }
        Self::new(Mismatch::Refused(words))
    }

    fn invalid_type(_: Unexpected<'_>, _: &dyn de::Expected) -> Self {
        Self::new(Mismatch::Type { wanted: "" })
    }

    /// Reports a number that its Rust type cannot hold as out of range. The reader has checked
    /// ranges by then, unless serde buffered the number. All else is a rule of the type's author.
    fn invalid_value(_: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        const WIDTHS: [&str; 10] = [
            "i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64", "u128",
        ];
        let words = expected.to_string();
        if WIDTHS.contains(&words.as_str()) || words.starts_with("a nonzero ") {
            return Self::new(Mismatch::Range);
        }
        // A number where a variant's or a field's name belongs.
        if words.starts_with("variant index ") || words.starts_with("field index ") {
            return Self::new(Mismatch::Type { wanted: "" });
        }
        Self::new(Mismatch::Refused(format!("expected {words}")))
    }

    fn invalid_length(_: usize, _: &dyn de::Expected) -> Self {
        Self::new(Mismatch::Length)
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(Mismatch::UnknownVariant {
            got: variant.to_owned(),
            allowed: expected,
        })
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        Self::unknown_key(field, known)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::missing_key(field)
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::duplicate_key(field)
    }
}
