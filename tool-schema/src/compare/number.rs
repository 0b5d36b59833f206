//! Compares the numbers of JSON exactly, in `const`.

/// A number: `mantissa` times ten to the power of `exponent`, and no trailing zero in the mantissa.
#[derive(Debug, Clone, Copy)]
pub(super) struct Num {
    negative: bool,
    mantissa: u128,
    exponent: i32,
}

impl Num {
    pub(super) const fn whole(value: u128) -> Self {
        Self {
            negative: false,
            mantissa: value,
            exponent: 0,
        }
        .normal()
    }

    /// Reads a number; `None` if it has more digits than 128 bits hold, or is none.
    pub(super) const fn of(text: &[u8]) -> Option<Self> {
        let (negative, mut rest) = match text {
            [b'-', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        let (mut mantissa, mut exponent) = (0u128, 0i32);
        let (mut in_fraction, mut digits) = (false, 0u32);
        loop {
            match rest {
                [digit @ b'0'..=b'9', behind @ ..] => {
                    mantissa = match mantissa.checked_mul(10) {
                        Some(value) => match value.checked_add((*digit - b'0') as u128) {
                            Some(value) => value,
                            None => return None,
                        },
                        None => return None,
                    };
                    digits += 1;
                    if in_fraction {
                        exponent -= 1;
                    }
                    rest = behind;
                }
                [b'.', behind @ ..] if !in_fraction => {
                    in_fraction = true;
                    rest = behind;
                }
                [b'e' | b'E', behind @ ..] => {
                    let behind = match behind {
                        [b'+', digits @ ..] => digits,
                        _ => behind,
                    };
                    let Ok(text) = std::str::from_utf8(behind) else {
                        return None;
                    };
                    let Ok(power) = i32::from_str_radix(text, 10) else {
                        return None;
                    };
                    // Larger ones are no numbers of any type.
                    if power > 100_000 || power < -100_000 {
                        return None;
                    }
                    exponent += power;
                    break;
                }
                [] => break,
                _ => return None,
            }
        }
        if digits == 0 {
            return None;
        }
        Some(
            Self {
                negative: negative && mantissa > 0,
                mantissa,
                exponent,
            }
            .normal(),
        )
    }

    const fn normal(mut self) -> Self {
        if self.mantissa == 0 {
            self.exponent = 0;
        }
        while self.mantissa > 0 && self.mantissa.is_multiple_of(10) {
            self.mantissa /= 10;
            self.exponent += 1;
        }
        self
    }

    pub(super) const fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// Returns the number as a count; `None` if it is none of 64 bits.
    #[allow(clippy::cast_possible_truncation)] // It has been compared.
    pub(super) const fn count(&self) -> Option<u64> {
        if self.negative || self.exponent < 0 || self.exponent > 20 {
            return None;
        }
        let Some(value) = self
            .mantissa
            .checked_mul(10u128.pow(self.exponent.cast_unsigned()))
        else {
            return None;
        };
        if value > u64::MAX as u128 {
            None
        } else {
            Some(value as u64)
        }
    }

    /// Returns the number without its sign, in units of ten to this power; `None` if they are too many. The power is
    /// not above the number's own.
    const fn in_units(&self, power: i32) -> Option<u128> {
        let mut value = self.mantissa;
        let mut steps = self.exponent - power;
        while steps > 0 && value > 0 {
            value = match value.checked_mul(10) {
                Some(value) => value,
                None => return None,
            };
            steps -= 1;
        }
        Some(value)
    }

    /// Returns -1, 0 or 1, as this number is below, equal to or above the other.
    pub(super) const fn cmp(&self, other: &Self) -> i8 {
        match (self.negative, other.negative) {
            (true, false) => return -1,
            (false, true) => return 1,
            _ => {}
        }
        let sign = if self.negative { -1 } else { 1 };
        let power = if self.exponent < other.exponent {
            self.exponent
        } else {
            other.exponent
        };
        // Only the one with the larger exponent grows: what does not fit is larger than what needs not grow.
        match (self.in_units(power), other.in_units(power)) {
            (Some(a), Some(b)) if a == b => 0,
            (Some(a), Some(b)) if a > b => sign,
            (Some(_), _) => -sign,
            (None, _) => sign,
        }
    }

    /// Returns true if the number is a multiple of the other; `None` if 128 bits do not tell.
    pub(super) const fn is_multiple_of(&self, other: &Self) -> Option<bool> {
        if other.mantissa == 0 {
            return None;
        }
        let power = if self.exponent < other.exponent {
            self.exponent
        } else {
            other.exponent
        };
        match (self.in_units(power), other.in_units(power)) {
            (Some(a), Some(b)) => Some(a.is_multiple_of(b)),
            _ => None,
        }
    }

    /// Returns the nearest integer that is not below the number.
    pub(super) const fn ceil(&self) -> Self {
        self.rounded(!self.negative)
    }

    /// Returns the nearest integer that is not above the number.
    pub(super) const fn floor(&self) -> Self {
        self.rounded(self.negative)
    }

    const fn rounded(&self, away: bool) -> Self {
        if self.exponent >= 0 {
            return *self;
        }
        let mut whole = self.mantissa;
        let mut power = self.exponent;
        while power < 0 && whole > 0 {
            whole /= 10;
            power += 1;
        }
        if away {
            whole += 1;
        }
        Self {
            negative: self.negative && whole > 0,
            mantissa: whole,
            exponent: 0,
        }
        .normal()
    }

    /// Returns the next integer above (or below) an integer; `None` where 128 bits do not hold it.
    pub(super) const fn next(&self, up: bool) -> Option<Self> {
        let Some(whole) = self.in_units(0) else {
            return None;
        };
        let (negative, whole) = match (self.negative, up) {
            (false, true) => (false, whole.checked_add(1)),
            (true, false) => (true, whole.checked_add(1)),
            (true, true) => (true, whole.checked_sub(1)),
            (false, false) if whole == 0 => (true, Some(1)),
            (false, false) => (false, whole.checked_sub(1)),
        };
        match whole {
            Some(mantissa) => Some(
                Self {
                    negative: negative && mantissa > 0,
                    mantissa,
                    exponent: 0,
                }
                .normal(),
            ),
            None => None,
        }
    }
}

impl std::fmt::Display for Num {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        match (self.exponent, self.in_units(0)) {
            (0..=40, Some(whole)) => write!(f, "{sign}{whole}"),
            _ => write!(f, "{sign}{}e{}", self.mantissa, self.exponent),
        }
    }
}
