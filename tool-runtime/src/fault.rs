use std::fmt;

use crate::Store;
use crate::json::{Error, Json, MAX_DEPTH, Problem, Segment};
use crate::near::{did_you_mean, near};
use crate::schema::{Kind, Shape, bare, describe, describe_range, one_of, write_json_string};

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
    text: &'t str,
    /// What the text was read as, where that is known.
    root: Option<Shape>,
}

impl<'t> Reporter<'t> {
    pub(crate) fn new(text: &'t str, root: Option<&Shape>) -> Self {
        Self {
            text,
            root: root.copied(),
        }
    }

    /// The one fault of a text that no argument can be looked for in.
    pub(crate) fn no_object(&self) -> Option<Fault> {
        let store = Store::new();
        let mut json = Json::new(self.text, &store);
        let (problem, at, _) = match json.skip().and_then(|_| json.finish()) {
            Err(error) => error.into_parts(),
            Ok(()) if self.text.trim_start().starts_with('{') => return None,
            Ok(()) => return Some(self.not_object()),
        };
        let (code, message) = match problem {
            Problem::Syntax { expected } => (FaultCode::InvalidJson, self.not_json(expected, at)),
            _ => (
                FaultCode::TooDeep,
                format!("more than {MAX_DEPTH} arrays and objects inside each other"),
            ),
        };
        Some(Fault {
            path: String::new(),
            code,
            message,
        })
    }

    fn not_json(&self, expected: &str, at: Option<usize>) -> String {
        let at = at.unwrap_or_default();
        let rest = self.text.get(at..).unwrap_or_default();
        let found = match rest.chars().next() {
            Some(char) => format!("found {char:?}"),
            None => "the text ends".into(),
        };
        format!("the arguments are no valid JSON: at byte {at} expected {expected}, {found}")
    }

    fn not_object(&self) -> Fault {
        Fault {
            path: String::new(),
            code: FaultCode::NotObject,
            message: format!(
                "the arguments must be a JSON object, got {}",
                shortened(self.text.trim())
            ),
        }
    }

    /// What is wrong inside the arguments' object.
    pub(crate) fn fault(&self, error: Error) -> Fault {
        let (problem, at, path) = error.into_parts();
        let shape = self.shape(&path);
        let (whose, got) = match path.last() {
            Some(Segment::Name(key)) => ("a key that is ", quoted(key)),
            _ => ("", self.shown(at)),
        };
        let expected = |what: &str| format!("expected {whose}{what}, got {got}");
        // What serde buffers is refused as a whole, and then what is inside it is wrong.
        let is_inside = matches!(
            (shape.map(|shape| bare(&shape, false).kind), got.as_bytes()),
            (
                Some(Kind::Object(_) | Kind::Map(_) | Kind::Union(_)),
                [b'{', ..]
            ) | (Some(Kind::Array(_) | Kind::Tuple(_)), [b'[', ..])
        );
        let (code, message) = match problem {
            Problem::Range if is_inside => (
                FaultCode::OutOfRange,
                format!("a number inside is out of range, got {got}"),
            ),
            Problem::Range => {
                let what = shape.map(|shape| describe_range(&shape));
                (
                    FaultCode::OutOfRange,
                    expected(&what.unwrap_or("another number".into())),
                )
            }
            Problem::Length => {
                let what = shape.map(|shape| describe(&shape));
                let what = what.unwrap_or("another number of elements".into());
                (FaultCode::WrongType, expected(&what))
            }
            Problem::Refused(words) => (FaultCode::Bound, format!("{got} is refused: {words}")),
            Problem::UnknownVariant { got, allowed } => (
                FaultCode::WrongType,
                unknown_variant(whose, &got, shape.as_ref(), allowed),
            ),
            Problem::Missing => {
                let message = match shape {
                    Some(shape) => format!("missing, expected {}", describe(&shape)),
                    None => "missing".into(),
                };
                (FaultCode::MissingArgument, message)
            }
            Problem::UnknownKey { known } => {
                (FaultCode::UnknownArgument, self.unknown_key(&path, known))
            }
            Problem::DuplicateKey => (FaultCode::DuplicateKey, "given more than once".into()),
            Problem::Type { .. } if is_inside => (
                FaultCode::WrongType,
                format!("a value inside is of another type, got {got}"),
            ),
            Problem::Type { wanted } => {
                let what = match (shape, wanted) {
                    (Some(shape), _) => describe(&shape),
                    (None, "") => "another value".into(),
                    (None, wanted) => wanted.into(),
                };
                (FaultCode::WrongType, expected(&what))
            }
            // The text has been found to be JSON, so it is the type that reads it wrongly.
            Problem::Syntax { .. } | Problem::TooDeep => {
                (FaultCode::WrongType, expected("another value"))
            }
        };
        Fault {
            path: written(&path),
            code,
            message,
        }
    }

