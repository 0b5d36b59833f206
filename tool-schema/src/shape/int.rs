use std::cmp::Ordering;
use std::fmt;

/// An integer of any of Rust's types: from `i128::MIN` to `u128::MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Int {
    /// Below zero.
    pub negative: bool,
    /// The value without its sign.
    pub magnitude: u128,
}

impl Int {
    /// Zero or more.
    pub const fn unsigned(value: u128) -> Self {
        Self {
            negative: false,
            magnitude: value,
        }
    }

    /// Any `i128`.
    pub const fn signed(value: i128) -> Self {
        Self {
            negative: value < 0,
            magnitude: value.unsigned_abs(),
        }
    }

    /// Returns the next larger integer, if 128 bits hold it.
    pub(crate) fn next(self) -> Option<Self> {
        Some(if self.negative {
            let magnitude = self.magnitude - 1;
            Self {
                negative: magnitude > 0,
                magnitude,
            }
        } else {
            Self::unsigned(self.magnitude.checked_add(1)?)
        })
    }

    /// Returns the next smaller integer, if 128 bits hold it.
    pub(crate) fn previous(self) -> Option<Self> {
        if let Some(magnitude) = self.magnitude.checked_sub(1).filter(|_| !self.negative) {
            return Some(Self::unsigned(magnitude));
        }
        let magnitude = self.magnitude + 1;
        (magnitude <= i128::MIN.unsigned_abs()).then_some(Self {
            negative: true,
            magnitude,
        })
    }

    /// Returns true if the value is less than another.
    pub(crate) const fn is_below(self, other: Self) -> bool {
        match (self.negative, other.negative) {
            (true, true) => self.magnitude > other.magnitude,
            (false, false) => self.magnitude < other.magnitude,
            (is_negative, _) => is_negative,
        }
    }

    /// Returns true if the value is zero.
    pub const fn is_zero(self) -> bool {
        self.magnitude == 0
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |int: &Self| (!int.negative, int.magnitude);
        match (self.negative, other.negative) {
            (true, true) => other.magnitude.cmp(&self.magnitude),
            _ => key(self).cmp(&key(other)),
        }
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        write!(f, "{sign}{}", self.magnitude)
    }
}

/// Integers as keys, as `json::key` reads them: one spelling a number.
pub const UNSIGNED_KEY: &str = "^([1-9][0-9]*|0)$";
pub const SIGNED_KEY: &str = "^(-?[1-9][0-9]*|0)$";
