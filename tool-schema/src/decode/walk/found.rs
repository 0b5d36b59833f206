use std::collections::HashSet;

use crate::decode::fault::say;
use crate::decode::{Fault, FaultCode, Repair, RepairKind, Segment};
use crate::text::{excerpt, printable};

use super::{Stop, Walk, WalkMode, Walked};

/// Number of faults that are reported, at most; a model repairs the first ones first.
pub(crate) const MOST_FAULTS: usize = 16;

/// Bytes of the texts of these faults, at most; the first is reported whatever its path.
const MOST_BYTES: usize = 8 * 1024;

/// Characters of one fault's message, at most: patterns and words of a type's author have no bound.
const MOST_CHARACTERS: usize = 2 * 1024;

/// Result of a walk.
#[derive(Debug, Default)]
pub struct WalkReport {
    /// The first faults, each with the offset of the faulty value.
    pub faults: Vec<(usize, Fault)>,
    /// Number of faults beyond those.
    pub more: usize,
    /// The keys of the root with a fault behind them.
    pub keys: HashSet<String>,
    /// Repairs that were made.
    pub repairs: Vec<Repair>,
    /// True if the walk ended where its budget did, and not with the text.
    pub is_cut: bool,
    /// The text in other words, if there are any: repaired, and with integers in the spelling that
    /// serde's buffers know.
    pub text: Option<String>,
}

impl WalkReport {
    /// Returns the number of faults.
    pub(super) fn count(&self) -> usize {
        self.faults.len() + self.more
    }

    /// Returns true if a value is reported as one of another type, by a fault after the first `count`.
    pub(super) fn is_of_wrong_type(&self, count: usize, at: usize) -> bool {
        let since = self.faults.get(count..).unwrap_or_default();
        let mut since = since.iter();
        since.any(|(place, fault)| *place == at && fault.code == FaultCode::WrongType)
    }

    /// Returns true if a key is reported as missing whose `null` was taken for a default. One part
    /// of a schema drops the `null`, and another wants the key.
    pub fn misses_what_it_dropped(&self) -> bool {
        let is_dropped = |path: &str| {
            let mut repairs = self.repairs.iter();
            repairs.any(|repair| repair.kind == RepairKind::NullDropped && repair.path == path)
        };
        let mut faults = self.faults.iter();
        faults.any(|(_, fault)| fault.code == FaultCode::MissingArgument && is_dropped(&fault.path))
    }

    /// Adds a fault.
    pub fn push(&mut self, at: usize, fault: impl FnOnce() -> Fault) {
        if self.faults.len() == MOST_FAULTS {
            self.more += 1;
            return;
        }
        let mut fault = fault();
        if fault.message.len() > MOST_CHARACTERS {
            fault.message = excerpt(&fault.message, MOST_CHARACTERS);
        }
        // A key that is given three times.
        if self.faults.iter().any(|(_, told)| *told == fault) {
            return;
        }
        let bytes = |fault: &Fault| fault.path.len() + fault.message.len();
        let told: usize = self.faults.iter().map(|(_, fault)| bytes(fault)).sum();
        if told > 0 && told + bytes(&fault) > MOST_BYTES {
            self.more += 1;
        } else {
            self.faults.push((at, fault));
        }
    }
}

impl Walk<'_> {
    /// Notes a fault at the place that has been walked to.
    pub(super) fn fault(
        &mut self,
        at: usize,
        code: FaultCode,
        message: impl FnOnce(&Self) -> String,
    ) -> Walked {
        if self.mode == WalkMode::FailFast {
            return Err(Stop);
        }
        if let Some(Segment::Key(key)) = self.path.first()
            && !self.found.keys.contains(key)
        {
            let key = key.clone();
            self.found.keys.insert(key);
        }
        // Counted, not worded, once enough are.
        let mut found = std::mem::take(&mut self.found);
        found.push(self.outer.unwrap_or(at), || Fault {
            path: say::path(&self.path),
            code,
            message: message(self),
        });
        self.found = found;
        Ok(())
    }

    /// Notes a repair at the place that has been walked to.
    pub(super) fn repaired(&mut self, kind: RepairKind, from: &str, to: &str) {
        self.found.repairs.push(Repair {
            path: printable(say::path(&self.path).into()).into_owned(),
            kind,
            from: say::shortened(from),
            to: say::shortened(to),
        });
    }
}
