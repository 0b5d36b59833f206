use std::cmp::Ordering;

use super::rng::Rng;

/// A decimal number, exactly: its digits times ten to the power of its exponent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExactDecimal {
    negative: bool,
    /// Without zeros at either end; none for zero.
    digits: String,
    exponent: i64,
}

impl ExactDecimal {
    fn new(negative: bool, digits: &str, exponent: i64) -> Self {
        let digits = digits.trim_start_matches('0');
        let kept = digits.trim_end_matches('0');
        let zeros = length(digits) - length(kept);
        Self {
            negative: negative && !kept.is_empty(),
            digits: kept.to_owned(),
            exponent: if kept.is_empty() {
                0
            } else {
                exponent.saturating_add(zeros)
            },
        }
    }

    /// Reads a JSON number. An exponent beyond 64 bits is none that anybody means.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let exponent: i64 = exponent.parse().ok()?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let exponent = exponent.saturating_sub(length(fraction));
        is_number.then(|| Self::new(negative, &digits, exponent))
    }

    pub(super) fn of(value: i128) -> Self {
        Self::new(value < 0, &value.unsigned_abs().to_string(), 0)
    }

    pub(super) fn scaled(value: i128, exponent: i64) -> Self {
        Self::new(value < 0, &value.unsigned_abs().to_string(), exponent)
    }

    pub(super) fn of_unsigned(value: u128) -> Self {
        Self::new(false, &value.to_string(), 0)
    }

    pub(super) fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// Returns the number of digits before the point.
    pub(super) fn whole_digits(&self) -> i64 {
        length(&self.digits).saturating_add(self.exponent)
    }

    /// Returns true if this is a whole multiple of `of`, whose digits must fit 64 bits.
    pub(super) fn is_multiple(&self, of: &Self) -> bool {
        let Ok(unit) = of.digits.parse::<u64>() else {
            return false;
        };
        let shift = self.exponent.saturating_sub(of.exponent);
        if self.digits.is_empty() {
            return true;
        }
        let Ok(zeros) = usize::try_from(shift) else {
            return false;
        };
        let digits = self.digits.bytes();
        let rest = digits
            .chain(std::iter::repeat_n(b'0', zeros.min(400)))
            .fold(0u128, |rest, digit| {
                (rest * 10 + u128::from(digit - b'0')) % u128::from(unit)
            });
        rest == 0
    }

    /// This number times `times`, if the digits fit.
    pub(super) fn times(&self, times: i128) -> Option<Self> {
        let digits: i128 = self.digits.parse().ok()?;
        let product = digits.checked_mul(times)?;
        let product = if self.negative { -product } else { product };
        Some(Self::scaled(product, self.exponent))
    }

    /// The next number up or down that has so many digits after the point, or as many more as this
    /// one has.
    pub(super) fn next(&self, up: bool, places: i64) -> Self {
        let exponent = self.exponent.min(0).saturating_sub(places);
        let zeros = usize::try_from(self.exponent.saturating_sub(exponent)).unwrap_or(0);
        let digits = format!("{}{}", self.digits, "0".repeat(zeros.min(400)));
        if digits.bytes().all(|digit| digit == b'0') {
            return Self::new(!up, "1", exponent);
        }
        Self::new(
            self.negative,
            &counted(&digits, up != self.negative),
            exponent,
        )
    }

    /// The number as most people write it.
    pub(super) fn plain(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        if self.digits.is_empty() {
            return "0".to_owned();
        }
        let point = self.whole_digits();
        if !(-30..=400).contains(&point) || self.exponent > 60 {
            return format!("{sign}{}e{}", self.digits, self.exponent);
        }
        if let Ok(zeros) = usize::try_from(self.exponent) {
            return format!("{sign}{}{}", self.digits, "0".repeat(zeros));
        }
        match usize::try_from(point) {
            Ok(point) if point > 0 => {
                let (whole, fraction) = self.digits.split_at(point);
                format!("{sign}{whole}.{fraction}")
            }
            _ => {
                let zeros = usize::try_from(-point).unwrap_or(0);
                format!("{sign}0.{}{}", "0".repeat(zeros), self.digits)
            }
        }
    }

    /// Returns the number in one of its other spellings.
    pub(super) fn respelled(&self, rng: &mut Rng) -> String {
        let sign = if self.negative { "-" } else { "" };
        if self.digits.is_empty() {
            let zeros = ["0", "-0", "0.0", "-0.00", "0e5", "0E-3", "-0.0e+7", "0e999"];
            return rng.pick(&zeros).copied().unwrap_or("0").to_owned();
        }
        let letter = rng.pick(&["e", "E", "e"]).copied().unwrap_or("e");
        let power = |exponent: i64, plus: bool| {
            let plus = if plus && exponent >= 0 { "+" } else { "" };
            format!("{letter}{plus}{exponent}")
        };
        let plus = rng.percent(40);
        match rng.below(4) {
            // 5.0, 2.50
            0 if self.plain().contains('e') => self.plain(),
            0 if self.is_integer() => format!("{}.{}", self.plain(), "0".repeat(rng.between(1, 3))),
            0 => format!("{}{}", self.plain(), "0".repeat(rng.between(1, 3))),
            // 5e0, 25e-1
            1 => format!("{sign}{}{}", self.digits, power(self.exponent, plus)),
            // 50e-1
            2 => {
                let more = rng.between(1, 3);
                let exponent = self
                    .exponent
                    .saturating_sub(i64::try_from(more).unwrap_or(0));
                let zeros = "0".repeat(more);
                format!("{sign}{}{zeros}{}", self.digits, power(exponent, plus))
            }
            // 0.5e1
            _ => {
                let exponent = power(self.whole_digits(), plus);
                format!("{sign}0.{}{exponent}", self.digits)
            }
        }
    }
}

