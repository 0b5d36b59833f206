use std::fmt::Write as _;

/// A place in a schema, as steps, notes and rejections name it.
#[derive(Debug, Clone, Default)]
pub struct Path(String);

impl Path {
    pub fn of_definition(name: &str) -> Self {
        Self(format!("#/$defs/{name}"))
    }

    /// Returns the path of a reference's target.
    pub fn of_reference(reference: &str) -> Self {
        Self(reference.strip_suffix('#').unwrap_or(reference).to_owned())
    }

    /// Appends a segment; returns the length to truncate to.
    pub fn enter(&mut self, part: &str) -> usize {
        let mark = self.0.len();
        self.0.push('/');
        self.0.push_str(part);
        mark
    }

    /// Goes to one of several parts.
    pub fn enter_numbered(&mut self, sign: char, index: usize) -> usize {
        let mark = self.0.len();
        // Writing to a string cannot fail.
        let _ = write!(self.0, "/{sign}{index}");
        mark
    }

    pub fn leave(&mut self, mark: usize) {
        self.0.truncate(mark);
    }

    /// The place's text; the root is `/`.
    pub fn at(&self) -> String {
        if self.0.is_empty() {
            "/".to_owned()
        } else {
            self.0.clone()
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