    fn unknown_key(&self, path: &[Segment], known: &'static [&'static str]) -> String {
        let Some((Segment::Key(key), within)) = path.split_last() else {
            return "unknown key".into();
        };
        let noun = if within.is_empty() { "argument" } else { "key" };
        let names: Vec<_> = match self.shape(within).map(|shape| bare(&shape, false).kind) {
            Some(Kind::Object(object)) => object.fields.iter().map(|field| field.name).collect(),
            _ if known.is_empty() => return format!("unknown {noun}"),
            _ => known.to_vec(),
        };
        let hint = did_you_mean(&near(key, names.iter().copied()));
        if !hint.is_empty() {
            return format!("unknown {noun}; {hint}");
        }
        match names.as_slice() {
            [] => format!("unknown {noun}; there is none to give"),
            [one] => format!("unknown {noun}; the only one is `{one}`"),
            names => format!("unknown {noun}; there are `{}`", names.join("`, `")),
        }
    }

    /// The value at fault, as it stands in the text.
    fn shown(&self, at: Option<usize>) -> String {
        let rest = at.and_then(|at| self.text.get(at..)).unwrap_or_default();
        let store = Store::new();
        let mut json = Json::new(rest, &store);
        shortened(json.skip().unwrap_or(rest))
    }

    /// The shape at the end of `path`, as far as it says something.
    fn shape(&self, path: &[Segment]) -> Option<Shape> {
        let mut shape = self.root?;
        for segment in path {
            shape = *match (bare(&shape, false).kind, segment) {
                (Kind::Object(object), Segment::Key(key)) => {
                    object.fields.iter().find(|field| field.name == key)?.shape
                }
                (Kind::Map(map), Segment::Key(_)) => map.values,
                (Kind::Map(map), Segment::Name(_)) => map.keys,
                (Kind::Array(array), Segment::Index(_)) => array.items,
                (Kind::Tuple(items), Segment::Index(index)) => items.get(*index)?,
                _ => return None,
            };
        }
        Some(shape).filter(|shape| !matches!(shape.kind, Kind::Any | Kind::Unknown))
    }
}

fn unknown_variant(
    whose: &str,
    got: &str,
    shape: Option<&Shape>,
    allowed: &'static [&'static str],
) -> String {
    // serde's list has aliases too.
    let names: Vec<_> = match shape.map(|shape| bare(shape, false).kind) {
        Some(Kind::Enum(variants)) => variants.iter().map(|variant| variant.name).collect(),
        _ => allowed.to_vec(),
    };
    let hint = did_you_mean(&near(got, names.iter().copied()));
    let gap = if hint.is_empty() { "" } else { "; " };
    let names = one_of(names.iter().map(|name| format!("{name:?}")));
    format!("expected {whose}{names}, got {}{gap}{hint}", quoted(got))
}

/// `lines[2].qty`; a key that is no plain word stands in brackets: `map["a b"]`.
fn written(path: &[Segment]) -> String {
    let mut out = String::new();
    for segment in path {
        match segment {
            Segment::Index(index) => {
                out.push('[');
                out.push_str(&index.to_string());
                out.push(']');
            }
            Segment::Key(key) | Segment::Name(key) if is_word(key) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(key);
            }
            Segment::Key(key) | Segment::Name(key) => {
                out.push('[');
                out.push_str(&quoted(key));
                out.push(']');
            }
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

/// A string as JSON has it, cut to what fits on a line.
fn quoted(text: &str) -> String {
    let mut json = String::new();
    write_json_string(&mut json, text);
    shortened(&json)
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
