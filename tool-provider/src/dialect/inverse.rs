//! Plan that undoes a lowering in the arguments.

use std::fmt::Write as _;
use std::sync::Arc;

use toolwright_json::{Value, write_string};
use toolwright_schema::decode::Segment;
use toolwright_schema::decode::fault::say;
use toolwright_schema::read::Ordered;

/// One value to restore in a model's arguments.
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
    /// A string becomes the value whose JSON it is. One that is not JSON stays.
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

/// Conversion of a model's arguments back to the schema before it was lowered.
///
/// It holds the lowered schema too, which determines a value's member of a union.
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

    /// Names the arguments in an error message as the model was sent them. `None` if the message stays as it is.
    ///
    /// Faults, and so stored messages, have the schema's own names: each request has other ones.
    pub(crate) fn name_as_sent(&self, message: &str) -> Option<String> {
        // As `Encoder::json` stores it.
        let stored = message.strip_prefix("{\"error\":");
        if let Some(json) = stored.and_then(|rest| rest.strip_suffix('}'))
            && let Ok(Value::String(words)) = Value::parse(json)
        {
            let mut json = String::from("{\"error\":");
            write_string(&mut json, &self.name_as_sent(&words)?);
            return Some(json + "}");
        }
        let renamed = self.steps.iter().filter_map(|step| match &step.op {
            Op::KeyIsRenamed { to } => Some((&**to, step.at.strip_prefix('/')?)),
            _ => None,
        });
        let renamed: Vec<_> = renamed.collect();
        if !renamed.iter().any(|(own, _)| message.contains(own)) {
            return None;
        }
        let lines = message.split('\n').map(|line| sent_line(line, &renamed));
        Some(lines.collect::<Vec<_>>().join("\n"))
    }
}

/// A line of an error message with the names that were sent: at the head of its path, and in backticks if the path leads to an
/// argument itself. Keys inside arguments are not renamed.
fn sent_line(line: &str, renamed: &[(&str, &str)]) -> String {
    // As `Encoder::text` stores it.
    let line_start = line.strip_prefix("Error: ");
    let (mark, line) = line_start.map_or(("", line), |line| ("Error: ", line));
    let head = renamed.iter().find_map(|(own, sent)| {
        let shown = say::path(&[Segment::Key((*own).to_owned())]);
        let rest = line.strip_prefix(&*shown)?;
        rest.starts_with([':', '.', '[']).then_some((*sent, rest))
    });
    let (head, rest) = head.unwrap_or(("", line));
    let path = rest.split(": ").next().unwrap_or_default();
    if !path.contains(['`', ' ']) && path.contains(['.', '[']) {
        return format!("{mark}{head}{rest}");
    }
    // The value that was sent follows, and does not change.
    let (words, value) = rest.split_at(rest.find(", got ").unwrap_or(rest.len()));
    let named = renamed.iter().fold(words.to_owned(), |words, (own, sent)| {
        words.replace(&format!("`{own}`"), &format!("`{sent}`"))
    });
    format!("{mark}{head}{named}{value}")
}
