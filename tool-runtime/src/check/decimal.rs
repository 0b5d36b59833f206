//! Numbers by their exact decimal value.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};

/// The exact value of a JSON number, borrowed from its text: `-12.30e+1` is -123.
///
/// Nothing goes through `f64`, so any number of digits counts, and `0.3` is a multiple of `0.1`.
/// Exponents are exact up to 10^37; beyond that they are all as large.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decimal<'t> {
    /// Zero is not.
    negative: bool,
    /// The digits before the point and those behind it, read as one integer that neither starts
    /// nor ends with a zero; of zero both are empty.
    whole: &'t str,
    fraction: &'t str,
    /// The power of ten that this integer is multiplied by; 0 for zero.
    exponent: i128,
}

/// Far beyond every exponent that somebody means, and far from overflow when lengths are added.
const HUGE: i128 = 10_i128.pow(37);

impl<'t> Decimal<'t> {
    /// The value of `text`, if it is a JSON number and nothing else.
    pub(crate) fn of(text: &'t str) -> Option<Self> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent_of(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) if is_digits(fraction) => (whole, fraction),
            Some(_) => return None,
            None => (mantissa, ""),
        };
        let leading_zero = whole.len() > 1 && whole.starts_with('0');
        if !is_digits(whole) || leading_zero {
            return None;
        }
        Some(Self::normal(negative, whole, fraction, exponent))
    }

    /// Drops the zeros at both ends.
    fn normal(negative: bool, whole: &'t str, fraction: &'t str, exponent: i128) -> Self {
        let mut whole = whole.trim_start_matches('0');
        let kept = fraction.trim_end_matches('0');
        let mut exponent = exponent - length(kept);
        let mut fraction = kept;
        if fraction.is_empty() {
            let kept = whole.trim_end_matches('0');
            exponent += length(whole) - length(kept);
            whole = kept;
        }
        if whole.is_empty() {
            fraction = fraction.trim_start_matches('0');
        }
        if whole.is_empty() && fraction.is_empty() {
            return Self {
                negative: false,
                whole,
                fraction,
                exponent: 0,
            };
        }
        Self {
            negative,
            whole,
            fraction,
            exponent,
        }
    }

    fn is_zero(&self) -> bool {
        self.len() == 0
    }

    /// How many digits count.
    fn len(&self) -> usize {
        self.whole.len() + self.fraction.len()
    }

    /// The digits that count, as ASCII.
    fn digits(&self) -> impl Iterator<Item = u8> {
        self.whole.bytes().chain(self.fraction.bytes())
    }

    /// Whether the value is `of` times a whole number. Of zero, only zero is a multiple.
    ///
    /// Linear in this number's digits; where `of` has more than 37 digits, in the product of both
    /// lengths.
    pub(crate) fn is_multiple_of(&self, of: &Decimal<'_>) -> bool {
        if self.is_zero() {
            return true;
        }
        // The last digit is not zero, so no multiple of ten makes it one of a coarser grid.
        if of.is_zero() || self.exponent < of.exponent {
            return false;
        }
        // What is left to ask: whether `of`'s digits divide these, with this many zeros behind
        // them. Only factors of 2 and 5 come with a zero, and a divisor has fewer than four of
        // them a digit: more zeros change nothing.
        let enough = length_of(of.len()) * 4;
        let zeros = usize::try_from((self.exponent - of.exponent).min(enough)).unwrap_or(0);
        let digits = self.digits().chain(std::iter::repeat_n(b'0', zeros));
        match small(of) {
            Some(divisor) => divides(divisor, digits),
            None => divides_slowly(&of.digits().collect::<Vec<u8>>(), digits),
        }
    }

    /// Appends a text that equal numbers have in common and others have not.
    pub(crate) fn write_key(&self, out: &mut String) {
        if self.is_zero() {
            out.push('0');
            return;
        }
        if self.negative {
            out.push('-');
        }
        out.push_str(self.whole);
        out.push_str(self.fraction);
        // Writing to a string does not fail.
        let _ = write!(out, "e{}", self.exponent);
    }

    /// The order of the values without their signs.
    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        // Where the first digit stands decides, unless a number has none.
        let top = |number: &Self| {
            let place = number.exponent + length_of(number.len());
            (!number.is_zero()).then_some(place)
        };
        // Without zeros at the end, the longer of two numbers that start alike is the larger.
        top(self)
            .cmp(&top(other))
            .then_with(|| self.digits().cmp(other.digits()))
    }
}

