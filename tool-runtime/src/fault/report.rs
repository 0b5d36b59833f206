use super::{Fault, FaultCode, say};
use crate::json::{Error, Problem, Segment};
use crate::schema::{Kind, Shape, bare, describe, describe_range};

/// Turns what reading a type found into words: what the type's own code refuses, and everything
/// where no shape is known.
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

    /// The text that faults are looked for in.
    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    /// What is wrong inside the arguments' object.
    pub(crate) fn fault(&self, error: Error) -> Fault {
        let (problem, at, path) = error.into_parts();
        let shape = self.shape(&path);
        let (whose, got) = match path.last() {
            Some(Segment::Name(key)) => ("a key that is ", say::quoted(key)),
            _ => ("", say::shown(self.text, at.unwrap_or(self.text.len()))),
        };
        let expected = |what: &str| format!("expected {whose}{what}, got {got}");
        let described = |unknown: &str| match &shape {
            Some(shape) => describe(shape),
            None => unknown.into(),
        };
        let (code, message) = match problem {
            Problem::Range => {
                let what = shape.map(|shape| describe_range(&shape));
                (
                    FaultCode::OutOfRange,
                    expected(&what.unwrap_or("another number".into())),
                )
            }
            Problem::Length => (
                FaultCode::WrongType,
                expected(&described("another number of elements")),
            ),
            Problem::Refused(words) => (FaultCode::Bound, refused(shape.as_ref(), &got, &words)),
            Problem::UnknownVariant { got, allowed } => (
                FaultCode::WrongType,
                unknown_variant(whose, &got, shape.as_ref(), allowed),
            ),
            Problem::Missing => {
                let message = match &shape {
                    Some(shape) => say::missing(shape),
                    None => "missing".into(),
                };
                (FaultCode::MissingArgument, message)
            }
            Problem::UnknownKey { known } => {
                (FaultCode::UnknownArgument, self.unknown_key(&path, known))
            }
            Problem::DuplicateKey => (FaultCode::DuplicateKey, "given more than once".into()),
            Problem::Type { wanted } => {
                let unknown = if wanted.is_empty() {
                    "another value"
                } else {
                    wanted
                };
                (FaultCode::WrongType, expected(&described(unknown)))
            }
            // The text has been found to be JSON, so it is the type that reads it wrongly.
            Problem::Syntax { .. } | Problem::TooDeep => {
                (FaultCode::WrongType, expected("another value"))
            }
        };
        Fault {
            path: say::path(&path),
            code,
            message,
        }
    }

    fn unknown_key(&self, path: &[Segment], known: &'static [&'static str]) -> String {
        let Some((Segment::Key(key), within)) = path.split_last() else {
            return "unknown key".into();
        };
        let names: Vec<_> = match self.shape(within).map(|shape| bare(&shape, false).kind) {
            Some(Kind::Object(object)) => object.fields.iter().map(|field| field.name).collect(),
            _ if known.is_empty() => {
                let noun = if within.is_empty() { "argument" } else { "key" };
                return format!("unknown {noun}");
            }
            _ => known.to_vec(),
        };
        say::unknown_key(key, &names, within.is_empty())
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
    say::unknown_name(whose, got, &names)
}

/// What the author of a type says of a value; what a library says is not for a model.
fn refused(shape: Option<&Shape>, got: &str, words: &str) -> String {
    let Some(shape) = shape else {
        return format!("{got} is refused: {words}");
    };
    let bare = bare(shape, false);
    match bare.kind {
        Kind::String(rules) if rules.is_parsed && !bare.description.is_empty() => {
            format!(
                "expected {} ({}), got {got}",
                describe(shape),
                bare.description
            )
        }
        Kind::String(rules) if rules.is_parsed => say::unfit(shape, FaultCode::Bound, got),
        _ => format!("{got} is refused: {words}"),
    }
}
