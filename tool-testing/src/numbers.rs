use super::decimal::ExactDecimal;
use super::make::Maker;
use super::rules::{NumberBound, Rule, Type};
use super::value::Value;

/// Bounds of the widths of numbers, and what a float that passes for an integer loses.
const EDGES: [&str; 26] = [
    "127",
    "128",
    "-128",
    "-129",
    "255",
    "256",
    "32768",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "170141183460469231731687303715884105727",
    "-170141183460469231731687303715884105728",
    "340282366920938463463374607431768211455",
];

/// Decimals: small, large, and closer to zero than any float.
const DECIMALS: [&str; 14] = [
    "0.1",
    "0.5",
    "-0.25",
    "1.5",
    "3.141592653589793",
    "1e10",
    "1e38",
    "-3e38",
    "1e300",
    "1.7976931348623157e308",
    "5e-324",
    "1e-400",
    "0.30000000000000004",
    "123456789.987654321",
];

impl Rule {
    pub(super) fn admits_number(&self, number: &ExactDecimal) -> bool {
        let is_above =
            |bound: &NumberBound| *number > bound.at || *number == bound.at && !bound.exclusive;
        let is_below =
            |bound: &NumberBound| *number < bound.at || *number == bound.at && !bound.exclusive;
        (number.is_integer() || self.admits_type(Type::Number))
            && self.minimum.as_ref().is_none_or(is_above)
            && self.maximum.as_ref().is_none_or(is_below)
            && self
                .multiple_of
                .as_ref()
                .is_none_or(|unit| number.is_multiple(unit))
            && !self.refused.iter().any(|refused| match refused {
                Value::Number(text) => ExactDecimal::read(text).as_ref() == Some(number),
                _ => false,
            })
    }
}

impl Maker<'_> {
    /// A number that a rule admits, at its edges more often than elsewhere.
    pub(super) fn number(&mut self, rule: &Rule) -> Option<ExactDecimal> {
        for _ in 0..40 {
            if let Some(number) = self.candidate(rule)
                && rule.admits_number(&number)
            {
                return Some(number);
            }
        }
        // Narrow bounds, or a multiple that nothing above is: from the lower end on.
        let mut number = rule.minimum.as_ref().map_or(ExactDecimal::of(0), at);
        for _ in 0..1000 {
            if rule.admits_number(&number) {
                return Some(number);
            }
            number = number.next(true, 0);
        }
        None
    }

    fn candidate(&mut self, rule: &Rule) -> Option<ExactDecimal> {
        let is_whole = !rule.admits_type(Type::Number);
        if let Some(unit) = &rule.multiple_of
            && self.rng.percent(80)
        {
            let times = i128::try_from(self.rng.below(40)).ok()?;
            return unit.times(times - 10);
        }
        match self.rng.below(8) {
            0 => {
                let up = rule.minimum.as_ref()?.exclusive || self.rng.percent(30);
                let at = rule.minimum.as_ref().map(at)?;
                Some(if up { at.next(true, 0) } else { at })
            }
            1 => {
                let down = rule.maximum.as_ref()?.exclusive || self.rng.percent(30);
                let at = rule.maximum.as_ref().map(at)?;
                Some(if down { at.next(false, 0) } else { at })
            }
            2 => ExactDecimal::read(self.rng.pick(&EDGES)?),
            3 | 4 if !is_whole => ExactDecimal::read(self.rng.pick(&DECIMALS)?),
            5 if !is_whole => {
                let digits = i128::try_from(self.rng.below(100_000)).ok()?;
                let places = i64::try_from(self.rng.below(6)).ok()?;
                Some(ExactDecimal::scaled(digits, -places))
            }
            6 => self.anywhere(rule),
            _ => {
                let small = i128::try_from(self.rng.below(300)).ok()?;
                let small = if self.rng.percent(50) {
                    small % 10
                } else {
                    small
                };
                Some(ExactDecimal::of(if self.rng.percent(30) {
                    -small
                } else {
                    small
                }))
            }
        }
    }

    /// Any integer between the bounds, each as likely as the next.
    fn anywhere(&mut self, rule: &Rule) -> Option<ExactDecimal> {
        let (low, high) = (rule.minimum.as_ref()?, rule.maximum.as_ref()?);
        let random = (u128::from(self.rng.next()) << 64) | u128::from(self.rng.next());
        match (
            low.at.plain().parse::<i128>(),
            high.at.plain().parse::<i128>(),
        ) {
            (Ok(low), Ok(high)) => {
                let span = high.abs_diff(low).saturating_add(1);
                Some(ExactDecimal::of(low.checked_add_unsigned(random % span)?))
            }
            _ => Some(ExactDecimal::of(random)),
        }
    }

    /// A number of another width, as its text.
    pub(super) fn edge(&mut self) -> String {
        self.rng.pick(&EDGES).copied().unwrap_or("0").to_owned()
    }

    /// A number's text: mostly as people write it.
    pub(super) fn spelled(&mut self, number: &ExactDecimal) -> String {
        if self.rng.percent(25) {
            number.respelled(self.rng)
        } else {
            number.plain()
        }
    }

    /// A number of far too many digits, before the point or after it.
    pub(super) fn huge(&mut self) -> String {
        let count = self.rng.between(20, 400);
        let digits: String = (0..count)
            .map(|_| char::from(b'1' + u8::try_from(self.rng.below(9)).unwrap_or(0)))
            .collect();
        if self.rng.percent(30) {
            format!("0.{digits}")
        } else {
            digits
        }
    }
}

fn at(bound: &NumberBound) -> ExactDecimal {
    bound.at.clone()
}
