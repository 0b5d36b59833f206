//! Repairs common mistakes in a model's arguments.
//!
//! Models send numbers in quotes, JSON inside strings, one value where a list belongs. Guided by the
//! shape, such a value has one meaning. A string is never touched where a string is admitted.

use crate::decode::fault::say;
use crate::decode::{Arena, FaultCode, Json, RepairKind, Repairs};
use crate::shape::Shape;
use crate::text::near;

use super::meant::may_start;
use super::{Edit, Stop, Walk, WalkMode, Walked, edited};

/// Returns true if a key may be read as another one: it is that key with a slip in its letters.
///
/// No other character may be between the two. A gateway that looks at the keys first must not see one that looks like
/// none of ours, or like ours and is not. So the written key has no characters but plain ones and those of the key that
/// is meant. Letters that look alike, full width, case alone, separators and digits make another key.
fn is_slip(written: &str, meant: &str) -> bool {
    fn letters(text: &str) -> impl Iterator<Item = char> {
        let letters = text.chars().filter(|char| char.is_alphabetic());
        letters.flat_map(char::to_lowercase)
    }
    fn others(text: &str) -> impl Iterator<Item = char> {
        text.chars().filter(|char| !char.is_alphabetic())
    }
    let is_plain =
        |char: char| char.is_ascii_alphanumeric() || "_-".contains(char) || meant.contains(char);
    written.chars().all(is_plain)
        && !letters(written).eq(letters(meant))
        && others(written).eq(others(meant))
        && !near(written, [meant]).is_empty()
}

impl Walk<'_> {
    /// Returns the repairs that are still made. Beyond that number of slips the meaning is unclear.
    fn repairs(&self) -> Repairs {
        const MOST: usize = 1000;
        match self.mode {
            WalkMode::Collect { repairs } if self.found.repairs.len() < MOST => repairs,
            _ => Repairs::None,
        }
    }

    /// Returns true if a value may be read as its meaning, with its keys unchanged.
    pub(super) fn repairs_values(&self) -> bool {
        self.repairs() >= Repairs::Values
    }

    /// Returns true if a key may be read as another one, which is missing.
    pub(super) fn repairs_key(&self, written: &str, meant: &str) -> bool {
        self.repairs() == Repairs::All && is_slip(written, meant)
    }

    /// Handles a value of another JSON type than the shape's.
    pub(super) fn mismatch(&mut self, shape: &Shape<'_>) -> Walked {
        if !self.collects() {
            return Err(Stop);
        }
        self.json.peek();
        let start = self.json.offset();
        let depth = self.json.depth();
        let text = self.skipped()?;
        if self.repairs_values() && self.repair(start, text, depth, shape) {
            return Ok(());
        }
        self.unfit(start, shape, FaultCode::WrongType)
    }

    /// Reads the next string as the JSON inside it, if that is certain.
    pub(super) fn unquoted(&mut self, shape: &Shape<'_>) -> Result<bool, Stop> {
        if !self.repairs_values() || self.json.peek() != Some(b'"') {
            return Ok(false);
        }
        let start = self.json.offset();
        let depth = self.json.depth();
        let text = self.skipped()?;
        let repaired = self.unquote(start, text, depth, shape);
        if !repaired {
            self.json.rewind(start, depth);
        }
        Ok(repaired)
    }

    fn repair(&mut self, start: usize, text: &str, depth: u8, shape: &Shape<'_>) -> bool {
        if text.starts_with('"') && self.unquote(start, text, depth, shape) {
            return true;
        }
        let is_scalar = !matches!(text.bytes().next(), Some(b'{' | b'[' | b'n'));
        is_scalar
            && !self.is_wrapped
            && may_start(shape, b"[")
            && self.means(
                start,
                text,
                &format!("[{text}]"),
                depth,
                shape,
                RepairKind::Wrapped,
            )
    }

    /// Reads a string as the number, boolean, array or object inside it.
    fn unquote(&mut self, start: usize, text: &str, depth: u8, shape: &Shape<'_>) -> bool {
        let arena = Arena::new();
        let string = match Json::new(text, &arena).string() {
            Ok(Ok(string)) => string.to_owned(),
            Ok(Err(string)) => string,
            Err(_) => return false,
        };
        let inner = string.trim_matches([' ', '\n', '\r', '\t']);
        let kind = match inner.bytes().next() {
            Some(b'-' | b'0'..=b'9' | b't' | b'f') => RepairKind::Unquoted,
            Some(b'{' | b'[') => RepairKind::Parsed,
            _ => return false,
        };
        // An object in a text has keys that earlier readers of the arguments did not see.
        if self.repairs() != Repairs::All && inner.contains('{') {
            return false;
        }
        let first = inner.as_bytes().get(..1).unwrap_or_default();
        may_start(shape, first) && self.means(start, text, inner, depth, shape, kind)
    }

    /// Walks `meant` in the place of `text`. JSON in a string counts as such even with
    /// faults inside, so that the model reads those faults.
    fn means(
        &mut self,
        start: usize,
        text: &str,
        meant: &str,
        depth: u8,
        shape: &Shape<'_>,
        kind: RepairKind,
    ) -> bool {
        let arena = Arena::new();
        let mut json = Json::new(meant, &arena).at(0, depth);
        if json.skip().is_err() || json.finish().is_err() {
            return false;
        }
        let path = self.path.clone();
        let found = std::mem::take(&mut self.found);
        let mut inner = self.within(json.at(0, depth), start);
        // The faults of this walk stay, whether the repair is used or not.
        self.path = path;
        self.found = found;
        inner.is_wrapped = kind == RepairKind::Wrapped;
        // The outer repair is reported first.
        if inner.hides() {
            inner.repaired(kind, &say::kept_back(text, 0), &say::kept_back(meant, 0));
        } else {
            inner.repaired(kind, text, meant);
        }
        let walked = inner.value(shape);
        self.budget.steps = inner.budget.steps;
        if walked.is_err() {
            return false;
        }
        let is_whole = inner.found.faults.is_empty() && inner.found.more == 0;
        if !is_whole && kind != RepairKind::Parsed {
            return false;
        }
        let edits = std::mem::take(&mut inner.edits);
        let found = std::mem::take(&mut inner.found);
        let meant = edited(meant, 0..meant.len(), edits);
        self.edits.push(Edit::new(start..start + text.len(), meant));
        self.found.repairs.extend(found.repairs);
        self.found.keys.extend(found.keys);
        for (at, fault) in found.faults {
            self.found.push(at, || fault);
        }
        self.found.more += found.more;
        true
    }

    /// Reports a value that the shape does not admit.
    pub(super) fn unfit(&mut self, start: usize, shape: &Shape<'_>, code: FaultCode) -> Walked {
        self.fault(start, code, |walk| {
            say::unfit(shape, code, &walk.got(start))
        })
    }
}

#[cfg(test)]
mod tests;
