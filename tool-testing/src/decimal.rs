use std::cmp::Ordering;
use std::fmt::Display;

use toolwright_json::Decimal;

use super::rng::Rng;

/// A decimal number, in the one spelling that all equal numbers have: digits without zeros at either end, `e`, and the exponent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExactDecimal(String);

/// Sign, digits and exponent. Zero has no digits.
struct Parts<'n> {
    sign: &'static str,
    digits: &'n str,
    exponent: i64,
}

impl ExactDecimal {
    /// Reads a JSON number. An exponent beyond 64 bits is none that anybody means.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut spelled = String::new();
        Decimal::of(text)?.write_key(&mut spelled);
        let exponent = spelled
            .split_once('e')
            .map(|(_, exponent)| exponent.parse::<i64>());
        exponent
            .is_none_or(|exponent| exponent.is_ok())
            .then_some(Self(spelled))
    }

    pub(super) fn of(value: impl Display) -> Self {
        Self::scaled(value, 0)
    }

    pub(super) fn scaled(value: impl Display, exponent: i64) -> Self {
        Self::read(&format!("{value}e{exponent}")).unwrap_or_else(|| Self("0".to_owned()))
    }

    fn parts(&self) -> Parts<'_> {
        let (sign, number) = match self.0.strip_prefix('-') {
            Some(number) => ("-", number),
            None => ("", &*self.0),
        };
        let (digits, exponent) = number.split_once('e').unwrap_or(("", "0"));
        Parts {
            sign,
            digits,
            exponent: exponent.parse().unwrap_or(0),
        }
    }

    pub(super) fn is_integer(&self) -> bool {
        self.parts().exponent >= 0
    }

    /// Returns true if this is a whole multiple of `of`.
    pub(super) fn is_multiple(&self, of: &Self) -> bool {
        let of = Decimal::of(&of.0);
        Decimal::of(&self.0)
            .zip(of)
            .is_some_and(|(number, of)| number.is_multiple_of(&of))
    }

    /// This number times `times`, if the digits fit.
    pub(super) fn times(&self, times: i128) -> Option<Self> {
        let Parts {
            sign,
            digits,
            exponent,
        } = self.parts();
        let digits: i128 = format!("{sign}0{digits}").parse().ok()?;
        Some(Self::scaled(digits.checked_mul(times)?, exponent))
    }

    /// The next number up or down that has so many digits after the point, or as many more as this
    /// one has.
    pub(super) fn next(&self, up: bool, places: i64) -> Self {
        let parts = self.parts();
        let exponent = parts.exponent.min(0).saturating_sub(places);
        let zeros = usize::try_from(parts.exponent.saturating_sub(exponent)).unwrap_or(0);
        let digits = format!("{}{}", parts.digits, "0".repeat(zeros.min(400)));
        if parts.digits.is_empty() {
            return Self::scaled(if up { 1 } else { -1 }, exponent);
        }
        let next = counted(&digits, up != (parts.sign == "-"));
        // What is not above zero has zeros in front.
        let next = next.trim_start_matches('0');
        let next = if next.is_empty() { "0" } else { next };
        Self::scaled(format_args!("{}{next}", parts.sign), exponent)
    }

    /// The number as most people write it.
    pub(super) fn plain(&self) -> String {
        let Parts {
            sign,
            digits,
            exponent,
        } = self.parts();
        if digits.is_empty() {
            return "0".to_owned();
        }
        let point = length(digits).saturating_add(exponent);
        if !(-30..=400).contains(&point) || exponent > 60 {
            return format!("{sign}{digits}e{exponent}");
        }
        if let Ok(zeros) = usize::try_from(exponent) {
            return format!("{sign}{digits}{}", "0".repeat(zeros));
        }
        match usize::try_from(point) {
            Ok(point) if point > 0 => {
                let (whole, fraction) = digits.split_at(point);
                format!("{sign}{whole}.{fraction}")
            }
            _ => {
                let zeros = usize::try_from(-point).unwrap_or(0);
                format!("{sign}0.{}{digits}", "0".repeat(zeros))
            }
        }
    }

    /// Returns the number in one of its other spellings.
    pub(super) fn respelled(&self, rng: &mut Rng) -> String {
        let Parts {
            sign,
            digits,
            exponent,
        } = self.parts();
        if digits.is_empty() {
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
            1 => format!("{sign}{digits}{}", power(exponent, plus)),
            // 50e-1
            2 => {
                let more = rng.between(1, 3);
                let exponent = exponent.saturating_sub(i64::try_from(more).unwrap_or(0));
                let zeros = "0".repeat(more);
                format!("{sign}{digits}{zeros}{}", power(exponent, plus))
            }
            // 0.5e1
            _ => {
                let exponent = power(length(digits).saturating_add(exponent), plus);
                format!("{sign}0.{digits}{exponent}")
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
        Decimal::of(&self.0).cmp(&Decimal::of(&other.0))
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
