//! What a lowering changed in the arguments' form.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use toolwright_json::write_string;

use crate::schema::read::Ordered;

/// One thing to undo in what a model sends.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// What to do.
    pub op: Op,
    /// Where, in the lowered schema: `/name` is a key, `/*` the elements of an array, `/?i` a value
    /// of a union's member; `#/$defs/Name` starts a path inside a recursive type.
    pub at: String,
}

/// What to do with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        /// How many elements there are.
        len: usize,
    },
}

impl Op {
    /// The stable name: `null_is_absent`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NullIsAbsent => "null_is_absent",
            Self::EntriesToMap { .. } => "entries_to_map",
            Self::ObjectToTuple { .. } => "object_to_tuple",
        }
    }
}

impl Step {
    /// The step as JSON: `{"op":"null_is_absent","at":"/head"}`.
    pub fn to_json(&self) -> String {
        let mut out = format!("{{\"op\":\"{}\",\"at\":", self.op.as_str());
        write_string(&mut out, &self.at);
        // Writing to a string cannot fail.
        let _ = match self.op {
            Op::EntriesToMap { integer_keys: true } => out.write_str(",\"key\":\"integer\""),
            Op::ObjectToTuple { len } => write!(out, ",\"len\":{len}"),
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
pub struct Plan {
    steps: Vec<Step>,
    schema: Arc<Ordered>,
}

impl Plan {
    pub(super) fn new(steps: Vec<Step>, schema: Arc<Ordered>) -> Self {
        Self { steps, schema }
    }

    /// The lowered schema.
    pub(super) fn schema(&self) -> &Ordered {
        &self.schema
    }

    /// What is to be undone; nothing for most schemas.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

/// A place in a schema, as steps, notes and rejections name it.
#[derive(Debug, Clone, Default)]
pub(super) struct Path(String);

impl Path {
    pub(super) fn of_definition(name: &str) -> Self {
        Self(format!("#/$defs/{name}"))
    }

    /// Where a reference leads to.
    pub(super) fn of_reference(reference: &str) -> Self {
        Self(reference.strip_suffix('#').unwrap_or(reference).to_owned())
    }

    /// A key as part of a path: `/` stands between parts, so inside one it is `~1`, as in a JSON
    /// pointer (RFC 6901).
    pub(super) fn escaped(key: &str) -> Cow<'_, str> {
        if key.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
            Cow::Owned(key.replace('~', "~0").replace('/', "~1"))
        } else {
            Cow::Borrowed(key)
        }
    }

    /// Goes one part further; what brings it back.
    pub(super) fn enter(&mut self, part: &str) -> usize {
        let mark = self.0.len();
        self.0.push('/');
        self.0.push_str(part);
        mark
    }

    pub(super) fn leave(&mut self, mark: usize) {
        self.0.truncate(mark);
    }

    /// The place's text; the root is `/`.
    pub(super) fn at(&self) -> String {
        if self.0.is_empty() {
            "/".to_owned()
        } else {
            self.0.clone()
        }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}
