//! Truncation of texts that are too long for a model, in linear time.
//!
//! Plain text is cut at a boundary. JSON is cut so that it is still valid, since a model reads the structure.

use std::borrow::Cow;
use std::fmt::Write;

use crate::string::{quoted, write_string};
use crate::value::Value;
use crate::write::{write_comma, write_key};

/// Returns the offset at which to cut a text to these limits. `None` if the text is within them.
pub fn end(text: &str, bytes: usize, lines: usize) -> Option<usize> {
    let by_lines = match lines.checked_sub(1) {
        None => 0,
        Some(last) => text
            .match_indices('\n')
            .nth(last)
            .map_or(text.len(), |(at, _)| at + 1),
    };
    let end = by_lines.min(text.floor_char_boundary(bytes));
    (end < text.len()).then_some(end)
}

/// Shortens a JSON text to at most `room` bytes, or to `note` alone if there is no room for more. `note` is at its end
/// and says that something was omitted.
///
/// Strings are shortened first, all to one length. If that is not enough, lists and objects lose their last elements,
/// and say how many. A text that nests too deep for [`Value`] is `note` alone.
pub fn json(text: &str, room: usize, note: &str) -> String {
    let note = quoted(note);
    let room = room.checked_sub(note.len() + NOTE_KEY.len() + 3 + RESERVED);
    let (Some(room), Ok(value @ (Value::Array(_) | Value::Object(_)))) = (room, Value::parse(text))
    else {
        return note;
    };
    let mut longest = room.max(SHORTEST);
    while longest > SHORTEST && left(room, &value, longest).is_none() {
        longest /= 2;
    }
    let mut cutter = Cutter {
        out: String::new(),
        room,
        longest: longest.max(SHORTEST),
    };
    cutter.container(&value, 0, Some(&note));
    cutter.out
}

/// Key of the note in an object.
const NOTE_KEY: &str = "[output truncated]";

/// Maximal length of the end of a list or an object: `,"…":"18446744073709551615 more"}`.
const RESERVED: usize = 40;

/// Strings are never cut shorter than this.
const SHORTEST: usize = 64;

/// Maximal length of the note in a shortened string: `…[18446744073709551615 more bytes]`.
const SHORTENED: usize = 40;

/// Shortens a string to `longest` bytes.
fn shortened(text: &str, longest: usize) -> Cow<'_, str> {
    if text.len() <= longest + SHORTENED {
        return text.into();
    }
    let (kept, more) = text.split_at(text.floor_char_boundary(longest));
    format!("{kept}…[{} more bytes]", more.len()).into()
}

/// Returns the rest of the room behind a value with shortened strings; `None` if it does not fit.
fn left(room: usize, value: &Value<'_>, longest: usize) -> Option<usize> {
    let behind =
        |room: usize, text: &str| room.checked_sub(quoted(&shortened(text, longest)).len() + 1);
    match value {
        Value::String(text) => behind(room, text),
        Value::Array(items) => {
            let mut items = items.iter();
            items.try_fold(room.checked_sub(2)?, |room, item| left(room, item, longest))
        }
        Value::Object(entries) => {
            let mut entries = entries.iter();
            entries.try_fold(room.checked_sub(2)?, |room, (key, value)| {
                left(behind(room, key)?, value, longest)
            })
        }
        scalar => room.checked_sub(scalar.to_json().len() + 1),
    }
}

struct Cutter {
    out: String,
    room: usize,
    longest: usize,
}

impl Cutter {
    /// Appends a value. Returns false if there was no room for it and for `reserved` more bytes.
    fn value(&mut self, value: &Value<'_>, reserved: usize) -> bool {
        match value {
            Value::Array(_) | Value::Object(_) => self.container(value, reserved, None),
            Value::String(text) => write_string(&mut self.out, &shortened(text, self.longest)),
            Value::Number(text) if text.len() > self.longest => {
                // Writing to a string cannot fail.
                let _ = write!(self.out, "\"[a number of {} digits]\"", text.len());
            }
            scalar => scalar.write(&mut self.out),
        }
        self.out.len() + reserved <= self.room
    }

    /// Appends the first elements of an array or object, the number of the others, and the note.
    fn container(&mut self, value: &Value<'_>, reserved: usize, note: Option<&str>) {
        let is_object = matches!(value, Value::Object(_));
        let parts: Vec<(&str, &Value<'_>)> = match value {
            Value::Object(entries) => entries.iter().map(|(key, value)| (&**key, value)).collect(),
            other => other.items().iter().map(|item| ("", item)).collect(),
        };
        let start = if is_object {
            write_key
        } else {
            |out: &mut String, _: &str| write_comma(out)
        };
        self.out.push(if is_object { '{' } else { '[' });
        let mut others = parts.len();
        for (key, part) in parts {
            let end = self.out.len();
            start(&mut self.out, &shortened(key, self.longest));
            if !self.value(part, reserved + RESERVED) {
                self.out.truncate(end);
                break;
            }
            others -= 1;
        }
        if others > 0 {
            start(&mut self.out, "…");
            let _ = write!(self.out, "\"{others} more\"");
        }
        if let Some(note) = note {
            start(&mut self.out, NOTE_KEY);
            self.out.push_str(note);
        }
        self.out.push(if is_object { '}' } else { ']' });
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests;
