use super::{Fault, FaultCode, named, say};
use crate::decode::{Error, Mismatch, Segment, describe, describe_range, holds_secret};
use crate::shape::{Kind, Role, Shape, bare};

/// Describes the errors of reading a type: refusals of the type's own code, and everything if no shape
/// is known.
pub struct Reporter<'t, 's> {
    text: &'t str,
    /// Shape that the text was read as, if it is known.
    root: Option<Shape<'s>>,
    /// True if a part of it is a secret: then no value is shown, since it may stand in a wrong place.
    hides: bool,
}

impl<'t, 's> Reporter<'t, 's> {
    pub fn new(text: &'t str, root: Option<&Shape<'s>>) -> Self {
        Self {
            text,
            root: root.copied(),
            hides: root.is_some_and(holds_secret),
        }
    }

    /// The text that faults are looked for in.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Returns the fault inside the arguments' object that an error stands for.
    pub fn fault(&self, error: Error) -> Fault {
        let (problem, mut at, mut path) = error.into_parts();
        if let Mismatch::Invalid(refusals) = &problem
            && let Some(refusal) = refusals.first()
        {
            let inside = named::find(self.text, at, refusal.path.clone());
            path.extend(inside.path);
            at = inside.at;
        }
        let place = self.place(&path);
        let shape = place.shape;
        for segment in path.iter_mut().skip(place.open) {
            if let Segment::Key(key) | Segment::Name(key) = segment {
                say::KEPT_BACK_KEY.clone_into(key);
            }
        }
        let at = at.unwrap_or(self.text.len());
        let (whose, got) = match path.last() {
            Some(Segment::Name(_)) if self.hides => ("a key that is ", say::HIDDEN_KEY.into()),
            Some(Segment::Name(key)) => ("a key that is ", say::quoted(key)),
            _ if self.hides => ("", say::kept_back(self.text, at)),
            _ => ("", say::shown(self.text, at)),
        };
        let expected = |what: &str| format!("expected {whose}{what}, got {got}");
        let described = |unknown: &str| match &shape {
            Some(shape) => describe(shape),
            None => unknown.into(),
        };
        let (code, message) = match problem {
            Mismatch::Range => {
                let what = shape.map(|shape| describe_range(&shape));
                (
                    FaultCode::OutOfRange,
                    expected(&what.unwrap_or("another number".into())),
                )
            }
            Mismatch::Length => (
                FaultCode::WrongType,
                expected(&described("another number of elements")),
            ),
            Mismatch::Refused(words) => {
                // An author who quotes the value tells it.
                let words = (!place.is_hidden).then_some(words);
                let message = refused(shape.as_ref(), &got, words.as_deref());
                (FaultCode::Bound, message)
            }
            Mismatch::Invalid(refusals) => {
                let mut refusals = refusals.into_iter().filter(|_| !place.is_hidden);
                let words = refusals.next().map(|refusal| refusal.words);
                let got = if at < self.text.len() {
                    &got
                } else {
                    "the value"
                };
                (FaultCode::Bound, refused(None, got, words.as_deref()))
            }
            Mismatch::UnknownVariant { got, allowed } => {
                let got = (!self.hides).then_some(got);
                let message = unknown_variant(whose, got.as_deref(), shape.as_ref(), allowed);
                (FaultCode::WrongType, message)
            }
            Mismatch::Missing => {
                let message = match &shape {
                    Some(shape) => say::missing(shape),
                    None => "missing".into(),
                };
                (FaultCode::MissingArgument, message)
            }
            Mismatch::UnknownKey { known } => {
                (FaultCode::UnknownArgument, self.unknown_key(&path, known))
            }
            Mismatch::DuplicateKey => (FaultCode::DuplicateKey, "given more than once".into()),
            Mismatch::Type { wanted } => {
                let unknown = if wanted.is_empty() {
                    "another value"
                } else {
                    wanted
                };
                (FaultCode::WrongType, expected(&described(unknown)))
            }
            // The text has been found to be JSON, so it is the type that reads it wrongly.
            Mismatch::Syntax { .. } | Mismatch::TooDeep => {
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
        let within_shape = self.place(within).shape;
        let object = within_shape
            .as_ref()
            .and_then(|shape| shape.only_core().as_object());
        let names: Vec<_> = match object {
            Some(object) => object.fields.iter().map(|field| field.name).collect(),
            _ if known.is_empty() => {
                let noun = if within.is_empty() { "argument" } else { "key" };
                return format!("unknown {noun}");
            }
            _ => known.to_vec(),
        };
        say::unknown_key(key, &names, within.is_empty())
    }

    /// Looks up the place at the end of `path`.
    fn place(&self, path: &[Segment]) -> Known<'s> {
        let Some(mut shape) = self.root else {
            return Known {
                shape: None,
                is_hidden: false,
                open: path.len(),
            };
        };
        let mut known = Known {
            shape: None,
            is_hidden: false,
            open: path.len(),
        };
        for (index, segment) in path.iter().enumerate() {
            let bare = bare(&shape, false);
            known.is_hidden |= bare.is_secret;
            let inner = bare.kind.child_at(segment);
            let is_declared = bare.kind.as_object().is_some() && inner.is_some();
            if known.is_hidden && !is_declared {
                known.open = known.open.min(index);
            }
            match inner {
                Some(inner) => shape = *inner,
                None => {
                    if self.hides {
                        known.open = known.open.min(index);
                    }
                    known.is_hidden |= holds_secret(&shape);
                    return known;
                }
            }
        }
        known.is_hidden |= holds_secret(&shape);
        let says_something = !matches!(shape.kind, Kind::Any | Kind::Unknown);
        known.shape = says_something.then_some(shape);
        known
    }
}

impl<'s> Kind<'s> {
    /// Returns the child that stands at a segment of a path.
    fn child_at(&self, segment: &Segment) -> Option<&'s Shape<'s>> {
        let is_at = |role: Role<'s>| match (role, segment) {
            (Role::Field(field), Segment::Key(key)) => field.name == key,
            (Role::Value, Segment::Key(_))
            | (Role::Key, Segment::Name(_))
            | (Role::Item, Segment::Index(_)) => true,
            (Role::Place(place), Segment::Index(index)) => place == *index,
            _ => false,
        };
        let child = self.children().find(|child| is_at(child.role));
        child.map(|child| child.shape)
    }
}

/// Facts about a place in the arguments.
struct Known<'s> {
    /// Its shape, as far as it says something.
    shape: Option<Shape<'s>>,
    /// True if the value may be a secret by its place: its author's text is left out.
    is_hidden: bool,
    /// Number of segments of its path that may be shown.
    open: usize,
}

fn unknown_variant(
    whose: &str,
    got: Option<&str>,
    shape: Option<&Shape<'_>>,
    allowed: &'static [&'static str],
) -> String {
    // serde's list has aliases too.
    let names: Vec<_> = match shape.map(Shape::only_core) {
        Some(Kind::Enum(variants)) => variants.iter().map(|variant| variant.name).collect(),
        _ => allowed.to_vec(),
    };
    say::unknown_name(whose, got, &names)
}

/// Describes a refused value in the words of its type's author; a library's words are not for a
/// model.
fn refused(shape: Option<&Shape<'_>>, got: &str, words: Option<&str>) -> String {
    let refused = || match words {
        Some(words) => format!("{got} is refused: {words}"),
        None => format!("{got} is refused"),
    };
    let Some(shape) = shape else {
        return refused();
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
        _ => refused(),
    }
}
