//! Values that `garde` validates where they are decoded.

use std::ops::Deref;

use garde::{Report, Validate};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::{REPORT, Refusal};
use super::fault::say;
use super::{Fault, FaultCode, Segment};
use crate::shape::{Id, Refs, Schema, Shape};

/// A value that passed its `garde` validation (feature `garde`).
///
/// As an argument, or anywhere inside one, it looks like `T` to the model. It is decoded as `T`, and
/// then [`garde::Validate`] decides. Each error of garde's report becomes a fault of the call, with its path:
///
/// ```ignore
/// #[derive(Deserialize, Schema, Validate)]
/// struct Order {
///     #[garde(length(min = 1), dive)]
///     lines: Vec<Line>,
/// }
///
/// #[derive(Deserialize, Schema, Validate)]
/// struct Line {
///     #[garde(length(min = 3))]
///     sku: String,
///     #[garde(range(min = 1, max = 99))]
///     quantity: u32,
/// }
///
/// /// Places an order.
/// #[tool]
/// fn place(order: Valid<Order>) -> usize {
///     order.lines.len()
/// }
///
/// // order.lines[0].quantity: 0 is refused: lower than 1
/// // order.lines[1].sku: "ab" is refused: length is lower than 3
/// ```
///
/// garde reports the names of Rust. In a fault's path they are the keys of the arguments, where a key differs from its field only in
/// letter case, underscores and hyphens (`rename_all`). The names of variants are added. A field with another name
/// (`#[serde(rename = "…")]`) keeps its Rust name.
///
/// The model sees only the first faults of a call, like those of the decoder, and their number.
///
/// The schema does not have garde's rules. Publish a bound that the model should know with `#[schema(range(…))]`.
///
/// The context of the validation is its `Default`. For rules that depend on several arguments there is
/// `#[tool(validate = path)]`.
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
