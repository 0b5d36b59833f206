//! The keywords of what goes straight.

use toolwright_json::write_string;

use super::super::super::reject::{Note, NoteKind};
use super::{Form, Straight};
use crate::schema::render::Words;
use crate::schema::shape::{Bare, Key, Kind, Variant};

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
            write_string(&mut self.out, variant.name);
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

    pub(super) fn describe(&mut self, description: &str) {
        if !description.is_empty() {
            self.out.push_str(",\"description\":");
            write_string(&mut self.out, description);
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
            write_string(&mut json, title);
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
            write_string(&mut self.out, key.name);
            count += 1;
        }
        if count > 0 {
            self.out.push(']');
        }
        count
    }
}