impl Ord for Decimal<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.cmp_magnitude(other),
            (true, true) => other.cmp_magnitude(self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Decimal<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Decimal<'_> {}

impl Hash for Decimal<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.negative, self.exponent).hash(state);
        self.digits().for_each(|digit| digit.hash(state));
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// What stands behind the `e`, at most [`HUGE`] either way.
fn exponent_of(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if !is_digits(digits) {
        return None;
    }
    // Digits alone fail to parse only where they are too many.
    let value = digits.parse().unwrap_or(HUGE).min(HUGE);
    Some(if negative { -value } else { value })
}

fn length(text: &str) -> i128 {
    length_of(text.len())
}

fn length_of(length: usize) -> i128 {
    i128::try_from(length).unwrap_or(HUGE)
}

/// The digits of a divisor as an integer, if ten times it fits into 128 bits.
fn small(of: &Decimal<'_>) -> Option<u128> {
    let divisor = of.digits().try_fold(0u128, |value, digit| {
        value
            .checked_mul(10)?
            .checked_add(u128::from(value_of(digit)))
    })?;
    divisor.checked_mul(10).map(|_| divisor)
}

/// Long division: only the remainder is kept.
fn divides(divisor: u128, digits: impl Iterator<Item = u8>) -> bool {
    let remainder = digits.fold(0, |remainder: u128, digit| {
        // The remainder is less than the divisor, ten times which fits.
        (remainder * 10 + u128::from(value_of(digit))) % divisor
    });
    remainder == 0
}

/// The same, digit by digit, for a divisor of any length.
fn divides_slowly(divisor: &[u8], digits: impl Iterator<Item = u8>) -> bool {
    // As long as the divisor and one digit more.
    let divisor: Vec<u8> = std::iter::once(b'0')
        .chain(divisor.iter().copied())
        .collect();
    let mut remainder = vec![b'0'; divisor.len()];
    for digit in digits {
        // Below the divisor, it starts with a zero, which comes round to the end.
        remainder.rotate_left(1);
        if let Some(last) = remainder.last_mut() {
            *last = digit;
        }
        while remainder >= divisor {
            subtract(&mut remainder, &divisor);
        }
    }
    remainder.iter().all(|digit| *digit == b'0')
}

/// Takes a number from one that is not less, both ASCII digits of one length.
fn subtract(from: &mut [u8], number: &[u8]) {
    let mut borrow = 0;
    for (digit, take) in from.iter_mut().zip(number).rev() {
        let take = value_of(*take) + borrow;
        let value = value_of(*digit);
        borrow = u8::from(value < take);
        *digit = b'0' + (value + 10 * borrow - take);
    }
}

