//! The keywords of what goes straight.

use super::super::super::reject::{Note, NoteKind};
use super::{Form, Straight};
use crate::schema::{
    Bare, Int, IntegerRange, Key, Kind, Variant, Words, push_number, write_json_string,
};

impl Straight {
    pub(super) fn type_name(&mut self, kind: &Kind, form: Form) {
        let name = match kind {
            Kind::Bool => "boolean",
            Kind::Integer(_) => "integer",
            Kind::Number(_) => "number",
            Kind::Array(_) => "array",
            Kind::Object(_) => "object",
            _ => "string",
        };
        let (before, after) = match form {
            Form::List => ("{\"type\":[\"", "\",\"null\"]"),
            Form::Marked => ("{\"type\":\"", "\",\"nullable\":true"),
            Form::Alone | Form::Either => ("{\"type\":\"", "\""),
        };
        for piece in [before, name, after] {
            self.out.push_str(piece);
        }
    }

    pub(super) fn variants(&mut self, variants: &[Variant], form: Form) {
        let mut characters = 0;
        for (index, variant) in variants.iter().enumerate() {
            let gap = if index > 0 { "," } else { ",\"enum\":[" };
            self.out.push_str(gap);
            write_json_string(&mut self.out, variant.name);
            characters += variant.name.chars().count();
        }
        let mut count = variants.len();
        if form == Form::List {
            self.out.push_str(",null");
            count += 1;
            characters += "null".len();
        }
        self.out.push(']');
        self.size.add_enum(count, characters);
    }

    /// See `Pass::drop_width`, which says why a bound is left out.
    pub(super) fn integer(&mut self, range: &IntegerRange, is_left_out: bool) {
        let (min, max) = told_bounds(range);
        match min {
            Some(min) if is_left_out && min.is_zero() && max.is_none() => {
                self.note(NoteKind::Dropped, "minimum", "0");
            }
            Some(min) => self.number(",\"minimum\":", min.magnitude),
            None => {}
        }
        if let Some(max) = max {
            self.number(",\"maximum\":", max.magnitude);
        }
        if range.multiple_of > 0 {
            self.number(",\"multipleOf\":", range.multiple_of.into());
        }
    }

    fn number(&mut self, key: &str, value: u128) {
        self.out.push_str(key);
        push_number(&mut self.out, value);
    }

    pub(super) fn describe(&mut self, description: &str) {
        if !description.is_empty() {
            self.out.push_str(",\"description\":");
            write_json_string(&mut self.out, description);
        }
    }

    pub(super) fn note(&mut self, kind: NoteKind, keyword: &str, value: &str) {
        let note = self.noted(kind, keyword, value);
        self.notes.push(note);
    }

    fn noted(&self, kind: NoteKind, keyword: &str, value: &str) -> Note {
        Note {
            kind,
            path: self.room.path.at(),
            keyword: keyword.to_owned(),
            value: value.to_owned(),
        }
    }

    /// What is told people alone.
    pub(super) fn leave_out(&mut self, bare: &Bare, words: &Words<'_>) {
        let own = [words.title, bare.title];
        if let Some(title) = own.into_iter().find(|text| !text.is_empty()) {
            let mut json = String::new();
            write_json_string(&mut json, title);
            let note = self.noted(NoteKind::Dropped, "title", &json);
            self.left_out.push(note);
        }
        if words.deprecated {
            let note = self.noted(NoteKind::Dropped, "deprecated", "true");
            self.left_out.push(note);
        }
    }

    /// A list of keys, unless there are none; how many there are.
    pub(super) fn names(&mut self, before: &str, keys: impl Iterator<Item = Key>) -> usize {
        let mut count = 0;
        for key in keys {
            self.out.push_str(if count > 0 { "," } else { before });
            write_json_string(&mut self.out, key.name);
            count += 1;
        }
        if count > 0 {
            self.out.push(']');
        }
        count
    }
}

/// The bounds of an integer that a provider is told.
pub(super) fn told_bounds(range: &IntegerRange) -> (Option<Int>, Option<Int>) {
    let is_told = !range.is_width;
    let min = (is_told || range.min.is_zero()).then_some(range.min);
    (min, is_told.then_some(range.max))
}
