//! Values that `garde` validates where they are decoded.

use std::cell::Cell;
use std::ops::Deref;

use garde::{Report, Validate};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::Refusal;
use super::fault::say;
use super::{Fault, FaultCode, Segment};
use crate::shape::{Id, Refs, Schema, Shape};

/// A value that passed its `garde` validation (feature `garde`).
///
/// As an argument, or anywhere inside one, it looks like `T` to the model. It is decoded as `T`, and
/// then [`garde::Validate`] decides. Each error of garde's report becomes a fault of the call, with its path:
///
/// ```text
/// order.lines[0].quantity: 0 is refused: lower than 1
/// order.lines[2].sku: "" is refused: length is lower than 3
/// ```
///
/// garde knows the names of Rust. A path has the keys of the arguments where these differ from the names in letter case and
/// underscores (`rename_all`), and where a variant's name stands between them. A key with another name
/// (`#[serde(rename = "…")]`) stands in the path by its name in Rust.
///
/// garde's rules are not published: a model learns of them from the faults. Bounds that it should see are
/// `#[schema(range(…))]` and the like.
///
/// The context of the validation is its `Default`; for one that depends on the call there is `#[tool(validate = path)]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Valid<T>(T);

impl<T: Validate<Context: Default>> Valid<T> {
    /// Validates a value.
    ///
    /// # Errors
    /// Fails with a fault for each error of garde's report, with paths in the names of Rust.
    pub fn new(value: T) -> Result<Self, Vec<Fault>> {
        match value.validate() {
            Ok(()) => Ok(Self(value)),
            Err(report) => Err(refusals(&report).into_iter().map(Fault::from).collect()),
        }
    }
}

impl<T> Valid<T> {
    /// Returns the value.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Valid<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Schema> Schema for Valid<T> {
    const ID: Id = T::ID;
    const SHAPE: &'static Shape<'static> = T::SHAPE;
    const REFS: &'static Refs = T::REFS;
}

impl<T: Serialize> Serialize for Valid<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

thread_local! {
    /// A report on its way into an error, which serde makes of a text alone.
    static REPORT: Cell<Option<Vec<Refusal>>> = const { Cell::new(None) };
}

/// Takes the report that an error of ours is being made of.
pub(super) fn report() -> Option<Vec<Refusal>> {
    REPORT.take()
}

impl<'de, T: Deserialize<'de> + Validate<Context: Default>> Deserialize<'de> for Valid<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = T::deserialize(deserializer)?;
        let Err(report) = value.validate() else {
            return Ok(Self(value));
        };
        let words: Vec<_> = report.to_string().lines().map(str::to_owned).collect();
        REPORT.set(Some(refusals(&report)));
        let error = D::Error::custom(words.join("; "));
        // Another deserializer's error left it there.
        REPORT.set(None);
        Err(error)
    }
}

fn refusals(report: &Report) -> Vec<Refusal> {
    let refusal = |(path, error): &(garde::Path, garde::Error)| Refusal {
        path: segments(path),
        words: error.message().to_owned(),
    };
    report.iter().map(refusal).collect()
}

/// The segments of a path, which garde shows to serde alone: each is its kind and its text.
fn segments(path: &garde::Path) -> Vec<Segment> {
    let steps = serde_json::to_value(path).and_then(serde_json::from_value);
    let steps: Vec<(String, String)> = steps.unwrap_or_default();
    let segment = |(kind, text): (String, String)| match (kind.as_str(), text.parse()) {
        ("none", _) => None,
        ("index", Ok(index)) => Some(Segment::Index(index)),
        _ => Some(Segment::Key(text)),
    };
    steps.into_iter().filter_map(segment).collect()
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::new(say::path(&refusal.path), FaultCode::Bound, refusal.words)
    }
}
