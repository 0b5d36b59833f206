//! Decodes JSON text into typed arguments: a serde deserializer that is as strict as the schema.
//!
//! `serde_json` decodes everything that a type's `Deserialize` accepts, which is more than its schema admits: it takes an
//! array for a struct, drops unknown keys, lets the last of two equal keys win, turns `1e40` into an infinite `f32`,
//! and refuses `1.0` for an integer. A wrapper around it would have to carry a second set of visitors through every
//! user's type. A deserializer of our own sees all of this where it happens, and a user's crate compiles no more code
//! for it than for `serde_json`:
//!
//! - `deserialize_struct` met by `[` is an array given for a struct;
//! - a derived `Deserialize` calls `deserialize_ignored_any` for an unknown key, so behind such a key of
//!   a struct it is a refusal;
//! - a number is judged by its decimal text, never through `f64`;
//! - a string with escapes is unescaped into a [`Arena`] that lives as long as the text, so a
//!   `&str` borrows at any depth, escapes or not.
//!
//! Values that serde buffers (untagged and internally tagged enums, flattened fields) are replayed by
//! serde's own deserializer, which this one does not see.

mod access;
mod arena;
mod buffered_object;
pub(crate) mod check;
mod checker;
mod container;
mod de;
mod defaults;
mod error;
mod example;
mod expected;
pub mod fault;
mod key;
mod limits;
mod number;
mod read;
mod repair;
mod secret;
mod seen_keys;
mod stable;
#[cfg(feature = "garde")]
mod valid;
pub mod walk;
mod words;

pub(crate) use self::check::{
    Leaf, admits, admits_count, first_repeat, int_of, is_integer, is_listed,
};
pub use self::checker::Checker;
pub use self::example::{example, sample};
pub use self::fault::Reporter;
pub use self::fault::{Fault, FaultCode};
pub use self::limits::Limits;
pub use self::repair::{Repair, RepairKind, Repairs};
pub use self::secret::redact;
pub use self::secret::{holds_secret, without_secrets};
pub(crate) use self::seen_keys::SeenKeys;
pub(crate) use self::stable::written;
pub use self::walk::{WalkOptions, WalkReport, collect_faults};
pub(crate) use self::words::{describe, describe_range, one_of};

pub use self::arena::Arena;
pub use self::container::position;
pub use self::defaults::{
    RefusedDefault, faults, refusal, refused_defaults, refused_examples, schema_notes,
};
pub use self::error::{Error, Mismatch, Segment};
pub use self::expected::{Expected, admits_key};
pub use self::read::Json;
#[cfg(feature = "garde")]
pub use self::valid::Valid;

/// Depth to which arrays and objects may nest, the arguments' own object included. Types recurse as
/// deep as the text does.
pub(crate) use toolwright_json::MAX_DEPTH;