fn value_of(digit: u8) -> u8 {
    digit - b'0'
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    fn key_of(text: &str) -> String {
        let mut key = String::new();
        of(text).write_key(&mut key);
        key
    }

    fn of(text: &str) -> Decimal<'_> {
        Decimal::of(text).unwrap_or_else(|| panic!("{text} is a number"))
    }

    #[test]
    fn what_is_no_json_number_has_no_value() {
        let table = [
            "",
            "-",
            "+1",
            ".5",
            "1.",
            "-.5",
            "01",
            "-01",
            "00",
            "1e",
            "1e+",
            "1e-",
            "1e1.5",
            "1ee1",
            "1.2.3",
            "0x10",
            "1_000",
            " 1",
            "1 ",
            "NaN",
            "Infinity",
            "-Infinity",
            "--1",
            "1e--1",
            "1.e5",
            "e5",
            "1,5",
            "१",
            "true",
            "\"1\"",
            "1e١",
        ];
        for text in table {
            assert!(Decimal::of(text).is_none(), "{text}");
        }
    }

    #[test]
    fn the_key_is_the_value() {
        let long = format!("1{}", "0".repeat(1000));
        let long_fraction = format!("0.{}1", "0".repeat(999));
        let table = [
            ("0", "0"),
            ("-0", "0"),
            ("0.0", "0"),
            ("-0.000e17", "0"),
            ("0e99999999999999999999999999999999999999999999", "0"),
            ("1", "1e0"),
            ("1.0", "1e0"),
            ("10e-1", "1e0"),
            ("0.1e1", "1e0"),
            ("0.001E+3", "1e0"),
            (
                "1e00000000000000000000000000000000000000000000000000",
                "1e0",
            ),
            ("-1", "-1e0"),
            ("100", "1e2"),
            ("1e2", "1e2"),
            ("1E+2", "1e2"),
            ("1e02", "1e2"),
            ("10203", "10203e0"),
            ("-12.30e+1", "-123e0"),
            ("12.030", "1203e-2"),
            ("0.00120", "12e-4"),
            ("1e400", "1e400"),
            ("100e-402", "1e-400"),
            ("9007199254740993", "9007199254740993e0"),
            (long.as_str(), "1e1000"),
            (long_fraction.as_str(), "1e-1000"),
            ("1e99999999999999999999", "1e99999999999999999999"),
            ("10e99999999999999999998", "1e99999999999999999999"),
            ("1e-99999999999999999999", "1e-99999999999999999999"),
        ];
        for (text, key) in table {
            assert_eq!(key_of(text), key, "{text}");
        }
        let beyond = format!("1e{}", "9".repeat(1000));
        assert!(of(&beyond) > of("9e999999999"));
        assert!(of(&beyond).is_multiple_of(&of("1")));
        let below = format!("1e-{}", "9".repeat(1000));
        assert!(of(&below) > of("0") && of(&below) < of("1e-999999999"));
    }

    #[test]
    fn numbers_are_ordered_by_value() {
        // Each is less than the next.
        let table = [
            "-1e99999999999999999999",
            "-1e400",
            "-18446744073709551616",
            "-100.1",
            "-1e2",
            "-99.999999999999999999999999999",
            "-1.1",
            "-1",
            "-0.99",
            "-1e-400",
            "0",
            "1e-99999999999999999999",
            "1e-400",
            "0.1",
            "0.10000000000000000000000000000000001",
            "0.11",
            "0.2",
            "0.99",
            "1.0",
            "1.00000000000000000000000000000001",
            "9.9e0",
            "10",
            "11",
            "99",
            "1e2",
            "100.5",
            "9007199254740992",
            "9007199254740993",
            "1e400",
            "1.5e400",
            "1e99999999999999999999",
        ];
        for (i, a) in table.iter().enumerate() {
            for (j, b) in table.iter().enumerate() {
                assert_eq!(of(a).cmp(&of(b)), i.cmp(&j), "{a} {b}");
            }
        }
    }

    #[test]
    fn integers_and_multiples() {
        let integers = [
            ("0", true),
            ("-0.0", true),
            ("1.0", true),
            ("1e2", true),
            ("120e-1", true),
            ("1.5", false),
            ("15e-2", false),
            ("1.50e1", true),
            ("1e-99999999999999999999", false),
        ];
        for (text, expected) in integers {
            assert_eq!(of(text).is_multiple_of(&of("1")), expected, "{text}");
        }
        let wide = "123456789012345678901234567890123456789012345678901234567890";
        let table = [
            ("0", "3", true),
            ("0", "0.1", true),
            ("0", "0", true),
            ("1", "0", false),
            ("3", "3", true),
            ("-9", "3", true),
            ("9", "-3", true),
            ("10", "3", false),
            ("0.3", "0.1", true),
            ("0.35", "0.1", false),
            ("1.25", "0.5", false),
            ("1.5", "0.5", true),
            ("1.1", "0.01", true),
            ("0.0075", "0.0001", true),
            ("0.00751", "0.0001", false),
            ("4.2", "2.1", true),
            ("100", "1e2", true),
            ("50", "1e2", false),
            ("150", "100", false),
            ("1e300", "0.1", true),
            ("1e300", "1024", true),
            ("1e300", "3", false),
            ("1e9", "1024", false),
            ("1e10", "1024", true),
            ("3e99999999999999999999", "3", true),
            ("3e99999999999999999999", "7", false),
            ("1e-300", "1e-300", true),
            ("1e-300", "2e-300", false),
            ("1e400", "1e-400", true),
            ("9007199254740993", "2", false),
            ("18446744073709551616", "4294967296", true),
            ("1", "34028236692093846346337460743176821144", false),
            (
                "340282366920938463463374607431768211456",
                "18446744073709551616",
                true,
            ),
            (
                "680564733841876926926749214863536422912",
                "340282366920938463463374607431768211456",
                true,
            ),
            (
                "680564733841876926926749214863536422913",
                "340282366920938463463374607431768211456",
                false,
            ),
            (wide, wide, true),
            (
                "246913578024691357802469135780246913578024691357802469135780",
                wide,
                true,
            ),
            (
                "246913578024691357802469135780246913578024691357802469135781",
                wide,
                false,
            ),
            (
                "1e200",
                "1606938044258990275541962092341162602522202993782792835301376",
                true,
            ),
            (
                "1e199",
                "1606938044258990275541962092341162602522202993782792835301376",
                false,
            ),
        ];
        for (text, divisor, expected) in table {
            let found = of(text).is_multiple_of(&of(divisor));
            assert_eq!(found, expected, "{text} of {divisor}");
        }
    }

    /// Knuth's, which is random enough for a table.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % end
        }

        /// A number as some text for it, and a billion times its value.
        fn number(&mut self) -> (String, i128) {
            let digits = u32::try_from(self.below(9)).unwrap_or(0);
            let value = i128::from(self.below(10u64.pow(digits) * 2));
            let value = if self.below(2) == 0 { -value } else { value };
            let scale = i128::from(self.below(10)) - 9;
            let text = match self.below(3) {
                0 => format!("{value}e{scale}"),
                1 => format!("{value}.{}E{scale}", "0".repeat(1 + digits as usize)),
                _ => {
                    let sign = if value < 0 { "-" } else { "" };
                    let value = value.unsigned_abs();
                    format!("{sign}{}.{:03}e{:+}", value / 1000, value % 1000, scale + 3)
                }
            };
            let power = u32::try_from(scale + 9).unwrap_or(0);
            (text, value * 10i128.pow(power))
        }
    }

    #[test]
    fn random_numbers_behave_as_integers_do() {
        let mut random = Random(20_260_131);
        let mut multiples = 0;
        for _ in 0..50_000 {
            let (a, a_value) = random.number();
            let (b, b_value) = random.number();
            let (left, right) = (of(&a), of(&b));
            assert_eq!(left.cmp(&right), a_value.cmp(&b_value), "{a} {b}");
            assert_eq!(key_of(&a) == key_of(&b), a_value == b_value, "{a} {b}");
            assert_eq!(
                left.is_multiple_of(&of("1")),
                a_value % 1_000_000_000 == 0,
                "{a}"
            );
            let is_multiple = a_value == 0 || b_value != 0 && a_value % b_value == 0;
            assert_eq!(left.is_multiple_of(&right), is_multiple, "{a} {b}");
            multiples += usize::from(is_multiple);
            let digits: Vec<u8> = right.digits().collect();
            if b_value != 0 && left.exponent >= right.exponent {
                let zeros = usize::try_from(left.exponent - right.exponent).unwrap_or(0);
                let padded = left.digits().chain(std::iter::repeat_n(b'0', zeros));
                assert_eq!(
                    super::divides_slowly(&digits, padded),
                    is_multiple,
                    "{a} {b}"
                );
            }
        }
        assert!(multiples > 1000, "{multiples}");
    }
}
