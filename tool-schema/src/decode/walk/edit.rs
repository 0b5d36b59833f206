use std::ops::Range;

/// A part of a text, in other words.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: String,
    /// Address of the field whose default is added here.
    pub(super) field: Option<usize>,
}

impl Edit {
    pub(super) fn new(range: Range<usize>, text: impl Into<String>) -> Self {
        Self {
            range,
            text: text.into(),
            field: None,
        }
    }

    /// Adds the default of the field at this address to the object that ends here.
    pub(super) fn entry(at: usize, field: usize) -> Self {
        Self {
            field: Some(field),
            ..Self::new(at..at, "")
        }
    }
}

/// A range of a text with the edits made, which do not overlap.
pub(super) fn edited(text: &str, range: Range<usize>, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| edit.range.start);
    let mut out = String::with_capacity(range.len());
    let mut at = range.start;
    for edit in edits {
        out.push_str(text.get(at..edit.range.start).unwrap_or_default());
        out.push_str(&edit.text);
        at = edit.range.end;
    }
    out.push_str(text.get(at..range.end).unwrap_or_default());
    out
}
