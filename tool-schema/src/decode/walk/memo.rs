//! Remembers verdicts on values that a walk visits again.

use crate::shape::Shape;

use super::{AdmittedEnd, Stop, Walk, WalkMode, Walked};

/// A value's place, and the address of its shape.
pub(super) type Memo = (usize, usize);

impl Walk<'_> {
    /// Returns the remembered verdict, and moves behind the value if it was admitted.
    pub(super) fn known(&mut self, memo: Option<Memo>, depth: u8) -> Option<Walked> {
        let Some((end, edits)) = self.known_ways.get(&memo?)? else {
            return Some(Err(Stop));
        };
        self.json.rewind(*end, depth);
        self.edits.extend(edits.iter().cloned());
        let copied = edits.len();
        Some(self.pay_for_copies(copied))
    }

    /// Remembers a verdict, with the edits made since there were `edits` of them.
    pub(super) fn note(&mut self, memo: Option<Memo>, is_admitted: bool, edits: usize) {
        if let Some(memo) = memo {
            let edits = self.edits.get(edits..).unwrap_or_default().to_vec();
            // Without a budget the walk stops at its next step.
            let _ = self.pay_for_copies(edits.len());
            let known = is_admitted.then(|| (self.json.offset(), edits));
            self.known_ways.insert(memo, known);
        }
    }

    /// Pays for copies of edits. Repairs are few; defaults may be as many as objects are.
    fn pay_for_copies(&mut self, edits: usize) -> Walked {
        if self.fills() {
            return self.spend(edits as u64);
        }
        Ok(())
    }

    /// Walks a value behind a recursive reference. Several parts of a run-time schema may refer to the same
    /// definition, so the verdict is remembered.
    pub(super) fn back(&mut self, shape: &Shape<'_>) -> Walked {
        if self.is_typed || self.mode != WalkMode::FailFast {
            return self.value(shape);
        }
        self.json.peek();
        let memo = Some((self.json.offset(), std::ptr::from_ref(shape).addr()));
        if let Some(known) = self.known(memo, self.json.depth()) {
            return known;
        }
        let noted = self.edits.len();
        let walked = self.value(shape);
        if !self.is_spent() {
            self.note(memo, walked.is_ok(), noted);
        }
        walked
    }

    /// Returns true if a shape admits the next value unchanged. The value is not consumed.
    pub(super) fn admits_next(&mut self, shape: &Shape<'_>) -> Result<bool, Stop> {
        Ok(self.validated_next(shape)?.is_some())
    }

    /// Returns the end and the replacement of the next value, if a shape admits it. The value is not consumed.
    pub(super) fn validated_next(
        &mut self,
        shape: &Shape<'_>,
    ) -> Result<Option<AdmittedEnd>, Stop> {
        self.json.peek();
        let (start, depth) = (self.json.offset(), self.json.depth());
        let (mode, noted, unions) = (self.mode, self.edits.len(), self.unions);
        self.mode = WalkMode::FailFast;
        self.unions += 1;
        self.tried += 1;
        let is_admitted = self.value(shape).is_ok();
        self.tried -= 1;
        (self.mode, self.unions) = (mode, unions);
        let (end, edits) = (self.json.offset(), self.edits.split_off(noted));
        self.json.rewind(start, depth);
        if self.is_spent() {
            return Err(Stop);
        }
        Ok(is_admitted.then_some((end, edits)))
    }
}
