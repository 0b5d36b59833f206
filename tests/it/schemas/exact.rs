//! JSON text, read exactly: numbers by their decimal value, and no key twice.

use std::cmp::Ordering;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON value.
pub(crate) enum Exact {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Exact>),
    Object(Vec<(String, Exact)>),
}

/// Digits without zeros at either end, and the power of ten that they are times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) negative: bool,
    pub(crate) digits: String,
    pub(crate) exponent: i64,
}

impl Exact {
    /// Reads a text; what is wrong with it.
    pub(crate) fn read(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str::<&RawValue>(text).and_then(|raw| Self::value(raw.get()))
    }

    fn value(text: &str) -> serde_json::Result<Self> {
        Ok(match text.as_bytes()[0] {
            b'n' => Self::Null,
            b't' => Self::Bool(true),
            b'f' => Self::Bool(false),
            b'"' => Self::String(serde_json::from_str(text)?),
            b'[' => {
                let items: Vec<&RawValue> = serde_json::from_str(text)?;
                let items = items.iter().map(|item| Self::value(item.get()));
                Self::Array(items.collect::<Result<_, _>>()?)
            }
            b'{' => {
                let Entries(entries) = serde_json::from_str(text)?;
                let entries = entries
                    .into_iter()
                    .map(|(key, item)| Ok((key, Self::value(item.get())?)));
                Self::Object(entries.collect::<serde_json::Result<_>>()?)
            }
            _ => Self::Number(Number::read(text)),
        })
    }

    /// How many arrays and objects stand inside each other.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Self::Array(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            Self::Object(entries) => {
                1 + entries
                    .iter()
                    .map(|(_, item)| item.depth())
                    .max()
                    .unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Whether this value, or one inside it, is such a one.
    pub(crate) fn has(&self, is_such: &dyn Fn(&Self) -> bool) -> bool {
        is_such(self)
            || match self {
                Self::Array(items) => items.iter().any(|item| item.has(is_such)),
                Self::Object(entries) => entries.iter().any(|(_, item)| item.has(is_such)),
                _ => false,
            }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(entries) => {
                let entry = entries.iter().find(|(name, _)| name == key);
                entry.map(|(_, item)| item)
            }
            _ => None,
        }
    }
}

const FAR: i64 = i64::MAX / 4;

impl Number {
    pub(crate) fn read(text: &str) -> Self {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        // Beyond this it is as good as any other: no length of a text makes up for it.
        let far = if exponent.starts_with('-') { -FAR } else { FAR };
        let exponent = exponent.parse().unwrap_or(far).clamp(-FAR, FAR);
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_matches('0').to_owned();
        if digits.is_empty() {
            return Self {
                negative: false,
                digits,
                exponent: 0,
            };
        }
        let zeros = all.len() - all.trim_end_matches('0').len();
        Self {
            negative,
            digits,
            exponent: exponent + i64::try_from(zeros).unwrap()
                - i64::try_from(fraction.len()).unwrap(),
        }
    }

    /// How many digits stand before the point, the first of which is not zero.
    pub(crate) fn magnitude(&self) -> i64 {
        i64::try_from(self.digits.len()).unwrap() + self.exponent
    }

    /// The nearest float, infinite where none is near.
    pub(crate) fn to_f64(&self) -> f64 {
        let text = format!("0{}e{}", self.digits, self.exponent);
        text.parse().expect("a number")
    }

    /// An integer of zero or more, up to 38 digits.
    pub(crate) fn to_integer(&self) -> Option<u128> {
        if self.negative || self.exponent < 0 || self.magnitude() > 38 {
            return None;
        }
        let zeros = "0".repeat(usize::try_from(self.exponent).ok()?);
        format!("0{}{zeros}", self.digits).parse().ok()
    }

    pub(crate) fn is_multiple(&self, unit: &Self) -> bool {
        let unit_digits: u64 = unit.digits.parse().expect("a short unit");
        let zeros = self.exponent - unit.exponent;
        if self.digits.is_empty() || zeros < 0 {
            return self.digits.is_empty();
        }
        let mut rest = 0;
        for digit in self.digits.bytes().map(|digit| u128::from(digit - b'0')) {
            rest = (rest * 10 + digit) % u128::from(unit_digits);
        }
        for _ in 0..zeros.min(1000) {
            rest = rest * 10 % u128::from(unit_digits);
        }
        rest == 0
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.digits.is_empty(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        sign(self).cmp(&sign(other)).then_with(|| {
            let size = |number: &Self| (number.magnitude(), number.digits.clone());
            match sign(self) {
                0 => Ordering::Equal,
                1 => size(self).cmp(&size(other)),
                _ => size(other).cmp(&size(self)),
            }
        })
    }
}

/// The entries of an object in their order, with no key twice.
struct Entries<'t>(Vec<(String, &'t RawValue)>);

impl<'de: 't, 't> Deserialize<'de> for Entries<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor).map(Self)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries: Self::Value = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, _>()? {
            if entries.iter().any(|(name, _)| *name == key) {
                return Err(A::Error::custom(format!("the key {key:?} stands twice")));
            }
            entries.push((key, value));
        }
        Ok(entries)
    }
}
