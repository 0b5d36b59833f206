//! Plan that undoes a lowering in the arguments.

use std::fmt::Write as _;
use std::sync::Arc;

use toolwright_json::write_string;

use toolwright_schema::read::Ordered;

/// One thing to restore in what a model sends.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// Operation on the value.
    pub op: Op,
    /// Path in the lowered schema: `/name` is a key, `/*` the elements of an array, `/?i` a value of a
    /// union's member. `#/$defs/Name` starts a path inside a recursive type. Other references are part of the way: a type that a long
    /// schema has under `$defs` has the paths of its uses.
    pub at: String,
}

/// Operations on a value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Op {
    /// A key whose value is `null` is taken out.
    NullIsAbsent,
    /// `[{"key": …, "value": …}]` becomes an object.
    EntriesToMap {
        /// The keys are integers.
        integer_keys: bool,
    },
    /// `{"_0": …, "_1": …}` becomes an array.
    ObjectToTuple {
        /// Number of elements.
        len: usize,
    },
    /// A string becomes the value whose JSON it is. One that is no JSON stays.
    TextToJson,
    /// A key gets its own name back.
    KeyIsRenamed {
        /// The name in the schema.
        to: String,
    },
}

impl Op {
    /// The stable name: `null_is_absent`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::NullIsAbsent => "null_is_absent",
            Self::EntriesToMap { .. } => "entries_to_map",
            Self::ObjectToTuple { .. } => "object_to_tuple",
            Self::TextToJson => "text_to_json",
            Self::KeyIsRenamed { .. } => "key_is_renamed",
        }
    }
}

impl Step {
    /// The step as JSON: `{"op":"null_is_absent","at":"/head"}`.
    pub fn to_json(&self) -> String {
        let mut out = format!("{{\"op\":\"{}\",\"at\":", self.op.as_str());
        write_string(&mut out, &self.at);
        // Writing to a string cannot fail.
        let _ = match &self.op {
            Op::EntriesToMap { integer_keys: true } => out.write_str(",\"key\":\"integer\""),
            Op::ObjectToTuple { len } => write!(out, ",\"len\":{len}"),
            Op::KeyIsRenamed { to } => {
                out.push_str(",\"to\":");
                write_string(&mut out, to);
                Ok(())
            }
            _ => Ok(()),
        };
        out.push('}');
        out
    }
}

/// The way back from what a model sends to what the schema admitted before it was lowered.
///
/// It holds the lowered schema too: which member of a union a value is of, only the schema says.
#[derive(Debug, Clone)]
pub struct Inverse {
    steps: Vec<Step>,
    schema: Arc<Ordered>,
}

impl Inverse {
    pub(super) fn new(steps: Vec<Step>, schema: Arc<Ordered>) -> Self {
        Self { steps, schema }
    }

    /// The lowered schema.
    pub(super) fn schema(&self) -> &Ordered {
        &self.schema
    }

    /// Returns the steps to restore; empty for most schemas.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}
