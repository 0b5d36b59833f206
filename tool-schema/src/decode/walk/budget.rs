//! Limits the cost of a walk.

use crate::decode::Json;

use super::{Edit, Stop, Walk, WalkOptions, Walked};

/// Limits on the cost of a walk. A step is a value, a key, or 16 bytes of a text that is compared,
/// passed over or copied.
#[derive(Clone, Copy)]
pub struct Budget {
    /// Number of steps that are left.
    pub(super) steps: u64,
    /// Number of values that may still be walked, one inside the other.
    pub(super) levels: u16,
}

impl Budget {
    /// No limit, for compiled types: their author wrote the schema.
    pub const NONE: Self = Self {
        steps: u64::MAX,
        levels: u16::MAX,
    };

    /// Returns the budget for a text that is checked against a run-time schema. It grows with the text and
    /// not with the schema. The depth fits a stack of 2 MiB in a build without optimization.
    pub const fn of(text: &str) -> Self {
        Self {
            steps: (1 << 20) + 4 * text.len() as u64,
            levels: 900,
        }
    }
}

impl Walk<'_> {
    /// Starts a walk over a text that replaces the value at `start`: its faults belong to this walk, and it shares the
    /// budget.
    pub(super) fn within<'i>(&mut self, json: Json<'i>, start: usize) -> Walk<'i> {
        let reading = WalkOptions {
            depth: json.depth(),
            is_typed: self.is_typed,
            budget: self.budget,
        };
        let mut inner = Walk::new(json, self.mode, reading);
        inner.path = std::mem::take(&mut self.path);
        inner.found = std::mem::take(&mut self.found);
        inner.outer = Some(self.outer.unwrap_or(start));
        inner.secrecy = self.secrecy;
        inner
    }

    /// Ends a walk of [`within`](Self::within), and returns the edits.
    pub(super) fn take_back(&mut self, inner: &mut Walk<'_>) -> Vec<Edit> {
        self.path = std::mem::take(&mut inner.path);
        self.found = std::mem::take(&mut inner.found);
        self.budget.steps = inner.budget.steps;
        std::mem::take(&mut inner.edits)
    }

    /// Pays for steps. Without any left the walk ends.
    pub(super) fn spend(&mut self, steps: u64) -> Walked {
        self.budget.steps = self.budget.steps.saturating_sub(steps);
        if self.is_spent() { Err(Stop) } else { Ok(()) }
    }

    pub(super) fn is_spent(&self) -> bool {
        self.budget.steps == 0
    }
}

/// Returns the steps that reading a text takes.
pub(super) fn bytes(text: &str) -> u64 {
    text.len() as u64 / 16
}