impl PartialOrd for ExactDecimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ExactDecimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let is_zero = |number: &Self| number.digits.is_empty();
        let sign = |number: &Self| match number.negative {
            _ if is_zero(number) => 0,
            true => -1,
            false => 1,
        };
        let magnitude = match (is_zero(self), is_zero(other)) {
            // Zero has no first digit, so its place says nothing.
            (false, false) => self
                .whole_digits()
                .cmp(&other.whole_digits())
                .then_with(|| self.digits.cmp(&other.digits)),
            _ => Ordering::Equal,
        };
        let magnitude = if self.negative {
            magnitude.reverse()
        } else {
            magnitude
        };
        sign(self).cmp(&sign(other)).then(magnitude)
    }
}

fn length(digits: &str) -> i64 {
    i64::try_from(digits.len()).unwrap_or(i64::MAX)
}

/// One more or one less than a number above zero, digit by digit.
fn counted(digits: &str, up: bool) -> String {
    let (last, first) = if up { (b'9', b'0') } else { (b'0', b'9') };
    let mut carry = true;
    let mut out: Vec<u8> = digits
        .bytes()
        .rev()
        .map(|digit| match (carry, digit == last) {
            (false, _) => digit,
            (true, true) => first,
            (true, false) => {
                carry = false;
                if up { digit + 1 } else { digit - 1 }
            }
        })
        .collect();
    if carry && up {
        out.push(b'1');
    }
    out.iter().rev().map(|digit| char::from(*digit)).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::ExactDecimal;
    use crate::rng::Rng;

    fn read(text: &str) -> ExactDecimal {
        ExactDecimal::read(text).unwrap()
    }

    #[test]
    fn order_and_neighbours_are_exact() {
        let sorted = [
            "-1e40", "-2", "-1.5", "-1", "-0.001", "0", "1e-9", "0.5", "1", "9", "10", "12",
            "12.3", "123", "1e40",
        ];
        for (at, low) in sorted.iter().enumerate() {
            for high in sorted.iter().skip(at + 1) {
                assert!(read(low) < read(high), "{low} < {high}");
            }
        }
        let max = "340282366920938463463374607431768211455";
        let table = [
            (max, true, 0, "340282366920938463463374607431768211456"),
            ("0", false, 0, "-1"),
            ("-128", false, 0, "-129"),
            ("-1", true, 0, "0"),
            ("100", false, 0, "99"),
            ("0.5", true, 2, "0.501"),
            ("0", false, 2, "-0.01"),
        ];
        for (text, up, places, next) in table {
            assert_eq!(read(text).next(up, places).plain(), next, "{text}");
        }
    }

    #[test]
    fn multiples_are_exact() {
        for (number, unit, is_multiple) in [
            ("0.75", "0.25", true),
            ("0.3", "0.1", true),
            ("0.35", "0.1", false),
            ("-5", "5", true),
            ("4", "5", false),
            ("1e30", "5", true),
            ("0", "0.25", true),
        ] {
            assert_eq!(read(number).is_multiple(&read(unit)), is_multiple);
        }
    }

    #[test]
    fn spellings_mean_the_same_number() {
        let mut rng = Rng::new(7);
        for text in [
            "0",
            "5",
            "-120",
            "0.25",
            "9007199254740993",
            "1e300",
            "-1e-20",
        ] {
            let number = read(text);
            assert_eq!(read(&number.plain()), number);
            for _ in 0..50 {
                let spelled = number.respelled(&mut rng);
                assert_eq!(read(&spelled), number, "{spelled}");
            }
        }
    }
}
