use std::fmt;

use crate::json::{Error, Problem, Segment};
use crate::near::{did_you_mean, near};
use crate::schema::{Field, Kind, Shape, bare, describe, describe_range, one_of};

/// One thing that is wrong with a call's arguments, said so that a model can put it right.
///
/// As text it is one line, the path first: `` lines[2].qty: expected an integer from 1 to 99, got
/// "three" ``.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// Where, from the arguments' root: `lines[2].qty`. Empty for the arguments as a whole.
    pub path: String,
    /// What kind of fault it is.
    pub code: FaultCode,
    /// What was expected and what came, without the path.
    pub message: String,
}

/// The kinds of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultCode {
    /// The text is no JSON.
    InvalidJson,
    /// The arguments are JSON, but no object.
    NotObject,
    /// A key stands twice in one object.
    DuplicateKey,
    /// There is no such argument or key.
    UnknownArgument,
    /// A required argument or key is not there.
    MissingArgument,
    /// A value of another type than asked for.
    WrongType,
    /// A number outside the range that the type holds.
    OutOfRange,
    /// A value that breaks a bound or that its type refuses.
    Bound,
    /// Arrays and objects nest too deeply.
    TooDeep,
}

impl FaultCode {
    /// The code's stable name, for logs and protocols: `wrong_type`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidJson => "invalid_json",
            Self::NotObject => "not_object",
            Self::DuplicateKey => "duplicate_key",
            Self::UnknownArgument => "unknown_argument",
            Self::MissingArgument => "missing_argument",
            Self::WrongType => "wrong_type",
            Self::OutOfRange => "out_of_range",
            Self::Bound => "bound",
            Self::TooDeep => "too_deep",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

/// Turns what the decoder found into words.
pub(crate) struct Reporter<'t> {
    pub(crate) text: &'t str,
    pub(crate) root: &'static [Field],
}

