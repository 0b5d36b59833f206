//! What a model means and does not say.
//!
//! Models send numbers in quotes, JSON inside strings, one value where a list belongs. Guided by the
//! shape, such a value has one meaning. A string is never touched where a string is admitted.

use crate::fault::say;
use crate::json::{Json, Store};
use crate::schema::Shape;
use crate::{FaultCode, RepairKind};

use super::union::may_start;
use super::{Edit, Mode, Stop, Walk, Walked, edited};

impl Walk<'_> {
    /// A value of another JSON type than the shape's.
    pub(super) fn mismatch(&mut self, shape: &Shape) -> Walked {
        if !self.tells() {
            return Err(Stop);
        }
        self.json.peek();
        let start = self.json.offset();
        let depth = self.json.depth();
        let text = self.json.skip()?;
        if self.repairs() && self.repair(start, text, depth, shape) {
            return Ok(());
        }
        self.unfit(start, shape, FaultCode::WrongType)
    }

    /// Reads the string that stands next as what stands in it, if that is certain.
    pub(super) fn unquoted(&mut self, shape: &Shape) -> Result<bool, Stop> {
        if !self.repairs() || self.json.peek() != Some(b'"') {
            return Ok(false);
        }
        let start = self.json.offset();
        let depth = self.json.depth();
        let text = self.json.skip()?;
        let repaired = self.unquote(start, text, depth, shape);
        if !repaired {
            self.json.rewind(start, depth);
        }
        Ok(repaired)
    }

    fn repair(&mut self, start: usize, text: &str, depth: u8, shape: &Shape) -> bool {
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

    /// Takes a string for the number, boolean, array or object that stands in it.
    fn unquote(&mut self, start: usize, text: &str, depth: u8, shape: &Shape) -> bool {
        let store = Store::new();
        let string = match Json::new(text, &store).string() {
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
        let first = inner.as_bytes().get(..1).unwrap_or_default();
        may_start(shape, first) && self.means(start, text, inner, depth, shape, kind)
    }

    /// Walks `meant` in the place of `text`. JSON in a string is taken for what it is even with
    /// faults inside, since those are what the model has to hear of.
    fn means(
        &mut self,
        start: usize,
        text: &str,
        meant: &str,
        depth: u8,
        shape: &Shape,
        kind: RepairKind,
    ) -> bool {
        let store = Store::new();
        let mut json = Json::new(meant, &store).at(0, depth);
        if json.skip().is_err() || json.finish().is_err() {
            return false;
        }
        let mut inner = Walk::new(json.at(0, depth), Mode::Tell { repairs: true });
        inner.path.clone_from(&self.path);
        inner.outer = Some(self.outer.unwrap_or(start));
        inner.is_wrapped = kind == RepairKind::Wrapped;
        // The outer repair is told first.
        inner.secrecy = self.secrecy;
        if inner.hides(shape) {
            inner.repaired(kind, &say::kept_back(text, 0), &say::kept_back(meant, 0));
        } else {
            inner.repaired(kind, text, meant);
        }
        if inner.value(shape).is_err() {
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

    /// Tells a value that is not what the shape admits.
    pub(super) fn unfit(&mut self, start: usize, shape: &Shape, code: FaultCode) -> Walked {
        self.fault(start, code, |walk| {
            say::unfit(shape, code, &walk.got(start, shape))
        })
    }
}