impl Reporter<'_> {
    pub(crate) fn fault(&self, error: Error) -> Fault {
        let (problem, at, path) = error.into_parts();
        let expected = |describe: fn(&'static Shape) -> String| match self.shape(&path) {
            Some(shape) => describe(shape),
            None => "another value".into(),
        };
        let (code, path, message) = match problem {
            Problem::Syntax { expected } => return self.not_json(expected, at),
            Problem::TooDeep => (
                FaultCode::TooDeep,
                path,
                format!(
                    "more than {} arrays and objects inside each other",
                    crate::json::MAX_DEPTH
                ),
            ),
            Problem::Type | Problem::Length => (
                FaultCode::WrongType,
                path.clone(),
                format!("expected {}, got {}", expected(describe), self.shown(at)),
            ),
            Problem::Range => (
                FaultCode::OutOfRange,
                path.clone(),
                format!(
                    "expected {}, got {}",
                    expected(describe_range),
                    self.shown(at)
                ),
            ),
            Problem::Refused(words) => (
                FaultCode::Bound,
                path,
                format!("{} is refused: {words}", self.shown(at)),
            ),
            Problem::UnknownVariant { got, allowed } => {
                let hint = did_you_mean(&near(&got, allowed.iter().copied()));
                let names = one_of(allowed.iter().map(|name| format!("{name:?}")));
                let gap = if hint.is_empty() { "" } else { "; " };
                (
                    FaultCode::WrongType,
                    path,
                    format!("expected {names}, got {got:?}{gap}{hint}"),
                )
            }
            Problem::Missing(key) => {
                let path = join(path, &key);
                let expected = match self.shape(&path) {
                    Some(shape) => format!("missing, expected {}", describe(&shape)),
                    None => "missing".into(),
                };
                (FaultCode::MissingArgument, path, expected)
            }
            Problem::UnknownKey(key) => {
                let message = self.unknown(&key, &path);
                (FaultCode::UnknownArgument, join(path, &key), message)
            }
            Problem::DuplicateKey(key) => (
                FaultCode::DuplicateKey,
                join(path, &key),
                "given more than once".into(),
            ),
        };
        Fault {
            path: written(&path),
            code,
            message,
        }
    }

    /// The one fault of a text that is no JSON.
    fn not_json(&self, expected: &str, at: Option<usize>) -> Fault {
        let at = at.unwrap_or_default().min(self.text.len());
        let found = match self.text.get(at..).and_then(|rest| rest.chars().next()) {
            Some(char) => format!("found {char:?}"),
            None => "the text ends".into(),
        };
        Fault {
            path: String::new(),
            code: FaultCode::InvalidJson,
            message: format!(
                "the arguments are no valid JSON: at byte {at} expected {expected}, {found}"
            ),
        }
    }

    pub(crate) fn not_object(&self) -> Fault {
        Fault {
            path: String::new(),
            code: FaultCode::NotObject,
            message: format!(
                "the arguments must be a JSON object, got {}",
                shortened(self.text.trim())
            ),
        }
    }

    fn unknown(&self, key: &str, within: &[Segment]) -> String {
        let fields = match self.shape(within).map(|shape| shape.kind) {
            Some(Kind::Object(object)) => object.fields,
            _ if within.is_empty() => return unknown_among(key, self.root, "argument"),
            _ => &[],
        };
        unknown_among(key, fields, "key")
    }

    /// The value at fault, as it stands in the text.
    fn shown(&self, at: Option<usize>) -> String {
        let rest = at.and_then(|at| self.text.get(at..)).unwrap_or_default();
        let store = crate::json::Store::new();
        let mut json = crate::json::Json::new(rest, &store);
        shortened(json.skip().unwrap_or(rest))
    }

    /// The shape at the end of `path`, as far as it is known.
    fn shape(&self, path: &[Segment]) -> Option<&'static Shape> {
        let (first, rest) = path.split_first()?;
        let Segment::Key(key) = first else {
            return None;
        };
        let mut shape = self.root.iter().find(|field| field.name == key)?.shape;
        for segment in rest {
            shape = match (bare(shape, false).kind, segment) {
                (Kind::Object(object), Segment::Key(key)) => {
                    object.fields.iter().find(|field| field.name == key)?.shape
                }
                (Kind::Map(map), Segment::Key(_)) => map.values,
                (Kind::Array(array), Segment::Index(_)) => array.items,
                (Kind::Tuple(items), Segment::Index(index)) => items.get(*index)?,
                _ => return None,
            };
        }
        Some(shape)
    }
}

fn unknown_among(key: &str, fields: &[Field], noun: &str) -> String {
    let hint = did_you_mean(&near(key, fields.iter().map(|field| field.name)));
    if !hint.is_empty() {
        return format!("unknown {noun}; {hint}");
    }
    let names: Vec<_> = fields
        .iter()
        .map(|field| format!("`{}`", field.name))
        .collect();
    match names.as_slice() {
        [] => format!("unknown {noun}; there is none to give"),
        [one] => format!("unknown {noun}; the only one is {one}"),
        names => format!("unknown {noun}; there are {}", names.join(", ")),
    }
}

fn join(mut path: Vec<Segment>, key: &str) -> Vec<Segment> {
    path.push(Segment::Key(key.to_owned()));
    path
}

/// `lines[2].qty`; a key that is no plain word stands in brackets: `map["a b"]`.
fn written(path: &[Segment]) -> String {
    let mut out = String::new();
    for segment in path {
        match segment {
            Segment::Index(index) => out.push_str(&format!("[{index}]")),
            Segment::Key(key) if is_word(key) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(key);
            }
            Segment::Key(key) => out.push_str(&format!("[{}]", shortened(&format!("{key:?}")))),
        }
    }
    out
}

fn is_word(key: &str) -> bool {
    !key.is_empty()
        && key.len() <= 64
        && key
            .chars()
            .all(|char| char.is_alphanumeric() || char == '_' || char == '-' || char == '$')
}

/// A value's text, cut to what fits on a line.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    let mut chars = text
        .chars()
        .map(|char| if char.is_control() { ' ' } else { char });
    let mut out: String = chars.by_ref().take(MOST).collect();
    if chars.next().is_some() {
        out.push('…');
    }
    out
}
